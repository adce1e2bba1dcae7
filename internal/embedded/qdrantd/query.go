package qdrantd

import (
	"context"
	"math"
	"runtime"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"golang.org/x/sync/errgroup"
)

const defaultLimit = 10 // of Query, Scroll and Facet, as in Qdrant

// Query implements qdrant.PointsServer: nearest neighbours by a dense or a sparse vector, or, without a query, points
// in the order of their ids, each with score 1, as in Qdrant.
func (ps *pointsService) Query(ctx context.Context, req *qdrant.QueryPoints) (*qdrant.QueryResponse, error) {
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
	found, err := ps.query(ctx, req)
	if err != nil {
		return nil, err
	}
	return &qdrant.QueryResponse{Result: found, Time: time.Since(start).Seconds()}, nil
}

// QueryBatch implements qdrant.PointsServer.
func (ps *pointsService) QueryBatch(ctx context.Context, req *qdrant.QueryBatchPoints) (*qdrant.QueryBatchResponse, error) {
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
	out := &qdrant.QueryBatchResponse{Result: make([]*qdrant.BatchResult, len(req.GetQueryPoints()))}
	for _, q := range req.GetQueryPoints() {
		if q.GetCollectionName() != "" && q.GetCollectionName() != req.GetCollectionName() {
			return nil, invalid("a query of the batch names the collection `%s`, the batch `%s`", q.GetCollectionName(), req.GetCollectionName())
		}
		q.CollectionName = req.GetCollectionName()
	}
	// Side by side, since whoever asks waits for the slowest: one batch takes no more than all processors.
	var side errgroup.Group
	side.SetLimit(runtime.GOMAXPROCS(0))
	errs := make([]error, len(out.Result))
	for i, q := range req.GetQueryPoints() {
		side.Go(func() error {
			found, err := ps.query(ctx, q)
			out.Result[i], errs[i] = &qdrant.BatchResult{Result: found}, err
			return nil
		})
	}
	_ = side.Wait()
	for _, err := range errs { // the first in the batch, whichever failed first
		if err != nil {
			return nil, err
		}
	}
	out.Time = time.Since(start).Seconds()
	return out, nil
}

func (ps *pointsService) query(ctx context.Context, req *qdrant.QueryPoints) ([]*qdrant.ScoredPoint, error) {
	c, err := ps.s.collection(req.GetCollectionName())
	if err != nil {
		return nil, err
	}
	sc := c.view()
	f, err := newFilter(req.GetFilter())
	if err != nil {
		return nil, err
	}
	pay, err := newPayloadSelector(req.GetWithPayload(), false)
	if err != nil {
		return nil, err
	}
	vec, err := newVectorSelector(req.GetWithVectors(), sc)
	if err != nil {
		return nil, err
	}
	limit, offset := uint64(defaultLimit), req.GetOffset()
	if req.Limit != nil {
		if limit = *req.Limit; limit == 0 {
			return nil, invalid("Validation error in body: [limit: must be greater than or equal to 1]")
		}
	}
	k := int(min(limit, math.MaxInt32) + min(offset, math.MaxInt32))
	if req.GetQuery() == nil {
		if req.Using != nil || req.ScoreThreshold != nil {
			return nil, unsupported("parameters `using` and `score_threshold` are not supported by the embedded server without a query")
		}
		return c.queryByID(ctx, f, k, int(offset), &pay, &vec)
	}
	s, err := newSearch(sc, req)
	if err != nil {
		return nil, err
	}
	top := &topK{k: k}
	vectors := map[pointID]*qdrant.VectorsOutput{}
	err = c.scan(ctx, f, func() { *top = topK{k: k} }, func(m *matcher) error {
		if err := s.in(ctx, m, top); err != nil || !vec.any {
			return err
		}
		for i := range top.heap { // now, while the rows cannot change
			if h := &top.heap[i]; h.part == m.p {
				vectors[h.id] = vec.vectors(h.part, h.row)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	hits := top.sorted()
	hits = hits[min(int(min(offset, math.MaxInt32)), len(hits)):]
	out := make([]*qdrant.ScoredPoint, 0, len(hits))
	for i := range hits {
		h := &hits[i]
		payload, err := pay.pick(h.payload)
		if err != nil {
			return nil, err
		}
		out = append(out, scored(h.id, s.metric.score(h.raw), h.version, payload, vectors[h.id]))
	}
	return out, nil
}

func newSearch(sc *schema, req *qdrant.QueryPoints) (*search, error) {
	near := req.GetQuery().GetNearest()
	if near == nil {
		return nil, invalid("Query variant is missing")
	}
	s := &search{floor: req.ScoreThreshold}
	name := req.GetUsing()
	switch v := near.GetVariant().(type) {
	case *qdrant.VectorInput_Dense:
		i, ok := sc.denseAt(name)
		if _, sparse := sc.sparseAt(name); sparse {
			return nil, wrongInput("Conversion between sparse and regular vectors failed")
		} else if !ok {
			return nil, noVector(name)
		}
		var err error
		s.at, s.metric = i, metricOf(sc.dense[i].dist)
		s.dense, err = checkDense(&sc.dense[i], v.Dense.GetData())
		return s, err
	case *qdrant.VectorInput_Sparse:
		i, ok := sc.sparseAt(name)
		if _, dense := sc.denseAt(name); dense {
			return nil, wrongInput("Conversion between sparse and regular vectors failed")
		} else if !ok {
			return nil, noVector(name)
		}
		sv, err := checkSparse(v.Sparse.GetIndices(), v.Sparse.GetValues())
		s.at, s.metric, s.sparse = i, metricOf(qdrant.Distance_Dot), &sv
		return s, err
	default:
		return nil, invalid("VectorInput variant is missing")
	}
}

// queryByID answers a query without a query: points by id.
func (c *collection) queryByID(ctx context.Context, f *filter, k, offset int, pay *payloadSelector, vec *vectorSelector) ([]*qdrant.ScoredPoint, error) {
	page, err := c.page(ctx, f, nil, k, vec)
	if err != nil {
		return nil, err
	}
	page = page[min(offset, len(page)):]
	out := make([]*qdrant.ScoredPoint, 0, len(page))
	for i := range page {
		payload, err := pay.pick(page[i].payload)
		if err != nil {
			return nil, err
		}
		out = append(out, scored(page[i].id, 1, 0, payload, page[i].vectors))
	}
	return out, nil
}
