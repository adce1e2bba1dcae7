package app

import (
	"os"
	"runtime/debug"
)

// heapGrowth is by how many per cent of what is in use the heap grows before it is collected. Go's own default is 100,
// which is a lot where bodies of many megabytes come and go. A share costs the same share of work however much is in
// use; a memory limit just above what is in use would let the collector run all the time.
const heapGrowth = 50

// KeepHeapSmall has Go's collector run earlier than it would. It helps the collector and bounds nothing: what is in use
// is bounded where it is taken in. It is for commands, since it is about the whole process, and leaves alone who has set
// GOMEMLIMIT or GOGC.
func KeepHeapSmall() {
	if os.Getenv("GOMEMLIMIT") == "" && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
}
