package natsapi

import (
	"context"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// service is one line of the table of services: what is answered where, which port it needs, and by which handler.
type service struct {
	name, subject, about string
	request, reply       string // wire types, told in INFO
	has                  func(*Config) bool
	serve                func(context.Context, *Server, *request) (any, error)
}

// services is everything that the edge answers.
var services = []service{
	{
		"silt-ingest", events.SubjectIngest, "takes turns and answers once the log has them", "Turn, or Turns as NDJSON", "Accepted, or BatchReply",
		func(c *Config) bool { return c.Publisher != nil }, ingest,
	},
	{
		"silt-query", events.SubjectQuery, "answers queries to the memory of a user", "Query", "Reply",
		func(c *Config) bool { return c.Querier != nil }, query,
	},
	{
		"silt-forget", events.SubjectForget, "makes a user's turns and memories go", "Forget", "ForgetReply",
		func(c *Config) bool { return c.Forgetter != nil }, forget,
	},
	{
		"silt-archive", events.SubjectArchive, "prunes a user's turns and keeps a document of each", "Archive", "ArchiveReply",
		func(c *Config) bool { return c.Archiver != nil }, archive,
	},
	{
		"silt-status", events.SubjectStatus, "tells how far the pipeline is for the tenant", "nothing", "StatusReply",
		func(c *Config) bool { return c.Status != nil }, status,
	},
}

func query(ctx context.Context, s *Server, r *request) (any, error) {
	q, err := schema.Decode[schema.Query](r.body)
	if err != nil {
		return nil, err
	}
	return s.Querier.Query(ctx, r.tenant, q)
}

func forget(ctx context.Context, s *Server, r *request) (any, error) {
	f, err := schema.Decode[schema.Forget](r.body)
	if err != nil {
		return nil, err
	}
	return s.Forgetter.Forget(ctx, r.tenant, f)
}

func archive(ctx context.Context, s *Server, r *request) (any, error) {
	a, err := schema.Decode[schema.Archive](r.body)
	if err != nil {
		return nil, err
	}
	return s.Archiver.Archive(ctx, r.tenant, a)
}

// noBody is a request without parameters.
type noBody struct{}

// status takes an empty body, or an empty object for clients that cannot send nothing.
func status(ctx context.Context, s *Server, r *request) (any, error) {
	if len(r.body) > 0 {
		if _, err := schema.Decode[noBody](r.body); err != nil {
			return nil, err
		}
	}
	return s.Status.Status(ctx, r.tenant)
}
