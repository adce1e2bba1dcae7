package retrieve

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/siltstone-ai/siltstone/internal/obs"
)

// Batcher writes last access times in the background, in batches, the last of several touches of one memory only.
// It is bounded: what does not fit is dropped and counted, because a lost access time harms nobody.
type Batcher struct {
	to      Toucher
	every   time.Duration
	size    int
	log     *slog.Logger
	in      chan Touch
	stop    chan struct{}
	done    chan struct{}
	once    sync.Once
	started atomic.Bool
	dropped atomic.Uint64
}

// NewBatcher makes a Batcher that writes to to at least every interval, at most size touches at once, and holds
// eight batches more before it drops. Start runs it.
func NewBatcher(to Toucher, every time.Duration, size int, log *slog.Logger) *Batcher {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	size = max(size, 1)
	return &Batcher{to: to, every: max(every, time.Millisecond), size: size, log: log,
		in: make(chan Touch, 8*size), stop: make(chan struct{}), done: make(chan struct{})}
}

// Add takes a touch and never blocks.
func (b *Batcher) Add(t Touch) {
	select {
	case b.in <- t:
	default:
		b.dropped.Add(1)
	}
}

// Dropped is how many touches did not fit or could not be written.
func (b *Batcher) Dropped() uint64 { return b.dropped.Load() }

// Start runs the writer until Close. It may be called once.
func (b *Batcher) Start() {
	if b.started.CompareAndSwap(false, true) {
		go b.run()
	}
}

// Close writes what is waiting, until ctx ends, and stops the writer. Touches added later are lost.
func (b *Batcher) Close(ctx context.Context) error {
	b.once.Do(func() { close(b.stop) })
	if !b.started.Load() {
		return nil
	}
	select {
	case <-b.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (b *Batcher) run() {
	defer close(b.done)
	tick := time.NewTicker(b.every)
	defer tick.Stop()
	pending := map[Touch]time.Time{}
	flush := func() {
		if len(pending) == 0 {
			return
		}
		type group struct { // of one call: the times of a batch lie within its interval, the last stands for all
			gen   int
			owner string
		}
		ids, last := map[group][]string{}, map[group]time.Time{}
		for t, at := range pending {
			g := group{t.Generation, t.Owner}
			ids[g] = append(ids[g], t.ID)
			if at.After(last[g]) {
				last[g] = at
			}
		}
		clear(pending)
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		for g, of := range ids {
			if err := b.to.Touch(ctx, g.gen, g.owner, of, last[g]); err != nil {
				b.dropped.Add(uint64(len(of)))
				b.log.Warn("write access times", "count", len(of), obs.KeyError, err)
			}
		}
	}
	add := func(t Touch) {
		at := t.At
		t.At = time.Time{}
		if at.After(pending[t]) {
			pending[t] = at
		}
		if len(pending) >= b.size {
			flush()
		}
	}
	for {
		select {
		case t := <-b.in:
			add(t)
		case <-tick.C:
			flush()
		case <-b.stop:
			for {
				select {
				case t := <-b.in:
					add(t)
					continue
				default:
				}
				break
			}
			flush()
			return
		}
	}
}
