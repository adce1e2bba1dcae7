package disk

import "errors"

// Bounds of the lower mark, in bytes.
const (
	leastReserve = 16 << 20
	mostReserve  = 256 << 20
)

// ErrUnknown: this system does not tell its free space to this program. Nothing is guarded there.
var ErrUnknown = errors.New("free space is not known on this system")

// Space is that of a file system, in bytes.
type Space struct {
	Free  int64 // what an unprivileged program may still write
	Total int64
}

// Reserve is the lower mark: a twentieth of the whole, from 16 to 256 MiB.
func (s Space) Reserve() int64 { return min(max(s.Total/20, leastReserve), mostReserve) }

// Low reports whether the doors are to be shut: below twice the reserve, and where they were shut already (before) until
// there is another half of it, so that they do not flap.
func (s Space) Low(before bool) bool {
	mark := 2 * s.Reserve()
	if before {
		mark += s.Reserve() / 2
	}
	return s.Free < mark
}

// Share is n, or the power of two below a sixteenth of the whole where that is less: what one of several bounded stores may
// take of a small disk. It hangs on the size of the disk alone, so that it is the same at every start.
func (s Space) Share(n int64) int64 {
	most := int64(1)
	for most*2 <= s.Total/16 {
		most *= 2
	}
	return min(n, most)
}
