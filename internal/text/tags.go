package text

import (
	"cmp"
	"slices"
	"strings"
)

// topics maps an indexed word to the topics it speaks for.
type topics struct {
	names []string
	words map[string][]int
}

func loadTopics(s string) topics {
	t := topics{words: map[string][]int{}}
	for line := range strings.Lines(s) {
		name, words, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		for w := range strings.FieldsSeq(words) {
			t.words[stemEnglish(w)] = append(t.words[stemEnglish(w)], len(t.names))
		}
		t.names = append(t.names, name)
	}
	return t
}

// Tags returns at most n topics of the text, by a fixed list of some twenty whose names are the same for both
// languages (dict/topics.txt). A topic is given where two different words of its list occur, or one where the text
// has at most 40 words; more different words come first, then the list's order.
func (d *Doc) Tags(n int) []string {
	seen := make([]map[string]bool, len(d.e.topics.names))
	words := 0
	for _, t := range d.bodyTokens() {
		if t.Kind != KindWord {
			continue
		}
		words++
		w := t.Norm
		if !t.Han {
			w = d.stem(w)
		}
		for _, i := range d.e.topics.words[w] {
			if seen[i] == nil {
				seen[i] = map[string]bool{}
			}
			seen[i][w] = true
		}
	}
	need := 2
	if words <= 40 {
		need = 1
	}
	var hits []int
	for i, s := range seen {
		if len(s) >= need {
			hits = append(hits, i)
		}
	}
	slices.SortStableFunc(hits, func(a, b int) int { return cmp.Compare(len(seen[b]), len(seen[a])) })
	out := make([]string, 0, n)
	for _, i := range hits[:min(n, len(hits))] {
		out = append(out, d.e.topics.names[i])
	}
	return out
}

// Tags is [Doc.Tags] of a text.
func Tags(text string, n int) []string { return Analyze(text).Tags(n) }
