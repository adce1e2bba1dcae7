package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// awaitPoll is how long await pauses between two tries.
const awaitPoll = 200 * time.Millisecond

// awaitServers waits until the log and the vector store answer, or ctx ends: processes may be started in any order. The
// cache may be away.
func (a *app) awaitServers(ctx context.Context) error {
	if err := a.await(ctx, "NATS", func(context.Context) error {
		if !a.nc.IsConnected() {
			return errors.Join(errors.New("no connection"), a.nc.LastError())
		}
		return nil
	}); err != nil {
		return err
	}
	return a.await(ctx, "Qdrant", a.points.Ping)
}

func (a *app) await(ctx context.Context, server string, ping func(context.Context) error) error {
	tick := time.NewTicker(awaitPoll)
	defer tick.Stop()
	for told := false; ; told = true {
		err := ping(ctx)
		if err == nil {
			return nil
		}
		if !told && ctx.Err() == nil {
			a.log.LogAttrs(ctx, slog.LevelWarn, "waiting for a server", slog.String("server", server), slog.String(obs.KeyError, err.Error()))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return schema.Retryable(schema.CodeUnavailable, 0, errors.Join(ctx.Err(), err), "%s does not answer", server)
		}
	}
}
