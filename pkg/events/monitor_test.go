package events

import (
	"fmt"
	"maps"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func TestIdleIsPerTenantAndWaitsForForget(t *testing.T) {
	ctx, _, js := ensured(t)
	l := openLog(t, ctx, js)
	m := NewMonitor(l, openFloor(t, ctx, js))
	want := func(tenant string, idle bool, floor, last uint64) {
		t.Helper()
		i, f, s, err := m.Idle(ctx, tenant)
		if err != nil || i != idle || f != floor || s != last {
			t.Errorf("%q: idle %v, floor %d, last %d, %v; want %v, %d, %d", tenant, i, f, s, err, idle, floor, last)
		}
	}
	want("acme", true, 0, 0)
	evs := turnEvents(4, "a")
	evs[3].Tenant, evs[3].UUID = "other", ""
	mustAppend(t, ctx, l, evs...)
	want("acme", false, 0, 3)
	want("nobody", true, 0, 0)
	ackLog(t, ctx, js, 3)
	want("acme", true, 3, 3)
	want("other", false, 3, 4)
	want("", false, 3, 4)
	ackLog(t, ctx, js, 1)
	want("other", true, 4, 4)

	forget := turnEvent("acme", "u", "f", `{}`)
	forget.Op = schema.OpForget
	mustAppend(t, ctx, l, forget)
	ackLog(t, ctx, js, 1)
	want("acme", false, 5, 5)
	c, err := js.Consumer(ctx, StreamLog, "forget_1")
	if err != nil {
		t.Fatal(err)
	}
	msg, err := c.Next(jetstream.FetchMaxWait(patience))
	if err != nil {
		t.Fatal(err)
	}
	want("acme", false, 5, 5)
	want("other", true, 4, 4) // has asked for nothing
	want("", false, 5, 5)
	later := turnEvent("other", "u", "g", `{}`)
	later.Op = schema.OpForget
	mustAppend(t, ctx, l, later)
	ackLog(t, ctx, js, 1)
	want("other", false, 6, 6)
	if err := msg.DoubleAck(ctx); err != nil {
		t.Fatal(err)
	}
	want("acme", true, 5, 5) // whatever others have asked for since
	want("other", false, 6, 6)
	want("", false, 6, 6)
	if msg, err = c.Next(jetstream.FetchMaxWait(patience)); err != nil {
		t.Fatal(err)
	}
	if err := msg.DoubleAck(ctx); err != nil {
		t.Fatal(err)
	}
	want("other", true, 6, 6)
}

// Requests up to a sequence are carried out once a tenant's own are acknowledged, whatever came later and whoever asked.
func TestCarriedOutIsUpToASequence(t *testing.T) {
	ctx, _, js := ensured(t)
	l := openLog(t, ctx, js)
	m := NewMonitor(l, openFloor(t, ctx, js))
	want := func(tenant string, seq uint64, done bool) {
		t.Helper()
		if got, err := m.CarriedOut(ctx, tenant, seq); err != nil || got != done {
			t.Errorf("%s up to %d: %v, %v; want %v", tenant, seq, got, err, done)
		}
	}
	mustAppend(t, ctx, l, turnEvents(1, "a")...) // 1
	want("acme", 1, true)
	for i, tenant := range []string{"acme", "other", "acme"} { // 2, 3, 4
		ev := turnEvent(tenant, "u", fmt.Sprint("r", i), `{}`)
		if ev.Op = schema.OpArchive; i == 1 {
			ev.Op = schema.OpForget
		}
		mustAppend(t, ctx, l, ev)
	}
	want("acme", 1, true)
	want("acme", 2, false)
	want("other", 2, true)
	want("other", 3, false)
	c, err := js.Consumer(ctx, StreamLog, Durable(StageForget, 1))
	if err != nil {
		t.Fatal(err)
	}
	var held []jetstream.Msg
	for range 3 {
		msg, err := c.Next(jetstream.FetchMaxWait(patience))
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, msg)
	}
	want("acme", 3, false) // under way
	if err := held[0].DoubleAck(ctx); err != nil {
		t.Fatal(err)
	}
	want("acme", 3, true)
	want("acme", 4, false)
	want("other", 9, false)
	if to, err := m.CarriedTo(ctx); err != nil || to != 2 {
		t.Errorf("carried to %d, %v", to, err)
	}
	for _, msg := range held[1:] {
		if err := msg.DoubleAck(ctx); err != nil {
			t.Fatal(err)
		}
	}
	want("acme", 9, true)
	want("other", 9, true)
}

func TestStagesShowTheirBacklog(t *testing.T) {
	ctx, _, js := ensured(t)
	l := openLog(t, ctx, js)
	m := NewMonitor(l, openFloor(t, ctx, js))
	mustAppend(t, ctx, l, turnEvents(3, "a")...)
	put(t, ctx, js, schema.OpCleaned, 1, 0, 0)
	c, err := js.Consumer(ctx, StreamLog, "clean_1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Next(jetstream.FetchMaxWait(patience)); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"clean": "2 1 0 true", "vectorize": "1 0 0 true", "extract": "1 0 0 true", "distill": "1 0 0 true", "decide": "0 0 0 false", "forget": "0 0 0 false",
	}
	// The server counts what is pending after it stored it, and an age is above 0 after a millisecond.
	eventstest.Eventually(t, patience, "each stage shows what it has", func() bool {
		st, err := m.Stages(ctx)
		if err != nil || len(st) != len(want) {
			t.Fatalf("%d stages, %v", len(st), err)
		}
		got := map[string]string{}
		for _, s := range st {
			got[s.Name] = fmt.Sprint(s.Pending, s.AckPending, s.Redelivered, s.OldestMS > 0)
		}
		return maps.Equal(got, want)
	})
}

func BenchmarkIdle(b *testing.B) {
	ctx, _, js := ensured(b)
	l := openLog(b, ctx, js)
	mustAppend(b, ctx, l, turnEvents(1000, "a")...)
	m := NewMonitor(l, openFloor(b, ctx, js))
	for b.Loop() {
		if _, _, _, err := m.Idle(ctx, "acme"); err != nil {
			b.Fatal(err)
		}
	}
}
