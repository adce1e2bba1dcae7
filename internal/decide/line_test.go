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
