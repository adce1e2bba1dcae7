package events

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func testBudget(t testing.TB, bytes int64) *Budget {
	t.Helper()
	b, err := NewBudget(bytes)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// inUse counts the bytes of bodies at work.
type inUse struct {
	mu                 sync.Mutex
	small, large, most int64
	bigOnes            int
	faults             []string
}

func (u *inUse) add(b *Budget, n int64, own *int64, sign int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if n > largeBody {
		u.large += sign * n
		u.bigOnes += int(sign)
	} else {
		u.small += sign * n
		*own += sign * n
	}
	u.most = max(u.most, u.small+u.large)
	switch {
	case u.small > b.half:
		u.faults = append(u.faults, fmt.Sprintf("%d bytes of small bodies", u.small))
	case *own > max(b.half/2, largeBody):
		u.faults = append(u.faults, fmt.Sprintf("%d bytes of one durable", *own))
	case u.large > b.half && u.bigOnes > 1:
		u.faults = append(u.faults, fmt.Sprintf("%d large bodies of %d bytes", u.bigOnes, u.large))
	}
}

// Whatever comes in whatever order, with callers that leave while they wait: the bounds hold, everybody else is served,
// and all of it is there again at the end. A deadlock ends the test: nothing in the bubble could go on.
func TestTheBudgetHoldsAndServesEverybody(t *testing.T) {
	for seed := range uint64(200) {
		synctest.Test(t, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 7))
			b := testBudget(t, minBudget<<rnd.IntN(4))
			var use inUse
			var wg sync.WaitGroup
			served, left := atomic.Int64{}, atomic.Int64{}
			jobs := 0
			for range 1 + rnd.IntN(5) { // durables
				s, own := b.share(), new(int64)
				for range 1 + rnd.IntN(60) {
					jobs++
					n := int64(rnd.IntN(4000))
					switch rnd.IntN(4) {
					case 0:
						n = rnd.Int64N(largeBody + 1)
					case 1:
						n = rnd.Int64N(4 * b.half)
					}
					start, work := time.Duration(rnd.IntN(1000))*time.Millisecond, time.Duration(rnd.IntN(1000))*time.Millisecond
					ctx := t.Context()
					if rnd.IntN(5) == 0 {
						var cancel context.CancelFunc
						ctx, cancel = context.WithTimeout(ctx, time.Duration(rnd.IntN(3000))*time.Millisecond)
						defer cancel()
					}
					wg.Go(func() {
						time.Sleep(start) // the clock of the bubble: no time passes
						free, err := s.take(ctx, n)
						if err != nil {
							if ctx.Err() == nil {
								t.Errorf("seed %d: %v", seed, err)
							}
							left.Add(1)
							return
						}
						use.add(b, n, own, 1)
						time.Sleep(work)
						use.add(b, n, own, -1)
						free()
						served.Add(1)
					})
				}
			}
			wg.Wait()
			if len(use.faults) > 0 {
				t.Errorf("seed %d: of %d bytes %s", seed, 2*b.half, use.faults[0])
			}
			if int(served.Load()+left.Load()) != jobs {
				t.Errorf("seed %d: of %d jobs %d were served and %d left", seed, jobs, served.Load(), left.Load())
			}
			if !b.small.TryAcquire(b.half) || !b.large.TryAcquire(b.half) {
				t.Errorf("seed %d: bytes are lost", seed)
			}
		})
	}
}

// A durable whose handlers hang keeps nobody else from work, neither with small bodies nor with large ones of its own.
func TestAHangingDurableStarvesNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := testBudget(t, 8<<20)
		hangs, other := b.share(), b.share()
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for i := range 100 {
			wg.Go(func() {
				n := int64(512 << 10)
				if i%10 == 0 {
					n = 3 << 20
				}
				if free, err := hangs.take(ctx, n); err == nil {
					<-ctx.Done()
					free()
				}
			})
		}
		synctest.Wait() // all of it is taken that it can take
		for range 1000 {
			free, err := other.take(t.Context(), 512<<10) // blocks for ever where there is none: the bubble says so
			if err != nil {
				t.Fatal(err)
			}
			free()
		}
		cancel()
		wg.Wait()
	})
}

