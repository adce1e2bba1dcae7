package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind says what a token is.
type Kind uint8

// Kinds of tokens. From KindURL on they are protected spans: found before cutting, and kept whole.
const (
	KindOther    Kind = iota // white space, punctuation, symbols
	KindWord                 // a word of any language
	KindNumber               // 42, 3.14, 1,000
	KindURL                  // with scheme, www., or a bare domain
	KindEmail                //
	KindPath                 // a Unix or Windows path, or a file name with a known extension
	KindVersion              // v1.2.3, 1.22.0-rc1
	KindIdent                // snake_case, camelCase, kebab-case with digits, C++, k8s, --flag
	KindQuantity             // a number with a unit or a currency: 16GB, 42%, ¥199, 3.5亿
	KindDate                 // 2026-11-30, 11月30日, Nov 30
	KindTime                 // 10:30, 3点半, 10:30pm
	KindPhone                //
	KindHost                 // 127.0.0.1, localhost:8317
)

var kindNames = [...]string{"other", "word", "number", "url", "email", "path", "version", "identifier", "quantity", "date", "time", "phone", "host"}

// String is the kind's name.
func (k Kind) String() string { return kindNames[k] }

// Protected reports whether tokens of the kind are kept whole.
func (k Kind) Protected() bool { return k >= KindURL }

// Token is a piece of a text. Tokens follow one another without gaps, so that joining their texts gives the
// sanitised text back.
type Token struct {
	Start, End int    // bytes in Sanitize(text)
	Text       string // Sanitize(text)[Start:End]
	Norm       string // folded: see [Fold]; of dates and the like see canonical; "" for KindOther
	Kind       Kind
	Han        bool   // a Chinese word
	Tag        string // part of speech of a Chinese word in jieba's dictionary, "" where unknown
}

// Segment cuts text into tokens. Protected spans are found first, Chinese runs are cut by the dictionary (after
// turning traditional characters into simplified ones), everything else at white space and punctuation.
func Segment(text string) []Token { return segment(nil, text) }

// segment is Segment into a slice that may be used again.
func segment(into []Token, text string) []Token {
	s := Sanitize(text)
	e := eng()
	if hasWide(s) {
		n, off := narrow(s)
		toks := e.scan(into, n)
		for i := range toks {
			t := &toks[i]
			t.Start, t.End = int(off[t.Start]), int(off[t.End])
			t.Text = s[t.Start:t.End]
		}
		return toks
	}
	return e.scan(into, s)
}

// hasWide reports full-width letters or digits, which are rare: only then an offset map is worth its cost.
func hasWide(s string) bool {
	for i := 0; i+2 < len(s); i++ {
		if s[i] == 0xEF && (s[i+1] == 0xBC || s[i+1] == 0xBD) {
			if r, _ := utf8.DecodeRuneInString(s[i:]); narrowRune(r) != r {
				return true
			}
		}
	}
	return false
}

// narrowRune maps full-width letters, digits and the symbols inside e-mails, paths and versions to ASCII.
// Punctuation that ends or joins Chinese clauses stays.
func narrowRune(r rune) rune {
	switch {
	case r >= '０' && r <= '９', r >= 'Ａ' && r <= 'Ｚ', r >= 'ａ' && r <= 'ｚ':
		return r - 0xFEE0
	case r == '．' || r == '／' || r == '＠' || r == '＿' || r == '－' || r == '＋' || r == '＃' || r == '％' || r == '＼':
		return r - 0xFEE0
	}
	return r
}

func narrow(s string) (string, []int32) {
	b := make([]byte, 0, len(s))
	off := make([]int32, 0, len(s)+1)
	for i, r := range s {
		n := len(b)
		b = utf8.AppendRune(b, narrowRune(r))
		for k := n; k < len(b); k++ {
			off = append(off, int32(i+k-n))
		}
	}
	return string(b), append(off, int32(len(s)))
}

// scanner walks once over a text.
type scanner struct {
	e        *engine
	s        string
	toks     []Token
	other    int // start of the pending run of KindOther, -1 for none
	chunkEnd int // end of the run without spaces or Han that the position is in
	flags    chunkFlags
	noPath   int // up to here no relative path begins
}

func (e *engine) scan(into []Token, s string) []Token {
	if cap(into) == 0 {
		into = make([]Token, 0, len(s)/4+4)
	}
	sc := &scanner{e: e, s: s, other: -1, toks: into[:0]}
	i := 0
	for i < len(s) {
		c := s[i]
		if c < utf8.RuneSelf && asciiClass[c] == classSpace {
			sc.pend(i)
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			switch {
			case isHan(r):
				i = sc.han(i)
				continue
			case r == '￥' || r == '¥' || r == '€' || r == '£':
				if end := money(s, i, size); end > i {
					sc.emit(i, end, KindQuantity)
					i = end
					continue
				}
				fallthrough
			default:
				if !isWordRune(r) {
					sc.pend(i)
					i += size
					continue
				}
			}
		}
		if i >= sc.chunkEnd {
			sc.chunk(i)
		}
		if end, kind := sc.protect(i); end > i {
			sc.emit(i, end, kind)
			i = end
			continue
		}
		if end := sc.word(i); end > i {
			sc.emit(i, end, KindWord)
			i = end
			continue
		}
		sc.pend(i)
		i++
	}
	sc.flush(len(s))
	return sc.toks
}

