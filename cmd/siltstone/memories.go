package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func memoriesCommand(e *env) *cobra.Command {
	c := group("memories", "List, show, add, edit and delete what is remembered of a user")
	c.AddCommand(e.listMemoriesCommand(), e.showMemoryCommand(), e.addMemoryCommand(), e.editMemoryCommand(), e.deleteMemoryCommand())
	return c
}

// group is a command that is nothing but the name of those below it.
func group(name, short string) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short, Long: help(name), Args: subcommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }, // without it an unknown subcommand would pass
	}
}

func (e *env) listMemoriesCommand() *cobra.Command {
	var q schema.MemoryQuery
	var typ, kind string
	var all bool
	c := &cobra.Command{
		Use: "list", Short: "List a user's memories, page by page", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			q.Type, q.Kind = schema.Type(typ), schema.Kind(kind)
			if err := limited(cmd, schema.MaxPage); err != nil {
				return err
			}
			if err := q.Validate(); err != nil {
				return usage(err)
			}
			return e.listMemories(cmd, q, all)
		},
	}
	userFlag(c, &q.User, "whose memories")
	f := c.Flags()
	f.StringVar(&q.Status, "status", "", "active (default), superseded or all")
	f.StringVar(&typ, "type", "", "constraint, preference, todo_hint, fact or episode")
	f.StringVar(&kind, "kind", "", "user, feedback, project or reference")
	f.StringVarP(&q.Text, "match", "q", "", "only those that hold this text, whatever its case and width")
	f.IntVarP(&q.Limit, "limit", "n", 0, "memories a page, 1 to 1000 (default 100)")
	f.StringVar(&q.Cursor, "cursor", "", "go on where a page ended")
	f.BoolVar(&all, "all", false, "every page, one after another")
	return c
}

func (e *env) listMemories(cmd *cobra.Command, q schema.MemoryQuery, all bool) error {
	cl, err := e.client()
	if err != nil {
		return err
	}
	whole := schema.MemoryPage{Items: []schema.Item{}}
	for page := 1; ; page++ {
		p, err := cl.Memories(cmd.Context(), q)
		if err != nil {
			return err
		}
		if e.json {
			whole.Items, whole.Cursor = append(whole.Items, p.Items...), p.Cursor
		} else if err := e.printMemories(p.Items, page == 1); err != nil {
			return err
		}
		if q.Cursor = p.Cursor; q.Cursor == "" || !all {
			break
		}
	}
	if e.json {
		return printJSON(e.out, whole)
	}
	if q.Cursor != "" { // not among the lines that another program reads
		fmt.Fprintf(e.err, "There are more: --all, or --cursor %s\n", q.Cursor)
	}
	return nil
}

func (e *env) printMemories(items []schema.Item, head bool) error {
	t := tabwriter.NewWriter(e.out, 0, 4, 2, ' ', 0)
	if head {
		fmt.Fprintln(t, memoryHead)
	}
	for _, it := range items {
		memoryRow(t, it.ID, it.Type, it.Status, it.ObservedAt, it.ExpiresAt, it.Content)
	}
	return t.Flush()
}

const memoryHead = "id\ttype\tstatus\tobserved\texpires\tcontent"

func memoryRow(w io.Writer, id string, typ schema.Type, status schema.Status, observed, expires time.Time, content string) {
	fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", id, typ, status, observed.Format(time.DateOnly), endText(expires), oneLine(content))
}

// endText is an end as --expires takes it, "-" for none.
func endText(t time.Time) string {
	t = t.UTC()
	switch {
	case t.IsZero():
		return "-"
	case t.Equal(t.Truncate(24 * time.Hour)):
		return t.Format(time.DateOnly)
	}
	return t.Format(time.RFC3339)
}

// oneLine is s for a line of a table: what would move the terminal's cursor, or hide other text, is a space.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return '⏎'
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return ' '
		}
		return r
	}, s)
}
