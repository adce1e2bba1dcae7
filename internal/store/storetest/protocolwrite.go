package storetest

import (
	"reflect"
	"slices"
	"time"

	wire "github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
)

func wireHealth(w *wired) {
	r, err := w.HealthCheck(w.t.Context())
	ok(w.t, err)
	if r.GetTitle() == "" || r.GetVersion() == "" {
		w.t.Errorf("health %v", r)
	}
	w.t.Logf("health of %s %s", r.GetTitle(), r.GetVersion())
}

func wireCollection(w *wired) {
	ctx := w.t.Context()
	listed := func() bool {
		names, err := w.ListCollections(ctx)
		ok(w.t, err)
		return slices.Contains(names, w.name)
	}
	there := func() bool {
		is, err := w.CollectionExists(ctx, w.name)
		ok(w.t, err)
		return is
	}
	if there() || listed() {
		w.t.Error("it is there before it was made")
	}
	w.make()
	if !there() || !listed() {
		w.t.Error("it is not there once it was made")
	}
	w.refused("making it again", w.create(), codes.AlreadyExists, "already exists")
	w.upsert(wirePoint(1, []float32{1, 0, 0, 0}, nil, nil), wirePoint(2, nil, nil, nil))
	info, err := w.GetCollectionInfo(ctx, w.name)
	ok(w.t, err)
	dense := info.GetConfig().GetParams().GetVectorsConfig().GetParamsMap().GetMap()["dense"]
	_, terms := info.GetConfig().GetParams().GetSparseVectorsConfig().GetMap()["terms"]
	if info.GetPointsCount() != 2 || dense.GetSize() != 4 || dense.GetDistance() != wire.Distance_Cosine || !terms {
		w.t.Errorf("described as %v", info)
	}
	ok(w.t, w.DeleteCollection(ctx, w.name))
	if there() || listed() {
		w.t.Error("it is there after it was deleted")
	}
	if err := w.DeleteCollection(ctx, w.name); err == nil { // the answer's result is false, which the client makes an error
		w.t.Error("deleted twice")
	}
	w.make()
	w.holds(map[uint64]string{})
}

func wireIndexes(w *wired) {
	ctx := w.t.Context()
	w.make()
	w.upsert(wirePoint(1, nil, nil, map[string]any{"owner": "a", "n": int64(1), "f": 1.5, "b": true, "t": "2024-01-01T00:00:00Z"}), wirePoint(2, nil, nil, nil))
	w.index("owner", wire.FieldType_FieldTypeKeyword, wire.NewPayloadIndexParamsKeyword(&wire.KeywordIndexParams{IsTenant: wire.PtrOf(true)}))
	w.index("n", wire.FieldType_FieldTypeInteger, wire.NewPayloadIndexParamsInt(&wire.IntegerIndexParams{Lookup: wire.PtrOf(true), Range: wire.PtrOf(true)}))
	w.index("f", wire.FieldType_FieldTypeFloat, nil)
	w.index("b", wire.FieldType_FieldTypeBool, nil)
	w.index("t", wire.FieldType_FieldTypeDatetime, nil)
	w.index("f", wire.FieldType_FieldTypeFloat, nil) // again: as it was
	schema := func() map[string]wire.PayloadSchemaType {
		info, err := w.GetCollectionInfo(ctx, w.name)
		ok(w.t, err)
		out := map[string]wire.PayloadSchemaType{}
		for k, v := range info.GetPayloadSchema() {
			out[k] = v.GetDataType()
			if v.GetPoints() != 1 {
				w.t.Errorf("index %s holds %d points", k, v.GetPoints())
			}
		}
		return out
	}
	want := map[string]wire.PayloadSchemaType{
		"owner": wire.PayloadSchemaType_Keyword, "n": wire.PayloadSchemaType_Integer, "f": wire.PayloadSchemaType_Float,
		"b": wire.PayloadSchemaType_Bool, "t": wire.PayloadSchemaType_Datetime,
	}
	if got := schema(); !reflect.DeepEqual(got, want) {
		w.t.Errorf("indexes %v, want %v", got, want)
	}
	w.done(w.DeleteFieldIndex(ctx, &wire.DeleteFieldIndexCollection{CollectionName: w.name, FieldName: "f", Wait: wire.PtrOf(true)}))
	delete(want, "f")
	if got := schema(); !reflect.DeepEqual(got, want) {
		w.t.Errorf("indexes %v, want %v", got, want)
	}
	w.holds(map[uint64]string{1: "[b:true f:1.5 n:1 owner:a t:2024-01-01T00:00:00Z]", 2: "[]"})
}

