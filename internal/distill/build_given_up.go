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

var reNoThing = gated(`(?i)^(?:time|energy|money|ideas?|interest|patience|doubts?|questions?|problems?|issues?|plans?|excuses?|words|reasons?|choices?|need|room|use|clue|power|signal|more|other)\b`)

// noneLeftEn reads that of a thing none is left: "I have no cars any more".
func noneLeftEn(c *clause, m []string) (fact, bool) {
	o := objectOf(c, m[1])
	if !containsAny(c.low, "any more", "anymore", "any longer") || o == "" || reNoThing.match(o) || len(strings.Fields(o)) > 3 {
		return fact{}, false
	}
	return fact{object: o, negated: true, replaces: o}, true
}

var (
	rePartedEn = gated(`(?i)^(?:(?:have|has|just|recently|finally|already) )*(?:sold|gave away|given away|donated|got rid of|gotten rid of|scrapped) (?:my|our) (.+)$`)
	rePartedZh = gated(`^(?:已经|刚|刚刚|最近|昨天|上周|上个月)*(?:卖掉?了?我(?:们)?的(.{1,10})|(?:把|将)(?:我(?:们)?的)?(.{1,10}?)(?:卖|捐|扔|送人|送走|报废)(?:掉|出去)?)了?$`)
)

// parted is the thing that somebody says they had until now, "" for none: "I sold my car".
func parted(c *clause) string {
	if c.negated || c.sub.kind != subjSelf && c.sub.kind != subjGroup {
		return ""
	}
	if c.lang == "zh" {
		if m := rePartedZh.find(c.vp); m != nil {
			return objectOf(c, m[1]+m[2])
		}
		return ""
	}
	if m := rePartedEn.find(c.vp); m != nil {
		return objectOf(c, m[1])
	}
	return ""
}

// nothingOfAll is that there is nothing of a kind.
func nothingOfAll(c *clause, _ []string) (fact, bool) {
	return fact{qualifier: "any", negated: true}, c.negated || containsAny(c.vpLow, " no ", "都不", "也不")
}
