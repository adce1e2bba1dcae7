package qdrantd

import (
	"slices"
	"testing"

	"github.com/qdrant/go-client/qdrant"
)

// What the real engine does in these corners was seen by asking it (qdrant-edge 0.9).

func TestIntegerIndexAndFloats(t *testing.T) {
	r := start(t)
	r.docs("c")
	vec := []float32{1, 0, 0, 0}
	r.upsert("c", point(1, vec, nil, map[string]any{"a": int64(2)}), point(2, vec, nil, map[string]any{"a": 2.0}), point(3, vec, nil, map[string]any{"a": 2.5}),
		point(4, vec, nil, map[string]any{"a": "2"}), point(5, vec, nil, map[string]any{"a": []any{int64(1), int64(3)}}))
	scroll := func(c *qdrant.Condition) []uint64 {
		t.Helper()
		got, err := r.Scroll(t.Context(), &qdrant.ScrollPoints{CollectionName: "c", Filter: &qdrant.Filter{Must: []*qdrant.Condition{c}}})
		r.must(err)
		return idsOf(got)
	}
	want := func(c *qdrant.Condition, ids ...uint64) {
		t.Helper()
		if got := scroll(c); !slices.Equal(got, ids) {
			t.Fatalf("got %v, want %v", got, ids)
		}
	}
	above := qdrant.NewRange("a", &qdrant.Range{Gte: qdrant.PtrOf(2.)})
	want(qdrant.NewMatchInt("a", 2), 1)
	want(above, 1, 2, 3, 5)
	r.index("c", "a", qdrant.FieldType_FieldTypeInteger, nil)
	want(qdrant.NewMatchInt("a", 2), 1, 2)
	want(above, 1, 2, 5)
	got, err := r.Scroll(t.Context(), &qdrant.ScrollPoints{CollectionName: "c", OrderBy: &qdrant.OrderBy{Key: "a", Direction: qdrant.PtrOf(qdrant.Direction_Desc), StartFrom: &qdrant.StartFrom{Value: &qdrant.StartFrom_Float{Float: 2.9}}}})
	r.must(err)
	if !slices.Equal(idsOf(got), []uint64{2, 1, 5}) || got[0].OrderValue.GetInt() != 2 {
		t.Fatalf("got %v", got)
	}
}

func TestScoreThresholdIsStrict(t *testing.T) {
	r := start(t)
	r.docs("c")
	r.upsert("c", point(1, []float32{1, 0, 0, 0}, nil, nil), point(2, []float32{0, 1, 0, 0}, nil, nil))
	for threshold, want := range map[float32][]uint64{-1: {1, 2}, 0: {1}, 1: {}} {
		got, err := r.Query(t.Context(), &qdrant.QueryPoints{CollectionName: "c", Query: qdrant.NewQuery(1, 0, 0, 0), Using: qdrant.PtrOf("dense"), ScoreThreshold: &threshold})
		r.must(err)
		if !slices.Equal(idsOf(got), want) {
			t.Fatalf("above %g: %v, want %v", threshold, idsOf(got), want)
		}
	}
}

func TestSetPayloadUnderKey(t *testing.T) {
	r := start(t)
	r.docs("c")
	r.upsert("c", point(1, nil, nil, map[string]any{"y": map[string]any{"p": int64(1), "q": nil}, "l": []any{map[string]any{"a": int64(1)}, map[string]any{}}}))
	set := func(key string, patch map[string]any) {
		t.Helper()
		_, err := r.SetPayload(t.Context(), &qdrant.SetPayloadPoints{CollectionName: "c", Wait: qdrant.PtrOf(true), Key: &key, Payload: qdrant.NewValueMap(patch), PointsSelector: qdrant.NewPointsSelector(qdrant.NewIDNum(1))})
		r.must(err)
	}
	set("y", map[string]any{"p": nil, "w": int64(2)})
	set("new.deep", map[string]any{"k": "v"})
	set("l[]", map[string]any{"b": true})
	set("l[1].c", map[string]any{"d": int64(1)})
	got, err := r.Get(t.Context(), &qdrant.GetPoints{CollectionName: "c", Ids: []*qdrant.PointId{qdrant.NewIDNum(1)}, WithPayload: qdrant.NewWithPayload(true)})
	r.must(err)
	want := qdrant.NewValueMap(map[string]any{
		"y": map[string]any{"q": nil, "w": int64(2)}, "new": map[string]any{"deep": map[string]any{"k": "v"}},
		"l": []any{map[string]any{"a": int64(1), "b": true}, map[string]any{"b": true, "c": map[string]any{"d": int64(1)}}},
	})
	if !samePayload(got[0].Payload, want) {
		t.Fatalf("got %v", got[0].Payload)
	}
}

func TestPayloadSelectors(t *testing.T) {
	r := start(t)
	r.docs("c")
	r.upsert("c", point(1, nil, nil, map[string]any{"a": int64(1), "y": map[string]any{"q": int64(2), "w": int64(3)}, "l": []any{map[string]any{"x": int64(1), "z": int64(2)}}}))
	for name, c := range map[string]struct {
		sel  *qdrant.WithPayloadSelector
		want map[string]any
	}{
		"include":        {qdrant.NewWithPayloadInclude("a", "nope"), map[string]any{"a": int64(1)}},
		"include nested": {qdrant.NewWithPayloadInclude("a", "y.p"), map[string]any{"a": int64(1), "y": map[string]any{}}},
		"include list":   {qdrant.NewWithPayloadInclude("l[].z"), map[string]any{"l": []any{map[string]any{"z": int64(2)}}}},
		"exclude":        {qdrant.NewWithPayloadExclude("a", "l"), map[string]any{"y": map[string]any{"q": int64(2), "w": int64(3)}}},
		"exclude nested": {qdrant.NewWithPayloadExclude("a", "l", "y.q"), map[string]any{"y": map[string]any{"w": int64(3)}}},
		"none":           {qdrant.NewWithPayload(false), map[string]any{}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := r.Get(t.Context(), &qdrant.GetPoints{CollectionName: "c", Ids: []*qdrant.PointId{qdrant.NewIDNum(1)}, WithPayload: c.sel})
			r.must(err)
			if !samePayload(got[0].Payload, qdrant.NewValueMap(c.want)) {
				t.Fatalf("got %v", got[0].Payload)
			}
		})
	}
}

func TestScrollOrderOfIDs(t *testing.T) {
	r := start(t)
	r.docs("c")
	var want []string
	for i := range 40 {
		u := uuidOf(i)
		want = append(want, u)
		r.upsert("c", &qdrant.PointStruct{Id: qdrant.NewIDUUID(u), Vectors: qdrant.NewVectorsMap(nil), Payload: qdrant.NewValueMap(map[string]any{"owner": u[:1]})})
	}
	r.upsert("c", point(1<<40, nil, nil, nil), point(3, nil, nil, nil))
	slices.Sort(want)
	var got []string
	var nums []uint64
	var from *qdrant.PointId
	for {
		page, next, err := r.ScrollAndOffset(t.Context(), &qdrant.ScrollPoints{CollectionName: "c", Limit: qdrant.PtrOf(uint32(7)), Offset: from})
		r.must(err)
		for _, p := range page {
			if p.Id.GetUuid() == "" {
				nums = append(nums, p.Id.GetNum())
			} else {
				got = append(got, p.Id.GetUuid())
			}
		}
		if from = next; next == nil {
			break
		}
	}
	if !slices.Equal(got, want) || !slices.Equal(nums, []uint64{3, 1 << 40}) {
		t.Fatalf("got %v %v", nums, got)
	}
}
