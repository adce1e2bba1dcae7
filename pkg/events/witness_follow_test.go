package events

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// blinking is a JetStream whose streams cannot be looked at for a while, with an error.
type blinking struct {
	jetstream.JetStream
	err atomic.Pointer[error]
}

func (b *blinking) Stream(ctx context.Context, name string) (jetstream.Stream, error) {
	if err := b.err.Load(); err != nil {
		return nil, *err
	}
	return b.JetStream.Stream(ctx, name)
}

// One look that came at a bad moment holds a process for as long as that lasts; one that could not be had finds nothing.
func TestTheWitnessTakesBackWhatOneBadLookFound(t *testing.T) {
	l := beginLife(t)
	l.ensure()
	l.put(20, "a")
	js := &blinking{JetStream: l.js}
	w := NewWitness(js, l.store, WitnessOptions{Log: slog.New(slog.DiscardHandler)})
	if err := w.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, look := range map[string]func(context.Context) error{"advance": w.Advance, "follow": w.Follow} {
		t.Run(name, func(t *testing.T) {
			var slow error = context.DeadlineExceeded
			js.err.Store(&slow)
			if err := look(t.Context()); err == nil {
				t.Error("a look that could not be had is none")
			}
			wantFaults(t, w)
			end := w.State().Witnessed
			var away error = jetstream.ErrStreamNotFound
			js.err.Store(&away)
			for range 2 {
				if err := look(t.Context()); err != nil {
					t.Fatal(err)
				}
				wantFaults(t, w, logFault(schema.LogShortened, 1, end))
			}
			if !w.State().Held {
				t.Error("a log that is gone is not held")
			}
			js.err.Store(nil)
			if err := look(t.Context()); err != nil {
				t.Fatal(err)
			}
			wantFaults(t, w)
			if known, err := w.Known(t.Context()); err != nil || len(known) > 0 {
				t.Errorf("remembered: %v, %v", known, err)
			}
			mustAppend(t, t.Context(), l.log, turnEvents(5, name)...)
			l.advance(w)
			if got := w.State().Witnessed; got != end+5 {
				t.Errorf("witnessed to %d, want %d", got, end+5)
			}
		})
	}
}

// shared returns a witness on the bucket of a life.
func (l *life) shared() *Witness {
	l.t.Helper()
	w := NewWitness(l.js, NewWitnessBucket(l.js), WitnessOptions{Log: slog.New(slog.DiscardHandler)})
	if err := w.Check(l.t.Context()); err != nil {
		l.t.Fatal(err)
	}
	return w
}

func (l *life) follow(w *Witness) {
	l.t.Helper()
	if err := w.Follow(l.t.Context()); err != nil {
		l.t.Fatal(err)
	}
}

// What one process finds all know by their next look, and what one accepts is accepted for all.
func TestWitnessesTellEachOtherWhatTheyFindAndAccept(t *testing.T) {
	l := beginLife(t)
	l.ensure()
	worker, second, edge := l.shared(), l.shared(), l.shared()
	seqs := mustAppend(t, t.Context(), l.log, turnEvents(20, "a")...)
	all := func() {
		for range 2 { // what is saved last is seen by the round that follows
			l.advance(worker)
			l.advance(second)
			l.follow(edge)
		}
	}
	all()
	for i, accepts := range []*Witness{edge, worker, second} {
		seq := seqs[3*i+2]
		if err := l.mustStream().SecureDeleteMsg(t.Context(), seq); err != nil {
			t.Fatal(err)
		}
		all()
		for _, w := range []*Witness{worker, second, edge} {
			wantFaults(t, w, logFault(schema.LogMissing, seq, seq))
			if w.State().Held {
				t.Error("a missing entry holds a process")
			}
		}
		if held, err := accepts.Accept(t.Context()); held || err != nil {
			t.Fatal(held, err)
		}
		all()
		for _, w := range []*Witness{worker, second, edge} {
			wantFaults(t, w)
		}
		wantFaults(t, l.shared())
	}
	// An erasure that names the entry settles it for all as well.
	if err := l.mustStream().SecureDeleteMsg(t.Context(), seqs[15]); err != nil {
		t.Fatal(err)
	}
	all()
	wantFaults(t, edge, logFault(schema.LogMissing, seqs[15], seqs[15]))
	l.erase("e1", schema.SequenceRange{From: seqs[15], To: seqs[15]})
	all()
	for _, w := range []*Witness{worker, second, edge} {
		wantFaults(t, w)
	}
}

