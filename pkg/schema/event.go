package schema

import (
	"context"
	"time"
)

// Version is the schema version of events written by this build.
const Version = 1

// Op says what a log entry is.
type Op string

// Log operations: the last token of a log subject.
const (
	OpTurn    Op = "turn"
	OpMemory  Op = "memory"
	OpPin     Op = "pin"
	OpForget  Op = "forget"
	OpTool    Op = "tool"
	OpSetting Op = "setting"
	OpErase   Op = "erase"   // body: [Erasure]; of no user
	OpArchive Op = "archive" // body: [Archive]
)

// Event kinds inside the pipeline, beside the log's ops.
const (
	OpCleaned Op = "cleaned" // clean → vectorize, extract, distill; body: [Cleaned]
	OpFact    Op = "fact"    // distill → decide; body: [Candidates]
)

// Envelope is what travels with every event, in message headers, so that the body stays as published.
type Envelope struct {
	Version    int    // schema version of the body
	UUID       string // inside id of the source event: EventUUID(Tenant, ID)
	ID         string // the client's id
	Op         Op     // what the body is
	Tenant     string
	User       string    // "" for userless ops
	At         time.Time // when it happened
	Accepted   time.Time // when intake accepted it; the only clock a stage may read
	Seq        uint64    // log sequence of the source event; set on delivery for log entries
	PolicyRev  uint64    // log sequence of the last tool op of the tenant when intake accepted the event
	Class      Class     // least trusted class of the inputs
	BodyHash   string    // hex SHA-256 of the raw body of the source event
	Generation int       // 0 in the log; the generation of the index inside the pipeline
	Attempt    int       // repairs and dead-letter retries; 0 on the first way
	Low        uint64    // settled floor as the publisher knew it
	Epoch      uint64    // incarnation of the work stream in which Low was read; a Low of another one says nothing
	Trace      string    // W3C traceparent, "" for none
}

// Event is one message of the log or of the pipeline.
type Event struct {
	Envelope
	Body []byte
}

// Result is what a stage decided: events to publish and writes to make, in that order of meaning — the runner
// makes the writes, publishes the events, sets the flags, then acknowledges.
type Result struct {
	Writes []Write
	Events []Event
	Guards []Guard // slots whose state these writes recompute
	Done   bool    // true: set this stage's done flag on the event point after the rest has succeeded

	// Forget, where set, is appended to the log once the rest is durable, under an id made of the event's: a request that the
	// user spoke. An event that is forgotten already appends nothing.
	Forget *Forget

	// Retract, where set, is carried out after the writes.
	Retract *Retraction

	// Archived says that the stage knew its event to be archived when it decided this; see [KeyArchived].
	Archived bool
	// Next, where set, is asked once the writes are durable, before anything is published: it decides on what is there
	// now, and what it returns stands for the rest of this result. Events, Guards and Done are ignored beside it.
	Next func(context.Context) (Result, error) `json:"-"`
}

// Retraction takes back what was derived from log entries that came after the first one of their event id.
type Retraction struct {
	Tenant string
	Event  string   // inside id
	After  uint64   // entries of a higher sequence are taken back
	Owners []string // whose points they may be
	Hash   string   // body hash of the first, by which the others are told to be duplicates or conflicts; "" leaves them
}

// Guard protects a slot that was read: the runner compares and swaps its revision after the writes and runs the
// stage again where another writer was faster.
type Guard struct {
	Slot     string // SlotKey
	Revision uint64 // as read; 0 where the slot had none
}

// SegmentKind is the part of a turn that a segment comes from.
type SegmentKind string

// Segment kinds.
const (
	SegInput    SegmentKind = "input"
	SegResponse SegmentKind = "response"
	SegTool     SegmentKind = "tool"
	SegArchive  SegmentKind = "archive" // what remains of an archived turn, in place of its other segments
)

// Segment is a piece of computed text: what a stage may read. Raw text is not in it.
type Segment struct {
	Key   string      `json:"key"` // unique in its event and stable: "input", "response", "tool.0", "tool.0.1" for its second piece
	Kind  SegmentKind `json:"kind"`
	Tool  string      `json:"tool,omitempty"`
	Tools []string    `json:"tools,omitempty"` // of an archived turn: whose output its document holds
	Class Class       `json:"class"`
	Text  string      `json:"text"` // cleaned, secrets masked; a tool's text begins with "[source: <tool>] "
	Lang  string      `json:"lang,omitempty"`
}

// Dropped says which part of a turn is not computed, and why.
type Dropped struct {
	Segment string `json:"segment"`
	Tool    string `json:"tool,omitempty"`
	Reason  string `json:"reason"` // no_memory, not_ingested, aborted, empty, quoted_no_memory, …
}

// Fault is a cleaner's failure on one segment: that segment is left out, the rest of the event is indexed.
type Fault struct {
	Segment string `json:"segment"`
	Cleaner string `json:"cleaner"`
	Reason  string `json:"reason"`
}

// Cleaned is the body of an [OpCleaned] event.
type Cleaned struct {
	Agent        string         `json:"agent,omitempty"`
	Conversation string         `json:"conversation,omitempty"`
	Speaker      string         `json:"speaker,omitempty"`
	Metadata     map[string]any `json:"metadata,omitempty"`
	Segments     []Segment      `json:"segments"`
}

// Candidates is the body of an [OpFact] event: the statements that distill found in one event, and explicit
// writes. IDs and decisions are decide's.
type Candidates struct {
	Facts  []Memory `json:"facts"`
	Forget []string `json:"forget,omitempty"` // things that the user asked to be forgotten
}

// Outcome says what became of an event, as its event point states it.
type Outcome string

// Outcomes of an event point. An open event is indexed once every stage has set its flag.
const (
	OutcomeOpen      Outcome = "open"
	OutcomeDropped   Outcome = "dropped"   // nothing was left to compute
	OutcomeDuplicate Outcome = "duplicate" // the id was in the log before, with the same body
	OutcomeConflict  Outcome = "conflict"  // the id was in the log before, with another body; counted as duplicate
	OutcomeDead      Outcome = "dead"      // a stage gave it up: it is among the dead letters
	OutcomeForgotten Outcome = "forgotten"
)
