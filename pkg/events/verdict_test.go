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

func TestFaultOf(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		want fault
	}{
		"permanent":          {schema.Permanent(schema.CodeUnavailable, nil, "x"), faultFinal},
		"permanent, wrapped": {fmt.Errorf("y: %w", schema.Invalid("f", "x")), faultFinal},
		"wait":               {fmt.Errorf("y: %w", Wait(time.Second, "x")), faultNone},
		"overloaded":         {schema.Retryable(schema.CodeOverloaded, 0, nil, "x"), faultNone},
		"unavailable":        {schema.Retryable(schema.CodeUnavailable, 0, nil, "x"), faultOutage},
		"denied":             {schema.Retryable(schema.CodeDenied, 0, nil, "x"), faultOutage},
		"timeout":            {schema.Retryable(schema.CodeTimeout, 0, nil, "x"), faultOutage},
		"deadline":           {fmt.Errorf("y: %w", context.DeadlineExceeded), faultOutage},
		"internal":           {schema.Retryable(schema.CodeInternal, 0, nil, "x"), faultEvent},
		"internal, deadline": {schema.Retryable(schema.CodeInternal, 0, context.DeadlineExceeded, "x"), faultOutage},
		"not found":          {schema.Retryable(schema.CodeNotFound, 0, nil, "x"), faultEvent},
		"unknown":            {errors.New("x"), faultEvent},
	} {
		if got := faultOf(c.err); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// However long a dependency is away, slow, locked or full, no event is buried for it: it is delivered far more often
// than MaxDeliver and passes at last. Nor is it suspected of ending processes.
func TestPitfall07_OutageNeverBuries(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]error{
		"unavailable": schema.Retryable(schema.CodeUnavailable, 0, nil, "x"),
		"overloaded":  schema.Retryable(schema.CodeOverloaded, 0, nil, "x"),
		"denied":      schema.Retryable(schema.CodeDenied, 0, nil, "x"),
		"timeout":     schema.Retryable(schema.CodeTimeout, 0, nil, "x"),
		"deadline":    fmt.Errorf("embed: %w", context.DeadlineExceeded),
		"wait":        Wait(time.Millisecond, "x"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := startRig(t, jetstream.ConsumerConfig{})
			r.append(5)
			var deliveries atomic.Uint64
			r.route(HandlerConfig{MaxDeliver: 2, Hold: 20 * time.Millisecond}, RouterConfig{}, func(ctx context.Context, ev schema.Event) error {
				d, _ := DeliveryFrom(ctx)
				if deliveries.Store(max(deliveries.Load(), d.NumDelivered)); deliveries.Load() < 10 {
					return fail
				}
				return nil
			})
			r.settled(StreamLog, rigDurable, 5)
			if n := len(r.letters()); n != 0 {
				t.Errorf("%d dead letters, want none", n)
			}
			lines := r.logs.String()
			if strings.Contains(lines, "suspected") {
				t.Errorf("an outage made an event a suspect:\n%s", lines)
			}
			// What a stage waits for is told, once for all its events; waiting for others or for room is no news.
			told := map[bool]int{true: 1}[name != "overloaded" && name != "wait"]
			for _, line := range []string{"stage waits for what it needs", "stage goes on"} {
				if n := strings.Count(lines, line); n != told {
					t.Errorf("%q is in the log %d times, want %d:\n%s", line, n, told, lines)
				}
			}
			r.noAccounts()
		})
	}
}

// An event that times out while others of its stage pass ends, and what it counts against is deliveries, not tries.
func TestPitfall07_AloneInAnOutage(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{})
	r.append(1)
	var tries, passed atomic.Int64
	r.route(HandlerConfig{MaxDeliver: 3, Hold: 150 * time.Millisecond}, RouterConfig{}, func(_ context.Context, ev schema.Event) error {
		if ev.ID == "e0" {
			tries.Add(1)
			return schema.Retryable(schema.CodeTimeout, 0, nil, "x")
		}
		passed.Add(1)
		return nil
	})
	// Alone in the stage it is tried for ever.
	eventstest.Eventually(t, patience, "it is delivered many times", func() bool { return r.info(StreamLog, rigDurable).Delivered.Consumer > 6 })
	if n := len(r.letters()); n != 0 {
		t.Fatal("it was buried though nothing else passed")
	}
	n := 1
	eventstest.Eventually(t, patience, "it is buried while others pass", func() bool {
		r.put(testEvent(fmt.Sprintf("e%d", n), []byte("{}")))
		n++
		return len(r.letters()) == 1
	})
	if l := r.letters()[0]; l.Event.ID != "e0" || l.Code != schema.CodeTimeout || l.Count < 9 {
		t.Errorf("dead letter of %s with %s after %d deliveries", l.Event.ID, l.Code, l.Count)
	}
	if tries.Load() < 2*int64(r.letters()[0].Count) {
		t.Errorf("%d tries in %d deliveries", tries.Load(), r.letters()[0].Count)
	}
}

