package retrieve

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func TestSupersededComesOnlyAsHistory(t *testing.T) {
	w := newWorld(t)
	ended := time.Date(2026, 5, 20, 0, 0, 0, 0, time.UTC)
	w.turn("old", user, "c1", "2026-03-01T10:00:00Z", said("The staging port is 3306."))
	w.turn("new", user, "c2", "2026-05-20T00:00:00Z", said("The staging port moved to 13307."))
	w.turn("both", user, "c3", "2026-03-02T10:00:00Z", said("The staging port 3306 is on rack nine."))
	from := func(event string, at time.Time) func(*schema.Memory) {
		return func(m *schema.Memory) {
			m.ObservedAt, m.Source.UUID, m.Source.Event = at, schema.EventUUID(tenant, event), event
		}
	}
	march := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	now := w.fact("f2", schema.TypeFact, "staging port is 13307", from("new", ended))
	old := w.fact("f1", schema.TypeFact, "staging port is 3306", from("old", march), func(m *schema.Memory) {
		m.Status, m.ValidTo, m.SupersededBy = schema.StatusSuperseded, ended, now.ID
	})
	w.fact("f3", schema.TypeFact, "port 3306 seen", from("both", march), func(m *schema.Memory) { m.Status, m.SupersededBy = schema.StatusDuplicate, old.ID })
	w.fact("f4", schema.TypeFact, "staging is on rack nine", from("both", march))

	r := w.query(schema.Query{Query: "staging port"})
	got := contents(r.Items)
	if strings.Contains(got, "is 3306") || !strings.Contains(got, "13307") || !strings.Contains(got, "rack nine.") {
		t.Errorf("present: %s", got)
	}
	r = w.query(schema.Query{Query: "staging port", IncludeHistory: true})
	byContent := map[string]schema.Item{}
	for _, it := range r.Items {
		byContent[it.Content] = it
	}
	if f := byContent["staging port is 3306"]; f.Status != schema.StatusSuperseded || f.SupersededBy != now.ID || !f.ValidTo.Equal(ended) {
		t.Errorf("history of the fact: %+v", f)
	}
	if e := byContent["The staging port is 3306."]; e.Status != schema.StatusSuperseded {
		t.Errorf("the turn is superseded with its facts: %+v", e)
	}
	if e := byContent["The staging port 3306 is on rack nine."]; e.Status != schema.StatusActive {
		t.Errorf("a turn of which one fact holds is not: %+v", e)
	}
	if !strings.Contains(r.Block, "superseded 2026-05-20") {
		t.Errorf("the block marks it:\n%s", r.Block)
	}
	r = w.query(schema.Query{Query: "staging port", AsOf: time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)})
	got = contents(r.Items)
	if strings.Contains(got, "13307") || !strings.Contains(got, "staging port is 3306") || !strings.Contains(got, "The staging port is 3306.") {
		t.Errorf("as of April: %s", got)
	}
	for _, it := range r.Items {
		if it.Status != schema.StatusActive || it.SupersededBy != "" || !it.ValidTo.IsZero() {
			t.Errorf("as of April it held, and nobody knew better: %+v", it)
		}
	}
}

func TestRetractedTurnsNeverCome(t *testing.T) {
	w := newWorld(t)
	w.turn("e-x", user, "c1", "2026-03-01T10:00:00Z", said("My storage unit is B-14."))
	w.fact("x", schema.TypeFact, "storage unit is B-14", func(m *schema.Memory) { m.Status = schema.StatusDeleted })
	for _, h := range []bool{false, true} {
		if r := w.query(schema.Query{Query: "storage unit", IncludeHistory: h}); len(r.Items) != 0 {
			t.Errorf("history %v: %s", h, contents(r.Items))
		}
	}
}

func TestNeighboursAreItemsButNotInTheBlock(t *testing.T) {
	w := newWorld(t)
	for i, s := range []string{"The weather was fine.", "Let us talk about the harbour crane.", "Yes, the third one.", "And then lunch.", "Bye."} {
		w.turn(fmt.Sprint("e", i), user, "c1", fmt.Sprintf("2026-05-01T09:0%d:00Z", i), said(s))
	}
	w.turn("other", user, "c2", "2026-05-01T09:02:30Z", said("Something else."))
	r := w.query(schema.Query{Query: "harbour crane", Explain: true, Limit: 3})
	got := contents(r.Items)
	if len(r.Items) != 3 || !strings.HasPrefix(got, "Let us talk") || !strings.Contains(got, "third one") || !strings.Contains(got, "weather") {
		t.Fatalf("items: %s", got)
	}
	if p := r.Items[1].Explain; p.Parts["neighbours"] <= 0 || !slices.Contains(p.Notes, "found through a neighbouring turn") {
		t.Errorf("explain: %+v", p)
	}
	if strings.Contains(r.Block, "third one") {
		t.Errorf("block:\n%s", r.Block)
	}
	scrolls := w.store.scrolls
	w.query(schema.Query{Query: "harbour crane"})
	if w.store.scrolls-scrolls > 1 { // facts of the turns; the order of the conversation is remembered
		t.Errorf("%d scrolls for the second query", w.store.scrolls-scrolls)
	}
	upTo := &schema.QueryFilter{To: time.Date(2026, 5, 1, 9, 2, 0, 0, time.UTC)}
	if got := contents(w.query(schema.Query{Query: "harbour crane", Filter: upTo}).Items); strings.Contains(got, "third one") || !strings.Contains(got, "weather") {
		t.Errorf("a neighbour must pass the filter too: %s", got)
	}
}

