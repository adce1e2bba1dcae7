package distill

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Offer is a predicate that a language model may state with, and what it means in words that go into a prompt.
type Offer struct{ Name, Means string }

// offers are what a model may state. Rules, wishes and plans are not among them: they bind what an agent does, and only
// the user's own words, read by rules that can be read themselves, may.
var offers = []struct {
	pred  predicate
	means string
}{
	{pName, "what somebody or something is called"}, {pLivesIn, "where somebody lives now"}, {pHometown, "where somebody comes from or grew up"},
	{pWorksAt, "whom somebody works for"}, {pJob, "somebody's job or title"}, {pField, "the field somebody works in"}, {pStudies, "what somebody studies"},
	{pSpeaks, "a language somebody speaks"}, {pNation, "somebody's nationality"}, {pMarital, "whether somebody is married, single, …"},
	{pAge, "somebody's age"}, {pBirthday, "the day somebody was born"}, {pAllergic, "what somebody is allergic to"}, {pHealth, "an illness or injury of somebody's"},
	{pDiet, "a diet somebody keeps"}, {pLikes, "what somebody likes"}, {pDislikes, "what somebody dislikes"}, {pFavourite, "somebody's favourite of the things that attribute names"},
	{pHas, "what somebody owns or keeps"}, {pUses, "a tool or thing somebody uses"}, {pDoing, "what somebody is busy with these days"},
	{pAttr, "any other property, which attribute names"}, {pPort, "the port of a service"}, {pVersion, "the version of a thing"}, {pPath, "the path of a thing"},
	{pHost, "the machine something runs on"}, {pURL, "the address of a thing"}, {pOwner, "who is responsible for a thing"}, {pWrittenIn, "the language a program is written in"},
	{pDepends, "what a thing depends on"},
}

// Offers is the vocabulary for a model.
func Offers() []Offer {
	out := make([]Offer, len(offers))
	for i, o := range offers {
		out[i] = Offer{o.pred.name, o.means}
	}
	return out
}

func offered(name string) (predicate, bool) {
	for _, o := range offers {
		if o.pred.name == name {
			return o.pred, true
		}
	}
	return predicate{}, false
}

// Reasons why a reading of a model's is refused.
const (
	RefusedPredicate = "predicate" // it is none that was offered, or lacks the attribute that it needs
	RefusedQuote     = "quote"     // quote or value do not stand in one sentence of the text
	RefusedGuarded   = "guarded"   // nothing is stated there: a question, a supposition, a request, somebody else's words
	RefusedPolarity  = "polarity"  // it affirms what is denied there, or the other way round
	RefusedSubject   = "subject"   // it does not speak of that one
	RefusedTime      = "time"      // the words for the time do not stand there, or mean no time
	RefusedKnown     = "known"     // a rule has read that place, or an earlier reading says the same
	RefusedSecret    = "secret"    // it is about a credential
)

// Bounds of a reading, in bytes.
const (
	maxValue     = 200
	inferredConf = .6 // below what rules give to the same
)

// Inferred holds what a model says it has read in a segment of a cleaned turn against the text, and makes memories of
// what stands there: without id and status, by the rule [schema.RuleModel] + model. What a rule has read of the turn, known,
// is left to it. refused counts the rest by reason. A model's word is no more than a pointer to words of the user's: each
// value is cut from the text, the sentence around it is the content, and times come from that sentence by the rules for
// times. What results pins nothing and ends nothing by itself. It is deterministic.
func Inferred(body schema.Cleaned, env schema.Envelope, seg *schema.Segment, known []schema.Memory, rs []schema.Reading, model string) (out []schema.Memory, refused map[string]int) {
	refused = map[string]int{}
	r := newReader(&body, &env)
	rl := rule{name: schema.RuleModel + model, conf: inferredConf}
	sents := sentences(seg.Text)
	for i := range rs {
		m, why := r.infer(seg, sents, &rs[i], &rl)
		if why == "" && (r.groups[m.Group] || taken(known, &m)) {
			why = RefusedKnown
		}
		if why != "" {
			refused[why]++
			continue
		}
		r.groups[m.Group] = true
		if len(out) < maxFacts {
			out = append(out, m)
		}
	}
	return out, refused
}

// taken reports whether a rule speaks of what m does: of the same subject in the same slot or group, or with the same words.
func taken(known []schema.Memory, m *schema.Memory) bool {
	for i := range known {
		k := &known[i]
		if k.Source.Seg != m.Source.Seg || k.Subject != m.Subject {
			continue
		}
		if k.Group == m.Group || k.Slot != "" && k.Slot == m.Slot && schema.IsOneSlot(m.Slot) || k.Object != "" && (strings.Contains(k.Object, m.Object) || strings.Contains(m.Object, k.Object)) {
			return true
		}
	}
	return false
}

// infer holds one reading against the sentences that it may be of, and takes the first that states it.
func (r *reader) infer(seg *schema.Segment, sents []string, rd *schema.Reading, rl *rule) (m schema.Memory, why string) {
	p, ok := offered(rd.Predicate)
	if !ok || (p.name == pAttr.name || p.name == pFavourite.name) && strings.TrimSpace(rd.Attribute) == "" {
		return m, RefusedPredicate
	}
	if len(rd.Value) > maxValue || !strings.Contains(rd.Quote, rd.Value) {
		return m, RefusedQuote
	}
	for _, sent := range sents {
		if !wholeIn(sent, rd.Quote) || !wholeIn(sent, rd.Value) || rd.Attribute != "" && !wholeIn(sent, rd.Attribute) {
			continue
		}
		found, refused := r.inferFrom(seg, sent, rd, p, rl)
		if refused == "" {
			return found, ""
		}
		why = cmp.Or(why, refused)
	}
	return m, cmp.Or(why, RefusedQuote)
}

