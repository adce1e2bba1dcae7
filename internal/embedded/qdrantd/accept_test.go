package qdrantd

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// method is a handled method with an empty request of its type.
type method struct {
	name string // full gRPC name
	req  proto.Message
	resp proto.Message
}

func handledMethods() []method {
	return []method{
		{qdrant.Qdrant_HealthCheck_FullMethodName, &qdrant.HealthCheckRequest{}, &qdrant.HealthCheckReply{}},
		{qdrant.Collections_Create_FullMethodName, &qdrant.CreateCollection{}, &qdrant.CollectionOperationResponse{}},
		{qdrant.Collections_Delete_FullMethodName, &qdrant.DeleteCollection{}, &qdrant.CollectionOperationResponse{}},
		{qdrant.Collections_List_FullMethodName, &qdrant.ListCollectionsRequest{}, &qdrant.ListCollectionsResponse{}},
		{qdrant.Collections_Get_FullMethodName, &qdrant.GetCollectionInfoRequest{}, &qdrant.GetCollectionInfoResponse{}},
		{qdrant.Collections_CollectionExists_FullMethodName, &qdrant.CollectionExistsRequest{}, &qdrant.CollectionExistsResponse{}},
		{qdrant.Points_Upsert_FullMethodName, &qdrant.UpsertPoints{}, &qdrant.PointsOperationResponse{}},
		{qdrant.Points_Delete_FullMethodName, &qdrant.DeletePoints{}, &qdrant.PointsOperationResponse{}},
		{qdrant.Points_Get_FullMethodName, &qdrant.GetPoints{}, &qdrant.GetResponse{}},
		{qdrant.Points_SetPayload_FullMethodName, &qdrant.SetPayloadPoints{}, &qdrant.PointsOperationResponse{}},
		{qdrant.Points_OverwritePayload_FullMethodName, &qdrant.SetPayloadPoints{}, &qdrant.PointsOperationResponse{}},
		{qdrant.Points_DeletePayload_FullMethodName, &qdrant.DeletePayloadPoints{}, &qdrant.PointsOperationResponse{}},
		{qdrant.Points_ClearPayload_FullMethodName, &qdrant.ClearPayloadPoints{}, &qdrant.PointsOperationResponse{}},
		{qdrant.Points_CreateFieldIndex_FullMethodName, &qdrant.CreateFieldIndexCollection{}, &qdrant.PointsOperationResponse{}},
		{qdrant.Points_DeleteFieldIndex_FullMethodName, &qdrant.DeleteFieldIndexCollection{}, &qdrant.PointsOperationResponse{}},
		{qdrant.Points_Scroll_FullMethodName, &qdrant.ScrollPoints{}, &qdrant.ScrollResponse{}},
		{qdrant.Points_Count_FullMethodName, &qdrant.CountPoints{}, &qdrant.CountResponse{}},
		{qdrant.Points_Facet_FullMethodName, &qdrant.FacetCounts{}, &qdrant.FacetResponse{}},
		{qdrant.Points_Query_FullMethodName, &qdrant.QueryPoints{}, &qdrant.QueryResponse{}},
		{qdrant.Points_QueryBatch_FullMethodName, &qdrant.QueryBatchPoints{}, &qdrant.QueryBatchResponse{}},
		{qdrant.Points_UpdateBatch_FullMethodName, &qdrant.UpdateBatchPoints{}, &qdrant.UpdateBatchResponse{}},
	}
}

// chains calls fn with every chain of fields, from a message down, that ends in one the table does not accept.
func chains(d protoreflect.MessageDescriptor, at []protoreflect.FieldDescriptor, seen map[protoreflect.FullName]bool, fn func([]protoreflect.FieldDescriptor)) {
	if opaque[d.FullName()] || seen[d.FullName()] {
		return
	}
	seen[d.FullName()] = true
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		here := append(at[:len(at):len(at)], f)
		switch set := accepted[d.FullName()]; {
		case !set["*"] && !set[f.Name()]:
			fn(here)
		case f.IsMap() && f.MapValue().Message() != nil:
			chains(f.MapValue().Message(), here, seen, fn)
		case f.Message() != nil && !f.IsMap():
			chains(f.Message(), here, seen, fn)
		}
	}
	delete(seen, d.FullName())
}

