package distill

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

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

// portEn reads where a thing listens: m holds its port alone, or the host and the port of an address.
func portEn(c *clause, m []string) (fact, bool) {
	host := m[2]
	if strings.Contains(m[0], "://") { // a URL tells more than a host
		host = ""
	}
	return endpoint(core(c.sub.text), host, m[1]+m[3]), c.sub.kind != subjGroup
}

// endpoint is the port of thing, and its host where one is told with it: the one may change without the other.
func endpoint(thing, host, port string) fact {
	f := fact{subject: thing, object: port, kind: schema.KindProject}
	if host != "" && strings.ContainsRune(host, '.') { // "localhost" is any machine
		f.twin = &fact{pred: pHost, subject: thing, object: host, kind: schema.KindProject}
	}
	return f
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
	if role == "" || of == "" || isPrepositionEn(strings.ToLower(firstWord(role))) || hasPrefixAny(strings.ToLower(role), "what ", "only what", "where ", "how ", "the one", "one of") || strings.HasSuffix(strings.Fields(role)[0], "ing") || containsAny(strings.ToLower(role), "here", "ready", "good", "back", "out", "up", "aware", "capable", "full", "part", "lot", "member of", "kind", "sort", "afraid", "fond", "proud", "available", "interested", "responsible") || !capital(of) && len(m[0]) == len(m[1]) {
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
			words := strings.Fields(strings.ToLower(c.vp))
			return fact{object: objectOf(c, c.vp), qualifier: w.note()}, len(words) > 1 && !isPronounEn(words[1]) && words[1] != "them"
		}
	}
	return fact{}, false
}

var (
	reStateVerb = gated(`(?i)^(?:is|are|has|have|uses?|requires?|needs?|runs?|supports?|accepts?|takes?|costs?|prints?|contains?|holds?|stores?|sends?|returns?|keeps?|opens?|closes?|starts?|ends?|works?|lives?|writes?|reads?|handles?|maintains?|made|makes|sits|means|stands for|leads?|manages?|owns?|belongs?|moved|moves|joined|prefers?|wants?|cannot|must|may|will|speaks?|plays?|likes?|loves?|listens?)\b`)
	reVague     = gated(`(?i)^(?:is|are|has been|have been) (?:\w+ )?(?:good|nice|great|bad|fine|cool|awesome|fun|funny|boring|interesting|amazing|beautiful|terrible|lovely|hot|cold|late|down|broken|slow|fast|here|there|ready|done|busy|wrong|right|true|false|weird|strange|important|easy|hard|difficult|expensive|cheap|failing|passing|red|green|stuck|raining)[.!]?$|^(?:is|are) (?:on|in|at) (?:the|an?|his|her|their|its) (?:train|bus|plane|tram|metro|subway|boat|ferry|phone|way|road|line|loo|toilet|shower|bath|call|meeting|mend)\b`)
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
	return f, f.object != "" && !hasSuffixAny(strings.ToLower(f.object), " it", " them", " that", " this") && !hasPrefixAny(c.vpLow, "is about ", "are about ", "is the one", "is what ") && !containsAny(c.low, " for me", " lol", " haha")
}

func capital(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(r) || unicode.IsDigit(r)
}
