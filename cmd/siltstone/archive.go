package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func archiveCommand(e *env) *cobra.Command {
	var a schema.Archive
	c := &cobra.Command{
		Use: "archive ID …", Short: "Prune turns of a user: of each a document is left", Long: help("archive"),
		RunE: func(cmd *cobra.Command, ids []string) error {
			a.IDs = ids
			if err := a.Validate(); err != nil {
				return usage(err)
			}
			return e.archive(cmd, a)
		},
	}
	userFlag(c, &a.User, "whose turns")
	c.Flags().BoolVar(&a.DryRun, "dry-run", false, "only say which would be archived: ids, and how each begins")
	return c
}

func (e *env) archive(cmd *cobra.Command, a schema.Archive) error {
	cl, err := e.client()
	if err != nil {
		return err
	}
	r, err := cl.Archive(cmd.Context(), a)
	if err != nil {
		return invalidIsUsage(err)
	}
	switch {
	case e.json:
		return printJSON(e.out, r)
	case a.DryRun:
		if err := e.listReached(cmd.Context(), cl, a.User, schema.ForgetReply{Matched: r.Matched, Events: r.Events}); err != nil {
			return err
		}
		_, err = fmt.Fprintf(e.out, "%d turns would be archived\n", r.Matched)
	case r.Matched == 0:
		_, err = fmt.Fprintln(e.out, "archived already")
	default:
		_, err = fmt.Fprintf(e.out, "%d turns are being archived (job %s)\n", r.Matched, r.Job)
	}
	return err
}
