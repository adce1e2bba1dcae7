package qdrantd

import (
	"slices"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/types/known/timestamppb"
	"pgregory.net/rapid"
)

// Generators. Few values, so that conditions meet them.

var (
	genWord  = rapid.SampledFrom([]string{"x", "y", "z", "中", ""})
	genInt   = rapid.Int64Range(-3, 3)
	genFloat = rapid.SampledFrom([]float64{-1.5, .5, 2, 2.5})
	genTime  = rapid.SampledFrom([]string{"2024-01-01T00:00:00Z", "2024-01-01T01:00:00+01:00", "2024-06-01T12:00:00.5Z", "not a time"})
	genID    = rapid.Uint64Range(1, 30)
	genLeaf  = rapid.OneOf(rapid.Just[any](nil), asAny(genWord), asAny(genInt), asAny(genFloat), asAny(rapid.Bool()), asAny(genTime))
	genValue = listsOf(genLeaf)
	// Where an integer index looks, no fractions: it does not see them (TestIntegerIndexAndFloats), unlike a walk of the
	// payload, so that the collections would differ.
	genWhole = listsOf(rapid.OneOf(rapid.Just[any](nil), asAny(genWord), asAny(genInt), asAny(genInt), asAny(rapid.Bool())))
	genPath  = rapid.SampledFrom([]string{"owner", "kw", "n", "f", "b", "t", "obj.a", "arr[].x", "missing", "obj", "arr"})
)

func listsOf(leaf *rapid.Generator[any]) *rapid.Generator[any] {
	return rapid.OneOf(leaf, leaf, rapid.Custom(func(t *rapid.T) any { return rapid.SliceOfN(leaf, 0, 3).Draw(t, "list") }))
}

func asAny[T any](g *rapid.Generator[T]) *rapid.Generator[any] {
	return rapid.Map(g, func(v T) any { return v })
}

var genPayload = rapid.Custom(func(t *rapid.T) map[string]any {
	m := map[string]any{}
	for _, k := range []string{"owner", "kw", "n", "f", "b", "t"} {
		if rapid.IntRange(0, 3).Draw(t, k+"?") > 0 {
			switch g := rapid.IntRange(0, 2).Draw(t, "kind"); {
			case g == 0 && k == "n":
				m[k] = genWhole.Draw(t, k)
			case g == 0:
				m[k] = genValue.Draw(t, k)
			case k == "owner" || k == "kw":
				m[k] = genWord.Draw(t, k)
			case k == "n":
				m[k] = genInt.Draw(t, k)
			case k == "f":
				m[k] = genFloat.Draw(t, k)
			case k == "b":
				m[k] = rapid.Bool().Draw(t, k)
			default:
				m[k] = genTime.Draw(t, k)
			}
		}
	}
	if rapid.Bool().Draw(t, "obj?") {
		m["obj"] = map[string]any{"a": genValue.Draw(t, "obj.a")}
	}
	if rapid.Bool().Draw(t, "arr?") {
		m["arr"] = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) any { return map[string]any{"x": genWhole.Draw(t, "x")} }), 0, 3).Draw(t, "arr")
	}
	return m
})

var genVec = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) float32 { return float32(rapid.IntRange(-4, 4).Draw(t, "x")) }), 4, 4)

var genSparse = rapid.Custom(func(t *rapid.T) map[uint32]float32 {
	m := map[uint32]float32{}
	for _, i := range rapid.SliceOfNDistinct(rapid.Uint32Range(0, 6), 0, 4, rapid.ID).Draw(t, "indices") {
		m[i] = float32(rapid.IntRange(1, 5).Draw(t, "weight"))
	}
	return m
})

// apart is the paths but those whose index makes the condition mean another thing: the collections of the test would not
// agree then. What it means there is in TestIndexesNarrowConditions and in test/versus.
func apart(indexed ...string) *rapid.Generator[string] {
	return genPath.Filter(func(p string) bool { return !slices.Contains(indexed, p) })
}

