package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func versionCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print what this build is", Long: help("version"), Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := "devel"
			if b, ok := debug.ReadBuildInfo(); ok && b.Main.Version != "" && b.Main.Version != "(devel)" {
				v = b.Main.Version
			}
			if e.json {
				return printJSON(e.out, map[string]any{"version": v, "schema": schema.Version, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH})
			}
			fmt.Fprintf(e.out, "siltstone %s (schema %d, %s, %s/%s)\n", v, schema.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return nil
		},
	}
}
