package rank

import (
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// What the search brought twice takes one place of a block; what only looks alike keeps its own.
func TestD6_ABlockHoldsNoNearCopies(t *testing.T) {
	const en = "The ferry to the island leaves from the old pier beside the market hall, and tickets are sold on board by the crew before it leaves at"
	const zh = "去岛上的渡轮从菜市场旁边的老码头出发，船票由船员在船上卖，开船之前都可以买，逢年过节另加一班，"
	for _, c := range []struct {
		name, a, b string
		copies     bool
	}{
		{"the same", en + " nine", en + " nine", true},
		{"an article", "The old pier is closed", "Old pier is closed", true},
		{"one word of many", en + " dawn", en + " noon", true},
		{"a number", en + " 9", en + " 10", false},
		{"a denial", en + " nine", "It is not so: " + en + " nine", false},
		{"one word of few", "The old pier is closed", "The new pier is closed", false},
		{"相同", zh + "风大停航", zh + "风大停航", true},
		{"一词之差", zh + "风大停航", zh + "雨大停航", true},
		{"数字", zh + "每班40人", zh + "每班60人", false},
		{"否定", zh + "风大停航", zh + "风大不停航", false},
	} {
		of := func(standing bool) int {
			cands := []Candidate{
				{Item: schema.Item{ID: "a", Type: schema.TypeEpisode, Content: c.a}},
				{Item: schema.Item{ID: "b", Type: schema.TypeEpisode, Content: c.b}, Standing: standing},
			}
			return len(Select(cands, DefaultBudget(), nil))
		}
		want := 2
		if c.copies {
			want = 1
		}
		if got := of(false); got != want {
			t.Errorf("%s: %d in the block, want %d", c.name, got, want)
		}
		repeats := Repeats([]schema.Item{{ID: "a", Type: schema.TypeFact, Content: c.a}}, []Candidate{{Item: schema.Item{ID: "b", Type: schema.TypeEpisode, Content: c.b}}}, DefaultBudget())
		if (len(repeats) == 1) != c.copies {
			t.Errorf("%s: %d repeats", c.name, len(repeats))
		}
		if got := of(true); got != 2 {
			t.Errorf("%s: %d in the block where the second stands, want 2", c.name, got)
		}
	}
	off := DefaultBudget()
	off.Copies = 0
	same := []Candidate{{Item: schema.Item{ID: "a", Type: schema.TypeFact, Content: "x y"}}, {Item: schema.Item{ID: "b", Type: schema.TypeFact, Content: "x y"}}}
	if got := len(Select(same, off, nil)); got != 2 {
		t.Errorf("switched off: %d in the block, want 2", got)
	}
}
