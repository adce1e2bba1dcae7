package qdrantd

import (
	"slices"

	"github.com/qdrant/go-client/qdrant"
)

// vectors is the selected vectors of a row, copied. It needs the partition read-locked.
func (s *vectorSelector) vectors(p *partition, row uint32) *qdrant.VectorsOutput {
	if !s.any {
		return nil
	}
	m := map[string]*qdrant.VectorOutput{}
	for _, i := range s.dense {
		if v := p.dense[i].at(row); v != nil {
			m[p.schema.dense[i].name] = &qdrant.VectorOutput{Vector: &qdrant.VectorOutput_Dense{
				Dense: &qdrant.DenseVector{Data: slices.Clone(v)}}}
		}
	}
	for _, i := range s.sparse {
		if v := p.sparse[i].at(row); v.idx != nil { // never changed once stored
			m[p.schema.sparse[i].name] = &qdrant.VectorOutput{Vector: &qdrant.VectorOutput_Sparse{
				Sparse: &qdrant.SparseVector{Indices: v.idx, Values: v.val}}}
		}
	}
	return &qdrant.VectorsOutput{VectorsOptions: &qdrant.VectorsOutput_Vectors{Vectors: &qdrant.NamedVectorsOutput{Vectors: m}}}
}

// The payload goes into an answer as the bytes it is stored in: set as unknown fields they are marshalled as they are,
// and the client reads them as field 2, the payload. See payload.go.

func retrieved(id pointID, payload []byte, vs *qdrant.VectorsOutput) *qdrant.RetrievedPoint {
	r := &qdrant.RetrievedPoint{Id: id.proto(), Vectors: vs}
	if len(payload) > 0 {
		r.ProtoReflect().SetUnknown(payload)
	}
	return r
}

func scored(id pointID, score float32, version uint64, payload []byte, vs *qdrant.VectorsOutput) *qdrant.ScoredPoint {
	p := &qdrant.ScoredPoint{Id: id.proto(), Score: score, Version: version, Vectors: vs}
	if len(payload) > 0 {
		p.ProtoReflect().SetUnknown(payload)
	}
	return p
}
