package schema

import "time"

// MemoryPatch is the body of PATCH /v1/memories/{id}: what is absent stays as it is. An expiry can be moved, not taken
// away.
type MemoryPatch struct {
	ID         string    `json:"id,omitempty"`   // the client's id of this write, to be able to repeat it
	User       string    `json:"user,omitempty"` // whose memory; may stand in the query instead
	Type       Type      `json:"type,omitempty"` // constraint, preference, todo_hint or fact
	Content    string    `json:"content,omitempty"`
	Importance *float64  `json:"importance,omitempty"`
	Confidence *float64  `json:"confidence,omitempty"`
	Pinned     *bool     `json:"pinned,omitempty"`
	ExpiresAt  time.Time `json:"expires_at,omitzero"`
}

// Validate reports the first fault, naming its field.
func (p *MemoryPatch) Validate() error {
	for _, f := range []struct{ name, v string }{{"id", p.ID}, {"user", p.User}} {
		if f.v != "" {
			if err := CheckID(f.name, f.v); err != nil {
				return err
			}
		}
	}
	if p.Type != "" && (!p.Type.Valid() || p.Type == TypeEpisode) {
		return Invalid("type", "%q is not one of constraint, preference, todo_hint, fact", p.Type)
	}
	if err := checkContent(p.Content, p.Content == ""); err != nil {
		return err
	}
	if err := checkShare("importance", p.Importance); err != nil {
		return err
	}
	if err := checkShare("confidence", p.Confidence); err != nil {
		return err
	}
	if p.Type == "" && p.Content == "" && p.Importance == nil && p.Confidence == nil && p.Pinned == nil && p.ExpiresAt.IsZero() {
		return Invalid("", "changes nothing: give at least one of type, content, importance, confidence, pinned, expires_at")
	}
	return nil
}

// Changes is w with what p gives in the place of what w holds.
func (p *MemoryPatch) Changes(w MemoryWrite) MemoryWrite {
	if p.Type != "" {
		w.Type = p.Type
	}
	if p.Content != "" {
		w.Content = p.Content
	}
	if p.Importance != nil {
		w.Importance = p.Importance
	}
	if p.Confidence != nil {
		w.Confidence = p.Confidence
	}
	if p.Pinned != nil {
		w.Pinned = p.Pinned
	}
	if !p.ExpiresAt.IsZero() {
		w.ExpiresAt = p.ExpiresAt
	}
	return w
}

// Written answers an explicit write of a memory or a pin.
type Written struct {
	ID        string `json:"id"`                  // the memory's: what GET, PATCH and DELETE take
	Event     string `json:"event"`               // the write's own id: the client's, drawn where it gave none
	Seq       uint64 `json:"seq"`                 // log sequence of the write
	Duplicate bool   `json:"duplicate,omitempty"` // the same id and body was there already
	Forgotten bool   `json:"forgotten,omitempty"` // with duplicate: what was there has been forgotten since, and is not remembered again
	Indexed   *bool  `json:"indexed,omitempty"`   // with wait=indexed: whether it held within the time limit
}

// MemoryView answers GET /v1/memories/{id}.
type MemoryView struct {
	Memory     Memory       `json:"memory"`
	History    []Memory     `json:"history"`    // what it superseded and what superseded it, in the order of event time
	Events     []Source     `json:"events"`     // which events state it: its own, then those of its duplicates
	Considered []Considered `json:"considered"` // the statements that it was compared with, in the order of event time, MaxConsidered at most
}

// MaxConsidered bounds [MemoryView.Considered]: of more, the latest are told.
const MaxConsidered = 50

// Considered is a statement of the same slot or group as a memory, and what was decided between the two.
type Considered struct {
	ID         string    `json:"id"`
	Content    string    `json:"content"`
	Status     Status    `json:"status"`
	ObservedAt time.Time `json:"observed_at"`
	Source     Source    `json:"source"`
	Verdict    Verdict   `json:"verdict"`
}

// Verdict says how another statement stands to a memory.
type Verdict string

// Verdicts.
const (
	VerdictSuperseded   Verdict = "superseded"    // the memory ended it
	VerdictSupersededBy Verdict = "superseded_by" // it ended the memory
	VerdictRepeats      Verdict = "repeats"       // it says what the memory says: its duplicate
	VerdictRepeatedIn   Verdict = "repeated_in"   // the memory is its duplicate
	VerdictRefused      Verdict = "refused"       // it would have ended the memory, by one who is trusted less: seen, not obeyed
	VerdictRefusedBy    Verdict = "refused_by"    // the memory would have ended it, and was refused
	VerdictPast         Verdict = "past"          // it speaks of what was over when it was said
	VerdictBeside       Verdict = "beside"        // neither ends the other
)

// PinList answers GET /v1/pins.
type PinList struct {
	Pins []Item `json:"pins"` // the most important first
}
