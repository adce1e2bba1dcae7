package decide

import (
	"fmt"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// crowd are n statements of one slot, a minute apart: values that follow one another, or what stands side by side.
func crowd(slot string, n int) []schema.Memory {
	out := make([]schema.Memory, n)
	for i := range out {
		v := fmt.Sprint("value ", i)
		out[i] = schema.Memory{
			ID: fmt.Sprintf("%08d", i), Type: schema.TypeTodoHint, Object: v, Content: v, Slot: slot, Group: schema.GroupKey(owner, v),
			ObservedAt: at(0).Add(time.Duration(i) * time.Minute), Source: schema.Source{Class: schema.ClassUser, Seq: uint64(i + 1)},
		}
	}
	return out
}

// One state of a crowded slot costs as many steps as it has statements.
func BenchmarkSettle_CrowdedSlot(b *testing.B) {
	for name, slot := range map[string]string{
		"functional": schema.SlotKey(owner, "user", "age", ""),
		"open":       schema.OpenSlotKey(owner, "", "amount", "u"),
		"matter":     schema.MatterSlotKey(owner, "user", "todo", "papers"),
	} {
		for _, n := range [...]int{1_000, 5_000, 20_000} {
			facts := crowd(slot, n)
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					Settle(facts)
				}
			})
		}
	}
}

// In a slot of matters a repetition is a duplicate, whatever stands between, and the more trusted one stays.
func TestSettle_SideBySideKeepsOneOfEachGroup(t *testing.T) {
	for _, slot := range []string{schema.OpenSlotKey(owner, "", "amount", "u"), schema.MatterSlotKey(owner, "user", "todo", "papers")} {
		facts := crowd(slot, 6)
		facts[3].Group, facts[3].Object = facts[0].Group, facts[0].Object
		facts[5].Group, facts[5].Object = facts[1].Group, facts[1].Object
		facts[1].Source.Class = schema.ClassAssistant
		got := state(Settle(facts))
		want := map[string]string{
			"00000000": "active", "00000001": "duplicate by 00000005", "00000002": "active",
			"00000003": "duplicate by 00000000", "00000004": "active", "00000005": "active",
		}
		for id, s := range want {
			if got[id] != s {
				t.Errorf("%s: %q, want %q", id, got[id], s)
			}
		}
	}
}

// Two rules are one where they ask for the same in other words, and never where each forbids what the other asks for.
func TestSettle_ContraryRulesAreNotOne(t *testing.T) {
	for _, tc := range []struct {
		first, second string
		one           bool
	}{
		{"不要用表情符号", "Don't use emojis", true},
		{"不要用英文", "Don't use English", true},
		{"用英文回答", "Answer in English", true},
		{"周五不要部署", "Don't deploy on Fridays", true},
		{"用中文回答不用英文", "用英文回答不用中文", false},
		{"Use English, not Chinese", "Use Chinese, not English", false},
		{"用中文，不要用英文", "Use English, not Chinese", false},
		{"用表格不用列表", "用列表不用表格", false},
		{"Use tables, not lists", "Use lists, not tables", false},
		{"打电话，别发邮件", "发邮件，别打电话", false},
		{"周一开会，周二不开会", "周二开会，周一不开会", false},
		{"用英文，不要用表格", "用表格，不要用英文", false},
	} {
		slot := schema.MatterSlotKey(owner, "user", "rule", "x")
		rule := func(id string, day int, s string) schema.Memory {
			return schema.Memory{ID: id, Type: schema.TypeConstraint, Content: s, Object: s, Slot: slot, Group: schema.GroupKey(owner, s),
				ObservedAt: at(day), Source: schema.Source{Class: schema.ClassUser, Seq: uint64(day)}}
		}
		got := state(Settle([]schema.Memory{rule("a", 1, tc.first), rule("b", 2, tc.second)}))
		if one := got["b"] == "duplicate by a"; one != tc.one {
			t.Errorf("%s | %s: %v", tc.first, tc.second, got)
		}
	}
}
