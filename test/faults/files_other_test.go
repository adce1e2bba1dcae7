//go:build !linux

package faults

// limitFiles does nothing where no test asks for it.
func limitFiles() {}
