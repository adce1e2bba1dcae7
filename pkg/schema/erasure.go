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

// EraseRequest is the body of POST /v1/erase: a user whose every trace is to go, from the log too.
type EraseRequest struct {
	User   string `json:"user"`
	Verify bool   `json:"verify,omitempty"` // look for what the user said in every file of the data directory afterwards
}

// Validate reports the first fault, naming its field.
func (r *EraseRequest) Validate() error { return CheckID("user", r.User) }

// ErasureReport is what an erasure did. It names nobody.
type ErasureReport struct {
	ID        string        `json:"id"`              // of the erasure, as its entries in the log have it
	Mark      uint64        `json:"mark"`            // log sequence of its mark: what was accepted later stays
	Entries   uint64        `json:"entries"`         // of the log that went
	Points    uint64        `json:"points"`          // that went, of all generations
	Unread    uint64        `json:"unread"`          // entries of the log that went without being read: damaged
	Compacted bool          `json:"compacted"`       // the files of the embedded servers hold nothing that was deleted; false where they are another process's
	Check     *ErasureCheck `json:"check,omitempty"` // where it was asked for
}

// ErasureCheck is what looking for a user's strings in the files of the data directory found. What was looked for is not in
// it.
type ErasureCheck struct {
	Strings int          `json:"strings"` // looked for: the user's id, and words that nobody else has said
	Files   int          `json:"files"`
	Bytes   int64        `json:"bytes"`
	Hits    int          `json:"hits"`
	Found   []ErasureHit `json:"found,omitempty"` // the first MaxErasureHits of them
}

// MaxErasureHits bounds the hits that a check names.
const MaxErasureHits = 100

// ErasureHit is a file that holds one of the strings.
type ErasureHit struct {
	File   string `json:"file"`   // below the data directory
	Form   string `json:"form"`   // how it is written there: utf-8, utf-16le, base64, in zstd, …
	String int    `json:"string"` // which one; 0 is the user's id
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
