package versus

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"
	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/types/known/timestamppb"
	"pgregory.net/rapid"
)

// Few values, so that conditions meet them, and the odd ones among them.

var (
	genWord = rapid.SampledFrom([]string{"x", "y", "中文", "", "X", "1", "true"})
	genInt  = rapid.OneOf(rapid.Int64Range(-3, 3), rapid.SampledFrom([]int64{math.MaxInt64, math.MinInt64, 1 << 53, 1<<53 + 1}))
	// genStart leaves out what a float cannot hold: the engine looks for it as a float, or with a filter exactly.
	genStart = genInt.Filter(func(n int64) bool { return n >= -1<<53 && n <= 1<<53 })
	genReal  = rapid.SampledFrom([]float64{-1.5, .5, 2, 2.5, 0, 1e18, 1e-300, -3})
	genTime  = rapid.SampledFrom([]string{
		"2024-01-01T00:00:00Z", "2024-01-01T01:00:00+01:00", "2024-06-01T12:00:00.5Z", "2024-06-01T12:00:00.123456789Z", "2024-01-01",
		"2024-03-01 10:00", "2024-03-01T10:00", "2024-03-01 10:00:01", "2024-03-01T10:00:01.25", "2024-03-01 10:00:01+0200",
		"2024-03-01T10:00:01-05", "1969-12-31T23:59:59.9Z", "not a time", "2024-13-01", "2024",
	})
	genLeaf = rapid.OneOf(rapid.Just[any](nil), asAny(genWord), asAny(genInt), asAny(genReal), asAny(rapid.Bool()), asAny(genTime))
	genDeep = rapid.OneOf(genLeaf, rapid.Custom(func(t *rapid.T) any { return map[string]any{"z": genLeaf.Draw(t, "z")} }),
		rapid.Custom(func(t *rapid.T) any { return rapid.SliceOfN(genLeaf, 0, 2).Draw(t, "inner") }))
	genValue = listsOf(genDeep)
	genPath  = rapid.SampledFrom([]string{"owner", "kw", "n", "f", "b", "t", "obj.a", "arr[].x", "missing", "obj", "arr", "arr[]", "arr[1].x", "kw[]", "n[0]", `"odd.key"`, "键", "obj.a.z", "arr.x"})
)

func asAny[T any](g *rapid.Generator[T]) *rapid.Generator[any] {
	return rapid.Map(g, func(v T) any { return v })
}

// even is a number below n, each as likely: rapid by itself draws the small ones more often.
func even(t *rapid.T, n int, label string) int {
	return int(rapid.Uint64().Draw(t, label) * 0x9e3779b97f4a7c15 >> 33 % uint64(n))
}

// listsOf is one leaf mostly, sometimes a list of them.
func listsOf(leaf *rapid.Generator[any]) *rapid.Generator[any] {
	return rapid.OneOf(leaf, leaf, rapid.Custom(func(t *rapid.T) any { return rapid.SliceOfN(leaf, 0, 3).Draw(t, "list") }))
}

// typed are the fields of a payload that mostly hold values of one kind.
var typed = []struct {
	key string
	gen *rapid.Generator[any]
}{
	{"owner", asAny(genWord)}, {"kw", asAny(genWord)}, {"n", asAny(genInt)}, {"f", asAny(genReal)}, {"b", asAny(rapid.Bool())}, {"t", asAny(genTime)},
	{"odd.key", asAny(genWord)}, {"键", asAny(genInt)},
}

var genPayload = rapid.Custom(func(t *rapid.T) map[string]any {
	m := map[string]any{}
	for _, f := range typed {
		switch rapid.IntRange(0, 7).Draw(t, f.key+"?") {
		case 0, 1, 2:
			m[f.key] = f.gen.Draw(t, f.key)
		case 3:
			m[f.key] = listsOf(f.gen).Draw(t, f.key)
		case 4:
			m[f.key] = genValue.Draw(t, f.key)
		}
	}
	if rapid.IntRange(0, 2).Draw(t, "obj?") == 0 {
		m["obj"] = map[string]any{"a": genValue.Draw(t, "obj.a")}
	}
	if rapid.IntRange(0, 2).Draw(t, "arr?") == 0 {
		m["arr"] = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) any {
			if rapid.IntRange(0, 5).Draw(t, "plain?") == 0 {
				return genLeaf.Draw(t, "element")
			}
			return map[string]any{"x": genValue.Draw(t, "x")}
		}), 0, 3).Draw(t, "arr")
	}
	return m
})

