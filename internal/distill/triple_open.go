package distill

import (
	"strings"

	"github.com/siltstone-ai/siltstone/internal/distill/openie"
	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Confidence of what no template read. A template's facts have .6 and more: where both read a sentence, theirs stand.
const (
	confOpen      = .5
	confCanonical = .55 // the relation is one that a template would give
)

var (
	reDoubtEn = gated(`(?i)\b(?:whether|wonder(?:s|ed|ing)?|guess|suppose[ds]?|apparently|allegedly|reportedly|supposedly|rumou?rs?|seems?|heard|imagine|pretend|suppose|hope|joke|kidding)\b`)
	reBidZh   = gated(`^(?:别|请|帮|麻烦|不要|记得|记住|劳驾|以后|给我|让我|能不能|可不可以)|吧[。！!]?$`)
)

// maxOpen is how many sentences of an event are read for open triples: it bounds the work that a pasted book makes.
const maxOpen = 400

// openTriples adds the relations between entities that a sentence states beyond what templates read out of it; from is
// where their edges begin. Only what is said to be so counts: no questions, conditions, guesses, requests, reports of what
// others say, and nothing in quotation marks.
func (r *reader) openTriples(seg *schema.Segment, sent string, from int) {
	if r.open++; r.open > maxOpen || len(r.out.Triples) >= maxTriples || !mayName(sent) {
		return
	}
	lang := langOf(sent)
	if strings.ContainsAny(sent, "?？") || quotes(sent) {
		return
	}
	var s *openie.Sentence
	if lang == "zh" {
		if reHypoZh.match(sent) || reReportZh.match(sent) || reAskZh.match(sent) || reBidZh.match(sent) {
			return
		}
		s = openie.Chinese(sent)
	} else {
		if reHypoZh.match(sent) || unsureEn(sent) || reReportEn.match(sent) || reDoubtEn.match(sent) {
			return
		}
		s = openie.EnglishText(sent)
	}
	read := r.out.Triples[from:]
	for _, e := range s.Edges() {
		t := schema.Triple{
			Subject: r.node(seg, e.Subject, e.Speaker), Predicate: relation(e.Relation), Object: r.node(seg, e.Object, openie.Other), Negated: e.Negated,
			Confidence: confOpen, Sentence: tidy(sent), Rule: lang + ".open", Source: r.source(seg),
		}
		if !strings.HasPrefix(t.Predicate, "rel:") {
			t.Confidence = confCanonical
		}
		switch seg.Kind {
		case schema.SegResponse:
			t.Confidence *= .8
		case schema.SegTool:
			t.Confidence *= .7
		}
		if t.Subject == "" || t.Object == "" || alreadyTold(read, &t) {
			continue
		}
		if role, name, ok := r.called(seg, e.Subject); ok {
			n := t
			n.Subject, n.Predicate, n.Object, n.Negated = role, pName.name, name, false
			r.edge(n)
		}
		r.edge(t)
	}
}

// mayName is a quick look whether a sentence can hold a name: most talk has no capital but the first, no digit and no Chinese.
func mayName(sent string) bool {
	for i := 0; i < len(sent); i++ {
		c := sent[i]
		if c >= 0x80 || c >= '0' && c <= '9' || i > 0 && (c >= 'A' && c <= 'Z' || c == '/' || c == '_' || c == '@') {
			return true
		}
	}
	return false
}

// quotes reports whether the sentence quotes more than a name: words that somebody else answers for.
func quotes(sent string) bool {
	for _, q := range [...][2]string{{`"`, `"`}, {"“", "”"}, {"「", "」"}, {"『", "』"}} {
		_, rest, ok := strings.Cut(sent, q[0])
		if !ok {
			continue
		}
		in, _, ok := strings.Cut(rest, q[1])
		if !ok || len(strings.Fields(in)) > 4 || strings.ContainsAny(in, "，。！") || langOf(in) == "zh" && utf8Len(in) > 8 {
			return true
		}
	}
	return false
}

// node is the name of an end of an edge as templates name it: "user" for who speaks, "user's sister" for "my sister Olga". It
// is "" for somebody who is not the user to speak of himself.
func (r *reader) node(seg *schema.Segment, s string, speaker openie.Speaker) string {
	own := seg.Kind == schema.SegInput
	switch {
	case speaker == openie.Other:
	case !own:
		return ""
	case speaker == openie.Self:
		return r.sp.self
	default:
		return "we"
	}
	if k, ok := kinWords[s]; ok && hanFirst(s) { // 老公: the speaker's
		if !own {
			return ""
		}
		return r.sp.self + "'s " + k.key
	}
	if m := reKinHeadZh.find(s); m != nil {
		if !own || len(m[0]) != len(s) {
			return ""
		}
		return r.sp.self + "'s " + kinWords[m[1]].key
	}
	if strings.HasPrefix(s, "我") {
		return ""
	}
	first, rest, ok := strings.Cut(s, " ")
	if !ok {
		return strings.TrimRight(s, ".")
	}
	switch strings.ToLower(first) {
	case "my", "our":
		if !own {
			return ""
		}
		if role, _, ok := kinEn(rest); ok {
			return r.sp.self + "'s " + role
		}
		if strings.EqualFold(first, "our") {
			return s
		}
		return r.sp.self + "'s " + rest
	case "the", "a", "an":
		return strings.TrimRight(rest, ".")
	}
	return strings.TrimRight(s, ".")
}

// called reads "my sister Olga" as a role and a name, in the user's own words.
func (r *reader) called(seg *schema.Segment, s string) (role, name string, ok bool) {
	rest, ok := strings.CutPrefix(strings.ToLower(s[:min(3, len(s))])+s[min(3, len(s)):], "my ")
	if !ok || seg.Kind != schema.SegInput {
		return "", "", false
	}
	role, name, ok = kinEn(rest)
	return r.sp.self + "'s " + role, name, ok && name != ""
}

// alreadyTold reports whether a template's edge of the same sentence says it already: it has the same object, or the same
// subject and relation.
func alreadyTold(read []schema.Triple, t *schema.Triple) bool {
	for i := range read {
		o := &read[i]
		if strings.HasSuffix(o.Rule, ".open") {
			continue
		}
		a, b := text.Fold(trimArticle(o.Object)), text.Fold(trimArticle(t.Object))
		if strings.Contains(a, b) || strings.Contains(b, a) || o.Predicate == t.Predicate && text.Fold(o.Subject) == text.Fold(t.Subject) {
			return true
		}
	}
	return false
}

// canonical are relations that mean what a template's predicate means.
var canonical = map[string]string{
	"works at": pWorksAt.name, "works for": pWorksAt.name, "work at": pWorksAt.name, "work for": pWorksAt.name, "任职于": pWorksAt.name, "就职于": pWorksAt.name,
	"在…工作": pWorksAt.name, "在…上班": pWorksAt.name, "在…任职": pWorksAt.name,
	"lives in": pLivesIn.name, "live in": pLivesIn.name, "住在": pLivesIn.name, "居住在": pLivesIn.name, "定居在": pLivesIn.name,
	"depends on": pDepends.name, "depend on": pDepends.name, "requires": pDepends.name, "require": pDepends.name, "is based on": pDepends.name,
	"依赖": pDepends.name, "依赖于": pDepends.name, "基于": pDepends.name,
	"runs on": pHost.name, "run on": pHost.name, "is deployed on": pHost.name, "is hosted on": pHost.name, "部署在": pHost.name, "运行在": pHost.name, "在…部署": pHost.name, "在…运行": pHost.name, "在…居住": pLivesIn.name,
	"uses": pUses.name, "use": pUses.name, "使用": pUses.name, "采用": pUses.name,
	"speaks": pSpeaks.name, "speak": pSpeaks.name, "is written in": pWrittenIn.name,
}

// relation is the canonical predicate of an open relation, "rel:" and its words where there is none.
func relation(s string) string {
	if p, ok := canonical[s]; ok {
		return p
	}
	return "rel:" + strings.ReplaceAll(s, " ", "_")
}
