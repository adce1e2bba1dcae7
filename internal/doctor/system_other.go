//go:build !linux && !darwin

package doctor

// FileLimit is 0, not known.
func FileLimit() int { return 0 }

// Files looks at how many files a process may have open, which this system does not say.
func Files() Finding {
	return Finding{"open files", OK, "no limit is known on this system", ""}
}
