package obs

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// Check tells whether one dependency answers. It honours its context.
type Check func(ctx context.Context) error

// Health gathers the checks behind /readyz. Safe for concurrent use.
type Health struct {
	mu     sync.Mutex
	checks map[string]Check
}

// Add registers a check by name; the last one of a name counts.
func (h *Health) Add(name string, c Check) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.checks == nil {
		h.checks = map[string]Check{}
	}
	h.checks[name] = c
}

// Failing runs every check at the same time and returns the names and errors of those that fail, in order of name.
func (h *Health) Failing(ctx context.Context) []Failure {
	h.mu.Lock()
	checks := maps.Clone(h.checks)
	h.mu.Unlock()
	names := slices.Sorted(maps.Keys(checks))
	errs := make([]error, len(names))
	var wg sync.WaitGroup
	for i, n := range names {
		wg.Go(func() { errs[i] = checks[n](ctx) })
	}
	wg.Wait()
	var out []Failure
	for i, n := range names {
		if errs[i] != nil {
			out = append(out, Failure{Name: n, Err: errs[i]})
		}
	}
	return out
}

// Failure is one dependency that does not answer.
type Failure struct {
	Name string
	Err  error
}
