package rows

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/siltstone-ai/siltstone/internal/retrieve"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// history is a log with something of everything: facts that supersede one another, tools, duplicates, what is forgotten
// and stated again, edits and pins.
func history(n int) []schema.Turn {
	turns := []schema.Turn{
		turn("rule", "Never deploy on Fridays.", "OK."), turn("cello", "My cello was built in Cremona.", "A fine place."),
		turn("plain", "!", "Hm."), turn("diary", "My diary is kept in the walnut bureau.", "Noted."),
		turn("paris", "I live in Paris.", "OK."), turn("tool", "Read it.", "Done.", tool("web_fetch", "<p>The shop opens at nine.</p>")),
		turn("zh", "我对花生过敏，住在上海。", "记住了。"),
	}
	for i := range n {
		t := turn(fmt.Sprintf("n%03d", i), fmt.Sprintf("Locker %d holds the blue folder number %d.", i, 7*i), "Noted.")
		t.User, t.Conversation = fmt.Sprintf("user-%d", i%(7+n/30)), fmt.Sprintf("c-%d", i%5)
		t.At = t.At.Add(time.Duration(i%50) * time.Second) // not in the order of the log, and many at once
		switch i % 9 {
		case 3:
			t.Input = fmt.Sprintf("I live in %s now.", []string{"Oslo", "Lima", "Kyoto"}[i%3])
		case 6:
			t.Input = "我现在住在" + []string{"北京", "成都", "广州"}[i%3] + "。"
		case 8:
			t.Input = "Please remember that I prefer tea."
		}
		turns = append(turns, t)
	}
	return turns
}

// turnsVariable holds how many turns the tests of replays take, for a long run (make replay).
const turnsVariable = "SILTSTONE_TEST_REPLAY_TURNS"

func replayTurns(t testing.TB) int {
	v := os.Getenv(turnsVariable)
	if v == "" {
		return 200
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		t.Fatalf("%s: %v", turnsVariable, err)
	}
	return n
}

// sameHash fails the test unless two generations hold the same, and shows where they differ.
func sameHash(t *testing.T, c *stacktest.Tenant, want schema.Snapshot, generation int) {
	t.Helper()
	got := c.Hash(generation)
	for i := range got.Collections {
		if got.Collections[i] != want.Collections[i] {
			t.Errorf("generation %d: %+v, want %+v", generation, got.Collections[i], want.Collections[i])
		}
	}
	if got.Hash != want.Hash {
		t.Fatalf("generation %d: hash %s, want %s\n%s", generation, got.Hash, want.Hash, strings.Join(c.Stack.Differences(t, want.Generation, generation, 3), "\n"))
	}
}

// fill publishes a history and everything else that a log may hold, and returns how long the turns took.
func fill(t *testing.T, c *stacktest.Tenant, n int) time.Duration {
	t.Helper()
	ctx := t.Context()
	begun := time.Now()
	turns := history(n)
	for len(turns) > 0 {
		some := min(len(turns), 1000)
		piece := turns[:some]
		stacktest.Eventually(t, "a piece of the history to be taken", func() error { // once, whatever a busy machine refuses for now
			if r := c.PutMany(piece); len(r.Rejected) > 0 {
				return fmt.Errorf("%d lines are rejected: %+v", len(r.Rejected), r.Rejected[0])
			}
			return nil
		})
		turns = turns[some:]
	}
	c.Settle()
	took := time.Since(begun)
	done := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := c.Forget(ctx, schema.Forget{User: "ann", Match: "walnut bureau"})
	done(err)
	w, err := c.Remember(ctx, schema.MemoryWrite{User: "ann", Type: schema.TypePreference, Content: "Prefers short answers."})
	done(err)
	c.Settle()
	_, err = c.EditMemory(ctx, "ann", w.ID, schema.MemoryPatch{Content: "Prefers very short answers."})
	done(err)
	p, err := c.Pin(ctx, schema.Pin{User: "ann", Content: "Answer in English."})
	done(err)
	_, err = c.Pin(ctx, schema.Pin{User: "ann", Content: "Mind the dog."})
	done(err)
	c.Settle()
	_, err = c.Unpin(ctx, "ann", p.ID)
	done(err)
	_, err = c.Forget(ctx, schema.Forget{User: "user-3", Before: day.Add(-time.Hour + 20*time.Second)})
	done(err)
	c.Put(turn("again", "My diary is in the attic.", "Noted."), turn("paris2", "I live in Berlin now.", "OK."))
	_, err = c.Archive(ctx, schema.Archive{User: "ann", IDs: []string{"tool", "zh", "paris", "plain", "again"}})
	done(err)
	_, err = c.Forget(ctx, schema.Forget{User: "ann", IDs: []string{"again"}})
	done(err)
	return took
}