// inferFrom is infer for one sentence: the clause that holds the quote has to state it.
func (r *reader) inferFrom(seg *schema.Segment, sent string, rd *schema.Reading, p predicate, rl *rule) (m schema.Memory, why string) {
	if forgets(sent) {
		return m, RefusedGuarded
	}
	r.said, r.plain = sent, sent
	quote, value := rd.Quote, rd.Value
	if langOf(sent) == "zh" {
		r.plain, quote, value = plainZh(sent), plainZh(quote), plainZh(value)
	}
	for _, c := range clauses(r.plain, r.sp, r.env.At) {
		if !holds(c, tidy(r.plain), tidy(quote), tidy(value)) {
			continue
		}
		found, refused := r.inferClause(seg, c, sent, rd, p, rl, value)
		if refused == "" {
			return found, ""
		}
		why = cmp.Or(why, refused)
	}
	return m, cmp.Or(why, RefusedGuarded)
}

func (r *reader) inferClause(seg *schema.Segment, c *clause, sent string, rd *schema.Reading, p predicate, rl *rule, value string) (m schema.Memory, why string) {
	f := fact{pred: p, object: rd.Value, qualifier: rd.Attribute, conf: inferredConf, negated: rd.Negated, past: rd.Past}
	if c.lang == "zh" {
		value = closed(value)
	}
	switch {
	case unstated(c, p, value):
		return m, RefusedGuarded
	case !agrees(c, &f, value):
		return m, RefusedPolarity
	case rd.Time != "" && (!wholeIn(sent, rd.Time) || len(findWhens(rd.Time, c.clock)) == 0):
		return m, RefusedTime
	case !r.about(c, rd.Subject, value):
		return m, RefusedSubject
	}
	c.explicit, c.alt = false, nil
	if c.content = r.asWritten(c.content); utf8.RuneCountInString(sent) <= maxContent {
		c.content = tidy(sent)
	}
	c.date(c.past || f.past)
	m = r.memory(seg, c, f, rl)
	m.Explicit, m.Replaces = false, ""
	if m.Type == schema.TypeConstraint { // only the user's own words bind, read by rules that can be read themselves
		m.Type = schema.TypeFact
	}
	switch {
	case secret(&m, f):
		return m, RefusedSecret
	case m.Group == "" || m.Content == "":
		return m, RefusedPredicate
	}
	return m, ""
}

// holds reports whether c is where quote, a part of the sentence plain, says value: it has all of quote, or that part of it
// in which value stands.
func holds(c *clause, plain, quote, value string) bool {
	if wholeIn(c.content, quote) || wholeIn(c.text, quote) || c.lang == "zh" && wholeIn(c.text, closed(quote)) {
		return true
	}
	at, from := strings.Index(plain, c.content), strings.Index(plain, quote)
	if at < 0 || from < 0 {
		return false
	}
	start, end := max(at, from), min(at+len(c.content), from+len(quote))
	return start < end && wholeIn(plain[start:end], value)
}

// about makes c speak of the subject that a model names, and reports whether it does where it says value: of the user where
// it is nobody else's clause, else of whom or what it speaks, or, where it has no subject, of what it names.
func (r *reader) about(c *clause, subj, value string) bool {
	own := r.spokenAt(c, value)
	if strings.EqualFold(subj, "user") {
		if own.kind&(subjKin|subjPerson|subjThing|subjMine) != 0 || c.reported {
			return false
		}
		c.sub = subject{kind: subjSelf, text: r.sp.self}
		return true
	}
	subj = tidy(subj)
	if subj == "" || utf8.RuneCountInString(subj) > 40 || isPronounEn(strings.ToLower(subj)) {
		return false
	}
	name := Subject(subj)
	if len(subj) > 3 && name == subj { // "My sister" begins a sentence
		name = Subject(strings.ToLower(subj[:1]) + subj[1:])
	}
	role, kin := strings.CutPrefix(name, "user's ")
	if kin {
		name = r.sp.self + "'s " + role
	} else {
		name = subj
	}
	if own.kind != 0 && own.kind != subjNone {
		c.sub = own
		same := func(a string) bool { return a != "" && text.Fold(trimArticle(a)) == text.Fold(trimArticle(name)) }
		return own.kind&(subjSelf|subjGroup) == 0 && (same(own.text) || same(own.said) || !kin && same(own.name))
	}
	if !wholeIn(c.content, subj) && !wholeIn(c.text, subj) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(subj)
	switch {
	case kin:
		c.sub = subject{kind: subjKin, text: name}
	case unicode.IsUpper(first) || unicode.Is(unicode.Han, first) || unicode.IsDigit(first):
		c.sub = subject{kind: subjThing, text: text.Sanitize(subj)}
	default:
		return false
	}
	return true
}

// wholeIn reports whether part, which must not be empty, stands in s to the letter, and not within a longer word.
func wholeIn(s, part string) bool {
	if strings.TrimSpace(part) == "" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(part)
	last, _ := utf8.DecodeLastRuneInString(part)
	for at := 0; ; {
		i := strings.Index(s[at:], part)
		if i < 0 {
			return false
		}
		at += i
		before, _ := utf8.DecodeLastRuneInString(s[:at])
		after, _ := utf8.DecodeRuneInString(s[at+len(part):])
		if !joined(before, first) && !joined(last, after) {
			return true
		}
		at += len(string(first))
	}
}

// joined reports whether two characters side by side are of one word: letters or digits of a script that separates words.
func joined(a, b rune) bool {
	word := func(r rune) bool { return (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unicode.Is(unicode.Han, r) }
	return a != utf8.RuneError && b != utf8.RuneError && word(a) && word(b)
}
