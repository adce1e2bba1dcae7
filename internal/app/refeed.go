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
	runner, err := f.newRunners(g)
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

// settlement is what event points say of one entry of the log.
type settlement int

const (
	unknownEntry settlement = iota // no point is of it
	openEntry
	settledEntry
	deadEntry
)

// entries are what became of log entries, each by the inside id and sequence of its event, in order.
func (a *app) entries(ctx context.Context, gen int, evs []schema.Event) ([]settlement, error) {
	ps, err := a.pointsOfEntries(ctx, gen, evs)
	if err != nil {
		return nil, err
	}
	out := make([]settlement, len(ps))
	for i, p := range ps {
		out[i] = settlementOf(p.state())
	}
	return out, nil
}

// entryPoints are the payloads that may tell of a log entry: under the event's id where that is of this entry, and under
// the id for an entry that is not the first of its event. Either may be nil.
type entryPoints struct{ own, later map[string]any }

// state is the one that tells; nil where none does.
func (p entryPoints) state() map[string]any {
	if p.own != nil {
		return p.own
	}
	return p.later
}

// pointsOfEntries reads them in order, with what [settlementOf] needs and more keys.
func (a *app) pointsOfEntries(ctx context.Context, gen int, evs []schema.Event, more ...string) ([]entryPoints, error) {
	keys := append([]string{schema.KeySeq, schema.KeyOutcome}, more...)
	for _, s := range stageNames() {
		keys = append(keys, schema.KeyDone+s)
	}
	ids := make([]string, 0, 2*len(evs))
	for _, ev := range evs {
		ids = append(ids, ev.UUID, stages.LaterPoint(ev.UUID, ev.Seq))
	}
	ps, err := a.points.GetKeys(ctx, gen, schema.Events, ids, keys...)
	if err != nil {
		return nil, fmt.Errorf("read event points: %w", err)
	}
	found := make(map[string]map[string]any, len(ps))
	for _, p := range ps {
		found[p.ID] = p.Payload
	}
	out := make([]entryPoints, len(evs))
	for i, ev := range evs {
		out[i].later = found[stages.LaterPoint(ev.UUID, ev.Seq)]
		if own := found[ev.UUID]; own != nil {
			if seq, _ := own[schema.KeySeq].(int64); uint64(seq) == ev.Seq {
				out[i].own = own
			}
		}
	}
	return out, nil
}

func settlementOf(pl map[string]any) settlement {
	if pl == nil {
		return unknownEntry
	}
	switch schema.Outcome(fmt.Sprint(pl[schema.KeyOutcome])) {
	case schema.OutcomeDead:
		return deadEntry
	case schema.OutcomeOpen:
		for _, s := range stageNames() {
			if pl[schema.KeyDone+s] != true {
				return openEntry
			}
		}
	}
	return settledEntry
}