func TestB3_AReplayGivesTheSamePoints(t *testing.T) {
	n := replayTurns(t)
	cfg := stacktest.Config(filepath.Join(t.TempDir(), "data"))
	s := stacktest.Up(t, cfg)
	c := s.As(t, "")
	first := fill(t, c, n)
	want := c.Hash(1)
	if want.Collections[0].Points < uint64(n) || want.Collections[2].Points < 20 {
		t.Fatalf("too little to compare: %+v", want)
	}
	begun := time.Now()
	job := c.Replayed(schema.ReplayRequest{})
	t.Logf("%d turns: ingested in %v, replayed in %v", n, first.Round(time.Millisecond), time.Since(begun).Round(time.Millisecond))
	if r := job.Replay.Report; r == nil || r.Asked == 0 || r.Same != r.Asked || r.Collections[0].Before != r.Collections[0].Now {
		t.Errorf("what was compared: %+v", r)
	}
	sameHash(t, c, want, 2)

	// With more workers, of which one loses its vector store for a while, and with every derived message twice, once more
	// later: still the same.
	more := s.Connect(t)
	wire := stacktest.NewProxy(t, more.Qdrant.Addr)
	more.Data, more.Roles, more.Log.Level = t.TempDir(), []string{"distiller"}, "debug"
	more.Qdrant.Addr, more.Pipeline.Window = wire.Addr, 3
	more.NATS.MaxWork = cfg.NATS.MaxWork
	other := stacktest.Up(t, more)
	copies := duplicate(t, s, "silt.work.3.>")
	id, err := c.Replay(t.Context(), schema.ReplayRequest{})
	if err != nil {
		t.Fatal(err)
	}
	until := func(what string, ok func(schema.Job) bool) {
		stacktest.Eventually(t, what, func() error {
			j, err := c.Job(t.Context(), id)
			if err == nil && j.State == schema.JobRunning && !ok(j) {
				err = fmt.Errorf("%d done", j.Done)
			}
			return err
		})
	}
	until("the replay to get on", func(j schema.Job) bool { return j.Done >= uint64(n)/5 })
	wire.Cut() // what the other one holds is open until it is mended, so the floor does not pass it
	until("the other one to stand", func(schema.Job) bool { return strings.Contains(other.Logs.String(), "stage waits for what it needs") })
	wire.Mend()
	c.Finished(id)
	stacktest.Eventually(t, "no copy to be on its way", func() error {
		if st := c.Settle(); copies.Load() < int64(n) {
			return fmt.Errorf("only %d copies, %+v", copies.Load(), st.Stages)
		}
		return nil
	})
	sameHash(t, c, want, 3)
}

// Stages that run twice, in the process that runs them all and each in one more of its own, share a replay, and the points
// are the same.
func TestB3_AReplayGivesTheSamePointsWithStagesAddedTwice(t *testing.T) {
	cfg := stacktest.Config(filepath.Join(t.TempDir(), "data"))
	cfg.Pipeline.Window = 8 // so that nobody takes everything at once
	s := stacktest.Up(t, cfg)
	c := s.As(t, "")
	fill(t, c, 120)
	want := c.Hash(1)
	second := map[string]*stacktest.Stack{}
	for _, stage := range []string{"clean", "vectorize", "extract", "distill", "decide"} {
		more := s.Connect(t)
		more.Data, more.Roles, more.Stages = t.TempDir(), []string{"distiller"}, []string{stage}
		more.Pipeline.Window, more.NATS.MaxWork = cfg.Pipeline.Window, cfg.NATS.MaxWork
		second[stage] = stacktest.Up(t, more)
	}
	c.Replayed(schema.ReplayRequest{})
	for stage, p := range second {
		if p.Handled(t, stage) == 0 {
			t.Errorf("the second process of %s did nothing", stage)
		}
	}
	sameHash(t, c, want, 2)
}

