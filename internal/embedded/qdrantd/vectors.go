package qdrantd

import "slices"

// sparseVec is a sparse vector with rising indices. A nil idx means that there is none; an empty one is a vector that
// nothing matches.
type sparseVec struct {
	idx []uint32
	val []float32
}

// denseStore keeps the vectors of one name end to end in slots, without holes, so that a scan runs over contiguous
// memory however many rows have no vector of that name.
type denseStore struct {
	dim  int
	data []float32
	row  []uint32 // by slot
	slot []int32  // by row, -1 for none
}

func (s *denseStore) at(row uint32) []float32 {
	if int(row) >= len(s.slot) || s.slot[row] < 0 {
		return nil
	}
	i := int(s.slot[row]) * s.dim
	return s.data[i : i+s.dim : i+s.dim]
}

// set stores v for row, or takes the row's vector away where v is nil.
func (s *denseStore) set(row uint32, v []float32) {
	for len(s.slot) <= int(row) {
		if v == nil {
			return
		}
		s.slot = append(s.slot, -1)
	}
	switch at := s.slot[row]; {
	case v != nil && at >= 0:
		copy(s.data[int(at)*s.dim:], v)
	case v != nil:
		s.slot[row] = int32(len(s.row))
		s.row = append(s.row, row)
		s.data = append(s.data, v...)
	case at >= 0: // the last one fills the hole
		last := len(s.row) - 1
		copy(s.data[int(at)*s.dim:(int(at)+1)*s.dim], s.data[last*s.dim:])
		moved := s.row[last]
		s.row[at], s.slot[moved] = moved, at
		s.slot[row] = -1
		s.row, s.data = s.row[:last], s.data[:last*s.dim]
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
