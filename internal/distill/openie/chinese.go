package openie

import "strings"

// Chinese reads the triples of a Chinese sentence. Its words are cut by the dictionary.
func Chinese(s string) *Sentence {
	c := &chinese{Sentence: &Sentence{Words: wordsZh(s), Lang: "zh"}, verbs: map[[2]int]int{}}
	c.read()
	return c.Sentence
}

// read reads the clauses one by one.
func (c *chinese) read() {
	c.end = len(c.Words)
	for c.end > 0 && (c.Words[c.end-1].class == ',' || c.Words[c.end-1].class == 'q') {
		c.end--
	}
	depth, from := 0, 0
	for i, w := range c.Words {
		switch w.Text {
		case "《", "（", "(", "【":
			depth++
		case "》", "）", ")", "】":
			depth = max(0, depth-1)
		}
		if w.class == ',' && depth == 0 {
			c.clause(from, i)
			from = i + 1
		}
	}
	c.clause(from, len(c.Words))
}

// chinese is a sentence while it is read clause by clause.
type chinese struct {
	*Sentence
	end     int      // of the words, without the sign that ends the sentence
	sub     []Phrase // of the last clause: one that begins with its verb goes on with it
	named   bool     // sub has had no verb of its own yet
	pending []Phrase // what was said of time and place in front, in a clause of its own

	verbs    map[[2]int]int // what mainVerb found, by where the clause begins and ends
	searched int            // how many clauses were searched for their verb
}

func (c *chinese) class(i, end int) byte {
	if i < 0 || i >= end {
		return ','
	}
	return c.Words[i].class
}

// clause reads words a to b.
func (c *chinese) clause(a, b int) {
	i := a
	carried := false
	for i < b && (c.Words[i].class == 'c' || c.Words[i].Text == "“" && i == a || c.Words[i].class == 'd' || conjZh[c.Words[i].Text]) {
		carried = carried || c.Words[i].Text == "并" || c.Words[i].Text == "并且" || c.Words[i].Text == "且" || c.Words[i].Text == "也" || c.Words[i].Text == "还"
		i++
	}
	head := i
	var adverbials []Phrase
	for i < b {
		e := i
		switch c.Words[i].class {
		case 'p':
			e = c.prepositional(i, b)
			if e <= i+1 {
				e = i
			}
			if w := c.Words[i].Text; (w == "因为" || w == "由于" || w == "因") && e < b && (c.Words[e].class == 'v' || c.Words[e].class == 'd' || c.Words[e].class == 'b') {
				i++ // begins a clause
				continue
			}
		case 't':
			e = c.times(e, b)
			if e < b && c.Words[e].class == 'f' {
				e++
			}
			if e < b && c.Words[e].class == 'u' {
				e = i
			}
		}
		if e == i {
			break
		}
		adverbials = append(adverbials, c.spread(i, e)...)
		i = e
	}
	if i >= b && len(adverbials) > 0 { // nothing but when or where
		c.wait(adverbials, carried)
		return
	}
	if c.timeClause(head, b) {
		c.wait([]Phrase{c.trim(span(head, b))}, carried)
		return
	}
	verb := c.mainVerb(i, b)
	if verb < 0 {
		if head == a {
			c.name(i, b)
		}
		return
	}
	start := c.predicateStart(i, verb, b)
	sub := c.sub
	if s := c.trim(span(i, start)); len(s) > 0 {
		sub = c.split(s)
		c.sub = sub
	}
	if v := c.Words[verb].Text; c.named && len(c.trim(span(i, start))) == 0 && !beZh[v] && !placeZh[v] {
		c.sub = nil // 八点的高铁，去南昌: what was named does not do it
		sub = nil
	}
	c.named = false
	if len(sub) == 0 {
		return
	}
	c.predicate(start, b, sub, append(append([]Phrase(nil), c.pending...), adverbials...))
	c.pending = nil // what is said of time and place in front is said of one clause
}

// name keeps words i to b, a clause without a verb, as what the next clauses speak of: 蛇夫座最亮的恒星，又称尤努卡希，是…
// Only one noun phrase before every verb and every other sign of the sentence is that: later ones go on with a list, or
// stand beside a noun, and what holds an adverb or 了 has a predicate that the dictionary does not know (offer签了).
func (c *chinese) name(i, b int) {
	if len(c.sub) > 0 || b >= c.end {
		return
	}
	for k := 0; k <= b; k++ {
		if c.Words[k].class == ',' && c.Words[k].Text != "，" && c.Words[k].Text != "," {
			return
		}
	}
	for k := i; k < b; k++ {
		switch c.Words[k].class {
		case 'n', 'u', 'm', 'r', 'j', 'q':
		default:
			return
		}
		if strings.HasSuffix(c.Words[k].Text, "了") {
			return
		}
	}
	if s := c.trim(span(i, b)); len(s) > 0 {
		c.sub, c.named = []Phrase{s}, true
	}
}

func (c *chinese) wait(ps []Phrase, carried bool) {
	if !carried {
		c.pending = nil
	}
	c.pending = append(c.pending, ps...)
}

