package events

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func TestEnsureIsIdempotent(t *testing.T) {
	js := eventstest.JetStream(t, eventstest.Server(t))
	ctx := testContext(t)
	rep, err := Ensure(ctx, js, DefaultTopology(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if want := 10 + 3 + 1 + 4; len(rep.Created) != want || !rep.Recovered || rep.Start != 1 {
		t.Errorf("first run made %d of %d things: %+v", len(rep.Created), want, rep)
	}
	rep, err = Ensure(ctx, js, DefaultTopology(), 1)
	if err != nil || len(rep.Created)+len(rep.Repaired)+len(rep.Refused)+len(rep.Foreign) > 0 || rep.Recovered {
		t.Errorf("second run: %+v, %v; want nothing to do", rep, err)
	}
	// What it made can be opened by the clients that use it.
	if _, err := OpenBlobs(ctx, js); err != nil {
		t.Error(err)
	}
	if _, err := js.KeyValue(ctx, BucketVectors); err != nil {
		t.Error(err)
	}
}

func TestEnsureInManyProcessesAtOnce(t *testing.T) {
	s := eventstest.Server(t)
	ctx := testContext(t)
	errs := make([]error, 6)
	var wg sync.WaitGroup
	for i := range errs {
		js := eventstest.JetStream(t, s)
		wg.Go(func() { _, errs[i] = Ensure(ctx, js, DefaultTopology(), 1) })
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			t.Errorf("process %d: %v", i, err)
		}
	}
	rep, err := Ensure(ctx, eventstest.JetStream(t, s), DefaultTopology(), 1)
	if err != nil || len(rep.Created) > 0 {
		t.Errorf("afterwards: %+v, %v; want all there", rep, err)
	}
}

func TestEnsureRepairsWhatIsSafe(t *testing.T) {
	ctx, _, js := ensured(t)
	s, _ := js.Stream(ctx, StreamLog)
	cfg := s.CachedInfo().Config
	cfg.AllowAtomicPublish, cfg.AllowDirect, cfg.MaxMsgs, cfg.MaxAge, cfg.Description = false, true, 10, time.Hour, "mine"
	if _, err := js.UpdateStream(ctx, cfg); err != nil {
		t.Fatal(err)
	}
	c, _ := js.Consumer(ctx, StreamLog, "clean_1")
	cc := c.CachedInfo().Config
	cc.AckWait, cc.MaxAckPending, cc.BackOff, cc.MaxDeliver, cc.InactiveThreshold = time.Minute, 7, []time.Duration{time.Second}, 4, time.Hour
	if _, err := js.UpdateConsumer(ctx, StreamLog, cc); err != nil {
		t.Fatal(err)
	}
	rep, err := Ensure(ctx, js, DefaultTopology(), 1)
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string]bool{}
	for _, d := range rep.Repaired {
		fields[d.Object+" "+d.Field] = true
	}
	for _, f := range []string{"allow_atomic", "allow_direct", "max_msgs", "max_age"} {
		if !fields["SILT_LOG "+f] {
			t.Errorf("%s was not repaired: %v", f, rep.Repaired)
		}
	}
	for _, f := range []string{"ack_wait", "max_ack_pending", "backoff", "max_deliver", "inactive_threshold"} {
		if !fields["SILT_LOG/clean_1 "+f] {
			t.Errorf("%s was not repaired: %v", f, rep.Repaired)
		}
	}
	info, _ := js.Stream(ctx, StreamLog)
	if got := info.CachedInfo().Config; !got.AllowAtomicPublish || got.MaxMsgs > 0 || got.Description != "mine" {
		t.Errorf("config after repair: %+v; want ours in what matters, the operator's description", got)
	}
	if rep, _ := Ensure(ctx, js, DefaultTopology(), 1); len(rep.Repaired) > 0 {
		t.Errorf("repaired again: %v", rep.Repaired)
	}
}

