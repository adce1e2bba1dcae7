package app

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/siltstone-ai/siltstone/pkg/events"
)

// reading is a generation that is open in this process: its streams and collections are there.
type reading struct {
	events.Generation // as it was when it was opened

	asleep  bool // its vectors are another model's: it is read by words, and nothing here works on it
	staged  bool // its stages have been added to the router; guarded by app.working
	floor   *waiting
	monitor *events.Monitor
	stop    func() // ends the run of the floor and waits for it; nil where it does not run
}

// readings are the generations that are open in this process. Safe for concurrent use.
type readings struct {
	mu     sync.RWMutex
	open   map[int]*reading
	latest int // that was answered from last
}

// get is an open generation, nil where it is not open here.
func (r *readings) get(n int) *reading {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.open[n]
}

// all are the open generations by number.
func (r *readings) all() []*reading {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.SortedFunc(maps.Values(r.open), func(a, b *reading) int { return cmp.Compare(a.Number, b.Number) })
}

func (r *readings) put(g *reading) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open == nil {
		r.open = map[int]*reading{}
	}
	r.open[g.Number] = g
}

func (r *readings) drop(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, n)
}

// from is the generation to answer from where active is the one that everybody shall read: that one as soon as it is
// open here, and until then the one that was answered from before.
func (r *readings) from(active int) int {
	r.mu.RLock()
	latest := r.latest
	ready := r.open[active] != nil
	old := r.open[latest] != nil
	r.mu.RUnlock()
	switch {
	case ready && latest != active:
		r.mu.Lock()
		defer r.mu.Unlock()
		r.latest = active
	case !ready && old:
		return latest
	}
	return active
}
