package openie

import (
	"strings"

	"github.com/siltstone-ai/siltstone/internal/distill/postag"
)

// English reads the triples of words that are cut as the Penn Treebank cuts them.
func English(words []Word) *Sentence {
	if len(words) > MaxWords {
		words = words[:MaxWords]
	}
	s := &Sentence{Words: words, Lang: "en"}
	texts := make([]string, len(words))
	for i := range words {
		texts[i] = words[i].Text
		if texts[i] == "i" {
			texts[i] = "I" // the tagger takes the other for a noun
		}
	}
	for i, t := range postag.English().Tag(texts) {
		words[i].Tag = t
	}
	e := &english{Sentence: s}
	e.classify()
	e.chunk()
	e.clauses()
	return s
}

// at is the kind of chunk i, 0 beyond the ends.
func (e *english) at(i int) byte {
	if i < 0 || i >= len(e.chunks) {
		return 0
	}
	return e.chunks[i].kind
}

// words are those of chunks a to b, adjectives in lists gone.
func (e *english) words(a, b int) Phrase {
	var out Phrase
	for ; a < b; a++ {
		c := e.chunks[a]
		k := 0
		for i := c.from; i < c.to; i++ {
			if k < len(c.skip) && c.skip[k] == i {
				k++
				continue
			}
			out = append(out, i)
		}
	}
	return out
}

func (e *english) says(i int, words ...string) bool {
	return i >= 0 && i < len(e.chunks) && e.chunks[i].to == e.chunks[i].from+1 && e.is(e.chunks[i].from, words...)
}

// finite reports whether verb group i has a finite verb.
func (e *english) finite(i int) bool {
	return e.at(i) == 'V' && strings.IndexByte("MV", e.class(e.chunks[i].from)) >= 0
}

// argument is a noun phrase, or a list of them, behind a verb: lead is what leads to it.
type argument struct {
	lead  Phrase   // prepositions, "" for an object
	items [][2]int // chunks of each noun phrase with its of-phrases
}

// of is the end of the noun phrase at chunk i with its of-phrases.
func (e *english) of(i int) int {
	i++
	for e.at(i) == 'I' && e.says(i, "of") && e.at(i+1) == 'N' {
		i += 2
	}
	return i
}

// list reads "A, B and C" at chunk i: the noun phrases and where they end. What a finite verb follows begins a clause.
func (e *english) list(i int) (items [][2]int, end int) {
	end = e.of(i)
	items = [][2]int{{i, end}}
	for {
		k, joined := end, false
		for e.at(k) == ',' || e.at(k) == 'K' {
			joined = joined || e.at(k) == 'K'
			k++
		}
		if k == end || e.at(k) != 'N' {
			return e.joined(items, end)
		}
		to := e.of(k)
		if e.finite(to) || e.at(to) == 'W' && e.at(k-1) == ',' {
			return e.joined(items, end)
		}
		items, end = append(items, [2]int{k, to}), to
	}
}

// joined are the items of a list that ends with "and"; without it what stands behind the first comma is something else.
func (e *english) joined(items [][2]int, end int) ([][2]int, int) {
	if n := len(items); n > 1 && e.at(items[n-1][0]-1) != 'K' {
		return items[:1], items[0][1]
	}
	return items, end
}

// clauses reads every verb group.
func (e *english) clauses() {
	var main, near []Phrase // subjects of the last clause with one of its own, and of the last clause of any kind
	var lead argument       // what stood before the subject of the last main clause
	for v := range e.chunks {
		if e.at(v) != 'V' {
			continue
		}
		sub, rel, start := e.subject(v, main, near)
		if len(sub) == 0 {
			continue
		}
		var l argument
		if e.finite(v) {
			near = sub
			if !rel {
				main = sub
				if start >= 0 {
					lead = e.leading(start)
				}
				l = lead
			}
		}
		e.predicate(v, sub, l)
	}
}

// leading is what stands before the subject at chunk start and says when or where: "In 1918, the town".
func (e *english) leading(start int) argument {
	end := start
	for e.at(end-1) == ',' || e.at(end-1) == 'R' {
		end--
	}
	if e.at(end-1) != 'N' {
		return argument{}
	}
	i := end - 1
	for e.says(i-1, "of") && e.at(i-2) == 'N' {
		i -= 2
	}
	a := argument{items: [][2]int{{i, end}}}
	switch {
	case e.at(i-1) == 'I' && e.at(i-2) != 'N' && e.at(i-2) != 'V' && e.at(i-2) != 'A':
		a.lead = e.words(i-1, i)
	case e.time(i) && e.opens(i):
		a.items[0][1] = start
		if e.at(start-1) == ',' {
			a.items[0][1]--
		}
	default:
		return argument{}
	}
	return a
}

