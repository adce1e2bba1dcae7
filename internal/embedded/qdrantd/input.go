package qdrantd

import (
	"fmt"
	"math"
	"slices"

	"github.com/qdrant/go-client/qdrant"
)

// newRecord checks a point of an upsert and puts it into the form it is stored in.
func newRecord(sc *schema, p *qdrant.PointStruct) (*record, error) {
	id, err := parseID(p.GetId())
	if err != nil {
		return nil, err
	}
	r := &record{id: id, dense: make([][]float32, len(sc.dense)), sparse: make([]sparseVec, len(sc.sparse))}
	if p.Vectors == nil {
		return nil, invalid("Expected some vectors") // Qdrant wants the message, be it without vectors in it
	}
	for name, v := range p.GetVectors().GetVectors().GetVectors() {
		dense, sparse, err := vectorOf(v)
		if err != nil {
			return nil, err
		}
		if i, ok := sc.denseAt(name); ok {
			if sparse != nil {
				return nil, wrongInput("Conversion between sparse and regular vectors failed")
			}
			if r.dense[i], err = checkDense(&sc.dense[i], dense); err != nil {
				return nil, err
			}
		} else if i, ok := sc.sparseAt(name); ok {
			if sparse == nil {
				return nil, wrongInput("Conversion between sparse and regular vectors failed")
			}
			if r.sparse[i], err = checkSparse(sparse.Indices, sparse.Values); err != nil {
				return nil, err
			}
		} else {
			return nil, noVector(name)
		}
	}
	r.payload, err = encodePayload(p.GetPayload())
	return r, err
}

// vectorOf reads both ways a vector can be written: the oneof, and the older plain fields.
func vectorOf(v *qdrant.Vector) (dense []float32, sparse *qdrant.SparseVector, err error) {
	switch o := v.GetVector().(type) {
	case *qdrant.Vector_Dense:
		return o.Dense.GetData(), nil, nil
	case *qdrant.Vector_Sparse:
		return nil, o.Sparse, nil
	}
	//lint:ignore SA1019 older clients write these
	if data, ix := v.GetData(), v.GetIndices(); ix != nil {
		return nil, &qdrant.SparseVector{Indices: ix.GetData(), Values: data}, nil
	} else {
		return data, nil, nil
	}
}

// checkDense is v, normalised where the distance wants it, in memory of its own.
func checkDense(d *denseSpec, v []float32) ([]float32, error) {
	if len(v) != d.dim {
		return nil, wrongInput("Vector dimension error: expected dim: %d, got %d", d.dim, len(v))
	}
	v = slices.Clone(v)
	if !finite(v) {
		return nil, wrongInput("vector `%s` holds a number that is not finite", d.name)
	}
	if metricOf(d.dist).unit {
		normalize(v)
	}
	return v, nil
}

func finite(v []float32) bool {
	for _, x := range v {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return false
		}
	}
	return true
}

// checkSparse is the vector with rising indices, in memory of its own.
func checkSparse(idx []uint32, val []float32) (sparseVec, error) {
	if len(idx) != len(val) {
		return sparseVec{}, invalid("Validation error in body: [sparse vector: values must be the same length as indices]")
	}
	if !finite(val) {
		return sparseVec{}, wrongInput("a sparse vector holds a number that is not finite")
	}
	v := sparseVec{idx: append([]uint32{}, idx...), val: append([]float32{}, val...)}
	if !slices.IsSorted(v.idx) {
		at := make([]int, len(idx))
		for i := range at {
			at[i] = i
		}
		slices.SortFunc(at, func(a, b int) int { return int(int64(idx[a]) - int64(idx[b])) })
		for i, a := range at {
			v.idx[i], v.val[i] = idx[a], val[a]
		}
	}
	for i := 1; i < len(v.idx); i++ {
		if v.idx[i] == v.idx[i-1] {
			return sparseVec{}, invalid("Validation error in body: [sparse vector: indices must be unique]")
		}
	}
	return v, nil
}

// selector says which points an update is about: by ids or by filter.
type selector struct {
	ids    []pointID
	filter *filter
	byIDs  bool
}

func newSelector(s *qdrant.PointsSelector, field string) (selector, error) {
	switch o := s.GetPointsSelectorOneOf().(type) {
	case *qdrant.PointsSelector_Points:
		ids, err := parseIDs(o.Points.GetIds())
		return selector{ids: ids, byIDs: true}, err
	case *qdrant.PointsSelector_Filter:
		f, err := newFilter(o.Filter)
		return selector{filter: f}, err
	}
	if s == nil {
		return selector{}, invalid("%s is expected", field)
	}
	return selector{}, invalid("Malformed PointsSelector type")
}

func enumError(what string, v fmt.Stringer) error {
	return unsupported("parameter `%s`=%s is not supported by the embedded server", what, v)
}
