package redis

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// maxItem is the largest item in bytes of JSON that is kept for answering without a vector store. Larger ones are
// left out: an item is given whole or not at all.
const maxItem = 16 << 10

// scriptPush stores items by id and keeps the latest. It is idempotent, and what is older than the oldest of a full
// list does not stay. KEYS order, items; ARGV cap, TTL ms, then id, time and JSON in turn.
var scriptPush = redis.NewScript(`
for i = 3, #ARGV, 3 do
  redis.call('ZADD', KEYS[1], ARGV[i+1], ARGV[i])
  redis.call('HSET', KEYS[2], ARGV[i], ARGV[i+2])
end
local over = redis.call('ZCARD', KEYS[1]) - tonumber(ARGV[1])
if over > 0 then
  for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, over - 1)) do
    redis.call('ZREM', KEYS[1], id)
    redis.call('HDEL', KEYS[2], id)
  end
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return 1
`)

// PushRecent keeps items for answers without a vector store (D1): the latest [Options].RecentCap of a user by
// ObservedAt, each id once, the later form of it. Whoever pushes what may have been forgotten meanwhile removes it
// again ([Store.Forget]), as with points.
func (s *Store) PushRecent(ctx context.Context, gen int, owner string, items []schema.Item) error {
	args := []any{s.o.RecentCap, s.o.KeepTTL.Milliseconds()}
	for i := range items {
		b, err := json.Marshal(items[i])
		if err != nil {
			return schema.Permanent(schema.CodeInternal, err, "encode recent item")
		}
		if len(b) <= maxItem {
			args = append(args, items[i].ID, items[i].ObservedAt.UnixMilli(), b)
		}
	}
	if len(args) == 2 {
		return nil
	}
	return s.do(ctx, "keep recent items", func(ctx context.Context) error {
		return scriptPush.Run(ctx, s.c, []string{keyRecent(gen, owner), keyItems(gen, owner)}, args...).Err()
	})
}

// Recent is the user's latest items, the latest first, at most limit of them (all that is kept for limit < 1).
func (s *Store) Recent(ctx context.Context, gen int, owner string, limit int) ([]schema.Item, error) {
	if limit < 1 {
		limit = s.o.RecentCap
	}
	var vals []any
	err := s.do(ctx, "read recent items", func(ctx context.Context) error {
		ids, err := s.c.ZRangeArgs(ctx, redis.ZRangeArgs{Key: keyRecent(gen, owner), Start: 0, Stop: limit - 1, Rev: true}).Result()
		if err != nil || len(ids) == 0 {
			return err
		}
		vals, err = s.c.HMGet(ctx, keyItems(gen, owner), ids...).Result()
		return err
	})
	if err != nil {
		return nil, err
	}
	out := make([]schema.Item, 0, len(vals))
	for _, v := range vals {
		var it schema.Item
		if text, ok := v.(string); ok && json.Unmarshal([]byte(text), &it) == nil {
			out = append(out, it)
		}
	}
	return out, nil
}

// Forget removes everything that is cached of the memories of ids: from the recent items, the last accesses, and,
// by making them void, the standing memories.
func (s *Store) Forget(ctx context.Context, gen int, owner string, ids []string) error {
	if err := s.InvalidateStanding(ctx, gen, owner); err != nil {
		return err
	}
	if len(ids) == 0 {
		return nil
	}
	members := make([]any, len(ids))
	for i, id := range ids {
		members[i] = id
	}
	return s.do(ctx, "forget cached items", func(ctx context.Context) error {
		p := s.c.Pipeline()
		p.ZRem(ctx, keyRecent(gen, owner), members...)
		p.HDel(ctx, keyItems(gen, owner), ids...)
		p.ZRem(ctx, keyTouched(gen, owner), members...)
		p.Del(ctx, keyCounts(gen, owner))
		_, err := p.Exec(ctx)
		return err
	})
}

// ForgetOwner removes everything that is cached of a user in a generation.
func (s *Store) ForgetOwner(ctx context.Context, gen int, owner string) error {
	if err := s.InvalidateStanding(ctx, gen, owner); err != nil {
		return err
	}
	return s.do(ctx, "forget cached user", func(ctx context.Context) error {
		return s.c.Del(ctx, keyRecent(gen, owner), keyItems(gen, owner), keyTouched(gen, owner), keyCounts(gen, owner)).Err()
	})
}

// DropGeneration removes every key of a generation. It walks all keys of the server in steps, which is for pruning
// and never for a hot path; it blocks until ctx ends or all is gone.
func (s *Store) DropGeneration(ctx context.Context, gen int) error {
	op := fmt.Sprintf("drop cache of generation %d", gen)
	var at uint64
	for {
		err := s.do(ctx, op, func(ctx context.Context) error {
			keys, next, err := s.c.Scan(ctx, at, keyGen(gen)+"*", 1000).Result()
			if err == nil && len(keys) > 0 {
				err = s.c.Unlink(ctx, keys...).Err()
			}
			at = next
			return err
		})
		if err != nil || at == 0 {
			return err
		}
	}
}
