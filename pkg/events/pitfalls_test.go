package events

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

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
