package distill

import (
	"strings"
	"time"
)

var (
	reWhEn       = gated(`(?i)^(?:what|what's|when|where|who|who's|whose|whom|how|why|which|can|could|would|will|shall|should|do|does|did|is|are|am|was|were|have|has|had|may|might|isn't|aren't|don't|doesn't|didn't|any idea|tell me|explain|describe|guess|let me know|i wonder|i was wondering|wondering|do you)\b`)
	reHypoHeadEn = gated(`(?i)^(?:if|suppose|supposing|imagine|assuming|assume|let's say|say|unless|what if|pretend|hypothetically)\b`)
	reTagQEn     = gated(`(?i), (?:right|correct|isn't it|don't i|do i|am i|aren't i|no|yes|ok|okay)\s*\?$`)
	reReportEn   = gated(`(?i)^((?:my|our|the) [\w' -]{1,40}?|[A-Z][\w.-]*(?: [A-Z][\w.-]*)?|he|she|they|people|someone|somebody|everyone|it) (?:says?|said|claims?|claimed|told (?:me|us)|mentioned|thinks?|thought|believes?|believed|suggested|suggests|recommends?|recommended|(?:wrote|writes|reported|reports|asked) that)(?: that)? (.+)$`)
	reAccordEn   = gated(`(?i)^(?:according to|apparently|rumou?r|they say|i (?:heard|read|saw)|allegedly|the (?:article|book|page|readme|doc|docs|manual|log|error|message|email) (?:says|said|states))\b`)
	reThirdEn    = gated(`(?i)^(?:he|she|they)(?:'s| is|'re| are)? `)
	reLeadEn     = gated(`(?i)^((?:as of|since|from|in|on|at|after|before|during|until|for|starting|by|every|each) [^,.;]{1,40}?,? |(?:now|currently|nowadays|these days|right now|at the moment|today|yesterday|tomorrow|tonight|recently|lately|last \w+|this \w+|next \w+|usually|normally|generally|personally|unfortunately|luckily|sadly),? |the \w+ (?:before|after) \w+,? )(I|my|we|our)\b`)
	reLeadAnyEn  = gated(`(?i)^(?:as of (?:\w+ ){1,3}|now|currently|nowadays|these days|right now|at the moment|from now on|today|yesterday|recently|lately|as of [^,]{1,30}),? `)
	rePleaseEn   = gated(`(?i), please([.!]*)$`)
	reAdvEn      = gated(`(?i)^(?:really|absolutely|truly|actually|currently|now|just|still|also|always|usually|normally|generally|already|recently|definitely|strongly|totally|completely|simply|both|all|only|mostly|mainly|personally|very much|quite|do|does|did|have always|has always|have been|has been|have recently|have just) `)
)

// contractions are written out for matching; contents keep them.
var contractions = strings.NewReplacer(
	"’", "'", "I'm ", "I am ", "i'm ", "I am ", "I've ", "I have ", "i've ", "I have ", "I'd ", "I would ", "I'll ", "I will ", "i'll ", "I will ",
	"we're ", "we are ", "We're ", "We are ", "we've ", "we have ", "We've ", "We have ", "we'll ", "we will ", "We'll ", "We will ",
	"he's ", "he is ", "she's ", "she is ", "it's ", "it is ", "He's ", "He is ", "She's ", "She is ", "It's ", "It is ", "they're ", "they are ",
	"don't", "do not", "Don't", "Do not", "doesn't", "does not", "didn't", "did not", "can't", "cannot", "Can't", "Cannot", "won't", "will not",
	"isn't", "is not", "aren't", "are not", "wasn't", "was not", "weren't", "were not", "haven't", "have not", "hasn't", "has not",
	"mustn't", "must not", "shouldn't", "should not", "that's ", "that is ", "you're ", "you are ", "can not", "cannot",
)

