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

// standing is path A: every active, unexpired constraint, the sure preferences and whatever is pinned, by importance. It is read from
// the cache, and from the store on a miss; where that does not answer, from what was cached or remembered last. It
// fails only where all of them do.
func (s *Service) standing(ctx context.Context, a *ask, fs *faults) ([]rank.Candidate, error) {
	if len(a.factTypes()) == 0 {
		return nil, nil
	}
	ms, err := s.readStanding(ctx, a, fs)
	if err != nil {
		return nil, err
	}
	var out []rank.Candidate
	for i := range ms {
		m := &ms[i]
		st, ok := a.holds(m)
		switch {
		case !ok || st != schema.StatusActive || !a.wants(m.Type),
			m.Type != schema.TypeConstraint && m.Type != schema.TypePreference && !m.Pinned,
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

func (s *Service) readStanding(ctx context.Context, a *ask, fs *faults) ([]schema.Memory, error) {
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
	f := ownerFilter(a.owner, a.status())
	f.Should = []schema.Cond{{Key: schema.KeyType, Any: []string{string(schema.TypeConstraint), string(schema.TypePreference)}}, equal(schema.KeyPinned, true)}
	// A store that hangs must leave time for what answers in its place.
	ps, err := isolate(ctx, max(s.cfg.Path-2*s.cfg.Cache, s.cfg.Path/2), s.log, "read standing", func(ctx context.Context) ([]schema.Point, error) {
		return s.deps.Scroller.Scroll(ctx, a.gen, schema.Facts, f, Page{Limit: s.cfg.Standing, Newest: true})
	})
	if err != nil {
		err = fmt.Errorf("read standing memories: %w", err)
		ms, instead := s.formerStanding(ctx, a, cached && cacheErr == nil)
		if instead != nil {
			return nil, errors.Join(err, cacheErr, instead)
		}
		fs.add("pins", err)
		return ms, nil
	}
	ms := make([]schema.Memory, 0, len(ps))
	for _, p := range ps {
		ms = append(ms, schema.MemoryFrom(p.ID, p.Payload))
	}
	if cached && cacheErr == nil && s.deps.Missed != nil {
		s.deps.Missed(a.gen, a.owner)
	}
	if cached && cacheErr == nil && !a.IncludeHistory { // with history the read holds more than what stands
		if err := s.deps.Standing.FillStanding(ctx, a.gen, a.owner, e.ver, ms); err != nil {
			s.log.Warn("fill standing cache", obs.KeyGen, a.gen, obs.KeyTenant, a.tenant, obs.KeyError, err)
		}
	}
	return ms, nil
}

// formerStanding is what stood when it was read last, and where something was written since, what stands among the
// memories remembered last.
func (s *Service) formerStanding(ctx context.Context, a *ask, cached bool) ([]schema.Memory, error) {
	if cached {
		type entry struct {
			ms []schema.Memory
			ok bool
		}
		e, err := isolate(ctx, s.cfg.Cache, s.log, "standing cache", func(ctx context.Context) (e entry, err error) {
			e.ms, e.ok, err = s.deps.Standing.LastStanding(ctx, a.gen, a.owner)
			return e, err
		})
		if err == nil && e.ok {
			return e.ms, nil
		}
	}
	return s.lately(ctx, a)
}

// Warm lets the cache hold what stands of an owner, as a query without a hit in it would, and returns how many
// memories that are. It blocks as a query does.
func (s *Service) Warm(ctx context.Context, owner string) (int, error) {
	fs := &faults{log: s.log}
	ms, err := s.readStanding(ctx, &ask{owner: owner, gen: s.deps.Generation()}, fs)
	if err == nil && len(fs.list()) > 0 {
		err = schema.Retryable(schema.CodeUnavailable, 0, nil, "the vector store did not answer")
	}
	return len(ms), err
}
