package distill

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

var rePossEn = gated(`(?i)^(my|our) ((?:[\p{L}\d'’.&/+-]+ ){0,5}?[\p{L}\d'’.&/+-]+?)(?:'s (name|birthday|age|job|email|phone number|number|address|[\p{L}-]+))? ?(?:(:|=)\s|\b(am|leaves|departs|arrives|takes|ends|closes|opens|happens|is|are|was|were|has|have|had|lives?|living|works?|working|likes?|loves?|hates?|dislikes?|prefers?|enjoys?|speaks?|uses?|runs|turned|turns|just turned|just|got|moved|changed|will|studies|studied|study|teaches|plays|wants|needs|can|cannot|must|should|may|does|do|used|lost|died|passed|gave|broke|bought|sold|retired|graduated|go|goes by|wears?|takes|attends?|sleeps|commutes?|expects?|handles?|manages?|leads?|looks|reads?|only|keeps?|listens|owns|drives|depends|also|now|never|always|recently|no longer|still|started|starts|begins|joined|left|goes|comes|became|switched|called|named|expires?)\b) ?(.*)$`)

// rePossIsEn is rePossEn for a noun with a verb's word in it.
var rePossIsEn = gated(`(?i)^(my|our) ((?:[\p{L}\d'’.&/+-]+ ){1,5}?[\p{L}\d'’.&/+-]+?) (is|are|was|were) (.*)$`)

// thingVerbsEn are the words that a thing's predicate begins with; "no longer" and "stands for" too.
var thingVerbsEn = wordSet("am is are was were has have had live lives work works like likes love loves hate hates dislike dislikes prefer " +
	"prefers enjoy enjoys speak speaks use uses run runs turned turns moved moves changed listen listens own owns " +
	"depend depends require requires need needs may must can cannot should shall will does do never always made " +
	"makes print prints serve serves expire expires support supports accept accepts take takes cost costs belong " +
	"belongs report reports manage manages lead leads joined left start starts begin begins end ends close closes " +
	"open opens contain contains hold holds store stores write writes read reads send sends return returns used " +
	"want wants drive drives teaches studies play plays keep keeps happen happens meet meets get gets come comes " +
	"go goes lies pinned ships ship rehearses rehearse trains lands opens expects sleeps gives give connect connects deploy deploys build builds ship ships replace replaced handle handles maintain " +
	"maintains sits means also now still just looks covers heads oversees supervises coordinates talks communicates publishes integrates leaves bores")

// thingSaid is "<noun>['s <attr>] <verb> <rest>".
type thingSaid struct{ noun, attr, verb, rest string }

// splitThingEn finds the first verb behind a noun of one to eight words, an article not counted. It is
//
//	^((?:the |this |an? |all |every |each )?(?:C+ ){0,7}?C+?)(?:'s (phone number|[\p{L}-]+))? \b(verbs)\b ?(.*)$
//
// with C for what nounCharEn accepts, letter case ignored, except that no verb but an auxiliary follows a
// preposition; tried at every byte of half of all clauses, that
// expression took a fifth of the time of all reading.
func splitThingEn(s string) (thingSaid, bool) {
	first := 0
	if isArticleEn(firstWord(s)) { // it takes a noun with it where it can
		first = 1
	}
	if m, ok := splitNounEn(s, first, first+8); ok || first == 0 {
		return m, ok
	}
	return splitNounEn(s, 0, 1)
}

func isArticleEn(w string) bool {
	switch strings.ToLower(w) {
	case "the", "this", "a", "an", "all", "every", "each":
		return true
	}
	return false
}

// splitNounEn is splitThingEn for nouns that end with a word from number from to number to-1, counted from 0.
func splitNounEn(s string, from, to int) (thingSaid, bool) {
	start := 0
	for n := 0; n < to; n++ {
		end := start
		for end < len(s) {
			r, size := utf8.DecodeRuneInString(s[end:])
			if !nounCharEn(r) {
				break
			}
			if n >= from && end > start && r == '\'' {
				if m, ok := splitAttrEn(s, end); ok {
					return m, true
				}
			}
			end += size
		}
		if end == start || end == len(s) || s[end] != ' ' {
			return thingSaid{}, false
		}
		if n >= from {
			verb, rest, ok := verbEn(s[end+1:])
			if ok && (!isPrepositionEn(s[start:end]) || auxiliaryEn[strings.ToLower(verb)]) { // "Sam from support is …"
				return thingSaid{noun: s[:end], verb: verb, rest: rest}, true
			}
		}
		start = end + 1
	}
	return thingSaid{}, false
}

