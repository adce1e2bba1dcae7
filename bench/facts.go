package main

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/siltstone-ai/siltstone/internal/cputime"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

const (
	factTurns = 2000 // turns of 1 KB read for the rate
	factAsks  = 300  // turns decided against each number of facts
)

// benchFacts measures distill and decide by the time that the processor works, the collector's work included: the rate on turns of 1 KB, and what one more
// turn costs while its user has five hundred, five thousand and fifty thousand facts, and where a thousand statements
// are about one thing.
func benchFacts(ctx context.Context, o options) ([]figure, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	d, err := newDeriver()
	if err != nil {
		return nil, err
	}
	n := max(200, int(factTurns*o.scale))
	g := newGenerator(o.seed, n/100+1, "f") // a hundred turns a user, so that statements meet
	evs, size, err := cleanedTurns(ctx, d, g.next, n)
	if err != nil {
		return nil, err
	}
	for _, ev := range evs[:50] { // what is built at first use
		if _, err := d.decision(ctx, ev); err != nil {
			return nil, err
		}
	}
	stop, err := profile(o.prof, "facts")
	if err != nil {
		return nil, err
	}
	start := cputime.Now()
	for _, ev := range evs {
		if _, err := d.decided(ctx, ev); err != nil {
			return nil, err
		}
	}
	took := cputime.Now() - start
	stop()
	out := []figure{{"distill and decide, a core", float64(n) / took.Seconds(), "turns/s", fmt.Sprintf("%.2f kB of text each, half of it Chinese", float64(size)/float64(n)/1000)}}
	grown, err := factGrowth(ctx, o)
	return append(out, grown...), err
}

// cleanedTurns are turns as they reach distill, and the bytes of their text.
func cleanedTurns(ctx context.Context, d *deriver, next func(string) schema.Turn, n int) (evs []schema.Event, size int, err error) {
	for range n {
		t := next("")
		ev, _, err := d.cleaned(ctx, t)
		if err != nil {
			return nil, 0, err
		}
		size += len(t.Input) + len(t.Response)
		for _, r := range t.ToolResults {
			size += len(r.Output)
		}
		evs = append(evs, *ev)
	}
	return evs, size, nil
}

// factGrowth decides the same turns, which nobody remembers, against more and more facts of their user.
func factGrowth(ctx context.Context, o options) ([]figure, error) {
	d, err := newDeriver()
	if err != nil {
		return nil, err
	}
	said := 0
	say := func(what string) error {
		said++
		ev, _, err := d.cleaned(ctx, schema.Turn{ID: fmt.Sprint("s", said), User: "user-0", At: time.Date(2026, 1, 5, 9, said, 0, 0, time.UTC), Input: what})
		if err == nil {
			_, err = d.decided(ctx, *ev)
		}
		return err
	}
	next := newGenerator(o.seed, 1, "g").next
	evs, _, err := cleanedTurns(ctx, d, next, max(50, int(factAsks*o.scale)))
	if err != nil {
		return nil, err
	}
	cost := func() (time.Duration, error) {
		runtime.GC()
		start := cputime.Now()
		for _, ev := range evs {
			if _, err := d.decision(ctx, ev); err != nil {
				return 0, err
			}
		}
		return (cputime.Now() - start) / time.Duration(len(evs)), nil
	}
	var out []figure
	var first time.Duration
	for _, n := range []int{500, 5000, 50_000} {
		n = max(100, int(float64(n)*o.scale))
		for len(d.facts.payloads) < n {
			what := fmt.Sprintf("I love dish-%d.", said)
			if said%2 == 0 {
				what = fmt.Sprintf("我喜欢吃%d号菜。", said)
			}
			if err := say(what); err != nil {
				return nil, err
			}
		}
		took, err := cost()
		if err != nil {
			return nil, err
		}
		if first == 0 {
			first = took
		}
		out = append(out, figure{fmt.Sprintf("one more turn of a user with %d facts", n), float64(took.Microseconds()), "µs", fmt.Sprintf("%.2f of the first", float64(took)/float64(first))})
	}
	for range 1000 {
		if err := say("I live in York now."); err != nil {
			return nil, err
		}
	}
	took, err := cost()
	if err != nil {
		return nil, err
	}
	return append(out, figure{"the same where it was said a thousand times", float64(took.Microseconds()), "µs", fmt.Sprintf("%.2f of the first", float64(took)/float64(first))}), nil
}
