package distill

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// separable are the predicates of which each value of a list is a fact of its own: to take back one of them leaves the
// others.
var separable = map[string]bool{
	pSpeaks.name: true, pAllergic.name: true, pLikes.name: true, pDislikes.name: true, pConsumes.name: true, pKnows.name: true, pMember.name: true, pNation.name: true, pDepends.name: true,
}

var (
	reAndEn = regexp.MustCompile(`(?i),? (?:and|or|nor) (?:also |an? bit of |a little |some |no )?`)
	reAndZh = regexp.MustCompile(`、|和|跟|与|以及|还有|或者`)
)

// each is f, or one fact for each value of its list where its values are short: "Tagalog and English".
func each(c *clause, f fact) []fact {
	if !separable[f.pred.name] || f.twin != nil || f.replaces != "" || strings.ContainsAny(f.object, `"“《（(`) {
		return []fact{f}
	}
	sep, fits := reAndEn, func(s string) bool { return len(strings.Fields(s)) <= 2 && !strings.HasSuffix(s, "ing") }
	if c.lang == "zh" {
		sep, fits = reAndZh, func(s string) bool { n := utf8.RuneCountInString(s); return n >= 1 && n <= 5 }
	}
	items := sep.Split(f.object, -1)
	if len(items) < 2 {
		return []fact{f}
	}
	out := make([]fact, 0, len(items))
	for _, it := range items {
		it = strings.TrimSpace(it)
		if it == "" || !fits(it) {
			return []fact{f}
		}
		g := f
		g.object = it
		if f.qualifier != "" && f.pred.name != pKnows.name {
			g.qualifier = it
		}
		out = append(out, g)
	}
	return out
}

// named is what somebody of the speaker's is called, where the name stands beside the role: "my sister Clara".
func named(c *clause) fact {
	key := c.sub.text[strings.Index(c.sub.text, "'s ")+len("'s "):]
	f := kinFact(c, key, c.sub.name)
	if petKeys[key] {
		f.pred, f.oneSlot = pHas, false
	}
	return f
}
