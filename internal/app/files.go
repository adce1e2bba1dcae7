package app

import "github.com/siltstone-ai/siltstone/internal/doctor"

// The parts of the files that a process may open which may be connections, to the HTTP edge and to each of the three
// embedded servers that listens. What is left, more than half, is for the stores' own files and for calls to others.
const (
	httpShare     = 4
	embeddedShare = 16
	embeddedConns = 1024
)

// share is n, or one of parts of the files that this process may open where that is less.
func share(n, parts int) int {
	if limit := doctor.FileLimit(); limit > 0 {
		n = min(n, max(limit/parts, 1))
	}
	return n
}
