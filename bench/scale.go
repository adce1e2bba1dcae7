package main

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/siltstone-ai/siltstone/internal/app"
	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/internal/store/qdrant"
	"github.com/siltstone-ai/siltstone/pkg/client"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/pkg/stages"
)

const (
	scaleAsks  = 500 // of each size
	scaleUsers = 100
	scaleEach  = 5000 // turns of each of them
	loadBatch  = 256  // turns applied at once

	statingTurns = 10 // one turn in so many is read for facts
)

// benchScale asks over NATS while one user has a thousand, ten thousand and a hundred thousand turns, and while a hundred
// users have five thousand each. The points are those that the stages would write, loaded straight into the store.
func benchScale(ctx context.Context, o options) (out []figure, err error) {
	var turns int
	err = withLoaded(ctx, func(ctx context.Context, l *loaded) error {
		d, err := newDeriver()
		if err != nil {
			return err
		}
		t := newTalk(o.seed, "user-0")
		for _, size := range []int{1000, 10_000, 100_000} {
			size = max(200, int(float64(size)*o.scale))
			for ; turns < size; turns += loadBatch {
				ws, err := deriveTurns(ctx, d, t, min(loadBatch, size-turns))
				if err != nil {
					return err
				}
				if err := l.store.Apply(ctx, 1, ws); err != nil {
					return err
				}
			}
			turns = size
			fs, err := l.ask(ctx, t, []string{t.user}, o, fmt.Sprintf("one user of %d turns", size))
			if err != nil {
				return err
			}
			out = append(out, fs...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = withLoaded(ctx, func(ctx context.Context, l *loaded) error {
		fs, err := l.manyUsers(ctx, o)
		out = append(out, fs...)
		return err
	})
	return out, err
}

// manyUsers gives every user the turns of one, under the user's own name.
func (l *loaded) manyUsers(ctx context.Context, o options) ([]figure, error) {
	d, err := newDeriver()
	if err != nil {
		return nil, err
	}
	t := newTalk(o.seed, "user-0")
	users := make([]string, max(2, int(scaleUsers*o.scale)))
	for i := range users {
		users[i] = fmt.Sprintf("user-%d", i)
	}
	each := max(200, int(scaleEach*o.scale))
	for n := 0; n < each; n += loadBatch {
		ws, err := deriveTurns(ctx, d, t, min(loadBatch, each-n))
		if err != nil {
			return nil, err
		}
		for _, u := range users {
			if err := l.store.Apply(ctx, 1, ofUser(ws, u)); err != nil {
				return nil, err
			}
		}
	}
	return l.ask(ctx, t, users, o, fmt.Sprintf("%d users of %d turns", len(users), each))
}

// deriveTurns is what the stages write of the next n turns.
func deriveTurns(ctx context.Context, d *deriver, t *talk, n int) ([]schema.Write, error) {
	var out []schema.Write
	for range n {
		turn := t.next()
		ws, err := d.writes(ctx, turn, t.n%statingTurns == 0)
		if err != nil {
			return nil, err
		}
		out = append(out, ws...)
	}
	return out, nil
}

// ofUser is ws as if the user had said all of it: the names of the owner and all inside ids are others.
func ofUser(ws []schema.Write, user string) []schema.Write {
	id := func(id string) string { return schema.PointID(id, user, "bench") }
	payload := func(p map[string]any) map[string]any {
		p = maps.Clone(p)
		for k, v := range p {
			switch k {
			case schema.KeyOwner:
				p[k] = schema.Owner(benchTenant, user)
			case schema.KeyUser:
				p[k] = user
			case schema.KeyEvent, schema.KeySupersededBy:
				p[k] = id(v.(string))
			}
		}
		return p
	}
	out := make([]schema.Write, len(ws))
	for i, w := range ws {
		w.Owner = schema.Owner(benchTenant, user)
		if w.Point.ID != "" {
			w.Point.ID, w.Point.Payload = id(w.Point.ID), payload(w.Point.Payload)
		}
		ids := make([]string, len(w.IDs))
		for j := range w.IDs {
			ids[j] = id(w.IDs[j])
		}
		w.IDs, w.Payload = ids, payload(w.Payload)
		out[i] = w
	}
	return out
}

// loaded is a running process with a way into its vector store, and a client over NATS.
type loaded struct {
	store *qdrant.Store
	query func(context.Context, schema.Query) (schema.Reply, error)
}

func withLoaded(ctx context.Context, fn func(context.Context, *loaded) error) error {
	listen := func(c *config.Config) { c.NATS.Listen, c.Qdrant.Listen = "127.0.0.1:0", "127.0.0.1:0" }
	return withApp(ctx, listen, func(ctx context.Context, _ *client.HTTP, a app.Addresses) error {
		connect, over, stop, err := overNATS(a)
		if err != nil {
			return err
		}
		defer stop()
		names := make([]string, len(stages.All))
		for i, s := range stages.All {
			names[i] = s.Name
		}
		store, err := qdrant.New(qdrant.Options{URL: "http://" + connect.Qdrant.Addr, APIKey: connect.Qdrant.Key, Stages: names})
		if err != nil {
			return err
		}
		defer store.Close()
		return fn(ctx, &loaded{store, over.Query})
	})
}

// ask puts questions to the users in turn, one at a time.
func (l *loaded) ask(ctx context.Context, t *talk, users []string, o options, name string) ([]figure, error) {
	n := max(100, int(scaleAsks*o.scale))
	warm := 2*len(users) + 20 // the first of a user fill caches
	now := t.start.AddDate(2, 0, 0)
	took := make([]time.Duration, 0, n)
	items := 0
	var stop func()
	for i := range n + warm {
		if i == warm {
			var err error
			if stop, err = profile(o.prof, "scale-"+fmt.Sprintf("%dx%d", len(users), t.n)); err != nil {
				return nil, err
			}
			defer stop()
		}
		q := schema.Query{User: users[i%len(users)], Query: t.question(i%2 == 0), Now: now}
		start := time.Now()
		r, err := l.query(ctx, q)
		if err != nil {
			return nil, err
		}
		if len(r.Degraded) > 0 {
			return nil, fmt.Errorf("question %d: degraded %v", i, r.Degraded)
		}
		if i >= warm {
			took = append(took, time.Since(start))
			items += len(r.Items)
		}
	}
	if items < 5*n { // some questions are of what nobody said
		return nil, fmt.Errorf("%d questions were answered by %d items", n, items)
	}
	return []figure{
		{name + ", query over NATS, p50", quantile(took, .5), "ms", fmt.Sprintf("%.1f items each", float64(items)/float64(n))},
		{name + ", query over NATS, p99", quantile(took, .99), "ms", ""},
	}, nil
}
