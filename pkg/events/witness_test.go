package events

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// memoryWitness is a WitnessStore that outlives servers.
type memoryWitness struct {
	mu   sync.Mutex
	vals map[string][]byte
}

func (m *memoryWitness) Load(_ context.Context, key string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.vals[key], nil
}

func (m *memoryWitness) Save(_ context.Context, key string, value []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if value == nil {
		delete(m.vals, key)
		return nil
	}
	m.vals[key] = slices.Clone(value)
	return nil
}

func (m *memoryWitness) Keys(context.Context) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Keys(m.vals)), nil
}

// life is one run of a server on a directory that outlives it.
type life struct {
	t     *testing.T
	dir   string
	store WitnessStore

	server *server.Server
	js     jetstream.JetStream
	log    *Log
}

func beginLife(t *testing.T) *life {
	l := &life{t: t, dir: t.TempDir(), store: &memoryWitness{vals: map[string][]byte{}}}
	l.start()
	return l
}

func (l *life) start() {
	l.t.Helper()
	l.server = eventstest.Server(l.t, eventstest.StoreDir(l.dir), eventstest.SyncAlways())
	l.js = eventstest.JetStream(l.t, l.server)
}

func (l *life) ensure() {
	l.t.Helper()
	if _, err := Ensure(l.t.Context(), l.js, DefaultTopology(), 0); err != nil {
		l.t.Fatal(err)
	}
	l.log = openLog(l.t, l.t.Context(), l.js)
}

func (l *life) stop() {
	l.js.Conn().Close()
	l.server.Shutdown()
	l.server.WaitForShutdown()
}

// put appends and witnesses n turns.
func (l *life) put(n int, prefix string) []uint64 {
	l.t.Helper()
	seqs := mustAppend(l.t, l.t.Context(), l.log, turnEvents(n, prefix)...)
	l.advance(l.fresh())
	return seqs
}

func (l *life) fresh() *Witness {
	l.t.Helper()
	w := NewWitness(l.js, l.store, WitnessOptions{Log: slog.New(slog.DiscardHandler)})
	if err := w.Check(l.t.Context()); err != nil {
		l.t.Fatal(err)
	}
	return w
}

func (l *life) advance(w *Witness) {
	l.t.Helper()
	if err := w.Advance(l.t.Context()); err != nil {
		l.t.Fatal(err)
	}
}

// wantFaults compares what w found with kinds and ranges.
func wantFaults(t *testing.T, w *Witness, want ...schema.LogFault) {
	t.Helper()
	got := w.State().Faults
	for i := range got {
		got[i].Detail = ""
	}
	if !slices.Equal(got, want) {
		t.Fatalf("found %+v, want %+v", got, want)
	}
	if (w.Err() != nil) != (len(want) > 0) {
		t.Errorf("error %v beside %v", w.Err(), want)
	}
}

func logFault(k schema.LogFaultKind, from, to uint64) schema.LogFault {
	return schema.LogFault{Kind: k, From: from, To: to}
}

func TestTheWitnessFindsNothingOnALogThatGrows(t *testing.T) {
	l := beginLife(t)
	wantFaults(t, l.fresh()) // no stream yet
	l.ensure()
	w := l.fresh()
	for i := range 3 {
		mustAppend(t, t.Context(), l.log, turnEvents(20, string(rune('a'+i)))...)
		l.advance(w)
	}
	if s := w.State(); s.Witnessed != 60 || s.Last != 60 || s.Held {
		t.Errorf("state %+v", s)
	}
	l.stop()
	l.start()
	w = l.fresh()
	wantFaults(t, w)
	if s := w.State(); s.Checked < 60 {
		t.Errorf("%d entries were read at the start, want all 60", s.Checked)
	}
}

