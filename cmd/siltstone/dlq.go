package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/siltstone-ai/siltstone/pkg/client"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func dlqCommand(e *env) *cobra.Command {
	c := &cobra.Command{
		Use: "dlq", Short: "Show what stages gave up, try it again or drop it", Long: help("dlq"), Args: subcommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	limit := 0
	list := &cobra.Command{
		Use: "list", Short: "List dead letters, oldest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return e.dlqList(cmd.Context(), limit) },
	}
	list.Flags().IntVar(&limit, "limit", 0, "at most so many; 0: all")
	original := false
	show := &cobra.Command{
		Use: "show ID", Short: "Show one dead letter", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return e.dlqShow(cmd.Context(), args[0], original) },
	}
	show.Flags().BoolVar(&original, "original", false, "with what was published, byte for byte, below it")
	c.AddCommand(list, show,
		e.dealCommand("retry", "Try dead letters again", (*client.HTTP).RetryDead),
		e.dealCommand("drop", "Remove dead letters and their bodies for good", (*client.HTTP).DropDead))
	return c
}

// eachLetter calls fn with every dead letter, page by page, at most limit of them, 0 meaning all.
func eachLetter(ctx context.Context, cl *client.HTTP, limit int, fn func(schema.DeadLetter) error) error {
	for cursor, n := "", 0; ; {
		page, err := cl.DeadLetters(ctx, cursor, 0)
		if err != nil {
			return err
		}
		for _, d := range page.Items {
			if n++; limit > 0 && n > limit {
				return nil
			}
			if err := fn(d); err != nil {
				return err
			}
		}
		if cursor = page.Cursor; cursor == "" {
			return nil
		}
	}
}

func (e *env) dlqList(ctx context.Context, limit int) error {
	if limit < 0 {
		return usage(schema.Invalid("limit", "must not be negative"))
	}
	cl, err := e.client()
	if err != nil {
		return err
	}
	all := schema.DeadLetterList{}
	t := tabwriter.NewWriter(e.out, 0, 4, 2, ' ', 0)
	err = eachLetter(ctx, cl, limit, func(d schema.DeadLetter) error {
		if e.json {
			all.Items = append(all.Items, d)
			return nil
		}
		if len(all.Items) == 0 {
			all.Items = append(all.Items, d)
			fmt.Fprintln(t, "id\tstage\tevent\ttries\tsince\treason")
		}
		_, err := fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%s\t%s\n", d.ID, d.Stage, orDash(d.Event), d.Count, d.At.Local().Format("2006-01-02 15:04"), d.Reason)
		return err
	})
	if err != nil {
		return err
	}
	if e.json {
		return printJSON(e.out, all)
	}
	if len(all.Items) == 0 {
		fmt.Fprintln(e.err, noLetters)
	}
	return t.Flush()
}

// noLetters is told on standard error, so that a script which counts lines reads none.
const noLetters = "There are no dead letters."

var errNoLetterID = schema.Invalid("id", "must not be empty; siltstone dlq list names the letters")

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func (e *env) dlqShow(ctx context.Context, id string, original bool) error {
	if id == "" {
		return usage(errNoLetterID)
	}
	cl, err := e.client()
	if err != nil {
		return err
	}
	d, err := cl.DeadLetter(ctx, id, original)
	if err != nil {
		return err
	}
	if e.json {
		return printJSON(e.out, d)
	}
	t := tabwriter.NewWriter(e.out, 0, 4, 2, ' ', 0)
	fmt.Fprintf(t, "id\t%s\nstage\t%s\nevent\t%s\nlog\t%s\ntries\t%d\nsince\t%s\nreason\t%s\n",
		d.ID, d.Stage, orDash(d.Event), entryOf(d), d.Count, d.At.Local().Format("2006-01-02 15:04:05"), d.Reason)
	if err := t.Flush(); err != nil {
		return err
	}
	if original {
		_, err = fmt.Fprintf(e.out, "\n%s\n", d.Original)
	}
	return err
}

// entryOf says where in the log a letter's event is.
func entryOf(d schema.DeadLetter) string {
	if d.Seq == 0 {
		return "-"
	}
	return strconv.FormatUint(d.Seq, 10) + ", generation " + strconv.Itoa(d.Generation)
}

// dealCommand is retry or drop.
func (e *env) dealCommand(name, short string, deal func(*client.HTTP, context.Context, string) (schema.DeadReply, error)) *cobra.Command {
	all := false
	c := &cobra.Command{
		Use: name + " [ID...]", Short: short,
		RunE: func(cmd *cobra.Command, ids []string) error {
			if all == (len(ids) > 0) {
				return usage(errors.New("name the letters by their ids, or say --all"))
			}
			if slices.Contains(ids, "") {
				return usage(errNoLetterID)
			}
			cl, err := e.client()
			if err != nil {
				return err
			}
			if all { // letters that come back are not dealt with twice
				err := eachLetter(cmd.Context(), cl, 0, func(d schema.DeadLetter) error { ids = append(ids, d.ID); return nil })
				if err != nil {
					return err
				}
				if len(ids) == 0 && !e.json {
					fmt.Fprintln(e.err, noLetters)
				}
			}
			return e.deal(cmd.Context(), cl, ids, deal)
		},
	}
	c.Flags().BoolVar(&all, "all", false, "all that there are")
	return c
}

// deal deals with letters one by one. One that was given up again, or is not there, is an answer of no; the others are
// dealt with all the same.
func (e *env) deal(ctx context.Context, cl *client.HTTP, ids []string, deal func(*client.HTTP, context.Context, string) (schema.DeadReply, error)) error {
	out, failed := make([]schema.DeadReply, 0, len(ids)), []error(nil)
	for _, id := range ids {
		r, err := deal(cl, ctx, id)
		switch {
		case err != nil && !schema.IsPermanent(err) && schema.CodeOf(err) != schema.CodeNotFound:
			return err
		case err != nil:
			failed = append(failed, fmt.Errorf("%s: %w", id, err))
			continue
		case r.State == schema.DeadAgain:
			failed = append(failed, fmt.Errorf("%s: given up again: %s", id, r.Reason))
		}
		out = append(out, r)
		if !e.json {
			fmt.Fprintf(e.out, "%s  %s\n", r.ID, r.State)
		}
	}
	if e.json {
		if err := printJSON(e.out, map[string][]schema.DeadReply{"letters": out}); err != nil {
			return err
		}
	}
	return errors.Join(failed...)
}