func wireMissing(w *wired) {
	ctx := w.t.Context()
	ids := wire.NewPointsSelector(wire.NewIDNum(1))
	for what, call := range map[string]func() error{
		"info": func() error { _, err := w.GetCollectionInfo(ctx, w.name); return err },
		"upsert": func() error {
			_, err := w.Upsert(ctx, &wire.UpsertPoints{CollectionName: w.name, Points: []*wire.PointStruct{wirePoint(1, nil, nil, nil)}})
			return err
		},
		"delete": func() error {
			_, err := w.Delete(ctx, &wire.DeletePoints{CollectionName: w.name, Points: ids})
			return err
		},
		"set payload": func() error {
			_, err := w.SetPayload(ctx, &wire.SetPayloadPoints{CollectionName: w.name, PointsSelector: ids})
			return err
		},
		"index": func() error {
			_, err := w.CreateFieldIndex(ctx, &wire.CreateFieldIndexCollection{CollectionName: w.name, FieldName: "f", FieldType: wire.FieldType_FieldTypeFloat.Enum()})
			return err
		},
		"get": func() error {
			_, err := w.Get(ctx, &wire.GetPoints{CollectionName: w.name, Ids: []*wire.PointId{wire.NewIDNum(1)}})
			return err
		},
		"scroll": func() error { _, err := w.Scroll(ctx, &wire.ScrollPoints{CollectionName: w.name}); return err },
		"count":  func() error { _, err := w.Count(ctx, &wire.CountPoints{CollectionName: w.name}); return err },
		"facet": func() error {
			_, err := w.Facet(ctx, &wire.FacetCounts{CollectionName: w.name, Key: "k"})
			return err
		},
		"query": func() error {
			_, err := w.Query(ctx, &wire.QueryPoints{CollectionName: w.name, Query: wire.NewQuery(1, 0, 0, 0), Using: wire.PtrOf("dense")})
			return err
		},
	} {
		w.refused(what, call(), codes.NotFound, w.name)
	}
}

