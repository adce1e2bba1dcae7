package qdrantd

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/timestamppb"
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
	r.upsert("c", point(6, vec, nil, map[string]any{"a": int64(1) << 53}), point(7, vec, nil, map[string]any{"a": int64(math.MaxInt64)}))
	r.upsert("c", point(8, vec, nil, map[string]any{"a": int64(1)<<53 + 1}))
	_, err = r.Count(t.Context(), &qdrant.CountPoints{CollectionName: "c", Filter: &qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewRange("a", &qdrant.Range{Lt: qdrant.PtrOf(math.NaN())})}}})
	wantCode(t, err, codes.InvalidArgument)
	beyond := qdrant.NewRange("a", &qdrant.Range{Gt: qdrant.PtrOf(float64(1 << 53))})
	want(beyond, 7, 8) // an index compares integers, a walk of the payload floats
	_, err = r.DeleteFieldIndex(t.Context(), &qdrant.DeleteFieldIndexCollection{CollectionName: "c", FieldName: "a", Wait: qdrant.PtrOf(true)})
	r.must(err)
	want(beyond, 7)
	r.index("c", "a", qdrant.FieldType_FieldTypeInteger, nil)
	_, err = r.Delete(t.Context(), &qdrant.DeletePoints{CollectionName: "c", Wait: qdrant.PtrOf(true), Points: qdrant.NewPointsSelector(qdrant.NewIDNum(8))})
	r.must(err)
	for from, want := range map[int64][]uint64{1<<53 + 1: {6, 7}, 1<<53 + 2: {7}, math.MaxInt64: {7}} {
		got, err := r.Scroll(t.Context(), &qdrant.ScrollPoints{CollectionName: "c", OrderBy: &qdrant.OrderBy{Key: "a", StartFrom: qdrant.NewStartFromInt(from)}})
		r.must(err)
		if !slices.Equal(idsOf(got), want) {
			t.Fatalf("from %d: %v, want %v", from, idsOf(got), want)
		}
	}
}

// An index sees values of its type only, and what is not in it is not there for a condition that it answers.
func TestIndexesNarrowConditions(t *testing.T) {
	r := start(t)
	r.docs("c")
	for i, v := range []any{int64(5), 2.5, "2024-01-01", int64(1704067200000000), 1704067200000000.0, true, "x", []any{int64(5), "2024-01-01"}, int64(-7), "1970-01-01T00:00:00.000005Z"} {
		r.upsert("c", point(uint64(i), nil, nil, map[string]any{"a": v}))
	}
	since := func(year int) *qdrant.Condition {
		return qdrant.NewDatetimeRange("a", &qdrant.DatetimeRange{Gte: timestamppb.New(time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC))})
	}
	positive := qdrant.NewRange("a", &qdrant.Range{Gte: qdrant.PtrOf(0.)})
	notFive, notX := qdrant.NewMatchExceptInts("a", 5), qdrant.NewMatchExceptKeywords("a", "x")
	allButX := []uint64{0, 1, 2, 3, 4, 5, 7, 8, 9}
	for _, c := range []struct {
		name string
		kind *qdrant.FieldType
		cond *qdrant.Condition
		want []uint64
	}{
		{"no index: dates", nil, since(2024), []uint64{2, 7}},
		{"no index: numbers", nil, positive, []uint64{0, 1, 3, 4, 7}},
		{"no index: not 5", nil, notFive, []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{"no index: not x", nil, notX, allButX},
		{"integer index: dates", qdrant.FieldType_FieldTypeInteger.Enum(), since(2024), []uint64{3, 4}},
		{"integer index: numbers", qdrant.FieldType_FieldTypeInteger.Enum(), positive, []uint64{0, 3, 4, 7}},
		{"integer index: not 5", qdrant.FieldType_FieldTypeInteger.Enum(), notFive, []uint64{3, 4, 8}},
		{"integer index: not x", qdrant.FieldType_FieldTypeInteger.Enum(), notX, allButX},
		{"float index: dates", qdrant.FieldType_FieldTypeFloat.Enum(), since(1970), []uint64{0, 1, 3, 4, 7}},
		{"datetime index: numbers", qdrant.FieldType_FieldTypeDatetime.Enum(), positive, []uint64{2, 7, 9}},
		{"keyword index: not x", qdrant.FieldType_FieldTypeKeyword.Enum(), notX, []uint64{2, 7, 9}},
		{"keyword index: not 5", qdrant.FieldType_FieldTypeKeyword.Enum(), notFive, []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.kind != nil {
				r.index("c", "a", *c.kind, nil)
			}
			got, err := r.Scroll(t.Context(), &qdrant.ScrollPoints{CollectionName: "c", Filter: &qdrant.Filter{Must: []*qdrant.Condition{c.cond}}})
			r.must(err)
			if !slices.Equal(idsOf(got), c.want) {
				t.Fatalf("got %v, want %v", idsOf(got), c.want)
			}
		})
	}
}

