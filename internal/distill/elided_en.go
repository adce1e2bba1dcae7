package distill

import (
	"regexp"
	"strings"
)

// softEn are the adverbs before a predicate whose subject is not said.
const softEn = `(?:(?:just|finally|recently|already|actually|currently|still|also|now|then|later|only|really|officially|basically|sadly|unfortunately) )*`

var (
	// What somebody did: past tenses, in which nobody gives an order.
	reDidEn = gated(`(?i)^` + softEn + `(?:moved|ran (?:my|a|the)|ate|flew|taught|[\p{L}]{2,}ed my |(?:emigrated|immigrated|transferred|commuted|enrolled|volunteered|interviewed|trained) (?:in|at|from|to|with|for|as) |got|sold|switched|started|finished|bought|joined|left|had|was|used to|submitted|booked|signed|cancell?ed|changed|broke|met|became|adopted|decided|upgraded|migrated|replaced|dropped|stopped|gave up|went|took|lost|retired|graduated|worked|lived|studied|grew up|ditched|swapped|passed|failed|renewed|paid|spent|relocated|turned \d\d|quit (?:smoking|drinking|vaping|my|coffee|sugar|alcohol|meat|eating)|quit .*\b(?:last (?:week|month|year|spring|summer|autumn|winter|fall)|yesterday|ago|in (?:19|20)\d\d)|need to|never (?:liked|had|ate|learned|learnt|been))\b`)
	// What somebody is, without "I am".
	reBeingEn = gated(`(?i)^` + softEn + `(?:allergic to|intolerant to|doing (?:an?|my) (?:[\w-]+ ){0,2}?(?:phd|master'?s|degree|msc|mba|bachelor'?s|apprenticeship|internship)\b|based (?:in|out of|near)|living (?:in|with|near|at|on|just)|working (?:at|for|as|remotely|from home|nights|part|full)|employed (?:at|by)|staying (?:with|in|at)|originally from|flying|planning (?:to|on|a)|moving|relocating|travell?ing|visiting|learning|studying|training for|preparing for|leaving (?:for|on)|starting (?:at|a new|my new|work)|left[- ]handed|colou?r[- ]?blind|dyslexic|(?:vegan|vegetarian|pescatarian|(?:type \d )?diabetic|pregnant|retired|divorced|married|single|engaged)(?:` + statusEndEn + `)|lactose[- ]intolerant|gluten[- ]intolerant|(?:a )?(?:huge |big |massive |total |lifelong )?fan of|not (?:a |an )?(?:huge |big |great |massive |much of a )?fan|not (?:into|keen on|allergic|married|fond|religious)|really into|on (?:(?:parental|maternity|paternity|sick|annual|medical) )?(?:leave|holiday|vacation)|self-employed|obsessed with|addicted to|(?:mostly |mainly )?on nights|(?:mostly|mainly) (?:on|from|in) |(?:part|full)[- ]time\b|running (?-i:\p{Lu})|teaching [\p{L}]|fluent in|up at \d|(?:not|no longer) (?:with|at) \p{Lu}|afraid of|scared of|terrified of)`)
	reBornEn  = gated(`(?i)^(?:born|raised) (?:and \w+ )?(?:in|on|by)\b`)
	// What somebody does: verbs that ask for nothing.
	reDoingEn = gated(`(?i)^` + softEn + `(?:cannot (?:eat|stand|have|drink|tolerate|swim|drive|bear|digest|handle|cook)|can't (?:eat|stand|have|drink|tolerate|swim|drive|bear|digest|handle|cook)|cant (?:eat|stand|have|drink|tolerate|swim|drive|bear|digest|handle|cook)|(?:don't|dont|do not) (?:like|drink|eat|own|smoke|drive|watch|live|really like|care for)|(?:love|hate|prefer|enjoy|dislike) [\p{L}\d]|speak (?:fluent|both)|live in|live (?:alone|with)|work (?:at|for|as|from|nights|remotely|part|full)|usually [\p{L}]|own an?\b|drive an? )`)
	reNotMine = gated(`(?i)^` + softEn + `(?:failed(?: to| in| at| with| after| on| by| because| due| as| when| \d|[:.!]|$)|(?:passed|changed|replaced|dropped|stopped|finished|updated)(?: in| at| with| after| on| by| because| due| \d|[:.!]|$)|started (?:at|on|in) (?:\d|boot|startup)|left (?:join|align|click|pad|shift|justify|outer|side)\b)|speak\b.* (?:with|to|for) me\b|^(?:love|hate|like|enjoy|prefer|dislike) (?:the|your|how|it|this|that|you|when|these|those|what|to (?:see|hear|know))\b|^(?:got|had|was|left|met) (?:it|that|this|you|the|wondering|thinking|going|just|a (?:question|problem|look|minute|moment|bug|issue|thought|feeling))\b`)
	reHereEn  = gated(`(?i)^(?:an? |the |one |just an? )?((?:[\p{L}\d'&/+-]+ ){0,7}?[\p{L}'-]+(?: (?:at|from|in|of|for|with) .{2,40}?)?) here\b[.!]*(?:,.*)?$`)
	reNotHere = gated(`(?i)^(?:no|no one|any|anyone|some|someone|many|most|other|another|every|each|lots|there|not|nothing|same|still|it|that|this|all|everything|nobody|what|right|over|up|down|i'm|im|i am|i|you|we|my|our|the|look|come|see|put|paste|use|write|check|from|in|out|click|add|leave|keep|stay)\b|\b(?:is|are|was|were|am|has|works?|lives?|happens?|goes|came|been|do|does|use)\b`)
	reProfile = gated(`(?i)^(?:(?:a )?(?:bit|little|quick|brief|short|some)? ?(?:of )?(?:background|intro|introduction|context|info|summary|profile|facts?)(?: (?:on|about) me)?|(?:a bit |a little |more )?about me|me|who i am)\s*[:：]\s*(.+)$`)
)

