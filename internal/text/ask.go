package text

import (
	"regexp"
	"strings"
	"unicode"
)

// Asks reports whether a text ends by asking something: with a question mark, or a Chinese particle that asks. What stands
// behind it in quotes, brackets or as a note such as [image: …] is not looked at.
func Asks(s string) bool {
	for {
		s = strings.TrimRightFunc(s, func(r rune) bool {
			return unicode.IsSpace(r) || strings.ContainsRune("\"'”’」』》)）~～!！", r) || unicode.Is(unicode.So, r) || r == '\ufe0f'
		})
		open := -1
		switch {
		case strings.HasSuffix(s, "]"):
			open = strings.LastIndexByte(s, '[')
		case strings.HasSuffix(s, "】"):
			open = strings.LastIndex(s, "【")
		}
		if open <= 0 {
			break
		}
		s = s[:open]
	}
	for _, end := range []string{"?", "？", "吗", "呢"} {
		if strings.HasSuffix(s, end) {
			return true
		}
	}
	return false
}

// Questions for a time.
var reAsksWhen = regexp.MustCompile(`(?i)\bwhen (?:did|do|does|is|are|was|were|will|would|has|have|had|can|could|should|shall|am)\b|^(?:since |until |by )?when\W*$|\b(?:what|which) (?:exact )?(?:date|day|week|month|year|time|season)\b|\bhow long ago\b|` +
	`什么时候|什么时间|什么日期|什么日子|何时|哪一?[天年月日周]|哪个(?:月|星期|季度|礼拜)|几[号月点时]|几年前|多久(?:以|之)?前|星期几|礼拜几|周几`)

// AsksWhen reports whether a question asks for a time: a date, a day, a year, a while ago.
func AsksWhen(question string) bool { return reAsksWhen.MatchString(Fold(question)) }
