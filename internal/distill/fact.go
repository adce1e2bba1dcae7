package distill

import (
	"cmp"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

var reSecretAttr = gated(`(?i)(?:^|[ _-])(?:password|passcode|passphrase|api[ _-]?key|(?:access |auth )?token|secret)$|密码$|口令$|密钥$|令牌$`)

// secret reports whether m states a credential. Clean masks those that it knows by their form; a fact whose value is
// a mask, or that names a password as its attribute, has nothing to say that may be repeated.
func secret(m *schema.Memory, f fact) bool {
	return strings.Contains(m.Object, "[secret:") || reSecretAttr.match(f.qualifier) || reSecretAttr.match(m.Subject)
}

func (r *reader) memory(seg *schema.Segment, c *clause, f fact, rl *rule) schema.Memory {
	p := f.pred
	measured := reading(c, &f)
	if measured {
		f.past, f.noSlot = false, true // what was measured then stays what it was
	}
	at := r.env.At
	subj := cmp.Or(f.subject, c.sub.text)
	if p.name == pRule.name && f.subject == "" && c.sub.kind != subjGroup {
		subj = "" // a rule is the speaker's, whatever its words are about
	}
	if subj == "" || subj == "user" {
		subj = r.sp.self
	}
	if p.name == pLivesIn.name && subj == "we" {
		subj = r.sp.self // "we live in" and "I live in" tell of one home
	}
	neg := f.negated || c.negated && negates(p)
	m := schema.Memory{
		Tenant: r.env.Tenant, User: r.env.User,
		Type: cmp.Or(f.typ, p.typ), Kind: cmp.Or(f.kind, p.kind),
		Content: c.content,
		Subject: subj, Predicate: p.name, Object: r.asWritten(strings.TrimSpace(f.object)), Negated: neg, Replaces: f.replaces,
		Importance: cmp.Or(f.imp, p.imp), Confidence: cmp.Or(f.conf, rl.conf) * c.conf,
		Tier: schema.TierMid, Lang: c.lang, Conversation: r.body.Conversation,
		ObservedAt: at, Rule: rl.name, Source: r.source(seg), Explicit: c.explicit,
	}
	if p.name == pAllergic.name && subj == r.sp.self && !neg && !c.past && !f.past && !c.reported {
		m.Type = schema.TypeConstraint // it binds whatever is asked, as a rule does
	}
	if m.Type == schema.TypePreference && f.typ == "" && subj != r.sp.self && c.sub.kind&(subjKin|subjPerson) != 0 {
		m.Type = schema.TypeFact // what others like is worth knowing, and guides no answer
	}
	if m.Type == schema.TypeConstraint && !f.soft {
		m.Explicit = true
	}
	if c.explicit {
		m.Importance = min(m.Importance+.2, .95)
		m.Confidence = max(m.Confidence, .9)
	}
	if c.sub.kind == subjGroup && subj == "we" && m.Kind == schema.KindUser && m.Type == schema.TypeFact {
		m.Kind = schema.KindProject
	}
	r.times(&m, c, f)
	if !f.until.IsZero() {
		m.ExpiresAt = f.until
	}
	if p.arity == things && neg && c.ended && m.Replaces == "" {
		m.Replaces = m.Object // given up, whatever was said of it
	}
	m.Content = annotate(c.content, c.certain(recurring(&m)), c.lang)
	m.Slot, m.Group = r.keys(&m, f, c)
	if s := r.matterSlot(p, text.Fold(m.Subject), &m, &f, c); s != "" {
		m.Slot = s
	}
	if measured {
		for _, w := range c.certain(false) {
			m.ValidFrom = w.from
		}
		m.Group = schema.GroupKey(r.owner, "reading", m.Group, r.env.UUID)
	}
	m.ContentHash = schema.Hash([]byte(text.Normalize(m.Content)))
	return m
}

// reading reports whether f is a value measured at a time ("my blood pressure this morning was 130/85"): one of a series,
// of which none ends or repeats another.
func reading(c *clause, f *fact) bool {
	return f.past && !c.past && f.pred.name == pAttr.name && strings.ContainsAny(f.object, "0123456789") && len(c.certain(false)) > 0
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
	if located[f.pred.name] {
		subj = database(subj)
	}
	obj := text.Fold(trimArticle(m.Object))
	if obj != "" {
		obj = text.Gist(m.Object)
	}
	qual := text.Fold(f.qualifier)
	for _, w := range [...]string{"new ", "current ", "新的", "现在的", "新"} { // my new number is my number
		if q, ok := strings.CutPrefix(qual, w); ok && utf8.RuneCountInString(q) > 1 {
			qual = q
			break
		}
	}
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
	case p.arity == things && !f.noSlot:
		words, kind := text.Thing(m.Object)
		if kind = cmp.Or(p.slot, kindOf(&f), kind); kind != "" {
			slot = schema.ThingSlotKey(r.owner, subj, kind)
		}
		if p.name == pHabit.name {
			break
		}
		if len(words) == 0 {
			words = []string{obj, qual}
		}
		return slot, schema.GroupKey(r.owner, subj, p.name, strings.Join(words, " "), pole)
	case c.also || f.noSlot || c.reported && p.arity == one:
	case p.arity == one || p.arity == immutable || f.oneSlot:
		slot = schema.SlotKey(r.owner, subj, name, qual)
	case p.name == pDiet.name && meatless[obj]: // of these one holds
		slot = schema.SlotKey(r.owner, subj, name, "meat")
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

// located are the predicates that tell where a thing is found, and as what.
var located = map[string]bool{pPort.name: true, pHost.name: true, pVersion.name: true, pPath.name: true, pURL.name: true}

var (
	reDatabaseZh = gated(`^(.+?)(?:机|机器|环境|服务器|服)?(?:上|里)?的?(?:数据库|库|db)$`)
	reDatabaseEn = regexp.MustCompile(`^(?:(?:database|db) (?:on|of|in|for) (?:the )?(\S+?)|(\S+?)(?:'s)?)(?: (?:machine|server|host|box|environment|env|system)(?:'s)?)?(?: (?:database|db))?$`)
)

// database is a folded name of a database, one for all of its names: 测试机的数据库, 测试环境的库 and 测试库 are one, and so are
// "staging server's database", "the database on staging" and "staging db". Other names stay.
func database(name string) string {
	if m := reDatabaseZh.find(name); m != nil && langOf(name) == "zh" {
		return m[1] + "库"
	}
	if strings.HasPrefix(name, "database ") || strings.HasPrefix(name, "db ") || strings.HasSuffix(name, " database") || strings.HasSuffix(name, " db") {
		if m := reDatabaseEn.FindStringSubmatch(name); m != nil {
			return m[1] + m[2] + " db"
		}
	}
	return name
}

// meatless are the diets that exclude one another, as gists.
var meatless = wordSet("vegetarian vegan pescatarian 素食主义者 素食者 素食 纯素 全素 吃素 素")

// kindOf is the kind of animal that has a name: "my dog is called Rex" speaks of a dog.
func kindOf(f *fact) string {
	if f.pred.name == pHas.name && petKeys[f.qualifier] {
		_, kind := text.Thing(f.qualifier)
		return kind
	}
	return ""
}

// normal is m's content as it is compared: the same in other words is the same ([text.Gist]), and in a tool's output,
// which is kept to the letter, also what differs from run to run is masked (C2).
func (r *reader) normal(m *schema.Memory) string {
	if m.Source.Class == schema.ClassTool {
		return text.NormalizeTool(m.Content)
	}
	return text.Gist(m.Content)
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
