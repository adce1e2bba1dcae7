package events

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// erase names entries as an erasure does, before it removes anything.
func (l *life) erase(id string, rs ...schema.SequenceRange) {
	l.t.Helper()
	body, err := json.Marshal(schema.Erasure{ID: id, Sequences: rs})
	if err != nil {
		l.t.Fatal(err)
	}
	ev := turnEvent("acme", "", id, string(body))
	ev.Op, ev.Class = schema.OpErase, schema.ClassOperator
	mustAppend(l.t, l.t.Context(), l.log, ev)
}

// meanwhile is a stream at which something happens right before it is looked at.
type meanwhile struct {
	jetstream.Stream
	do func()
}

func (m *meanwhile) Info(ctx context.Context, opts ...jetstream.StreamInfoOpt) (*jetstream.StreamInfo, error) {
	m.do()
	return m.Stream.Info(ctx, opts...)
}

// An erasure that comes during a look for gaps has named what it removes by the time that is seen to be gone.
func TestTheWitnessLooksForGapsWhileAnErasureRemovesEntries(t *testing.T) {
	l := beginLife(t)
	l.ensure()
	seqs := l.put(20, "a")
	w := l.fresh()
	s := l.mustStream()
	if err := s.SecureDeleteMsg(t.Context(), seqs[2]); err != nil { // a reason to look
		t.Fatal(err)
	}
	if s, w.gaps = l.mustStream(), (gapsSeen{}); s.CachedInfo().State.NumDeleted != 1 {
		t.Fatal("nothing is gone")
	}
	err := w.lookForGaps(t.Context(), &meanwhile{s, func() {
		l.erase("e1", schema.SequenceRange{From: seqs[9], To: seqs[9]})
		if err := l.mustStream().SecureDeleteMsg(t.Context(), seqs[9]); err != nil {
			t.Error(err)
		}
	}}, s.CachedInfo())
	if err != nil {
		t.Fatal(err)
	}
	wantFaults(t, w, logFault(schema.LogMissing, seqs[2], seqs[2]))
}

// What went between the end of the witness and that of the log, before a start, is missed once the witness gets there.
func TestTheWitnessMissesWhatWentBehindItsEnd(t *testing.T) {
	for name, gone := range map[string][2]int{"a hole": {4, 6}, "everything up to there": {-10, 6}} {
		t.Run(name, func(t *testing.T) {
			l := beginLife(t)
			l.ensure()
			before := l.put(10, "a")
			after := mustAppend(t, t.Context(), l.log, turnEvents(10, "b")...)
			all := append(before, after...)
			for _, seq := range all[10+gone[0] : 10+gone[1]] {
				if err := l.mustStream().SecureDeleteMsg(t.Context(), seq); err != nil {
					t.Fatal(err)
				}
			}
			w := l.fresh()
			l.advance(w)
			wantFaults(t, w, logFault(schema.LogMissing, all[10+gone[0]], all[10+gone[1]-1]))
		})
	}
}

// An erasure removes bodies before entries: an entry without its body is no damage where an erasure names it.
func TestTheWitnessTakesNoErasureUnderWayForDamage(t *testing.T) {
	l := beginLife(t)
	l.ensure()
	h := Headers(func() schema.Envelope {
		ev := turnEvent("acme", "u", "bad", "x")
		ev.Version, ev.BodyHash = 1, schema.Hash([]byte("other"))
		return ev.Envelope
	}())
	m := entry{subject: LogSubject("acme", "u", schema.OpTurn), header: h, body: []byte(`{"input":"gone"}`), uuid: schema.EventUUID("acme", "bad")}
	if _, err := l.js.PublishMsg(t.Context(), m.msg()); err != nil {
		t.Fatal(err)
	}
	l.put(10, "a")
	wantFaults(t, l.fresh(), logFault(schema.LogDamaged, 1, 1))
	l.erase("e0", schema.SequenceRange{From: 2, To: 3}) // of another user
	wantFaults(t, l.fresh(), logFault(schema.LogDamaged, 1, 1))
	l.erase("e1", schema.SequenceRange{From: 1, To: 1})
	wantFaults(t, l.fresh())
}

// busyWitness is a store that another process writes to right before the first writes of this one.
type busyWitness struct {
	WitnessStore
	busy atomic.Int32
}

func (b *busyWitness) Save(ctx context.Context, key string, value []byte) error {
	if b.busy.Add(-1) >= 0 {
		return ErrWitnessed
	}
	return b.WitnessStore.Save(ctx, key, value)
}

// A start looks again where another process has witnessed meanwhile.
func TestTheWitnessStartsBesideAnother(t *testing.T) {
	l := beginLife(t)
	l.ensure()
	seqs := l.put(10, "a")
	l.erase("e1", schema.SequenceRange{From: seqs[3], To: seqs[3]})
	if err := l.mustStream().SecureDeleteMsg(t.Context(), seqs[3]); err != nil {
		t.Fatal(err)
	}
	b := &busyWitness{WitnessStore: l.store}
	b.busy.Store(2)
	w := NewWitness(l.js, b, WitnessOptions{Log: slog.New(slog.DiscardHandler)})
	if err := w.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantFaults(t, w)
	if b.busy.Load() >= 0 {
		t.Error("nothing was written: the test shows nothing")
	}
}
