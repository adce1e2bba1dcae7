package events

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// A trace goes on from the event through the handler to what the handler publishes.
func TestRouterTraces(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{})
	r.stream(jetstream.StreamConfig{Name: WorkStream(1), Subjects: []string{"silt.work.1.>"}})
	spans := tracetest.NewInMemoryExporter()
	tp := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))
	pub, err := NewPublisher(PublisherConfig{JS: r.js})
	if err != nil {
		t.Fatal(err)
	}
	out := pub.Events(nil)
	const traceID, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	ev := testEvent("e0", []byte("{}"))
	ev.Trace = "00-" + traceID + "-" + parent + "-01"
	r.put(ev)
	r.put(testEvent("e1", []byte("{}"))) // has no trace: one begins here
	r.route(HandlerConfig{}, RouterConfig{TracerProvider: tp}, func(ctx context.Context, ev schema.Event) error {
		if ev.ID == "e1" {
			return schema.Invalid("x", "is bad")
		}
		ev.Generation, ev.Op = 1, schema.OpCleaned
		return out.Publish(ctx, StageClean, ev)
	})
	r.settled(StreamLog, rigDurable, 2)
	got := spans.GetSpans()
	if len(got) != 2 {
		t.Fatalf("%d spans, want 2", len(got))
	}
	i := slices.IndexFunc(got, func(s tracetest.SpanStub) bool { return s.SpanContext.TraceID().String() == traceID })
	if i < 0 {
		t.Fatal("no span continues the event's trace")
	}
	s, bad := got[i], got[1-i]
	if s.Parent.SpanID().String() != parent || s.Name != "process clean" || s.SpanKind != trace.SpanKindConsumer || s.Status.Description != "" {
		t.Errorf("span %q of kind %v under %v, status %v", s.Name, s.SpanKind, s.Parent.SpanID(), s.Status)
	}
	if bad.Status.Description != string(schema.CodeInvalid) {
		t.Errorf("status of the failed span is %+v", bad.Status)
	}
	st, err := r.js.Stream(t.Context(), WorkStream(1))
	if err != nil {
		t.Fatal(err)
	}
	m, err := st.GetMsg(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if want := "00-" + traceID + "-" + s.SpanContext.SpanID().String() + "-01"; m.Header.Get(HeaderTrace) != want {
		t.Errorf("the derived event carries trace %s, want %s", m.Header.Get(HeaderTrace), want)
	}
	if m.Header.Get(jetstream.MsgIDHeader) != MsgID(StageClean, 1, ev.UUID, 1, 0) || m.Subject != WorkSubject(1, schema.OpCleaned, "acme", "ann") {
		t.Errorf("the derived event is %s under %s", m.Header.Get(jetstream.MsgIDHeader), m.Subject)
	}
}

// Claims are resolved before the handler; what cannot be resolved is an error like any other.
func TestRouterResolvesClaims(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{})
	r.append(2)
	var seen counter
	var tries atomic.Int64
	r.route(HandlerConfig{MaxDeliver: 2}, RouterConfig{Bodies: claims(func(_ context.Context, h nats.Header, body []byte) ([]byte, error) {
		if h.Get(HeaderID) == "e1" && tries.Add(1) == 1 {
			return nil, errors.New("store is away")
		}
		return []byte("whole " + h.Get(HeaderID)), nil
	})}, func(_ context.Context, ev schema.Event) error {
		seen.add(string(ev.Body))
		return nil
	})
	r.settled(StreamLog, rigDurable, 2)
	if seen.n["whole e0"] != 1 || seen.n["whole e1"] != 1 || tries.Load() != 2 {
		t.Errorf("handler saw %v after %d tries", seen.n, tries.Load())
	}
}

// claims takes every message for a claim.
type claims func(ctx context.Context, h nats.Header, body []byte) ([]byte, error)

func (claims) Size(context.Context, nats.Header) (int64, error) { return 10, nil }

func (f claims) Resolve(ctx context.Context, h nats.Header, body []byte) ([]byte, error) {
	return f(ctx, h, body)
}

// Duplicates are acknowledged and counted; middleware of the program's sees the event.
func TestRouterDuplicatesAndMiddleware(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{})
	r.append(3)
	var through counter
	r.route(HandlerConfig{}, RouterConfig{Middleware: []message.HandlerMiddleware{func(next message.HandlerFunc) message.HandlerFunc {
		return func(m *message.Message) ([]*message.Message, error) {
			if ev, ok := EventFrom(m.Context()); ok {
				through.add(ev.ID)
			}
			return next(m)
		}
	}}}, func(_ context.Context, ev schema.Event) error {
		if ev.ID == "e1" {
			return fmt.Errorf("write: %w", ErrDuplicate)
		}
		return nil
	})
	r.settled(StreamLog, rigDurable, 3)
	eventstest.Eventually(t, patience, "outcomes are counted", func() bool {
		return r.handled(StageClean, OutcomeOK) == 2 && r.handled(StageClean, OutcomeDuplicate) == 1
	})
	if keys, sum := through.total(); keys != 3 || sum != 3 {
		t.Errorf("middleware saw %v", through.n)
	}
	if n := r.info(StreamLog, rigDurable).Delivered.Consumer; n != 3 {
		t.Errorf("%d deliveries, want 3", n)
	}
}

