package clean

import (
	"encoding/json"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"
)

// minQuote is how many characters of an output a text must repeat verbatim to count as a quotation (A3).
const minQuote = 24

// foldGram is the length of the windows, in runes without white space and Markdown signs, that are compared where
// a quotation may have been wrapped, indented or fenced. Windows overlap by all but one rune, so a chain of them
// is a verbatim span for all practical purposes: two places of an output could only be mistaken for one where they
// share foldGram−1 runes.
const foldGram = 16

// quoter finds the spans of one text that quote other texts. Only the text that may quote is indexed; outputs
// stream past it, so that a megabyte of output costs one pass over a hash table the size of the reply.
type quoter struct {
	text string
	raw  grams // windows of minQuote runes as they stand
	fold grams // windows of foldGram runes without white space and marks
}

// grams are the windows of a text: ids[i] is the number of the hash of the window that begins at rune i, equal
// windows share a number.
type grams struct {
	n    int
	keys []uint64 // hash table, open addressing, 0 is free; at most half full
	vals []int32  // id of the key in the same place
	at   []int32  // window → id
	offs []int32  // rune → byte offset in the text; one more at the end
	hit  []bool   // by id
}

const gramBase = 0x9E3779B97F4A7C15 | 1

func newQuoter(text string) *quoter {
	q := &quoter{text: text}
	q.raw = index(text, minQuote, func(rune) bool { return true })
	q.fold = index(text, foldGram, inFold)
	return q
}

// inFold: what counts when layout is ignored.
func inFold(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && strings.IndexByte("`>*|\\", byte(r)) < 0
	}
	return !unicode.IsSpace(r)
}

func index(text string, n int, keep func(rune) bool) grams {
	runes := utf8.RuneCountInString(text)
	size := 1 << bits.Len(uint(2*runes))
	g := grams{n: n, keys: make([]uint64, size), vals: make([]int32, size), at: make([]int32, 0, runes), offs: make([]int32, 0, runes+1)}
	count := int32(0)
	roll(text, n, keep, func(off int) { g.offs = append(g.offs, int32(off)) }, func(h uint64) {
		i := g.slot(h)
		if g.keys[i] == 0 {
			g.keys[i], g.vals[i] = h|1, count
			count++
		}
		g.at = append(g.at, g.vals[i])
	})
	g.offs = append(g.offs, int32(len(text)))
	g.hit = make([]bool, count)
	return g
}

// slot is where h stands in the table, or the free place where it belongs.
func (g *grams) slot(h uint64) int {
	h |= 1
	mask := len(g.keys) - 1
	for i := int(h>>32) & mask; ; i = (i + 1) & mask {
		if g.keys[i] == 0 || g.keys[i] == h {
			return i
		}
	}
}

// roll runs a polynomial hash over every window of n kept runes.
func roll(text string, n int, keep func(rune) bool, each func(off int), window func(h uint64)) {
	var pow uint64 = 1
	for range n {
		pow *= gramBase
	}
	ring := make([]uint64, n)
	var h uint64
	seen, at := 0, 0
	for off, r := range text {
		if !keep(r) {
			continue
		}
		if each != nil {
			each(off)
		}
		v := uint64(r)*0xBF58476D1CE4E5B9 + 1
		v ^= v >> 29
		h = h*gramBase + v - ring[at]*pow
		ring[at] = v
		if at++; at == n {
			at = 0
		}
		if seen++; seen >= n {
			window(h)
		}
	}
}

// against marks what text repeats of output.
func (q *quoter) against(output string) {
	q.raw.mark(output, func(rune) bool { return true })
	q.fold.mark(output, inFold)
	// JSON hides line breaks and, often, every Chinese character behind escapes.
	if t := strings.TrimLeft(output, " \t\r\n"); t != "" && (t[0] == '{' || t[0] == '[' || t[0] == '"') && strings.IndexByte(t, '\\') >= 0 {
		dec := json.NewDecoder(strings.NewReader(t))
		dec.UseNumber()
		for {
			tok, err := dec.Token()
			if err != nil {
				break
			}
			if s, ok := tok.(string); ok && len(s) >= foldGram && strings.TrimSpace(s) != "" {
				q.raw.mark(s, func(rune) bool { return true })
				q.fold.mark(s, inFold)
			}
		}
	}
}

func (g *grams) mark(output string, keep func(rune) bool) {
	if len(g.at) == 0 {
		return
	}
	roll(output, g.n, keep, nil, func(h uint64) {
		if i := g.slot(h); g.keys[i] != 0 {
			g.hit[g.vals[i]] = true
		}
	})
}

// spans are the byte ranges that quote, in order, none overlapping.
func (q *quoter) spans() [][2]int {
	var all [][2]int
	all = q.raw.chains(all, q.text, false)
	all = q.fold.chains(all, q.text, true)
	return mergeSpans(all)
}

func (g *grams) chains(all [][2]int, text string, measure bool) [][2]int {
	for i := 0; i < len(g.at); {
		if !g.hit[g.at[i]] {
			i++
			continue
		}
		j := i
		for j+1 < len(g.at) && g.hit[g.at[j+1]] {
			j++
		}
		lastRune := j + g.n - 1
		from, to := int(g.offs[i]), int(g.offs[lastRune])
		_, size := utf8.DecodeRuneInString(text[to:])
		to += size
		if !measure || laidOut(text[from:to]) >= minQuote {
			all = append(all, [2]int{from, to})
		}
		i = j + g.n // windows up to here begin inside the span
		if i > len(g.at) {
			break
		}
	}
	return all
}

// laidOut counts the characters of a span, a run of white space as one.
func laidOut(s string) int {
	n, space := 0, false
	for _, r := range s {
		if unicode.IsSpace(r) {
			if !space {
				n++
			}
			space = true
			continue
		}
		n, space = n+1, false
	}
	return n
}

func mergeSpans(all [][2]int) [][2]int {
	if len(all) < 2 {
		return all
	}
	sortSpans(all)
	out := all[:1]
	for _, s := range all[1:] {
		if last := &out[len(out)-1]; s[0] <= last[1] {
			last[1] = max(last[1], s[1])
		} else {
			out = append(out, s)
		}
	}
	return out
}

// quoteMark stands where a quotation was left out.
const quoteMark = "…"

// without cuts the spans out of text.
func without(text string, spans [][2]int) string {
	if len(spans) == 0 {
		return text
	}
	var b strings.Builder
	last := 0
	for _, s := range spans {
		b.WriteString(text[last:s[0]])
		b.WriteString(quoteMark)
		last = s[1]
	}
	b.WriteString(text[last:])
	return b.String()
}

// share is how much of text, in runes that are not white space, the spans cover.
func share(text string, spans [][2]int) float64 {
	total, covered, k := 0, 0, 0
	for off, r := range text {
		if unicode.IsSpace(r) {
			continue
		}
		total++
		for k < len(spans) && spans[k][1] <= off {
			k++
		}
		if k < len(spans) && off >= spans[k][0] {
			covered++
		}
	}
	if total == 0 {
		return 0
	}
	return float64(covered) / float64(total)
}
