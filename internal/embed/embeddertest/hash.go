package embeddertest

import (
	"context"
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/siltstone-ai/siltstone/pkg/schema"
	"golang.org/x/text/unicode/norm"
)

// Hash stands in for an embedder where a test wants vectors of any dimension that know no meaning: each word and
// character n-gram of the folded text adds a fixed sign at fixed dimensions (feature hashing, Weinberger et al. 2009),
// weighted down where it is frequent in any text. Texts are near one another as far as they share words and pieces of
// words. It is deterministic, safe for concurrent use and does not block.
type Hash struct{ dim int }

// NewHash returns a hashing embedder of dim dimensions, at least 16.
func NewHash(dim int) *Hash { return &Hash{max(dim, 16)} }

// Dim implements the embedder port.
func (h *Hash) Dim() int { return h.dim }

// Model implements the embedder port.
func (h *Hash) Model() string { return fmt.Sprintf("hash-v1-%d", h.dim) }

// Embed implements the embedder port. Queries and passages are treated alike. The only error is ctx's.
func (h *Hash) Embed(ctx context.Context, texts []string, _ schema.EmbedKind) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		if ctx.Err() != nil {
			return nil, schema.Retryable(schema.CodeTimeout, 0, ctx.Err(), "embed")
		}
		out[i] = h.one(t)
	}
	return out, nil
}

// Weights of features, beside the inverse-frequency weight of a word. Whole words carry most; n-grams tie inflected
// forms and near spellings together.
const (
	wWord    = 1.0
	wTrigram = 0.25
	wHan     = 0.35 // one character
	wHanPair = 1.0
)

func (h *Hash) one(text string) []float32 {
	v := make([]float64, h.dim)
	s := fold(text)
	any := false
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case unicode.Is(unicode.Han, r):
			w := wHan
			if strings.ContainsRune(hanFrequent, r) {
				w *= 0.2
			}
			h.add(v, 'h', s[i:i+size], w)
			any = true
			if r2, size2 := utf8.DecodeRuneInString(s[i+size:]); unicode.Is(unicode.Han, r2) {
				pair := wHanPair
				if strings.ContainsRune(hanFrequent, r) {
					pair *= 0.4
				}
				if strings.ContainsRune(hanFrequent, r2) {
					pair *= 0.4
				}
				h.add(v, 'p', s[i:i+size+size2], pair)
			}
			i += size
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			j := i
			for j < len(s) {
				r, size := utf8.DecodeRuneInString(s[j:])
				if unicode.Is(unicode.Han, r) || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) {
					break
				}
				j += size
			}
			h.word(v, s[i:j])
			any = true
			i = j
		default:
			i += size
		}
	}
	if !any || !h.unit(v) { // only symbols, or nothing: whatever is there is one feature, and "" is one too
		clear(v)
		h.add(v, 's', s, 1)
		h.unit(v)
	}
	out := make([]float32, h.dim)
	for i, x := range v {
		out[i] = float32(x)
	}
	return out
}

// word adds a word and its trigrams (runes, with marks at both ends). A word of a script without spaces gives
// trigrams that stand on their own.
func (h *Hash) word(v []float64, w string) {
	weight := wordWeight(w)
	h.add(v, 'w', w, wWord*weight)
	if len(w) < 4 {
		return
	}
	if len(w) > 256 {
		w = w[:256] // a blob: its beginning will do
	}
	rs := []rune("^" + w + "$")
	each := wTrigram * weight * 2 / math.Sqrt(float64(len(rs)-2))
	for k := 0; k+3 <= len(rs); k++ {
		h.add(v, 't', string(rs[k:k+3]), each)
	}
}

// add puts one feature at two dimensions, with signs of its own: two make an unlucky collision half as bad.
func (h *Hash) add(v []float64, kind byte, f string, w float64) {
	x := (uint64(14695981039346656037) ^ uint64(kind)) * 1099511628211
	for i := 0; i < len(f); i++ {
		x = (x ^ uint64(f[i])) * 1099511628211
	}
	first := uint64(h.dim)
	for range 2 {
		x ^= x >> 33 // splitmix64's finaliser
		x *= 0xff51afd7ed558ccd
		x ^= x >> 33
		x *= 0xc4ceb9fe1a85ec53
		x ^= x >> 33
		d := (x >> 1) % uint64(h.dim)
		if d == first { // both at one place could cancel out
			d = (d + 1) % uint64(h.dim)
		}
		first = d
		if x&1 == 0 {
			v[d] += w
		} else {
			v[d] -= w
		}
	}
}

// unit scales v to length 1; false where it has none.
func (h *Hash) unit(v []float64) bool {
	n := 0.0
	for _, x := range v {
		n += x * x
	}
	if n < 1e-12 {
		return false
	}
	n = math.Sqrt(n)
	for i := range v {
		v[i] /= n
	}
	return true
}

// fold makes texts comparable: valid UTF-8, NFKC, lower case.
func fold(s string) string {
	return strings.ToLower(norm.NFKC.String(strings.ToValidUTF8(s, "\uFFFD")))
}

// wordWeight stands in for an inverse document frequency: function words weigh little, longer words more.
func wordWeight(w string) float64 {
	if functionWords[w] {
		return 0.15
	}
	return math.Min(0.6+0.1*float64(utf8.RuneCountInString(w)), 1.4)
}

// hanFrequent are the Chinese characters that stand in nearly every text.
const hanFrequent = "的了是在我有和就不人都一个上也很到说要去你会着没看好自己这那么她他它们吗呢吧啊把被让给跟与及或但而且对从为以之其所等能可还再又只最哪里什怎样多少几时候里后前天年月日想用做给没"

var functionWords = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(`a an the this that these those i me my mine we us our ours you your yours he him his she her hers it its they them their theirs
		who what which when where why how am is are was were be been being do does did have has had will would shall should can could may might must
		and or but nor so if then than as because while of in on at by to from with into about for not no yes s t d ll m re ve there here just very too also`) {
		m[w] = true
	}
	return m
}()
