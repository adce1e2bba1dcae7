package embed

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/siltstone-ai/siltstone/internal/outbound"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Embedder turns texts into vectors of unit length; pkg/stages and internal/retrieve declare the same port.
type Embedder interface {
	// Embed returns one vector of Dim() numbers a text, in order; none for none. Safe for concurrent use.
	Embed(ctx context.Context, texts []string, kind schema.EmbedKind) ([][]float32, error)
	Dim() int
	Model() string // name and version; vectors of different models are never compared
}

// Config chooses and sets a provider. Fields that a provider does not use are ignored by it.
type Config struct {
	Provider      string                           // a name in Providers; "" takes the first
	BaseURL       string                           // openai: up to and with /v1
	AllowPrivate  bool                             // openai: names other than localhost may resolve to private addresses; see internal/outbound
	Proxy         string                           // openai: URL of an HTTP proxy, "" for none
	Key           string                           // openai: bearer token, "" for none
	Model         string                           // openai: model name as the server knows it
	Dim           int                              // openai: dimensions expected, 0 asks the server once
	Batch         int                              // openai: texts a request, default 64
	QueryPrefix   string                           // openai: put before queries, e.g. "query: " for E5
	PassagePrefix string                           // openai: put before passages, e.g. "passage: "
	Retries       int                              // openai: further tries after 429, 5xx or a broken connection, default 3, negative for none
	Backoff       time.Duration                    // openai: first wait, doubled each time, default 250 ms
	Wrap          func(Embedder) (Embedder, error) // put around the provider, behind cache and shelf: what those have never comes to it; nil for nothing
	CacheBytes    int                              // bound of the cache of vectors, 0 for no cache
	Shelf         Shelf                            // keeps vectors of passages beyond the process, behind the cache; nil for nowhere
	Logger        *slog.Logger                     // of what the shelf fails at; nil discards
}

// Provider is one way to embed: a file of this package and a row of [Providers].
type Provider struct {
	Name string
	Doc  string // one sentence for people
	Open func(ctx context.Context, cfg Config) (Embedder, error)
}

// Providers lists them; the first is the default.
var Providers = []Provider{
	{"table", "offline table of Chinese and English words made from a neural model: no model at run time, no network", openTableProvider},
	{"openai", "any server with OpenAI's /v1/embeddings: OpenAI, Ollama, vLLM, TEI, llama.cpp", openOpenAI},
}

// Open builds the embedder that cfg asks for, behind a cache where cfg.CacheBytes says so. It may block on a server.
func Open(ctx context.Context, cfg Config) (Embedder, error) {
	var names []string
	for i, p := range Providers {
		if p.Name == cfg.Provider || cfg.Provider == "" && i == 0 {
			e, err := p.Open(ctx, cfg)
			if err != nil {
				return e, err
			}
			if cfg.Wrap != nil {
				if e, err = cfg.Wrap(e); err != nil {
					return nil, err
				}
			}
			if cfg.Shelf != nil {
				e = NewKept(e, cfg.Shelf, cfg.PassagePrefix, cfg.Logger)
			}
			if cfg.CacheBytes <= 0 {
				return e, nil
			}
			return NewCache(e, cfg.CacheBytes), nil
		}
		names = append(names, p.Name)
	}
	return nil, schema.Invalid("provider", "%q is not one of %s", cfg.Provider, strings.Join(names, ", "))
}

// ended is the error for a context that is over.
func ended(ctx context.Context) error { return outbound.Ended(ctx, "embedding") }
