package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/siltstone-ai/siltstone/internal/app"
	"github.com/siltstone-ai/siltstone/internal/distill"
	"github.com/siltstone-ai/siltstone/internal/eval"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func evalFactsCommand(e *env) *cobra.Command {
	verbose := false
	c := &cobra.Command{
		Use: "facts FILE...", Short: "Read utterances whose facts are known, and count what is right, wrong and missed", Long: help("eval-facts"), Args: cobra.MinimumNArgs(1),
	}
	c.Flags().BoolVar(&verbose, "verbose", false, "show every utterance that was not read as it should be")
	c.RunE = func(cmd *cobra.Command, files []string) error { return e.evalFacts(cmd.Context(), files, verbose) }
	return c
}

func (e *env) evalFacts(ctx context.Context, files []string, verbose bool) error {
	sets := make([][]eval.Utterance, len(files))
	for i, file := range files {
		us, err := readUtterances(file)
		if err != nil {
			return usage(err)
		}
		sets[i] = us
	}
	r, err := app.NewTurnReader()
	if err != nil {
		return err
	}
	by := eval.FactReader{Subject: distill.Subject, Person: distill.IsPerson, Read: func(u eval.Utterance) ([]schema.Memory, error) { return r.Facts(ctx, turnOf(u)) }}
	var out eval.FactReport
	for i, file := range files {
		if err := out.Add(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), sets[i], by); err != nil {
			return err
		}
	}
	if !e.json {
		return out.Write(e.out, verbose)
	}
	if !verbose {
		out.Faults = nil
	}
	return printJSON(e.out, out)
}

func readUtterances(file string) ([]eval.Utterance, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	us, err := eval.ReadUtterances(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return us, nil
}

// turnOf is u as an agent would publish it.
func turnOf(u eval.Utterance) *schema.Turn {
	t := &schema.Turn{ID: "utterance", User: "u", At: u.At}
	switch u.Seg {
	case schema.SegResponse:
		t.Response = u.Text
	case schema.SegTool:
		t.ToolResults = []schema.ToolResult{{Name: cmp.Or(u.Tool, "files_read"), Output: u.Text}}
	default:
		t.Input = u.Text
	}
	return t
}
