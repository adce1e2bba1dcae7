package redis

import (
	"context"
	"encoding/json"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// standingMemory carries what Memory's JSON leaves out.
type standingMemory struct {
	schema.Memory
	Tenant string `json:"tenant"`
}

// Standing is what of a user's memory goes into every block (active constraints, preferences, pins), as the last
// reader found it. hit is false where nothing is cached; then ver is what [Store.FillStanding] wants. Expiry is the
// caller's to judge ([schema.Memory.Active]): time passes between the fill and now.
//
// The order matters: ask here first, read the vector store then. A fill with a version asked for later may store
// what was read before an invalidation.
func (s *Store) Standing(ctx context.Context, gen int, owner string) (mems []schema.Memory, hit bool, ver string, err error) {
	e, err := s.load(ctx, entry{standing, gen, owner})
	if err != nil || !e.cached || e.old {
		return nil, false, e.ver, err
	}
	mems, hit = decodeStanding(e.val)
	return mems, hit, e.ver, nil
}

// LastStanding is what [Store.Standing] found last, also where that is older than [Options].TTL: for answers while the
// vector store is away. ok is false where nothing was found within a day, or something was written since.
func (s *Store) LastStanding(ctx context.Context, gen int, owner string) (mems []schema.Memory, ok bool, err error) {
	e, err := s.load(ctx, entry{standing, gen, owner})
	if err != nil || !e.cached {
		return nil, false, err
	}
	mems, ok = decodeStanding(e.val)
	return mems, ok, nil
}

// decodeStanding is false for another build's form: read and fill again.
func decodeStanding(val string) ([]schema.Memory, bool) {
	var ms []standingMemory
	if json.Unmarshal([]byte(val), &ms) != nil {
		return nil, false
	}
	out := make([]schema.Memory, len(ms))
	for i := range ms {
		out[i] = ms[i].Memory
		out[i].Tenant = ms[i].Tenant
	}
	return out, true
}

// FillStanding stores what was read from the vector store after ver was handed out by [Store.Standing]. It stores
// nothing, without an error, where the user's facts were invalidated since.
func (s *Store) FillStanding(ctx context.Context, gen int, owner, ver string, mems []schema.Memory) error {
	ms := make([]standingMemory, len(mems))
	for i := range mems {
		ms[i] = standingMemory{mems[i], mems[i].Tenant}
	}
	b, err := json.Marshal(ms)
	if err != nil {
		return schema.Permanent(schema.CodeInternal, err, "encode standing memories")
	}
	_, err = s.fill(ctx, entry{standing, gen, owner}, ver, string(b))
	return err
}

// InvalidateStanding makes the standing memories of owners void, after their facts were written. Where it returns
// an error it is made up for later, and this process serves nothing cached for them until then.
func (s *Store) InvalidateStanding(ctx context.Context, gen int, owners ...string) error {
	es := make([]entry, len(owners))
	for i, o := range owners {
		es[i] = entry{standing, gen, o}
	}
	return s.invalidate(ctx, es...)
}
