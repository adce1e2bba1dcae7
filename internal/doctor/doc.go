// Package doctor looks at the machine that Siltstone is to run on: its data directory, disk, ports, clock and limits.
// It changes nothing but for a file that it makes and removes to see whether a directory can be written, and it
// listens on a port for a moment to see whether it is free. Every finding that is not well says how to mend it.
package doctor
