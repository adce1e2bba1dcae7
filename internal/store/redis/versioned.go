package redis

import (
	"context"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// A versioned entry is a hash of three fields: ver, a random token; val and epoch, only where something is cached.
// val was read from the truth by someone who had seen ver and epoch before reading.
const (
	fieldVer   = "ver"
	fieldVal   = "val"
	fieldEpoch = "epoch"
)

// The version outlives what is cached under it by far, so that a slow reader can still fill; losing it is no harm. What
// is cached lives for [Options].TTL, and as something old for as long as the version: a key that holds something
// fresh has more than versionTTL to live.
const versionTTL = 24 * time.Hour

// Scripts that draw a version or an epoch add the server's time to the client's token. A command that the client
// gave up on and repeated may be run once more, late, by the server: it must not bring back the version of its first
// run, under which somebody may still hold what he read before a later invalidation.
const luaDraw = `
local function draw(token)
  local t = redis.call('TIME')
  return token .. '.' .. t[1] .. '.' .. t[2]
end
`

// scriptVersion gives the entry a version unless it has one, and answers the one it has.
// KEYS entry; ARGV token, version TTL ms.
var scriptVersion = redis.NewScript(luaDraw + `
redis.call('HSETNX', KEYS[1], 'ver', draw(ARGV[1]))
if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return redis.call('HGET', KEYS[1], 'ver')
`)

// scriptFill stores a value only if the version that its reader saw is still the entry's.
// KEYS entry; ARGV version seen, epoch seen, value, TTL ms.
var scriptFill = redis.NewScript(`
if redis.call('HGET', KEYS[1], 'ver') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'epoch', ARGV[2], 'val', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1
`)

// scriptInvalidate drops the value and gives the entry a new version. KEYS entry; ARGV token, version TTL ms.
var scriptInvalidate = redis.NewScript(luaDraw + `
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'ver', draw(ARGV[1]))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`)

// scriptEpoch makes a new epoch, or with ARGV[2] set one only where there is none, and answers the one there is.
// It does not expire; where it is lost the next one is another, so that nothing cached under the lost one is served
// again. KEYS epoch; ARGV token, "keep" or "".
var scriptEpoch = redis.NewScript(luaDraw + `
local e = redis.call('GET', KEYS[1])
if ARGV[2] == 'keep' and e then return e end
e = draw(ARGV[1])
redis.call('SET', KEYS[1], e)
return e
`)

// cached is what an entry holds.
type cached struct {
	val    string
	cached bool
	old    bool   // beyond its time
	ver    string // what a fill must give back, "" where no fill is possible
}

// load reads an entry.
func (s *Store) load(ctx context.Context, e entry) (out cached, err error) {
	if s.pending.blocks(e) {
		// What stands there is known to be stale. Make up for it now, or answer that nothing is cached.
		if err := s.flush(ctx); err != nil {
			return cached{}, err
		}
	}
	key := e.keys()[0]
	err = s.do(ctx, "read cache", func(ctx context.Context) error {
		p := s.c.Pipeline()
		fields := p.HMGet(ctx, key, fieldVer, fieldVal, fieldEpoch)
		life := p.PTTL(ctx, key)
		current := p.Get(ctx, keyEpoch)
		if _, err := p.Exec(ctx); err != nil && err != redis.Nil {
			return err
		}
		f := fields.Val()
		v, _ := f[0].(string)
		val, isCached := f[1].(string)
		under, _ := f[2].(string)
		epoch := current.Val()
		if isCached && v != "" && epoch != "" && under == epoch {
			out = cached{val: val, cached: true, old: life.Val() <= versionTTL, ver: join(v, epoch)}
			return nil
		}
		var err error
		if epoch == "" {
			if epoch, err = scriptEpoch.Run(ctx, s.c, []string{keyEpoch}, token(), "keep").Text(); err != nil {
				return err
			}
		}
		if v == "" {
			if v, err = scriptVersion.Run(ctx, s.c, []string{key}, token(), versionTTL.Milliseconds()).Text(); err != nil {
				return err
			}
		}
		out = cached{ver: join(v, epoch)}
		return nil
	})
	if err != nil || out.cached && s.pending.blocks(e) { // invalidated meanwhile, and not yet there
		return cached{}, err
	}
	return out, nil
}

// fill stores val if nothing was invalidated since ver was handed out. stored is false where something was.
func (s *Store) fill(ctx context.Context, e entry, ver, val string) (stored bool, err error) {
	v, epoch, ok := strings.Cut(ver, "/")
	if !ok || s.pending.blocks(e) {
		return false, nil
	}
	err = s.do(ctx, "fill cache", func(ctx context.Context) error {
		n, err := scriptFill.Run(ctx, s.c, e.keys(), v, epoch, val, (versionTTL + s.o.TTL).Milliseconds()).Int()
		stored = n == 1
		return err
	})
	return stored, err
}

// invalidate makes what is cached under entries void, and what is being read for them unfit to be stored. Where Redis
// does not answer the error says so, and the adapter remembers to do it.
func (s *Store) invalidate(ctx context.Context, es ...entry) error {
	if len(es) == 0 {
		return nil
	}
	s.pending.add(es)
	return s.flush(ctx)
}

func join(ver, epoch string) string { return ver + "/" + epoch }
