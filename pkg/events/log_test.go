package events

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"pgregory.net/rapid"

	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// checkAnswers reads back every sequence answered and compares it with what was appended under it.
func checkAnswers(t testing.TB, ctx context.Context, l *Log, evs []schema.Event, got []Appended) {
	t.Helper()
	for i, a := range got {
		if a.Err != nil {
			t.Errorf("%s: %v", evs[i].ID, a.Err)
			continue
		}
		ev, err := l.Read(ctx, a.Seq)
		if err != nil || ev.UUID != schema.EventUUID(evs[i].Tenant, evs[i].ID) || !bytes.Equal(ev.Body, evs[i].Body) || ev.Seq != a.Seq {
			t.Errorf("%s was answered %d, where %s lies (%v)", evs[i].ID, a.Seq, ev.ID, err)
		}
	}
}

func TestA1_RawBytesComeBackAsTheyWere(t *testing.T) {
	ctx, _, js := ensured(t)
	l := openLog(t, ctx, js)
	big := strings.Repeat("大量的原文 raw \x1b[31m <b>\x00\xff\r\n", 40_000) // 1.2 MB: over the payload limit, too
	for i, body := range []string{`{"input":"你好 \u001b[0m"}`, "\x00\xff\xfe\r\n\r\n", " ", big, strings.Repeat("x", MaxRawInLog), strings.Repeat("y", MaxRawInLog+1)} {
		ev := turnEvent("acme", "小李", fmt.Sprint("轮次 ", i), body)
		seq := mustAppend(t, ctx, l, ev)[0]
		got, err := l.Read(ctx, seq)
		if err != nil || string(got.Body) != body {
			t.Fatalf("body %d of %d bytes: %d bytes came back, %v", i, len(body), len(got.Body), err)
		}
		if got.BodyHash != schema.Hash([]byte(body)) || got.User != "小李" || got.ID != ev.ID || !got.At.Equal(ev.At) || got.Seq != seq {
			t.Errorf("envelope: %+v", got.Envelope)
		}
		raw, err := l.stream.GetMsg(ctx, seq)
		if err != nil || (len(raw.Data) > MaxRawInLog) || (raw.Header.Get(HeaderClaim) != "") != (len(body) > MaxRawInLog) {
			t.Errorf("body %d of %d bytes travels as %d bytes with claim %q", i, len(body), len(raw.Data), raw.Header.Get(HeaderClaim))
		}
	}
}

func TestAppendAnswersInOrder(t *testing.T) {
	ctx, _, js := ensured(t)
	l := openLog(t, ctx, js)
	for _, n := range []int{0, 1, minBatch - 1, minBatch, 100, maxBatch + 30} {
		evs := turnEvents(n, fmt.Sprintf("n%d-", n))
		got := l.Append(ctx, evs)
		if len(got) != n {
			t.Fatalf("%d results for %d events", len(got), n)
		}
		checkAnswers(t, ctx, l, evs, got)
	}
}

// A batch is stored without a gap even while others publish: the sequences answered are computed, not told.
func TestBatchSequencesHoldUnderConcurrency(t *testing.T) {
	ctx, s, js := ensured(t)
	l := openLog(t, ctx, js)
	var wg sync.WaitGroup
	for w := range 6 {
		l := openLog(t, ctx, eventstest.JetStream(t, s))
		wg.Go(func() {
			for r := range 5 {
				n := []int{1, 20, 150}[(w+r)%3]
				evs := turnEvents(n, fmt.Sprintf("w%d-%d-", w, r))
				checkAnswers(t, ctx, l, evs, l.Append(ctx, evs))
			}
		})
	}
	wg.Wait()
	if n, err := l.Count(ctx, "acme", schema.OpTurn); err != nil || n != 2*(5*1+5*20+5*150) {
		t.Errorf("the log holds %d (%v)", n, err)
	}
}

