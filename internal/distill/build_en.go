package distill

import (
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// firstGroup takes the first group that matched as the object.
func firstGroup(c *clause, m []string) (fact, bool) {
	for _, g := range m[1:] {
		if o := objectOf(c, g); o != "" {
			return fact{object: o}, true
		}
	}
	return fact{}, false
}

func ruleWhole(c *clause, _ []string) (fact, bool) {
	return fact{object: c.text}, !hasPrefixAny(c.low, "you should know", "you must be", "you may want", "you must have", "you may not know", "you are to blame")
}

func ruleImperative(c *clause, _ []string) (fact, bool) {
	if oneOff(c.low) || hasPrefixAny(c.low, "never mind", "do not worry", "do not bother", "do not mention it", "always happy", "always glad", "always a pleasure", "never again", "stop it", "never ever mind", "no thanks", "do not be sorry", "always nice", "always good", "always wanted") {
		return fact{}, false
	}
	if strings.HasPrefix(c.low, "when ") && strings.HasSuffix(c.low, "?") {
		return fact{}, false
	}
	return fact{object: c.text}, true
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
	if verb == "cannot" && c.sub.kind&(subjThing|subjPerson) == 0 {
		return fact{}, false
	}
	return fact{object: rest, negated: neg, kind: schema.KindProject, soft: !neg && (verb == "may" || verb == "can" || verb == "should" || strings.Contains(verb, "allowed"))}, true
}

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

var reDateEvent = gated(`(?i)\b(?:meeting|appointment|interview|exam|flight|trip|wedding|party|call|demo|launch|release|dentist|class|lesson|concert|conference|event|review|standup|stand-up|retro|sprint|game|match|train|holiday|vacation|visit|surgery|delivery|rehearsal|workshop|training|course|lecture|ceremony|funeral|anniversary|dinner|lunch|reservation|offsite|summit|kick-?off|go-live|migration|freeze|audit|inspection|defen[cs]e|presentation|talk|race|marathon|move|shift|session|submission|election|tournament|festival|premiere|due date|check-up)s?\b`)

// dateEn reads when something is to happen: only about things that happen, and only with a date.
func dateEn(c *clause, m []string) (fact, bool) {
	if len(c.whens()) == 0 || !reDateEvent.match(c.sub.said) && !reDateEvent.match(c.sub.text) {
		return fact{}, false
	}
	f := fact{object: objectOf(c, m[1]), expires: true}
	if c.sub.kind == subjMine {
		f.kind = schema.KindUser
	}
	return f, f.object != ""
}

var notNamesEn = map[string]bool{"I": true, "Just": true, "Not": true, "Sorry": true, "OK": true, "Fine": true, "Good": true, "Happy": true, "Back": true, "Here": true, "Ready": true, "Sure": true, "Afraid": true, "Glad": true, "Tired": true, "Hungry": true, "Busy": true, "So": true, "Very": true, "Going": true, "Trying": true, "Looking": true, "Vegan": true, "Vegetarian": true, "Muslim": true, "Christian": true, "Jewish": true, "Catholic": true, "Buddhist": true, "Hindu": true}

var reNationEn = gated(`(?:ese|ish|ian|can|ean|van|ch|aelian|Dutch|Greek|Thai|Swiss|Czech|Welsh|German|Roman|Korean|Indian|Turk|Pole|Dane|Swede|Finn|Iraqi|Israeli|Pakistani)$`)

func nameEn(c *clause, m []string) (fact, bool) {
	if notNamesEn[firstWord(m[1])] || !strings.Contains(m[1], " ") && reNationEn.match(m[1]) || c.negated {
		return fact{}, false
	}
	return fact{object: m[1]}, true
}

func ageEn(c *clause, m []string) (fact, bool) {
	n := number(strings.ToLower(m[1]))
	if n == 0 {
		n = tensEn[strings.ToLower(m[1])]
	}
	return fact{object: m[1]}, n > 0 && n < 130
}

var tensEn = map[string]int{"thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80}

var reFourDigits = gated(`\d{4}`)

func bornEn(c *clause, m []string) (fact, bool) {
	o := objectOf(c, m[1])
	f := fact{object: o}
	if len(c.whens()) == 0 && !reFourDigits.match(o) {
		f.pred = pHometown
	}
	return f, o != ""
}

func place(c *clause, s string) string {
	o := objectOf(c, s)
	for _, w := range [...]string{" since ", " for ", " with ", " in 20", " in 19", " last ", " next ", " on "} {
		if i := strings.Index(o, w); i > 0 {
			o = o[:i]
		}
	}
	return o
}

func movedEn(c *clause, m []string) (fact, bool) {
	o := place(c, m[2])
	if o == "" || !capital(trimArticle(o)) {
		return fact{}, false
	}
	f := fact{object: o, replaces: place(c, m[1])}
	return f, true
}

func livesEn(c *clause, m []string) (fact, bool) {
	o := place(c, m[1])
	low := c.vpLow
	past := strings.HasPrefix(low, "lived ")
	if o == "" || isPronounEn(strings.ToLower(o)) || containsAny(strings.ToLower(o), "hotel", "fear", "the moment", "the past") {
		return fact{}, false
	}
	return fact{object: o, past: past}, true
}

func leftEn(c *clause, m []string) (fact, bool) {
	o := objectOf(c, m[1])
	if o == "" || !capital(o) {
		return fact{}, false
	}
	if n := objectOf(c, m[2]); n != "" && capital(n) {
		return fact{object: n, replaces: o}, true
	}
	return fact{object: o, negated: true}, true
}

func worksEn(c *clause, m []string) (fact, bool) {
	o := place(c, m[1])
	if i := strings.Index(o, " as "); i > 0 {
		o = o[:i]
	}
	if o == "" || strings.EqualFold(o, "home") || isPronounEn(strings.ToLower(o)) {
		return fact{}, false
	}
	return fact{object: o, past: strings.HasPrefix(c.vpLow, "worked ")}, true
}

func jobEn(c *clause, m []string) (fact, bool) {
	o := objectOf(c, m[1])
	if o == "" {
		return fact{}, false
	}
	f := fact{object: o, past: hasPrefixAny(c.vpLow, "worked ", "was ")}
	if len(m) > 2 && m[2] != "" {
		if at := place(c, m[2]); at != "" {
			f.twin = &fact{pred: pWorksAt, object: at, past: f.past}
		}
	}
	return f, true
}

func kinFact(c *clause, key, name string) fact {
	f := fact{subject: "user", object: name, qualifier: key, pred: pKnows}
	if key == "manager" {
		f.pred = pManager
	}
	f.oneSlot = kinOne(key)
	return f
}

var reNameEn = regexp.MustCompile(`^\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+){0,2}$`)

func kinNameEn(c *clause, m []string) (fact, bool) {
	o := objectOf(c, m[1])
	if !reNameEn.MatchString(o) || notNamesEn[firstWord(o)] || strings.HasPrefix(c.vpLow, "is ") && reNationEn.match(o) && !strings.Contains(o, " ") {
		return fact{}, false
	}
	key := strings.TrimPrefix(c.sub.text[strings.Index(c.sub.text, "'s ")+1:], "s ")
	f := kinFact(c, key, o)
	if petKeys[key] {
		f.pred = pHas
		f.oneSlot = false
	}
	return f, c.sub.name == ""
}

func petEn(c *clause, m []string) (fact, bool) {
	o := strings.TrimSpace(m[1] + " " + m[2])
	if i := strings.Index(strings.ToLower(m[3]), " called "); i >= 0 || strings.Contains(strings.ToLower(m[3]), " named ") {
		o += m[3]
	}
	if containsAny(strings.ToLower(m[3]), "fight", "dance", "food") || containsAny(strings.ToLower(m[2]), "bigger fish", "other fish") {
		return fact{}, false
	}
	return fact{object: objectOf(c, o), qualifier: "pet"}, true
}

// bareTaste is the thing liked, without the verb and the article before it: "drinking black tea" and "black tea"
// are one object.
func bareTaste(o string) string {
	for _, w := range [...]string{"to eat ", "to drink ", "eating ", "drinking ", "to watch ", "watching ", "to play ", "playing ", "to read ", "reading "} {
		if len(o) > len(w) && strings.EqualFold(o[:len(w)], w) {
			return o[len(w):]
		}
	}
	return trimArticle(o)
}

func tasteEn(c *clause, m []string) (fact, bool) {
	o := objectOf(c, m[1])
	low := strings.ToLower(o)
	if o == "" || isPronounEn(firstWord(low)) || containsAny(low, "your ", "how you", "the way you", "to know", "to see you", "to hear", "to ask", "to help") || hasPrefixAny(low, "to be ", "to have ") && len(low) < 14 {
		return fact{}, false
	}
	p := pLikes
	if hasPrefixAny(c.vpLow, "hate", "dislike", "detest", "loathe", "despise", "cannot", "am sick", "is sick") {
		if c.negated {
			return fact{}, false
		}
		p = pDislikes
	} else if c.negated {
		p = pDislikes
	}
	f := fact{pred: p, object: bareTaste(o), negated: false, past: c.past || hasPrefixAny(c.vpLow, "loved", "hated", "liked")}
	f.qualifier = f.object
	return f, true
}

func consumesEn(c *clause, m []string) (fact, bool) {
	o := objectOf(c, m[1])
	low := strings.ToLower(o)
	if !c.negated && !c.past || o != "" && isPronounEn(firstWord(low)) || hasPrefixAny(low, "much", "any more", "well") && o != "" {
		return fact{}, false
	}
	if o == "" || hasPrefixAny(low, "in ", "since ", "for ", "on ", "at ", "last ", "when ") {
		if hasPrefixAny(c.vpLow, "eat", "touch") {
			return fact{}, false
		}
		low = ""
		o = map[string]string{"smoking": "smoke", "smoked": "smoke", "drinking": "drink"}[firstWord(c.vpLow)]
		if o == "" {
			o = firstWord(c.vpLow)
		}
	}
	return fact{object: o, negated: c.negated, qualifier: strings.TrimPrefix(low, "any ")}, true
}

func switchedEn(c *clause, m []string) (fact, bool) {
	from, to := objectOf(c, m[1]), objectOf(c, m[2])
	if to == "" || isPronounEn(strings.ToLower(firstWord(to))) || !specific(to) {
		return fact{}, false
	}
	return fact{object: to, replaces: from}, true
}

func usesEn(c *clause, m []string) (fact, bool) {
	o := objectOf(c, m[1])
	low := strings.ToLower(o)
	if o == "" || isPronounEn(firstWord(low)) || hasPrefixAny(low, "on ", "in ", "at ", "from ", "by ", "out of", "late", "into", "away", "up ", "down ", "around", "a role", "tests", "over ", "\\d") {
		return fact{}, false
	}
	if r, _ := utf8.DecodeRuneInString(o); unicode.IsDigit(r) && hasPrefixAny(c.vpLow, "run") {
		return fact{}, false
	}
	return fact{object: o, negated: c.negated}, true
}

var (
	reHabitEn = gated(`(?i)\b(?:usually|always|normally|generally|often|tend to)\b|\b(?:every|each) (?:day|morning|evening|night|week|weekend|month|year|other|second|spring|summer|autumn|winter|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b|\bon (?:weekdays|weekends|(?:mon|tues|wednes|thurs|fri|satur|sun)days)\b|\b(?:twice|once|three times) a (?:day|week|month|year)\b`)
	reVerbEn  = gated(`(?i)^(?:am|is|are|\p{L}{2,}) `)
)

func habitEn(c *clause, m []string) (fact, bool) {
	if c.past || !reHabitEn.match(c.low) || pastEn(firstWord(c.vpLow)) || !reVerbEn.match(c.vp) || hasPrefixAny(c.vpLow, "wonder", "forget", "say", "am happy", "am glad", "think", "thought", "wanted", "knew") {
		return fact{}, false
	}
	return fact{object: objectOf(c, c.vp)}, true
}

var notOwnedEn = []string{"never ", "always ", "not ", "ever ", "only ", "recently ", "a question", "a problem", "an issue", "an idea", "a look", "a feeling", "a doubt", "no ", "a bug", "an error", "to ", "a headache", "a cold", "a fever", "fun", "time", "trouble", "a request", "a task", "a favor", "a favour", "a chance", "a plan", "a meeting", "a call", "a few questions", "some questions", "two questions", "another question", "a point", "a moment", "a minute", "a lot", "enough", "been", "got", "had", "a good", "a great", "a nice", "a bad", "a hard time", "it", "this", "that", "them", "you", "an exam", "one more", "one question", "just", "already", "seen", "read", "tried", "heard", "finished", "noticed", "made", "written", "found", "changed", "updated", "some time", "some ideas", "the same", "the feeling", "a draft", "a theory", "work", "in mind", "doubts", "track", "going", "up", "on ", "your", "what", "everything", "nothing", "lunch", "dinner", "breakfast", "a coffee", "something", "getting", "forgetting", "thinking", "trying", "asking", "wondering", "hearing", "seeing", "an eye", "quiet", "calm", "a deadline", "decided", "a typo", "a list", "a text", "a sentence", "a file", "a document", "a function", "a script", "a table", "a paragraph", "a string", "the following", "an array", "a json", "a csv", "a spreadsheet", "an email"}

// hasEn reads what is owned. What one "has" in passing (a question, a cold) is no possession.
func hasEn(c *clause, m []string) (fact, bool) {
	o := objectOf(c, m[1])
	low := strings.ToLower(o)
	if o == "" || hasPrefixAny(low, notOwnedEn...) || strings.HasSuffix(firstWord(low), "ed") || len(low) < 4 || c.negated && hasPrefixAny(low, "any", "a clue", "much") && len(low) < 10 {
		return fact{}, false
	}
	return fact{object: o, negated: c.negated, noSlot: !c.negated && false}, true
}

var rePortWord = gated(`(?i) (?:dashboard|server|service|app|application|instance|ui|web ui|api|database|daemon|process|container|interface|endpoint|page|site|panel)$`)

// core is the name of a thing without what kind of thing it is: "the Grafana dashboard" and "Grafana" are one
// where a port or a version is spoken of.
func core(s string) string {
	s = trimArticle(s)
	if t := rePortWord.replace(s, ""); t != "" && capital(t) {
		return t
	}
	return s
}

func portEn(c *clause, m []string) (fact, bool) {
	p := m[1] + m[2]
	return fact{subject: core(c.sub.text), object: p, kind: schema.KindProject}, c.sub.kind != subjGroup
}

func versionEn(c *clause, m []string) (fact, bool) {
	if strings.Count(m[1], ".") == 3 { // an address
		return fact{}, false
	}
	f := fact{subject: core(c.sub.text), object: m[1], kind: schema.KindProject}
	if i := strings.LastIndexByte(m[1], ' '); i > 0 { // "needs Go 1.22"
		f.qualifier = m[1][:i]
	}
	return f, true
}

func roleEn(c *clause, m []string) (fact, bool) {
	role, of := objectOf(c, m[1]), objectOf(c, m[2])
	if role == "" || of == "" || strings.HasSuffix(strings.Fields(role)[0], "ing") || containsAny(strings.ToLower(role), "here", "ready", "good", "back", "out", "up", "aware", "capable", "full", "part", "lot", "member of", "kind", "sort", "afraid", "fond", "proud", "available", "interested", "responsible") || !capital(of) && len(m[0]) == len(m[1]) {
		return fact{}, false
	}
	return fact{object: role + " at " + of, past: strings.HasPrefix(c.vpLow, "was ")}, true
}

// eventEn reads what somebody did on a day that can be told.
func eventEn(c *clause, m []string) (fact, bool) {
	if c.negated || !pastEn(c.vpLow) || hasPrefixAny(c.vpLow, "am ", "is ", "are ", "have ", "has ", "need", "want", "was wondering", "was thinking", "was going to", "asked you", "told you", "said", "tried", "wanted", "had a question", "was just", "saw that", "read that") {
		return fact{}, false
	}
	for _, w := range c.whens() {
		if !w.by && (w.span == spanDay || w.span == spanInstant || w.span >= spanWeek) {
			return fact{object: objectOf(c, c.vp), qualifier: w.note()}, len(strings.Fields(c.vp)) > 1
		}
	}
	return fact{}, false
}

var (
	reStateVerb = gated(`(?i)^(?:is|are|has|have|uses?|requires?|needs?|runs?|supports?|accepts?|takes?|costs?|prints?|contains?|holds?|stores?|sends?|returns?|keeps?|opens?|closes?|starts?|ends?|works?|lives?|writes?|reads?|handles?|maintains?|made|makes|sits|means|stands for|leads?|manages?|owns?|belongs?|moved|moves|joined|prefers?|wants?|cannot|must|may|will|speaks?|plays?|likes?|loves?|listens?)\b`)
	reVague     = gated(`(?i)^(?:is|are|has been|have been) (?:\w+ )?(?:good|nice|great|bad|fine|cool|awesome|fun|funny|boring|interesting|amazing|beautiful|terrible|lovely|hot|cold|late|down|broken|slow|fast|here|there|ready|done|busy|wrong|right|true|false|weird|strange|important|easy|hard|difficult|expensive|cheap|failing|passing|red|green|stuck|raining)[.!]?$`)
	rePassing   = gated(`(?i)\b(?:today|tonight|right now|now|at the moment|currently|this morning|this afternoon|again|still|just)\b`)
)

// specific reports whether s holds something that is worth remembering to the letter: a digit, a capital, one of
// / _ @ #, a hyphen between letters or digits, a full stop between small letters.
func specific(s string) bool {
	var before, last rune // the two characters before r
	for _, r := range s {
		switch {
		case isDigit(r), r == '/', r == '_', r == '@', r == '#', unicode.IsUpper(r):
			return true
		case last == '-' && isWord(before) && isWord(r), last == '.' && isSmall(before) && isSmall(r):
			return true
		}
		before, last = last, r
	}
	return false
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }
func isSmall(r rune) bool { return r >= 'a' && r <= 'z' }
func isWord(r rune) bool  { return isDigit(r) || unicode.IsLetter(r) }

// statementEn keeps a plain statement about a third thing, where it is specific and not about this moment.
func statementEn(c *clause, m []string) (fact, bool) {
	if c.past && len(c.whens()) == 0 || !reStateVerb.match(c.vp) && !c.negated || reVague.match(c.vp) || rePassing.match(c.vp) || len(strings.Fields(c.vp)) < 3 {
		return fact{}, false
	}
	who := c.sub.said
	if c.sub.kind == subjMine && reBadAttr.match(c.sub.name) {
		return fact{}, false
	}
	if hasPrefixAny(strings.ToLower(who), "this ", "that ", "these ", "those ", "there", "let", "some ", "any ", "most ", "many ") || !specific(c.vp) && !specific(strings.TrimPrefix(who, "The ")) && c.sub.kind != subjKin {
		return fact{}, false
	}
	f := fact{object: objectOf(c, c.vp), negated: c.negated, expires: true}
	return f, f.object != ""
}

func capital(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(r) || unicode.IsDigit(r)
}
