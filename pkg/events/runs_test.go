package events

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Lives that end without a word are counted at one settled floor, on disk; an end in order, and a floor that has moved,
// begin the count anew.
func TestRunsThatEndWithoutAWordAreCounted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx := testContext(t)
	life := func(wantCrashes int, then func(*Run, *Floor)) {
		t.Helper()
		s := eventstest.Server(t, eventstest.StoreDir(dir))
		js := eventstest.JetStream(t, s)
		if _, err := Ensure(ctx, js, DefaultTopology(), 1); err != nil {
			t.Fatal(err)
		}
		r, err := BeginRun(ctx, js, 1)
		if err != nil {
			t.Fatal(err)
		}
		if r.Crashes != wantCrashes {
			t.Errorf("%d lives are counted, want %d", r.Crashes, wantCrashes)
		}
		f, err := OpenFloor(ctx, js, 1, FloorOptions{})
		if err != nil {
			t.Fatal(err)
		}
		then(r, f)
		s.Shutdown()
		s.WaitForShutdown()
	}
	nothing := func(*Run, *Floor) {}
	at := func(seq uint64) schema.Event { return schema.Event{Envelope: schema.Envelope{Seq: seq}} }

	life(0, func(r *Run, f *Floor) {
		l := openLog(t, ctx, f.js)
		for i, a := range l.Append(ctx, turnEvents(3, "a")) {
			if a.Err != nil {
				t.Fatalf("append %d: %v", i, a.Err)
			}
		}
	})
	life(1, func(r *Run, _ *Floor) {
		if r.Suspects(at(1)) {
			t.Error("one crash makes suspects")
		}
	})
	life(2, func(r *Run, _ *Floor) {
		for seq, want := range map[uint64]bool{0: false, 1: true, 3: true, 4: false} {
			if got := r.Suspects(at(seq)); got != want {
				t.Errorf("entry %d is suspected: %t, want %t; floor %d, log to %d", seq, got, want, r.Floor, r.Last)
			}
		}
	})
	life(3, func(r *Run, _ *Floor) {
		if err := r.End(ctx); err != nil {
			t.Fatal(err)
		}
	})
	life(0, nothing)
	life(1, func(_ *Run, f *Floor) { // the floor moves on before the end
		if err := writeCheckpoint(ctx, f.kv, 1, Checkpoint{Floor: 1}); err != nil {
			t.Fatal(err)
		}
	})
	life(1, nothing)
	life(2, func(r *Run, _ *Floor) {
		if r.Suspects(at(1)) || !r.Suspects(at(2)) {
			t.Errorf("suspects are not what lies above floor %d", r.Floor)
		}
	})
}

// A request to forget that ends the process lies behind the floor, which goes on without it: what it had in hands is delivered
// again by the next life at once, by no count of the server's, and it is suspected from the second on.
func TestARequestThatEndsTheProcessIsSuspected(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx := testContext(t)
	top := DefaultTopology()
	top.AckWait, top.SlotTTL = time.Hour, 10*time.Hour // nothing comes again by itself
	var seqs []uint64
	for life := range 4 {
		s := eventstest.Server(t, eventstest.StoreDir(dir))
		js := eventstest.JetStream(t, s)
		if rep, err := Ensure(ctx, js, top, 1); err != nil || !rep.Recovered {
			t.Fatalf("%+v, %v", rep, err)
		}
		r, err := BeginRun(ctx, js, 1)
		if err != nil {
			t.Fatal(err)
		}
		f, l := openFloor(t, ctx, js), openLog(t, ctx, js)
		c, err := js.Consumer(ctx, StreamLog, Durable(StageForget, 1))
		if err != nil {
			t.Fatal(err)
		}
		if life == 0 {
			evs := turnEvents(8, "a")
			evs[0].Op, evs[2].Op = schema.OpForget, schema.OpForget
			seqs = mustAppend(t, ctx, l, evs...)
			m, err := c.Next(jetstream.FetchMaxWait(patience))
			if err != nil {
				t.Fatal(err)
			}
			if err := m.DoubleAck(ctx); err != nil {
				t.Fatal(err)
			}
		}
		m, err := c.Next(jetstream.FetchMaxWait(patience))
		if err != nil {
			t.Fatalf("life %d is delivered nothing: %v", life, err)
		}
		md, err := m.Metadata()
		if err != nil || md.Sequence.Stream != seqs[2] {
			t.Fatalf("life %d is delivered %+v, %v, want %d", life, md, err, seqs[2])
		}
		forget := schema.Event{Envelope: schema.Envelope{Seq: seqs[2], Op: schema.OpForget}}
		done, turn := forget, forget
		done.Seq = seqs[0]
		turn.Seq, turn.Op = seqs[1], schema.OpTurn
		if life > 0 && r.Carried != seqs[0] {
			t.Errorf("life %d: carried out up to %d, want %d", life, r.Carried, seqs[0])
		}
		if got, want := r.Suspects(forget), life > 1; got != want {
			t.Errorf("life %d: it is suspected: %t", life, got)
		}
		if r.Suspects(done) || r.Suspects(turn) {
			t.Errorf("life %d: what is settled is suspected", life)
		}
		at, err := l.Read(ctx, seqs[3+life])
		if err != nil {
			t.Fatal(err)
		}
		if err := writeCheckpoint(ctx, f.kv, 1, Checkpoint{at.Seq, at.BodyHash}); err != nil { // the floor goes on
			t.Fatal(err)
		}
		js.Conn().Close()
		s.Shutdown()
		s.WaitForShutdown()
	}
}
