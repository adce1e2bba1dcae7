package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func statusCommand(e *env) *cobra.Command {
	var wait bool
	c := &cobra.Command{
		Use: "status", Short: "Show how far the pipeline is and what became of every event", Long: help("status"), Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cl, err := e.client()
			if err != nil {
				return err
			}
			if wait {
				if err := waitIdle(cmd.Context(), e.err, cl); err != nil {
					return err
				}
			}
			st, err := cl.Status(cmd.Context())
			if err != nil {
				return err
			}
			if e.json {
				return printJSON(e.out, st)
			}
			printStatus(e.out, st)
			return nil
		},
	}
	c.Flags().BoolVar(&wait, "wait", false, "wait until everything accepted so far is settled")
	return c
}

func printStatus(w io.Writer, st schema.StatusReply) {
	state := "working"
	switch {
	case st.Idle && st.Ledger.Dead+st.Ledger.Pending == 0:
		state = "idle: everything accepted is settled and searchable"
	case st.Idle:
		state = "idle, but not everything is searchable: see the dead-lettered and pending events below"
	}
	for _, f := range st.LogFaults {
		fmt.Fprintf(w, "%s (siltstone log)\n", f)
	}
	fmt.Fprintf(w, "%s\nlog settled to %d of %d\n\n", state, st.Floor, st.LastSeq)
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "stage\twaiting\tin hand\tredelivered\toldest\tpulls")
	for _, s := range st.Stages {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%s\t%d\n", s.Name, s.Pending, s.AckPending, s.Redelivered, time.Duration(s.OldestMS)*time.Millisecond, s.Workers)
	}
	_ = t.Flush() // w is the terminal
	for _, s := range st.Stages {
		if held := time.Duration(s.PausedMS) * time.Millisecond; held > 0 {
			fmt.Fprintf(w, "\n%s is held for another %s: the work stream was made anew\n", s.Name, held.Round(time.Second))
		}
	}
	fmt.Fprintf(w, "\n%s\n", ledgerLine(st.Ledger))
	printCounts(w, "dropped by", st.Reasons.Dropped)
	printCounts(w, "dead letters of", st.Reasons.Dead)
	if n := st.Reasons.Conflict; n > 0 {
		fmt.Fprintf(w, "duplicates with another body: %d\n", n)
	}
}

// printCounts prints a line a name, in order.
func printCounts(w io.Writer, what string, n map[string]uint64) {
	for _, k := range slices.Sorted(maps.Keys(n)) {
		fmt.Fprintf(w, "%s %s: %d\n", what, k, n[k])
	}
}

// ledgerLine is the account of every event as an equation that holds.
func ledgerLine(l schema.Ledger) string {
	return fmt.Sprintf("accepted %d = indexed %d + duplicate %d + dropped by policy %d + dead-lettered %d + forgotten %d + pending %d",
		l.Accepted, l.Indexed, l.Duplicate, l.Dropped, l.Dead, l.Forgotten, l.Pending)
}
