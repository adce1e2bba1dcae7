package qdrant

import (
	"context"
	"slices"

	"github.com/qdrant/go-client/qdrant"
	"golang.org/x/sync/errgroup"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Search answers each search with its hits, best first, in the order of the searches. Those of one collection
// travel as one request; of several collections, as one request each, side by side. An error fails all of them.
// A limit below 1 means [schema.DefaultLimit].
func (s *Store) Search(ctx context.Context, gen int, searches []schema.Search) ([][]schema.Hit, error) {
	type batch struct {
		points []*qdrant.QueryPoints
		places []int
	}
	var order []schema.Collection
	batches := map[schema.Collection]*batch{}
	for i := range searches {
		q, err := s.query(gen, &searches[i])
		if err != nil {
			return nil, err
		}
		c := searches[i].Collection
		b := batches[c]
		if b == nil {
			b = &batch{}
			batches[c] = b
			order = append(order, c)
		}
		b.points, b.places = append(b.points, q), append(b.places, i)
	}
	out := make([][]schema.Hit, len(searches))
	g, ctx := errgroup.WithContext(ctx)
	for _, c := range order {
		b := batches[c]
		g.Go(func() error {
			ctx, cancel := s.bound(ctx)
			defer cancel()
			name := s.name(gen, c)
			r := batchReply{alike: alike(searches, b.places)}
			req := &qdrant.QueryBatchPoints{CollectionName: name, QueryPoints: b.points}
			if err := s.call(ctx, qdrant.Points_QueryBatch_FullMethodName, req, &r); err != nil {
				return fail("search "+name, err)
			}
			if len(r.results) != len(b.places) {
				return schema.Retryable(schema.CodeInternal, 0, nil, "search %s: %d answers to %d searches", name, len(r.results), len(b.places))
			}
			for i, ps := range r.results {
				out[b.places[i]] = hits(ps)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return out, nil
}

// alike reports whether the searches at places select the same part of payloads.
func alike(searches []schema.Search, places []int) bool {
	first := &searches[places[0]]
	for _, i := range places[1:] {
		if searches[i].Payload != first.Payload || !slices.Equal(searches[i].Keys, first.Keys) {
			return false
		}
	}
	return true
}

func (s *Store) query(gen int, q *schema.Search) (*qdrant.QueryPoints, error) {
	if _, known := layouts[q.Collection]; !known {
		return nil, schema.Invalid("collection", "%q is not a collection", q.Collection)
	}
	f, err := toFilter(q.Filter)
	if err != nil {
		return nil, err
	}
	limit := uint64(schema.DefaultLimit)
	if q.Limit > 0 {
		limit = uint64(q.Limit)
	}
	out := &qdrant.QueryPoints{
		CollectionName: s.name(gen, q.Collection), Filter: f, Limit: &limit, WithPayload: selectPayload(q.Payload, q.Keys),
	}
	switch {
	case (q.Dense == nil) == (q.Sparse == nil):
		return nil, schema.Invalid("search", "needs exactly one of a dense and a sparse vector")
	case q.Dense != nil:
		if err := checkDense(q.Dense); err != nil {
			return nil, err
		}
		out.Query, out.Using = qdrant.NewQueryDense(q.Dense), qdrant.PtrOf(schema.VectorDense)
	default:
		if err := checkSparse(q.Sparse); err != nil {
			return nil, err
		}
		out.Query, out.Using = qdrant.NewQuerySparse(q.Sparse.Indices, q.Sparse.Values), qdrant.PtrOf(schema.VectorTerms)
	}
	if q.Terms {
		out.WithVectors = qdrant.NewWithVectorsInclude(schema.VectorTerms)
	}
	if q.MinScore != nil {
		out.ScoreThreshold = qdrant.PtrOf(float32(*q.MinScore))
	}
	return out, nil
}

func hits(ps []found) []schema.Hit {
	out := make([]schema.Hit, len(ps))
	for i, p := range ps {
		out[i] = schema.Hit{ID: p.ID, Score: p.score}
		if len(p.Payload) > 0 {
			out[i].Payload = p.Payload
		}
		if p.Sparse != nil {
			out[i].Terms = p.Sparse.Indices
		}
	}
	return out
}
