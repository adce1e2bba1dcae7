package qdrant

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// What the library decodes by reflection is the right answer for what is read from the wire at once.
func TestRepliesReadAsTheLibraryDecodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		batch := &qdrant.QueryBatchResponse{Time: 1.5}
		var results [][]schema.Hit
		for range rapid.IntRange(0, 3).Draw(t, "searches") {
			r := &qdrant.BatchResult{}
			for range rapid.IntRange(0, 3).Draw(t, "points") {
				r.Result = append(r.Result, &qdrant.ScoredPoint{
					Id: drawID(t), Payload: drawPayload(t), Score: rapid.Float32().Draw(t, "score"), Version: 7, Vectors: drawVectors(t),
				})
			}
			batch.Result = append(batch.Result, r)
			results = append(results, hitsOf(r))
		}
		var b batchReply
		decode(t, batch, &b)
		for i, ps := range b.results {
			if got, want := hits(ps), results[i]; !same(got, want) {
				t.Fatalf("search %d: read %#v, want %#v", i, got, want)
			}
		}
		if len(b.results) != len(results) {
			t.Fatalf("%d results, want %d", len(b.results), len(results))
		}

		page := &qdrant.ScrollResponse{Time: 1.5}
		if rapid.Bool().Draw(t, "more") {
			page.NextPageOffset = drawID(t)
		}
		for range rapid.IntRange(0, 3).Draw(t, "points") {
			p := &qdrant.RetrievedPoint{Id: drawID(t), Payload: drawPayload(t), Vectors: drawVectors(t)}
			switch rapid.IntRange(0, 2).Draw(t, "order") {
			case 1:
				p.OrderValue = &qdrant.OrderValue{Variant: &qdrant.OrderValue_Int{Int: rapid.Int64().Draw(t, "value")}}
			case 2:
				p.OrderValue = &qdrant.OrderValue{Variant: &qdrant.OrderValue_Float{Float: rapid.Float64().Draw(t, "value")}}
			}
			page.Result = append(page.Result, p)
		}
		var pr pageReply
		decode(t, page, &pr)
		checkPoints(t, pr.points, page.Result)
		if want := page.GetNextPageOffset().GetUuid(); pr.next != want {
			t.Fatalf("next page %q, want %q", pr.next, want)
		}
		var gr pointsReply
		decode(t, &qdrant.GetResponse{Result: page.Result, Time: 2}, &gr)
		checkPoints(t, gr.points, page.Result)
	})
}

func decode(t *rapid.T, m proto.Message, r reply) {
	t.Helper()
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.read(b); err != nil {
		t.Fatalf("read: %v", err)
	}
}

func checkPoints(t *rapid.T, got []found, want []*qdrant.RetrievedPoint) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d points, want %d", len(got), len(want))
	}
	for i, p := range want {
		if !same(got[i].Point, pointOf(p)) {
			t.Fatalf("point %d: read %#v, want %#v", i, got[i].Point, pointOf(p))
		}
		var order any
		switch v := p.GetOrderValue().GetVariant().(type) {
		case *qdrant.OrderValue_Int:
			order = v.Int
		case *qdrant.OrderValue_Float:
			order = v.Float
		}
		if got[i].order != order {
			t.Fatalf("point %d: ordered by %v, want %v", i, got[i].order, order)
		}
	}
}

// same tells an empty slice from none no more than the wire does.
func same(a, b any) bool { return reflect.DeepEqual(a, b) }

