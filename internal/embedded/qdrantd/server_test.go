package qdrantd

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
)

func TestHealthCheckNamesItself(t *testing.T) {
	r := start(t)
	h, err := r.HealthCheck(t.Context())
	r.must(err)
	if h.GetTitle() != Title || !strings.HasPrefix(h.GetVersion(), "1.18") {
		t.Fatalf("got %v", h)
	}
}

func TestCollectionLifeAndErrors(t *testing.T) {
	ctx := t.Context()
	r := start(t)
	r.docs("a")
	wantCode(t, r.CreateCollection(ctx, &qdrant.CreateCollection{CollectionName: "a"}), codes.AlreadyExists)
	wantCode(t, r.CreateCollection(ctx, &qdrant.CreateCollection{CollectionName: "a/b"}), codes.InvalidArgument)
	wantCode(t, r.CreateCollection(ctx, &qdrant.CreateCollection{CollectionName: ""}), codes.InvalidArgument)
	r.docs("b")
	names, err := r.ListCollections(ctx)
	r.must(err)
	if !slices.Equal(names, []string{"a", "b"}) {
		t.Fatalf("got %v", names)
	}
	r.upsert("a", point(1, []float32{1, 0, 0, 0}, nil, map[string]any{"owner": "x"}))
	info, err := r.GetCollectionInfo(ctx, "a")
	r.must(err)
	if info.GetPointsCount() != 1 || info.GetPayloadSchema()["owner"].GetPoints() != 1 ||
		!info.GetPayloadSchema()["owner"].GetParams().GetKeywordIndexParams().GetIsTenant() ||
		info.GetConfig().GetParams().GetVectorsConfig().GetParamsMap().GetMap()["dense"].GetSize() != 4 {
		t.Fatalf("got %v", info)
	}
	r.must(r.DeleteCollection(ctx, "a"))
	ok, err := r.CollectionExists(ctx, "a")
	r.must(err)
	if ok {
		t.Fatal("a still exists")
	}
	_, err = r.Query(ctx, &qdrant.QueryPoints{CollectionName: "a"})
	wantCode(t, err, codes.NotFound)
	if !strings.Contains(err.Error(), "Collection `a` doesn't exist!") {
		t.Fatal(err)
	}
	// A collection made anew under the name is empty, after a restart too.
	r.docs("a")
	r = r.reopen()
	n, err := r.Count(ctx, &qdrant.CountPoints{CollectionName: "a"})
	r.must(err)
	if n != 0 {
		t.Fatalf("%d points from before", n)
	}
}

func TestUpsertGetRoundTrip(t *testing.T) {
	ctx := t.Context()
	r := start(t)
	r.docs("c")
	payload := map[string]any{
		"owner": "x", "n": int64(-5), "f": 1.0, "b": true, "null": nil, "list": []any{"中文", int64(2), 2.5, nil, false},
		"obj": map[string]any{"k": map[string]any{"deep": "v"}}, "empty": []any{}, "": "empty key", "odd key": "…",
	}
	p := point(7, []float32{3, 0, 4, 0}, map[uint32]float32{9: 1, 2: 0.5}, payload)
	r.upsert("c", p)
	check := func(r *rig) {
		t.Helper()
		got, err := r.Get(ctx, &qdrant.GetPoints{
			CollectionName: "c", Ids: []*qdrant.PointId{qdrant.NewIDNum(7), qdrant.NewIDNum(8), qdrant.NewIDNum(7)},
			WithPayload: qdrant.NewWithPayload(true), WithVectors: qdrant.NewWithVectors(true),
		})
		r.must(err)
		if len(got) != 1 {
			t.Fatalf("got %d points", len(got))
		}
		if !samePayload(got[0].Payload, p.Payload) {
			t.Fatalf("payload %v, want %v", got[0].Payload, p.Payload)
		}
		vs := got[0].GetVectors().GetVectors().GetVectors()
		d := vs["dense"].GetDense().GetData()
		if len(d) != 4 || math.Abs(float64(d[0])-.6) > 1e-6 || math.Abs(float64(d[2])-.8) > 1e-6 {
			t.Fatalf("dense %v, want it normalised", d)
		}
		if s := vs["terms"].GetSparse(); !slices.Equal(s.GetIndices(), []uint32{2, 9}) || !slices.Equal(s.GetValues(), []float32{.5, 1}) {
			t.Fatalf("sparse %v", s)
		}
	}
	check(r)
	check(r.reopen())
}

