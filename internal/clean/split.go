package clean

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxPiece is the length of a segment in runes, the source mark of a tool not counted.
const maxPiece = 1800

// split cuts text into pieces of at most limit runes, each at the best place in its second half: between
// paragraphs, else lines, else sentences (of either language), else words, else anywhere between two runes.
// Pieces are trimmed; none is empty.
func split(text string, limit int) []string {
	var pieces []string
	for {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		end := runeOffset(text, limit)
		if end == len(text) {
			if text = strings.TrimRightFunc(text, unicode.IsSpace); text != "" {
				pieces = append(pieces, text)
			}
			return pieces
		}
		cut := cutPlace(text[:end])
		if p := strings.TrimRightFunc(text[:cut], unicode.IsSpace); p != "" {
			pieces = append(pieces, p)
		}
		text = text[cut:]
	}
}

func cutPlace(s string) int {
	half := len(s) / 2
	if i := strings.LastIndex(s, "\n\n"); i >= half {
		return i
	}
	if i := strings.LastIndexByte(s, '\n'); i >= half {
		return i
	}
	word := -1
	for i := len(s); i > half; {
		r, size := utf8.DecodeLastRuneInString(s[:i])
		switch {
		case strings.ContainsRune("。！？；…", r):
			return i
		case unicode.IsSpace(r):
			if word < 0 {
				word = i
			}
			if i > size {
				if p, _ := utf8.DecodeLastRuneInString(s[:i-size]); strings.ContainsRune(".!?;", p) {
					return i
				}
			}
		}
		i -= size
	}
	if word > 0 {
		return word
	}
	// Never part a rune from the marks that combine with it.
	i := len(s)
	for range 8 {
		r, size := utf8.DecodeLastRuneInString(s[:i])
		if !unicode.Is(unicode.Mn, r) {
			break
		}
		i -= size
	}
	if i <= half {
		return len(s)
	}
	return i
}

// thin keeps n of the pieces where there are more: the first half of what is allowed from the head, a quarter
// from the tail and the rest spread evenly over the middle, so that no part of a huge output goes unseen.
func thin(total, n int) []int {
	keep := make([]int, 0, min(total, n))
	if total <= n {
		for i := range total {
			keep = append(keep, i)
		}
		return keep
	}
	head, tail := (n+1)/2, n/4
	mid := n - head - tail
	for i := range head {
		keep = append(keep, i)
	}
	for i := range mid {
		keep = append(keep, head+(total-head-tail)*i/mid)
	}
	for i := total - tail; i < total; i++ {
		keep = append(keep, i)
	}
	return slices.Compact(keep)
}

// Lang is "zh" where Han characters are at least half as many as the words of other scripts ("用 kubectl 查看" is
// Chinese), else "en" where there are words, else "". Any other language counts as English, which only decides on
// stop words and headings.
func Lang(text string) string {
	han, words, inWord := 0, 0, false
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf:
			letter := r|0x20 >= 'a' && r|0x20 <= 'z'
			if letter && !inWord {
				words++
			}
			inWord = letter || inWord && (r >= '0' && r <= '9' || r == '\'' || r == '_' || r == '-')
		case unicode.Is(unicode.Han, r):
			han++
			inWord = false
		case unicode.IsLetter(r):
			if !inWord {
				words++
			}
			inWord = true
		default:
			inWord = false
		}
	}
	switch {
	case han == 0 && words == 0:
		return ""
	case han*2 >= words:
		return "zh"
	}
	return "en"
}

func sortSpans(s [][2]int) {
	slices.SortFunc(s, func(a, b [2]int) int {
		if a[0] != b[0] {
			return a[0] - b[0]
		}
		return a[1] - b[1]
	})
}
