package distill

import "strings"

const (
	andEn = `(?:and|but|so|because|since|cuz|cos|plus|while|although|though) (?:(?:also|now|then|since) )?`
	meEn  = `(?:I|I'm|I've|I'd|I'll|im|ive|we|we're|we've)\b`
	sheEn = `(?:she|he|they|it)(?:'s|'re|s)? [\p{L}\d]`
	// itsEn is a thing without an article, of which something is said.
	itsEn = `[\p{L}][\w-]*(?: [\w.-]+)? (?:is|are|runs|listens|lives|sits|ships|handles|owns|keeps) `
	// ourEn is a thing or somebody of somebody's, of which something is said.
	ourEn = `(?:my|our|his|her|their|its|the|an?|another) (?:[\w'-]+ ){1,4}?(?:is|are|was|were|would|has|have|had|will|can|cannot|can't|lives?|works?|likes?|loves?|hates?|runs?|uses?|needs?|goes|moved|turned|turns|just|got|speaks?|plays?|studies|starts?|ends?|expires?|listens|owns?|prefers?|died|passed|called|named)\b|(?:my|our|his|her) [\w-]+'s (?:an? |the |in |on |at |[A-Z\d])`
	doEn  = `(?:please|pls|hands off|don't|dont|do not|never|always|avoid)\b`
)

var (
	reCutEn      = gated(`(?i)(?:,|;|\.\.+| –| —| -)? ` + andEn + `(?:` + meEn + `|` + sheEn + `|` + ourEn + `|there (?:is|are)\b|` + doEn + `|` + itsEn + `|(?:at (?:home|work|school)|on weekends|these days|since then) (?:I|we)\b)|(?:,|;|\.\.+) ?so (?:[a-mo-su-z]|t[a-gi-z]|ne)|(?:[,;]|\.\.+) ?(?:` + meEn + `|` + sheEn + `|` + ourEn + `|` + itsEn + `|can you|could you|what|which|how|where|when|who|do you|should|is|are|any|no [\p{L}-]+(?: (?:in|on|for|before|after|with|without)|$|[,.!])|(?:these days|nowadays|now|currently|lately|since then) (?:I|we|I'm|I've|i'm|i've)\b|` + doEn + `|(?:(?:just|currently|now|originally|originally|still|also|recently) )*(?:living|working|moving|starting|switched|based|born|raised|married|divorced|staying|live|work as|work at|work for|has|have|had|was|moved|started|grew up|speaks?|lives|works|likes|loves|hates|obsessed|allergic|addicted|afraid|scared|terrified|fluent|running|written|owned|maintained|depends|port|version) |(?:mostly|mainly) (?:on|from|in) |on nights\b|(?:part|full)[- ]time\b)|,? (?:and|but) (?:doesn't|does not|don't|can't|cannot|depends|listens|requires|sits) |,? so (?:any|every|all|each) |(?: –| —|; | - )`)
	reOpenEn     = gated(`(?i)^(?:(?:please )?(?:always|never|do not|don't|only|use)|if|when|whenever|unless|every time|each time|from now on|going forward|in (?:the )?future|henceforth|in general|as a rule|for (?:all|any|every)|until|after|before|since|as of|in|on|at|during|last|next|this)\b[^,;]*$`)
	reCarryEn    = gated(`(?i),? (?:and|but) (?:(?:also|now|then|just|currently|recently) )?((?:live|work|love|like|hate|prefer|use|speak|study|own|drive|play|keep|have|am|teach|eat|drink|run|moved|started|grew up|raised|born|has|studies|cannot|can't|cant)s?) `)
	reHeadSubjEn = gated(`^(?:(?i:I|I'm|I've|im|ive|we|we're|my (?:[\p{Ll}-]+ ){0,2}[\p{Ll}-]+(?: \p{Lu}[\p{L}-]+)?)|\p{Lu}[\p{L}-]+) (?:(?i:also|now|really|currently|was|just) )?(?i:live|work|love|like|hate|prefer|use|speak|study|own|drive|play|keep|have|am|teach|eat|drink|run|is|are|was|born|raised|moved|started|an?|\d|from|living|working)`)
	reByHand     = gated(`(?i)^,? ?(?:and |but )?(?:never|always|not) (?:by|in|on|with|at|from|through|via|the|an?|again|before|after)\b|^,? ?always(?:[.!]*$|,)`)
)

