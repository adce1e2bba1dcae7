package qdrantd

import (
	"context"
	"slices"
)

// matcher is a filter bound to one partition: a driver (the smallest known set of rows that all must be in) and checks
// for what remains. Valid while the partition is read-locked.
type matcher struct {
	p      *partition
	none   bool // nothing matches
	driven bool // only rows of driver can match
	driver rowSet
	drive  bound
	checks []func(row uint32) bool
	costly bool // one of checks walks payloads
}

func (f *filter) match(p *partition, s *scan) *matcher {
	m := &matcher{p: p}
	if f == nil {
		return m
	}
	type part struct {
		bound
		from func(row uint32) bool
	}
	var parts []part
	for _, c := range f.must {
		b := c.bind(p, s)
		if b.always {
			m.none = m.none || !b.yes
			continue
		}
		parts = append(parts, part{b, b.check})
	}
	if len(f.should) > 0 {
		bs := make([]bound, 0, len(f.should))
		sure, known, costly := false, true, false
		var sets []rowSet
		for _, c := range f.should {
			b := c.bind(p, s)
			if b.always {
				sure = sure || b.yes
				continue
			}
			bs = append(bs, b)
			known = known && b.known
			sets = append(sets, b.rows)
			costly = costly || b.costly
		}
		switch {
		case sure:
		case len(bs) == 0:
			m.none = true
		case known:
			if b := oneOf(sets); b.always {
				m.none = true
			} else {
				parts = append(parts, part{b, b.check})
			}
		default:
			check := func(row uint32) bool {
				for i := range bs {
					if bs[i].check(row) {
						return true
					}
				}
				return false
			}
			parts = append(parts, part{bound{costly: costly}, check})
		}
	}
	for _, c := range f.mustNot {
		b := c.bind(p, s)
		if b.always {
			m.none = m.none || b.yes
			continue
		}
		parts = append(parts, part{bound{costly: b.costly}, func(row uint32) bool { return !b.check(row) }})
	}
	if f.least > 0 {
		var bs []bound
		least, costly := f.least, false
		for _, c := range f.some {
			b := c.bind(p, s)
			switch {
			case !b.always:
				bs = append(bs, b)
				costly = costly || b.costly
			case b.yes:
				least--
			}
		}
		if least > len(bs) {
			m.none = true
		} else if least > 0 {
			parts = append(parts, part{bound{costly: costly}, func(row uint32) bool {
				n := 0
				for i := range bs {
					if bs[i].check(row) {
						if n++; n == least {
							return true
						}
					}
				}
				return false
			}})
		}
	}
	best := -1
	for i := range parts {
		if parts[i].known && (best < 0 || len(parts[i].rows) < len(parts[best].rows)) {
			best = i
		}
	}
	if best >= 0 {
		m.driven, m.driver, m.drive = true, parts[best].rows, parts[best].bound
		parts = slices.Delete(parts, best, best+1)
	}
	slices.SortStableFunc(parts, func(a, b part) int { // cheap ones first
		switch {
		case a.costly == b.costly:
			return 0
		case b.costly:
			return -1
		default:
			return 1
		}
	})
	for _, pt := range parts {
		m.checks = append(m.checks, pt.from)
		m.costly = m.costly || pt.costly
	}
	return m
}

// all says whether every live row matches.
func (m *matcher) all() bool { return !m.none && !m.driven && len(m.checks) == 0 }

// check says whether a live row matches.
func (m *matcher) check(row uint32) bool {
	return !m.none && (!m.driven || m.drive.check(row)) && m.rest(row)
}

// rest says whether a row of the driver matches.
func (m *matcher) rest(row uint32) bool {
	for _, c := range m.checks {
		if !c(row) {
			return false
		}
	}
	return true
}

// each calls fn for the matching rows, in ascending order of rows, until it returns false.
func (m *matcher) each(ctx context.Context, fn func(row uint32) bool) error {
	if m.none {
		return nil
	}
	if m.driven {
		for i, row := range m.driver {
			if i&1023 == 1023 && ctx.Err() != nil {
				return ctx.Err()
			}
			if m.rest(row) && !fn(row) {
				return nil
			}
		}
		return nil
	}
	for row := range m.p.ids {
		if row&1023 == 1023 && ctx.Err() != nil {
			return ctx.Err()
		}
		if m.p.payload[row] != nil && m.rest(uint32(row)) && !fn(uint32(row)) {
			return nil
		}
	}
	return nil
}

// count is the number of matching rows.
func (m *matcher) count(ctx context.Context) (n int, err error) {
	switch {
	case m.none:
		return 0, nil
	case m.all():
		return m.p.live, nil
	case m.driven && len(m.checks) == 0:
		return len(m.driver), nil
	}
	err = m.each(ctx, func(uint32) bool { n++; return true })
	return n, err
}
