package distill

import (
	"strings"
	"time"
)

var (
	reFillerEn   = gated(`(?i)^(?:(?:(?:oh|no|wait|sorry|actually|well|hang on|hold on),? )*(?:no|wait|sorry|scratch that|strike that|never ?mind|my (?:mistake|bad)|i mean|i meant|on second thoughts?)|by the way|btw|fyi|just so you know|for the record|for context|as you know|to be clear|honestly|oh|well|so|ok|okay|hey|hi|hello|yes|yeah|no|right|actually|sorry|thanks|thank you|wait|correction|update|also|and|but|then|anyway|in fact)[,:!—-]+\s*|^(?:btw|also|and|but|oh|fyi|actually|yes|yeah|hey|hi there|well|please note that|note that|just so you know|you should know that|i should mention that|i mentioned that|i told you that|as i said|because|since)\s+(?:that\s+)?`)
	reExplicitEn = gated(`(?i)^(?:please |could you |can you )?(?:(?:remember|keep in mind|don't forget|do not forget|for future reference|for your memory)(?: (?:this|it|of this))?(?: that\b|\s*[:,：—-]+|\b)|(?:make a (?:mental )?note|take (?:a )?note|note(?: down)?|save this|save to memory|store this|memori[sz]e|write (?:this |it )?down|jot (?:this |it )?down)(?: (?:this|it|of this))?(?: that\b|\s*[:,：—-]+))\s*`)
	reTodoEn     = gated(`(?i)^(?:please )?(?:remember|don't forget|do not forget) to `)
	reLabelEn    = gated(`(?i)^(?:my )?(?:to-?do|to do)(?: item)?\s*[:：—-]\s*|^(?:\[ ?\]|☐|□)\s*`)
	reWhEn       = gated(`(?i)^(?:what|what's|when|where|who|who's|whose|whom|how|why|which|can|could|would|will|shall|should|do|does|did|is|are|am|was|were|have|has|had|may|might|isn't|aren't|don't|doesn't|didn't|any idea|tell me|explain|describe|guess|let me know|i wonder|i was wondering|wondering|do you)\b`)
	reHypoHeadEn = gated(`(?i)^(?:if|suppose|supposing|imagine|assuming|assume|let's say|say|unless|what if|pretend|hypothetically)\b`)
	reTagQEn     = gated(`(?i), (?:right|correct|isn't it|don't i|do i|am i|aren't i|no|yes|ok|okay)\s*\?$`)
	reReportEn   = gated(`(?i)^((?:my|our|the) [\w' -]{1,40}?|[A-Z][\w.-]*(?: [A-Z][\w.-]*)?|he|she|they|people|someone|somebody|everyone|it) (?:says?|said|claims?|claimed|told (?:me|us)|mentioned|thinks?|thought|believes?|believed|suggested|suggests|recommends?|recommended|(?:wrote|writes|reported|reports|asked) that)(?: that)? (.+)$`)
	reAccordEn   = gated(`(?i)^(?:according to|apparently|rumou?r|they say|i (?:heard|read|saw)|allegedly|the (?:article|book|page|readme|doc|docs|manual|log|error|message|email) (?:says|said|states))\b`)
	reThirdEn    = gated(`(?i)^(?:he|she|they)(?:'s| is|'re| are)? `)
	reLeadEn     = gated(`(?i)^((?:as of|since|from|in|on|at|after|before|during|until|for|starting|by|every|each) [^,.;]{1,40}?,? |(?:now|currently|nowadays|these days|right now|at the moment|today|yesterday|tomorrow|tonight|recently|lately|last \w+|this \w+|next \w+|usually|normally|generally|personally|unfortunately|luckily|sadly),? |the \w+ (?:before|after) \w+,? )(I|my|we|our)\b`)
	reLeadAnyEn  = gated(`(?i)^(?:as of (?:\w+ ){1,3}|now|currently|nowadays|these days|right now|at the moment|from now on|today|yesterday|recently|lately|as of [^,]{1,30}),? `)
	reCutEn      = gated(`(?i)(?:,|;| –| —| -)? (?:and|but|so|because|plus|while|although|though) (?:(?:also|now|then|since) )?(?:I|I'm|I've|my|we|we're|our)\b|[,;] (?:I|I'm|I've|my|we|we're|our|can you|could you|what|which|how|where|when|who|do you|should|please|is|are|any|don't|never|always|so don't|so please|so never|so always)\b|(?: –| —|; | - )`)
	reOpenEn     = gated(`(?i)^(?:(?:please )?(?:always|never|do not|don't|only|use)|if|when|whenever|unless|every time|each time|from now on|going forward|in (?:the )?future|henceforth|in general|as a rule|for (?:all|any|every)|until|after|before|since|as of|in|on|at|during|last|next|this)\b[^,;]*$`)
	reCarryEn    = gated(`(?i),? and (?:also )?((?:live|work|love|like|hate|prefer|use|speak|study|own|drive|play|keep|have|am|teach|eat|drink|run)s?) `)
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
	if u.text == "" {
		return nil
	}
	question := strings.HasSuffix(strings.TrimRight(sent, `"'” )`), "?")
	if question && (reTagQEn.match(sent) || reWhEn.match(u.text) && !u.explicit) {
		return nil
	}
	u.text = rePleaseEn.replace(u.text, " please$1") // "No emojis, please." is one clause
	parts := cutEn(u.text)
	if i := strings.LastIndex(u.text, ", "); question && len(parts) == 1 && i > 0 {
		parts = []string{u.text[:i], u.text[i+2:]} // "I live in Porto, so which line do I take?"
	}
	var out []*clause
	for i, p := range parts {
		if reWhEn.match(p) && (question || i > 0 && !hasPrefixAny(strings.ToLower(p), "don't", "do not")) && !u.explicit {
			continue // "…, what should I order?"
		}
		if question && i == len(parts)-1 {
			continue // asked, not said
		}
		for _, q := range carryEn(p) {
			c := readEn(q, sp, at)
			if c == nil {
				continue
			}
			c.explicit = u.explicit
			if u.todo {
				c.setVP("remember to " + c.text)
				c.sub = subject{kind: subjNone}
			}
			out = append(out, c)
		}
	}
	return out
}

