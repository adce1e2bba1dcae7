//go:build race

package text

// slow is how much longer things may take under the race detector.
const slow = 12