func genCond(depth int) *rapid.Generator[*qdrant.Condition] {
	return rapid.Custom(func(t *rapid.T) *qdrant.Condition {
		p := genPath.Draw(t, "path")
		words, ints := rapid.SliceOfN(genWord, 0, 3), rapid.SliceOfN(genInt, 0, 3)
		switch k := rapid.IntRange(0, 14).Draw(t, "cond"); k {
		case 0, 1:
			return qdrant.NewMatch(p, genWord.Draw(t, "w"))
		case 2:
			return qdrant.NewMatchInt(p, genInt.Draw(t, "n"))
		case 3:
			return qdrant.NewMatchBool(p, rapid.Bool().Draw(t, "b"))
		case 4:
			return qdrant.NewMatchKeywords(p, words.Draw(t, "ws")...)
		case 5:
			return qdrant.NewMatchInts(p, ints.Draw(t, "ns")...)
		case 6:
			return qdrant.NewMatchExceptKeywords(apart("owner", "kw", "obj.a").Draw(t, "path"), words.Draw(t, "ws")...)
		case 7:
			return qdrant.NewMatchExceptInts(apart("n", "arr[].x").Draw(t, "path"), ints.Draw(t, "ns")...)
		case 8:
			r := &qdrant.Range{}
			for _, b := range []**float64{&r.Gt, &r.Gte, &r.Lt, &r.Lte} {
				if rapid.IntRange(0, 2).Draw(t, "bound?") == 0 {
					*b = qdrant.PtrOf(float64(rapid.IntRange(-3, 3).Draw(t, "bound")))
				}
			}
			return qdrant.NewRange(apart("t").Draw(t, "path"), r)
		case 9:
			r := &qdrant.DatetimeRange{}
			for _, b := range []**timestamppb.Timestamp{&r.Gt, &r.Gte, &r.Lt, &r.Lte} {
				if rapid.IntRange(0, 2).Draw(t, "bound?") == 0 {
					*b = timestamppb.New(time.Date(2024, time.Month(rapid.IntRange(1, 7).Draw(t, "month")), 1, 0, 0, 0, 0, time.UTC))
				}
			}
			return qdrant.NewDatetimeRange(apart("n", "f", "arr[].x").Draw(t, "path"), r)
		case 10:
			if rapid.Bool().Draw(t, "field") {
				return &qdrant.Condition{ConditionOneOf: &qdrant.Condition_Field{Field: &qdrant.FieldCondition{Key: apart("arr[].x").Draw(t, "path"), IsEmpty: qdrant.PtrOf(rapid.Bool().Draw(t, "want"))}}}
			}
			return qdrant.NewIsEmpty(p)
		case 11:
			if rapid.Bool().Draw(t, "field") {
				return &qdrant.Condition{ConditionOneOf: &qdrant.Condition_Field{Field: &qdrant.FieldCondition{Key: apart("arr[].x").Draw(t, "path"), IsNull: qdrant.PtrOf(rapid.Bool().Draw(t, "want"))}}}
			}
			return qdrant.NewIsNull(p)
		case 12:
			var ids []*qdrant.PointId
			for _, id := range rapid.SliceOfN(genID, 0, 6).Draw(t, "ids") {
				ids = append(ids, qdrant.NewIDNum(id))
			}
			return qdrant.NewHasID(ids...)
		case 13:
			return qdrant.NewHasVector(rapid.SampledFrom([]string{"dense", "terms", "nope"}).Draw(t, "vector"))
		default:
			if depth == 0 {
				return qdrant.NewMatch("owner", genWord.Draw(t, "w"))
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
		if rapid.Bool().Draw(t, "should?") {
			f.Should = list.Draw(t, "should")
		}
		if rapid.Bool().Draw(t, "mustNot?") {
			f.MustNot = list.Draw(t, "mustNot")
		}
		if rapid.IntRange(0, 3).Draw(t, "minShould?") == 0 {
			f.MinShould = &qdrant.MinShould{Conditions: rapid.SliceOfN(genCond(depth), 0, 3).Draw(t, "some"), MinCount: rapid.Uint64Range(1, 3).Draw(t, "least")}
		}
		if rapid.IntRange(0, 2).Draw(t, "owner?") == 0 {
			f.Must = append(f.Must, qdrant.NewMatch("owner", genWord.Draw(t, "owner")))
		}
		return f
	})
}
