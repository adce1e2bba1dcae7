package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/siltstone-ai/siltstone/pkg/client"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func forgetCommand(e *env) *cobra.Command {
	var f schema.Forget
	var before string
	var yes bool
	c := &cobra.Command{
		Use: "forget [ID …]", Short: "Make turns and memories of a user go, for good", Long: help("forget"),
		RunE: func(cmd *cobra.Command, ids []string) error {
			f.IDs = ids
			var err error
			if f.Before, err = moment(before); err != nil {
				return usage(fmt.Errorf("--before: %w", err))
			}
			if err := f.Validate(); err != nil {
				return usage(err)
			}
			cl, err := e.client()
			if err != nil {
				return err
			}
			if f.All && !f.DryRun && !yes {
				if err := e.confirmAll(cmd, cl, f); err != nil {
					return err
				}
			}
			return e.forget(cmd, cl, f)
		},
	}
	userFlag(c, &f.User, "whose turns and memories")
	fs := c.Flags()
	fs.StringVar(&f.Match, "match", "", "those that hold this text, whatever its case and width")
	fs.StringVar(&f.Conversation, "conversation", "", "a whole conversation")
	fs.StringVar(&before, "before", "", "what happened before a day (2026-03-01, in UTC) or a moment (RFC 3339)")
	fs.BoolVar(&f.All, "all", false, "everything of this user; asks first")
	fs.BoolVar(&f.DryRun, "dry-run", false, "only say what would go: ids, and how each begins")
	fs.BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

// moment reads a day or a moment; "" is none.
func moment(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.DateOnly, s); err == nil {
		return t, nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return t, fmt.Errorf("%q is neither a day such as 2026-03-01 nor a moment such as 2026-03-01T08:00:00+08:00", s)
	}
	return t, nil
}

// expiry is moment for the end of what is to hold from now on.
func expiry(s string) (time.Time, error) {
	t, err := moment(s)
	if err == nil && !t.IsZero() && !t.After(time.Now()) {
		err = fmt.Errorf("%s is past: it would never be shown", t.Format(time.RFC3339))
	}
	return t, err
}

// confirmAll asks on the terminal whether everything of a user shall go; where there is none it refuses.
func (e *env) confirmAll(cmd *cobra.Command, cl *client.HTTP, f schema.Forget) error {
	in, ok := e.in.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return usage(errors.New("--all makes everything of the user go: there is no terminal to ask on, so it needs --yes"))
	}
	dry := f
	dry.DryRun = true
	r, err := cl.Forget(cmd.Context(), dry)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.err, "Everything of %s goes for good: %s. Type the user's id to go on: ", f.User, matched(r))
	line, err := bufio.NewReader(in).ReadString('\n')
	if strings.TrimSpace(line) != f.User {
		return errors.Join(errors.New("nothing was forgotten: that is not the user's id"), err)
	}
	return nil
}

func (e *env) forget(cmd *cobra.Command, cl *client.HTTP, f schema.Forget) error {
	r, err := cl.Forget(cmd.Context(), f)
	if err != nil {
		return err
	}
	switch {
	case e.json:
		err = printJSON(e.out, r)
	case f.DryRun:
		if err = e.listReached(cmd.Context(), cl, f.User, r); err == nil {
			_, err = fmt.Fprintf(e.out, "%s would go\n", matched(r))
		}
	case r.Matched == 0 && !r.Partial:
		_, err = fmt.Fprintln(e.out, "nothing of the user is reached: nothing goes")
	default:
		fmt.Fprintf(e.out, "%s are going (job %s); no query shows them any more\n", matched(r), r.Job)
	}
	if err == nil && len(f.IDs) > 0 && r.Matched == 0 && !r.Partial {
		err = &schema.Error{Code: schema.CodeNotFound, Field: "ids", Message: "the user has no turn or memory of " + theseIDs(f.IDs) + "; siltstone memories list names them"}
	}
	return err
}

// theseIDs names the first of ids, as part of a sentence.
func theseIDs(ids []string) string {
	if len(ids) == 1 {
		return fmt.Sprintf("the id %q", ids[0])
	}
	return fmt.Sprintf("the %d ids, of which %q is the first", len(ids), ids[0])
}

// matched says how much a request reaches. Where counting was cut short it is more than was counted, or as much.
func matched(r schema.ForgetReply) string {
	n := fmt.Sprintf("%d turns and memories", r.Matched)
	if r.Partial {
		return "at least " + n
	}
	return n
}

// begins is how many characters of a text a dry run shows.
const begins = 80

// listReached lists what a dry run reaches. The server names ids alone; how each begins is read from the list of memories,
// where the token may do that.
func (e *env) listReached(ctx context.Context, cl *client.HTTP, user string, r schema.ForgetReply) error {
	known, whole, err := remembered(ctx, cl, user, r)
	switch {
	case err != nil:
		fmt.Fprintf(e.err, "Ids only: the memories cannot be listed: %v\n", err)
	case !whole:
		fmt.Fprintf(e.err, "Ids only where it is not among the first %d memories of the list\n", lookPages*lookPage)
	}
	t := tabwriter.NewWriter(e.out, 0, 4, 2, ' ', 0)
	row := func(id string, unknown string) {
		if it, ok := known[id]; ok {
			memoryRow(t, id, it.Type, it.Status, it.ObservedAt, it.ExpiresAt, clip(it.Content, begins))
		} else {
			fmt.Fprintf(t, "%s\t%s\t\t\t\t\n", id, unknown) // as many cells as the others, or the columns end here
		}
	}
	for _, id := range r.Events {
		row(id, "event")
	}
	for _, id := range r.Memories {
		row(id, "memory")
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if more := r.Matched - len(r.Events) - len(r.Memories); more > 0 {
		fmt.Fprintf(e.out, "… and %d more\n", more)
	}
	return nil
}

// How far a dry run goes through a user's memories to show how each begins. An id that is in none of them, such as that
// of a dropped turn, would lead through all of them.
const (
	lookPages = 5
	lookPage  = 1000
)

// remembered are those memories of a user that a dry run reaches, by their ids; turns by the ids of their events. whole is
// false where the list goes on behind what was read of it, and not all were found.
func remembered(ctx context.Context, cl *client.HTTP, user string, r schema.ForgetReply) (out map[string]schema.Item, whole bool, err error) {
	events, memories := map[string]bool{}, map[string]bool{}
	for _, id := range r.Events {
		events[id] = true
	}
	for _, id := range r.Memories {
		memories[id] = true
	}
	out = map[string]schema.Item{}
	q := schema.MemoryQuery{User: user, Status: "all", Limit: lookPage}
	for range lookPages {
		if len(out) == len(events)+len(memories) {
			return out, true, nil
		}
		p, err := cl.Memories(ctx, q)
		if err != nil {
			return out, false, err
		}
		for _, it := range p.Items {
			if it.Type == schema.TypeEpisode && events[it.Source.Event] {
				out[it.Source.Event] = it
			} else if memories[it.ID] {
				out[it.ID] = it
			}
		}
		if q.Cursor = p.Cursor; q.Cursor == "" {
			return out, true, nil
		}
	}
	return out, len(out) == len(events)+len(memories), nil
}
