package distill

import (
	"strings"
	"time"
	"unicode"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// firstGroup takes the first group that matched as the object.
func firstGroup(c *clause, m []string) (fact, bool) {
	for _, g := range m[1:] {
		if o := objectOf(c, g); o != "" && !isPronounEn(strings.ToLower(o)) && !strings.EqualFold(o, "them") {
			return fact{object: o}, true
		}
	}
	return fact{}, false
}

// hasIllnessEn is firstGroup where the illness, which its group ends with, is what somebody has.
func hasIllnessEn(c *clause, m []string) (fact, bool) {
	if g := m[1]; g != "" {
		i := strings.LastIndexByte(g, ' ') + 1
		if !headsEn(g[:i], m[0][strings.Index(m[0], g)+len(g):]) {
			return fact{}, false
		}
	}
	return firstGroup(c, m)
}

func ruleWhole(c *clause, _ []string) (fact, bool) {
	return fact{object: c.text}, !hasPrefixAny(c.low, "you should know", "you must be", "you may want", "you must have", "you may not know", "you are to blame")
}

func ruleImperative(c *clause, _ []string) (fact, bool) {
	if reAlwaysHasEn.match(c.text) {
		return fact{}, false // "always has, always will"
	}
	if oneOff(c.low) || hasPrefixAny(c.low, "never mind", "do not worry", "do not bother", "do not mention it", "always happy", "always glad", "always a pleasure", "never again", "stop it", "never ever mind", "no thanks", "do not be sorry", "always nice", "always good", "always wanted") {
		return fact{}, false
	}
	if strings.HasPrefix(c.low, "when ") && strings.HasSuffix(c.low, "?") || strings.HasPrefix(c.low, "never ") && pastEn(firstWord(c.low[len("never "):])) {
		return fact{}, false
	}
	return fact{object: c.text}, true
}

// liftEn is a rule lifted. That something may be done now is none by itself: only where it is said for good, or again.
func liftEn(c *clause, m []string) (fact, bool) {
	matter := strings.TrimRight(strings.TrimSpace(strings.Join(m[1:], " ")), ".! ")
	low := strings.ToLower(matter)
	if c.past || oneOff(c.low) || len(c.certain(true)) > 0 || hasPrefixAny(low, "call me ", "be ", "see ", "say that", "tell that", "find ", "go", "try", "start", "stop", "ask ") && !hasPrefixAny(low, "call me on", "call me at", "call me again", "call me in", "call me after") {
		return fact{}, false
	}
	lasting := containsAny(c.low, "from now on", "going forward", "future", "henceforth", "from here on", "no longer", "any more", "anymore", "any longer", "the rule", "the ban", "the no-", "the no ", "restriction", "policy")
	again := strings.HasSuffix(strings.TrimRight(c.low, ".!"), " again") || strings.Contains(c.low, " again ")
	if !lasting && !(again && reVerbStartEn.match(low)) {
		return fact{}, false
	}
	return fact{object: c.text, replaces: strings.TrimSuffix(matter, " again"), soft: true}, matter != ""
}

var reVerbStartEn = gated(`^(?:` + ruleVerbsEn + `) `)

// doneEn reads what the speaker is done with: a thing that is named, not "it" or a ticket's number alone.
func doneEn(c *clause, m []string) (fact, bool) {
	o := undated(objectOf(c, m[1]), c)
	for _, w := range [...]string{" to ", " at ", " with ", " on ", " by "} {
		if i := strings.Index(o, w); i > 0 {
			o = o[:i]
		}
	}
	o = strings.TrimSpace(o)
	low := strings.ToLower(o)
	if c.negated || o == "" || isPronounEn(firstWord(low)) || !hasPrefixAny(low, "the ", "my ", "our ", "all ", "both ") && !unicode.IsUpper([]rune(o)[0]) {
		return fact{}, false
	}
	f, ok := done(c, trimArticle(o))
	return f, ok
}

var (
	reOccasionEn = gated(`(?i)^(?:please )?\w+(?: of)? (?:the |my |our |a |any |all )*(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekends?|weekdays?|weeknights?|nights?|evenings?|mornings?|afternoons?|lunch(?:time)?|dinner(?:time)?|breakfast|meetings?|calls?|holidays?|vacations?|(?:working|work|business|office|school|quiet) (?:hours|time)|\d{1,2}(?::\d\d)? ?(?:am|pm|a\.m\.|p\.m\.|o'clock)?|noon|midnight|bedtime|dark|work|school|home|public|the office|front of .+)\b`)
	rePlaceEn    = gated(`(?i)^(?:please )?(?:in|at|on) (?:the |my |our |any |all )*[\p{L}-]+(?: [\p{L}-]+){0,2},? (?:please )?(?:do not|never|avoid) (?:ever )?(?:` + ruleVerbsEn + `)\b`)
)

// occasionEn is a prohibition with its time, occasion or place before it: "on weekends don't …". One for a certain day
// is no rule.
func occasionEn(c *clause, m []string) (fact, bool) {
	if !reOccasionEn.match(c.text) && !rePlaceEn.match(c.text) || len(c.certain(true)) > 0 || hasPrefixAny(strings.ToLower(m[1]), "worry", "bother", "mind", "be ", "forget", "matter", "one", "problem", "need", "idea") {
		return fact{}, false
	}
	return ruleImperative(c, m)
}

// dutyEn is a to-do without a word on who, told by its date: "need to renew the domain by Friday".
func dutyEn(c *clause, m []string) (fact, bool) {
	if !c.ahead() || c.past {
		return fact{}, false
	}
	return fact{object: objectOf(c, c.text), subject: "user", expires: true}, len(strings.Fields(m[1])) > 1
}

var reModalSelf = gated(`(?i)^(?:be|have been|have|help|fail|rain|snow|take|happen|cause|lead|contain|vary|differ|seem|look|work|know)\b`)

func modalEn(c *clause, m []string) (fact, bool) {
	verb := strings.ToLower(m[1])
	neg := strings.Contains(verb, "not") || containsAny(strings.ToLower(m[2]), "not", "never") || c.negated
	rest := objectOf(c, m[3])
	if verb == "may" && rest != "" && rest[0] >= '0' && rest[0] <= '9' { // the month
		return fact{}, false
	}
	if rest == "" || (verb == "may" || verb == "can" || verb == "should") && reModalSelf.match(rest) {
		return fact{}, false
	}
	if verb == "can" && !neg && c.sub.kind != subjThing { // "Ana can swim" is an ability
		return fact{}, false
	}
	if strings.HasPrefix(c.low, "being ") || strings.HasPrefix(c.low, "error") {
		return fact{}, false
	}
	if verb == "cannot" && reWithoutEn.match(rest) || reInByEn.match(rest) { // what it depends on; when it is due
		return fact{}, false
	}
	if verb == "cannot" && c.sub.kind&(subjThing|subjPerson) == 0 {
		return fact{}, false
	}
	return fact{object: rest, negated: neg, kind: schema.KindProject, soft: !neg && (verb == "may" || verb == "can" || verb == "should" || strings.Contains(verb, "allowed"))}, true
}

var (
	reWithoutEn = gated(`(?i)^(?:run|work|start|boot|build|live|function|operate|compile|come up) without `)
	reInByEn    = gated(`(?i)^be (?:in|handed in|sent|done|submitted|filed|paid|finished|ready)\b.* (?:by|before|until|on)\b`)
)

// limit is the end of the clause's last time expression, zero where there is none ahead of the turn.
func limit(c *clause, at time.Time) (from, to time.Time) {
	for _, w := range c.whens() {
		if w.since && !w.by {
			continue
		}
		end := w.to
		if w.by && w.span > spanDay { // "by June" ends when June begins; "by next week" with that week
			end = w.to
		}
		if !end.Before(at) {
			from, to = w.from, end
		}
	}
	return from, to
}

func todoEn(c *clause, m []string) (fact, bool) {
	c.explicit = true // asked for, as what one is told to remember is
	return fact{object: objectOf(c, m[1]), expires: true}, true
}

func planEn(c *clause, m []string) (fact, bool) {
	if c.past || c.reported {
		return fact{}, false
	}
	ahead := c.ahead()
	must := hasPrefixAny(c.vpLow, "have to", "need to", "must", "have got to", "got to")
	if !ahead && (!must || c.sub.kind != subjSelf || len(strings.Fields(m[1])) < 2 || containsAny(c.vpLow, "know", "ask", "say", "admit", "understand", "think", "see", "be ", "find", "figure", "help", "get this", "go now", "write a", "write an", "decide")) {
		return fact{}, false
	}
	if strings.HasPrefix(c.vpLow, "should") && !ahead {
		return fact{}, false
	}
	if c.sub.kind == subjPerson && !ahead {
		return fact{}, false
	}
	return fact{object: objectOf(c, c.vp), expires: true}, true
}

func deadlineEn(c *clause, m []string) (fact, bool) {
	if len(c.whens()) == 0 {
		return fact{}, false
	}
	f := fact{object: objectOf(c, m[len(m)-1]), expires: true}
	for _, g := range m[1 : len(m)-1] {
		if g != "" {
			f.subject = trimArticle(g)
		}
	}
	if f.subject == "" || isPronounEn(strings.ToLower(f.subject)) {
		return fact{}, false
	}
	f.kind = schema.KindProject
	if hasPrefixAny(c.low, "my ") {
		f.kind = schema.KindUser
	}
	return f, true
}

var reDateEvent = gated(`(?i)\b(?:meeting|appointment|interview|exam|flight|trip|wedding|party|call|demo|launch|release|dentist|class|lesson|concert|conference|event|review|standup|stand-up|retro|sprint|game|match|train|holiday|vacation|visit|surgery|delivery|rehearsal|workshop|training|course|lecture|ceremony|funeral|anniversary|dinner|lunch|reservation|offsite|summit|kick-?off|go-live|migration|freeze|audit|inspection|defen[cs]e|presentation|talk|race|marathon|move|shift|session|submission|election|tournament|festival|premiere|due date|check-up|test|hearing|trial|recital|gig|show|scan|viewing|graduation|prom|reunion|christening|baptism|handover|onboarding|induction|operation|start date)s?\b`)

// dateEn reads when something is to happen: only about things that happen, and only with a date.
func dateEn(c *clause, m []string) (fact, bool) {
	if len(c.whens()) == 0 || !reDateEvent.match(c.sub.said) && !reDateEvent.match(c.sub.text) {
		return fact{}, false
	}
	f := fact{object: objectOf(c, m[1]), expires: true}
	if ft := reFromToEn.find(c.vp); ft != nil {
		f.object = objectOf(c, ft[1]) // what it is moved from is over
	}
	if c.sub.kind == subjMine {
		f.kind = schema.KindUser
	}
	return f, f.object != ""
}

var reFromToEn = gated(`(?i)^(?:(?:is|are|was|were|has|have|been|got|being) )*(?:moves?|moved|postponed|rescheduled|pushed|brought forward|changed|shifted|slipped)(?: back)? from (?:.{2,30}?) (?:back )?to (.+)$`)

var reAlwaysHasEn = gated(`(?i)^(?:always (?:has|have|had|did|does|do|will|was|is|been)|never (?:has|have|had|did|was|been|got|thought|knew|liked|understood|will))\b`)
