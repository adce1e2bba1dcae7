package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/longbridgeapp/opencc"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// FoldMatch is the form in which forget and tests match substrings: NFKC (full width becomes half width), then
// Unicode case folding. It knows nothing of languages, so it never merges two Chinese characters.
func FoldMatch(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	s = norm.NFKC.String(strings.ToValidUTF8(s, "\uFFFD"))
	s = strings.Map(cherokee, s)
	return norm.NFKC.String(cases.Fold().String(s))
}

// cherokee mends what x/text v0.44 gets wrong: its Fold swaps the two cases of that script instead of joining them.
// Handing it capitals alone gives small letters always.
func cherokee(r rune) rune {
	switch {
	case r >= 0xAB70 && r <= 0xABBF:
		return r - 0xAB70 + 0x13A0
	case r >= 0x13F8 && r <= 0x13FD:
		return r - 8
	}
	return r
}

// Fold is the form in which words are indexed and compared: [FoldMatch], then traditional to simplified Chinese.
func Fold(s string) string {
	return Simplify(FoldMatch(s))
}

// Simplify turns traditional Chinese characters into simplified ones. A run whose number of characters would
// change is left as it is, so that offsets in characters stay.
func Simplify(s string) string {
	e := eng()
	i := indexTrad(e.trad, s)
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for len(s) > 0 { // run by run: the converter needs neighbours, but only Han ones
		j := strings.IndexFunc(s, isHan)
		if j < 0 {
			break
		}
		b.WriteString(s[:j])
		s = s[j:]
		k := strings.IndexFunc(s, notHan)
		if k < 0 {
			k = len(s)
		}
		b.WriteString(e.simplifyRun(s[:k]))
		s = s[k:]
	}
	b.WriteString(s)
	return b.String()
}

func (e *engine) simplifyRun(run string) string {
	if indexTrad(e.trad, run) < 0 {
		return run
	}
	out, err := e.t2s.Convert(run)
	if err != nil || utf8.RuneCountInString(out) != utf8.RuneCountInString(run) {
		return run
	}
	return out
}

func indexTrad(set *runeSet, s string) int {
	if isASCII(s) {
		return -1
	}
	for i, r := range s {
		if r >= firstTrad && set.has(r) {
			return i
		}
	}
	return -1
}

// runeSet is a bit set over the Han blocks of the basic plane.
type runeSet [(0xA000 - firstTrad) / 64]uint64

const firstTrad = 0x3400

func (s *runeSet) has(r rune) bool {
	if r < firstTrad || r >= 0xA000 {
		return r > 0xFFFF && unicode.Is(unicode.Han, r) // beyond the plane: ask the converter
	}
	r -= firstTrad
	return s[r>>6]&(1<<(r&63)) != 0
}

// traditional asks the converter once for every character, which takes 15 ms: most texts are simplified, and the
// converter does 1.2 MB/s.
func traditional(c *opencc.OpenCC) *runeSet {
	s := new(runeSet)
	for r := rune(firstTrad); r < 0xA000; r++ {
		if out, err := c.Convert(string(r)); err == nil && out != string(r) {
			s[(r-firstTrad)>>6] |= 1 << ((r - firstTrad) & 63)
		}
	}
	return s
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isHan reports whether r is a Chinese character (or 〇, 々).
func isHan(r rune) bool {
	switch {
	case r < 0x3005:
		return false
	case r >= 0x4E00 && r <= 0x9FFF, r >= 0x3400 && r <= 0x4DBF, r == 0x3005, r == 0x3007:
		return true
	case r >= 0xF900 && r <= 0xFAFF, r >= 0x20000 && r <= 0x3FFFF:
		return unicode.Is(unicode.Han, r)
	}
	return false
}

func notHan(r rune) bool { return !isHan(r) }
