package distill

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/siltstone-ai/siltstone/internal/text"
)

// separable are the predicates of which each value of a list is a fact of its own: to take back one of them leaves the
// others.
var separable = map[string]bool{
	pSpeaks.name: true, pAllergic.name: true, pLikes.name: true, pDislikes.name: true, pConsumes.name: true, pKnows.name: true, pMember.name: true, pNation.name: true, pDepends.name: true,
}

var (
	reAndEn = regexp.MustCompile(`(?i),? (?:and|or|nor) (?:also |an? bit of |a little |some |no )?`)

	// splitsZh are the words and signs between the items of a Chinese list.
	splitsZh = wordSet("、 和 跟 与 以及 还有 或者")

	// What is liked in pairs may be one thing by a name of two: rock and roll, fish and chips.
	paired     = map[string]bool{pLikes.name: true, pDislikes.name: true, pConsumes.name: true}
	rePairEn   = regexp.MustCompile(`(?i)^[^,]+ and [^,]+$`)
	reApartEn  = regexp.MustCompile(`(?i) and (?:also |an? |some |no |the |my )`)
	rePluralEn = regexp.MustCompile(`^\p{Ll}+[^s\P{Ll}]s and \p{Ll}+[^s\P{Ll}]s$`)
)

// oneEn reports whether s may be the name of one thing made of two. Two plurals are two kinds of thing: cats and dogs.
func oneEn(s string) bool {
	return rePairEn.MatchString(s) && strings.Count(strings.ToLower(s), " and ") == 1 && !reApartEn.MatchString(s) && !rePluralEn.MatchString(s)
}

// itemsZh are the items of the list s, cut where the dictionary makes a word of what joins them: not in 高跟鞋, 随和.
func itemsZh(s string) []string {
	var out []string
	s = text.Sanitize(s) // the words are placed in it
	from := 0
	for _, w := range text.Segment(s) {
		if splitsZh[strings.TrimSpace(w.Text)] {
			out = append(out, s[from:w.Start])
			from = w.End
		}
	}
	return append(out, s[from:])
}

// each is f, or one fact for each value of its list where its values are short: "Tagalog and English".
func each(c *clause, f fact) []fact {
	if !separable[f.pred.name] || f.twin != nil || f.replaces != "" || strings.ContainsAny(f.object, `"“《（(`) {
		return []fact{f}
	}
	items, fits := []string(nil), func(s string) bool { return len(strings.Fields(s)) <= 2 && !strings.HasSuffix(s, "ing") }
	if c.lang == "zh" {
		items, fits = itemsZh(f.object), func(s string) bool { n := utf8.RuneCountInString(s); return n >= 1 && n <= 5 }
	}
	if c.lang != "zh" && !(paired[f.pred.name] && oneEn(f.object)) {
		items = reAndEn.Split(f.object, -1)
	}
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
