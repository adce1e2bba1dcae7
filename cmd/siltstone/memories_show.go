package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/siltstone-ai/siltstone/pkg/client"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func (e *env) showMemoryCommand() *cobra.Command {
	c := &cobra.Command{Use: "show ID", Short: "Show a memory with its history and the events that state it", Args: cobra.ExactArgs(1)}
	return e.ofMemory(c, printMemory)
}

// ofMemory makes c print the memory that its one argument names, as JSON where that is asked for.
func (e *env) ofMemory(c *cobra.Command, print func(io.Writer, schema.MemoryView) error) *cobra.Command {
	return e.ofUser(c, "whose memory", func(ctx context.Context, cl *client.HTTP, user string, ids []string) error {
		v, err := cl.Memory(ctx, user, ids[0])
		if err != nil {
			return err
		}
		if e.json {
			return printJSON(e.out, v)
		}
		return print(e.out, v)
	})
}

func printMemory(w io.Writer, v schema.MemoryView) error {
	m := &v.Memory
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(t, "%s\t%s\n", name, oneLine(value))
		}
	}
	row("id", m.ID)
	row("content", m.Content)
	row("type", strings.TrimSpace(string(m.Type)+" "+string(m.Kind)))
	row("status", string(m.Status))
	row("pinned", map[bool]string{true: "in every block"}[m.Pinned])
	row("importance", share(m.Importance))
	row("confidence", share(m.Confidence))
	row("observed", moments(m.ObservedAt))
	row("valid", moments(m.ValidFrom, m.ValidTo))
	row("expires", moments(m.ExpiresAt))
	row("superseded by", m.SupersededBy)
	row("edit of", m.Edits)
	for i, s := range v.Events {
		row(map[bool]string{true: "stated by", false: "and by"}[i == 0], sourceText(s))
	}
	if err := t.Flush(); err != nil || len(v.History) == 0 {
		return err
	}
	fmt.Fprintln(w, "\nWhat it superseded, and what superseded it:")
	t = tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, memoryHead)
	for i := range v.History {
		h := &v.History[i]
		memoryRow(t, h.ID, h.Type, h.Status, h.ObservedAt, h.ExpiresAt, h.Content)
	}
	return t.Flush()
}

func share(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }

// moments is one moment, or a span with an open end; "" where there is none at all.
func moments(from time.Time, to ...time.Time) string {
	show := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.UTC().Format(time.RFC3339)
	}
	s := show(from)
	if len(to) > 0 && (s != "" || !to[0].IsZero()) {
		s = strings.TrimSpace(s + " – " + show(to[0]))
	}
	return s
}

// sourceText says where a statement comes from.
func sourceText(s schema.Source) string {
	what := "event " + s.Event
	if s.Tool != "" {
		what += ", tool " + s.Tool
	}
	return fmt.Sprintf("%s (%s)", what, s.Class)
}
