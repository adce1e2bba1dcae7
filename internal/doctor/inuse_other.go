//go:build !unix

package doctor

func inUse(error) bool { return false }
