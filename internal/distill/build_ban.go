package distill

import (
	"strings"
	"unicode/utf8"

	"github.com/siltstone-ai/siltstone/internal/text"
)

// thingBanZh forbids what may be in a thing, or done with it: 咖啡不要加糖. Only a kind of thing takes rules: not a
// person, not this one.
func thingBanZh(c *clause, m []string) (fact, bool) {
	if !kindsZh(m[1]) {
		return fact{}, false
	}
	return doingZh(c, []string{m[0], m[2], m[3]})
}

// nounBanZh forbids a thing by its name alone: 不要香菜.
func nounBanZh(c *clause, m []string) (fact, bool) {
	if m[1] != "" && !kindsZh(m[1]) || !kindsZh(m[3]) || hasPrefixAny(m[3], notWantedZh...) {
		return fact{}, false
	}
	return doingZh(c, []string{m[0], m[2], m[3]})
}

// notWantedZh make an idiom, or an answer, of 不要.
var notWantedZh = []string{"钱", "脸", "命", "面子", "时间", "问题", "东西", "关系", "意思", "感觉", "态度", "人", "发票", "袋", "小票", "收据", "太", "很", "过", "那么", "这么"}

// kindsZh reports whether s is made of nouns for kinds of things, by the tags of the dictionary.
func kindsZh(s string) bool {
	if _, kin := kinWords[s]; kin {
		return false
	}
	n := 0
	for _, t := range text.Segment(s) {
		switch {
		case t.Han && !strings.HasPrefix(t.Tag, "n") && t.Tag != "vn" || strings.HasPrefix(t.Tag, "nr"):
			return false
		case t.Text == "的":
		default:
			n++
		}
	}
	return n > 0
}

// pleaseZh is how to go about what an agent does again and again: 回答问题时请简洁一点. What is asked for at the end of
// one job, or as a favour, is no rule.
func pleaseZh(c *clause, m []string) (fact, bool) {
	if c.past || c.negated || containsAny(m[1], "完", "好了", "到了", "了", "这", "那", "刚", "下次") || len(c.certain(true)) > 0 ||
		hasPrefixAny(m[2], "告诉", "通知", "叫", "喊", "提醒", "等", "稍", "帮", "给", "小心", "注意休息", "加油", "放心") || utf8.RuneCountInString(m[1]) < 2 {
		return fact{}, false
	}
	return ruleZh(c, m)
}

// pleaseEn is the same in English: "when answering questions, please be concise".
func pleaseEn(c *clause, m []string) (fact, bool) {
	if c.past || len(c.certain(true)) > 0 || containsAny(strings.ReplaceAll(c.low, ",", " "), " done", " finish", " this ", " that ", " these ", " those ") ||
		hasPrefixAny(strings.ToLower(m[len(m)-1]), "tell ", "let me", "call ", "remind ", "wait", "help", "send me", "ping ", "give me", "show me") {
		return fact{}, false
	}
	return ruleImperative(c, m)
}
