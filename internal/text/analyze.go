package text

import "strings"

// Doc is an analysed text: cut once, read many times. It is immutable and safe for concurrent use.
type Doc struct {
	Text   string            // Sanitize of what was given
	Tokens []Token           // of the first 256 KiB of Text; Terms alone reads on
	rest   string            // Text behind the tokens
	body   int               // bytes of the "[source: tool] " mark at the beginning: indexed, but neither keyword nor summary
	stems  map[string]string // of the English words; stemming costs as much as all the rest
	e      *engine
}

// Analyze cuts text. It blocks for the dictionaries where [Open] was not called before; beyond that it only computes.
func Analyze(text string) *Doc {
	s := Sanitize(text)
	n := window(s)
	d := &Doc{Text: s, Tokens: Segment(s[:n]), rest: s[n:], stems: map[string]string{}, e: eng()}
	for i := range d.Tokens {
		t := &d.Tokens[i]
		if t.Kind != KindWord || t.Han || d.e.stop[t.Norm] {
			continue
		}
		if _, ok := d.stems[t.Norm]; !ok {
			d.stems[t.Norm] = stemEnglish(t.Norm)
		}
	}
	if strings.HasPrefix(s, "[source: ") {
		if i := strings.Index(s, "] "); i >= 0 && i < 300 {
			d.body = i + 2
		}
	}
	return d
}

// maxWindow bounds how much text is held as tokens, which take up to 150 bytes for one of text.
const maxWindow = 256 << 10

// window is the length of the beginning of s to cut in one go: up to a white space where there is one near.
func window(s string) int {
	if len(s) <= maxWindow {
		return len(s)
	}
	n := runeFloor(s, maxWindow)
	if k := strings.LastIndexAny(s[n-4<<10:n], " \n\t"); k >= 0 {
		return n - 4<<10 + k + 1
	}
	return n
}

// bodyTokens are the tokens behind the source mark.
func (d *Doc) bodyTokens() []Token {
	for i := range d.Tokens {
		if d.Tokens[i].Start >= d.body {
			return d.Tokens[i:]
		}
	}
	return nil
}

// stem is stemEnglish, remembered for the words of the text.
func (d *Doc) stem(w string) string {
	if s, ok := d.stems[w]; ok {
		return s
	}
	return stemEnglish(w)
}
