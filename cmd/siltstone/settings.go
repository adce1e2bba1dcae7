package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/siltstone-ai/siltstone/pkg/client"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func settingsCommand(e *env) *cobra.Command {
	c := group("settings", "Show and set what a user has switched on and off")
	c.AddCommand(e.showSettingsCommand(), e.setSettingsCommand())
	return c
}

func (e *env) showSettingsCommand() *cobra.Command {
	c := &cobra.Command{Use: "show", Short: "Show a user's settings", Args: cobra.NoArgs}
	return e.ofUser(c, "whose settings", func(ctx context.Context, cl *client.HTTP, user string, _ []string) error {
		s, err := cl.Settings(ctx, user)
		if err != nil {
			return err
		}
		return e.printSettings(s)
	})
}

func (e *env) setSettingsCommand() *cobra.Command {
	var enabled bool
	var types []string
	c := &cobra.Command{Use: "set", Short: "Switch a user's memory, or types of it, on or off; what is not named stays as it is", Args: cobra.NoArgs}
	c.Flags().BoolVar(&enabled, "enabled", true, "false switches the user's memory off: every reply is empty")
	c.Flags().StringArrayVar(&types, "type", nil, "a type and true or false, such as fact=false; repeat for several")
	return e.ofUser(c, "whose settings", func(ctx context.Context, cl *client.HTTP, user string, _ []string) error {
		turn, err := switches(types)
		if err != nil {
			return usage(err)
		}
		if len(turn) == 0 && !c.Flags().Changed("enabled") {
			return usage(errors.New("give --enabled or --type"))
		}
		s, err := cl.Settings(ctx, user) // the server replaces the whole
		if err != nil {
			return err
		}
		if c.Flags().Changed("enabled") {
			s.Enabled = &enabled
		}
		if s.Types == nil {
			s.Types = map[schema.Type]bool{}
		}
		maps.Copy(s.Types, turn)
		if err := cl.SetSettings(ctx, user, s); err != nil {
			return err
		}
		return e.printSettings(s)
	})
}

// switches reads fact=false and the like.
func switches(types []string) (map[schema.Type]bool, error) {
	out := map[schema.Type]bool{}
	for _, s := range types {
		name, v, _ := strings.Cut(s, "=")
		on, err := strconv.ParseBool(v)
		if !schema.Type(name).Valid() || err != nil {
			return nil, fmt.Errorf("--type: %q is not a memory type and true or false, such as fact=false", s)
		}
		out[schema.Type(name)] = on
	}
	return out, nil
}

func (e *env) printSettings(s schema.Settings) error {
	if e.json {
		return printJSON(e.out, s)
	}
	on := map[bool]string{true: "on", false: "off"}
	note := ""
	if !s.On() {
		note = " (every reply is empty; what is set below holds again once it is on)"
	}
	fmt.Fprintf(e.out, "memory      %s%s\n", on[s.On()], note)
	for _, t := range []schema.Type{schema.TypeConstraint, schema.TypePreference, schema.TypeTodoHint, schema.TypeFact, schema.TypeEpisode} {
		fmt.Fprintf(e.out, "%-11s %s\n", t, on[s.Set(t)])
	}
	return nil
}
