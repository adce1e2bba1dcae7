package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func queryCommand(e *env) *cobra.Command {
	q := schema.Query{}
	items := false
	c := &cobra.Command{
		Use: "query TEXT", Short: "Ask a user's memory and print the block for a prompt", Long: help("query"), Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Query = strings.Join(args, " ")
			if err := limited(cmd, schema.MaxLimit); err != nil {
				return err
			}
			if err := q.Validate(); err != nil {
				return usage(err)
			}
			cl, err := e.client()
			if err != nil {
				return err
			}
			r, err := cl.Query(cmd.Context(), q)
			if err != nil {
				return err
			}
			if e.json {
				return printJSON(e.out, r)
			}
			printReply(e.out, e.err, r, items || q.Explain)
			return nil
		},
	}
	f := c.Flags()
	f.StringVarP(&q.User, "user", "u", "", "whose memory (required)")
	f.StringVar(&q.Conversation, "conversation", "", "the conversation that asks")
	f.IntVarP(&q.Limit, "limit", "n", 0, "items, 1 to 100 (default 10); the block is bound by its tokens alone")
	f.StringVar(&q.Render, "render", "", "typed_v2, flat or none")
	f.StringVar(&q.Mode, "mode", "", "hybrid or legacy")
	f.StringVar(&q.Lang, "lang", "", "language of the headings: zh or en")
	f.BoolVar(&q.IncludeHistory, "history", false, "superseded memories too")
	f.BoolVar(&q.Explain, "explain", false, "show how every score came about")
	f.BoolVar(&items, "items", false, "list the items after the block")
	_ = c.MarkFlagRequired("user") // fails only for a flag that does not exist
	return c
}

// limited refuses --limit 0, which on the wire stands for the default.
func limited(c *cobra.Command, most int) error {
	if f := c.Flags().Lookup("limit"); f.Changed && f.Value.String() == "0" {
		return usage(fmt.Errorf("--limit: must lie between 1 and %d", most))
	}
	return nil
}

// printReply writes what goes into a prompt to w, and what is said about it to notes.
func printReply(w, notes io.Writer, r schema.Reply, items bool) {
	if r.Block != "" {
		fmt.Fprintln(w, r.Block)
	}
	if r.Hint != "" {
		fmt.Fprintln(notes, r.Hint)
	}
	if len(r.Degraded) > 0 {
		fmt.Fprintf(notes, "degraded: %s\n", strings.Join(r.Degraded, ", "))
	}
	if r.Stale {
		fmt.Fprintln(notes, "stale: the log was not settled far enough within the time limit")
	}
	if !items {
		return
	}
	for i, it := range r.Items {
		fmt.Fprintf(w, "%2d. %.3f %-10s %s  %s\n", i+1, it.Score, it.Type, it.ObservedAt.Format("2006-01-02"), strings.ReplaceAll(it.Content, "\n", " ⏎ "))
		if it.Explain != nil {
			fmt.Fprintf(w, "      %s\n", explainLine(it.Explain))
		}
	}
}

func explainLine(x *schema.Explain) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(x.Parts)) {
		parts = append(parts, fmt.Sprintf("%s %+.3f", k, x.Parts[k]))
	}
	for _, k := range slices.Sorted(maps.Keys(x.Arms)) {
		parts = append(parts, fmt.Sprintf("%s rank %d score %.3f z %+.2f", k, x.Arms[k].Rank, x.Arms[k].Score, x.Arms[k].Z))
	}
	return strings.Join(append(parts, x.Notes...), "; ")
}