func clausesEn(sent string, sp speaker, at time.Time) []*clause {
	u := stripEn(sent)
	if u.text == "" || reJestEn.match(u.text) {
		return nil
	}
	if (quotesEn(u.text) || madeUpEn(u.text)) && !u.explicit {
		return nil
	}
	question := strings.HasSuffix(strings.TrimRight(sent, `"'” )`), "?")
	if (reAskBareEn.match(u.text) || reTagEn.match(sent)) && !u.explicit {
		return nil
	}
	if m := reStandingAskEn.find(u.text); m != nil {
		u.text, question = m[1], false
	}
	if question && (reTagQEn.match(sent) || reWhEn.match(u.text) && !u.explicit) {
		return nil
	}
	u.text = appositive(u.text)                      // "my manager, Ana, hates …" is one clause
	u.text = rePleaseEn.replace(u.text, " please$1") // "No emojis, please." is one clause
	parts := cutEn(u.text)
	if i := strings.LastIndex(u.text, ", "); question && len(parts) == 1 && i > 0 {
		parts = []string{u.text[:i], u.text[i+2:]} // "I live in Porto, so which line do I take?"
	}
	if list := profileOf(sent, u.text); list != "" {
		parts = strings.Split(list, ", ")
		for i := range parts {
			parts[i] = profileEn(trimWord(parts[i], "and"))
		}
		parts = cutAllEn(parts)
	}
	var out []*clause
	before := context{who: sp.who}
	for i, p := range parts {
		if reWhEn.match(p) && (question || i > 0 && !hasPrefixAny(strings.ToLower(p), "don't", "do not", "is ", "are ", "was ", "has ", "have ", "had ")) && !u.explicit {
			continue // "…, what should I order?"
		}
		if question && i == len(parts)-1 {
			continue // asked, not said
		}
		for _, q := range carryEn(p) {
			c := readEn(q, sp, at, before)
			if c == nil {
				continue
			}
			c.explicit = u.explicit
			if u.todo {
				c.setVP("remember to " + c.text)
				c.sub = subject{kind: subjNone}
			}
			before = before.after(c)
			out = append(out, c)
		}
	}
	return out
}

// reJestEn takes back what was said, or is not meant.
var reJestEn = gated(`(?i)^(?:(?:I'm|I am|im|just|only|totally) )*(?:kidding|joking|jk)\b|\b(?:just kidding|jk|kidding)[.!)]*$`)

var reMeEn = gated(`(?i)^(?:` + meEn + `|my\b|our\b)`)

// quotesEn reports whether s holds somebody else's sentence in quotation marks.
func quotesEn(s string) bool {
	for _, q := range [...][2]string{{`"`, `"`}, {"“", "”"}, {"‘", "’"}} {
		a := strings.Index(s, q[0])
		if a < 0 {
			continue
		}
		b := strings.Index(s[a+len(q[0]):], q[1])
		if b >= 0 && len(strings.Fields(s[a+len(q[0]):a+len(q[0])+b])) >= 5 {
			return true
		}
	}
	return false
}

// context is what a clause may leave out because it was said before.
type context struct {
	said string // the subject of the clause before it in its sentence
	who  string // whom or what was spoken of last
}

func (x context) after(c *clause) context {
	if who := c.spokenOf(); who != "" {
		x.who = who
	}
	if c.sub.kind != subjNone {
		x.said = c.sub.said
	}
	return x
}

var (
	reDoctorEn = gated(`(?i)^(?:my |the )?(?:doctor|gp|dentist|physio(?:therapist)?|cardiologist) (?:told|advised|asked|said|says|recommends?|recommended|suggests?|suggested|wants|ordered)\b`)
	reAndIEn   = gated(`(?i)^(?:my [\p{Ll}-]+(?: \p{Lu}[\p{L}-]+)?|\p{Lu}[\p{L}-]+) and (?:I|me) `)
	reApposEn  = gated(`^(\p{Lu}[\p{L}'-]+), (my [\p{Ll}-]+(?: [\p{Ll}-]+)?), (.+)$`)
	reApposMy  = gated(`^([Mm]y [\p{Ll}-]+(?: [\p{Ll}-]+)?), ((?:Mr\.? |Mrs\.? |Ms\.? |Dr\.? )?\p{Lu}[\p{L}'-]+), (.+)$`)
)

// appositive turns "Hugo, my flatmate, plays …" and "my flatmate, Hugo, plays …" into "my flatmate Hugo plays …".
func appositive(s string) string {
	if !strings.Contains(s, ", ") {
		return s
	}
	if m := reApposEn.find(s); m != nil {
		return m[2] + " " + m[1] + " " + m[3]
	}
	if m := reApposMy.find(s); m != nil {
		return m[1] + " " + m[2] + " " + m[3]
	}
	return s
}