// An entry that is removed behind our back is missing, until it is accepted; an erasure names what it removes.
func TestTheWitnessMissesWhatNoErasureNames(t *testing.T) {
	l := beginLife(t)
	l.ensure()
	seqs := l.put(20, "a")
	w := l.fresh()
	s, err := l.js.Stream(t.Context(), StreamLog)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{4, 5, 6, 11} {
		if err := s.SecureDeleteMsg(t.Context(), seqs[i]); err != nil {
			t.Fatal(err)
		}
	}
	want := []schema.LogFault{logFault(schema.LogMissing, 5, 7), logFault(schema.LogMissing, 12, 12)}
	l.advance(w)
	wantFaults(t, w, want...)
	if w.State().Held {
		t.Error("the log is held for missing entries")
	}
	wantFaults(t, l.fresh(), want...)

	body, err := json.Marshal(schema.Erasure{ID: "e1", Sequences: []schema.SequenceRange{{From: 5, To: 6}, {From: 12, To: 12}}})
	if err != nil {
		t.Fatal(err)
	}
	ev := turnEvent("acme", "", "e1", string(body))
	ev.Op, ev.Class = schema.OpErase, schema.ClassOperator
	mustAppend(t, t.Context(), l.log, ev)
	l.advance(w)
	wantFaults(t, w, logFault(schema.LogMissing, 7, 7))
	if held, err := w.Accept(t.Context()); held || err != nil {
		t.Fatal(held, err)
	}
	l.advance(w)
	wantFaults(t, w)
	l.stop()
	l.start()
	l.ensure()
	w = l.fresh()
	wantFaults(t, w)
	// What is accepted is not all that can go.
	if err := l.mustStream().DeleteMsg(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	l.advance(w)
	wantFaults(t, w, logFault(schema.LogMissing, 1, 1))
}

func (l *life) mustStream() jetstream.Stream {
	l.t.Helper()
	s, err := l.js.Stream(l.t.Context(), StreamLog)
	if err != nil {
		l.t.Fatal(err)
	}
	return s
}

// What a limit of the stream itself lets go is no fault, and stays none once the limit is lifted.
func TestTheWitnessLetsTheStreamsOwnLimitsExpireEntries(t *testing.T) {
	l := beginLife(t)
	l.ensure()
	l.put(30, "a")
	cfg := l.mustStream().CachedInfo().Config
	cfg.MaxMsgs, cfg.Discard = 10, jetstream.DiscardOld
	if _, err := l.js.UpdateStream(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	eventstest.Eventually(t, patience, "entries to expire", func() bool { return l.mustStream().CachedInfo().State.FirstSeq == 21 })
	w := l.fresh()
	wantFaults(t, w)
	cfg.MaxMsgs, cfg.Discard = -1, jetstream.DiscardNew
	if _, err := l.js.UpdateStream(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	l.advance(w)
	wantFaults(t, w)
	wantFaults(t, l.fresh())
	if err := l.mustStream().Purge(t.Context(), jetstream.WithPurgeSequence(25)); err != nil {
		t.Fatal(err)
	}
	wantFaults(t, l.fresh(), logFault(schema.LogMissing, 21, 24))
}

// A log that ends early is held: it would give out its sequences again. Where it went on all the same, other entries have
// the places of those that were witnessed.
func TestTheWitnessHoldsALogThatWasCut(t *testing.T) {
	l := beginLife(t)
	l.ensure()
	l.put(20, "a")
	l.stop()
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(l.dir)); err != nil {
		t.Fatal(err)
	}
	l.start()
	l.ensure()
	l.put(20, "b")
	l.stop()
	l.dir = copied
	l.start()
	l.ensure()
	w := l.fresh()
	wantFaults(t, w, logFault(schema.LogShortened, 21, 40))
	if !w.State().Held || !strings.Contains(w.Err().Error(), "ends at 20") {
		t.Errorf("held %v: %v", w.State().Held, w.Err())
	}
	mustAppend(t, t.Context(), l.log, turnEvents(30, "c")...)
	l.advance(w) // does nothing on what is held
	w = l.fresh()
	if s := w.State(); !s.Held || s.Faults[0].Kind != schema.LogSwapped || s.Faults[0].From != 21 || s.Witnessed != 40 {
		t.Errorf("the log went on: %+v", s)
	}
	if held, err := w.Accept(t.Context()); !held || err != nil {
		t.Fatal(held, err)
	}
	l.advance(w)
	w = l.fresh()
	wantFaults(t, w)
	if s := w.State(); s.Witnessed != 50 {
		t.Errorf("witnessed anew to %d", s.Witnessed)
	}
}

// Another log in the place of the one that was witnessed is found, whatever its length.
func TestTheWitnessHoldsALogThatWasSwapped(t *testing.T) {
	for name, n := range map[string]int{"shorter": 5, "as long": 20, "longer": 40} {
		t.Run(name, func(t *testing.T) {
			l := beginLife(t)
			l.ensure()
			l.put(20, "a")
			if err := l.js.DeleteStream(t.Context(), StreamLog); err != nil {
				t.Fatal(err)
			}
			w := l.fresh()
			wantFaults(t, w, logFault(schema.LogShortened, 1, 20))
			l.ensure()
			mustAppend(t, t.Context(), l.log, turnEvents(n, "other")...)
			w = l.fresh()
			fs := w.State().Faults
			if !w.State().Held || !slices.ContainsFunc(fs, func(f schema.LogFault) bool { return f.Kind == schema.LogSwapped && f.From == 1 }) {
				t.Errorf("found %+v", fs)
			}
		})
	}
}

// A flipped byte on the disk: the server says nothing, and passes over the entry or loses what follows it.
func TestTheWitnessFindsAFlippedByteOnTheDisk(t *testing.T) {
	for name, index := range map[string]bool{"with the server's index": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			l := beginLife(t)
			l.ensure()
			l.put(60, "flip")
			l.stop()
			blocks, err := filepath.Glob(filepath.Join(l.dir, "jetstream/$G/streams", StreamLog, "msgs/*.blk"))
			if err != nil || len(blocks) == 0 {
				t.Fatalf("blocks %v, %v", blocks, err)
			}
			raw, err := os.ReadFile(blocks[0])
			if err != nil {
				t.Fatal(err)
			}
			at := bytes.Index(raw, []byte(`{"input":"flip30"}`))
			if at < 0 {
				t.Fatal("the entry is not in the block")
			}
			raw[at+12] ^= 1
			if err := os.WriteFile(blocks[0], raw, 0o600); err != nil {
				t.Fatal(err)
			}
			if !index {
				if err := os.Remove(filepath.Join(filepath.Dir(blocks[0]), "index.db")); err != nil {
					t.Fatal(err)
				}
			}
			l.start()
			w := l.fresh()
			s := w.State()
			if len(s.Faults) == 0 {
				t.Fatalf("nothing was found: %+v", s)
			}
			t.Logf("found %v", s.Faults)
			if index {
				wantFaults(t, w, logFault(schema.LogDamaged, 31, 31))
			} else if !s.Held {
				t.Errorf("a log that lost its end is not held: %+v", s)
			}
		})
	}
}

