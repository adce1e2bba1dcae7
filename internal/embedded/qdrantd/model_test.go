package qdrantd

import (
	"context"
	"math"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"
)

// The model keeps points as plain Go values and judges filters, searches and orders by brute force. Nothing in it is
// shared with the server.

type modelPoint struct {
	payload map[string]any // nil, bool, int64, float64, string, []any, map[string]any
	dense   []float64      // unit length; nil for none
	sparse  map[uint32]float32
}

type model map[uint64]*modelPoint

func (m model) ids() []uint64 {
	ids := make([]uint64, 0, len(m))
	for id := range m {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// at is the values at a path of keys; "[]" goes through a list.
func at(v any, keys []string) []any {
	if len(keys) == 0 {
		return []any{v}
	}
	var out []any
	if keys[0] == "[]" {
		l, _ := v.([]any)
		for _, el := range l {
			out = append(out, at(el, keys[1:])...)
		}
		return out
	}
	o, _ := v.(map[string]any)
	if el, ok := o[keys[0]]; ok {
		return at(el, keys[1:])
	}
	return nil
}

func keysOf(p string) []string {
	return strings.Split(strings.ReplaceAll(p, "[]", ".[]"), ".")
}

// flatAt is the values at a path with lists opened by one level.
func flatAt(payload map[string]any, p string) []any {
	var out []any
	for _, v := range at(payload, keysOf(p)) {
		if l, ok := v.([]any); ok {
			out = append(out, l...)
		} else {
			out = append(out, v)
		}
	}
	return out
}

func isEmptyValue(v any) bool {
	l, isList := v.([]any)
	return v == nil || isList && len(l) == 0
}

func numeric(v any) (float64, bool) {
	switch x := v.(type) {
	case int64:
		return float64(x), true
	case float64:
		return x, true
	}
	return 0, false
}

func (p *modelPoint) passesField(c *qdrant.FieldCondition) bool {
	values := flatAt(p.payload, c.Key)
	some := func(fn func(any) bool) bool { return slices.ContainsFunc(values, fn) }
	switch {
	case c.Match != nil:
		return some(func(v any) bool {
			switch m := c.Match.MatchValue.(type) {
			case *qdrant.Match_Keyword:
				return v == any(m.Keyword)
			case *qdrant.Match_Integer:
				return v == any(m.Integer)
			case *qdrant.Match_Boolean:
				return v == any(m.Boolean)
			case *qdrant.Match_Keywords:
				s, ok := v.(string)
				return ok && slices.Contains(m.Keywords.Strings, s)
			case *qdrant.Match_Integers:
				n, ok := v.(int64)
				return ok && slices.Contains(m.Integers.Integers, n)
			case *qdrant.Match_ExceptKeywords:
				s, ok := v.(string)
				return v != nil && !(ok && slices.Contains(m.ExceptKeywords.Strings, s))
			case *qdrant.Match_ExceptIntegers:
				n, ok := v.(int64)
				return v != nil && !(ok && slices.Contains(m.ExceptIntegers.Integers, n))
			}
			panic("match")
		})
	case c.Range != nil:
		return some(func(v any) bool {
			x, ok := numeric(v)
			r := c.Range
			return ok && (r.Gt == nil || x > *r.Gt) && (r.Gte == nil || x >= *r.Gte) && (r.Lt == nil || x < *r.Lt) && (r.Lte == nil || x <= *r.Lte)
		})
	case c.DatetimeRange != nil:
		return some(func(v any) bool {
			s, _ := v.(string)
			x, err := time.Parse(time.RFC3339, s)
			r := c.DatetimeRange
			return err == nil && (r.Gt == nil || x.After(r.Gt.AsTime())) && (r.Gte == nil || !x.Before(r.Gte.AsTime())) &&
				(r.Lt == nil || x.Before(r.Lt.AsTime())) && (r.Lte == nil || !x.After(r.Lte.AsTime()))
		})
	case c.IsEmpty != nil:
		whole := at(p.payload, keysOf(c.Key))
		return len(whole) == 0 && *c.IsEmpty || slices.ContainsFunc(whole, func(v any) bool { return isEmptyValue(v) == *c.IsEmpty })
	case c.IsNull != nil:
		whole := at(p.payload, keysOf(c.Key))
		return len(whole) == 0 && !*c.IsNull || slices.ContainsFunc(whole, func(v any) bool {
			if l, ok := v.([]any); ok {
				return slices.Contains(l, nil) == *c.IsNull
			}
			return (v == nil) == *c.IsNull
		})
	}
	panic("field condition")
}

func (p *modelPoint) passesCond(id uint64, c *qdrant.Condition) bool {
	switch o := c.ConditionOneOf.(type) {
	case *qdrant.Condition_Field:
		return p.passesField(o.Field)
	case *qdrant.Condition_IsEmpty:
		return !slices.ContainsFunc(at(p.payload, keysOf(o.IsEmpty.Key)), func(v any) bool { return !isEmptyValue(v) })
	case *qdrant.Condition_IsNull:
		return slices.ContainsFunc(at(p.payload, keysOf(o.IsNull.Key)), func(v any) bool {
			l, _ := v.([]any)
			return v == nil || slices.Contains(l, nil)
		})
	case *qdrant.Condition_HasId:
		return slices.ContainsFunc(o.HasId.HasId, func(i *qdrant.PointId) bool { return i.GetNum() == id })
	case *qdrant.Condition_Filter:
		return p.passes(id, o.Filter)
	case *qdrant.Condition_HasVector:
		return o.HasVector.HasVector == "dense" && p.dense != nil || o.HasVector.HasVector == "terms" && p.sparse != nil
	}
	panic("condition")
}

func (p *modelPoint) passes(id uint64, f *qdrant.Filter) bool {
	n := func(cs []*qdrant.Condition) (n int) {
		for _, c := range cs {
			if p.passesCond(id, c) {
				n++
			}
		}
		return n
	}
	return n(f.GetMust()) == len(f.GetMust()) && n(f.GetMustNot()) == 0 && (len(f.GetShould()) == 0 || n(f.GetShould()) > 0) &&
		(f.GetMinShould() == nil || n(f.MinShould.Conditions) >= int(f.MinShould.MinCount))
}

func (m model) matching(f *qdrant.Filter) []uint64 {
	out := []uint64{}
	for _, id := range m.ids() {
		if m[id].passes(id, f) {
			out = append(out, id)
		}
	}
	return out
}

// fleet is the same points in a collection with every index, in one with only numbers indexed and no partitions, and in
// one with none.
var fleet = []string{"indexed", "numbers", "bare"}

func (r *rig) fleet() {
	for _, name := range fleet {
		r.must(r.CreateCollection(context.Background(), &qdrant.CreateCollection{
			CollectionName:      name,
			VectorsConfig:       qdrant.NewVectorsConfigMap(map[string]*qdrant.VectorParams{"dense": {Size: 4, Distance: qdrant.Distance_Cosine}}),
			SparseVectorsConfig: qdrant.NewSparseVectorsConfig(map[string]*qdrant.SparseVectorParams{"terms": {}}),
		}))
	}
	r.index("indexed", "n", qdrant.FieldType_FieldTypeInteger, nil)
	r.index("indexed", "f", qdrant.FieldType_FieldTypeFloat, nil)
	r.index("indexed", "b", qdrant.FieldType_FieldTypeBool, nil)
	r.index("indexed", "t", qdrant.FieldType_FieldTypeDatetime, nil)
	r.index("indexed", "kw", qdrant.FieldType_FieldTypeKeyword, nil)
	r.index("indexed", "obj.a", qdrant.FieldType_FieldTypeKeyword, nil)
	r.index("indexed", "arr[].x", qdrant.FieldType_FieldTypeInteger, nil)
	r.index("indexed", "owner", qdrant.FieldType_FieldTypeKeyword, qdrant.NewPayloadIndexParamsKeyword(&qdrant.KeywordIndexParams{IsTenant: qdrant.PtrOf(true)}))
	r.index("numbers", "n", qdrant.FieldType_FieldTypeInteger, nil)
	r.index("numbers", "f", qdrant.FieldType_FieldTypeFloat, nil)
}

// TestAgainstModel makes the same changes in the server and in the model and asks both.
func TestAgainstModel(t *testing.T) {
	ctx := t.Context()
	r := start(t)
	rapid.Check(t, func(rt *rapid.T) {
		for _, name := range fleet {
			_ = r.DeleteCollection(ctx, name)
		}
		r.fleet()
		m := model{}
		fail := func(err error) {
			if err != nil {
				rt.Fatal(err)
			}
		}
		everywhere := func(fn func(name string) error) {
			for _, name := range fleet {
				if err := fn(name); err != nil {
					rt.Fatalf("%s: %v", name, err)
				}
			}
		}
		wait := qdrant.PtrOf(true)
		rt.Repeat(map[string]func(*rapid.T){
			"upsert": func(rt *rapid.T) {
				var points []*qdrant.PointStruct
				mode := rapid.SampledFrom([]*qdrant.UpdateMode{nil, nil, nil, qdrant.PtrOf(qdrant.UpdateMode_InsertOnly), qdrant.PtrOf(qdrant.UpdateMode_UpdateOnly), qdrant.PtrOf(qdrant.UpdateMode_Upsert)}).Draw(rt, "mode")
				var filter *qdrant.Filter
				if rapid.IntRange(0, 3).Draw(rt, "filter?") == 0 {
					filter = genFilter(0).Draw(rt, "filter")
				}
				before := model{}
				for id, p := range m {
					before[id] = p
				}
				for range rapid.IntRange(1, 8).Draw(rt, "points") {
					id, payload := genID.Draw(rt, "id"), genPayload.Draw(rt, "payload")
					p := &modelPoint{payload: payload}
					var dense []float32
					if rapid.Bool().Draw(rt, "dense?") {
						dense = genVec.Draw(rt, "dense")
						p.dense = unit(dense)
					}
					if rapid.Bool().Draw(rt, "sparse?") {
						p.sparse = genSparse.Draw(rt, "sparse")
					}
					points = append(points, point(id, dense, p.sparse, payload))
					old, exists := before[id]
					allowed := filter == nil || exists && old.passes(id, filter)
					switch {
					case mode != nil && *mode == qdrant.UpdateMode_InsertOnly && exists:
					case mode != nil && *mode == qdrant.UpdateMode_UpdateOnly && (!exists || !allowed):
					case (mode == nil || *mode == qdrant.UpdateMode_Upsert) && exists && !allowed:
					default:
						m[id] = p
					}
				}
				everywhere(func(name string) error {
					_, err := r.Upsert(ctx, &qdrant.UpsertPoints{CollectionName: name, Wait: wait, Points: points, UpdateMode: mode, UpdateFilter: filter})
					return err
				})
			},
			"set payload": func(rt *rapid.T) {
				f, patch := genFilter(1).Draw(rt, "filter"), genPayload.Draw(rt, "patch")
				overwrite := rapid.Bool().Draw(rt, "overwrite")
				for _, id := range m.matching(f) {
					if overwrite {
						m[id].payload = map[string]any{}
					}
					p := map[string]any{}
					for k, v := range m[id].payload {
						p[k] = v
					}
					for k, v := range patch {
						if v == nil && !overwrite {
							delete(p, k)
						} else {
							p[k] = v
						}
					}
					m[id] = &modelPoint{p, m[id].dense, m[id].sparse}
				}
				everywhere(func(name string) error {
					req := &qdrant.SetPayloadPoints{CollectionName: name, Wait: wait, Payload: qdrant.NewValueMap(patch), PointsSelector: qdrant.NewPointsSelectorFilter(f)}
					var err error
					if overwrite {
						_, err = r.OverwritePayload(ctx, req)
					} else {
						_, err = r.SetPayload(ctx, req)
					}
					return err
				})
			},
			"delete keys": func(rt *rapid.T) {
				f := genFilter(0).Draw(rt, "filter")
				for _, id := range m.matching(f) {
					p := map[string]any{}
					for k, v := range m[id].payload {
						if k != "kw" && k != "obj" {
							p[k] = v
						}
					}
					if _, ok := m[id].payload["obj"]; ok {
						p["obj"] = map[string]any{}
					}
					m[id] = &modelPoint{p, m[id].dense, m[id].sparse}
				}
				everywhere(func(name string) error {
					_, err := r.DeletePayload(ctx, &qdrant.DeletePayloadPoints{CollectionName: name, Wait: wait, Keys: []string{"kw", "obj.a"}, PointsSelector: qdrant.NewPointsSelectorFilter(f)})
					return err
				})
			},
			"delete": func(rt *rapid.T) {
				f := genFilter(1).Draw(rt, "filter")
				rt.Logf("delete %s", prototext.Format(f))
				for _, id := range m.matching(f) {
					delete(m, id)
				}
				everywhere(func(name string) error {
					_, err := r.Delete(ctx, &qdrant.DeletePoints{CollectionName: name, Wait: wait, Points: qdrant.NewPointsSelectorFilter(f)})
					return err
				})
			},
			"reindex": func(rt *rapid.T) {
				_, err := r.DeleteFieldIndex(ctx, &qdrant.DeleteFieldIndexCollection{CollectionName: "numbers", FieldName: "n", Wait: wait})
				fail(err)
				r.index("numbers", "n", qdrant.FieldType_FieldTypeInteger, nil)
			},
			"restart": func(rt *rapid.T) {
				if rapid.IntRange(0, 4).Draw(rt, "restart?") == 0 {
					r = r.reopen()
				}
			},
			"": func(rt *rapid.T) {
				f := genFilter(2).Draw(rt, "filter")
				want := m.matching(f)
				dense, sparse := genVec.Draw(rt, "query"), genSparse.Draw(rt, "sparse query")
				if len(sparse) == 0 {
					sparse[1] = 1
				}
				everywhere(func(name string) error {
					n, err := r.Count(ctx, &qdrant.CountPoints{CollectionName: name, Filter: f})
					fail(err)
					if int(n) != len(want) {
						rt.Fatalf("%s: count %d, want %d: %v", name, n, len(want), prototext.Format(f))
					}
					got, err := r.Scroll(ctx, &qdrant.ScrollPoints{CollectionName: name, Filter: f, Limit: qdrant.PtrOf(uint32(100)), WithPayload: qdrant.NewWithPayload(true)})
					fail(err)
					if !slices.Equal(idsOf(got), want) {
						rt.Fatalf("%s: scroll %v, want %v: %v", name, idsOf(got), want, f)
					}
					for _, p := range got {
						if !proto.Equal(&qdrant.Struct{Fields: p.Payload}, &qdrant.Struct{Fields: qdrant.NewValueMap(m[p.Id.GetNum()].payload)}) {
							rt.Fatalf("%s: point %v holds %v, want %v", name, p.Id, p.Payload, m[p.Id.GetNum()].payload)
						}
					}
					limit := rapid.Uint64Range(1, 40).Draw(rt, "limit")
					hits, err := r.Query(ctx, &qdrant.QueryPoints{CollectionName: name, Query: qdrant.NewQueryDense(dense), Using: qdrant.PtrOf("dense"), Filter: f, Limit: &limit})
					fail(err)
					m.checkHits(rt, hits, want, int(limit), func(p *modelPoint) (float64, bool) { return inner(p.dense, unit(dense)), p.dense != nil })
					q := &qdrant.QueryPoints{CollectionName: name, Query: sparseQuery(sparse), Using: qdrant.PtrOf("terms"), Filter: f, Limit: &limit}
					hits, err = r.Query(ctx, q)
					fail(err)
					m.checkHits(rt, hits, want, int(limit), func(p *modelPoint) (s float64, common bool) {
						for i, w := range sparse {
							if v, ok := p.sparse[i]; ok {
								s, common = s+float64(v*w), true
							}
						}
						return s, common
					})
					return nil
				})
				m.checkOrder(rt, r, f, want)
				m.checkFacet(rt, r, f, want)
			},
		})
	})
}

func unit(v []float32) []float64 {
	out, n := make([]float64, len(v)), 0.
	for i, x := range v {
		out[i] = float64(x)
		n += out[i] * out[i]
	}
	if n == 0 {
		return out
	}
	for i := range out {
		out[i] /= math.Sqrt(n)
	}
	return out
}

func inner(a, b []float64) (s float64) {
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

func sparseQuery(m map[uint32]float32) *qdrant.Query {
	var idx []uint32
	var val []float32
	for i, v := range m {
		idx, val = append(idx, i), append(val, v)
	}
	return qdrant.NewQuerySparse(idx, val)
}

// checkHits holds an answer to the best ones by brute force: the scores, in order, and each point's own score.
func (m model) checkHits(rt *rapid.T, hits []*qdrant.ScoredPoint, among []uint64, limit int, score func(*modelPoint) (float64, bool)) {
	rt.Helper()
	own := map[uint64]float64{}
	var all []float64
	for _, id := range among {
		if s, ok := score(m[id]); ok {
			own[id] = s
			all = append(all, s)
		}
	}
	sort.Sort(sort.Reverse(sort.Float64Slice(all)))
	all = all[:min(limit, len(all))]
	if len(hits) != len(all) {
		rt.Fatalf("%d hits, want %d", len(hits), len(all))
	}
	seen := map[uint64]bool{}
	for i, h := range hits {
		id := h.Id.GetNum()
		s, ok := own[id]
		if !ok || seen[id] || math.Abs(float64(h.Score)-s) > 1e-4 || math.Abs(float64(h.Score)-all[i]) > 1e-4 {
			rt.Fatalf("hit %d is %d with %g, own score %g (%v), rank's score %g", i, id, h.Score, s, ok, all[i])
		}
		seen[id] = true
		if i > 0 && hits[i-1].Score == h.Score && hits[i-1].Id.GetNum() > id {
			rt.Fatalf("ties are not in the order of ids: %v", hits)
		}
	}
}

func (m model) checkOrder(rt *rapid.T, r *rig, f *qdrant.Filter, among []uint64) {
	type row struct {
		n  int64
		id uint64
	}
	desc := rapid.Bool().Draw(rt, "desc")
	from := rapid.SampledFrom([]*int64{nil, qdrant.PtrOf(int64(0)), qdrant.PtrOf(int64(2))}).Draw(rt, "from")
	limit := rapid.IntRange(1, 40).Draw(rt, "order limit")
	want := []row{}
	for _, id := range among {
		for _, v := range flatAt(m[id].payload, "n") {
			if n, ok := v.(int64); ok && (from == nil || !desc && n >= *from || desc && n <= *from) && !slices.Contains(want, row{n, id}) {
				want = append(want, row{n, id})
			}
		}
	}
	slices.SortFunc(want, func(a, b row) int {
		c := int(a.n - b.n)
		if c == 0 {
			c = int(a.id) - int(b.id)
		}
		if desc {
			return -c
		}
		return c
	})
	want = want[:min(limit, len(want))]
	by := &qdrant.OrderBy{Key: "n", Direction: qdrant.PtrOf(qdrant.Direction_Asc)}
	if desc {
		by.Direction = qdrant.PtrOf(qdrant.Direction_Desc)
	}
	if from != nil {
		by.StartFrom = &qdrant.StartFrom{Value: &qdrant.StartFrom_Integer{Integer: *from}}
	}
	for _, name := range []string{"indexed", "numbers"} {
		page, err := r.Scroll(context.Background(), &qdrant.ScrollPoints{CollectionName: name, Filter: f, OrderBy: by, Limit: qdrant.PtrOf(uint32(limit)), WithPayload: qdrant.NewWithPayload(false)})
		if err != nil {
			rt.Fatal(err)
		}
		got := []row{}
		for _, p := range page {
			got = append(got, row{p.OrderValue.GetInt(), p.Id.GetNum()})
		}
		if !slices.Equal(got, want) {
			rt.Fatalf("%s: ordered %v, want %v", name, got, want)
		}
	}
}

func (m model) checkFacet(rt *rapid.T, r *rig, f *qdrant.Filter, among []uint64) {
	for _, key := range []string{"owner", "kw", "n", "b", "obj.a"} {
		want := map[any]uint64{}
		for _, id := range among {
			seen := map[any]bool{}
			for _, v := range flatAt(m[id].payload, key) {
				ok := false
				switch v.(type) {
				case string:
					ok = key == "owner" || key == "kw" || key == "obj.a"
				case int64:
					ok = key == "n"
				case bool:
					ok = key == "b"
				}
				if ok && !seen[v] {
					seen[v] = true
					want[v]++
				}
			}
		}
		hits, err := r.Facet(context.Background(), &qdrant.FacetCounts{CollectionName: "indexed", Key: key, Filter: f, Limit: qdrant.PtrOf(uint64(100)), Exact: qdrant.PtrOf(true)})
		if err != nil {
			rt.Fatal(err)
		}
		got := map[any]uint64{}
		for i, h := range hits {
			switch v := h.Value.Variant.(type) {
			case *qdrant.FacetValue_StringValue:
				got[v.StringValue] = h.Count
			case *qdrant.FacetValue_IntegerValue:
				got[v.IntegerValue] = h.Count
			case *qdrant.FacetValue_BoolValue:
				got[v.BoolValue] = h.Count
			}
			if i > 0 && hits[i-1].Count < h.Count {
				rt.Fatalf("facet %s is not in the order of counts", key)
			}
		}
		if !reflect.DeepEqual(got, want) {
			rt.Fatalf("facet %s: %v, want %v, filter %v", key, got, want, f)
		}
	}
}
