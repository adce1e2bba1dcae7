package storetest

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
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

func testInsert(t *testing.T, srv VectorServer) {
	s, ctx := openVectors(t, srv, vectorDim), t.Context()
	insert := func(i int, v string) schema.Write {
		w := upsert(schema.Events, point(i, ann, map[string]any{"v": v}))
		w.Kind = schema.WriteInsert
		return w
	}
	ok(t, s.Apply(ctx, vectorGen, []schema.Write{insert(1, "first"), insert(1, "same batch")}))
	ok(t, s.Apply(ctx, vectorGen, []schema.Write{{Kind: schema.WriteSetPayload, Collection: schema.Events, Owner: ann, IDs: []string{pid(1)}, Payload: map[string]any{"done_clean": true}}}))
	ok(t, s.Apply(ctx, vectorGen, []schema.Write{insert(1, "redelivered"), insert(2, "new")}))
	got, err := s.Get(ctx, vectorGen, schema.Events, []string{pid(1), pid(2)}, false)
	ok(t, err)
	values := map[string]string{}
	for _, p := range got {
		values[p.ID] = fmt.Sprint(p.Payload["v"], " ", p.Payload["done_clean"])
	}
	if want := map[string]string{pid(1): "first true", pid(2): "new <nil>"}; !reflect.DeepEqual(values, want) {
		t.Errorf("got %v, want %v", values, want)
	}
}

func testSetPayload(t *testing.T, srv VectorServer) {
	s, ctx := openVectors(t, srv, vectorDim), t.Context()
	ok(t, s.Apply(ctx, vectorGen, []schema.Write{upsert(schema.Events, point(1, ann, map[string]any{"keep": "x"})), upsert(schema.Events, point(2, bob, nil))}))
	flag := func(owner string, ids ...int) schema.Write {
		w := schema.Write{Kind: schema.WriteSetPayload, Collection: schema.Events, Owner: owner, Payload: map[string]any{"done_clean": true}}
		for _, i := range ids {
			w.IDs = append(w.IDs, pid(i))
		}
		return w
	}
	ok(t, s.Apply(ctx, vectorGen, []schema.Write{flag(ann, 1, 77), flag(bob, 2, 78)}))
	for i, want := range map[int]int{1: 1, 2: 1, 77: 0, 78: 0} {
		got, err := s.Get(ctx, vectorGen, schema.Events, []string{pid(i)}, false)
		ok(t, err)
		if len(got) != want || want == 1 && got[0].Payload["done_clean"] != true {
			t.Errorf("point %d: %+v", i, got)
		}
	}
	got, _ := s.Get(ctx, vectorGen, schema.Events, []string{pid(1)}, false)
	if len(got) != 1 || got[0].Payload["keep"] != "x" {
		t.Errorf("other keys are gone: %+v", got)
	}
}

func testFence(t *testing.T, srv VectorServer) {
	s, ctx := openVectors(t, srv, vectorDim), t.Context()
	at := func(i, seq int, owner, v string) schema.Write {
		return upsert(schema.Events, point(i, owner, map[string]any{schema.KeySeq: int64(seq), "v": v}))
	}
	over := func(w schema.Write, seq uint64) schema.Write { w.Seq = seq; return w }
	flag := func(i int, owner string, seq uint64) schema.Write {
		return schema.Write{Kind: schema.WriteSetPayload, Collection: schema.Events, Owner: owner, IDs: []string{pid(i)}, Payload: map[string]any{"done_clean": true}, Seq: seq}
	}
	ok(t, s.Apply(ctx, vectorGen, []schema.Write{at(1, 9, ann, "nine"), at(2, 12, ann, "twelve"), at(3, 14, bob, "fourteen")}))
	// Flags of a batch of events travel together, and each stands on its own entry's point alone.
	ok(t, s.Apply(ctx, vectorGen, []schema.Write{flag(1, ann, 8), flag(2, ann, 12), flag(3, bob, 14), flag(4, bob, 15)}))
	// Of two that would replace what they saw one does, even in one batch; another user's entry may; none is made.
	ok(t, s.Apply(ctx, vectorGen, []schema.Write{over(at(1, 3, bob, "three"), 9), over(at(1, 5, ann, "five"), 9), over(at(2, 7, ann, "seven"), 11), over(at(5, 1, ann, "one"), 9)}))
	got, err := s.GetKeys(ctx, vectorGen, schema.Events, []string{pid(1), pid(2), pid(3), pid(4), pid(5)}, "v", "done_clean")
	ok(t, err)
	values := map[string]string{}
	for _, p := range got {
		values[p.ID] = fmt.Sprint(p.Payload)
	}
	want := map[string]string{pid(1): "map[v:three]", pid(2): "map[done_clean:true v:twelve]", pid(3): "map[done_clean:true v:fourteen]"}
	if !reflect.DeepEqual(values, want) {
		t.Errorf("got %v, want %v", values, want)
	}
	ok(t, s.Apply(ctx, vectorGen, []schema.Write{flag(1, bob, 3)}))
	if n, err := s.Count(ctx, vectorGen, schema.Events, owned(bob, is("done_clean", true))); err != nil || n != 2 {
		t.Errorf("%d points of the new owner have flags (%v), want 2", n, err)
	}
	for _, w := range []schema.Write{
		over(schema.Write{Kind: schema.WriteInsert, Collection: schema.Events, Owner: ann, Point: point(1, ann, nil)}, 1),
		{Kind: schema.WriteDelete, Collection: schema.Events, Owner: ann, IDs: []string{pid(1)}, Seq: 1},
	} {
		permanent(t, s.Apply(ctx, vectorGen, []schema.Write{w}), schema.CodeInvalid)
	}
}

