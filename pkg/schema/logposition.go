package schema

import (
	"strconv"
	"time"
)

// LogPosition reads a position in the log as people write it: a sequence, from 1, or a moment (RFC 3339, or a day in
// UTC); the other one is zero.
func LogPosition(s string) (seq uint64, at time.Time, err error) {
	if seq, err := strconv.ParseUint(s, 10, 63); err == nil && seq > 0 {
		return seq, time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err = time.Parse(layout, s); err == nil {
			return 0, at, nil
		}
	}
	return 0, time.Time{}, Invalid("", "%q is neither a log sequence nor a moment", s)
}
