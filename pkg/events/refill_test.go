package events

import (
	"context"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func TestRefillWorksOnTheWholeLogAgain(t *testing.T) {
	ctx, _, js := ensured(t)
	top := DefaultTopology()
	if from, err := Refill(ctx, js, top, 1); err != nil || from != 0 {
		t.Errorf("with nothing worked on: from %d, %v; want nothing to do", from, err)
	}
	forget := turnEvent("acme", "u0", "f1", "{}")
	forget.Op = schema.OpForget
	mustAppend(t, ctx, openLog(t, ctx, js), append(turnEvents(3, "a"), forget)...)
	f := openFloor(t, ctx, js)
	publish := func() uint64 { // as clean publishes what it made of event 1; how many messages that stored
		t.Helper()
		pub, err := NewPublisher(PublisherConfig{JS: js})
		if err != nil {
			t.Fatal(err)
		}
		stored := func() uint64 {
			s, err := js.Stream(ctx, WorkStream(1))
			if err != nil {
				t.Fatal(err)
			}
			return s.CachedInfo().State.LastSeq
		}
		before := stored()
		if err := pub.Events(nil).Publish(ctx, StageClean, derived(t, "a0", 1, []byte("x"))); err != nil {
			t.Fatal(err)
		}
		return stored() - before
	}
	settle := func() {
		t.Helper()
		if n := publish(); n != 1 {
			t.Fatalf("what clean publishes stores %d messages, want 1", n)
		}
		for _, stage := range []string{StageVectorize, StageExtract, StageDistill} {
			takeAll(t, ctx, js, WorkStream(1), Durable(stage, 1), 1)
		}
		takeAll(t, ctx, js, StreamLog, Durable(StageClean, 1), 4)
		takeAll(t, ctx, js, StreamLog, Durable(StageForget, 1), 1)
		wantFloor(t, ctx, f, 4)
		if _, err := f.Checkpoint(ctx); err != nil {
			t.Fatal(err)
		}
	}
	settle()
	if publish() != 0 {
		t.Fatal("the dedupe window does not work here, so this test shows nothing")
	}
	for i, want := range []uint64{1, 0} { // once more changes nothing
		if from, err := Refill(ctx, js, top, 1); err != nil || from != want {
			t.Fatalf("refill %d: from %d, %v; want %d", i, from, err, want)
		}
	}
	wantFloor(t, ctx, f, 0)
	// As a crash right after it: what Ensure finds says nothing of a floor.
	if err := js.DeleteStream(ctx, WorkStream(1)); err != nil {
		t.Fatal(err)
	}
	if rep, err := Ensure(ctx, js, top, 1); err != nil || rep.Start != 1 {
		t.Fatalf("%+v, %v; want a start at 1", rep, err)
	}
	settle()
}

func TestRefillBeginsWhereTheGenerationDoes(t *testing.T) {
	ctx, _, js := ensured(t)
	seqs := mustAppend(t, ctx, openLog(t, ctx, js), turnEvents(6, "a")...)
	st := openState(t, ctx, js, StateOptions{})
	if err := st.RegisterGeneration(ctx, Generation{Number: 2, From: seqs[2]}); err != nil {
		t.Fatal(err)
	}
	kv, err := js.KeyValue(ctx, BucketState)
	if err != nil {
		t.Fatal(err)
	}
	// Its durable was lost once and made again above the floor: the server moves such a one no further back.
	ev, err := openLog(t, ctx, js).Read(ctx, seqs[3])
	if err != nil {
		t.Fatal(err)
	}
	if err := writeCheckpoint(ctx, kv, 2, Checkpoint{seqs[3], ev.BodyHash}); err != nil {
		t.Fatal(err)
	}
	if rep, err := Ensure(ctx, js, DefaultTopology(), 2); err != nil || rep.Start != seqs[4] {
		t.Fatalf("%+v, %v; want a start at %d", rep, err, seqs[4])
	}
	if from, err := Refill(ctx, js, DefaultTopology(), 2); err != nil || from != seqs[2] {
		t.Fatalf("from %d, %v; want %d", from, err, seqs[2])
	}
	takeAll(t, ctx, js, StreamLog, Durable(StageClean, 2), 4)
	takeAll(t, ctx, js, StreamLog, Durable(StageClean, 1), 6) // the other generation is left alone
	if _, err := Refill(ctx, js, DefaultTopology(), 0); !schema.IsPermanent(err) {
		t.Errorf("generation 0: %v", err)
	}
}

func TestAGenerationHoldsVectorsOfOneModel(t *testing.T) {
	ctx, _, js := ensured(t)
	st := openState(t, ctx, js, StateOptions{})
	wantCode(t, st.BindModel(ctx, 1, "a", false), schema.CodeNotFound, true)
	if err := st.RegisterGeneration(ctx, Generation{Number: 1, From: 7}); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		model string
		anew  bool
		ok    bool
	}{{"a", false, true}, {"a", false, true}, {"b", false, false}, {"b", true, true}, {"a", false, false}, {"b", false, true}} {
		err := st.BindModel(ctx, 1, step.model, step.anew)
		if step.ok && err != nil {
			t.Errorf("%+v: %v", step, err)
		} else if !step.ok {
			wantCode(t, err, schema.CodeConflict, true)
		}
	}
	other := openState(t, ctx, js, StateOptions{})
	if g := other.Generations(); len(g) != 1 || g[0].Model != "b" || g[0].From != 7 {
		t.Errorf("registered is %+v", g)
	}
}

// takeAll takes what a durable has, which must be want messages, and acknowledges it.
func takeAll(t testing.TB, ctx context.Context, js jetstream.JetStream, stream, durable string, want int) {
	t.Helper()
	c, err := js.Consumer(ctx, stream, durable)
	if err != nil {
		t.Fatal(err)
	}
	for range want {
		m, err := c.Next(jetstream.FetchMaxWait(patience))
		if err == nil {
			err = m.DoubleAck(ctx)
		}
		if err != nil {
			t.Fatalf("%s: %v", durable, err)
		}
	}
	if i, err := c.Info(ctx); err != nil || i.NumPending > 0 {
		t.Fatalf("%s has more than %d messages: %d, %v", durable, want, i.NumPending, err)
	}
}

// A generation of a log that was accepted as another one reads all of it, and knows that nothing of that waits for the first time.
func TestAGenerationBeginsAnewOnAnotherLog(t *testing.T) {
	for _, c := range []struct{ was, want Generation }{
		{Generation{Number: 1}, Generation{Number: 1, Again: 50}},
		{Generation{Number: 2, From: 3, To: 90, Target: 100, Tenant: "acme", CopyOf: 1, Copied: true, Again: 70}, Generation{Number: 2, Target: 50, Again: 50}},
		{Generation{Number: 3, Target: 9}, Generation{Number: 3, Target: 9, Again: 50}},
	} {
		got := c.was
		if got.Anew(50); got.Number != c.want.Number || got.From != 0 || got.To != 0 || got.Tenant != "" || got.CopyOf != 0 || got.Copied || got.Target != c.want.Target || got.Again != c.want.Again {
			t.Errorf("%+v becomes %+v, want %+v", c.was, got, c.want)
		}
	}
}
