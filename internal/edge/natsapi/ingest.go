package natsapi

import (
	"bytes"
	"context"
	"fmt"
	"mime"
	"strings"
	"time"

	"github.com/siltstone-ai/siltstone/internal/edge"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Headers of a request to silt.ingest.
const (
	headerType = "Content-Type" // application/x-ndjson: one turn a line
	headerWait = "Silt-Wait"    // indexed: answer once what was accepted is searchable
)

// lineRoom is how many bytes of a reply one line of a batch may need: its id of up to 256 bytes, or its error. A batch
// has no more lines than replies fit into a message, so that what was accepted can always be told.
const lineRoom = 1024

// ingest accepts one turn, or many as NDJSON.
func ingest(ctx context.Context, s *Server, r *request) (any, error) {
	wait, err := r.one(headerWait)
	if err != nil {
		return nil, err
	}
	if wait != "" && wait != "indexed" {
		return nil, schema.Invalid(headerWait, "%.40q is not indexed", wait)
	}
	kind, err := r.one(headerType)
	if err != nil {
		return nil, err
	}
	if mt, _, _ := mime.ParseMediaType(kind); strings.Contains(mt, "ndjson") || strings.Contains(mt, "jsonl") {
		return ingestMany(ctx, s, r, wait != "")
	}
	raw, err := s.claimed(ctx, r)
	if err != nil {
		return nil, err
	}
	acc, errs := s.Publisher.Publish(ctx, r.tenant, [][]byte{raw})
	if errs[0] != nil {
		return nil, errs[0]
	}
	if wait != "" {
		acc[0].Indexed = s.waited(ctx, r, acc[0].Seq)
	}
	return acc[0], nil
}

// claimed is the body, read from the object store where the message holds only its claim.
func (s *Server) claimed(ctx context.Context, r *request) ([]byte, error) {
	claim, err := r.one(events.HeaderClaim)
	if err != nil || claim == "" {
		return r.body, err
	}
	switch {
	case r.foreign: // the store holds the bodies of all tenants
		return nil, &schema.Error{Code: schema.CodeDenied, Field: events.HeaderClaim, Message: "the object store is the operator's account's; send a large turn over HTTP"}
	case s.Claims == nil:
		return nil, &schema.Error{Code: schema.CodeUnsupported, Field: events.HeaderClaim, Message: "this server takes no claims"}
	}
	header := map[string][]string{events.HeaderClaim: {claim}}
	n, err := s.Claims.Size(ctx, header)
	switch {
	case err != nil:
		return nil, err
	case n > s.MaxTurn:
		return nil, &schema.Error{Code: schema.CodeTooLarge, Message: fmt.Sprintf("the turn is %d bytes long, at most %d are allowed", n, s.MaxTurn)}
	case !s.more(r, n): // before a byte of it is read
		return nil, overloaded()
	}
	return s.Claims.Resolve(ctx, header, r.body)
}

// waited waits until everything up to seq is searchable, and leaves time to answer.
func (s *Server) waited(ctx context.Context, r *request, seq uint64) *bool {
	limit := s.Timeout
	if end, ok := ctx.Deadline(); ok {
		limit = time.Until(end) * 9 / 10
	}
	done := edge.Indexed(ctx, s.Status, seq, limit, r.leave)
	return &done
}

// ingestMany accepts NDJSON: a bad line is rejected by its number and touches no other.
func ingestMany(ctx context.Context, s *Server, r *request, wait bool) (any, error) {
	var raws [][]byte
	var nums []int
	n := 0
	for line := range bytes.Lines(r.body) {
		n++
		if line = bytes.TrimRight(line, "\r\n"); len(bytes.TrimSpace(line)) > 0 {
			raws, nums = append(raws, line), append(nums, n)
		}
	}
	if most := max(1, int(s.nc.MaxPayload())/lineRoom); len(raws) > most {
		return nil, &schema.Error{Code: schema.CodeTooLarge, Message: fmt.Sprintf("the batch has %d turns and the reply to one may tell of %d; send it in pieces", len(raws), most)}
	}
	if len(raws) == 0 {
		return nil, schema.Invalid("", "the batch holds no turn")
	}
	out := schema.BatchReply{Accepted: []schema.Accepted{}, Rejected: []schema.Rejected{}}
	acc, errs := s.Publisher.Publish(ctx, r.tenant, raws)
	last := uint64(0)
	for i := range acc {
		if errs[i] != nil {
			out.Rejected = append(out.Rejected, schema.Rejected{Line: nums[i], Error: brief(schema.Wire(errs[i]))})
			continue
		}
		out.Accepted = append(out.Accepted, acc[i])
		last = max(last, acc[i].Seq)
	}
	if wait && last > 0 {
		out.Indexed = s.waited(ctx, r, last)
	}
	return out, nil
}

// brief cuts an error so that it fits into lineRoom.
func brief(w schema.WireError) schema.WireError {
	w.Message, w.Field = cut(w.Message, 300), cut(w.Field, 80)
	return w
}

// cut is s in at most n bytes.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n-3], "") + "…"
}
