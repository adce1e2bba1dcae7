package events

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// lineup is where suspects wait to run alone, one at a time: first those against which least speaks, and of those the one
// that came first. One against which something speaks lets others come up before it, and waits until its stage has passed an
// event, for a while. The zero value is empty. Safe for concurrent use.
type lineup struct {
	mu      sync.Mutex
	running bool
	waiting []*suspect // in order of coming
}

// suspect is one that waits.
type suspect struct {
	weight int            // what speaks against it
	passed *atomic.Uint64 // events that its stage has passed in this process
	ripe   bool           // it has waited for others long enough
	turn   chan struct{}  // closed once it is its turn
}

// suspectWaits is how long a suspect against which something speaks waits for an event that passes.
const suspectWaits = time.Second

// enter returns once it is the turn of a suspect, which calls leave then, or with the error of ctx.
func (l *lineup) enter(ctx context.Context, weight int, passed *atomic.Uint64) error {
	s := &suspect{weight: weight, passed: passed, ripe: weight == 0, turn: make(chan struct{})}
	l.change(func() { l.waiting = append(l.waiting, s) })
	t := time.NewTimer(suspectWaits)
	defer t.Stop()
	for {
		select {
		case <-s.turn:
			return nil
		case <-t.C:
			l.change(func() { s.ripe = true })
		case <-ctx.Done():
			if !l.withdraw(s) {
				l.leave() // its turn came at the same moment
			}
			return ctx.Err()
		}
	}
}

// leave ends a turn.
func (l *lineup) leave() { l.change(func() { l.running = false }) }

// wake looks again whether somebody may run, since an event has passed.
func (l *lineup) wake() { l.change(func() {}) }

// withdraw takes out one that waits; false where it waits no more.
func (l *lineup) withdraw(s *suspect) (waited bool) {
	l.change(func() {
		if i := slices.Index(l.waiting, s); i >= 0 {
			l.waiting, waited = slices.Delete(l.waiting, i, i+1), true
		}
	})
	return waited
}

// change changes something, and lets in whoever may run by then.
func (l *lineup) change(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
	if l.running || len(l.waiting) == 0 {
		return
	}
	next := 0
	for i, w := range l.waiting {
		if w.weight < l.waiting[next].weight {
			next = i
		}
	}
	s := l.waiting[next]
	if !s.ripe && s.passed.Load() == 0 {
		return
	}
	l.waiting = slices.Delete(l.waiting, next, next+1)
	l.running = true
	close(s.turn)
}
