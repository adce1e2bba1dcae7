package embed

import "unicode/utf8"

const (
	maxWord    = 64 // bytes of a folded word; what is longer is cut into pieces of that size
	maxHanWord = 8  // runes
	maxPieces  = 16 // pieces of an identifier
)

// full is the multiplier of a row that counts as one word.
const full = 256

// scanner cuts one text into rows of the table and sums them. It is a value on the stack: scanning allocates nothing.
type scanner struct {
	t     *tableFile
	sum   sums
	trace func(row, mult int) // told of each row, where it is the rows that are wanted and not their sum
	any   bool
	word  [maxWord]byte // folded
	n     int
	cut   [maxPieces]uint8 // where pieces of the word begin: camelCase, letters beside digits, after an apostrophe
	cuts  int
	last  class // of the word's last rune

	han  [4 * 4 * maxHanWord]byte // a run of Han characters that waits to be cut
	ends [4 * maxHanWord]uint8    // where its runes end
	runs int                      // runes in it
}

func (s *scanner) add(row, mult int) {
	if s.trace != nil {
		s.trace(row, mult)
		return
	}
	s.sum.add(s.t, row, mult)
}

// scan cuts text: runs of Han characters by longest match, other words whole, by their pieces, or by their trigrams.
func (s *scanner) scan(text string) {
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		i += size
		r, c := s.t.rune(r)
		if k := c & classMask; k == classLetter || k == classDigit {
			s.flushHan()
			s.letter(r, c)
			continue
		}
		switch c & classMask {
		case classHan:
			s.flushWord("")
			s.hanRune(r)
		case classDrop:
		case classApostrophe:
			s.flushHan()
			if s.n > 0 && s.n <= maxWord-utf8.UTFMax && s.last&classMask == classLetter && s.letterAt(text, i) {
				s.put('\'')
				s.last = classApostrophe
				continue
			}
			s.flushWord("")
		case classSymbol:
			s.flushHan()
			s.flushWord("")
			s.symbol(r)
		default:
			s.flushHan()
			if s.n > 0 {
				s.flushWord(signs(text[i-size:]))
			}
		}
	}
	s.flushHan()
	s.flushWord("")
	if !s.any { // only punctuation, or nothing: its bytes are what there is, and "" is something too
		copy(s.word[:], text)
		s.gram(hashWord(s.word[:min(len(text), maxWord)]), full)
	}
}

// signs are the signs that may belong to the name before them: C++, C#.
func signs(rest string) string {
	if len(rest) >= 2 && rest[:2] == "++" {
		return rest[:2]
	}
	if len(rest) >= 1 && rest[0] == '#' {
		return rest[:1]
	}
	return ""
}

func (s *scanner) letterAt(text string, i int) bool {
	if i >= len(text) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(text[i:])
	_, c := s.t.rune(r)
	return c&classMask == classLetter
}

// letter adds a letter or digit to the word, and notes where a piece begins.
func (s *scanner) letter(r rune, c class) {
	if s.n > maxWord-utf8.UTFMax {
		s.flushWord("")
	}
	if s.n > 0 {
		switch {
		case s.last&classMask != c&classMask: // utf8, or behind an apostrophe
			s.begin(s.n)
		case c&classUpper != 0 && s.last&classUpper == 0: // camelCase
			s.begin(s.n)
		case c == classLetter && s.last&classUpper != 0 && s.n > 1: // HTTPServer: the S begins a piece
			if at := s.n - 1; s.word[at] < utf8.RuneSelf && (s.cuts == 0 || int(s.cut[s.cuts-1]) != at) {
				s.begin(at)
			}
		}
	}
	s.put(r)
	s.last = c
}

func (s *scanner) begin(at int) {
	if s.cuts < maxPieces {
		s.cut[s.cuts] = uint8(at)
		s.cuts++
	}
}

func (s *scanner) put(r rune) {
	if r < utf8.RuneSelf {
		s.word[s.n] = byte(r)
		s.n++
		return
	}
	s.n += utf8.EncodeRune(s.word[s.n:], r)
}

// flushWord emits the word that is complete: whole where the table has it, else by its pieces.
func (s *scanner) flushWord(signs string) {
	if s.n == 0 {
		return
	}
	w := s.word[:s.n]
	cuts := s.cuts
	s.n, s.cuts, s.any = 0, 0, true
	if signs != "" && len(w)+len(signs) <= maxWord {
		copy(s.word[len(w):], signs)
		if s.known(s.word[:len(w)+len(signs)]) {
			return
		}
	}
	if s.known(w) {
		return
	}
	if cuts == 0 {
		s.unknown(w)
		return
	}
	from := 0
	for k := 0; k <= cuts; k++ {
		to := len(w)
		if k < cuts {
			to = int(s.cut[k])
		}
		p := w[from:to]
		from = to
		if n := len(p); n > 0 && p[n-1] == '\'' {
			p = p[:n-1]
		} else if k > 0 && n <= 2 && w[to-n-1] == '\'' {
			continue // 's, 'll, 'd
		}
		if len(p) > 0 && !s.known(p) {
			s.unknown(p)
		}
	}
}

