package retrieve

import (
	"context"
	"fmt"
	"slices"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// considered are the statements that decide compares m with, those of its slot and its group, and what was decided
// between m and each. What was taken back or forgotten is not told. Where there are more, the latest are.
func (s *Service) considered(ctx context.Context, a *ask, m *schema.Memory) ([]schema.Considered, error) {
	out := []schema.Considered{}
	f := ownerFilter(a.owner)
	for key, v := range map[string]string{schema.KeySlot: m.Slot, schema.KeyGroup: m.Group} {
		if v != "" {
			f.Should = append(f.Should, equal(key, v))
		}
	}
	if len(f.Should) == 0 {
		return out, nil
	}
	ps, err := s.deps.Scroller.Scroll(ctx, a.gen, schema.Facts, f, Page{Limit: schema.MaxConsidered + 1, Newest: true})
	if err != nil {
		return nil, fmt.Errorf("read what was considered: %w", err)
	}
	ms := make([]schema.Memory, 0, len(ps))
	for _, p := range ps {
		if o := schema.MemoryFrom(p.ID, p.Payload); o.ID != m.ID && s.tells(a, &o) {
			ms = append(ms, o)
		}
	}
	slices.SortFunc(ms, inTime)
	for _, o := range ms[max(0, len(ms)-schema.MaxConsidered):] {
		out = append(out, schema.Considered{
			ID: o.ID, Content: o.Content, Status: o.Status, ObservedAt: o.ObservedAt, Source: o.Source, Verdict: verdict(&o, m),
		})
	}
	return out, nil
}

// verdict says how o stands to m.
func verdict(o, m *schema.Memory) schema.Verdict {
	switch {
	case o.SupersededBy == m.ID && o.Status == schema.StatusDuplicate:
		return schema.VerdictRepeats
	case o.SupersededBy == m.ID && o.Weight() < m.Weight() && inTime(*o, *m) > 0:
		return schema.VerdictRefused
	case o.SupersededBy == m.ID:
		return schema.VerdictSuperseded
	case m.SupersededBy == o.ID && m.Status == schema.StatusDuplicate:
		return schema.VerdictRepeatedIn
	case m.SupersededBy == o.ID && m.Weight() < o.Weight() && inTime(*o, *m) < 0:
		return schema.VerdictRefusedBy
	case m.SupersededBy == o.ID:
		return schema.VerdictSupersededBy
	case o.Status == schema.StatusSuperseded && o.SupersededBy == "":
		return schema.VerdictPast
	}
	return schema.VerdictBeside
}
