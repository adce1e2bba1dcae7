package qdrantd

import (
	"context"
	"math"
	"sync"
)

// search is a checked nearest-neighbour query over one vector name.
type search struct {
	metric metric
	at     int       // position of the name among the dense or the sparse ones
	dense  []float32 // exactly one of dense, sparse
	sparse *sparseVec
	floor  *float32 // score_threshold: only better scores are wanted

	scores [blockRows]float32 // scratch space
	asked  *asked             // dense as coarse vectors are compared with it, once it is needed
}

func (s *search) passes(raw float32) bool {
	if s.floor == nil {
		return true
	}
	score := s.metric.score(raw)
	if s.metric.less {
		return score < *s.floor
	}
	return score > *s.floor
}

// in adds the matching points of one partition to top.
func (s *search) in(ctx context.Context, m *matcher, top *topK) error {
	if m.none || top.k == 0 {
		return nil
	}
	if s.sparse != nil {
		return s.inSparse(ctx, m, top)
	}
	return s.inDense(ctx, m, top)
}

func (s *search) offer(p *partition, row uint32, raw float32, top *topK) {
	if top.open(raw) {
		top.push(hit{raw: raw, id: p.ids[row], version: p.version[row], payload: p.payload[row], part: p, row: row})
	}
}

// reach is what a score must not stay below to be of interest.
func (s *search) reach(top *topK) float64 {
	least := math.Inf(-1)
	if s.floor != nil {
		least = float64(*s.floor)
	}
	if len(top.heap) == top.k {
		least = max(least, float64(top.heap[0].raw))
	}
	return least
}

// inDense scores what passes the filter. Where the store has coarse vectors, those whose bound stays below what is of
// interest are passed over: none of them could get in.
func (s *search) inDense(ctx context.Context, m *matcher, top *topK) error {
	p, st := m.p, &m.p.dense[s.at]
	if st.coarse != nil && s.asked == nil {
		s.asked = newAsked(s.dense)
	}
	var raw [1]float32
	score := func(row uint32, v []float32, check bool) {
		s.metric.raw(s.dense, v, raw[:])
		if top.open(raw[0]) && s.passes(raw[0]) && (!check || m.rest(row)) {
			s.offer(p, row, raw[0], top)
		}
	}
	if m.driven {
		for i, row := range m.driver {
			if i&1023 == 1023 && ctx.Err() != nil {
				return ctx.Err()
			}
			if int(row) >= len(st.slot) || st.slot[row] < 0 {
				continue
			}
			slot := int(st.slot[row])
			if st.coarse != nil && s.asked.one(st.coarse, slot) < s.reach(top) {
				continue
			}
			// A check that walks the payload costs more than a score: first see whether the point would get in at all.
			if m.costly || m.rest(row) {
				score(row, st.vector(slot), m.costly)
			}
		}
		return nil
	}
	for i, block := range st.blocks {
		if i&3 == 3 && ctx.Err() != nil {
			return ctx.Err()
		}
		first := i * blockRows
		rows := st.row[first:min(first+blockRows, len(st.row))]
		if st.coarse != nil {
			least := s.reach(top)
			for j, sum := range s.asked.block(st.coarse, i, len(rows)) {
				if s.asked.most(st.coarse, first+j, sum) < least {
					continue
				}
				score(rows[j], st.vector(first+j), true)
				least = s.reach(top)
			}
			continue
		}
		scores := s.scores[:len(rows)]
		s.metric.raw(s.dense, block, scores)
		for j, row := range rows { // a score costs less than any check, and few points get in
			if raw := scores[j]; top.open(raw) && s.passes(raw) && m.rest(row) {
				s.offer(p, row, raw, top)
			}
		}
	}
	return nil
}

// sums is scratch space of a sparse query: sum by row, and which rows have one.
type sums struct {
	sum  []float32
	seen []bool
	rows []uint32
}

var sumsPool = sync.Pool{New: func() any { return new(sums) }}

func (s *search) inSparse(ctx context.Context, m *matcher, top *topK) error {
	p, st := m.p, &m.p.sparse[s.at]
	var lists []*posting
	var weights []float32
	total := 0
	for i, ix := range s.sparse.idx {
		if pl := st.by[ix]; pl != nil {
			lists, weights = append(lists, pl), append(weights, s.sparse.val[i])
			total += len(pl.rows)
		}
	}
	if total == 0 {
		return nil
	}
	// Few candidates and long lists: compare vector by vector. Both ways add the same products in the same order.
	if m.driven && len(m.driver)*8 < total {
		for i, row := range m.driver {
			if i&1023 == 1023 && ctx.Err() != nil {
				return ctx.Err()
			}
			raw, common := sparseDot(s.sparse, st.at(row))
			if common && s.passes(raw) && top.open(raw) && m.rest(row) {
				s.offer(p, row, raw, top)
			}
		}
		return nil
	}
	acc := sumsPool.Get().(*sums)
	defer sumsPool.Put(acc)
	if len(acc.sum) < len(p.ids) {
		acc.sum, acc.seen = make([]float32, len(p.ids)+len(p.ids)/4), make([]bool, len(p.ids)+len(p.ids)/4)
	}
	acc.rows = acc.rows[:0]
	for i, pl := range lists {
		w := weights[i]
		for j, row := range pl.rows {
			if !acc.seen[row] {
				acc.seen[row], acc.sum[row] = true, 0
				acc.rows = append(acc.rows, row)
			}
			acc.sum[row] += w * pl.val[j]
		}
	}
	for _, row := range acc.rows {
		acc.seen[row] = false
		if raw := acc.sum[row]; s.passes(raw) && top.open(raw) && m.check(row) {
			s.offer(p, row, raw, top)
		}
	}
	return ctx.Err()
}

// sparseDot is the inner product over the indices that both have, and whether there is one.
func sparseDot(a *sparseVec, b sparseVec) (sum float32, common bool) {
	for i, j := 0, 0; i < len(a.idx) && j < len(b.idx); {
		switch x, y := a.idx[i], b.idx[j]; {
		case x < y:
			i++
		case x > y:
			j++
		default:
			sum += a.val[i] * b.val[j]
			common = true
			i++
			j++
		}
	}
	return sum, common
}
