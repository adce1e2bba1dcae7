package retrieve

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// away is a world whose vector store answers nothing, with what writers have kept.
func away(t *testing.T, recent ...schema.Memory) *world {
	w := newWorld(t)
	w.store.searchErr, w.store.scrollErr, w.store.getErr, w.store.countErr = errDown, errDown, errDown, errDown
	for i := range recent {
		m := &recent[i]
		if m.ObservedAt.IsZero() {
			m.ObservedAt = w.now.Add(-time.Hour)
		}
		m.Source.Class = schema.ClassUser
	}
	w.cache.recent = recent
	return w
}

func fact(id, event, content string, edit ...func(*schema.Memory)) schema.Memory {
	m := schema.Memory{ID: id, Type: schema.TypeFact, Content: content, Status: schema.StatusActive, Source: schema.Source{Event: event, UUID: schema.EventUUID(tenant, event), Class: schema.ClassUser}}
	for _, e := range edit {
		e(&m)
	}
	return m
}

func episode(event, content string) schema.Memory {
	uuid := schema.EventUUID(tenant, event)
	return schema.Memory{ID: uuid, Type: schema.TypeEpisode, Content: content, Status: schema.StatusActive, Source: schema.Source{Event: event, UUID: uuid}}
}

// trace is what is left of a fact that has ended.
func trace(id, event string, st schema.Status, by string) schema.Memory {
	return schema.Memory{ID: id, Status: st, SupersededBy: by, Source: schema.Source{UUID: schema.EventUUID(tenant, event)}}
}