func drawID(t *rapid.T) *qdrant.PointId {
	if rapid.Bool().Draw(t, "number") {
		return qdrant.NewIDNum(rapid.Uint64().Draw(t, "id"))
	}
	return qdrant.NewIDUUID(rapid.StringMatching(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`).Draw(t, "id"))
}

func drawPayload(t *rapid.T) map[string]*qdrant.Value {
	return rapid.MapOfN(rapid.String(), drawValue(3), 0, 5).Draw(t, "payload")
}

func drawValue(depth int) *rapid.Generator[*qdrant.Value] {
	leaf := []*rapid.Generator[*qdrant.Value]{
		rapid.Map(rapid.String(), qdrant.NewValueString), rapid.Map(rapid.Int64(), qdrant.NewValueInt),
		rapid.Map(rapid.Float64(), qdrant.NewValueDouble), rapid.Map(rapid.Bool(), qdrant.NewValueBool),
		rapid.Just(qdrant.NewValueNull()), rapid.Just(&qdrant.Value{}),
	}
	if depth == 0 {
		return rapid.OneOf(leaf...)
	}
	list := func(vs []*qdrant.Value) *qdrant.Value { return qdrant.NewValueFromList(vs...) }
	ints := rapid.SliceOfN(rapid.Map(rapid.Int64(), qdrant.NewValueInt), 0, 4)
	return rapid.OneOf(append(leaf, rapid.Map(ints, list),
		rapid.Map(rapid.SliceOfN(drawValue(depth-1), 0, 3), list),
		rapid.Map(rapid.MapOfN(rapid.String(), drawValue(depth-1), 0, 3), qdrant.NewValueFromFields))...)
}

func drawVectors(t *rapid.T) *qdrant.VectorsOutput {
	switch rapid.IntRange(0, 2).Draw(t, "vectors") {
	case 0:
		return nil
	case 1: // of a collection with one vector without a name: not ours
		return &qdrant.VectorsOutput{VectorsOptions: &qdrant.VectorsOutput_Vector{Vector: &qdrant.VectorOutput{
			Vector: &qdrant.VectorOutput_Dense{Dense: &qdrant.DenseVector{Data: []float32{1}}}}}}
	}
	named := map[string]*qdrant.VectorOutput{"other": {Vector: &qdrant.VectorOutput_Dense{Dense: &qdrant.DenseVector{Data: []float32{2}}}}}
	if v := rapid.SliceOfN(rapid.Float32(), 1, 5).Draw(t, "dense"); rapid.Bool().Draw(t, "has dense") {
		named[schema.VectorDense] = &qdrant.VectorOutput{Vector: &qdrant.VectorOutput_Dense{Dense: &qdrant.DenseVector{Data: v}}}
	}
	if n := rapid.IntRange(1, 5).Draw(t, "terms"); rapid.Bool().Draw(t, "has sparse") {
		named[schema.VectorTerms] = &qdrant.VectorOutput{Vector: &qdrant.VectorOutput_Sparse{Sparse: &qdrant.SparseVector{
			Indices: rapid.SliceOfN(rapid.Uint32(), n, n).Draw(t, "indices"), Values: rapid.SliceOfN(rapid.Float32(), n, n).Draw(t, "values")}}}
	}
	return &qdrant.VectorsOutput{VectorsOptions: &qdrant.VectorsOutput_Vectors{Vectors: &qdrant.NamedVectorsOutput{Vectors: named}}}
}

func hitsOf(r *qdrant.BatchResult) []schema.Hit {
	out := make([]schema.Hit, len(r.GetResult()))
	for i, p := range r.GetResult() {
		out[i] = schema.Hit{ID: p.GetId().GetUuid(), Score: float64(p.GetScore())}
		if len(p.GetPayload()) > 0 {
			out[i].Payload = payloadOf(p.GetPayload())
		}
		if v := p.GetVectors().GetVectors().GetVectors()[schema.VectorTerms]; v != nil {
			out[i].Terms = v.GetSparseVector().GetIndices()
		}
	}
	return out
}

func pointOf(r *qdrant.RetrievedPoint) schema.Point {
	p := schema.Point{ID: r.GetId().GetUuid(), Payload: payloadOf(r.GetPayload())}
	named := r.GetVectors().GetVectors().GetVectors()
	p.Dense = named[schema.VectorDense].GetDenseVector().GetData()
	if s := named[schema.VectorTerms].GetSparseVector(); s != nil {
		p.Sparse = &schema.Sparse{Indices: s.GetIndices(), Values: s.GetValues()}
	}
	return p
}

func payloadOf(m map[string]*qdrant.Value) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = valueOf(v)
	}
	return out
}

func valueOf(v *qdrant.Value) any {
	switch x := v.GetKind().(type) {
	case *qdrant.Value_StringValue:
		return x.StringValue
	case *qdrant.Value_BoolValue:
		return x.BoolValue
	case *qdrant.Value_IntegerValue:
		return x.IntegerValue
	case *qdrant.Value_DoubleValue:
		return x.DoubleValue
	case *qdrant.Value_StructValue:
		return payloadOf(x.StructValue.GetFields())
	case *qdrant.Value_ListValue:
		xs := make([]any, len(x.ListValue.GetValues()))
		kinds := map[reflect.Type]bool{}
		for i, v := range x.ListValue.GetValues() {
			xs[i] = valueOf(v)
			kinds[reflect.TypeOf(xs[i])] = true
		}
		if len(kinds) != 1 || xs[0] == nil {
			return xs
		}
		switch kind := reflect.TypeOf(xs[0]); kind {
		case reflect.TypeFor[string](), reflect.TypeFor[int64](), reflect.TypeFor[float64](), reflect.TypeFor[map[string]any]():
			list := reflect.MakeSlice(reflect.SliceOf(kind), len(xs), len(xs))
			for i, x := range xs {
				list.Index(i).Set(reflect.ValueOf(x))
			}
			return list.Interface()
		}
		return xs
	}
	return nil
}

// Whatever arrives, reading it ends, and never in a panic.
func FuzzReplies(f *testing.F) {
	deep := []byte{}
	for range 200 { // a list in a list in a list …
		deep = append(append([]byte{0x0a, byte(len(deep))}, deep...), 0x3a, 0)
	}
	for _, m := range []proto.Message{
		&qdrant.QueryBatchResponse{Result: []*qdrant.BatchResult{{Result: []*qdrant.ScoredPoint{{
			Id: qdrant.NewIDUUID("00000000-0000-4000-8000-000000000001"), Score: 1, Payload: map[string]*qdrant.Value{"a": qdrant.NewValueInt(1)}}}}}},
		&qdrant.ScrollResponse{Result: []*qdrant.RetrievedPoint{{Payload: map[string]*qdrant.Value{"a": qdrant.NewValueFromList(qdrant.NewValueBool(true))}}}},
	} {
		b, err := proto.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
		f.Add(b[:len(b)-1])
	}
	f.Add(deep)
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, r := range []reply{&batchReply{}, &pointsReply{}, &pageReply{}} {
			if err := r.read(b); err != nil && err != errWire {
				t.Fatalf("error %v", err)
			}
		}
	})
}

// A reply nested without end is refused before it fills the stack.
func TestRepliesAreNotReadWithoutEnd(t *testing.T) {
	v := qdrant.NewValueInt(1)
	for range maxWireDepth + 1 {
		v = qdrant.NewValueFromList(v)
	}
	b, err := proto.Marshal(&qdrant.GetResponse{Result: []*qdrant.RetrievedPoint{{Payload: map[string]*qdrant.Value{"a": v}}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := (&pointsReply{}).read(b); err != errWire {
		t.Errorf("error %v, want %v", err, errWire)
	}
}

// BenchmarkReply reads a reply as a query gets it, beside the library's decoding of the same bytes.
func BenchmarkReply(b *testing.B) {
	m := &schema.Memory{Tenant: "acme", User: "ann", Type: schema.TypeFact, Status: schema.StatusActive, Content: strings.Repeat("word ", 12),
		Importance: .5, Confidence: .9, Conversation: "c-1", ContentHash: strings.Repeat("a", 64),
		ObservedAt: time.UnixMilli(1_700_000_000_000), Source: schema.Source{Event: "e-1", UUID: pid(1), Seg: "input", Seq: 9}}
	payload, err := toPayload("payload", m.Payload(), 0)
	if err != nil {
		b.Fatal(err)
	}
	r := &qdrant.BatchResult{}
	for i := range 60 {
		r.Result = append(r.Result, &qdrant.ScoredPoint{Id: qdrant.NewIDUUID(pid(i)), Payload: payload, Score: .5})
	}
	raw, err := proto.Marshal(&qdrant.QueryBatchResponse{Result: []*qdrant.BatchResult{r}})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("wire", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var r batchReply
			if err := r.read(raw); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("library", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var m qdrant.QueryBatchResponse
			if err := proto.Unmarshal(raw, &m); err != nil {
				b.Fatal(err)
			}
			hitsOf(m.Result[0])
		}
	})
}

// A point that several searches of one selection found has one payload; where they select apart, each has its own.
func TestAPayloadIsReadOnceInABatch(t *testing.T) {
	point := func(score float32, keys ...string) *qdrant.ScoredPoint {
		p := &qdrant.ScoredPoint{Id: qdrant.NewID("5c56c793-69f3-4fbf-87e6-c4bf54c28c26"), Score: score, Payload: map[string]*qdrant.Value{}}
		for _, k := range keys {
			p.Payload[k] = qdrant.NewValueString("of " + k)
		}
		return p
	}
	b, err := proto.Marshal(&qdrant.QueryBatchResponse{Result: []*qdrant.BatchResult{
		{Result: []*qdrant.ScoredPoint{point(.5, "owner")}}, {Result: []*qdrant.ScoredPoint{point(2, "owner", "type")}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, alike := range []bool{true, false} {
		r := batchReply{alike: alike}
		if err := r.read(b); err != nil {
			t.Fatal(err)
		}
		first, second := hits(r.results[0])[0], hits(r.results[1])[0]
		if first.Score != .5 || second.Score != 2 || first.ID != second.ID {
			t.Errorf("alike %v: %+v, %+v", alike, first, second)
		}
		want := map[bool]int{true: 1, false: 2}[alike]
		if len(first.Payload) != 1 || len(second.Payload) != want || second.Payload["owner"] != "of owner" {
			t.Errorf("alike %v: payloads %v, %v", alike, first.Payload, second.Payload)
		}
	}
	for _, c := range []struct {
		name string
		a, b schema.Search
		want bool
	}{
		{"the same keys", schema.Search{Payload: true, Keys: []string{"a"}}, schema.Search{Payload: true, Keys: []string{"a"}, Terms: true}, true},
		{"other keys", schema.Search{Payload: true, Keys: []string{"a"}}, schema.Search{Payload: true, Keys: []string{"b"}}, false},
		{"all and some", schema.Search{Payload: true}, schema.Search{Payload: true, Keys: []string{"b"}}, false},
		{"none and all", schema.Search{}, schema.Search{Payload: true}, false},
	} {
		if got := alike([]schema.Search{c.a, {}, c.b}, []int{0, 2}); got != c.want {
			t.Errorf("%s: alike %v", c.name, got)
		}
	}
}
