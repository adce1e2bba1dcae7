package events

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// A consumer that is deleted under a waiting pull, or that is found to be gone, is made anew by its owner, at the
// checkpoint; the log stays quiet about it.
func TestPitfall10_ConsumerDeleted(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{})
	var seen counter
	var rebinds atomic.Int64
	r.route(HandlerConfig{Rebind: func(ctx context.Context) error {
		if rebinds.Add(1) < 3 {
			return errors.New("not yet")
		}
		_, err := r.js.CreateConsumer(ctx, StreamLog, jetstream.ConsumerConfig{
			Durable: rigDurable, AckPolicy: jetstream.AckExplicitPolicy, MaxDeliver: -1,
			DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: 6,
		})
		return err
	}}, RouterConfig{}, func(_ context.Context, ev schema.Event) error {
		seen.add(ev.ID)
		return nil
	})
	r.append(5)
	r.settled(StreamLog, rigDurable, 5)
	if err := r.js.DeleteConsumer(t.Context(), StreamLog, rigDurable); err != nil {
		t.Fatal(err)
	}
	for i := 5; i < 10; i++ {
		r.put(testEvent(fmt.Sprintf("e%d", i), []byte("{}")))
	}
	eventstest.Eventually(t, patience, "the rest is handled", func() bool { keys, _ := seen.total(); return keys == 10 })
	if _, sum := seen.total(); sum != 10 {
		t.Errorf("%d handler runs, want 10: the log was replayed", sum)
	}
	if n := strings.Count(r.logs.String(), "level=WARN"); n > 2 {
		t.Errorf("%d warnings about one deleted consumer", n)
	}
}

// A worker outlives its server being killed and started again, twice: nothing is lost.
func TestPitfall11_12_ServerRestart(t *testing.T) {
	t.Parallel()
	child := eventstest.Child(t)
	nc, err := nats.Connect(child.URL(), append(ConnOptions("test", slog.New(slog.DiscardHandler)), nats.ReconnectWait(10*time.Millisecond), nats.ReconnectJitter(0, 0))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := OpenJetStream(nc)
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, js, jetstream.ConsumerConfig{AckWait: 2 * time.Second})
	pub, err := NewPublisher(PublisherConfig{JS: js, Timeout: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	var seen counter
	r.route(HandlerConfig{Window: 32, MaxDeliver: 100}, RouterConfig{}, func(ctx context.Context, ev schema.Event) error {
		seen.add(ev.ID)
		return workFor(ctx, time.Millisecond)
	})
	const n = 2000
	for i := range n {
		if i == n/3 || i == n/2 {
			if err := child.Restart(); err != nil {
				t.Fatal(err)
			}
		}
		m := logMsg(testEvent(fmt.Sprintf("e%d", i), []byte("{}")))
		eventstest.Eventually(t, patience, "publish succeeds again", func() bool { return pub.send(t.Context(), "test", []*nats.Msg{m}) == nil })
	}
	eventstest.Eventually(t, patience, "every event is handled", func() bool { keys, _ := seen.total(); return keys == n })
	r.settled(StreamLog, rigDurable, n)
	if got := r.stored(StreamLog); got != n {
		t.Errorf("%d in the log, want %d: the message id did not hold over a restart", got, n)
	}
	if nc.Stats().Reconnects < 2 {
		t.Errorf("%d reconnects, want 2", nc.Stats().Reconnects)
	}
}

// An acknowledgement is never sent over another incarnation of the connection than the one that delivered.
func TestPitfall11_NoAckOutlivesTheConnection(t *testing.T) {
	t.Parallel()
	child := eventstest.Child(t)
	js, err := OpenJetStream(eventstest.Dial(t, child.URL()))
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, js, jetstream.ConsumerConfig{AckWait: 20 * time.Second})
	r.append(1)
	var seen counter
	entered, leave := make(chan struct{}), make(chan struct{})
	r.route(HandlerConfig{}, RouterConfig{}, func(_ context.Context, ev schema.Event) error {
		if seen.add(ev.ID) == 1 {
			close(entered)
			<-leave
		}
		return nil
	})
	<-entered
	if err := child.Restart(); err != nil {
		t.Fatal(err)
	}
	eventstest.Eventually(t, patience, "the connection is back", func() bool { return js.Conn().Stats().Reconnects > 0 && js.Conn().IsConnected() })
	close(leave)
	// Had the late acknowledgement counted, the handler would not be called again. The answer that gives the message
	// back may get lost with a server that is only coming up; then it comes after AckWait.
	eventstest.Eventually(t, time.Minute, "the event is handled once more", func() bool { _, sum := seen.total(); return sum == 2 })
	r.settled(StreamLog, rigDurable, 1)
}

// A message with an empty body and a header Status is taken for what it is.
func TestPitfall15_StatusHeader(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{AckWait: 500 * time.Millisecond})
	bad := logMsg(testEvent("bad", nil))
	bad.Header["Status"], bad.Header["Description"] = []string{"409"}, []string{"Consumer Deleted"}
	if _, err := r.js.PublishMsg(t.Context(), bad); err != nil {
		t.Fatal(err)
	}
	r.append(3)
	var seen counter
	r.route(HandlerConfig{}, RouterConfig{}, func(_ context.Context, ev schema.Event) error { seen.add(ev.ID); return nil })
	r.settled(StreamLog, rigDurable, 4)
	if keys, sum := seen.total(); keys != 4 || sum != 4 {
		t.Errorf("%d runs over %d events, want 4 over 4", sum, keys)
	}

	// and our Publisher lets no such header pass
	pub, err := NewPublisher(PublisherConfig{JS: r.js})
	if err != nil {
		t.Fatal(err)
	}
	r.stream(jetstream.StreamConfig{Name: "X", Subjects: []string{"x"}})
	m := message.NewMessage("u", nil)
	m.Metadata = message.Metadata{"Status": "409", "description": "x", "nats-rollup": "all", "Nats-Expected-Stream": "Y", "Nats-Msg-Id": "id", "keep": "1"}
	if err := pub.Publish("x", m); err != nil {
		t.Fatal(err)
	}
	s, err := r.js.Stream(t.Context(), "X")
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.GetMsg(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Header) != 3 || got.Header.Get("Nats-Msg-Id") != "id" || got.Header.Get("keep") != "1" || got.Header.Get(HeaderMessageUUID) != "u" {
		t.Errorf("headers %v", got.Header)
	}
	for _, meta := range []message.Metadata{{"a b": "1"}, {"a:b": "1"}, {"": "1"}, {"a\r\nStatus": "1"}, {"a": "1\r\nStatus: 409"}, {"a": " 1"}} {
		m := message.NewMessage("u", nil)
		m.Metadata = meta
		if err := pub.Publish("x", m); !schema.IsPermanent(err) {
			t.Errorf("metadata %q: error %v, want a permanent one", meta, err)
		}
	}
}

