package retrieve

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/internal/rank"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// standing is path A: every active, unexpired constraint and the sure preferences, by importance. It is read from
// the cache, and from the store on a miss; it fails only where both do.
func (s *Service) standing(ctx context.Context, a *ask) ([]rank.Candidate, error) {
	if !a.wants(schema.TypeConstraint) && !a.wants(schema.TypePreference) {
		return nil, nil
	}
	ms, err := s.readStanding(ctx, a)
	if err != nil {
		return nil, err
	}
	var out []rank.Candidate
	for i := range ms {
		m := &ms[i]
		st, ok := a.holds(m)
		switch {
		case !ok || st != schema.StatusActive || !a.wants(m.Type),
			m.Type != schema.TypeConstraint && m.Type != schema.TypePreference,
			m.Type == schema.TypePreference && m.Confidence < s.cfg.Confidence && !m.Pinned,
			!m.ExpiresAt.IsZero() && !a.at.Before(m.ExpiresAt), // history shows what ended, but it does not stand
			!m.ValidTo.IsZero() && !a.at.Before(m.ValidTo) && m.Status == schema.StatusActive:
			continue
		}
		it := item(m, st)
		if !rank.Trusted(it) { // what a tool or the agent said is no rule; the search may still find it
			continue
		}
		out = append(out, rank.Candidate{Item: it, Hash: m.ContentHash, Standing: true})
	}
	slices.SortStableFunc(out, func(x, y rank.Candidate) int {
		switch {
		case x.Item.Importance > y.Item.Importance:
			return -1
		case x.Item.Importance < y.Item.Importance:
			return 1
		}
		return 0
	})
	return out, nil
}

func (s *Service) readStanding(ctx context.Context, a *ask) ([]schema.Memory, error) {
	cached := s.deps.Standing != nil && a.AsOf.IsZero() // the cache knows the present only
	type entry struct {
		ms  []schema.Memory
		hit bool
		ver string
	}
	var e entry
	var cacheErr error
	if cached {
		e, cacheErr = isolate(ctx, s.cfg.Cache, s.log, "standing cache", func(ctx context.Context) (e entry, err error) {
			e.ms, e.hit, e.ver, err = s.deps.Standing.Standing(ctx, a.gen, a.owner)
			return e, err
		})
		if cacheErr == nil && e.hit {
			return e.ms, nil
		}
	}
	f := ownerFilter(a.owner, schema.Cond{Key: schema.KeyType, Any: []string{string(schema.TypeConstraint), string(schema.TypePreference)}}, a.status())
	ps, err := s.deps.Scroller.Scroll(ctx, a.gen, schema.Facts, f, Page{Limit: s.cfg.Standing, Newest: true})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read standing memories: %w", err), cacheErr)
	}
	ms := make([]schema.Memory, 0, len(ps))
	for _, p := range ps {
		ms = append(ms, schema.MemoryFrom(p.ID, p.Payload))
	}
	if cached && cacheErr == nil && !a.IncludeHistory { // with history the read holds more than what stands
		if err := s.deps.Standing.FillStanding(ctx, a.gen, a.owner, e.ver, ms); err != nil {
			s.log.Warn("fill standing cache", obs.KeyGen, a.gen, obs.KeyTenant, a.tenant, obs.KeyError, err)
		}
	}
	return ms, nil
}
