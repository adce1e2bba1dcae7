package stages

import (
	"fmt"
	"slices"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// A list grows by what is added to it, and is another where it is said anew; a number beside a measure of the body is a
// reading, of which the latest holds, and one of a certain time stays beside it.
func TestC3_ListsGrowAndReadingsFollowOneAnother(t *testing.T) {
	for _, tc := range []struct {
		name string
		said []string
		want []string // objects that hold
	}{
		{"also", []string{"My hobbies are chess and rowing.", "My hobbies also include climbing."}, []string{"chess and rowing", "climbing"}},
		{"还有", []string{"我的爱好是下棋和划船。", "我的爱好还有攀岩。"}, []string{"下棋和划船", "攀岩"}},
		{"instead", []string{"My shopping list is milk and eggs.", "My shopping list is tofu instead."}, []string{"tofu"}},
		{"added", []string{"My shopping list is milk and eggs.", "Add bread to my shopping list."}, []string{"bread", "milk and eggs"}},
		{"加到", []string{"购物清单里有牛奶。", "把面包也加到购物清单里。", "购物清单再加上黄油。"}, []string{"牛奶", "面包", "黄油"}},
		{"reading", []string{"体重 72 公斤。", "体重 73 公斤。"}, []string{"73公斤"}},
		{"reading en", []string{"My weight is 72 kg.", "My weight is 73 kg."}, []string{"73 kg"}},
		{"reading and its verb", []string{"我的身高是一米八。", "身高一米八二。"}, []string{"一米八二"}},
		{"readings of their times", []string{"血压 130/85。", "昨晚血压135/88。"}, []string{"130/85", "135/88"}},
		{"readings of their times en", []string{"My blood pressure is 130/85.", "My blood pressure last night was 135/88."}, []string{"130/85", "135/88"}},
	} {
		s := newFactStore()
		r := s.runner(t)
		for i, text := range tc.said {
			ev := spoken(t, fmt.Sprint("e", i), uint64(i+1), day0.AddDate(0, 0, i), userSays(text))
			if ev == nil {
				t.Errorf("%s: nothing is read in %s", tc.name, text)
				continue
			}
			handle(t, r, ev)
		}
		var got []string
		for _, m := range s.find(func(m *schema.Memory) bool { return m.Active(day0.AddDate(0, 1, 0)) }) {
			got = append(got, m.Object)
		}
		slices.Sort(got)
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}
