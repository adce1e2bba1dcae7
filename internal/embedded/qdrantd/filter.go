package qdrantd

import (
	"cmp"
	"math"
	"time"

	"github.com/qdrant/go-client/qdrant"
)

// filter is a checked request filter. A nil filter matches everything, as an empty one does.
type filter struct {
	must, should, mustNot []cond
	some                  []cond // min_should
	least                 int    // of some; 0 where there is no min_should
}

// cond is one condition; see conditions.go for its kinds.
type cond interface {
	// bind prepares the condition for the rows of one partition.
	bind(p *partition, s *scan) bound
}

func newFilter(f *qdrant.Filter) (*filter, error) {
	if f == nil {
		return nil, nil
	}
	out := &filter{}
	var err error
	list := func(to *[]cond, cs []*qdrant.Condition) {
		for _, c := range cs {
			var k cond
			if err == nil {
				k, err = newCond(c)
				*to = append(*to, k)
			}
		}
	}
	list(&out.must, f.GetMust())
	list(&out.should, f.GetShould())
	list(&out.mustNot, f.GetMustNot())
	if m := f.GetMinShould(); m != nil {
		if m.MinCount == 0 {
			return nil, invalid("Validation error in body: [filter.min_should.min_count: min_count must be greater than 0]")
		}
		list(&out.some, m.GetConditions())
		out.least = int(min(m.MinCount, math.MaxInt32))
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

func newCond(c *qdrant.Condition) (cond, error) {
	switch o := c.GetConditionOneOf().(type) {
	case *qdrant.Condition_Field:
		return newFieldCond(o.Field)
	case *qdrant.Condition_IsEmpty:
		p, err := parsePath(o.IsEmpty.GetKey())
		return &emptyCond{path: p, want: true}, err
	case *qdrant.Condition_IsNull:
		p, err := parsePath(o.IsNull.GetKey())
		return &nullCond{path: p, want: true}, err
	case *qdrant.Condition_HasId:
		ids, err := parseIDs(o.HasId.GetHasId())
		if err != nil {
			return nil, err
		}
		c := &idCond{set: make(map[pointID]struct{}, len(ids))}
		for _, id := range ids {
			c.set[id] = struct{}{}
		}
		return c, nil
	case *qdrant.Condition_Filter:
		f, err := newFilter(o.Filter)
		if f == nil {
			f = &filter{}
		}
		return f, err
	case *qdrant.Condition_HasVector:
		return &vectorCond{name: o.HasVector.GetHasVector()}, nil
	default:
		return nil, invalid("Malformed Condition type")
	}
}

func newFieldCond(c *qdrant.FieldCondition) (cond, error) {
	p, err := parsePath(c.GetKey())
	if err != nil {
		return nil, err
	}
	var found []cond
	if m := c.GetMatch(); m != nil {
		k, err := newMatch(p, m)
		if err != nil {
			return nil, err
		}
		found = append(found, k)
	}
	if r := c.GetRange(); r != nil {
		k, err := newRange(p, r)
		if err != nil {
			return nil, err
		}
		found = append(found, k)
	}
	if r := c.GetDatetimeRange(); r != nil {
		k, err := newTimeRange(p, r)
		if err != nil {
			return nil, err
		}
		found = append(found, k)
	}
	if c.IsEmpty != nil {
		found = append(found, &emptyCond{path: p, field: true, want: *c.IsEmpty})
	}
	if c.IsNull != nil {
		found = append(found, &nullCond{path: p, want: *c.IsNull})
	}
	switch len(found) {
	case 0:
		return nil, invalid("Validation error in body: [filter: At least one field condition must be specified]")
	case 1:
		return found[0], nil
	default:
		return nil, unsupported("several conditions in one FieldCondition are not supported by the embedded server (key `%s`)", p.text)
	}
}

func newMatch(p path, m *qdrant.Match) (cond, error) {
	switch o := m.GetMatchValue().(type) {
	case *qdrant.Match_Keyword:
		return &wordCond{path: p, words: []string{o.Keyword}}, nil
	case *qdrant.Match_Keywords:
		return &wordCond{path: p, words: o.Keywords.GetStrings()}, nil
	case *qdrant.Match_Integer:
		return &intCond{path: p, ints: []int64{o.Integer}}, nil
	case *qdrant.Match_Integers:
		return &intCond{path: p, ints: o.Integers.GetIntegers()}, nil
	case *qdrant.Match_Boolean:
		return &boolCond{path: p, want: o.Boolean}, nil
	case *qdrant.Match_ExceptKeywords:
		c := &exceptCond{path: p, words: map[string]struct{}{}}
		for _, w := range o.ExceptKeywords.GetStrings() {
			c.words[w] = struct{}{}
		}
		return c, nil
	case *qdrant.Match_ExceptIntegers:
		c := &exceptCond{path: p, ints: map[int64]struct{}{}}
		for _, n := range o.ExceptIntegers.GetIntegers() {
			c.ints[n] = struct{}{}
		}
		return c, nil
	default:
		return nil, invalid("Malformed Match condition")
	}
}

func newRange(p path, r *qdrant.Range) (cond, error) {
	for _, b := range []*float64{r.Gt, r.Gte, r.Lt, r.Lte} {
		if b != nil && math.IsNaN(*b) {
			return nil, invalid("a bound of the range on `%s` is not a number", p.text)
		}
	}
	return &rangeCond{path: p,
		in: func(x float64) bool {
			return (r.Gt == nil || x > *r.Gt) && (r.Gte == nil || x >= *r.Gte) && (r.Lt == nil || x < *r.Lt) && (r.Lte == nil || x <= *r.Lte)
		},
		whole: func(n int64) bool {
			return (r.Gt == nil || compareBound(n, *r.Gt) > 0) && (r.Gte == nil || compareBound(n, *r.Gte) >= 0) &&
				(r.Lt == nil || compareBound(n, *r.Lt) < 0) && (r.Lte == nil || compareBound(n, *r.Lte) <= 0)
		},
	}, nil
}

// compareBound compares exactly, as Qdrant's indexes of integers do: a bound beyond all of them counts as the last one.
func compareBound(n int64, bound float64) int {
	switch {
	case bound >= math.MaxInt64:
		return cmp.Compare(n, math.MaxInt64)
	case bound <= math.MinInt64:
		return cmp.Compare(n, math.MinInt64)
	}
	return compareMixed(n, bound)
}

func newTimeRange(p path, r *qdrant.DatetimeRange) (cond, error) {
	var at [4]*int64
	for i, t := range []interface {
		CheckValid() error
		AsTime() time.Time
	}{r.Gt, r.Gte, r.Lt, r.Lte} {
		if t.CheckValid() != nil {
			if set := [4]bool{r.Gt != nil, r.Gte != nil, r.Lt != nil, r.Lte != nil}; set[i] {
				return nil, invalid("Unable to parse a timestamp of the datetime range on `%s`", p.text)
			}
			continue
		}
		us := t.AsTime().UnixMicro()
		at[i] = &us
	}
	return &timeCond{path: p,
		in: func(x int64) bool {
			return (at[0] == nil || x > *at[0]) && (at[1] == nil || x >= *at[1]) && (at[2] == nil || x < *at[2]) && (at[3] == nil || x <= *at[3])
		},
		real: func(x float64) bool {
			return (at[0] == nil || x > float64(*at[0])) && (at[1] == nil || x >= float64(*at[1])) &&
				(at[2] == nil || x < float64(*at[2])) && (at[3] == nil || x <= float64(*at[3]))
		},
	}, nil
}