// A stage that is slow for its load lets some events pass over others: the others are not dead for it.
func TestPitfall07_OverloadIsNobodysFault(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{})
	r.append(1)
	var deliveries atomic.Uint64
	r.route(HandlerConfig{MaxDeliver: 1, Hold: 30 * time.Millisecond}, RouterConfig{}, func(ctx context.Context, ev schema.Event) error {
		if d, _ := DeliveryFrom(ctx); ev.ID == "e0" && d.NumDelivered < 6 {
			deliveries.Store(d.NumDelivered)
			return schema.Retryable(schema.CodeOverloaded, 0, nil, "x")
		}
		return nil
	})
	n := 1
	eventstest.Eventually(t, patience, "it comes again while others pass", func() bool {
		r.put(testEvent(fmt.Sprintf("e%d", n), []byte("{}")))
		n++
		return deliveries.Load() >= 5
	})
	r.settled(StreamLog, rigDurable, 1)
	if n := len(r.letters()); n != 0 {
		t.Errorf("%d dead letters, want none", n)
	}
}

// Failures are counted over workers and restarts, and only failures: deliveries that nobody answered for, or that an
// outage ended, do not make the last one come sooner.
func TestPitfall07_FailuresAreCountedAcrossWorkers(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{AckWait: 200 * time.Millisecond})
	r.append(1)
	r.abandon(1)
	var calls atomic.Int64
	fn := func(context.Context, schema.Event) error {
		if calls.Add(1)%2 == 0 {
			return schema.Retryable(schema.CodeUnavailable, 0, nil, "x")
		}
		return errors.New("bad")
	}
	cfg := HandlerConfig{MaxDeliver: 4, Hold: time.Nanosecond}
	for i := range 20 {
		router := r.route(cfg, RouterConfig{}, fn)
		at := calls.Load()
		eventstest.Eventually(t, patience, "it is tried or dead", func() bool { return calls.Load() > at || len(r.letters()) > 0 })
		if err := router.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(r.letters()) > 0 {
			break
		}
		if i == 19 {
			t.Fatal("the event never ends")
		}
	}
	if n := calls.Load(); n != 7 { // 4 failures with 3 outages between them
		t.Errorf("dead after %d calls, want 7", n)
	}
}

