package schema

import (
	"fmt"
	"time"
)

// LogState is how the log stands against what was witnessed of it: GET /v1/log, and the reply of POST /v1/log/accept.
type LogState struct {
	Created   time.Time  `json:"created"`   // of the stream; zero where it is gone
	First     uint64     `json:"first"`     // first sequence that is left
	Last      uint64     `json:"last"`      // last sequence
	Witnessed uint64     `json:"witnessed"` // last sequence that was witnessed
	Checked   uint64     `json:"checked"`   // entries that this process has read in full and found right
	Held      bool       `json:"held"`      // nothing is served until the log is accepted
	Faults    []LogFault `json:"faults"`
}

// LogFault is one way in which the log is not what was witnessed.
type LogFault struct {
	Kind   LogFaultKind `json:"kind"`
	From   uint64       `json:"from"` // first log sequence concerned
	To     uint64       `json:"to"`   // last one
	Detail string       `json:"detail,omitempty"`
}

// LogFaultKind says what is wrong with the log.
type LogFaultKind string

// Kinds of faults of the log.
const (
	LogShortened LogFaultKind = "shortened" // it ends below what was witnessed: sequences would be given out again
	LogSwapped   LogFaultKind = "swapped"   // another entry has the place of one that was witnessed
	LogDamaged   LogFaultKind = "damaged"   // an entry cannot be read, or its body does not match its hash
	LogMissing   LogFaultKind = "missing"   // an entry is gone, and neither an erasure nor an expiry covers it
)

// Grave reports whether sequences may mean other events than they did: nothing may be read or written on such a log until
// somebody has decided.
func (k LogFaultKind) Grave() bool { return k == LogShortened || k == LogSwapped }

// String is one line for people.
func (f LogFault) String() string {
	at := fmt.Sprintf("entry %d", f.From)
	if f.To > f.From {
		at = fmt.Sprintf("entries %d to %d", f.From, f.To)
	}
	if f.Detail == "" {
		return fmt.Sprintf("the log is %s at %s", f.Kind, at)
	}
	return fmt.Sprintf("the log is %s at %s: %s", f.Kind, at, f.Detail)
}
