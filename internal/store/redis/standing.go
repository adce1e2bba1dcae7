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
	val, hit, ver, err := s.load(ctx, keyStanding(gen, owner))
	if err != nil || !hit {
		return nil, false, ver, err
	}
	var ms []standingMemory
	if json.Unmarshal([]byte(val), &ms) != nil {
		return nil, false, ver, nil // another build's form: read and fill again
	}
	mems = make([]schema.Memory, len(ms))
	for i := range ms {
		mems[i] = ms[i].Memory
		mems[i].Tenant = ms[i].Tenant
	}
	return mems, true, ver, nil
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
	_, err = s.fill(ctx, keyStanding(gen, owner), ver, string(b))
	return err
}

// InvalidateStanding makes the standing memories of owners void, after their facts were written. Where it returns
// an error it is made up for later, and this process serves nothing cached for them until then.
func (s *Store) InvalidateStanding(ctx context.Context, gen int, owners ...string) error {
	keys := make([]string, len(owners))
	for i, o := range owners {
		keys[i] = keyStanding(gen, o)
	}
	return s.invalidate(ctx, keys...)
}

// Settings are a user's cached settings; hit and ver as with [Store.Standing].
func (s *Store) Settings(ctx context.Context, owner string) (set schema.Settings, hit bool, ver string, err error) {
	val, hit, ver, err := s.load(ctx, keySettings(owner))
	if err != nil || !hit {
		return schema.Settings{}, false, ver, err
	}
	if json.Unmarshal([]byte(val), &set) != nil {
		return schema.Settings{}, false, ver, nil
	}
	return set, true, ver, nil
}

// FillSettings stores settings as with [Store.FillStanding].
func (s *Store) FillSettings(ctx context.Context, owner, ver string, set schema.Settings) error {
	b, err := json.Marshal(set)
	if err != nil {
		return schema.Permanent(schema.CodeInternal, err, "encode settings")
	}
	_, err = s.fill(ctx, keySettings(owner), ver, string(b))
	return err
}

// InvalidateSettings makes cached settings void, after they were set where their truth stands.
func (s *Store) InvalidateSettings(ctx context.Context, owners ...string) error {
	keys := make([]string, len(owners))
	for i, o := range owners {
		keys[i] = keySettings(o)
	}
	return s.invalidate(ctx, keys...)
}
