package events

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// patience bounds every wait in these tests; the machine may be loaded.
const patience = 60 * time.Second

func testContext(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// ensured starts a server and makes the streams of generation 1.
func ensured(t testing.TB, opts ...eventstest.Option) (context.Context, *server.Server, jetstream.JetStream) {
	t.Helper()
	s := eventstest.Server(t, opts...)
	js := eventstest.JetStream(t, s)
	ctx := testContext(t)
	if _, err := Ensure(ctx, js, DefaultTopology(), 1); err != nil {
		t.Fatal(err)
	}
	return ctx, s, js
}

func openLog(t testing.TB, ctx context.Context, js jetstream.JetStream) *Log {
	t.Helper()
	l, err := OpenLog(ctx, js)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func openState(t testing.TB, ctx context.Context, js jetstream.JetStream, o StateOptions) *State {
	t.Helper()
	o.Log = slog.New(slog.DiscardHandler)
	s, err := OpenState(ctx, js, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// turnEvent is a log-ready event of a tenant and user.
func turnEvent(tenant, user, id, body string) schema.Event {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return schema.Event{Envelope: schema.Envelope{
		ID: id, UUID: schema.EventUUID(tenant, id), Op: schema.OpTurn, Tenant: tenant, User: user, At: at, Accepted: at, Class: schema.ClassUser,
	}, Body: []byte(body)}
}

func turnEvents(n int, prefix string) []schema.Event {
	evs := make([]schema.Event, n)
	for i := range evs {
		id := fmt.Sprintf("%s%d", prefix, i)
		evs[i] = turnEvent("acme", fmt.Sprintf("u%d", i%7), id, `{"input":"`+id+`"}`)
	}
	return evs
}

func mustAppend(t testing.TB, ctx context.Context, l *Log, evs ...schema.Event) []uint64 {
	t.Helper()
	seqs := make([]uint64, len(evs))
	for i, a := range l.Append(ctx, evs) {
		if a.Err != nil || a.Duplicate {
			t.Fatalf("append %s: %+v", evs[i].ID, a)
		}
		seqs[i] = a.Seq
	}
	return seqs
}

func wantCode(t testing.TB, err error, code schema.Code, permanent bool) {
	t.Helper()
	if schema.CodeOf(err) != code || schema.IsPermanent(err) != permanent {
		t.Errorf("error %v: code %q permanent %v, want %q %v", err, schema.CodeOf(err), schema.IsPermanent(err), code, permanent)
	}
}

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
