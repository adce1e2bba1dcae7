package retrieve

import (
	"time"

	"github.com/siltstone-ai/siltstone/internal/render"
	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// ask is a query with every default filled in.
type ask struct {
	schema.Query
	tenant   string
	owner    string
	gen      int
	mode     Mode
	render   render.Mode
	settings schema.Settings
	now      time.Time      // clock of recency and expiry
	at       time.Time      // the moment memory is shown as of: as_of, else now
	zone     *time.Location // of the dates in the block
	when     bool           // it asks for a time
}

func (s *Service) ask(tenant string, q schema.Query) *ask {
	a := &ask{Query: q, tenant: tenant, owner: schema.Owner(tenant, q.User), gen: s.deps.Generation(),
		mode: s.cfg.Mode, render: s.cfg.Render, now: q.Now, zone: s.cfg.Zone, when: text.AsksWhen(q.Query)}
	if q.Mode != "" {
		a.mode = Mode(q.Mode)
	}
	if q.Render != "" {
		a.render = render.Mode(q.Render)
	}
	if !s.cfg.Enabled {
		a.render = render.None
	}
	switch {
	case !a.now.IsZero():
		a.zone = a.now.Location()
	case !q.AsOf.IsZero():
		a.now, a.zone = q.AsOf, q.AsOf.Location()
	default:
		a.now = s.clock()
	}
	a.at = a.now
	if !q.AsOf.IsZero() {
		a.at = q.AsOf
	}
	if a.Limit == 0 {
		a.Limit = schema.DefaultLimit
		if a.mode == Legacy {
			a.Limit = s.cfg.Limit
		}
	}
	if a.TokenBudget == 0 {
		a.TokenBudget = s.cfg.Budget.Tokens
	}
	return a
}

// wants reports whether memories of type t may be returned: the user's settings, then the query's own choice.
func (a *ask) wants(t schema.Type) bool {
	if !a.settings.Allows(t) {
		return false
	}
	if len(a.Types) == 0 {
		return true
	}
	for _, w := range a.Types {
		if w == t {
			return true
		}
	}
	return false
}

// holds reports whether m is to be shown, and as what: its status at the moment asked for. Duplicates and retracted
// memories never are.
func (a *ask) holds(m *schema.Memory) (schema.Status, bool) {
	if m.Status != schema.StatusActive && m.Status != schema.StatusArchived && m.Status != schema.StatusSuperseded {
		return m.Status, false
	}
	if !a.AsOf.IsZero() && m.ObservedAt.After(a.at) {
		return m.Status, false
	}
	st := m.Status
	if st == schema.StatusSuperseded && !a.AsOf.IsZero() && m.ValidTo.After(a.at) {
		st = schema.StatusActive // it still held then
	}
	if a.IncludeHistory {
		return st, true
	}
	expired := !m.ExpiresAt.IsZero() && !a.at.Before(m.ExpiresAt)
	ended := !m.ValidTo.IsZero() && !a.at.Before(m.ValidTo)
	return st, st != schema.StatusSuperseded && !expired && !ended
}

// item is the wire form of a fact. One that still held at the moment asked for does not tell what came later.
func item(m *schema.Memory, st schema.Status) schema.Item {
	it := schema.Item{
		ID: m.ID, Type: m.Type, Kind: m.Kind, Content: m.Content, Status: st,
		Importance: m.Importance, Confidence: m.Confidence, Pinned: m.Pinned, Explicit: m.Explicit,
		Conversation: m.Conversation, ObservedAt: m.ObservedAt, ValidFrom: m.ValidFrom, ValidTo: m.ValidTo,
		ExpiresAt: m.ExpiresAt, Source: m.Source, Rule: m.Rule, SupersededBy: m.SupersededBy,
	}
	if st == schema.StatusActive && m.Status == schema.StatusSuperseded {
		it.ValidTo, it.SupersededBy = time.Time{}, ""
	}
	return it
}
