package openie

import "strings"

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
