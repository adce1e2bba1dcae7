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

// Questions for a time, and what tells one: dates, days and months by name, years, and spans to or from now.
var (
	reAsksWhen = regexp.MustCompile(`(?i)\bwhen (?:did|do|does|is|are|was|were|will|would|has|have|had|can|could|should|shall|am)\b|^(?:since |until |by )?when\W*$|\b(?:what|which) (?:exact )?(?:date|day|week|month|year|time|season)\b|\bhow long ago\b|` +
		`什么时候|什么时间|什么日期|什么日子|何时|哪一?[天年月日周]|哪个(?:月|星期|季度|礼拜)|几[号月点时]|几年前|多久(?:以|之)?前|星期几|礼拜几|周几`)
	reTellsWhen = regexp.MustCompile(`(?i)\b(?:yesterday|today|tonight|tomorrow|ago|recently|last|next|this (?:week|weekend|month|year|morning|afternoon|evening|spring|summer|autumn|fall|winter)|` +
		`january|february|march|april|may|june|july|august|september|october|november|december|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:19|20)\d\d|\d{1,2}(?::\d\d|[ap]m)|(?:day|week|month|year|hour|weekday|weekend|night|morning|afternoon|evening)s?|noon|midnight|daily|weekly|monthly|yearly|every)\b|` +
		`昨[天晚日]|前[天晚年]|今[天晚早年日]|明[天晚早年]|后[天年]|去年|上(?:个)?(?:周|月|星期|礼拜|半年)|下(?:个)?(?:周|月|星期|礼拜)|这(?:个)?(?:周|月|星期)|周[一二三四五六日天末]|星期[一二三四五六日天]|礼拜[一二三四五六日天]|` +
		`[\d一二两三四五六七八九十几]+(?:年|月|日|号|天|周|个月|个星期|点)|每[天周月年晚早]|[夜早晚中日]班|中午|半夜|午夜|最近|刚才|刚刚|上午|下午|凌晨|早上|晚上`)
)

// AsksWhen reports whether a question asks for a time: a date, a day, a year, a while ago.
func AsksWhen(question string) bool { return reAsksWhen.MatchString(Fold(question)) }

// TellsWhen reports whether a text tells a time, by a date or in relation to when it was said. It rather takes a word for a
// time than miss one: "last" and "may" pass.
func TellsWhen(s string) bool { return reTellsWhen.MatchString(Simplify(s)) }
