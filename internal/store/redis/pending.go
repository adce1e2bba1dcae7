package redis

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// maxPending invalidations are remembered one by one; beyond that one epoch stands for all.
const maxPending = 4096

const (
	retryMin = 200 * time.Millisecond
	retryMax = 5 * time.Second
)

// kind is what an invalidation concerns.
type kind uint8

const (
	standing kind = iota // the standing memories
	recent               // the recent items
)

// entry is a part of what is cached of a user in a generation.
type entry struct {
	kind  kind
	gen   int
	owner string
}

// keys are the keys that an entry stands for.
func (e entry) keys() []string {
	if e.kind == recent {
		return []string{keyRecent(e.gen, e.owner), keyItems(e.gen, e.owner)}
	}
	return []string{keyStanding(e.gen, e.owner)}
}

// pending remembers the invalidations that have not reached Redis.
type pending struct {
	mu      sync.Mutex
	entries map[entry]uint64 // → which invalidation of it is the latest
	all     uint64           // not 0: every standing memory cached is void; which such demand is the latest
	recents uint64           // the same for recent items
	count   uint64
	wake    chan struct{} // holds one token while something is pending
}

func newPending(fresh bool) *pending {
	p := &pending{entries: map[entry]uint64{}, wake: make(chan struct{}, 1)}
	if fresh {
		p.addAll()
	}
	return p
}

func (p *pending) add(es []entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range es {
		p.count++
		p.entries[e] = p.count
	}
	if len(p.entries) > maxPending {
		p.count++
		for e := range p.entries {
			if e.kind == standing {
				p.all = p.count
			} else {
				p.recents = p.count
			}
		}
		clear(p.entries)
	}
	p.signal()
}

func (p *pending) addAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count++
	p.all = p.count
	p.signal()
}

func (p *pending) signal() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// blocks reports whether what e stands for must not be served or filled yet.
func (p *pending) blocks(e entry) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, waits := p.entries[e]; waits {
		return true
	}
	if e.kind == standing {
		return p.all != 0
	}
	return p.recents != 0
}

func (p *pending) snapshot() (es map[entry]uint64, all, recents uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.entries), p.all, p.recents
}

// done forgets what was made up for, unless it was demanded again meanwhile.
func (p *pending) done(es map[entry]uint64, all, recents uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for e, n := range es {
		if p.entries[e] == n {
			delete(p.entries, e)
		}
	}
	if all != 0 && p.all == all {
		p.all = 0
	}
	if recents != 0 && p.recents == recents {
		p.recents = 0
	}
}

// flush sends what is pending, but for what concerns everybody's recent items ([Store.dropRecents]). It is safe to
// run twice at a time: invalidating again does no harm.
func (s *Store) flush(ctx context.Context) error {
	es, all, _ := s.pending.snapshot()
	if all != 0 {
		err := s.do(ctx, "void cache", func(ctx context.Context) error {
			return scriptEpoch.Run(ctx, s.c, []string{keyEpoch}, token(), "").Err()
		})
		if err != nil {
			return err
		}
		s.pending.done(nil, all, 0)
	}
	if len(es) == 0 {
		return nil
	}
	err := s.do(ctx, "invalidate cache", func(ctx context.Context) error {
		err := s.sendInvalidations(ctx, es)
		if redis.HasErrorPrefix(err, "NOSCRIPT") {
			if err = scriptInvalidate.Load(ctx, s.c).Err(); err == nil {
				err = s.sendInvalidations(ctx, es)
			}
		}
		return err
	})
	if err == nil {
		s.pending.done(es, 0, 0)
	}
	return err
}

func (s *Store) sendInvalidations(ctx context.Context, es map[entry]uint64) error {
	p := s.c.Pipeline()
	for e := range es {
		if e.kind == standing {
			scriptInvalidate.EvalSha(ctx, p, e.keys(), token(), versionTTL.Milliseconds())
		} else {
			p.Del(ctx, e.keys()...)
		}
	}
	_, err := p.Exec(ctx)
	return err
}

// dropRecents removes everybody's recent items, where more was to be removed than is remembered one by one. It walks
// the keys of the server, so nobody waits for it: until it is done this process serves no recent items.
func (s *Store) dropRecents(ctx context.Context) error {
	_, _, recents := s.pending.snapshot()
	if recents == 0 {
		return nil
	}
	err := s.dropKeys(ctx, "drop recent items", anyRecent)
	if err == nil {
		s.pending.done(nil, 0, recents)
	}
	return err
}

// Run makes up for invalidations that did not reach Redis, until ctx ends; it returns nil then. One Run a store.
func (s *Store) Run(ctx context.Context) error {
	wait := retryMin
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		case <-s.pending.wake:
		}
		err := s.flush(ctx)
		if err == nil {
			err = s.dropRecents(ctx)
		}
		switch {
		case err == nil:
			wait = retryMin
			continue
		case ctx.Err() != nil:
			return nil
		case wait == retryMin:
			s.log.Warn("cache invalidations wait until the server answers", "component", "redis", "error", err)
		}
		timer.Reset(wait)
		wait = min(2*wait, retryMax)
	}
}

// Pending is how many invalidations wait to reach Redis, for metrics; all is true where they are more than are
// remembered one by one, or where a process has just begun ([Options].Fresh).
func (s *Store) Pending() (entries int, all bool) {
	s.pending.mu.Lock()
	defer s.pending.mu.Unlock()
	return len(s.pending.entries), s.pending.all != 0 || s.pending.recents != 0
}
