package distill

import (
	"strings"
)

// What the words say by their form alone: a path, an address, a version; a deed on a day to come; what is done every week;
// an order that is for more than once. These read what no template and no frame does.

var (
	reURLIn     = gated(`https?://[^\s,;)"']+`)
	rePathIn    = gated(`(?:^|[\s"'(])((?:~|\.{1,2})?/[\w.@+~-]+(?:/[\w.@+~*-]*)*|[A-Za-z]:\\[\w\\.-]+)`)
	reVersionIn = gated(`(?i)\b((?:[A-Z][\w+#-]* )?v?\d+\.\d+(?:\.\d+)*(?:[-+][\w.]+)?)\b`)
	reClockEn   = gated(`(?:^|\s)\d{1,2}:[0-5]\d\b`)
	reYearEn    = gated(`^(?:19|20)\d\d$`)
	rePortIn    = gated(`(?i)\b(?:port |:)(\d{2,5})\b|\bon (\d{4,5})\b`)

	reFindEn   = gated(`(?i)^(?:you(?: will|'ll| can|) find|find|look for|see) (?:all |the |our |my )*(.+?) (?:in|at|under|on|inside) `)
	reKeepsAt  = gated(`(?i)^(?:is|are|lives?|sits?|moved|has moved|have moved|was moved|goes?|go|keeps?|keep|stores?|store|puts?|put|have|has|listens?|runs?|mounted|lands?|ends? up|writes?|logs?|answers?|points?|talks?|serves?|ships?|bumped|pinned|upgraded|updated|locked|froze|hosts?|can be found|now|am|stays?|stuck|still|resolves?|reside|resides|upgraded|need|needs|require|requires|target|targets|support|supports|use|uses|depends?)\b`)
	reBrokenEn = gated(`(?i)\b(?:fail(?:s|ed|ing)?|broken?|broke|crash(?:es|ed|ing)?|errors?|refused|timed? out|times out|down|stuck at|hangs?|404|500|denied|missing|not found|unreachable|slow|bug|flaky|red|weird|strange|deprecated)\b`)
)

// literalEn is what c says of a thing by a literal in it.
func literalEn(c *clause) (fact, *rule, bool) {
	subj := trimArticle(c.sub.text)
	switch c.sub.kind {
	case subjThing, subjPerson, subjMine:
		if c.sub.kind == subjMine {
			subj = c.sub.name
		}
	case subjSelf, subjGroup:
		subj = ""
	default:
		m := reFindEn.find(c.text)
		if m == nil {
			return fact{}, nil, false
		}
		subj = m[1]
	}
	vp := c.vp
	if c.sub.kind == subjNone {
		vp = c.text
	} else if !reKeepsAt.match(vp) {
		return fact{}, nil, false
	}
	if reBrokenEn.match(vp) || len(strings.Fields(vp)) > 14 || c.negated && !c.ended {
		return fact{}, nil, false
	}
	if subj == "" { // "we keep the runbooks in /opt/x": of what stands before it
		ws := wordsEn(vp)
		if len(ws) < 3 {
			return fact{}, nil, false
		}
		var name []string
		for _, w := range ws[1:] {
			if isPrepositionEn(w.low) || w.low == "to" || w.low == "under" || w.low == "into" {
				break
			}
			name = append(name, vp[w.start:w.end])
		}
		subj = trimArticle(strings.Join(name, " "))
		if subj == "" || len(name) > 5 || isPronounEn(strings.ToLower(firstWord(subj))) {
			return fact{}, nil, false
		}
	}
	if isPronounEn(strings.ToLower(firstWord(subj))) {
		return fact{}, nil, false
	}
	f := fact{subject: core(subj), kind: pPath.kind}
	switch {
	case reURLIn.match(vp):
		f.object = strings.TrimRight(reURLIn.first(vp), ".")
		return f, &ruleURLIn, true
	case rePathIn.match(vp):
		f.object = strings.TrimRight(rePathIn.find(vp)[1], ".")
		return f, &rulePathIn, len(f.object) > 2
	case c.sub.kind != subjSelf && portIn(vp) != "":
		f.object = portIn(vp)
		return f, &rulePortIn, true
	case reVersionIn.match(vp) && (!c.past || hasPrefixAny(c.vpLow, "bumped", "pinned", "upgraded", "updated", "moved", "locked", "froze")) && reUpToEn.match(c.vpLow):
		f.object = reVersionIn.find(vp)[1]
		return f, &ruleVersionIn, strings.Count(f.object, ".") < 3
	}
	return fact{}, nil, false
}

