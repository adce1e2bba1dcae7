package main

import (
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/siltstone-ai/siltstone/internal/app"
	"github.com/siltstone-ai/siltstone/internal/doctor"
)

func doctorCommand(e *env) *cobra.Command {
	c := &cobra.Command{
		Use: "doctor", Short: "Look for what would keep Siltstone from running here, and say how to mend it", Long: help("doctor"), Args: cobra.NoArgs,
	}
	load := e.addConfigFlags(c)
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		r, err := load(cmd)
		if err != nil {
			return usage(err)
		}
		found := app.Diagnose(cmd.Context(), r, builtAt())
		if e.json {
			if err := printJSON(e.out, map[string]any{"ok": !doctor.Failed(found), "findings": found}); err != nil {
				return err
			}
		} else {
			for _, f := range found {
				fmt.Fprintf(e.out, "%-5s %-22s %s\n", f.Status, f.Check, oneLine(f.Detail))
				if f.Mend != "" {
					fmt.Fprintf(e.out, "%29s→ %s\n", "", f.Mend)
				}
			}
		}
		if doctor.Failed(found) {
			return errors.New("something here would keep Siltstone from running")
		}
		return nil
	}
	return c
}

// builtAt is the time of the commit that this program was built from, zero where it is not known.
func builtAt() time.Time {
	b, ok := debug.ReadBuildInfo()
	if !ok {
		return time.Time{}
	}
	for _, s := range b.Settings {
		if s.Key == "vcs.time" {
			t, _ := time.Parse(time.RFC3339, s.Value) // else zero, which is not known
			return t
		}
	}
	return time.Time{}
}
