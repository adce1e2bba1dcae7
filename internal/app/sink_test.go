package app

import (
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/internal/store/qdrant"
	"github.com/siltstone-ai/siltstone/internal/store/redis"
	"github.com/siltstone-ai/siltstone/internal/store/storetest"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

const sinkGen = 1

// sinkRig is a sink over servers of its own.
type sinkRig struct {
	*sink
	t     *testing.T
	owner string
}

func newSinkRig(t *testing.T) sinkRig {
	vectors, err := qdrant.New(storetest.EmbeddedQdrant(t).Options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = vectors.Close() })
	if err := vectors.EnsureGeneration(t.Context(), sinkGen, 4); err != nil {
		t.Fatal(err)
	}
	cache, err := redis.New(storetest.EmbeddedRedis(t).Options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cache.Close() })
	s, err := newSink(vectors, cache, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return sinkRig{s, t, schema.Owner("acme", "ann")}
}

func (r sinkRig) apply(ws ...schema.Write) {
	r.t.Helper()
	if err := r.Apply(r.t.Context(), sinkGen, ws); err != nil {
		r.t.Fatal(err)
	}
}

// shows is what an answer without the vector store has to go by: contents, and the status of what has none.
func (r sinkRig) shows() string {
	r.t.Helper()
	ms, err := r.cache.Recent(r.t.Context(), sinkGen, r.owner, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	var out []string
	for i := range ms {
		s := ms[i].Content
		if s == "" {
			s = "(" + string(ms[i].Status) + ")"
		}
		out = append(out, s)
	}
	slices.Sort(out)
	return strings.Join(out, " | ")
}

func (r sinkRig) fact(id string, edit ...func(*schema.Memory)) schema.Write {
	m := schema.Memory{
		ID: schema.PointID(id, "0", "decide"), Tenant: "acme", User: "ann", Type: schema.TypeFact, Content: "fact " + id, Status: schema.StatusActive,
		ObservedAt: time.UnixMilli(1_700_000_000_000).UTC(), Source: schema.Source{Event: id, UUID: schema.EventUUID("acme", id), Class: schema.ClassUser},
	}
	for _, e := range edit {
		e(&m)
	}
	return schema.Write{Kind: schema.WriteUpsert, Collection: schema.Facts, Owner: r.owner, Point: schema.Point{ID: m.ID, Payload: m.Payload()}}
}

func (r sinkRig) turn(id string) schema.Write {
	uuid := schema.EventUUID("acme", id)
	return schema.Write{Kind: schema.WriteInsert, Collection: schema.Events, Owner: r.owner, Point: schema.Point{ID: uuid, Payload: map[string]any{
		schema.KeyOwner: r.owner, schema.KeyTenant: "acme", schema.KeyUser: "ann", schema.KeyEvent: uuid, schema.KeyEventID: id,
		schema.KeyAt: int64(1_700_000_000_000), schema.KeySeq: int64(7), schema.KeyOutcome: string(schema.OutcomeOpen),
		schema.KeySegments: []map[string]any{{"key": "input", "kind": string(schema.SegInput), "class": "user", "text": "turn " + id}},
	}}}
}

func (r sinkRig) set(col schema.Collection, id string, pl map[string]any) schema.Write {
	return schema.Write{Kind: schema.WriteSetPayload, Collection: col, Owner: r.owner, IDs: []string{id}, Payload: pl}
}

func TestWhatWritersEndIsNotShownWithoutTheStore(t *testing.T) {
	r := newSinkRig(t)
	a, b, turn := r.fact("a"), r.fact("b"), r.turn("t")
	twin := r.fact("twin", func(m *schema.Memory) { m.Status, m.SupersededBy = schema.StatusDuplicate, "x" })
	done := r.set(schema.Events, turn.Point.ID, map[string]any{schema.KeyDone + "extract": true})
	r.apply(a, b, turn, twin, done)
	if got, want := r.shows(), "(duplicate) | fact a | fact b | turn t"; got != want {
		t.Fatalf("shows %s, want %s", got, want)
	}
	r.apply(r.set(schema.Facts, a.Point.ID, map[string]any{schema.KeyStatus: string(schema.StatusSuperseded), schema.KeyValidTo: schema.NoTime, schema.KeySupersededBy: b.Point.ID}))
	if got, want := r.shows(), "(duplicate) | (superseded) | fact b | turn t"; got != want {
		t.Errorf("after a superseding: %s, want %s", got, want)
	}
	late := r.fact("late")
	r.apply(late, r.set(schema.Facts, late.Point.ID, map[string]any{schema.KeyStatus: string(schema.StatusDeleted)})) // in one batch
	if got, want := r.shows(), "(duplicate) | (superseded) | fact b | turn t"; got != want {
		t.Errorf("after a batch that ends what it makes: %s, want %s", got, want)
	}
	r.apply(schema.Write{Kind: schema.WriteDelete, Collection: schema.Facts, Owner: r.owner, IDs: []string{b.Point.ID}})
	if got, want := r.shows(), "(duplicate) | (superseded) | turn t"; got != want {
		t.Errorf("after a deletion: %s, want %s", got, want)
	}
	if ms, err := r.cache.Recent(t.Context(), sinkGen, schema.Owner("acme", "bob"), 0); err != nil || len(ms) > 0 {
		t.Errorf("another user: %v, %v", ms, err)
	}
}

// Of two log entries of one event id the first is the event, also where it is the slower one or where an insertion of
// the other one came too late.
func TestTheFirstEntryOfAnIDIsShownWithoutTheStore(t *testing.T) {
	entry := func(r sinkRig, seq int64, text string) schema.Write {
		w := r.turn("t")
		w.Point.Payload[schema.KeySeq] = seq
		w.Point.Payload[schema.KeySegments] = []map[string]any{{"key": "input", "kind": string(schema.SegInput), "class": "user", "text": text}}
		return w
	}
	later := func(r sinkRig, seq int64) schema.Write {
		w := r.turn("t")
		w.Kind, w.Point.ID = schema.WriteUpsert, schema.PointID(w.Point.ID, "later", "clean")
		w.Point.Payload[schema.KeySeq], w.Point.Payload[schema.KeyOutcome] = seq, string(schema.OutcomeConflict)
		delete(w.Point.Payload, schema.KeySegments)
		return w
	}
	for name, steps := range map[string]func(sinkRig){
		"in order":      func(r sinkRig) { r.apply(entry(r, 9, "first")); r.apply(entry(r, 10, "second")); r.apply(later(r, 10)) },
		"second faster": func(r sinkRig) { r.apply(entry(r, 10, "second")); r.apply(entry(r, 9, "first")); r.apply(later(r, 10)) },
		"at once":       func(r sinkRig) { r.apply(later(r, 10), entry(r, 10, "second"), entry(r, 9, "first")) },
		"late":          func(r sinkRig) { r.apply(entry(r, 9, "first"), later(r, 10)); r.apply(entry(r, 10, "second")) },
	} {
		r := newSinkRig(t)
		if steps(r); r.shows() != "first" {
			t.Errorf("%s: shows %q, want the first", name, r.shows())
		}
	}
}

// A late writer of a forgotten event writes it once more, finds the mark and takes it back. Nothing of it may stay
// where answers without the vector store come from, whoever is later.
func TestC5_ALateWriterLeavesNoTextInTheCache(t *testing.T) {
	r := newSinkRig(t)
	turn, fact := r.turn("t"), r.fact("t")
	back := []schema.Write{schema.ForgottenWrite(r.owner, turn.Point.ID), {Kind: schema.WriteDelete, Collection: schema.Facts, Owner: r.owner, IDs: []string{fact.Point.ID}}}
	r.apply(turn, fact)
	caches{r.cache, r.log}.Drop(t.Context(), sinkGen, r.owner, []string{turn.Point.ID, fact.Point.ID}) // the forgetter
	r.apply(back...)
	for range 2 {
		r.apply(turn, fact)
		if got := r.shows(); got != "" {
			t.Errorf("between the write and its taking back: %s", got)
		}
		r.apply(back...)
		if got := r.shows(); got != "" {
			t.Errorf("afterwards: %s", got)
		}
	}
}