// made reports whether noun phrase p is made to do what the infinitive behind it says: "led him to go".
func (e *english) made(p int) bool {
	for k := p - 1; k >= 0 && p-k < 6; k-- {
		if e.at(k) == 'V' {
			return causes[strings.ToLower(e.text(e.chunks[k].to-1))]
		}
	}
	return false
}

var causes = wordSet("led lead leads leading allowed allow allows allowing caused cause causes causing enabled enable enables enabling forced force forces asked ask asks told tell tells helped help helps encouraged encourage encourages urged urge urges persuaded persuade required require requires ordered order orders permitted permit permits invited invite invites convinced convince taught teach teaches wanted want wants expects expected reminded remind")

// shared is what verb group v takes over from the group before it where it is joined to that by "and" or a comma: "was
// founded and named", "will test and deploy".
func (e *english) shared(v int) Phrase {
	p := v - 1
	for e.at(p) == 'R' || e.at(p) == 'K' || e.at(p) == ',' {
		p--
	}
	if p == v-1 {
		return nil
	}
	for e.at(p) != 'V' {
		if p--; p < 0 || e.at(p) == 'W' {
			return nil
		}
	}
	a, b := e.chunks[p], e.chunks[v]
	first := e.class(b.from)
	if a.to-a.from < 2 || !e.finite(p) || first == 'B' && e.class(a.from) != 'M' || first == 'V' && !(e.aux(a.from) && b.to == b.from+1) {
		return nil
	}
	if last := e.class(a.to - 1); last != first && !(last == 'E' && first == 'V') {
		return nil
	}
	if first == 'V' && !strings.HasSuffix(e.text(b.from), "ed") {
		return nil
	}
	var out Phrase
	for i := a.from; i < a.to-1; i++ {
		if c := e.class(i); c == 'M' || c == 'V' || c == 'E' {
			out = append(out, i)
		}
	}
	return out
}

// subject finds whom verb group v speaks of; relative where that is a word of another clause.
func (e *english) subject(v int, main, near []Phrase) (sub []Phrase, relative bool, start int) {
	p := v - 1
	for e.at(p) == 'R' || e.at(p) == ',' && e.at(p-1) == 'R' {
		p--
	}
	participle := !e.finite(v)
	if e.infinitive(v) && (e.at(p) == 'N' || e.at(p) == ',') && !e.made(p) {
		return nil, false, -1 // "uses money to buy": read behind its verb
	}
	switch {
	case e.at(p) == 'K' && e.at(p-1) == ',':
		return main, false, -1
	case e.at(p) == 'K':
		return near, false, -1
	case e.at(p) == 'W' || e.at(p) == 'H' && e.at(p-1) == 'N':
		who := e.says(p, "who", "whom")
		if !who && !e.says(p, "which", "that") {
			return nil, false, -1
		}
		p--
		for e.at(p) == ',' {
			p--
		}
		if e.at(p) != 'N' {
			return nil, false, -1
		}
		q := p
		for !who && e.says(q-1, "of") && e.at(q-2) == 'N' {
			q -= 2
		}
		return []Phrase{e.words(q, p+1)}, true, -1
	case e.at(p) == ',' && participle:
		if e.class(e.chunks[v].from) == 'G' {
			return near, true, -1
		}
		if main == nil && !e.finiteAhead(v+1) { // ", who leads it, studied": no other verb is the sentence's
			return e.apposed(p, main), false, -1
		}
		for e.at(p) == ',' {
			p--
		}
		q := p
		for e.at(q-1) == 'I' && e.at(q-2) == 'N' {
			q -= 2
		}
		if e.at(q) != 'N' {
			return nil, false, -1
		}
		if e.at(q-1) == 'I' {
			return near, true, -1
		}
		return []Phrase{e.words(q, e.of(q))}, true, -1
	case e.at(p) == 'N' && participle:
		if e.at(p) != 'N' {
			return nil, false, -1
		}
		q := p
		for e.says(q-1, "of") && e.at(q-2) == 'N' {
			q -= 2
		}
		return []Phrase{e.words(q, p+1)}, true, -1
	case e.at(p) == ',' || e.at(p) == ')':
		return e.apposed(p, main), false, -1
	case e.at(p) == 'N':
		if q := e.participle(p); q >= 0 {
			p = q
		}
		sub, start := e.subjects(p)
		return sub, false, start
	}
	return nil, false, -1
}

