package storetest

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/siltstone-ai/siltstone/internal/store/qdrant"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Vectors checks that a Qdrant behind the adapter keeps what the rest relies on.
func Vectors(t *testing.T, srv VectorServer) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, VectorServer)
	}{
		{"generations", testGenerations},
		{"generation made by several at once", testEnsureRace},
		{"points come back as they were written", testRoundTrip},
		{"insert leaves what is there", testInsert},
		{"set payload does not resurrect", testSetPayload},
		{"a fence keeps off what is another entry's", testFence},
		{"deletion and change stay with the owner", testForeign},
		{"large batches and replies", testLarge},
		{"search", testSearch},
		{"filters", testFilters},
		{"scroll by id", testScrollByID},
		{"scroll by key", testScrollByKey},
		{"counts", testCountPoints},
		{"delete where", testDeleteWhere},
		{"missing collection", testMissing},
		{"writes keep their order", testOrder},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, srv) })
	}
}

var ann, bob = schema.Owner("acme", "ann"), schema.Owner("acme", "bob")

func pid(i int) string { return schema.UUID("storetest", fmt.Sprint(i)) }

func point(i int, owner string, more map[string]any) schema.Point {
	p := schema.Point{ID: pid(i), Payload: map[string]any{schema.KeyOwner: owner, schema.KeySeq: int64(i)}}
	for k, v := range more {
		p.Payload[k] = v
	}
	return p
}

func upsert(c schema.Collection, p schema.Point) schema.Write {
	return schema.Write{Kind: schema.WriteUpsert, Collection: c, Owner: p.Payload[schema.KeyOwner].(string), Point: p}
}

func is(key string, v any) schema.Cond { return schema.Cond{Key: key, Equal: v} }

func owned(owner string, more ...schema.Cond) schema.Filter {
	return schema.Filter{Must: append([]schema.Cond{is(schema.KeyOwner, owner)}, more...)}
}

func permanent(t testing.TB, err error, code schema.Code) {
	t.Helper()
	if !schema.IsPermanent(err) || schema.CodeOf(err) != code {
		t.Errorf("got %v, want a permanent error with code %s", err, code)
	}
}

func testGenerations(t *testing.T, srv VectorServer) {
	s, ctx := openVectors(t, srv, vectorDim), t.Context()
	ok(t, s.EnsureGeneration(ctx, vectorGen, vectorDim))
	permanent(t, s.EnsureGeneration(ctx, vectorGen, vectorDim+1), schema.CodeConflict)
	permanent(t, s.EnsureGeneration(ctx, vectorGen, 0), schema.CodeInvalid)
	ok(t, s.EnsureGeneration(ctx, vectorGen+7, vectorDim+1))
	ok(t, s.Apply(ctx, vectorGen, []schema.Write{upsert(schema.Events, point(1, ann, nil))}))
	gens, err := s.Generations(ctx)
	ok(t, err)
	slices.Sort(gens)
	if !slices.Equal(gens, []int{vectorGen, vectorGen + 7}) {
		t.Errorf("generations %v", gens)
	}
	got, err := s.Get(ctx, vectorGen+7, schema.Events, []string{pid(1)}, false)
	ok(t, err)
	if len(got) != 0 {
		t.Error("a point of one generation shows in another")
	}
	ok(t, s.DropGeneration(ctx, vectorGen+7))
	ok(t, s.DropGeneration(ctx, vectorGen+7))
	if gens, err = s.Generations(ctx); err != nil || !slices.Equal(gens, []int{vectorGen}) {
		t.Errorf("after the drop: %v, %v", gens, err)
	}
}

func testEnsureRace(t *testing.T, srv VectorServer) {
	s := openVectors(t, srv, vectorDim)
	ok(t, s.DropGeneration(t.Context(), vectorGen))
	var wg sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		wg.Go(func() { errs[i] = s.EnsureGeneration(t.Context(), vectorGen, vectorDim) })
	}
	wg.Wait()
	for _, err := range errs {
		ok(t, err)
	}
}

