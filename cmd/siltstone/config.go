package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/siltstone-ai/siltstone/internal/config"
)

func configCommand(e *env) *cobra.Command {
	c := group("config", "Check and show the configuration")
	c.AddCommand(e.checkConfigCommand(), e.showConfigCommand(), e.exampleConfigCommand())
	return c
}

func (e *env) checkConfigCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "check", Short: "Check the configuration that siltstone up would run with, and start nothing", Args: cobra.NoArgs,
	}
	load := e.addConfigFlags(c)
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		r, err := load(cmd)
		if err != nil {
			return usage(err)
		}
		set := map[config.Layer]int{}
		for _, v := range r.Values() {
			set[v.Origin.Layer]++
		}
		if e.json {
			return printJSON(e.out, map[string]any{"valid": true, "file": r.File, "set": set})
		}
		from := "no file"
		if r.File != "" {
			from = r.File
		}
		fmt.Fprintf(e.out, "valid: %d settings from %s, %d from the environment, %d by flags, %d defaults\n",
			set[config.FromFile], from, set[config.FromEnv], set[config.FromFlag], set[config.FromDefault])
		return nil
	}
	return c
}

// shownSetting is a line of config show --json.
type shownSetting struct {
	Key    string        `json:"key"`
	Value  any           `json:"value"`
	Origin config.Origin `json:"origin"`
	Secret bool          `json:"secret,omitempty"` // of its value only what is not secret is shown
}

func (e *env) showConfigCommand() *cobra.Command {
	var changed bool
	c := &cobra.Command{
		Use: "show", Short: "Show every setting that holds and where it comes from; secrets are masked", Args: cobra.NoArgs,
	}
	load := e.addConfigFlags(c)
	c.Flags().BoolVar(&changed, "changed", false, "only what is not a default")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		r, err := load(cmd)
		if err != nil {
			return usage(err)
		}
		shown := []shownSetting{}
		t := tabwriter.NewWriter(e.out, 0, 4, 2, ' ', 0)
		if !e.json {
			fmt.Fprintln(t, "setting\tvalue\tfrom")
		}
		for _, v := range r.Values() {
			if changed && v.Origin.Layer == config.FromDefault {
				continue
			}
			text := v.Key.Masked(v.Value)
			s := shownSetting{Key: v.Key.Name, Value: text, Origin: v.Origin, Secret: v.Key.Secret()}
			if k := v.Key.Kind(); k != "text" && k != "duration" {
				s.Value = v.Value
			}
			if shown = append(shown, s); e.json {
				continue
			}
			from := string(v.Origin.Layer)
			if v.Origin.At != "" {
				from = v.Origin.At
			}
			if v.Key.Kind() == "tools" {
				text = fmt.Sprintf("%d policies", len(r.Config.Tools))
			}
			if text == "" {
				text = `""`
			}
			fmt.Fprintf(t, "%s\t%s\t%s\n", v.Key.Name, oneLine(text), from)
		}
		if e.json {
			return printJSON(e.out, shown)
		}
		return t.Flush()
	}
	return c
}

func (e *env) exampleConfigCommand() *cobra.Command {
	return &cobra.Command{
		Use: "example", Short: "Print a configuration file with every setting, commented out", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(e.out, config.Example())
			return err
		},
	}
}
