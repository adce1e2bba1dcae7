package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/siltstone-ai/siltstone/internal/app"
	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/pkg/client"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Sizes of the doors part.
const (
	doorUsers   = 20
	doorTurns   = 4000 // searchable before the queries begin
	doorSingles = 2000
	doorQueries = 1500 // of each door and number of clients
	doorWriters = 16   // clients that publish single turns side by side
)

// benchDoors measures what a client sees at each door: turns accepted and synced over HTTP, one by one and in
// batches, by an ingester alone and beside all the stages; queries over HTTP and NATS by 1, 8 and 32 clients.
func benchDoors(ctx context.Context, o options) (out []figure, err error) {
	for _, roles := range []string{"ingester", "all"} {
		err := withApp(ctx, func(c *config.Config) { c.Roles = []string{roles} }, func(ctx context.Context, c *client.HTTP, _ app.Addresses) error {
			g := newGenerator(o.seed, doorUsers, "d")
			batched, err := benchBatches(ctx, c, g, o)
			if err != nil {
				return err
			}
			if roles == "all" {
				if err := waitIdle(ctx, c); err != nil {
					return err
				}
			}
			single, err := benchSingles(ctx, c, g, o)
			for _, f := range append(batched, single...) {
				f.Note = map[string]string{"ingester": "ingester alone", "all": "stages at work"}[roles]
				out = append(out, f)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	asked, err := benchQueryDoors(ctx, o)
	return append(out, asked...), err
}

func benchQueryDoors(ctx context.Context, o options) (out []figure, err error) {
	listen := func(c *config.Config) { c.NATS.Listen = "127.0.0.1:0" }
	err = withApp(ctx, listen, func(ctx context.Context, c *client.HTTP, a app.Addresses) error {
		_, over, stop, err := overNATS(a)
		if err != nil {
			return err
		}
		defer stop()
		g := newGenerator(o.seed, doorUsers, "d")
		if _, err := benchBatches(ctx, c, g, o); err != nil {
			return err
		}
		if err := waitIdle(ctx, c); err != nil {
			return err
		}
		end, err := profile(o.prof, "doors")
		if err != nil {
			return err
		}
		defer end()
		for _, door := range []struct {
			name  string
			query func(context.Context, schema.Query) (schema.Reply, error)
		}{{"HTTP", c.Query}, {"NATS", over.Query}} {
			for _, clients := range []int{1, 8, 32} {
				fs, err := benchClients(ctx, door.query, g, clients, o)
				if err != nil {
					return fmt.Errorf("query over %s, %d clients: %w", door.name, clients, err)
				}
				for _, f := range fs {
					f.Name = fmt.Sprintf("query over %s, %d at a time, %s", door.name, clients, f.Name)
					out = append(out, f)
				}
			}
		}
		return nil
	})
	return out, err
}

// benchBatches publishes NDJSON batches one after the other.
func benchBatches(ctx context.Context, c *client.HTTP, g *generator, o options) ([]figure, error) {
	n := max(batchLines, int(doorTurns*o.scale)/batchLines*batchLines)
	var took []time.Duration
	var all time.Duration
	for range n / batchLines {
		body := g.lines(batchLines)
		start := time.Now()
		r, err := c.PublishBatch(ctx, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		if len(r.Accepted) != batchLines {
			return nil, fmt.Errorf("%d of %d turns accepted", len(r.Accepted), batchLines)
		}
		d := time.Since(start)
		took, all = append(took, d), all+d
	}
	return []figure{
		{fmt.Sprintf("batched over HTTP, %d a request, accepted and synced", batchLines), float64(n) / all.Seconds(), "turns/s", ""},
		{"batched over HTTP, a request, p99", quantile(took, .99), "ms", ""},
	}, nil
}

// benchSingles publishes single turns, by one client and by several.
func benchSingles(ctx context.Context, c *client.HTTP, g *generator, o options) ([]figure, error) {
	n := max(200, int(doorSingles*o.scale))
	raws := make([][]byte, n)
	for i := range raws {
		raw, err := json.Marshal(g.next(""))
		if err != nil {
			return nil, err
		}
		raws[i] = raw
	}
	var out []figure
	half := n / 2
	for _, part := range []struct {
		clients int
		raws    [][]byte
	}{{1, raws[:half/2]}, {doorWriters, raws[half/2:]}} {
		rate, took, err := spread(part.clients, len(part.raws), func(i int) error {
			_, err := c.PublishRaw(ctx, part.raws[i])
			return err
		})
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("single over HTTP, %d at a time", part.clients)
		out = append(out,
			figure{name + ", accepted and synced", rate, "turns/s", ""},
			figure{name + ", p50", quantile(took, .5), "ms", ""}, figure{name + ", p99", quantile(took, .99), "ms", ""})
	}
	return out, nil
}

// benchClients asks by so many clients at a time.
func benchClients(ctx context.Context, query func(context.Context, schema.Query) (schema.Reply, error), g *generator, clients int, o options) ([]figure, error) {
	n := max(100, int(doorQueries*o.scale))
	const warm = 20 // the first of a user fill caches
	qs := make([]schema.Query, n+warm)
	for i := range qs {
		qs[i] = schema.Query{User: fmt.Sprintf("user-%d", i%doorUsers), Query: g.sentence(i%2 == 0), Now: g.start.AddDate(0, 1, 0)}
	}
	ask := func(q schema.Query) error {
		r, err := query(ctx, q)
		if err == nil && (len(r.Degraded) > 0 || len(r.Items) == 0) {
			err = fmt.Errorf("%d items, degraded %v", len(r.Items), r.Degraded)
		}
		return err
	}
	for _, q := range qs[n:] {
		if err := ask(q); err != nil {
			return nil, err
		}
	}
	rate, took, err := spread(clients, n, func(i int) error { return ask(qs[i]) })
	if err != nil {
		return nil, err
	}
	return []figure{
		{"rate", rate, "queries/s", ""}, {"p50", quantile(took, .5), "ms", ""}, {"p99", quantile(took, .99), "ms", ""},
	}, nil
}

// spread calls f for 0 … n-1 from so many goroutines and returns the rate and how long each took, or the first error.
func spread(clients, n int, f func(int) error) (rate float64, took []time.Duration, err error) {
	took = make([]time.Duration, n)
	errs := make([]error, clients)
	var next atomic.Int64
	var wg sync.WaitGroup
	start := time.Now()
	for c := range clients {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && errs[c] == nil; i = int(next.Add(1)) - 1 {
				began := time.Now()
				errs[c] = f(i)
				took[i] = time.Since(began)
			}
		})
	}
	wg.Wait()
	all := time.Since(start)
	for _, err := range errs {
		if err != nil {
			return 0, nil, err
		}
	}
	return float64(n) / all.Seconds(), took, nil
}
