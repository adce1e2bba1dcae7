package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/siltstone-ai/siltstone/pkg/client"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func replayCommand(e *env) *cobra.Command {
	var r schema.ReplayRequest
	var wait bool
	c := &cobra.Command{
		Use: "replay", Short: "Read the log into a new generation of the index, beside the one that answers", Long: help("replay"), Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if r.From == "" { // too much work to begin by a slip
				return cmd.Help()
			}
			r.Tenant = e.tenant
			if err := r.Validate(); err != nil {
				return usage(err)
			}
			cl, err := e.client()
			if err != nil {
				return err
			}
			id, err := cl.Replay(cmd.Context(), r)
			if err != nil {
				return invalidIsUsage(err)
			}
			if !wait {
				return e.begun(id)
			}
			job, err := e.follow(cmd.Context(), cl, id)
			if err != nil {
				return err
			}
			return e.showReplay(job)
		},
	}
	fs := c.Flags()
	fs.StringVar(&r.From, "from", "", "start, a log sequence, or a day or moment of acceptance (2026-03-01, RFC 3339)")
	fs.StringVar(&r.To, "to", "", "the last log sequence, or day or moment; empty: no end, what comes from now on too")
	fs.StringVar(&r.Policy, "policy", "recorded", "tool policies: recorded, as they stood at each event, or current, as they stand now")
	fs.BoolVar(&r.Switch, "switch", false, "answer from it as soon as it is filled and accounts for every event")
	fs.BoolVar(&wait, "wait", false, "wait until it is filled")
	c.AddCommand(
		&cobra.Command{
			Use: "status [GENERATION]", Short: "Show the generations and how far each is", Args: cobra.MaximumNArgs(1),
			RunE: func(cmd *cobra.Command, args []string) error { return e.replayStatus(cmd, args) },
		},
		e.moveCommand("switch", "Answer from another generation; without a number from the newest that is filled", (*client.HTTP).Switch),
		e.moveCommand("rollback", "Answer from the generation before again, or from the one that is named", (*client.HTTP).Rollback),
		&cobra.Command{
			Use: "prune GENERATION", Short: "Remove a generation that is not answered from", Args: cobra.ExactArgs(1),
			RunE: func(cmd *cobra.Command, args []string) error { return e.prune(cmd, args[0]) },
		},
	)
	return c
}

// begun says that a job goes on by itself.
func (e *env) begun(id string) error {
	if e.json {
		return printJSON(e.out, schema.JobStarted{Job: id})
	}
	fmt.Fprintf(e.out, "%s has begun; siltstone replay status shows how far it is\n", id)
	return nil
}

// moveCommand is switch or rollback.
func (e *env) moveCommand(name, short string, move func(*client.HTTP, context.Context, schema.SwitchRequest) (schema.Job, error)) *cobra.Command {
	var r schema.SwitchRequest
	c := &cobra.Command{
		Use: name + " [GENERATION]", Short: short, Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				n, err := generation(args[0])
				if err != nil {
					return err
				}
				r.Generation = n
			}
			cl, err := e.client()
			if err != nil {
				return err
			}
			job, err := move(cl, cmd.Context(), r)
			if err != nil {
				return err
			}
			if e.json {
				return printJSON(e.out, job)
			}
			fmt.Fprintf(e.out, "generation %d is answered from\n", job.Replay.Generation)
			return nil
		},
	}
	c.Flags().BoolVar(&r.Force, "force", false, "even one that is not filled, holds a part of the log only, or is of another model")
	return c
}

// generation reads the number of a generation, or the id of its replay.
func generation(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil {
		_, err = fmt.Sscanf(s, schema.JobReplay+"-%d", &n)
	}
	if err != nil || n < 1 {
		return 0, usage(schema.Invalid("generation", "%q is not the number of a generation", s))
	}
	return n, nil
}