// Whatever mix of fresh, repeated and conflicting ids a batch holds, each event gets its own right answer and the
// log holds each id once.
func TestPitfall04_DuplicatesInABatch(t *testing.T) {
	ctx, _, js := ensured(t)
	l, other := openLog(t, ctx, js), openLog(t, ctx, js)
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		pre := fmt.Sprintf("r%d-", round)
		n := rapid.IntRange(1, 120).Draw(rt, "n")
		evs := turnEvents(n, pre)
		known := map[int]uint64{}
		var before []schema.Event
		var at []int
		for i := range evs {
			if rapid.IntRange(0, 9).Draw(rt, "known") < rapid.SampledFrom([]int{0, 1, 9}).Draw(rt, "density") {
				before, at = append(before, evs[i]), append(at, i)
			}
		}
		first := rapid.SampledFrom([]*Log{l, other}).Draw(rt, "who was first") // the same process, or another
		for i, a := range first.Append(ctx, before) {
			if a.Err != nil || a.Duplicate {
				rt.Fatalf("first append: %+v", a)
			}
			known[at[i]] = a.Seq
		}
		conflict := map[int]bool{}
		for i := range known {
			if i%5 == 0 {
				evs[i].Body, conflict[i] = []byte(`{"input":"another"}`), true
			}
		}
		start, err := l.Count(ctx, "", "")
		if err != nil {
			rt.Fatal(err)
		}
		for i, a := range l.Append(ctx, evs) {
			seq, was := known[i]
			switch {
			case conflict[i]:
				if schema.CodeOf(a.Err) != schema.CodeConflict || !schema.IsPermanent(a.Err) || a.Seq != seq {
					rt.Fatalf("conflict %d: %+v, first at %d", i, a, seq)
				}
			case was && (!a.Duplicate || a.Seq != seq || a.Err != nil):
				rt.Fatalf("duplicate %d: %+v, first at %d", i, a, seq)
			case !was && (a.Duplicate || a.Err != nil || a.Seq == 0):
				rt.Fatalf("fresh %d: %+v", i, a)
			}
		}
		if end, err := l.Count(ctx, "", ""); err != nil || end-start != uint64(n-len(known)) {
			rt.Fatalf("%d entries more, want %d (%v)", end-start, n-len(known), err)
		}
	})
}

func TestAppendTwiceInOneCall(t *testing.T) {
	ctx, _, js := ensured(t)
	l := openLog(t, ctx, js)
	evs := turnEvents(40, "a")
	evs[30] = evs[3]
	evs[31] = evs[4]
	evs[31].Body = []byte(`{"input":"other"}`)
	got := l.Append(ctx, evs)
	if !got[30].Duplicate || got[30].Seq != got[3].Seq || schema.CodeOf(got[31].Err) != schema.CodeConflict {
		t.Errorf("repeated: %+v, conflicting: %+v", got[30], got[31])
	}
	if e := new(schema.Error); !errors.As(got[31].Err, &e) || e.Field != "id" {
		t.Errorf("the conflict is %+v, which does not name the field", got[31].Err)
	}
	for _, i := range []int{0, 3, 4, 29, 39} {
		if got[i].Err != nil || got[i].Duplicate {
			t.Errorf("event %d: %+v", i, got[i])
		}
	}
}

