package distill

import "strings"

// Word sets are scanned instead of matched: these tests run on every clause, and an unanchored alternation of
// fifty words costs more than all templates together.

func wordSet(s string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		out[w] = true
	}
	return out
}

var (
	pastWordsEn = wordSet("was were had went did got came saw met took made bought broke ran ate drank flew drove wrote read lost won sold paid spent found left began gave told said slept woke fell felt caught taught thought brought chose built sent swam rode rowed")
	nextWordsEn = wordSet("will must plan planning due by until starting next upcoming gonna")
	unsureWords = wordSet("would might could maybe perhaps possibly probably wish considering pretend hopefully kidding joking jk hypothetically")
)

// eachWordEn calls f with every word of s in lower case, letters and apostrophes only, until f returns true.
func eachWordEn(s string, f func(w string) bool) bool {
	start := -1
	for i := 0; i <= len(s); i++ {
		if i < len(s) && (s[i] == '\'' || s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z' || s[i] >= 0x80) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 && f(strings.ToLower(s[start:i])) {
			return true
		}
		start = -1
	}
	return false
}

// pastEn reports whether s holds a verb in the past tense: a known one, or a word in -ed.
func pastEn(s string) bool {
	return eachWordEn(s, func(w string) bool { return pastWordsEn[w] || len(w) > 4 && strings.HasSuffix(w, "ed") })
}

// futureEn reports whether s speaks of what is to come or is under way.
func futureEn(s string) bool {
	be := 0 // words since am, is, are
	return eachWordEn(s, func(w string) bool {
		switch {
		case nextWordsEn[w]:
			return true
		case w == "am" || w == "is" || w == "are":
			be = 2
			return false
		case be > 0 && len(w) > 4 && strings.HasSuffix(w, "ing"):
			return true
		}
		be--
		return false
	}) || containsAny(strings.ToLower(s), "going to", "have to", "has to", "need to", "needs to", "is on ")
}

// unsureEn reports whether s weighs or wishes rather than states.
func unsureEn(s string) bool {
	return eachWordEn(s, func(w string) bool { return unsureWords[w] }) || reHypoHeadEn.match(s) ||
		containsAny(strings.ToLower(s), "what if", "as if", "thinking of", "thinking about", "thinking aloud", "think about", "not sure", "i guess", "i doubt", "should i", "i hope", "were to ")
}
