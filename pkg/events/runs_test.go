package events

import (
	"testing"

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