// Every acknowledgement of a publish is looked at; where one fails, the message that caused it is not settled.
func TestPitfall17_PublishErrorsAreSeen(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{})
	r.stream(jetstream.StreamConfig{Name: WorkStream(1), Subjects: []string{"silt.work.1.>"}, MaxMsgs: 2, Discard: jetstream.DiscardNew, Retention: jetstream.InterestPolicy})
	r.durable(WorkStream(1), "vectorize_1", jetstream.ConsumerConfig{})
	pub, err := NewPublisher(PublisherConfig{JS: r.js, Metrics: r.metrics})
	if err != nil {
		t.Fatal(err)
	}
	out := pub.Events(nil)
	evs := r.append(4)
	derived := make([]schema.Event, len(evs))
	for i, ev := range evs {
		ev.Generation, ev.Op, ev.Seq = 1, schema.OpCleaned, uint64(i+1)
		derived[i] = ev
	}
	err = out.Publish(t.Context(), StageClean, derived...)
	if schema.CodeOf(err) != schema.CodeOverloaded || schema.IsPermanent(err) {
		t.Fatalf("publish of 4 into room for 2: %v, want overloaded", err)
	}
	if n := r.stored(WorkStream(1)); n != 2 {
		t.Fatalf("%d stored, want 2", n)
	}
	r.route(HandlerConfig{}, RouterConfig{}, func(ctx context.Context, ev schema.Event) error {
		ev.Generation, ev.Op = 1, schema.OpCleaned
		return out.Publish(ctx, StageClean, ev)
	})
	eventstest.Eventually(t, patience, "the two that are stored settle", func() bool {
		i := r.info(StreamLog, rigDurable)
		return i.NumAckPending == 2
	})
	if got := metricValue(r.metrics.pubDup.WithLabelValues(StageClean)); got != 2 {
		t.Errorf("publish_duplicate_total is %v, want 2", got)
	}
	var seen counter
	r.route(HandlerConfig{Name: StageVectorize, Stream: WorkStream(1), Durable: "vectorize_1"}, RouterConfig{}, func(_ context.Context, ev schema.Event) error {
		seen.add(ev.ID)
		return nil
	})
	eventstest.Eventually(t, patience, "all pass once there is room", func() bool { keys, sum := seen.total(); return keys == 4 && sum == 4 })
	r.settled(StreamLog, rigDurable, 4)
}

func TestPitfall17_PublishErrorsByKind(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{}, eventstest.MaxPayload(64<<10))
	r.stream(jetstream.StreamConfig{Name: "SMALL", Subjects: []string{"small"}, MaxMsgSize: 1024})
	pub, err := NewPublisher(PublisherConfig{JS: r.js, Timeout: 3 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		subject string
		size    int
		code    schema.Code
		perm    bool
	}{
		{"small", 2048, schema.CodeTooLarge, true},
		{"small", 128 << 10, schema.CodeTooLarge, true},
		{"nowhere", 1, schema.CodeUnavailable, false},
		{"bad subject", 1, schema.CodeInvalid, true},
	} {
		err := pub.Publish(c.subject, message.NewMessage("u", make([]byte, c.size)))
		if schema.CodeOf(err) != c.code || schema.IsPermanent(err) != c.perm {
			t.Errorf("%d bytes to %s: %v, want %s, permanent %v", c.size, c.subject, err, c.code, c.perm)
		}
	}
	out := pub.Events(nil)
	ev := testEvent("e", []byte("{}"))
	if err := out.Publish(t.Context(), StageClean, ev); !schema.IsPermanent(err) {
		t.Errorf("event without a generation: %v, want a permanent error", err)
	}
	ev.Generation = 1
	if err := out.Publish(t.Context(), StageClean, ev, ev); !schema.IsPermanent(err) {
		t.Errorf("one event twice: %v, want a permanent error", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := out.Publish(ctx, StageClean, ev); !errors.Is(err, context.Canceled) {
		t.Errorf("publish after cancel: %v", err)
	}
}
