package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/nats-io/nats.go"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// perRequest is how many turns a request of a batch holds at most: what the service's answer has room for, with the
// server's usual limit of 1 MiB a message.
const perRequest = 500

// PublishBatch offers many turns as NDJSON, in requests of up to 500 turns each sent while r is read, until its end.
// Bad lines are in Rejected, by their number from 1, and touch no others; so are lines that do not fit into a message
// and have no id. On an error some lines may be in the log: with ids the same batch can be sent again. Every request has
// the time limit of the client for itself, unless ctx has a deadline.
func (n *NATS) PublishBatch(ctx context.Context, r io.Reader, opts ...WriteOption) (schema.BatchReply, error) {
	b := natsBatch{NATS: n, opts: opts, out: schema.BatchReply{Accepted: []schema.Accepted{}, Rejected: []schema.Rejected{}}}
	lines := bufio.NewReaderSize(r, 64<<10)
	for num := 1; ; num++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return b.out, fmt.Errorf("read batch: %w", err)
		}
		last := err != nil
		if line = bytes.TrimRight(line, "\r\n"); len(bytes.TrimSpace(line)) > 0 {
			if err := b.add(ctx, num, line); err != nil {
				return b.out, err
			}
		}
		if last {
			break
		}
	}
	err := b.flush(ctx)
	slices.SortStableFunc(b.out.Rejected, func(x, y schema.Rejected) int { return x.Line - y.Line })
	return b.out, err
}

// natsBatch gathers lines into requests and their answers into one reply.
type natsBatch struct {
	*NATS
	opts []WriteOption
	out  schema.BatchReply
	body []byte
	nums []int
}

func (b *natsBatch) add(ctx context.Context, num int, line []byte) error {
	if len(line) > b.room() {
		if err := b.flush(ctx); err != nil { // in order
			return err
		}
		acc, err := b.PublishRaw(ctx, line, b.opts...)
		var e *schema.Error
		switch {
		case err == nil:
			b.out.Accepted = append(b.out.Accepted, acc)
			b.indexed(acc.Indexed)
		case errors.As(err, &e) && !e.Retry:
			b.out.Rejected = append(b.out.Rejected, schema.Rejected{Line: num, Error: schema.WireError{Code: e.Code, Field: e.Field, Message: e.Message}})
		default:
			return err
		}
		return nil
	}
	if len(b.nums) == min(perRequest, max(1, int(b.nc.MaxPayload())/2048)) || len(b.body)+len(line)+1 > b.room() {
		if err := b.flush(ctx); err != nil {
			return err
		}
	}
	b.body, b.nums = append(append(b.body, line...), '\n'), append(b.nums, num)
	return nil
}

func (b *natsBatch) flush(ctx context.Context) error {
	if len(b.nums) == 0 {
		return nil
	}
	m := &nats.Msg{Subject: events.SubjectIngest, Header: nats.Header{"Content-Type": {"application/x-ndjson"}}, Data: b.body}
	ctx, cancel := b.boundWrite(ctx, m, b.opts)
	defer cancel()
	var out schema.BatchReply
	if err := b.do(ctx, m, &out); err != nil {
		return err
	}
	b.out.Accepted = append(b.out.Accepted, out.Accepted...)
	b.indexed(out.Indexed)
	for _, r := range out.Rejected {
		if r.Line < 1 || r.Line > len(b.nums) {
			return schema.Permanent(schema.CodeInternal, nil, "%s answers for line %d of %d", m.Subject, r.Line, len(b.nums))
		}
		r.Line = b.nums[r.Line-1]
		b.out.Rejected = append(b.out.Rejected, r)
	}
	b.body, b.nums = nil, nil
	return nil
}

// indexed takes in what the answer to one request says: the whole is indexed where all of it is.
func (b *natsBatch) indexed(part *bool) {
	if part != nil && (b.out.Indexed == nil || *b.out.Indexed) {
		b.out.Indexed = part
	}
}