// stripEn takes fillers and "remember that" off the front.
func stripEn(s string) unit {
	u := unit{text: strings.TrimSpace(strings.ReplaceAll(s, "’", "'"))}
	if ix := reLabelEn.findIndex(u.text); ix != nil && ix[1]+3 < len(u.text) {
		u.todo, u.explicit, u.text = true, true, u.text[ix[1]:]
		return u
	}
	for range 4 {
		t := u.text
		if reTodoEn.match(t) {
			u.todo, u.explicit = true, true
			u.text = reTodoEn.replace(t, "")
			return u
		}
		if ix := reExplicitEn.findIndex(t); ix != nil && ix[1] < len(t) {
			rest := t[ix[1]:]
			low := strings.ToLower(rest)
			if hasPrefixAny(low, "when ", "how ", "what ", "the time", "me", "if ", "whether ", "where ") {
				return u // "remember when we …" recalls, it does not state
			}
			u.explicit, u.text = true, rest
			continue
		}
		if ix := reFillerEn.findIndex(t); ix != nil && ix[1] < len(t) {
			u.text = t[ix[1]:]
			continue
		}
		return u
	}
	return u
}

// cutEn cuts a sentence where a new subject begins, so that each part stands by itself.
func cutEn(s string) []string {
	var parts []string
	for {
		if !containsAny(s, ", ", "; ", " – ", " — ", " - ", " and ", " but ", " so ", " because ", " plus ", " while ", "though ") {
			break
		}
		ix := reCutEn.findIndex(s)
		for ix != nil && ix[0] < 8 { // too short to be a clause of its own
			nx := reCutEn.findIndex(s[ix[1]:])
			if nx == nil {
				ix = nil
				break
			}
			ix = []int{ix[1] + nx[0], ix[1] + nx[1]}
		}
		if ix == nil || inQuotes(s, ix[0]) || reOpenEn.match(s[:ix[0]]) {
			break
		}
		parts = append(parts, strings.TrimSpace(s[:ix[0]]))
		s = strings.TrimLeft(s[ix[0]:], ",;–—- ")
		for {
			t := trimWord(s, "and", "but", "so", "because", "plus", "while", "although", "though", "also", "then")
			if t == s {
				break
			}
			s = t
		}
	}
	return append(parts, s)
}