// duplicate publishes what is published on subject once more, as another message, and some of it much later.
func duplicate(t *testing.T, s *stacktest.Stack, subject string) *atomic.Int64 {
	t.Helper()
	nc := stacktest.Dial(t, s.Connect(t))
	copies := &atomic.Int64{}
	_, err := nc.Subscribe(subject, func(m *nats.Msg) {
		if m.Header.Get("Test-Copy") != "" {
			return
		}
		again := &nats.Msg{Subject: m.Subject, Data: m.Data, Header: nats.Header{"Test-Copy": {"1"}}}
		for k, v := range m.Header {
			if strings.HasPrefix(k, "Silt-") {
				again.Header[k] = v
			}
		}
		send := func() { _ = nc.PublishMsg(again); copies.Add(1) } // what the full stream refuses is no copy, which is as well
		if copies.Load()%3 == 0 {
			time.AfterFunc(300*time.Millisecond, send)
		} else {
			send()
		}
	})
	if err == nil {
		err = nc.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	return copies
}

func TestB3_ASwitchUnderLoadFailsNoQuery(t *testing.T) {
	n := replayTurns(t)
	s := stacktest.Up(t, stacktest.Config(filepath.Join(t.TempDir(), "data")))
	c := s.As(t, "")
	fill(t, c, n)

	load, stop := context.WithCancel(t.Context())
	defer stop()
	var wg sync.WaitGroup
	var asked, published, slow atomic.Int64
	limits := retrieve.Defaults()
	shortest := float64(min(limits.Cache, limits.Embed, limits.Path).Milliseconds())
	errSlow := errors.New("a path had no time left") // which a busy machine may do, and no switch
	query := func() error {
		r, err := c.Query(t.Context(), ask("Where was the cello built?"))
		if err == nil && len(r.Degraded) > 0 && r.TookMS >= shortest {
			slow.Add(1)
			return errSlow
		}
		if err != nil || len(r.Degraded) > 0 || len(r.Items) == 0 || !strings.Contains(r.Items[0].Content, "Cremona") || !strings.Contains(r.Block, "Cremona") {
			return fmt.Errorf("%v, degraded %v, items %v", err, r.Degraded, contents(r.Items))
		}
		return nil
	}
	for range 2 {
		wg.Go(func() {
			for load.Err() == nil {
				switch err := query(); {
				case err == nil:
					asked.Add(1)
				case !errors.Is(err, errSlow):
					t.Errorf("query %d: %v", asked.Load(), err)
					return
				}
			}
		})
	}
	wg.Go(func() {
		for i := 0; load.Err() == nil; i++ {
			x := turn(fmt.Sprintf("live%d", i), fmt.Sprintf("Crate %d went to dock %d.", i, i%9), "Noted.")
			x.User = fmt.Sprintf("user-%d", i%7)
			if _, err := c.Publish(t.Context(), x); err != nil {
				t.Errorf("publish: %v", err)
				return
			}
			published.Add(1)
		}
	})
	job := c.Replayed(schema.ReplayRequest{Switch: true})
	if job.Replay.Report.Withheld != "" {
		t.Fatalf("withheld: %+v", job.Replay.Report)
	}
	stacktest.Eventually(t, "the switch", func() error {
		l, err := c.Replays(t.Context())
		if err == nil && l.Active != 2 {
			err = fmt.Errorf("%d is active", l.Active)
		}
		return err
	})
	further := asked.Load() + 40
	stacktest.Eventually(t, "queries after the switch", func() error {
		if asked.Load() < further && !t.Failed() {
			return fmt.Errorf("%d", asked.Load())
		}
		return nil
	})
	stop()
	wg.Wait()
	t.Logf("%d queries and %d turns meanwhile, compared: %+v; %d replies were degraded for want of time", asked.Load(), published.Load(), job.Replay.Report, slow.Load())
	ledger := c.Settle().Ledger
	stacktest.Balanced(t, ledger)
	sameHash(t, c, c.Hash(1), 2) // the old one has got everything too

	back, err := c.Rollback(t.Context(), schema.SwitchRequest{})
	if err != nil || back.Replay.Generation != 1 {
		t.Fatalf("rollback: %+v, %v", back, err)
	}
	stacktest.Eventually(t, "the ledger of the old one", func() error {
		if err := query(); err != nil && !errors.Is(err, errSlow) {
			t.Error(err)
		}
		if st := c.Settle(); st.Ledger != ledger {
			return fmt.Errorf("%+v, want %+v", st.Ledger, ledger)
		}
		return nil
	})
	if _, err := c.Switch(t.Context(), schema.SwitchRequest{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Prune(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	stacktest.Eventually(t, "the old one to be gone", func() error {
		j, err := c.Job(t.Context(), "replay-1")
		l, err2 := c.Replays(t.Context())
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		if j.State != schema.JobGone || len(l.Jobs) != 1 {
			return fmt.Errorf("%+v", l.Jobs)
		}
		return nil
	})
	for _, e := range s.Scan(t).Everything() {
		for _, of := range []string{"events_1", "passages_1", "facts_1", "triples_1", "silt:1:g1:", "SILT_WORK_1"} {
			if strings.Contains(e.Where, of) {
				t.Errorf("%s is left: %.200s", e.Where, e.Text)
			}
		}
	}
	if err := query(); err != nil && !errors.Is(err, errSlow) {
		t.Error(err)
	}
	// A number is not used again, and a start does not bring back what is gone.
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	s = stacktest.Up(t, s.Config)
	c = s.As(t, "")
	if id, err := c.Replay(t.Context(), schema.ReplayRequest{From: "2", To: "3"}); err != nil || id != "replay-3" {
		t.Errorf("the next replay is %q, %v", id, err)
	}
	c.Finished("replay-3")
	if l, err := c.Replays(t.Context()); err != nil || l.Active != 2 || len(l.Jobs) != 2 {
		t.Errorf("after a start: %+v, %v", l, err)
	}
}

func TestB3_AReplayEmbedsNothingTwice(t *testing.T) {
	e := stacktest.NewEmbedder(t)
	cfg := stacktest.Config(filepath.Join(t.TempDir(), "data"))
	cfg.Embed.URL, cfg.Embed.Model, cfg.Embed.Dim, cfg.Embed.PassagePrefix = e.URL, "words", stacktest.Dim, stacktest.PassagePrefix
	s := stacktest.Up(t, cfg)
	fill(t, s.As(t, ""), 100)
	want := s.As(t, "").Hash(1)
	made, again := e.Passages.Load(), e.Again.Load()
	if made < 60 { // what is said twice is embedded once
		t.Fatalf("only %d passages embedded", made)
	}
	restart := func(lose ...string) *stacktest.Tenant { // the cache in memory is gone too
		t.Helper()
		if err := s.Stop(); err != nil {
			t.Fatal(err)
		}
		for _, dir := range lose {
			if err := os.RemoveAll(filepath.Join(cfg.Data, dir)); err != nil {
				t.Fatal(err)
			}
		}
		s = stacktest.Up(t, cfg)
		return s.As(t, "")
	}
	c := restart()
	job := c.Replayed(schema.ReplayRequest{Switch: true})
	sameHash(t, c, want, job.Replay.Generation)
	c = restart("vectors")
	c.Settle()
	sameHash(t, c, want, job.Replay.Generation)
	if got := e.Again.Load(); got != again { // not their number: what is archived and forgotten at once may get as far as a document, or not
		t.Errorf("%d passages were embedded again", got-again)
	}
	made = e.Passages.Load()
	if c.Put(turn("new", "A brand new sentence about a lighthouse.", "I see.")); e.Passages.Load() == made {
		t.Error("what is new is not embedded, so nothing is shown")
	}
}
