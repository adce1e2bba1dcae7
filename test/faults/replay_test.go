package faults

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// B3: a process that is killed in the middle of a replay goes on with it when it comes back, and the switch that was asked for
// is made.
func TestB3_AReplaySurvivesKills(t *testing.T) {
	if testing.Short() {
		t.Skip("processes of their own")
	}
	dir := filepath.Join(t.TempDir(), "data")
	p := stacktest.Spawn(t, dir)
	c := p.As(t, "")
	const n = 800
	turns := make([]schema.Turn, n)
	for i := range turns {
		turns[i] = flood(i)
	}
	c.PutMany(turns)
	c.Settle()
	want := c.Hash(1)
	id, err := c.Replay(t.Context(), schema.ReplayRequest{Switch: true})
	if err != nil {
		t.Fatal(err)
	}
	kills := 0
	for _, share := range []uint64{10, 3, 2} { // the floor may come all at once: what counts is that it was on its way
		var job schema.Job
		stacktest.Eventually(t, "the replay to get on", func() error {
			if job, err = c.Job(t.Context(), id); err != nil {
				return err
			}
			if job.State == schema.JobRunning && job.Done < n/share {
				return fmt.Errorf("%d done", job.Done)
			}
			return nil
		})
		if job.State == schema.JobRunning {
			kills++
		}
		p.Kill(t)
		p = stacktest.Spawn(t, dir)
		c = p.As(t, "")
	}
	if kills == 0 {
		t.Error("the replay was over before the first kill: nothing was shown")
	}
	job := c.Finished(id)
	if job.Replay.Report == nil || job.Replay.Report.Withheld != "" {
		t.Fatalf("what was compared: %+v", job.Replay)
	}
	stacktest.Eventually(t, "the switch", func() error {
		l, err := c.Replays(t.Context())
		if err == nil && l.Active != job.Replay.Generation {
			err = fmt.Errorf("%d is active", l.Active)
		}
		return err
	})
	got := c.Hash(job.Replay.Generation)
	if got.Hash != want.Hash || got.Collections[0].Points != n {
		t.Errorf("hash %+v, want %+v", got, want)
	}
	stacktest.Balanced(t, c.Settle().Ledger)
}
