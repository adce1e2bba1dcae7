package qdrantd

import "slices"

// bound is a condition prepared for one partition.
type bound struct {
	// always is set where the answer is the same for every row: then check is nil.
	always, yes bool

	check func(row uint32) bool

	// rows is the exact set of matching rows, ascending, where it is known cheaply (known); then check need not be
	// asked for them.
	rows  rowSet
	known bool

	costly bool // check walks the payload instead of looking at an index
}

func constant(yes bool) bound { return bound{always: true, yes: yes} }

// oneOf is the bound of "one of these inverted lists".
func oneOf(sets []rowSet) bound {
	sets = slices.DeleteFunc(sets, func(s rowSet) bool { return len(s) == 0 })
	switch len(sets) {
	case 0:
		return constant(false)
	case 1:
		return bound{rows: sets[0], known: true, check: sets[0].has}
	}
	n := 0
	for _, s := range sets {
		n += len(s)
	}
	all := make(rowSet, 0, n)
	for _, s := range sets {
		all = append(all, s...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return bound{rows: all, known: true, check: all.has}
}

// wordCond matches one of some keywords.
type wordCond struct {
	path  path
	words []string
}

func (c *wordCond) bind(p *partition, _ *scan) bound {
	if p.keyed && p.schema.indexes[p.schema.tenant].path.text == c.path.text {
		return constant(slices.Contains(c.words, p.key))
	}
	if f := p.field(c.path.text); f != nil && f.words != nil {
		sets := make([]rowSet, 0, len(c.words))
		for _, w := range c.words {
			sets = append(sets, f.words[w])
		}
		return oneOf(sets)
	}
	return bound{costly: true, check: func(row uint32) bool {
		return c.path.flat(p.payload[row], func(v value) bool {
			if v.kind != kindString {
				return false
			}
			for _, w := range c.words {
				if w == string(v.b) {
					return true
				}
			}
			return false
		})
	}}
}

// intCond matches one of some integers.
type intCond struct {
	path path
	ints []int64
}

func (c *intCond) bind(p *partition, _ *scan) bound {
	if f := p.field(c.path.text); f != nil && f.ints != nil {
		sets := make([]rowSet, 0, len(c.ints))
		for _, n := range c.ints {
			sets = append(sets, f.ints[n])
		}
		return oneOf(sets)
	}
	return bound{costly: true, check: func(row uint32) bool {
		return c.path.flat(p.payload[row], func(v value) bool {
			return v.kind == kindInt && slices.Contains(c.ints, int64(v.bits))
		})
	}}
}

type boolCond struct {
	path path
	want bool
}

func (c *boolCond) bind(p *partition, _ *scan) bound {
	if f := p.field(c.path.text); f != nil && f.bools != nil {
		return oneOf([]rowSet{f.bools[c.want]})
	}
	return bound{costly: true, check: func(row uint32) bool {
		return c.path.flat(p.payload[row], func(v value) bool { return v.kind == kindBool && (v.bits != 0) == c.want })
	}}
}

// exceptCond matches where some value is none of the named ones. A value of another type is none of them; null is no
// value. An index of the names' type sees values of its type only, as in Qdrant.
type exceptCond struct {
	path  path
	words map[string]struct{} // one of these is nil
	ints  map[int64]struct{}
}

func (c *exceptCond) bind(p *partition, _ *scan) bound {
	if f := p.field(c.path.text); f != nil {
		switch {
		case c.words != nil && f.words != nil:
			return others(f.words, c.words)
		case c.ints != nil && f.ints != nil:
			return others(f.ints, c.ints)
		}
	}
	return bound{costly: true, check: func(row uint32) bool {
		return c.path.flat(p.payload[row], func(v value) bool {
			switch {
			case v.null():
				return false
			case c.words != nil && v.kind == kindString:
				_, named := c.words[string(v.b)]
				return !named
			case c.ints != nil && v.kind == kindInt:
				_, named := c.ints[int64(v.bits)]
				return !named
			}
			return true
		})
	}}
}

// others is the bound of "a value of the index that is not named".
func others[T comparable](l lists[T], named map[T]struct{}) bound {
	var sets []rowSet
	for v, rows := range l {
		if _, is := named[v]; !is {
			sets = append(sets, rows)
		}
	}
	return oneOf(sets)
}

// rangeCond matches where some number lies in a range. An index of datetimes holds microseconds, which are numbers too.
type rangeCond struct {
	path  path
	in    func(float64) bool
	whole func(int64) bool
}

func (c *rangeCond) bind(p *partition, _ *scan) bound {
	if f := p.field(c.path.text); f != nil {
		switch {
		case f.whole != nil && f.spec.order:
			return bound{check: func(row uint32) bool { return f.whole.any(row, c.whole) }}
		case f.real != nil:
			return bound{check: func(row uint32) bool { return f.real.any(row, c.in) }}
		}
	}
	return bound{costly: true, check: func(row uint32) bool {
		return c.path.flat(p.payload[row], func(v value) bool {
			x, ok := v.number()
			return ok && c.in(x)
		})
	}}
}

// timeCond matches where some datetime lies in a range. Where the field has an index of numbers, these are taken for
// microseconds, as in Qdrant.
type timeCond struct {
	path path
	in   func(int64) bool
	real func(float64) bool
}

func (c *timeCond) bind(p *partition, _ *scan) bound {
	if f := p.field(c.path.text); f != nil {
		switch {
		case f.whole != nil && f.spec.order:
			return bound{check: func(row uint32) bool { return f.whole.any(row, c.in) }}
		case f.real != nil:
			return bound{check: func(row uint32) bool { return f.real.any(row, c.real) }}
		}
	}
	return bound{costly: true, check: func(row uint32) bool {
		return c.path.flat(p.payload[row], func(v value) bool {
			if v.kind != kindString {
				return false
			}
			t, ok := parseTime(string(v.b))
			return ok && c.in(t)
		})
	}}
}

// emptyCond matches where nothing but nulls and empty lists is at the path. In a field condition (field) the question
// may be negated, and is put to each value by itself unless the path has an index, as in Qdrant.
type emptyCond struct {
	path        path
	field, want bool
}

func (v value) empty() bool { return v.null() || v.kind == kindList && len(v.b) == 0 }

func (c *emptyCond) bind(p *partition, _ *scan) bound {
	each := c.field && p.field(c.path.text) == nil
	return bound{costly: true, check: func(row uint32) bool {
		if !each {
			return c.path.each(p.payload[row], func(v value) bool { return !v.empty() }) != c.want
		}
		none := true
		hit := c.path.each(p.payload[row], func(v value) bool {
			none = false
			return v.empty() == c.want
		})
		return hit || none && c.want
	}}
}

// nullCond matches where a null is at the path, or in a list there; or, where want is false, something that is neither:
// each value is asked by itself, unless the path has an index, as in Qdrant.
type nullCond struct {
	path path
	want bool
}

func (c *nullCond) bind(p *partition, _ *scan) bound {
	null := func(v value) bool {
		if v.kind == kindList {
			return v.elements(value.null)
		}
		return v.null()
	}
	if p.field(c.path.text) != nil {
		return bound{costly: true, check: func(row uint32) bool { return c.path.each(p.payload[row], null) == c.want }}
	}
	return bound{costly: true, check: func(row uint32) bool {
		none := true
		hit := c.path.each(p.payload[row], func(v value) bool {
			none = false
			return null(v) == c.want
		})
		return hit || none && !c.want
	}}
}

// idCond matches points by id; ids that do not exist are fine.
type idCond struct{ set map[pointID]struct{} }

func (c *idCond) bind(p *partition, s *scan) bound {
	b := bound{check: func(row uint32) bool {
		_, ok := c.set[p.ids[row]]
		return ok
	}}
	if s != nil && len(c.set) <= p.live {
		b.rows, b.known = s.rowsOf(p, c), true
	}
	return b
}

type vectorCond struct{ name string }

func (c *vectorCond) bind(p *partition, _ *scan) bound {
	if i, ok := p.schema.denseAt(c.name); ok {
		return bound{check: func(row uint32) bool { return p.dense[i].at(row) != nil }}
	}
	if i, ok := p.schema.sparseAt(c.name); ok {
		return bound{check: func(row uint32) bool { return p.sparse[i].at(row).idx != nil }}
	}
	return constant(false)
}

// bind makes a filter inside a filter a condition.
func (f *filter) bind(p *partition, s *scan) bound {
	m := f.match(p, s)
	if m.none {
		return constant(false)
	}
	if m.all() {
		return constant(true)
	}
	b := bound{check: m.check, costly: m.costly}
	if m.driven && len(m.checks) == 0 {
		b.rows, b.known = m.driver, true
	}
	return b
}