// genID draws from few ids, numbers and UUIDs.
var genID = rapid.Map(rapid.IntRange(0, 39), id)

// id is one of the ids that there are.
func id(i int) *qdrant.PointId {
	if i%2 == 0 {
		return qdrant.NewIDNum(uint64(i / 2))
	}
	return qdrant.NewIDUUID(uuid.NewSHA1(uuid.NameSpaceOID, []byte{byte(i >> 8), byte(i)}).String())
}

var genIDs = rapid.SliceOfN(genID, 0, 8)

// world is what a collection is made of.
type world struct {
	dim    int
	dist   qdrant.Distance
	smooth bool // components are any numbers, not a few whole ones that make for many equal scores
	points int  // at most in one upsert
	crowd  int  // points that are there from the start, beyond those that are drawn one by one
}

var genWorld = rapid.Custom(func(t *rapid.T) world {
	return world{
		dim:    rapid.SampledFrom([]int{4, 4, 2, 17, 64}).Draw(t, "dim"),
		dist:   rapid.SampledFrom([]qdrant.Distance{qdrant.Distance_Cosine, qdrant.Distance_Cosine, qdrant.Distance_Cosine, qdrant.Distance_Dot, qdrant.Distance_Euclid}).Draw(t, "distance"),
		smooth: rapid.Bool().Draw(t, "smooth"),
		points: rapid.SampledFrom([]int{4, 8, 40}).Draw(t, "points"),
		crowd:  rapid.SampledFrom([]int{0, 0, 0, 300}).Draw(t, "crowd"),
	}
})

func (w world) create() *qdrant.CreateCollection {
	return &qdrant.CreateCollection{
		CollectionName:      collection,
		VectorsConfig:       qdrant.NewVectorsConfigMap(map[string]*qdrant.VectorParams{"dense": {Size: uint64(w.dim), Distance: w.dist}}),
		SparseVectorsConfig: qdrant.NewSparseVectorsConfig(map[string]*qdrant.SparseVectorParams{"terms": {}}),
	}
}

// vector draws a vector: of a few whole numbers, or from a seed.
func (w world) vector(t *rapid.T) []float32 {
	return w.vectorOf(rapid.Uint64Range(0, 60).Draw(t, "vector"))
}

func (w world) vectorOf(seed uint64) []float32 {
	v, rng := make([]float32, w.dim), rand.New(rand.NewPCG(seed, 1))
	for i := range v {
		if seed == 0 {
			break // all zero
		}
		if v[i] = float32(rng.IntN(7) - 3); w.smooth {
			v[i] = float32(rng.NormFloat64())
		}
	}
	return v
}

var genSparse = rapid.Custom(func(t *rapid.T) *qdrant.SparseVector {
	idx := rapid.SliceOfNDistinct(rapid.OneOf(rapid.Uint32Range(0, 6), rapid.SampledFrom([]uint32{1000, math.MaxUint32})), 0, 5, rapid.ID).Draw(t, "indices")
	val := make([]float32, len(idx))
	for i := range val {
		val[i] = rapid.SampledFrom([]float32{1, 2, .5, 3, 1.25, -.75}).Draw(t, "weight")
	}
	return &qdrant.SparseVector{Indices: idx, Values: val}
})

