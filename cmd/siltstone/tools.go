package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func toolsCommand(e *env) *cobra.Command {
	c := &cobra.Command{
		Use: "tools", Short: "Show and set what memory does with the output of tools", Long: help("tools"), Args: subcommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }, // without it an unknown subcommand would pass
	}
	c.AddCommand(
		&cobra.Command{
			Use: "list", Short: "List the policies that hold, and why each is so", Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error { return e.listTools(cmd) },
		},
		e.setToolCommand(),
	)
	return c
}

func (e *env) listTools(cmd *cobra.Command) error {
	cl, err := e.client()
	if err != nil {
		return err
	}
	defs, err := cl.Tools(cmd.Context())
	if err != nil {
		return err
	}
	if e.json {
		return printJSON(e.out, defs)
	}
	t := tabwriter.NewWriter(e.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "tool\tpolicy\twhy")
	for _, d := range defs {
		fmt.Fprintf(t, "%s\t%s\t%s\n", d.Name, policyText(d), d.Why)
	}
	return t.Flush()
}

func policyText(d schema.ToolDef) string {
	switch {
	case !d.Ingested():
		return "not ingested"
	case d.NoMemory:
		return "no_memory"
	case len(d.Cleaner) > 0:
		return "cleaner " + strings.Join(d.Cleaner, ", ")
	}
	return "as it is"
}

func (e *env) setToolCommand() *cobra.Command {
	var noMemory, ingest bool
	var cleaner []string
	c := &cobra.Command{
		Use: "set NAME", Short: "Set a tool's policy; what is not named stays as it is", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p := schema.ToolPolicy{Name: args[0]}
			if cmd.Flags().Changed("no-memory") {
				p.NoMemory = &noMemory
			}
			if cmd.Flags().Changed("ingest") {
				p.Ingest = &ingest
			}
			if cmd.Flags().Changed("cleaner") {
				p.Cleaner = &cleaner
			}
			if err := p.Validate(); err != nil {
				return usage(err)
			}
			cl, err := e.client()
			if err != nil {
				return err
			}
			def, err := cl.SetTool(cmd.Context(), p)
			if err != nil {
				return invalidIsUsage(err) // the server knows which cleaners there are
			}
			if e.json {
				return printJSON(e.out, def)
			}
			fmt.Fprintf(e.out, "%s: %s\n", def.Name, policyText(def))
			return nil
		},
	}
	c.Flags().BoolVar(&noMemory, "no-memory", false, "keep the output raw and out of every computation")
	c.Flags().BoolVar(&ingest, "ingest", true, "false: do not ingest this tool at all")
	c.Flags().StringArrayVar(&cleaner, "cleaner", nil, "a cleaner such as json:content; repeat for several, in order")
	return c
}
