package redis

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// MaxItem is the largest item in bytes of JSON that is kept for answering without a vector store. Larger ones are
// left out: an item is given whole or not at all.
const MaxItem = 16 << 10

// What has ended is remembered for endedTTL, at most maxEnded of a user: far longer than any writer takes from his
// write to his push, so that none brings back what another one has ended meanwhile.
const (
	endedTTL = time.Hour
	maxEnded = 10_000
)

// luaEnded are functions of the scripts below: trim keeps the latest items and lets a user's list live on, bound keeps
// the ids of what has ended within its limits, head reads what an item's form begins with.
const luaEnded = `
local t = redis.call('TIME')
local ms = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
local now = string.format('%.0f', ms)
local function trim(cap, ttl)
  local over = redis.call('ZCARD', KEYS[1]) - tonumber(cap)
  if over > 0 then
    for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, over - 1)) do
      redis.call('ZREM', KEYS[1], id)
      redis.call('HDEL', KEYS[2], id)
    end
  end
  redis.call('PEXPIRE', KEYS[1], ttl)
  redis.call('PEXPIRE', KEYS[2], ttl)
end
local function head(v)
  if not v then return '', 0 end
  local event, seq = string.match(v, '^(%S*) (%d+)\n')
  return event or '', tonumber(seq or 0)
end
local function bound(ttl, most)
  redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', string.format('%.0f', ms - tonumber(ttl)))
  redis.call('ZREMRANGEBYRANK', KEYS[3], 0, -1 - tonumber(most))
  redis.call('PEXPIRE', KEYS[3], ttl)
end
`

// scriptPush stores items by id and keeps the latest. It is idempotent; what is older than the oldest of a full list
// does not stay, what has ended is not stored, and of two log entries of one id the first has it. KEYS order, items,
// ended; ARGV cap, TTL ms, then id, time, sequence and form in turn.
var scriptPush = redis.NewScript(luaEnded + `
for i = 3, #ARGV, 4 do
  local id, seq = ARGV[i], ARGV[i+2]
  local v = redis.call('HGET', KEYS[2], id)
  local _, held = head(v)
  if not redis.call('ZSCORE', KEYS[3], id) and not redis.call('ZSCORE', KEYS[3], id .. ' ' .. seq) and not (v and held < tonumber(seq)) then
    redis.call('ZADD', KEYS[1], ARGV[i+1], id)
    redis.call('HSET', KEYS[2], id, ARGV[i+3])
  end
end
trim(ARGV[1], ARGV[2])
return 1
`)

// scriptEnd puts what is left of items in their place and remembers their ids. What nobody knows the event of is left
// out. KEYS order, items, ended; ARGV cap, TTL ms, TTL ms of the memory, most ids of it, then id, time, event, sequence
// and rest in turn, where time and event may be "".
var scriptEnd = redis.NewScript(luaEnded + `
for i = 5, #ARGV, 5 do
  local id, event, seq = ARGV[i], ARGV[i+2], ARGV[i+3]
  if event == '' then
    event, seq = head(redis.call('HGET', KEYS[2], id))
    seq = string.format('%.0f', seq)
  end
  if event ~= '' and (ARGV[i+1] ~= '' or redis.call('ZSCORE', KEYS[1], id)) then
    if ARGV[i+1] ~= '' then redis.call('ZADD', KEYS[1], ARGV[i+1], id) end
    redis.call('HSET', KEYS[2], id, event .. ' ' .. seq .. '\n' .. ARGV[i+4])
  end
  redis.call('ZADD', KEYS[3], now, id)
end
trim(ARGV[1], ARGV[2])
bound(ARGV[3], ARGV[4])
return 1
`)

// scriptForget removes items and remembers their ids. KEYS order, items, ended, touched; ARGV TTL ms of the memory, most
// ids of it, then id and sequence in turn, "" for any.
var scriptForget = redis.NewScript(luaEnded + `
for i = 3, #ARGV, 2 do
  local id, seq = ARGV[i], ARGV[i+1]
  local _, held = head(redis.call('HGET', KEYS[2], id))
  if seq == '' or held == tonumber(seq) then
    redis.call('ZREM', KEYS[1], id)
    redis.call('HDEL', KEYS[2], id)
    redis.call('ZREM', KEYS[4], id)
  end
  if seq ~= '' then id = id .. ' ' .. seq end
  redis.call('ZADD', KEYS[3], now, id)
end
bound(ARGV[1], ARGV[2])
return 1
`)

// An item is kept as the inside id of its event, the sequence of its log entry, a line feed, and JSON.
const formBreak = "\n"

func formOf(m *schema.Memory, rest []byte) string {
	return m.Source.UUID + " " + strconv.FormatUint(m.Source.Seq, 10) + formBreak + string(rest)
}

func keysRecent(gen int, owner string) []string {
	return []string{keyRecent(gen, owner), keyItems(gen, owner), keyEnded(gen, owner)}
}

// PushRecent keeps facts and turns (as memories of the type episode) for answers without a vector store (D1): the
// latest [Options].RecentCap of a user by ObservedAt, each id once: the later form of it, or, of two log entries with
// one id, that of the first. What has ended or was forgotten within the last hour is not kept. Whoever pushes what may
// have been forgotten meanwhile removes it again ([Store.Forget]), as with points. Errors are as with [Store.EndRecent]:
// what is removed for them is filled again ([Store.BeginRecent]).
func (s *Store) PushRecent(ctx context.Context, gen int, owner string, ms []schema.Memory) error {
	args := []any{s.o.RecentCap, s.o.KeepTTL.Milliseconds()}
	for i := range ms {
		b, err := json.Marshal(ms[i])
		if err != nil {
			return schema.Permanent(schema.CodeInternal, err, "encode recent item")
		}
		if len(b) <= MaxItem {
			args = append(args, ms[i].ID, ms[i].ObservedAt.UnixMilli(), ms[i].Source.Seq, formOf(&ms[i], b))
		}
	}
	if len(args) == 2 {
		return nil
	}
	return s.orLater(entry{recent, gen, owner}, s.do(ctx, "keep recent items", func(ctx context.Context) error {
		return scriptPush.Run(ctx, s.c, keysRecent(gen, owner), args...).Err()
	}))
}