func TestQueryDenseAndSparse(t *testing.T) {
	ctx := t.Context()
	r := start(t)
	r.docs("c")
	r.upsert("c",
		point(1, []float32{1, 0, 0, 0}, map[uint32]float32{1: 1}, map[string]any{"owner": "x"}),
		point(2, []float32{1, 1, 0, 0}, map[uint32]float32{1: 2, 2: 1}, map[string]any{"owner": "x"}),
		point(3, []float32{0, 1, 0, 0}, map[uint32]float32{3: 1}, map[string]any{"owner": "x"}),
		point(4, []float32{1, 0, 0, 0}, map[uint32]float32{1: 9}, map[string]any{"owner": "y"}),
		point(5, nil, map[uint32]float32{1: 9}, map[string]any{"owner": "x"}),
	)
	owner := &qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewMatch("owner", "x")}}
	got, err := r.Query(ctx, &qdrant.QueryPoints{CollectionName: "c", Query: qdrant.NewQuery(2, 0, 0, 0), Using: qdrant.PtrOf("dense"), Filter: owner})
	r.must(err)
	if !slices.Equal(idsOf(got), []uint64{1, 2, 3}) || math.Abs(float64(got[0].Score)-1) > 1e-6 || math.Abs(float64(got[1].Score)-math.Sqrt(.5)) > 1e-6 {
		t.Fatalf("got %v", got)
	}
	if len(got[0].Payload) != 0 {
		t.Fatal("a payload though none was asked for")
	}
	all, err := r.Query(ctx, &qdrant.QueryPoints{CollectionName: "c", Query: qdrant.NewQuery(2, 0, 0, 0), Using: qdrant.PtrOf("dense"), Limit: qdrant.PtrOf(uint64(2)), WithPayload: qdrant.NewWithPayload(true)})
	r.must(err)
	if !slices.Equal(idsOf(all), []uint64{1, 4}) || all[1].Payload["owner"].GetStringValue() != "y" {
		t.Fatalf("got %v", all)
	}
	sparse, err := r.Query(ctx, &qdrant.QueryPoints{CollectionName: "c", Query: qdrant.NewQuerySparse([]uint32{2, 1}, []float32{1, 1}), Using: qdrant.PtrOf("terms"), Filter: owner})
	r.must(err)
	if !slices.Equal(idsOf(sparse), []uint64{5, 2, 1}) || sparse[1].Score != 3 {
		t.Fatalf("got %v", sparse)
	}
	page, err := r.Query(ctx, &qdrant.QueryPoints{CollectionName: "c", Query: qdrant.NewQuerySparse([]uint32{2, 1}, []float32{1, 1}), Using: qdrant.PtrOf("terms"), Filter: owner,
		Offset: qdrant.PtrOf(uint64(1)), Limit: qdrant.PtrOf(uint64(1)), WithVectors: qdrant.NewWithVectorsInclude("terms")})
	r.must(err)
	if !slices.Equal(idsOf(page), []uint64{2}) || !slices.Equal(page[0].GetVectors().GetVectors().GetVectors()["terms"].GetSparse().GetValues(), []float32{2, 1}) {
		t.Fatalf("got %v", page)
	}
	cut, err := r.Query(ctx, &qdrant.QueryPoints{CollectionName: "c", Query: qdrant.NewQuery(2, 0, 0, 0), Using: qdrant.PtrOf("dense"), Filter: owner, ScoreThreshold: qdrant.PtrOf(float32(.5))})
	r.must(err)
	if !slices.Equal(idsOf(cut), []uint64{1, 2}) {
		t.Fatalf("got %v", cut)
	}
	batch, err := r.QueryBatch(ctx, &qdrant.QueryBatchPoints{CollectionName: "c", QueryPoints: []*qdrant.QueryPoints{
		{CollectionName: "c", Query: qdrant.NewQuery(0, 1, 0, 0), Using: qdrant.PtrOf("dense"), Limit: qdrant.PtrOf(uint64(1))},
		{CollectionName: "c", Query: qdrant.NewQuerySparse([]uint32{3}, []float32{1}), Using: qdrant.PtrOf("terms")},
	}})
	r.must(err)
	if len(batch) != 2 || !slices.Equal(idsOf(batch[0].Result), []uint64{3}) || !slices.Equal(idsOf(batch[1].Result), []uint64{3}) {
		t.Fatalf("got %v", batch)
	}
	noQuery, err := r.Query(ctx, &qdrant.QueryPoints{CollectionName: "c", Filter: owner, Limit: qdrant.PtrOf(uint64(2))})
	r.must(err)
	if !slices.Equal(idsOf(noQuery), []uint64{1, 2}) || noQuery[0].Score != 1 {
		t.Fatalf("got %v", noQuery)
	}
}

