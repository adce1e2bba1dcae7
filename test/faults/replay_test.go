package faults

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// B3: a process that is killed in the middle of a replay goes on with it when it comes back, and the switch that was asked for
// is made. Where a busy machine lets the replay be over before the first kill, it is tried again with a longer log.
func TestB3_AReplaySurvivesKills(t *testing.T) {
	if testing.Short() {
		t.Skip("processes of their own")
	}
	dir := filepath.Join(t.TempDir(), "data")
	p := stacktest.Spawn(t, dir)
	c := p.As(t, "")
	for n, more := 0, 800; ; more *= 2 {
		turns := make([]schema.Turn, more)
		for i := range turns {
			turns[i] = flood(n + i)
		}
		if r := c.PutMany(turns); len(r.Accepted) != more {
			t.Fatalf("%d of %d turns are accepted: %+v", len(r.Accepted), more, r.Rejected)
		}
		n += more
		c.Settle()
		want := c.Hash(0)
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
				if job.State == schema.JobRunning && job.Done < uint64(n)/share {
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
		if got.Hash != want.Hash || got.Collections[0].Points != uint64(n) {
			t.Fatalf("hash %+v, want %+v", got, want)
		}
		stacktest.Balanced(t, c.Settle().Ledger)
		switch {
		case kills > 0:
			t.Logf("%d turns, %d kills on the way", n, kills)
			return
		case more >= 6400:
			t.Fatalf("a replay of %d turns is over before the first kill: nothing is shown", n)
		}
	}
}
