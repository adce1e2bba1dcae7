package qdrantd

import (
	"cmp"
	"slices"
)

// rowSet is a set of rows, ascending.
type rowSet []uint32

func (s rowSet) has(row uint32) bool {
	_, ok := slices.BinarySearch(s, row)
	return ok
}

func (s rowSet) add(row uint32) rowSet {
	if n := len(s); n == 0 || s[n-1] < row {
		return append(s, row)
	}
	i, ok := slices.BinarySearch(s, row)
	if ok {
		return s
	}
	return slices.Insert(s, i, row)
}

func (s rowSet) remove(row uint32) rowSet {
	if i, ok := slices.BinarySearch(s, row); ok {
		return slices.Delete(s, i, i+1)
	}
	return s
}

// lists is an inverted index: value → rows that hold it.
type lists[T comparable] map[T]rowSet

func (l lists[T]) add(v T, row uint32) { l[v] = l[v].add(row) }

func (l lists[T]) remove(v T, row uint32) {
	if s := l[v].remove(row); len(s) == 0 {
		delete(l, v)
	} else {
		l[v] = s
	}
}

// column holds numbers by row. Nearly every row has none or one; the others go to a map.
type column[T cmp.Ordered] struct {
	one  []T
	n    []uint8 // 0, 1, 2 = see many
	many map[uint32][]T
}

func (c *column[T]) set(row uint32, vs []T) {
	for len(c.n) <= int(row) {
		c.n = append(c.n, 0)
		c.one = append(c.one, *new(T))
	}
	if c.n[row] == 2 {
		delete(c.many, row)
	}
	switch len(vs) {
	case 0:
		c.n[row] = 0
	case 1:
		c.n[row], c.one[row] = 1, vs[0]
	default:
		if c.many == nil {
			c.many = map[uint32][]T{}
		}
		c.n[row] = 2
		c.many[row] = slices.Clone(vs)
	}
}

// any says whether fn holds for one of the row's values.
func (c *column[T]) any(row uint32, fn func(T) bool) bool {
	switch c.n[row] {
	case 0:
		return false
	case 1:
		return fn(c.one[row])
	default:
		return slices.ContainsFunc(c.many[row], fn)
	}
}

// fieldIndex is a payload index over the rows of one partition. It holds what the values at its path are, lists
// flattened by one level, as far as they are of its type.
type fieldIndex struct {
	spec   *indexSpec
	points int // rows with at least one value

	words lists[string]    // keyword
	ints  lists[int64]     // integer
	bools lists[bool]      // bool
	whole *column[int64]   // integer; datetime in microseconds
	real  *column[float64] // float

	// Scratch space of set: writers are one at a time.
	oldS, newS []string
	oldI, newI []int64
}

func newFieldIndex(spec *indexSpec) *fieldIndex {
	f := &fieldIndex{spec: spec}
	switch spec.kind {
	case indexKeyword:
		f.words = lists[string]{}
	case indexInteger:
		f.ints, f.whole = lists[int64]{}, &column[int64]{}
	case indexFloat:
		f.real = &column[float64]{}
	case indexBool:
		f.bools = lists[bool]{}
	case indexDatetime:
		f.whole = &column[int64]{}
	}
	return f
}

// set replaces what row holds: before is its payload until now (nil for none), after the new one (nil for none).
func (f *fieldIndex) set(row uint32, before, after []byte) {
	was, is := 0, 0
	switch f.spec.kind {
	case indexKeyword:
		f.oldS, f.newS = f.strings(f.oldS[:0], before), f.strings(f.newS[:0], after)
		swap(f.words, row, f.oldS, f.newS)
		was, is = len(f.oldS), len(f.newS)
	case indexBool:
		o, n := f.booleans(before), f.booleans(after)
		swap(f.bools, row, o, n)
		was, is = len(o), len(n)
	case indexInteger:
		f.oldI, f.newI = f.integers(f.oldI[:0], before), f.integers(f.newI[:0], after)
		swap(f.ints, row, f.oldI, f.newI)
		f.whole.set(row, f.newI)
		was, is = len(f.oldI), len(f.newI)
	case indexDatetime:
		f.oldI, f.newI = f.times(f.oldI[:0], before), f.times(f.newI[:0], after)
		f.whole.set(row, f.newI)
		was, is = len(f.oldI), len(f.newI)
	case indexFloat:
		o, n := f.floats(before), f.floats(after)
		f.real.set(row, n)
		was, is = len(o), len(n)
	}
	if was > 0 {
		f.points--
	}
	if is > 0 {
		f.points++
	}
}

func swap[T comparable](l lists[T], row uint32, before, after []T) {
	if slices.Equal(before, after) {
		return
	}
	for _, v := range before {
		l.remove(v, row)
	}
	for _, v := range after {
		l.add(v, row)
	}
}

func (f *fieldIndex) strings(to []string, payload []byte) []string {
	f.spec.path.flat(payload, func(v value) bool {
		if v.kind == kindString {
			to = append(to, string(v.b))
		}
		return false
	})
	return to
}

func (f *fieldIndex) booleans(payload []byte) (to []bool) {
	f.spec.path.flat(payload, func(v value) bool {
		if v.kind == kindBool {
			to = append(to, v.bits != 0)
		}
		return false
	})
	return to
}

func (f *fieldIndex) integers(to []int64, payload []byte) []int64 {
	f.spec.path.flat(payload, func(v value) bool {
		if n, ok := v.integer(); ok {
			to = append(to, n)
		}
		return false
	})
	return to
}

func (f *fieldIndex) times(to []int64, payload []byte) []int64 {
	f.spec.path.flat(payload, func(v value) bool {
		if v.kind == kindString {
			if t, ok := parseTime(string(v.b)); ok {
				to = append(to, t)
			}
		}
		return false
	})
	return to
}

func (f *fieldIndex) floats(payload []byte) (to []float64) {
	f.spec.path.flat(payload, func(v value) bool {
		if x, ok := v.number(); ok {
			to = append(to, x)
		}
		return false
	})
	return to
}