// The window bounds what is held, and that many run at a time.
func TestRouterWindow(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{})
	const window, n = 8, 100
	var running, most atomic.Int64
	leave := make(chan struct{})
	r.route(HandlerConfig{Window: window}, RouterConfig{}, func(context.Context, schema.Event) error {
		now := running.Add(1)
		defer running.Add(-1)
		for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
		}
		<-leave
		return nil
	})
	r.append(n)
	eventstest.Eventually(t, patience, "the window is full", func() bool { return running.Load() == window })
	if i := r.info(StreamLog, rigDurable); i.NumAckPending != window || i.NumWaiting != 0 {
		t.Errorf("%d messages are held and %d pulls wait, want %d and none", i.NumAckPending, i.NumWaiting, window)
	}
	close(leave)
	r.settled(StreamLog, rigDurable, n)
	if m := most.Load(); m > window {
		t.Errorf("%d handlers ran at a time, want at most %d", m, window)
	}
}

// Metrics under their names, with the age of what is held.
func TestMetrics(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{})
	r.append(1)
	entered, leave := make(chan struct{}), make(chan struct{})
	r.route(HandlerConfig{}, RouterConfig{}, func(context.Context, schema.Event) error {
		close(entered)
		<-leave
		return nil
	})
	<-entered
	value := func(name string) float64 {
		fs, err := r.reg.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range fs {
			if f.GetName() == name {
				m := f.GetMetric()[0]
				return m.GetGauge().GetValue() + m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
			}
		}
		return -1
	}
	if v := value("silt_events_inflight"); v != 1 {
		t.Errorf("inflight is %v, want 1", v)
	}
	eventstest.Eventually(t, patience, "the held message ages", func() bool { return value("silt_events_oldest_held_seconds") > 0 })
	close(leave)
	r.settled(StreamLog, rigDurable, 1)
	eventstest.Eventually(t, patience, "the handler is measured", func() bool {
		return value("silt_events_handler_seconds") == 1 && value("silt_events_inflight") == 0 && value("silt_events_oldest_held_seconds") == 0
	})
	if _, err := NewMetrics(r.reg); err == nil {
		t.Error("the same registry is taken twice")
	}
}

func TestRouterRefuses(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{})
	fn := func(context.Context, schema.Event) error { return nil }
	router := r.route(HandlerConfig{}, RouterConfig{}, fn)
	for name, cfg := range map[string]HandlerConfig{
		"has a handler already": {Name: StageClean, Stream: StreamLog, Durable: rigDurable},
		"required":              {Stream: StreamLog, Durable: rigDurable},
		"negative":              {Name: StageClean, Stream: StreamLog, Durable: rigDurable, Window: -1},
	} {
		if err := router.Handle(cfg, fn); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%+v: %v, want an error with %q", cfg, err, name)
		}
	}
	if err := router.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := router.Handle(HandlerConfig{Name: StageClean, Stream: StreamLog, Durable: rigDurable}, fn); !errors.Is(err, ErrClosed) {
		t.Errorf("handle after close: %v", err)
	}
}

// A router that is closed while it starts may end its subscribers' contexts and call no Close of theirs.
func TestRouterClosesWhileItStarts(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{})
	for range 500 {
		router, err := NewRouter(RouterConfig{JS: r.js})
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- router.Run(context.Background()) }()
		<-router.Running()
		if err := router.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
}

func TestBackoff(t *testing.T) {
	t.Parallel()
	b := Backoff{Min: time.Second, Max: 10 * time.Second, Jitter: 0.5, Rand: Seeded(7)}
	again := Backoff{Min: time.Second, Max: 10 * time.Second, Jitter: 0.5, Rand: Seeded(7)}
	for n := uint64(0); n < 100; n++ {
		d := b.Delay(n)
		full := time.Second << min(max(n, 1)-1, 20)
		full = min(full, 10*time.Second)
		if d > full || d < full/2 {
			t.Errorf("delay %d is %v, want within [%v, %v]", n, d, full/2, full)
		}
		if e := again.Delay(n); e != d {
			t.Errorf("delay %d is %v and %v from one seed", n, d, e)
		}
	}
	if d := (Backoff{Jitter: -1}).Delay(3); d != 2*time.Second {
		t.Errorf("default third delay without jitter is %v", d)
	}
}

