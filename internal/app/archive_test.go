package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/internal/upkeep"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// flags are event points of ann's turns by inside id; it notes how many points with their texts are asked for at once.
type flags struct {
	points map[string]map[string]any
	whole  []int
}

func (f *flags) GetKeys(_ context.Context, _ int, _ schema.Collection, ids []string, keys ...string) ([]schema.Point, error) {
	if len(keys) == 0 || slices.Contains(keys, schema.KeySegments) {
		f.whole = append(f.whole, len(ids))
	}
	var out []schema.Point
	for _, id := range ids {
		if p := f.points[id]; p != nil {
			out = append(out, schema.Point{ID: id, Payload: p})
		}
	}
	return out, nil
}

func annsTurns(n int) (*flags, schema.Archive) {
	f, req := &flags{points: map[string]map[string]any{}}, schema.Archive{User: "ann"}
	for i := range n {
		id := fmt.Sprint("t", i)
		req.IDs = append(req.IDs, id)
		f.points[schema.EventUUID("acme", id)] = map[string]any{
			schema.KeyOwner: schema.Owner("acme", "ann"), keyOp: string(schema.OpTurn), schema.KeyOutcome: string(schema.OutcomeOpen), schema.KeyEventID: id,
		}
	}
	return f, req
}

// The texts of a thousand turns are not read in one piece to see whether one of them is being forgotten.
func TestA9_TextsOfTurnsToArchiveAreReadAFewAtATime(t *testing.T) {
	f, req := annsTurns(schema.MaxArchiveIDs)
	hides := ""
	r := &archives{
		last: func(context.Context, string) (uint64, error) { return 9, nil }, settle: func(context.Context, int, uint64) error { return nil },
		active: func() int { return 1 }, points: f, hides: func(p map[string]any) bool { return p[schema.KeyEventID] == hides }, wait: time.Minute,
	}
	fresh, err := r.turns(t.Context(), "acme", req)
	if err != nil || len(fresh) != schema.MaxArchiveIDs || slices.Max(f.whole) > readPoints {
		t.Errorf("%d turns, whole points are asked for %v at a time: %v", len(fresh), f.whole, err)
	}
	hides = "t777"
	var se *schema.Error
	if _, err := r.turns(t.Context(), "acme", req); !errors.As(err, &se) || se.Code != schema.CodeNotFound || se.Field != "ids[777]" {
		t.Errorf("a turn that is being forgotten: %v", err)
	}
}

// A job tells how many turns could not be archived.
func TestA9_AJobTellsWhatIsLeft(t *testing.T) {
	f, req := annsTurns(5)
	for id, p := range map[string]map[string]any{"t0": {schema.KeyArchived: true}, "t1": {schema.KeyArchived: true}, "t2": {schema.KeyOutcome: string(schema.OutcomeForgotten)}} {
		for k, v := range p {
			f.points[schema.EventUUID("acme", id)][k] = v
		}
	}
	body, err := json.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	ev := schema.Event{Envelope: schema.Envelope{Version: schema.Version, Tenant: "acme", User: "ann", Op: schema.OpArchive, Seq: 9}, Body: body}
	r := &archives{active: func() int { return 1 }, points: f, entry: func(context.Context, uint64) (schema.Event, error) { return ev, nil }}
	if n, err := r.left(t.Context(), 9); n != 2 || err != nil {
		t.Errorf("%d are left, %v", n, err)
	}
	r.entry = func(context.Context, uint64) (schema.Event, error) {
		return schema.Event{}, schema.Permanent(schema.CodeNotFound, nil, "erased")
	}
	if n, err := r.left(t.Context(), 9); n != 0 || err != nil {
		t.Errorf("once the request is erased: %d, %v", n, err)
	}
}

// unsettled is a log of which nothing is settled.
type unsettled struct{}

func (unsettled) Settled(context.Context, int, uint64) (bool, error) { return false, nil }

// What carries requests out, the first time and out of the dead letters, goes by what they are.
func TestA9_ARequestIsCarriedOutAsWhatItIs(t *testing.T) {
	carry := carryOut(&upkeep.Forgetter{Floor: unsettled{}}, &upkeep.Archiver{Floor: unsettled{}}, nil)
	for op, says := range map[schema.Op]string{schema.OpArchive: "archive event", schema.OpForget: "forget event"} {
		ev := schema.Event{Envelope: schema.Envelope{Version: schema.Version, Op: op, UUID: "u", User: "ann", Seq: 9}, Body: []byte(`{"user":"ann","ids":["a"]}`)}
		if err := carry(t.Context(), ev); !errors.Is(err, events.ErrWait) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", op, err)
		}
	}
	if err := carry(t.Context(), schema.Event{Envelope: schema.Envelope{Version: schema.Version, Op: schema.OpTurn}}); !schema.IsPermanent(err) {
		t.Errorf("a turn: %v", err)
	}
}
