package redis

import (
	"context"
	"slices"
	"strconv"

	"github.com/redis/go-redis/v9"
)

// maxTerms of one user are cached before the lot is dropped.
const maxTerms = 4096

const fieldDocs = "n"

// Counts are document counts of one user as far as they are cached.
type Counts struct {
	Docs    uint64            // documents in all
	HasDocs bool              // false: Docs is not cached
	Terms   map[uint32]uint64 // documents that hold the term
	Missing []uint32          // asked for and not cached, in the order asked
}

// scriptCounts stores counts. The life of the hash begins with its first count and is not prolonged by later ones,
// so that none outlives its time. KEYS counts; ARGV TTL ms, most fields, then field and value in turn.
var scriptCounts = redis.NewScript(`
if redis.call('HLEN', KEYS[1]) > tonumber(ARGV[2]) then redis.call('DEL', KEYS[1]) end
for i = 3, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i+1]) end
if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return 1
`)

// TermCounts is what is cached of a user's document counts: of all documents and of those that hold each term. The
// counts of one reply may be up to [Options].CountsTTL apart in age.
func (s *Store) TermCounts(ctx context.Context, gen int, owner string, terms []uint32) (Counts, error) {
	out := Counts{Terms: make(map[uint32]uint64, len(terms))}
	fields := make([]string, len(terms)+1)
	fields[0] = fieldDocs
	for i, t := range terms {
		fields[i+1] = strconv.FormatUint(uint64(t), 10)
	}
	var vals []any
	err := s.do(ctx, "read term counts", func(ctx context.Context) (err error) {
		vals, err = s.c.HMGet(ctx, keyCounts(gen, owner), fields...).Result()
		return err
	})
	if err != nil {
		return Counts{Missing: slices.Clone(terms)}, err
	}
	out.Docs, out.HasDocs = count(vals[0])
	for i, t := range terms {
		if n, ok := count(vals[i+1]); ok {
			out.Terms[t] = n
		} else {
			out.Missing = append(out.Missing, t)
		}
	}
	return out, nil
}

func count(v any) (uint64, bool) {
	s, _ := v.(string)
	n, err := strconv.ParseUint(s, 10, 64)
	return n, err == nil
}

// SetTermCounts caches counts as the vector store gave them: c.Terms, and c.Docs where c.HasDocs is set.
func (s *Store) SetTermCounts(ctx context.Context, gen int, owner string, c Counts) error {
	args := []any{s.o.CountsTTL.Milliseconds(), maxTerms}
	if c.HasDocs {
		args = append(args, fieldDocs, c.Docs)
	}
	for t, n := range c.Terms {
		if len(args) >= 2*maxTerms {
			break // more than is kept, and more than a script's unpacking should take
		}
		args = append(args, strconv.FormatUint(uint64(t), 10), n)
	}
	if len(args) == 2 {
		return nil
	}
	return s.do(ctx, "store term counts", func(ctx context.Context) error {
		return scriptCounts.Run(ctx, s.c, []string{keyCounts(gen, owner)}, args...).Err()
	})
}
