// Command bench measures Siltstone on embedded defaults, each rate beside its reference in the same run: machines
// differ and are noisy, ratios travel better. See docs/benchmarks.md for the method.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
)

// part is one measurement: a name on the command line, and what prints its figures.
type part struct {
	name, doc string
	run       func(context.Context, options) ([]figure, error)
}

// parts in the order in which they run.
var parts = []part{
	{"embed", "the built-in embedder, against the neural model that its table was made from", benchEmbed},
	{"chain", "the bare chain of stages that pass data through, against raw JetStream", benchChain},
	{"workers", "a stage that waits for its embedder, with 1, 2 and 4 workers", benchWorkers},
	{"facts", "distill and decide by one core, and one more turn of users with more and more facts", benchFacts},
	{"pipeline", "turns a second from publish to searchable, every stage doing its work", benchPipeline},
	{"latency", "publish to searchable at a steady rate", benchLatency},
	{"query", "queries at 10,000 memories", benchQuery},
	{"scale", "queries over NATS of one user with 1,000, 10,000 and 100,000 turns, and of 100 users with 5,000 each", benchScale},
	{"vectors", "the embedded vector server against Qdrant's own engine, exact search of the same points", benchVectors},
	{"doors", "what clients see: publishing over HTTP, asking over HTTP and NATS", benchDoors},
}

type options struct {
	scale float64
	seed  uint64
	prof  string
}

// figure is one measured number.
type figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	Note  string  `json:"note,omitempty"`
}

func main() {
	only := flag.String("only", "", "parts to run, comma-separated; empty runs all")
	scale := flag.Float64("scale", 1, "share of the full work: 0.1 gives a quick look")
	seed := flag.Uint64("seed", 1, "seed of the generated turns")
	out := flag.String("json", "", "file for the figures as JSON")
	prof := flag.String("cpuprofile", "", "prefix of the files for CPU profiles of the parts facts, pipeline, query, scale, vectors and doors")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *only, *out, options{*scale, *seed, *prof}); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, only, out string, o options) error {
	fmt.Printf("%s, %s/%s, %d CPUs\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	all := []figure{}
	for _, p := range parts {
		if only != "" && !strings.Contains(","+only+",", ","+p.name+",") {
			continue
		}
		fmt.Printf("\n%s: %s\n", p.name, p.doc)
		fs, err := p.run(ctx, o)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		for _, f := range fs {
			fmt.Printf("  %-44s %12s %-10s %s\n", f.Name, number(f.Value), f.Unit, f.Note)
		}
		all = append(all, fs...)
	}
	if out == "" {
		return nil
	}
	b, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(out, append(b, '\n'), 0o644)
}

func number(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.4f", v)
}
