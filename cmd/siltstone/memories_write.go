package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/siltstone-ai/siltstone/pkg/client"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// weights are the flags by which a memory is weighed; what is not given is nil.
type weights struct {
	importance, confidence float64
	pinned                 bool
	expires                string
}

func (w *weights) flags(c *cobra.Command, importance, confidence string) {
	f := c.Flags()
	f.Float64Var(&w.importance, "importance", 0, importance)
	f.Float64Var(&w.confidence, "confidence", 0, confidence)
	f.BoolVar(&w.pinned, "pinned", false, "put it into every block of the user; --pinned=false takes it out")
	f.StringVar(&w.expires, "expires", "", "until a day (2026-03-01, in UTC) or a moment (RFC 3339)")
}

// given are the values of the flags that stand on the command line.
func (w *weights) given(c *cobra.Command) (p schema.MemoryPatch, err error) {
	if c.Flags().Changed("importance") {
		p.Importance = &w.importance
	}
	if c.Flags().Changed("confidence") {
		p.Confidence = &w.confidence
	}
	if c.Flags().Changed("pinned") {
		p.Pinned = &w.pinned
	}
	if p.ExpiresAt, err = expiry(w.expires); err != nil {
		return p, fmt.Errorf("--expires: %w", err)
	}
	return p, nil
}

func (e *env) addMemoryCommand() *cobra.Command {
	var m schema.MemoryWrite
	var w weights
	var typ string
	c := &cobra.Command{Use: "add TEXT", Short: "State a memory outright", Args: cobra.MinimumNArgs(1)}
	userFlag(c, &m.User, "whose memory")
	c.Flags().StringVar(&typ, "type", string(schema.TypeFact), "constraint, preference, todo_hint or fact")
	w.flags(c, "0 to 1 (default 0.8)", "0 to 1 (default 1)")
	c.Flags().StringVar(&m.ID, "id", "", "an id of your own, so that doing it again is the same memory")
	opts := waitFlag(c)
	c.RunE = func(cmd *cobra.Command, args []string) error {
		p, err := w.given(cmd)
		if err != nil {
			return usage(err)
		}
		m = p.Changes(m)
		m.Content, m.Type = strings.Join(args, " "), schema.Type(typ)
		if err := m.Validate(); err != nil {
			return usage(err)
		}
		cl, err := e.client()
		if err != nil {
			return err
		}
		out, err := cl.Remember(cmd.Context(), m, opts()...)
		if err != nil {
			return err
		}
		return e.printStated(cmd.Context(), cl, m.User, out, "remembered as %s\n")
	}
	return c
}

func (e *env) editMemoryCommand() *cobra.Command {
	var w weights
	var user, id, typ string
	c := &cobra.Command{Use: "edit ID [TEXT]", Short: "Change what a memory says or weighs; what is not named stays as it is", Args: cobra.MinimumNArgs(1)}
	userFlag(c, &user, "whose memory")
	c.Flags().StringVar(&typ, "type", "", "constraint, preference, todo_hint or fact")
	w.flags(c, "0 to 1", "0 to 1")
	c.Flags().StringVar(&id, "id", "", "an id of your own, so that doing it again is the same edit")
	opts := waitFlag(c)
	c.RunE = func(cmd *cobra.Command, args []string) error {
		p, err := w.given(cmd)
		if err != nil {
			return usage(err)
		}
		p.ID, p.User, p.Type, p.Content = id, user, schema.Type(typ), strings.Join(args[1:], " ")
		for field, id := range map[string]string{"user": user, "id": args[0]} {
			if err := schema.CheckID(field, id); err != nil {
				return usage(err)
			}
		}
		if err := p.Validate(); err != nil {
			return usage(err)
		}
		cl, err := e.client()
		if err != nil {
			return err
		}
		out, err := cl.EditMemory(cmd.Context(), user, args[0], p, opts()...)
		if err != nil {
			return err
		}
		return e.printWritten(out, "it is %s now\n")
	}
	return c
}

func (e *env) deleteMemoryCommand() *cobra.Command {
	c := &cobra.Command{Use: "delete ID", Short: "Take a memory back, with its edits; the turn it was read from stays", Args: cobra.ExactArgs(1)}
	opts := waitFlag(c)
	return e.ofUser(c, "whose memory", func(ctx context.Context, cl *client.HTTP, user string, ids []string) error {
		out, err := cl.DeleteMemory(ctx, user, ids[0], opts()...)
		if err != nil {
			return err
		}
		return e.printWritten(out, "%s is taken back\n")
	})
}

// printStated is printWritten for a new statement: where it was waited for and repeats what is known, it names that.
func (e *env) printStated(ctx context.Context, cl *client.HTTP, user string, w schema.Written, text string) error {
	if e.json || w.Indexed == nil || !*w.Indexed {
		return e.printWritten(w, text)
	}
	v, err := cl.Memory(ctx, user, w.ID)
	if err != nil || v.Memory.Status != schema.StatusDuplicate { // it is written, whatever can be read of it
		return e.printWritten(w, text)
	}
	return e.printWritten(schema.Written{ID: v.Memory.SupersededBy}, "known already as %s\n")
}

// printWritten says what became of a write; text takes the memory's id.
func (e *env) printWritten(w schema.Written, text string) error {
	if e.json {
		return printJSON(e.out, w)
	}
	fmt.Fprintf(e.out, text, w.ID)
	if w.Indexed != nil && !*w.Indexed {
		fmt.Fprintln(e.err, "It is accepted, and was not searchable yet within half a minute; siltstone status says how far the pipeline is.")
	}
	return nil
}
