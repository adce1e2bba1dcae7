package render

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// newline is what stands for a line break inside a memory.
const newline = " ⏎ "

// Text makes a memory's content safe to stand on one line of a block, changing no more than that needs:
//
//   - line breaks become " ⏎ ", other control characters and white space a space, in runs one;
//   - invisible characters (zero-width, bidirectional, tags, variation selectors but FE0E and FE0F behind a sign, other
//     default-ignorable ones) go;
//   - "<" that could open a tag or a special token, in any width, becomes "&lt;", and the ">" behind it "&gt;";
//   - a heading of ours in 【】 stands in 〔〕, "[INST]" and its like in parentheses, three backticks become quotes;
//   - a line that begins with a role such as "system:" has the role in quotation marks.
//
// A text over max runes is cut there and ends in "…"; max 0 means no limit. The result is valid UTF-8, without
// white space at its ends, and Text of it is it again where it was not cut.
func Text(s string, max int) string {
	s = oneLine(visible(s))
	s = roles(s)
	s = tags(s)
	s = brackets(s)
	s = strings.ReplaceAll(s, "```", "'''")
	return cut(strings.TrimSpace(s), max)
}

// visible drops what cannot be seen and turns white space into spaces and line feeds.
func visible(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	before := rune(0) // the last one that was kept
	keep := func(r rune) rune { before = r; return r }
	return strings.Map(func(r rune) rune {
		switch {
		case r >= '!' && r <= '~', r >= 0x4E00 && r <= 0x9FFF: // most of what there is: nothing below is one of them
			return keep(r)
		case r == '\n' || r == '\r' || r == '\v' || r == '\f' || r == 0x85 || r == 0x2028 || r == 0x2029:
			return keep('\n')
		case (r == 0xFE0E || r == 0xFE0F) && pictures(before):
			return r
		case unicode.IsSpace(r) || unicode.Is(unicode.Zs, r):
			return keep(' ')
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r),
			unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r), r >= 0xE0000 && r <= 0xE0FFF:
			return -1
		}
		return keep(r)
	}, s)
}

// pictures reports whether a variation selector may stand behind r: it makes a picture of a sign or a digit. Behind
// anything else it is there to make a word look like another to us, and not to a reader.
func pictures(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= '0' && r <= '9' || r == '#' || r == '*'
	}
	return plain(r) == r && !unicode.IsLetter(r) && !unicode.In(r, unicode.M, unicode.Ps, unicode.Pe, unicode.Pi, unicode.Pf)
}

// oneLine joins the non-empty lines of s.
func oneLine(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for line := range strings.SplitSeq(s, "\n") {
		fields := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' })
		if len(fields) == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(newline)
		}
		b.WriteString(strings.Join(fields, " "))
	}
	return b.String()
}

// names are the roles that a text may not take at the beginning of a line.
var names = []string{"system", "developer", "assistant", "系统", "开发者"}

// maxName is no less than the bytes of any of them.
const maxName = 16

func roles(s string) string {
	parts := strings.Split(s, newline)
	for i, p := range parts {
		lower := strings.ToLower(p[:min(len(p), maxName)])
		for _, n := range names {
			if !strings.HasPrefix(lower, n) {
				continue
			}
			rest := strings.TrimLeft(p[len(n):], " ")
			if strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "：") {
				parts[i] = `"` + p[:len(n)] + `"` + p[len(n):]
			}
		}
	}
	return strings.Join(parts, newline)
}

// plain is the compatibility form of one rune where that is one ASCII character, else the rune.
func plain(r rune) rune {
	if r < utf8.RuneSelf {
		return r
	}
	if f := norm.NFKC.String(string(r)); len(f) == 1 {
		return rune(f[0])
	}
	return r
}

// lessThan is "<" in every width: what [plain] makes "<" of.
const lessThan = "<\uFE64\uFF1C"

// tags escapes "<" where a tag or a special token could begin, and the next ">" after it.
func tags(s string) string {
	if !strings.ContainsAny(s, lessThan) {
		return s
	}
	rs := []rune(s)
	var b strings.Builder
	b.Grow(len(s))
	open := false
	for i, r := range rs {
		switch p := plain(r); {
		case p == '<' && opens(rs[i+1:]):
			b.WriteString("&lt;")
			open = true
		case p == '>' && open:
			b.WriteString("&gt;")
			open = false
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// attached reports whether r is no character of its own: a variation selector or a combining mark.
func attached(r rune) bool { return r == 0xFE0E || r == 0xFE0F || unicode.Is(unicode.Mn, r) }

// opens reports whether what follows a "<" makes it dangerous: a name, "/", "!", "?", "|", or our own name after
// spaces. "a < b", "x<5" and "<-" are left alone.
func opens(rest []rune) bool {
	j, spaces := 0, 0
	for j < len(rest) && (rest[j] == ' ' || attached(rest[j])) {
		if rest[j] == ' ' {
			spaces++
		}
		j++
	}
	if j == len(rest) {
		return false
	}
	p := plain(rest[j])
	switch {
	case p == '/' || p == '!' || p == '?' || p == '|' || p == '_':
		return true
	case !unicode.IsLetter(p):
		return false
	case spaces == 0:
		return true
	}
	word := make([]rune, 0, len(Name))
	for _, r := range rest[j:min(len(rest), j+len(Name))] {
		if !attached(r) {
			word = append(word, unicode.ToLower(plain(r)))
		}
	}
	w := string(word)
	if strings.HasPrefix(w, "memory") {
		return true
	}
	for _, n := range names {
		if strings.HasPrefix(w, n) {
			return true
		}
	}
	return false
}

// inst are the bracketed tokens that some models read as roles.
var inst = []string{"INST", "/INST", "SYS", "/SYS", "SYSTEM", "/SYSTEM"}

// brackets turns 【heading of ours】 into 〔heading of ours〕 and [INST] into (INST).
func brackets(s string) string {
	if !strings.ContainsAny(s, "【[［") {
		return s
	}
	rs := []rune(s)
	for i, r := range rs {
		var shut rune
		switch r {
		case '【':
			shut = '】'
		case '[':
			shut = ']'
		case '［':
			shut = '］'
		default:
			continue
		}
		for j := i + 1; j < len(rs) && j-i <= 40; j++ {
			if rs[j] != shut {
				continue
			}
			inner := folded(string(rs[i+1 : j]))
			switch {
			case r == '【' && isHeading(inner):
				rs[i], rs[j] = '〔', '〕'
			case r != '【' && isInst(inner):
				rs[i], rs[j] = '(', ')'
			}
			break
		}
	}
	return string(rs)
}

func folded(s string) string {
	return strings.ToLower(strings.ReplaceAll(norm.NFKC.String(s), " ", ""))
}

func isHeading(inner string) bool {
	for _, w := range languages {
		for _, h := range w.headings {
			if inner == folded(strings.Trim(h, "【】")) {
				return true
			}
		}
	}
	return false
}

func isInst(inner string) bool {
	for _, t := range inst {
		if strings.EqualFold(inner, t) {
			return true
		}
	}
	return false
}

// cut shortens s to max runes, the last of them "…".
func cut(s string, max int) string {
	if max <= 0 || utf8.RuneCountInString(s) <= max {
		return s
	}
	n := 0
	for i := range s {
		if n++; n == max {
			return strings.TrimRight(s[:i], " ") + "…"
		}
	}
	return s
}
