package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

func snapshotCommand(e *env) *cobra.Command {
	c := &cobra.Command{
		Use: "snapshot", Short: "Compare what generations of the index hold", Long: help("snapshot"), Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	gen := 0
	hash := &cobra.Command{
		Use: "hash", Short: "Hash the ids, payloads and vectors of all points of a generation", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return e.hash(cmd, gen) },
	}
	hash.Flags().IntVar(&gen, "generation", 0, "which one; 0: the one that is answered from")
	c.AddCommand(hash)
	return c
}

func (e *env) hash(cmd *cobra.Command, gen int) error {
	cl, err := e.client()
	if err != nil {
		return err
	}
	id, err := cl.Snapshot(cmd.Context(), gen)
	if err != nil {
		return invalidIsUsage(err)
	}
	job, err := e.follow(cmd.Context(), cl, id)
	if err != nil {
		return err
	}
	s := job.Snapshot
	if !s.Settled {
		fmt.Fprintln(e.err, "Something was on its way: the hash is of no moment. Wait with siltstone status --wait, and publish nothing meanwhile.")
	}
	if e.json {
		return printJSON(e.out, s)
	}
	t := tabwriter.NewWriter(e.out, 0, 4, 2, ' ', 0)
	for _, c := range s.Collections {
		fmt.Fprintf(t, "%s\t%d points\t%s\n", c.Name, c.Points, c.Hash)
	}
	fmt.Fprintf(t, "generation %d\tlog to %d\t%s\n", s.Generation, s.Seq, s.Hash)
	return t.Flush()
}