func (e *env) prune(cmd *cobra.Command, arg string) error {
	n, err := generation(arg)
	if err != nil {
		return err
	}
	cl, err := e.client()
	if err != nil {
		return err
	}
	job, err := cl.Prune(cmd.Context(), n)
	if err != nil {
		return err
	}
	if e.json {
		return printJSON(e.out, job)
	}
	fmt.Fprintf(e.out, "generation %d is being removed\n", n)
	return nil
}

func (e *env) replayStatus(cmd *cobra.Command, args []string) error {
	cl, err := e.client()
	if err != nil {
		return err
	}
	if len(args) > 0 {
		n, err := generation(args[0])
		if err != nil {
			return err
		}
		job, err := cl.Job(cmd.Context(), fmt.Sprintf("%s-%d", schema.JobReplay, n))
		if err != nil {
			return err
		}
		return e.showReplay(job)
	}
	l, err := cl.Replays(cmd.Context())
	if err != nil {
		return err
	}
	if e.json {
		return printJSON(e.out, l)
	}
	t := tabwriter.NewWriter(e.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "generation\tstate\tsettled to\tfrom\tto\tpolicy\tmodel\tmade")
	for _, j := range l.Jobs {
		r := j.Replay
		to := "end"
		if r.To > 0 {
			to = strconv.FormatUint(r.To, 10)
		}
		fmt.Fprintf(t, "%d\t%s\t%d\t%d\t%s\t%s\t%s\t%s\n", r.Generation, stateOf(j), r.Floor, r.From, to, r.Policy, r.Model, r.Created.Local().Format("2006-01-02 15:04"))
	}
	return t.Flush()
}

// stateOf is how far a replay is, in a word.
func stateOf(j schema.Job) string {
	switch {
	case j.Replay.Active:
		return "answers"
	case j.State == schema.JobRunning && j.Replay.Copying:
		return "copying other tenants"
	case j.State == schema.JobRunning && j.Total > 0:
		return fmt.Sprintf("filling, %d%%", 100*j.Done/j.Total)
	case j.State == schema.JobRunning:
		return "filling"
	case j.State == schema.JobGone:
		return "going"
	}
	return "filled"
}

// showReplay prints one replay and what was compared.
func (e *env) showReplay(j schema.Job) error {
	if e.json {
		return printJSON(e.out, j)
	}
	r := j.Replay
	fmt.Fprintf(e.out, "generation %d: %s, settled to %d\n", r.Generation, stateOf(j), r.Floor)
	if line := progress(j); line != "" {
		fmt.Fprintln(e.out, line)
	}
	if r.Report != nil {
		printReport(e.out, r.Generation, r.Report)
	}
	return nil
}

func printReport(w io.Writer, gen int, rep *schema.ReplayReport) {
	fmt.Fprintf(w, "\ncompared up to %d of the log:\n\n", rep.UpTo)
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintf(t, "points\tgeneration %d\tgeneration %d\n", rep.With, gen)
	for _, c := range append(rep.Collections, rep.Dead) {
		fmt.Fprintf(t, "%s\t%d\t%d\n", c.Name, c.Before, c.Now)
	}
	_ = t.Flush() // w is the terminal
	fmt.Fprintf(w, "\n%d of %d questions are answered the same, %.0f%% of the items are the same\n", rep.Same, rep.Asked, 100*rep.Overlap)
	if rep.Withheld != "" {
		fmt.Fprintf(w, "not switched to: %s\n", rep.Withheld)
	}
}

// progress is how far a job is and how long it may take, "" where it has ended.
func progress(j schema.Job) string {
	if j.State != schema.JobRunning {
		return ""
	}
	line := fmt.Sprintf("%d of %d", j.Done, j.Total)
	if j.ETA != nil {
		line += fmt.Sprintf(", %.0f a second, %s left", j.Rate, (time.Duration(*j.ETA) * time.Second).Round(time.Second))
	}
	return line
}
