package natsapi

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// world is every port: it takes what schema takes and tells what it was called with.
type world struct {
	mu    sync.Mutex
	calls []string
	seq   uint64
	slow  chan struct{} // nil: answers at once
	boom  bool
}

func (w *world) note(format string, args ...any) {
	w.mu.Lock()
	w.calls = append(w.calls, fmt.Sprintf(format, args...))
	boom, slow := w.boom, w.slow
	w.mu.Unlock()
	if boom {
		panic("memory text")
	}
	if slow != nil {
		<-slow
	}
}

func (w *world) last() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.calls) == 0 {
		return ""
	}
	return w.calls[len(w.calls)-1]
}

func (w *world) Publish(_ context.Context, tenant string, raws [][]byte) ([]schema.Accepted, []error) {
	acc, errs := make([]schema.Accepted, len(raws)), make([]error, len(raws))
	for i, raw := range raws {
		var turn schema.Turn
		if turn, errs[i] = schema.Decode[schema.Turn](raw); errs[i] == nil {
			w.mu.Lock()
			w.seq++
			acc[i] = schema.Accepted{ID: turn.ID, Seq: w.seq}
			w.mu.Unlock()
		}
	}
	w.note("publish %s %d %d", tenant, len(raws), len(raws[0]))
	return acc, errs
}

func (w *world) Query(_ context.Context, tenant string, q schema.Query) (schema.Reply, error) {
	w.note("query %s %s", tenant, q.User)
	return schema.Reply{Block: tenant, Items: []schema.Item{}, Degraded: []string{}}, nil
}

func (w *world) Forget(_ context.Context, tenant string, f schema.Forget) (schema.ForgetReply, error) {
	w.note("forget %s %s", tenant, f.User)
	return schema.ForgetReply{Job: "j", Matched: 3}, nil
}

func (w *world) Archive(_ context.Context, tenant string, a schema.Archive) (schema.ArchiveReply, error) {
	w.note("archive %s %s %v", tenant, a.User, a.IDs)
	return schema.ArchiveReply{Job: "j", Matched: len(a.IDs)}, nil
}

func (w *world) Status(_ context.Context, tenant string) (schema.StatusReply, error) {
	w.note("status %s", tenant)
	return schema.StatusReply{Idle: true, Floor: 7, Stages: []schema.StageStatus{}}, nil
}

func (w *world) Wait(ctx context.Context, seq uint64) error {
	if seq < 100 {
		return nil
	}
	<-ctx.Done()
	return ctx.Err()
}

func (w *world) Size(_ context.Context, h map[string][]string) (int64, error) {
	if h[events.HeaderClaim][0] == "gone" {
		return 0, schema.Retryable(schema.CodeUnavailable, 0, nil, "not there yet")
	}
	return 100 << 10, nil
}

func (w *world) Resolve(_ context.Context, h map[string][]string, _ []byte) ([]byte, error) {
	name := h[events.HeaderClaim][0]
	if name == "gone" {
		return nil, schema.Retryable(schema.CodeUnavailable, 0, nil, "not there yet")
	}
	return []byte(`{"id":"big","user":"u","input":"` + strings.Repeat("x", 100<<10) + `"}`), nil
}

// all serves every service on a fresh broker; change may edit the configuration.
func all(t *testing.T, w *world, change func(*Config), opts ...eventstest.Option) (*Server, *nats.Conn) {
	t.Helper()
	broker := eventstest.Server(t, opts...)
	cfg := Config{Publisher: w, Querier: w, Forgetter: w, Archiver: w, Status: w, Claims: w, Queries: 4, Requests: 4, Version: "0.1.0", Timeout: 5 * time.Second}
	if change != nil {
		change(&cfg)
	}
	s, err := Serve(eventstest.Conn(t, broker), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	return s, eventstest.Conn(t, broker)
}

// buffer is a log that may be read while it is written.
type buffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// send makes a request with headers, a pair of strings each.
func send(t *testing.T, nc *nats.Conn, subject, body string, header ...string) *nats.Msg {
	t.Helper()
	m := &nats.Msg{Subject: subject, Header: nats.Header{}, Data: []byte(body)}
	for i := 0; i < len(header); i += 2 {
		m.Header[header[i]] = append(m.Header[header[i]], header[i+1])
	}
	r, err := nc.RequestMsg(m, 10*time.Second)
	if err != nil {
		t.Fatalf("%s: %v", subject, err)
	}
	return r
}
