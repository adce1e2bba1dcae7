package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Span is a piece of a text in bytes.
type Span struct{ Start, End int }

// Sentences splits text at 。！？；… and line breaks, and at . ! ? where white space follows and the word before is no
// abbreviation or initial. A lower-case letter behind it begins a sentence as well, as many type, but not behind an
// ellipsis, a closing quote or a bracket. Closing quotes and brackets stay with their sentence, white
// space around sentences is in none. Spans rise and never overlap; a text without letters may give none.
func Sentences(text string) []Span {
	var out []Span
	start := 0
	cut := func(end int) {
		s := text[start:end]
		lead := len(s) - len(strings.TrimLeftFunc(s, unicode.IsSpace))
		if t := strings.TrimRightFunc(s[lead:], unicode.IsSpace); t != "" {
			out = append(out, Span{start + lead, start + lead + len(t)})
		}
		start = end
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		end := i + size
		switch r {
		case '\n', '\r', '\u2028', '\u2029':
			cut(end)
		case '。', '！', '？', '；', '…', '｡':
			end = closers(text, runOf(text, end, "。！？；…!?｡"))
			cut(end)
		case '.', '!', '?':
			end = closers(text, runOf(text, end, ".!?"))
			if endsSentence(text, start, i, end, r) {
				cut(end)
			}
		}
		i = end
	}
	cut(len(text))
	return out
}

func runOf(text string, i int, set string) int {
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !strings.ContainsRune(set, r) {
			break
		}
		i += size
	}
	return i
}

func closers(text string, i int) int { return runOf(text, i, "\"'”’」』）)]】》〉") }

const abbreviations = " mr mrs ms dr prof sr jr st mt vs etc eg e.g ie i.e cf al inc ltd co corp no nos vol fig approx dept est jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun a.m p.m u.s u.k ph.d " +
	"a.k.a acct addr avg capt chap col ed eds esp excl ext fri ft gen gov hr hrs incl lb lbs lt max min mins misc orig oz pp pt ref refs resp rev sec secs sgt sq temp ver viz "

// only are abbreviations in front of a lower-case word alone: before a capital they are words that end a sentence.
const only = " acct addr avg col ed ext gen hrs lbs max min mins misc orig ref refs rev sec secs temp ver "

// endsSentence decides about a full stop (or ! ?) at i; end is behind it and what closes with it.
func endsSentence(text string, start, i, end int, mark rune) bool {
	if end >= len(text) {
		return true
	}
	next, _ := utf8.DecodeRuneInString(text[end:])
	if isHan(next) {
		return true
	}
	if !unicode.IsSpace(next) {
		return false
	}
	after := strings.TrimLeft(text[end:], " \t")
	if after == "" {
		return true
	}
	first, _ := utf8.DecodeRuneInString(after)
	lower := unicode.IsLower(first)
	if lower && end != i+1 { // "…", "?!", and quotes that a sentence goes on behind
		return false
	}
	if mark != '.' {
		return true
	}
	from := max(start, i-16)
	word := text[from:i]
	if k := strings.LastIndexAny(word, " \t\n(\"'"); k >= 0 {
		word = word[k+1:]
	}
	w := strings.ToLower(word)
	if strings.Contains(abbreviations, " "+w+" ") && w != "no" && (lower || !strings.Contains(only, " "+w+" ")) {
		return false
	}
	if lower {
		return endsLower(word, strings.TrimSpace(text[start:i]) == word)
	}
	return !(len(word) == 1 && unicode.IsUpper(rune(word[0])) && word != "I")
}

// endsLower reports whether a sentence may end with word and the next begin with a lower-case letter: not where its
// letters stand alone ("v. important", "n.b. this"), nor where it is a number that begins the sentence ("1. first").
func endsLower(word string, first bool) bool {
	if !strings.ContainsFunc(word, unicode.IsLetter) {
		return !first && strings.ContainsFunc(word, unicode.IsDigit)
	}
	for part := range strings.SplitSeq(word, ".") {
		if utf8.RuneCountInString(part) > 1 {
			return true
		}
	}
	return false
}
