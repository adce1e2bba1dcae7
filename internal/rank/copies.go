package rank

import (
	"strings"

	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// copies tells which items of a block nearly repeat one that is in it already. Not safe for concurrent use.
type copies struct {
	share float64                   // of the words of both texts, by which copies may differ
	words map[string]map[string]int // by id, how often each word of the gist occurs
}

// Repeats are the candidates that are none of items but nearly repeat one, so that [Select] has no place for them beside it:
// who was given items knows them. Both come as a block shows them: where a long text is shortened, cands are, too.
func Repeats(items []schema.Item, cands []Candidate, b Budget) []schema.Item {
	in := make(map[string]bool, len(items))
	for _, it := range items {
		in[it.ID] = true
	}
	c := copies{share: b.Copies, words: map[string]map[string]int{}}
	var out []schema.Item
	for i := range cands {
		if it := cands[i].Item; !in[it.ID] && !it.Pinned && !cands[i].Standing && c.any(items, it) {
			out = append(out, it)
		}
	}
	return out
}

// turning are the words, as [text.GistWords] writes them, that make another statement of a text by themselves.
var turning = map[string]bool{
	"not": true, "no": true, "never": true, "none": true, "nothing": true, "nobody": true, "without": true, "neither": true, "nor": true,
	"不": true, "没": true, "没有": true, "别": true, "未": true, "无": true, "非": true, "勿": true, "不要": true, "不能": true, "不再": true,
}

// any reports whether it is a fact or an episode that nearly repeats one of items: their words are the same but for a small
// share, in which there is no number and nothing that denies.
func (c *copies) any(items []schema.Item, it schema.Item) bool {
	if c.share <= 0 || Section(it) != schema.TypeFact { // rules are never crowded out
		return false
	}
	for _, other := range items {
		if Section(other) == schema.TypeFact && c.near(c.of(other), c.of(it)) {
			return true
		}
	}
	return false
}

func (c *copies) of(it schema.Item) map[string]int {
	if w, ok := c.words[it.ID]; ok {
		return w
	}
	w := map[string]int{}
	for _, s := range text.GistWords(it.Content) {
		w[s]++
	}
	c.words[it.ID] = w
	return w
}

func (c *copies) near(a, b map[string]int) bool {
	all, apart := 0, 0
	count := func(a, b map[string]int) bool {
		for w, n := range a {
			all += n
			if n -= b[w]; n <= 0 {
				continue
			}
			if apart += n; turning[w] || strings.ContainsAny(w, "0123456789") {
				return false
			}
		}
		return true
	}
	return count(a, b) && count(b, a) && all > 0 && float64(apart) <= c.share*float64(all)
}