// An installation of before archive events has a durable that reads forget events alone: it reads both from then on, goes on
// where it was, and sees what is appended later. One that reads something else is not ours to turn.
func TestEnsureWidensTheFilterOfForget(t *testing.T) {
	ctx, _, js := ensured(t)
	narrow := func(filter string) {
		t.Helper()
		c, err := js.Consumer(ctx, StreamLog, Durable(StageForget, 1))
		if err != nil {
			t.Fatal(err)
		}
		cfg := c.CachedInfo().Config
		cfg.FilterSubjects, cfg.FilterSubject = nil, filter
		if _, err := js.UpdateConsumer(ctx, StreamLog, cfg); err != nil {
			t.Fatal(err)
		}
	}
	narrow(SubjectsForget)
	l, err := OpenLog(ctx, js)
	if err != nil {
		t.Fatal(err)
	}
	entry := func(op schema.Op, id string) schema.Event {
		ev := turnEvent("acme", "u", id, "{}")
		ev.Op = op
		return ev
	}
	first := l.Append(ctx, []schema.Event{entry(schema.OpForget, "f-1"), entry(schema.OpTurn, "t-1")})
	c, err := js.Consumer(ctx, StreamLog, Durable(StageForget, 1))
	if err != nil {
		t.Fatal(err)
	}
	m, err := c.Next()
	if err != nil {
		t.Fatal(err)
	}
	if err := m.DoubleAck(ctx); err != nil {
		t.Fatal(err)
	}
	rep, err := Ensure(ctx, js, DefaultTopology(), 1)
	if err != nil || len(rep.Repaired) != 1 || rep.Repaired[0].Field != "filter_subject" {
		t.Fatalf("repaired %v, refused %v, %v", rep.Repaired, rep.Refused, err)
	}
	later := l.Append(ctx, []schema.Event{entry(schema.OpArchive, "a-1")})
	if c, err = js.Consumer(ctx, StreamLog, Durable(StageForget, 1)); err != nil {
		t.Fatal(err)
	}
	if i := c.CachedInfo(); i.AckFloor.Stream != first[0].Seq { // what is to come is counted a moment later than it is appended
		t.Errorf("it stands at %d, want %d", i.AckFloor.Stream, first[0].Seq)
	}
	if m, err = c.Next(); err != nil {
		t.Fatal(err)
	}
	if md, err := m.Metadata(); err != nil || md.Sequence.Stream != later[0].Seq {
		t.Errorf("it reads %+v, %v, want %d", md, err, later[0].Seq)
	}
	narrow(SubjectsErase)
	rep, err = Ensure(ctx, js, DefaultTopology(), 1)
	if err == nil || len(rep.Refused) != 1 || rep.Refused[0].Field != "filter_subject" {
		t.Errorf("another filter: refused %v, %v", rep.Refused, err)
	}
}

func TestEnsureRefusesWhatWouldLose(t *testing.T) {
	js := eventstest.JetStream(t, eventstest.Server(t))
	ctx := testContext(t)
	bad := DefaultTopology().log()
	bad.Storage, bad.Retention = jetstream.MemoryStorage, jetstream.InterestPolicy
	if _, err := js.CreateStream(ctx, bad); err != nil {
		t.Fatal(err)
	}
	rep, err := Ensure(ctx, js, DefaultTopology(), 1)
	wantCode(t, err, schema.CodeUnsupported, true)
	got := map[string]Drift{}
	for _, d := range rep.Refused {
		got[d.Field] = d
	}
	if d := got["storage"]; d.Object != StreamLog || d.Have != "Memory" || d.Want != "File" {
		t.Errorf("storage: %+v", d)
	}
	if _, ok := got["retention"]; !ok {
		t.Errorf("retention is not named: %v", rep.Refused)
	}
}

