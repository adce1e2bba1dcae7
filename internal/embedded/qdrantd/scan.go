package qdrantd

import (
	"context"
	"slices"
)

// scan is one pass of a filter over a collection: which partitions it must look into and where the points that the
// filter names by id lie.
type scan struct {
	rows map[*idCond]map[*partition]rowSet
}

// rowsOf is where the named points lie in p. Rows that hold another point by now are left out.
func (s *scan) rowsOf(p *partition, c *idCond) rowSet {
	return slices.DeleteFunc(slices.Clone(s.rows[c][p]), func(row uint32) bool {
		if int(row) >= len(p.ids) || p.payload[row] == nil {
			return true
		}
		_, ok := c.set[p.ids[row]]
		return !ok
	})
}

// locate finds the points of every idCond in f. It needs the collection read-locked.
func (s *scan) locate(c *collection, f *filter) {
	for _, list := range [...][]cond{f.must, f.should, f.mustNot, f.some} {
		for _, k := range list {
			switch k := k.(type) {
			case *filter:
				s.locate(c, k)
			case *idCond:
				at := map[*partition]rowSet{}
				for id := range k.set {
					if l, ok := c.where[id]; ok {
						at[l.part] = append(at[l.part], l.row)
					}
				}
				for _, rows := range at {
					slices.Sort(rows)
				}
				s.rows[k] = at
			}
		}
	}
}

// partitions is where matching points can be. It needs the collection read-locked.
func (s *scan) partitions(c *collection, f *filter) []*partition {
	var found []*partition
	if c.narrow(s, f, func(parts []*partition) {
		if found == nil || len(parts) < len(found) {
			found = parts
		}
	}) {
		return found
	}
	for _, p := range c.parts {
		found = append(found, p)
	}
	return found
}

// narrow offers every set of partitions that a must condition confines the answer to, and says whether there was one.
func (c *collection) narrow(s *scan, f *filter, offer func([]*partition)) (narrowed bool) {
	if f == nil {
		return false
	}
	for _, k := range f.must {
		switch k := k.(type) {
		case *filter:
			narrowed = c.narrow(s, k, offer) || narrowed
		case *idCond:
			parts := make([]*partition, 0, len(s.rows[k]))
			for p := range s.rows[k] {
				parts = append(parts, p)
			}
			offer(parts)
			narrowed = true
		case *wordCond:
			if t := c.schema.tenant; t < 0 || c.schema.indexes[t].path.text != k.path.text {
				continue
			}
			parts := make([]*partition, 0, len(k.words)+1)
			for _, w := range k.words {
				if p := c.parts[partKey{true, w}]; p != nil && !slices.Contains(parts, p) {
					parts = append(parts, p)
				}
			}
			if p := c.parts[partKey{}]; p != nil { // points with several values, or with none
				parts = append(parts, p)
			}
			offer(parts)
			narrowed = true
		}
	}
	return narrowed
}

// scan calls visit with the filter bound to each partition that may hold matches, read-locked. Where a point moved
// from one partition to another meanwhile, it calls reset and starts again, this time with movements held off: so no
// point is missed or met twice.
func (c *collection) scan(ctx context.Context, f *filter, reset func(), visit func(m *matcher) error) error {
	for hold := false; ; hold = true {
		c.mu.RLock()
		s := &scan{rows: map[*idCond]map[*partition]rowSet{}}
		if f != nil {
			s.locate(c, f)
		}
		parts := s.partitions(c, f)
		moves := c.moves.Load()
		if !hold {
			c.mu.RUnlock()
		}
		err := func() error {
			for _, p := range parts {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := visitLocked(p, f, s, visit); err != nil {
					return err
				}
			}
			return nil
		}()
		if hold {
			c.mu.RUnlock()
		}
		if err != nil || hold || c.moves.Load() == moves {
			return ctxStatus(err)
		}
		reset()
	}
}

func visitLocked(p *partition, f *filter, s *scan, visit func(m *matcher) error) error {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return visit(f.match(p, s))
}