func testRoundTrip(t *testing.T, srv VectorServer) {
	s, ctx := openVectors(t, srv, vectorDim), t.Context()
	p := point(1, ann, map[string]any{
		"text": "没有香菜 \x00 \u202e é", "yes": true, "int": int64(math.MaxInt64), "low": int64(math.MinInt64), "float": 3.0, "tiny": 5e-324,
		"null": nil, "strings": []string{"a", "乙"}, "ints": []int64{1, -2}, "floats": []float64{1, 2.5}, "none": []any{}, "mixed": []any{"a", int64(1), nil},
		"object": map[string]any{"a.b": map[string]any{`q"uote`: int64(1)}}, "objects": []map[string]any{{"k": "v"}, {}},
	})
	p.Dense = []float32{3, 0, 4, 0}
	p.Sparse = &schema.Sparse{Indices: []uint32{0, 7, math.MaxUint32}, Values: []float32{.5, -1, 2}}
	bare := point(2, ann, nil)
	event := point(3, ann, nil)
	ok(t, s.Apply(ctx, vectorGen, []schema.Write{upsert(schema.Facts, p), upsert(schema.Facts, bare), upsert(schema.Events, event)}))

	got, err := s.Get(ctx, vectorGen, schema.Facts, []string{pid(1), pid(99), "not-an-id", ""}, true)
	ok(t, err)
	if len(got) != 1 {
		t.Fatalf("%d points", len(got))
	}
	if !reflect.DeepEqual(got[0].Payload, p.Payload) {
		t.Errorf("payload\n%#v, want\n%#v", got[0].Payload, p.Payload)
	}
	for i, want := range []float32{.6, 0, .8, 0} { // cosine: kept at unit length
		if len(got[0].Dense) != 4 || math.Abs(float64(got[0].Dense[i]-want)) > 1e-6 {
			t.Fatalf("dense %v", got[0].Dense)
		}
	}
	if !reflect.DeepEqual(got[0].Sparse, p.Sparse) {
		t.Errorf("sparse %+v", got[0].Sparse)
	}
	if got, err = s.Get(ctx, vectorGen, schema.Facts, []string{pid(1)}, false); err != nil || len(got) != 1 || got[0].Dense != nil || got[0].Sparse != nil {
		t.Errorf("without vectors: %+v, %v", got, err)
	}
	for _, c := range []schema.Collection{schema.Facts, schema.Events} {
		id := map[schema.Collection]string{schema.Facts: pid(2), schema.Events: pid(3)}[c]
		if got, err = s.Get(ctx, vectorGen, c, []string{id}, true); err != nil || len(got) != 1 || got[0].Dense != nil || got[0].Sparse != nil {
			t.Errorf("%s: a point without vectors: %+v, %v", c, got, err)
		}
	}

	m := memory("")
	m.ID = pid(5)
	ok(t, s.Apply(ctx, vectorGen, []schema.Write{{Kind: schema.WriteUpsert, Collection: schema.Facts, Owner: ann, Point: schema.Point{ID: m.ID, Payload: m.Payload()}}}))
	got, err = s.Get(ctx, vectorGen, schema.Facts, []string{m.ID}, false)
	ok(t, err)
	if len(got) != 1 || !reflect.DeepEqual(schema.MemoryFrom(got[0].ID, got[0].Payload), m) {
		t.Errorf("memory: %+v, want %+v", got, m)
	}
}

// A collection that is not there was lost, or is not made yet: whoever needs it tries again.
func testMissing(t *testing.T, srv VectorServer) {
	s, ctx := openVectors(t, srv, vectorDim), t.Context()
	const gone = vectorGen + 1000
	away := func(err error) {
		t.Helper()
		if schema.IsPermanent(err) || schema.CodeOf(err) != schema.CodeUnavailable || schema.RetryAfter(err) <= 0 {
			t.Errorf("got %v, want an error that passes, with a wait", err)
		}
	}
	set := schema.Write{Kind: schema.WriteSetPayload, Collection: schema.Facts, Owner: ann, IDs: []string{pid(1)}, Payload: map[string]any{schema.KeyStatus: "superseded"}}
	del := schema.Write{Kind: schema.WriteDelete, Collection: schema.Facts, Owner: ann, IDs: []string{pid(1)}}
	for _, w := range []schema.Write{upsert(schema.Facts, point(1, ann, nil)), set, del} {
		away(s.Apply(ctx, gone, []schema.Write{w}))
	}
	away(s.DeleteWhere(ctx, gone, schema.Facts, owned(ann)))
	_, err := s.Get(ctx, gone, schema.Facts, []string{pid(1)}, false)
	away(err)
	_, err = s.Search(ctx, gone, []schema.Search{{Collection: schema.Facts, Dense: []float32{1, 0, 0, 0}}})
	away(err)
	_, _, err = s.Scroll(ctx, gone, schema.Facts, schema.Filter{}, qdrant.ScrollOptions{})
	away(err)

	defer func() { ok(t, s.DropGeneration(ctx, gone)) }()
	lacks := func(want ...schema.Collection) {
		t.Helper()
		if got, err := s.Missing(ctx, gone); err != nil || !slices.Equal(got, want) {
			t.Errorf("missing %v, %v; want %v", got, err, want)
		}
	}
	lacks(schema.Collections[:]...)
	ok(t, s.EnsureGeneration(ctx, gone, vectorDim))
	lacks()
}
