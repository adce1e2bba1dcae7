package retrieve

import (
	"context"
	"errors"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

var errNoRecent = errors.New("there is no place that keeps recent memories")

// lately is what was remembered last, as far as it may be shown, from a place that answers while the vector store
// does not. A turn is judged as in a search, by those of its facts that are known there; and where a forget event
// reaches one of them, nothing of their event is shown.
func (s *Service) lately(ctx context.Context, a *ask) ([]schema.Memory, error) {
	if s.deps.Recent == nil {
		return nil, errNoRecent
	}
	all, err := isolate(ctx, s.cfg.Cache, s.log, "recent memories", func(ctx context.Context) ([]schema.Memory, error) {
		return s.deps.Recent.Recent(ctx, a.gen, a.owner, 0)
	})
	if err != nil {
		return nil, err
	}
	facts := map[string]schema.Memory{}
	for _, m := range all {
		if m.Type != schema.TypeEpisode {
			facts[m.ID] = m
		}
	}
	turns := map[string]state{}
	forgotten := map[string]bool{}
	for i := range all {
		m := &all[i]
		event := m.Source.UUID
		if s.deps.Marks != nil && m.Content != "" && s.deps.Marks.Hides(a.tenant, a.User, item(m, m.Status)) {
			forgotten[event] = true
		}
		if m.Type == schema.TypeEpisode {
			continue
		}
		st := a.state(*m, facts)
		if old, known := turns[event]; !known || st.over(old) {
			turns[event] = st
		}
	}
	var out []schema.Memory
	for _, m := range all {
		if m.Content == "" || forgotten[m.Source.UUID] {
			continue
		}
		if m.Type == schema.TypeEpisode {
			switch turns[m.Source.UUID] {
			case superseded:
				m.Status = schema.StatusSuperseded
			case retracted:
				continue
			}
		}
		if st, ok := a.holds(&m); ok {
			m.Status = st
			out = append(out, m)
		}
	}
	return out, nil
}