// cutEn cuts a sentence where a new subject begins, so that each part stands by itself.
func cutEn(s string) []string {
	var parts []string
	for {
		if !containsAny(s, ",", ";", "..", " – ", " — ", " - ", " and ", " but ", " so ", " because ", " since ", " cuz ", " cos ", " plus ", " while ", "though ") {
			break
		}
		ix := reCutEn.findIndex(s)
		for ix != nil && (ix[0] < 5 || reByHand.match(s[ix[0]:])) { // too short to be a clause of its own
			nx := reCutEn.findIndex(s[ix[1]:])
			if nx == nil {
				ix = nil
				break
			}
			ix = []int{ix[1] + nx[0], ix[1] + nx[1]}
		}
		if ix == nil || inQuotes(s, ix[0]) || reOpenEn.match(s[:ix[0]]) || reNewOneEn.match(strings.TrimLeft(s[ix[0]:], ",;.–—- ")) {
			break
		}
		parts = append(parts, strings.TrimSpace(s[:ix[0]]))
		s = strings.TrimLeft(s[ix[0]:], ",;.–—- ")
		for {
			t := trimWord(s, "and", "but", "so", "because", "since", "cuz", "cos", "plus", "while", "although", "though", "also", "then")
			if t == s {
				break
			}
			s = t
		}
	}
	return append(parts, s)
}

// cutAllEn cuts each of parts.
func cutAllEn(parts []string) []string {
	var out []string
	for _, p := range parts {
		out = append(out, cutEn(p)...)
	}
	return out
}

func trimWord(s string, words ...string) string {
	for _, w := range words {
		if len(s) > len(w) && strings.EqualFold(s[:len(w)], w) && s[len(w)] == ' ' {
			return s[len(w)+1:]
		}
	}
	return s
}

// carryEn parts "I live in Porto and work at Acme" into two clauses of one subject.
func carryEn(p string) []string {
	ix := reCarryEn.findIndex(p)
	if ix == nil || !reHeadSubjEn.match(p) {
		return carryVerbEn(p)
	}
	head := reHeadSubjEn.findIndex(p)
	subj := strings.TrimSpace(p[:strings.LastIndexByte(strings.TrimSpace(p[:head[1]]), ' ')+1])
	for _, w := range [...]string{" was", " also", " now", " just", " really", " currently"} {
		subj = strings.TrimSuffix(subj, w)
	}
	if subj == "" || ix[0] < head[1] {
		return []string{p}
	}
	rest := p[ix[2]:]
	if hasPrefixAny(strings.ToLower(rest), "raised", "born") {
		rest = "was " + rest
	}
	return []string{p[:ix[0]], withoutBeEn(subj) + " " + rest}
}

// withoutBeEn is "I" of "I'm".
func withoutBeEn(s string) string {
	switch strings.ToLower(s) {
	case "i'm", "im", "i've", "ive":
		return "I"
	case "we're", "we've":
		return "we"
	}
	return s
}

var (
	reSelfVerbEn = gated(`(?i)^(?:I|we) (?:\w+ly |also |now |really |still |just |always |usually )*([\p{L}-]+) `)
	reAndVerbEn  = gated(`(?i),? (?:and|but|or) (?:(?:also|now|then|just|currently|recently|usually|always|never|mostly|sometimes) )*([\p{L}-]+) (?:a|an|the|my|our|in|at|on|for|with|to|from|up|off|out|about|into|\d[\d.,]*|two|three|some|every|no|(?-i:\p{Lu}[\p{L}-]*))\b`)
)

// carryVerbEn parts "I live with diabetes and wear a pump" at a second verb of the same subject: one that agrees with it and
// has something behind it that a noun has not.
func carryVerbEn(p string) []string {
	head := reSelfVerbEn.find(p)
	if head == nil || lexiconEn().by[strings.ToLower(head[1])] == nil {
		return []string{p}
	}
	ix := reAndVerbEn.findIndex(p)
	if ix == nil || ix[0] < len(head[0]) {
		return []string{p}
	}
	for _, in := range lexiconEn().by[strings.ToLower(p[ix[2]:ix[3]])] {
		if in.form == formBase && in.p.words[0][0] != "be" || in.form == formPast && pastEn(head[1]) {
			return []string{p[:ix[0]], firstWord(p) + p[ix[2]-1:]}
		}
	}
	return []string{p}
}
