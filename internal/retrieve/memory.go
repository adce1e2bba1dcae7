package retrieve

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// maxHistory bounds the memories that are read to tell one memory's history.
const maxHistory = 500

// noMemory is the answer for what is not there, is another user's, was taken back or forgotten: nobody learns which.
func noMemory() error {
	return &schema.Error{Code: schema.CodeNotFound, Field: "id", Message: "the user has no such memory"}
}

// Memory is one memory of a user with its history: what it superseded and what superseded it, as far as that leads,
// the events that state it, and what it was compared with. Turns are no memories here: they are read as events. The user's settings gate it as
// they gate queries. It blocks at most for the configured time limit.
func (s *Service) Memory(ctx context.Context, tenant, user, id string) (schema.MemoryView, error) {
	var v schema.MemoryView
	if err := checkOne(tenant, user, id); err != nil {
		return v, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	a, err := s.gated(ctx, tenant, user)
	if err != nil {
		return v, err
	}
	h := history{s: s, a: a, ctx: ctx, seen: map[string]schema.Memory{}}
	if err := h.byID(id); err != nil {
		return v, err
	}
	m, ok := h.seen[id]
	if !ok || !s.tells(a, &m) {
		return v, noMemory()
	}
	if err := h.follow(m); err != nil {
		return v, err
	}
	v = schema.MemoryView{Memory: m, History: []schema.Memory{}, Events: []schema.Source{m.Source}}
	if v.Considered, err = s.considered(ctx, a, &m); err != nil {
		return v, err
	}
	for _, o := range h.inOrder() {
		switch {
		case o.ID == m.ID || !s.tells(a, &o):
		case o.Status != schema.StatusDuplicate:
			v.History = append(v.History, o)
		case o.SupersededBy == m.ID || o.ID == m.SupersededBy:
			v.Events = append(v.Events, o.Source)
		}
	}
	return v, nil
}

func checkOne(tenant, user, id string) error {
	if err := schema.CheckTenant(tenant); err != nil {
		return err
	}
	if err := schema.CheckID("user", user); err != nil {
		return err
	}
	return schema.CheckID("id", id)
}

// gated is an ask of a user without a query, with the user's settings.
func (s *Service) gated(ctx context.Context, tenant, user string) (*ask, error) {
	set, err := s.deps.Settings.Settings(ctx, tenant, user)
	if err != nil {
		return nil, schema.Retryable(schema.CodeUnavailable, 0, err, "the user's settings could not be read")
	}
	a := s.ask(tenant, schema.Query{User: user})
	a.settings = set
	return a, nil
}

// tells reports whether m may be shown at all, whatever became of it since.
func (s *Service) tells(a *ask, m *schema.Memory) bool {
	return m.Status != schema.StatusDeleted && a.settings.On() && a.wants(m.Type) &&
		(s.deps.Marks == nil || !s.deps.Marks.Hides(a.tenant, a.User, item(m, m.Status)))
}

// history gathers memories that superseded one another.
type history struct {
	s    *Service
	a    *ask
	ctx  context.Context
	seen map[string]schema.Memory
}

func (h *history) byID(ids ...string) error {
	ps, err := h.s.deps.Points.GetKeys(h.ctx, h.a.gen, schema.Facts, ids)
	if err != nil {
		return fmt.Errorf("read memories: %w", err)
	}
	h.add(ps)
	return nil
}

// add takes in those that are the owner's and returns the new ones.
func (h *history) add(ps []schema.Point) (fresh []schema.Memory) {
	for _, p := range ps {
		m := schema.MemoryFrom(p.ID, p.Payload)
		if _, known := h.seen[p.ID]; known || schema.Owner(m.Tenant, m.User) != h.a.owner || len(h.seen) >= maxHistory {
			continue
		}
		h.seen[p.ID] = m
		fresh = append(fresh, m)
	}
	return fresh
}

// follow reads what from superseded and what superseded it, and so on from each of those.
func (h *history) follow(from schema.Memory) error {
	for next := []schema.Memory{from}; len(next) > 0 && len(h.seen) < maxHistory; {
		var back, on []string
		for _, m := range next {
			back = append(back, m.ID)
			if _, known := h.seen[m.SupersededBy]; m.SupersededBy != "" && !known {
				on = append(on, m.SupersededBy)
			}
		}
		ps, err := h.s.deps.Scroller.Scroll(h.ctx, h.a.gen, schema.Facts,
			ownerFilter(h.a.owner, schema.Cond{Key: schema.KeySupersededBy, Any: back}), Page{Limit: maxHistory})
		if err != nil {
			return fmt.Errorf("read what was superseded: %w", err)
		}
		next = h.add(ps)
		if len(on) == 0 {
			continue
		}
		if ps, err = h.s.deps.Points.GetKeys(h.ctx, h.a.gen, schema.Facts, on); err != nil {
			return fmt.Errorf("read what superseded: %w", err)
		}
		next = append(next, h.add(ps)...)
	}
	return nil
}

func (h *history) inOrder() []schema.Memory {
	out := make([]schema.Memory, 0, len(h.seen))
	for _, m := range h.seen {
		out = append(out, m)
	}
	slices.SortFunc(out, inTime)
	return out
}

// inTime is the order of event time, as decide reads statements.
func inTime(a, b schema.Memory) int {
	return cmp.Or(a.ObservedAt.Compare(b.ObservedAt), cmp.Compare(a.Source.Seq, b.Source.Seq),
		cmp.Compare(a.Source.Place, b.Source.Place), cmp.Compare(a.ID, b.ID))
}

// Pins are a user's pinned memories that hold now, the most important first. The user's settings gate them as they
// gate queries. It blocks at most for the configured time limit.
func (s *Service) Pins(ctx context.Context, tenant, user string) (schema.PinList, error) {
	out := schema.PinList{Pins: []schema.Item{}}
	if err := checkOne(tenant, user, "-"); err != nil {
		return out, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	a, err := s.gated(ctx, tenant, user)
	if err != nil || !a.settings.On() {
		return out, err
	}
	f := ownerFilter(a.owner, equal(schema.KeyPinned, true), equal(schema.KeyStatus, string(schema.StatusActive)))
	ps, err := s.deps.Scroller.Scroll(ctx, a.gen, schema.Facts, f, Page{Limit: s.cfg.Standing, Newest: true})
	if err != nil {
		return out, fmt.Errorf("list pins: %w", err)
	}
	for _, p := range ps {
		m := schema.MemoryFrom(p.ID, p.Payload)
		if st, ok := a.holds(&m); ok && st == schema.StatusActive && s.tells(a, &m) {
			out.Pins = append(out.Pins, item(&m, st))
		}
	}
	slices.SortStableFunc(out.Pins, func(x, y schema.Item) int { return cmp.Compare(y.Importance, x.Importance) })
	return out, nil
}
