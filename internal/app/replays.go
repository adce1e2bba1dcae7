package app

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/siltstone-ai/siltstone/internal/crash"
	"github.com/siltstone-ai/siltstone/internal/retrieve"
	"github.com/siltstone-ai/siltstone/internal/store/qdrant"
	"github.com/siltstone-ai/siltstone/internal/upkeep"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// newReplays builds what reads the log into new generations.
func (a *app) newReplays() *upkeep.Replays {
	return &upkeep.Replays{
		Register: a.state, Writer: a.state, Log: a.eventLog, Model: a.embedder.Model(), Now: time.Now, Logger: a.log,
		Prepare: func(ctx context.Context) error {
			if err := events.Room(ctx, a.js, a.topology()); err != nil {
				return err
			}
			return a.state.CatchUp(ctx, a.eventLog)
		},
		Floor:   a.settledTo,
		Open:    func(gen int) bool { return a.readings.get(gen) != nil },
		Compare: a.compare,
		Copy:    a.copyOthers,
		Self:    newID(),
		Remove:  a.removeGeneration,
	}
}

// settledTo is how far a generation is settled.
func (a *app) settledTo(ctx context.Context, gen int) (uint64, error) {
	g := a.readings.get(gen)
	if g == nil {
		return 0, notOpen(gen)
	}
	return g.floor.read.Do(ctx, struct{}{})
}

// stepEvery is how often the replays' due is done.
const stepEvery = time.Second

// stepReplays does what is due for replays until ctx ends.
func (a *app) stepReplays(ctx context.Context) {
	a.every(ctx, stepEvery, "a replay does not get on", a.replays.Step)
}

// removeGeneration deletes all that a generation has; nobody here works on it any more. What fills its stream goes
// first.
func (a *app) removeGeneration(ctx context.Context, gen int) error {
	if err := events.Prune(ctx, a.js, gen); err != nil {
		return err
	}
	crash.At(crash.PrunePart)
	if err := a.points.DropGeneration(ctx, gen); err != nil {
		return err
	}
	if _, err := a.blobs.Sweep(ctx, gen, math.MaxUint64); err != nil {
		return err
	}
	return a.cache.DropGeneration(ctx, gen)
}

// copyPage is how many points are copied at a time.
const copyPage = 256

// copyOthers copies what a generation holds of all tenants but one, of log entries up to a sequence, into another where it
// is not there yet. beat is called after every page; its error ends it.
func (a *app) copyOthers(ctx context.Context, from, to int, but string, upTo uint64, beat func() error) error {
	f := schema.Filter{Must: []schema.Cond{upToSeq(upTo)}, MustNot: []schema.Cond{{Key: schema.KeyTenant, Equal: but}}}
	for _, col := range schema.Collections {
		for cursor := ""; ; {
			ps, next, err := a.points.Scroll(ctx, from, col, f, qdrant.ScrollOptions{Limit: copyPage, Cursor: cursor, Vectors: true})
			if err != nil {
				return fmt.Errorf("read %s of generation %d: %w", col, from, err)
			}
			ws := make([]schema.Write, len(ps))
			for i, p := range ps {
				owner, _ := p.Payload[schema.KeyOwner].(string)
				ws[i] = schema.Write{Kind: schema.WriteInsert, Collection: col, Owner: owner, Point: p}
			}
			if len(ws) > 0 {
				if err := a.points.Apply(ctx, to, ws); err != nil {
					return fmt.Errorf("write %s of generation %d: %w", col, to, err)
				}
			}
			if err := beat(); err != nil {
				return err
			}
			if cursor = next; cursor == "" {
				break
			}
		}
	}
	return nil
}

// upToSeq holds for points of log entries up to a sequence.
func upToSeq(seq uint64) schema.Cond {
	most := float64(seq)
	return schema.Cond{Key: schema.KeySeq, Range: &schema.Range{LTE: &most}}
}

