package events

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// flip changes what was witnessed of an entry, so that another one stands there; twice is as before.
func (l *life) flip(seq uint64) {
	l.t.Helper()
	w := NewWitness(l.js, l.store, WitnessOptions{Log: slog.New(slog.DiscardHandler)})
	b, err := w.block(l.t.Context(), blockOf(seq))
	if err != nil || b == nil {
		l.t.Fatal(b, err)
	}
	b.tags[(seq-b.first())*tagSize] ^= 1
	if err := w.save(l.t.Context(), b); err != nil {
		l.t.Fatal(err)
	}
}

func (l *life) verify(w *Witness) {
	l.t.Helper()
	if err := w.Verify(l.t.Context(), nil); err != nil {
		l.t.Fatal(err)
	}
}

// putBad appends an entry whose body is not the one that was hashed.
func (l *life) putBad(id string) uint64 {
	l.t.Helper()
	ev := turnEvent("acme", "u", id, "x")
	ev.Version, ev.BodyHash = 1, schema.Hash([]byte("other"))
	m := entry{subject: LogSubject("acme", "u", schema.OpTurn), header: Headers(ev.Envelope), body: []byte(`{"input":"no hash of mine"}`), uuid: schema.EventUUID("acme", id)}
	ack, err := l.js.PublishMsg(l.t.Context(), m.msg())
	if err != nil {
		l.t.Fatal(err)
	}
	return ack.Sequence
}

// failing is a WitnessStore whose calls fail while it says so.
type failing struct {
	WitnessStore
	load, save func(key string) error
}

func (f *failing) Load(ctx context.Context, key string) ([]byte, error) {
	if f.load != nil {
		if err := f.load(key); err != nil {
			return nil, err
		}
	}
	return f.WitnessStore.Load(ctx, key)
}

func (f *failing) Save(ctx context.Context, key string, value []byte) error {
	if f.save != nil {
		if err := f.save(key); err != nil {
			return err
		}
	}
	return f.WitnessStore.Save(ctx, key, value)
}

// Another entry in the middle of the log, where no start looks by itself, holds every process until it is put back or
// accepted: no further look, no start and no look that could not be had forgives it.
func TestAFaultInTheMiddleOfTheLogIsNotForgiven(t *testing.T) {
	const seq, end = 100, 2*blockSize + 10 // in none of the samples, not in the last block
	begin := func(t *testing.T) (*life, *Witness) {
		l := beginLife(t)
		l.ensure()
		for _, p := range []string{"a", "b"} {
			mustAppend(t, t.Context(), l.log, turnEvents(blockSize, p)...)
		}
		l.put(10, "c")
		l.flip(seq)
		w := l.fresh()
		wantFaults(t, w) // else a start finds it anyway, and this test proves nothing
		l.verify(w)
		wantFaults(t, w, logFault(schema.LogSwapped, seq, seq))
		return l, w
	}
	swapped := logFault(schema.LogSwapped, seq, seq)
	t.Run("looks and starts", func(t *testing.T) {
		l, w := begin(t)
		other := l.fresh() // of a role that never finds it itself
		for range 2 {
			l.advance(w)
			wantFaults(t, w, swapped)
			l.follow(other)
			wantFaults(t, other, swapped)
			other = l.fresh()
			wantFaults(t, other, swapped)
		}
		l.flip(seq)
		l.advance(w)
		wantFaults(t, w)
		wantFaults(t, l.fresh())
	})
	t.Run("the stream is away for a moment", func(t *testing.T) {
		l, _ := begin(t)
		js := &blinking{JetStream: l.js}
		var away error = jetstream.ErrStreamNotFound
		js.err.Store(&away)
		w := NewWitness(js, l.store, WitnessOptions{Log: slog.New(slog.DiscardHandler)})
		if err := w.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		wantFaults(t, w, logFault(schema.LogShortened, 1, end), swapped)
		js.err.Store(nil)
		l.advance(w)
		wantFaults(t, w, swapped)
	})
	t.Run("its block cannot be loaded", func(t *testing.T) {
		l, w := begin(t)
		broken := errors.New("no answer")
		key := (&tagBlock{}).key()
		f := &failing{WitnessStore: l.store, load: func(k string) error {
			if k == key {
				return broken
			}
			return nil
		}}
		w.store = f
		if err := w.Advance(t.Context()); !errors.Is(err, broken) {
			t.Errorf("a look without what was witnessed is none: %v", err)
		}
		wantFaults(t, w, swapped)
		if known, err := w.Known(t.Context()); err != nil || len(known) != 1 {
			t.Errorf("remembered: %v, %v", known, err)
		}
	})
	t.Run("accepted", func(t *testing.T) {
		l, w := begin(t)
		if held, err := w.Accept(t.Context()); !held || err != nil {
			t.Fatal(held, err)
		}
		l.advance(w)
		wantFaults(t, w)
		w = l.fresh()
		l.verify(w)
		wantFaults(t, w)
	})
}

