package retrieve

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/siltstone-ai/siltstone/internal/text"
)

// excerpt shortens a turn to about max runes for a block: its first sentence, which tells what it is about, and
// those that hold most of the query's term weight, in their order, with "…" for what is left out between them.
// What a user stated as a fact is never shortened; a turn may be a page long and say what was asked for in its middle.
func excerpt(content string, w weighted, max int) string {
	if max <= 0 || utf8.RuneCountInString(content) <= max {
		return content
	}
	spans := text.Sentences(content)
	if len(spans) < 2 {
		return content
	}
	type scored struct {
		i     int
		score float64
	}
	order := make([]scored, len(spans))
	for i, sp := range spans {
		order[i].i = i
		for _, t := range text.Terms(content[sp.Start:sp.End]) {
			order[i].score += w.weight[t.Index] // each term of a sentence stands once in its list
		}
	}
	first := order[0]
	rest := order[1:]
	slices.SortStableFunc(rest, func(x, y scored) int { return cmp.Compare(y.score, x.score) })
	kept := make([]bool, len(spans))
	left := max
	for _, s := range append([]scored{first}, rest...) {
		if s != first && s.score == 0 && left < max {
			break
		}
		if n := utf8.RuneCountInString(content[spans[s.i].Start:spans[s.i].End]) + 3; n <= left {
			kept[s.i] = true
			left -= n
		}
	}
	var b strings.Builder
	last := -1
	for i, sp := range spans {
		if !kept[i] {
			continue
		}
		switch {
		case i > last+1:
			b.WriteString(" … ")
		case last >= 0 && strings.Contains(content[spans[last].End:sp.Start], "\n"):
			b.WriteString("\n")
		case last >= 0:
			b.WriteString(" ")
		}
		b.WriteString(content[sp.Start:sp.End])
		last = i
	}
	if last < 0 { // not even one sentence fits
		return content
	}
	if last < len(spans)-1 {
		b.WriteString(" …")
	}
	return strings.TrimSpace(b.String())
}
