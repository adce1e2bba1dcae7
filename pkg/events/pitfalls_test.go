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

// workFor is the work of a slow handler: it ends early where the handler is cut off.
func workFor(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Messages held longer than AckWait are delivered once all the same: all of them are kept alive, also those that
// wait for their turn.
func TestPitfall01_PrefetchBeyondAckWait(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{AckWait: 600 * time.Millisecond})
	r.append(20)
	var seen counter
	turn := make(chan struct{}, 1) // one at a time: the last waits for 20 × 100 ms, over three times AckWait
	r.route(HandlerConfig{Window: 20}, RouterConfig{}, func(ctx context.Context, ev schema.Event) error {
		turn <- struct{}{}
		defer func() { <-turn }()
		seen.add(ev.ID)
		return workFor(ctx, 100*time.Millisecond)
	})
	r.settled(StreamLog, rigDurable, 20)
	if keys, sum := seen.total(); keys != 20 || sum != 20 {
		t.Errorf("%d handler runs over %d events, want 20 over 20", sum, keys)
	}
	if n := r.info(StreamLog, rigDurable).Delivered.Consumer; n != 20 {
		t.Errorf("%d deliveries, want 20", n)
	}
}

// A handler that takes 2.5 times AckWait keeps its event, with a second worker waiting for it.
func TestPitfall02_HandlerLongerThanAckWait(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{AckWait: 600 * time.Millisecond})
	var seen counter
	slow := func(ctx context.Context, ev schema.Event) error {
		seen.add(ev.ID)
		return workFor(ctx, 1500*time.Millisecond)
	}
	r.route(HandlerConfig{}, RouterConfig{}, slow)
	second := &rig{t: t, js: r.js, logs: r.logs}
	second.route(HandlerConfig{}, RouterConfig{}, slow)
	r.append(8)
	r.settled(StreamLog, rigDurable, 8)
	if keys, sum := seen.total(); keys != 8 || sum != 8 {
		t.Errorf("%d handler runs over %d events, want 8 over 8", sum, keys)
	}
}

// Without signs of life the event goes to another worker; the first one's late acknowledgement does no harm.
func TestPitfall02_SilentWorkerLosesItsEvent(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{AckWait: 300 * time.Millisecond})
	r.append(1)
	cons, err := r.js.Consumer(t.Context(), StreamLog, rigDurable)
	if err != nil {
		t.Fatal(err)
	}
	held, err := cons.Next(jetstream.FetchMaxWait(5 * time.Second)) // a worker that hangs
	if err != nil {
		t.Fatal(err)
	}
	var seen counter
	r.route(HandlerConfig{}, RouterConfig{}, func(ctx context.Context, ev schema.Event) error {
		d, _ := DeliveryFrom(ctx)
		seen.add(fmt.Sprint(d.NumDelivered))
		return nil
	})
	r.settled(StreamLog, rigDurable, 1)
	if err := held.Ack(); err != nil {
		t.Fatal(err)
	}
	if seen.n["2"] != 1 {
		t.Errorf("handler saw deliveries %v, want the second", seen.n)
	}
	if got := metricValue(r.metrics.redeliver.WithLabelValues(StageClean)); got != 1 {
		t.Errorf("redelivered_total is %v, want 1", got)
	}
}

// Delays between deliveries follow our backoff, not the server's, and an error's own After where that is longer.
func TestPitfall06_NakDelayFollowsThePolicy(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{})
	r.append(1)
	at := make(chan time.Time, 4)
	r.route(HandlerConfig{MaxDeliver: 4, Backoff: Backoff{Min: 200 * time.Millisecond, Max: time.Second, Jitter: -1}}, RouterConfig{},
		func(ctx context.Context, ev schema.Event) error {
			at <- time.Now()
			switch len(at) {
			case 1, 2:
				return errors.New("not yet")
			case 3:
				return schema.Retryable(schema.CodeTimeout, 1200*time.Millisecond, nil, "wait")
			}
			return nil
		})
	r.settled(StreamLog, rigDurable, 1)
	var times []time.Time
	for len(at) > 0 {
		times = append(times, <-at)
	}
	for i, want := range []time.Duration{200 * time.Millisecond, 400 * time.Millisecond, 1200 * time.Millisecond} {
		got := times[i+1].Sub(times[i])
		if got < want*95/100 || got > 2*want+time.Second { // a loaded machine may be late, never early
			t.Errorf("delivery %d came after %v, want about %v", i+2, got, want)
		}
	}
}

