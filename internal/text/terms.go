package text

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
)

// Term is one entry of a text's index: what is matched, and how often it occurs. Parts of a word or span count
// half, so that the whole outweighs them.
type Term struct {
	Text  string
	Index uint32 // TermIndex(Text)
	TF    float32
}

const partWeight = 0.5

// TermIndex is the dimension of a term in the sparse vector: FNV-1a of its bytes, 32 bits, finally mixed (murmur3's
// finaliser), which spreads short terms evenly.
func TermIndex(term string) uint32 {
	h := uint32(2166136261)
	for i := 0; i < len(term); i++ {
		h = (h ^ uint32(term[i])) * 16777619
	}
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	return h ^ h>>16
}

// Terms lists what a text is indexed by, in order of first occurrence: its words (English stemmed, Chinese cut and,
// beyond two characters, its shorter dictionary words too), spans as a whole and in parts, dates in one form for
// both languages. Function words are left out. Documents and queries go through the same function.
func Terms(text string) []Term { return Analyze(text).Terms() }

// termSet collects terms in order.
type termSet struct {
	d    *Doc
	e    *engine
	at   map[string]int
	list []Term
}

func (t *termSet) add(w string, tf float32) {
	if len(w) > maxTerm {
		n := maxTerm
		for n > 0 && !utf8.RuneStart(w[n]) {
			n--
		}
		w = w[:n]
	}
	if w == "" {
		return
	}
	if i, ok := t.at[w]; ok {
		t.list[i].TF += tf
		return
	}
	t.at[w] = len(t.list)
	t.list = append(t.list, Term{Text: w, Index: TermIndex(w), TF: tf})
}

// Terms is [Terms] of the analysed text.
func (d *Doc) Terms() []Term {
	t := &termSet{d: d, e: d.e, at: make(map[string]int, len(d.Tokens)/2+8)}
	t.tokens(d.Tokens)
	var buf []Token
	for rest := d.rest; rest != ""; {
		n := window(rest)
		buf = segment(buf, rest[:n])
		t.tokens(buf)
		rest = rest[n:]
	}
	return t.list
}

func (t *termSet) tokens(toks []Token) {
	for i := 0; i < len(toks); i++ {
		tok := &toks[i]
		switch {
		case tok.Kind == KindOther:
		case tok.Han:
			i = t.han(toks, i)
		case tok.Kind == KindWord:
			t.word(tok.Norm, 1)
		default:
			t.span(tok)
		}
	}
}

// word indexes a word that is not Chinese.
func (t *termSet) word(w string, tf float32) {
	if w == "" || t.e.stop[w] {
		return
	}
	if isASCII(w) {
		if strings.IndexByte(w, '-') > 0 {
			t.add(w, tf)
			for p := range strings.SplitSeq(w, "-") {
				if len(p) > 1 {
					t.word(p, tf*partWeight)
				}
			}
			return
		}
		t.add(t.d.stem(w), tf)
		return
	}
	if scriptWithoutSpaces(w) {
		t.bigrams(w, tf)
		return
	}
	t.add(w, tf)
}

// han indexes the Chinese word at i, and, where single characters that are in no word follow one another (names,
// jargon), the pairs of that run. It returns the last token it has read.
func (t *termSet) han(toks []Token, i int) int {
	w := toks[i].Norm
	n := runeLen(w)
	if n == 1 {
		j, run, end := i, "", toks[i].Start
		for j < len(toks) && toks[j].Han && toks[j].Start == end && runeLen(toks[j].Norm) == 1 && !t.e.stop[toks[j].Norm] {
			run += toks[j].Norm
			t.add(toks[j].Norm, 1)
			end = toks[j].End
			j++
		}
		if j-i > 1 {
			t.bigrams(run, partWeight)
		}
		return max(j-1, i)
	}
	if t.e.stop[w] {
		return i
	}
	t.add(w, 1)
	if n == 2 {
		return i
	}
	known := t.e.lex.word(w) != nil && !strings.HasPrefix(toks[i].Tag, "nr") // of names people use the given part
	rs := []rune(w)
	for size := 2; size <= 3 && size < n; size++ { // as jieba's search mode does
		for k := 0; k+size <= n; k++ {
			sub := string(rs[k : k+size])
			if t.e.lex.word(sub) != nil && !t.e.stop[sub] || !known && size == 2 {
				t.add(sub, partWeight)
			}
		}
	}
	return i
}

// bigrams indexes the pairs of characters of a run that has no visible words; a single character as itself.
func (t *termSet) bigrams(run string, tf float32) {
	prev, prevLen := -1, 0
	n := 0
	for i, r := range run {
		if prev >= 0 {
			t.add(run[prev:i+utf8.RuneLen(r)], tf)
		}
		prev, prevLen = i, utf8.RuneLen(r)
		n++
	}
	if n == 1 {
		t.add(run[prev:prev+prevLen], tf)
	}
}

