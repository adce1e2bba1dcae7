package scour

import "encoding/binary"

// matcher finds many needles in one pass: by their first four bytes.
type matcher struct {
	begins [1 << 16]bool // by the first two bytes
	by     map[uint32][]needle
	most   int // bytes of the longest
}

func newMatcher(ns []needle) *matcher {
	m := &matcher{by: map[uint32][]needle{}}
	for _, n := range ns {
		m.begins[uint16(n.text[0])<<8|uint16(n.text[1])] = true
		k := binary.BigEndian.Uint32([]byte(n.text))
		m.by[k] = append(m.by[k], n)
		m.most = max(m.most, len(n.text))
	}
	return m
}

// find calls found with every needle that b holds, once for each place.
func (m *matcher) find(b []byte, found func(needle)) {
	for i := 0; i+4 <= len(b); i++ {
		if !m.begins[uint16(b[i])<<8|uint16(b[i+1])] {
			continue
		}
		for _, n := range m.by[binary.BigEndian.Uint32(b[i:])] {
			if len(b)-i >= len(n.text) && string(b[i:i+len(n.text)]) == n.text {
				found(n)
			}
		}
	}
}