// fill sets the field at the end of the chain to something, and what leads there.
func fill(m protoreflect.Message, chain []protoreflect.FieldDescriptor) {
	f := chain[0]
	if len(chain) > 1 {
		switch {
		case f.IsMap():
			v := m.Mutable(f).Map().NewValue()
			fill(v.Message(), chain[1:])
			m.Mutable(f).Map().Set(protoreflect.ValueOfString("k").MapKey(), v)
		case f.IsList():
			fill(m.Mutable(f).List().AppendMutable().Message(), chain[1:])
		default:
			fill(m.Mutable(f).Message(), chain[1:])
		}
		return
	}
	scalar := func(f protoreflect.FieldDescriptor) protoreflect.Value {
		switch f.Kind() {
		case protoreflect.BoolKind:
			return protoreflect.ValueOfBool(true)
		case protoreflect.EnumKind:
			return protoreflect.ValueOfEnum(1)
		case protoreflect.Int32Kind:
			return protoreflect.ValueOfInt32(1)
		case protoreflect.Int64Kind:
			return protoreflect.ValueOfInt64(1)
		case protoreflect.Uint32Kind:
			return protoreflect.ValueOfUint32(1)
		case protoreflect.Uint64Kind:
			return protoreflect.ValueOfUint64(1)
		case protoreflect.FloatKind:
			return protoreflect.ValueOfFloat32(1)
		case protoreflect.DoubleKind:
			return protoreflect.ValueOfFloat64(1)
		case protoreflect.StringKind:
			return protoreflect.ValueOfString("s")
		}
		panic(f.FullName())
	}
	switch {
	case f.IsMap():
		m.Mutable(f).Map().Set(protoreflect.ValueOfString("k").MapKey(), m.Mutable(f).Map().NewValue())
	case f.IsList() && f.Message() != nil:
		m.Mutable(f).List().AppendMutable()
	case f.IsList():
		m.Mutable(f).List().Append(scalar(f))
	case f.Message() != nil:
		m.Mutable(f)
	default:
		m.Set(f, scalar(f))
	}
}

// TestEveryOtherParameterIsRefused sets, in every request of a handled method and at any depth, each field that is not
// in the table of accepted ones, and wants Unimplemented with the field's name.
func TestEveryOtherParameterIsRefused(t *testing.T) {
	r := start(t)
	conn := r.GetConnection()
	n := 0
	for _, m := range handledMethods() {
		chains(m.req.ProtoReflect().Descriptor(), nil, map[protoreflect.FullName]bool{}, func(chain []protoreflect.FieldDescriptor) {
			n++
			req := proto.Clone(m.req)
			fill(req.ProtoReflect(), chain)
			err := conn.Invoke(context.Background(), m.name, req, proto.Clone(m.resp))
			name := string(chain[len(chain)-1].Name())
			if status.Code(err) != codes.Unimplemented || !strings.Contains(err.Error(), "`"+name+"`") {
				t.Errorf("%s with %v: %v", m.name, chain, err)
			}
		})
	}
	if n < 100 {
		t.Fatalf("only %d parameters were tried", n)
	}
	t.Logf("%d parameters refused", n)
}

func TestFieldsNewerThanTheClientLibraryAreRefused(t *testing.T) {
	r := start(t)
	for _, m := range handledMethods() {
		req := proto.Clone(m.req)
		req.ProtoReflect().SetUnknown([]byte{0xc2, 0x3e, 0x00}) // field 1000, empty
		wantCode(t, r.GetConnection().Invoke(t.Context(), m.name, req, proto.Clone(m.resp)), codes.Unimplemented)
	}
}

