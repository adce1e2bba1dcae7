package openie

import (
	"strings"
)

// Classes of English words: the Treebank's tags, as far as rules tell them apart.
var classEn = map[string]byte{
	"DT": 'D', "PDT": 'D', "PRP": 'P', "PRP$": 'S', "NN": 'N', "NNS": 'N', "NNP": 'N', "NNPS": 'N', "FW": 'N',
	"JJ": 'J', "JJR": 'J', "JJS": 'J', "CD": 'C', "RB": 'R', "RBR": 'R', "RBS": 'R', "VB": 'B', "VBD": 'V', "VBP": 'V', "VBZ": 'V',
	"VBG": 'G', "VBN": 'E', "MD": 'M', "IN": 'I', "TO": 'T', "POS": 'Q', "CC": 'K', "WDT": 'W', "WP": 'W', "WP$": 'W', "WRB": 'W',
	"RP": 'L', "EX": 'X', "$": '$', "#": '$', ",": ',', "(": '(', ")": ')', "``": '"', "''": '"',
}

// chunk is a run of words that belong together.
type chunk struct {
	kind     byte // N noun phrase, V verb group, A adjectives, else the class of its one word
	from, to int  // words
	skip     Phrase
}

// english is a sentence while it is read.
type english struct {
	*Sentence
	g      string // classes of the words
	chunks []chunk
}

// classify sets the classes of the words and mends what the tagger gets wrong by kind.
func (e *english) classify() {
	for i := range e.Words {
		w := &e.Words[i]
		w.class = classEn[w.Tag]
		if w.class == 0 {
			w.class = '.'
		}
		switch low := strings.ToLower(w.Text); {
		case w.Whole:
			w.class = 'N'
		case low == "``" || low == "''" || low == `"` || low == "“" || low == "”" || low == "`" || low == "'" && w.Tag != "POS":
			w.class = '"'
		case low == "(" || low == "-lrb-":
			w.class = '('
		case low == ")" || low == "-rrb-":
			w.class = ')'
		case low == "-" || low == "--" || low == "–" || low == "—":
			w.class = '-'
		case low == "that" && w.class == 'I':
			w.class = 'H'
		}
	}
	b := make([]byte, len(e.Words))
	for i := range e.Words {
		b[i] = e.Words[i].class
	}
	for i := range b {
		switch w := &e.Words[i]; {
		case b[i] == 'P' && strings.EqualFold(w.Text, "her") && i+1 < len(b) && strings.IndexByte("NJCG", b[i+1]) >= 0:
			b[i] = 'S'
		case b[i] == 'T' && i > 0 && i+1 < len(b) && b[i+1] == 'B' && toPreposition[strings.ToLower(e.Words[i-1].Text)]: // "in relation to direct taxes"
			b[i], b[i+1] = 'I', 'J'
		case w.Text == "and/or":
			b[i] = 'K'
		}
	}
	e.g = string(b)
	e.verbForms(b)
}

// verbForms takes a word in -s for the verb that the tagger missed where its clause has no other: "Kafka stores events",
// and behind "and" where only a verb can be: "and listens on".
func (e *english) verbForms(b []byte) {
	finite := false
	for i := range b {
		switch b[i] {
		case 'V', 'M':
			finite = true
		case ',', '.', 'W', 'H', 'I':
			if b[i] != 'I' && i > 0 && !(b[i] == ',' && finite) {
				finite = false
			}
		}
		w := &e.Words[i]
		if w.Tag != "NNS" || i == 0 || i+1 >= len(b) || !strings.HasSuffix(w.Text, "s") || strings.HasSuffix(w.Text, "ss") || w.Text != strings.ToLower(w.Text) || strings.ContainsRune("VM", rune(b[i+1])) {
			continue
		}
		prev, next := &e.Words[i-1], b[i+1]
		switch {
		case !finite && (prev.Tag == "NN" || prev.Tag == "NNP" || prev.Whole) && strings.IndexByte("DSCP$T", next) >= 0 && !e.verbAhead(b, i+1):
		case !finite && (prev.Tag == "NNP" || prev.Whole) && strings.IndexByte("NJI", next) >= 0 && !e.verbAhead(b, i+1):
		case b[i-1] == 'K' && finite && thirdEn[w.Text] && strings.IndexByte("IDSCPT", next) >= 0:
		default:
			continue
		}
		b[i], finite = 'V', true
	}
	e.g = string(b)
	for i := range b {
		e.Words[i].class = b[i]
	}
}