func testForeign(t *testing.T, srv VectorServer) {
	s, ctx := openVectors(t, srv, vectorDim), t.Context()
	ok(t, s.Apply(ctx, vectorGen, []schema.Write{upsert(schema.Facts, point(1, ann, nil)), upsert(schema.Facts, point(2, bob, nil))}))
	// Bob names Ann's point, in one batch with honest writes of hers.
	ok(t, s.Apply(ctx, vectorGen, []schema.Write{
		{Kind: schema.WriteSetPayload, Collection: schema.Facts, Owner: bob, IDs: []string{pid(1), pid(2)}, Payload: map[string]any{"status": "deleted"}},
		{Kind: schema.WriteSetPayload, Collection: schema.Facts, Owner: ann, IDs: []string{pid(9)}, Payload: map[string]any{"status": "deleted"}},
		{Kind: schema.WriteDelete, Collection: schema.Facts, Owner: bob, IDs: []string{pid(1)}},
		{Kind: schema.WriteDelete, Collection: schema.Facts, Owner: ann, IDs: []string{pid(9)}},
	}))
	got, err := s.Get(ctx, vectorGen, schema.Facts, []string{pid(1), pid(2)}, false)
	ok(t, err)
	if len(got) != 2 {
		t.Fatalf("%d points left, want both", len(got))
	}
	for _, p := range got {
		if want := map[string]any{pid(1): nil, pid(2): "deleted"}[p.ID]; p.Payload["status"] != want {
			t.Errorf("point of %v has status %v", p.Payload[schema.KeyOwner], p.Payload["status"])
		}
	}
	ok(t, s.Apply(ctx, vectorGen, []schema.Write{{Kind: schema.WriteDelete, Collection: schema.Facts, Owner: ann, IDs: []string{pid(1), pid(2), pid(3)}}}))
	if got, err = s.Get(ctx, vectorGen, schema.Facts, []string{pid(1), pid(2)}, false); err != nil || len(got) != 1 || got[0].ID != pid(2) {
		t.Errorf("after Ann's deletion: %+v, %v", got, err)
	}
}

func testLarge(t *testing.T, srv VectorServer) {
	const dim, n = 1536, 1000 // 6 MB of vectors: more than gRPC takes in one message by default, either way
	s, ctx := openVectors(t, srv, dim), t.Context()
	var ws []schema.Write
	for i := range n {
		p := point(i, ann, nil)
		p.Dense = make([]float32, dim)
		p.Dense[i] = 1
		ws = append(ws, upsert(schema.Passages, p))
	}
	fat := point(n, ann, map[string]any{"summary": strings.Repeat("长", 5_000_000/3)}) // one point above the bound
	ok(t, s.Apply(ctx, vectorGen, append(ws, upsert(schema.Passages, fat))))
	count, err := s.Count(ctx, vectorGen, schema.Passages, owned(ann))
	ok(t, err)
	if count != n+1 {
		t.Errorf("%d points", count)
	}
	got, _, err := s.Scroll(ctx, vectorGen, schema.Passages, owned(ann), qdrant.ScrollOptions{Limit: n + 1, Vectors: true})
	ok(t, err)
	if len(got) != n+1 {
		t.Errorf("scrolled %d points", len(got))
	}
}