// TestTableNamesRealFields keeps typing errors out of the table.
func TestTableNamesRealFields(t *testing.T) {
	for name, set := range accepted {
		d, err := protoregistry.GlobalFiles.FindDescriptorByName(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for f := range set {
			if f != "*" && d.(protoreflect.MessageDescriptor).Fields().ByName(f) == nil {
				t.Errorf("%s has no field %s", name, f)
			}
		}
	}
}

// TestPayloadFieldNumber holds the way payloads are stored to the protocol: see payload.go.
func TestPayloadFieldNumber(t *testing.T) {
	for _, m := range []proto.Message{&qdrant.RetrievedPoint{}, &qdrant.ScoredPoint{}} {
		if n := m.ProtoReflect().Descriptor().Fields().ByName("payload").Number(); n != 2 {
			t.Errorf("%T.payload is field %d", m, n)
		}
	}
}

// TestUnsupportedValues refuses values of accepted parameters that it cannot honour.
func TestUnsupportedValues(t *testing.T) {
	ctx := t.Context()
	r := start(t)
	r.docs("c")
	create := func(edit func(*qdrant.CreateCollection)) func() error {
		return func() error {
			req := &qdrant.CreateCollection{CollectionName: "new",
				VectorsConfig:       qdrant.NewVectorsConfigMap(map[string]*qdrant.VectorParams{"d": {Size: 4, Distance: qdrant.Distance_Dot}}),
				SparseVectorsConfig: qdrant.NewSparseVectorsConfig(map[string]*qdrant.SparseVectorParams{"s": {}})}
			edit(req)
			return r.CreateCollection(ctx, req)
		}
	}
	dense := func(req *qdrant.CreateCollection) *qdrant.VectorParams {
		return req.VectorsConfig.GetParamsMap().Map["d"]
	}
	index := func(typ qdrant.FieldType) func() error {
		return func() error {
			_, err := r.CreateFieldIndex(ctx, &qdrant.CreateFieldIndexCollection{CollectionName: "c", FieldName: "f", FieldType: &typ})
			return err
		}
	}
	for name, c := range map[string]struct {
		call func() error
		says string
	}{
		"manhattan": {create(func(q *qdrant.CreateCollection) { dense(q).Distance = qdrant.Distance_Manhattan }), "distance"},
		"datatype":  {create(func(q *qdrant.CreateCollection) { dense(q).Datatype = qdrant.PtrOf(qdrant.Datatype_Uint8) }), "datatype"},
		"sparse type": {create(func(q *qdrant.CreateCollection) {
			q.SparseVectorsConfig.Map["s"].Index = &qdrant.SparseIndexConfig{Datatype: qdrant.PtrOf(qdrant.Datatype_Float16)}
		}), "datatype"},
		"idf": {create(func(q *qdrant.CreateCollection) {
			q.SparseVectorsConfig.Map["s"].Modifier = qdrant.PtrOf(qdrant.Modifier_Idf)
		}), "modifier"},
		"shards":      {create(func(q *qdrant.CreateCollection) { q.ShardNumber = qdrant.PtrOf(uint32(2)) }), "shard_number"},
		"replicas":    {create(func(q *qdrant.CreateCollection) { q.ReplicationFactor = qdrant.PtrOf(uint32(3)) }), "replication_factor"},
		"consistency": {create(func(q *qdrant.CreateCollection) { q.WriteConsistencyFactor = qdrant.PtrOf(uint32(2)) }), "write_consistency_factor"},
		"sharding":    {create(func(q *qdrant.CreateCollection) { q.ShardingMethod = qdrant.PtrOf(qdrant.ShardingMethod_Custom) }), "sharding_method"},
		"text index":  {index(qdrant.FieldType_FieldTypeText), "field_type"},
		"geo index":   {index(qdrant.FieldType_FieldTypeGeo), "field_type"},
		"uuid index":  {index(qdrant.FieldType_FieldTypeUuid), "field_type"},
		"update mode": {func() error {
			_, err := r.Upsert(ctx, &qdrant.UpsertPoints{CollectionName: "c", UpdateMode: qdrant.PtrOf(qdrant.UpdateMode(99))})
			return err
		}, "update_mode"},
		"overwrite under key": {func() error {
			_, err := r.OverwritePayload(ctx, &qdrant.SetPayloadPoints{CollectionName: "c", Key: qdrant.PtrOf("a"), PointsSelector: qdrant.NewPointsSelector(qdrant.NewIDNum(1))})
			return err
		}, "key"},
		"offset of an order": {func() error {
			r.index("c", "n", qdrant.FieldType_FieldTypeInteger, nil)
			_, err := r.Scroll(ctx, &qdrant.ScrollPoints{CollectionName: "c", OrderBy: &qdrant.OrderBy{Key: "n"}, Offset: qdrant.NewIDNum(1)})
			return err
		}, "offset"},
		"two conditions in one": {func() error {
			_, err := r.Count(ctx, &qdrant.CountPoints{CollectionName: "c", Filter: &qdrant.Filter{Must: []*qdrant.Condition{{ConditionOneOf: &qdrant.Condition_Field{
				Field: &qdrant.FieldCondition{Key: "a", IsNull: qdrant.PtrOf(true), Match: &qdrant.Match{MatchValue: &qdrant.Match_Integer{Integer: 1}}}}}}}})
			return err
		}, "FieldCondition"},
		"threshold without a query": {func() error {
			_, err := r.Query(ctx, &qdrant.QueryPoints{CollectionName: "c", ScoreThreshold: qdrant.PtrOf(float32(1))})
			return err
		}, "score_threshold"},
		"another service": {func() error {
			_, err := r.CreateSnapshot(ctx, "c")
			return err
		}, "CreateSnapshot"},
		"another method": {func() error {
			_, err := r.UpdateVectors(ctx, &qdrant.UpdatePointVectors{CollectionName: "c"})
			return err
		}, "UpdateVectors"},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.call()
			wantCode(t, err, codes.Unimplemented)
			if !strings.Contains(err.Error(), c.says) && name != "another service" {
				t.Fatalf("does not name %s: %v", c.says, err)
			}
		})
	}
}