// compare counts the points of two generations up to a log sequence, and puts the same questions to both.
func (a *app) compare(ctx context.Context, was, now int, upTo uint64) (schema.ReplayReport, error) {
	rep := schema.ReplayReport{Collections: []schema.ReplayCount{}}
	within := upToSeq(upTo)
	count := func(name string, col schema.Collection, more ...schema.Cond) (schema.ReplayCount, error) {
		out := schema.ReplayCount{Name: name}
		f := []schema.Filter{{Must: append([]schema.Cond{within}, more...)}}
		for gen, into := range map[int]*uint64{was: &out.Before, now: &out.Now} {
			n, err := a.points.Counts(ctx, gen, col, f)
			if err != nil {
				return out, fmt.Errorf("count %s of generation %d: %w", name, gen, err)
			}
			*into = n[0]
		}
		return out, nil
	}
	for _, col := range schema.Collections {
		c, err := count(string(col), col)
		if err != nil {
			return rep, err
		}
		rep.Collections = append(rep.Collections, c)
	}
	var err error
	if rep.Dead, err = count("dead", schema.Events, schema.Cond{Key: schema.KeyOutcome, Equal: string(schema.OutcomeDead)}); err != nil {
		return rep, err
	}
	qs, err := a.questions(ctx, was, upTo)
	if err != nil {
		return rep, err
	}
	services := map[int]*retrieve.Service{}
	for _, gen := range []int{was, now} {
		if services[gen], err = a.asking(gen); err != nil {
			return rep, err
		}
	}
	asking, cancel := context.WithTimeout(ctx, askFor)
	defer cancel()
	err = upkeep.CompareAnswers(asking, was, now, qs, func(ctx context.Context, gen int, q upkeep.Question) ([]string, bool, error) {
		r, err := services[gen].Query(ctx, q.Tenant, q.Query)
		if err != nil {
			return nil, false, err
		}
		ids := make([]string, len(r.Items))
		for i, it := range r.Items {
			ids[i] = it.ID
		}
		g := a.readings.get(gen)
		asleep := g != nil && g.asleep // it lacks the embedder for good
		return ids, !slices.ContainsFunc(r.Degraded, func(d string) bool { return !asleep || d != "embedder" }), nil
	}, &rep)
	return rep, err
}

// Of a sample of events the beginning of what was said is asked for, for so long at most.
const (
	askFor       = 20 * time.Second
	sampleEvents = 20
	sampleRunes  = 200
)

// questions are what the users of a sample of events said, as questions. Ids are drawn by hashing, so that the first of
// them are a sample, and the same one at every try.
func (a *app) questions(ctx context.Context, gen int, upTo uint64) ([]upkeep.Question, error) {
	f := schema.Filter{Must: []schema.Cond{{Key: schema.KeyOutcome, Equal: string(schema.OutcomeOpen)}, upToSeq(upTo)}}
	ps, _, err := a.points.Scroll(ctx, gen, schema.Events, f, qdrant.ScrollOptions{
		Limit: sampleEvents, Keys: []string{schema.KeyTenant, schema.KeyUser, schema.KeySegments},
	})
	if err != nil {
		return nil, fmt.Errorf("draw a sample of events: %w", err)
	}
	at := time.Now().UTC()
	var out []upkeep.Question
	for _, p := range ps {
		tenant, _ := p.Payload[schema.KeyTenant].(string)
		user, _ := p.Payload[schema.KeyUser].(string)
		segs, _ := p.Payload[schema.KeySegments].([]map[string]any)
		for _, s := range segs {
			if said, _ := s["text"].(string); said != "" {
				rs := []rune(said)
				q := schema.Query{User: user, Query: string(rs[:min(len(rs), sampleRunes)]), Render: "none", Limit: 10, Now: at}
				out = append(out, upkeep.Question{Tenant: tenant, Query: q})
				break
			}
		}
	}
	return out, nil
}
