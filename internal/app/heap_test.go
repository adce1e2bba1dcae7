package app

import (
	"context"
	"math"
	"runtime/debug"
	"testing"
	"time"
)

func TestTheHeapGetsWhatItNeeds(t *testing.T) {
	for live, want := range map[int64]int64{0: heapTarget, 100 << 20: heapTarget, heapTarget: heapTarget*3/2 - heapSpare, 310 << 20: 390 << 20, 4 << 30: 6<<30 - heapSpare} {
		if got := heapLimit(live); got != want {
			t.Errorf("with %d bytes in use the limit is %d, want %d", live, got, want)
		}
	}
}

// The limit is set while the command runs, and not where people have set one.
func TestTheHeapIsLeftToWhoSetsALimit(t *testing.T) {
	limit := func() int64 { return debug.SetMemoryLimit(-1) }
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "1GiB")
	KeepHeapSmall(t.Context())
	if limit() != math.MaxInt64 {
		t.Errorf("the limit is %d although GOMEMLIMIT is set", limit())
	}
	t.Setenv("GOMEMLIMIT", "")
	ctx, cancel := context.WithCancel(t.Context())
	KeepHeapSmall(ctx)
	if limit() != heapTarget {
		t.Errorf("the limit is %d, want %d", limit(), int64(heapTarget))
	}
	cancel()
	for end := time.Now().Add(10 * time.Second); limit() != math.MaxInt64; <-time.After(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the limit stays")
		}
	}
}
