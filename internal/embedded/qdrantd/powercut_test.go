//go:build powercut && linux

package qdrantd

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/qdrant/go-client/qdrant"

	"github.com/siltstone-ai/siltstone/internal/disk/disktest"
)

// cutSize is that of a disk whose power is cut.
const cutSize = 256 << 20

const cuts = 20

func TestPowerCutsKeepWhatWasAcknowledged(t *testing.T) {
	d := disktest.NewCut(t, cutSize)
	var trios []*trio
	acked, unsure := 0, 0
	for round := range cuts {
		cmd, c := spawnChild(t, d.Data(), round%2 == 1)
		if round == 0 {
			(&rig{Client: c, t: t}).docs("c")
		}
		for _, g := range trios {
			if g.unsure {
				unsure++
			}
			if err := g.check(c); err != nil {
				t.Errorf("after %d cuts: points from %d on: %v", round, g.first, err)
			}
		}
		if t.Failed() {
			break
		}
		for range 4 {
			trios = append(trios, &trio{first: uint64(3 * len(trios))})
		}
		var cutting atomic.Bool
		wait := writers(round, trios, c, cutting.Load)
		moment := time.NewTimer(time.Duration(rand.IntN(400_000)) * time.Microsecond) // any, on purpose
		<-moment.C
		cutting.Store(true)
		d.Cut()
		_ = cmd.Process.Kill()
		acked += wait()
		_ = cmd.Wait()
		_ = c.Close()
		d.Again()
	}
	if t.Failed() {
		return
	}
	r := open(t, d.Data())
	for _, g := range trios {
		if err := g.check(r.Client); err != nil {
			t.Fatalf("in the end: points from %d on: %v", g.first, err)
		}
	}
	r.close()
	t.Logf("%d cuts: %d changes acknowledged, none lost or torn; %d were under way", cuts, acked, unsure)
}

// TestPowerCutsLoseWhatWasNotWaitedFor is the control: without wait=true nothing is synced, and the cut shows it.
func TestPowerCutsLoseWhatWasNotWaitedFor(t *testing.T) {
	d := disktest.NewCut(t, cutSize)
	cmd, c := spawnChild(t, d.Data(), false)
	(&rig{Client: c, t: t}).docs("c")
	const points = 500
	for id := range uint64(points) {
		if _, err := c.Upsert(t.Context(), &qdrant.UpsertPoints{CollectionName: "c", Wait: qdrant.PtrOf(false), Points: []*qdrant.PointStruct{point(id, []float32{1, 0, 0, 0}, nil, map[string]any{"owner": "a"})}}); err != nil {
			t.Fatal(err)
		}
	}
	d.Cut()
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	_ = c.Close()
	d.Again()
	r := open(t, d.Data())
	n, err := r.Count(t.Context(), &qdrant.CountPoints{CollectionName: "c"})
	r.must(err)
	r.close()
	t.Logf("%d of %d points that were not waited for are there", n, points)
	if n == points {
		t.Fatal("a cut lost nothing: it is none")
	}
}
