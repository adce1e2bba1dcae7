package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func manCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "man DIR", Short: "Write the man pages into a directory", Long: help("man"), Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := args[0]
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return fmt.Errorf("make directory: %w", err)
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true
			rewriteHelp(root)
			if err := doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "Siltstone", Manual: "Siltstone"}, dir); err != nil {
				return fmt.Errorf("write man pages: %w", err)
			}
			pages, err := filepath.Glob(filepath.Join(dir, "siltstone*.1"))
			if err != nil {
				return fmt.Errorf("count man pages: %w", err)
			}
			if e.json {
				return printJSON(e.out, map[string]any{"directory": dir, "pages": len(pages)})
			}
			fmt.Fprintf(e.out, "%d pages in %s: man -l %s\n", len(pages), dir, filepath.Join(dir, "siltstone.1"))
			return nil
		},
	}
}

// rewriteHelp makes Markdown of the long help of c and all below it.
func rewriteHelp(c *cobra.Command) {
	c.Long = markdown(c.Long)
	for _, sub := range c.Commands() {
		rewriteHelp(sub)
	}
}

// markdown is help text with its indented examples as blocks of code.
func markdown(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		if strings.HasPrefix(line, "  ") {
			b.WriteString("  ")
		}
		b.WriteString(line)
	}
	return b.String()
}