// auxiliaryEn are the verbs that may follow a preposition: "what it runs on is …".
var auxiliaryEn = wordSet("am is are was were has have had may must can cannot should shall will does do")

func isPrepositionEn(w string) bool {
	switch strings.ToLower(w) {
	case "from", "in", "of", "at", "for", "with", "on", "by":
		return true
	}
	return false
}

// splitAttrEn reads "'s attr verb rest" at byte i of s.
func splitAttrEn(s string, i int) (thingSaid, bool) {
	t := s[i:]
	if len(t) < 3 || !strings.EqualFold(t[:3], "'s ") {
		return thingSaid{}, false
	}
	t = t[3:]
	attrs := []string{firstWord(t)}
	if hasFoldPrefix(t, "phone number") {
		attrs = []string{t[:len("phone number")], attrs[0]}
	}
	for _, attr := range attrs {
		if attr == "" || len(attr) == len(t) || t[len(attr)] != ' ' || strings.ContainsFunc(attr, notAttrChar) {
			continue
		}
		if verb, rest, ok := verbEn(t[len(attr)+1:]); ok {
			return thingSaid{s[:i], attr, verb, rest}, true
		}
	}
	return thingSaid{}, false
}

func notAttrChar(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != ' ' }

// verbEn reads one of thingVerbsEn at the beginning of s.
func verbEn(s string) (verb, rest string, ok bool) {
	n := 0
	for n < len(s) && isWordByte(s[n]) {
		n++
	}
	switch w := strings.ToLower(s[:n]); {
	case w == "no" && hasFoldPrefix(s, "no longer"):
		n = len("no longer")
	case w == "stands" && hasFoldPrefix(s, "stands for"):
		n = len("stands for")
	case !thingVerbsEn[w]:
		return "", "", false
	}
	if n < len(s) && isWordByte(s[n]) {
		return "", "", false
	}
	return s[:n], strings.TrimPrefix(s[n:], " "), true
}

