package schema

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// MaxErasureRanges bounds the ranges of one entry of the log; an erasure that has more writes several entries.
const MaxErasureRanges = 4096

// Erasure is the body of a log entry of op erase. It is the operator's and names nobody: it has no user in its envelope, and
// what it says of whom it was is of no use without the erasure's key.
//
// An erasure writes two kinds of entries, both under its ID. The mark comes first: it has Whose, and from then on nothing
// of that user up to the mark's own sequence is shown, and late work on it is taken back. Then, before any entry is
// removed, those that are to go are named by Sequences: a gap in the log that no erasure names is damage. What is named
// may still be there, until the erasure is done.
type Erasure struct {
	ID        string          `json:"id"`                  // random
	Whose     string          `json:"whose,omitempty"`     // of the mark: [ErasureKey.Of] of the owner
	Sequences []SequenceRange `json:"sequences,omitempty"` // rising, apart from one another
}

// SequenceRange is log sequences from From to To, both inclusive.
type SequenceRange struct {
	From uint64 `json:"from"`
	To   uint64 `json:"to"`
}

// Validate reports the first fault, naming its field.
func (e *Erasure) Validate() error {
	if err := CheckID("id", e.ID); err != nil {
		return err
	}
	switch {
	case (e.Whose == "") == (len(e.Sequences) == 0):
		return Invalid("sequences", "an erasure says whose it is, or which sequences go")
	case len(e.Sequences) > MaxErasureRanges:
		return Invalid("sequences", "holds %d ranges, at most %d are allowed", len(e.Sequences), MaxErasureRanges)
	}
	last := uint64(0)
	for _, r := range e.Sequences {
		if r.From <= last || r.To < r.From {
			return Invalid("sequences", "must rise from 1 on, and not overlap")
		}
		last = r.To
	}
	return nil
}

// AddSequence is rs with seq, which is above all that rs holds.
func AddSequence(rs []SequenceRange, seq uint64) []SequenceRange {
	if n := len(rs); n > 0 && rs[n-1].To+1 == seq {
		rs[n-1].To = seq
		return rs
	}
	return append(rs, SequenceRange{seq, seq})
}

// ErasureKey is the secret of one erasure: 32 random bytes.
type ErasureKey []byte

// Of is what an erasure's mark says of an owner ([Owner]): HMAC-SHA256 under the key, in hex. Once the key is gone, nobody
// can tell whose the mark is, not by trying names either.
func (k ErasureKey) Of(owner string) string {
	h := hmac.New(sha256.New, k)
	h.Write([]byte(owner))
	return hex.EncodeToString(h.Sum(nil))
}