// portIn is the port that is told in s, "" for none. A time of day is none, nor is a year that nothing calls a port.
func portIn(s string) string {
	m := rePortIn.find(reClockEn.replace(s, " "))
	if m == nil || reYearEn.match(m[2]) {
		return ""
	}
	return m[1] + m[2]
}

var (
	// reUpToEn leads to a version, where another number may be anything.
	reUpToEn = gated(`(?i)^(?:(?:is|are)(?: now| still)?(?: on| at| pinned to| locked to| stuck on| up to| frozen at| running)? (?:version |v)?[\w+# -]{0,20}?\d|(?:bumped|pinned|upgraded|updated|moved|locked|froze) .* (?:to|at) |runs? |needs? |requires? |targets? |supports? |uses? |stays? on |depends? on )`)

	ruleURLIn     = rule{name: "en.literal.url", pred: pURL, conf: .8}
	rulePathIn    = rule{name: "en.literal.path", pred: pPath, conf: .8}
	rulePortIn    = rule{name: "en.literal.port", pred: pPort, conf: .78}
	ruleVersionIn = rule{name: "en.literal.version", pred: pVersion, conf: .78}
	rulePlanIn    = rule{name: "en.ahead", pred: pPlan, conf: .74}
	ruleHabitIn   = rule{name: "en.recurs", pred: pHabit, conf: .74}
	ruleOrderIn   = rule{name: "en.standing", pred: pRule, conf: .74}
)

var (
	reMindEn  = gated(`(?i)^(?:think|guess|hope|wonder|know|believe|suppose|suspect|doubt|see|remember|forget|feel|need|want|say|mean|love|hate|like|prefer|enjoy|live|am|is|are|own|speak|have no|had|would|could|might|should)\b`)
	reSoonEn  = gated(`(?i)^(?:(?:am|is|are) (?:\w+ly )?[\p{L}-]+ing|(?:am|is|are) (?:away|off|out|in|at|back|on|due|busy|booked|free|home|abroad)|start|leave|fly|move|go|travel|meet|head|drive|take|hand|launch|ship|switch|begin|return|host|present|defend|submit|finish|sit|close|open|arrive|depart|get|have|fast|visit|run|turn|celebrate|marry|retire|graduate|have to|see)\b`)
	reOftenIn = gated(`(?i)\b(?:every|each|most|on) (?:single |other |second |third |few )?(?:day|days|morning|mornings|evening|evenings|night|nights|week|weeks|weekend|weekends|month|year|spring|summer|autumn|winter|fall|weekdays?|workday|afternoons?|lunch|hour|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b|\b(?:once|twice|thrice|\w+ (?:times|mornings|evenings|nights|days|afternoons|hours|miles|km|kilometres|laps)) (?:a|per|every|each) (?:day|night|week|weekend|month|year|fortnight)\b|\b(?:daily|weekly|nightly|fortnightly|monthly|at weekends|on weekends|weekends|after work|before work|after dinner|before bed|first thing|in the (?:mornings|evenings)|religiously|without fail|all the time|day and night)\b`)
	reOrderEn = gated(`(?i)^(?:please |pls |just |also |and |so |then )*(` + standingVerbsEn + `|` + ruleVerbsEn + `|` + ruleVerbsImpEn + `|keep|stop|leave|drop|don't bother|respond|sign|address|end|wait|assume|confirm|flag|quote|cite|warn|tell|tag|mark|verify|validate|lint|test|run|back up|document|comment|wrap|indent|sort|group|order|number|highlight|bold|attach|link|cc|bcc|route|escalate|prioriti[sz]e|favou?r|choose|pick|follow|respect|obey|honou?r|ignore|exclude|omit|hide|mask|redact|anonymi[sz]e|encrypt|ping|notify|alert|page|hold|delay|limit|cap|shorten|trim|cut)\b`)
	reEveryEn = gated(`(?i)\b(?:every|each|any|anything|all|always|never|whenever|by default|in general|as a rule|from now on|going forward|no matter|under no circumstances|at all times|unless i|unless it|only ever|without exception|no exceptions|every (?:single )?time|first time|consistently)\b`)
	reOnceEn  = gated(`(?i)\b(?:this|these|that|those|below|above|attached|here|now|today|tonight|tomorrow|yesterday|again|it|them|a few|some examples|one more|next (?:step|question|one)|first (?:one|paragraph|line|sentence|draft)|second|last|previous|following|the (?:list|text|sentence|paragraph|table|code|file|email|letter|draft|answer|story|poem|essay|function|script|image|picture|plot|data|numbers|items|tasks|steps|files|tests|names|words|emails|entries|rows|columns|records|results) (?:above|below|you|i|we))\b`)
	reIfEn    = gated(`(?i)^(?:if|when|whenever|unless|any ?time|every time|in case|wherever|as soon as|once) (?:you|I|we|a|an|the|there|something|anything|somebody|anybody|anyone|someone|my|your|in|not|unsure|it)\b ?[^,;]{2,90}, (?:then |please |pls |just |do |you can |you should |you must |I want you to |I'd like you to |I would like you to |feel free to )*(.+)$`)
	reIfNotEn = gated(`(?i)^(?:if|when) (?:you (?:can|could|have|get|had|want|like|need|feel|don't mind|do not mind|see (?:this|it)|are (?:done|ready|free|finished|up for))|possible|I (?:can|could|had|were|was|lived|did|remember|understand|recall|may|am not mistaken)|there (?:is|are) (?:time|anything else|a way|any)|it's? (?:possible|not too|helps|easier|is possible))`)
)

