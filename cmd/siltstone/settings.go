package main

import (
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func settingsCommand(e *env) *cobra.Command {
	c := group("settings", "Show and set what a user has switched on and off")
	c.AddCommand(e.showSettingsCommand(), e.setSettingsCommand())
	return c
}

func (e *env) showSettingsCommand() *cobra.Command {
	var user string
	c := &cobra.Command{
		Use: "show", Short: "Show a user's settings", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := schema.CheckID("user", user); err != nil {
				return usage(err)
			}
			cl, err := e.client()
			if err != nil {
				return err
			}
			s, err := cl.Settings(cmd.Context(), user)
			if err != nil {
				return err
			}
			return e.printSettings(s)
		},
	}
	userFlag(c, &user, "whose settings")
	return c
}

func (e *env) setSettingsCommand() *cobra.Command {
	var user string
	var enabled bool
	var types []string
	c := &cobra.Command{
		Use: "set", Short: "Switch a user's memory, or types of it, on or off; what is not named stays as it is", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := schema.CheckID("user", user); err != nil {
				return usage(err)
			}
			turn, err := switches(types)
			if err != nil {
				return usage(err)
			}
			if len(turn) == 0 && !cmd.Flags().Changed("enabled") {
				return usage(errors.New("give --enabled or --type"))
			}
			cl, err := e.client()
			if err != nil {
				return err
			}
			s, err := cl.Settings(cmd.Context(), user) // the server replaces the whole
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("enabled") {
				s.Enabled = &enabled
			}
			if s.Types == nil {
				s.Types = map[schema.Type]bool{}
			}
			maps.Copy(s.Types, turn)
			if err := cl.SetSettings(cmd.Context(), user, s); err != nil {
				return err
			}
			return e.printSettings(s)
		},
	}
	userFlag(c, &user, "whose settings")
	c.Flags().BoolVar(&enabled, "enabled", true, "false switches the user's memory off: every reply is empty")
	c.Flags().StringArrayVar(&types, "type", nil, "a type and true or false, such as fact=false; repeat for several")
	return c
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
	fmt.Fprintf(e.out, "memory      %s\n", on[s.On()])
	for _, t := range []schema.Type{schema.TypeConstraint, schema.TypePreference, schema.TypeTodoHint, schema.TypeFact, schema.TypeEpisode} {
		fmt.Fprintf(e.out, "%-11s %s\n", t, on[s.Allows(t)])
	}
	return nil
}