// reBeenEn is what somebody has been doing, or where, up to now.
var reBeenEn = gated(`(?i)^been (?:in (?-i:\p{Lu})|at (?-i:\p{Lu})|living (?:in|with|at)|working (?:at|for|as|in)|with (?-i:\p{Lu})|teaching|studying|learning)`)

// statusEndEn follows a word for what somebody is, rather than a noun that the word describes: "vegan recipes".
const statusEndEn = `\s*$|[,.!;]| (?:here|since|so|because)\b| now(?:[,.!]|$| and\b)| and (?:I|allergic|intolerant|proud|happy|gluten|lactose|dairy|diabetic|pregnant|retired|single|married|vegan|vegetarian|living|based|working|have|an?|my)\b| for (?:\d|an?|over|about|almost|nearly|more|the (?:last|past)|two|three|four|five|six|seven|eight|nine|ten|years|ages|life|now)\b| to (?:an?|my|(?-i:\p{Lu}))| with (?:\d|an?|one|two|three|four|five|no|my|our|kids|children|twins|triplets)\b`

// predicateEn are verbs that say something of what stands before them.
var (
	predicateEn = wordSet("is are was were isn't aren't has had will would must takes makes means feels seems looks helps needs sucks costs requires gives gets keeps goes works hurts sounds saves pays beats")
	noVerbEn    = wordSet("and but or not also to never really just")
	clauseEn    = wordSet("that which who whose what where when while because since but if as than how why until before after i he she they we it you there so")
)

// predicatedEn reports whether s begins with what is spoken of rather than with what somebody does: "living in London is
// expensive", "hate crimes are rising".
func predicatedEn(s string) bool {
	words := strings.Fields(s)
	for i, w := range words {
		core := strings.TrimRight(w, ",.;:!?")
		switch {
		case i == 0:
		case clauseEn[strings.ToLower(core)]:
			return false
		case i > 1 && predicateEn[core] && !noVerbEn[words[i-1]]:
			return true
		}
		if core != w {
			return false
		}
	}
	return false
}

// reItUsuallyEn is what something else usually does: "usually the build takes …", "usually works".
var reItUsuallyEn = gated(`(?i)^` + softEn + `usually (?:the|an?|this|that|these|those|all|every|most|some|my|our|your|[\p{L}-]+[^s\W]s|(?-i:\p{Lu})[\p{L}-]+)\b`)

// reOftenEn is how often something else does what follows.
var reOftenEn = gated(`(?i)^(?:usually|normally|generally|typically),? `)

// deedEn reports whether s speaks of a deed or a state as such, which is nobody: "working remotely has its perks".
func deedEn(s string) bool {
	return (reBeingEn.match(s) || reDoingEn.match(s)) && (predicatedEn(s) || reItUsuallyEn.match(s))
}

