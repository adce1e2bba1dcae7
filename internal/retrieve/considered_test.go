package retrieve

import (
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// What was decided between a memory and every other of its slot and group is told, and nothing of other users' or of what
// was taken back.
func TestMemory_TellsWhatItWasComparedWith(t *testing.T) {
	w := newWorld(t)
	slot, group := schema.SlotKey("o", "user", "lives_in", ""), schema.GroupKey("o", "lisbon")
	stated := func(id string, hour int, class schema.Class, edit func(*schema.Memory)) {
		w.fact(id, schema.TypeFact, id+" says something", func(m *schema.Memory) {
			m.Slot, m.Source.Class, m.ObservedAt = slot, class, w.now.Add(time.Duration(hour-99)*time.Hour)
			edit(m)
		})
	}
	by := func(id string, s schema.Status) func(*schema.Memory) {
		return func(m *schema.Memory) { m.SupersededBy, m.Status = schema.UUID("fact", id), s }
	}
	plain := func(*schema.Memory) {}
	stated("old", 1, schema.ClassUser, by("now", schema.StatusSuperseded))
	stated("was", 2, schema.ClassUser, func(m *schema.Memory) { m.Status, m.ValidTo = schema.StatusSuperseded, m.ObservedAt })
	stated("now", 3, schema.ClassUser, func(m *schema.Memory) { m.Group = group })
	stated("echo", 4, schema.ClassUser, func(m *schema.Memory) {
		m.Slot, m.Group, m.Status, m.SupersededBy = "", group, schema.StatusDuplicate, schema.UUID("fact", "now")
	})
	stated("tool", 5, schema.ClassTool, by("now", schema.StatusSuperseded))
	stated("too", 6, schema.ClassUser, plain)
	stated("gone", 7, schema.ClassUser, func(m *schema.Memory) { m.Status = schema.StatusDeleted })
	stated("other", 8, schema.ClassUser, func(m *schema.Memory) { m.Slot = "s-other" })

	verdicts := func(id string) map[string]schema.Verdict {
		v, err := w.svc.Memory(t.Context(), tenant, user, schema.UUID("fact", id))
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]schema.Verdict{}
		for i, c := range v.Considered {
			out[strings.TrimSuffix(c.Content, " says something")] = c.Verdict
			if i > 0 && c.ObservedAt.Before(v.Considered[i-1].ObservedAt) {
				t.Errorf("%s comes before %s", v.Considered[i-1].ID, c.ID)
			}
		}
		return out
	}
	for id, want := range map[string]map[string]schema.Verdict{
		"now":  {"old": schema.VerdictSuperseded, "was": schema.VerdictPast, "echo": schema.VerdictRepeats, "tool": schema.VerdictRefused, "too": schema.VerdictBeside},
		"tool": {"now": schema.VerdictRefusedBy, "old": schema.VerdictBeside, "was": schema.VerdictPast, "too": schema.VerdictBeside},
		"echo": {"now": schema.VerdictRepeatedIn},
		"old":  {"now": schema.VerdictSupersededBy, "was": schema.VerdictPast, "tool": schema.VerdictBeside, "too": schema.VerdictBeside},
	} {
		got := verdicts(id)
		if len(got) != len(want) {
			t.Errorf("%s: %v, want %v", id, got, want)
		}
		for other, v := range want {
			if got[other] != v {
				t.Errorf("%s and %s: %q, want %q", id, other, got[other], v)
			}
		}
	}
	if got := verdicts("other"); len(got) != 0 {
		t.Errorf("%v", got)
	}
}
