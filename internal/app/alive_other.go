//go:build !unix

package app

import "os"

// alive reports whether a process is there, as far as this system says.
func alive(pid int) bool {
	_, err := os.FindProcess(pid)
	return err == nil
}
