package qdrant

import (
	"math"

	"github.com/google/uuid"
	"github.com/qdrant/go-client/qdrant"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// isUUID reports whether id has the one form that ids of points have here.
func isUUID(id string) bool {
	return len(id) == 36 && uuid.Validate(id) == nil
}

func toID(field, id string) (*qdrant.PointId, error) {
	if !isUUID(id) {
		return nil, schema.Invalid(field, "%q is not the id of a point", id)
	}
	return qdrant.NewIDUUID(id), nil
}

// toIDs leaves out what cannot be the id of a point: it names no point, which is what reads ask for.
func toIDs(ids []string) []*qdrant.PointId {
	out := make([]*qdrant.PointId, 0, len(ids))
	for _, id := range ids {
		if isUUID(id) {
			out = append(out, qdrant.NewIDUUID(id))
		}
	}
	return out
}

// toPoint converts a whole point. Its vectors are always sent as a map, an empty one for none: the server refuses
// a point without it.
func toPoint(c schema.Collection, p *schema.Point) (*qdrant.PointStruct, error) {
	id, err := toID("id", p.ID)
	if err != nil {
		return nil, err
	}
	has := layouts[c]
	vs := map[string]*qdrant.Vector{}
	if p.Dense != nil {
		if !has.dense {
			return nil, schema.Invalid("dense", "collection %s holds no dense vectors", c)
		}
		if err := checkDense(p.Dense); err != nil {
			return nil, err
		}
		vs[schema.VectorDense] = qdrant.NewVectorDense(p.Dense)
	}
	if p.Sparse != nil && len(p.Sparse.Indices) > 0 {
		if !has.terms {
			return nil, schema.Invalid("sparse", "collection %s holds no sparse vectors", c)
		}
		if err := checkSparse(p.Sparse); err != nil {
			return nil, err
		}
		vs[schema.VectorTerms] = qdrant.NewVectorSparse(p.Sparse.Indices, p.Sparse.Values)
	}
	pl, err := toPayload("payload", p.Payload, 0)
	if err != nil {
		return nil, err
	}
	return &qdrant.PointStruct{Id: id, Vectors: qdrant.NewVectorsMap(vs), Payload: pl}, nil
}

func checkDense(v []float32) error {
	for _, x := range v {
		if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
			return schema.Invalid("dense", "holds a number that is not finite")
		}
	}
	return nil
}

func checkSparse(s *schema.Sparse) error {
	if len(s.Indices) != len(s.Values) {
		return schema.Invalid("sparse", "holds %d indices and %d values", len(s.Indices), len(s.Values))
	}
	for i, x := range s.Values {
		if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
			return schema.Invalid("sparse", "holds a number that is not finite")
		}
		if i > 0 && s.Indices[i] <= s.Indices[i-1] {
			return schema.Invalid("sparse", "the indices do not rise strictly")
		}
	}
	return nil
}