// times is the end of the time that begins at i: 去年夏天, 2006年至2008年.
func (c *chinese) times(i, b int) int {
	for i < b {
		switch w := c.Words[i]; {
		case w.class == 't', w.class == 'm' && c.class(i+1, b) == 't', (w.Text == "至" || w.Text == "到" || w.Text == "-") && c.class(i+1, b) == 't':
			i++
			continue
		}
		break
	}
	return i
}

// timeClause reports whether words a to b say nothing but when: 几年之后.
func (c *chinese) timeClause(a, b int) bool {
	if b-a < 2 || b-a > 12 {
		return false
	}
	if last := c.Words[b-1]; last.class != 'f' && last.class != 't' {
		return false
	}
	for i := a; i < b; i++ {
		if c.Words[i].class == 'v' {
			return false
		}
	}
	return true
}

// prepositional is the end of the phrase that the preposition at i begins: a word of place or time behind the noun ends
// it, or the next word that is none of a noun phrase.
func (c *chinese) prepositional(i, b int) int {
	k := i + 1
	for ; k < b; k++ {
		switch w := c.Words[k]; w.class {
		case 'f':
			if c.class(k+1, b) == 'u' || c.class(k+1, b) == 'n' && w.Text != "后" && w.Text != "前" && w.Text != "时" && c.Words[k].Tag == "f" && len(w.Text) > 3 {
				continue
			}
			return k + 1
		case 'v':
			if e := c.attribute(k, b); e > 0 {
				k = e - 1
				continue
			}
			if e := c.until(i, k, b); e > 0 {
				return e
			}
			return k
		case 'd', 'b', 'a', 'c':
			if w.class == 'd' && c.class(k+1, b) == 'j' {
				continue
			}
			if e := c.until(i, k, b); e > 0 {
				return e
			}
			return k
		case 'p':
			if k > i+1 {
				if w.Text == "至" || w.Text == "到" {
					continue
				}
				return k
			}
		case 'j':
			if c.class(k+1, b) == 'v' && k > i+1 {
				return k
			}
		}
	}
	return k
}

// until is the end of a clause inside a prepositional phrase, 0 where there is none: 在芝加哥发表演讲后, 当她阅读这些文章时.
func (c *chinese) until(i, k, b int) int {
	switch c.Words[i].Text {
	case "在", "当", "直到", "从", "自", "自从", "因为", "由于":
	default:
		return 0
	}
	for ; k < b; k++ {
		if c.Words[k].class == 'f' && afterZh[c.Words[k].Text] && c.class(k+1, b) != 'u' {
			return k + 1
		}
	}
	return 0
}

// predicate reads words i to b as what is said of sub; adverbials stood in front.
func (c *chinese) predicate(i, b int, sub []Phrase, adverbials []Phrase) {
	var rel Phrase
	for i < b {
		w := c.Words[i]
		switch {
		case w.class == 'd' || w.class == 'c':
			rel = append(rel, i)
			i++
			continue
		case w.class == 't':
			e := c.times(i, b)
			adverbials = append(adverbials, span(i, e))
			i = e
			continue
		case w.class == 'b':
			rel = append(rel, i)
			e := i + 1
			for e < b && c.Words[e].class != 'v' && c.Words[e].class != 'p' && c.Words[e].class != 'd' {
				e++
			}
			if agent := c.trim(span(i+1, e)); len(agent) > 0 {
				adverbials = append(adverbials, agent)
			}
			i = e
			continue
		case w.class == 'a':
			e := i + 1
			for e < b && c.Words[e].class != 'v' && c.Words[e].class != 'p' && c.Words[e].class != 'd' {
				e++
			}
			rel = append(rel, span(i, e)...)
			i = e
			continue
		case w.class == 'p':
			e := c.prepositional(i, b)
			if e <= i+1 && e < b {
				rel = append(rel, i)
				i++
				continue
			}
			adverbials = append(adverbials, c.spread(i, e)...)
			i = e
			continue
		case w.class == 'v' && modalZh[w.Text] && i+1 < b && (c.class(i+1, b) == 'v' || c.class(i+1, b) == 'd' || c.class(i+1, b) == 'p' || c.class(i+1, b) == 'b' || c.class(i+1, b) == 'a'):
			rel = append(rel, i)
			i++
			continue
		}
		break
	}
	if i >= b || c.Words[i].class != 'v' && c.Words[i].Tag != "vn" && c.Words[i].Text != "为" {
		return
	}
	verb := c.Words[i].Text
	rel = append(rel, i)
	i++
	for i < b && verb != "是" && verb != "有" && (c.Words[i].class == 'y' || c.Words[i].class == 'l' || linkZh[c.Words[i].Text] && i+1 < b && c.class(i+1, b) != 'u') {
		rel = append(rel, i)
		i++
	}
	if verb == "有" && c.class(i, b) == 'y' {
		rel = append(rel, i)
		i++
	}
	end := b
	for end > i && finalZh[c.Words[end-1].Text] {
		end--
	}
	if i == end && end == b && b < c.end && (sayZh[verb] || verb == "是") { // 他说，…
		for _, s := range sub {
			c.add(Triple{s, rel, c.trim(span(b+1, c.end))})
		}
		return
	}
	for _, s := range sub {
		if v2 := c.second(i, end); v2 > 0 && !sayZh[verb] && verb != "是" && verb != "有" { // 率领代表团前往波兰
			c.objects(s, rel, i, v2, adverbials)
			c.objects(s, join(rel, span(i, v2+1)), v2+1, end, nil)
			continue
		}
		c.objects(s, rel, i, end, adverbials)
	}
}

