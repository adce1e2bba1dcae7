package distill

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

var notNamesEn = map[string]bool{"I": true, "Just": true, "Not": true, "Sorry": true, "OK": true, "Fine": true, "Good": true, "Happy": true, "Back": true, "Here": true, "Ready": true, "Sure": true, "Afraid": true, "Glad": true, "Tired": true, "Hungry": true, "Busy": true, "So": true, "Very": true, "Going": true, "Trying": true, "Looking": true, "Vegan": true, "Vegetarian": true, "Muslim": true, "Christian": true, "Jewish": true, "Catholic": true, "Buddhist": true, "Hindu": true}

var reNationEn = gated(`(?:ese|ish|nyan|ian|can|ean|van|ch|aelian|Dutch|Greek|Thai|Swiss|Czech|Welsh|German|Roman|Korean|Indian|Turk|Pole|Dane|Swede|Finn|Iraqi|Israeli|Pakistani)$`)

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
	if c.sub.kind == subjMine && !containsAny(c.low, "turn", " old", "year", "month") {
		return fact{}, false // "my shoe size is 43"
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
	if n := calledEn(objectOf(c, m[2])); n != "" && capital(n) {
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

var reNameEn = regexp.MustCompile(`^(?:(?:Dr|Mr|Mrs|Ms|Prof|Professor|Doctor)\.? )?\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+){0,2}$`)

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
	if to == "" || isPronounEn(strings.ToLower(firstWord(to))) || !specific(to) && (from != "" || c.sub.kind != subjSelf || !hasPrefixAny(c.vpLow, "switched to ") || len(strings.Fields(to)) > 2 || containsAny(strings.ToLower(to), "mode", "tab", "branch", "another", "the ")) {
		return fact{}, false
	}
	return fact{object: to, replaces: from}, true
}

func usesEn(c *clause, m []string) (fact, bool) {
	o := objectOf(c, m[1])
	low := strings.ToLower(o)
	if o == "" || isPronounEn(firstWord(low)) || hasPrefixAny(low, "every ", "each ", "daily", "twice ", "on ", "in ", "at ", "from ", "by ", "out of", "late", "into", "away", "up ", "down ", "around", "a role", "tests", "over ", "\\d") {
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

// agentEn reads "a furniture restorer": what ends like one who does something for a living. Some are what one is like.
func agentEn(c *clause, m []string) (fact, bool) {
	words := strings.Fields(strings.ToLower(m[1]))
	last := words[len(words)-1]
	switch {
	case len(last) < 5 || notAgentsEn[last] || c.negated && !c.ended || hasPrefixAny(m[1], "bit ", "little ", "lot "):
		return fact{}, false
	case manneredEn[last]:
		return fact{pred: pTrait, object: m[1], conf: .7}, true
	}
	return jobEn(c, m)
}

var (
	notAgentsEn = wordSet("other another either matter number letter paper order corner answer error factor mirror floor door winner loser goner pointer buffer parameter header footer folder server router container counter integer filter adapter printer scanner loader parser linter compiler debugger browser cluster layer trigger timer handler wrapper cursor vector descriptor iterator constructor operator monitor sensor factor tensor terror horror weather water cover center power register scheduler installer renderer placeholder delimiter separator identifier modifier specifier initializer behavior color chapter session version condition fucker bummer sucker stranger monster disaster newer older better never believer user customer member subscriber follower character prisoner tester helper reminder starter superior junior senior minor doctor's mother father brother sister daughter partner human woman man superman speaker hater passenger")
	manneredEn  = wordSet("riser sleeper learner beginner reader eater smoker drinker talker listener thinker planner procrastinator perfectionist optimist pessimist realist minimalist feminist atheist christian vegetarian pescatarian libertarian foreigner newcomer outsider gamer lover hoarder worrier starter loner lifter stickler")
)

// traitEn reads what somebody calls himself: "a complete caffeine addict". What one is for the moment, or says in jest,
// is none.
func traitEn(c *clause, m []string) (fact, bool) {
	low := strings.ToLower(m[1])
	words := strings.Fields(low)
	if c.saidHere() {
		return jobHereEn(m)
	}
	if c.negated || c.past || notTraitsEn[words[0]] || notTraitsEn[words[len(words)-1]] || rePassing.match(c.low) || containsAny(low, "ing ", " so ", " too ") {
		return fact{}, false
	}
	return fact{object: m[1]}, true
}

var rePostEn = gated(`(?i)^(.+?) (?:at|from|in|of|for|with) .+$`)

// jobHereEn reads "nurse from Leeds here": a calling, for a race condition is here too.
func jobHereEn(m []string) (fact, bool) {
	job := m[1]
	if p := rePostEn.find(job); p != nil {
		job = p[1]
	}
	last := strings.ToLower(job[strings.LastIndexByte(job, ' ')+1:])
	return fact{pred: pJob, object: job, conf: .7}, reAgentEn.match(job) && !notAgentsEn[last] && !manneredEn[last]
}

var notTraitsEn = wordSet("bit little lot few mess fool idiot moron genius wreck pain failure loser big huge great good bad nice real total complete step minute second moment while couple bunch part kind sort type tad touch day week way long fan guy girl person man woman human robot pirate member user customer star hero legend joke disaster zombie ghost wizard better different new sure one thing problem question example copy version")

// lifeEn reads what changes a life: it is kept whether or not a day is told.
func lifeEn(c *clause, m []string) (fact, bool) {
	f := fact{object: objectOf(c, m[1])}
	for _, w := range c.whens() {
		if !w.by {
			f.qualifier = w.note()
			break
		}
	}
	return f, !c.negated && f.object != ""
}

// promotedEn reads a new post: "got promoted to staff engineer". What somebody became may be anything.
func promotedEn(c *clause, m []string) (fact, bool) {
	low := strings.ToLower(m[1])
	if strings.HasPrefix(c.vpLow, "became") || strings.Contains(c.vpLow, "become") {
		if !reAgentEn.match(m[1]) || containsAny(low, "father", "mother", "fan", "parent", "friend") {
			return fact{}, false
		}
	}
	return jobEn(c, m)
}

// studiesEn reads what or where somebody studies: not when.
func studiesEn(c *clause, m []string) (fact, bool) {
	o := objectOf(c, m[1])
	f := fact{object: o, past: c.past}
	if i := strings.Index(o, " at "); i > 0 && capital(trimArticle(o[i+4:])) { // what, and where
		f.object, f.twin = o[:i], &fact{pred: pStudies, object: place(c, trimArticle(o[i+4:])), past: c.past}
	}
	return f, o != "" && !hasPrefixAny(strings.ToLower(o), "at night", "at home", "in the ", "on weekends", "every ", "hard", "for ", "a lot", "how to", "that ", "from this", "it", "the logs", "the code", "this", "your")
}

var reAgentEn = gated(`(?i)(?:[\p{L}]{2,}(?:er|or|ist|ian|man|woman)|nurse|dev|admin|pm|sre|qa|student|undergrad|teacher|lead|chef|cook|coach|intern|postdoc|judge|pilot|analyst|accountant|architect|consultant|freelancer|vet|lawyer|clerk|assistant)s?$`)

var (
	reEmployerEn = gated(`(?i)\b(?:company|startup|start-up|agency|firm|bank|hospital|school|university|studio|shop|store|team|ngo|non-?profit|charity|consultancy|clinic|restaurant|hotel|factory|publisher|office|lab|institute|ministry|council|club|museum)\b`)
	reDayNameEn  = gated(`(?i)^(?:mon|tues|wednes|thurs|fri|satur|sun)day|^(?:january|february|march|april|may|june|july|august|september|october|november|december)\b`)
	reMealEn     = gated(`(?i)\b(?:breakfast|lunch|dinner|supper|stand-?up|daily|sync|retro|planning|school|practice|rehearsal|shift|pickup|bedtime|curfew|backup|cron|batch|deploy|release)s?\b`)
)

// fineNowEn reads "coriander is fine now": that it is disliked holds no longer, which shows nothing by itself. What has an
// article is something else that works again.
func fineNowEn(c *clause, m []string) (fact, bool) {
	o := c.sub.text
	if !containsAny(c.low, " now", "these days", "again") || o != c.sub.said || len(strings.Fields(o)) > 2 || specific(strings.ToLower(o)) || c.negated {
		return fact{}, false
	}
	return fact{subject: "user", qualifier: o, past: true}, true
}

// calledEn is the name in "a small village called Zagora"; s as it is where none is given.
func calledEn(s string) string {
	for _, w := range [...]string{" called ", " named "} {
		if _, name, ok := strings.Cut(s, w); ok && capital(name) {
			return name
		}
	}
	return s
}
