package qdrantd

import (
	"context"
	"slices"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/siltstone-ai/siltstone/internal/crash"
)

// update is one checked change of a collection. Its steps run in order under writeMu; each is one operation in the log.
type update struct {
	// plan says what changes, given the collection as it is. It may return changes and an error: then the changes are
	// made and the error is answered, as Qdrant does where an id is missing half-way.
	plan func(ctx context.Context, c *collection) ([]change, error)
}

// upsertMode is the condition of an upsert.
type upsertMode struct {
	mode   qdrant.UpdateMode
	filter *filter
	some   bool // there is a condition
}

func newUpsertMode(mode *qdrant.UpdateMode, f *qdrant.Filter) (m upsertMode, err error) {
	if mode != nil {
		m.mode, m.some = *mode, true
		switch m.mode {
		case qdrant.UpdateMode_Upsert, qdrant.UpdateMode_InsertOnly, qdrant.UpdateMode_UpdateOnly:
		default:
			return m, enumError("update_mode", m.mode)
		}
	}
	if f != nil {
		m.some = true
		m.filter, err = newFilter(f)
	}
	return m, err
}

func newUpsert(sc *schema, points []*qdrant.PointStruct, m upsertMode) (*update, error) {
	changes := make([]change, 0, len(points))
	at := make(map[pointID]int, len(points))
	for _, p := range points {
		r, err := newRecord(sc, p)
		if err != nil {
			return nil, err
		}
		if i, twice := at[r.id]; twice { // the later one wins
			changes[i].record = r
			continue
		}
		at[r.id] = len(changes)
		changes = append(changes, change{id: r.id, record: r})
	}
	return &update{plan: func(ctx context.Context, c *collection) ([]change, error) {
		if !m.some {
			return changes, nil
		}
		var kept []change
		var pass map[pointID]struct{}
		if m.filter != nil && m.mode != qdrant.UpdateMode_InsertOnly {
			all := &idCond{set: make(map[pointID]struct{}, len(at))}
			for id := range at {
				all.set[id] = struct{}{}
			}
			ids, err := c.matching(ctx, &filter{must: []cond{all, m.filter}})
			if err != nil {
				return nil, err
			}
			pass = make(map[pointID]struct{}, len(ids))
			for _, id := range ids {
				pass[id] = struct{}{}
			}
		}
		for _, ch := range changes {
			_, exists := c.where[ch.id]
			_, passes := pass[ch.id]
			passes = passes || m.filter == nil
			switch m.mode {
			case qdrant.UpdateMode_InsertOnly:
				if exists {
					continue
				}
			case qdrant.UpdateMode_UpdateOnly:
				if !exists || !passes {
					continue
				}
			default:
				if exists && !passes {
					continue
				}
			}
			kept = append(kept, ch)
		}
		return kept, nil
	}}, nil
}

func newDelete(sel selector) *update {
	return &update{plan: func(ctx context.Context, c *collection) ([]change, error) {
		ids := sel.ids
		if !sel.byIDs {
			var err error
			if ids, err = c.matching(ctx, sel.filter); err != nil {
				return nil, err
			}
		}
		var out []change
		seen := make(map[pointID]struct{}, len(ids))
		for _, id := range ids {
			_, exists := c.where[id]
			if _, twice := seen[id]; !exists || twice {
				continue
			}
			seen[id] = struct{}{}
			out = append(out, change{id: id})
		}
		return out, nil
	}}
}

// payloadChunk is how many ids Qdrant changes the payload of before it looks whether one was missing.
const payloadChunk = 32

// newPayloadUpdate changes payloads by edit.
func newPayloadUpdate(sel selector, edit func(payload []byte) ([]byte, error)) *update {
	return &update{plan: func(ctx context.Context, c *collection) ([]change, error) {
		ids := sel.ids
		if !sel.byIDs {
			var err error
			if ids, err = c.matching(ctx, sel.filter); err != nil {
				return nil, err
			}
		}
		var out []change
		seen := make(map[pointID]int, len(ids))
		for chunk := range slices.Chunk(ids, payloadChunk) {
			var missing error
			for _, id := range chunk {
				at, exists := c.where[id]
				if !exists {
					if missing == nil {
						missing = noPoint(id)
					}
					continue
				}
				if _, twice := seen[id]; twice { // every edit is idempotent
					continue
				}
				seen[id] = len(out)
				payload, err := edit(at.part.payload[at.row]) // only writers change it, and we are the writer
				if err != nil {
					return nil, err
				}
				out = append(out, change{id: id, payload: payload})
			}
			if missing != nil {
				return out, missing
			}
		}
		return out, nil
	}}
}

func newSetPayload(sel selector, key string, hasKey bool, patch map[string]*qdrant.Value) (*update, error) {
	if !hasKey {
		return newPayloadUpdate(sel, func(old []byte) ([]byte, error) { return mergePayload(old, patch) }), nil
	}
	p, err := parsePath(key)
	if err != nil {
		return nil, err
	}
	return newPayloadUpdate(sel, func(old []byte) ([]byte, error) { return mergeAt(old, p, patch) }), nil
}

func newOverwritePayload(sel selector, payload map[string]*qdrant.Value) (*update, error) {
	b, err := encodePayload(payload)
	return newPayloadUpdate(sel, func([]byte) ([]byte, error) { return b, nil }), err
}

func newDeletePayload(sel selector, keys []string) (*update, error) {
	ps, err := parsePaths(keys)
	return newPayloadUpdate(sel, func(old []byte) ([]byte, error) { return removeAt(old, ps) }), err
}

// run makes the updates in order and, with wait, returns when all are durable. It stops at the first error; what was
// done before stays. It answers the operation number of each update that succeeded.
func (c *collection) run(ctx context.Context, updates []*update, wait bool) (ops []uint64, err error) {
	done, err := c.store.writing()
	if err != nil {
		return nil, err
	}
	defer done()
	var waits []*pending
	err = func() error {
		c.writeMu.Lock()
		defer c.writeMu.Unlock()
		if c.dropped {
			return noCollection(c.name)
		}
		// What is in memory was read whole and may be asked for on; but nothing more is entrusted to a damaged store.
		if err := c.store.damaged(); err != nil {
			return status.Errorf(codes.DataLoss, "storage is %v", err)
		}
		if err := c.store.room.err(); err != nil {
			return status.Errorf(codes.Unavailable, "%v", err)
		}
		for _, u := range updates {
			if err := ctx.Err(); err != nil {
				return ctxStatus(err)
			}
			changes, planErr := u.plan(ctx, c)
			if len(changes) > 0 {
				p, err := c.commit(changes, wait)
				if err != nil {
					return err
				}
				waits = append(waits, p)
			}
			if planErr != nil {
				return planErr
			}
			ops = append(ops, c.op)
		}
		return nil
	}()
	if len(waits) > 0 {
		crash.At(crash.VectorsLogged)
	}
	for _, p := range waits {
		if syncErr := p.wait(); syncErr != nil && err == nil {
			err = internal("sync the log: %v", syncErr)
		}
	}
	if len(waits) > 0 {
		crash.At(crash.VectorsSynced)
	}
	return ops, err
}
