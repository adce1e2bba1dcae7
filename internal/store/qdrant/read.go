package qdrant

import (
	"context"

	"github.com/qdrant/go-client/qdrant"
	"golang.org/x/sync/errgroup"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

const (
	maxGet    = 1000 // ids in one request
	maxCounts = 8    // counts at a time of one Counts
)

// Get returns the points of ids that exist, in no order. An id that cannot be a point's is one that does not exist.
func (s *Store) Get(ctx context.Context, gen int, c schema.Collection, ids []string, withVectors bool) ([]schema.Point, error) {
	return s.getKeys(ctx, gen, c, ids, withVectors, nil)
}

// GetKeys is [Store.Get] without vectors and with these keys of the payloads alone, all where none is named.
func (s *Store) GetKeys(ctx context.Context, gen int, c schema.Collection, ids []string, keys ...string) ([]schema.Point, error) {
	return s.getKeys(ctx, gen, c, ids, false, keys)
}

func (s *Store) getKeys(ctx context.Context, gen int, c schema.Collection, ids []string, withVectors bool, keys []string) ([]schema.Point, error) {
	name := s.name(gen, c)
	var out []schema.Point
	for all := toIDs(ids); len(all) > 0; {
		n := min(len(all), maxGet)
		pts, err := s.get(ctx, name, all[:n], withVectors, keys)
		if err != nil {
			return nil, err
		}
		for _, p := range pts {
			out = append(out, p.Point)
		}
		all = all[n:]
	}
	return out, nil
}

func (s *Store) get(ctx context.Context, name string, ids []*qdrant.PointId, withVectors bool, keys []string) ([]found, error) {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	var r pointsReply
	err := s.call(ctx, qdrant.Points_Get_FullMethodName, &qdrant.GetPoints{
		CollectionName: name, Ids: ids, WithPayload: selectPayload(true, keys), WithVectors: qdrant.NewWithVectors(withVectors),
	}, &r)
	return r.points, fail("get points of "+name, err)
}

// Count is how many points f finds, exactly.
func (s *Store) Count(ctx context.Context, gen int, c schema.Collection, f schema.Filter) (uint64, error) {
	qf, err := toFilter(f)
	if err != nil {
		return 0, err
	}
	ctx, cancel := s.bound(ctx)
	defer cancel()
	name := s.name(gen, c)
	n, err := s.client.Count(ctx, &qdrant.CountPoints{CollectionName: name, Filter: qf, Exact: qdrant.PtrOf(true)})
	return n, fail("count points of "+name, err)
}

// Counts is [Store.Count] for several filters, in their order, a few at a time. One that fails fails all.
func (s *Store) Counts(ctx context.Context, gen int, c schema.Collection, fs []schema.Filter) ([]uint64, error) {
	out := make([]uint64, len(fs))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(maxCounts)
	for i, f := range fs {
		g.Go(func() (err error) {
			out[i], err = s.Count(ctx, gen, c, f)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return out, nil
}
