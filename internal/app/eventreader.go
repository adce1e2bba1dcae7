package app

import (
	"context"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// eventReader implements stages.EventReader: many stages ask for one point each, and few requests answer them.
type eventReader struct {
	points  *events.Coalescer[pointRef, map[string]any]
	holders *events.Coalescer[pointRef, map[string]any]
}

// pointRef is one event point.
type pointRef struct {
	generation int
	uuid       string
}

// One request asks for so many points at most. Whole ones hold their texts, so fewer of those.
const (
	readPoints  = 64
	readHolders = 512
)

func newEventReader(p points) (*eventReader, error) {
	r := &eventReader{}
	var err error
	if r.points, err = events.NewCoalescer(events.CoalescerConfig[pointRef]{MaxItems: readPoints, Parallel: 2}, p.payloads()); err != nil {
		return nil, err
	}
	r.holders, err = events.NewCoalescer(events.CoalescerConfig[pointRef]{MaxItems: readHolders, Parallel: 2}, p.payloads(schema.KeySeq))
	return r, err
}

// payloads reads the payloads of event points, nil for those that are not there: these keys, all where none is named.
func (p points) payloads(keys ...string) func(context.Context, []pointRef) ([]map[string]any, error) {
	return func(ctx context.Context, refs []pointRef) ([]map[string]any, error) {
		byGen := map[int][]string{}
		for _, r := range refs {
			byGen[r.generation] = append(byGen[r.generation], r.uuid)
		}
		found := make(map[pointRef]map[string]any, len(refs))
		for gen, ids := range byGen {
			ps, err := p.GetKeys(ctx, gen, schema.Events, ids, keys...)
			if err != nil {
				return nil, err
			}
			for _, pt := range ps {
				found[pointRef{gen, pt.ID}] = pt.Payload
			}
		}
		out := make([]map[string]any, len(refs))
		for i, r := range refs {
			out[i] = found[r]
		}
		return out, nil
	}
}

// EventPoint implements stages.EventReader.
func (r *eventReader) EventPoint(ctx context.Context, gen int, uuid string) (map[string]any, error) {
	return r.points.Do(ctx, pointRef{gen, uuid})
}

// Holder implements stages.EventReader.
func (r *eventReader) Holder(ctx context.Context, gen int, uuid string) (uint64, error) {
	pl, err := r.holders.Do(ctx, pointRef{gen, uuid})
	seq, _ := pl[schema.KeySeq].(int64)
	return uint64(seq), err
}
