package stages

import (
	"context"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Deps is what stages read through. A Go program that embeds Siltstone may set its own; a nil port that a stage
// needs is an error at start.
type Deps struct {
	Tools    ToolPolicies
	Events   EventReader
	Embedder Embedder
	Slots    SlotReader
	Points   PointLister
	Model    ModelReader                // of the stage llm; nil: there is none
	Archived func(ev schema.Event) bool // whether an archive event that is known here names ev; must not block; nil: none does
	Earlier  Earlier                    // nil: a wish to forget reaches what is decided, and does not wait for more
	Cleaners map[string]Cleaner         // the program's own cleaners by name, beside the built-in ones
}

// Cleaner shapes the computed text of one segment: text in, text out. arg is what follows the colon in a policy
// ("4000" in "truncate:4000"), "" for none. It must be deterministic and safe for concurrent use; a panic, an
// error, invalid UTF-8 or running beyond the configured time costs that segment only.
type Cleaner func(text, arg string) (string, error)

// ToolPolicies answers how a tool's output is treated, as it stood at a policy revision.
type ToolPolicies interface {
	// Policy is what holds at revision rev (a log sequence) for the tool that an agent calls by this name, in any
	// spelling and however qualified: it is the port that resolves it, by [schema.ToolKeys]. ok is false for a tool
	// of which it does not know; then the shipped defaults hold.
	// A tool marked no_memory at any later revision is no_memory here too. It does not block.
	Policy(tenant, tool string, rev uint64) (def schema.ToolDef, ok bool)
}

// EventReader reads event points.
type EventReader interface {
	// EventPoint is the payload of the event point of uuid, nil where there is none.
	EventPoint(ctx context.Context, generation int, uuid string) (map[string]any, error)
	// Holder is the log sequence of the entry whose event point that is, 0 where there is none.
	Holder(ctx context.Context, generation int, uuid string) (uint64, error)
}

// EmbedKind tells queries from passages: some models want them prefixed.
type EmbedKind = schema.EmbedKind

// Kinds of text to embed.
const (
	EmbedPassage = schema.EmbedPassage
	EmbedQuery   = schema.EmbedQuery
)

// Embedder turns texts into vectors of unit length.
type Embedder interface {
	// Embed returns one vector of Dim() numbers a text, in order. It may block on a server; safe for concurrent use.
	Embed(ctx context.Context, texts []string, kind EmbedKind) ([][]float32, error)
	Dim() int
	Model() string // name and version; vectors of different models are never compared
}

// SlotReader reads what decide compares with.
type SlotReader interface {
	// Revision is the slot's revision, 0 for a slot never written.
	Revision(ctx context.Context, generation int, slot string) (uint64, error)
	// Facts is every fact point of the owner whose group or slot is one of keys, whatever its status, each once.
	Facts(ctx context.Context, generation int, owner string, groups, slots []string) ([]schema.Memory, error)
	// FactsByID is those of the owner's fact points whose id is one of ids.
	FactsByID(ctx context.Context, generation int, owner string, ids []string) ([]schema.Memory, error)
}
