package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime/pprof"
	"sync"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/client"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// batchLines is how many turns an NDJSON request carries.
const batchLines = 500

// profile writes a CPU profile of a part to <prefix>.<part>.prof until stop is called; "" profiles nothing.
func profile(prefix, part string) (stop func(), err error) {
	if prefix == "" {
		return func() {}, nil
	}
	f, err := os.Create(prefix + "." + part + ".prof")
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, err
	}
	return func() { pprof.StopCPUProfile(); _ = f.Close() }, nil
}

// benchPipeline publishes turns in NDJSON batches and counts until the last is searchable.
func benchPipeline(ctx context.Context, o options) (out []figure, err error) {
	n := max(batchLines, int(5000*o.scale)/batchLines*batchLines)
	err = withStack(ctx, func(ctx context.Context, c *client.HTTP) error {
		g := newGenerator(o.seed, 50, "p")
		if _, err := c.PublishBatch(ctx, bytes.NewReader(g.lines(200))); err != nil { // warm: dictionaries, indexes
			return err
		}
		if err := waitIdle(ctx, c); err != nil {
			return err
		}
		var bodies [][]byte
		size := 0
		for range n / batchLines {
			b := g.lines(batchLines)
			bodies, size = append(bodies, b), size+len(b)
		}
		stop, err := profile(o.prof, "pipeline")
		if err != nil {
			return err
		}
		defer stop()
		start := time.Now()
		for _, b := range bodies {
			r, err := c.PublishBatch(ctx, bytes.NewReader(b))
			if err != nil {
				return err
			}
			if len(r.Rejected) > 0 {
				return fmt.Errorf("%d turns rejected: %s", len(r.Rejected), r.Rejected[0].Error.Message)
			}
		}
		published := time.Since(start)
		if err := waitIdle(ctx, c); err != nil {
			return err
		}
		took := time.Since(start)
		st, err := c.Status(ctx)
		if err != nil {
			return err
		}
		if want := uint64(n + 200); st.Ledger.Indexed != want {
			return fmt.Errorf("%d events are indexed, %d were published", st.Ledger.Indexed, want)
		}
		out = []figure{
			{"turns", float64(n), "", fmt.Sprintf("%.2f kB each", float64(size)/float64(n)/1000)},
			{"accepted by the log, synced", float64(n) / published.Seconds(), "turns/s", ""},
			{"searchable, all stages", float64(n) / took.Seconds(), "turns/s", ""},
		}
		return nil
	})
	return out, err
}

// steadyRate is turns a second of the latency part.
const steadyRate = 50

// benchLatency publishes single turns at a steady rate and measures until the answer that they are searchable.
func benchLatency(ctx context.Context, o options) (out []figure, err error) {
	n := max(100, int(500*o.scale))
	err = withStack(ctx, func(ctx context.Context, c *client.HTTP) error {
		g := newGenerator(o.seed, 50, "l")
		if _, err := c.PublishBatch(ctx, bytes.NewReader(g.lines(200))); err != nil {
			return err
		}
		if err := waitIdle(ctx, c); err != nil {
			return err
		}
		took, acked := make([]time.Duration, n), make([]time.Duration, n)
		errs := make([]error, n)
		var wg sync.WaitGroup
		tick := time.NewTicker(time.Second / steadyRate)
		defer tick.Stop()
		for i := range n {
			t := g.next("")
			raw, err := json.Marshal(t)
			if err != nil {
				return err
			}
			<-tick.C
			wg.Go(func() {
				start := time.Now()
				acc, err := c.PublishRaw(ctx, raw)
				acked[i] = time.Since(start)
				if err == nil {
					_, err = c.Query(ctx, schema.Query{User: t.User, Query: "", Render: "none", MinSeq: acc.Seq})
				}
				took[i], errs[i] = time.Since(start), err
			})
		}
		wg.Wait()
		for _, err := range errs {
			if err != nil {
				return err
			}
		}
		out = []figure{
			{"acknowledged, synced, p50", quantile(acked, .5), "ms", ""}, {"acknowledged, synced, p99", quantile(acked, .99), "ms", ""},
			{"publish to searchable p50", quantile(took, .5), "ms", fmt.Sprintf("at %d turns/s", steadyRate)},
			{"publish to searchable p99", quantile(took, .99), "ms", ""},
		}
		return nil
	})
	return out, err
}

// benchQuery asks one user who has 10,000 memories, one query at a time.
func benchQuery(ctx context.Context, o options) (out []figure, err error) {
	n := max(500, int(10000*o.scale))
	err = withStack(ctx, func(ctx context.Context, c *client.HTTP) error {
		g := newGenerator(o.seed, 1, "q")
		for left := n; left > 0; left -= batchLines {
			if _, err := c.PublishBatch(ctx, bytes.NewReader(g.lines(min(left, batchLines)))); err != nil {
				return err
			}
		}
		if err := waitIdle(ctx, c); err != nil {
			return err
		}
		stop, err := profile(o.prof, "query")
		if err != nil {
			return err
		}
		defer stop()
		const queries = 300
		took := make([]time.Duration, 0, queries)
		for i := range queries + 20 {
			q := schema.Query{User: "user-0", Query: g.sentence(i%2 == 0), Now: g.start.AddDate(0, 1, 0)}
			start := time.Now()
			r, err := c.Query(ctx, q)
			if err != nil {
				return err
			}
			if len(r.Degraded) > 0 || len(r.Items) == 0 {
				return fmt.Errorf("query %d: %d items, degraded %v", i, len(r.Items), r.Degraded)
			}
			if i >= 20 { // the first fill caches
				took = append(took, time.Since(start))
			}
		}
		out = []figure{
			{"turns of the user", float64(n), "", ""},
			{"query p50", quantile(took, .5), "ms", ""}, {"query p99", quantile(took, .99), "ms", ""},
		}
		return nil
	})
	return out, err
}
