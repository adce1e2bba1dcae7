//go:build chaos && powercut && linux

package chaos

import (
	"context"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/internal/disk/disktest"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

const (
	cuts     = 20
	cutTurns = 100 // a cut
	cutSize  = 1 << 30
)

// onDisk is a run whose data directory lies on a disk.
func onDisk(t *testing.T, d *disktest.Cut, turns int) *run {
	r := newRun(t, setting(t, seedVar, 1), turns)
	r.site.dir = d.Data()
	return r
}

// untilCut publishes what is left, cuts the power in the middle and brings the disk up again. It returns how many turns
// were answered before.
func (r *run) untilCut(d *disktest.Cut, most int, flags ...string) int {
	r.t.Helper()
	l := r.site.whole()
	l.Flags = append(l.Flags, flags...)
	c, err := l.Start(r.t)
	if err != nil {
		r.t.Fatal(err)
	}
	r.pub.connect = r.site.connect()
	r.pub.deaf.Store(false)
	begun := r.pub.count()
	r.pub.gate = func(published int) bool { return published < begun+most }
	ctx, stop := context.WithCancel(r.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.pub.run(ctx, r.left()) }()
	stacktest.Eventually(r.t, "turns to be answered", func() error {
		if r.pub.count() == begun {
			return errDeaf
		}
		return nil
	})
	moment := time.NewTimer(time.Duration(r.rng.IntN(300_000)) * time.Microsecond)
	<-moment.C
	r.pub.deaf.Store(true)
	d.Cut()
	c.End()
	stop()
	if err := <-ended; err == nil {
		r.t.Log("everything was answered before this cut")
	}
	d.Again()
	r.site.dir = d.Data()
	r.pub.connect = r.site.connect()
	return r.pub.count() - begun
}

// left are the jobs that were not answered yet.
func (r *run) left() []*job {
	return slices.DeleteFunc(slices.Clone(r.load.jobs), func(j *job) bool {
		select {
		case <-j.done:
			return true
		default:
			return false
		}
	})
}

// Twenty cuts of the power under a whole installation that takes turns: what was answered is there with its bytes, and
// after each recovery the index is whole.
func TestB4_PowerCutsLoseNothingThatWasAcknowledged(t *testing.T) {
	d := disktest.NewCut(t, cutSize)
	r := onDisk(t, d, cuts*cutTurns)
	for cut := range cuts {
		n := r.untilCut(d, cutTurns)
		c := r.up()
		f, all := verify(t, c.Stack, r.site.connect(), r.load, r.pub.acked, false)
		c.End() // by a kill as well: the next cut finds what a start made of the disk
		if !f.none() {
			t.Fatalf("after %d cuts:\n%s", cut+1, f)
		}
		t.Logf("cut %d: %d turns answered before it, %d entries in all, all of them accounted for", cut+1, n, all.entries)
	}
	c := r.up()
	r.pub.deaf.Store(false)
	r.pub.gate = func(int) bool { return true }
	if err := r.pub.run(t.Context(), r.left()); err != nil {
		t.Fatal(err)
	}
	n := r.clean(c.Stack, "in the end")
	t.Logf("%d cuts: %d entries of %d events acknowledged, none lost, doubled or a ghost; %+v", cuts, n.entries, n.distinct, n)
}

// The control: a log that answers before it has synced loses what was answered, and the same checks see it.
func TestPowerCutsLoseWhatIsNotSynced(t *testing.T) {
	d := disktest.NewCut(t, cutSize)
	r := onDisk(t, d, 500)
	// The streams themselves are to be there: without them nothing starts.
	if took, err := r.up().Terminate(t); err != nil {
		t.Fatalf("after %s: %v", took, err)
	}
	if out, err := exec.CommandContext(t.Context(), "sync", "-f", d.Data()).CombinedOutput(); err != nil {
		t.Fatalf("sync: %v: %s", err, out)
	}
	n := r.untilCut(d, 400, "--nats-sync-each=false")
	c := r.up()
	f, _ := verify(t, c.Stack, r.site.connect(), r.load, r.pub.acked, false)
	if len(f.lost) == 0 {
		t.Fatalf("a cut lost nothing of %d turns that were not synced: it is none, or the checks are blind", n)
	}
	t.Logf("%d turns were answered, and of what was acknowledged %d are found to be lost", n, len(f.lost))
}