// large is a claim check in which the events whose id begins with "big" have bodies of so many bytes, and which counts
// those that are read and not yet given back.
type large struct {
	size  int64
	takes time.Duration // of a read
	reads atomic.Int64
}

func (l *large) Size(_ context.Context, h nats.Header) (int64, error) {
	if strings.HasPrefix(h.Get(HeaderID), "big") {
		return l.size, nil
	}
	return 0, nil
}

func (l *large) Resolve(_ context.Context, _ nats.Header, _ []byte) ([]byte, error) {
	l.reads.Add(1)
	if l.takes > 0 {
		<-time.After(l.takes)
	}
	return make([]byte, l.size), nil
}

// Large bodies are read one after the other, and none of them holds up a small one, nor the other way round.
func TestLargeBodiesAreReadInTurn(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{})
	const big, small = 6, 40
	for i := range big {
		r.put(testEvent(fmt.Sprintf("big%d", i), []byte("@")))
	}
	for i := range small {
		r.put(testEvent(fmt.Sprintf("small%d", i), []byte("{}")))
	}
	bodies := &large{size: 3 << 20} // more than there is for large ones: each is let through alone
	var at, most, smalls atomic.Int64
	r.route(HandlerConfig{}, RouterConfig{Bodies: bodies, Budget: testBudget(t, minBudget)}, func(ctx context.Context, ev schema.Event) error {
		if !strings.HasPrefix(ev.ID, "big") {
			smalls.Add(1)
			return nil
		}
		if n := at.Add(1); n > most.Load() {
			most.Store(n)
		}
		defer at.Add(-1)
		if len(ev.Body) != 3<<20 {
			t.Errorf("%s has %d bytes", ev.ID, len(ev.Body))
		}
		for smalls.Load() < small && ctx.Err() == nil { // every large one that is held waits for all small ones
			select {
			case <-time.After(time.Millisecond):
			case <-ctx.Done():
			}
		}
		return nil
	})
	r.settled(StreamLog, rigDurable, big+small)
	if most.Load() != 1 || bodies.reads.Load() != big {
		t.Errorf("%d large bodies at once, %d reads of %d", most.Load(), bodies.reads.Load(), big)
	}
}

