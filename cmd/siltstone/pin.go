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

func pinCommand(e *env) *cobra.Command {
	c := group("pin", "Pin memories that go into every block of a user")
	c.AddCommand(e.addPinCommand(), e.listPinsCommand(), e.removePinCommand())
	return c
}

func (e *env) addPinCommand() *cobra.Command {
	var p schema.Pin
	var typ, expires string
	var opts func() []client.WriteOption
	c := &cobra.Command{
		Use: "add TEXT", Short: "Pin a memory", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p.Content, p.Type = strings.Join(args, " "), schema.Type(typ)
			var err error
			if p.ExpiresAt, err = expiry(expires); err != nil {
				return usage(fmt.Errorf("--expires: %w", err))
			}
			if err := p.Validate(); err != nil {
				return usage(err)
			}
			cl, err := e.client()
			if err != nil {
				return err
			}
			w, err := cl.Pin(cmd.Context(), p, opts()...)
			if err != nil {
				return err
			}
			if err := e.printStated(cmd.Context(), cl, p.User, w, "pinned as %s\n"); err != nil || e.json {
				return err
			}
			if r, err := cl.Query(cmd.Context(), schema.Query{User: p.User, Limit: 1}); err == nil && r.Hint != "" { // it is pinned, whatever can be read
				fmt.Fprintln(e.err, r.Hint)
			}
			return nil
		},
	}
	userFlag(c, &p.User, "whose memory")
	c.Flags().StringVar(&typ, "type", "", "constraint (default) or preference")
	c.Flags().StringVar(&expires, "expires", "", "until a day (2026-03-01, in UTC) or a moment (RFC 3339); empty: for good")
	c.Flags().StringVar(&p.ID, "id", "", "an id of your own, so that doing it again is the same pin")
	opts = waitFlag(c)
	return c
}

func (e *env) listPinsCommand() *cobra.Command {
	c := &cobra.Command{Use: "list", Short: "List what is in every block of a user: pins, and rules learnt from turns", Args: cobra.NoArgs}
	return e.ofUser(c, "whose pins", func(ctx context.Context, cl *client.HTTP, user string, _ []string) error {
		pins, err := cl.Pins(ctx, user)
		if err != nil {
			return err
		}
		if e.json {
			return printJSON(e.out, schema.PinList{Pins: pins})
		}
		return printPins(e.out, pins)
	})
}

// printPins says of each pin whether somebody stated it or it is a rule that was read in a turn.
func printPins(w io.Writer, pins []schema.Item) error {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "id\ttype\tfrom\tobserved\texpires\tcontent")
	for _, p := range pins {
		from := "turn"
		if schema.Outright(p.Rule) {
			from = "pin"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", p.ID, p.Type, from, p.ObservedAt.Format(time.DateOnly), endText(p.ExpiresAt), oneLine(p.Content))
	}
	return t.Flush()
}

func (e *env) removePinCommand() *cobra.Command {
	c := &cobra.Command{Use: "remove ID", Short: "Take a pin away", Args: cobra.ExactArgs(1)}
	opts := waitFlag(c)
	return e.ofUser(c, "whose pin", func(ctx context.Context, cl *client.HTTP, user string, ids []string) error {
		w, err := cl.Unpin(ctx, user, ids[0], opts()...)
		if err != nil {
			return err
		}
		return e.printWritten(w, "%s is pinned no more\n")
	})
}