// The append reached the log and its acknowledgement did not reach the client: the retry is answered with the first
// sequence. Beyond the window it is a second entry, which the projection drops by the first one's event point.
func TestPitfall03_AcknowledgementLost(t *testing.T) {
	js := eventstest.JetStream(t, eventstest.Server(t))
	ctx := testContext(t)
	top := DefaultTopology()
	top.Duplicates = 300 * time.Millisecond
	if _, err := Ensure(ctx, js, top, 1); err != nil {
		t.Fatal(err)
	}
	l := openLog(t, ctx, js)
	ev := turnEvent("acme", "u", "a", "x")
	e, err := l.prepare(ctx, ev)
	if err != nil {
		t.Fatal(err)
	}
	if err := js.Conn().PublishMsg(e.msg()); err != nil { // no reply subject: nobody hears the answer
		t.Fatal(err)
	}
	if a := l.Append(ctx, []schema.Event{ev})[0]; !a.Duplicate || a.Seq != 1 || a.Err != nil {
		t.Errorf("retry within the window: %+v", a)
	}
	eventstest.Eventually(t, patience, "the window has passed", func() bool {
		a := l.Append(ctx, []schema.Event{ev})[0]
		return a.Err == nil && !a.Duplicate && a.Seq == 2
	})
	first, _ := l.Read(ctx, 1)
	second, err := l.Read(ctx, 2)
	if err != nil || first.UUID != second.UUID || first.BodyHash != second.BodyHash {
		t.Errorf("the second entry is not the same event: %v", err)
	}
}

