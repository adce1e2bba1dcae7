//go:build unix

package app

import (
	"errors"
	"syscall"
)

// alive reports whether a process is there, whoever it belongs to.
func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