// A consumer that would lose or repeat messages is refused when it is bound.
func TestPitfall06_13_BindRefusesLosingConsumers(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{})
	r.durable(StreamLog, "drops", jetstream.ConsumerConfig{MaxDeliver: 5})
	r.durable(StreamLog, "backoff", jetstream.ConsumerConfig{BackOff: []time.Duration{time.Second, 2 * time.Second}})
	r.durable(StreamLog, "narrow", jetstream.ConsumerConfig{MaxAckPending: 10})
	if _, err := r.js.CreateConsumer(t.Context(), StreamLog, jetstream.ConsumerConfig{Durable: "ackall", AckPolicy: jetstream.AckAllPolicy}); err != nil {
		t.Fatal(err)
	}
	for durable, want := range map[string]string{
		"drops": "max_deliver", "backoff": "back_off", "narrow": "max_ack_pending", "ackall": "ack policy", "absent": "not found",
	} {
		router, err := NewRouter(RouterConfig{JS: r.js})
		if err != nil {
			t.Fatal(err)
		}
		err = router.Handle(HandlerConfig{Name: StageClean, Stream: StreamLog, Durable: durable}, func(context.Context, schema.Event) error { return nil })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one about %s", durable, err, want)
		}
		if err := router.Close(t.Context()); err != nil {
			t.Errorf("close router that never ran: %v", err)
		}
	}
}

// A dependency that is down uses up no deliveries: events wait in place.
func TestPitfall07_OutageUsesUpNoDeliveries(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{AckWait: time.Second})
	r.append(10)
	back := time.Now().Add(2 * time.Second)
	r.route(HandlerConfig{MaxDeliver: 3}, RouterConfig{}, func(context.Context, schema.Event) error {
		if time.Now().Before(back) {
			return schema.Retryable(schema.CodeUnavailable, 0, nil, "store is down")
		}
		return nil
	})
	r.settled(StreamLog, rigDurable, 10)
	if n := r.info(StreamLog, rigDurable).Delivered.Consumer; n != 10 {
		t.Errorf("%d deliveries, want 10", n)
	}
	if n := len(r.letters()); n != 0 {
		t.Errorf("%d dead letters, want none", n)
	}
}

