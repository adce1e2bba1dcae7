package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"

	engineproc "github.com/siltstone-ai/siltstone/test/engine"
)

//go:embed vectors.py
var engineScript string

// answers is what one side said to some questions, and how long each took.
type answers struct {
	NS  []int64    `json:"ns"`
	IDs [][]uint64 `json:"ids"`
}

// engine is Qdrant's own engine, in a child process that holds the same points.
type engine struct {
	*engineproc.Process
	fill float64 // seconds
}

// startEngine starts the engine in dir and fills it. Where there is none it answers nil, and why. Without a Python that is
// named the one of `make versus` is tried.
func startEngine(dir string, set vectorSet) (e *engine, why string, err error) {
	python := os.Getenv(engineproc.PythonVar)
	if python == "" {
		python = filepath.Join("bin", "edge", "bin", "python")
	}
	if err := exec.Command(python, "-c", "import qdrant_edge").Run(); err != nil {
		return nil, fmt.Sprintf("%s has no qdrant-edge-py (%v); make bin/edge/installed sets one up", python, err), nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, "", err
	}
	var payloads bytes.Buffer
	for i := range set.n {
		if err := json.NewEncoder(&payloads).Encode(vectorPayload(i)); err != nil {
			return nil, "", err
		}
	}
	for name, b := range map[string][]byte{"vectors": floatBytes(set.vectors), "queries": floatBytes(set.queries), "payloads": payloads.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			return nil, "", err
		}
	}
	p, err := engineproc.Start(exec.Command(python, "-c", engineScript, dir, strconv.Itoa(set.n), strconv.Itoa(vectorDim)))
	if err != nil {
		return nil, "", err
	}
	e = &engine{Process: p}
	if err := e.do("fill", nil, &e.fill); err != nil {
		return nil, "", errors.Join(err, e.Close())
	}
	return e, "", nil
}

func (e *engine) do(name string, argument, answer any) error {
	got, err := e.Ask(name, argument)
	if err != nil {
		return err
	}
	return json.Unmarshal(got, answer)
}

func (e *engine) ask(owner string, from, n int) (a answers, err error) {
	return a, e.do("ask", map[string]any{"owner": owner, "from": from, "n": n}, &a)
}

// figures are what the engine took for the rest.
func (e *engine) figures(set vectorSet, ours, start float64) (out []figure, err error) {
	var took []float64
	for range 3 {
		var s float64
		if err := e.do("load", 0, &s); err != nil {
			return nil, err
		}
		took = append(took, s)
	}
	theirs := float64(set.n) / e.fill
	return []figure{
		{"engine: upserted and flushed", theirs, "points/s", fmt.Sprintf("in process, a flush each %d; ours/engine %.2f", vectorBatch, ours/theirs)},
		{"engine: start", median(took), "s", fmt.Sprintf("it maps its files and reads them when asked; ours/engine %.1f", start/median(took))},
	}, nil
}

// side is somebody who is asked.
type side struct {
	name string
	ask  func(owner string, from, n int) (answers, error)
	prep func() error
	runs [2][]float64 // of one user, of all: the median of each round in microseconds
}

// askSides asks every side in turn, round by round, and compares what they find. e may be nil.
func askSides(ctx context.Context, v *vectorServer, e *engine, set vectorSet) ([]figure, error) {
	ours := func(direct, payload bool) func(string, int, int) (answers, error) {
		return func(owner string, from, n int) (answers, error) {
			return v.ask(ctx, set, owner, from, n, direct, payload)
		}
	}
	sides := []*side{
		{name: "with payloads, over gRPC", ask: ours(false, true)},
		{name: "over gRPC", ask: ours(false, false)},
		{name: "in process", ask: ours(true, false)},
	}
	if e != nil {
		for name, threads := range map[string]int{"engine, one thread": 1, "engine, as it comes": 0} {
			sides = append(sides, &side{name: name, ask: e.ask, prep: func() error {
				var took float64
				if err := e.do("load", threads, &took); err != nil {
					return err
				}
				_, err := e.ask("", 0, 2) // its files are mapped: the first questions read them
				return err
			}})
		}
		slices.SortFunc(sides[3:], func(a, b *side) int { return len(b.name) - len(a.name) })
	}
	differ := 0
	for round := range vectorRounds {
		var first [2]answers
		for i := range sides {
			s := sides[(i+round)%len(sides)]
			if s.prep != nil {
				if err := s.prep(); err != nil {
					return nil, err
				}
			}
			for kind, owner := range []string{vectorOwner(round), ""} {
				a, err := s.ask(owner, round*userAsks, []int{userAsks, allAsks}[kind])
				if err != nil {
					return nil, err
				}
				ns := make([]float64, len(a.NS))
				for j, x := range a.NS {
					ns[j] = float64(x) / 1000
				}
				s.runs[kind] = append(s.runs[kind], median(ns))
				if first[kind].IDs == nil {
					first[kind] = a
				}
				for j := range a.IDs {
					if !sameIDs(a.IDs[j], first[kind].IDs[j]) {
						differ++
					}
				}
			}
		}
	}
	var out []figure
	for kind, what := range []string{fmt.Sprintf("query of one user (%d points)", set.n/vectorUsers), "query of all"} {
		for i, s := range sides {
			note := roundsOf(s.runs[kind])
			if i > 2 {
				note += fmt.Sprintf("; ours/engine %.2f over gRPC, %.2f in process", ratio(sides[1].runs[kind], s.runs[kind]), ratio(sides[2].runs[kind], s.runs[kind]))
			}
			out = append(out, figure{what + ": " + s.name, median(s.runs[kind]), "µs", note})
		}
	}
	if differ > 0 {
		return nil, fmt.Errorf("%d answers differ between the sides", differ)
	}
	return out, nil
}

func roundsOf(v []float64) string {
	return fmt.Sprintf("medians of %d rounds: %s to %s", len(v), number(slices.Min(v)), number(slices.Max(v)))
}

// ratio is the median of the rounds' ratios.
func ratio(a, b []float64) float64 {
	r := make([]float64, len(a))
	for i := range a {
		r[i] = a[i] / b[i]
	}
	return median(r)
}

// sameIDs compares two answers up to the order, since nearly equal scores may change places between sums of floats.
func sameIDs(a, b []uint64) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
