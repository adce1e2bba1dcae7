package storetest

import (
	"math"
	"slices"
	"testing"
	"time"

	wire "github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/types/known/timestamppb"
)

func near(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-5 }

func denseOf(v *wire.VectorsOutput) []float32 {
	if d := v.GetVectors().GetVectors()["dense"]; d != nil {
		return d.GetDenseVector().GetData()
	}
	return nil
}

func sparseOf(v *wire.VectorsOutput) *wire.SparseVector {
	return v.GetVectors().GetVectors()["terms"].GetSparseVector()
}

func wireFilters(w *wired) {
	w.make()
	w.upsert(
		wirePoint(1, []float32{1, 0, 0, 0}, nil, map[string]any{"s": "x", "n": int64(1), "f": .5, "b": true, "t": "2024-01-01T00:00:00Z",
			"o": map[string]any{"k": "in"}, "l": []any{map[string]any{"k": "a"}, map[string]any{"k": "b"}}}),
		wirePoint(2, nil, map[uint32]float32{1: 1}, map[string]any{"s": []any{"x", "y"}, "n": int64(2), "f": 1.5, "b": false, "t": "2024-06-01T12:00:00+02:00",
			"l": []any{map[string]any{"k": "b"}}}),
		wirePoint(3, nil, nil, map[string]any{"s": "z", "n": int64(-3), "f": int64(2), "t": "2025-01-01T00:00:00.5Z", "e": []any{}}),
		wirePoint(4, nil, nil, map[string]any{"s": nil, "n": []any{int64(5), int64(9)}, "e": nil}),
		wirePoint(5, nil, nil, nil),
	)
	at := func(year int, month time.Month) *timestamppb.Timestamp {
		return timestamppb.New(time.Date(year, month, 1, 0, 0, 0, 0, time.UTC))
	}
	f := wire.PtrOf[float64]
	filters := []struct {
		name   string
		filter *wire.Filter
		want   []uint64
	}{
		{"none", nil, []uint64{1, 2, 3, 4, 5}},
		{"empty", &wire.Filter{}, []uint64{1, 2, 3, 4, 5}},
		{"keyword", all(wire.NewMatch("s", "x")), []uint64{1, 2}},
		{"keyword of another type", all(wire.NewMatch("n", "1")), nil},
		{"integer", all(wire.NewMatchInt("n", 2)), []uint64{2}},
		{"integer in a list", all(wire.NewMatchInt("n", 9)), []uint64{4}},
		{"true", all(wire.NewMatchBool("b", true)), []uint64{1}},
		{"any keyword", all(wire.NewMatchKeywords("s", "y", "z")), []uint64{2, 3}},
		{"any integer", all(wire.NewMatchInts("n", 1, 5)), []uint64{1, 4}},
		{"except keywords", all(wire.NewMatchExceptKeywords("s", "x")), []uint64{2, 3}}, // 2 has y too
		{"except integers", all(wire.NewMatchExceptInts("n", 1, 2)), []uint64{3, 4}},
		{"range", all(wire.NewRange("f", &wire.Range{Gt: f(.5), Lte: f(2)})), []uint64{2, 3}},
		{"range of integers", all(wire.NewRange("n", &wire.Range{Gte: f(2), Lt: f(9)})), []uint64{2, 4}},
		{"datetimes", all(wire.NewDatetimeRange("t", &wire.DatetimeRange{Gte: at(2024, 6), Lt: at(2025, 1)})), []uint64{2}},
		{"later datetimes", all(wire.NewDatetimeRange("t", &wire.DatetimeRange{Gt: at(2025, 1)})), []uint64{3}},
		{"empty field", all(wire.NewIsEmpty("e")), []uint64{1, 2, 3, 4, 5}},
		{"empty keyword", all(wire.NewIsEmpty("s")), []uint64{4, 5}},
		{"null", all(wire.NewIsNull("s")), []uint64{4}},
		{"ids", all(wire.NewHasID(wire.NewIDNum(2), wire.NewIDNum(5), wire.NewIDNum(77))), []uint64{2, 5}},
		{"has a dense vector", all(wire.NewHasVector("dense")), []uint64{1}},
		{"has a sparse vector", all(wire.NewHasVector("terms")), []uint64{2}},
		{"nested key", all(wire.NewMatch("o.k", "in")), []uint64{1}},
		{"key in a list", all(wire.NewMatch("l[].k", "b")), []uint64{1, 2}},
		{"element of a list", all(wire.NewMatch("l[0].k", "b")), []uint64{2}},
		{"and", all(wire.NewMatch("s", "x"), wire.NewMatchInt("n", 1)), []uint64{1}},
		{"or", &wire.Filter{Should: []*wire.Condition{wire.NewMatch("s", "z"), wire.NewMatchInt("n", 1)}}, []uint64{1, 3}},
		{"not", &wire.Filter{MustNot: []*wire.Condition{wire.NewMatch("s", "x"), wire.NewHasID(wire.NewIDNum(5))}}, []uint64{3, 4}},
		{"and, or and not", &wire.Filter{Must: []*wire.Condition{wire.NewRange("n", &wire.Range{Gt: f(-10)})}, Should: []*wire.Condition{wire.NewMatch("s", "x"), wire.NewMatch("s", "z")},
			MustNot: []*wire.Condition{wire.NewMatchBool("b", true)}}, []uint64{2, 3}},
		{"two of three", &wire.Filter{MinShould: &wire.MinShould{MinCount: 2, Conditions: []*wire.Condition{wire.NewMatch("s", "x"), wire.NewMatchBool("b", false), wire.NewRange("f", &wire.Range{Gte: f(1)})}}}, []uint64{2}},
		{"filter in a filter", all(wire.NewMatch("s", "x"), wire.NewFilterAsCondition(&wire.Filter{MustNot: []*wire.Condition{wire.NewMatchInt("n", 1)}})), []uint64{2}},
	}
	check := func(when string) {
		for _, c := range filters {
			got, err := w.Scroll(w.t.Context(), &wire.ScrollPoints{CollectionName: w.name, Filter: c.filter, Limit: wire.PtrOf(uint32(100))})
			ok(w.t, err)
			sameNums(w.t, when+": "+c.name, nums(got), c.want...)
			n, err := w.Count(w.t.Context(), &wire.CountPoints{CollectionName: w.name, Filter: c.filter, Exact: wire.PtrOf(true)})
			ok(w.t, err)
			if int(n) != len(c.want) {
				w.t.Errorf("%s: %s: count %d, want %v", when, c.name, n, c.want)
			}
		}
	}
	check("without indexes")
	// Indexes change what a condition costs. (What an index of another type than its values means is not documented.)
	w.index("s", wire.FieldType_FieldTypeKeyword, nil)
	w.index("n", wire.FieldType_FieldTypeInteger, nil)
	w.index("f", wire.FieldType_FieldTypeFloat, nil)
	w.index("b", wire.FieldType_FieldTypeBool, nil)
	w.index("t", wire.FieldType_FieldTypeDatetime, nil)
	w.index("o.k", wire.FieldType_FieldTypeKeyword, nil)
	w.index("l[].k", wire.FieldType_FieldTypeKeyword, nil)
	check("with indexes")
}

