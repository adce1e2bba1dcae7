package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// slowEmbed is how long the embedder of one worker takes for one text. It takes one at a time.
const slowEmbed = 4 * time.Millisecond

// benchWorkers measures a stage that waits for an embedder, with one, two and four workers on its durable: how much of
// the gain of adding workers the bus lets through.
func benchWorkers(ctx context.Context, o options) ([]figure, error) {
	n := max(100, int(1000*o.scale))
	var out []figure
	var one float64
	for _, workers := range []int{1, 2, 4} {
		rate, err := workersRate(ctx, workers, n)
		if err != nil {
			return nil, fmt.Errorf("%d workers: %w", workers, err)
		}
		if workers == 1 {
			one = rate
		}
		out = append(out, figure{fmt.Sprintf("workers: %d, %v a text each", workers, slowEmbed), rate, "texts/s", fmt.Sprintf("%.2f of one worker's rate", rate/one)})
	}
	return out, nil
}

func workersRate(ctx context.Context, workers, n int) (rate float64, err error) {
	err = withNATS(ctx, func(js jetstream.JetStream) error {
		if _, err := events.Ensure(ctx, js, events.DefaultTopology(), 1); err != nil {
			return err
		}
		var left sync.WaitGroup
		left.Add(1)
		var got atomic.Int64
		var routers []*events.Router
		ended := make(chan error, workers)
		for range workers {
			metrics, err := events.NewMetrics(prometheus.NewRegistry())
			if err != nil {
				return err
			}
			r, err := events.NewRouter(events.RouterConfig{JS: js, Metrics: metrics})
			if err != nil {
				return err
			}
			var busy sync.Mutex
			embed := func(context.Context, schema.Event) error {
				busy.Lock()
				time.Sleep(slowEmbed)
				busy.Unlock()
				if got.Add(1) == int64(n) {
					left.Done()
				}
				return nil
			}
			// A worker holds no more than it embeds in a tenth of a second, so that none is left with the rest of the others.
			err = r.Handle(events.HandlerConfig{Name: "clean", Stream: events.StreamLog, Durable: events.Durable(events.StageClean, 1), Generation: 1, Window: 25}, embed)
			if err != nil {
				return err
			}
			routers = append(routers, r)
			go func() { ended <- r.Run(ctx) }()
			<-r.Running()
		}
		start := time.Now()
		if err := publishAll(js, logMessages(n)); err != nil {
			return err
		}
		left.Wait()
		rate = float64(n) / time.Since(start).Seconds()
		for _, r := range routers {
			if err := r.Close(ctx); err != nil {
				return err
			}
		}
		for range routers {
			if err := <-ended; err != nil {
				return err
			}
		}
		return nil
	})
	return rate, err
}
