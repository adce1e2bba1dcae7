package events

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

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