// Where what was witnessed cannot be removed at once, an acceptance goes on with it: the others have been told.
func TestAcceptingALogOutlivesAStoreThatFails(t *testing.T) {
	l := beginLife(t)
	l.ensure()
	l.put(20, "a")
	if err := l.js.DeleteStream(t.Context(), StreamLog); err != nil {
		t.Fatal(err)
	}
	l.ensure()
	fails := 0
	l.store = &failing{WitnessStore: l.store, save: func(key string) error {
		if strings.HasPrefix(key, keyBlock) && fails < 2 {
			fails++
			return schema.Retryable(schema.CodeTimeout, 0, nil, "no answer")
		}
		return nil
	}}
	w := l.fresh()
	if held, err := w.Accept(t.Context()); !held || err != nil || fails != 2 {
		t.Fatal(held, err, fails)
	}
	if a, err := w.loadAccepted(t.Context()); err != nil || a.Logs != 1 {
		t.Errorf("accepted %+v, %v", a, err)
	}
	wantFaults(t, w)
	if keys, err := l.store.Keys(t.Context()); err != nil || len(keys) != 1 {
		t.Errorf("left: %v, %v", keys, err)
	}
}

// An acceptance settles what it named. Damage that another process has found since stays.
func TestAnAcceptanceSettlesOnlyWhatItNamed(t *testing.T) {
	l := beginLife(t)
	l.ensure()
	first := l.putBad("bad1")
	worker := l.shared()
	l.advance(worker)
	l.verify(worker)
	wantFaults(t, worker, logFault(schema.LogDamaged, first, first))
	second := l.shared()
	l.advance(second)
	next := l.putBad("bad2")
	l.advance(worker) // reads no bodies
	store := second.store
	second.store = &failing{WitnessStore: store, save: func(key string) error {
		if key == keyFaults {
			return ErrWitnessed
		}
		return nil
	}}
	l.advance(second)
	l.verify(second)
	wantFaults(t, second, logFault(schema.LogDamaged, first, first), logFault(schema.LogDamaged, next, next))
	if held, err := worker.Accept(t.Context()); held || err != nil {
		t.Fatal(held, err)
	}
	second.store = store
	l.advance(second)
	wantFaults(t, second, logFault(schema.LogDamaged, next, next))
	for range 2 {
		l.advance(worker)
		wantFaults(t, worker, logFault(schema.LogDamaged, next, next))
	}
	wantFaults(t, l.shared(), logFault(schema.LogDamaged, next, next))
}

// What was written since it was loaded is not removed with it.
func TestTheWitnessBucketRemovesNothingUnseen(t *testing.T) {
	l := beginLife(t)
	l.ensure()
	a, b := NewWitnessBucket(l.js), NewWitnessBucket(l.js)
	if err := a.Save(t.Context(), "k", []byte("1")); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Load(t.Context(), "k"); err != nil {
		t.Fatal(err)
	}
	if err := b.Save(t.Context(), "k", []byte("2")); err != nil {
		t.Fatal(err)
	}
	if err := a.Save(t.Context(), "k", nil); !errors.Is(err, ErrWitnessed) {
		t.Errorf("removed what another has written: %v", err)
	}
	if got, err := a.Load(t.Context(), "k"); err != nil || string(got) != "2" {
		t.Fatal(string(got), err)
	}
	if err := a.Save(t.Context(), "k", nil); err != nil {
		t.Fatal(err)
	}
	if got, err := b.Load(t.Context(), "k"); err != nil || got != nil {
		t.Errorf("still there: %s, %v", got, err)
	}
}