func TestWriteErrors(t *testing.T) {
	ctx := t.Context()
	r := start(t)
	r.docs("c")
	for name, c := range map[string]struct {
		p    *qdrant.PointStruct
		code codes.Code
		says string
	}{
		"dimension":    {point(1, []float32{1}, nil, nil), codes.InvalidArgument, "expected dim: 4, got 1"},
		"vector name":  {&qdrant.PointStruct{Id: qdrant.NewIDNum(1), Vectors: qdrant.NewVectorsMap(map[string]*qdrant.Vector{"nope": qdrant.NewVector(1)})}, codes.InvalidArgument, "Not existing vector name error: nope"},
		"uuid":         {&qdrant.PointStruct{Id: qdrant.NewIDUUID("not-a-uuid"), Vectors: qdrant.NewVectorsMap(nil)}, codes.InvalidArgument, "UUID"},
		"no id":        {&qdrant.PointStruct{Vectors: qdrant.NewVectorsMap(nil)}, codes.InvalidArgument, "PointId"},
		"no vectors":   {&qdrant.PointStruct{Id: qdrant.NewIDNum(1)}, codes.InvalidArgument, "vectors"},
		"unnamed":      {&qdrant.PointStruct{Id: qdrant.NewIDNum(1), Vectors: qdrant.NewVectors(1, 2, 3, 4)}, codes.Unimplemented, "vector"},
		"sparse dense": {&qdrant.PointStruct{Id: qdrant.NewIDNum(1), Vectors: qdrant.NewVectorsMap(map[string]*qdrant.Vector{"dense": qdrant.NewVectorSparse([]uint32{1}, []float32{1})})}, codes.InvalidArgument, "sparse"},
		"same index":   {&qdrant.PointStruct{Id: qdrant.NewIDNum(1), Vectors: qdrant.NewVectorsMap(map[string]*qdrant.Vector{"terms": qdrant.NewVectorSparse([]uint32{1, 1}, []float32{1, 2})})}, codes.InvalidArgument, "unique"},
	} {
		t.Run(name, func(t *testing.T) {
			// A good point beside it is not written either.
			_, err := r.Upsert(ctx, &qdrant.UpsertPoints{CollectionName: "c", Wait: qdrant.PtrOf(true), Points: []*qdrant.PointStruct{point(77, nil, nil, nil), c.p}})
			wantCode(t, err, c.code)
			if !strings.Contains(err.Error(), c.says) {
				t.Fatalf("does not say %q: %v", c.says, err)
			}
		})
	}
	if n, err := r.Count(ctx, &qdrant.CountPoints{CollectionName: "c"}); err != nil || n != 0 {
		t.Fatalf("%d points, %v", n, err)
	}
}