// What is dead leaves its stream and is whole in the dead letters; the server never gave up on it first.
func TestPitfall08_DeadLetters(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{})
	advisories, err := r.js.Conn().SubscribeSync("$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.>")
	if err != nil {
		t.Fatal(err)
	}
	evs := r.append(5)
	var told counter
	var fails atomic.Bool
	fails.Store(true)
	r.route(HandlerConfig{MaxDeliver: 3}, RouterConfig{
		OnDead: func(_ context.Context, ev schema.Event, stage string, cause error) error {
			told.add(ev.ID + " " + stage + " " + string(schema.CodeOf(cause)))
			if ev.ID == "e4" && fails.Swap(false) {
				return errors.New("store is down")
			}
			return nil
		},
	}, func(_ context.Context, ev schema.Event) error {
		switch ev.ID {
		case "e1":
			return schema.Invalid("input", "is broken\r\nin two lines")
		case "e2":
			return errors.New("never works")
		case "e3":
			panic("secret memory text")
		case "e4":
			return schema.Permanent(schema.CodeCorrupt, nil, "hash differs")
		}
		return nil
	})
	r.settled(StreamLog, rigDurable, 5)
	byID := make(map[string]DeadLetter)
	for _, d := range r.letters() {
		if _, twice := byID[d.Event.ID]; twice {
			t.Errorf("%s is in the dead letters twice", d.Event.ID)
		}
		byID[d.Event.ID] = d
	}
	for id, want := range map[string]DeadLetter{
		"e1": {Count: 1, Code: schema.CodeInvalid, Reason: "invalid: input: is broken in two lines", Seq: 2},
		"e2": {Count: 3, Code: schema.CodeInternal, Reason: "never works", Seq: 3},
		"e3": {Count: 1, Code: schema.CodeInternal, Reason: "internal: panic with a string", Seq: 4},
		"e4": {Count: 2, Code: schema.CodeCorrupt, Reason: "corrupt: hash differs", Seq: 5},
	} {
		got := byID[id]
		if got.Count != want.Count || got.Code != want.Code || got.Reason != want.Reason || got.Seq != want.Seq {
			t.Errorf("dead letter of %s: %d tries, %s, %q, seq %d; want %d, %s, %q, %d", id, got.Count, got.Code, got.Reason, got.Seq, want.Count, want.Code, want.Reason, want.Seq)
		}
		if got.Stage != StageClean || got.Durable != rigDurable || got.Stream != StreamLog || got.Subject != LogSubject("acme", "ann", schema.OpTurn) {
			t.Errorf("dead letter of %s says it was at %s %s %s %s", id, got.Stage, got.Durable, got.Stream, got.Subject)
		}
		if e := evs[want.Seq-1]; got.Event.UUID != e.UUID || string(got.Event.Body) != string(e.Body) || got.Event.User != e.User {
			t.Errorf("dead letter of %s is not the event", id)
		}
	}
	if len(byID) != 4 {
		t.Errorf("%d dead letters, want 4", len(byID))
	}
	if n := told.n["e4 clean corrupt"]; n != 2 {
		t.Errorf("OnDead was told %d times of the event that it failed on first, want 2", n)
	}
	if i := r.info(StreamLog, rigDurable); i.NumAckPending != 0 || i.NumPending != 0 {
		t.Errorf("%d open, %d pending, want none", i.NumAckPending, i.NumPending)
	}
	if m, err := advisories.NextMsg(time.Millisecond); err == nil {
		t.Errorf("the server gave up on a message: %s", m.Data)
	}
	logs := r.logs.String()
	if strings.Contains(logs, "secret memory text") {
		t.Error("the log holds what a handler panicked with")
	}
	if !strings.Contains(logs, "TestPitfall08_DeadLetters") {
		t.Error("the log lacks the stack of the panic")
	}
	eventstest.Eventually(t, patience, "outcomes are counted", func() bool {
		return r.handled(StageClean, OutcomeDead) == 4 && r.handled(StageClean, OutcomeOK) == 1 && r.handled(StageClean, OutcomeRetry) == 3
	})
}

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

// A worker that stops gives back at once what no handler has begun, and lets those that have end.
func TestPitfall21_StopGivesBackAtOnce(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{AckWait: 30 * time.Second})
	var begun atomic.Int64
	first := make(chan *message.Message)
	sub, err := NewSubscriber(SubscriberConfig{JS: r.js, Window: 10, Resolve: func(string) (string, string, error) { return StreamLog, rigDurable, nil }})
	if err != nil {
		t.Fatal(err)
	}
	msgs, err := sub.Subscribe(t.Context(), "clean")
	if err != nil {
		t.Fatal(err)
	}
	r.append(10)
	go func() { first <- <-msgs }()
	held := <-first // one is begun, nine wait
	eventstest.Eventually(t, patience, "all are delivered", func() bool { return r.info(StreamLog, rigDurable).NumAckPending == 10 })
	stopped := make(chan error, 1)
	go func() { stopped <- sub.Close() }()

	start := time.Now()
	r.route(HandlerConfig{}, RouterConfig{}, func(context.Context, schema.Event) error { begun.Add(1); return nil })
	eventstest.Eventually(t, patience, "another worker handles the nine", func() bool { return begun.Load() == 9 })
	if d := time.Since(start); d > 2*time.Second { // AckWait is 30 s
		t.Errorf("it took %v, want less than two seconds", d)
	}
	if held.Context().Err() != nil {
		t.Error("the message that was begun was cut off")
	}
	held.Ack()
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
	r.settled(StreamLog, rigDurable, 10)
	if _, open := <-msgs; open {
		t.Error("the channel is open after Close")
	}
}