func trimWord(s string, words ...string) string {
	for _, w := range words {
		if len(s) > len(w) && strings.EqualFold(s[:len(w)], w) && s[len(w)] == ' ' {
			return s[len(w)+1:]
		}
	}
	return s
}

var reHeadSubjEn = gated(`^(?:(?i:I|we|my (?:[\p{Ll}-]+ ){0,2}[\p{Ll}-]+(?: \p{Lu}[\p{L}-]+)?)|\p{Lu}[\p{L}-]+) (?:(?i:also|now|really|currently) )?(?i:live|work|love|like|hate|prefer|use|speak|study|own|drive|play|keep|have|am|teach|eat|drink|run|is|are)`)

var (
	reDoctorEn = gated(`(?i)^(?:my |the )?(?:doctor|gp|dentist|physio(?:therapist)?|cardiologist) (?:told|advised|asked|said)`)
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

// carryEn parts "I live in Porto and work at Acme" into two clauses of one subject.
func carryEn(p string) []string {
	ix := reCarryEn.findIndex(p)
	if ix == nil || !reHeadSubjEn.match(p) {
		return []string{p}
	}
	head := reHeadSubjEn.findIndex(p)
	subj := strings.TrimSpace(p[:strings.LastIndexByte(strings.TrimSpace(p[:head[1]]), ' ')+1])
	if subj == "" || ix[0] < head[1] {
		return []string{p}
	}
	return []string{p[:ix[0]], subj + " " + p[ix[2]:]}
}

// readEn reads one part: its subject and what is said of it.
func readEn(p string, sp speaker, at time.Time) *clause {
	p = strings.TrimSpace(p)
	if len(p) < 4 {
		return nil
	}
	text := contractions.Replace(p)
	if unsureEn(text) && !keepsHypo(text) {
		return nil
	}
	text = appositive(text)
	past := pastEn(text) && !futureEn(text)
	conf, reported := 1.0, false
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
		if m := rePossEn.find(t); m != nil {
			c.sub, vp = possessedEn(m, sp)
			break
		}
		if m, ok := splitThingEn(t); ok && !isPronounEn(strings.ToLower(firstWord(m.noun))) && !isImperativeEn(m.noun) {
			c.sub, vp = thingEn(m, sp)
		}
	}
	c.readVP(vp)
	return c
}

// keepsHypo lists what looks unsure and yet states: a wish about how to be treated, a conditional rule.
func keepsHypo(s string) bool {
	low := strings.ToLower(s)
	if containsAny(low, "would rather", "would prefer", "would like you to always", "would like you to never", "would never", "would not like") {
		return !hasPrefixAny(low, "if ")
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
		case hasPrefixAny(low, "used to "):
			c.past, vp = true, vp[8:]
		case hasPrefixAny(low, "do not ", "did not "):
			c.negated, vp = true, vp[strings.Index(low, "not ")+4:]
		case hasPrefixAny(low, "does not "):
			c.negated, vp = true, vp[9:]
		case hasPrefixAny(low, "never "):
			c.negated, vp = true, vp[6:]
		case hasPrefixAny(low, "stopped ", "quit ", "gave up "):
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
			if (w == "do" || w == "does" || w == "did") && !c.negated && len(vp) > ix[1] {
				vp = vp[ix[1]:]
				continue
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
	for _, w := range [...]string{"am also ", "is also ", "are also ", "am now ", "is now ", "are now ", "am currently ", "is currently ", "are currently ", "am really ", "is really ", "am actually ", "is actually ", "am just ", "am still ", "is still ", "are still ", "am already ", "am only ", "am very ", "am severely ", "am deathly ", "am highly "} {
		if len(vp) > len(w) && strings.EqualFold(vp[:len(w)], w) {
			if strings.HasSuffix(w, "also ") {
				c.also = true
			}
			vp = vp[:strings.Index(w, " ")+1] + vp[len(w):]
		}
	}
	c.setVP(vp)
}

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