// second is the verb that goes on behind the object at i, 0 where there is none.
func (c *chinese) second(i, end int) int {
	for k := i + 1; k < end-1; k++ {
		w := c.Words[k]
		if w.class == 'u' || w.class == 'p' || w.class == 'k' || w.class == 'd' {
			return 0
		}
		if w.class == 'v' {
			if c.attribute(k, end) > 0 || c.Words[k-1].class == 'v' || c.Words[k-1].class == 'r' || w.Text == "是" || w.Text == "有" {
				return 0
			}
			return k
		}
	}
	return 0
}

// objects adds the triples of one subject: with each object, and with each adverbial.
func (c *chinese) objects(s, rel Phrase, i, end int, adverbials []Phrase) {
	if c.class(i, end) == 'p' && i > 0 { // 成立于1851年: nothing but a place or a time behind the verb
		if e := c.prepositional(i, end); e == end {
			for _, p := range c.spread(i, e) {
				c.add(Triple{s, rel, p})
			}
			for _, a := range adverbials {
				c.add(Triple{s, rel, a})
			}
			return
		}
	}
	if object := c.trim(span(i, end)); len(object) > 0 {
		os := c.split(object)
		for _, o := range os {
			c.add(Triple{s, rel, o})
		}
		for _, a := range adverbials {
			for _, o := range os {
				c.add(Triple{s, join(rel, o), a})
			}
		}
		return
	}
	for _, a := range adverbials {
		c.add(Triple{s, rel, a})
	}
}

// trim is p without signs and conjunctions at its ends, and without a quotation mark whose fellow is not in it.
func (c *chinese) trim(p Phrase) Phrase {
	for len(p) > 0 && (c.Words[p[0]].class == 'k' || c.Words[p[0]].class == ',') {
		p = p[1:]
	}
	for len(p) > 0 && (c.Words[p[len(p)-1]].class == 'k' || c.Words[p[len(p)-1]].class == ',') {
		p = p[:len(p)-1]
	}
	open, closed := 0, 0
	for _, i := range p {
		switch c.Words[i].Text {
		case "“", "「":
			open++
		case "”", "」":
			closed++
		}
	}
	if open != closed && len(p) > 0 {
		switch {
		case open > closed && c.Words[p[0]].class == 'q':
			p = p[1:]
		case closed > open && c.Words[p[len(p)-1]].class == 'q':
			p = p[:len(p)-1]
		}
	}
	return p
}

// spread is the prepositional phrase of words a to b, once for each of a list in it: 在英格兰和威尔士.
func (c *chinese) spread(a, b int) []Phrase {
	if c.Words[a].class != 'p' {
		return []Phrase{span(a, b)}
	}
	end := b
	if c.Words[b-1].class == 'f' {
		end--
	}
	parts := c.split(span(a+1, end))
	if len(parts) < 2 {
		return []Phrase{span(a, b)}
	}
	var out []Phrase
	for _, p := range parts {
		out = append(out, join(Phrase{a}, p, span(end, b)))
	}
	return out
}

// split is the parts of a list 甲、乙和丙; a phrase with a verb in it stays whole. In 甲、乙和丙的丁 each has its 丁.
func (c *chinese) split(p Phrase) []Phrase {
	var out []Phrase
	from := 0
	depth := 0
	for k, i := range p {
		switch w := c.Words[i]; {
		case w.Text == "《" || w.Text == "“" || w.Text == "（":
			depth++
		case w.Text == "》" || w.Text == "”" || w.Text == "）":
			depth--
		case w.class == 'v':
			return []Phrase{p}
		case w.class == 'k' && depth == 0:
			if k > from {
				out = append(out, p[from:k:k])
			}
			from = k + 1
		}
	}
	if from >= len(p) {
		return append(out, nil)[:max(1, len(out))]
	}
	last := p[from:]
	out = append(out, last)
	if n := len(out); n > 1 {
		head := -1
		for k := len(last) - 2; k > 0; k-- {
			if c.Words[last[k]].class == 'u' {
				head = k
				break
			}
		}
		for _, q := range out[:n-1] {
			for _, i := range q {
				if c.Words[i].class == 'u' {
					head = -1
				}
			}
		}
		if head > 0 {
			for k := range out[:n-1] {
				out[k] = join(out[k], last[head:])
			}
		}
	}
	return out
}