// fill is the crowd: points of a few owners with plain payloads, too many to be drawn one by one.
func (w world) fill(t *rapid.T) *qdrant.UpsertPoints {
	rng := rand.New(rand.NewPCG(rapid.Uint64Range(0, 100).Draw(t, "crowd seed"), 2))
	pick := func(words ...string) string { return words[rng.IntN(len(words))] }
	req := &qdrant.UpsertPoints{CollectionName: collection, Wait: qdrant.PtrOf(true)}
	for i := range w.crowd {
		terms := &qdrant.SparseVector{}
		for ix := range uint32(7) {
			if rng.IntN(3) == 0 {
				terms.Indices, terms.Values = append(terms.Indices, ix), append(terms.Values, float32(1+rng.IntN(8))/4)
			}
		}
		req.Points = append(req.Points, &qdrant.PointStruct{
			Id: id(i),
			Vectors: qdrant.NewVectorsMap(map[string]*qdrant.Vector{
				"dense": qdrant.NewVectorDense(w.vectorOf(1 + rng.Uint64N(1000))), "terms": qdrant.NewVectorSparse(terms.Indices, terms.Values),
			}),
			Payload: qdrant.NewValueMap(map[string]any{
				"owner": pick("x", "y", "中文", ""), "kw": pick("x", "y", "X"), "n": int64(rng.IntN(7) - 3), "f": float64(rng.IntN(9)) / 2, "b": rng.IntN(2) == 0,
				"t": pick("2024-01-01T00:00:00Z", "2024-03-01 10:00", "2024-06-01T12:00:00.5Z"), "obj": map[string]any{"a": pick("x", "z")},
				"arr": []any{map[string]any{"x": int64(rng.IntN(3))}, map[string]any{"x": int64(rng.IntN(5))}},
			}),
		})
	}
	return req
}

func (w world) point(t *rapid.T) *qdrant.PointStruct {
	vs := map[string]*qdrant.Vector{}
	if rapid.IntRange(0, 4).Draw(t, "dense?") > 0 {
		vs["dense"] = qdrant.NewVectorDense(w.vector(t))
	}
	if rapid.IntRange(0, 4).Draw(t, "sparse?") > 1 {
		s := genSparse.Draw(t, "sparse")
		vs["terms"] = qdrant.NewVectorSparse(s.Indices, s.Values)
	}
	return &qdrant.PointStruct{Id: genID.Draw(t, "id"), Vectors: qdrant.NewVectorsMap(vs), Payload: qdrant.NewValueMap(genPayload.Draw(t, "payload"))}
}

// Conditions and filters.

func match(key string, m *qdrant.Match) *qdrant.Condition {
	return &qdrant.Condition{ConditionOneOf: &qdrant.Condition_Field{Field: &qdrant.FieldCondition{Key: key, Match: m}}}
}

// between draws the bounds of a range: at most one below and one above. Of two on the same side the engine sees both in
// a payload and one in an index.
func between[T any](t *rapid.T, bound *rapid.Generator[T], gt, gte, lt, lte *T) {
	for _, side := range [][2]*T{{gt, gte}, {lt, lte}} {
		if at := rapid.IntRange(0, 2).Draw(t, "bound?"); at > 0 {
			*side[at-1] = bound.Draw(t, "bound")
		}
	}
}

func genRange(t *rapid.T) *qdrant.Range {
	r := &qdrant.Range{}
	between(t, rapid.Map(rapid.SampledFrom([]float64{-3, -1.5, 0, .5, 1, 2, 2.5, 1e18, 1 << 53}), qdrant.PtrOf[float64]), &r.Gt, &r.Gte, &r.Lt, &r.Lte)
	return r
}

var bounds = []time.Time{
	time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2024, 3, 1, 10, 0, 0, 0, time.UTC), time.Date(2024, 3, 1, 10, 0, 1, 250e6, time.UTC),
	time.Date(2024, 6, 1, 12, 0, 0, 123456789, time.UTC), time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC),
}

func genTimeRange(t *rapid.T) *qdrant.DatetimeRange {
	r := &qdrant.DatetimeRange{}
	between(t, rapid.Map(rapid.SampledFrom(bounds), timestamppb.New), &r.Gt, &r.Gte, &r.Lt, &r.Lte)
	return r
}

// fitting are paths where values of a condition's kind are most likely.
var fitting = func() map[int][]string {
	words, numbers := []string{"owner", "kw", "obj.a", `"odd.key"`, "kw[]"}, []string{"n", "f", "键", "arr[].x"}
	return map[int][]string{0: words, 1: words, 2: numbers, 3: {"b"}, 4: words, 5: numbers, 6: words, 7: numbers, 8: numbers, 9: {"t"}}
}()

