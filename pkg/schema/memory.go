package schema

import (
	"strings"
	"time"
	"unicode"
)

// Type is what a memory is for.
type Type string

// Memory types. Episode is a turn itself; the others are facts.
const (
	TypeConstraint Type = "constraint" // a rule that must be kept
	TypePreference Type = "preference"
	TypeTodoHint   Type = "todo_hint"
	TypeFact       Type = "fact"
	TypeEpisode    Type = "episode"
)

// Valid reports whether t is a known type.
func (t Type) Valid() bool {
	switch t {
	case TypeConstraint, TypePreference, TypeTodoHint, TypeFact, TypeEpisode:
		return true
	}
	return false
}

// Kind groups memories by what they speak of.
type Kind string

// Memory kinds.
const (
	KindUser      Kind = "user"
	KindFeedback  Kind = "feedback"
	KindProject   Kind = "project"
	KindReference Kind = "reference"
)

// Tier says how far a memory has been merged (C4, E3).
type Tier string

// Tiers with the importance they start from: short .3, mid .6, long .7.
const (
	TierShort Tier = "short"
	TierMid   Tier = "mid"
	TierLong  Tier = "long"
)

// Status of a memory. Active and archived ones answer a query, the others only where history is asked for.
type Status string

// Memory statuses.
const (
	StatusActive     Status = "active"
	StatusSuperseded Status = "superseded" // a later statement of its slot holds now; kept as history
	StatusDuplicate  Status = "duplicate"  // says what the canonical memory of its group says (decision NONE)
	StatusDeleted    Status = "deleted"    // retracted by its user; kept without being shown
	StatusArchived   Status = "archived"   // of a turn: pruned; its document is shown in its place
)

// Source says where a memory came from.
type Source struct {
	Event string `json:"event"`          // the client's event id
	UUID  string `json:"uuid,omitempty"` // the inside id of that event
	Seg   string `json:"segment,omitempty"`
	Tool  string `json:"tool,omitempty"`
	Class Class  `json:"class"`
	Seq   uint64 `json:"seq,omitempty"` // log sequence of the event
	Place int    `json:"-"`             // of the statements of one event, from 0 in the order in which they were said; decide's own
}

// Memory is one statement that is remembered: a fact of one of the types, or (as a view) an episode.
type Memory struct {
	ID           string    `json:"id"`
	Tenant       string    `json:"-"`
	User         string    `json:"user"`
	Type         Type      `json:"type"`
	Kind         Kind      `json:"kind,omitempty"`
	Content      string    `json:"content"` // a sentence that stands on its own
	Subject      string    `json:"subject,omitempty"`
	Predicate    string    `json:"predicate,omitempty"` // canonical, e.g. "lives_in"
	Object       string    `json:"object,omitempty"`
	Negated      bool      `json:"negated,omitempty"`
	Replaces     string    `json:"replaces,omitempty"` // value of the slot that this statement ends; "" ends whatever the slot's nature says
	Slot         string    `json:"slot,omitempty"`     // what can be superseded together: subject and functional predicate; "" for none
	Group        string    `json:"group,omitempty"`    // hash of owner, type and normalised content: equal means duplicate
	Importance   float64   `json:"importance"`
	Confidence   float64   `json:"confidence"`
	Explicit     bool      `json:"explicit,omitempty"` // the user asked for it to be remembered, or stated it as a rule
	Pinned       bool      `json:"pinned,omitempty"`
	Tier         Tier      `json:"tier,omitempty"`
	Status       Status    `json:"status"`
	Lang         string    `json:"lang,omitempty"` // "zh" or "en"
	Conversation string    `json:"conversation,omitempty"`
	ContentHash  string    `json:"content_hash,omitempty"`
	ObservedAt   time.Time `json:"observed_at"`
	ValidFrom    time.Time `json:"valid_from,omitzero"`
	ValidTo      time.Time `json:"valid_to,omitzero"`
	ExpiresAt    time.Time `json:"expires_at,omitzero"`
	SupersededBy string    `json:"superseded_by,omitempty"` // id of the memory that holds instead, or of the canonical duplicate
	Edits        string    `json:"edits,omitempty"`         // id of the memory that this is an edit of: the first of its line
	Mark         string    `json:"-"`                       // id of the edit or deletion that stands on it; decide's own
	Source       Source    `json:"source"`
	Rule         string    `json:"rule,omitempty"` // which rule found it
}

// RuleOutright begins the Rule of a memory that was written outright, not read from a turn.
const RuleOutright = "explicit:"

