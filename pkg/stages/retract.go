package stages

import (
	"context"
	"fmt"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// PointLister reads points by filter.
type PointLister interface {
	// Each calls fn with every point that matches, page by page, until fn errs.
	Each(ctx context.Context, generation int, col schema.Collection, f schema.Filter, fn func(schema.Point) error) error
}

// Retractor takes back what was derived from log entries that turned out not to be the first of their event id. Safe
// for concurrent use; doing it again changes nothing.
type Retractor struct {
	Points  PointLister
	Sink    Sink
	Settler Resettler
}

// Retract deletes the passages, triples and facts that entries of rt.Event after rt.After have left, decides again
// what their facts had superseded, and corrects what the entries' points say of them. It blocks until that is durable.
func (r *Retractor) Retract(ctx context.Context, generation int, rt schema.Retraction) error {
	if rt.Hash != "" {
		if err := r.judge(ctx, generation, rt); err != nil {
			return fmt.Errorf("judge later entries of event %s: %w", rt.Event, err)
		}
	}
	for _, owner := range rt.Owners {
		if err := r.of(ctx, generation, owner, rt); err != nil {
			return fmt.Errorf("take back later entries of event %s: %w", rt.Event, err)
		}
	}
	return nil
}

// judge sets the outcomes of the later entries by the body of the first, which another may have been when they were
// judged.
func (r *Retractor) judge(ctx context.Context, generation int, rt schema.Retraction) error {
	after := float64(rt.After)
	f := schema.Filter{Must: []schema.Cond{
		{Key: schema.KeyTenant, Equal: rt.Tenant}, {Key: schema.KeyEvent, Equal: rt.Event}, {Key: schema.KeySeq, Range: &schema.Range{GT: &after}},
	}}
	var ws []schema.Write
	err := r.Points.Each(ctx, generation, schema.Events, f, func(p schema.Point) error {
		outcome, _ := p.Payload[schema.KeyOutcome].(string)
		hash, _ := p.Payload[schema.KeyBodyHash].(string)
		want := string(laterOutcome(hash, rt.Hash))
		switch schema.Outcome(outcome) {
		case schema.OutcomeDuplicate, schema.OutcomeConflict:
			if outcome != want {
				owner, _ := p.Payload[schema.KeyOwner].(string)
				ws = append(ws, schema.Write{
					Kind: schema.WriteSetPayload, Collection: schema.Events, Owner: owner, IDs: []string{p.ID},
					Payload: map[string]any{schema.KeyOutcome: want}, Seq: seqOf(p.Payload),
				})
			}
		}
		return nil
	})
	if err != nil || len(ws) == 0 {
		return err
	}
	return r.Sink.Apply(ctx, generation, ws)
}

func (r *Retractor) of(ctx context.Context, generation int, owner string, rt schema.Retraction) error {
	after := float64(rt.After)
	f := schema.Filter{Must: []schema.Cond{
		{Key: schema.KeyOwner, Equal: owner}, {Key: schema.KeyEvent, Equal: rt.Event}, {Key: schema.KeySeq, Range: &schema.Range{GT: &after}},
	}}
	gone, groups, slots := map[string]bool{}, map[string]bool{}, map[string]bool{}
	var targets []string
	var ws []schema.Write
	for _, col := range []schema.Collection{schema.Passages, schema.Triples, schema.Facts} {
		var ids []string
		err := r.Points.Each(ctx, generation, col, f, func(p schema.Point) error {
			ids = append(ids, p.ID)
			if col == schema.Facts {
				m := schema.MemoryFrom(p.ID, p.Payload)
				gone[p.ID], groups[m.Group], slots[m.Slot] = true, true, true
				if schema.IsTarget(m.Slot) {
					targets = append(targets, m.Subject)
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("list %s: %w", col, err)
		}
		if len(ids) > 0 {
			ws = append(ws, schema.Write{Kind: schema.WriteDelete, Collection: col, Owner: owner, IDs: ids})
		}
	}
	if len(ws) == 0 {
		return nil
	}
	if len(targets) > 0 { // what a mark stood on is decided without it
		held, err := r.Settler.Slots.FactsByID(ctx, generation, owner, targets)
		if err != nil {
			return fmt.Errorf("read what was edited: %w", err)
		}
		for _, m := range held {
			groups[m.Group], slots[m.Slot] = true, true
		}
	}
	delete(groups, "")
	delete(slots, "")
	gs, ss := sortedKeys(groups), sortedKeys(slots)
	// The facts' slots are decided without them before they go, and once more after: a crash in between leaves facts
	// that the next try finds, and what another event decided meanwhile with them in sight is decided again.
	if len(gs)+len(ss) > 0 {
		if err := r.Settler.without(ctx, generation, owner, gs, ss, gone); err != nil {
			return fmt.Errorf("decide slots without them: %w", err)
		}
	}
	if err := r.Sink.Apply(ctx, generation, ws); err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	if len(gs)+len(ss) > 0 {
		if err := r.Settler.Resettle(ctx, generation, owner, gs, ss); err != nil {
			return fmt.Errorf("decide slots again: %w", err)
		}
	}
	return nil
}
