package scour

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// MinString is the least length in bytes of a string that may be looked for: of shorter ones some form stands everywhere.
const MinString = 6

// needle is one form of a string.
type needle struct {
	text   string
	form   string
	number int // of the string
}

// leastForm is the least length of a form; what is shorter would be found by chance.
const leastForm = 6

// forms are the ways in which a string may be written.
func forms(s string, number int) []needle {
	var out []needle
	seen := map[string]bool{}
	add := func(form, text string) {
		if len(text) >= leastForm && !seen[text] {
			seen[text] = true
			out = append(out, needle{text, form, number})
		}
	}
	add("utf-8", s)
	add("lower case", strings.ToLower(s))
	add("json", escaped(s))
	add("token", schema.Token(s))
	var le, be []byte
	for _, u := range utf16.Encode([]rune(s)) {
		le, be = binary.LittleEndian.AppendUint16(le, u), binary.BigEndian.AppendUint16(be, u)
	}
	add("utf-16le", string(le))
	add("utf-16be", string(be))
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			add("base64", inBase64(enc, s, before))
		}
	}
	return out
}

// escaped is s as JSON may write it in ASCII alone.
func escaped(s string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		if u < 0x80 {
			b.WriteByte(byte(u))
			continue
		}
		fmt.Fprintf(&b, "\\u%04x", u)
	}
	return b.String()
}

// inBase64 is that part of the base64 of s, with so many bytes before it, which no other byte has a part in.
func inBase64(enc *base64.Encoding, s string, before int) string {
	e := enc.EncodeToString(append(make([]byte, before), s...))
	from := []int{0, 2, 3}[before]
	to := (before + len(s)) * 8 / 6 // whole sextets
	if from >= to {
		return ""
	}
	return e[from:to]
}
