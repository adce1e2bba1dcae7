package upkeep

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func TestLateWorkersLearnThatTheirEventIsForgotten(t *testing.T) {
	m := sample()
	marks := NewMarks(m, m, m.sources)
	event := func(id string, seq uint64) schema.Event {
		return schema.Event{Envelope: schema.Envelope{Tenant: "acme", User: "lin", ID: id, UUID: schema.EventUUID("acme", id), Seq: seq, At: day, Generation: 1}}
	}
	ask := func(ev schema.Event) bool {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		gone, err := marks.Forgotten(ctx, ev)
		if err != nil {
			t.Fatal(err)
		}
		return gone
	}
	if ask(event("a", 1)) {
		t.Error("forgotten before anything was")
	}
	done := make(chan error, 1)
	ctx, stop := context.WithCancel(t.Context())
	go func() { done <- marks.Follow(ctx, func(error) {}) }()
	ev := m.forget(t, 10, schema.Forget{User: "lin", Match: "b-14"})
	if ask(event("a", 1)) { // the text is not in the envelope: until the forgetter has resolved it, nobody knows
		t.Error("forgotten by text before the forgetter came by")
	}
	if err := forgetter(m).Handle(t.Context(), ev); err != nil {
		t.Fatal(err)
	}
	if !ask(event("a", 1)) || ask(event("b", 2)) || ask(event("a", 11)) {
		t.Errorf("a %v, b %v, a published again %v; want true, false, false", ask(event("a", 1)), ask(event("b", 2)), ask(event("a", 11)))
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// The marks hide an entry by what it states, before any point says so.
func TestMarksHideEntriesByWhatTheyState(t *testing.T) {
	m := newMemory()
	in := m.publish(t, "in", 1, schema.OpMemory, schema.OutcomeOpen, schema.MemoryWrite{User: "lin", Type: schema.TypeFact, Content: "My locker is B-14."})
	out := m.publish(t, "out", 2, schema.OpMemory, schema.OutcomeOpen, schema.MemoryWrite{User: "lin", Type: schema.TypeFact, Content: "I like tea."})
	after := m.publish(t, "after", 12, schema.OpMemory, schema.OutcomeOpen, schema.MemoryWrite{User: "lin", Type: schema.TypeFact, Content: "My locker is B-14."})
	m.forget(t, 10, schema.Forget{User: "lin", Match: "Ｂ-14"})
	marks := NewMarks(m, m, m.sources)
	if err := marks.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !marks.HidesEntry(in) || marks.HidesEntry(out) || marks.HidesEntry(after) {
		t.Errorf("hidden are %v %v %v, want the first alone", marks.HidesEntry(in), marks.HidesEntry(out), marks.HidesEntry(after))
	}
}

// A text is looked through by itself, as the forgetter does it: what begins in one and ends in the next states nothing.
func TestMarksDoNotMatchAcrossTexts(t *testing.T) {
	m := newMemory()
	ev := m.publish(t, "a", 1, schema.OpTurn, schema.OutcomeOpen, schema.Turn{User: "lin", Input: "I like", Response: "tea."})
	point := m.points[schema.Events][ev.UUID]
	point[schema.KeySegments] = []map[string]any{{"key": "input", "kind": "input", "text": "I like", "class": "user"}, {"key": "response", "kind": "response", "text": "tea.", "class": "assistant"}}
	req := m.forget(t, 10, schema.Forget{User: "lin", Match: "like\ntea"})
	marks := NewMarks(m, m, m.sources)
	if err := marks.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if marks.HidesEntry(ev) || marks.HidesEvent(point) {
		t.Errorf("hidden: entry %v, event %v", marks.HidesEntry(ev), marks.HidesEvent(point))
	}
	if err := forgetter(m).Handle(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if got := m.left(); !slices.Equal(got, []string{"a"}) {
		t.Errorf("left are %v: the forgetter disagrees with the marks", got)
	}
}

// What reading an entry costs is paid only where a mark has to know what it states.
func TestMarksReadAnEntryOnlyWhereAMarkNeedsIt(t *testing.T) {
	m := newMemory()
	body := `{"user":"lin","input":"` + strings.Repeat("x", 1<<20) + `"}`
	ev := m.publish(t, "a", 5, schema.OpTurn, schema.OutcomeOpen, body)
	marks := NewMarks(m, m, m.sources)
	cost := func() uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		marks.HidesEntry(ev)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	check := func(when string, read bool) {
		t.Helper()
		if err := marks.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := cost(); (n > 1<<19) != read {
			t.Errorf("%s: %d bytes allocated, read %v", when, n, !read)
		}
	}
	check("no mark", false)
	m.forget(t, 4, schema.Forget{User: "lin", Match: "y"})
	check("a mark before it", false)
	m.forget(t, 6, schema.Forget{User: "lin", IDs: []string{"b"}})
	check("a mark of ids", false)
	m.forget(t, 7, schema.Forget{User: "lin", Match: "y"})
	check("a mark of text", true)
}
