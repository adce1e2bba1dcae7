package app

import (
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Where bodies of many megabytes come and go, the collector would let the heap grow to twice what is in use for a
// moment. So what is in use for a moment only is squeezed into heapTarget, and what stays in use gets room: a limit just
// above that would let the collector run all the time.
const (
	heapTarget = 360 << 20 // bytes of all that Go's runtime has
	heapEvery  = 500 * time.Millisecond
	heapLooks  = 20 // that tell what stays in use: ten seconds
)

// KeepHeapSmall has Go's collector run earlier while the heap is small, until stop is called, which waits for its end.
// It helps the collector and bounds nothing: what is in use is bounded where it is taken in. It is for commands, since
// it is about the whole process, and leaves alone who has set GOMEMLIMIT or GOGC.
func KeepHeapSmall() (stop func()) {
	if os.Getenv("GOMEMLIMIT") != "" || os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetMemoryLimit(heapTarget)
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		defer debug.SetMemoryLimit(before)
		tick := time.NewTicker(heapEvery)
		defer tick.Stop()
		sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		var looks stay
		set := int64(heapTarget)
		for {
			select {
			case <-tick.C:
			case <-quit:
				return
			}
			metrics.Read(sample)
			// Setting it stops the world for a moment: only where it makes a difference.
			if want := heapLimit(looks.see(int64(sample[0].Value.Uint64()))); want > set || want < set-set/8 {
				debug.SetMemoryLimit(want)
				set = want
			}
		}
	}()
	return func() { close(quit); <-ended }
}

// heapLimit is the limit for a heap of which so many bytes stay in use: half as much again, and what is not heap.
func heapLimit(stays int64) int64 { return max(heapTarget, stays+stays/2+heapTarget/6) }

// stay tells what stays in use: the least of the last looks.
type stay struct {
	last [heapLooks]int64
	n    int
}

func (s *stay) see(live int64) int64 {
	s.last[s.n%heapLooks] = live
	s.n++
	least := int64(math.MaxInt64)
	for _, x := range s.last[:min(s.n, heapLooks)] {
		least = min(least, x)
	}
	return least
}
