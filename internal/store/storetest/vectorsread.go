package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/internal/store/qdrant"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

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