func wireRefused(w *wired) {
	ctx := w.t.Context()
	w.make()
	upsert := func(vectors map[string]*wire.Vector) error {
		good := wirePoint(1, []float32{1, 0, 0, 0}, nil, nil)
		_, err := w.Upsert(ctx, &wire.UpsertPoints{CollectionName: w.name, Wait: wire.PtrOf(true), Points: []*wire.PointStruct{good,
			{Id: wire.NewIDNum(2), Vectors: wire.NewVectorsMap(vectors)}}})
		return err
	}
	query := func(q *wire.QueryPoints) error {
		q.CollectionName = w.name
		_, err := w.Query(ctx, q)
		return err
	}
	id := func(s string) error {
		_, err := w.Get(ctx, &wire.GetPoints{CollectionName: w.name, Ids: []*wire.PointId{wire.NewIDUUID(s)}})
		return err
	}
	w.refused("a vector of another dimension", upsert(map[string]*wire.Vector{"dense": wire.NewVector(1, 2)}), codes.InvalidArgument, "expected dim: 4", "got 2")
	w.refused("a vector of no name", upsert(map[string]*wire.Vector{"nope": wire.NewVector(1, 2, 3, 4)}), codes.InvalidArgument, "nope")
	w.refused("an index twice", upsert(map[string]*wire.Vector{"terms": wire.NewVectorSparse([]uint32{1, 1}, []float32{1, 2})}), codes.InvalidArgument)
	w.refused("a query of another dimension", query(&wire.QueryPoints{Query: wire.NewQuery(1, 2), Using: wire.PtrOf("dense")}), codes.InvalidArgument, "expected dim: 4", "got 2")
	w.refused("a query of no name", query(&wire.QueryPoints{Query: wire.NewQuery(1, 2, 3, 4), Using: wire.PtrOf("nope")}), codes.InvalidArgument, "nope")
	w.refused("a limit of none", query(&wire.QueryPoints{Query: wire.NewQuery(1, 2, 3, 4), Using: wire.PtrOf("dense"), Limit: wire.PtrOf(uint64(0))}), codes.InvalidArgument, "limit")
	w.refused("an id that is none", id("not-an-id"), codes.InvalidArgument)
	_, err := w.SetPayload(ctx, &wire.SetPayloadPoints{CollectionName: w.name, Wait: wire.PtrOf(true), Payload: wire.NewValueMap(map[string]any{"a": "b"}), PointsSelector: wire.NewPointsSelector(wire.NewIDNum(77))})
	w.refused("a payload for a point that is not there", err, codes.NotFound, "77")
	_, err = w.Count(ctx, &wire.CountPoints{CollectionName: w.name, Filter: &wire.Filter{Must: []*wire.Condition{wire.NewIsEmpty("a..b")}}})
	w.refused("a path that is none", err, codes.InvalidArgument)
	_, err = w.Scroll(ctx, &wire.ScrollPoints{CollectionName: w.name, OrderBy: &wire.OrderBy{Key: "n"}})
	w.refused("an order without an index", err, codes.InvalidArgument, "index", "n")
	_, err = w.Facet(ctx, &wire.FacetCounts{CollectionName: w.name, Key: "n"})
	w.refused("a facet without an index", err, codes.InvalidArgument, "index", "n")
	w.holds(map[uint64]string{}) // the good points beside bad ones were not written either
}

func wirePoints(w *wired) {
	ctx := w.t.Context()
	w.make()
	uuid := pid(1)
	payload := map[string]any{"int": int64(-1 << 62), "float": 2.0, "text": "没有 \u202e", "null": nil, "yes": false, "list": []any{int64(1), "a", nil, []any{}}, "object": map[string]any{"a.b": map[string]any{}}}
	p := wirePoint(0, []float32{3, 0, 4, 0}, map[uint32]float32{0: .5, 7: -1, 1<<32 - 1: 2}, payload)
	p.Id = wire.NewIDUUID(uuid)
	w.upsert(p, wirePoint(5, nil, nil, nil))
	got, err := w.Get(ctx, &wire.GetPoints{CollectionName: w.name, Ids: []*wire.PointId{wire.NewIDUUID(uuid), wire.NewIDNum(5), wire.NewIDNum(99)},
		WithPayload: wire.NewWithPayload(true), WithVectors: wire.NewWithVectors(true)})
	ok(w.t, err)
	slices.SortFunc(got, func(a, b *wire.RetrievedPoint) int { return int(b.Id.GetNum()) - int(a.Id.GetNum()) })
	if len(got) != 2 || got[0].Id.GetNum() != 5 || got[1].Id.GetUuid() != uuid {
		w.t.Fatalf("got %v", got)
	}
	back := map[string]any{}
	for k, v := range got[1].Payload {
		back[k] = PlainValue(v)
	}
	if !reflect.DeepEqual(back, payload) {
		w.t.Errorf("payload %v, want %v", back, payload)
	}
	dense, sparse := denseOf(got[1].Vectors), sparseOf(got[1].Vectors)
	if len(dense) != 4 || !near(dense[0], .6) || dense[1] != 0 || !near(dense[2], .8) { // cosine: kept at unit length
		w.t.Errorf("dense %v", dense)
	}
	if !slices.Equal(sparse.GetIndices(), []uint32{0, 7, 1<<32 - 1}) || !slices.Equal(sparse.GetValues(), []float32{.5, -1, 2}) {
		w.t.Errorf("sparse %v", sparse)
	}
	got, err = w.Get(ctx, &wire.GetPoints{CollectionName: w.name, Ids: []*wire.PointId{wire.NewIDUUID(uuid)}})
	ok(w.t, err)
	if len(got) != 1 || len(got[0].Payload) != 0 || denseOf(got[0].Vectors) != nil {
		w.t.Errorf("neither asked for: %v", got)
	}
}

