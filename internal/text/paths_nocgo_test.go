//go:build !cgo

package text

func clobberPaths() {}