// TestOrdersOfSeveralConversationsAreReadAtOnce: one request for all of them, and one each where that one may not have brought
// all turns; the answer is the same.
func TestOrdersOfSeveralConversationsAreReadAtOnce(t *testing.T) {
	answers := map[int]string{}
	for turns, scrolls := range map[int]int{100: 1, 12: 1 + 3} { // three conversations of five turns
		w := newWorld(t, func(w *world) { w.cfg.Turns = turns })
		for c := range 3 {
			for i, s := range []string{"How was the weather?", "Let us talk about the harbour crane.", "Yes, the third one.", "And then lunch.", "Bye."} {
				w.turn(fmt.Sprint("e", c, i), user, fmt.Sprint("c", c), fmt.Sprintf("2026-05-0%dT09:0%d:00Z", c+1, i), said(fmt.Sprint(s, " Day ", c+1, ".")))
			}
		}
		r := w.query(schema.Query{Query: "harbour crane", Limit: 9})
		answers[turns] = contents(r.Items)
		if n := strings.Count(answers[turns], "third one") + strings.Count(answers[turns], "weather"); n != 6 {
			t.Errorf("%d neighbours: %s", n, answers[turns])
		}
		if got := w.store.scrolls - 2; got != scrolls { // what stands, and facts of the turns
			t.Errorf("%d requests for orders where one brings %d turns, want %d", got, turns, scrolls)
		}
	}
	if answers[100] != answers[12] {
		t.Errorf("read at once: %s\neach: %s", answers[100], answers[12])
	}
}

func TestFiltersNarrowBeforeTheSearch(t *testing.T) {
	w := newWorld(t)
	w.turn("e1", user, "c1", "2026-05-01T09:00:00Z", said("Oslo note one."))
	w.turn("e2", user, "c2", "2026-05-02T09:00:00Z", said("Oslo note two."), printed("tool.0", "web_fetch", "Oslo page"))
	w.turn("e3", user, "c3", "2026-05-03T09:00:00Z", said("Oslo note three."))
	w.fact("f", schema.TypeFact, "Oslo fact", func(m *schema.Memory) { m.ObservedAt = time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC) })
	w.fact("c", schema.TypeConstraint, "keep quiet")
	day := func(d int) time.Time { return time.Date(2026, 5, d, 0, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		name string
		f    schema.QueryFilter
		want []string
	}{
		{"from, inclusive", schema.QueryFilter{From: time.Date(2026, 5, 3, 9, 0, 0, 0, time.UTC)}, []string{"note three", "Oslo fact", "keep quiet"}},
		{"to, exclusive", schema.QueryFilter{To: time.Date(2026, 5, 2, 9, 0, 0, 0, time.UTC)}, []string{"note one"}},
		{"between", schema.QueryFilter{From: day(2), To: day(3)}, []string{"note two"}},
		{"tool", schema.QueryFilter{Tool: "web_fetch"}, []string{"note two"}},
		{"tool in another spelling", schema.QueryFilter{Tool: "WebFetch"}, []string{"note two"}},
		{"metadata", schema.QueryFilter{Metadata: map[string]any{"project": "p-c1"}}, []string{"note one"}},
		{"metadata number", schema.QueryFilter{Metadata: map[string]any{"n": 2.0}}, []string{"note two"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := w.query(schema.Query{Query: "Oslo", Filter: &c.f})
			if len(r.Items) != len(c.want) {
				t.Errorf("items: %s", contents(r.Items))
			}
			for _, s := range c.want {
				if !strings.Contains(contents(r.Items), s) {
					t.Errorf("%q is missing in %s", s, contents(r.Items))
				}
			}
			if !strings.Contains(r.Block, "keep quiet") {
				t.Error("what stands is in the block whatever the filter")
			}
		})
	}
	r := w.query(schema.Query{Query: "Oslo", Types: []schema.Type{schema.TypeFact}})
	if contents(r.Items) != "Oslo fact" {
		t.Errorf("types: %s", contents(r.Items))
	}
}

func TestOwnerIsInEveryFilter(t *testing.T) {
	w := newWorld(t)
	household(w)
	w.turn("x1", "u2", "c1", "2026-05-01T09:00:30Z", said("My blood type is B negative and my seat is 2A."))
	w.fact("x", schema.TypeConstraint, "secret rule of u2", func(m *schema.Memory) { m.User = "u2" })
	for _, mode := range []string{"hybrid", "legacy"} {
		r := w.query(schema.Query{Query: "What is my blood type and seat?", Mode: mode, Limit: 100, IncludeHistory: true})
		if all := contents(r.Items) + r.Block; strings.Contains(all, "negative") || strings.Contains(all, "secret") {
			t.Errorf("%s: %s", mode, all)
		}
	}
	if _, err := w.svc.List(t.Context(), tenant, ListRequest{User: user}); err != nil {
		t.Fatal(err)
	}
	for _, f := range w.store.seen {
		if len(f.Must) == 0 || f.Must[0].Key != schema.KeyOwner || f.Must[0].Equal != schema.Owner(tenant, user) {
			t.Errorf("a filter without the owner: %+v", f)
		}
	}
}

type marks func(schema.Item) bool

func (m marks) Hides(_, _ string, it schema.Item) bool { return m(it) }

func TestForgottenIsHidden(t *testing.T) {
	w := newWorld(t, func(w *world) {
		w.deps.Marks = marks(func(it schema.Item) bool {
			return strings.Contains(it.Content, "14C") || strings.Contains(it.Content, "香菜")
		})
	})
	household(w)
	r := w.query(schema.Query{Query: "Oslo seat"})
	if all := contents(r.Items) + r.Block; strings.Contains(all, "14C") || strings.Contains(all, "香菜") {
		t.Error(all)
	}
	page, err := w.svc.List(t.Context(), tenant, ListRequest{User: user})
	if err != nil || strings.Contains(contents(page.Items), "14C") {
		t.Errorf("list: %v %s", err, contents(page.Items))
	}
}
