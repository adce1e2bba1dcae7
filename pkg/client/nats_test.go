package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nats.go/micro"

	"github.com/siltstone-ai/siltstone/pkg/client"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// broker is a nats-server with the streams of Siltstone and no process that works on them.
func broker(t *testing.T, change func(*events.Topology)) (*nats.Conn, jetstream.JetStream) {
	t.Helper()
	s := eventstest.Server(t)
	js := eventstest.JetStream(t, s)
	top := events.DefaultTopology()
	if change != nil {
		change(&top)
	}
	if _, err := events.Ensure(t.Context(), js, top, 1); err != nil {
		t.Fatal(err)
	}
	return eventstest.Conn(t, s), js
}

func over(t *testing.T, nc *nats.Conn, opts ...client.NATSOption) *client.NATS {
	t.Helper()
	c, err := client.NewNATS(nc, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// waiting is what lies in SILT_IN.
func waiting(t *testing.T, js jetstream.JetStream) []*jetstream.RawStreamMsg {
	t.Helper()
	s, err := js.Stream(t.Context(), events.StreamIn)
	if err != nil {
		t.Fatal(err)
	}
	info, err := s.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out []*jetstream.RawStreamMsg
	for seq := info.State.FirstSeq; info.State.Msgs > 0 && seq <= info.State.LastSeq; seq++ {
		m, err := s.GetMsg(t.Context(), seq)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}

func TestNATSPublishesIntoTheTenantsSubject(t *testing.T) {
	nc, js := broker(t, nil)
	ctx := t.Context()
	c := over(t, nc, client.WithTenant("Acme"))

	raw := []byte(" {\"user\" : \"u\",\n \"id\":\"a\", \"input\":\"\\u001b[1m<b>\"} ")
	for range 2 { // the second is the same event
		if id, err := c.EnqueueRaw(ctx, raw); err != nil || id != "a" {
			t.Fatalf("%q %v", id, err)
		}
	}
	if id, err := c.EnqueueRaw(ctx, []byte(`{"user":"u","id":"a","input":"another body"}`)); err != nil || id != "a" {
		t.Fatalf("%q %v", id, err)
	}
	id, err := c.Enqueue(ctx, schema.Turn{User: "u", Input: "a < b"})
	if err != nil || len(id) != 32 {
		t.Fatalf("%q %v", id, err)
	}
	ms := waiting(t, js)
	if len(ms) != 3 {
		t.Fatalf("%d messages, want 3: one twice is one, another body is another", len(ms))
	}
	for _, m := range ms {
		if m.Subject != "silt.in.z41cme" {
			t.Errorf("subject %s", m.Subject)
		}
	}
	if !bytes.Equal(ms[0].Data, raw) {
		t.Errorf("the bytes were changed: %q", ms[0].Data)
	}
	if got := string(ms[2].Data); got != `{"id":"`+id+`","user":"u","input":"a < b"}` {
		t.Errorf("%s", got)
	}
}

// A body that does not fit into a message is in the object store under the name by which the log will keep it.
func TestNATSClaimsLargeBodies(t *testing.T) {
	nc, js := broker(t, nil)
	ctx := t.Context()
	c := over(t, nc)
	turn := schema.Turn{ID: "big", User: "u", Input: strings.Repeat("长", 300<<10)}
	for range 2 {
		if _, err := c.Enqueue(ctx, turn); err != nil {
			t.Fatal(err)
		}
	}
	ms := waiting(t, js)
	if len(ms) != 1 || len(ms[0].Data) > 10 {
		t.Fatalf("%d messages, the first of %d bytes", len(ms), len(ms[0].Data))
	}
	blobs, err := events.OpenBlobs(ctx, js)
	if err != nil {
		t.Fatal(err)
	}
	body, err := blobs.Resolve(ctx, ms[0].Header, ms[0].Data)
	if err != nil {
		t.Fatal(err)
	}
	var back schema.Turn
	if err := json.Unmarshal(body, &back); err != nil || back.Input != turn.Input {
		t.Fatalf("the blob is another turn: %v", err)
	}

	l, err := events.OpenLog(ctx, js)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC()
	got := l.Append(ctx, []schema.Event{{Envelope: schema.Envelope{Tenant: "default", ID: "big", User: "u", Op: schema.OpTurn, At: now, Accepted: now, Class: schema.ClassUser}, Body: body}})
	if got[0].Err != nil {
		t.Fatal(got[0].Err)
	}
	store, err := js.ObjectStore(ctx, events.StoreBlobs)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := store.List(ctx); err != nil || len(list) != 1 {
		t.Errorf("%d blobs, %v: the log stored the body once more", len(list), err)
	}

	if _, err := c.EnqueueRaw(ctx, []byte(`{"user":"u","input":"`+strings.Repeat("x", 600<<10)+`"}`)); schema.CodeOf(err) != schema.CodeInvalid {
		t.Errorf("large and without an id: %v", err)
	}
}

func TestNATSRefusesBeforeItPublishes(t *testing.T) {
	nc, js := broker(t, nil)
	c := over(t, nc)
	var e *schema.Error
	if id, err := c.Enqueue(t.Context(), schema.Turn{ID: "x", User: "u*", Input: "x"}); !errors.As(err, &e) || e.Field != "user" || id != "x" {
		t.Errorf("%q %v", id, err)
	}
	if _, err := c.EnqueueRaw(t.Context(), []byte(`{"user":"u","inputs":"x"}`)); !errors.As(err, &e) || e.Field != "inputs" || !schema.IsPermanent(err) {
		t.Errorf("%v", err)
	}
	if n := len(waiting(t, js)); n != 0 {
		t.Errorf("%d messages", n)
	}
}

func TestNATSSaysWhatFails(t *testing.T) {
	nc, _ := broker(t, func(top *events.Topology) { top.InMaxBytes = 2000 })
	ctx := t.Context()
	c := over(t, nc)
	turn := schema.Turn{User: "u", Input: strings.Repeat("x", 1200)}
	if _, err := c.Enqueue(ctx, turn); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Enqueue(ctx, turn); schema.CodeOf(err) != schema.CodeOverloaded || schema.IsPermanent(err) {
		t.Errorf("a full stream: %v", err)
	}
	if _, err := c.Query(ctx, schema.Query{User: "u"}); schema.CodeOf(err) != schema.CodeUnavailable || schema.RetryAfter(err) == 0 {
		t.Errorf("no retriever: %v", err)
	}
	bare := over(t, eventstest.Conn(t, eventstest.Server(t)))
	if _, err := bare.Enqueue(ctx, turn); schema.CodeOf(err) != schema.CodeUnavailable || schema.IsPermanent(err) {
		t.Errorf("a NATS without Siltstone: %v", err)
	}
	if _, err := bare.Enqueue(ctx, schema.Turn{User: "u", Input: strings.Repeat("x", 600<<10)}); schema.CodeOf(err) != schema.CodeUnavailable || schema.IsPermanent(err) {
		t.Errorf("a NATS without Siltstone, large: %v", err)
	}
	nc.Close()
	if _, err := c.Enqueue(ctx, turn); schema.CodeOf(err) != schema.CodeUnavailable {
		t.Errorf("a closed connection: %v", err)
	}
}

// queryService answers silt.query with h, many at a time.
func queryService(t *testing.T, nc *nats.Conn, h func(micro.Request)) {
	t.Helper()
	_, err := micro.AddService(nc, micro.Config{Name: "silt-query", Version: "1.0.0", Endpoint: &micro.EndpointConfig{
		Subject: events.SubjectQuery, Handler: micro.HandlerFunc(func(r micro.Request) { go h(r) }),
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
}

func TestNATSMapsAnswersToErrors(t *testing.T) {
	s := eventstest.Server(t)
	queryService(t, eventstest.Conn(t, s), func(r micro.Request) {
		q, err := schema.Decode[schema.Query](r.Data())
		if err != nil {
			t.Errorf("the request: %v", err)
		}
		switch q.Query {
		case "good":
			_ = r.RespondJSON(schema.Reply{Block: r.Headers().Get(events.HeaderTenant), Items: []schema.Item{}, Degraded: []string{}})
		case "invalid":
			body, _ := json.Marshal(schema.WireError{Code: schema.CodeInvalid, Message: "must lie between", Field: "limit"})
			_ = r.Error("400", "invalid: limit: must lie between", body)
		case "overloaded":
			body, _ := json.Marshal(schema.WireError{Code: schema.CodeOverloaded, Message: "too many"})
			_ = r.Error("429", "overloaded: too many", body)
		case "bare":
			_ = r.Error("503", "no body here", nil)
		case "garbage":
			_ = r.Respond([]byte("hello"))
		case "silence":
		}
	})
	nc := eventstest.Conn(t, s)
	c := over(t, nc, client.WithTenant("acme"))
	ctx := t.Context()
	if r, err := c.Query(ctx, schema.Query{User: "u", Query: "good"}); err != nil || r.Block != "acme" {
		t.Errorf("%+v %v", r, err)
	}
	if r, err := over(t, nc).Query(ctx, schema.Query{User: "u", Query: "good"}); err != nil || r.Block != "default" {
		t.Errorf("%+v %v", r, err)
	}
	for q, want := range map[string]schema.Error{
		"invalid":    {Code: schema.CodeInvalid, Field: "limit", Message: "must lie between"},
		"overloaded": {Code: schema.CodeOverloaded, Message: "too many", Retry: true},
		"bare":       {Code: schema.CodeUnavailable, Message: "no body here", Retry: true},
	} {
		_, err := c.Query(ctx, schema.Query{User: "u", Query: q})
		var e *schema.Error
		if !errors.As(err, &e) || *e != want {
			t.Errorf("%s: %+v, want %+v", q, err, want)
		}
	}
	if _, err := c.Query(ctx, schema.Query{User: "u", Query: "garbage"}); schema.CodeOf(err) != schema.CodeInternal || !schema.IsPermanent(err) {
		t.Errorf("garbage: %v", err)
	}
	if _, err := over(t, nc, client.WithTimeout(30*time.Millisecond)).Query(ctx, schema.Query{User: "u", Query: "silence"}); schema.CodeOf(err) != schema.CodeTimeout || schema.IsPermanent(err) {
		t.Errorf("silence: %v", err)
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := c.Query(gone, schema.Query{User: "u", Query: "silence"}); !errors.Is(err, context.Canceled) || schema.CodeOf(err) == schema.CodeUnavailable {
		t.Errorf("cancelled: %v", err)
	}
}

// In an account of its own, as deploy/nats ships them, a tenant is who its account says.
func TestNATSInATenantsAccount(t *testing.T) {
	for _, v := range []string{"SILT_NATS_PASSWORD", "SILT_ACME_PASSWORD", "SILT_SYS_PASSWORD"} {
		t.Setenv(v, "pw_"+v)
	}
	o, err := server.ProcessConfigFile(filepath.Join("..", "..", "deploy", "nats", "server.conf"))
	if err != nil {
		t.Fatal(err)
	}
	s := eventstest.Server(t, func(to *server.Options) {
		dir, port := t.TempDir(), to.Port
		*to = *o
		to.StoreDir, to.Port, to.HTTPPort, to.NoLog, to.NoSigs, to.JetStreamMaxStore = dir, port, 0, true, true, 4<<30
	})
	js := eventstest.JetStream(t, s, nats.UserInfo("silt", "pw_SILT_NATS_PASSWORD"))
	if _, err := events.Ensure(t.Context(), js, events.DefaultTopology(), 1); err != nil {
		t.Fatal(err)
	}
	if _, err := js.Conn().Subscribe(events.SubjectQuery+".*", func(m *nats.Msg) {
		b, _ := json.Marshal(schema.Reply{Block: m.Subject + " " + m.Header.Get(events.HeaderTenant)})
		_ = m.Respond(b)
	}); err != nil {
		t.Fatal(err)
	}
	if err := js.Conn().Flush(); err != nil {
		t.Fatal(err)
	}
	nc := eventstest.Conn(t, s, nats.UserInfo("acme", "pw_SILT_ACME_PASSWORD"))
	c := over(t, nc, client.InTenantAccount())
	if _, err := c.Enqueue(t.Context(), schema.Turn{ID: "a", User: "u", Input: "x"}); err != nil {
		t.Fatal(err)
	}
	if ms := waiting(t, js); len(ms) != 1 || ms[0].Subject != "silt.in.acme" {
		t.Errorf("%d messages", len(ms))
	}
	if r, err := c.Query(t.Context(), schema.Query{User: "u"}); err != nil || r.Block != "silt.query.acme " {
		t.Errorf("%q %v", r.Block, err)
	}
	if _, err := c.Enqueue(t.Context(), schema.Turn{ID: "b", User: "u", Input: strings.Repeat("x", 2<<20)}); schema.CodeOf(err) != schema.CodeTooLarge || !schema.IsPermanent(err) {
		t.Errorf("large: %v", err)
	}
	if _, err := client.NewNATS(nc, client.InTenantAccount(), client.WithTenant("other")); schema.CodeOf(err) != schema.CodeInvalid {
		t.Errorf("two tenants: %v", err)
	}
}

func TestNewNATSChecksItsArguments(t *testing.T) {
	if _, err := client.NewNATS(nil); schema.CodeOf(err) != schema.CodeInvalid {
		t.Errorf("nil: %v", err)
	}
	nc, err := nats.Connect(natsAddress)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	for _, o := range []client.NATSOption{client.WithTenant(""), client.WithTenant("a/b"), client.WithTimeout(0)} {
		if _, err := client.NewNATS(nc, o); schema.CodeOf(err) != schema.CodeInvalid {
			t.Errorf("%v", err)
		}
	}
}

// A1 over NATS, on a whole Siltstone: what is read back is what was published, byte for byte, small or large.
func TestA1_PlainPublishesKeepTheirBytes(t *testing.T) {
	nc, err := nats.Connect(natsAddress)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	c := over(t, nc, client.WithTenant("plain"))
	h, err := client.NewHTTP(httpAddress, client.WithTenant("plain"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for id, raw := range map[string]string{
		"small": "{\"id\":\"small\",  \"user\":\"u\",\"input\":\"网关 \\u001b[1m<b>\", \"tool_results\":[{\"name\":\"cmd_run\",\"output\":\"svc:x\"}]}\n",
		"large": `{"id":"large","user":"u","input":"The budget is 40.","tool_results":[{"name":"cmd_run","output":"` + strings.Repeat("0123456789abcde ", 50<<10) + `"}]}`,
	} {
		if got, err := c.EnqueueRaw(ctx, []byte(raw)); err != nil || got != id {
			t.Fatalf("%s: %q %v", id, got, err)
		}
		var got []byte
		eventstest.Eventually(t, patience, id+" is in the log", func() bool {
			got, err = h.Event(ctx, id)
			return err == nil
		})
		if string(got) != raw {
			t.Errorf("%s: %d bytes come back, %d were published", id, len(got), len(raw))
		}
	}
}
