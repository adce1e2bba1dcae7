package storetest

import (
	"context"
	"fmt"
	"maps"
	"testing"

	"pgregory.net/rapid"

	"github.com/siltstone-ai/siltstone/internal/store/qdrant"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// testOrder applies drawn batches of writes to a few points of two owners and compares with the plain meaning of the
// writes, one after the other. Grouping, merging and sending side by side must not show. Each batch is applied twice,
// as after a lost answer.
func testOrder(t *testing.T, srv VectorServer) {
	s := openVectors(t, srv, vectorDim)
	collections := []schema.Collection{schema.Events, schema.Facts}
	rapid.Check(t, func(t *rapid.T) {
		ctx := rapidContext(t)
		model := map[schema.Collection]map[string]map[string]any{}
		for _, c := range collections {
			model[c] = map[string]map[string]any{}
			for _, o := range []string{ann, bob} {
				if err := s.DeleteWhere(ctx, vectorGen, c, owned(o)); err != nil {
					t.Fatal(err)
				}
			}
		}
		for range rapid.IntRange(1, 3).Draw(t, "batches") {
			batch := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) schema.Write {
				return drawWrite(t, collections)
			}), 1, 12).Draw(t, "batch")
			if err := s.Apply(ctx, vectorGen, batch); err != nil {
				t.Fatal(err)
			}
			for _, w := range batch {
				play(model[w.Collection], w)
			}
			compare(t, s, model)
			if !repeatable(batch) {
				continue
			}
			if err := s.Apply(ctx, vectorGen, batch); err != nil {
				t.Fatal(err)
			}
			compare(t, s, model)
		}
	})
}

func drawWrite(t *rapid.T, cs []schema.Collection) schema.Write {
	owner := rapid.SampledFrom([]string{ann, bob}).Draw(t, "owner")
	id := rapid.IntRange(0, 5)
	w := schema.Write{
		Kind:       rapid.SampledFrom([]schema.WriteKind{schema.WriteUpsert, schema.WriteInsert, schema.WriteSetPayload, schema.WriteDelete}).Draw(t, "kind"),
		Collection: rapid.SampledFrom(cs).Draw(t, "collection"), Owner: owner,
	}
	v := rapid.IntRange(0, 3).Draw(t, "value")
	switch w.Kind {
	case schema.WriteUpsert, schema.WriteInsert:
		// Ids are derived from their owner: two owners never write one id.
		i := id.Draw(t, "id")
		w.Point = schema.Point{ID: drawnID(owner, i), Payload: map[string]any{schema.KeyOwner: owner, "v": int64(v), schema.KeySeq: int64(drawSeq(t, owner, i))}}
		if w.Kind == schema.WriteUpsert && rapid.Bool().Draw(t, "fenced") {
			w.Seq = drawSeq(t, owner, i)
		}
	default:
		for _, i := range rapid.SliceOfN(id, 1, 3).Draw(t, "ids") {
			// Some ids are another owner's.
			of := rapid.SampledFrom([]string{owner, owner, owner, ann, bob}).Draw(t, "of")
			if w.Collection == schema.Events {
				of = owner // flags of events are set on the events at hand only
			}
			w.IDs = append(w.IDs, drawnID(of, i))
		}
		if w.Kind == schema.WriteSetPayload {
			w.Payload = map[string]any{rapid.SampledFrom([]string{"a", "b"}).Draw(t, "key"): int64(v)}
			if rapid.Bool().Draw(t, "fenced") {
				i := id.Draw(t, "id")
				w.IDs, w.Seq = []string{drawnID(owner, i)}, drawSeq(t, owner, i)
			}
		}
	}
	return w
}

// drawSeq is one of three sequences that no other point ever has: a log entry has one event.
func drawSeq(t *rapid.T, owner string, i int) uint64 {
	n := 100*i + rapid.IntRange(1, 3).Draw(t, "seq")
	if owner == bob {
		n += 1000
	}
	return uint64(n)
}

func rapidContext(t *rapid.T) context.Context { return t.Context() }

func drawnID(owner string, i int) string { return schema.UUID(owner, fmt.Sprint(i)) }

func play(points map[string]map[string]any, w schema.Write) {
	switch w.Kind {
	case schema.WriteUpsert:
		if w.Seq == 0 || points[w.Point.ID][schema.KeySeq] == int64(w.Seq) {
			points[w.Point.ID] = maps.Clone(w.Point.Payload)
		}
	case schema.WriteInsert:
		if points[w.Point.ID] == nil {
			points[w.Point.ID] = maps.Clone(w.Point.Payload)
		}
	case schema.WriteSetPayload:
		for _, id := range w.IDs {
			if p := points[id]; p != nil && p[schema.KeyOwner] == w.Owner && (w.Seq == 0 || p[schema.KeySeq] == int64(w.Seq)) {
				maps.Copy(p, w.Payload)
			}
		}
	case schema.WriteDelete:
		for _, id := range w.IDs {
			if p := points[id]; p != nil && p[schema.KeyOwner] == w.Owner {
				delete(points, id)
			}
		}
	}
}

// repeatable is false where a payload is set on a point that only a later write of the batch inserts, and where an
// upsert asks for what another may make.
func repeatable(batch []schema.Write) bool {
	set := map[string]bool{}
	for _, w := range batch {
		switch w.Kind {
		case schema.WriteUpsert:
			if w.Seq > 0 {
				return false
			}
		case schema.WriteSetPayload:
			for _, id := range w.IDs {
				set[string(w.Collection)+id] = true
			}
		case schema.WriteInsert:
			if set[string(w.Collection)+w.Point.ID] {
				return false
			}
		}
	}
	return true
}

func compare(t *rapid.T, s *qdrant.Store, model map[schema.Collection]map[string]map[string]any) {
	for c, want := range model {
		got, _, err := s.Scroll(rapidContext(t), vectorGen, c, schema.Filter{}, qdrant.ScrollOptions{Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		have := map[string]map[string]any{}
		for _, p := range got {
			have[p.ID] = p.Payload
		}
		if fmt.Sprint(have) != fmt.Sprint(want) { // maps print in order
			t.Fatalf("%s holds\n%v, want\n%v", c, have, want)
		}
	}
}
