package events

import (
	"sync"
	"sync/atomic"
	"time"
)

// outage tells people that a stage waits for what it needs. Each event of the stage waits for itself; one line now
// and then is enough for all of them, and for what comes and goes.
type outage struct {
	open   atomic.Bool // told, and not yet over
	mu     sync.Mutex
	logged time.Time
	tries  int // failed since the last line
}

// note is called for every try that failed for want of a dependency.
func (o *outage) note(h *handler, l *lease, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tries++
	now := time.Now()
	if !o.logged.IsZero() && now.Sub(o.logged) < logEvery {
		return
	}
	h.log.Warn("stage waits for what it needs and goes on trying", h.ids(l, "tries", o.tries, "error", err)...)
	o.logged, o.tries = now, 0
	o.open.Store(true)
}

// end is called for every event that passed.
func (o *outage) end(h *handler) {
	if o.open.Load() && o.open.CompareAndSwap(true, false) {
		h.log.Info("stage goes on")
	}
}
