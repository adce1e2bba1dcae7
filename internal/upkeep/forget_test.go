package upkeep

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// every way to select, and what is left then; the marks must agree with the forgetter.
func TestForgetReachesWhatItSelectsAndNothingElse(t *testing.T) {
	for _, c := range []struct {
		name    string
		forget  schema.Forget
		matched int
		left    []string
	}{
		{"match, folded, with what it comes from", schema.Forget{User: "lin", Match: "b-14"}, 3, []string{"b", "d"}},
		{"an event's id", schema.Forget{User: "lin", IDs: []string{"b"}}, 2, []string{"a", "c", "d"}},
		{"a memory's id takes its turn along", schema.Forget{User: "lin", IDs: []string{"fact-a"}}, 2, []string{"b", "c", "d"}},
		{"another user's id", schema.Forget{User: "lin", IDs: []string{"d", "fact-d"}}, 0, []string{"a", "b", "c", "d"}},
		{"a conversation", schema.Forget{User: "lin", Conversation: "c1"}, 4, []string{"c", "d"}},
		{"before a time", schema.Forget{User: "lin", Before: day.AddDate(0, 0, 1)}, 2, []string{"b", "c", "d"}},
		{"all", schema.Forget{User: "lin", All: true}, 5, []string{"d"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := sample()
			f := forgetter(m)
			m.cached = map[string]bool{}
			for _, col := range []schema.Collection{schema.Events, schema.Facts} {
				for id := range m.points[col] {
					m.cached[id] = true
				}
			}
			hit, err := f.Reach(t.Context(), 1, "acme", c.forget, 0)
			evs, ms := hit.Events, hit.Memories
			if err != nil || len(evs)+len(ms) != c.matched {
				t.Errorf("matched %v and %v (%v), want %d", evs, ms, err, c.matched)
			}
			var gone []string
			for _, id := range []string{"a", "b", "c", "d"} {
				if !slices.Contains(c.left, id) {
					gone = append(gone, id)
				}
			}
			if !slices.Equal(evs, gone) {
				t.Errorf("named are %v, and %v go", evs, gone)
			}
			ev := m.forget(t, 10, c.forget)
			marks := NewMarks(m, m, m.sources)
			if err := marks.Load(t.Context()); err != nil {
				t.Fatal(err)
			}
			var shown []string
			for _, p := range m.points[schema.Events] {
				if !marks.HidesEvent(p) {
					shown = append(shown, p[schema.KeyEventID].(string))
				}
			}
			if slices.Sort(shown); !slices.Equal(shown, c.left) {
				t.Errorf("before it is carried out the marks show %v, want %v", shown, c.left)
			}
			for range 2 { // doing it again changes nothing
				if err := f.Handle(t.Context(), ev); err != nil {
					t.Fatal(err)
				}
				if got := m.left(); !slices.Equal(got, c.left) {
					t.Errorf("left are %v, want %v", got, c.left)
				}
			}
			for id := range m.cached {
				if p := m.points[schema.Events][id]; p[schema.KeyOutcome] == string(schema.OutcomeForgotten) || p == nil && m.points[schema.Facts][id] == nil {
					t.Errorf("the caches still hold %s", id)
				}
			}
			if len(c.left) > 0 && len(m.cached) == 0 {
				t.Error("the caches were emptied")
			}
			for _, col := range []schema.Collection{schema.Passages, schema.Triples} {
				if got := len(m.points[col]); got != len(c.left) {
					t.Errorf("%d %s are left, want %d", got, col, len(c.left))
				}
			}
			for _, p := range m.points[schema.Events] {
				if segs := segmentsOf(p); p[schema.KeyOutcome] == string(schema.OutcomeForgotten) && len(segs) > 0 {
					t.Errorf("a forgotten event point still has text: %v", segs)
				}
			}
		})
	}
}

