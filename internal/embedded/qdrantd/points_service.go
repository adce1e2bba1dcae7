package qdrantd

import (
	"context"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

type pointsService struct {
	qdrant.UnimplementedPointsServer
	s *Server
}

// updateRequest is what every request for a change has.
type updateRequest interface {
	proto.Message
	GetCollectionName() string
	GetWait() bool
}

// change runs one update and answers.
func (ps *pointsService) change(ctx context.Context, req updateRequest, timeout *uint64,
	make func(sc *schema) (*update, error),
) (*qdrant.PointsOperationResponse, error) {
	start := time.Now()
	leave, err := ps.s.enter(req)
	if err != nil {
		return nil, err
	}
	defer leave()
	ctx, cancel, err := limited(ctx, timeout)
	if err != nil {
		return nil, err
	}
	defer cancel()
	c, err := ps.s.collection(req.GetCollectionName())
	if err != nil {
		return nil, err
	}
	u, err := make(c.view())
	if err != nil {
		return nil, err
	}
	ops, err := c.run(ctx, []*update{u}, req.GetWait())
	if err != nil {
		return nil, err
	}
	return &qdrant.PointsOperationResponse{Result: updated(ops[0], req.GetWait()), Time: time.Since(start).Seconds()}, nil
}

func updated(op uint64, wait bool) *qdrant.UpdateResult {
	r := &qdrant.UpdateResult{OperationId: &op, Status: qdrant.UpdateStatus_Acknowledged}
	if wait {
		r.Status = qdrant.UpdateStatus_Completed
	}
	return r
}

// Upsert implements qdrant.PointsServer.
func (ps *pointsService) Upsert(ctx context.Context, req *qdrant.UpsertPoints) (*qdrant.PointsOperationResponse, error) {
	return ps.change(ctx, req, req.Timeout, func(sc *schema) (*update, error) {
		m, err := newUpsertMode(req.UpdateMode, req.UpdateFilter)
		if err != nil {
			return nil, err
		}
		return newUpsert(sc, req.GetPoints(), m)
	})
}

// Delete implements qdrant.PointsServer. Ids that do not exist are fine.
func (ps *pointsService) Delete(ctx context.Context, req *qdrant.DeletePoints) (*qdrant.PointsOperationResponse, error) {
	return ps.change(ctx, req, req.Timeout, func(*schema) (*update, error) {
		sel, err := newSelector(req.GetPoints(), "points_selector")
		return newDelete(sel), err
	})
}

// SetPayload implements qdrant.PointsServer. By ids a missing one is NotFound; by filter none need match.
func (ps *pointsService) SetPayload(ctx context.Context, req *qdrant.SetPayloadPoints) (*qdrant.PointsOperationResponse, error) {
	return ps.change(ctx, req, req.Timeout, func(*schema) (*update, error) {
		sel, err := newSelector(req.GetPointsSelector(), "points_selector")
		if err != nil {
			return nil, err
		}
		return newSetPayload(sel, req.GetKey(), req.Key != nil, req.GetPayload())
	})
}

// OverwritePayload implements qdrant.PointsServer.
func (ps *pointsService) OverwritePayload(ctx context.Context, req *qdrant.SetPayloadPoints) (*qdrant.PointsOperationResponse, error) {
	return ps.change(ctx, req, req.Timeout, func(*schema) (*update, error) {
		if req.Key != nil { // Qdrant ignores it here
			return nil, unsupported("parameter `key` is not supported by the embedded server when a payload is overwritten")
		}
		sel, err := newSelector(req.GetPointsSelector(), "points_selector")
		if err != nil {
			return nil, err
		}
		return newOverwritePayload(sel, req.GetPayload())
	})
}

// DeletePayload implements qdrant.PointsServer.
func (ps *pointsService) DeletePayload(ctx context.Context, req *qdrant.DeletePayloadPoints) (*qdrant.PointsOperationResponse, error) {
	return ps.change(ctx, req, req.Timeout, func(*schema) (*update, error) {
		sel, err := newSelector(req.GetPointsSelector(), "points_selector")
		if err != nil {
			return nil, err
		}
		return newDeletePayload(sel, req.GetKeys())
	})
}

// ClearPayload implements qdrant.PointsServer.
func (ps *pointsService) ClearPayload(ctx context.Context, req *qdrant.ClearPayloadPoints) (*qdrant.PointsOperationResponse, error) {
	return ps.change(ctx, req, req.Timeout, func(*schema) (*update, error) {
		sel, err := newSelector(req.GetPoints(), "points_selector")
		if err != nil {
			return nil, err
		}
		return newOverwritePayload(sel, nil)
	})
}

// UpdateBatch implements qdrant.PointsServer. The operations run in order and share one sync; the first that fails ends
// the batch, and what was done before it stays.
func (ps *pointsService) UpdateBatch(ctx context.Context, req *qdrant.UpdateBatchPoints) (*qdrant.UpdateBatchResponse, error) {
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
	sc := c.view()
	updates := make([]*update, len(req.GetOperations()))
	for i, op := range req.GetOperations() {
		if updates[i], err = batchUpdate(sc, op); err != nil {
			return nil, err
		}
	}
	ops, err := c.run(ctx, updates, req.GetWait())
	if err != nil {
		return nil, err
	}
	out := &qdrant.UpdateBatchResponse{}
	for _, op := range ops {
		out.Result = append(out.Result, updated(op, req.GetWait()))
	}
	out.Time = time.Since(start).Seconds()
	return out, nil
}

func batchUpdate(sc *schema, op *qdrant.PointsUpdateOperation) (*update, error) {
	switch o := op.GetOperation().(type) {
	case *qdrant.PointsUpdateOperation_Upsert:
		m, err := newUpsertMode(o.Upsert.UpdateMode, o.Upsert.UpdateFilter)
		if err != nil {
			return nil, err
		}
		return newUpsert(sc, o.Upsert.GetPoints(), m)
	case *qdrant.PointsUpdateOperation_SetPayload_:
		sel, err := newSelector(o.SetPayload.GetPointsSelector(), "points_selector")
		if err != nil {
			return nil, err
		}
		return newSetPayload(sel, o.SetPayload.GetKey(), o.SetPayload.Key != nil, o.SetPayload.GetPayload())
	case *qdrant.PointsUpdateOperation_OverwritePayload_:
		sel, err := newSelector(o.OverwritePayload.GetPointsSelector(), "points_selector")
		if err != nil {
			return nil, err
		}
		return newOverwritePayload(sel, o.OverwritePayload.GetPayload())
	case *qdrant.PointsUpdateOperation_DeletePayload_:
		sel, err := newSelector(o.DeletePayload.GetPointsSelector(), "points_selector")
		if err != nil {
			return nil, err
		}
		return newDeletePayload(sel, o.DeletePayload.GetKeys())
	case *qdrant.PointsUpdateOperation_ClearPayload_:
		sel, err := newSelector(o.ClearPayload.GetPoints(), "points_selector")
		if err != nil {
			return nil, err
		}
		return newOverwritePayload(sel, nil)
	case *qdrant.PointsUpdateOperation_DeletePoints_:
		sel, err := newSelector(o.DeletePoints.GetPoints(), "points_selector")
		return newDelete(sel), err
	default:
		return nil, invalid("Operation is missing")
	}
}

// CreateFieldIndex implements qdrant.PointsServer. It blocks until the collection is laid out anew.
func (ps *pointsService) CreateFieldIndex(_ context.Context, req *qdrant.CreateFieldIndexCollection) (*qdrant.PointsOperationResponse, error) {
	ix, err := newIndex(req)
	return ps.reindex(req, req.Timeout, func(sc *schema) *schema {
		if i, ok := sc.indexAt(ix.path.text); ok && proto.Equal(sc.indexes[i].req, ix.req) {
			return sc
		}
		return sc.with(ix)
	}, err)
}

// DeleteFieldIndex implements qdrant.PointsServer. A field that has no index is fine.
func (ps *pointsService) DeleteFieldIndex(_ context.Context, req *qdrant.DeleteFieldIndexCollection) (*qdrant.PointsOperationResponse, error) {
	p, err := parsePath(req.GetFieldName())
	return ps.reindex(req, req.Timeout, func(sc *schema) *schema {
		if i, ok := sc.indexAt(p.text); ok {
			return sc.without(i)
		}
		return sc
	}, err)
}

// reindex gives the collection another schema. bad is an error of the request that comes after those of refusal and of
// a missing collection.
func (ps *pointsService) reindex(req updateRequest, timeout *uint64, next func(*schema) *schema, bad error) (*qdrant.PointsOperationResponse, error) {
	start := time.Now()
	leave, err := ps.s.enter(req)
	if err != nil {
		return nil, err
	}
	defer leave()
	if _, cancel, err := limited(context.Background(), timeout); err != nil {
		return nil, err
	} else {
		cancel()
	}
	c, err := ps.s.collection(req.GetCollectionName())
	if err != nil {
		return nil, err
	}
	if bad != nil {
		return nil, bad
	}
	done, err := ps.s.store.writing()
	if err != nil {
		return nil, err
	}
	defer done()
	c.writeMu.Lock()
	defer c.writeMu.Unlock()
	if c.dropped {
		return nil, noCollection(c.name)
	}
	if sc := next(c.schema); sc != c.schema {
		if err := ps.s.store.room.err(); err != nil {
			return nil, status.Errorf(codes.Unavailable, "%v", err)
		}
		if err := ps.s.store.putCollection(c, sc, 0); err != nil {
			return nil, internal("store the index: %v", err)
		}
		c.rebuild(sc)
	}
	return &qdrant.PointsOperationResponse{Result: updated(c.op, req.GetWait()), Time: time.Since(start).Seconds()}, nil
}