// With an index, "not null" and "empty" are asked of the point, without one of each value.
func TestIndexesAskThePoint(t *testing.T) {
	r := start(t)
	r.docs("c")
	x := func(vs ...any) map[string]any {
		var arr []any
		for _, v := range vs {
			arr = append(arr, map[string]any{"x": v})
		}
		return map[string]any{"arr": arr}
	}
	r.upsert("c", point(1, nil, nil, x(nil, int64(1))), point(2, nil, nil, x(int64(1))), point(3, nil, nil, x(nil)), point(4, nil, nil, x()), point(5, nil, nil, x([]any{}, int64(1))))
	field := func(c *qdrant.FieldCondition) []uint64 {
		t.Helper()
		c.Key = "arr[].x"
		got, err := r.Scroll(t.Context(), &qdrant.ScrollPoints{CollectionName: "c", Filter: &qdrant.Filter{Must: []*qdrant.Condition{{ConditionOneOf: &qdrant.Condition_Field{Field: c}}}}})
		r.must(err)
		return idsOf(got)
	}
	check := func(notNull, empty []uint64) {
		t.Helper()
		if got := field(&qdrant.FieldCondition{IsNull: qdrant.PtrOf(false)}); !slices.Equal(got, notNull) {
			t.Errorf("not null: %v, want %v", got, notNull)
		}
		if got := field(&qdrant.FieldCondition{IsEmpty: qdrant.PtrOf(true)}); !slices.Equal(got, empty) {
			t.Errorf("empty: %v, want %v", got, empty)
		}
		if got := field(&qdrant.FieldCondition{IsNull: qdrant.PtrOf(true)}); !slices.Equal(got, []uint64{1, 3}) {
			t.Errorf("null: %v", got)
		}
		if got := field(&qdrant.FieldCondition{IsEmpty: qdrant.PtrOf(false)}); !slices.Equal(got, []uint64{1, 2, 5}) {
			t.Errorf("not empty: %v", got)
		}
	}
	check([]uint64{1, 2, 4, 5}, []uint64{1, 3, 4, 5})
	r.index("c", "arr[].x", qdrant.FieldType_FieldTypeInteger, nil)
	check([]uint64{2, 4, 5}, []uint64{3, 4})
}