func testSearch(t *testing.T, srv VectorServer) {
	s, ctx := openVectors(t, srv, vectorDim), t.Context()
	var ws []schema.Write
	add := func(c schema.Collection, i int, owner string, dense []float32, terms map[uint32]float32) {
		p := point(i, owner, map[string]any{"tool": fmt.Sprint("t", i%2)})
		p.Dense = dense
		if terms != nil {
			p.Sparse = &schema.Sparse{}
			for k := range uint32(10) {
				if v, has := terms[k]; has {
					p.Sparse.Indices, p.Sparse.Values = append(p.Sparse.Indices, k), append(p.Sparse.Values, v)
				}
			}
		}
		ws = append(ws, upsert(c, p))
	}
	add(schema.Passages, 1, ann, []float32{2, 0, 0, 0}, nil)
	add(schema.Passages, 2, ann, []float32{1, 1, 0, 0}, nil)
	add(schema.Passages, 3, ann, []float32{0, 1, 0, 0}, nil)
	add(schema.Passages, 4, ann, nil, map[uint32]float32{1: 1, 2: 2})
	add(schema.Passages, 5, ann, nil, map[uint32]float32{2: 1, 3: 1})
	add(schema.Passages, 6, bob, []float32{1, 0, 0, 0}, map[uint32]float32{1: 9})
	add(schema.Facts, 7, ann, []float32{1, 0, 0, 0}, nil)
	add(schema.Triples, 8, ann, nil, map[uint32]float32{1: 1})
	ok(t, s.Apply(ctx, vectorGen, ws))

	dense := []float32{1, 0, 0, 0}
	terms := &schema.Sparse{Indices: []uint32{1, 2}, Values: []float32{1, 10}}
	half := .5
	for _, c := range []struct {
		name string
		in   schema.Search
		want string
	}{
		{"dense by cosine", schema.Search{Collection: schema.Passages, Dense: dense, Filter: owned(ann)}, "1:1.000 2:0.707 3:0.000"},
		{"limit", schema.Search{Collection: schema.Passages, Dense: dense, Filter: owned(ann), Limit: 1}, "1:1.000"},
		{"least score", schema.Search{Collection: schema.Passages, Dense: dense, Filter: owned(ann), MinScore: &half}, "1:1.000 2:0.707"},
		{"filtered", schema.Search{Collection: schema.Passages, Dense: dense, Filter: owned(ann, is("tool", "t1"))}, "1:1.000 3:0.000"},
		{"terms by dot product, none without a term in common", schema.Search{Collection: schema.Passages, Sparse: terms, Filter: owned(ann)}, "4:21.000 5:10.000"},
		{"another owner", schema.Search{Collection: schema.Passages, Sparse: terms, Filter: owned(bob)}, "6:9.000"},
		{"nobody", schema.Search{Collection: schema.Passages, Dense: dense, Filter: owned("no.one")}, ""},
		{"facts", schema.Search{Collection: schema.Facts, Dense: dense, Filter: owned(ann)}, "7:1.000"},
		{"triples", schema.Search{Collection: schema.Triples, Sparse: terms, Filter: owned(ann)}, "8:1.000"},
		{"no terms", schema.Search{Collection: schema.Passages, Sparse: &schema.Sparse{}, Filter: owned(ann)}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			// Beside another arm, so that places of answers are checked too.
			got, err := s.Search(ctx, vectorGen, []schema.Search{{Collection: schema.Facts, Dense: dense, Filter: owned(bob)}, c.in})
			ok(t, err)
			if len(got) != 2 || len(got[0]) != 0 {
				t.Fatalf("answers %v", got)
			}
			if s := showHits(got[1]); s != c.want {
				t.Errorf("got %q, want %q", s, c.want)
			}
		})
	}
	got, err := s.Search(ctx, vectorGen, []schema.Search{{Collection: schema.Passages, Dense: dense, Filter: owned(ann), Payload: true, Limit: 1}})
	ok(t, err)
	if got[0][0].Payload[schema.KeySeq] != int64(1) {
		t.Errorf("payload %v", got[0][0].Payload)
	}
	got, err = s.Search(ctx, vectorGen, []schema.Search{{Collection: schema.Passages, Sparse: terms, Filter: owned(ann), Terms: true}, {Collection: schema.Passages, Dense: dense, Filter: owned(ann), Terms: true, Limit: 1}})
	ok(t, err)
	if len(got[0]) != 2 || !slices.Equal(got[0][0].Terms, []uint32{1, 2}) || !slices.Equal(got[0][1].Terms, []uint32{2, 3}) || got[0][0].Payload != nil {
		t.Errorf("terms of %+v", got[0])
	}
	if len(got[1]) != 1 || got[1][0].Terms != nil {
		t.Errorf("terms of a point without any: %+v", got[1])
	}
	if got, err = s.Search(ctx, vectorGen, nil); err != nil || len(got) != 0 {
		t.Errorf("no searches: %v, %v", got, err)
	}
	_, err = s.Search(ctx, vectorGen, []schema.Search{{Collection: schema.Passages, Dense: []float32{1, 2}, Filter: owned(ann)}})
	permanent(t, err, schema.CodeInvalid) // another embedder's dimension
}

