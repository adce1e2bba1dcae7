package schema

import (
	"fmt"
	"time"
)

// Pin is the body of POST /v1/pins and of the op "pin": a memory that goes into every block.
type Pin struct {
	ID        string    `json:"id,omitempty"` // POST: the client's id of the write; in the log: which memory is changed or deleted
	User      string    `json:"user"`
	Content   string    `json:"content"`
	Type      Type      `json:"type,omitempty"` // constraint (default) or preference
	ExpiresAt time.Time `json:"expires_at,omitzero"`
	Delete    bool      `json:"delete,omitempty"`
}

// Validate reports the first fault, naming its field.
func (p *Pin) Validate() error {
	if err := CheckID("user", p.User); err != nil {
		return err
	}
	if err := checkTarget(p.ID, p.Delete); err != nil {
		return err
	}
	if err := checkContent(p.Content, p.Delete); err != nil {
		return err
	}
	if p.Type != "" && p.Type != TypeConstraint && p.Type != TypePreference {
		return Invalid("type", "%q is not one of constraint, preference", p.Type)
	}
	return nil
}

// Limits of a forget request.
const (
	MaxForgetIDs = 10_000
	MaxMatch     = 4 << 10 // bytes

	MaxForgetShown = 1000 // ids of each kind in the answer to a dry run
)

// Forget is the body of POST /v1/forget and of the op "forget": which of a user's turns and memories must go.
// Exactly one of IDs, Match, Conversation, Before, All selects; it reaches up to its own log sequence.
type Forget struct {
	User         string    `json:"user"`
	IDs          []string  `json:"ids,omitempty"`          // event ids or memory ids
	Match        string    `json:"match,omitempty"`        // folded (NFKC, case) substring of turns and memories as they were published
	Conversation string    `json:"conversation,omitempty"` // a whole conversation
	Before       time.Time `json:"before,omitzero"`        // everything that happened before, to the millisecond: what is finer is cut off of both
	All          bool      `json:"all,omitempty"`
	DryRun       bool      `json:"dry_run,omitempty"` // only say what would go; never appended to the log
}

// Validate reports the first fault, naming its field.
func (f *Forget) Validate() error {
	if err := CheckID("user", f.User); err != nil {
		return err
	}
	n := 0
	for _, set := range []bool{len(f.IDs) > 0, f.Match != "", f.Conversation != "", !f.Before.IsZero(), f.All} {
		if set {
			n++
		}
	}
	if n != 1 {
		return Invalid("ids", "exactly one of ids, match, conversation, before, all must be given")
	}
	if len(f.IDs) > MaxForgetIDs {
		return Invalid("ids", "holds %d ids, at most %d are allowed", len(f.IDs), MaxForgetIDs)
	}
	for i, id := range f.IDs {
		if err := CheckID(fmt.Sprintf("ids[%d]", i), id); err != nil {
			return err
		}
	}
	if f.Conversation != "" {
		if err := CheckID("conversation", f.Conversation); err != nil {
			return err
		}
	}
	if f.Match != "" && !visible(f.Match) {
		return Invalid("match", "holds nothing that can be seen, and what cannot be seen stands in nearly every text; use all to forget everything")
	}
	if len(f.Match) > MaxMatch {
		return Invalid("match", "is %d bytes long, at most %d are allowed", len(f.Match), MaxMatch)
	}
	return nil
}

// Covers reports whether Before is set and at lies before it. Both are taken in whole milliseconds, as times are stored:
// else what reads a time from the log would answer otherwise than what reads it from the index.
func (f *Forget) Covers(at time.Time) bool {
	return !f.Before.IsZero() && at.UnixMilli() < f.Before.UnixMilli()
}

// ForgetReply answers POST /v1/forget.
type ForgetReply struct {
	Job     string `json:"job,omitempty"` // empty for a dry run
	Matched int    `json:"matched"`       // events and memories that the request reaches now, as far as was counted

	// Counting was cut short: Matched is what was known by then and may be low. The request reaches everything all the
	// same. Of a dry run: the log was not settled in time, so what is still on its way is not in it.
	Partial bool `json:"partial,omitempty"`

	// Of a dry run: the ids of those events and memories, MaxForgetShown of each at most. Texts are not repeated: who
	// may erase may not thereby read.
	Events   []string `json:"events,omitempty"`
	Memories []string `json:"memories,omitempty"`
}
