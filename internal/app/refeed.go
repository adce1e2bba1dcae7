package app

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/pkg/stages"
)

// feeder works on entries of the log again, out of turn: clean runs here, as a new attempt, and what it publishes takes
// the way of every event. Whatever was there is written over by the same. Safe for concurrent use.
type feeder struct {
	*app
	attempt func(context.Context) (int, error)

	mu    sync.Mutex
	clean map[*reading]events.Handler
}

// feed works on one entry of the log in a generation. A permanent error is the entry's own.
func (f *feeder) feed(ctx context.Context, g *reading, ev schema.Event) (err error) {
	fn, err := f.handler(g)
	if err != nil {
		return err
	}
	if ev.Attempt, err = f.attempt(ctx); err != nil {
		return err
	}
	ev.Generation = g.Number
	defer func() {
		if p := recover(); p != nil {
			f.log.Error("clean panicked on an event that was tried again", "uuid", ev.UUID, "seq", ev.Seq, "stack", string(debug.Stack()))
			err = schema.Permanent(schema.CodeInternal, nil, "clean panicked: %T", p)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, stageLimit)
	defer cancel()
	return fn(ctx, ev)
}

// handler is clean in a generation, made once as long as that is open.
func (f *feeder) handler(g *reading) (events.Handler, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if fn := f.clean[g]; fn != nil {
		return fn, nil
	}
	runner, _, err := f.newRunners(g)
	if err != nil {
		return nil, fmt.Errorf("build clean: %w", err)
	}
	fn, err := runner(stages.Clean)
	if err != nil {
		return nil, err
	}
	for old := range f.clean {
		if f.readings.get(old.Number) != old {
			delete(f.clean, old)
		}
	}
	f.clean[g] = fn
	return fn, nil
}