func showHits(hs []schema.Hit) string {
	var out []string
	for _, h := range hs {
		n := 0
		for n = 1; pid(n) != h.ID && n < 100; n++ {
		}
		out = append(out, fmt.Sprintf("%d:%.3f", n, h.Score))
	}
	return strings.Join(out, " ")
}

func testFilters(t *testing.T, srv VectorServer) {
	s, ctx := openVectors(t, srv, vectorDim), t.Context()
	ok(t, s.Apply(ctx, vectorGen, []schema.Write{
		upsert(schema.Facts, point(1, ann, map[string]any{"type": "fact", "pinned": true, "expires_at": int64(100), "confidence": .5, "terms": []int64{1, 2},
			"metadata": map[string]any{"city": "Köln", "n": 3.0, "a.b": "dot", "x[0]": "bracket", "项": "中", "on": true}})),
		upsert(schema.Facts, point(2, ann, map[string]any{"type": "todo_hint", "pinned": false, "expires_at": int64(200), "confidence": .75, "terms": []int64{2, 3}, "slot": nil})),
		upsert(schema.Facts, point(3, ann, map[string]any{"type": "constraint", "slot": []any{}, "metadata": map[string]any{"n": int64(3)}})),
		upsert(schema.Facts, point(4, bob, map[string]any{"type": "fact", "pinned": true, "slot": "s"})),
		upsert(schema.Facts, point(5, ann, map[string]any{"type": "fact", "slot": "s", "tags": []string{"a", "b"}})),
	}))
	f := func(x float64) *float64 { return &x }
	for _, c := range []struct {
		name   string
		filter schema.Filter
		want   string
	}{
		{"owner", owned(ann), "1 2 3 5"},
		{"all", schema.Filter{}, "1 2 3 4 5"},
		{"string", owned(ann, is("type", "fact")), "1 5"},
		{"string not stored", owned(ann, is("type", "no")), ""},
		{"in a list", owned(ann, is("tags", "b")), "5"},
		{"true", owned(ann, is("pinned", true)), "1"},
		{"false", owned(ann, is("pinned", false)), "2"},
		{"integer", owned(ann, is("seq", int64(3))), "3"},
		{"integer in a list", owned(ann, is("terms", int64(2))), "1 2"},
		{"any", owned(ann, schema.Cond{Key: "type", Any: []string{"fact", "constraint"}}), "1 3 5"},
		{"any of none", owned(ann, schema.Cond{Key: "type", Any: []string{}}), ""},
		{"from", owned(ann, schema.Cond{Key: "expires_at", Range: &schema.Range{GTE: f(100)}}), "1 2"},
		{"above", owned(ann, schema.Cond{Key: "expires_at", Range: &schema.Range{GT: f(100)}}), "2"},
		{"to", owned(ann, schema.Cond{Key: "confidence", Range: &schema.Range{LTE: f(.5)}}), "1"},
		{"between", owned(ann, schema.Cond{Key: "confidence", Range: &schema.Range{GT: f(.5), LT: f(1)}}), "2"},
		{"absent, null or empty list", owned(ann, schema.Cond{Key: "slot", Empty: true}), "1 2 3"},
		{"ids", owned(ann, schema.Cond{HasID: []string{pid(1), pid(4), pid(5), "junk"}}), "1 5"},
		{"no ids", owned(ann, schema.Cond{HasID: []string{}}), ""},
		{"not", schema.Filter{Must: owned(ann).Must, MustNot: []schema.Cond{is("type", "fact"), is("seq", int64(2))}}, "3"},
		{"should", schema.Filter{Must: owned(ann).Must, Should: []schema.Cond{is("seq", int64(1)), is("type", "constraint"), is("seq", int64(4))}}, "1 3"},
		{"unexpired", schema.Filter{Must: owned(ann).Must, Should: []schema.Cond{{Key: "expires_at", Empty: true}, {Key: "expires_at", Range: &schema.Range{GT: f(150)}}}}, "2 3 5"},
		{"metadata", owned(ann, is("metadata.city", "Köln")), "1"},
		{"metadata number, however it is stored", owned(ann, is("metadata.n", 3.0)), "1 3"},
		{"metadata truth", owned(ann, is("metadata.on", true)), "1"},
		{"metadata key with a dot", owned(ann, is("metadata.a.b", "dot")), "1"},
		{"metadata key with a bracket", owned(ann, is("metadata.x[0]", "bracket")), "1"},
		{"metadata key in Chinese", owned(ann, is("metadata.项", "中")), "1"},
		{"metadata key that is not there", owned(ann, is("metadata.owner", ann)), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			pts, next, err := s.Scroll(ctx, vectorGen, schema.Facts, c.filter, qdrant.ScrollOptions{})
			ok(t, err)
			if got := seqs(pts); got != c.want || next != "" {
				t.Errorf("scroll: %q (%q), want %q", got, next, c.want)
			}
			n, err := s.Count(ctx, vectorGen, schema.Facts, c.filter)
			ok(t, err)
			if int(n) != len(strings.Fields(c.want)) {
				t.Errorf("count: %d, want %q", n, c.want)
			}
		})
	}
}

