package app

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/siltstone-ai/siltstone/internal/embed"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/pkg/stages"
)

// newEmbedder opens the embedder of the configuration. Behind a server, texts of many handlers travel together.
func (a *app) newEmbedder(ctx context.Context) (stages.Embedder, error) {
	c := a.cfg.Embed
	cfg := embed.Config{Provider: "table"} // no cache: it is faster than one
	if c.URL != "" {
		cfg = embed.Config{
			Provider: "openai", BaseURL: c.URL, AllowPrivate: c.AllowPrivate, Proxy: c.Proxy, Key: c.Key, Model: c.Model, Dim: c.Dim, Batch: c.Batch,
			QueryPrefix: c.QueryPrefix, PassagePrefix: c.PassagePrefix, CacheBytes: c.CacheMB << 20,
			Wrap: func(e embed.Embedder) (embed.Embedder, error) { return newTogether(e, c.Batch, c.Timeout) }, Logger: a.log,
		}
		if c.KeepMB > 0 {
			cfg.Shelf = &a.shelf
		}
	}
	var err error
	if a.words, err = embed.NewTable(); err != nil {
		return nil, err
	}
	return embed.Open(ctx, cfg)
}

// shelf is where vectors are kept, from when the streams are there.
type shelf struct {
	vectors atomic.Pointer[events.Kept]
}

func (s *shelf) Load(ctx context.Context, keys []string) ([][]byte, error) {
	if v := s.vectors.Load(); v != nil {
		return v.Load(ctx, keys)
	}
	return make([][]byte, len(keys)), nil
}

func (s *shelf) Save(ctx context.Context, keys []string, values [][]byte) error {
	if v := s.vectors.Load(); v != nil {
		return v.Save(ctx, keys, values)
	}
	return nil
}

// vectorOverhead is about what the log's server adds to a vector that is kept.
const vectorOverhead = 200

// keptVectors is how many vectors may be kept.
func (a *app) keptVectors() int64 {
	return max(int64(a.cfg.Embed.KeepMB)<<20/int64(4*a.embedder.Dim()+vectorOverhead), 1)
}

// together embeds the passages of concurrent callers in one call; queries go alone, they must not wait. A call that fails fails for
// all who are in it, so it is for those alone that the server must embed for.
type together struct {
	embed.Embedder
	limit time.Duration // of one call: a server that hangs must not hold the events of a stage for ever
	batch *events.Coalescer[[]string, [][]float32]
}

func newTogether(e embed.Embedder, most int, limit time.Duration) (embed.Embedder, error) {
	t := &together{Embedder: e, limit: limit}
	var err error
	t.batch, err = events.NewCoalescer(events.CoalescerConfig[[]string]{MaxItems: most, Parallel: 2}, t.embed)
	return t, err
}

func (t *together) Embed(ctx context.Context, texts []string, kind schema.EmbedKind) ([][]float32, error) {
	if kind == schema.EmbedQuery {
		return t.Embedder.Embed(ctx, texts, kind)
	}
	return t.batch.Do(ctx, texts)
}

func (t *together) embed(ctx context.Context, calls [][]string) ([][][]float32, error) {
	var all []string
	for _, c := range calls {
		all = append(all, c...)
	}
	ctx, cancel := context.WithTimeout(ctx, t.limit)
	defer cancel()
	vs, err := t.Embedder.Embed(ctx, all, schema.EmbedPassage)
	if err != nil {
		return nil, err
	}
	out := make([][][]float32, len(calls))
	for i, c := range calls {
		out[i], vs = vs[:len(c):len(c)], vs[len(c):]
	}
	return out, nil
}