func wireModes(w *wired) {
	w.make()
	put := func(mode wire.UpdateMode, f *wire.Filter, v string, ids ...uint64) {
		w.t.Helper()
		req := &wire.UpsertPoints{CollectionName: w.name, Wait: wire.PtrOf(true), UpdateMode: &mode, UpdateFilter: f}
		for _, id := range ids {
			req.Points = append(req.Points, wirePoint(id, nil, nil, map[string]any{"v": v}))
		}
		w.done(w.Upsert(w.t.Context(), req))
	}
	is := func(v string) *wire.Filter { return &wire.Filter{Must: []*wire.Condition{wire.NewMatch("v", v)}} }
	put(wire.UpdateMode_InsertOnly, nil, "a", 1, 2)
	put(wire.UpdateMode_InsertOnly, nil, "b", 2, 3)
	w.holds(map[uint64]string{1: "[v:a]", 2: "[v:a]", 3: "[v:b]"})
	put(wire.UpdateMode_UpdateOnly, nil, "c", 3, 4)
	w.holds(map[uint64]string{1: "[v:a]", 2: "[v:a]", 3: "[v:c]"})
	put(wire.UpdateMode_UpdateOnly, is("a"), "d", 1, 3, 4)
	w.holds(map[uint64]string{1: "[v:d]", 2: "[v:a]", 3: "[v:c]"})
	put(wire.UpdateMode_Upsert, is("a"), "e", 1, 2, 5) // what is not there is inserted whatever the filter
	w.holds(map[uint64]string{1: "[v:d]", 2: "[v:e]", 3: "[v:c]", 5: "[v:e]"})
}

func wirePayloads(w *wired) {
	ctx, wait := w.t.Context(), wire.PtrOf(true)
	w.make()
	w.upsert(wirePoint(1, nil, nil, map[string]any{"a": "x", "o": map[string]any{"p": int64(1)}}), wirePoint(2, nil, nil, map[string]any{"a": "y"}))
	one := wire.NewPointsSelector(wire.NewIDNum(1))
	values := func(m map[string]any) map[string]*wire.Value { return wire.NewValueMap(m) }
	w.done(w.SetPayload(ctx, &wire.SetPayloadPoints{CollectionName: w.name, Wait: wait, Payload: values(map[string]any{"b": int64(1)}), PointsSelector: one}))
	w.holds(map[uint64]string{1: "[a:x b:1 o:map[p:1]]", 2: "[a:y]"})
	w.done(w.SetPayload(ctx, &wire.SetPayloadPoints{CollectionName: w.name, Wait: wait, Key: wire.PtrOf("o"), Payload: values(map[string]any{"q": int64(2)}), PointsSelector: one}))
	w.holds(map[uint64]string{1: "[a:x b:1 o:map[p:1 q:2]]", 2: "[a:y]"})
	y := wire.NewPointsSelectorFilter(&wire.Filter{Must: []*wire.Condition{wire.NewMatch("a", "y")}})
	w.done(w.SetPayload(ctx, &wire.SetPayloadPoints{CollectionName: w.name, Wait: wait, Payload: values(map[string]any{"c": true}), PointsSelector: y}))
	w.holds(map[uint64]string{1: "[a:x b:1 o:map[p:1 q:2]]", 2: "[a:y c:true]"})
	nobody := wire.NewPointsSelectorFilter(&wire.Filter{Must: []*wire.Condition{wire.NewHasID(wire.NewIDNum(77)), wire.NewMatch("a", "y")}})
	w.done(w.SetPayload(ctx, &wire.SetPayloadPoints{CollectionName: w.name, Wait: wait, Payload: values(map[string]any{"c": false}), PointsSelector: nobody})) // resurrects nothing
	w.holds(map[uint64]string{1: "[a:x b:1 o:map[p:1 q:2]]", 2: "[a:y c:true]"})
	w.done(w.DeletePayload(ctx, &wire.DeletePayloadPoints{CollectionName: w.name, Wait: wait, Keys: []string{"b", "o.p", "nope"}, PointsSelector: one}))
	w.holds(map[uint64]string{1: "[a:x o:map[q:2]]", 2: "[a:y c:true]"})
	w.done(w.OverwritePayload(ctx, &wire.SetPayloadPoints{CollectionName: w.name, Wait: wait, Payload: values(map[string]any{"z": 1.5}), PointsSelector: one}))
	w.holds(map[uint64]string{1: "[z:1.5]", 2: "[a:y c:true]"})
	w.done(w.ClearPayload(ctx, &wire.ClearPayloadPoints{CollectionName: w.name, Wait: wait, Points: wire.NewPointsSelectorFilter(&wire.Filter{})}))
	w.holds(map[uint64]string{1: "[]", 2: "[]"})
}