func genCond(depth int) *rapid.Generator[*qdrant.Condition] {
	return rapid.Custom(func(t *rapid.T) *qdrant.Condition {
		// No empty list of integers: the bindings take it for one of words.
		words, ints := rapid.SliceOfN(genWord, 0, 3), rapid.SliceOfN(genInt, 1, 3)
		kind := even(t, 17, "condition")
		p := genPath.Draw(t, "path")
		if fit := fitting[kind]; fit != nil && even(t, 3, "fitting?") > 0 { // values of the condition's kind are most likely here
			p = fit[even(t, len(fit), "fitting path")]
		}
		field := func(c *qdrant.FieldCondition) *qdrant.Condition {
			c.Key = p
			return &qdrant.Condition{ConditionOneOf: &qdrant.Condition_Field{Field: c}}
		}
		switch kind {
		case 0, 1:
			return match(p, &qdrant.Match{MatchValue: &qdrant.Match_Keyword{Keyword: genWord.Draw(t, "w")}})
		case 2:
			return match(p, &qdrant.Match{MatchValue: &qdrant.Match_Integer{Integer: genInt.Draw(t, "n")}})
		case 3:
			return match(p, &qdrant.Match{MatchValue: &qdrant.Match_Boolean{Boolean: rapid.Bool().Draw(t, "b")}})
		case 4:
			return qdrant.NewMatchKeywords(p, words.Draw(t, "ws")...)
		case 5:
			return qdrant.NewMatchInts(p, ints.Draw(t, "ns")...)
		case 6:
			return qdrant.NewMatchExceptKeywords(p, words.Draw(t, "ws")...)
		case 7:
			return qdrant.NewMatchExceptInts(p, ints.Draw(t, "ns")...)
		case 8:
			return qdrant.NewRange(p, genRange(t))
		case 9:
			return qdrant.NewDatetimeRange(p, genTimeRange(t))
		case 10:
			return qdrant.NewIsEmpty(p)
		case 11:
			return qdrant.NewIsNull(p)
		case 12:
			return field(&qdrant.FieldCondition{IsEmpty: qdrant.PtrOf(rapid.Bool().Draw(t, "empty"))})
		case 13:
			return field(&qdrant.FieldCondition{IsNull: qdrant.PtrOf(rapid.Bool().Draw(t, "null"))})
		case 14:
			return qdrant.NewHasID(genIDs.Draw(t, "ids")...)
		case 15:
			return qdrant.NewHasVector(rapid.SampledFrom([]string{"dense", "terms", "nope"}).Draw(t, "vector"))
		default:
			if depth == 0 {
				return match("owner", &qdrant.Match{MatchValue: &qdrant.Match_Keyword{Keyword: genWord.Draw(t, "w")}})
			}
			return qdrant.NewFilterAsCondition(genFilter(depth-1).Draw(t, "sub"))
		}
	})
}

func genFilter(depth int) *rapid.Generator[*qdrant.Filter] {
	return rapid.Custom(func(t *rapid.T) *qdrant.Filter {
		f := &qdrant.Filter{}
		list := rapid.SliceOfN(genCond(depth), 0, 2)
		f.Must = list.Draw(t, "must")
		if rapid.IntRange(0, 2).Draw(t, "should?") == 0 {
			f.Should = list.Draw(t, "should")
		}
		if rapid.IntRange(0, 2).Draw(t, "mustNot?") == 0 {
			f.MustNot = list.Draw(t, "mustNot")
		}
		if rapid.IntRange(0, 4).Draw(t, "minShould?") == 0 {
			some := rapid.SliceOfN(genCond(depth), 1, 3).Draw(t, "some") // with fewer than are wanted the engine looks at its index alone
			f.MinShould = &qdrant.MinShould{Conditions: some, MinCount: rapid.Uint64Range(1, uint64(len(some))).Draw(t, "least")}
		}
		if rapid.IntRange(0, 3).Draw(t, "owner?") == 0 {
			f.Must = append(f.Must, match("owner", &qdrant.Match{MatchValue: &qdrant.Match_Keyword{Keyword: genWord.Draw(t, "owner")}}))
		}
		return f
	})
}

// maybeFilter is none in one of four cases.
func maybeFilter(t *rapid.T, depth int) *qdrant.Filter {
	if rapid.IntRange(0, 3).Draw(t, "filter?") == 0 {
		return nil
	}
	return genFilter(depth).Draw(t, "filter")
}

