package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func eraseCommand(e *env) *cobra.Command {
	var r schema.EraseRequest
	var yes bool
	c := &cobra.Command{
		Use: "erase", Short: "Make every trace of a user go, from the log too", Long: help("erase"), Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := r.Validate(); err != nil {
				return usage(err)
			}
			if !yes {
				if err := e.confirmErase(r.User); err != nil {
					return err
				}
			}
			return e.erase(cmd, r)
		},
	}
	userFlag(c, &r.User, "whose traces")
	c.Flags().BoolVar(&r.Verify, "verify", false, "then look for the user in every file of the server's data directory")
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

// confirmErase asks on the terminal whether a user shall be erased; where there is none it refuses.
func (e *env) confirmErase(user string) error {
	in, ok := e.in.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return usage(errors.New("erase removes everything of the user: there is no terminal to ask on, so it needs --yes"))
	}
	fmt.Fprintf(e.err, "Everything of %s is removed, from the log too, and cannot be brought back. Type the user's id to go on: ", user)
	line, err := bufio.NewReader(in).ReadString('\n')
	if strings.TrimSpace(line) != user {
		return errors.Join(errors.New("nothing was erased: that is not the user's id"), err)
	}
	return nil
}

func (e *env) erase(cmd *cobra.Command, r schema.EraseRequest) error {
	cl, err := e.client()
	if err != nil {
		return err
	}
	id, err := cl.Erase(cmd.Context(), r)
	if err != nil {
		return invalidIsUsage(err)
	}
	job, err := e.follow(cmd.Context(), cl, id)
	if err != nil {
		return err
	}
	x := job.Erasure
	if e.json {
		if err := printJSON(e.out, x); err != nil {
			return err
		}
	} else if err := e.printErasure(x); err != nil {
		return err
	}
	if x.Check != nil && x.Check.Hits > 0 {
		return fmt.Errorf("the user is still in %d places", x.Check.Hits)
	}
	return nil
}

func (e *env) printErasure(x *schema.ErasureReport) error {
	if x.Entries == 0 && x.Points == 0 && x.Unread == 0 {
		fmt.Fprintln(e.out, "there was nothing of this user: is it the right id, and the right tenant?")
	}
	fmt.Fprintf(e.out, "erased up to log %d: %d log entries, %d points (erasure %s)\n", x.Mark, x.Entries, x.Points, x.ID)
	if !x.Compacted {
		fmt.Fprintln(e.out, "the files of your NATS, Qdrant and Redis are theirs to compact: see docs/erasure.md")
	}
	c := x.Check
	if c == nil {
		return nil
	}
	t := tabwriter.NewWriter(e.out, 0, 4, 2, ' ', 0)
	for _, h := range c.Found {
		fmt.Fprintf(t, "%s\t%s\tstring %d\n", h.File, h.Form, h.String)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(e.out, "looked for %d strings in %d files, %d bytes: %d hits\n", c.Strings, c.Files, c.Bytes, c.Hits)
	return err
}
