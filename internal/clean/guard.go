package clean

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// guarded runs a program's own cleaner under a time budget. Go cannot stop a goroutine, so a call that overruns is
// abandoned: it keeps its slot until it returns. With all slots taken by calls that hang, further calls of that
// cleaner fail after the budget without starting another goroutine, so a cleaner that never returns holds at most
// ownSlots goroutines.
type guarded struct {
	f      Func
	budget time.Duration
	after  func(time.Duration) (<-chan time.Time, func())
	slots  chan struct{}
}

func newGuarded(f Func, budget time.Duration, after func(time.Duration) (<-chan time.Time, func())) *guarded {
	return &guarded{f: f, budget: budget, after: after, slots: make(chan struct{}, ownSlots)}
}

var errHangs = errors.New("earlier calls still hang")

func (g *guarded) run(text, arg string) (string, error) {
	timeout, stop := g.after(g.budget)
	defer stop()
	select {
	case g.slots <- struct{}{}:
	default:
		select {
		case g.slots <- struct{}{}:
		case <-timeout:
			return "", errHangs
		}
	}
	type result struct {
		out string
		err error
	}
	done := make(chan result, 1)
	go func() {
		defer func() { <-g.slots }()
		out, err := safely(func(text, _ string) (string, error) { return g.f(text, arg) }, text)
		done <- result{out, err}
	}()
	select {
	case r := <-done:
		return r.out, r.err
	case <-timeout:
		return "", fmt.Errorf("took longer than %v", g.budget)
	}
}

// stepCache keeps compiled steps. Policies are few; a bound keeps a stream of ever new policies from growing it.
type stepCache struct {
	mu sync.RWMutex
	m  map[string]Func
}

const maxCachedSteps = 1024

func (c *stepCache) get(step string) Func {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.m[step]
}

func (c *stepCache) put(step string, f Func) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.m == nil || len(c.m) >= maxCachedSteps {
		c.m = make(map[string]Func)
	}
	c.m[step] = f
}
