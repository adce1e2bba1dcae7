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

// EnglishWords is [English] of words alone.
func EnglishWords(words []string) *Sentence {
	ws := make([]Word, len(words))
	for i, w := range words {
		ws[i].Text = w
	}
	return English(ws)
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
