package distill

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Limits that bound what one event can leave behind.
const (
	maxFacts    = 64 // of one event
	maxTriples  = 256
	maxWishes   = 8
	maxRefs     = 8   // references of one tool segment
	maxContent  = 240 // runes of a fact that stands for its whole sentence
	maxSegBytes = 1 << 20
)

// Result is what one event states.
type Result struct {
	Facts   []schema.Memory // without id and status
	Triples []schema.Triple // without id
	Forget  []string        // things that the user asked to be forgotten; what asks for it is no fact
}

// Read reads the facts and triples that a cleaned turn states. It never fails: what it does not understand it
// leaves out. The same input gives the same result, in the same order.
func Read(body schema.Cleaned, env schema.Envelope) Result {
	r := newReader(&body, &env)
	for i := range body.Segments {
		seg := &body.Segments[i]
		if len(seg.Text) > maxSegBytes {
			continue
		}
		switch seg.Kind {
		case schema.SegInput:
			r.input(seg)
		case schema.SegResponse:
			r.response(seg)
		case schema.SegTool:
			r.tool(seg)
		}
	}
	return r.out
}

// Complete fills in what an explicit write leaves open: subject, predicate, slot and group, by the same rules that
// read a turn, so that a memory written by hand supersedes and repeats others as a spoken one does. m's type,
// content, importance and confidence stay; Tenant, User, ObservedAt and Source must be set.
func Complete(m schema.Memory) schema.Memory {
	owner := schema.Owner(m.Tenant, m.User)
	m.Lang = cmp.Or(m.Lang, langOf(m.Content))
	m.ContentHash = schema.Hash([]byte(text.Normalize(m.Content)))
	if m.Kind == "" {
		m.Kind = schema.KindUser
	}
	env := schema.Envelope{Tenant: m.Tenant, User: m.User, At: m.ObservedAt, Class: m.Source.Class}
	r := reader{body: &schema.Cleaned{}, env: &env, owner: owner, groups: map[string]bool{}, last: map[string]string{}, sp: speaker{self: "user"}}
	r.input(&schema.Segment{Key: m.Source.Seg, Kind: schema.SegInput, Class: m.Source.Class, Text: m.Content})
	if len(r.out.Facts) == 1 { // one statement: its structure is the memory's
		f := r.out.Facts[0]
		m.Subject, m.Predicate, m.Object, m.Negated, m.Replaces = f.Subject, f.Predicate, f.Object, f.Negated, f.Replaces
		m.Slot, m.Group, m.Rule = f.Slot, f.Group, cmp.Or(m.Rule, "explicit")
		if m.ValidTo.IsZero() {
			m.ValidTo = f.ValidTo
		}
		return m
	}
	if m.Type == schema.TypeConstraint && m.Object == "" { // a rule in words of its own: it can be lifted as others can
		m.Object, m.Slot = m.Content, schema.MatterSlotKey(owner, r.sp.self, natureRule, "")
	}
	m.Group = schema.GroupKey(owner, "text", string(m.Type), r.normal(&m))
	m.Rule = cmp.Or(m.Rule, "explicit")
	return m
}

// reader collects what one event states.
type reader struct {
	body   *schema.Cleaned
	env    *schema.Envelope
	owner  string
	sp     speaker
	groups map[string]bool   // said already in this event
	last   map[string]string // by slot, the group of what was said last in this event
	said   string            // the sentence that is read, as it was written
	plain  string            // the same as rules see it, rune by rune
	before string            // the sentence before the one that is read
	open   int               // sentences that were read for open triples
	out    Result
}

func newReader(body *schema.Cleaned, env *schema.Envelope) *reader {
	r := &reader{body: body, env: env, owner: schema.Owner(env.Tenant, env.User), groups: map[string]bool{}, last: map[string]string{}}
	r.sp.self = "user"
	if body.Speaker != "" && body.Speaker != env.User {
		r.sp.self = body.Speaker
	}
	return r
}