func TestConditionsOnPathsAndNulls(t *testing.T) {
	r := start(t)
	r.docs("c")
	r.upsert("c",
		point(1, nil, nil, map[string]any{"arr": []any{map[string]any{"x": int64(1)}, map[string]any{"x": []any{int64(2), int64(3)}}, map[string]any{"x": nil}}, "l": []any{int64(1), nil}, "t": "2024-01-01", "e": []any{[]any{}}, "s": ""}),
		point(2, nil, nil, map[string]any{"arr": []any{}, "l": []any{}, "t": "2024-01-01T00:00:00.5+0100"}),
		point(3, nil, nil, map[string]any{"arr": map[string]any{"x": int64(1)}, "l": nil, "t": "2024-01-01 10:00"}),
		point(4, nil, nil, map[string]any{"arr": []any{map[string]any{"y": int64(1)}}, "t": "2024-01-01T10:00:00Z"}))
	field := func(key string, empty, null *bool) *qdrant.Condition {
		return &qdrant.Condition{ConditionOneOf: &qdrant.Condition_Field{Field: &qdrant.FieldCondition{Key: key, IsEmpty: empty, IsNull: null}}}
	}
	yes, no := qdrant.PtrOf(true), qdrant.PtrOf(false)
	for name, c := range map[string]struct {
		cond *qdrant.Condition
		want []uint64
	}{
		"key into a list":       {qdrant.NewMatchInt("arr.x", 1), []uint64{3}},
		"wildcard":              {qdrant.NewMatchInt("arr[].x", 3), []uint64{1}},
		"element":               {qdrant.NewMatchInt("arr[1].x", 3), []uint64{1}},
		"empty":                 {qdrant.NewIsEmpty("l"), []uint64{2, 3, 4}},
		"empty in a list":       {qdrant.NewIsEmpty("arr[].x"), []uint64{2, 3, 4}},
		"empty list of lists":   {qdrant.NewIsEmpty("e"), []uint64{2, 3, 4}},
		"empty string is not":   {qdrant.NewIsEmpty("s"), []uint64{2, 3, 4}},
		"null":                  {qdrant.NewIsNull("l"), []uint64{1, 3}},
		"null in a list":        {qdrant.NewIsNull("arr[].x"), []uint64{1}},
		"field empty":           {field("arr[].x", yes, nil), []uint64{1, 2, 3, 4}},
		"field not empty":       {field("l", no, nil), []uint64{1}},
		"field null":            {field("l", nil, yes), []uint64{1, 3}},
		"field not null":        {field("l", nil, no), []uint64{2, 4}},
		"field not null, list":  {field("arr", nil, no), []uint64{1, 2, 3, 4}},
		"datetimes from nine":   {qdrant.NewDatetimeRange("t", &qdrant.DatetimeRange{Gte: timestamppb.New(time.Date(2024, 1, 1, 9, 0, 0, 0, time.UTC))}), []uint64{3, 4}},
		"datetimes before 2024": {qdrant.NewDatetimeRange("t", &qdrant.DatetimeRange{Lt: timestamppb.New(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC))}), []uint64{2}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := r.Scroll(t.Context(), &qdrant.ScrollPoints{CollectionName: "c", Filter: &qdrant.Filter{Must: []*qdrant.Condition{c.cond}}})
			r.must(err)
			if !slices.Equal(idsOf(got), c.want) {
				t.Fatalf("got %v, want %v", idsOf(got), c.want)
			}
		})
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

// By plain ids a missing one fails the call, and the others of its chunk are changed all the same.
func TestSetPayloadByIDsFailsHalfWay(t *testing.T) {
	r := start(t)
	r.docs("c")
	var ids []*qdrant.PointId
	for i := range uint64(40) {
		r.upsert("c", point(i, nil, nil, nil))
		if i == 2 {
			ids = append(ids, qdrant.NewIDNum(999))
		}
		ids = append(ids, qdrant.NewIDNum(i))
	}
	_, err := r.SetPayload(t.Context(), &qdrant.SetPayloadPoints{CollectionName: "c", Wait: qdrant.PtrOf(true), Payload: qdrant.NewValueMap(map[string]any{"z": true}), PointsSelector: qdrant.NewPointsSelectorIDs(ids)})
	wantCode(t, err, codes.NotFound)
	r = r.reopen()
	n, err := r.Count(t.Context(), &qdrant.CountPoints{CollectionName: "c", Filter: &qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewMatchBool("z", true)}}})
	r.must(err)
	if n != payloadChunk-1 {
		t.Fatalf("%d points changed", n)
	}
}

