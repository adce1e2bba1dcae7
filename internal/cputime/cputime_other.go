//go:build !unix

package cputime

import "time"

var began = time.Now()

// Now is the time that has passed: the system does not tell what this process has computed. It is safe for concurrent use.
func Now() time.Duration { return time.Since(began) }
