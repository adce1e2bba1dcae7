package auth

import (
	"container/list"
	"net/netip"
	"sync"
	"time"
)

// Failed attempts from one source: so many at once, then one more every refill.
const (
	burst   = 20
	refill  = 3 * time.Second
	sources = 4096 // remembered at most, the latest
)

// limiter counts failures by key, in bounded memory: where there are more keys than it remembers, the one that
// failed longest ago is forgotten.
type limiter struct {
	mu   sync.Mutex
	byID map[string]*list.Element
	age  *list.List // of *failures, the latest first
}

type failures struct {
	key  string
	n    float64 // as of at
	last time.Time
}

func newLimiter() *limiter { return &limiter{byID: map[string]*list.Element{}, age: list.New()} }

// left is what remains of the failures at now.
func (f *failures) left(now time.Time) float64 {
	return max(0, f.n-max(0, now.Sub(f.last).Seconds())/refill.Seconds())
}

// blocked is how long key has to wait, 0 for not at all.
func (l *limiter) blocked(key string, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.byID[key]
	if e == nil {
		return 0
	}
	over := e.Value.(*failures).left(now) - (burst - 1)
	if over <= 0 {
		return 0
	}
	return time.Duration(over * float64(refill))
}

// fail notes a failure.
func (l *limiter) fail(key string, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.byID[key]
	if e == nil {
		if l.age.Len() >= sources {
			last := l.age.Back()
			delete(l.byID, l.age.Remove(last).(*failures).key)
		}
		e = l.age.PushFront(&failures{key: key})
		l.byID[key] = e
	}
	f := e.Value.(*failures)
	f.n, f.last = f.left(now)+1, now
	l.age.MoveToFront(e)
}

// source is what failures are counted by: the address without its port, and of IPv6 the /64, which is one customer's.
func source(remote string) string {
	ap, err := netip.ParseAddrPort(remote)
	if err != nil {
		return "?" // all that have no address count as one
	}
	a := ap.Addr().Unmap().WithZone("")
	if a.Is6() {
		p, err := a.Prefix(64)
		if err == nil {
			return p.String()
		}
	}
	return a.String()
}