// Two handlers share one publisher: the end of one does not end the other.
func TestPitfall25_SharedPublisherStaysOpen(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{})
	r.durable(StreamLog, "extract_1", jetstream.ConsumerConfig{})
	r.stream(jetstream.StreamConfig{Name: "X", Subjects: []string{"x"}})
	pub, err := NewPublisher(PublisherConfig{JS: r.js})
	if err != nil {
		t.Fatal(err)
	}
	var n atomic.Int64
	publish := func(context.Context, schema.Event) error {
		return pub.Publish("x", message.NewMessage(fmt.Sprint(n.Add(1)), []byte("x")))
	}
	router := r.route(HandlerConfig{}, RouterConfig{}, publish)
	if err := router.Handle(HandlerConfig{Name: StageExtract, Stream: StreamLog, Durable: "extract_1"}, publish); err != nil {
		t.Fatal(err)
	}
	if err := router.Stop(t.Context(), StreamLog, rigDurable); err != nil {
		t.Fatal(err)
	}
	if err := pub.Close(); err != nil {
		t.Fatal(err)
	}
	r.append(3)
	r.settled(StreamLog, "extract_1", 3)
	if err := router.Handle(HandlerConfig{Name: StageClean, Stream: StreamLog, Durable: rigDurable}, publish); err != nil {
		t.Fatalf("start the stopped handler again: %v", err)
	}
	r.settled(StreamLog, rigDurable, 3)
}

// The durable is there after its worker has gone, and goes on where it was.
func TestPitfall26_DurableOutlivesClose(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{})
	r.append(5)
	var seen counter
	count := func(_ context.Context, ev schema.Event) error { seen.add(ev.ID); return nil }
	first := r.route(HandlerConfig{}, RouterConfig{}, count)
	r.settled(StreamLog, rigDurable, 5)
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.put(testEvent("e5", []byte("{}")))
	r.route(HandlerConfig{}, RouterConfig{}, count)
	r.settled(StreamLog, rigDurable, 6)
	if keys, sum := seen.total(); keys != 6 || sum != 6 {
		t.Errorf("%d runs over %d events, want 6 over 6", sum, keys)
	}
}

