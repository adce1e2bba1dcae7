package schema

// Status of the pipeline for one tenant: GET /v1/status and the service silt.status.
type StatusReply struct {
	Idle    bool          `json:"idle"`     // everything accepted so far is settled and searchable
	Floor   uint64        `json:"floor"`    // settled log sequence
	LastSeq uint64        `json:"last_seq"` // last sequence of the tenant in the log
	Stages  []StageStatus `json:"stages"`
	Ledger  Ledger        `json:"ledger"`
	Reasons LedgerReasons `json:"reasons"`

	LogFaults []LogFault `json:"log_faults,omitempty"` // how the log is not what was witnessed of it; of all tenants
}

// StageStatus is one stage's durable consumer.
type StageStatus struct {
	Name        string `json:"name"`
	Pending     uint64 `json:"pending"`             // not yet delivered
	AckPending  int    `json:"ack_pending"`         // delivered, not yet acknowledged
	Redelivered int    `json:"redelivered"`         // among ack_pending, delivered more than once
	OldestMS    int64  `json:"oldest_ms"`           // age of the oldest open message; 0 where none is open
	Workers     int    `json:"workers"`             // pulls waiting
	PausedMS    int64  `json:"paused_ms,omitempty"` // how much longer it is delivered nothing, on purpose; see docs/deploy.md
}

// Ledger accounts for every accepted event: Accepted equals the sum of the others.
type Ledger struct {
	Accepted  uint64 `json:"accepted"`
	Indexed   uint64 `json:"indexed"`
	Duplicate uint64 `json:"duplicate"`
	Dropped   uint64 `json:"dropped"` // by policy
	Dead      uint64 `json:"dead"`
	Forgotten uint64 `json:"forgotten"`
	Pending   uint64 `json:"pending"`
}

// LedgerReasons say more of three places of a [Ledger].
type LedgerReasons struct {
	Dropped  map[string]uint64 `json:"dropped,omitempty"`  // by the policy that left nothing of an event; they sum up to the ledger's
	Dead     map[string]uint64 `json:"dead,omitempty"`     // dead letters that are there, by the stage that gave up: an event may have several, and none once they were dropped
	Conflict uint64            `json:"conflict,omitempty"` // of the duplicates: the same id with another body
}

// Accepted answers a publish: the client's id (drawn where it gave none) and the log sequence.
type Accepted struct {
	ID        string `json:"id"`
	Seq       uint64 `json:"seq"`
	Duplicate bool   `json:"duplicate,omitempty"` // the same id and body was there already
	Forgotten bool   `json:"forgotten,omitempty"` // with duplicate: what was there has been forgotten since, and is not remembered again
	Indexed   *bool  `json:"indexed,omitempty"`   // with wait=indexed: whether it was searchable within the time limit
}

// Rejected is one line of a batch that was refused.
type Rejected struct {
	Line  int       `json:"line"` // 1-based
	Error WireError `json:"error"`
}

// WireError is an error as clients see it.
type WireError struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	Field   string `json:"field,omitempty"`
}

// ErrorReply is the body of every answer of the HTTP edge that is an error.
type ErrorReply struct {
	Error   WireError `json:"error"`
	Request string    `json:"request_id,omitempty"` // names the request in the server's log
}

// BatchReply answers an NDJSON publish.
type BatchReply struct {
	Accepted []Accepted `json:"accepted"`
	Rejected []Rejected `json:"rejected"`
	Indexed  *bool      `json:"indexed,omitempty"` // with wait=indexed: whether all accepted were searchable within the time limit
}

// EventStatus is what became of one event: GET /v1/events/{id}/status.
type EventStatus struct {
	ID       string          `json:"id"`
	UUID     string          `json:"uuid"`
	User     string          `json:"user,omitempty"` // whose it is; absent as long as the index does not know it
	Seq      uint64          `json:"seq"`
	State    string          `json:"state"`              // pending, indexed, dropped, duplicate, conflict, dead, forgotten
	Stages   map[string]bool `json:"stages"`             // true: that stage has settled the event
	Archived bool            `json:"archived,omitempty"` // of the turn only its document is left in the index
	Segments []string        `json:"segments,omitempty"`
	Dropped  []Dropped       `json:"dropped,omitempty"`
	Faults   []Fault         `json:"faults,omitempty"`
	Model    *ModelStatus    `json:"model,omitempty"`    // what became of it with the language model; absent where none is asked, or has not been yet
	Computed *Computed       `json:"computed,omitempty"` // on request: what was derived from the event
}

// Outcomes of a [ModelStatus].
const (
	ModelRead       = "read"        // it was asked, now or before
	ModelOverBudget = "over_budget" // for some of the text, nobody was asked: the budget of that day was spent
	ModelGivenUp    = "given_up"    // what it answered was of no use, or it did not answer, time and again
)

// ModelStatus is what became of an event with the language model.
type ModelStatus struct {
	Outcome string `json:"outcome"` // read, over_budget, given_up
	Model   string `json:"name"`
	Facts   int    `json:"facts"`   // that it pointed out and that stand in the text
	Refused int    `json:"refused"` // statements of its that do not, or that rules had read already
}

// Keys of a ModelStatus on an event point.
const (
	keyModel        = "llm"
	keyModelName    = "llm_name"
	keyModelFacts   = "llm_facts"
	keyModelRefused = "llm_refused"
)

// Payload is s as keys of an event point.
func (s ModelStatus) Payload() map[string]any {
	return map[string]any{keyModel: s.Outcome, keyModelName: s.Model, keyModelFacts: int64(s.Facts), keyModelRefused: int64(s.Refused)}
}

// ModelStatusOf is the inverse of Payload, nil where nothing was noted.
func ModelStatusOf(pl map[string]any) *ModelStatus {
	p := payload(pl)
	if p.str(keyModel) == "" {
		return nil
	}
	return &ModelStatus{Outcome: p.str(keyModel), Model: p.str(keyModelName), Facts: int(p.whole(keyModelFacts)), Refused: int(p.whole(keyModelRefused))}
}

// Computed is what the pipeline derived from one event.
type Computed struct {
	Segments []Segment `json:"segments"`
	Keywords []string  `json:"keywords"`
	Tags     []string  `json:"tags"`
	Entities []Entity  `json:"entities"`
	Summary  string    `json:"summary,omitempty"`
	Triples  []Triple  `json:"triples"`
	Facts    []Memory  `json:"facts"`
}

// MaxPage is the largest page of memories.
const MaxPage = 1000

// MemoryQuery selects a page of GET /v1/memories.
type MemoryQuery struct {
	User   string
	Status string // active (default), superseded, all
	Type   Type
	Kind   Kind
	Text   string // folded substring of the content
	Cursor string // from the page before
	Limit  int    // 1–MaxPage, default 100
}

// Validate reports the first fault, naming its field.
func (q *MemoryQuery) Validate() error {
	if err := CheckID("user", q.User); err != nil {
		return err
	}
	if err := oneOf("status", q.Status, []string{"active", "superseded", "all"}); err != nil {
		return err
	}
	if q.Type != "" && !q.Type.Valid() {
		return Invalid("type", "%q is not a memory type", q.Type)
	}
	if err := oneOf("kind", string(q.Kind), []string{string(KindUser), string(KindFeedback), string(KindProject), string(KindReference)}); err != nil {
		return err
	}
	if len(q.Text) > MaxMatch {
		return Invalid("q", "is %d bytes long, at most %d are allowed", len(q.Text), MaxMatch)
	}
	if q.Limit < 0 || q.Limit > MaxPage {
		return Invalid("limit", "must lie between 1 and %d", MaxPage)
	}
	return nil
}
