package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

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
// the time limit of the client for itself, unless ctx has a deadline. With [WaitIndexed] it waits once, at the end.
func (n *NATS) PublishBatch(ctx context.Context, r io.Reader, opts ...WriteOption) (schema.BatchReply, error) {
	b := natsBatch{NATS: n, out: schema.BatchReply{Accepted: []schema.Accepted{}, Rejected: []schema.Rejected{}}}
	lines := bufio.NewReaderSize(r, 64<<10)
	var held []byte // the line before, which may be the last
	at := 0
	for num := 1; ; num++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return b.out, fmt.Errorf("read batch: %w", err)
		}
		last := err != nil
		if line = bytes.TrimRight(line, "\r\n"); len(bytes.TrimSpace(line)) > 0 {
			if err := b.add(ctx, at, held); err != nil {
				return b.out, err
			}
			at, held = num, line
		}
		if last {
			break
		}
	}
	// What is searchable is so from the beginning of the log: to wait with the last request is to wait for all.
	err := b.add(ctx, at, held, opts...)
	if err == nil {
		err = b.flush(ctx, opts...)
	}
	if err == nil && writeOf(opts).wait && b.highest > b.waited {
		b.await(ctx)
	}
	slices.SortStableFunc(b.out.Rejected, func(x, y schema.Rejected) int { return x.Line - y.Line })
	return b.out, err
}

// natsBatch gathers lines into requests and their answers into one reply.
type natsBatch struct {
	*NATS
	out  schema.BatchReply
	body []byte
	nums []int

	highest, waited uint64 // sequence accepted, and that Indexed tells of
}

// add takes in a line; opts are for it where it is a request of its own.
func (b *natsBatch) add(ctx context.Context, num int, line []byte, opts ...WriteOption) error {
	if len(line) > b.room() {
		if err := b.flush(ctx); err != nil { // in order
			return err
		}
		acc, err := b.PublishRaw(ctx, line, opts...)
		var e *schema.Error
		switch {
		case err == nil:
			b.accepted(acc.Indexed, acc)
		case errors.As(err, &e) && !e.Retry:
			b.out.Rejected = append(b.out.Rejected, schema.Rejected{Line: num, Error: schema.WireError{Code: e.Code, Field: e.Field, Message: e.Message}})
		default:
			return err
		}
		return nil
	}
	if len(line) == 0 {
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

// flush sends the lines gathered, where there are any.
func (b *natsBatch) flush(ctx context.Context, opts ...WriteOption) error {
	if len(b.nums) == 0 {
		return nil
	}
	m := &nats.Msg{Subject: events.SubjectIngest, Header: nats.Header{"Content-Type": {"application/x-ndjson"}}, Data: b.body}
	ctx, cancel := b.boundWrite(ctx, m, opts)
	defer cancel()
	var out schema.BatchReply
	if err := b.do(ctx, m, &out); err != nil {
		return err
	}
	b.accepted(out.Indexed, out.Accepted...)
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

// accepted takes in what the answer to one request says.
func (b *natsBatch) accepted(indexed *bool, acc ...schema.Accepted) {
	highest := uint64(0)
	for _, a := range acc {
		highest = max(highest, a.Seq)
	}
	b.out.Accepted = append(b.out.Accepted, acc...)
	b.highest = max(b.highest, highest)
	if indexed != nil {
		b.out.Indexed, b.waited = indexed, highest
	}
}

// statusEvery is how often await asks: each answer counts the tenant's events.
const statusEvery = 250 * time.Millisecond

// await waits for what the last request's answer does not tell of, where that accepted nothing, or only what was in the
// log before: nothing but the status says when the rest is searchable.
func (b *natsBatch) await(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, waitLimit*9/10)
	defer cancel()
	tick := time.NewTicker(statusEvery)
	defer tick.Stop()
	done := false
	b.out.Indexed = &done
	for {
		if st, err := b.Status(ctx); err == nil && st.Floor >= b.highest {
			done = true
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
