package retrieve

import (
	"context"
	"errors"
	"fmt"

	"github.com/siltstone-ai/siltstone/internal/rank"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// structured answers without a search: the facts remembered last, a pool of three times the limit, for the score to
// order. They come from the store, or from Recent where the store does not answer.
func (s *Service) structured(ctx context.Context, a *ask) ([]rank.Candidate, error) {
	f, ok := a.facts()
	if !ok {
		return nil, nil
	}
	pool := 3 * a.Limit
	var out []rank.Candidate
	ps, err := isolate(ctx, s.cfg.Cache, s.log, "structured query", func(ctx context.Context) ([]schema.Point, error) {
		return s.deps.Scroller.Scroll(ctx, a.gen, schema.Facts, f, Page{Limit: pool, Newest: true})
	})
	switch {
	case err == nil:
		for _, p := range ps {
			m := schema.MemoryFrom(p.ID, p.Payload)
			if st, ok := a.holds(&m); ok && a.wants(m.Type) {
				out = append(out, rank.Candidate{Item: item(&m, st), Hash: m.ContentHash})
			}
		}
	case s.deps.Recent == nil:
		return nil, fmt.Errorf("structured query: %w", err)
	default:
		ms, rerr := s.lately(ctx, a)
		if rerr != nil {
			return nil, fmt.Errorf("structured query: %w", errors.Join(err, rerr))
		}
		for i := range ms {
			m := &ms[i]
			if it := item(m, m.Status); len(out) < pool && a.wants(it.Type) && a.matches(it) {
				out = append(out, rank.Candidate{Item: it, Hash: m.ContentHash})
			}
		}
	}
	return out, nil
}