// elidedEn puts the subject back that s goes without: said, that of the clause before it, or else the speaker. It reports
// false where s may as well be an order.
func elidedEn(s, said string) (string, bool) {
	who := said
	if who == "" {
		who = "I"
	}
	switch {
	case reNotMine.match(s), predicatedEn(s), who == "I" && reItUsuallyEn.match(s):
		return "", false
	case reBornEn.match(s):
		return who + " was " + s, true
	case reBeenEn.match(s):
		return who + " " + havingEn(who) + " " + lowerFirst(s), true
	case reBeingEn.match(s):
		return who + " " + beEn(who) + " " + lowerFirst(s), true // "I am Learning" would tell a name
	case reDidEn.match(s), reDoingEn.match(s):
		return who + " " + s, true
	}
	if m := reHereEn.find(s); m != nil && said == "" && !reNotHere.match(m[1]) && !reManyHereEn.match(m[1]) {
		return "I am a " + m[1], true
	}
	return "", false
}

// reManyHereEn are several, of which the speaker is none by himself.
var reManyHereEn = gated(`(?i)(?:er|or|ist|ian|nurse|dev|student|teacher|chef|lawyer)s(?: (?:at|from|in|of|for|with)\b.*)?$`)

// saidHere reports whether c is "… here", which tells what the speaker is, and as often what is found in a text.
func (c *clause) saidHere() bool {
	return reHereEn.match(c.content) && !strings.Contains(c.low, " here")
}

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

func beEn(who string) string {
	switch low := strings.ToLower(who); {
	case low == "i":
		return "am"
	case low == "we", hasSuffixAny(low, "parents", "kids", "children", "twins", "team"), strings.Contains(low, " and "):
		return "are"
	}
	return "is"
}

var (
	rePortEn   = gated(`(?i)^(?:tcp )?port \d{2,5}\b`)
	reMadeByEn = gated(`(?i)^(?:written|owned|maintained|built|run|managed) (?:by|in) \p{Lu}`)
)

var reCarriedEn = gated(`(?i)^` + softEn + `(?:live|work|love|like|hate|prefer|have|has|had|am|is|are|was|were|moved|started|grew|got|lost|bought|joined|became|graduated|lives|works|loves|likes|hates|speaks?|studies|drives|plays|listens|runs|uses|turned|turns|quit|wears|goes|needs?|cannot|can't|cant|doesn't|doesnt|teaches|eats|used|costs|expires|depends|listens|requires|sits|does not|doesn't|don't|obsessed)\b`)

// carriedEn gives a clause without a subject that of the clause before it, said: "…, works at Acme".
func carriedEn(s, said string) (string, bool) {
	switch {
	case rePortEn.match(s): // "staging moved to db-2.internal, port 5433"
		return said + " runs on " + s, true
	case reMadeByEn.match(s):
		return said + " is " + s, true
	}
	if t, ok := elidedEn(s, said); ok {
		return t, true
	}
	if reCarriedEn.match(s) && !predicatedEn(s) {
		return said + " " + s, true
	}
	return "", false
}

// profileOf is the list in which somebody introduces himself, "" where s is none: after a word for it, or from his age on.
func profileOf(sent, s string) string {
	if m := reProfile.find(sent); m != nil {
		return m[1]
	}
	if strings.Count(s, ", ") > 1 && reListedEn.match(s) {
		return s
	}
	return ""
}

var reListedEn = gated(`(?i)^(?:(?:I am|I'm|im) )?(?:\p{L}+, )?(?:\d{2}|divorced|married|single|widowed|retired|engaged|vegan|male|female), `)

// profileEn reads one entry of "about me: 34, two kids, live in Leeds".
func profileEn(s string) string {
	s = strings.TrimSpace(s)
	if reMeEn.match(s) {
		return s
	}
	if t, ok := carriedEn(s, "I"); ok {
		return t
	}
	switch {
	case s != "" && digits(s) == len(s):
		return "I am " + s
	case reAgentEn.match(s):
		return "I am a " + trimArticle(s)
	case hasPrefixAny(strings.ToLower(s), "no "):
		return "I have " + s
	case reCountedEn.match(s):
		return "I have " + s
	}
	return s
}

var reCountedEn = gated(`(?i)^(?:an?|one|two|three|four|five|\d) (?:[\p{L}-]+ ){0,3}[\p{L}-]+[.!]*$`)

const whoEn = `daughter|son|sister|brother|wife|husband|partner|girlfriend|boyfriend|mother|mom|mum|father|dad|cat|dog|puppy|kitten|parrot|rabbit|hamster|horse|tortoise|boss|manager|colleague|coworker|friend|flatmate|roommate|neighbou?r|landlord|doctor|dentist|therapist|teacher|coach|niece|nephew|cousin|aunt|uncle|grandmother|grandma|grandfather|grandpa|mentor`