func (s *scanner) known(w []byte) bool { return s.times(w, full) }

func (s *scanner) times(w []byte, mult int) bool {
	row := s.t.findHash(w, hashWord(w))
	if row < 0 {
		return false
	}
	s.add(row, mult)
	return true
}

// suffixes that a known stem may carry.
var suffixes = [...]string{"s", "es", "ed", "ing", "ly", "er", "d"}

// leastPiece is the fewest bytes of a piece of a compound: shorter ones are found in any word.
const leastPiece = 4

// unknown emits a word that the table lacks: its stem, two words that it is made of, or its trigrams.
func (s *scanner) unknown(w []byte) {
	if len(w) >= leastPiece && w[0] < utf8.RuneSelf && (w[0] < '0' || w[0] > '9') {
		for _, x := range suffixes {
			if n := len(w) - len(x); n >= leastPiece && string(w[n:]) == x && s.known(w[:n]) {
				return
			}
		}
		for n := len(w) - leastPiece; n >= leastPiece; n-- {
			first := s.t.find(w[:n])
			if first < 0 {
				continue
			}
			if second := s.t.find(w[n:]); second >= 0 {
				s.add(first, full*3/4)
				s.add(second, full*3/4)
				return
			}
		}
	}
	s.grams(w)
}

// grams emits the trigrams of a word, in bytes and with marks at both ends; together they count as one word.
func (s *scanner) grams(w []byte) {
	at := func(i int) byte {
		if i < 0 {
			return '^'
		}
		if i >= len(w) {
			return '$'
		}
		return w[i]
	}
	n := max(len(w), 1)
	mult := gramMult[min(n, len(gramMult)-1)]
	for i := -1; i < n-1; i++ {
		h := uint32(fnvOffset)
		for k := range 3 {
			h = (h ^ uint32(at(i+k))) * fnvPrime
		}
		s.gram(mix(h), mult)
	}
}

// gramMult is 256/√n: n trigrams, nearly unrelated to one another, are as long together as one.
var gramMult = [...]int{256, 256, 181, 148, 128, 114, 105, 97, 91, 85, 81, 77, 74, 71, 68, 66, 64}

func (s *scanner) gram(h uint32, mult int) {
	s.add(s.t.words+int(h)&(s.t.grams-1), mult)
}

func (s *scanner) symbol(r rune) {
	var b [utf8.UTFMax]byte
	n := utf8.EncodeRune(b[:], r)
	s.any = true
	if !s.known(b[:n]) {
		s.gram(hashWord(b[:n]), full)
	}
}

// hanRune adds a character to the run; a full run is cut but for its end, which may go on.
func (s *scanner) hanRune(r rune) {
	if s.runs == len(s.ends) {
		s.cutHan(maxHanWord)
	}
	from := 0
	if s.runs > 0 {
		from = int(s.ends[s.runs-1])
	}
	s.ends[s.runs] = uint8(from + utf8.EncodeRune(s.han[from:], r))
	s.runs++
}

func (s *scanner) flushHan() {
	if s.runs > 0 {
		s.cutHan(0)
	}
}

// cutHan emits words from the start of the run until fewer than keep characters are left, at least one.
func (s *scanner) cutHan(keep int) {
	i := 0
	s.any = true
	for i < s.runs && s.runs-i > keep-1 {
		i += s.longest(i)
	}
	from := 0
	if i > 0 {
		from = int(s.ends[i-1])
	}
	copy(s.han[:], s.han[from:s.ends[s.runs-1]])
	for k := i; k < s.runs; k++ {
		s.ends[k-i] = s.ends[k] - uint8(from)
	}
	s.runs -= i
}

// longest emits the longest word of the table that begins at rune i of the run, and returns its length in runes.
func (s *scanner) longest(i int) int {
	from := 0
	if i > 0 {
		from = int(s.ends[i-1])
	}
	most := min(s.t.maxHan, s.runs-i)
	var hashes [maxHanWord]uint32
	h, at := uint32(fnvOffset), from
	for k := range most {
		for end := int(s.ends[i+k]); at < end; at++ {
			h = (h ^ uint32(s.han[at])) * fnvPrime
		}
		hashes[k] = mix(h)
	}
	for k := most - 1; k >= 0; k-- {
		if row := s.t.findHash(s.han[from:s.ends[i+k]], hashes[k]); row >= 0 {
			s.add(row, full)
			return k + 1
		}
	}
	s.gram(hashes[0], full)
	return 1
}
