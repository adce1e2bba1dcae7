package retrieve

import (
	"context"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Points searches the vector store. All methods may block until ctx ends and are safe for concurrent use.
type Points interface {
	// Search returns one list of hits an arm, best first, in the order of batch.
	Search(ctx context.Context, gen int, batch []schema.Search) ([][]schema.Hit, error)
	// GetKeys returns the points of ids that exist, in any order, with these keys of their payloads, all where none is
	// named. A store may return more.
	GetKeys(ctx context.Context, gen int, col schema.Collection, ids []string, keys ...string) ([]schema.Point, error)
	// Counts returns how many points match each filter, exactly.
	Counts(ctx context.Context, gen int, col schema.Collection, filters []schema.Filter) ([]uint64, error)
}

// Scroller lists points of the vector store.
type Scroller interface {
	// Scroll returns at most page.Limit points that match f. It may block until ctx ends.
	Scroll(ctx context.Context, gen int, col schema.Collection, f schema.Filter, page Page) ([]schema.Point, error)
}

// Page says which points of a filter are wanted.
type Page struct {
	Limit  int
	Newest bool     // by time (KeyAt), latest first, points of one time in any order; else in any order
	Keys   []string // payload keys that are read; a store may return more; empty means all
}

// Standing caches the active constraints and preferences of an owner.
type Standing interface {
	// Standing returns what is cached; hit is false for a miss, and ver names the state in which it was seen.
	Standing(ctx context.Context, gen int, owner string) (ms []schema.Memory, hit bool, ver string, err error)
	// LastStanding returns what was cached last, however old, unless the owner's facts were written since.
	LastStanding(ctx context.Context, gen int, owner string) (ms []schema.Memory, ok bool, err error)
	// FillStanding stores what was read after a miss, unless the owner's facts were written since ver.
	FillStanding(ctx context.Context, gen int, owner, ver string, ms []schema.Memory) error
}

// TermCounts caches how many of an owner's documents hold a term.
type TermCounts interface {
	// TermCounts returns the number of documents, 0 for unknown, and the counts of those terms that are cached.
	TermCounts(ctx context.Context, gen int, owner string, terms []uint32) (total uint64, df map[uint32]uint64, err error)
	// FillTermCounts stores exact counts, for a limited time.
	FillTermCounts(ctx context.Context, gen int, owner string, total uint64, df map[uint32]uint64) error
}

// Recent lists what was remembered last, latest first, from a place that answers while the vector store does not:
// facts, and turns as memories of the type episode. Of facts that do not hold any more there may be traces without
// content, which name their event, their status and what holds instead. limit 0 asks for all there is.
type Recent interface {
	Recent(ctx context.Context, gen int, owner string, limit int) ([]schema.Memory, error)
}

// Injected remembers which memories the blocks of a conversation held.
type Injected interface {
	// Injections are the blocks of a conversation, first to last.
	Injections(ctx context.Context, tenant, user, conversation string) ([]events.Injection, error)
	// AddInjection records a block before it is returned. What was recorded for the same turn and question stays;
	// without a question the block is one more.
	AddInjection(ctx context.Context, tenant, user, conversation string, in events.Injection) error
}

// Embedder turns texts into vectors of unit length, one a text, in order.
type Embedder interface {
	Embed(ctx context.Context, texts []string, kind schema.EmbedKind) ([][]float32, error)
}

// Settings answers what a user has switched. No settings are the zero value, not an error.
type Settings interface {
	Settings(ctx context.Context, tenant, user string) (schema.Settings, error)
}

// Floor waits for the index.
type Floor interface {
	// WaitFloor blocks until everything up to log sequence seq is settled in the generation, or ctx ends.
	WaitFloor(ctx context.Context, gen int, seq uint64) error
}

// Marks knows what was forgotten, from the forget events of the log. It does not block.
type Marks interface {
	Hides(tenant, user string, it schema.Item) bool
}

// Toucher writes last access times of memories of one owner.
type Toucher interface {
	Touch(ctx context.Context, gen int, owner string, ids []string, at time.Time) error
}

// Touch is one access to one memory.
type Touch struct {
	Generation int
	Owner      string
	ID         string
	At         time.Time
}

// Deps is what a Service reads through. Points, Scroller, Settings and Generation are required; a nil port of the
// others means that there is none, which is not a failure.
type Deps struct {
	Points   Points
	Scroller Scroller
	Standing Standing
	Counts   TermCounts
	Recent   Recent
	Injected Injected
	Embedder Embedder
	Settings Settings
	Floor    Floor
	Marks    Marks
	Touched  *Batcher
	// Agreement says of each text how well it holds the words of query one by one, 0 to 1; nil for none. It must not block.
	Agreement func(query string, texts []string) []float64
	// Cosines says of each text how near it is to query by the built-in table, for judging beside Agreement where another
	// model embeds; nil where the table embeds. It must not block.
	Cosines    func(query string, texts []string) []float64
	Terms      func(query string) []Term // terms of a query, each once; nil means QueryTerms
	Tokens     func(s string) int        // estimated tokens of a text; nil means text.Tokens
	Generation func() int                // the active generation; must not block
	Clock      func() time.Time          // nil means time.Now
	Observe    func(Observation)         // told of every query after its reply; nil for nobody
	// Missed is told of owners whose standing memories were not cached and could be read: after a loss of the cache that
	// is so for each. It must not block; nil for nobody.
	Missed func(gen int, owner string)
}

// Observation is what operators may know of a query: no text.
type Observation struct {
	Mode     Mode
	Took     time.Duration
	Items    int
	Degraded []string
	Stale    bool
	Err      error
}