// verbAhead reports whether a finite verb stands between word i and the next sign or "and".
func (e *english) verbAhead(b []byte, i int) bool {
	for ; i < len(b) && b[i] != ',' && b[i] != '.' && b[i] != 'K'; i++ {
		if b[i] == 'V' || b[i] == 'M' {
			return true
		}
	}
	return false
}

// thirdEn are forms that are verbs more often than nouns.
var thirdEn = wordSet("listens stores reads writes runs serves sends receives uses keeps holds works lives speaks teaches plays owns drives depends connects supports handles builds deploys calls imports contains hosts requires replaces exposes publishes consumes forwards proxies scrapes indexes caches logs mounts returns maintains manages leads reports belongs loves likes hates prefers wants needs studies goes comes makes takes gives gets sells buys ships pays")

// toPreposition are words behind which "to" leads to a thing, never to a verb.
var toPreposition = wordSet("relation regard respect response addition contrast access according due owing prior thanks relating related similar close next up")

func (e *english) class(i int) byte {
	if i < 0 || i >= len(e.g) {
		return 0
	}
	return e.g[i]
}

// is reports whether word i is one of the words, in any case.
func (e *english) is(i int, words ...string) bool {
	if i < 0 || i >= len(e.Words) {
		return false
	}
	for _, w := range words {
		if strings.EqualFold(e.Words[i].Text, w) {
			return true
		}
	}
	return false
}

// chunk cuts the sentence into noun phrases, verb groups and what stands between them.
func (e *english) chunk() {
	for i := 0; i < len(e.g); {
		c := chunk{kind: e.g[i], from: i, to: i + 1}
		if c.kind == '"' {
			i++
			continue
		}
		var prev chunk
		if n := len(e.chunks); n > 0 {
			prev = e.chunks[n-1]
		}
		if to := e.verbs(i, prev); to > i {
			c.kind, c.to = 'V', to
		} else if to, skip := e.noun(i); to > i {
			c.kind, c.to, c.skip = 'N', to, skip
		} else if to := e.adjective(i); to > i {
			c.kind, c.to = 'A', to
		}
		e.chunks = append(e.chunks, c)
		i = c.to
	}
}

// verbs is the end of the verb group at word i behind chunk prev, i where there is none.
func (e *english) verbs(i int, prev chunk) int {
	start := i
	switch e.class(i) {
	case 'M', 'V':
		i++
	case 'T':
		i = e.skipAdverbs(i + 1)
		if e.class(i) != 'B' {
			return start
		}
		i++
	case 'B': // "they work and live"; an imperative has no subject
		if prev.kind != 'K' && prev.kind != 'N' {
			return start
		}
		i++
	case 'G', 'E': // a participle behind what it is said of: "a house built by", "and used as"
		if prev.kind != 'N' && prev.kind != ',' && prev.kind != 'K' && prev.kind != ')' || !strings.ContainsRune("ITDSPNJCLR", rune(e.class(i+1))) ||
			prev.kind == 'K' && e.class(i+1) == 'N' || e.class(i+1) == 0 {
			return start
		}
		return i + 1
	default:
		return start
	}
	for {
		j := e.skipAdverbs(i)
		switch c := e.class(j); {
		case c == 'B' || c == 'E':
			i = j + 1
			continue
		case c == 'V' && e.class(start) == 'V' && e.aux(start): // "was wrote": a participle that the tagger took for the past
			i = j + 1
			continue
		case c == 'G' && (e.class(start) == 'V' || e.class(start) == 'M' || strings.IndexByte("NJC", e.class(j+1)) < 0):
			i = j + 1
			continue
		case c == 'T' && e.class(e.skipAdverbs(j+1)) == 'B':
			i = e.skipAdverbs(j+1) + 1
			continue
		}
		break
	}
	if e.class(i) == 'L' {
		i++
	}
	return i
}

func (e *english) skipAdverbs(i int) int {
	for e.class(i) == 'R' {
		i++
	}
	return i
}

// aux reports whether word i is a form of be or have.
func (e *english) aux(i int) bool {
	return e.is(i, "is", "are", "was", "were", "be", "been", "being", "am", "has", "have", "had", "'s", "'re", "'ve", "'m", "'d")
}