func TestEnsureDoesNotShrinkBelowWhatIsThere(t *testing.T) {
	ctx, _, js := ensured(t)
	mustAppend(t, ctx, openLog(t, ctx, js), turnEvents(20, "a")...)
	top := DefaultTopology()
	top.LogMaxBytes = 1000
	rep, err := Ensure(ctx, js, top, 1)
	wantCode(t, err, schema.CodeUnsupported, true)
	if len(rep.Refused) != 1 || rep.Refused[0].Field != "max_bytes" {
		t.Errorf("refused %v, want max_bytes of the log", rep.Refused)
	}
	top.LogMaxBytes = 1 << 20
	if rep, err = Ensure(ctx, js, top, 1); err != nil || len(rep.Repaired) != 1 {
		t.Errorf("a bound above what is there: %+v, %v", rep, err)
	}
}

// BackOff overrides AckWait and breaks delayed negative acknowledgements; MaxDeliver would strand messages;
// InactiveThreshold would delete a durable when its stage is scaled to zero.
func TestPitfall06_DurablesLeaveRetriesToTheRunner(t *testing.T) {
	ctx, _, js := ensured(t)
	for _, c := range append(DefaultTopology().Consumers(1), DefaultTopology().WorkConsumers(1)...) {
		cons, err := js.Consumer(ctx, c.Stream, c.Config.Durable)
		if err != nil {
			t.Fatal(err)
		}
		got := cons.CachedInfo().Config
		if len(got.BackOff) > 0 || got.MaxDeliver != -1 || got.InactiveThreshold != 0 || got.AckPolicy != jetstream.AckExplicitPolicy || got.MaxAckPending <= 0 {
			t.Errorf("%s: %+v", c.Config.Durable, got)
		}
	}
}

// A publish into an interest stream without consumers is acknowledged and stores nothing. Ensure must leave no
// moment in which that can happen: a publisher that hammers the subject while Ensure runs loses no message that
// was acknowledged.
func TestPitfall18_NothingIsAcknowledgedBeforeAllDurablesExist(t *testing.T) {
	s := eventstest.Server(t)
	js := eventstest.JetStream(t, s)
	ctx := testContext(t)
	nc := eventstest.Conn(t, s)
	stop, acked := make(chan struct{}), make(chan int, 1)
	go func() {
		n := 0
		for i := 0; ; i++ {
			select {
			case <-stop:
				acked <- n
				return
			default:
			}
			// A plain request: no retries that would paper over a refusal.
			if r, err := nc.Request(WorkSubject(1, schema.OpCleaned, "acme", "u"), []byte("x"), time.Second); err == nil && !isError(r) {
				n++
			}
		}
	}()
	if _, err := Ensure(ctx, js, DefaultTopology(), 1); err != nil {
		t.Fatal(err)
	}
	eventstest.Eventually(t, patience, "a publish after Ensure is stored", func() bool {
		st, err := js.Stream(ctx, WorkStream(1))
		return err == nil && st.CachedInfo().State.Msgs > 10
	})
	close(stop)
	n := <-acked
	st, err := js.Stream(ctx, WorkStream(1))
	if err != nil {
		t.Fatal(err)
	}
	if got := st.CachedInfo().State.Msgs; got != uint64(n) {
		t.Errorf("%d publishes were acknowledged, the stream holds %d", n, got)
	}
}

func isError(m *nats.Msg) bool {
	return m.Header.Get("Status") != "" || len(m.Data) == 0 || string(m.Data[:9]) == `{"error":`
}

