package distill

import (
	"math/bits"
	"slices"
	"strings"
)

// maxRows is how many rows a table may have.
const maxRows = 192

// rowSet is a set of rows of a table.
type rowSet [maxRows / 64]uint64

func rowOf(i int) (s rowSet) {
	s.add(i)
	return s
}

func (s *rowSet) add(i int)  { s[i/64] |= 1 << (i % 64) } // panics from maxRows on
func (s rowSet) empty() bool { return s == rowSet{} }
func (s rowSet) or(t rowSet) rowSet {
	for i := range s {
		s[i] |= t[i]
	}
	return s
}

func (s rowSet) and(t rowSet) rowSet {
	for i := range s {
		s[i] &= t[i]
	}
	return s
}

// next is the first row of s from row i on, -1 where there is none.
func (s rowSet) next(i int) int {
	for w := i / 64; w < len(s); w++ {
		if word := s[w] >> (i % 64) << (i % 64); word != 0 {
			return w*64 + bits.TrailingZeros64(word)
		}
		i = 0
	}
	return -1
}

// index tells in one pass over a text which rows of a table may match it, by the words that each row needs one of:
// the automaton of Aho and Corasick (1975) over bytes as foldByte leaves them, with one row set a state. A row
// without words may always match. It is immutable after newIndex.
type index struct {
	class    [256]uint8 // of a byte of a text; 0 for those in no word
	width    int        // how many classes there are
	next     []uint32   // by state and class, the next state; states are numbered by their place here
	out      []rowSet   // by state/width: rows one of whose words ends here
	hit      []bool     // by state/width: out is not empty
	start    uint32     // the state at the beginning of a text
	anchored bool       // every word begins its text: nothing is found once the first state is reached
	always   rowSet
}

// openers let every row through: what they stand for depends on the pattern.
var openers = [...]string{string(longS), string(kelvin)}

// newIndex makes the index of those rows of a table that are in rows: words are what each needs one of, as literals
// gives them.
func newIndex(rows rowSet, words [][]string) *index {
	ix := &index{width: 1, anchored: true}
	for i := rows.next(0); i >= 0; i = rows.next(i + 1) {
		if len(words[i]) == 0 {
			ix.always.add(i)
		}
		for _, w := range words[i] {
			ix.anchored = ix.anchored && strings.HasPrefix(w, startMark)
		}
	}
	b := builder{ix: ix, edges: make([][]edge, 1), out: make([]rowSet, 1)}
	b.mark = b.classOf(startMark[0]) // before any other: no byte of a text has it
	ix.class[startMark[0]] = 0
	for i := rows.next(0); i >= 0; i = rows.next(i + 1) {
		for _, w := range words[i] {
			b.word(w, rowOf(i))
		}
	}
	for _, w := range openers {
		b.word(w, rows)
	}
	b.finish()
	return ix
}

// indexOf is the index of a table of n patterns.
func indexOf(n int, expr func(i int) string) *index {
	var rows rowSet
	words := make([][]string, n)
	for i := range n {
		rows.add(i)
		words[i] = literals(expr(i))
	}
	return newIndex(rows, words)
}

// builder grows the trie of an index.
type builder struct {
	ix    *index
	mark  uint8
	edges [][]edge // by state
	out   []rowSet
}

type edge struct {
	class uint8
	to    int
}

// classOf is the class of a byte, a new one where it has none.
func (b *builder) classOf(c byte) uint8 {
	if b.ix.class[c] == 0 {
		b.ix.class[c] = uint8(b.ix.width)
		b.ix.width++
	}
	return b.ix.class[c]
}

func (b *builder) word(w string, row rowSet) {
	st := 0
	for i := 0; i < len(w); i++ {
		if b.out[st].and(row) == row {
			return // a shorter word of the same row does
		}
		k := b.mark
		if w[i] != startMark[0] {
			k = b.classOf(w[i])
		} else if i > 0 {
			return // no text begins behind its beginning
		}
		at := slices.IndexFunc(b.edges[st], func(e edge) bool { return e.class == k })
		if at < 0 {
			at = len(b.edges[st])
			b.edges[st] = append(b.edges[st], edge{k, len(b.edges)})
			b.edges, b.out = append(b.edges, nil), append(b.out, rowSet{})
		}
		st = b.edges[st][at].to
	}
	b.out[st] = b.out[st].or(row)
}

// finish turns the trie into an automaton: where a state has no edge for a class, it goes where the longest of its
// suffixes that is a state would go.
func (b *builder) finish() {
	ix, n := b.ix, len(b.edges)
	for c := range 256 { // letters of both cases, and all digits, are one
		if k := ix.class[foldByte(byte(c))]; k != 0 && foldByte(byte(c)) != byte(c) {
			ix.class[c] = k
		}
	}
	ix.next = make([]uint32, n*ix.width)
	ix.out, ix.hit = b.out, make([]bool, n)
	fail := make([]int, n)
	queue := []int{0}
	for len(queue) > 0 {
		st := queue[0]
		queue = queue[1:]
		row := ix.next[st*ix.width : (st+1)*ix.width]
		back := ix.next[fail[st]*ix.width:]
		ix.out[st] = ix.out[st].or(ix.out[fail[st]])
		ix.hit[st] = !ix.out[st].empty()
		if st != 0 {
			copy(row, back)
		}
		for _, e := range b.edges[st] {
			if st != 0 {
				fail[e.to] = int(back[e.class]) / ix.width
			}
			row[e.class] = uint32(e.to * ix.width)
			queue = append(queue, e.to)
		}
	}
	ix.start = ix.next[b.mark]
	ix.always = ix.always.or(ix.out[ix.start/uint32(ix.width)]) // a word that is a beginning alone
}

// scan is the rows that may match s.
func (ix *index) scan(s string) rowSet {
	set, st := ix.always, ix.start
	for i := 0; i < len(s); i++ {
		st = ix.next[st+uint32(ix.class[s[i]])]
		if n := st / uint32(ix.width); ix.hit[n] {
			set = set.or(ix.out[n])
		}
	}
	return set
}

// may reports whether any row may match s.
func (ix *index) may(s string) bool {
	if !ix.always.empty() {
		return true
	}
	st := ix.start
	for i := 0; i < len(s); i++ {
		st = ix.next[st+uint32(ix.class[s[i]])]
		if st == 0 && ix.anchored {
			return false
		}
		if ix.hit[st/uint32(ix.width)] {
			return true
		}
	}
	return false
}