func all(cs ...*wire.Condition) *wire.Filter { return &wire.Filter{Must: cs} }

// Points come in the order of their ids: numbers first, by value.
func wirePages(w *wired) {
	w.make()
	var want []uint64
	for id := range uint64(23) {
		w.upsert(wirePoint(id*id, nil, nil, map[string]any{"odd": id%2 == 1}))
		if id%2 == 1 {
			want = append(want, id*id)
		}
	}
	odd := all(wire.NewMatchBool("odd", true))
	var got []uint64
	req := &wire.ScrollPoints{CollectionName: w.name, Filter: odd, Limit: wire.PtrOf(uint32(4))}
	for {
		page, next, err := w.ScrollAndOffset(w.t.Context(), req)
		ok(w.t, err)
		got = append(got, nums(page)...)
		if next == nil {
			break
		}
		if len(page) != 4 {
			w.t.Fatalf("a page of %d points and another one", len(page))
		}
		req.Offset = next
	}
	sameNums(w.t, "pages", got, want...)
	page, err := w.Scroll(w.t.Context(), &wire.ScrollPoints{CollectionName: w.name})
	ok(w.t, err)
	if len(page) != 10 {
		w.t.Errorf("a page without a limit has %d points", len(page))
	}
}

func wireOrder(w *wired) {
	w.make()
	w.index("n", wire.FieldType_FieldTypeInteger, wire.NewPayloadIndexParamsInt(&wire.IntegerIndexParams{Lookup: wire.PtrOf(true), Range: wire.PtrOf(true)}))
	w.index("f", wire.FieldType_FieldTypeFloat, nil)
	for id := range uint64(9) {
		w.upsert(wirePoint(id, nil, nil, map[string]any{"n": int64(id*5) % 9, "f": -float64(id)}))
	}
	w.upsert(wirePoint(100, nil, nil, nil)) // without the key: left out
	order := func(by *wire.OrderBy, limit uint32) []uint64 {
		w.t.Helper()
		got, next, err := w.ScrollAndOffset(w.t.Context(), &wire.ScrollPoints{CollectionName: w.name, OrderBy: by, Limit: &limit})
		ok(w.t, err)
		if next != nil {
			w.t.Errorf("an offset with an order: %v", next)
		}
		return nums(got)
	}
	asc, desc := wire.Direction_Asc.Enum(), wire.Direction_Desc.Enum()
	sameNums(w.t, "rising", order(&wire.OrderBy{Key: "n"}, 100), 0, 2, 4, 6, 8, 1, 3, 5, 7)
	sameNums(w.t, "falling", order(&wire.OrderBy{Key: "n", Direction: desc}, 4), 7, 5, 3, 1)
	sameNums(w.t, "from a value, which is in it", order(&wire.OrderBy{Key: "n", Direction: asc, StartFrom: wire.NewStartFromInt(5)}, 3), 1, 3, 5)
	sameNums(w.t, "falling from a value", order(&wire.OrderBy{Key: "n", Direction: desc, StartFrom: wire.NewStartFromInt(1)}, 3), 2, 0)
	sameNums(w.t, "by floats", order(&wire.OrderBy{Key: "f", StartFrom: wire.NewStartFromFloat(-2.5)}, 9), 2, 1, 0)
}

