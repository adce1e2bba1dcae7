package embed

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"log/slog"
	"math"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Shelf keeps vectors beyond the life of the process. What it fails at costs a call of the embedder, never an event.
type Shelf interface {
	// Load is what was kept under each of keys, nil where nothing is.
	Load(ctx context.Context, keys []string) ([][]byte, error)
	// Save keeps values under keys, and returns when they are stored.
	Save(ctx context.Context, keys []string, values [][]byte) error
}

// Kept takes the vectors of passages from a shelf where they are there, and puts there what it had to embed. Keys are
// hashes of model, dimension, prefix and text: the shelf holds no text. Queries are not kept. Safe for concurrent use.
type Kept struct {
	inner  Embedder
	shelf  Shelf
	prefix string
	log    *slog.Logger
}

// NewKept puts a shelf before e; prefix is what e puts before passages.
func NewKept(e Embedder, shelf Shelf, prefix string, log *slog.Logger) *Kept {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Kept{e, shelf, prefix, log}
}

// Dim implements [Embedder].
func (k *Kept) Dim() int { return k.inner.Dim() }

// Model implements [Embedder].
func (k *Kept) Model() string { return k.inner.Model() }

func (k *Kept) key(text string) string {
	return ShelfKey(k.inner.Model(), k.inner.Dim(), k.prefix, text)
}

// ShelfKey is under which key the vector of a passage is kept, which a model makes of text with a prefix before it.
func ShelfKey(model string, dim int, prefix, text string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%d\x00%s\x00", model, dim, prefix)
	h.Write([]byte(text))
	return hex.EncodeToString(h.Sum(nil))
}

// Embed implements [Embedder].
func (k *Kept) Embed(ctx context.Context, texts []string, kind schema.EmbedKind) ([][]float32, error) {
	if kind != schema.EmbedPassage || len(texts) == 0 {
		return k.inner.Embed(ctx, texts, kind)
	}
	var keys []string // each once
	at := map[string][]int{}
	for i, t := range texts {
		key := k.key(t)
		if at[key] == nil {
			keys = append(keys, key)
		}
		at[key] = append(at[key], i)
	}
	kept, err := k.shelf.Load(ctx, keys)
	if err != nil || len(kept) != len(keys) {
		if ctx.Err() != nil {
			return nil, ended(ctx)
		}
		k.tell(ctx, "vectors that were kept cannot be read", err)
		kept = make([][]byte, len(keys))
	}
	out := make([][]float32, len(texts))
	var missing, lacking []string // keys and texts
	for i, key := range keys {
		v, ok := decodeVector(kept[i], k.inner.Dim())
		if !ok {
			missing, lacking = append(missing, key), append(lacking, texts[at[key][0]])
			continue
		}
		for _, j := range at[key] {
			out[j] = append([]float32(nil), v...)
		}
	}
	if len(missing) == 0 {
		return out, nil
	}
	vs, err := k.inner.Embed(ctx, lacking, kind)
	if err != nil {
		return nil, err
	}
	if len(vs) != len(lacking) {
		return nil, schema.Retryable(schema.CodeUnavailable, 0, nil, "embedder %s gave %d vectors for %d texts", k.inner.Model(), len(vs), len(lacking))
	}
	values := make([][]byte, len(missing))
	for i, key := range missing {
		values[i] = encodeVector(vs[i])
		for _, j := range at[key] {
			out[j] = append([]float32(nil), vs[i]...)
		}
	}
	if err := k.shelf.Save(ctx, missing, values); err != nil {
		k.tell(ctx, "vectors are not kept", err)
	}
	return out, nil
}

func (k *Kept) tell(ctx context.Context, what string, err error) {
	reason := "it answered for another number of keys"
	if err != nil {
		reason = err.Error()
	}
	k.log.LogAttrs(ctx, slog.LevelDebug, what, slog.String(obs.KeyError, reason))
}

// encodeVector is the numbers, little endian, with a checksum behind them.
func encodeVector(v []float32) []byte {
	b := make([]byte, 0, 4*len(v)+4)
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

// decodeVector is the inverse; ok is false for what is not whole.
func decodeVector(b []byte, dim int) (v []float32, ok bool) {
	if len(b) != 4*dim+4 || crc32.ChecksumIEEE(b[:4*dim]) != binary.LittleEndian.Uint32(b[4*dim:]) {
		return nil, false
	}
	v = make([]float32, dim)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v, true
}
