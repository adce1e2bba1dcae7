package app

import (
	"context"

	"github.com/siltstone-ai/siltstone/internal/store/qdrant"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// points gives the vector store the shapes that its users declare.
type points struct{ *qdrant.Store }

// EventPoint implements stages.EventReader and upkeep.EventPoints.
func (p points) EventPoint(ctx context.Context, gen int, uuid string) (map[string]any, error) {
	ps, err := p.Store.Get(ctx, gen, schema.Events, []string{uuid}, false)
	if err != nil || len(ps) == 0 {
		return nil, err
	}
	return ps[0].Payload, nil
}

// Holder implements stages.EventReader.
func (p points) Holder(ctx context.Context, gen int, uuid string) (uint64, error) {
	ps, err := p.GetKeys(ctx, gen, schema.Events, []string{uuid}, schema.KeySeq)
	if err != nil || len(ps) == 0 {
		return 0, err
	}
	seq, _ := ps[0].Payload[schema.KeySeq].(int64)
	return uint64(seq), nil
}

// Each implements upkeep.Store.
func (p points) Each(ctx context.Context, gen int, col schema.Collection, f schema.Filter, fn func(schema.Point) error) error {
	o := qdrant.ScrollOptions{Limit: 512}
	for {
		ps, next, err := p.Store.Scroll(ctx, gen, col, f, o)
		if err != nil {
			return err
		}
		for _, pt := range ps {
			if err := fn(pt); err != nil {
				return err
			}
		}
		if next == "" {
			return nil
		}
		o.Cursor = next
	}
}

// known implements intake.EventPoints for the active generation.
type known struct {
	points
	active func() int
}

// EventPoints returns the payloads of those uuids that have an event point.
func (k known) EventPoints(ctx context.Context, uuids []string) (map[string]map[string]any, error) {
	ps, err := k.Store.Get(ctx, k.active(), schema.Events, uuids, false)
	if err != nil {
		return nil, err
	}
	out := make(map[string]map[string]any, len(ps))
	for _, p := range ps {
		out[p.ID] = p.Payload
	}
	return out, nil
}

// slotReader implements stages.SlotReader from the store and the slots' revisions.
type slotReader struct {
	points
	revisions interface {
		Revision(ctx context.Context, generation int, slot string) (uint64, error)
	}
}

func (s slotReader) Revision(ctx context.Context, gen int, slot string) (uint64, error) {
	return s.revisions.Revision(ctx, gen, slot)
}

func (s slotReader) Facts(ctx context.Context, gen int, owner string, groups, slots []string) ([]schema.Memory, error) {
	f := schema.Filter{Must: []schema.Cond{{Key: schema.KeyOwner, Equal: owner}}}
	if len(groups) > 0 {
		f.Should = append(f.Should, schema.Cond{Key: schema.KeyGroup, Any: groups})
	}
	if len(slots) > 0 {
		f.Should = append(f.Should, schema.Cond{Key: schema.KeySlot, Any: slots})
	}
	if len(f.Should) == 0 {
		return nil, nil
	}
	var out []schema.Memory
	err := s.Each(ctx, gen, schema.Facts, f, func(p schema.Point) error {
		out = append(out, schema.MemoryFrom(p.ID, p.Payload))
		return nil
	})
	return out, err
}

// FactsByID implements stages.SlotReader. Points of other owners are left out.
func (s slotReader) FactsByID(ctx context.Context, gen int, owner string, ids []string) ([]schema.Memory, error) {
	ps, err := s.Store.Get(ctx, gen, schema.Facts, ids, false)
	if err != nil {
		return nil, err
	}
	var out []schema.Memory
	for _, p := range ps {
		if p.Payload[schema.KeyOwner] == owner {
			out = append(out, schema.MemoryFrom(p.ID, p.Payload))
		}
	}
	return out, nil
}
