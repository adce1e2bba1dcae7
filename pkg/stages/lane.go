package stages

import (
	"context"
	"sync"
)

// lanes lets one handler of an owner in at a time. Whoever recomputes a user's slots would only collide with
// itself otherwise: the guards stay for other processes, and hardly ever have to say no. The zero value is ready.
type lanes struct {
	mu   sync.Mutex
	open map[string]*lane
}

type lane struct {
	turn  chan struct{} // holds one token
	users int           // who holds the token or waits for it
}

// enter waits for the owner's lane and returns what leaves it again; an error where ctx ends first.
func (l *lanes) enter(ctx context.Context, owner string) (leave func(), err error) {
	l.mu.Lock()
	if l.open == nil {
		l.open = map[string]*lane{}
	}
	ln := l.open[owner]
	if ln == nil {
		ln = &lane{turn: make(chan struct{}, 1)}
		ln.turn <- struct{}{}
		l.open[owner] = ln
	}
	ln.users++
	l.mu.Unlock()
	done := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if ln.users--; ln.users == 0 {
			delete(l.open, owner)
		}
	}
	select {
	case <-ln.turn:
		return func() { ln.turn <- struct{}{}; done() }, nil
	case <-ctx.Done():
		done()
		return nil, ctx.Err()
	}
}
