package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/siltstone-ai/siltstone/internal/embed"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/pkg/stages"
)

const benchTenant = "default"

// deriver turns the turns of one user into what the stages write of them, without a log, a broker or a store between:
// statements are decided against those that it has seen. It is not safe for concurrent use.
type deriver struct {
	clean, vectorize, extract, distill, decide stages.Func

	inserted map[string]any // the event point of the turn at hand, which clean looks at again
	facts    statements
	seq      uint64
}

func newDeriver() (*deriver, error) {
	table, err := embed.NewTable()
	if err != nil {
		return nil, err
	}
	d := &deriver{facts: statements{ids: map[string][]string{}, payloads: map[string]map[string]any{}}}
	deps := stages.Deps{Tools: d, Events: d, Embedder: table, Slots: &d.facts, Points: &d.facts}
	for _, s := range []struct {
		spec stages.Spec
		to   *stages.Func
	}{{stages.Clean, &d.clean}, {stages.Vectorize, &d.vectorize}, {stages.Extract, &d.extract}, {stages.Distill, &d.distill}, {stages.Decide, &d.decide}} {
		if *s.to, err = s.spec.New(deps); err != nil {
			return nil, fmt.Errorf("open %s: %w", s.spec.Name, err)
		}
	}
	return d, nil
}

// Policy implements stages.ToolPolicies: the shipped defaults.
func (d *deriver) Policy(string, string, uint64) (schema.ToolDef, bool) {
	return schema.ToolDef{}, false
}

// EventPoint implements stages.EventReader.
func (d *deriver) EventPoint(context.Context, int, string) (map[string]any, error) {
	return d.inserted, nil
}

// Holder implements stages.EventReader.
func (d *deriver) Holder(context.Context, int, string) (uint64, error) { return d.seq, nil }

// writes are what the stages write of one turn; without facts, distill and decide are left out.
func (d *deriver) writes(ctx context.Context, t schema.Turn, facts bool) ([]schema.Write, error) {
	cleaned, ws, err := d.cleaned(ctx, t)
	if err != nil || cleaned == nil {
		return ws, err
	}
	for _, stage := range []stages.Func{d.vectorize, d.extract} {
		res, err := stage(ctx, *cleaned)
		if err != nil {
			return nil, err
		}
		ws = append(ws, res.Writes...)
	}
	if !facts {
		return ws, nil
	}
	decided, err := d.decided(ctx, *cleaned)
	return append(ws, decided...), err
}

// cleaned is the event for the stages behind clean, nil where nothing is left of the turn, and clean's own writes.
func (d *deriver) cleaned(ctx context.Context, t schema.Turn) (*schema.Event, []schema.Write, error) {
	body, err := json.Marshal(t)
	if err != nil {
		return nil, nil, err
	}
	d.seq++
	ev := schema.Event{Body: body, Envelope: schema.Envelope{
		Version: schema.Version, UUID: schema.EventUUID(benchTenant, t.ID), ID: t.ID, Op: schema.OpTurn, Tenant: benchTenant, User: t.User,
		At: t.At, Accepted: t.At, Seq: d.seq, Class: schema.ClassUser, BodyHash: schema.Hash(body), Generation: 1,
	}}
	d.inserted = nil
	res, err := d.clean(ctx, ev)
	var ws []schema.Write
	for err == nil && res.Next != nil {
		for _, w := range res.Writes {
			d.inserted = w.Point.Payload
		}
		ws = append(ws, res.Writes...)
		res, err = res.Next(ctx)
	}
	if err != nil || len(res.Events) == 0 {
		return nil, ws, err
	}
	return &res.Events[0], ws, nil
}

// decided is what distill and decide write of a cleaned event, which is remembered.
func (d *deriver) decided(ctx context.Context, cleaned schema.Event) ([]schema.Write, error) {
	ws, err := d.decision(ctx, cleaned)
	d.facts.apply(ws)
	return ws, err
}

// decision is what distill and decide would write of a cleaned event.
func (d *deriver) decision(ctx context.Context, cleaned schema.Event) ([]schema.Write, error) {
	res, err := d.distill(ctx, cleaned)
	if err != nil || len(res.Events) == 0 {
		return res.Writes, err
	}
	ws := res.Writes
	if res, err = d.decide(ctx, res.Events[0]); err != nil {
		return nil, err
	}
	return append(ws, res.Writes...), nil
}

// statements are the facts that were decided, found by group, slot and id without a look at others, as by an index.
type statements struct {
	ids      map[string][]string // by group or slot
	payloads map[string]map[string]any
}

// Revision implements stages.SlotReader: nobody else writes.
func (s *statements) Revision(context.Context, int, string) (uint64, error) { return 1, nil }

// Facts implements stages.SlotReader.
func (s *statements) Facts(ctx context.Context, gen int, owner string, groups, slots []string) ([]schema.Memory, error) {
	var ids []string
	for _, k := range slices.Concat(groups, slots) {
		ids = append(ids, s.ids[k]...)
	}
	slices.Sort(ids)
	return s.FactsByID(ctx, gen, owner, slices.Compact(ids))
}

// FactsByID implements stages.SlotReader.
func (s *statements) FactsByID(_ context.Context, _ int, _ string, ids []string) ([]schema.Memory, error) {
	var out []schema.Memory
	for _, id := range ids {
		if p, ok := s.payloads[id]; ok {
			out = append(out, schema.MemoryFrom(id, p))
		}
	}
	return out, nil
}

// Each implements stages.PointLister: what a wish to forget would reach, and nobody wishes here.
func (s *statements) Each(context.Context, int, schema.Collection, schema.Filter, func(schema.Point) error) error {
	return nil
}

func (s *statements) apply(ws []schema.Write) {
	for _, w := range ws {
		switch {
		case w.Collection != schema.Facts:
		case w.Kind == schema.WriteSetPayload:
			for _, id := range w.IDs {
				maps.Copy(s.payloads[id], w.Payload)
			}
		default:
			s.payloads[w.Point.ID] = maps.Clone(w.Point.Payload)
			m := schema.MemoryFrom(w.Point.ID, w.Point.Payload)
			for _, k := range [...]string{m.Group, m.Slot} {
				if k != "" {
					s.ids[k] = append(s.ids[k], m.ID)
				}
			}
		}
	}
}