// Recent is the user's latest items, the latest first, at most limit of them (all that is kept for limit < 1). Of one
// that has ended ([Store.EndRecent]) there is no content but the event, the status and what holds instead: they tell
// what the turn that it came from is worth.
func (s *Store) Recent(ctx context.Context, gen int, owner string, limit int) ([]schema.Memory, error) {
	e := entry{recent, gen, owner}
	if s.pending.blocks(e) {
		err := s.flush(ctx)
		if err == nil && s.pending.blocks(e) {
			err = schema.Retryable(schema.CodeUnavailable, retryMin, nil, "recent items are about to be removed")
		}
		if err != nil {
			return nil, err
		}
	}
	if limit < 1 {
		limit = s.o.RecentCap
	}
	var ids []string
	var vals []any
	err := s.do(ctx, "read recent items", func(ctx context.Context) (err error) {
		ids, err = s.c.ZRangeArgs(ctx, redis.ZRangeArgs{Key: keyRecent(gen, owner), Start: 0, Stop: limit - 1, Rev: true}).Result()
		if err != nil || len(ids) == 0 {
			return err
		}
		vals, err = s.c.HMGet(ctx, keyItems(gen, owner), ids...).Result()
		return err
	})
	if err != nil {
		return nil, err
	}
	if s.pending.blocks(e) { // ended meanwhile, and not yet there
		return nil, schema.Retryable(schema.CodeUnavailable, retryMin, nil, "recent items are about to be removed")
	}
	out := make([]schema.Memory, 0, len(vals))
	for i, v := range vals {
		text, _ := v.(string)
		head, b, ok := strings.Cut(text, formBreak)
		event, _, _ := strings.Cut(head, " ")
		var m schema.Memory
		if !ok || json.Unmarshal([]byte(b), &m) != nil { // removed meanwhile, or another build's form
			continue
		}
		m.ID, m.Source.UUID = ids[i], event
		out = append(out, m)
	}
	return out, nil
}

// EndRecent takes the content of recent facts away whose state in the vector store is about to change, before it does:
// a writer that ends after that has no second chance. Of each of ms the id, the status and what holds instead are
// kept, with the event and the time where they are given. Where it returns an error all recent items of the user are
// removed later, and this process serves none until then.
func (s *Store) EndRecent(ctx context.Context, gen int, owner string, ms []schema.Memory) error {
	if len(ms) == 0 {
		return nil
	}
	args := []any{s.o.RecentCap, s.o.KeepTTL.Milliseconds(), endedTTL.Milliseconds(), maxEnded}
	for i := range ms {
		m := &ms[i]
		b, err := json.Marshal(schema.Memory{Status: m.Status, SupersededBy: m.SupersededBy, ValidTo: m.ValidTo})
		if err != nil {
			return schema.Permanent(schema.CodeInternal, err, "encode what is left of a recent item")
		}
		at := ""
		if !m.ObservedAt.IsZero() {
			at = strconv.FormatInt(m.ObservedAt.UnixMilli(), 10)
		}
		args = append(args, m.ID, at, m.Source.UUID, m.Source.Seq, b)
	}
	return s.orLater(entry{recent, gen, owner}, s.do(ctx, "end recent items", func(ctx context.Context) error {
		return scriptEnd.Run(ctx, s.c, keysRecent(gen, owner), args...).Err()
	}))
}

// forgetAtOnce ids are removed by one script: the server does nothing else meanwhile.
const forgetAtOnce = 1000

// Gone is a point that is as if it had never been; with Seq only as far as it came from that log entry.
type Gone struct {
	ID  string
	Seq uint64
}

// Forget removes recent items, with whatever says that they have been, and the last accesses of them. Errors are as
// with [Store.EndRecent].
func (s *Store) Forget(ctx context.Context, gen int, owner string, gone []Gone) error {
	for some := range slices.Chunk(gone, forgetAtOnce) {
		args := []any{endedTTL.Milliseconds(), maxEnded}
		for _, g := range some {
			seq := ""
			if g.Seq > 0 {
				seq = strconv.FormatUint(g.Seq, 10)
			}
			args = append(args, g.ID, seq)
		}
		err := s.do(ctx, "forget recent items", func(ctx context.Context) error {
			return scriptForget.Run(ctx, s.c, append(keysRecent(gen, owner), keyTouched(gen, owner)), args...).Err()
		})
		if err := s.orLater(entry{recent, gen, owner}, err); err != nil {
			return err
		}
	}
	return nil
}

// orLater remembers e where err says that it was not done.
func (s *Store) orLater(e entry, err error) error {
	if err != nil {
		s.pending.add([]entry{e})
	}
	return err
}

// DropGeneration removes every key of a generation. It walks all keys of the server in steps, which is for pruning
// and never for a hot path; it blocks until ctx ends or all is gone.
func (s *Store) DropGeneration(ctx context.Context, gen int) error {
	return s.dropKeys(ctx, fmt.Sprintf("drop cache of generation %d", gen), anyOf(gen))
}

// dropKeys removes all keys that match, in steps.
func (s *Store) dropKeys(ctx context.Context, op, pattern string) error {
	var at uint64
	for {
		err := s.do(ctx, op, func(ctx context.Context) error {
			keys, next, err := s.c.Scan(ctx, at, pattern, 1000).Result()
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
