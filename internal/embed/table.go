package embed

import (
	"context"
	_ "embed"
	"fmt"
	"math"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

//go:embed data/table.bin
var tableBytes string // in the read-only part of the binary, which the system maps and loads page by page

// TableDim is the dimension of [Table].
const TableDim = 256

const maxTableDim = 512

// Table embeds by a table of words made from a neural model (tools/embedtable): a text's vector is the sum of the
// vectors of its words, each weighted down where it is frequent. It knows Chinese and English, that a word in one is
// near its translation, and takes words that it lacks by their pieces. It is deterministic on every platform: sums
// are of whole numbers, and the few operations on fractions are ones that IEEE 754 defines to the bit. It is safe for
// concurrent use and does not block.
type Table struct{ f *tableFile }

// NewTable returns the built-in table. It reads a header.
func NewTable() (*Table, error) {
	f, err := openTable(tableBytes)
	if err != nil {
		return nil, err
	}
	return &Table{f}, nil
}

// TableBytes is how much of the binary the built-in table is.
func TableBytes() int { return len(tableBytes) }

// Dim implements [Embedder].
func (t *Table) Dim() int { return t.f.dim }

// Model implements [Embedder].
func (t *Table) Model() string { return fmt.Sprintf("table-v%d-%d", t.f.version, t.f.dim) }

// Embed implements [Embedder]. Queries and passages are treated alike. The only error is ctx's.
func (t *Table) Embed(ctx context.Context, texts []string, _ schema.EmbedKind) ([][]float32, error) {
	out := make([][]float32, len(texts))
	all := make([]float32, len(texts)*t.f.dim)
	for i, s := range texts {
		if ctx.Err() != nil {
			return nil, ended(ctx)
		}
		out[i], all = all[:t.f.dim:t.f.dim], all[t.f.dim:]
		t.one(s, out[i])
	}
	return out, nil
}

// one writes the vector of text to out. It allocates nothing.
func (t *Table) one(text string, out []float32) {
	s := scanner{t: t.f}
	s.scan(text)
	s.sum.unit(out)
}

// sums adds rows up, two numbers in one word: the upper and lower half of word 4j+k sum the dimensions 8j+k and 8j+k+4.
// Numbers are stored with 128 added, so that none is negative and no half borrows from the other.
type sums struct {
	pairs [maxTableDim / 2]uint64
	since int   // rows since pairs was emptied
	bias  int64 // what the 128s sum to since then
	total [maxTableDim]int64
}

// flushAfter rows of 24 bits fill 32.
const flushAfter = 255

func (s *sums) add(t *tableFile, row, mult int) {
	f := uint64(u16(t.scales, 2*row)) * uint64(mult) / full
	vec := t.vectors[row*t.dim:][:t.dim]
	const low = 0x000000FF000000FF
	pairs := s.pairs[:]
	for len(vec) >= 8 && len(pairs) >= 4 {
		x := u64(vec)
		pairs[0] += x & low * f
		pairs[1] += x >> 8 & low * f
		pairs[2] += x >> 16 & low * f
		pairs[3] += x >> 24 & low * f
		vec, pairs = vec[8:], pairs[4:]
	}
	s.bias += 128 * int64(f)
	if s.since++; s.since == flushAfter {
		s.flush(t.dim)
	}
}

func (s *sums) flush(dim int) {
	for d := 0; d < dim; d += 8 {
		for k := range 4 {
			p := &s.pairs[d/2+k]
			s.total[d+k] += int64(*p&0xFFFFFFFF) - s.bias
			s.total[d+k+4] += int64(*p>>32) - s.bias
			*p = 0
		}
	}
	s.since, s.bias = 0, 0
}

// unit writes the sum scaled to length 1. Conversions of products keep compilers from fusing them with the addition.
func (s *sums) unit(out []float32) {
	s.flush(len(out))
	n := 0.0
	for i := range out {
		x := float64(s.total[i])
		n += float64(x * x)
	}
	if n == 0 { // words that cancel out to the bit
		s.total[0], n = 1, 1
	}
	n = math.Sqrt(n)
	for i := range out {
		out[i] = float32(float64(s.total[i]) / n)
	}
}

func openTableProvider(_ context.Context, _ Config) (Embedder, error) {
	t, err := NewTable()
	if err != nil {
		return nil, err
	}
	return t, nil
}
