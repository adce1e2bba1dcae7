package redis

import (
	"context"
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

// pending remembers the invalidations that have not reached Redis.
type pending struct {
	mu    sync.Mutex
	keys  map[string]uint64 // key → which invalidation of it is the latest
	all   uint64            // not 0: everything cached is void; which such demand is the latest
	count uint64
	wake  chan struct{} // holds one token while something is pending
}

func newPending(fresh bool) *pending {
	p := &pending{keys: map[string]uint64{}, wake: make(chan struct{}, 1)}
	if fresh {
		p.addAll()
	}
	return p
}

func (p *pending) add(keys []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range keys {
		p.count++
		p.keys[k] = p.count
	}
	if len(p.keys) > maxPending {
		p.count++
		p.all = p.count
		clear(p.keys)
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

// blocks reports whether key must not be served or filled yet.
func (p *pending) blocks(key string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, waits := p.keys[key]
	return waits || p.all != 0
}

func (p *pending) snapshot() (keys map[string]uint64, all uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	keys = make(map[string]uint64, len(p.keys))
	for k, n := range p.keys {
		keys[k] = n
	}
	return keys, p.all
}

// done forgets what was made up for, unless it was demanded again meanwhile.
func (p *pending) done(keys map[string]uint64, all uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for k, n := range keys {
		if p.keys[k] == n {
			delete(p.keys, k)
		}
	}
	if all != 0 && p.all == all {
		p.all = 0
	}
}

// flush sends what is pending. It is safe to run twice at a time: invalidating again does no harm.
func (s *Store) flush(ctx context.Context) error {
	keys, all := s.pending.snapshot()
	if all != 0 {
		err := s.do(ctx, "void cache", func(ctx context.Context) error {
			return scriptEpoch.Run(ctx, s.c, []string{keyEpoch}, token(), "").Err()
		})
		if err != nil {
			return err
		}
		s.pending.done(nil, all)
	}
	if len(keys) == 0 {
		return nil
	}
	err := s.do(ctx, "invalidate cache", func(ctx context.Context) error {
		err := s.sendInvalidations(ctx, keys)
		if redis.HasErrorPrefix(err, "NOSCRIPT") {
			if err = scriptInvalidate.Load(ctx, s.c).Err(); err == nil {
				err = s.sendInvalidations(ctx, keys)
			}
		}
		return err
	})
	if err == nil {
		s.pending.done(keys, 0)
	}
	return err
}

func (s *Store) sendInvalidations(ctx context.Context, keys map[string]uint64) error {
	p := s.c.Pipeline()
	for k := range keys {
		scriptInvalidate.EvalSha(ctx, p, []string{k}, token(), versionTTL.Milliseconds())
	}
	_, err := p.Exec(ctx)
	return err
}

// Void makes everything cached so far void, for all owners and generations, as [Options].Fresh does. Where it returns
// an error it is made up for later, and this process serves nothing cached until then.
func (s *Store) Void(ctx context.Context) error {
	s.pending.addAll()
	return s.flush(ctx)
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

// Pending is how many invalidations wait to reach Redis, for metrics; all is true where everything cached is void.
func (s *Store) Pending() (keys int, all bool) {
	s.pending.mu.Lock()
	defer s.pending.mu.Unlock()
	return len(s.pending.keys), s.pending.all != 0
}
