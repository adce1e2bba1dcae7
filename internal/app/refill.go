package app

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/internal/retrieve"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// refiller fills what writers keep in the cache of a user's recent memories again, where the cache lost it. It looks
// whenever a user's standing memories were not cached, which is so after any loss, and takes its time: nobody waits for
// it, and what it does not come to waits for the user's next query.
type refiller struct {
	cache interface {
		BeginRecent(ctx context.Context, gen int, owner string) (token string, err error)
		FillRecent(ctx context.Context, gen int, owner, token string, ms []schema.Memory) error
	}
	points retrieve.Scroller
	open   func(gen int) bool // what is not open is pruned, or not yet to be read
	log    *slog.Logger

	mu    sync.Mutex
	asked map[ownerOf]struct{}
	wake  chan struct{}
}

type ownerOf struct {
	gen   int
	owner string
}

const (
	maxRefills  = 2 * warmUsers // that wait
	refillItems = 200           // of each kind: no more are kept
	refillLimit = 10 * time.Second
	refillShare = 3 // it rests so many times as long as it has worked
	refillRetry = time.Second
)

func newRefiller(a *app) *refiller {
	return &refiller{cache: a.cache, points: scroller{a.points}, log: a.log, asked: map[ownerOf]struct{}{}, wake: make(chan struct{}, 1),
		open: func(gen int) bool { return a.readings.get(gen) != nil }}
}

// missed is told of an owner whose standing memories were not cached. It does not block.
func (r *refiller) missed(gen int, owner string) {
	r.mu.Lock()
	if len(r.asked) < maxRefills {
		r.asked[ownerOf{gen, owner}] = struct{}{}
	}
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

func (r *refiller) next() (o ownerOf, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for o = range r.asked {
		delete(r.asked, o)
		return o, true
	}
	return o, false
}

// run works until ctx ends.
func (r *refiller) run(ctx context.Context) {
	for {
		o, ok := r.next()
		if !ok {
			select {
			case <-r.wake:
				continue
			case <-ctx.Done():
				return
			}
		}
		if !r.open(o.gen) {
			continue
		}
		start := time.Now()
		err := r.fill(ctx, o)
		rest := refillShare * time.Since(start)
		if err != nil && ctx.Err() == nil {
			r.log.LogAttrs(ctx, slog.LevelDebug, "recent items are not filled again yet", slog.Int(obs.KeyGen, o.gen), slog.String(obs.KeyError, err.Error()))
			r.missed(o.gen, o.owner)
			rest = max(rest, refillRetry)
		}
		select {
		case <-time.After(rest):
		case <-ctx.Done():
			return
		}
	}
}

func (r *refiller) fill(ctx context.Context, o ownerOf) error {
	ctx, cancel := context.WithTimeout(ctx, refillLimit)
	defer cancel()
	token, err := r.cache.BeginRecent(ctx, o.gen, o.owner)
	if err != nil || token == "" {
		return err
	}
	var ws []schema.Write
	for _, col := range []schema.Collection{schema.Facts, schema.Events} {
		f := schema.Filter{Must: []schema.Cond{{Key: schema.KeyOwner, Equal: o.owner}}}
		ps, err := r.points.Scroll(ctx, o.gen, col, f, retrieve.Page{Limit: refillItems, Newest: true})
		if err != nil {
			return fmt.Errorf("read %s: %w", col, err)
		}
		for _, p := range ps {
			ws = append(ws, schema.Write{Kind: schema.WriteUpsert, Collection: col, Owner: o.owner, Point: p})
		}
	}
	var ms []schema.Memory
	if t := tellings(ws)[o.owner]; t != nil { // what the writers of these points told
		ms = append(t.push, t.end...)
	}
	return r.cache.FillRecent(ctx, o.gen, o.owner, token, ms)
}
