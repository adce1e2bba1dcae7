package rows

import (
	"errors"
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

// A replay of one tenant reads its part of the log anew, and takes over what others have: to the same points where nothing
// has changed, and with rules that changed for that tenant alone. What anybody says meanwhile is in it.
func TestB3_AReplayOfOneTenantLeavesTheOthersAsTheyAre(t *testing.T) {
	s := stacktest.Up(t, stacktest.Config(filepath.Join(t.TempDir(), "data")))
	c, other := s.As(t, "one"), s.As(t, "other")
	gauge := func(id string) schema.Turn {
		return turn(id, "Look at the gauge.", "Done.", tool("gauge_read", "keep this\nsecond kumquat line"))
	}
	for _, x := range []*stacktest.Tenant{c, other} {
		fill(t, x, 40)
		x.Put(gauge("gauge"))
	}
	want := c.Hash(1)

	// The same again, while both go on. What supersedes comes after the copy, and what it supersedes was copied.
	id, err := c.Replay(t.Context(), schema.ReplayRequest{Tenant: "one"})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []*stacktest.Tenant{c, other} {
		x.PutMany([]schema.Turn{turn("moved", "I live in Madrid now.", "OK."), turn("live", "The crate went to dock seven.", "Noted.")})
		if _, err := x.Forget(t.Context(), schema.Forget{User: "ann", IDs: []string{"cello"}}); err != nil {
			t.Fatal(err)
		}
	}
	job := c.Finished(id)
	for _, x := range []*stacktest.Tenant{c, other} {
		x.Settle()
	}
	now := c.Hash(1)
	if now.Hash == want.Hash || job.Replay.Tenant != "one" {
		t.Errorf("nothing happened meanwhile: %+v", job.Replay)
	}
	sameHash(t, c, now, 2)

	// Rules that changed are those of the one tenant.
	for _, x := range []*stacktest.Tenant{c, other} {
		if _, err := x.SetTool(t.Context(), schema.ToolPolicy{Name: "gauge_read", Cleaner: &[]string{"lines:1-1"}}); err != nil {
			t.Fatal(err)
		}
	}
	job = c.Replayed(schema.ReplayRequest{Tenant: "one", Policy: "current", Switch: true})
	stacktest.Eventually(t, "the switch", func() error {
		l, err := c.Replays(t.Context())
		if err == nil && l.Active != job.Replay.Generation {
			err = errors.New("not yet")
		}
		return err
	})
	for x, finds := range map[*stacktest.Tenant]bool{c: false, other: true} {
		x.Settle()
		if _, ok := stacktest.Find(x.Ask(ask("kumquat line of the gauge")).Items, "kumquat"); ok != finds {
			t.Errorf("found %v, want %v", ok, finds)
		}
	}
	job, err = c.Job(t.Context(), "replay-3")
	if err != nil || job.Replay.Copying || job.Replay.CopyOf != 1 {
		t.Errorf("%+v, %v", job.Replay, err)
	}
	for _, x := range []*stacktest.Tenant{c, other} {
		stacktest.Balanced(t, x.Settle().Ledger)
	}
}