func wireFacets(w *wired) {
	w.make()
	w.index("k", wire.FieldType_FieldTypeKeyword, nil)
	w.index("n", wire.FieldType_FieldTypeInteger, nil)
	for id, k := range []any{"a", "b", "a", []any{"a", "b", "c"}, "b", "a", nil} {
		w.upsert(wirePoint(uint64(id), nil, nil, map[string]any{"k": k, "n": int64(id % 2)}))
	}
	facet := func(key string, f *wire.Filter, limit uint64) (out []any) {
		w.t.Helper()
		got, err := w.Facet(w.t.Context(), &wire.FacetCounts{CollectionName: w.name, Key: key, Filter: f, Limit: &limit, Exact: wire.PtrOf(true)})
		ok(w.t, err)
		for _, h := range got {
			switch v := h.Value.GetVariant().(type) {
			case *wire.FacetValue_StringValue:
				out = append(out, v.StringValue, h.Count)
			case *wire.FacetValue_IntegerValue:
				out = append(out, v.IntegerValue, h.Count)
			}
		}
		return out
	}
	same := func(what string, got []any, want ...any) {
		w.t.Helper()
		if !slices.Equal(got, want) {
			w.t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	n := func(n int) uint64 { return uint64(n) }
	same("most first", facet("k", nil, 10), "a", n(4), "b", n(3), "c", n(1))
	same("limit", facet("k", nil, 1), "a", n(4))
	same("filtered, and of as many the lesser first", facet("k", all(wire.NewMatchInt("n", 1)), 10), "a", n(2), "b", n(2), "c", n(1))
	same("integers", facet("n", nil, 10), int64(0), n(4), int64(1), n(3))
}

func wireQueries(w *wired) {
	ctx := w.t.Context()
	w.make()
	w.upsert(
		wirePoint(1, []float32{2, 0, 0, 0}, map[uint32]float32{1: 1, 2: 2}, map[string]any{"s": "x", "o": map[string]any{"p": "1", "q": "2"}}),
		wirePoint(2, []float32{1, 1, 0, 0}, map[uint32]float32{2: 3}, map[string]any{"s": "y"}),
		wirePoint(3, []float32{0, 1, 0, 0}, map[uint32]float32{9: 1}, map[string]any{"s": "x"}),
		wirePoint(4, []float32{-1, 0, 0, 0}, nil, nil),
		wirePoint(5, nil, nil, nil),
	)
	dense := func(more func(*wire.QueryPoints)) *wire.QueryPoints {
		q := &wire.QueryPoints{CollectionName: w.name, Query: wire.NewQuery(3, 0, 0, 0), Using: wire.PtrOf("dense")}
		if more != nil {
			more(q)
		}
		return q
	}
	sparse := &wire.QueryPoints{CollectionName: w.name, Query: wire.NewQuerySparse([]uint32{2, 1}, []float32{10, 1}), Using: wire.PtrOf("terms")}
	query := func(q *wire.QueryPoints) []*wire.ScoredPoint {
		w.t.Helper()
		got, err := w.Query(ctx, q)
		ok(w.t, err)
		return got
	}
	got := query(dense(nil))
	sameNums(w.t, "by cosine", nums(got), 1, 2, 3, 4)
	sameScores(w.t, got, 1, float32(math.Sqrt(.5)), 0, -1)
	got = query(sparse)
	sameNums(w.t, "by terms", nums(got), 2, 1) // the others have none in common
	sameScores(w.t, got, 30, 21)
	sameNums(w.t, "limit and offset", nums(query(dense(func(q *wire.QueryPoints) { q.Limit, q.Offset = wire.PtrOf(uint64(2)), wire.PtrOf(uint64(1)) }))), 2, 3)
	sameNums(w.t, "threshold", nums(query(dense(func(q *wire.QueryPoints) { q.ScoreThreshold = wire.PtrOf(float32(.5)) }))), 1, 2)
	sameNums(w.t, "filter", nums(query(dense(func(q *wire.QueryPoints) { q.Filter = all(wire.NewMatch("s", "x")) }))), 1, 3)
	sameNums(w.t, "no query: by id", nums(query(&wire.QueryPoints{CollectionName: w.name, Limit: wire.PtrOf(uint64(3))})), 1, 2, 3)

	first := func(more func(*wire.QueryPoints)) *wire.ScoredPoint {
		w.t.Helper()
		got := query(dense(func(q *wire.QueryPoints) {
			q.Limit = wire.PtrOf(uint64(1))
			more(q)
		}))
		if len(got) != 1 {
			w.t.Fatalf("%d points", len(got))
		}
		return got[0]
	}
	for _, c := range []struct {
		name string
		sel  *wire.WithPayloadSelector
		want []string
	}{
		{"not asked for", nil, nil},
		{"all", wire.NewWithPayload(true), []string{"o", "s"}},
		{"some", wire.NewWithPayloadInclude("s", "nope"), []string{"s"}},
		{"all but some", wire.NewWithPayloadExclude("s"), []string{"o"}},
	} {
		p := first(func(q *wire.QueryPoints) { q.WithPayload = c.sel })
		var keys []string
		for k := range p.Payload {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		if !slices.Equal(keys, c.want) {
			w.t.Errorf("payload, %s: %v, want %v", c.name, keys, c.want)
		}
	}
	nested := first(func(q *wire.QueryPoints) { q.WithPayload = wire.NewWithPayloadInclude("o.q") }).Payload["o"].GetStructValue().GetFields()
	if len(nested) != 1 || nested["q"].GetStringValue() != "2" {
		w.t.Errorf("a key of a nested object: %v", nested)
	}
	p := first(func(q *wire.QueryPoints) { q.WithVectors = wire.NewWithVectorsInclude("terms") })
	if denseOf(p.Vectors) != nil || !slices.Equal(sparseOf(p.Vectors).GetIndices(), []uint32{1, 2}) {
		w.t.Errorf("one vector of two: %v", p.Vectors)
	}

	batch, err := w.QueryBatch(ctx, &wire.QueryBatchPoints{CollectionName: w.name, QueryPoints: []*wire.QueryPoints{sparse, dense(nil), sparse}})
	ok(w.t, err)
	if len(batch) != 3 {
		w.t.Fatalf("%d answers to three queries", len(batch))
	}
	sameNums(w.t, "first of a batch", nums(batch[0].GetResult()), 2, 1)
	sameNums(w.t, "second of a batch", nums(batch[1].GetResult()), 1, 2, 3, 4)
	sameNums(w.t, "third of a batch", nums(batch[2].GetResult()), 2, 1)
}

func sameScores(t *testing.T, got []*wire.ScoredPoint, want ...float32) {
	t.Helper()
	for i, p := range got {
		if i >= len(want) || !near(p.GetScore(), want[i]) {
			t.Errorf("hit %d scores %g, want %v", i, p.GetScore(), want)
		}
	}
}