// Whoever has read a log that another process has accepted as another one stays held until it is started again.
func TestProcessesThatReadTheLogBeforeStayHeld(t *testing.T) {
	l := beginLife(t)
	l.ensure()
	worker, edge := l.shared(), l.shared()
	mustAppend(t, t.Context(), l.log, turnEvents(20, "a")...)
	l.advance(worker)
	l.follow(edge)
	if err := l.js.DeleteStream(t.Context(), StreamLog); err != nil {
		t.Fatal(err)
	}
	l.ensure()
	mustAppend(t, t.Context(), l.log, turnEvents(5, "b")...)
	l.follow(edge)
	wantFaults(t, edge, logFault(schema.LogShortened, 6, 20))
	l.advance(worker)
	if !worker.State().Held || !edge.State().Held {
		t.Error("the log is not held")
	}
	starting := l.shared()
	if !starting.State().Held {
		t.Error("a start goes on")
	}
	if held, err := starting.Accept(t.Context()); !held || err != nil {
		t.Fatal(held, err)
	}
	mustAppend(t, t.Context(), l.log, turnEvents(30, "c")...) // longer than the one before
	l.advance(starting)
	wantFaults(t, starting)
	for range 2 {
		l.follow(edge)
		l.advance(worker)
	}
	for _, w := range []*Witness{worker, edge} {
		if s := w.State(); !s.Held || !strings.Contains(s.Faults[0].String()+s.Faults[len(s.Faults)-1].String(), "start it again") {
			t.Errorf("a process that has read the log before goes on: %+v", s)
		}
	}
	wantFaults(t, l.shared())
	wantFaults(t, starting)
	l.advance(starting)
	wantFaults(t, starting)
}

// countedLoads counts how often blocks are loaded.
type countedLoads struct {
	WitnessStore
	n int
}

func (c *countedLoads) Load(ctx context.Context, key string) ([]byte, error) {
	if strings.HasPrefix(key, keyBlock) {
		c.n++
	}
	return c.WitnessStore.Load(ctx, key)
}

// Of a log that lets its oldest entries expire no more is kept than of what is left, and no look goes over what is gone.
func TestTheWitnessForgetsWhatHasExpired(t *testing.T) {
	l := beginLife(t)
	l.ensure()
	for _, p := range []string{"a", "b", "c"} {
		mustAppend(t, t.Context(), l.log, turnEvents(blockSize, p)...)
	}
	store := &countedLoads{WitnessStore: l.store}
	l.store = store
	w := l.fresh()
	l.advance(w)
	cfg := l.mustStream().CachedInfo().Config
	cfg.MaxMsgs, cfg.Discard = 100, jetstream.DiscardOld
	if _, err := l.js.UpdateStream(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	eventstest.Eventually(t, patience, "entries to expire", func() bool { return l.mustStream().CachedInfo().State.Msgs == 100 })
	l.advance(w)
	wantFaults(t, w)
	keys, err := store.Keys(t.Context())
	if err != nil || len(keys) != 1 || keys[0] != keyBlock+"0000000002" {
		t.Errorf("kept %v, %v", keys, err)
	}
	store.n = 0
	mustAppend(t, t.Context(), l.log, turnEvents(50, "d")...)
	l.advance(w)
	wantFaults(t, w)
	if store.n > 4 {
		t.Errorf("%d blocks are loaded to see 50 entries go", store.n)
	}
	w = l.fresh()
	wantFaults(t, w)
	if err := w.Verify(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	wantFaults(t, w)
	if s := w.State(); s.Witnessed != 3*blockSize+50 {
		t.Errorf("witnessed to %d", s.Witnessed)
	}
}
