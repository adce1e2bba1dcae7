package app

import (
	"context"
	"fmt"
	"maps"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// registry keeps event points by generation and id.
type registry map[string]map[string]any

func at(gen int, id string) string { return fmt.Sprint(gen, "/", id) }

func (r registry) EventPoint(_ context.Context, gen int, uuid string) (map[string]any, error) {
	return maps.Clone(r[at(gen, uuid)]), nil
}

func (r registry) Apply(_ context.Context, gen int, ws []schema.Write) error {
	for _, w := range ws {
		switch w.Kind {
		case schema.WriteInsert:
			if k := at(gen, w.Point.ID); r[k] == nil {
				r[k] = w.Point.Payload
			}
		case schema.WriteSetPayload:
			for _, id := range w.IDs {
				if p := r[at(gen, id)]; p != nil && (w.Seq == 0 || p[schema.KeySeq] == int64(w.Seq)) {
					maps.Copy(p, w.Payload)
				}
			}
		default:
			return fmt.Errorf("write of kind %d", w.Kind)
		}
	}
	return nil
}

// The dead are noted where they belong, each entry of the log once, and nobody else's point is touched.
func TestDeadEventsAreAccountedFor(t *testing.T) {
	uuid := schema.EventUUID("acme", "e")
	own := schema.PointID(uuid, "seq.9", "clean")
	const gen = 2
	point := func(seq int64, o schema.Outcome) map[string]any {
		return map[string]any{schema.KeySeq: seq, schema.KeyOutcome: string(o)}
	}
	dead := schema.OutcomeDead
	for name, c := range map[string]struct {
		stage string
		op    schema.Op
		have  registry
		want  map[string]schema.Outcome
	}{
		"clean, no point":                   {"clean", schema.OpTurn, registry{}, map[string]schema.Outcome{at(gen, uuid): dead}},
		"clean, own point":                  {"clean", schema.OpMemory, registry{at(gen, uuid): point(9, schema.OutcomeOpen)}, map[string]schema.Outcome{at(gen, uuid): dead}},
		"clean, point of an earlier entry":  {"clean", schema.OpTurn, registry{at(gen, uuid): point(4, schema.OutcomeOpen)}, map[string]schema.Outcome{at(gen, uuid): schema.OutcomeOpen, at(gen, own): dead}},
		"clean, counted as a duplicate":     {"clean", schema.OpTurn, registry{at(gen, uuid): point(4, schema.OutcomeOpen), at(gen, own): point(9, schema.OutcomeDuplicate)}, map[string]schema.Outcome{at(gen, uuid): schema.OutcomeOpen, at(gen, own): schema.OutcomeDuplicate}},
		"clean, forgotten":                  {"clean", schema.OpTurn, registry{at(gen, uuid): point(9, schema.OutcomeForgotten)}, map[string]schema.Outcome{at(gen, uuid): schema.OutcomeForgotten}},
		"clean, other generation's point":   {"clean", schema.OpTurn, registry{at(1, uuid): point(9, schema.OutcomeOpen)}, map[string]schema.Outcome{at(1, uuid): schema.OutcomeOpen, at(gen, uuid): dead}},
		"vectorize, own point":              {"vectorize", schema.OpCleaned, registry{at(gen, uuid): point(9, schema.OutcomeOpen)}, map[string]schema.Outcome{at(gen, uuid): dead}},
		"vectorize, forgotten":              {"vectorize", schema.OpCleaned, registry{at(gen, uuid): point(9, schema.OutcomeForgotten)}, map[string]schema.Outcome{at(gen, uuid): schema.OutcomeForgotten}},
		"decide, point of an earlier entry": {"decide", schema.OpFact, registry{at(gen, uuid): point(4, schema.OutcomeOpen)}, map[string]schema.Outcome{at(gen, uuid): schema.OutcomeOpen}},
		"decide, no point":                  {"decide", schema.OpFact, registry{}, map[string]schema.Outcome{}},
		"clean, forget event":               {"clean", schema.OpForget, registry{}, map[string]schema.Outcome{}},
		"forget, forget event":              {events.StageForget, schema.OpForget, registry{}, map[string]schema.Outcome{}},
	} {
		t.Run(name, func(t *testing.T) {
			ev := schema.Event{Envelope: schema.Envelope{UUID: uuid, ID: "e", Tenant: "acme", User: "ann", Op: c.op, Seq: 9, Generation: gen, BodyHash: "h"}}
			for range 2 { // telling again changes nothing
				if err := (obituary{c.have}).write(t.Context(), ev, c.stage, nil); err != nil {
					t.Fatal(err)
				}
			}
			for k, o := range c.want {
				if c.have[k][schema.KeyOutcome] != string(o) {
					t.Errorf("%s is %v, want %s", k, c.have[k][schema.KeyOutcome], o)
				}
			}
			if len(c.have) != len(c.want) {
				t.Errorf("points %v, want %d", c.have, len(c.want))
			}
		})
	}
}

// Two entries of one id that clean gives up at the same time are both accounted for.
func TestDeadEntriesOfOneIDRace(t *testing.T) {
	uuid := schema.EventUUID("acme", "e")
	reg := registry{}
	late := &lateInsert{registry: reg, other: schema.Point{ID: uuid, Payload: map[string]any{schema.KeySeq: int64(4), schema.KeyOutcome: string(schema.OutcomeDead)}}}
	ev := schema.Event{Envelope: schema.Envelope{UUID: uuid, ID: "e", Tenant: "acme", User: "ann", Op: schema.OpTurn, Seq: 9, Generation: 1}}
	if err := (obituary{late}).write(t.Context(), ev, "clean", nil); err != nil {
		t.Fatal(err)
	}
	if first, own := reg[at(1, uuid)], reg[at(1, schema.PointID(uuid, "seq.9", "clean"))]; first[schema.KeySeq] != int64(4) || own[schema.KeyOutcome] != string(schema.OutcomeDead) {
		t.Errorf("points %v", reg)
	}
}

// lateInsert lets another entry's point appear right before the first write.
type lateInsert struct {
	registry
	other schema.Point
}

func (l *lateInsert) Apply(ctx context.Context, gen int, ws []schema.Write) error {
	if l.registry[at(gen, l.other.ID)] == nil {
		l.registry[at(gen, l.other.ID)] = l.other.Payload
	}
	return l.registry.Apply(ctx, gen, ws)
}