// readEn reads one part: its subject and what is said of it.
func readEn(p string, sp speaker, at time.Time, before context) *clause {
	p = strings.TrimSpace(p)
	if len(p) < 4 {
		return nil
	}
	sure := 1.0
	if t, ok := referredEn(p, before.who); ok {
		p, sure = t, .9
	}
	text := isEn(contractions.Replace(spelledEn(p)))
	if unsureEn(text) && !keepsHypo(text) {
		return nil
	}
	text = reAndIEn.replace(appositive(text), "we ")
	past := pastEn(text) && !futureEn(text)
	conf, reported := sure, false
	if reAccordEn.match(text) {
		return nil
	}
	if m := reReportEn.find(text); m != nil && !reDoctorEn.match(text) {
		who := strings.ToLower(m[1])
		if who == "i" || !reThirdEn.match(m[2]) || isPronounEn(who) {
			return nil // what somebody said about somebody
		}
		text = m[1] + " " + strings.TrimSpace(m[2][strings.IndexByte(m[2], ' '):])
		conf, reported = 0.7, true
	}
	c := newClause(tidy(p), text, "en", at, past)
	c.conf, c.reported = conf, reported
	t := text
	if m := reLeadEn.findIndex(t); m != nil {
		t = t[m[4]:]
	} else if ix := reLeadAnyEn.findIndex(t); ix != nil && ix[1] < len(t) && !strings.HasPrefix(c.low, "from now on") {
		t = t[ix[1]:]
	}
	c.sub = subject{kind: subjNone}
	vp := t
	switch low := strings.ToLower(t); {
	case strings.HasPrefix(t, "I ") || strings.HasPrefix(t, "i "):
		c.sub = subject{kind: subjSelf, text: sp.self, said: "I"}
		vp = t[2:]
	case hasPrefixAny(low, "the user "): // how agents write it down
		c.sub = subject{kind: subjSelf, text: sp.self, said: "The user"}
		vp = t[len("the user "):]
	case hasPrefixAny(low, "we ", "our team ", "the team "):
		n := strings.Index(low, " ")
		if !strings.HasPrefix(low, "we ") {
			n += 1 + strings.Index(low[n+1:], " ")
		}
		c.sub = subject{kind: subjGroup, text: "we", said: t[:n]}
		vp = t[n+1:]
	default:
		if s, rest, ok := kinHeadEn(t, sp); ok {
			c.sub, vp = s, rest
			break
		}
		if m := rePossEn.find(t); m != nil {
			if w := m[2][strings.LastIndexByte(m[2], ' ')+1:]; isPrepositionEn(w) { // "my line of work is"
				if long := rePossIsEn.find(t); long != nil {
					m = []string{long[0], long[1], long[2], "", "", long[3], long[4]}
				}
			}
			c.sub, vp = possessedEn(m, sp)
			break
		}
		if _, ok := elidedEn(t, before.said); ok {
			break
		}
		t = reOftenEn.replace(t, "")
		if deedEn(t) {
			break
		}
		if m, ok := splitThingEn(t); ok && !isPronounEn(strings.ToLower(firstWord(m.noun))) && !isImperativeEn(m.noun) {
			c.sub, vp = thingEn(m, sp)
		}
	}
	if c.sub.kind == subjNone {
		if s, content, ok := before.complete(p, t); ok {
			if full := readEn(s, sp, at, context{}); full != nil && full.sub.kind != subjNone {
				full.content = content
				return full
			}
		}
	}
	c.readVP(vp)
	if c.sub.kind == subjNone {
		c.alt = c.framed(t, before.said, sp)
	}
	return c
}

// complete puts the subject before t, the words of the part p behind its adverbial, that p goes without.
func (x context) complete(p, t string) (s, content string, ok bool) {
	if x.said == "" {
		s, ok = elidedEn(t, "")
		return s, tidy(p), ok
	}
	s, ok = carriedEn(t, x.said)
	return s, tidy(s), ok
}

var (
	reLikeYouEn = gated(`(?i)^(?:I|we) would (?:like|love|prefer|appreciate) (?:it if )?you\b`)
	reWhenYouEn = gated(`(?i)` + whenYouEn + `(?:` + standingVerbsEn + `)\b.+$`)
)

// reMeantEn are turns with a word for what is not so that say what is.
var reMeantEn = gated(`(?i)\b(?:(?:would|could|will|can|might) (?:\w+ly |actually )?kill me|could (?:eat|listen to|drink|watch|live on|read|talk about) .* (?:every|all|forever|for (?:breakfast|hours|days))|would (?:always |much |honestly )*(?:take|choose|pick) .* over|would (?:always )(?:choose|pick|take)|would (?:really |much )?appreciate|promised .* would)\b`)

// keepsHypo lists what looks unsure and yet states: a wish about how to be treated, a conditional rule.
func keepsHypo(s string) bool {
	low := strings.ToLower(s)
	if containsAny(low, "would rather", "would prefer", "would like you to always", "would like you to never", "would never", "would not like") {
		return !hasPrefixAny(low, "if ")
	}
	if reLikeYouEn.match(s) || reWhenYouEn.match(s) {
		return true
	}
	if reMeantEn.match(s) {
		return true
	}
	if m := reIfEn.find(s); m != nil && reOrderEn.match(m[1]) && !reIfNotEn.match(s) {
		return true
	}
	return hasPrefixAny(low, "if ", "unless ") && containsAny(low, "always", "never", "do not", "must", "make sure")
}

