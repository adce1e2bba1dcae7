package app

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// The collector lets the heap grow to twice what is in use, which is a lot where bodies of many megabytes come and go.
// So the heap is kept at heapTarget; one of which too much is in use for that may have heapSpare more than is in use, and
// a large one about half as much again.
const (
	heapTarget = 384 << 20
	heapSpare  = 80 << 20
	heapEvery  = 250 * time.Millisecond
)

// KeepHeapSmall has the collector run earlier while the heap is small, until ctx ends. It helps the collector and bounds
// nothing: what is in use is bounded where it is taken in, and a heap that needs more gets it, so that the collector
// never runs all the time. It is for commands, since it is about the whole process, and leaves alone who has set
// GOMEMLIMIT or GOGC. It does not block.
func KeepHeapSmall(ctx context.Context) {
	if os.Getenv("GOMEMLIMIT") != "" || os.Getenv("GOGC") != "" {
		return
	}
	before := debug.SetMemoryLimit(heapTarget)
	go func() {
		defer debug.SetMemoryLimit(before)
		tick := time.NewTicker(heapEvery)
		defer tick.Stop()
		sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		set := int64(heapTarget)
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			metrics.Read(sample)
			// Setting it stops the world for a moment: only where it makes a difference.
			if want := heapLimit(int64(sample[0].Value.Uint64())); want > set+set/16 || want < set-set/16 {
				debug.SetMemoryLimit(want)
				set = want
			}
		}
	}()
}

// heapLimit is the memory limit for a heap of which live bytes are in use.
func heapLimit(live int64) int64 { return max(heapTarget, live+heapSpare, live+live/2-heapSpare) }