// Damage far from the end is found by reading everything, and is known to the next start.
func TestTheWitnessRemembersDamage(t *testing.T) {
	l := beginLife(t)
	l.ensure()
	body := []byte(`{"input":"no hash of mine"}`)
	h := Headers(func() schema.Envelope {
		ev := turnEvent("acme", "u", "bad", "x")
		ev.Version, ev.BodyHash = 1, schema.Hash([]byte("other"))
		return ev.Envelope
	}())
	m := entry{subject: LogSubject("acme", "u", schema.OpTurn), header: h, body: body, uuid: schema.EventUUID("acme", "bad")}
	if _, err := l.js.PublishMsg(t.Context(), m.msg()); err != nil {
		t.Fatal(err)
	}
	for i := range 9 {
		mustAppend(t, t.Context(), l.log, turnEvents(1000, "x"+string(rune('a'+i)))...)
	}
	w := l.fresh()
	l.advance(w)
	wantFaults(t, w)
	var done uint64
	if err := w.Verify(t.Context(), func(d, total uint64) { done = d }); err != nil || done != 9001 {
		t.Fatal(done, err)
	}
	wantFaults(t, w, logFault(schema.LogDamaged, 1, 1))
	w = l.fresh()
	wantFaults(t, w, logFault(schema.LogDamaged, 1, 1))
	if held, err := w.Accept(t.Context()); held || err != nil {
		t.Fatal(held, err)
	}
	wantFaults(t, l.fresh())
}

// Processes that share a bucket witness one log together.
func TestWitnessesShareABucket(t *testing.T) {
	l := beginLife(t)
	l.ensure()
	var all []*Witness
	for range 3 {
		w := NewWitness(l.js, NewWitnessBucket(l.js), WitnessOptions{Log: slog.New(slog.DiscardHandler)})
		if err := w.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		all = append(all, w)
	}
	for i := range 4 {
		mustAppend(t, t.Context(), l.log, turnEvents(1500, "x"+string(rune('a'+i)))...)
		var wg sync.WaitGroup
		for _, w := range all {
			wg.Go(func() {
				if err := w.Advance(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	for _, w := range all {
		eventstest.Eventually(t, patience, "a witness to catch up", func() bool {
			return w.Advance(t.Context()) == nil && w.State().Witnessed == 6000
		})
		wantFaults(t, w)
	}
	l.store = NewWitnessBucket(l.js)
	w := l.fresh()
	wantFaults(t, w)
	if s := w.State(); s.Witnessed != 6000 {
		t.Errorf("witnessed to %d", s.Witnessed)
	}
	if err := w.Verify(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	wantFaults(t, w)
}

// A witness that was damaged itself accuses nobody.
func TestADamagedWitnessSaysSo(t *testing.T) {
	l := beginLife(t)
	l.ensure()
	l.put(20, "a")
	store := l.store.(*memoryWitness)
	key := keyBlock + "0000000000"
	store.vals[key] = bytes.Replace(store.vals[key], []byte(`"tags":"`), []byte(`"tags":"AAAA`), 1)
	err := NewWitness(l.js, l.store, WitnessOptions{Log: slog.New(slog.DiscardHandler)}).Check(t.Context())
	wantCode(t, err, schema.CodeCorrupt, true)
	if !strings.Contains(err.Error(), "witness") {
		t.Error(err)
	}
}

// BenchmarkWitness measures what it costs to witness entries that were appended: headers are read, the tags of a block kept.
func BenchmarkWitness(b *testing.B) {
	ctx, _, js := ensured(b)
	l := openLog(b, ctx, js)
	const n = 10_000
	pad := strings.Repeat("x", 1000)
	for from := 0; from < n; from += 1000 {
		evs := turnEvents(1000, "w"+strconv.Itoa(from)+"-")
		for i := range evs {
			evs[i].Body = []byte(`{"input":"` + pad + `"}`)
		}
		mustAppend(b, ctx, l, evs...)
	}
	for b.Loop() {
		w := NewWitness(js, &memoryWitness{vals: map[string][]byte{}}, WitnessOptions{Log: slog.New(slog.DiscardHandler)})
		if err := w.Advance(ctx); err != nil || w.State().Witnessed != n {
			b.Fatal(w.State(), err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/n, "µs/entry")
}
