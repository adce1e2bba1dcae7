package app

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/siltstone-ai/siltstone/internal/intake"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// lag is how far the pipeline is behind the log in the generation that is read. Safe for concurrent use.
type lag struct {
	most uint64 // that may wait

	mu     sync.Mutex
	gen    int
	floor  uint64
	at     time.Time
	behind uint64  // log sequences above the settled floor that wait for the first time
	rate   float64 // sequences that are settled a second, smoothed; 0 before it is known
}

// lagEvery is how often it is looked how far the pipeline is behind.
const lagEvery = time.Second

// rateKept is the part of a rate that one more look leaves as it was.
const rateKept = .7

// note takes in a look. A generation that is new, or that goes over its part of the log again, begins a new rate. What it had
// before, up to again, is no backlog: to refuse what is new would not make it less, and a long log would be closed for all the
// hours that it takes to read it.
func (l *lag) note(gen int, floor, again, last uint64, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if seconds := at.Sub(l.at).Seconds(); gen != l.gen || floor < l.floor || l.at.IsZero() {
		l.rate = 0
	} else if seconds > 0 {
		now := float64(floor-l.floor) / seconds
		if l.rate > 0 {
			now = rateKept*l.rate + (1-rateKept)*now
		}
		l.rate = now
	}
	l.gen, l.floor, l.at, l.behind = gen, floor, at, last-min(max(floor, again), last)
}

// The shortest and the longest time after which whoever was refused may come again.
const (
	lagSoonest = time.Second
	lagLatest  = time.Minute
)

// refusal is nil while less waits than may, else what new turns are answered with: to come again when as much should have
// been settled as is too much.
func (l *lag) refusal() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.most == 0 || l.behind < l.most {
		return nil
	}
	after := lagLatest
	if l.rate > 0 {
		seconds := float64(l.behind-l.most+1) / l.rate
		after = time.Duration(min(seconds, lagLatest.Seconds()) * float64(time.Second))
	}
	return schema.Retryable(schema.CodeOverloaded, max(after, lagSoonest), nil,
		"%d accepted entries wait for the pipeline, and no more than %d may (pipeline.max_lag)", l.behind, l.most)
}

// watchLag looks how far the pipeline is behind until ctx ends. A generation that nobody works on, since its vectors are
// another model's, holds nobody up.
func (a *app) watchLag(ctx context.Context) {
	a.every(ctx, lagEvery, "how far the pipeline is behind cannot be read", func(ctx context.Context) error {
		gen := a.active()
		g := a.readings.get(gen)
		if g == nil || g.asleep {
			a.lag.note(gen, 0, 0, 0, time.Now())
			return nil
		}
		last, err := a.eventLog.Last(ctx, "") // first: what comes meanwhile is none of the lag
		if err != nil {
			return err
		}
		floor, err := g.floor.read.Do(ctx, struct{}{})
		if err != nil {
			return fmt.Errorf("read the settled floor: %w", err)
		}
		now, _ := a.state.Generation(gen)
		a.lag.note(gen, floor, now.Again, last, time.Now())
		return nil
	})
}

// laggingLog is the log as intake appends to it: turns are refused while too many wait. What else is appended, requests to
// forget above all, is little, and passes.
type laggingLog struct {
	log intake.Log
	lag *lag
}

// Append implements intake.Log.
func (l laggingLog) Append(ctx context.Context, evs []schema.Event) []events.Appended {
	if err := l.lag.refusal(); err != nil && anyTurn(evs) {
		return refuseAll(make([]events.Appended, len(evs)), err)
	}
	return l.log.Append(ctx, evs)
}

func anyTurn(evs []schema.Event) bool {
	for _, ev := range evs {
		if ev.Op == schema.OpTurn {
			return true
		}
	}
	return false
}
