package distill

import (
	"strings"
	"unicode/utf8"
)

// givenUpEn reads what is done no longer: "I don't watch thrillers at all any more".
func givenUpEn(c *clause, m []string) (fact, bool) {
	o := strings.TrimSpace(strings.TrimSuffix(objectOf(c, m[1]), " at all"))
	low := strings.ToLower(o)
	if !c.negated || !c.ended || o == "" || isPronounEn(firstWord(low)) || len(strings.Fields(o)) > 6 || hasPrefixAny(low, "to ", "that ", "so ", "well", "much", "what ") {
		return fact{}, false
	}
	return fact{object: o, negated: true}, true
}

// givenUpZh reads 我再也不看恐怖片了.
func givenUpZh(c *clause, m []string) (fact, bool) {
	o := objectOf(c, m[1])
	ok := c.negated && c.ended && utf8.RuneCountInString(o) > 1 || c.negated && c.ended && strings.HasPrefix(c.vp, "养") && o != ""
	f := fact{object: o, negated: true}
	if strings.HasPrefix(c.vp, "养") {
		f.pred = pHas
	}
	return f, ok && !hasPrefixAny(o, "到", "起", "见", "出", "懂", "完", "得", "过", "着", "上", "下", "他", "她", "你", "它")
}

// nothingOfAll is that there is nothing of a kind.
func nothingOfAll(c *clause, _ []string) (fact, bool) {
	return fact{qualifier: "any", negated: true}, c.negated || containsAny(c.vpLow, " no ", "都不", "也不")
}