var (
	rePronounEn = gated(`(?i)^(?:(she|he|they|it)('s|'re)?|(her|his|their|its)) (.+)$`)
	reMentionEn = gated(`(?i)\b(?:my|our|an?|his|her|another|new|older|younger|little|old|year|months?) (?:[\w'-]+ ){0,3}?(` + whoEn + `)\b`)
	rePersonHe  = gated(`(?i)\b(?:son|brother|husband|boyfriend|father|dad|nephew|uncle|grandfather|grandpa|stepson|grandson)\b`)
	rePersonShe = gated(`(?i)\b(?:daughter|sister|wife|girlfriend|mother|mom|mum|niece|aunt|grandmother|grandma|stepdaughter|granddaughter)\b`)
	rePersonEn  = gated(`(?i)\b(?:` + whoEn + `)(?:s|-in-law| in law)?\b`)
)

// referredEn puts in whom or what a pronoun at the beginning of s means: who is what was spoken of last.
func referredEn(s, who string) (string, bool) {
	if who == "" {
		return "", false
	}
	m := rePronounEn.find(s)
	if m == nil {
		return "", false
	}
	pron := strings.ToLower(m[1] + m[3])
	switch person := rePersonEn.match(who) || capital(who) && !strings.ContainsAny(who, "0123456789_/."); pron {
	case "it", "its":
		if person && !capital(who) {
			return "", false
		}
	case "they", "their":
		if beEn(who) != "are" {
			return "", false
		}
	default:
		if !person || rePersonHe.match(who) && pron[0] == 's' || rePersonHe.match(who) && pron == "her" || rePersonShe.match(who) && (pron == "he" || pron == "his") {
			return "", false
		}
	}
	switch {
	case m[3] != "":
		return who + "'s " + m[4], true
	case m[2] != "":
		return who + " " + beEn(who) + " " + m[4], true
	}
	return who + " " + m[4], true
}

// spokenOf is whom or what a pronoun after the clause c means: its subject, or the one person that it mentions.
func (c *clause) spokenOf() string {
	switch c.sub.kind {
	case subjKin, subjMine, subjPerson, subjThing:
		return c.sub.said
	}
	ms := reMentionEn.find(c.text)
	if ms == nil || rePersonEn.match(c.text[strings.Index(c.text, ms[0])+len(ms[0]):]) { // none, or which of the two
		return ""
	}
	return "my " + strings.ToLower(ms[1])
}

var (
	reSoftEn  = regexp.MustCompile(`(?i)^` + softEn)
	reDenyEn  = gated(`(?i)^` + softEn + `(?:have not|has not|haven't|hasn't|cannot|can't|cant|no longer|have never) (?:really |ever |even |actually )?([\p{L}-]+)`)
	notSaidEn = wordSet("using given considering assuming based regarding including following speaking according looking thinking wondering asking checking testing trying reading getting going having being doing making")
)

// framed is c with the subject that it goes without, where its first word is a verb that asks for nothing: "taking night
// classes", "haven't touched alcohol", "promised dad to call". It is said by who did what the clause before says, or by the
// speaker.
func (c *clause) framed(t, said string, sp speaker) *clause {
	if reNotMine.match(t) || predicatedEn(t) {
		return nil
	}
	who := said
	if who == "" || strings.EqualFold(who, "we") {
		who = "I"
	}
	soft := reSoftEn.FindStringIndex(t)[1]
	w := strings.ToLower(strings.TrimRight(firstWord(t[soft:]), ",.;:!?"))
	say := ""
	if m := reDenyEn.find(t); m != nil {
		if !lexiconEn().cans[strings.ToLower(m[1])] && !hasSuffixAny(m[1], "ed", "en") {
			return nil
		}
		say = who + " " + t
	} else if forms := lexiconEn().by[w]; len(forms) > 0 && !notSaidEn[w] && !beFormsEn[w] && !haveEn[w] {
		switch forms[0].form {
		case formIng:
			say = who + " " + beEn(who) + " " + lowerFirst(t)
		case formPast:
			say = who + " " + lowerFirst(t)
		}
	}
	if say == "" && len(w) > 5 && strings.HasSuffix(w, "ing") && !notSaidEn[w] && c.ahead() { // "submitting the paper on the 20th"
		say = who + " " + beEn(who) + " " + lowerFirst(t)
	}
	if say == "" {
		return nil
	}
	a := readEn(say, sp, c.at, context{})
	if a == nil || a.sub.kind == subjNone {
		return nil
	}
	a.content, a.conf = c.content, a.conf*.9
	return a
}

func havingEn(who string) string {
	if beEn(who) == "is" {
		return "has"
	}
	return "have"
}
