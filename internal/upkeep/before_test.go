package upkeep

import (
	"context"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Times are stored in milliseconds. Whether something happened before a moment is the same to all who ask, the log's
// readers and the index's, however fine the moment and the event's time are given.
func TestBeforeIsTheSameWhereverItIsAsked(t *testing.T) {
	at := func(s string) time.Time {
		v, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range []struct {
		name, at, before string
		gone             bool
	}{
		{"later in the same millisecond", "2026-11-29T10:00:00.0007Z", "2026-11-29T10:00:00.0003Z", false},
		{"earlier in the same millisecond", "2026-11-29T10:00:00Z", "2026-11-29T10:00:00.0001Z", false},
		{"the same moment elsewhere", "2026-11-29T10:00:00Z", "2026-11-29T18:00:00+08:00", false},
		{"one millisecond earlier", "2026-11-29T09:59:59.999Z", "2026-11-29T10:00:00Z", true},
		{"a nanosecond earlier, of the millisecond before", "2026-11-29T09:59:59.999999999Z", "2026-11-29T10:00:00Z", true},
		{"before 1970", "1969-12-31T23:59:59.9985Z", "1969-12-31T23:59:59.9992Z", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMemory()
			happened, req := at(c.at), schema.Forget{User: "lin", Before: at(c.before)}
			m.remember("lin", "a", 1, happened, "c1", "I like tea.", "I like tea.")
			uuid := schema.EventUUID("acme", "a")
			ev := schema.Event{Envelope: schema.Envelope{Version: schema.Version, Tenant: "acme", User: "lin", ID: "a", UUID: uuid, Seq: 1, At: happened, Op: schema.OpTurn, Generation: 1}}
			refused := events.DeadLetter{At: day, Event: schema.Event{Envelope: schema.Envelope{Tenant: "acme"}, Body: []byte(`{"user":"lin","nosuch":1,"at":"` + c.at + `"}`)}}
			died := events.DeadLetter{At: day, Event: ev}
			died.Event.UUID = "another" // no point tells of it
			m.dead = map[uint64]events.DeadLetter{1: refused, 2: died}
			fact := schema.MemoryFrom("fact-a", m.points[schema.Facts]["fact-a"])

			f := m.forget(t, 10, req)
			f.Accepted = day.AddDate(1, 0, 0)
			marks := NewMarks(m, m, m.sources)
			if err := marks.Load(t.Context()); err != nil {
				t.Fatal(err)
			}
			forgotten, err := marks.Forgotten(t.Context(), ev)
			if err != nil {
				t.Fatal(err)
			}
			hit, err := forgetter(m).Reach(t.Context(), 1, "acme", req, 0)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]bool{
				"the item of a memory":   marks.Hides("acme", "lin", schema.Item{ID: "fact-a", ObservedAt: fact.ObservedAt, Source: fact.Source}),
				"the item of an event":   marks.HidesEvent(m.points[schema.Events][uuid]),
				"the entry":              marks.HidesEntry(ev),
				"a late worker's event":  forgotten,
				"the count, events":      len(hit.Events) > 0,
				"the count, memories":    len(hit.Memories) > 0,
				"the selector's fact":    newSelector("acme", req).fact(fact),
				"the selector's event":   newSelector("acme", req).event(uuid, m.points[schema.Events][uuid]),
				"the selector's refused": newSelector("acme", req).letter("acme", refused, f.Accepted),
				"the selector's dead":    newSelector("acme", req).whole(happened),
			}
			if err := forgetter(m).Handle(context.Background(), f); err != nil {
				t.Fatal(err)
			}
			got["the point, in the end"] = len(m.left()) == 0
			got["the dead letters, in the end"] = len(m.dead) == 0
			got["a dead letter, in the end"] = len(m.dead) < 2
			for who, gone := range got {
				if gone != c.gone {
					t.Errorf("%s: gone %v, want %v", who, gone, c.gone)
				}
			}
		})
	}
}
