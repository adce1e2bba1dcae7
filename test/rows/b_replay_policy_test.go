package rows

import (
	"path/filepath"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// Under the recorded policies a replay treats a tool's output as it was treated, under the current ones as it would be now; and a
// tool that was marked no_memory since is kept out under both.
func TestB3_AReplayTakesThePoliciesThatItIsTold(t *testing.T) {
	s := stacktest.Up(t, stacktest.Config(filepath.Join(t.TempDir(), "data")))
	c := s.As(t, "")
	set := func(p schema.ToolPolicy) {
		t.Helper()
		if _, err := c.SetTool(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	yes := true
	c.Put(turn("a", "Look at the gauge.", "Done.", tool("gauge_read", "keep this\nsecond kumquat line"), tool("badge_scan", "badge marzipan 17")))
	before := c.Hash(1)
	set(schema.ToolPolicy{Name: "gauge_read", Cleaner: &[]string{"lines:1-1"}})
	c.Put(turn("b", "Again.", "Done.", tool("gauge_read", "another top\nsecond quince line")))

	finds := func(word string) bool {
		t.Helper()
		for _, it := range c.Ask(ask(word)).Items {
			if stacktest.Contains(it, word) {
				return true
			}
		}
		return false
	}
	read := func(r schema.ReplayRequest) {
		t.Helper()
		job := c.Replayed(r)
		if _, err := c.Switch(t.Context(), schema.SwitchRequest{Generation: job.Replay.Generation}); err != nil {
			t.Fatal(err)
		}
		stacktest.Eventually(t, "the switch", func() error { _, err := c.Status(t.Context()); return err })
		c.Settle()
	}
	read(schema.ReplayRequest{Policy: "recorded"})
	if !finds("kumquat") || finds("quince") || !finds("marzipan") {
		t.Error("recorded: not as it was")
	}
	read(schema.ReplayRequest{Policy: "current"})
	if finds("kumquat") || finds("quince") || !finds("marzipan") {
		t.Error("current: not as it is now")
	}
	set(schema.ToolPolicy{Name: "badge_scan", NoMemory: &yes})
	read(schema.ReplayRequest{Policy: "recorded"})
	if !finds("kumquat") || finds("marzipan") {
		t.Error("recorded: what was marked no_memory since is not kept out, or more is")
	}
	if before.Hash == c.Hash(1).Hash {
		t.Error("the hash does not tell one turn from two")
	}
	if job, err := c.Prune(t.Context(), 1); err != nil || job.State != schema.JobGone {
		t.Errorf("prune: %+v, %v", job, err)
	}
}
