package schema

// Collection is a set of points in the vector store. The store adapter appends the generation to its name.
type Collection string

// The collections of a generation.
const (
	Events   Collection = "events"   // one event point per log entry: what was kept, dropped, done
	Passages Collection = "passages" // dense and terms points, one of each per segment
	Facts    Collection = "facts"
	Triples  Collection = "triples"
)

// Collections lists them all.
var Collections = [...]Collection{Events, Passages, Facts, Triples}

// Names of the vectors in a collection.
const (
	VectorDense = "dense" // cosine
	VectorTerms = "terms" // sparse: BM25 term saturation; the query side carries the inverse document frequencies
)

// Payload keys. Every point carries Owner, Tenant, User, Event, At and Seq.
const (
	KeyOwner        = "owner" // Owner(tenant, user): the partition of the store
	KeyTenant       = "tenant"
	KeyUser         = "user"
	KeyEvent        = "event"    // inside id (UUID) of the source event
	KeyEventID      = "event_id" // the client's id
	KeyAt           = "at"       // when it happened, Unix milliseconds
	KeySeq          = "seq"      // log sequence
	KeyConversation = "conversation"
	KeyAgent        = "agent"
	KeySpeaker      = "speaker"
	KeyClass        = "class"
	KeyMetadata     = "metadata" // object; filter keys are metadata.<key>

	// Event points.
	KeyOutcome  = "outcome"
	KeyBodyHash = "body_hash"
	KeySegments = "segments" // list of objects: Segment
	KeyDropped  = "dropped"  // list of objects: Dropped
	KeyFaults   = "faults"   // list of objects: Fault
	KeyDone     = "done_"    // + stage name: boolean
	KeyArchived = "archived" // boolean: of the turn only its document is left, which is the one segment
	KeySaid     = "said"     // in the segment that is a document: characters of what the user had said

	// Passages.
	KeySegment   = "segment"
	KeySegKind   = "segment_kind"
	KeyTool      = "tool"       // as the agent spelled it
	KeyTools     = "tool_keys"  // list: [ToolKeys] of it, which filters compare
	KeyToolNames = "tool_names" // list: of the document of an archived turn, in place of KeyTool
	KeyTerms     = "terms"      // list of integers: indices of the sparse vector, for exact document counts
	KeyKeywords  = "keywords"
	KeyTags      = "tags"
	KeyEntities  = "entities" // list of objects: Entity
	KeySummary   = "summary"
	KeyLang      = "lang"
	KeyHash      = "content_hash"

	// Facts; see Memory.Payload for the rest.
	KeyType         = "type"
	KeyKind         = "kind"
	KeyStatus       = "status"
	KeySlot         = "slot"
	KeyGroup        = "group"
	KeyPinned       = "pinned"
	KeyContent      = "content"
	KeyImportance   = "importance"
	KeyConfidence   = "confidence"
	KeyExplicit     = "explicit"
	KeyValidFrom    = "valid_from"    // Unix milliseconds
	KeyValidTo      = "valid_to"      // Unix milliseconds
	KeyExpiresAt    = "expires_at"    // Unix milliseconds
	KeySupersededBy = "superseded_by" // id of a fact
	KeyEdits        = "edits"         // id of a fact
	KeyMark         = "mark"          // id of a mark
	KeyRule         = "rule"          // Memory.Rule
	KeyPlace        = "place"         // of the statements of one event, the first is 0

	// Triples; see Triple.Payload.
	KeySubject   = "subject" // folded
	KeyPredicate = "predicate"
	KeyObject    = "object" // folded
)

// Entity is a name found in a text.
type Entity struct {
	Text string `json:"text"`
	Type string `json:"type"` // person, place, organisation, product, path, url, email, date, version, …
}

// Sparse is a sparse vector: Indices rise strictly, Values are as many and finite.
type Sparse struct {
	Indices []uint32
	Values  []float32
}

// Point is one point of a collection. Payload values are string, bool, int64, float64, []string, []int64,
// []map[string]any or map[string]any of those; every string is valid UTF-8.
type Point struct {
	ID      string // UUID
	Dense   []float32
	Sparse  *Sparse
	Payload map[string]any
}

// WriteKind says what a Write does.
type WriteKind uint8

// Kinds of writes. All are idempotent, and none can bring a deleted point back except Upsert and Insert of a
// message's own points.
const (
	WriteUpsert     WriteKind = iota + 1 // whole point; with Seq only over a point that is there
	WriteInsert                          // only where the id is not there yet
	WriteSetPayload                      // merge keys into the points of IDs that exist
	WriteDelete                          // delete by IDs
)

// Write is one change of the vector store.
type Write struct {
	Kind       WriteKind
	Collection Collection
	Owner      string         // whose points these are; caches of that owner are invalidated where Collection is Facts
	Point      Point          // Upsert, Insert
	IDs        []string       // SetPayload, Delete
	Payload    map[string]any // SetPayload
	// Seq, where it is not 0, is the fence of an Upsert, a SetPayload or a Delete: it changes only a point whose [KeySeq] this
	// is when the store comes to it. So a log entry never touches the event point once another entry of its event id
	// holds it, and never overwrites one that it has not seen.
	Seq uint64
	// Outcome, where it is not "", is one more fence of a SetPayload: it changes only a point whose [KeyOutcome] this is when
	// the store comes to it. So no text comes back to an event point that was forgotten meanwhile.
	Outcome Outcome
}

// Filter is a conjunction of conditions on payload keys, with an optional negative list. It maps one to one to
// the vector store's filter.
type Filter struct {
	Must    []Cond
	MustNot []Cond
	Should  []Cond // at least one, where there are any
}

// Cond is one condition. Exactly one of Equal, Any, Range, HasID, Empty is used.
type Cond struct {
	Key   string
	Equal any      // string, bool or int64
	Any   []string // keyword: any of these
	Range *Range
	HasID []string
	Empty bool // the key is absent, null or an empty list
}

// Range bounds a number; nil ends are open.
type Range struct {
	GTE, GT, LTE, LT *float64
}

// Search is one arm of a query batch.
type Search struct {
	Collection Collection
	Dense      []float32 // exactly one of Dense, Sparse
	Sparse     *Sparse
	Filter     Filter
	Limit      int
	MinScore   *float64
	Payload    bool     // return payloads
	Keys       []string // with Payload: only these keys; empty means all
	Terms      bool     // return the indices of the sparse vectors; far cheaper to read than a list in the payload
}

// Hit is a found point: higher scores are better.
type Hit struct {
	ID      string
	Score   float64
	Payload map[string]any // not to be changed: hits of one batch may share it
	Terms   []uint32       // with Search.Terms: indices of the point's sparse vector; nil where it has none
}