// scriptWithoutSpaces reports text in a script that is written without spaces, other than Chinese.
func scriptWithoutSpaces(w string) bool {
	r, _ := utf8.DecodeRuneInString(w)
	return unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Hangul)
}

// span indexes a protected span or number: whole, then in parts.
func (t *termSet) span(tok *Token) {
	whole := tok.Norm
	switch tok.Kind {
	case KindDate:
		t.add(whole, 1)
		d := parseDate(tok.Text)
		if d.y > 0 && d.m > 0 {
			if d.d > 0 {
				t.add(canonicalDate(itoa(d.y)+"-"+itoa(d.m)), partWeight)
				t.add("--"+whole[5:], partWeight)
			}
			t.add(itoa(d.y), partWeight)
		}
		if d.m > 0 && d.d > 0 {
			t.add("--"+pad2(d.m), partWeight)
		}
		return
	case KindNumber, KindTime, KindPhone, KindVersion:
		t.add(whole, 1)
		if v := strings.TrimPrefix(whole, "v"); tok.Kind == KindVersion && v != whole {
			t.add(v, partWeight)
		}
		return
	case KindQuantity:
		t.add(whole, 1)
		if i := strings.IndexFunc(whole, unicode.IsDigit); i >= 0 {
			t.add(whole[i:i+matchNumber(whole[i:])], partWeight)
		}
		return
	case KindURL:
		whole = strings.TrimSuffix(whole, "/")
	}
	t.add(whole, 1)
	if tok.Kind == KindHost {
		if host, port, ok := strings.Cut(whole, ":"); ok {
			t.add(host, partWeight)
			t.add(port, partWeight)
		}
		return
	}
	if tok.Kind == KindPath {
		if rel, ok := strings.CutPrefix(whole, "./"); ok {
			t.add(rel, partWeight)
		}
		if i := strings.LastIndexAny(strings.TrimRight(whole, `/\`), `/\`); i >= 0 {
			t.add(strings.TrimRight(whole, `/\`)[i+1:], partWeight) // the file's name is what people ask for
		}
	}
	t.parts(tok)
}

// parts indexes the pieces between the punctuation and the humps of a span.
func (t *termSet) parts(tok *Token) {
	s := tok.Text
	start := -1
	flush := func(end int) {
		if start >= 0 {
			p := s[start:end]
			start = -1
			r, _ := utf8.DecodeRuneInString(p)
			if isHan(r) {
				t.bigrams(Fold(p), partWeight)
			} else if f := FoldMatch(p); len(f) > 1 && f != tok.Norm && f != "www" && f != "http" && f != "https" && f != "com" {
				t.word(f, partWeight)
			}
		}
	}
	var prev rune
	for i, r := range s {
		if !isWordRune(r) {
			flush(i)
		} else {
			if start >= 0 && (unicode.IsUpper(r) && unicode.IsLower(prev) || isHan(r) != isHan(prev) || tok.Kind == KindIdent && unicode.IsDigit(r) && i-start > 2 && strings.IndexFunc(s[start:i], unicode.IsDigit) < 0) {
				flush(i)
			}
			if start < 0 {
				start = i
			}
		}
		prev = r
	}
	flush(len(s))
}

func pad2(n int) string {
	if n < 10 {
		return "0" + itoa(n)
	}
	return itoa(n)
}

// stemEnglish is the Snowball (Porter 2) stem of a folded word.
func stemEnglish(w string) string {
	if len(w) < 3 || len(w) > 40 || !isASCII(w) {
		return w
	}
	return english.Stem(w, true)
}

// Parameters of BM25 (Robertson & Zaragoza 2009, eq. 3.15). The average length is a constant because points are
// written before anybody knows the collection: a turn with what its tools returned has about that many.
const (
	bm25K1  = 1.2
	bm25B   = 0.75
	bm25Avg = 100 // sum of term frequencies
)

// saturation is BM25's weight of a term that occurs tf times in a text of the given length.
func saturation(tf, length float64) float64 {
	return tf * (bm25K1 + 1) / (tf + bm25K1*(1-bm25B+bm25B*length/bm25Avg))
}

// idf is the built-in inverse document frequency of a term: from the tables, else by a rule, on the scale of idf.utf8 (mean 11.7, frequent words 3 to 6).
func (e *engine) idf(term string) float64 {
	if v, ok := e.lex.idf(term); ok {
		return math.Min(math.Max(v, 1), 12)
	}
	if v, ok := e.common[term]; ok {
		return v
	}
	r, _ := utf8.DecodeRuneInString(term)
	switch {
	case isHan(r):
		if runeLen(term) == 1 {
			return 5
		}
		return 9.5
	case unicode.IsDigit(r) && len(term) < 3:
		return 5
	case len(term) < 3:
		return 6
	}
	return 7 + math.Min(float64(len(term)-3), 6)*0.4 // rarer with length, by Zipf's law of abbreviation
}
