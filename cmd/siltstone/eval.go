package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/siltstone-ai/siltstone/internal/app"
	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/internal/eval"
)

func evalCommand(e *env) *cobra.Command {
	c := &cobra.Command{Use: "eval", Short: "Measure how well facts and triples are read, repetitions known and memories found", Long: help("eval"), Args: subcommand}
	c.AddCommand(evalRecallCommand(e), evalSweepCommand(e), evalQuestionsCommand(e), evalFactsCommand(e), evalPairsCommand(e), evalTriplesCommand(e))
	return c
}

// recallFlags are those of siltstone eval recall, beside the settings.
type recallFlags struct {
	baseline string
	half     string
	seed     uint64
	ablate   bool
}

func evalRecallCommand(e *env) *cobra.Command {
	var f recallFlags
	c := &cobra.Command{
		Use: "recall FILE...", Short: "Ask questions whose evidence is known, and count what comes back", Long: help("eval-recall"), Args: cobra.MinimumNArgs(1),
	}
	c.Flags().StringVar(&f.baseline, "baseline", "", "report of an earlier run, made with --json: show what moved since")
	c.Flags().StringVar(&f.half, "half", "all", "which half of the users (of the questions, where a file has one user) is asked about: all, tune or report")
	c.Flags().Uint64Var(&f.seed, "seed", 0, "draws the halves: each gives another split, 0 takes users and questions by turns")
	c.Flags().BoolVar(&f.ablate, "ablate", false, "ask again with each ranking rule switched off in turn, and show what it gives")
	load := e.addConfigFlags(c)
	c.RunE = func(cmd *cobra.Command, files []string) error {
		r, err := load(cmd)
		if err != nil {
			return usage(err)
		}
		return e.evalRecall(cmd.Context(), r.Config, files, f)
	}
	return c
}

// recallReport is what the command prints as JSON: the report, and the worth of each rule.
type recallReport struct {
	*eval.Report
	Rules []ruleWorth `json:"rules,omitempty"`
}

// ruleWorth is how much is lost without a rule.
type ruleWorth struct {
	Rule string            `json:"rule"`
	Set  string            `json:"set"`
	Lost []eval.Difference `json:"lost"`
}

func (e *env) evalRecall(ctx context.Context, cfg config.Config, files []string, f recallFlags) error {
	before, err := readBaseline(f.baseline)
	if err != nil {
		return err
	}
	if f.half != "all" && f.half != "tune" && f.half != "report" {
		return usage(fmt.Errorf("--half: %q is not one of all, tune, report", f.half))
	}
	sets, err := readSets(files)
	if err != nil {
		return err
	}
	if f.half != "all" {
		for i := range sets {
			sets[i] = sets[i].half(f.half == "tune", f.seed)
		}
	}
	return e.measured(ctx, cfg, sets, func(ctx context.Context, tuned app.Tuned) error { return e.recall(ctx, tuned, sets, f, before) })
}

// recall asks all questions of the sets, by every arm.
func (e *env) recall(ctx context.Context, tuned app.Tuned, sets []dataset, f recallFlags, before *eval.Report) error {
	out := recallReport{Report: &eval.Report{Embedder: tuned.Model}}
	for _, s := range sets {
		whole, err := runArm(ctx, tuned, s, nil)
		if err != nil {
			return err
		}
		out.Add("whole", whole)
		for _, arm := range arms {
			os, err := runArm(ctx, tuned, s, arm.tune)
			if err != nil {
				return err
			}
			out.Add(arm.name, os)
		}
		if !f.ablate {
			continue
		}
		for _, rule := range rules() {
			os, err := runArm(ctx, tuned, s, without(rule))
			if err != nil {
				return err
			}
			out.Rules = append(out.Rules, ruleWorth{rule, s.name, eval.Compare(whole, os)})
		}
	}
	if e.json {
		return printJSON(e.out, out)
	}
	if err := out.Write(e.out, before); err != nil {
		return err
	}
	return writeRules(e.out, out.Rules)
}

func writeRules(w io.Writer, rules []ruleWorth) (err error) {
	set := ""
	for _, r := range rules {
		if r.Set != set {
			set = r.Set
			fmt.Fprintf(w, "\n%s: what is lost without a rule, with its 95 %% interval\n", set)
		}
		fmt.Fprintf(w, "%-24s", r.Rule)
		for _, d := range r.Lost {
			if d.Measure == "R@5" || d.Measure == "R@10" || d.Measure == "MRR" {
				fmt.Fprintf(w, "  %s %+.3f (%+.3f to %+.3f)", d.Measure, d.By.Mean, d.By.Low, d.By.High)
			}
		}
		_, err = fmt.Fprintln(w)
	}
	return err
}

func readBaseline(file string) (*eval.Report, error) {
	if file == "" {
		return nil, nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, usage(fmt.Errorf("--baseline: %w", err))
	}
	r, err := eval.ReadReport(bytes.NewReader(b))
	if err != nil {
		return nil, usage(fmt.Errorf("--baseline %s: %w", file, err))
	}
	return r, nil
}
