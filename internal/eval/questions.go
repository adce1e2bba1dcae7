package eval

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/siltstone-ai/siltstone/internal/text"
)

// Kinds of questions that are made of a log.
const (
	KindSentence = "sentence" // a sentence taken out of a turn asks for the rest of it
	KindTurn     = "turn"     // a turn taken out of its conversation asks for those right beside it
	KindWords    = "words"    // the weightiest words of a turn ask for it
)

// What a question needs: fewer terms say too little to tell one turn from another.
const (
	leastTerms = 3
	askedWords = 3
)

// Questions makes up to n questions from a user's turns, in the order in which they were said, whose answers are known
// without anybody's judgement, and returns the user with what is left of the turns. A sentence is held out of a turn of
// several and asks for the others (the inverse cloze task, Lee, Chang and Toutanova 2019); of a turn of one sentence the
// whole is held out and asks for its neighbours; and the words of highest weight of a turn ask for it where no other
// holds them all (known-item search, Azzopardi, de Rijke and Balog 2007). What was asked is in no turn any more, but for the
// words. Each turn serves one question. A turn that only asks answers nothing, and one with a masked secret does not hold
// what was said: they stay among the turns, neither ask nor answer, and unfit counts them. Which serve follows from the seed. The questions are not those that people ask:
// they compare settings over one's own words, and say nothing about how often a person is answered.
func Questions(u User, n int, seed uint64) (made User, unfit int) {
	b := &asker{events: slices.Clone(u.Events), used: make([]bool, len(u.Events)), holders: map[uint32][]int{}}
	b.read()
	for i, e := range b.events {
		if b.used[i] = !fit(e.Input); b.used[i] {
			unfit++
		}
	}
	asked := 0
	for _, i := range rand.New(rand.NewPCG(seed, uint64(len(u.Events)))).Perm(len(u.Events)) {
		if asked >= n {
			break
		}
		// One kind after another, so that none of them crowds the others out.
		for k := range b.kinds() {
			if q, ok := b.kinds()[(asked+k)%len(b.kinds())](i); ok {
				u.Queries = append(u.Queries, q)
				asked++
				break
			}
		}
	}
	u.Events = nil
	for i, e := range b.events {
		if e.Input != "" {
			u.Events = append(u.Events, b.events[i])
		}
	}
	return u, unfit
}

// masked is how the clean stage begins what stands in place of a secret.
const masked = "[secret:"

// fit reports whether a text may ask or answer: it states something, and all of it is as it was said.
func fit(s string) bool { return !text.Asks(s) && !strings.Contains(s, masked) }

// asker takes sentences and turns out of a log.
type asker struct {
	events  []Event
	used    []bool // as a question or its answer, or unfit for either
	terms   [][]text.Term
	holders map[uint32][]int // term → turns that hold it
	before  []int            // the turn before in the same conversation, -1 for none
	after   []int
}

func (b *asker) read() {
	last := map[string]int{}
	b.terms = make([][]text.Term, len(b.events))
	b.before, b.after = make([]int, len(b.events)), make([]int, len(b.events))
	for i, e := range b.events {
		b.terms[i] = text.Terms(e.Input)
		for _, t := range b.terms[i] {
			b.holders[t.Index] = append(b.holders[t.Index], i)
		}
		b.before[i], b.after[i] = -1, -1
		if j, ok := last[e.Conversation]; ok && e.Conversation != "" {
			b.before[i], b.after[j] = j, i
		}
		last[e.Conversation] = i
	}
}

func (b *asker) kinds() [3]func(int) (Query, bool) {
	return [...]func(int) (Query, bool){b.sentence, b.turn, b.words}
}

// sentence holds the sentence of most terms out of a turn whose rest says enough as well.
func (b *asker) sentence(i int) (Query, bool) {
	input := b.events[i].Input
	spans := text.Sentences(input)
	if b.used[i] || len(spans) < 2 {
		return Query{}, false
	}
	n := make([]int, len(spans))
	all := 0
	for k, sp := range spans {
		n[k] = len(text.Terms(input[sp.Start:sp.End]))
		all += n[k]
	}
	best := 0
	for k := range n {
		if n[k] > n[best] {
			best = k
		}
	}
	sp := spans[best]
	if n[best] < leastTerms || all-n[best] < leastTerms {
		return Query{}, false
	}
	rest := strings.TrimSpace(input[:sp.Start] + input[sp.End:])
	if !fit(rest) { // it stated something by this sentence alone
		return Query{}, false
	}
	b.used[i] = true
	b.events[i].Input = rest
	return Query{Q: input[sp.Start:sp.End], Evidence: []string{b.events[i].ID}, Kind: KindSentence}, true
}

// turn holds a turn out whole.
func (b *asker) turn(i int) (Query, bool) {
	if b.used[i] || len(b.terms[i]) < leastTerms {
		return Query{}, false
	}
	q := Query{Q: b.events[i].Input, Kind: KindTurn}
	for _, j := range []int{b.before[i], b.after[i]} {
		if j >= 0 && b.used[j] {
			return Query{}, false
		}
	}
	for _, j := range []int{b.before[i], b.after[i]} {
		if j >= 0 {
			b.used[j] = true
			q.Evidence = append(q.Evidence, b.events[j].ID)
		}
	}
	if len(q.Evidence) == 0 {
		return Query{}, false
	}
	b.used[i] = true
	b.events[i].Input = ""
	return q, true
}

// words asks for a turn by those of its words that weigh most, in their order.
func (b *asker) words(i int) (Query, bool) {
	ks := text.Keywords(b.events[i].Input, askedWords)
	if b.used[i] || len(ks) < askedWords {
		return Query{}, false
	}
	slices.SortFunc(ks, func(x, y text.Keyword) int { return cmp.Compare(x.First, y.First) })
	q := Query{Evidence: []string{b.events[i].ID}, Kind: KindWords}
	ws := make([]string, len(ks))
	for k := range ks {
		ws[k] = ks[k].Text
	}
	q.Q = strings.Join(ws, " ")
	held := map[int]int{} // turn → how many of the terms
	asked := text.Terms(q.Q)
	for _, t := range asked {
		for _, j := range b.holders[t.Index] {
			held[j]++
		}
	}
	for j, n := range held {
		if j != i && n == len(asked) {
			return Query{}, false
		}
	}
	b.used[i] = true
	return q, true
}
