package schema

import "time"

// DeadLetter is a message that a stage gave up: GET /v1/dlq/{id}.
type DeadLetter struct {
	ID         string    `json:"id"`
	Stage      string    `json:"stage"`
	Event      string    `json:"event,omitempty"`      // the client's id; absent for what intake refused and what is no event
	Seq        uint64    `json:"seq,omitempty"`        // of the event in the log; absent for what intake refused
	Generation int       `json:"generation,omitempty"` // whose stage gave it up; absent for intake
	Code       Code      `json:"code"`
	Reason     string    `json:"reason"` // one line, for people
	Count      int       `json:"count"`  // how often it was tried
	At         time.Time `json:"at"`     // when it was given up last

	// Original is what was published, byte for byte, in base64: asked for by original=true, with the scope raw.
	Original []byte `json:"original,omitempty"`
}

// DeadLetterList answers GET /v1/dlq: a page of the tenant's dead letters, oldest first.
type DeadLetterList struct {
	Items  []DeadLetter `json:"items"`
	Cursor string       `json:"cursor,omitempty"` // of the page after; the last one has none
}

// DeadState is what became of a dead letter that somebody dealt with.
type DeadState string

// States of dead letters.
const (
	DeadSettled  DeadState = "settled"  // what was tried again is done, and the letter is gone
	DeadRetrying DeadState = "retrying" // it is on its way; the letter goes once it is done
	DeadAgain    DeadState = "dead"     // it was given up again: the letter is back, counted
	DeadDropped  DeadState = "dropped"  // the letter is gone; its event stays dead
)

// DeadReply answers POST /v1/dlq/{id}/retry and DELETE /v1/dlq/{id}.
type DeadReply struct {
	ID     string    `json:"id"`
	State  DeadState `json:"state"`
	Reason string    `json:"reason,omitempty"` // why it was given up again, or why there was nothing to try
}
