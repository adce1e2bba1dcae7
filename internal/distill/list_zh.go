package distill

import (
	"regexp"
	"strings"
)

// zhBody are the measures of a body: a number beside one is a reading, with a verb or without ("体重 72 公斤").
const zhBody = `身高|体重|血压|心率|静息心率|脉搏|体温|空腹血糖|血糖|血氧|尿酸|胆固醇|体脂率?|视力|腰围|胸围|臀围`

var reBodyZh = regexp.MustCompile(`^(?:` + zhBody + `)$`)

// moreZh reads what is added to an attribute of many values (我的爱好还有攀岩): beside what was named before.
func moreZh(c *clause, m []string) (fact, bool) {
	f, ok := attrZh(c, []string{m[0], m[1], "是", m[2]})
	f.noSlot = true
	return f, ok
}

// listedZh reads what goes on a list of the speaker's.
func listedZh(c *clause, list, item string) (fact, bool) {
	o := objectOf(c, strings.TrimLeft(item, "了 "))
	return fact{subject: "user", qualifier: list, object: o, noSlot: true}, o != "" && !c.negated && !containsAny(item, "吗", "什么", "哪", "多少", "几", "它", "这")
}