// The window of a stream ignores subjects and outlives a purge: the stage and the generation in an id keep stages
// apart, and a repair passes by its attempt.
func TestPitfall04_WindowOfAWorkStream(t *testing.T) {
	ctx, _, js := ensured(t)
	ev := turnEvent("acme", "u", "a", "x")
	pub := func(op schema.Op, id string) bool {
		t.Helper()
		ack, err := js.Publish(ctx, WorkSubject(1, op, "acme", "u"), []byte("x"), jetstream.WithMsgID(id))
		if err != nil {
			t.Fatal(err)
		}
		return !ack.Duplicate
	}
	if !pub(schema.OpCleaned, MsgID(StageClean, 1, ev.UUID, 7, 0)) || !pub(schema.OpFact, MsgID(StageDistill, 1, ev.UUID, 7, 0)) {
		t.Error("the ids of two stages collide")
	}
	s, err := js.Stream(ctx, WorkStream(1))
	if err == nil {
		err = s.Purge(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
	if pub(schema.OpCleaned, MsgID(StageClean, 1, ev.UUID, 7, 0)) {
		t.Error("the window did not outlive the purge: the premise of attempts is gone")
	}
	if !pub(schema.OpCleaned, MsgID(StageClean, 1, ev.UUID, 7, 1)) {
		t.Error("an attempt does not pass the window")
	}
	if !pub(schema.OpCleaned, MsgID(StageClean, 1, ev.UUID, 3, 0)) {
		t.Error("another log entry of the event id does not pass the window")
	}
}

// A client library takes an empty message with a header named Status for a control message and never hands it on.
func TestPitfall15_NoEmptyBodiesNoStatusHeader(t *testing.T) {
	for k := range Headers(sampleEnvelope()) {
		if k == "Status" || k == "Description" || strings.HasPrefix(k, "Nats-") {
			t.Errorf("header %s has a meaning of its own", k)
		}
	}
	ctx, _, js := ensured(t)
	l := openLog(t, ctx, js)
	wantCode(t, l.Append(ctx, []schema.Event{turnEvent("acme", "Status", "a", "")})[0].Err, schema.CodeInvalid, true)
	seq := mustAppend(t, ctx, l, turnEvent("acme", "u", "b", strings.Repeat("x", MaxRawInLog+1)))[0]
	if m, err := l.stream.GetMsg(ctx, seq); err != nil || len(m.Data) == 0 {
		t.Errorf("a claimed message has %d bytes, %v", len(m.Data), err)
	}
}

// The answer to a retry does not hang on the process or on the life of the server: the window outlives it.
func TestPitfall05_WindowSurvivesARestart(t *testing.T) {
	dir := t.TempDir()
	s := eventstest.Server(t, eventstest.StoreDir(dir))
	js := eventstest.JetStream(t, s)
	ctx := testContext(t)
	if _, err := Ensure(ctx, js, DefaultTopology(), 1); err != nil {
		t.Fatal(err)
	}
	evs := turnEvents(3, "a")
	want := mustAppend(t, ctx, openLog(t, ctx, js), evs...)
	js.Conn().Close()
	s.Shutdown()
	s.WaitForShutdown()
	js = eventstest.JetStream(t, eventstest.Server(t, eventstest.StoreDir(dir)))
	for i, a := range openLog(t, ctx, js).Append(ctx, evs) {
		if !a.Duplicate || a.Seq != want[i] || a.Err != nil {
			t.Errorf("after the restart: %+v, want a duplicate of %d", a, want[i])
		}
	}
}

func TestAppendRefusesWhatCouldNotBeReadAgain(t *testing.T) {
	ctx, _, js := ensured(t)
	l := openLog(t, ctx, js)
	for name, spoil := range map[string]func(*schema.Event){
		"no body":       func(e *schema.Event) { e.Body = nil },
		"wrong hash":    func(e *schema.Event) { e.BodyHash = schema.Hash([]byte("z")) },
		"no tenant":     func(e *schema.Event) { e.Tenant = "" },
		"no id":         func(e *schema.Event) { e.ID = "" },
		"no class":      func(e *schema.Event) { e.Class = 0 },
		"a derived one": func(e *schema.Event) { e.Generation = 1 },
		"a derived op":  func(e *schema.Event) { e.Op = schema.OpCleaned },
		"a long id":     func(e *schema.Event) { e.ID = strings.Repeat("x", 5000) },
	} {
		evs := turnEvents(20, name)
		spoil(&evs[7])
		for i, a := range l.Append(ctx, evs) {
			if (i == 7) != (a.Err != nil) {
				t.Errorf("%s: event %d: %+v", name, i, a)
			}
			if i == 7 && !schema.IsPermanent(a.Err) {
				t.Errorf("%s: %v is not permanent", name, a.Err)
			}
		}
	}
}

// 10077, no stream, and a client's payload limit each have their code, and a refusal for want of room does not
// poison the id.
func TestPitfall16_ErrorsOfAppend(t *testing.T) {
	ctx, _, js := ensured(t)
	l := openLog(t, ctx, js)
	s, _ := js.Stream(ctx, StreamLog)
	cfg := s.CachedInfo().Config
	cfg.MaxBytes = 20_000
	if _, err := js.UpdateStream(ctx, cfg); err != nil {
		t.Fatal(err)
	}
	evs := turnEvents(100, "a")
	for i, a := range l.Append(ctx, evs) {
		if a.Err == nil {
			t.Fatalf("event %d went into a full log: %+v", i, a)
		}
		wantCode(t, a.Err, schema.CodeOverloaded, false)
	}
	single := turnEvent("acme", "u", "big", strings.Repeat("x", 30_000))
	wantCode(t, l.Append(ctx, []schema.Event{single})[0].Err, schema.CodeOverloaded, false)
	cfg.MaxBytes = -1
	if _, err := js.UpdateStream(ctx, cfg); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, ctx, l, append(evs, single)...)

	if err := js.DeleteStream(ctx, StreamLog); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	err := l.Append(short, turnEvents(1, "b"))[0].Err
	if err == nil || schema.IsPermanent(err) {
		t.Errorf("no stream: %v, want a retryable error", err)
	}
}

func TestPitfall16_TooLarge(t *testing.T) {
	ctx, _, js := ensured(t, eventstest.MaxPayload(4096))
	l := openLog(t, ctx, js)
	wantCode(t, l.Append(ctx, []schema.Event{turnEvent("acme", "u", "a", strings.Repeat("x", 5000))})[0].Err, schema.CodeTooLarge, true)
}

// A synced server answers an append only after the sync; that it was asked to is all that can be seen from here.
func TestPitfall19_AppendOnASyncedServer(t *testing.T) {
	ctx, _, js := ensured(t, eventstest.SyncAlways())
	l := openLog(t, ctx, js)
	evs := turnEvents(200, "a")
	checkAnswers(t, ctx, l, evs, l.Append(ctx, evs))
}