func TestIndexesComeAndGo(t *testing.T) {
	ctx := t.Context()
	r := start(t)
	r.must(r.CreateCollection(ctx, &qdrant.CreateCollection{CollectionName: "c", VectorsConfig: qdrant.NewVectorsConfigMap(map[string]*qdrant.VectorParams{"dense": {Size: 4, Distance: qdrant.Distance_Euclid}})}))
	for i := range uint64(30) {
		r.upsert("c", point(i, []float32{float32(i), 0, 0, 0}, nil, map[string]any{"owner": []string{"a", "b", "c"}[i%3], "n": int64(i)}))
	}
	check := func(partitions int) {
		t.Helper()
		got, err := r.Query(ctx, &qdrant.QueryPoints{CollectionName: "c", Query: qdrant.NewQuery(10, 0, 0, 0), Using: qdrant.PtrOf("dense"), Limit: qdrant.PtrOf(uint64(3)),
			ScoreThreshold: qdrant.PtrOf(float32(3)), Filter: &qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewMatch("owner", "a")}}})
		r.must(err)
		if !slices.Equal(idsOf(got), []uint64{9, 12}) || got[0].Score != 1 || got[1].Score != 2 {
			t.Fatalf("got %v", got)
		}
		if n := len(r.srv.collections["c"].parts); n != partitions {
			t.Fatalf("%d partitions, want %d", n, partitions)
		}
	}
	check(1)
	r.index("c", "owner", qdrant.FieldType_FieldTypeKeyword, qdrant.NewPayloadIndexParamsKeyword(&qdrant.KeywordIndexParams{IsTenant: qdrant.PtrOf(true)}))
	check(3)
	r = r.reopen()
	check(3)
	// A point of two owners is found under both.
	_, err := r.SetPayload(ctx, &qdrant.SetPayloadPoints{CollectionName: "c", Wait: qdrant.PtrOf(true), Payload: qdrant.NewValueMap(map[string]any{"owner": []any{"a", "b"}}), PointsSelector: qdrant.NewPointsSelector(qdrant.NewIDNum(9))})
	r.must(err)
	check(4)
	_, err = r.DeleteFieldIndex(ctx, &qdrant.DeleteFieldIndexCollection{CollectionName: "c", FieldName: "owner", Wait: qdrant.PtrOf(true)})
	r.must(err)
	check(1)
	r = r.reopen()
	check(1)
	info, err := r.GetCollectionInfo(ctx, "c")
	r.must(err)
	if len(info.GetPayloadSchema()) != 0 {
		t.Fatalf("got %v", info.GetPayloadSchema())
	}
	_, err = r.Scroll(ctx, &qdrant.ScrollPoints{CollectionName: "c", OrderBy: &qdrant.OrderBy{Key: "n"}})
	wantCode(t, err, codes.InvalidArgument)
	_, err = r.Facet(ctx, &qdrant.FacetCounts{CollectionName: "c", Key: "owner"})
	wantCode(t, err, codes.InvalidArgument)
}

// Answers beyond gRPC's usual 4 MiB, requests up to MaxMessage.
func TestLargeMessages(t *testing.T) {
	r := start(t)
	r.docs("c")
	text := strings.Repeat("长", 1<<18)
	var points []*qdrant.PointStruct
	for i := range uint64(16) {
		points = append(points, point(i, nil, nil, map[string]any{"text": text}))
	}
	r.upsert("c", points...)
	got, err := r.Scroll(t.Context(), &qdrant.ScrollPoints{CollectionName: "c", Limit: qdrant.PtrOf(uint32(16))})
	r.must(err)
	for _, p := range got {
		if p.Payload["text"].GetStringValue() != text {
			t.Fatal("a payload came back changed")
		}
	}
	if len(got) != 16 {
		t.Fatalf("%d points", len(got))
	}
}