func TestParseAck(t *testing.T) {
	t.Parallel()
	for _, reply := range []string{
		"$JS.ACK.S.C.3.17.20.1700000000000000001.5",
		"$JS.ACK.dom.hash.S.C.3.17.20.1700000000000000001.5",
		"$JS.ACK._.hash.S.C.3.17.20.1700000000000000001.5.rand",
	} {
		d, err := parseAck("sub", reply)
		want := Delivery{Stream: "S", Durable: "C", Subject: "sub", Sequence: 17, NumDelivered: 3, Pending: 5, Stored: time.Unix(1700000000, 1).UTC()}
		if err != nil || d != want {
			t.Errorf("%s: %+v, %v", reply, d, err)
		}
	}
	for _, reply := range []string{"", "$JS.ACK.", "$JS.ACK.S.C.x.17.20.1.5", "$JS.ACK.S.C.3.17.20.1"} {
		if d, err := parseAck("sub", reply); err == nil {
			t.Errorf("%q is read as %+v", reply, d)
		}
	}
}

func TestNextSubject(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]jetstream.JetStreamOptions{
		"$JS.API.CONSUMER.MSG.NEXT.S.C":     {},
		"$JS.hub.API.CONSUMER.MSG.NEXT.S.C": {Domain: "hub"},
		"acc.js.CONSUMER.MSG.NEXT.S.C":      {APIPrefix: "acc.js"},
	} {
		if got := nextSubject(o, "S", "C"); got != want {
			t.Errorf("%+v: %s, want %s", o, got, want)
		}
	}
}

// What the server says about pulls: which of it ends the session, and how many messages no longer come.
func TestControl(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status, text, pending string
		outstanding           int // of 10 before
		gone, failed          bool
	}{
		{"100", "Idle Heartbeat", "4", 10, false, false},
		{"408", "Request Timeout", "4", 6, false, false},
		{"408", "Request Timeout", "40", 0, false, false},
		{"409", "Batch Completed", "3", 7, false, false},
		{"409", "Consumer Deleted", "", 10, true, true},
		{"503", "", "", 10, true, true},
		{"409", "Leadership Change", "", 10, false, true},
		{"409", "Exceeded MaxWaiting", "", 10, false, true},
		{"", "", "", 10, false, true},
	} {
		s := &subscription{cfg: &SubscriberConfig{Window: 20, Batch: 20}, wake: make(chan struct{}, 1), outstanding: 10}
		s.control(&nats.Msg{Subject: "_INBOX.x.0", Header: nats.Header{"Status": {c.status}, "Description": {c.text}, "Nats-Pending-Messages": {c.pending}}})
		if s.outstanding != c.outstanding || errors.Is(s.failed, errGone) != c.gone || (s.failed != nil) != c.failed {
			t.Errorf("%s %s: %d outstanding, error %v", c.status, c.text, s.outstanding, s.failed)
		}
	}
}

// Whoever stops a handler need not know whether it has begun: before the router runs, while it begins, or later. The same
// durable may have a handler again, and the others go on.
func TestRouterStopsWhatHasNotBegun(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{})
	cfg := HandlerConfig{Name: StageClean, Stream: StreamLog, Durable: rigDurable}
	var handled atomic.Int64
	count := func(context.Context, schema.Event) error { handled.Add(1); return nil }
	never := func(context.Context, schema.Event) error { t.Error("a stopped handler was called"); return nil }
	for i := range 50 {
		when := "before it runs"
		if i > 0 {
			when = "while it begins"
		}
		router, err := NewRouter(RouterConfig{JS: r.js})
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		run := func() { go func() { ended <- router.Run(context.Background()) }() }
		if when == "before it runs" {
			if err := router.Handle(cfg, never); err != nil {
				t.Fatal(err)
			}
			if err := router.Stop(t.Context(), cfg.Stream, cfg.Durable); err != nil {
				t.Fatal(err)
			}
			if err := router.Handle(cfg, count); err != nil {
				t.Fatal(err)
			}
			run()
			r.append(1)
			r.settled(StreamLog, rigDurable, 1)
		} else {
			if err := router.Handle(cfg, count); err != nil {
				t.Fatal(err)
			}
			run() // Stop may come before, between and after what a start does
			if err := router.Stop(t.Context(), cfg.Stream, cfg.Durable); err != nil {
				t.Fatal(err)
			}
			<-router.Running()
		}
		if err := router.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err != nil {
			t.Errorf("%s: %v", when, err)
		}
	}
	if n := handled.Load(); n != 1 {
		t.Errorf("%d events were handled, want 1", n)
	}
}