// input reads what a person said.
func (r *reader) input(seg *schema.Segment) {
	sents := sentences(seg.Text)
	if document(seg.Text, sents) {
		for _, sent := range sents {
			r.openTriples(seg, sent, len(r.out.Triples))
		}
		return
	}
	for i := 0; i < len(sents); i++ {
		sent := sents[i]
		if r.class(seg) >= schema.ClassUser && wishAll(sent) {
			r.askAll(seg, sent)
			r.before = sent
			continue
		}
		if thing := wish(sent); thing != "" {
			if r.class(seg) >= schema.ClassUser && len(r.out.Forget) < maxWishes {
				r.out.Forget = append(r.out.Forget, thing)
			}
			r.before = sent
			continue
		}
		if i+1 < len(sents) && newValue(sent, sents[i+1]) {
			if langOf(sent) != "zh" {
				sent += " "
			}
			sent += sents[i+1]
			i++
		}
		said := sent
		if c := corrected(r.before, sent); c != "" {
			sent = c
		}
		r.sentence(seg, sent)
		r.before = said
	}
}

var (
	reChangedEn = gated(`(?i)^.{0,30}\b(?:changed|switched|updated|got|have) (?:my |our |a new |new )+(?:[\w-]+ ){0,2}?(?:number|address|email|phone|mobile|port|domain|plate|username|handle|url)[.!]?$`)
	reNewOneEn  = gated(`(?i)^(?:(?:the|my|our) new (?:one|number|address|email|port|domain|url)|it)(?: is|'s)(?: now)? `)
	reNewOneIs  = gated(`^(?:现在)?(?:的)?新的?(?:号码?|地址|邮箱|微信号?|端口|版本|域名|路径)?(?:是|为|：|:)`)
)

// newValue reports whether next gives the new value of what sent says has changed: neither says it alone.
func newValue(sent, next string) bool {
	return reChangedEn.match(sent) && reNewOneEn.match(next) || reNewOneIs.match(next) && reVoidZh.match(trimEndZh(sent))
}

// sentence reads one sentence: each clause by the first row that fits. Where one clause alone states something,
// the fact keeps the whole sentence; where several do, each keeps its own.
func (r *reader) sentence(seg *schema.Segment, sent string) {
	r.said, r.plain = sent, sent
	if langOf(sent) == "zh" {
		r.plain = plainZh(sent)
	}
	if private(r.plain) {
		r.sp.who = ""
		return
	}
	cs := clauses(r.plain, r.sp, r.env.At)
	r.sp.who = ""
	if len(cs) > 0 {
		r.sp.who = cs[len(cs)-1].spokenOf()
	}
	from := len(r.out.Triples)
	type hit struct {
		c    *clause
		f    fact
		rule *rule
	}
	var hits []hit
	for _, c := range cs {
		if c, f, rl, ok := read(c); ok {
			if strays(c, &f, r.plain) {
				continue
			}
			if f.pred.name == pLikes.name && reThenStillZh.match(r.plain) {
				c.past = true
			}
			hits = append(hits, hit{c, f, rl})
			continue
		}
		if c.explicit && len(cs) == 1 {
			hits = append(hits, hit{c, fact{pred: pStatement, object: c.text, conf: .8}, &ruleExplicit})
		}
	}
	if len(hits) == 0 && len(cs) > 0 && cs[0].explicit {
		c := cs[0]
		c.content = tidy(sent)
		hits = append(hits, hit{c, fact{pred: pStatement, object: c.text, conf: .8, kind: schema.KindUser}, &ruleExplicit})
	}
	for _, h := range hits {
		if r.plain != r.said {
			h.c.content = r.span(h.c.content)
		}
	}
	whole := len(hits) == 1 && utf8.RuneCountInString(sent) <= maxContent && !strings.ContainsAny(sent, "?？")
	for i := range hits {
		h := &hits[i]
		if len(hits) > 1 && len(r.out.Facts) > 0 && h.rule.name == "en.statement" {
			continue // kept only for want of anything better
		}
		said := h.c.content
		if !r.anchor(h.c, &h.f, sent) {
			continue
		}
		if whole && h.c.content == said {
			h.c.content = tidy(sent)
		}
		h.c.date(h.c.past || h.f.past || h.f.pred.name == pEvent.name)
		for _, f := range each(h.c, h.f) {
			r.add(seg, h.c, f, h.rule, sent)
		}
		if h.c.sub.kind == subjKin && h.c.sub.name != "" && !h.c.reported && h.f.pred.name != pKnows.name { // my sister Clara is …: that is what she is called
			n := newClause(r.span(h.c.sub.said), h.c.text, h.c.lang, h.c.at, false) // the rest of the sentence may change, the name does not
			n.sub, n.conf, n.dated = h.c.sub, h.c.conf, true
			r.add(seg, n, named(h.c), &ruleNamed, sent)
		}
	}
	if !madeUp(sent) {
		r.listed(seg, sent)
	}
	r.openTriples(seg, sent, from)
}

