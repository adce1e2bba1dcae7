package app

import (
	"math"
	"runtime/debug"
	"testing"
)

// What stays in use gets half as much again; what comes and goes does not raise the limit.
func TestTheHeapGetsWhatStaysInUse(t *testing.T) {
	var s stay
	for i, x := range []struct{ live, want int64 }{
		{100 << 20, heapTarget}, {350 << 20, heapTarget}, {90 << 20, heapTarget}, {500 << 20, heapTarget},
	} {
		if got := heapLimit(s.see(x.live)); got != x.want {
			t.Errorf("look %d: limit %d MB, want %d", i, got>>20, x.want>>20)
		}
	}
	const large = 600 << 20
	got := int64(0)
	for range heapLooks {
		got = heapLimit(s.see(large))
	}
	if got < large*3/2 || got > large*3/2+heapTarget/4 {
		t.Errorf("with %d MB in use for good the limit is %d MB", large>>20, got>>20)
	}
	if got := heapLimit(s.see(100 << 20)); got != heapTarget {
		t.Errorf("the limit stays at %d MB", got>>20)
	}
}

// The limit is there until it is stopped, and is left to who sets one.
func TestTheHeapIsKeptSmall(t *testing.T) {
	limit := func() int64 { return debug.SetMemoryLimit(-1) }
	for _, x := range []struct {
		limit, percent string
		want           int64
	}{{"1GiB", "", math.MaxInt64}, {"", "100", math.MaxInt64}, {"", "", heapTarget}} {
		t.Setenv("GOMEMLIMIT", x.limit)
		t.Setenv("GOGC", x.percent)
		stop := KeepHeapSmall()
		if limit() < x.want {
			t.Errorf("with GOMEMLIMIT=%s GOGC=%s the limit is %d, want %d", x.limit, x.percent, limit(), x.want)
		}
		if x.want == heapTarget && limit() == math.MaxInt64 {
			t.Error("there is no limit")
		}
		stop()
		if limit() != math.MaxInt64 {
			t.Errorf("with GOMEMLIMIT=%s GOGC=%s the limit is %d afterwards", x.limit, x.percent, limit())
		}
	}
}
