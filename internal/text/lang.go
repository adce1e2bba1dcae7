package text

import (
	"math"
	"unicode/utf8"
)

// Lang is "zh" or "en": zh where Chinese characters, each counted as two letters (a Chinese word has about two, an
// English one about five), outweigh a third of the other letters. So one English name in a Chinese sentence does
// not make it English, nor one Chinese name an English sentence Chinese. Text without letters is "en".
func Lang(text string) string {
	han, other := 0, 0
	for _, r := range text {
		switch {
		case isHan(r):
			han++
		case isWordRune(r) && !(r >= '0' && r <= '9'):
			other++
		}
	}
	if han > 0 && 2*han*3 > other {
		return "zh"
	}
	return "en"
}

// Tokens estimates how many tokens a language model counts in text, rounded up, without any model's vocabulary:
//
//	1 per word of up to 7 Latin letters (its space included), one more for each further 4
//	1 per 3 digits begun, as number splitters do
//	1.15 per Chinese character, kana or hangul syllable
//	0.85 per punctuation mark or symbol in ASCII, 1.1 per other (full-width marks)
//	1 per line break run; other white space is free, except runs, 1 per 8 spaces
//	2 per emoji and other characters beyond the basic plane, 0.6 per letter of other scripts
//
// The ratios are those published for and known of cl100k-like vocabularies (about 4 characters of English prose and
// 0.85–0.9 Chinese characters a token); it errs high rather than low, since it guards a budget.
func Tokens(text string) int {
	n := 0.0
	for i := 0; i < len(text); {
		c := text[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(text[i:])
			switch {
			case isHan(r), r >= 0x3040 && r <= 0x30FF, r >= 0xAC00 && r <= 0xD7A3:
				n += 1.15
			case r > 0xFFFF:
				n += 2
			case isWordRune(r):
				n += 0.6
			default:
				n += 1.1
			}
			i += size
			continue
		}
		j := i + 1
		switch asciiClass[c] {
		case classLetter:
			for j < len(text) && isLetter(text[j]) {
				j++
			}
			n += 1 + math.Ceil(math.Max(float64(j-i-7), 0)/4)
		case classDigit:
			for j < len(text) && isDigit(text[j]) {
				j++
			}
			n += math.Ceil(float64(j-i) / 3)
		case classSpace:
			breaks := c == '\n'
			for j < len(text) && text[j] < utf8.RuneSelf && asciiClass[text[j]] == classSpace {
				breaks = breaks || text[j] == '\n'
				j++
			}
			if breaks {
				n++
			}
			n += float64((j - i) / 8)
		default:
			n += 0.85
		}
		i = j
	}
	return int(math.Ceil(n - 1e-9))
}
