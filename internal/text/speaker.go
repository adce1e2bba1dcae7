package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSpeaker bounds a name before a colon, in bytes.
const maxSpeaker = 40

// Speaker is the name that a line of a transcript begins with, before a colon: up to three words with capitals, or two
// to six Chinese characters; "" where there is none. A word such as "Note" passes for one.
func Speaker(text string) string {
	head := text[:min(len(text), maxSpeaker)]
	end := strings.IndexAny(head, ":：\n")
	if end <= 0 || head[end] == '\n' {
		return ""
	}
	name := strings.TrimSpace(head[:end])
	rest := text[end+1:]
	if head[end] != ':' {
		rest = text[end+len("："):]
	} else if r, _ := utf8.DecodeRuneInString(rest); !unicode.IsSpace(r) && !isHan(r) { // 10:30, http://
		return ""
	}
	if strings.TrimSpace(rest) == "" {
		return ""
	}
	if han := strings.IndexFunc(name, func(r rune) bool { return !isHan(r) && r != '·' }) < 0; han {
		if n := utf8.RuneCountInString(name); n >= 2 && n <= 6 {
			return name
		}
		return ""
	}
	words := strings.Fields(name)
	if len(words) == 0 || len(words) > 3 {
		return ""
	}
	for _, w := range words {
		first, _ := utf8.DecodeRuneInString(w)
		if !unicode.IsUpper(first) || strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '-' && r != '.' }) {
			return ""
		}
	}
	return name
}

// Names reports whether text names who is called name: by the whole of a Chinese name, or by a word of another that is
// longer than a letter. Case and width do not count.
func Names(text, name string) bool {
	text, name = Fold(text), Fold(name)
	if name == "" {
		return false
	}
	if r, _ := utf8.DecodeRuneInString(name); isHan(r) {
		return strings.Contains(text, name)
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) || isHan(r) })
	for _, n := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		for _, w := range words {
			if w == n && utf8.RuneCountInString(n) > 1 {
				return true
			}
		}
	}
	return false
}
