package distill

import (
	"cmp"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Limits that bound what one event can leave behind.
const (
	maxFacts    = 64 // of one event
	maxTriples  = 256
	maxRefs     = 8   // references of one tool segment
	maxContent  = 240 // runes of a fact that stands for its whole sentence
	maxSegBytes = 1 << 20
)

// Result is what one event states.
type Result struct {
	Facts   []schema.Memory // without id and status
	Triples []schema.Triple // without id
}

// Read reads the facts and triples that a cleaned turn states. It never fails: what it does not understand it
// leaves out. The same input gives the same result, in the same order.
func Read(body schema.Cleaned, env schema.Envelope) Result {
	r := reader{body: &body, env: &env, owner: schema.Owner(env.Tenant, env.User), groups: map[string]bool{}}
	r.sp.self = "user"
	if body.Speaker != "" && body.Speaker != env.User {
		r.sp.self = body.Speaker
	}
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
	r := reader{body: &schema.Cleaned{}, env: &env, owner: owner, groups: map[string]bool{}, sp: speaker{self: "user"}}
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
	m.Group = schema.GroupKey(owner, "text", string(m.Type), text.Normalize(m.Content))
	m.Rule = cmp.Or(m.Rule, "explicit")
	return m
}

// reader collects what one event states.
type reader struct {
	body   *schema.Cleaned
	env    *schema.Envelope
	owner  string
	sp     speaker
	groups map[string]bool // said already in this event
	out    Result
}

// input reads what a person said.
func (r *reader) input(seg *schema.Segment) {
	sents := sentences(seg.Text)
	for i := 0; i < len(sents); i++ {
		sent := sents[i]
		if i+1 < len(sents) && newValue(sent, sents[i+1]) {
			if langOf(sent) != "zh" {
				sent += " "
			}
			sent += sents[i+1]
			i++
		}
		r.sentence(seg, sent)
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
	cs := clauses(sent, r.sp, r.env.At)
	type hit struct {
		c    *clause
		f    fact
		rule *rule
	}
	var hits []hit
	for _, c := range cs {
		if f, rl, ok := tableOf(c.lang).read(c); ok {
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
	whole := len(hits) == 1 && utf8.RuneCountInString(sent) <= maxContent && !strings.ContainsAny(sent, "?？")
	for _, h := range hits {
		if len(hits) > 1 && len(r.out.Facts) > 0 && h.rule.name == "en.statement" {
			continue // kept only for want of anything better
		}
		if whole {
			h.c.content = tidy(sent)
		}
		h.c.date(h.c.past || h.f.past || h.f.pred.name == pEvent.name)
		r.add(seg, h.c, h.f, h.rule, sent)
	}
	if len(hits) == 0 {
		r.openTriples(seg, sent)
	}
}

var ruleExplicit = rule{name: "explicit", pred: pStatement, conf: .8}

// add makes a memory and a triple of what a rule read.
func (r *reader) add(seg *schema.Segment, c *clause, f fact, rl *rule, sent string) {
	m := r.memory(seg, c, f, rl)
	if m.Content == "" || m.Group == "" || r.groups[m.Group] || secret(&m, f) {
		return
	}
	r.groups[m.Group] = true
	if len(r.out.Facts) < maxFacts {
		r.out.Facts = append(r.out.Facts, m)
	}
	r.triple(seg, c, f, m, rl, sent)
	if m.Predicate == pEvent.name && f.replaces != "" {
		r.closeDeadline(seg, c, f, rl)
	}
	if t := f.twin; t != nil {
		t.conf = f.conf
		tm := r.memory(seg, c, *t, rl)
		if tm.Group != "" && !r.groups[tm.Group] {
			r.groups[tm.Group] = true
			r.triple(seg, c, *t, tm, rl, sent)
		}
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

var reSecretAttr = gated(`(?i)(?:^|[ _-])(?:password|passcode|passphrase|api[ _-]?key|(?:access |auth )?token|secret)$|密码$|口令$|密钥$|令牌$`)

// secret reports whether m states a credential. Clean masks those that it knows by their form; a fact whose value is
// a mask, or that names a password as its attribute, has nothing to say that may be repeated.
func secret(m *schema.Memory, f fact) bool {
	return strings.Contains(m.Object, "[secret:") || reSecretAttr.match(f.qualifier) || reSecretAttr.match(m.Subject)
}

func (r *reader) memory(seg *schema.Segment, c *clause, f fact, rl *rule) schema.Memory {
	p := f.pred
	at := r.env.At
	subj := cmp.Or(f.subject, c.sub.text)
	if p.name == pRule.name && f.subject == "" && c.sub.kind != subjGroup {
		subj = "" // a rule is the speaker's, whatever its words are about
	}
	if subj == "" || subj == "user" {
		subj = r.sp.self
	}
	neg := f.negated || c.negated && negates(p)
	m := schema.Memory{
		Tenant: r.env.Tenant, User: r.env.User,
		Type: cmp.Or(f.typ, p.typ), Kind: cmp.Or(f.kind, p.kind),
		Content: c.content,
		Subject: subj, Predicate: p.name, Object: strings.TrimSpace(f.object), Negated: neg, Replaces: f.replaces,
		Importance: cmp.Or(f.imp, p.imp), Confidence: cmp.Or(f.conf, rl.conf) * c.conf,
		Tier: schema.TierMid, Lang: c.lang, Conversation: r.body.Conversation,
		ObservedAt: at, Rule: rl.name, Source: r.source(seg), Explicit: c.explicit,
	}
	if m.Type == schema.TypeConstraint && !f.soft {
		m.Explicit = true
	}
	if c.explicit {
		m.Importance = min(m.Importance+.2, .95)
		m.Confidence = max(m.Confidence, .9)
	}
	if c.sub.kind == subjGroup && m.Kind == schema.KindUser && m.Type == schema.TypeFact {
		m.Kind = schema.KindProject
	}
	r.times(&m, c, f)
	m.Content = annotate(c.content, c.certain(recurring(&m)), c.lang)
	m.Slot, m.Group = r.keys(&m, f, c)
	if s := r.matterSlot(p, text.Fold(m.Subject), &m, &f, c); s != "" {
		m.Slot = s
	}
	m.ContentHash = schema.Hash([]byte(text.Normalize(m.Content)))
	return m
}

// recurring reports whether m holds time and again: a weekday or a weekend in a rule, a taste or a timetable is every
// one of them, unless the week is named with it.
func recurring(m *schema.Memory) bool {
	switch m.Predicate {
	case pSchedule.name, pTimetable.name:
		return true
	}
	return m.Type == schema.TypeConstraint || m.Type == schema.TypePreference
}

// negates reports whether a negation before the predicate turns it: rules and plans keep theirs in the object, and
// tastes have a pole each.
func negates(p predicate) bool {
	switch p.name {
	case pLikes.name, pDislikes.name, pRule.name, pHabit.name, pPlan.name, pStatement.name:
		return false
	}
	return true
}

// times sets validity and expiry from the clause's time expressions.
func (r *reader) times(m *schema.Memory, c *clause, f fact) {
	at, whens := r.env.At, c.certain(recurring(m))
	switch {
	case c.past || f.past:
		m.ValidTo = at
		for _, w := range whens {
			if w.since && w.from.Before(at) {
				m.ValidFrom = w.from
			} else if w.by && w.to.Before(at) {
				m.ValidTo = w.to
			}
		}
		return
	case m.Predicate == pEvent.name:
		for _, w := range whens {
			if !w.by {
				m.ValidFrom = w.from
				return
			}
		}
	}
	for _, w := range whens {
		if w.since && (m.ValidFrom.IsZero() || w.from.Before(m.ValidFrom)) && w.span != 0 {
			m.ValidFrom = w.from
		}
	}
	if m.Type == schema.TypeTodoHint {
		from, to := limit(c, at)
		if !to.IsZero() && f.expires {
			m.ExpiresAt = to
			if m.ValidFrom.IsZero() && from.After(at) && m.Predicate == pPlan.name {
				m.ValidFrom = time.Time{} // the plan holds from when it was said; its date is in the words and in ExpiresAt
			}
		}
		return
	}
	if f.expires { // "on leave until June"
		for _, w := range whens {
			if w.by && w.to.After(at) {
				m.ExpiresAt = w.to
			}
		}
	}
}

// keys are the slot and the group of m.
func (r *reader) keys(m *schema.Memory, f fact, c *clause) (slot, group string) {
	subj := text.Fold(trimArticle(m.Subject))
	obj := text.Fold(trimArticle(m.Object))
	qual := text.Fold(f.qualifier)
	p := f.pred
	pole := ""
	if m.Negated {
		pole = "not"
	}
	if !m.ValidTo.IsZero() {
		pole += "past"
	}
	name := cmp.Or(p.slot, p.name)
	switch {
	case c.also || f.noSlot || c.reported && p.arity == one:
	case p.arity == one || p.arity == immutable || f.oneSlot:
		slot = schema.SlotKey(r.owner, subj, name, qual)
	case p.arity == polar:
		slot = schema.SlotKey(r.owner, subj, name, cmp.Or(qual, obj))
	case p.arity == open:
		slot = schema.OpenSlotKey(r.owner, "", name, subj)
	}
	switch p.name {
	case pRule.name, pReminder.name, pPlan.name, pStatement.name, pHabit.name, pDecision.name, pReported.name, pReference.name, pPermitted.name, pExempt.name:
		return slot, schema.GroupKey(r.owner, "text", string(m.Type), r.normal(m))
	case pEvent.name:
		return slot, schema.GroupKey(r.owner, "did", subj, obj, qual)
	}
	if obj == "" && qual == "" {
		return slot, ""
	}
	if p.arity == polar && qual != "" {
		obj = qual
	}
	return slot, schema.GroupKey(r.owner, subj, p.name, qual, obj, pole)
}

// normal is m's content as it is compared: in a tool's output also what differs from run to run is masked (C2).
func (r *reader) normal(m *schema.Memory) string {
	if m.Source.Class == schema.ClassTool {
		return text.NormalizeTool(m.Content)
	}
	return text.Normalize(m.Content)
}

func (r *reader) source(seg *schema.Segment) schema.Source {
	return schema.Source{
		Event: r.env.ID, UUID: r.env.UUID, Seg: seg.Key, Tool: seg.Tool, Seq: r.env.Seq,
		Class: r.class(seg),
	}
}

// class is the class of a segment, which clean set; one without is as trusted as its kind. The envelope's class is
// the least of the whole turn and says nothing about one segment.
func (r *reader) class(seg *schema.Segment) schema.Class {
	if seg.Class != 0 {
		return seg.Class
	}
	switch seg.Kind {
	case schema.SegInput:
		return schema.ClassUser
	case schema.SegResponse:
		return schema.ClassAssistant
	}
	return schema.ClassTool
}

// The tables are made ready when they are first needed: most processes read no facts.
var (
	tableEn = sync.OnceValue(func() *table { return newTable(rulesEn) })
	tableZh = sync.OnceValue(func() *table { return newTable(rulesZh) })
)

func tableOf(lang string) *table {
	if lang == "zh" {
		return tableZh()
	}
	return tableEn()
}

// Rule describes one row of a table, for people and for the documentation.
type Rule struct {
	Name       string      `json:"name"`
	Predicate  string      `json:"predicate"`
	Type       schema.Type `json:"type"`
	Confidence float64     `json:"confidence"`
}

// Rules lists both tables in their order.
func Rules() []Rule {
	var out []Rule
	for _, t := range [...][]rule{rulesEn, rulesZh, rulesResult} {
		for i := range t {
			out = append(out, Rule{t[i].name, t[i].pred.name, t[i].pred.typ, t[i].conf})
		}
	}
	return out
}

// String shows a rule as name → predicate.
func (r Rule) String() string { return fmt.Sprintf("%s → %s", r.Name, r.Predicate) }
