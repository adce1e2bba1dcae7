package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/siltstone-ai/siltstone/pkg/client"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// userFlag adds --user, which must be given.
func userFlag(c *cobra.Command, to *string, help string) {
	c.Flags().StringVarP(to, "user", "u", "", help+" (required)")
	_ = c.MarkFlagRequired("user") // fails only for a flag that does not exist
}

// ofUser completes c, a command about one user and what its arguments name by ids: it adds --user, looks at the ids
// before a server is asked, and runs do with a client.
func (e *env) ofUser(c *cobra.Command, whose string, do func(ctx context.Context, cl *client.HTTP, user string, ids []string) error) *cobra.Command {
	var user string
	userFlag(c, &user, whose)
	c.RunE = func(cmd *cobra.Command, ids []string) error {
		if err := schema.CheckID("user", user); err != nil {
			return usage(err)
		}
		for _, id := range ids {
			if err := schema.CheckID("id", id); err != nil {
				return usage(err)
			}
		}
		cl, err := e.client()
		if err != nil {
			return err
		}
		return do(cmd.Context(), cl, user, ids)
	}
	return c
}

// waitFlag adds --wait to a command that writes; what it returns are the options then.
func waitFlag(c *cobra.Command) func() []client.WriteOption {
	wait := c.Flags().Bool("wait", false, "return only when it is searchable, or after half a minute")
	return func() []client.WriteOption {
		if !*wait {
			return nil
		}
		return []client.WriteOption{client.WaitIndexed()}
	}
}
