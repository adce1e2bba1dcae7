//go:build linux || darwin

package doctor

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Bounds of open files.
const (
	fewFiles = 1024
	noFiles  = 256
)

// FileLimit is how many files this process may have open, 0 where that is not known. Go has raised the soft limit to the
// hard one by the time anybody asks.
func FileLimit() int {
	var lim unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &lim); err != nil {
		return 0
	}
	return int(min(lim.Cur, 1<<30))
}

// Files looks at how many files a process may have open.
func Files() Finding {
	var lim unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &lim); err != nil {
		return Finding{"open files", Warn, "the limit is not known: " + err.Error(), "see that it is 4096 or more"}
	}
	return files(lim.Max) // Go raises the soft limit to the hard one at start
}

func files(most uint64) Finding {
	f := Finding{"open files", OK, fmt.Sprintf("at most %d", most), ""}
	mend := "raise the limit: ulimit -n 65536 in the shell, LimitNOFILE=65536 in a systemd unit"
	switch {
	case most < noFiles:
		f.Status, f.Mend = Fail, mend
	case most < fewFiles:
		f.Status, f.Mend = Warn, mend
	}
	return f
}
