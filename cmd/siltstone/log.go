package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/siltstone-ai/siltstone/pkg/client"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func logCommand(e *env) *cobra.Command {
	c := &cobra.Command{
		Use: "log", Short: "Show whether the log is what was witnessed of it, or take it as it is", Long: help("log"), Args: subcommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return e.logState(cmd.Context(), (*client.HTTP).Log) },
	}
	yes := false
	accept := &cobra.Command{
		Use: "accept", Short: "Take the log as it is from now on", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !yes {
				return usage(errors.New("what the log lacks is not reported again: look at siltstone log, then say --yes"))
			}
			return e.logState(cmd.Context(), (*client.HTTP).AcceptLog)
		},
	}
	accept.Flags().BoolVar(&yes, "yes", false, "mean it")
	c.AddCommand(accept)
	return c
}

// logState prints how the log stands; that it has faults is an answer of no.
func (e *env) logState(ctx context.Context, ask func(*client.HTTP, context.Context) (schema.LogState, error)) error {
	cl, err := e.client()
	if err != nil {
		return err
	}
	s, err := ask(cl, ctx)
	if err != nil {
		return err
	}
	if e.json {
		err = printJSON(e.out, s)
	} else {
		for _, f := range s.Faults {
			fmt.Fprintln(e.out, f)
		}
		_, err = fmt.Fprintf(e.out, "log %d to %d, made %s; witnessed to %d, %d entries read and found right\n",
			s.First, s.Last, s.Created.Local().Format(time.DateTime), s.Witnessed, s.Checked)
	}
	if err == nil && len(s.Faults) > 0 {
		err = fmt.Errorf("the log is not what was witnessed of it (%d faults)", len(s.Faults))
	}
	return err
}