// seqs are the sequences of points in rising order.
func seqs(pts []schema.Point) string {
	var ns []int64
	for _, p := range pts {
		n, _ := p.Payload[schema.KeySeq].(int64)
		ns = append(ns, n)
	}
	slices.Sort(ns)
	return strings.Trim(fmt.Sprint(ns), "[]")
}

func testCountPoints(t *testing.T, srv VectorServer) {
	s, ctx := openVectors(t, srv, vectorDim), t.Context()
	var ws []schema.Write
	for i := range 40 {
		ws = append(ws, upsert(schema.Passages, point(i, ann, map[string]any{"terms": []int64{int64(i % 2), int64(10 + i%5)}})))
	}
	ok(t, s.Apply(ctx, vectorGen, append(ws, upsert(schema.Passages, point(100, bob, map[string]any{"terms": []int64{0, 10}})))))
	var fs []schema.Filter
	for term := range 20 {
		fs = append(fs, owned(ann, is("terms", int64(term))))
	}
	got, err := s.Counts(ctx, vectorGen, schema.Passages, fs)
	ok(t, err)
	want := make([]uint64, 20)
	want[0], want[1] = 20, 20
	for i := range 5 {
		want[10+i] = 8
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	_, err = s.Counts(ctx, vectorGen, schema.Passages, append(fs, schema.Filter{Must: []schema.Cond{{Key: "x"}}}))
	permanent(t, err, schema.CodeInvalid)
}

func testDeleteWhere(t *testing.T, srv VectorServer) {
	s, ctx := openVectors(t, srv, vectorDim), t.Context()
	ok(t, s.Apply(ctx, vectorGen, []schema.Write{
		upsert(schema.Facts, point(1, ann, map[string]any{"conversation": "c1"})), upsert(schema.Facts, point(2, ann, map[string]any{"conversation": "c2"})),
		upsert(schema.Facts, point(3, bob, map[string]any{"conversation": "c1"})),
	}))
	for _, f := range []schema.Filter{{}, {Must: []schema.Cond{is("conversation", "c1")}}, {Should: owned(ann).Must}, {Must: []schema.Cond{is("owner", "")}}} {
		permanent(t, s.DeleteWhere(ctx, vectorGen, schema.Facts, f), schema.CodeInvalid)
	}
	ok(t, s.DeleteWhere(ctx, vectorGen, schema.Facts, owned(ann, is("conversation", "c1"))))
	ok(t, s.DeleteWhere(ctx, vectorGen, schema.Facts, owned(ann, is("conversation", "c1"))))
	pts, _, err := s.Scroll(ctx, vectorGen, schema.Facts, schema.Filter{}, qdrant.ScrollOptions{})
	ok(t, err)
	if got := seqs(pts); got != "2 3" {
		t.Errorf("left %q", got)
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
