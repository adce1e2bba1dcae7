package qdrantd

import "slices"

// sparseVec is a sparse vector with rising indices. A nil idx means that there is none; an empty one is a vector that
// nothing matches.
type sparseVec struct {
	idx []uint32
	val []float32
}

// blockRows is how many vectors a block of a denseStore holds.
const blockRows = 256

// denseStore keeps the vectors of one name end to end in slots, without holes, so that a scan runs over contiguous
// memory however many rows have no vector of that name. Slots come in blocks: to grow costs a copy of one block at most,
// and no more than one block is held in reserve.
type denseStore struct {
	dim    int
	blocks [][]float32 // blockRows vectors each, but for the last
	row    []uint32    // by slot
	slot   []int32     // by row, -1 for none
	coarse *coarse     // by slot; nil where scans do without
}

func (s *denseStore) vector(slot int) []float32 {
	i := slot % blockRows * s.dim
	return s.blocks[slot/blockRows][i : i+s.dim : i+s.dim]
}

func (s *denseStore) at(row uint32) []float32 {
	if int(row) >= len(s.slot) || s.slot[row] < 0 {
		return nil
	}
	return s.vector(int(s.slot[row]))
}

// set stores v for row, or takes the row's vector away where v is nil.
func (s *denseStore) set(row uint32, v []float32) {
	for len(s.slot) <= int(row) {
		if v == nil {
			return
		}
		s.slot = append(s.slot, -1)
	}
	switch at := int(s.slot[row]); {
	case v != nil && at >= 0:
		copy(s.vector(at), v)
		if s.coarse != nil {
			s.coarse.set(at, v)
		}
	case v != nil:
		s.slot[row] = int32(len(s.row))
		if s.coarse != nil {
			s.coarse.set(len(s.row), v)
		}
		s.row = append(s.row, row)
		s.push(v)
	case at >= 0: // the last one fills the hole
		last := len(s.row) - 1
		copy(s.vector(at), s.vector(last))
		moved := s.row[last]
		s.row[at], s.slot[moved] = moved, int32(at)
		if s.coarse != nil {
			s.coarse.move(at)
		}
		s.slot[row] = -1
		s.row = s.row[:last]
		s.pop()
	}
}

// push puts v behind the last vector.
func (s *denseStore) push(v []float32) {
	last := len(s.blocks) - 1
	if last < 0 || len(s.blocks[last]) == blockRows*s.dim {
		s.blocks = append(s.blocks, nil)
		last++
	}
	b := s.blocks[last]
	if len(b) == cap(b) {
		b = append(make([]float32, 0, min(max(2*len(b), 8*s.dim), blockRows*s.dim)), b...)
	}
	s.blocks[last] = append(b, v...)
}

// pop takes the last vector away.
func (s *denseStore) pop() {
	last := len(s.blocks) - 1
	b := s.blocks[last]
	if s.blocks[last] = b[:len(b)-s.dim]; len(b) == s.dim {
		s.blocks[last] = nil
		s.blocks = s.blocks[:last]
	}
}

// posting is the inverted list of one sparse index: rows ascending, with their weights.
type posting struct {
	rows rowSet
	val  []float32
}

// sparseStore keeps the sparse vectors of one name by row and inverted.
type sparseStore struct {
	byRow []sparseVec
	by    map[uint32]*posting
}

func (s *sparseStore) at(row uint32) sparseVec {
	if int(row) >= len(s.byRow) {
		return sparseVec{}
	}
	return s.byRow[row]
}

func (s *sparseStore) set(row uint32, v sparseVec) {
	for len(s.byRow) <= int(row) {
		if v.idx == nil {
			return
		}
		s.byRow = append(s.byRow, sparseVec{})
	}
	for _, ix := range s.byRow[row].idx {
		p := s.by[ix]
		if i, ok := slices.BinarySearch(p.rows, row); ok {
			p.rows, p.val = slices.Delete(p.rows, i, i+1), slices.Delete(p.val, i, i+1)
		}
		if len(p.rows) == 0 {
			delete(s.by, ix)
		}
	}
	s.byRow[row] = v
	for i, ix := range v.idx {
		p := s.by[ix]
		if p == nil {
			p = &posting{}
			s.by[ix] = p
		}
		if n := len(p.rows); n == 0 || p.rows[n-1] < row {
			p.rows, p.val = append(p.rows, row), append(p.val, v.val[i])
			continue
		}
		at, _ := slices.BinarySearch(p.rows, row)
		p.rows, p.val = slices.Insert(p.rows, at, row), slices.Insert(p.val, at, v.val[i])
	}
}
