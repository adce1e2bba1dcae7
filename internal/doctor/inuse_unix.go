//go:build unix

package doctor

import (
	"errors"
	"syscall"
)

func inUse(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }
