package events

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Log is the one truth: [Log.Append] writes it, in log_append.go; the rest reads it. All reads ask the stream's
// leader, so that what was acknowledged is found. It is safe for concurrent use.
type Log struct {
	js       jetstream.JetStream
	stream   jetstream.Stream
	blobs    *Blobs
	inflight chan struct{} // slots for atomic batches: the server bounds how many are open at a time
	recent   recent
}

// OpenLog opens the log and the blobs that [Ensure] made.
func OpenLog(ctx context.Context, js jetstream.JetStream) (*Log, error) {
	s, err := js.Stream(ctx, StreamLog)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", mapError(err))
	}
	b, err := OpenBlobs(ctx, js)
	if err != nil {
		return nil, err
	}
	return &Log{js: js, stream: s, blobs: b, inflight: make(chan struct{}, maxBatchesOpen)}, nil
}

// Blobs is the store of the bodies that the log claims.
func (l *Log) Blobs() *Blobs { return l.blobs }

// Read is the entry with sequence seq: its envelope and the whole raw body, byte for byte, checked against its
// SHA-256. Errors: [schema.CodeNotFound] where there is none (never was, or erased), [schema.CodeCorrupt] where
// the bytes do not match, both permanent; else retryable.
func (l *Log) Read(ctx context.Context, seq uint64) (schema.Event, error) {
	m, err := l.stream.GetMsg(ctx, seq)
	if err != nil {
		return schema.Event{}, fmt.Errorf("read log entry %d: %w", seq, mapError(err))
	}
	ev, err := l.event(ctx, m.Header, m.Data, m.Sequence)
	if err != nil {
		return schema.Event{}, fmt.Errorf("read log entry %d: %w", seq, err)
	}
	return ev, nil
}

// event is a message of the log as a whole, checked event.
func (l *Log) event(ctx context.Context, h nats.Header, body []byte, seq uint64) (schema.Event, error) {
	ev, err := Decode(h, body, seq)
	if err != nil {
		return schema.Event{}, err
	}
	if ev.Body, err = l.blobs.Resolve(ctx, h, body); err != nil {
		return schema.Event{}, err
	}
	if schema.Hash(ev.Body) != ev.BodyHash {
		return schema.Event{}, schema.Permanent(schema.CodeCorrupt, nil, "body does not match its hash")
	}
	return ev, nil
}

// Last is the sequence of a tenant's last entry ("" for all tenants), 0 where it has none. One request to the
// leader, which answers from its index.
func (l *Log) Last(ctx context.Context, tenant string) (uint64, error) {
	return l.last(ctx, LogFilter(tenant, ""))
}

// LastForget is the sequence of the last entry of all tenants by which something was forgotten, erased or archived, 0 where
// there is none. An erasure removes forget entries: its own comes after them, so that the number never falls below one that was
// answered before.
func (l *Log) LastForget(ctx context.Context) (uint64, error) {
	var last [3]uint64
	g, ctx := errgroup.WithContext(ctx)
	for i, filter := range []string{SubjectsForget, SubjectsErase, SubjectsArchive} {
		g.Go(func() (err error) {
			last[i], err = l.last(ctx, filter)
			return err
		})
	}
	err := g.Wait()
	return slices.Max(last[:]), err
}

func (l *Log) last(ctx context.Context, filter string) (uint64, error) {
	m, err := l.stream.GetLastMsgForSubject(ctx, filter)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("find last entry of %s: %w", filter, mapError(err))
	}
	return m.Sequence, nil
}

// Count is how many entries of a tenant ("" for all) and op ("" for all) the log holds.
func (l *Log) Count(ctx context.Context, tenant string, op schema.Op) (uint64, error) {
	info, err := l.stream.Info(ctx, jetstream.WithSubjectFilter(LogFilter(tenant, op)))
	if err != nil {
		return 0, fmt.Errorf("count log entries: %w", mapError(err))
	}
	var n uint64
	for _, c := range info.State.Subjects {
		n += c
	}
	return n, nil
}
