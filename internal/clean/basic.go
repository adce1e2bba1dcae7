package clean

import (
	"strings"
	"unicode/utf8"
)

// Text is the basic cleaning that every text gets, whoever said it, secrets masked: for explicit memories and
// pins, which have no segments. It is what a segment of class user would be.
func Text(s string) string { return maskSecrets(basic(legible(s), false)) }

// basic is trim, control characters, think blocks, injected memory blocks and data blobs, on text that legible has
// been over. tool adds what only a tool's output has: a whole page of markup, and comments that no reader sees.
func basic(s string, tool bool) string {
	s = plain(terminal(s, false))
	if tool {
		if isHTMLDocument(s) {
			s = plain(visible(s)) // entities may stand for anything
		} else {
			s = withoutComments(s)
		}
	}
	// What is taken out may bring a new tag to the start of a line; a few rounds see to that. More than maxRounds
	// takes text made for it.
	s = tidy(s)
	for range maxRounds {
		next := tidy(dropBlobs(withoutBlocks(s)))
		if next == s {
			break
		}
		s = next
	}
	return s
}

const maxRounds = 6

// legible makes s valid UTF-8 and takes away NUL and everything invisible but what a terminal acts on (escape,
// carriage return, backspace, bell). Line and paragraph separators become line feeds.
func legible(s string) string { return filter(s, true) }

// plain takes the terminal's characters away too.
func plain(s string) string { return filter(s, false) }

func filter(s string, term bool) string {
	i := firstIllegible(s, term)
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i >= 0 {
		b.WriteString(s[:i])
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			for i+size < len(s) {
				if r, n := utf8.DecodeRuneInString(s[i+size:]); r != utf8.RuneError || n != 1 {
					break
				}
				size++
			}
			b.WriteRune(utf8.RuneError)
		case r == '\r' && i+1 < len(s) && s[i+1] == '\n':
		case r == '\r', r == '\v', r == '\f', r == 0x85, r == 0x2028, r == 0x2029:
			b.WriteByte('\n')
		}
		s = s[i+size:]
		i = firstIllegible(s, term)
	}
	b.WriteString(s)
	return b.String()
}

// asciiKept tells, for each ASCII byte, whether it stays: 1 always, 2 with a terminal's characters only.
var asciiKept = func() (t [128]uint8) {
	for c := range t {
		if c >= 0x20 && c != 0x7f || c == '\n' || c == '\t' {
			t[c] = 1
		}
	}
	t[0x1b], t['\r'], t['\b'], t['\a'] = 2, 2, 2, 2
	return t
}()

func firstIllegible(s string, term bool) int {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if k := asciiKept[c]; k == 0 || k == 2 && !term {
				return i
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || invisible(r, term) {
			return i
		}
		i += size
	}
	return -1
}

// invisible tells the characters beyond ASCII that show nothing: C1 controls, format characters (zero-width,
// bidirectional, joiners), fillers, variation selectors and tags. Text can be smuggled in them past a reader.
func invisible(r rune, term bool) bool {
	switch {
	case r < 0xa0:
		return !term || r != 0x9b && r != 0x9d && r != 0x9c
	case r < 0x34f:
		return r == 0xad
	case r < 0x2000:
		return r == 0x34f || r == 0x61c || r == 0x115f || r == 0x1160 || r == 0x17b4 || r == 0x17b5 || r >= 0x180b && r <= 0x180f
	case r < 0x3000:
		return r >= 0x200b && r <= 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2060 && r <= 0x206f
	case r < 0xfe00:
		return r == 0x3164
	case r < 0x10000:
		return r <= 0xfe0f || r == 0xfeff || r == 0xffa0 || r >= 0xfff0 && r <= 0xfffb || r >= 0xfffe
	}
	return r >= 0x1bca0 && r <= 0x1bca3 || r >= 0x1d173 && r <= 0x1d17a || r >= 0xe0000 && r <= 0xe0fff
}
