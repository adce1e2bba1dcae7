package qdrant

import (
	"context"

	"github.com/qdrant/go-client/qdrant"
	"golang.org/x/sync/errgroup"
	"google.golang.org/protobuf/proto"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Bounds of one request. Servers and proxies commonly stop at 4 MiB a gRPC message.
const (
	maxBytes   = 3_500_000 // of points in one upsert; a single larger point travels alone
	maxPoints  = 512       // in one upsert
	maxIDs     = 4096      // in one filter
	maxPoint   = 32 << 20  // bytes of one point
	maxFlights = 4         // requests at a time of one Apply
)

// Apply makes writes durable, and blocks until the server has applied all of them. Writes to one point keep their
// order, and what is set on event points last comes after everything else, so that a done flag never stands before
// what it speaks of. Beyond that no order is promised, and nothing of what was applied when an error comes back.
// Applying the same writes again gives the same state, unless they set payload on a point that only a later one of
// them inserts. A bad write is a permanent error, found before anything is sent.
func (s *Store) Apply(ctx context.Context, gen int, writes []schema.Write) error {
	levels, err := plan(writes)
	if err != nil || len(levels) == 0 {
		return err
	}
	if err := s.check(ctx); err != nil {
		return err
	}
	for _, groups := range levels {
		g, ctx := errgroup.WithContext(ctx)
		g.SetLimit(maxFlights)
		for _, gr := range groups {
			for _, send := range s.requests(gen, gr) {
				g.Go(func() error {
					ctx, cancel := s.bound(ctx)
					defer cancel()
					return send(ctx)
				})
			}
		}
		if err := g.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// requests cuts a group into requests within the bounds.
func (s *Store) requests(gen int, gr *group) []func(context.Context) error {
	name := s.name(gen, gr.key.collection)
	var out []func(context.Context) error
	for _, pts := range cutPoints(gr.points) {
		out = append(out, func(ctx context.Context) error { return s.upsert(ctx, name, gr.key, pts) })
	}
	for ids := gr.ids; len(ids) > 0; {
		n := min(len(ids), maxIDs)
		part := ids[:n]
		ids = ids[n:]
		out = append(out, func(ctx context.Context) error {
			if gr.key.kind == schema.WriteDelete {
				return s.deleteIDs(ctx, name, part, gr)
			}
			return s.setPayload(ctx, name, part, gr)
		})
	}
	return out
}

func cutPoints(pts []*qdrant.PointStruct) [][]*qdrant.PointStruct {
	var out [][]*qdrant.PointStruct
	from, size := 0, 0
	for i, p := range pts {
		n := proto.Size(p) + 8 // the field's own tag and length
		if i > from && (size+n > maxBytes || i-from == maxPoints) {
			out = append(out, pts[from:i])
			from, size = i, 0
		}
		size += n
	}
	if from < len(pts) {
		out = append(out, pts[from:])
	}
	return out
}

func (s *Store) upsert(ctx context.Context, name string, k groupKey, pts []*qdrant.PointStruct) error {
	req := &qdrant.UpsertPoints{CollectionName: name, Wait: qdrant.PtrOf(true), Points: pts}
	switch {
	case k.kind == schema.WriteInsert:
		req.UpdateMode = qdrant.PtrOf(qdrant.UpdateMode_InsertOnly)
	case k.seq > 0:
		req.UpdateMode = qdrant.PtrOf(qdrant.UpdateMode_UpdateOnly)
		req.UpdateFilter = &qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewMatchInt(schema.KeySeq, int64(k.seq))}}
	}
	r, err := s.client.Upsert(ctx, req)
	return completed("upsert points into "+name, r, err)
}

func (s *Store) setPayload(ctx context.Context, name string, ids []*qdrant.PointId, gr *group) error {
	// By filter, never by a list of ids: there a missing id fails the request half-way.
	f := owned(ids, gr)
	r, err := s.client.SetPayload(ctx, &qdrant.SetPayloadPoints{
		CollectionName: name, Wait: qdrant.PtrOf(true), Payload: gr.payload, PointsSelector: qdrant.NewPointsSelectorFilter(f),
	})
	return completed("set payload in "+name, r, err)
}

func (s *Store) deleteIDs(ctx context.Context, name string, ids []*qdrant.PointId, gr *group) error {
	r, err := s.client.Delete(ctx, &qdrant.DeletePoints{
		CollectionName: name, Wait: qdrant.PtrOf(true), Points: qdrant.NewPointsSelectorFilter(owned(ids, gr)),
	})
	return completed("delete points in "+name, r, err)
}

// owned finds those of ids that belong to the owners of a group and are within its fence.
func owned(ids []*qdrant.PointId, gr *group) *qdrant.Filter {
	f := &qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewHasID(ids...), qdrant.NewMatchKeywords(schema.KeyOwner, gr.owners...)}}
	if gr.key.fenced {
		f.Must = append(f.Must, qdrant.NewMatchInts(schema.KeySeq, gr.seqs...))
	}
	if gr.key.outcome != "" {
		f.Must = append(f.Must, qdrant.NewMatchKeyword(schema.KeyOutcome, string(gr.key.outcome)))
	}
	return f
}

// DeleteWhere deletes every point that f finds and blocks until that is applied. f must hold the owner or the
// tenant among its Must conditions: there is no way to delete everyone's points but [Store.DropGeneration].
func (s *Store) DeleteWhere(ctx context.Context, gen int, c schema.Collection, f schema.Filter) error {
	bounded := false
	for _, m := range f.Must {
		if v, ok := m.Equal.(string); ok && v != "" && (m.Key == schema.KeyOwner || m.Key == schema.KeyTenant) {
			bounded = true
		}
	}
	if !bounded {
		return schema.Invalid("filter", "a deletion must name its owner or its tenant")
	}
	qf, err := toFilter(f)
	if err != nil {
		return err
	}
	ctx, cancel := s.bound(ctx)
	defer cancel()
	name := s.name(gen, c)
	r, err := s.client.Delete(ctx, &qdrant.DeletePoints{
		CollectionName: name, Wait: qdrant.PtrOf(true), Points: qdrant.NewPointsSelectorFilter(qf),
	})
	return completed("delete points in "+name, r, err)
}