var genSelector = rapid.Custom(func(t *rapid.T) *qdrant.PointsSelector {
	if rapid.IntRange(0, 2).Draw(t, "by ids") == 0 {
		// Each once: named twice, a point that its segment gives away meanwhile is missing the second time, in the engine.
		return qdrant.NewPointsSelectorIDs(rapid.SliceOfNDistinct(genID, 0, 6, idOf).Draw(t, "ids"))
	}
	return qdrant.NewPointsSelectorFilter(genFilter(1).Draw(t, "filter"))
})

func withPayload(t *rapid.T) *qdrant.WithPayloadSelector {
	keys := rapid.SliceOfN(genPath, 0, 3)
	switch rapid.IntRange(0, 4).Draw(t, "payload") {
	case 0:
		return nil
	case 1:
		return qdrant.NewWithPayload(rapid.Bool().Draw(t, "all"))
	case 2:
		return qdrant.NewWithPayloadInclude(keys.Draw(t, "keys")...)
	case 3:
		return qdrant.NewWithPayloadExclude(keys.Draw(t, "keys")...)
	}
	return qdrant.NewWithPayload(true)
}

func withVectors(t *rapid.T) *qdrant.WithVectorsSelector {
	switch rapid.IntRange(0, 4).Draw(t, "vectors") {
	case 0:
		return nil
	case 1:
		return qdrant.NewWithVectorsInclude(rapid.SliceOfN(rapid.SampledFrom([]string{"dense", "terms", "dense", "terms", "nope"}), 0, 2).Draw(t, "names")...)
	}
	return qdrant.NewWithVectors(rapid.Bool().Draw(t, "all"))
}

// Indexes.

var fieldTypes = map[string]qdrant.FieldType{
	"owner": qdrant.FieldType_FieldTypeKeyword, "kw": qdrant.FieldType_FieldTypeKeyword, "n": qdrant.FieldType_FieldTypeInteger,
	"f": qdrant.FieldType_FieldTypeFloat, "b": qdrant.FieldType_FieldTypeBool, "t": qdrant.FieldType_FieldTypeDatetime,
	"obj.a": qdrant.FieldType_FieldTypeKeyword, "arr[].x": qdrant.FieldType_FieldTypeInteger, `"odd.key"`: qdrant.FieldType_FieldTypeKeyword,
	"键": qdrant.FieldType_FieldTypeInteger, "kw[]": qdrant.FieldType_FieldTypeKeyword,
}

var indexed = []string{"owner", "owner", "n", "kw", "f", "b", "t", "obj.a", "arr[].x", `"odd.key"`, "键", "kw[]"}

var genIndex = rapid.Custom(func(t *rapid.T) *qdrant.CreateFieldIndexCollection {
	key := rapid.SampledFrom(indexed).Draw(t, "field")
	typ := fieldTypes[key]
	if rapid.IntRange(0, 5).Draw(t, "other type?") == 0 {
		typ = rapid.SampledFrom([]qdrant.FieldType{qdrant.FieldType_FieldTypeKeyword, qdrant.FieldType_FieldTypeInteger, qdrant.FieldType_FieldTypeFloat, qdrant.FieldType_FieldTypeBool, qdrant.FieldType_FieldTypeDatetime}).Draw(t, "type")
	}
	req := &qdrant.CreateFieldIndexCollection{CollectionName: collection, FieldName: key, FieldType: &typ, Wait: qdrant.PtrOf(true)}
	switch {
	case key == "owner" && typ == qdrant.FieldType_FieldTypeKeyword:
		req.FieldIndexParams = qdrant.NewPayloadIndexParamsKeyword(&qdrant.KeywordIndexParams{IsTenant: qdrant.PtrOf(rapid.Bool().Draw(t, "tenant"))})
	case typ == qdrant.FieldType_FieldTypeInteger:
		switch rapid.IntRange(0, 3).Draw(t, "integer index") {
		case 0:
			req.FieldIndexParams = qdrant.NewPayloadIndexParamsInt(&qdrant.IntegerIndexParams{Lookup: qdrant.PtrOf(true), Range: qdrant.PtrOf(false)})
		case 1:
			req.FieldIndexParams = qdrant.NewPayloadIndexParamsInt(&qdrant.IntegerIndexParams{Lookup: qdrant.PtrOf(true), Range: qdrant.PtrOf(true)})
		}
	}
	return req
})
