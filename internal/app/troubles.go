package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/siltstone-ai/siltstone/internal/obs"
)

// troubleEvery bounds the lines about one trouble that lasts.
const troubleEvery = 30 * time.Second

// troubles logs what fails again and again: the first time at once, then a line every [troubleEvery] at most. It is for
// one goroutine.
type troubles struct {
	log    *slog.Logger
	what   string
	now    func() time.Time
	logged time.Time
	silent int // failures since that line
}

// every does something at once and then every period until ctx ends, and tells its failures by what they are.
func (a *app) every(ctx context.Context, period time.Duration, what string, do func(context.Context) error) {
	tick := time.NewTicker(period)
	defer tick.Stop()
	trouble := troubles{log: a.log, what: what, now: time.Now}
	for {
		if err := do(ctx); err != nil && ctx.Err() == nil {
			trouble.note(ctx, err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (t *troubles) note(ctx context.Context, err error) {
	now := t.now()
	if !t.logged.IsZero() && now.Sub(t.logged) < troubleEvery {
		t.silent++
		return
	}
	t.log.LogAttrs(ctx, slog.LevelWarn, t.what, slog.String(obs.KeyError, err.Error()), slog.Int("suppressed", t.silent))
	t.logged, t.silent = now, 0
}
