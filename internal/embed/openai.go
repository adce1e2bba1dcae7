package embed

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/siltstone-ai/siltstone/internal/outbound"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// OpenAI embeds through a server that speaks OpenAI's embeddings API (POST {base}/embeddings). It is safe for
// concurrent use and blocks until the server has answered, with retries, or ctx has ended. Its errors are those of
// [outbound.API]; nonsense in an answer is retryable.
type OpenAI struct {
	cfg Config
	api *outbound.API
	dim int
}

func openOpenAI(ctx context.Context, cfg Config) (Embedder, error) {
	o, err := NewOpenAI(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return o, nil
}

// NewOpenAI checks cfg. Where cfg.Dim is 0 it embeds one word to learn the dimension, and blocks for that.
func NewOpenAI(ctx context.Context, cfg Config) (*OpenAI, error) {
	if cfg.Model == "" {
		return nil, schema.Invalid("model", "must not be empty")
	}
	if cfg.Dim < 0 || cfg.Dim > 65536 {
		return nil, schema.Invalid("dim", "is %d, must lie between 0 and 65536", cfg.Dim)
	}
	if cfg.Batch <= 0 {
		cfg.Batch = 64
	}
	api, err := outbound.NewAPI(outbound.APIConfig{
		Config: outbound.Config{URL: cfg.BaseURL, AllowPrivate: cfg.AllowPrivate, Proxy: cfg.Proxy},
		Name:   "embedding server", Leave: "embed.allow_private", Key: cfg.Key, Tries: cfg.Retries, Pause: cfg.Backoff,
	})
	if err != nil {
		return nil, err
	}
	o := &OpenAI{cfg: cfg, api: api, dim: cfg.Dim}
	if o.dim == 0 {
		v, err := o.call(ctx, []string{cfg.PassagePrefix + "dimension"})
		if err != nil {
			return nil, fmt.Errorf("ask %s for its dimension: %w", cfg.Model, err)
		}
		o.dim = len(v[0])
	}
	return o, nil
}

// Dim implements [Embedder].
func (o *OpenAI) Dim() int { return o.dim }

// Model implements [Embedder].
func (o *OpenAI) Model() string { return o.cfg.Model }

// Embed implements [Embedder].
func (o *OpenAI) Embed(ctx context.Context, texts []string, kind schema.EmbedKind) ([][]float32, error) {
	prefix := o.cfg.PassagePrefix
	if kind == schema.EmbedQuery {
		prefix = o.cfg.QueryPrefix
	}
	out := make([][]float32, 0, len(texts))
	for at := 0; at < len(texts); at += o.cfg.Batch {
		part := make([]string, 0, o.cfg.Batch)
		for _, t := range texts[at:min(at+o.cfg.Batch, len(texts))] {
			t = prefix + strings.ToValidUTF8(t, "\uFFFD")
			if t == "" {
				t = " " // servers refuse the empty string
			}
			part = append(part, t)
		}
		vs, err := o.call(ctx, part)
		if err != nil {
			return nil, err
		}
		out = append(out, vs...)
	}
	return out, nil
}

// call embeds one batch, trying again as configured.
func (o *OpenAI) call(ctx context.Context, texts []string) ([][]float32, error) {
	limit := int64(len(texts))*65536*24 + 1<<20
	if o.dim > 0 {
		limit = int64(len(texts))*int64(o.dim)*32 + 1<<20
	}
	b, err := o.api.Post(ctx, "/embeddings", struct {
		Model  string   `json:"model"`
		Input  []string `json:"input"`
		Format string   `json:"encoding_format"`
	}{o.cfg.Model, texts, "float"}, limit)
	if err != nil {
		return nil, err
	}
	return o.vectors(b, len(texts))
}

// vectors reads the answer: as many as were asked, each index once, in any order, of one dimension, finite and not
// zero; they are scaled to unit length.
func (o *OpenAI) vectors(b []byte, n int) ([][]float32, error) {
	bad := o.api.Bad
	var r struct {
		Data []struct {
			Index     *int       `json:"index"`
			Embedding []*float64 `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(b, &r); err != nil {
		return nil, bad("the answer is not the JSON expected")
	}
	if len(r.Data) != n {
		return nil, bad("%d vectors for %d texts", len(r.Data), n)
	}
	out := make([][]float32, n)
	for k, d := range r.Data {
		i := k
		if d.Index != nil {
			i = *d.Index
		}
		if i < 0 || i >= n || out[i] != nil {
			return nil, bad("index %d is out of range or stands twice", i)
		}
		if len(d.Embedding) == 0 || o.dim > 0 && len(d.Embedding) != o.dim {
			return nil, bad("a vector of %d dimensions instead of %d", len(d.Embedding), o.dim)
		}
		v := make([]float32, len(d.Embedding))
		norm := 0.0
		for _, x := range d.Embedding {
			if x == nil || math.IsNaN(*x) || math.Abs(*x) > math.MaxFloat32 { // JSON null is how some write NaN
				return nil, bad("a vector holds a number that is not finite")
			}
			norm += *x * *x
		}
		if norm < 1e-20 || math.IsInf(norm, 0) {
			return nil, bad("a vector without length")
		}
		norm = math.Sqrt(norm)
		for j, x := range d.Embedding {
			v[j] = float32(*x / norm)
		}
		out[i] = v
	}
	return out, nil
}
