package upkeep

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Inspector tells what became of single events. Safe for concurrent use.
type Inspector struct {
	Store  Store
	Points EventPoints
	Stages []string // stages that must settle an event, in order
	Marks  *Marks
}

// Status is what the index knows of one event of a tenant. It is nil where the index does not know it, which may
// mean that it is still on its way. What a forget event reaches is forgotten from the moment that this process
// knows the forget event.
func (i *Inspector) Status(ctx context.Context, generation int, tenant, id string, computed bool) (*schema.EventStatus, error) {
	uuid := schema.EventUUID(tenant, id)
	p, err := i.Points.EventPoint(ctx, generation, uuid)
	if err != nil {
		return nil, fmt.Errorf("read event point: %w", err)
	}
	if p == nil || p[schema.KeyTenant] != tenant {
		return nil, nil
	}
	if i.Marks.HidesEvent(p) {
		return &schema.EventStatus{ID: id, UUID: uuid, User: str(p, schema.KeyUser), State: string(schema.OutcomeForgotten)}, nil
	}
	st := &schema.EventStatus{ID: id, UUID: uuid, User: str(p, schema.KeyUser), Seq: uint64(number(p[schema.KeySeq])), Stages: map[string]bool{}}
	whole := true
	for _, s := range i.Stages {
		st.Stages[s], _ = p[schema.KeyDone+s].(bool)
		whole = whole && st.Stages[s]
	}
	st.State, _ = p[schema.KeyOutcome].(string)
	if st.State == string(schema.OutcomeOpen) {
		st.State = "pending"
		if whole {
			st.State = "indexed"
		}
	}
	st.Model = schema.ModelStatusOf(p)
	st.Archived, _ = p[schema.KeyArchived].(bool)
	segs := segmentsOf(p)
	for _, s := range segs {
		st.Segments = append(st.Segments, s.Key)
	}
	for _, d := range objects(p[schema.KeyDropped]) {
		st.Dropped = append(st.Dropped, schema.Dropped{Segment: str(d, "segment"), Tool: str(d, "tool"), Reason: str(d, "reason")})
	}
	for _, d := range objects(p[schema.KeyFaults]) {
		st.Faults = append(st.Faults, schema.Fault{Segment: str(d, "segment"), Cleaner: str(d, "cleaner"), Reason: str(d, "reason")})
	}
	if computed {
		st.Computed, err = i.computed(ctx, generation, p, uuid, segs)
	}
	return st, err
}

func (i *Inspector) computed(ctx context.Context, gen int, p map[string]any, uuid string, segs []schema.Segment) (*schema.Computed, error) {
	c := &schema.Computed{Segments: segs, Keywords: []string{}, Tags: []string{}, Entities: []schema.Entity{}, Triples: []schema.Triple{}, Facts: []schema.Memory{}}
	of := schema.Filter{Must: []schema.Cond{{Key: schema.KeyOwner, Equal: p[schema.KeyOwner]}, {Key: schema.KeyEvent, Equal: uuid}}}
	err := i.Store.Each(ctx, gen, schema.Passages, of, func(pt schema.Point) error {
		c.Keywords = addNew(c.Keywords, strs(pt.Payload[schema.KeyKeywords]))
		c.Tags = addNew(c.Tags, strs(pt.Payload[schema.KeyTags]))
		for _, e := range objects(pt.Payload[schema.KeyEntities]) {
			if en := (schema.Entity{Text: str(e, "text"), Type: str(e, "type")}); !slices.Contains(c.Entities, en) {
				c.Entities = append(c.Entities, en)
			}
		}
		if s, _ := pt.Payload[schema.KeySummary].(string); s != "" {
			c.Summary = strings.TrimSpace(c.Summary + " " + s)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read passages: %w", err)
	}
	err = i.Store.Each(ctx, gen, schema.Triples, of, func(pt schema.Point) error {
		c.Triples = append(c.Triples, schema.TripleFrom(pt.ID, pt.Payload))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read triples: %w", err)
	}
	err = i.Store.Each(ctx, gen, schema.Facts, of, func(pt schema.Point) error {
		c.Facts = append(c.Facts, schema.MemoryFrom(pt.ID, pt.Payload))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read facts: %w", err)
	}
	return c, nil
}

func segmentsOf(p map[string]any) []schema.Segment {
	var out []schema.Segment
	for _, s := range objects(p[schema.KeySegments]) {
		c, _ := schema.ParseClass(str(s, "class"))
		out = append(out, schema.Segment{Key: str(s, "key"), Kind: schema.SegmentKind(str(s, "kind")), Tool: str(s, "tool"), Class: c, Text: str(s, "text"), Lang: str(s, "lang")})
	}
	return out
}

func addNew(have, more []string) []string {
	for _, m := range more {
		if !slices.Contains(have, m) {
			have = append(have, m)
		}
	}
	return have
}

func str(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}

// objects and strs read lists as the store gives them back.
func objects(v any) []map[string]any {
	o, _ := v.([]map[string]any)
	return o
}

func strs(v any) []string {
	s, _ := v.([]string)
	return s
}
