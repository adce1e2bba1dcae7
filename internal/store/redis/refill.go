package redis

import (
	"context"
	"encoding/json"

	"github.com/redis/go-redis/v9"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Two fields of the recent items are no item, whose id is a UUID: "whole" says that nothing which should be there was
// lost, "filling" is the token of who reads the vector store in order to fill.

// scriptBegin answers "" where the items are whole, else it stores the token and answers it. KEYS order, items; ARGV token, TTL ms.
var scriptBegin = redis.NewScript(luaDraw + `
if redis.call('HEXISTS', KEYS[2], 'whole') == 1 then return '' end
local token = draw(ARGV[1])
redis.call('HSET', KEYS[2], 'filling', token)
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return token
`)

// scriptRefill stores items that were read after the token was drawn, unless the items were lost again since. What stands
// there already was put there by a writer, who knows better, and what ended meanwhile is not stored. KEYS order, items,
// ended; ARGV token, cap, TTL ms, then id, time, sequence and form in turn.
var scriptRefill = redis.NewScript(luaEnded + `
if redis.call('HGET', KEYS[2], 'filling') ~= ARGV[1] then return 0 end
for i = 4, #ARGV, 4 do
  local id, seq = ARGV[i], ARGV[i+2]
  if redis.call('HEXISTS', KEYS[2], id) == 0 and not redis.call('ZSCORE', KEYS[3], id) and not redis.call('ZSCORE', KEYS[3], id .. ' ' .. seq) then
    redis.call('ZADD', KEYS[1], ARGV[i+1], id)
    redis.call('HSET', KEYS[2], id, ARGV[i+3])
  end
end
trim(ARGV[2], ARGV[3])
redis.call('HDEL', KEYS[2], 'filling')
redis.call('HSET', KEYS[2], 'whole', '1')
return 1
`)

// BeginRecent asks whether what is kept of a user's recent items is all that should be kept. It is not where the server
// was emptied or away: then the token is what [Store.FillRecent] wants, and the vector store is to be read after this
// call. Where it is, the token is "".
func (s *Store) BeginRecent(ctx context.Context, gen int, owner string) (string, error) {
	if s.pending.blocks(entry{recent, gen, owner}) { // about to be removed: the removal would take the fill along
		if err := s.flush(ctx); err != nil {
			return "", err
		}
	}
	var drawn string
	err := s.do(ctx, "look at recent items", func(ctx context.Context) (err error) {
		drawn, err = scriptBegin.Run(ctx, s.c, keysRecent(gen, owner)[:2], token(), s.o.KeepTTL.Milliseconds()).Text()
		return err
	})
	return drawn, err
}

// FillRecent stores what was read from the vector store after token was handed out by [Store.BeginRecent]: memories, and
// of those that have ended the event, the status and what holds instead, without content. It stores nothing, without
// an error, where the items were lost again since.
func (s *Store) FillRecent(ctx context.Context, gen int, owner, token string, ms []schema.Memory) error {
	args := []any{token, s.o.RecentCap, s.o.KeepTTL.Milliseconds()}
	for i := range ms {
		m := &ms[i]
		kept := *m
		if m.Content == "" {
			kept = schema.Memory{Status: m.Status, SupersededBy: m.SupersededBy, ValidTo: m.ValidTo}
		}
		b, err := json.Marshal(kept)
		if err != nil {
			return schema.Permanent(schema.CodeInternal, err, "encode recent item")
		}
		if len(b) <= MaxItem {
			args = append(args, m.ID, m.ObservedAt.UnixMilli(), m.Source.Seq, formOf(m, b))
		}
	}
	if s.pending.blocks(entry{recent, gen, owner}) {
		return nil
	}
	return s.do(ctx, "fill recent items", func(ctx context.Context) error {
		return scriptRefill.Run(ctx, s.c, keysRecent(gen, owner), args...).Err()
	})
}
