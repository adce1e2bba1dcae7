package distill

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// triple adds the edge that a fact states. Rules, plans and plain statements are sentences, not edges.
func (r *reader) triple(seg *schema.Segment, c *clause, f fact, m schema.Memory, rl *rule, sent string) {
	switch f.pred.name {
	case pPermitted.name, pExempt.name, pRule.name, pReminder.name, pPlan.name, pHabit.name, pReported.name, pReference.name:
		return
	case pStatement.name:
		return // a sentence as it is: openTriples looks at it
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
	if who := "user's " + f.qualifier; m.Predicate == pKnows.name && m.Subject == "user" && !m.Negated && IsPerson(who) { // 我弟弟叫李雷: that is what he is called
		r.edge(schema.Triple{Subject: who, Predicate: pName.name, Object: m.Object, Confidence: m.Confidence, Sentence: tidy(sent), Rule: rl.name, Source: m.Source})
	}
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