func hasFoldPrefix(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// isWordByte is the \w of expressions.
func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

func nounCharEn(r rune) bool {
	return isWord(r) || strings.ContainsRune("'’.&/+#_:-", r)
}

func isPronounEn(w string) bool {
	switch w {
	case "he", "she", "it", "they", "you", "this", "that", "these", "those", "there", "people", "someone", "somebody", "everyone", "who", "which", "what", "one", "nothing", "something", "everything", "here", "such":
		return true
	}
	return false
}

func firstWord(s string) string {
	if i := strings.IndexByte(s, ' '); i >= 0 {
		return s[:i]
	}
	return s
}

// isImperativeEn tells "Build it again" from "Build 12 is …": words that open a request are no subjects.
func isImperativeEn(s string) bool {
	switch strings.ToLower(firstWord(s)) {
	case "please", "do", "never", "always", "make", "let", "let's", "give", "show", "tell", "find", "search", "write", "run", "build", "check", "open", "send",
		"create", "add", "remove", "delete", "use", "keep", "put", "set", "get", "go", "try", "look", "help", "explain", "book", "buy", "call", "remind", "forget",
		"if", "when", "whenever", "because", "so", "and", "but", "or", "not", "no", "yes", "then", "as", "to", "for", "with", "in", "on", "at", "from", "after", "before", "sounds", "looks", "seems", "thanks", "avoid", "stop", "update", "change", "fix", "test", "deploy", "install", "summarise", "summarize", "translate", "treat", "assume", "answer", "reply", "respond", "flag", "mark", "draft", "include", "skip", "omit", "prefer", "ask", "verify", "validate", "confirm", "quote", "cite", "spell", "format", "round", "convert", "rule", "only", "nobody", "under", "just", "even", "still", "also", "maybe":
		return true
	}
	return false
}

func possessedEn(m []string, sp speaker) (subject, string) {
	owner := sp.self + "'s"
	if strings.EqualFold(m[1], "our") {
		owner = "our"
	}
	noun := strings.TrimSpace(m[2])
	vp := strings.TrimSpace(m[5] + " " + m[6])
	if m[4] != "" {
		vp = "is " + m[6]
	}
	if k, name, ok := kinEn(noun); ok {
		s := subject{kind: subjKin, text: sp.self + "'s " + k, name: name, said: m[1] + " " + noun}
		if m[3] != "" {
			vp = "'s " + m[3] + " " + vp
		}
		return s, vp
	}
	if m[3] != "" {
		noun += "'s " + m[3]
	}
	return subject{kind: subjMine, text: owner + " " + noun, name: noun, said: m[1] + " " + noun}, vp
}

func thingEn(m thingSaid, sp speaker) (subject, string) {
	noun := strings.TrimSpace(m.noun)
	vp := strings.TrimSpace(m.verb + " " + m.rest)
	if m.attr != "" {
		vp = "'s " + m.attr + " " + vp
	}
	low := strings.ToLower(noun)
	if rest, ok := strings.CutPrefix(low, "the "); ok {
		if k, name, ok := kinEn(rest); ok && name == "" {
			return subject{kind: subjKin, text: sp.self + "'s " + k, said: noun}, vp
		}
	}
	if bareKinEn[low] {
		k, _, _ := kinEn(low)
		return subject{kind: subjKin, text: sp.self + "'s " + k, said: noun}, vp
	}
	bare := trimArticle(noun)
	kind := subjThing
	if r := rune(bare[0]); unicode.IsUpper(r) && len(bare) == len(noun) && !strings.ContainsAny(bare, "0123456789/_") {
		kind = subjPerson
	}
	return subject{kind: kind, text: bare, said: noun}, vp
}

// bareKinEn are the speaker's own without a word for it: "Dad was …".
var bareKinEn = wordSet("mum mom mummy mommy dad daddy grandma grandpa granny grandad nan")

func trimArticle(s string) string {
	return trimWord(s, "the", "a", "an", "this", "that", "all", "every", "each", "our", "my")
}

// kinHeadEn reads "my best mate Callum lives next door": a role of the longest name, and what is said behind it, whatever
// verb that begins with. Where an owner or a list follows it is none.
func kinHeadEn(t string, sp speaker) (s subject, rest string, ok bool) {
	if !hasPrefixAny(t, "my ", "My ", "our ", "Our ", "the kids ", "The kids ", "the children ", "The children ", "the twins ", "The twins ") {
		return subject{}, "", false
	}
	words := strings.Fields(t)
	for n := min(len(words)-1, 6); n > 1; n-- {
		if w := words[n-1]; strings.ContainsAny(w, ",;:") || strings.HasSuffix(w, "'s") || !capital(w) && !roleWordEn(w) {
			continue
		}
		noun := strings.Join(words[1:n], " ")
		role, name, ok := kinEn(noun)
		if !ok || name != "" && (reNationEn.match(name) || reDayNameEn.match(name)) {
			continue
		}
		switch next := strings.ToLower(words[n]); next {
		case "and", "or", "of", "in", "at", "from", "to", "for", "with", "who", "'s", "&", "is", "are", "was", "were", "has", "have":
			return subject{}, "", false // read as before
		}
		if !capital(words[n]) && !roleWordEn(strings.ToLower(words[n])) {
			return subject{kind: subjKin, text: sp.self + "'s " + role, name: name, said: strings.Join(words[:n], " ")}, strings.Join(words[n:], " "), true
		}
		return subject{}, "", false
	}
	return subject{}, "", false
}

// roleWordEn reports whether w ends the name of a role.
func roleWordEn(w string) bool {
	_, ok := kinWords[strings.ToLower(w)]
	return ok || roleEndsEn[strings.ToLower(w)]
}

// roleEndsEn are last words of roles of several.
var roleEndsEn = func() map[string]bool {
	out := map[string]bool{}
	for k := range kinWords {
		if i := strings.LastIndexByte(k, ' '); i > 0 {
			out[k[i+1:]] = true
		}
	}
	return out
}()
