package app

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// lives tells which events may have ended the lives of this installation before this one, where servers and stages share
// a process. Safe for concurrent use.
type lives struct {
	mu   sync.Mutex
	runs map[int]*events.Run
}

// endRun is how long the end waits for the note that it comes in order.
const endRun = 2 * time.Second

// beginLife notes that this process begins to work on a generation. Where the servers run elsewhere they count what
// becomes of their deliveries, and outlive whoever works on them.
func (a *app) beginLife(ctx context.Context, gen int) error {
	if a.cfg.NATS.URL != "" || !a.cfg.Has("distiller") {
		return nil
	}
	a.lives.mu.Lock()
	defer a.lives.mu.Unlock()
	if a.lives.runs[gen] != nil {
		return nil
	}
	run, err := events.BeginRun(ctx, a.js, gen)
	if err != nil {
		return err
	}
	if a.lives.runs == nil {
		a.lives.runs = map[int]*events.Run{}
		a.closers = append(a.closers, a.endLife)
	}
	a.lives.runs[gen] = run
	if run.Suspects(schema.Event{Envelope: schema.Envelope{Seq: run.Floor + 1}}) {
		a.log.LogAttrs(ctx, slog.LevelWarn, "the process has ended again and again without a word: events run one by one until it is known whether one of them does it",
			slog.Int("times", run.Crashes), slog.Uint64("from", run.Floor+1), slog.Uint64("to", run.Last), slog.Int(obs.KeyGen, gen))
	}
	return nil
}

// endLife notes that the process ends in order.
func (a *app) endLife() error {
	ctx, cancel := context.WithTimeout(context.Background(), endRun)
	defer cancel()
	a.lives.mu.Lock()
	defer a.lives.mu.Unlock()
	for _, run := range a.lives.runs {
		if err := run.End(ctx); err != nil { // it will be taken for one that ended without a word, which alone means nothing
			a.log.LogAttrs(ctx, slog.LevelWarn, "the end is not noted", slog.String(obs.KeyError, err.Error()))
		}
	}
	return nil
}

// suspects implements events.RouterConfig.Suspects.
func (l *lives) suspects(ev schema.Event) bool {
	l.mu.Lock()
	run := l.runs[ev.Generation]
	l.mu.Unlock()
	return run != nil && run.Suspects(ev)
}
