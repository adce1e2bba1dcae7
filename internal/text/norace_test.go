//go:build !race

package text

const slow = 1
