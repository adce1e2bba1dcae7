package distill

import (
	"cmp"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// triple adds the edge that a fact states. Rules, plans and plain statements are sentences, not edges.
func (r *reader) triple(seg *schema.Segment, c *clause, f fact, m schema.Memory, rl *rule, sent string) {
	switch f.pred.name {
	case pPermitted.name, pExempt.name, pRule.name, pReminder.name, pPlan.name, pHabit.name, pReported.name, pReference.name:
		return
	case pStatement.name:
		r.openTriples(seg, sent)
		return
	}
	pred := m.Predicate
	switch pred {
	case pAttr.name, pFavourite.name, pKnows.name:
		if f.qualifier != "" {
			pred = strings.ReplaceAll(strings.ToLower(f.qualifier), " ", "_")
			if m.Predicate == pFavourite.name {
				pred = "favourite_" + pred
			}
		}
	}
	subj := m.Subject
	if m.Predicate == pAmount.name {
		subj = cmp.Or(f.qualifier, subj)
	}
	if m.Predicate == pMember.name { // one edge a name
		for _, n := range reListSep.Split(m.Object, -1) {
			r.edge(schema.Triple{Subject: subj, Predicate: pred, Object: strings.TrimSpace(n), Confidence: m.Confidence, Sentence: tidy(sent), Rule: rl.name, Source: m.Source})
		}
		return
	}
	r.edge(schema.Triple{
		Subject: subj, Predicate: pred, Object: m.Object, Negated: m.Negated, Confidence: m.Confidence,
		ValidFrom: m.ValidFrom, ValidTo: m.ValidTo, Sentence: tidy(sent), Rule: rl.name, Source: m.Source,
	})
	if c.sub.kind == subjKin && c.sub.name != "" {
		r.edge(schema.Triple{Subject: c.sub.text, Predicate: pName.name, Object: c.sub.name, Confidence: m.Confidence, Sentence: tidy(sent), Rule: rl.name, Source: m.Source})
	}
}

var reListSep = regexp.MustCompile(`、|，|, (?:and )?| and |和|与|以及|及`)

func (r *reader) edge(t schema.Triple) {
	if t.Subject == "" || t.Object == "" || len(r.out.Triples) >= maxTriples {
		return
	}
	for _, o := range r.out.Triples {
		if o.Subject == t.Subject && o.Predicate == t.Predicate && o.Object == t.Object && o.Negated == t.Negated {
			return
		}
	}
	r.out.Triples = append(r.out.Triples, t)
}

// openPattern is an open relation between two names, read conservatively.
type openPattern struct {
	name string
	re   *regexp.Regexp
	pred string // "" takes group 2 as the relation
	conf float64
}

const (
	enName = `((?:[\p{Lu}][\p{L}\d'.-]*|[\p{L}\d]+[._/-][\p{L}\d._/-]+)(?: [\p{Lu}][\p{L}\d'.-]*){0,3})`
	enRel  = `(works at|works for|works with|lives in|depends on|runs on|uses|owns|belongs to|reports to|manages|leads|maintains|acquired|founded|joined|wrote|created|built|requires|supports|is based on|is part of|is located in|is married to|connects to|replaces|replaced|deployed|hosts|calls|imports|contains|stores|moved to|bought)`
	zhName = `([\p{Han}]{2,5}|[A-Za-z][\w.-]*(?: [A-Z][\w.-]*){0,2})`
)

var openPatterns = []openPattern{
	{"en.open.rel", regexp.MustCompile(`\b` + enName + ` ` + enRel + ` (?:the |an? )?` + enName), "", .55},
	{"en.open.role", regexp.MustCompile(`\b` + enName + ` is (?:the |an? )((?:[\p{Ll}-]+ ){0,2}[\p{Ll}-]+ (?:of|at|for)) (?:the )?` + enName), "", .55},
	{"zh.open.works", regexp.MustCompile(`(?:^|[，,。；])` + zhName + `在([\p{Han}A-Za-z0-9]{2,14}?)(?:工作|上班|任职)`), "works_at", .5},
	{"zh.open.rel", regexp.MustCompile(`(?:^|[，,。；])` + zhName + `(使用|依赖|基于|属于|负责|收购了?|创办了?|管理|领导|加入了?|部署在|运行在|连接到|替代了?|位于|毕业于|任职于)` + zhName), "", .5},
	{"zh.open.role", regexp.MustCompile(`(?:^|[，,。；])` + zhName + `是([\p{Han}A-Za-z]{2,10}?)的([\p{Han}]{2,8})(?:$|[，,。；])`), "role", .5},
}

var openIndex = sync.OnceValue(func() *index {
	return indexOf(len(openPatterns), func(i int) string { return openPatterns[i].re.String() })
})

// openTriples reads open relations out of a sentence that no template read.
func (r *reader) openTriples(seg *schema.Segment, sent string) {
	may := openIndex().scan(sent)
	if may.empty() {
		return
	}
	lang := langOf(sent)
	if strings.ContainsAny(sent, "?？") || reHypoZh.match(sent) || lang == "en" && unsureEn(sent) {
		return
	}
	src := r.source(seg)
	factor := 1.0
	switch seg.Kind {
	case schema.SegResponse:
		factor = .8
	case schema.SegTool:
		factor = .7
	}
	for i := may.next(0); i >= 0; i = may.next(i + 1) {
		p := &openPatterns[i]
		if p.name[:2] != lang {
			continue
		}
		for _, m := range p.re.FindAllStringSubmatch(sent, 4) {
			t := schema.Triple{Subject: m[1], Confidence: p.conf * factor, Sentence: tidy(sent), Rule: p.name, Source: src}
			switch {
			case p.pred == "role":
				t.Predicate, t.Object = "role", m[3]+" at "+m[2]
			case p.pred != "":
				t.Predicate, t.Object = p.pred, m[2]
			default:
				t.Predicate, t.Object = relation(m[2]), m[3]
			}
			t.Subject, t.Object = bareName(t.Subject), bareName(t.Object)
			if !nameLike(t.Subject) || !nameLike(t.Object) {
				continue
			}
			r.edge(t)
		}
	}
}

// bareName is a name without the capital word that opens its sentence and the full stop that closes it.
func bareName(s string) string {
	s = strings.TrimRight(s, ".")
	return trimWord(s, "then", "later", "now", "also", "today", "yesterday", "however", "meanwhile", "when", "while", "the", "since", "because", "after", "before", "recently")
}

// relation is the canonical predicate of an open relation, "rel:" and its words where there is none.
func relation(s string) string {
	s = strings.TrimSuffix(strings.ToLower(s), "了")
	switch s {
	case "works at", "works for", "任职于":
		return pWorksAt.name
	case "lives in":
		return pLivesIn.name
	case "depends on", "requires", "依赖", "基于", "is based on":
		return pDepends.name
	case "runs on", "部署在", "运行在":
		return pHost.name
	case "uses", "使用":
		return pUses.name
	}
	return "rel:" + strings.ReplaceAll(s, " ", "_")
}

func nameLike(s string) bool {
	s = strings.ToLower(s)
	switch s {
	case "i", "we", "you", "he", "she", "it", "they", "this", "that", "these", "there", "what", "the", "a", "if", "when", "and", "but",
		"我", "我们", "你", "你们", "他", "她", "它", "他们", "这个", "那个", "大家", "自己", "什么", "今天", "现在":
		return false
	}
	n := utf8.RuneCountInString(s)
	return n >= 2 && n <= 60 && !hasPrefixAny(s, "这", "那", "他", "她", "你", "我", "if ", "when ")
}
