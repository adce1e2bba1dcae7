package upkeep

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// publish puts a body of lin's into the log, and an event point that tells nothing of it.
func (m *memory) publish(t *testing.T, id string, seq uint64, op schema.Op, outcome schema.Outcome, body any) schema.Event {
	t.Helper()
	raw, ok := body.(string)
	if !ok {
		b, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		raw = string(b)
	}
	ev := schema.Event{Envelope: schema.Envelope{
		Version: schema.Version, Tenant: "acme", User: "lin", ID: id, UUID: schema.EventUUID("acme", id), Op: op, Seq: seq, At: day,
	}, Body: []byte(raw)}
	m.log = append(m.log, ev)
	m.points[schema.Events][ev.UUID] = map[string]any{
		schema.KeyOwner: schema.Owner("acme", "lin"), schema.KeyTenant: "acme", schema.KeyUser: "lin", schema.KeyEvent: ev.UUID, schema.KeyEventID: id,
		schema.KeySeq: int64(seq), schema.KeyAt: day.UnixMilli(), schema.KeyOutcome: string(outcome),
	}
	return ev
}

func TestForgetFindsWhatNoPointTells(t *testing.T) {
	m := newMemory()
	m.publish(t, "dead", 1, schema.OpTurn, schema.OutcomeDead, schema.Turn{User: "lin", Conversation: "c7", Input: "Ｂ-14 is mine"})
	m.publish(t, "newer", 2, schema.OpTurn, schema.OutcomeDead, `{"user":"lin","said":{"deep":["b-\u0031\u0034"]}}`)
	m.log[1].Version = schema.Version + 1
	m.publish(t, "memory", 3, schema.OpMemory, schema.OutcomeOpen, schema.MemoryWrite{User: "lin", Type: schema.TypeFact, Content: "My locker is B-14."})
	m.publish(t, "pin", 4, schema.OpPin, schema.OutcomeOpen, schema.Pin{User: "lin", Content: "b-14 first"})
	m.publish(t, "meta", 5, schema.OpTurn, schema.OutcomeOpen, schema.Turn{User: "lin", Input: "x", Metadata: map[string]any{"locker": "B-14", "n": 1.0}})
	m.publish(t, "names", 6, schema.OpTurn, schema.OutcomeOpen, schema.Turn{User: "lin", Agent: "b-14", Input: "fact", Response: "user"})
	m.publish(t, "damaged", 7, schema.OpTurn, schema.OutcomeOpen, schema.Turn{User: "lin", Input: "b-14"})
	m.damaged = map[uint64]bool{7: true}
	// A later entry under a taken id is not the event: what it states does not take the event along.
	late := m.log[5]
	late.Seq, late.Body = 8, []byte(`{"user":"lin","input":"b-14"}`)
	m.log = append(m.log, late)
	m.points[schema.Events]["later"] = map[string]any{
		schema.KeyOwner: schema.Owner("acme", "lin"), schema.KeyTenant: "acme", schema.KeyUser: "lin", schema.KeyEvent: late.UUID, schema.KeyEventID: "names(late)",
		schema.KeySeq: int64(8), schema.KeyOutcome: string(schema.OutcomeConflict),
	}
	m.publish(t, "after", 12, schema.OpTurn, schema.OutcomeOpen, schema.Turn{User: "lin", Input: "b-14"})

	var logged bytes.Buffer
	f := forgetter(m)
	f.Logger = slog.New(slog.NewJSONHandler(&logged, nil))
	if err := f.Handle(t.Context(), m.forget(t, 10, schema.Forget{User: "lin", Match: "b-14"})); err != nil {
		t.Fatal(err)
	}
	if got, want := m.left(), []string{"after", "damaged", "names", "names(late)"}; !slices.Equal(got, want) {
		t.Errorf("left are %v, want %v", got, want)
	}
	if s := logged.String(); strings.Count(s, "\n") != 1 || !strings.Contains(s, `"seq":7`) {
		t.Errorf("the damaged entry is reported as %s", s)
	}

	m = newMemory()
	m.publish(t, "dead", 1, schema.OpTurn, schema.OutcomeDead, schema.Turn{User: "lin", Conversation: "c7", Input: "x"})
	m.publish(t, "other", 2, schema.OpTurn, schema.OutcomeDead, schema.Turn{User: "lin", Conversation: "c8", Input: "x"})
	if err := forgetter(m).Handle(t.Context(), m.forget(t, 10, schema.Forget{User: "lin", Conversation: "c7"})); err != nil {
		t.Fatal(err)
	}
	if got := m.left(); !slices.Equal(got, []string{"other"}) {
		t.Errorf("of two dead turns are left %v", got)
	}
}

func TestForgetTakesDeadLetters(t *testing.T) {
	accepted := day.Add(time.Hour)
	event := func(id, user string, seq uint64, at time.Time) events.DeadLetter {
		return events.DeadLetter{At: day, Event: schema.Event{Envelope: schema.Envelope{Tenant: "acme", User: user, ID: id, UUID: schema.EventUUID("acme", id), Seq: seq, At: at}}}
	}
	refused := func(body string, at time.Time) events.DeadLetter {
		return events.DeadLetter{At: at, Stream: events.StreamIn, Event: schema.Event{Envelope: schema.Envelope{Tenant: "acme"}, Body: []byte(body)}}
	}
	for _, c := range []struct {
		name   string
		forget schema.Forget
		left   []uint64 // letters
	}{
		{"match", schema.Forget{User: "lin", Match: "b-14"}, []uint64{2, 3, 6, 7, 8, 9}},
		{"conversation", schema.Forget{User: "lin", Conversation: "c1"}, []uint64{3, 4, 5, 7, 8, 9}},
		{"ids", schema.Forget{User: "lin", IDs: []string{"b", "r"}}, []uint64{1, 3, 5, 6, 7, 8, 9}},
		{"before", schema.Forget{User: "lin", Before: day.Add(time.Minute)}, []uint64{2, 3, 7, 8, 9}},
		{"all", schema.Forget{User: "lin", All: true}, []uint64{3, 7, 8, 9}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := sample()
			m.points[schema.Events][schema.EventUUID("acme", "a")][schema.KeyOutcome] = string(schema.OutcomeDead)
			m.dead = map[uint64]events.DeadLetter{
				1: event("a", "lin", 1, day),
				2: event("b", "lin", 2, day.AddDate(0, 0, 1)),
				3: event("d", "other", 4, day),
				4: refused(`{"id":"r","user":"lin","input":"Ｂ-14","no":1}`, day),
				5: refused(`{"user":"lin","at":7,"response":["b-14"]}`, day), // of wrong types
				6: refused(`{"user":"lin","conversation":"c1","at":"`+day.Format(time.RFC3339)+`","input":"x","no":1}`, day.Add(time.Minute)),
				7: refused(`{"user":"other","conversation":"c1","input":"b-14","no":1}`, day),
				8: refused(`b-14 of nobody`, day),
				9: refused(`{"user":"lin","conversation":"c1","id":"b","input":"b-14","no":1}`, accepted.Add(time.Second)), // came later
			}
			ev := m.forget(t, 10, c.forget)
			ev.Accepted = accepted
			for range 2 {
				if err := forgetter(m).Handle(t.Context(), ev); err != nil {
					t.Fatal(err)
				}
			}
			var left []uint64
			for seq := range m.dead {
				left = append(left, seq)
			}
			if slices.Sort(left); !slices.Equal(left, c.left) {
				t.Errorf("left are %v, want %v", left, c.left)
			}
		})
	}
}
