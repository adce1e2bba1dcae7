package text

import (
	"math"
	"unicode/utf8"
)

const plainName = "plain/1"

// plain cuts by the most probable path through the dictionary's words, as jieba does, without a model for unknown
// words: those fall into single characters.
type plain struct{ lex *lexicon }

const maxPlainWord = 8 // runes

func (p *plain) cut(s string, emit func(start, end int)) {
	offs := make([]int, 0, len(s)/3+2)
	for i := range s {
		offs = append(offs, i)
	}
	offs = append(offs, len(s))
	n := len(offs) - 1
	best := make([]float64, n+1) // log probability of the best path from i to the end
	next := make([]int, n+1)
	logTotal := math.Log(p.lex.total)
	for i := n - 1; i >= 0; i-- {
		best[i] = math.Inf(-1)
		h := uint64(14695981039346656037)
		for j := i + 1; j <= n && j-i <= maxPlainWord; j++ {
			for k := offs[j-1]; k < offs[j]; k++ {
				h = (h ^ uint64(s[k])) * 1099511628211
			}
			freq := 0.0
			if e := p.lex.find(finish64(h)); e.hash != 0 {
				freq = float64(e.freq)
			}
			if freq == 0 {
				if j > i+1 {
					continue
				}
				freq = 1
			}
			if v := math.Log(freq) - logTotal + best[j]; v > best[i] {
				best[i], next[i] = v, j
			}
		}
	}
	for i := 0; i < n; i = next[i] {
		emit(offs[i], offs[next[i]])
	}
}

// runeLen is the number of runes of a word.
func runeLen(s string) int { return utf8.RuneCountInString(s) }