// participle is the noun phrase that stands before the participles to which p belongs, and is the subject behind them: "the
// law sponsored by Sweeney and signed into law". -1 where p belongs to none.
func (e *english) participle(p int) int {
	found := -1
	for k := p - 1; k > 0; k-- {
		switch {
		case e.at(k) == 'V' && !e.finite(k) && !e.infinitive(k) && (e.at(k-1) == 'N' || e.at(k-1) == 'K'):
			if e.at(k-1) == 'N' {
				found = k - 1
			}
		case e.at(k) == 'N' || e.at(k) == 'I' && !e.opens(k+1) || e.at(k) == 'K' || e.at(k) == 'T' || e.at(k) == 'R':
		default:
			return found
		}
	}
	return found
}

// subjects are the noun phrases that end with chunk p and stand before a finite verb: with their of-phrases and, where
// they open the clause, all their prepositions; each one of a list apart.
func (e *english) subjects(p int) (sub []Phrase, start int) {
	q := p
	for e.at(q-1) == 'I' && e.at(q-2) == 'N' && e.class(e.chunks[p].from) != 'P' && (e.says(q-1, "of") || !e.opens(q) && e.opens(e.first(q-2))) {
		q -= 2
	}
	if e.at(q) == 'N' && e.class(e.chunks[q].from) == 'X' {
		return nil, -1
	}
	out := []Phrase{e.words(q, p+1)}
	for k := q - 1; e.at(k) == 'K' || e.at(k) == ',' && len(out) > 1; k = q - 1 {
		for e.at(k) == ',' || e.at(k) == 'K' {
			k--
		}
		if e.at(k) != 'N' {
			break
		}
		a := k
		for e.says(a-1, "of") && e.at(a-2) == 'N' {
			a -= 2
		}
		if e.at(a-1) == 'V' || e.at(a-1) == 'I' {
			break
		}
		out, q = append(out, e.words(a, k+1)), a
	}
	return out, q
}

// first is the chunk where the chain of noun phrases and prepositions begins that reaches chunk i.
func (e *english) first(i int) int {
	for e.at(i-1) == 'I' && e.at(i-2) == 'N' {
		i -= 2
	}
	return i
}

// opens reports whether a clause can begin with chunk i.
func (e *english) opens(i int) bool {
	switch e.at(i - 1) {
	case 0, 'K', 'W', 'H', ',', '.', ':':
		return true
	case 'I':
		if e.says(i-1, "after", "before", "since", "until", "as") && e.class(e.chunks[i].from) != 'P' {
			return false // a preposition as well
		}
		return e.says(i-1, "because", "when", "while", "although", "though", "before", "after", "if", "since", "until", "whether", "as", "so", "that", "whereas", "unless")
	}
	return false
}

// finiteAhead reports whether a finite verb group stands at chunk i or behind.
func (e *english) finiteAhead(i int) bool {
	for ; i < len(e.chunks); i++ {
		if e.finite(i) {
			return true
		}
	}
	return false
}

// apposed is the subject before an apposition, a relative clause or a bracket that ends at chunk p: "Arminius, leader of the
// Cherusci, had".
func (e *english) apposed(p int, main []Phrase) []Phrase {
	finite := false
	for i := p - 1; i >= 0 && p-i < 24; i-- {
		opens := e.at(i) == '(' && e.at(p) == ')' || e.at(i) == ',' && e.at(p) == ','
		switch {
		case opens && e.at(i-1) == 'N' && (e.at(i+1) == 'W' || !finite && e.at(i+1) != 'K'):
			sub, _ := e.subjects(i - 1)
			return sub
		case opens && finite:
			return main
		}
		finite = finite || e.finite(i)
	}
	if finite {
		return main
	}
	return nil
}