func wireDeletion(w *wired) {
	ctx, wait := w.t.Context(), wire.PtrOf(true)
	w.make()
	for id := range uint64(6) {
		w.upsert(wirePoint(id, []float32{1, 0, 0, float32(id)}, nil, map[string]any{"even": id%2 == 0}))
	}
	w.done(w.Delete(ctx, &wire.DeletePoints{CollectionName: w.name, Wait: wait, Points: wire.NewPointsSelector(wire.NewIDNum(1), wire.NewIDNum(77))}))
	w.done(w.Delete(ctx, &wire.DeletePoints{CollectionName: w.name, Wait: wait, Points: wire.NewPointsSelectorFilter(&wire.Filter{Must: []*wire.Condition{wire.NewMatchBool("even", true)}, MustNot: []*wire.Condition{wire.NewHasID(wire.NewIDNum(4))}})}))
	w.holds(map[uint64]string{3: "[even:false]", 4: "[even:true]", 5: "[even:false]"})
	w.upsert(wirePoint(1, nil, nil, nil)) // the place is free
	w.holds(map[uint64]string{1: "[]", 3: "[even:false]", 4: "[even:true]", 5: "[even:false]"})
}

func wireUpdateBatch(w *wired) {
	w.make()
	one := wire.NewPointsSelector(wire.NewIDNum(1))
	got, err := w.UpdateBatch(w.t.Context(), &wire.UpdateBatchPoints{CollectionName: w.name, Wait: wire.PtrOf(true), Operations: []*wire.PointsUpdateOperation{
		wire.NewPointsUpdateUpsert(&wire.PointsUpdateOperation_PointStructList{Points: []*wire.PointStruct{wirePoint(1, nil, nil, map[string]any{"a": "x"}), wirePoint(2, nil, nil, nil)}}),
		wire.NewPointsUpdateSetPayload(&wire.PointsUpdateOperation_SetPayload{Payload: wire.NewValueMap(map[string]any{"b": "y"}), PointsSelector: one}),
		wire.NewPointsUpdateDeletePayload(&wire.PointsUpdateOperation_DeletePayload{Keys: []string{"a"}, PointsSelector: one}),
		wire.NewPointsUpdateDeletePoints(&wire.PointsUpdateOperation_DeletePoints{Points: wire.NewPointsSelector(wire.NewIDNum(2))}),
	}})
	ok(w.t, err)
	if len(got) != 4 {
		w.t.Errorf("%d results", len(got))
	}
	for _, r := range got {
		w.done(r, nil)
	}
	w.holds(map[uint64]string{1: "[b:y]"})
}

func wireNoWait(w *wired) {
	w.make()
	r, err := w.Upsert(w.t.Context(), &wire.UpsertPoints{CollectionName: w.name, Wait: wire.PtrOf(false), Points: []*wire.PointStruct{wirePoint(1, nil, nil, nil)}})
	ok(w.t, err)
	if r.GetStatus() != wire.UpdateStatus_Acknowledged {
		w.t.Errorf("status %s", r.GetStatus())
	}
	deadline := time.Now().Add(10 * time.Second)
	for len(w.payloads()) == 0 {
		if time.Now().After(deadline) {
			w.t.Fatal("an acknowledged write did not show up in 10 s")
		}
		time.Sleep(time.Millisecond) // polling
	}
}
