package events

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Scan reads the log in order from sequence from (1 for all) to the end as it stands at the call, through fn: the
// entries of tenant ("" for all) whose op is among ops (none for all). Bodies are whole and checked as by
// [Log.Read]; an error of fn or a damaged entry ends it. It blocks until done.
func (l *Log) Scan(ctx context.Context, from uint64, ops []schema.Op, tenant string, fn func(schema.Event) error) error {
	filters := []string{LogFilter(tenant, "")}
	if len(ops) > 0 {
		filters = filters[:0]
		for _, op := range ops {
			filters = append(filters, LogFilter(tenant, op))
		}
	}
	err := walk(ctx, l.js, StreamLog, from, filters, false, func(seq uint64, m jetstream.Msg) error {
		ev, err := l.event(ctx, m.Headers(), m.Data(), seq)
		if err != nil {
			return fmt.Errorf("log entry %d: %w", seq, err)
		}
		return fn(ev)
	})
	if err != nil {
		return fmt.Errorf("scan log: %w", err)
	}
	return nil
}

// SeqAt is the first log sequence that was stored at at or later: one above the last where there is none. A durable that
// begins there tells; the server looks in its index of times.
func (l *Log) SeqAt(ctx context.Context, at time.Time) (uint64, error) {
	c, err := l.js.CreateConsumer(ctx, StreamLog, jetstream.ConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartTimePolicy, OptStartTime: &at, AckPolicy: jetstream.AckNonePolicy,
		InactiveThreshold: time.Minute, MemoryStorage: true, Replicas: 1,
	})
	if err != nil {
		return 0, fmt.Errorf("find the log's entry of a moment: %w", mapError(err))
	}
	info := c.CachedInfo()
	if err := l.js.DeleteConsumer(ctx, StreamLog, info.Name); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return 0, fmt.Errorf("find the log's entry of a moment: %w", mapError(err))
	}
	return info.Delivered.Stream + 1, nil
}

// ScanUser reads what one user of a tenant has in the log, in order, up to sequence upTo as far as the log goes at the
// call, through fn: the entries whose op is among ops. Bodies are whole and checked; where one is damaged or gone, fn
// gets the error beside the envelope and decides. Other failures and errors of fn end it. It blocks until done.
func (l *Log) ScanUser(ctx context.Context, tenant, user string, ops []schema.Op, upTo uint64, fn func(schema.Event, error) error) error {
	return l.ScanUserFrom(ctx, tenant, user, ops, 1, upTo, fn)
}

// ScanUserFrom is [Log.ScanUser] from sequence from on.
func (l *Log) ScanUserFrom(ctx context.Context, tenant, user string, ops []schema.Op, from, upTo uint64, fn func(schema.Event, error) error) error {
	filters := make([]string, len(ops))
	for i, op := range ops {
		filters[i] = LogSubject(tenant, user, op)
	}
	errEnd := errors.New("past the end")
	err := walk(ctx, l.js, StreamLog, from, filters, false, func(seq uint64, m jetstream.Msg) error {
		if seq > upTo {
			return errEnd
		}
		e, err := ParseEnvelope(m.Headers())
		if err == nil && e.User != user { // of the same shard
			return nil
		}
		ev, err := l.event(ctx, m.Headers(), m.Data(), seq)
		if err != nil && !schema.IsPermanent(err) && schema.CodeOf(err) != schema.CodeNotFound {
			return fmt.Errorf("log entry %d: %w", seq, err)
		}
		if err != nil {
			ev = schema.Event{Envelope: e}
			ev.Seq = seq
		}
		return fn(ev, err)
	})
	if err != nil && !errors.Is(err, errEnd) {
		return fmt.Errorf("scan log of a user: %w", err)
	}
	return nil
}

// walkAhead is how many messages walk has on their way at a time; the library's own 500 could be 128 MB of the log.
const walkAhead = 64

// walkIdle is how long walk waits for a message before it asks the server whether any is left.
const walkIdle = 2 * time.Second

// walk reads the messages of a stream that match filters, from sequence from to the last that matches now.
func walk(ctx context.Context, js jetstream.JetStream, stream string, from uint64, filters []string, headersOnly bool, fn func(uint64, jetstream.Msg) error) error {
	s, err := js.Stream(ctx, stream)
	if err != nil {
		return mapError(err)
	}
	var end uint64
	for _, f := range filters {
		switch m, err := s.GetLastMsgForSubject(ctx, f); {
		case err == nil:
			end = max(end, m.Sequence)
		case !errors.Is(err, jetstream.ErrMsgNotFound):
			return mapError(err)
		}
	}
	from = max(from, 1)
	if end < from {
		return nil
	}
	c, err := js.OrderedConsumer(ctx, stream, jetstream.OrderedConsumerConfig{
		FilterSubjects: filters, DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: from, HeadersOnly: headersOnly,
	})
	if err != nil {
		return mapError(err)
	}
	defer func() { // left alone it counts for minutes against the server's limit of consumers
		if i := c.CachedInfo(); i != nil {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), walkIdle)
			defer cancel()
			_ = s.DeleteConsumer(ctx, i.Name) // what fails here, the server does by itself later
		}
	}()
	it, err := c.Messages(jetstream.PullMaxMessages(walkAhead))
	if err != nil {
		return mapError(err)
	}
	defer it.Stop()
	for {
		wait, cancel := context.WithTimeout(ctx, walkIdle)
		m, err := it.Next(jetstream.NextContext(wait))
		cancel()
		switch {
		case ctx.Err() != nil:
			return mapError(ctx.Err())
		case errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrTimeout):
			// The last entries may have been erased since: then nothing more comes.
			if i, err := c.Info(ctx); err == nil && i.NumPending == 0 {
				return nil
			}
			continue
		case err != nil:
			return mapError(err)
		}
		md, err := m.Metadata()
		if err != nil {
			return mapError(err)
		}
		if md.Sequence.Stream > end {
			return nil
		}
		if err := fn(md.Sequence.Stream, m); err != nil {
			return err
		}
		if md.Sequence.Stream == end || md.NumPending == 0 {
			return nil
		}
	}
}

// Audit reads what a tenant accepted, in order, up to sequence upTo as far as the log goes at the call, through fn: its
// turns, memories and pins. Bodies are whole and checked against their hashes; where one is damaged or gone, fn gets the
// error beside the envelope, as far as that can be read, and decides. Other failures and errors of fn end it.
func (l *Log) Audit(ctx context.Context, tenant string, upTo uint64, fn func(schema.Event, error) error) error {
	filters := []string{LogFilter(tenant, schema.OpTurn), LogFilter(tenant, schema.OpMemory), LogFilter(tenant, schema.OpPin)}
	err := walk(ctx, l.js, StreamLog, 1, filters, false, func(seq uint64, m jetstream.Msg) error {
		if seq > upTo {
			return errEnough
		}
		ev, err := l.event(ctx, m.Headers(), m.Data(), seq)
		if err != nil && !schema.IsPermanent(err) && schema.CodeOf(err) != schema.CodeNotFound {
			return fmt.Errorf("log entry %d: %w", seq, err)
		}
		if err != nil {
			e, _ := ParseEnvelope(m.Headers()) // zero where that is what is damaged
			ev = schema.Event{Envelope: e}
			ev.Seq = seq
		}
		return fn(ev, err)
	})
	if err != nil && !errors.Is(err, errEnough) {
		return fmt.Errorf("audit log: %w", err)
	}
	return nil
}