// noun is the end of the noun phrase at word i, i where there is none; skip are adjectives in a list, which the phrase can
// do without: "inductive and capacitive elements".
func (e *english) noun(i int) (end int, skip Phrase) {
	start := i
	for e.is(i, "about", "around", "only", "some", "nearly", "almost", "over", "roughly", "approximately", "just") && (e.class(i+1) == '$' || e.class(i+1) == 'C') {
		i++ // "about $ 30 million"
	}
	switch c := e.class(i); {
	case c == 'P' || c == 'X':
		return i + 1, nil
	case c == 'C' && year(e.Words[i].Text) && i > 0 && e.class(i-1) == 'I' && e.class(i+1) == 'N': // "In 1717 Lady Mary"
		return i + 1, nil
	}
	for n := 0; n < 2 && (e.class(i) == 'D' || e.class(i) == 'S'); n++ {
		i++
	}
	end = start
	if i > start && e.class(start) == 'D' {
		end = i // "this", "all"
	}
	for {
		c := e.class(i)
		switch {
		case c == 'N' || c == 'C':
			i++
			end = i
		case c == '-' && i > start && e.is(i, "-") && strings.IndexByte("NCJERDG", e.class(i-1)) >= 0 && strings.IndexByte("NCJERGBV", e.class(i+1)) >= 0 && e.class(i+1) != 0: // "free - lance"
			i += 2
			if e.class(i-1) == 'N' {
				end = i
			}
		case e.is(i, "&") && end == i && e.class(i+1) == 'N':
			i += 2
			end = i
		case c == 'D' && end == i && i > start && e.money(start, i) && e.is(i, "a", "an", "each") && e.class(i+1) == 'N': // "$ 58 a share"
			i += 2
			end = i
		case c == 'Q' || c == '$' || c == 'S' && e.class(i-1) == 'Q':
			i++
		case c == 'J' || c == 'E' || c == 'G':
			if j := e.adjectives(i); j > i {
				skip = join(skip, span(i, j))
				i = j
				continue
			}
			i++
		case c == 'R' && strings.IndexByte("JCE", e.class(i+1)) >= 0 && i > start:
			i++
		case c == '"' && e.class(i+1) != 0 && strings.IndexByte("NJCEG", e.class(i+1)) >= 0 && i > start: // the "Old" House
			i++
		default:
			if len(skip) > 0 && end < skip[0] {
				skip = nil
			}
			if end == start+1 && i > end && e.class(start) == 'D' && e.class(i-1) == 'J' && strings.IndexByte("IVM,.", c) >= 0 {
				end = i // "the latter", "this manual": an adjective that stands for its noun
			}
			if e.class(i) == ',' && i == end && year(e.text(i+1)) && month[strings.ToLower(e.text(i-2))] { // December 31, 1963
				end = i + 2
			}
			if i == end && reflexive[strings.ToLower(e.text(i))] { // "the doctor himself"
				skip, end = append(skip, i), i+1
			}
			return end, skip
		}
	}
}

// adjectives is the end of a list of adjectives at word i that stands before a noun, i where there is none.
func (e *english) adjectives(i int) int {
	one := func(i int) int {
		for e.class(i) == 'R' {
			i++
		}
		if strings.IndexByte("JEG", e.class(i)) < 0 || e.class(i) == 0 {
			return -1
		}
		for e.class(i) == 'J' || e.class(i) == 'E' || e.class(i) == 'G' {
			i++
		}
		return i
	}
	start, n := i, 0
	for {
		j := one(i)
		if j < 0 {
			return start
		}
		i = j
		k := i
		for e.class(k) == ',' || e.class(k) == 'K' {
			k++
		}
		if k == i {
			break
		}
		i = k
		n++
	}
	if n == 0 || e.class(i) != 'N' {
		return start
	}
	return i
}

// adjective is the end of what is said of a subject behind "is": "very old and tired".
func (e *english) adjective(i int) int {
	j := e.skipAdverbs(i)
	if e.class(j) != 'J' {
		return i
	}
	j++
	if e.class(j) == 'K' && e.class(j+1) == 'J' {
		j += 2
	}
	return j
}

// money reports whether an amount of money stands among the words a to b.
func (e *english) money(a, b int) bool {
	for ; a < b; a++ {
		if e.class(a) == '$' || e.is(a, "%") {
			return true
		}
	}
	return false
}

// text is word i, "" beyond the ends.
func (e *english) text(i int) string {
	if i < 0 || i >= len(e.Words) {
		return ""
	}
	return e.Words[i].Text
}

// year reports whether w is a number that can be a year.
func year(w string) bool {
	return len(w) == 4 && (w[0] == '1' || w[0] == '2') && strings.Trim(w, "0123456789") == ""
}

var (
	month     = wordSet("january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec jan. feb. aug. sept. oct. nov. dec.")
	reflexive = wordSet("himself herself itself themselves myself yourself ourselves yourselves")
)

// wordSet is the words of s.
func wordSet(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}