// pend adds the character at i to the run of other characters.
func (sc *scanner) pend(i int) {
	if sc.other < 0 {
		sc.other = i
	}
}

func (sc *scanner) flush(end int) {
	if sc.other >= 0 && sc.other < end {
		sc.toks = append(sc.toks, Token{Start: sc.other, End: end, Text: sc.s[sc.other:end]})
	}
	sc.other = -1
}

func (sc *scanner) emit(start, end int, kind Kind) {
	sc.flush(start)
	t := Token{Start: start, End: end, Text: sc.s[start:end], Kind: kind}
	t.Norm = canonical(kind, t.Text)
	sc.toks = append(sc.toks, t)
}

// han cuts the run of Chinese characters at i and returns its end.
func (sc *scanner) han(i int) int {
	s := sc.s
	end := i
	for end < len(s) {
		r, size := utf8.DecodeRuneInString(s[end:])
		if !isHan(r) {
			break
		}
		end += size
	}
	sc.flush(i)
	for at := i; at < end; {
		piece := s[at : at+cutRun(s[at:end])]
		sc.cutHan(at, piece)
		at += len(piece)
	}
	return end
}

func (sc *scanner) cutHan(at int, piece string) {
	simple := sc.e.simplifyRun(piece)
	var back []int // byte offset in simple → in piece; nil where they are the same
	if len(simple) != len(piece) {
		back = make([]int, len(simple)+1)
		p := 0
		for k := range simple {
			back[k] = p
			_, size := utf8.DecodeRuneInString(piece[p:])
			p += size
		}
		back[len(simple)] = len(piece)
	}
	sc.e.cut.cut(simple, func(a, b int) {
		w := simple[a:b]
		if back != nil {
			a, b = back[a], back[b]
		}
		sc.toks = append(sc.toks, Token{
			Start: at + a, End: at + b, Text: piece[a:b], Norm: w, Kind: KindWord, Han: true, Tag: sc.e.lex.tag(w),
		})
	})
}

// word returns the end of the word at i: letters, digits and marks of any script but Han, with apostrophes and
// single hyphens inside. i where no word begins.
func (sc *scanner) word(i int) int {
	s, end := sc.s, i
	for end < len(s) && end-i < maxRun {
		c := s[end]
		if c < utf8.RuneSelf {
			cl := asciiClass[c]
			if cl == classLetter || cl == classDigit || c == '_' {
				end++
				continue
			}
			if c == '\'' && end > i && end+1 < len(s) && isLetter(s[end+1]) {
				end++
				continue
			}
			break
		}
		r, size := utf8.DecodeRuneInString(s[end:])
		if r == '’' && end > i && end+size < len(s) && isLetter(s[end+size]) {
			end += size
			continue
		}
		if isHan(r) || !isWordRune(r) && !(end > i && unicode.Is(unicode.Mn, r)) {
			break
		}
		end += size
	}
	if end > i && strings.Trim(s[i:end], "_") == "" {
		return i
	}
	return end
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		c := asciiClass[r]
		return c == classLetter || c == classDigit
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// Classes of ASCII characters.
const (
	classOther = iota
	classSpace
	classLetter
	classDigit
)

var asciiClass = func() (t [128]uint8) {
	for c := range t {
		switch {
		case c <= ' ' || c == 127:
			t[c] = classSpace
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			t[c] = classLetter
		case c >= '0' && c <= '9':
			t[c] = classDigit
		}
	}
	return t
}()

func isLetter(c byte) bool { return c < utf8.RuneSelf && asciiClass[c] == classLetter }
func isDigit(c byte) bool  { return c < utf8.RuneSelf && asciiClass[c] == classDigit }
func isAlnum(c byte) bool  { return c < utf8.RuneSelf && asciiClass[c] >= classLetter }

// canonical is the folded form of a token, in which equal things look equal: thousands separators, time zones' case
// and phone punctuation go, and full dates of both languages become ISO dates.
func canonical(kind Kind, s string) string {
	switch kind {
	case KindDate:
		if d := canonicalDate(s); d != "" {
			return d
		}
	case KindPhone:
		return strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' || r == '+' {
				return r
			}
			return -1
		}, s)
	case KindNumber, KindQuantity:
		return strings.ReplaceAll(FoldMatch(s), ",", "")
	case KindWord:
		if isASCII(s) {
			return possessive(strings.ToLower(s))
		}
		return possessive(Fold(strings.ReplaceAll(s, "’", "'")))
	case KindOther:
		return ""
	}
	return FoldMatch(s)
}

// possessive drops a possessive ending.
func possessive(w string) string {
	if strings.HasSuffix(w, "'s") && len(w) > 3 {
		return w[:len(w)-2]
	}
	return w
}