func TestD1_WithoutTheStoreOnlyWhatHoldsIsShown(t *testing.T) {
	past, future := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	w := away(t,
		trace("f1", "paris", schema.StatusSuperseded, "f2"), episode("paris", "I live in Paris."),
		fact("f2", "berlin", "lives in Berlin"), episode("berlin", "I live in Berlin now."),
		// Of two things that a turn states one holds still.
		trace("f3", "both", schema.StatusSuperseded, "x"), fact("f4", "both", "the rack is the ninth"), episode("both", "Port 3306, on rack nine."),
		// A duplicate is what its canonical memory is.
		trace("f5", "again", schema.StatusDuplicate, "f1"), episode("again", "Paris it is."),
		trace("f6", "twice", schema.StatusDuplicate, "f2"), episode("twice", "Berlin it is."),
		trace("f7", "retracted", schema.StatusDeleted, ""), episode("retracted", "My unit is B-14."),
		fact("f8", "expired", "renew the passport", func(m *schema.Memory) { m.ExpiresAt = past }),
		fact("f9", "soon", "renew the visa", func(m *schema.Memory) { m.ExpiresAt = future }),
		fact("f10", "ended", "works at the mill", func(m *schema.Memory) { m.ValidTo = past }),
		episode("plain", "The boat lies in Whitby."),
	)
	want := []string{"lives in Berlin", "I live in Berlin now.", "the rack is the ninth", "Port 3306, on rack nine.", "Berlin it is.", "renew the visa", "The boat lies in Whitby."}
	for _, mode := range []string{"hybrid", "legacy"} {
		r := w.query(schema.Query{Query: "anything", Mode: mode, Limit: 50})
		var got []string
		for _, it := range r.Items {
			got = append(got, it.Content)
			if it.Status != schema.StatusActive {
				t.Errorf("%s: %q is %s", mode, it.Content, it.Status)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) || !slices.Contains(r.Degraded, "vectors") || r.Hint != "" {
			t.Errorf("%s: degraded %v, hint %q, items\n%s\nwant\n%s", mode, r.Degraded, r.Hint, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	r := w.query(schema.Query{Query: "anything", IncludeHistory: true, Limit: 50})
	for _, it := range r.Items {
		if want := strings.Contains(it.Content, "Paris"); (it.Status == schema.StatusSuperseded) != want || strings.Contains(it.Content, "B-14") {
			t.Errorf("with history: %q is %s", it.Content, it.Status)
		}
	}
	if !strings.Contains(contents(r.Items), "I live in Paris.") {
		t.Errorf("history lacks the turn: %s", contents(r.Items))
	}
}

func TestWithoutTheStoreMarksAndFiltersHold(t *testing.T) {
	w := away(t, fact("f1", "diary", "the diary is in the bureau"), episode("diary", "My diary lies in the walnut bureau."),
		fact("f2", "boat", "the boat is in Whitby"), episode("boat", "The boat lies in Whitby."))
	w.deps.Marks = marks(func(it schema.Item) bool { return strings.Contains(it.Content, "walnut") })
	var err error
	if w.svc, err = New(w.cfg, w.deps, nil); err != nil {
		t.Fatal(err)
	}
	if got := contents(w.query(schema.Query{Query: "diary", Limit: 50}).Items); strings.Contains(got, "diary") || !strings.Contains(got, "Whitby") {
		t.Errorf("a forget event reaches the turn, and its fact with it: %s", got)
	}
	if got := contents(w.query(schema.Query{Query: "x", Types: []schema.Type{schema.TypeFact}}).Items); got != "the boat is in Whitby" {
		t.Errorf("of type fact: %s", got)
	}
	q := schema.Query{Query: "x", Filter: &schema.QueryFilter{To: w.now.Add(-2 * time.Hour)}}
	if r := w.query(q); len(r.Items) != 0 {
		t.Errorf("before all of it: %s", contents(r.Items))
	}
}

func TestD1_WhatStandsOutlivesTheStore(t *testing.T) {
	rule := fact("f1", "rule", "never deploy on Fridays", func(m *schema.Memory) { m.Type, m.Importance = schema.TypeConstraint, .9 })
	other := fact("f2", "other", "always ask first", func(m *schema.Memory) { m.Type, m.Importance = schema.TypeConstraint, .9 })
	w := away(t, rule, fact("f3", "old", "use the old branch", func(m *schema.Memory) {
		m.Type, m.ExpiresAt = schema.TypeConstraint, time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	}))
	check := func(when, want string) {
		t.Helper()
		r := w.query(schema.Query{})
		if contents(r.Items) != want || !slices.Contains(r.Degraded, "pins") {
			t.Errorf("%s: degraded %v, stands %q, want %q", when, r.Degraded, contents(r.Items), want)
		}
	}
	check("written meanwhile", "never deploy on Fridays")
	w.cache.last = map[string][]schema.Memory{schema.Owner(tenant, user): {other}}
	w.cache.recent = nil
	check("cached long ago", "always ask first")
	if w.cache.fills > 0 {
		t.Error("what is not fresh was put into the cache as if it were")
	}
	// A store that hangs leaves time for it.
	w.store.scrollErr = nil
	w.store.hang["scroll"] = true
	w.cfg.Path, w.cfg.Cache, w.cfg.Embed = 400*time.Millisecond, 50*time.Millisecond, 100*time.Millisecond
	var err error
	if w.svc, err = New(w.cfg, w.deps, nil); err != nil {
		t.Fatal(err)
	}
	check("the store hangs", "always ask first")
}

func TestWarmFillsWhatStands(t *testing.T) {
	w := newWorld(t)
	household(w)
	owner := schema.Owner(tenant, user)
	n, err := w.svc.Warm(t.Context(), owner)
	if err != nil || n == 0 || len(w.cache.standing[owner]) != n {
		t.Fatalf("%d, %v; the cache holds %d", n, err, len(w.cache.standing[owner]))
	}
	if again, err := w.svc.Warm(t.Context(), owner); err != nil || again != n || w.cache.fills != 1 {
		t.Errorf("again: %d, %v, filled %d times", again, err, w.cache.fills)
	}
	w = away(t)
	if _, err := w.svc.Warm(t.Context(), owner); err == nil || w.cache.fills > 0 {
		t.Errorf("without the store: %v, filled %d times", err, w.cache.fills)
	}
}