// A handler that waits for others says so, and a suspect that it waits for runs all the same; also where the one that
// waits is a suspect itself.
func TestPitfall09_SuspectAndWaiterPass(t *testing.T) {
	t.Parallel()
	for _, both := range []bool{false, true} {
		t.Run(fmt.Sprintf("both=%v", both), func(t *testing.T) {
			t.Parallel()
			r := startRig(t, jetstream.ConsumerConfig{AckWait: 200 * time.Millisecond})
			r.append(2)
			if !both {
				r.abandon(2) // MaxDeliver deliveries that nobody answered for
			}
			r.durable(StreamLog, "forget_1", jetstream.ConsumerConfig{AckWait: 200 * time.Millisecond})
			if both {
				r.abandon(2)
			}
			var asked, alone atomic.Int64
			router := r.route(HandlerConfig{Name: StageForget, Stream: StreamLog, Durable: "forget_1", MaxDeliver: 1}, RouterConfig{}, func(context.Context, schema.Event) error {
				asked.Add(1)
				if r.info(StreamLog, rigDurable).AckFloor.Stream < 2 {
					return Wait(5*time.Millisecond, "not settled yet")
				}
				return nil
			})
			eventstest.Eventually(t, patience, "one waits for the other", func() bool { return asked.Load() >= 3 })
			err := router.Handle(HandlerConfig{Name: StageClean, Stream: StreamLog, Durable: rigDurable, MaxDeliver: 1}, func(context.Context, schema.Event) error {
				alone.Add(1)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			r.settled(StreamLog, rigDurable, 2)
			r.settled(StreamLog, "forget_1", 2)
			if n := len(r.letters()); n != 0 || alone.Load() != 2 {
				t.Errorf("%d dead letters, %d runs", n, alone.Load())
			}
			if !strings.Contains(r.logs.String(), "suspected") {
				t.Error("nothing was suspected: the test shows nothing")
			}
		})
	}
}

// A suspect that fails in an outage has been answered for: what counts against it is processes that died while it ran
// alone, in a row. It becomes a suspect again and again here, and is never convicted.
func TestPitfall09_OutageDoesNotConvictSuspects(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{AckWait: 200 * time.Millisecond})
	r.append(1)
	for range guilty + 2 {
		r.abandon(1)
		var runs atomic.Int64
		router := r.route(HandlerConfig{MaxDeliver: 1, Hold: time.Nanosecond}, RouterConfig{}, func(context.Context, schema.Event) error {
			runs.Add(1)
			return schema.Retryable(schema.CodeUnavailable, 0, nil, "x")
		})
		eventstest.Eventually(t, patience, "it runs", func() bool { return runs.Load() > 0 || len(r.letters()) > 0 })
		if err := router.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(r.logs.String(), "suspected"); n != guilty+2 {
		t.Errorf("it ran alone %d times, want %d: the test shows nothing", n, guilty+2)
	}
	r.route(HandlerConfig{MaxDeliver: 1}, RouterConfig{}, func(context.Context, schema.Event) error { return nil })
	r.settled(StreamLog, rigDurable, 1)
	if n := len(r.letters()); n != 0 {
		t.Errorf("%d dead letters, want none", n)
	}
	r.noAccounts()
}

// With the store away a dead event is told of and copied once, however long that takes; the verdict stands though
// the handler would pass the event by then.
func TestPitfall08_BuryingIsIdempotent(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{})
	if _, err := r.js.UpdateStream(t.Context(), jetstream.StreamConfig{Name: StreamDLQ, Subjects: []string{SubjectsDLQ}, Duplicates: 100 * time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	evs := r.append(1)
	away := time.Now().Add(600 * time.Millisecond) // six windows of duplicates
	var told, handled atomic.Int64
	r.route(HandlerConfig{MaxDeliver: 2}, RouterConfig{OnDead: func(_ context.Context, _ schema.Event, _ string, cause error) error {
		told.Add(1)
		if !schema.IsPermanent(cause) || schema.CodeOf(cause) != schema.CodeCorrupt {
			t.Errorf("told of %v", cause)
		}
		if time.Now().Before(away) {
			return schema.Retryable(schema.CodeUnavailable, 0, nil, "store is away")
		}
		return nil
	}}, func(context.Context, schema.Event) error {
		if handled.Add(1) > 1 {
			return nil
		}
		return schema.Permanent(schema.CodeCorrupt, nil, "hash differs")
	})
	r.settled(StreamLog, rigDurable, 1)
	ls := r.letters()
	if len(ls) != 1 || handled.Load() != 1 || told.Load() < 4 || ls[0].Reason != "corrupt: hash differs" {
		t.Fatalf("%d dead letters %+v, handled %d times, told %d times", len(ls), ls, handled.Load(), told.Load())
	}
	r.noAccounts()

	// The acknowledgement of the copy got lost and the message comes again, long after the window.
	handled.Store(0)
	eventstest.Eventually(t, patience, "the window of duplicates has passed", func() bool { return time.Since(ls[0].At) > 300*time.Millisecond })
	if _, err := r.js.ResetConsumerToSequence(t.Context(), StreamLog, rigDurable, 1); err != nil {
		t.Fatal(err)
	}
	eventstest.Eventually(t, patience, "the message comes again", func() bool { return handled.Load() == 1 })
	r.settled(StreamLog, rigDurable, 1)
	if ls := r.letters(); len(ls) != 1 || handled.Load() != 1 {
		t.Errorf("%d dead letters after %d more runs, want one after one", len(ls), handled.Load())
	}

	// Another entry of the log with the same event id is another message, and has a letter of its own.
	handled.Store(0)
	m := logMsg(evs[0])
	m.Header.Del(jetstream.MsgIDHeader)
	if _, err := r.js.PublishMsg(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	r.settled(StreamLog, rigDurable, 2)
	if ls := r.letters(); len(ls) != 2 || handled.Load() != 1 {
		t.Errorf("%d dead letters after %d runs of another entry, want two after one", len(ls), handled.Load())
	}
}