// madeUp reports whether sent is about what is not.
func madeUp(sent string) bool {
	if langOf(sent) == "zh" {
		return othersZh(sent) || reHearsayZh.match(sent) || reRequestZh.match(sent)
	}
	return madeUpEn(sent)
}

// read reads c as it is, or with the subject that it goes without where it says no more than a plain statement as it is.
func read(c *clause) (*clause, fact, *rule, bool) {
	f, rl, ok := tableOf(c.lang).read(c)
	if a := c.alt; a != nil && (!ok || rl.pred.name == pStatement.name) {
		a.explicit = c.explicit
		if g, r, also := tableOf(c.lang).read(a); also && r.pred.name != pStatement.name && (!a.elided || r.elidable(a)) {
			return a, g, r, true
		}
	}
	return c, f, rl, ok
}

// takenBack reports whether something else was said in between in m's slot, which holds one value at a time: "A, no, B;
// no, A after all".
func (r *reader) takenBack(m *schema.Memory) bool {
	return schema.IsOneSlot(m.Slot) && r.last[m.Slot] != m.Group
}

var ruleNamed = rule{name: "named", pred: pKnows, conf: .8}

var ruleExplicit = rule{name: "explicit", pred: pStatement, conf: .8}

// add makes a memory and a triple of what a rule read.
func (r *reader) add(seg *schema.Segment, c *clause, f fact, rl *rule, sent string) {
	m := r.memory(seg, c, f, rl)
	if m.Content == "" || m.Group == "" || r.groups[m.Group] && !r.takenBack(&m) || secret(&m, f) {
		return
	}
	r.groups[m.Group] = true
	if m.Slot != "" {
		r.last[m.Slot] = m.Group
	}
	if len(r.out.Facts) < maxFacts {
		r.out.Facts = append(r.out.Facts, m)
	}
	if rl != &ruleNamed { // its edge is made with that of what is said
		r.triple(seg, c, f, m, rl, sent)
	}
	if m.Predicate == pEvent.name && f.replaces != "" {
		r.closeDeadline(seg, c, f, rl)
	}
	if thing := parted(c); thing != "" && m.Predicate == pEvent.name {
		r.closeOwned(seg, c, thing, rl)
	}
	if t := f.twin; t != nil {
		t.conf = f.conf
		tm := r.memory(seg, c, *t, rl)
		if tm.Group != "" && !r.groups[tm.Group] {
			r.groups[tm.Group] = true
			if len(r.out.Facts) < maxFacts {
				r.out.Facts = append(r.out.Facts, tm)
			}
			r.triple(seg, c, *t, tm, rl, sent)
		}
	}
}

// closeOwned adds to what was done with a thing that it is had no longer. It is history from birth and shows nothing.
func (r *reader) closeOwned(seg *schema.Segment, c *clause, thing string, rl *rule) {
	m := r.memory(seg, c, fact{pred: pHas, object: thing, conf: rl.conf, past: true}, rl)
	if m.Slot != "" && m.Group != "" && !r.groups[m.Group] && len(r.out.Facts) < maxFacts {
		r.groups[m.Group] = true
		r.out.Facts = append(r.out.Facts, m)
	}
}

// closeDeadline adds to what was done with a thing that its deadline, if one was set, holds no longer. It is history
// from birth and shows nothing.
func (r *reader) closeDeadline(seg *schema.Segment, c *clause, f fact, rl *rule) {
	m := r.memory(seg, c, fact{pred: pDeadline, subject: f.replaces, conf: f.conf, kind: schema.KindUser, past: true}, rl)
	m.Group = schema.GroupKey(r.owner, "closed", text.Fold(trimArticle(f.replaces)), text.Normalize(m.Content))
	if m.Slot != "" && !r.groups[m.Group] && len(r.out.Facts) < maxFacts {
		r.groups[m.Group] = true
		r.out.Facts = append(r.out.Facts, m)
	}
}
