package qdrantd

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/qdrant/go-client/qdrant"
)

// Get implements qdrant.PointsServer: the points that exist, in the order asked for, each once.
func (ps *pointsService) Get(ctx context.Context, req *qdrant.GetPoints) (*qdrant.GetResponse, error) {
	start := time.Now()
	leave, err := ps.s.enter(req)
	if err != nil {
		return nil, err
	}
	defer leave()
	ctx, cancel, err := limited(ctx, req.Timeout)
	if err != nil {
		return nil, err
	}
	defer cancel()
	c, err := ps.s.collection(req.GetCollectionName())
	if err != nil {
		return nil, err
	}
	ids, err := parseIDs(req.GetIds())
	if err != nil {
		return nil, err
	}
	pay, err := newPayloadSelector(req.GetWithPayload(), false)
	if err != nil {
		return nil, err
	}
	vec, err := newVectorSelector(req.GetWithVectors(), c.view())
	if err != nil {
		return nil, err
	}
	out := &qdrant.GetResponse{}
	seen := make(map[pointID]struct{}, len(ids))
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return nil, ctxStatus(err)
		}
		if _, twice := seen[id]; twice {
			continue
		}
		seen[id] = struct{}{}
		_, err := c.lookup(id, func(p *partition, row uint32) error {
			payload, err := pay.pick(p.payload[row])
			out.Result = append(out.Result, retrieved(id, payload, vec.vectors(p, row)))
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	out.Time = time.Since(start).Seconds()
	return out, nil
}

// Count implements qdrant.PointsServer. It is always exact.
func (ps *pointsService) Count(ctx context.Context, req *qdrant.CountPoints) (*qdrant.CountResponse, error) {
	start := time.Now()
	leave, err := ps.s.enter(req)
	if err != nil {
		return nil, err
	}
	defer leave()
	ctx, cancel, err := limited(ctx, req.Timeout)
	if err != nil {
		return nil, err
	}
	defer cancel()
	c, err := ps.s.collection(req.GetCollectionName())
	if err != nil {
		return nil, err
	}
	f, err := newFilter(req.GetFilter())
	if err != nil {
		return nil, err
	}
	n, err := c.count(ctx, f)
	if err != nil {
		return nil, err
	}
	return &qdrant.CountResponse{Result: &qdrant.CountResult{Count: uint64(n)}, Time: time.Since(start).Seconds()}, nil
}

// Facet implements qdrant.PointsServer: how many points have each value of a key. It is always exact.
func (ps *pointsService) Facet(ctx context.Context, req *qdrant.FacetCounts) (*qdrant.FacetResponse, error) {
	start := time.Now()
	leave, err := ps.s.enter(req)
	if err != nil {
		return nil, err
	}
	defer leave()
	ctx, cancel, err := limited(ctx, req.Timeout)
	if err != nil {
		return nil, err
	}
	defer cancel()
	c, err := ps.s.collection(req.GetCollectionName())
	if err != nil {
		return nil, err
	}
	key, err := parsePath(req.GetKey())
	if err != nil {
		return nil, err
	}
	f, err := newFilter(req.GetFilter())
	if err != nil {
		return nil, err
	}
	limit := uint64(defaultLimit)
	if req.Limit != nil {
		if limit = *req.Limit; limit == 0 {
			return nil, invalid("Validation error in body: [limit: must be greater than or equal to 1]")
		}
	}
	sc := c.view()
	i, ok := sc.indexAt(key.text)
	var hits []*qdrant.FacetHit
	switch {
	case ok && sc.indexes[i].kind == indexKeyword:
		hits, err = facet(ctx, c, f, &key, func(fi *fieldIndex) lists[string] { return fi.words },
			func(v string) *qdrant.FacetValue {
				return &qdrant.FacetValue{Variant: &qdrant.FacetValue_StringValue{StringValue: v}}
			}, cmp.Compare[string], limit)
	case ok && sc.indexes[i].kind == indexInteger:
		hits, err = facet(ctx, c, f, &key, func(fi *fieldIndex) lists[int64] { return fi.ints },
			func(v int64) *qdrant.FacetValue {
				return &qdrant.FacetValue{Variant: &qdrant.FacetValue_IntegerValue{IntegerValue: v}}
			}, cmp.Compare[int64], limit)
	case ok && sc.indexes[i].kind == indexBool:
		hits, err = facet(ctx, c, f, &key, func(fi *fieldIndex) lists[bool] { return fi.bools },
			func(v bool) *qdrant.FacetValue {
				return &qdrant.FacetValue{Variant: &qdrant.FacetValue_BoolValue{BoolValue: v}}
			}, func(a, b bool) int {
				switch {
				case a == b:
					return 0
				case b:
					return -1
				}
				return 1
			}, limit)
	default:
		return nil, wrongInput("No appropriate index for faceting: `%s`. Please create one to facet on this field.", key.text)
	}
	if err != nil {
		return nil, err
	}
	return &qdrant.FacetResponse{Hits: hits, Time: time.Since(start).Seconds()}, nil
}

func facet[T comparable](ctx context.Context, c *collection, f *filter, key *path, of func(*fieldIndex) lists[T],
	proto func(T) *qdrant.FacetValue, order func(a, b T) int, limit uint64,
) ([]*qdrant.FacetHit, error) {
	counts := map[T]int{}
	err := c.scan(ctx, f, func() { clear(counts) }, func(m *matcher) error {
		fi := m.p.field(key.text)
		if fi == nil || of(fi) == nil {
			return nil
		}
		n := 0
		for v, rows := range of(fi) {
			if n++; n&255 == 255 && ctx.Err() != nil {
				return ctx.Err()
			}
			if m.all() {
				counts[v] += len(rows)
				continue
			}
			for _, row := range rows {
				if m.check(row) {
					counts[v]++
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	values := make([]T, 0, len(counts))
	for v, n := range counts {
		if n > 0 {
			values = append(values, v)
		}
	}
	slices.SortFunc(values, func(a, b T) int { // most first, then by value, as Qdrant does
		return cmp.Or(cmp.Compare(counts[b], counts[a]), order(a, b))
	})
	values = values[:min(limit, uint64(len(values)), math.MaxInt32)]
	hits := make([]*qdrant.FacetHit, len(values))
	for i, v := range values {
		hits[i] = &qdrant.FacetHit{Value: proto(v), Count: uint64(counts[v])}
	}
	return hits, nil
}
