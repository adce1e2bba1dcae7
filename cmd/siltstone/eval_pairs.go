package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/siltstone-ai/siltstone/internal/app"
	"github.com/siltstone-ai/siltstone/internal/eval"
)

func evalPairsCommand(e *env) *cobra.Command {
	verbose := false
	c := &cobra.Command{
		Use: "pairs FILE", Short: "Write pairs of statements as memories, and count those taken for one", Long: help("eval-pairs"), Args: cobra.ExactArgs(1),
	}
	c.Flags().BoolVar(&verbose, "verbose", false, "show every pair that was merged and does not say the same")
	c.RunE = func(_ *cobra.Command, files []string) error { return e.evalPairs(files[0], verbose) }
	return c
}

func (e *env) evalPairs(file string, verbose bool) error {
	pairs, err := readPairs(file)
	if err != nil {
		return usage(err)
	}
	by, err := app.NewPairs()
	if err != nil {
		return err
	}
	out, err := eval.JudgePairs(pairs, eval.PairJudge{Merged: by.Merged, Cosine: by.Cosine})
	if err != nil {
		return err
	}
	if !e.json {
		return out.Write(e.out, verbose)
	}
	if !verbose {
		out.Wrong = nil
	}
	return printJSON(e.out, out)
}

func readPairs(file string) ([]eval.Pair, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	pairs, err := eval.ReadPairs(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return pairs, nil
}
