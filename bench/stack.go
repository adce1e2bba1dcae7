package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/siltstone-ai/siltstone/internal/app"
	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/pkg/client"
)

// withStack runs everything embedded, synced as shipped, in a temporary directory while fn talks to it over HTTP.
func withStack(ctx context.Context, fn func(context.Context, *client.HTTP) error) error {
	return withApp(ctx, nil, func(ctx context.Context, c *client.HTTP, _ app.Addresses) error { return fn(ctx, c) })
}

// withApp is withStack for what needs other settings, or other doors than HTTP.
func withApp(ctx context.Context, set func(*config.Config), fn func(context.Context, *client.HTTP, app.Addresses) error) error {
	dir, err := os.MkdirTemp("", "siltstone-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	cfg := config.Default()
	cfg.Data, cfg.HTTP.Addr = dir, "127.0.0.1:0"
	if set != nil {
		set(&cfg)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	up, done := make(chan app.Addresses, 1), make(chan error, 1)
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	go func() {
		done <- app.Run(ctx, app.Options{Config: cfg, Logger: log, Ready: func(a app.Addresses) { up <- a }})
	}()
	select {
	case a := <-up:
		c, err := client.NewHTTP("http://" + a.HTTP)
		if err != nil {
			return err
		}
		if err := fn(ctx, c, a); err != nil {
			return err
		}
	case err := <-done:
		return fmt.Errorf("start: %w", err)
	}
	stop()
	return <-done
}

// waitIdle polls until everything is searchable.
func waitIdle(ctx context.Context, c *client.HTTP) error {
	for {
		st, err := c.Status(ctx)
		if err != nil {
			return err
		}
		if st.Idle {
			return nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// quantile is the q-quantile of ds by the nearest rank, in milliseconds.
func quantile(ds []time.Duration, q float64) float64 {
	s := slices.Sorted(slices.Values(ds))
	return float64(s[min(len(s)-1, int(q*float64(len(s))))].Microseconds()) / 1000
}

// overNATS connects a client over NATS to the process at a, which must listen there, and gives what others connect with.
// stop ends the connection.
func overNATS(a app.Addresses) (connect config.Config, c *client.NATS, stop func(), err error) {
	if connect, err = config.Load(a.Connect, nil, nil); err != nil {
		return connect, nil, nil, err
	}
	nc, err := nats.Connect(connect.NATS.URL)
	if err != nil {
		return connect, nil, nil, err
	}
	if c, err = client.NewNATS(nc); err != nil {
		nc.Close()
		return connect, nil, nil, err
	}
	return connect, c, nc.Close, nil
}