func TestUpdateBatch(t *testing.T) {
	ctx := t.Context()
	r := start(t)
	r.docs("c")
	ops := []*qdrant.PointsUpdateOperation{
		{Operation: &qdrant.PointsUpdateOperation_Upsert{Upsert: &qdrant.PointsUpdateOperation_PointStructList{Points: []*qdrant.PointStruct{point(1, nil, nil, map[string]any{"a": "x"}), point(2, nil, nil, nil)}}}},
		{Operation: &qdrant.PointsUpdateOperation_SetPayload_{SetPayload: &qdrant.PointsUpdateOperation_SetPayload{Payload: qdrant.NewValueMap(map[string]any{"b": "y"}), PointsSelector: qdrant.NewPointsSelector(qdrant.NewIDNum(1))}}},
		{Operation: &qdrant.PointsUpdateOperation_DeletePayload_{DeletePayload: &qdrant.PointsUpdateOperation_DeletePayload{Keys: []string{"a"}, PointsSelector: qdrant.NewPointsSelector(qdrant.NewIDNum(1))}}},
		{Operation: &qdrant.PointsUpdateOperation_DeletePoints_{DeletePoints: &qdrant.PointsUpdateOperation_DeletePoints{Points: qdrant.NewPointsSelector(qdrant.NewIDNum(2))}}},
	}
	res, err := r.UpdateBatch(ctx, &qdrant.UpdateBatchPoints{CollectionName: "c", Wait: qdrant.PtrOf(true), Operations: ops})
	r.must(err)
	if len(res) != 4 || res[3].GetStatus() != qdrant.UpdateStatus_Completed {
		t.Fatalf("got %v", res)
	}
	_, err = r.UpdateBatch(ctx, &qdrant.UpdateBatchPoints{CollectionName: "c", Wait: qdrant.PtrOf(true), Operations: []*qdrant.PointsUpdateOperation{
		{Operation: &qdrant.PointsUpdateOperation_OverwritePayload_{OverwritePayload: &qdrant.PointsUpdateOperation_OverwritePayload{Payload: qdrant.NewValueMap(map[string]any{"c": "z"}), PointsSelector: qdrant.NewPointsSelector(qdrant.NewIDNum(1))}}},
		{Operation: &qdrant.PointsUpdateOperation_ClearPayload_{ClearPayload: &qdrant.PointsUpdateOperation_ClearPayload{Points: qdrant.NewPointsSelector(qdrant.NewIDNum(9))}}},
	}})
	wantCode(t, err, codes.NotFound)
	r = r.reopen()
	got, err := r.Scroll(ctx, &qdrant.ScrollPoints{CollectionName: "c"})
	r.must(err)
	if fmt.Sprint(idsOf(got)) != "[1]" || len(got[0].Payload) != 1 || got[0].Payload["c"].GetStringValue() != "z" {
		t.Fatalf("got %v", got)
	}
}