// A try that ends between the marks and the deletions leaves nothing behind for good.
func TestForgetGoesOnAfterACrashBehindTheMarks(t *testing.T) {
	m := sample()
	f := forgetter(m)
	ev := m.forget(t, 10, schema.Forget{User: "lin", Match: "b-14"})
	m.failDelete = errors.New("killed")
	if err := f.Handle(t.Context(), ev); err == nil {
		t.Fatal("the deletion did not fail")
	}
	if got := m.left(); !slices.Equal(got, []string{"b", "d"}) || len(m.points[schema.Passages]) != 4 {
		t.Fatalf("after the crash: %v, %d passages; want the marks made and nothing deleted", got, len(m.points[schema.Passages]))
	}
	m.failDelete = nil
	if err := f.Handle(t.Context(), ev); err != nil {
		t.Fatal(err)
	}
	for col, want := range map[schema.Collection]int{schema.Passages: 2, schema.Triples: 2, schema.Facts: 2} {
		if got := len(m.points[col]); got != want {
			t.Errorf("%d %s are left, want %d", got, col, want)
		}
	}
	hit, err := f.Reach(t.Context(), 1, "acme", schema.Forget{User: "lin", All: true}, 0)
	if err != nil || len(hit.Events)+len(hit.Memories) != 2 {
		t.Errorf("%+v is reached (%v), want 2: what is forgotten is not forgotten twice", hit, err)
	}
}

// A try that ends between the deletions and the decisions leaves facts that something forgotten had decided: the next one
// decides them again, though nothing of what was forgotten is there to name their slots.
func TestForgetDecidesAgainAfterACrashBehindTheDeletions(t *testing.T) {
	for _, key := range []string{schema.KeySupersededBy, schema.KeyMark} {
		m := sample()
		f := forgetter(m)
		m.points[schema.Facts]["fact-b"][key] = "fact-a"
		m.points[schema.Facts]["fact-d"][key] = "fact-a" // another user's: nothing of this one's to decide
		ev := m.forget(t, 10, schema.Forget{User: "lin", IDs: []string{"a"}})
		m.failResettle = errors.New("killed")
		if err := f.Handle(t.Context(), ev); err == nil {
			t.Fatal("deciding again did not fail")
		}
		if m.points[schema.Facts]["fact-a"] != nil || len(m.resettle) > 0 {
			t.Fatalf("after the crash %v is decided; want the fact deleted and nothing decided", m.resettle)
		}
		m.failResettle = nil
		if err := f.Handle(t.Context(), ev); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(m.resettle, []string{"g-b", "s-b"}) {
			t.Errorf("%s: decided again are %v, want the group and the slot of fact-b", key, m.resettle)
		}
	}
}

func TestForgetStopsAtItsOwnPlaceInTheLog(t *testing.T) {
	m := sample()
	ev := m.forget(t, 2, schema.Forget{User: "lin", All: true}) // c comes after it
	if err := forgetter(m).Handle(t.Context(), ev); err != nil {
		t.Fatal(err)
	}
	if got := m.left(); !slices.Equal(got, []string{"c", "d"}) {
		t.Errorf("left are %v, want c and d", got)
	}
	if !slices.Contains(m.resettle, "s-a") || !slices.Contains(m.resettle, "g-b") {
		t.Errorf("slots decided again: %v", m.resettle)
	}
	marks := NewMarks(m, m, m.sources)
	if err := marks.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if marks.HidesEvent(m.points[schema.Events][schema.EventUUID("acme", "c")]) {
		t.Error("an event behind the forget event is hidden")
	}
}

// TestForgetWaitsOutside: before the log is settled the handler gives its event back at once, so that it holds up
// nobody it waits for, and touches nothing; then it does its work.
func TestForgetWaitsOutside(t *testing.T) {
	m := newMemory()
	m.points[schema.Events]["p"] = map[string]any{schema.KeyOwner: schema.Owner("acme", "ann"), schema.KeyEvent: "u", schema.KeySeq: int64(3), schema.KeyOutcome: string(schema.OutcomeOpen)}
	body, err := json.Marshal(schema.Forget{User: "ann", All: true})
	if err != nil {
		t.Fatal(err)
	}
	ev := schema.Event{Envelope: schema.Envelope{Version: schema.Version, UUID: "f", Op: schema.OpForget, Tenant: "acme", User: "ann", Seq: 9}, Body: body}
	m.settled = 8
	if err := forgetter(m).Handle(t.Context(), ev); !errors.Is(err, events.ErrWait) || schema.IsPermanent(err) {
		t.Fatalf("before the log is settled: %v, want events.ErrWait", err)
	}
	if o := m.points[schema.Events]["p"][schema.KeyOutcome]; o != string(schema.OutcomeOpen) || m.dropped != 0 {
		t.Errorf("it has begun: outcome %v, %d caches dropped", o, m.dropped)
	}
	m.settled = 9
	if err := forgetter(m).Handle(t.Context(), ev); err != nil {
		t.Fatal(err)
	}
	if o := m.points[schema.Events]["p"][schema.KeyOutcome]; o != string(schema.OutcomeForgotten) {
		t.Errorf("outcome %v", o)
	}
}