// A repeated header, no headers at all, a body that is no event: to the dead letters, and on.
func TestPitfall27_UndecodableGoesToTheDeadLetters(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{})
	twice := logMsg(testEvent("twice", []byte("{}")))
	twice.Header.Add(HeaderUser, "bob")
	bare := &nats.Msg{Subject: LogSubject("acme", "ann", schema.OpTurn), Data: []byte("bare")}
	empty := &nats.Msg{Subject: LogSubject("acme", "ann", schema.OpTurn)}
	for _, m := range []*nats.Msg{twice, bare, empty} {
		if _, err := r.js.PublishMsg(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	r.append(1)
	var told, seen counter
	r.route(HandlerConfig{}, RouterConfig{OnDead: func(_ context.Context, ev schema.Event, _ string, _ error) error {
		told.add(ev.ID)
		return nil
	}}, func(_ context.Context, ev schema.Event) error { seen.add(ev.ID); return nil })
	r.settled(StreamLog, rigDurable, 4)
	ls := r.letters()
	if len(ls) != 3 {
		t.Fatalf("%d dead letters, want 3", len(ls))
	}
	bodies := map[string]bool{}
	for _, d := range ls {
		bodies[string(d.Event.Body)] = true
		if d.Count != 1 || d.Code != schema.CodeInvalid {
			t.Errorf("dead letter after %d tries with code %s, want 1 and invalid", d.Count, d.Code)
		}
	}
	if !bodies["{}"] || !bodies["bare"] || !bodies[""] {
		t.Errorf("bodies %v", bodies)
	}
	if keys, _ := told.total(); keys != 0 {
		t.Errorf("OnDead was told of what is no event: %v", told.n)
	}
	if keys, sum := seen.total(); keys != 1 || sum != 1 {
		t.Errorf("handler saw %v", seen.n)
	}

	// and the Watermill side takes the first of two values
	r.stream(jetstream.StreamConfig{Name: "X", Subjects: []string{"x"}})
	r.durable("X", "x", jetstream.ConsumerConfig{})
	if _, err := r.js.PublishMsg(t.Context(), &nats.Msg{Subject: "x", Header: nats.Header{"k": {"1", "2"}}}); err != nil {
		t.Fatal(err)
	}
	sub, err := NewSubscriber(SubscriberConfig{JS: r.js, Resolve: func(string) (string, string, error) { return "X", "x", nil }})
	if err != nil {
		t.Fatal(err)
	}
	msgs, err := sub.Subscribe(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	m := <-msgs
	if m.Metadata.Get("k") != "1" {
		t.Errorf("metadata %v", m.Metadata)
	}
	if d, ok := DeliveryFrom(m.Context()); !ok || d.Stream != "X" || d.Durable != "x" || d.Subject != "x" || d.Sequence != 1 || d.NumDelivered != 1 || time.Since(d.Stored) > time.Minute {
		t.Errorf("delivery %+v", d)
	}
	m.Ack()
	if err := sub.Close(); err != nil {
		t.Fatal(err)
	}
}

// Subscriptions whose context ends while messages arrive neither panic nor lose any.
func TestPitfall28_ContextEndsUnderLoad(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{})
	const n = 1500 // more than 20 windows: no subscription runs dry
	r.append(n)
	seen := map[string]bool{}
	for range 20 {
		sub, err := NewSubscriber(SubscriberConfig{JS: r.js, Window: 64, Resolve: func(string) (string, string, error) { return StreamLog, rigDurable, nil }})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		msgs, err := sub.Subscribe(ctx, "clean")
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for m := range msgs {
			seen[m.Metadata.Get(HeaderID)] = true
			m.Ack()
			if got++; got == 20 {
				cancel()
			}
		}
		cancel()
		if err := sub.Close(); err != nil {
			t.Fatal(err)
		}
	}
	var rest counter
	r.route(HandlerConfig{}, RouterConfig{}, func(_ context.Context, ev schema.Event) error { rest.add(ev.ID); return nil })
	r.settled(StreamLog, rigDurable, n)
	for id := range rest.n {
		if seen[id] {
			t.Errorf("%s was acknowledged and came again", id)
		}
		seen[id] = true
	}
	if len(seen) != n {
		t.Errorf("%d events seen, want %d", len(seen), n)
	}
}

// A close in the middle of handlers loses no acknowledgement; one that is cut short gives back what is left.
func TestPitfall29_CloseKeepsAcks(t *testing.T) {
	t.Parallel()
	for _, double := range []bool{false, true} {
		t.Run(fmt.Sprintf("double=%v", double), func(t *testing.T) {
			t.Parallel()
			r := startRig(t, jetstream.ConsumerConfig{AckWait: 400 * time.Millisecond})
			r.append(8)
			var begun atomic.Int64
			router := r.route(HandlerConfig{Window: 8, DoubleAck: double}, RouterConfig{}, func(ctx context.Context, _ schema.Event) error {
				begun.Add(1)
				return workFor(ctx, time.Second)
			})
			eventstest.Eventually(t, patience, "all have begun", func() bool { return begun.Load() == 8 })
			if err := router.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			// The server reads acknowledgements on its own time; one that was lost would stay open, since nobody pulls.
			r.settled(StreamLog, rigDurable, 8)
			if n := r.info(StreamLog, rigDurable).Delivered.Consumer; n != 8 {
				t.Errorf("%d deliveries, want 8", n)
			}
		})
	}
}

func TestPitfall29_CloseIsCutShort(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{AckWait: 20 * time.Second})
	r.append(2)
	var begun atomic.Int64
	deaf := make(chan struct{})
	defer close(deaf)
	router := r.route(HandlerConfig{}, RouterConfig{DrainTimeout: time.Minute}, func(ctx context.Context, ev schema.Event) error {
		begun.Add(1)
		if ev.ID == "e1" {
			<-deaf // does not listen to its context
		}
		<-ctx.Done()
		return ctx.Err()
	})
	eventstest.Eventually(t, patience, "both have begun", func() bool { return begun.Load() == 2 })
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	start := time.Now()
	go func() { _ = router.Close(ctx) }()
	// Both are delivered to another worker, long before AckWait.
	var seen counter
	eventstest.Eventually(t, patience, "both are given back", func() bool {
		cons, err := r.js.Consumer(t.Context(), StreamLog, rigDurable)
		if err != nil {
			t.Fatal(err)
		}
		b, err := cons.FetchNoWait(2)
		if err != nil {
			t.Fatal(err)
		}
		for m := range b.Messages() {
			seen.add(m.Headers().Get(HeaderID))
			_ = m.Ack()
		}
		keys, _ := seen.total()
		return keys == 2
	})
	if d := time.Since(start); d > 8*time.Second {
		t.Errorf("it took %v", d)
	}
}
