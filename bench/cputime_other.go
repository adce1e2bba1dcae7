//go:build !unix

package main

import "time"

var began = time.Now()

// clock is the time that has passed, where the system does not tell what this process has computed.
func clock() time.Duration { return time.Since(began) }
