package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/siltstone-ai/siltstone/pkg/client"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func whyCommand(e *env) *cobra.Command {
	c := &cobra.Command{Use: "why ID", Short: "Tell why a memory is there, and what was decided between it and others", Long: help("why"), Args: cobra.ExactArgs(1)}
	return e.ofUser(c, "whose memory", func(ctx context.Context, cl *client.HTTP, user string, ids []string) error {
		v, err := cl.Memory(ctx, user, ids[0])
		switch {
		case schema.CodeOf(err) == schema.CodeNotFound: // it may name a turn
			st, serr := cl.EventStatus(ctx, ids[0], false)
			if serr != nil || st.User != user { // nobody learns of another user's
				return err
			}
			if e.json {
				return printJSON(e.out, st)
			}
			return printTurn(e.out, st)
		case err != nil:
			return err
		case e.json:
			return printJSON(e.out, v)
		}
		return printWhy(e.out, v)
	})
}

// printTurn tells what became of a turn.
func printTurn(w io.Writer, st schema.EventStatus) error {
	fmt.Fprintln(w, "the turn "+oneLine(st.ID))
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintf(t, "log entry\t%d\n", st.Seq)
	so := st.State
	if st.Archived {
		so += ", archived: its document is left of it, what it stated, and its entry in the log"
	}
	fmt.Fprintf(t, "so it is\t%s\n", so)
	for _, d := range st.Dropped {
		fmt.Fprintf(t, "without\t%s\n", oneLine(strings.TrimSpace(d.Segment+" "+d.Tool+": "+d.Reason)))
	}
	return t.Flush()
}

func printWhy(w io.Writer, v schema.MemoryView) error {
	m := &v.Memory
	fmt.Fprintln(w, oneLine(m.Content))
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for i, s := range v.Events {
		said := "and again by"
		if i == 0 {
			said = "stated by"
		}
		fmt.Fprintf(t, "%s\t%s\n", said, sourceText(s))
	}
	fmt.Fprintf(t, "on\t%s\n", moments(m.ObservedAt))
	if m.Source.Seg != "" {
		fmt.Fprintf(t, "in\t%s\n", oneLine(m.Source.Seg))
	}
	fmt.Fprintf(t, "by the rule\t%s\n", oneLine(m.Rule))
	if m.Predicate != "" {
		fmt.Fprintf(t, "read as\t%s\n", oneLine(readAs(m)))
	}
	fmt.Fprintf(t, "so it is\t%s\n", decision(m))
	if err := t.Flush(); err != nil || len(v.Considered) == 0 {
		return err
	}
	fmt.Fprintln(w, "\nCompared with:")
	t = tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "id\tobserved\tby\tdecided\tcontent")
	for _, o := range v.Considered {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", o.ID, o.ObservedAt.Format(time.DateOnly), o.Source.Class, verdictText(o.Verdict), oneLine(o.Content))
	}
	return t.Flush()
}

// readAs is what a memory was read as: who, what, of which value.
func readAs(m *schema.Memory) string {
	s := strings.Join([]string{m.Subject, m.Predicate, m.Object}, " | ")
	if m.Negated {
		s += " (not)"
	}
	if m.Replaces != "" {
		s += " (ends: " + m.Replaces + ")"
	}
	return s
}

// decision says in words what became of a memory.
func decision(m *schema.Memory) string {
	until := ""
	if !m.ValidTo.IsZero() {
		until = " until " + moments(m.ValidTo)
	}
	switch {
	case m.Status == schema.StatusDuplicate:
		return "a duplicate of " + m.SupersededBy
	case m.Status == schema.StatusSuperseded && m.SupersededBy != "":
		return "history" + until + ", since " + m.SupersededBy
	case m.Status == schema.StatusSuperseded:
		return "history: it was over when it was said"
	case until != "":
		return "active" + until
	}
	return string(m.Status)
}

func verdictText(v schema.Verdict) string {
	switch v {
	case schema.VerdictSuperseded:
		return "ended by it"
	case schema.VerdictSupersededBy:
		return "ended it"
	case schema.VerdictRepeats:
		return "repeats it"
	case schema.VerdictRepeatedIn:
		return "is repeated in it"
	case schema.VerdictRefused:
		return "refused: trusted less"
	case schema.VerdictRefusedBy:
		return "refused it: trusted more"
	case schema.VerdictPast:
		return "was over by then"
	case schema.VerdictBeside:
		return "holds beside it"
	}
	return string(v)
}
