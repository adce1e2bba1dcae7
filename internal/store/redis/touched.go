package redis

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// maxTouched memories of one user keep their last access; the longest untouched go first.
const maxTouched = 10_000

// Touch records that memories were used at a time, in one round trip. A later time already recorded stands.
func (s *Store) Touch(ctx context.Context, gen int, owner string, ids []string, at time.Time) error {
	if len(ids) == 0 {
		return nil
	}
	zs := make([]redis.Z, len(ids))
	for i, id := range ids {
		zs[i] = redis.Z{Score: float64(at.UnixMilli()), Member: id}
	}
	return s.do(ctx, "record last access", func(ctx context.Context) error {
		key := keyTouched(gen, owner)
		p := s.c.Pipeline()
		p.ZAddArgs(ctx, key, redis.ZAddArgs{GT: true, Members: zs})
		p.ZRemRangeByRank(ctx, key, 0, -maxTouched-1)
		p.PExpire(ctx, key, s.o.KeepTTL)
		_, err := p.Exec(ctx)
		return err
	})
}

// Touched is the last recorded access of each of ids; those never recorded, or lost, are absent.
func (s *Store) Touched(ctx context.Context, gen int, owner string, ids []string) (map[string]time.Time, error) {
	out := make(map[string]time.Time, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	// Not the client's ZMScore: it gives 0 for an absent member, which is a time.
	var cmds []*redis.FloatCmd
	err := s.do(ctx, "read last access", func(ctx context.Context) error {
		cmds = cmds[:0]
		p := s.c.Pipeline()
		for _, id := range ids {
			cmds = append(cmds, p.ZScore(ctx, keyTouched(gen, owner), id))
		}
		_, err := p.Exec(ctx)
		if err == redis.Nil { // some member is absent; the first real fault of another one counts
			for _, c := range cmds {
				if c.Err() != nil && c.Err() != redis.Nil {
					return c.Err()
				}
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, id := range ids {
		if score, err := cmds[i].Result(); err == nil {
			out[id] = time.UnixMilli(int64(score)).UTC()
		}
	}
	return out, nil
}

// DropOwner removes everything that is kept of an owner in a generation.
func (s *Store) DropOwner(ctx context.Context, gen int, owner string) error {
	return s.do(ctx, "drop an owner", func(ctx context.Context) error {
		return s.c.Del(ctx, keyStanding(gen, owner), keyCounts(gen, owner), keyTouched(gen, owner), keyRecent(gen, owner), keyItems(gen, owner), keyEnded(gen, owner)).Err()
	})
}
