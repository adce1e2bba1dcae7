package main

import (
	"github.com/spf13/cobra"
)

func completionCommand(*env) *cobra.Command {
	c := &cobra.Command{
		Use: "completion SHELL", Short: "Print a script that completes commands and flags in your shell", Long: help("completion"),
		ValidArgs: []string{"bash", "zsh", "fish"}, Args: cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		DisableFlagsInUseLine: true,
	}
	c.RunE = func(cmd *cobra.Command, args []string) error {
		root, w := cmd.Root(), cmd.OutOrStdout()
		switch args[0] {
		case "bash":
			return root.GenBashCompletionV2(w, true)
		case "zsh":
			return root.GenZshCompletion(w)
		}
		return root.GenFishCompletion(w, true)
	}
	return c
}
