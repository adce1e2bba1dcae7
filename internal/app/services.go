package app

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"

	"github.com/siltstone-ai/siltstone/internal/edge/natsapi"
	"github.com/siltstone-ai/siltstone/pkg/events"
)

// serviceVersion is the version of the NATS services' contract.
const serviceVersion = "1.0.0"

// serveNATS serves the NATS services of the roles until ctx ends, then answers what it has taken. They have a
// connection of their own: no flood of requests holds up the pipeline's messages, and its end waits for no other.
func (a *app) serveNATS(g *errgroup.Group, ctx context.Context) error {
	nc, err := a.connect("siltstone services")
	if err != nil {
		return err
	}
	cfg := natsapi.Config{
		Version: serviceVersion, Queries: a.cfg.Retrieval.Concurrent, Requests: a.cfg.HTTP.MaxOpen, Logger: a.log, Tracer: a.tracer, Status: a,
		MaxTurn: int64(a.cfg.HTTP.MaxTurn),
	}
	if a.cfg.Has("ingester") {
		cfg.Publisher, cfg.Forgetter, cfg.Archiver, cfg.Claims = publisher{a.intake}, a.forgets, a.archives, claims{a.blobs}
	}
	if a.cfg.Has("retriever") {
		cfg.Querier = a.retrieval
	}
	s, err := natsapi.Serve(nc, cfg)
	if err != nil {
		return fmt.Errorf("serve NATS: %w", err)
	}
	g.Go(func() error {
		<-ctx.Done()
		end, cancel := a.drainContext(ctx)
		defer cancel()
		return s.Close(end)
	})
	return nil
}

// claims reads large bodies for the NATS edge.
type claims struct{ *events.Blobs }

// Size implements natsapi.Claims.
func (c claims) Size(ctx context.Context, header map[string][]string) (int64, error) {
	return c.Blobs.Size(ctx, nats.Header(header))
}

// Resolve implements natsapi.Claims.
func (c claims) Resolve(ctx context.Context, header map[string][]string, body []byte) ([]byte, error) {
	return c.Blobs.Resolve(ctx, nats.Header(header), body)
}
