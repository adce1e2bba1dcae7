package httpapi

import (
	"context"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Publisher accepts turns, raw being their bytes as published. It answers each in order: exactly one of the
// Accepted and the error of a place counts.
type Publisher interface {
	Publish(ctx context.Context, tenant string, raws [][]byte) ([]schema.Accepted, []error)
}

// Querier answers queries and pages of memories.
type Querier interface {
	Query(ctx context.Context, tenant string, q schema.Query) (schema.Reply, error)
	Memories(ctx context.Context, tenant string, q schema.MemoryQuery) (schema.MemoryPage, error)
}

// MemoryReader reads a user's memories one by one, and the pins.
type MemoryReader interface {
	// Memory is one memory with its history; not_found where the user has none of this id.
	Memory(ctx context.Context, tenant, user, id string) (schema.MemoryView, error)
	Pins(ctx context.Context, tenant, user string) (schema.PinList, error)
}

// MemoryWriter takes explicit writes. Each is in the log when it returns, and holds once it is indexed.
type MemoryWriter interface {
	Remember(ctx context.Context, tenant string, w schema.MemoryWrite) (schema.Written, error)
	// EditMemory changes a memory, by any id of its line of edits; not_found where the user has none of this id,
	// conflict where another statement holds in its place.
	EditMemory(ctx context.Context, tenant, id string, p schema.MemoryPatch) (schema.Written, error)
	DeleteMemory(ctx context.Context, tenant, user, id string) (schema.Written, error)
}

// Pinner takes pins.
type Pinner interface {
	Pin(ctx context.Context, tenant string, p schema.Pin) (schema.Written, error)
	// Unpin takes a pin back: what was stated as one goes, and so does a rule, any other memory only stops being pinned.
	Unpin(ctx context.Context, tenant, user, id string) (schema.Written, error)
}

// Events reads single events.
type Events interface {
	// Raw is the event's bytes as published; not_found where the tenant has no such event or it was forgotten.
	Raw(ctx context.Context, tenant, id string) ([]byte, error)
	// EventStatus is what became of the event; with computed, what was derived from it too.
	EventStatus(ctx context.Context, tenant, id string, computed bool) (schema.EventStatus, error)
}

// Forgetter makes a user's turns and memories go.
type Forgetter interface {
	Forget(ctx context.Context, tenant string, f schema.Forget) (schema.ForgetReply, error)
}

// Archiver prunes turns: of each the index keeps a document.
type Archiver interface {
	Archive(ctx context.Context, tenant string, a schema.Archive) (schema.ArchiveReply, error)
}

// Eraser makes every trace of a user go.
type Eraser interface {
	Erase(ctx context.Context, tenant string, r schema.EraseRequest) (schema.JobStarted, error)
}

// Status tells how far the pipeline is.
type Status interface {
	Status(ctx context.Context, tenant string) (schema.StatusReply, error)
	// Wait blocks until the log is settled up to seq; a timeout error where ctx ends first.
	Wait(ctx context.Context, seq uint64) error
}

// Tools reads and sets tool policies.
type Tools interface {
	Tools(tenant string) []schema.ToolDef
	SetTool(ctx context.Context, tenant string, p schema.ToolPolicy) (schema.ToolDef, error)
}

// Replayer reads the log into new generations.
type Replayer interface {
	Begin(ctx context.Context, r schema.ReplayRequest) (schema.JobStarted, error)
	List(ctx context.Context) (schema.ReplayList, error)
	// Prune lets a generation go that is not the one that is answered from, which is a conflict.
	Prune(ctx context.Context, generation int) (schema.Job, error)
}

// Switcher says which generation is answered from.
type Switcher interface {
	Switch(ctx context.Context, r schema.SwitchRequest) (schema.Job, error)
	Rollback(ctx context.Context, r schema.SwitchRequest) (schema.Job, error)
}

// Jobs tells how far jobs are, and starts those that only look.
type Jobs interface {
	// Job is one of the tenant, or one of all tenants, such as a replay.
	Job(ctx context.Context, tenant, id string) (schema.Job, error)
	// Snapshot hashes what a generation holds; 0 is the one that is answered from.
	Snapshot(ctx context.Context, generation int) (schema.JobStarted, error)
}

// DeadLetters shows what stages gave up, and deals with it. It sees the letters of the tenant alone.
type DeadLetters interface {
	// DeadLetters is a page of at most limit letters; cursor is "" or that of the page before.
	DeadLetters(ctx context.Context, tenant, cursor string, limit int) (schema.DeadLetterList, error)
	// DeadLetter is one of them, with what was published where original is set; not_found where there is none of this id.
	DeadLetter(ctx context.Context, tenant, id string, original bool) (schema.DeadLetter, error)
	Retry(ctx context.Context, tenant, id string) (schema.DeadReply, error)
	Drop(ctx context.Context, tenant, id string) (schema.DeadReply, error)
}

// Auditor holds a tenant's log against the stores.
type Auditor interface {
	Audit(ctx context.Context, tenant string, r schema.AuditRequest) (schema.JobStarted, error)
}

// LogKeeper shows how the log stands against what was witnessed of it, and takes it as it is.
type LogKeeper interface {
	LogState(ctx context.Context) (schema.LogState, error)
	// AcceptLog takes the log as it is from now on. A conflict where the process must be started again first.
	AcceptLog(ctx context.Context) (schema.LogState, error)
}

// Settings reads and sets what a user has switched.
type Settings interface {
	Settings(ctx context.Context, tenant, user string) (schema.Settings, error)
	SetSettings(ctx context.Context, tenant, user string, s schema.Settings) error
}
