package qdrantd

import (
	"slices"
	"sync"
)

// record is a point on its way into a partition.
type record struct {
	id      pointID
	version uint64
	payload []byte      // see payload.go
	dense   [][]float32 // by position in the schema; nil for none
	sparse  []sparseVec
}

// partition holds points in rows. A removed row is used again by a later point.
type partition struct {
	mu     sync.RWMutex
	schema *schema
	keyed  bool   // every point has exactly the value key at the tenant path
	key    string //

	ids     []pointID
	version []uint64
	payload [][]byte // nil: the row is free
	free    []uint32
	live    int
	dense   []denseStore
	sparse  []sparseStore
	fields  []*fieldIndex // by position in the schema

	orderMu sync.Mutex
	order   []uint32 // rows by id; nil when it must be made again
}

func newPartition(s *schema, keyed bool, key string) *partition {
	p := &partition{schema: s, keyed: keyed, key: key}
	for _, d := range s.dense {
		st := denseStore{dim: d.dim}
		if metricOf(d.dist).inner {
			st.coarse = newCoarse(d.dim)
		}
		p.dense = append(p.dense, st)
	}
	for range s.sparse {
		p.sparse = append(p.sparse, sparseStore{by: map[uint32]*posting{}})
	}
	for i := range s.indexes {
		p.fields = append(p.fields, newFieldIndex(&s.indexes[i]))
	}
	return p
}

// The following change the partition and need mu locked.

func (p *partition) insert(r *record) uint32 {
	var row uint32
	if n := len(p.free); n > 0 {
		row, p.free = p.free[n-1], p.free[:n-1]
		p.ids[row] = r.id
	} else {
		row = uint32(len(p.ids))
		p.ids = append(p.ids, r.id)
		p.version = append(p.version, 0)
		p.payload = append(p.payload, nil)
	}
	p.live++
	p.order = nil
	p.replace(row, r)
	return row
}

// replace puts another point of the same id into row.
func (p *partition) replace(row uint32, r *record) {
	for i := range p.dense {
		p.dense[i].set(row, r.dense[i])
	}
	for i := range p.sparse {
		p.sparse[i].set(row, r.sparse[i])
	}
	p.setPayload(row, r.version, r.payload)
}

func (p *partition) setPayload(row uint32, version uint64, payload []byte) {
	for _, f := range p.fields {
		f.set(row, p.payload[row], payload)
	}
	p.version[row], p.payload[row] = version, payload
}

func (p *partition) remove(row uint32) {
	for i := range p.dense {
		p.dense[i].set(row, nil)
	}
	for i := range p.sparse {
		p.sparse[i].set(row, sparseVec{})
	}
	for _, f := range p.fields {
		f.set(row, p.payload[row], nil)
	}
	p.payload[row], p.version[row], p.ids[row] = nil, 0, pointID{}
	p.free = append(p.free, row)
	p.live--
	p.order = nil
}

// The following read and need mu read-locked.

// holds says whether row is point id.
func (p *partition) holds(row uint32, id pointID) bool {
	return int(row) < len(p.ids) && p.payload[row] != nil && p.ids[row] == id
}

func (p *partition) record(row uint32) *record {
	r := &record{id: p.ids[row], version: p.version[row], payload: p.payload[row]}
	for i := range p.dense {
		r.dense = append(r.dense, slices.Clone(p.dense[i].at(row)))
	}
	for i := range p.sparse {
		r.sparse = append(r.sparse, p.sparse[i].at(row))
	}
	return r
}

// byID is the live rows in the order of their ids.
func (p *partition) byID() []uint32 {
	p.orderMu.Lock()
	defer p.orderMu.Unlock()
	if p.order == nil {
		p.order = make([]uint32, 0, p.live)
		for row := range p.ids {
			if p.payload[row] != nil {
				p.order = append(p.order, uint32(row))
			}
		}
		slices.SortFunc(p.order, func(a, b uint32) int { return compareIDs(&p.ids[a], &p.ids[b]) })
	}
	return p.order
}

func (p *partition) field(canonical string) *fieldIndex {
	if i, ok := p.schema.indexAt(canonical); ok {
		return p.fields[i]
	}
	return nil
}
