//go:build unix

package distill

import (
	"syscall"
	"time"
)

// cpuTime is what this process has computed so far: what a busy machine does not stretch.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
