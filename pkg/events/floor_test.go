package events

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// put publishes a cleaned or fact message by hand.
func put(t testing.TB, ctx context.Context, js jetstream.JetStream, op schema.Op, seq, low, epoch uint64) {
	t.Helper()
	ev := turnEvent("acme", "u", fmt.Sprint("e", seq, op, low), "b")
	ev.Version, ev.BodyHash, ev.Generation, ev.Op, ev.Seq, ev.Low, ev.Epoch = 1, schema.Hash(ev.Body), 1, op, seq, low, epoch
	if _, err := js.PublishMsg(ctx, &nats.Msg{Subject: WorkSubject(1, op, "acme", "u"), Header: Headers(ev.Envelope), Data: ev.Body}); err != nil {
		t.Fatal(err)
	}
}

// ackLog acknowledges the next n log entries for clean.
func ackLog(t testing.TB, ctx context.Context, js jetstream.JetStream, n int) {
	t.Helper()
	c, err := js.Consumer(ctx, StreamLog, "clean_1")
	if err != nil {
		t.Fatal(err)
	}
	for range n {
		m, err := c.Next(jetstream.FetchMaxWait(patience))
		if err == nil {
			err = m.DoubleAck(ctx)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func openFloor(t testing.TB, ctx context.Context, js jetstream.JetStream) *Floor {
	t.Helper()
	f, err := OpenFloor(ctx, js, 1, FloorOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func wantFloor(t testing.TB, ctx context.Context, f *Floor, want uint64) {
	t.Helper()
	if n, err := f.Read(ctx); err != nil || n != want {
		t.Errorf("floor %d, %v; want %d", n, err, want)
	}
}

// A Low that was read before the work stream was lost says that messages were stored which are gone.
func TestFloorDistrustsALowOfAnotherIncarnation(t *testing.T) {
	ctx, _, js := ensured(t)
	f := openFloor(t, ctx, js)
	mustAppend(t, ctx, openLog(t, ctx, js), turnEvents(10, "a")...)
	wantFloor(t, ctx, f, 0)
	ackLog(t, ctx, js, 9)
	wantFloor(t, ctx, f, 9)
	var env schema.Envelope
	env.Op = schema.OpCleaned
	f.Stamp(&env)
	if env.Low != 9 || env.Epoch == 0 {
		t.Fatalf("stamp %d in epoch %d, want 9", env.Low, env.Epoch)
	}
	put(t, ctx, js, schema.OpCleaned, 10, env.Low, env.Epoch)
	wantFloor(t, ctx, f, 9)
	put(t, ctx, js, schema.OpFact, 10, env.Low, env.Epoch-1)
	wantFloor(t, ctx, f, 0)
}

// Clean's own floor on a fact would vouch for facts that distill has not published yet.
func TestStampGivesFactsTheFloorOfCleanedMessages(t *testing.T) {
	ctx, _, js := ensured(t)
	f := openFloor(t, ctx, js)
	mustAppend(t, ctx, openLog(t, ctx, js), turnEvents(5, "a")...)
	wantFloor(t, ctx, f, 0)
	var e schema.Envelope
	f.Stamp(&e)
	put(t, ctx, js, schema.OpCleaned, 1, 0, e.Epoch)
	ackLog(t, ctx, js, 4)
	wantFloor(t, ctx, f, 0)
	for op, want := range map[schema.Op]uint64{schema.OpCleaned: 4, schema.OpFact: 0} {
		e.Op = op
		if f.Stamp(&e); e.Low != want {
			t.Errorf("stamp on %s is %d, want %d", op, e.Low, want)
		}
	}
}

func TestFloorStaysBelowAnOpenMessageWhateverItsLow(t *testing.T) {
	ctx, _, js := ensured(t)
	f := openFloor(t, ctx, js)
	mustAppend(t, ctx, openLog(t, ctx, js), turnEvents(10, "a")...)
	ackLog(t, ctx, js, 10)
	wantFloor(t, ctx, f, 10)
	var e schema.Envelope
	f.Stamp(&e)
	put(t, ctx, js, schema.OpCleaned, 6, 10, e.Epoch) // a zombie's, published late
	wantFloor(t, ctx, f, 5)
	if n, err := f.Checkpoint(ctx); err != nil || n != 5 {
		t.Errorf("checkpoint %d, %v", n, err)
	}
}

func TestCheckpointHoldsTheHashAndNeverGoesBack(t *testing.T) {
	ctx, _, js := ensured(t)
	f := openFloor(t, ctx, js)
	l := openLog(t, ctx, js)
	mustAppend(t, ctx, l, turnEvents(4, "a")...)
	ackLog(t, ctx, js, 3)
	if n, err := f.Checkpoint(ctx); err != nil || n != 3 {
		t.Fatalf("checkpoint %d, %v; want 3", n, err)
	}
	ev, err := l.Read(ctx, 3)
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := readCheckpoint(ctx, f.kv, 1)
	if err != nil || c != (Checkpoint{3, ev.BodyHash}) {
		t.Errorf("checkpoint %+v, %v", c, err)
	}
	if _, err := js.ResetConsumerToSequence(ctx, StreamLog, "clean_1", 1); err != nil {
		t.Fatal(err)
	}
	wantFloor(t, ctx, f, 0)
	if _, err := openFloor(t, ctx, js).Checkpoint(ctx); err != nil {
		t.Fatal(err)
	}
	if c, _, _ := readCheckpoint(ctx, f.kv, 1); c.Floor != 3 {
		t.Errorf("checkpoint went back to %d", c.Floor)
	}
}

// A worker published for an event, then the server went down with the work stream; its acknowledgement arrives
// after the reset. With a grace the server ignores it, and the event is delivered again.
func TestALateAcknowledgementDoesNotSettleWhatIsLost(t *testing.T) {
	ctx, s, js := ensured(t)
	mustAppend(t, ctx, openLog(t, ctx, js), turnEvents(1, "a")...)
	c, err := js.Consumer(ctx, StreamLog, "clean_1")
	if err != nil {
		t.Fatal(err)
	}
	m, err := c.Next(jetstream.FetchMaxWait(patience))
	if err != nil {
		t.Fatal(err)
	}
	// As if with its server.
	if err := js.DeleteStream(ctx, WorkStream(1)); err != nil {
		t.Fatal(err)
	}
	other := eventstest.JetStream(t, s)
	waiting, err := other.Consumer(ctx, StreamLog, "clean_1")
	if err != nil {
		t.Fatal(err)
	}
	delivered, late, again := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() { // a worker that already pulls, and fails at its first try
		m, err := waiting.Next(jetstream.FetchMaxWait(patience))
		close(delivered)
		<-late
		if err == nil {
			err = m.Nak()
		}
		if err == nil {
			m, err = waiting.Next(jetstream.FetchMaxWait(patience))
		}
		if err == nil {
			err = m.DoubleAck(ctx)
		}
		again <- err
	}()
	top := DefaultTopology()
	top.ResetGrace = 3 * time.Second // room for a busy machine between the reset and the late acknowledgement
	rep, err := Ensure(ctx, js, top, 1)
	if err != nil {
		t.Fatal(err)
	}
	stages, err := NewMonitor(openLog(t, ctx, js), openFloor(t, ctx, js)).Stages(ctx)
	if err != nil || rep.Held != top.ResetGrace || stages[0].PausedMS <= 0 || stages[0].PausedMS > top.ResetGrace.Milliseconds() || stages[1].PausedMS != 0 {
		t.Errorf("held for %s, the stages say %+v (%v)", rep.Held, stages, err)
	}
	select {
	case <-delivered: // what the grace prevents, within its time
	case <-time.After(100 * time.Millisecond):
	}
	if err := errors.Join(m.Ack(), js.Conn().Flush()); err != nil {
		t.Fatal(err)
	}
	close(late)
	if err := <-again; err != nil {
		t.Errorf("the event was settled by an acknowledgement of the lost delivery: %v", err)
	}
}

func TestAdmitKeepsRoomForFacts(t *testing.T) {
	s := eventstest.Server(t)
	js := eventstest.JetStream(t, s)
	ctx := testContext(t)
	top := DefaultTopology()
	top.WorkMaxBytes = 4 * MaxInWork
	if _, err := Ensure(ctx, js, top, 1); err != nil {
		t.Fatal(err)
	}
	f := openFloor(t, ctx, js)
	wantFloor(t, ctx, f, 0)
	body := make([]byte, 64<<10)
	n := 0
	for ; f.Admit(schema.OpCleaned, len(body)) == nil; n++ {
		if _, err := js.Publish(ctx, WorkSubject(1, schema.OpCleaned, "acme", "u"), body); err != nil {
			t.Fatalf("message %d was admitted and did not fit: %v", n, err)
		}
	}
	wantCode(t, f.Admit(schema.OpCleaned, len(body)), schema.CodeOverloaded, false)
	if n < 10 {
		t.Errorf("only %d messages were admitted", n)
	}
	if _, err := f.Read(ctx); err != nil {
		t.Fatal(err)
	}
	wantCode(t, f.Admit(schema.OpCleaned, len(body)), schema.CodeOverloaded, false)
	if err := f.Admit(schema.OpFact, len(body)); err != nil {
		t.Errorf("a fact: %v", err)
	}
	if _, err := js.Publish(ctx, WorkSubject(1, schema.OpFact, "acme", "u"), body); err != nil {
		t.Errorf("a fact finds no room: %v", err)
	}
}