// framedEn reads c by a frame, or else, where no row does, by its form.
func framedEn(c *clause, said bool) (fact, *rule, bool) {
	if c.sub.kind&(subjSelf|subjGroup) != 0 && reEveryLead.match(c.text) && hasPrefixAny(c.vpLow, "have ", "have got ", "see ", "do ", "go ", "get ") && !c.past && !c.negated {
		return fact{object: objectOf(c, c.text), pred: pHabit, conf: ruleHabitIn.conf}, &ruleHabitIn, true // "every Wednesday I have physio"
	}
	if f, rl, ok := lexiconEn().read(c); ok || said {
		return f, rl, ok
	}
	f, rl, ok := lastEn(c)
	if ok {
		f.pred, f.conf = rl.pred, rl.conf
	}
	return f, rl, ok
}

// lastEn reads what is left.
func lastEn(c *clause) (fact, *rule, bool) {
	if f, rl, ok := literalEn(c); ok {
		return f, rl, true
	}
	switch {
	case c.sub.kind&(subjSelf|subjGroup|subjKin) != 0:
		if c.past || c.reported || c.vp == "" || pastEn(firstWord(c.vpLow)) {
			return fact{}, nil, false
		}
		if reOftenIn.match(c.low) && !reMindEn.match(c.vpLow) && !hasPrefixAny(c.vpLow, "am ", "is ", "are ", "have ", "has ", "cannot ", "will ", "going ") && len(strings.Fields(c.vp)) > 2 && len(c.certain(true)) == 0 && !rePassingNow.match(c.low) {
			return fact{object: objectOf(c, c.vp), negated: c.negated}, &ruleHabitIn, true
		}
		if !c.negated && c.ahead() && reSoonEn.match(c.vpLow) && !reOftenIn.match(c.low) && len(strings.Fields(c.vp)) > 2 && len(c.certain(true)) > 0 {
			return fact{object: objectOf(c, c.vp), expires: true}, &rulePlanIn, true
		}
	case c.sub.kind == subjNone:
		if c.past || c.reported || len(strings.Fields(c.text)) < 4 {
			return fact{}, nil, false
		}
		if m := reIfEn.find(c.text); m != nil && !reIfNotEn.match(c.text) {
			if reOrderEn.match(m[1]) && !oneOff(c.low) && !reOnceIf.match(m[1]) {
				return fact{object: c.text}, &ruleOrderIn, true
			}
			return fact{}, nil, false
		}
		if words := strings.Fields(c.low); hasPrefixAny(c.low, "never ", "always ") && pastEn(words[1]) {
			return fact{}, nil, false // "never got on with it"
		}
		if reOrderEn.match(c.text) && reEveryEn.match(c.text) && !reOnceEn.match(c.text) && !oneOff(c.low) {
			return fact{object: c.text}, &ruleOrderIn, true
		}
	}
	return fact{}, nil, false
}

var reEveryLead = gated(`(?i)^(?:every|each|on) (?:other |second )?(?:day|morning|evening|night|week|weekend|month|weekdays|weekends|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b`)

var reOnceIf = gated(`(?i)\b(?:this|below|above|attached|today|tonight|tomorrow)\b`)