// A durable that was removed may have cost messages: everything unsettled is delivered again.
func TestPitfall18_AMissingDurableMeansRecovery(t *testing.T) {
	ctx, _, js := ensured(t)
	put(t, ctx, js, schema.OpCleaned, 1, 0, 0)
	old, err := js.Stream(ctx, WorkStream(1))
	if err != nil {
		t.Fatal(err)
	}
	if err := js.DeleteConsumer(ctx, WorkStream(1), "extract_1"); err != nil {
		t.Fatal(err)
	}
	f, err := OpenFloor(ctx, js, 1, FloorOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Read(ctx)
	wantCode(t, err, schema.CodeUnavailable, false)
	rep, err := Ensure(ctx, js, DefaultTopology(), 1)
	if err != nil || !rep.Recovered {
		t.Fatalf("%+v, %v; want a recovery", rep, err)
	}
	// An acknowledgement of a message of the old stream cannot hit one of the new.
	if s, err := js.Stream(ctx, WorkStream(1)); err != nil || s.CachedInfo().State.FirstSeq <= old.CachedInfo().State.LastSeq {
		t.Errorf("sequences of two incarnations overlap: %+v, %v", s.CachedInfo().State, err)
	}
	if _, err := f.Read(ctx); err != nil {
		t.Error(err)
	}
}

// A server that removed the files of a durable late has removed those of the one that was made in its place: that one can be
// neither changed nor moved, and recovery goes on all the same.
func TestEnsureMovesADurableThatHasLostItsFiles(t *testing.T) {
	dir := t.TempDir()
	ctx, _, js := ensured(t, eventstest.StoreDir(dir))
	l := openLog(t, ctx, js)
	mustAppend(t, ctx, l, turnEvents(5, "a")...)
	files, err := filepath.Glob(filepath.Join(dir, "jetstream", "*", "streams", StreamLog, "obs", "clean_1"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the files of clean are %v, %v", files, err)
	}
	top := DefaultTopology()
	top.ResetGrace = time.Second
	for what, lose := range map[string]func() error{
		"recovery": func() error { return js.DeleteStream(ctx, WorkStream(1)) },
		"refill":   func() error { return nil },
	} {
		if err := errors.Join(os.RemoveAll(files[0]), lose()); err != nil {
			t.Fatal(err)
		}
		if what == "refill" {
			if err := (&ensurer{js: js, t: top}).rewind(ctx, "clean_1", 1); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
		} else if rep, err := Ensure(ctx, js, top, 1); err != nil || !rep.Recovered {
			t.Fatalf("%s: %+v, %v", what, rep, err)
		}
		if _, err := os.Stat(files[0]); err != nil {
			t.Errorf("%s: the durable has no files again: %v", what, err)
		}
		c, err := js.Consumer(ctx, StreamLog, "clean_1")
		if err != nil {
			t.Fatal(err)
		}
		if i := c.CachedInfo(); i.NumPending != 5 || i.Config.FilterSubject != SubjectsLog {
			t.Errorf("%s: %d entries are still to come under %q, want 5", what, i.NumPending, i.Config.FilterSubject)
		}
	}
}

func TestEnsureGoesOnWithAClosedStream(t *testing.T) {
	ctx, _, js := ensured(t)
	top := DefaultTopology()
	if err := js.DeleteStream(ctx, WorkStream(1)); err != nil {
		t.Fatal(err)
	}
	// As a crash between making the stream and opening it leaves it.
	closed := top.Work(1)
	closed.Subjects, closed.FirstSeq = []string{closedSubject(1)}, incarnation()
	if _, err := js.CreateStream(ctx, closed); err != nil {
		t.Fatal(err)
	}
	if _, err := Ensure(ctx, js, top, 1); err != nil {
		t.Fatal(err)
	}
	s, _ := js.Stream(ctx, WorkStream(1))
	if i := s.CachedInfo(); !isOpen(i, top.Work(1)) || i.State.Consumers != 4 || i.Config.FirstSeq != closed.FirstSeq {
		t.Errorf("stream: open %v, %d durables, first %d; want it opened as it was", isOpen(i, top.Work(1)), i.State.Consumers, i.Config.FirstSeq)
	}
}

func TestEnsureReportsForeignDurables(t *testing.T) {
	ctx, _, js := ensured(t)
	if _, err := js.CreateConsumer(ctx, WorkStream(1), jetstream.ConsumerConfig{Durable: "debug"}); err != nil {
		t.Fatal(err)
	}
	rep, err := Ensure(ctx, js, DefaultTopology(), 1)
	if err != nil || len(rep.Foreign) != 1 || rep.Foreign[0] != "SILT_WORK_1/debug" {
		t.Errorf("%+v, %v", rep, err)
	}
}

func TestPruneAndGenerationsBesideEachOther(t *testing.T) {
	ctx, _, js := ensured(t)
	seqs := mustAppend(t, ctx, openLog(t, ctx, js), turnEvents(5, "a")...)
	st := openState(t, ctx, js, StateOptions{})
	for n, from := range []uint64{1: 0, 2: seqs[2]} {
		if n == 0 {
			continue
		}
		if err := st.RegisterGeneration(ctx, Generation{Number: n, From: from}); err != nil {
			t.Fatal(err)
		}
	}
	rep, err := Ensure(ctx, js, DefaultTopology(), 2)
	if err != nil || rep.Start != seqs[2] {
		t.Fatalf("%+v, %v; want a start at %d", rep, err, seqs[2])
	}
	var pending [2]int
	look := func() [2]int { // the server counts an entry a moment after it stored it
		for i := range pending {
			pending[i] = -1
			if c, err := js.Consumer(ctx, StreamLog, Durable(StageClean, i+1)); err == nil {
				pending[i] = int(c.CachedInfo().NumPending)
			}
		}
		return pending
	}
	eventstest.Eventually(t, patience, "5 and 3 to be pending", func() bool { return look() == [2]int{5, 3} })
	f, err := OpenFloor(ctx, js, 2, FloorOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := f.Read(ctx); err != nil || n != seqs[2]-1 {
		t.Errorf("floor of a fresh generation: %d, %v; want %d", n, err, seqs[2]-1)
	}
	for range 2 {
		if err := Prune(ctx, js, 2); err != nil {
			t.Fatal(err)
		}
	}
	if got := look(); got != [2]int{5, -1} {
		t.Errorf("after the prune %v are pending, want 5 and no durable", got)
	}
	if _, err := js.Stream(ctx, WorkStream(2)); err == nil {
		t.Error("the work stream is still there")
	}
}

// A log that was truncated or restored gives its sequences to other events: resuming above a floor that belongs to
// the old ones would skip the new ones.
func TestEnsureRefusesAFloorOfAnotherLog(t *testing.T) {
	ctx, _, js := ensured(t)
	l := openLog(t, ctx, js)
	mustAppend(t, ctx, l, turnEvents(3, "a")...)
	kv, err := js.KeyValue(ctx, BucketState)
	if err != nil {
		t.Fatal(err)
	}
	ev, err := l.Read(ctx, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		Checkpoint
		bad bool
	}{{Checkpoint{2, ev.BodyHash}, false}, {Checkpoint{3, ev.BodyHash}, true}, {Checkpoint{9, ""}, true}} {
		if err := writeCheckpoint(ctx, kv, 1, c.Checkpoint); err != nil {
			t.Fatal(err)
		}
		_, err := Ensure(ctx, js, DefaultTopology(), 1)
		if c.bad {
			wantCode(t, err, schema.CodeCorrupt, true)
		} else if err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
	// Monotone: a lower one does not take its place.
	if err := writeCheckpoint(ctx, kv, 1, Checkpoint{1, ""}); err != nil {
		t.Fatal(err)
	}
	if c, _, err := readCheckpoint(ctx, kv, 1); err != nil || c.Floor != 9 {
		t.Errorf("checkpoint %+v, %v; want 9", c, err)
	}
}

func TestTopologyValidates(t *testing.T) {
	for field, breakIt := range map[string]func(*Topology){
		"replicas":        func(t *Topology) { t.Replicas = 0 },
		"work_replicas":   func(t *Topology) { t.WorkReplicas = 9 },
		"work_storage":    func(t *Topology) { t.WorkStorage = "tape" },
		"work_max_bytes":  func(t *Topology) { t.WorkMaxBytes = 1 },
		"duplicates":      func(t *Topology) { t.Duplicates = 0 },
		"ack_wait":        func(t *Topology) { t.AckWait = 0 },
		"max_ack_pending": func(t *Topology) { t.MaxAckPending = -1 },
		"slot_ttl":        func(t *Topology) { t.SlotTTL = time.Second },
	} {
		top := DefaultTopology()
		breakIt(&top)
		e, ok := top.Validate().(*schema.Error)
		if !ok || e.Field != field {
			t.Errorf("%s: %v", field, top.Validate())
		}
	}
	if err := DefaultTopology().Validate(); err != nil {
		t.Error(err)
	}
}

// A work stream on disk outlives its server: nothing is done again.
func TestAWorkStreamOnDiskNeedsNoRecovery(t *testing.T) {
	dir := t.TempDir()
	ctx := testContext(t)
	top := DefaultTopology()
	top.WorkStorage = "file"
	for life := range 2 {
		s := eventstest.Server(t, eventstest.StoreDir(dir))
		js := eventstest.JetStream(t, s)
		rep, err := Ensure(ctx, js, top, 1)
		if err != nil || rep.Recovered != (life == 0) || len(rep.Repaired) > 0 {
			t.Fatalf("life %d: %+v, %v", life, rep, err)
		}
		f := openFloor(t, ctx, js)
		if life == 0 {
			mustAppend(t, ctx, openLog(t, ctx, js), turnEvents(3, "a")...)
			wantFloor(t, ctx, f, 0)
			var e schema.Envelope
			f.Stamp(&e)
			put(t, ctx, js, schema.OpCleaned, 2, 0, e.Epoch)
			ackLog(t, ctx, js, 3)
		}
		wantFloor(t, ctx, f, 0) // 2 is open, published when nothing was known to be settled
		js.Conn().Close()
		s.Shutdown()
		s.WaitForShutdown()
	}
}

// TestTheModelBeginsWithItsGeneration: a generation that is made while a model is configured is read from its beginning,
// one that was worked on before from what comes then, and a refill reads all again.
func TestTheModelBeginsWithItsGeneration(t *testing.T) {
	s := eventstest.Server(t)
	js := eventstest.JetStream(t, s)
	ctx := t.Context()
	plain := DefaultTopology()
	if _, err := Ensure(ctx, js, plain, 1); err != nil {
		t.Fatal(err)
	}
	l, err := OpenLog(ctx, js)
	if err != nil {
		t.Fatal(err)
	}
	mustAppend(t, ctx, l, turnEvent("acme", "u", "a", "one"), turnEvent("acme", "u", "b", "two"))
	takeAll(t, ctx, js, StreamLog, Durable(StageClean, 1), 2)
	f, err := OpenFloor(ctx, js, 1, FloorOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Checkpoint(ctx); err != nil {
		t.Fatal(err)
	}
	withModel := plain
	withModel.LLM = true
	pending := func(gen int) uint64 {
		t.Helper()
		for range 2 { // and once it stands it stands
			if rep, err := Ensure(ctx, js, withModel, gen); err != nil || len(rep.Repaired) > 0 {
				t.Fatalf("%+v, %v", rep, err)
			}
		}
		c, err := js.Consumer(ctx, StreamLog, Durable(StageLLM, gen))
		if err != nil {
			t.Fatal(err)
		}
		return c.CachedInfo().NumPending
	}
	if n := pending(1); n != 0 {
		t.Errorf("%d old events would be read", n)
	}
	if n := pending(2); n != 2 {
		t.Errorf("a new generation has %d to read", n)
	}
	mustAppend(t, ctx, l, turnEvent("acme", "u", "c", "three"))
	if n := pending(1); n != 1 {
		t.Errorf("%d new events would be read", n)
	}
	takeAll(t, ctx, js, StreamLog, Durable(StageClean, 1), 1)
	if _, err := Refill(ctx, js, withModel, 1); err != nil {
		t.Fatal(err)
	}
	if n := pending(1); n != 3 {
		t.Errorf("after the index was lost %d are read", n)
	}
	if err := Prune(ctx, js, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := js.Consumer(ctx, StreamLog, Durable(StageLLM, 1)); err == nil {
		t.Error("the durable outlives its generation")
	}
}
