package schema

import (
	"fmt"
	"time"
)

// Limits and defaults of a query.
const (
	DefaultLimit = 10
	MaxLimit     = 100
	MaxQuery     = 32 << 10 // bytes
)

// Query asks a user's memory. Only User and Query are required, and Query may be empty where only the block of
// pins is wanted.
type Query struct {
	User           string       `json:"user"`
	Query          string       `json:"query"`
	Conversation   string       `json:"conversation,omitempty"`
	Turn           string       `json:"turn,omitempty"`         // with dedupe: which turn asks; asking again for it gives the same block
	Limit          int          `json:"limit,omitempty"`        // items, 1–100, default 10
	TokenBudget    int          `json:"token_budget,omitempty"` // tokens of the block; 0 takes the configured budget
	Render         string       `json:"render,omitempty"`       // typed_v2 (default by configuration), flat, none
	Lang           string       `json:"lang,omitempty"`         // zh or en: language of headings; else the query's own
	Mode           string       `json:"mode,omitempty"`         // hybrid (default by configuration), legacy
	Types          []Type       `json:"types,omitempty"`        // only these types; empty means all
	Filter         *QueryFilter `json:"filter,omitempty"`
	Dedupe         string       `json:"dedupe,omitempty"`  // none (default); conversation: no memory enters the blocks of two turns, but constraints and pins
	MinSeq         uint64       `json:"min_seq,omitempty"` // wait until the log is settled to here, within the time limit
	Now            time.Time    `json:"now,omitzero"`      // the clock for recency and expiry; the server's where absent
	AsOf           time.Time    `json:"as_of,omitzero"`    // memory as it stood then
	IncludeHistory bool         `json:"include_history,omitempty"`
	Explain        bool         `json:"explain,omitempty"`
}

// QueryFilter narrows the candidates before the search.
type QueryFilter struct {
	Metadata map[string]any `json:"metadata,omitempty"` // all must be equal
	From     time.Time      `json:"from,omitzero"`      // inclusive
	To       time.Time      `json:"to,omitzero"`        // exclusive
	Tool     string         `json:"tool,omitempty"`     // however it is spelled, see [SameTool]
}

// Validate reports the first fault, naming its field.
func (q *Query) Validate() error {
	if err := CheckID("user", q.User); err != nil {
		return err
	}
	if len(q.Query) > MaxQuery {
		return Invalid("query", "is %d bytes long, at most %d are allowed", len(q.Query), MaxQuery)
	}
	for _, f := range []struct{ name, v string }{{"conversation", q.Conversation}, {"turn", q.Turn}} {
		if f.v != "" {
			if err := CheckID(f.name, f.v); err != nil {
				return err
			}
		}
	}
	if q.Limit < 0 || q.Limit > MaxLimit {
		return Invalid("limit", "must lie between 1 and %d", MaxLimit)
	}
	if q.TokenBudget < 0 {
		return Invalid("token_budget", "must not be negative")
	}
	for _, f := range []struct {
		name, v string
		of      []string
	}{
		{"render", q.Render, []string{"typed_v2", "flat", "none"}},
		{"lang", q.Lang, []string{"zh", "en"}},
		{"mode", q.Mode, []string{"hybrid", "legacy"}},
		{"dedupe", q.Dedupe, []string{"none", "conversation"}},
	} {
		if err := oneOf(f.name, f.v, f.of); err != nil {
			return err
		}
	}
	if q.Dedupe == "conversation" && q.Conversation == "" {
		return Invalid("conversation", "is required with dedupe: conversation")
	}
	if q.Dedupe == "conversation" && q.Turn == "" {
		return Invalid("turn", "is required with dedupe: conversation")
	}
	for i, t := range q.Types {
		if !t.Valid() {
			return Invalid(fmt.Sprintf("types[%d]", i), "%q is not a memory type", t)
		}
	}
	if q.Filter != nil {
		if q.Filter.Tool != "" {
			if err := CheckID("filter.tool", q.Filter.Tool); err != nil {
				return err
			}
		}
		if !q.Filter.From.IsZero() && !q.Filter.To.IsZero() && !q.Filter.From.Before(q.Filter.To) {
			return Invalid("filter.to", "must lie after filter.from")
		}
		return checkMetadata("filter.metadata", q.Filter.Metadata)
	}
	return nil
}

func oneOf(field, v string, of []string) error {
	if v == "" {
		return nil
	}
	for _, o := range of {
		if v == o {
			return nil
		}
	}
	return Invalid(field, "%q is not one of %v", v, of)
}

// Reply answers a query.
type Reply struct {
	Block    string   `json:"block"` // ready to be put before the latest user message; "" with render: none
	Items    []Item   `json:"items"`
	Degraded []string `json:"degraded"`        // what failed on the way, e.g. "vectors", "pins"; empty means whole
	Hint     string   `json:"hint,omitempty"`  // for an empty reply that nothing recorded is not "not so" (D10); how many rules and pins had no room in the block
	Stale    bool     `json:"stale,omitempty"` // min_seq was not reached within the time limit
	TookMS   float64  `json:"took_ms"`
}

// Item is one memory of a reply.
type Item struct {
	ID           string    `json:"id"`
	Type         Type      `json:"type"`
	Kind         Kind      `json:"kind,omitempty"`
	Content      string    `json:"content"`
	Score        float64   `json:"score"`
	Status       Status    `json:"status"`
	Importance   float64   `json:"importance"`
	Confidence   float64   `json:"confidence"`
	Pinned       bool      `json:"pinned,omitempty"`
	Explicit     bool      `json:"explicit,omitempty"`
	Conversation string    `json:"conversation,omitempty"`
	ObservedAt   time.Time `json:"observed_at"`
	ValidFrom    time.Time `json:"valid_from,omitzero"`
	ValidTo      time.Time `json:"valid_to,omitzero"`
	ExpiresAt    time.Time `json:"expires_at,omitzero"` // from when on it is in no reply, whatever else is said
	Source       Source    `json:"source"`
	Rule         string    `json:"rule,omitempty"` // what found it in a turn; begins with [RuleOutright] where it was written outright
	SupersededBy string    `json:"superseded_by,omitempty"`
	Explain      *Explain  `json:"explain,omitempty"`
}

// Explain shows how a score came about: named parts that add up to it, and the rank in each arm.
type Explain struct {
	Parts map[string]float64 `json:"parts"`          // e.g. importance, confidence, recency, explicit, conversation, type, relevance
	Arms  map[string]Arm     `json:"arms,omitempty"` // e.g. dense, terms
	Notes []string           `json:"notes,omitempty"`
}

// Arm is what one search arm said of an item.
type Arm struct {
	Rank  int     `json:"rank"` // 1-based
	Score float64 `json:"score"`
	Z     float64 `json:"z"` // standardised
}

// MemoryPage is a page of GET /v1/memories.
type MemoryPage struct {
	Items  []Item `json:"items"`
	Cursor string `json:"cursor,omitempty"` // empty on the last page
}