// predicate reads what verb group v says of its subjects: a triple with its object, and one with each argument behind a
// preposition. What stood before the subject ("In 1918, …") is the last of them.
func (e *english) predicate(v int, sub []Phrase, before argument) {
	rel, i := join(e.shared(v), e.denial(v), e.words(v, v+1)), v+1
	for e.infinitive(i) {
		rel = join(rel, e.words(i, i+1))
		i++
	}
	core := rel // what later arguments go on from
	if e.content(sub, rel, i) {
		return
	}
	if e.at(i) == 'N' {
		items, end := e.list(i)
		e.state(sub, rel, items)
		core = join(rel, e.words(i, items[0][1]))
		e.state(sub, join(core, before.lead), before.items)
		if len(items) > 1 {
			return
		}
		before, i = argument{}, end
	} else if e.at(i) == 'A' && e.at(i+1) != 'N' {
		to := i + 1
		if e.infinitive(to) && e.at(to+1) != 'N' {
			to++
		}
		if e.at(to) != 'I' && e.at(to) != 'V' && e.at(to) != 'T' {
			for _, s := range sub {
				e.add(Triple{s, rel, e.words(i, to)})
			}
		}
		core = join(rel, e.words(i, i+1))
		i++
	}
	chain := core
	for n := 0; n < maxArguments; n++ {
		if e.infinitive(i) && e.at(i+1) == 'N' {
			chain = join(chain, e.words(i, i+1))
			items, end := e.list(i + 1)
			e.state(sub, chain, items)
			chain = join(chain, e.words(i+1, end))
			core, i = chain, end
			continue
		}
		j := i
		for e.at(j) == 'R' || e.at(j) == 'I' || e.at(j) == 'T' || e.at(j) == 'L' {
			j++
		}
		if j == i || e.at(j) != 'N' || e.at(j-1) == 'R' {
			return
		}
		items, end := e.list(j)
		if e.finite(end) {
			return
		}
		lead := e.words(i, j)
		if e.attaches(i, j) {
			e.state(sub, join(chain, lead), items)
		} else {
			e.state(sub, join(core, lead), items)
		}
		e.state(sub, join(chain, lead, e.words(j, items[0][1]), before.lead), before.items)
		before = argument{}
		if len(items) > 1 {
			return
		}
		if !e.time(j) {
			chain = join(chain, e.words(i, end))
		}
		i = end
	}
}

// content reads what is said, thought or known behind a verb: "said the plant would close", "believes that it works". It
// reports whether chunk i begins such a clause.
func (e *english) content(sub []Phrase, rel Phrase, i int) bool {
	n := i
	if e.at(n) == 'H' {
		n++
	}
	if e.at(n) != 'N' {
		return false
	}
	_, end := e.list(n)
	for e.at(end) == 'I' && e.at(end+1) == 'N' {
		end = e.of(end + 1)
	}
	for e.at(end) == 'R' {
		end++
	}
	if !e.finite(end) {
		return false
	}
	to := end
	for to < len(e.chunks) && e.at(to) != '.' {
		to++
	}
	for _, s := range sub {
		e.add(Triple{s, rel, e.words(i, to)})
	}
	return true
}

// denial is the adverbs before verb group v where they deny it: never, no longer.
func (e *english) denial(v int) Phrase {
	a := v
	for e.at(a-1) == 'R' || e.at(a-1) == 'D' && e.says(a-1, "no") {
		a--
	}
	for k := a; k < v; k++ {
		if e.is(e.chunks[k].from, "never", "no", "not", "hardly", "rarely", "seldom", "n't") {
			return e.words(a, v)
		}
	}
	return nil
}

// maxArguments is how many arguments behind the first a verb gives triples for.
const maxArguments = 3

// attaches reports whether the prepositions i to j belong to the noun before them rather than to the verb.
func (e *english) attaches(i, j int) bool { return !e.says(j-1, "by", "at", "on") }

// infinitive reports whether chunk i is "to" and a verb.
func (e *english) infinitive(i int) bool {
	return e.at(i) == 'V' && e.class(e.chunks[i].from) == 'T'
}

// time reports whether the noun phrase at chunk i names a time.
func (e *english) time(i int) bool {
	for k := e.chunks[i].from; k < e.chunks[i].to; k++ {
		w := strings.ToLower(e.Words[k].Text)
		if month[w] || timeWord[w] || year(w) || len(w) == 5 && w[4] == 's' && year(w[:4]) {
			return true
		}
	}
	return false
}

var timeWord = wordSet("monday tuesday wednesday thursday friday saturday sunday today yesterday tomorrow tonight day days week weeks weekend month months year years decade decades century centuries hour hours minute minutes morning evening afternoon night midnight noon spring summer autumn winter time")

// state adds a triple of each subject with each item. Of a single item each of-phrase gives one more: "justice of" the
// High Court.
func (e *english) state(sub []Phrase, rel Phrase, items [][2]int) {
	for _, s := range sub {
		for _, it := range items {
			e.add(Triple{s, rel, e.words(it[0], it[1])})
			if len(items) > 1 {
				continue
			}
			for k := it[0] + 2; k < it[1] && k <= it[0]+4; k += 2 {
				if !e.time(k) {
					e.add(Triple{s, join(rel, e.words(it[0], k)), e.words(k, it[1])})
				}
			}
		}
	}
}

// EnglishWords is [English] of words alone.
func EnglishWords(words []string) *Sentence {
	ws := make([]Word, len(words))
	for i, w := range words {
		ws[i].Text = w
	}
	return English(ws)
}
