package app

import (
	"math"
	"runtime/debug"
	"testing"
)

// The heap grows by a share of what is in use and has no limit, and it is left to who sets either.
func TestTheHeapIsKeptSmall(t *testing.T) {
	before := debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetGCPercent(before) })
	for _, x := range []struct {
		limit, percent string
		want           int
	}{{"1GiB", "", 100}, {"", "100", 100}, {"off", "off", 100}, {"", "", heapGrowth}} {
		t.Setenv("GOMEMLIMIT", x.limit)
		t.Setenv("GOGC", x.percent)
		KeepHeapSmall()
		if got := debug.SetGCPercent(100); got != x.want {
			t.Errorf("with GOMEMLIMIT=%s GOGC=%s the heap grows by %d %%, want %d", x.limit, x.percent, got, x.want)
		}
		if limit := debug.SetMemoryLimit(-1); limit != math.MaxInt64 {
			t.Errorf("with GOMEMLIMIT=%s GOGC=%s there is a limit of %d bytes", x.limit, x.percent, limit)
		}
	}
}