// readVP takes adverbs, negation and tense off the front of what is said.
func (c *clause) readVP(vp string) {
	for range 6 {
		low := strings.ToLower(vp)
		switch {
		case hasPrefixAny(low, "no longer "):
			c.negated, c.ended, vp = true, true, vp[10:]
		case hasPrefixAny(low, "used to be "):
			c.past, vp = true, "am "+vp[len("used to be "):]
		case hasPrefixAny(low, "used to "):
			c.past, vp = true, vp[8:]
		case hasPrefixAny(low, "have not ", "has not "):
			c.negated, vp = true, "have "+vp[strings.Index(low, "not ")+4:]
		case hasPrefixAny(low, "do not ", "did not "):
			c.negated, vp = true, vp[strings.Index(low, "not ")+4:]
		case hasPrefixAny(low, "does not "):
			c.negated, vp = true, vp[9:]
		case hasPrefixAny(low, "never "):
			c.negated, vp = true, vp[6:]
		case hasPrefixAny(low, "have stopped ", "has stopped ", "have quit ", "has quit ", "have given up ", "has given up ", "have never ", "has never "):
			vp = vp[strings.Index(low, " ")+1:]
		case hasPrefixAny(low, "stopped ", "quit ", "gave up ", "given up "):
			c.negated, c.ended, vp = true, true, vp[strings.Index(low, " ")+1:]
			vp = strings.TrimPrefix(vp, "up ")
		case hasPrefixAny(low, "am not ", "is not ", "are not "):
			c.negated, vp = true, vp[:strings.Index(low, " ")]+vp[strings.Index(low, " not ")+4:]
		case hasPrefixAny(low, "am no longer ", "is no longer ", "are no longer "):
			c.negated, c.ended, vp = true, true, vp[:strings.Index(low, " ")]+vp[strings.Index(low, " longer ")+7:]
		default:
			ix := reAdvEn.findIndex(vp)
			if ix == nil {
				c.finishVP(vp)
				return
			}
			w := strings.ToLower(strings.TrimSpace(vp[:ix[1]]))
			if w == "also" || w == "both" {
				c.also = true
			}
			if w == "do" || w == "does" || w == "did" {
				if detEn[strings.ToLower(firstWord(vp[ix[1]:]))] { // "I do all my notes in Obsidian"
					c.finishVP(vp)
					return
				}
				if !c.negated && len(vp) > ix[1] {
					vp = vp[ix[1]:]
					continue
				}
			}
			vp = vp[ix[1]:]
			if w == "have been" || w == "has been" {
				vp = "am " + vp
			}
		}
	}
	c.finishVP(vp)
}

func (c *clause) finishVP(vp string) {
	low := strings.ToLower(vp)
	if c.negated && containsAny(low, "any more", "anymore", "any longer") {
		c.ended = true
	}
	if containsAny(low, " as well", " too.", "part-time", "part time", "on the side", "second job") || strings.HasSuffix(strings.TrimRight(low, ".!"), " too") {
		c.also = true
	}
	vp = trimTailEn(vp)
	if !hasPrefixAny(strings.ToLower(vp), "am ", "is ", "are ") {
		c.setVP(vp)
		return
	}
	if m := reBeAdvEn.find(vp); m != nil {
		c.also = c.also || strings.Contains(strings.ToLower(m[2]), "also ")
		vp = m[1] + vp[len(m[0]):]
	}
	c.setVP(vp)
}

var reBeAdvEn = gated(`(?i)^((?:am|is|are) )((?:(?:also|now|currently|really|actually|just|still|already|only|very|severely|deathly|highly|officially|technically|basically|originally|finally|definitely|both|all|super|totally|terribly|extremely|mildly|slightly|a bit) )+)`)

// trimTailEn takes closing marks and words that say nothing about the value off the end.
func trimTailEn(s string) string {
	for {
		s = strings.TrimRight(s, " .!,;:)")
		low := strings.ToLower(s)
		cut := false
		for _, w := range [...]string{" any more", " anymore", " any longer", " these days", " nowadays", " at the moment", " right now", " at present", " currently", " now", " as well", " too", " by the way", " btw", " please", " though", " thanks", " thank you", " at all", " either", " so far", " again"} {
			if strings.HasSuffix(low, w) && len(low) == len(s) {
				s, cut = s[:len(s)-len(w)], true
				break
			}
		}
		if !cut {
			return s
		}
	}
}
