package upkeep

import (
	"context"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// readable are log entries by sequence.
type readable map[uint64]schema.Event

func (e readable) Read(_ context.Context, seq uint64) (schema.Event, error) {
	if ev, ok := e[seq]; ok {
		return ev, nil
	}
	return schema.Event{}, schema.Permanent(schema.CodeNotFound, nil, "no entry %d", seq)
}

// What comes again is judged by the entry that there was: by the time at which that happened, by what it states.
func TestWhatComesAgainIsForgottenWhereItsEntryIs(t *testing.T) {
	m := newMemory()
	old := m.publish(t, "old", 1, schema.OpTurn, schema.OutcomeOpen, schema.Turn{User: "lin", Input: "My locker is B-14."})
	tea := m.publish(t, "tea", 2, schema.OpTurn, schema.OutcomeOpen, schema.Turn{User: "lin", Input: "I like tea."})
	old.At, tea.At = day, day.AddDate(0, 0, 2)
	a := &Again{Marks: NewMarks(m, m, m.sources), Points: m, Entries: readable{1: old}, Active: func() int { return 1 }}
	check := func(when string, want ...bool) {
		t.Helper()
		first, second := old, tea // as they come again: now
		first.At, second.At = day.AddDate(1, 0, 0), day.AddDate(1, 0, 0)
		got, err := a.Forgotten(t.Context(), []schema.Event{first, second})
		if err != nil || got[0] != want[0] || got[1] != want[1] {
			t.Errorf("%s: %v, %v; want %v", when, got, err, want)
		}
	}
	check("nothing forgotten", false, false)
	m.forget(t, 10, schema.Forget{User: "other", All: true})
	check("another user's request", false, false)
	m.forget(t, 11, schema.Forget{User: "lin", Before: day.AddDate(0, 0, 1)})
	check("before a time", true, false)
	m.forget(t, 12, schema.Forget{User: "lin", Match: "TEA"}) // the log has the entry no more: the same body says it
	check("by text", true, true)
	m.points[schema.Events][tea.UUID][schema.KeyOutcome] = string(schema.OutcomeForgotten)
	check("carried out", true, true)
}
