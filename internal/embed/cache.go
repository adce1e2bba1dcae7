package embed

import (
	"container/list"
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"sync"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Cache remembers vectors by model, kind and content hash, the least recently used going first, and embeds a text
// that several callers want at once only once. It keeps no text. Vectors it returns are the caller's to change.
// It is safe for concurrent use.
type Cache struct {
	inner Embedder
	max   int // bytes

	mu     sync.Mutex
	size   int
	byKey  map[cacheKey]*list.Element
	recent *list.List // of *cacheEntry, the latest in front
	flying map[cacheKey]*flight
	stats  CacheStats
}

// CacheStats counts texts since the start.
type CacheStats struct {
	Hits   uint64 // answered from the cache
	Shared uint64 // answered by another caller's call
	Misses uint64 // embedded
	Bytes  int    // held now
}

type cacheKey [sha256.Size]byte

type cacheEntry struct {
	key cacheKey
	vec []float32
}

// flight is one text on its way; done is closed when vec or err is set.
type flight struct {
	done chan struct{}
	vec  []float32
	err  error
}

// entryOverhead is what the maps and lists cost for each vector, measured roughly.
const entryOverhead = 256

// NewCache puts a cache of at most maxBytes before e.
func NewCache(e Embedder, maxBytes int) *Cache {
	return &Cache{inner: e, max: maxBytes, byKey: map[cacheKey]*list.Element{}, recent: list.New(), flying: map[cacheKey]*flight{}}
}

// Dim implements [Embedder].
func (c *Cache) Dim() int { return c.inner.Dim() }

// Model implements [Embedder].
func (c *Cache) Model() string { return c.inner.Model() }

// Stats returns the counts.
func (c *Cache) Stats() CacheStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Bytes = c.size
	return s
}

func (c *Cache) key(text string, kind schema.EmbedKind) cacheKey {
	h := sha256.New()
	h.Write([]byte(c.inner.Model()))
	h.Write([]byte{0, byte(kind)})
	h.Write([]byte(text))
	return cacheKey(h.Sum(nil))
}

// Embed implements [Embedder]. Where another caller's call fails because its context ended, or is refused for good, for any
// one of its texts, this one embeds itself.
func (c *Cache) Embed(ctx context.Context, texts []string, kind schema.EmbedKind) ([][]float32, error) {
	if ctx.Err() != nil {
		return nil, ended(ctx)
	}
	out := make([][]float32, len(texts))
	keys := make([]cacheKey, len(texts))
	for i, t := range texts {
		keys[i] = c.key(t, kind)
	}
	open := make([]int, 0, len(texts)) // positions without an answer
	for i := range texts {
		open = append(open, i)
	}
	for len(open) > 0 {
		own, waits := c.claim(keys, open, out)
		if err := c.fly(ctx, own, keys, texts, kind); err != nil {
			return nil, err
		}
		open = open[:0]
		for i, f := range waits {
			if f == nil {
				continue
			}
			select {
			case <-f.done:
			case <-ctx.Done():
				return nil, ended(ctx)
			}
			switch {
			case f.err == nil:
				out[i] = slices.Clone(f.vec)
			case schema.IsPermanent(f.err) || errors.Is(f.err, context.Canceled) || errors.Is(f.err, context.DeadlineExceeded):
				open = append(open, i)
			default:
				return nil, f.err
			}
		}
	}
	return out, nil
}

// claim answers what is cached, and for the rest says by position which flight to wait for; own lists the positions
// whose flights this caller has to make.
func (c *Cache) claim(keys []cacheKey, open []int, out [][]float32) (own []int, waits []*flight) {
	waits = make([]*flight, len(keys))
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, i := range open {
		if el, ok := c.byKey[keys[i]]; ok {
			c.recent.MoveToFront(el)
			out[i] = slices.Clone(el.Value.(*cacheEntry).vec)
			c.stats.Hits++
			continue
		}
		f, ok := c.flying[keys[i]]
		if !ok {
			f = &flight{done: make(chan struct{})}
			c.flying[keys[i]] = f
			own = append(own, i)
			c.stats.Misses++
		} else {
			c.stats.Shared++
		}
		waits[i] = f
	}
	return own, waits
}

// fly embeds the texts at own in one call and lands their flights whatever happens.
func (c *Cache) fly(ctx context.Context, own []int, keys []cacheKey, texts []string, kind schema.EmbedKind) (err error) {
	if len(own) == 0 {
		return nil
	}
	batch := make([]string, len(own))
	for k, i := range own {
		batch[k] = texts[i]
	}
	var vecs [][]float32
	err = schema.Retryable(schema.CodeInternal, 0, nil, "the embedder panicked") // unless replaced below
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		for k, i := range own {
			f := c.flying[keys[i]]
			delete(c.flying, keys[i])
			if f.err = err; err == nil {
				f.vec = vecs[k]
				c.put(keys[i], vecs[k])
			}
			close(f.done)
		}
	}()
	vecs, err = c.inner.Embed(ctx, batch, kind)
	if err == nil && len(vecs) != len(batch) {
		err = schema.Retryable(schema.CodeUnavailable, 0, nil, "embedder %s gave %d vectors for %d texts", c.inner.Model(), len(vecs), len(batch))
	}
	return err
}

// put stores a vector and makes room; c.mu is held.
func (c *Cache) put(k cacheKey, v []float32) {
	cost := 4*len(v) + entryOverhead
	if cost > c.max || c.byKey[k] != nil {
		return
	}
	c.byKey[k] = c.recent.PushFront(&cacheEntry{k, v})
	c.size += cost
	for c.size > c.max {
		el := c.recent.Back()
		e := c.recent.Remove(el).(*cacheEntry)
		delete(c.byKey, e.key)
		c.size -= 4*len(e.vec) + entryOverhead
	}
}