// An event that waits for a dependency, or for other events, gives back its room meanwhile: those that it waits for may
// need it.
func TestWhoWaitsHoldsNoRoom(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{})
	r.durable(StreamLog, "forget_1", jetstream.ConsumerConfig{})
	const n = 4
	for i := range n {
		r.put(testEvent(fmt.Sprintf("big%d", i), []byte("@")))
	}
	bodies := &large{size: 2 << 20}
	var waited, passed atomic.Int64
	router := r.route(HandlerConfig{}, RouterConfig{Bodies: bodies, Budget: testBudget(t, minBudget)}, func(context.Context, schema.Event) error {
		switch {
		case passed.Load() == n:
			return nil
		case waited.Add(1)%2 == 0:
			return schema.Retryable(schema.CodeOverloaded, 0, nil, "the work stream is full")
		}
		return schema.Retryable(schema.CodeUnavailable, 0, nil, "the store is away")
	})
	eventstest.Eventually(t, patience, "all of them have waited", func() bool { return waited.Load() >= 2*n })
	err := router.Handle(HandlerConfig{Name: StageForget, Stream: StreamLog, Durable: "forget_1"}, func(context.Context, schema.Event) error {
		passed.Add(1)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	r.settled(StreamLog, "forget_1", n)
	r.settled(StreamLog, rigDurable, n)
	if ls := r.letters(); len(ls) != 0 {
		t.Errorf("dead letters %+v", ls)
	}
}

// A suspect, which runs alone, needs room like any other, and does not wait for those who wait for it.
func TestSuspectsAndRoomDoNotBlockEachOther(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{AckWait: 300 * time.Millisecond})
	const n = 8
	for i := range n {
		r.put(testEvent(fmt.Sprintf("big%d", i), []byte("@")))
	}
	r.abandon(n) // all of them are suspects of clean
	r.durable(StreamLog, "forget_1", jetstream.ConsumerConfig{AckWait: 300 * time.Millisecond})
	bodies := &large{size: 2 << 20, takes: 100 * time.Millisecond} // time for suspects to come in between
	router := r.route(HandlerConfig{Name: StageForget, Stream: StreamLog, Durable: "forget_1"}, RouterConfig{Bodies: bodies, Budget: testBudget(t, minBudget)}, func(context.Context, schema.Event) error { return nil })
	var runs atomic.Int64
	err := router.Handle(HandlerConfig{Name: StageClean, Stream: StreamLog, Durable: rigDurable, MaxDeliver: 1}, func(context.Context, schema.Event) error {
		runs.Add(1)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	r.settled(StreamLog, rigDurable, n)
	r.settled(StreamLog, "forget_1", n)
	if runs.Load() != n || strings.Count(r.logs.String(), "suspected") != n {
		t.Errorf("%d runs, %d of them alone; want %d", runs.Load(), strings.Count(r.logs.String(), "suspected"), n)
	}
}

// A body over the limit is dead without a byte of it having been read.
func TestABodyOverTheLimitIsNeverRead(t *testing.T) {
	t.Parallel()
	r := startRig(t, jetstream.ConsumerConfig{})
	r.put(testEvent("big0", []byte("@")))
	r.put(testEvent("long", bytes.Repeat([]byte("x"), 2000)))
	r.put(testEvent("short", []byte("{}")))
	bodies := &large{size: 1 << 40}
	var handled counter
	r.route(HandlerConfig{MaxBody: 1000}, RouterConfig{Bodies: bodies}, func(_ context.Context, ev schema.Event) error {
		handled.add(ev.ID)
		return nil
	})
	r.settled(StreamLog, rigDurable, 3)
	ls := r.letters()
	if len(ls) != 2 || ls[0].Code != schema.CodeTooLarge || ls[1].Code != schema.CodeTooLarge || bodies.reads.Load() != 0 || handled.n["short"] != 1 || len(handled.n) != 1 {
		t.Errorf("letters %+v, %d reads, handled %v", ls, bodies.reads.Load(), handled.n)
	}
}

// Messages of any size come within the bytes that a subscription may hold, one that is larger than all of them alone.
func TestASubscriptionHoldsSoManyBytes(t *testing.T) {
	t.Parallel()
	const most = 64 << 10
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := startRig(t, jetstream.ConsumerConfig{})
			rnd := rand.New(rand.NewPCG(seed, 1))
			const n = 300
			for i := range n {
				size := rnd.IntN(2000)
				switch rnd.IntN(10) {
				case 0:
					size = rnd.IntN(most)
				case 1:
					size = rnd.IntN(4 * most)
				}
				r.put(testEvent(fmt.Sprintf("e%d", i), bytes.Repeat([]byte("x"), size)))
			}
			s, err := NewSubscriber(SubscriberConfig{
				JS: r.js, MaxBytes: most, Window: 32, Resolve: func(string) (string, string, error) { return StreamLog, rigDurable, nil },
			})
			if err != nil {
				t.Fatal(err)
			}
			sub, err := s.prepare(t.Context(), "x")
			if err != nil {
				t.Fatal(err)
			}
			out, err := s.start(t.Context(), sub)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			got := counter{}
			var held []func()
			idle := time.NewTimer(patience)
			for keys := 0; keys < n; keys, _ = got.total() {
				// Some are held for a while; where nothing more comes, all are let go.
				select {
				case m := <-out:
					sub.mu.Lock()
					if bytes, count := sub.heldBytes, len(sub.held); bytes > most && count > 1 {
						t.Errorf("%d messages of %d bytes are held, over %d", count, bytes, most)
					}
					sub.mu.Unlock()
					got.add(m.UUID)
					held = append(held, func() { m.Ack() })
					if rnd.IntN(3) > 0 {
						continue
					}
				case <-time.After(5 * time.Millisecond):
				case <-idle.C:
					t.Fatalf("%d of %d messages came", keys, n)
				}
				for len(held) > 0 && rnd.IntN(4) > 0 {
					i := rnd.IntN(len(held))
					held[i]()
					held = append(held[:i], held[i+1:]...)
				}
			}
			for _, ack := range held {
				ack()
			}
			r.settled(StreamLog, rigDurable, n)
			if keys, sum := got.total(); keys != n || sum != n {
				t.Errorf("%d messages came %d times, want %d once", keys, sum, n)
			}
		})
	}
}