// Outright reports whether what has this Rule was written outright, as a memory or a pin.
func Outright(rule string) bool { return strings.HasPrefix(rule, RuleOutright) }

// RuleModel begins the Rule of a memory that a language model pointed out; the model's name follows.
const RuleModel = "llm:"

// Inferred reports whether what has this Rule was pointed out by a language model.
func Inferred(rule string) bool { return strings.HasPrefix(rule, RuleModel) }

// Weight orders memories by whose word counts: by class, and what a language model pointed out, whoever said it, below
// everything that was read by rules or written outright. So a model adds where nobody else has spoken, and ends nothing else.
func (m *Memory) Weight() int {
	w := int(m.Source.Class)
	if !Inferred(m.Rule) {
		w += int(ClassOperator) + 1
	}
	return w
}

// Active reports whether m holds at now: active, not expired, not yet at the end of its validity.
func (m *Memory) Active(now time.Time) bool {
	return m.Status == StatusActive && (m.ExpiresAt.IsZero() || now.Before(m.ExpiresAt)) &&
		(m.ValidTo.IsZero() || now.Before(m.ValidTo))
}

// MaxContent is the longest content in bytes of a memory or a pin that a client writes.
const MaxContent = 16 << 10

// checkContent refuses what is no statement; a deletion needs none.
func checkContent(content string, deletion bool) error {
	switch {
	case len(content) > MaxContent:
		return Invalid("content", "is %d bytes long, at most %d are allowed", len(content), MaxContent)
	case !deletion && !visible(content):
		return Invalid("content", "must not be empty")
	}
	return nil
}

// visible reports whether there is a character in s that a person can see: none that Unicode counts as graphic and that
// is shown as nothing all the same. Those are its Default_Ignorable_Code_Point (UAX 44: format characters are no
// graphic ones, the rest are the two tables here), such as variation selectors and the fillers of Hangul, and the
// Braille pattern without dots.
func visible(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsGraphic(r) && !unicode.IsSpace(r) && r != '\u2800' &&
			!unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
	})
}

// checkTarget checks the id of the memory that a write is about.
func checkTarget(id string, deletion bool) error {
	if id == "" && !deletion {
		return nil
	}
	return CheckID("id", id)
}

// checkShare refuses what is not from 0 to 1, NaN too.
func checkShare(field string, v *float64) error {
	if v != nil && !(*v >= 0 && *v <= 1) {
		return Invalid(field, "must lie between 0 and 1")
	}
	return nil
}

// MemoryWrite is the body of POST /v1/memories and of the op "memory".
type MemoryWrite struct {
	ID         string    `json:"id,omitempty"` // POST: the client's id of the write; in the log: which memory is changed or deleted
	User       string    `json:"user"`
	Type       Type      `json:"type"` // constraint, preference, todo_hint or fact
	Content    string    `json:"content"`
	Importance *float64  `json:"importance,omitempty"`
	Confidence *float64  `json:"confidence,omitempty"`
	Pinned     *bool     `json:"pinned,omitempty"`
	ExpiresAt  time.Time `json:"expires_at,omitzero"`
	Delete     bool      `json:"delete,omitempty"`
}

// Validate reports the first fault, naming its field.
func (w *MemoryWrite) Validate() error {
	if err := CheckID("user", w.User); err != nil {
		return err
	}
	if !w.Type.Valid() || w.Type == TypeEpisode {
		return Invalid("type", "%q is not one of constraint, preference, todo_hint, fact", w.Type)
	}
	if err := checkTarget(w.ID, w.Delete); err != nil {
		return err
	}
	if err := checkContent(w.Content, w.Delete); err != nil {
		return err
	}
	if err := checkShare("importance", w.Importance); err != nil {
		return err
	}
	return checkShare("confidence", w.Confidence)
}

// Triple is one edge of the graph: subject, predicate, object, from one sentence of one segment.
type Triple struct {
	ID         string    `json:"id"`
	Subject    string    `json:"subject"`
	Predicate  string    `json:"predicate"`
	Object     string    `json:"object"`
	Negated    bool      `json:"negated,omitempty"`
	Confidence float64   `json:"confidence"`
	ValidFrom  time.Time `json:"valid_from,omitzero"`
	ValidTo    time.Time `json:"valid_to,omitzero"`
	Sentence   string    `json:"sentence,omitempty"` // the sentence it was read from
	Rule       string    `json:"rule,omitempty"`
	Source     Source    `json:"source"`
}
