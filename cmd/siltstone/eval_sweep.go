package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/siltstone-ai/siltstone/internal/app"
	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/internal/eval"
	"github.com/siltstone-ai/siltstone/internal/retrieve"
)

// sweepFlags are those of siltstone eval sweep, beside the settings.
type sweepFlags struct {
	numbers []string
	measure string
	wrong   float64
	least   float64
	passes  int
	seed    uint64
	verbose bool
}

func evalSweepCommand(e *env) *cobra.Command {
	var f sweepFlags
	c := &cobra.Command{
		Use: "sweep FILE...", Short: "Try other numbers in the ranking on one half of the questions, and report them on the other", Long: help("eval-sweep"), Args: cobra.MinimumNArgs(1),
	}
	c.Flags().StringSliceVar(&f.numbers, "number", nil, "try this number of the ranking alone, such as weight.dense; may be given several times; all where none is")
	c.Flags().StringVar(&f.measure, "measure", "R@10", "what is to rise, the mean over files: R@1, R@5, R@10, R@20, MRR or nDCG@10")
	c.Flags().Float64Var(&f.wrong, "false", .1, "what it costs that all questions which nothing answers are answered, in units of the measure")
	c.Flags().Float64Var(&f.least, "least", .001, "by how much it must rise for a value to be taken")
	c.Flags().IntVar(&f.passes, "passes", 1, "how often every number is gone through")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "draws the halves: each gives another split, 0 takes users and questions by turns")
	c.Flags().BoolVar(&f.verbose, "verbose", false, "show every value that was tried")
	load := e.addConfigFlags(c)
	c.RunE = func(cmd *cobra.Command, files []string) error {
		r, err := load(cmd)
		if err != nil {
			return usage(err)
		}
		return e.evalSweep(cmd.Context(), r.Config, files, f)
	}
	return c
}

// sweepReport is what the command prints as JSON.
type sweepReport struct {
	Embedder string `json:"embedder"`
	Measure  string `json:"measure"`
	*eval.Swept
}

func (e *env) evalSweep(ctx context.Context, cfg config.Config, files []string, f sweepFlags) error {
	goal, err := f.goal()
	if err != nil {
		return usage(err)
	}
	defaults := retrieve.Defaults()
	if _, err := choose(f.numbers, &defaults); err != nil {
		return usage(err)
	}
	sets, err := readSets(files)
	if err != nil {
		return err
	}
	return e.measured(ctx, cfg, sets, func(ctx context.Context, tuned app.Tuned) error {
		ask := func(ctx context.Context, values map[string]float64, tune bool) ([]eval.Outcome, error) {
			var out []eval.Outcome
			for _, s := range sets {
				os, err := runArm(ctx, tuned, s.half(tune, f.seed), turn(values))
				if err != nil {
					return nil, err
				}
				out = append(out, os...)
			}
			return out, nil
		}
		chosen, err := choose(f.numbers, &tuned.Config)
		if err != nil {
			return err
		}
		swept, err := eval.Sweep(ctx, chosen, goal, f.least, f.passes, ask)
		if err != nil {
			return err
		}
		if e.json {
			return printJSON(e.out, sweepReport{tuned.Model, f.measure, &swept})
		}
		return swept.Write(e.out, f.verbose)
	})
}

func (f *sweepFlags) goal() (eval.Goal, error) {
	var names []string
	for _, m := range eval.Measures {
		if m.Name == f.measure {
			if f.wrong < 0 || f.passes < 1 || f.least < 0 {
				return eval.Goal{}, fmt.Errorf("--false and --least must not be negative, --passes must be at least 1")
			}
			return eval.Goal{Measure: m, False: f.wrong}, nil
		}
		names = append(names, m.Name)
	}
	return eval.Goal{}, fmt.Errorf("--measure: %q is not one of %s", f.measure, strings.Join(names, ", "))
}
