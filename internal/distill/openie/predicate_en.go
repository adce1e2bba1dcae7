package openie

import "strings"

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