func TestQueryErrors(t *testing.T) {
	r := start(t)
	r.docs("c")
	for name, q := range map[string]*qdrant.QueryPoints{
		"dimension":    {Query: qdrant.NewQuery(1, 2), Using: qdrant.PtrOf("dense")},
		"vector name":  {Query: qdrant.NewQuery(1, 2, 3, 4), Using: qdrant.PtrOf("nope")},
		"no name":      {Query: qdrant.NewQuery(1, 2, 3, 4)},
		"dense sparse": {Query: qdrant.NewQuery(1, 2, 3, 4), Using: qdrant.PtrOf("terms")},
		"sparse dense": {Query: qdrant.NewQuerySparse([]uint32{1}, []float32{1}), Using: qdrant.PtrOf("dense")},
		"lengths":      {Query: qdrant.NewQuerySparse([]uint32{1, 2}, []float32{1}), Using: qdrant.PtrOf("terms")},
		"twice":        {Query: qdrant.NewQuerySparse([]uint32{1, 1}, []float32{1, 1}), Using: qdrant.PtrOf("terms")},
		"limit":        {Query: qdrant.NewQuery(1, 2, 3, 4), Using: qdrant.PtrOf("dense"), Limit: qdrant.PtrOf(uint64(0))},
		"not a number": {Query: qdrant.NewQuery(1, float32(math.NaN()), 3, 4), Using: qdrant.PtrOf("dense")},
		"with vectors": {Query: qdrant.NewQuery(1, 2, 3, 4), Using: qdrant.PtrOf("dense"), WithVectors: qdrant.NewWithVectorsInclude("nope")},
		"path":         {Filter: &qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewMatch("a..b", "x")}}},
	} {
		t.Run(name, func(t *testing.T) {
			q.CollectionName = "c"
			_, err := r.Query(context.Background(), q)
			wantCode(t, err, codes.InvalidArgument)
		})
	}
}

func TestSetPayloadCountScrollDelete(t *testing.T) {
	ctx := t.Context()
	r := start(t)
	r.docs("c")
	for i := range uint64(25) {
		r.upsert("c", point(i+1, []float32{1, 0, 0, float32(i)}, nil, map[string]any{"owner": []string{"x", "y"}[i%2], "i": int64(i)}))
	}
	owner := &qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewMatch("owner", "x")}}
	count := func(f *qdrant.Filter) uint64 {
		t.Helper()
		n, err := r.Count(ctx, &qdrant.CountPoints{CollectionName: "c", Filter: f})
		r.must(err)
		return n
	}
	if n := count(owner); n != 13 {
		t.Fatalf("count %d", n)
	}
	// A filter by ids does not mind missing ones and does not bring points to life.
	has := &qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewHasID(qdrant.NewIDNum(1), qdrant.NewIDNum(99))}}
	_, err := r.SetPayload(ctx, &qdrant.SetPayloadPoints{CollectionName: "c", Wait: qdrant.PtrOf(true),
		Payload: qdrant.NewValueMap(map[string]any{"done": true, "i": nil}), PointsSelector: qdrant.NewPointsSelectorFilter(has)})
	r.must(err)
	if count(nil) != 25 || count(&qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewMatchBool("done", true)}}) != 1 {
		t.Fatal("the payload is not set on exactly the one point")
	}
	_, err = r.SetPayload(ctx, &qdrant.SetPayloadPoints{CollectionName: "c", Wait: qdrant.PtrOf(true),
		Payload: qdrant.NewValueMap(map[string]any{"done": true}), PointsSelector: qdrant.NewPointsSelector(qdrant.NewIDNum(2), qdrant.NewIDNum(99))})
	wantCode(t, err, codes.NotFound)
	if !strings.Contains(err.Error(), "No point with id 99") {
		t.Fatal(err)
	}
	r = r.reopen()
	got, next, err := r.ScrollAndOffset(ctx, &qdrant.ScrollPoints{CollectionName: "c", Filter: owner, Limit: qdrant.PtrOf(uint32(5))})
	r.must(err)
	if !slices.Equal(idsOf(got), []uint64{1, 3, 5, 7, 9}) || next.GetNum() != 11 || got[0].Payload["i"] != nil || !got[0].Payload["done"].GetBoolValue() {
		t.Fatalf("got %v, next %v", got, next)
	}
	got, next, err = r.ScrollAndOffset(ctx, &qdrant.ScrollPoints{CollectionName: "c", Filter: owner, Offset: qdrant.NewIDNum(11), Limit: qdrant.PtrOf(uint32(50)), WithPayload: qdrant.NewWithPayload(false)})
	r.must(err)
	if !slices.Equal(idsOf(got), []uint64{11, 13, 15, 17, 19, 21, 23, 25}) || next != nil || len(got[0].Payload) != 0 {
		t.Fatalf("got %v, next %v", got, next)
	}
	_, err = r.Delete(ctx, &qdrant.DeletePoints{CollectionName: "c", Wait: qdrant.PtrOf(true), Points: qdrant.NewPointsSelector(qdrant.NewIDNum(1), qdrant.NewIDNum(77))})
	r.must(err)
	_, err = r.Delete(ctx, &qdrant.DeletePoints{CollectionName: "c", Wait: qdrant.PtrOf(true), Points: qdrant.NewPointsSelectorFilter(&qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewMatch("owner", "y")}})})
	r.must(err)
	if count(nil) != 12 {
		t.Fatalf("count %d", count(nil))
	}
	r = r.reopen()
	if count(nil) != 12 || count(owner) != 12 {
		t.Fatalf("count %d", count(nil))
	}
}
