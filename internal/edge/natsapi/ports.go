package natsapi

import (
	"context"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Publisher accepts turns, raw being their bytes as published. It answers each in order: exactly one of the
// Accepted and the error of a place counts.
type Publisher interface {
	Publish(ctx context.Context, tenant string, raws [][]byte) ([]schema.Accepted, []error)
}

// Querier answers queries.
type Querier interface {
	Query(ctx context.Context, tenant string, q schema.Query) (schema.Reply, error)
}

// Forgetter makes a user's turns and memories go.
type Forgetter interface {
	Forget(ctx context.Context, tenant string, f schema.Forget) (schema.ForgetReply, error)
}

// Archiver prunes turns: of each the index keeps a document.
type Archiver interface {
	Archive(ctx context.Context, tenant string, a schema.Archive) (schema.ArchiveReply, error)
}

// Status tells how far the pipeline is.
type Status interface {
	Status(ctx context.Context, tenant string) (schema.StatusReply, error)
	// Wait blocks until the log is settled up to seq; a timeout error where ctx ends first.
	Wait(ctx context.Context, seq uint64) error
}

// Claims reads the bodies that were put into the object store because they do not fit into a message.
type Claims interface {
	// Size is how many bytes the body has that the claim among the headers stands for.
	Size(ctx context.Context, header map[string][]string) (int64, error)
	// Resolve is the body that the claim among the headers stands for.
	Resolve(ctx context.Context, header map[string][]string, body []byte) ([]byte, error)
}
