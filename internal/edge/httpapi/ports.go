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

// Settings reads and sets what a user has switched.
type Settings interface {
	Settings(ctx context.Context, tenant, user string) (schema.Settings, error)
	SetSettings(ctx context.Context, tenant, user string, s schema.Settings) error
}
