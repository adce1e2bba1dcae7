package rows

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/internal/embedded/qdrantd"
	"github.com/siltstone-ai/siltstone/internal/llm/llmtest"
	"github.com/siltstone-ai/siltstone/internal/scour"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// modelled is a stack whose language model is s.
func modelled(t *testing.T, dir string, s *llmtest.Server, change ...func(*config.Config)) (*stacktest.Stack, *stacktest.Tenant) {
	t.Helper()
	cfg := stacktest.Config(dir)
	cfg.LLM.URL, cfg.LLM.Model, cfg.LLM.Timeout = s.URL, "fake", 5*time.Second
	for _, f := range change {
		f(&cfg)
	}
	up := stacktest.Up(t, cfg)
	return up, up.As(t, "")
}

// homes answers that somebody's home is the word behind "calling" or before 当成.
func homes(w http.ResponseWriter, r *llmtest.Request) {
	text := r.Text()
	if _, rest, ok := strings.Cut(text, "calling "); ok {
		place, _, _ := strings.Cut(rest, " ")
		llmtest.Statements(w, schema.Reading{Quote: "calling " + place, Subject: "user", Predicate: "lives_in", Value: place})
		return
	}
	if place, _, ok := strings.Cut(text, "早就被我当成"); ok {
		llmtest.Statements(w, schema.Reading{Quote: place, Subject: "user", Predicate: "lives_in", Value: place})
		return
	}
	llmtest.Statements(w)
}

// readBy waits until the model is through with an event, and returns what became of it.
func readBy(t *testing.T, c *stacktest.Tenant, id, outcome string) schema.EventStatus {
	t.Helper()
	var st schema.EventStatus
	stacktest.Eventually(t, "the model to be through with "+id, func() error {
		if st = c.What(id); st.Model == nil || st.Model.Outcome != outcome {
			return fmt.Errorf("it is %+v", st.Model)
		}
		return nil
	})
	return st
}

func lives(c *stacktest.Tenant, user string) (out []string) {
	for _, it := range c.All(schema.MemoryQuery{User: user, Status: "active"}) {
		if strings.HasPrefix(it.Rule, schema.RuleModel) {
			out = append(out, it.Content)
		}
	}
	return out
}

// answers counts what is kept of what a model answered.
func answers(t *testing.T, up *stacktest.Stack) func() uint64 {
	t.Helper()
	js, err := jetstream.New(stacktest.Dial(t, up.Connect(t)))
	if err != nil {
		t.Fatal(err)
	}
	return func() uint64 {
		t.Helper()
		str, err := js.Stream(t.Context(), "KV_"+events.BucketReadings)
		if err != nil {
			t.Fatal(err)
		}
		return str.CachedInfo().State.Msgs
	}
}

// What a model points out is there, says who pointed it out, and is there again after a replay, a restart and a loss of the
// index without another call; an erasure takes it along.
func TestAModelIsAskedOnce(t *testing.T) {
	s := llmtest.New(t)
	s.Answer(homes)
	dir := filepath.Join(t.TempDir(), "data")
	up, c := modelled(t, dir, s)
	zh := turn("zh", "苏州园区早就被我当成家了。", "真好。")
	zh.User = "wang"
	c.Put(turn("en", "Been calling Kilkenny42 my home for ages. My key is sk-proj-"+strings.Repeat("Zq9", 14)+".", "Nice.", tool("web", "I have been calling Oslo home.")), zh, turn("none", "Thanks!", "Sure."))
	st := readBy(t, c, "en", schema.ModelRead)
	if st.State != "indexed" || st.Model.Facts != 1 || st.Model.Model != "fake" {
		t.Errorf("%+v, %+v", st, st.Model)
	}
	readBy(t, c, "zh", schema.ModelRead)
	readBy(t, c, "none", schema.ModelRead)
	if got := append(lives(c, "ann"), lives(c, "wang")...); len(got) != 2 || !strings.Contains(got[0], "Kilkenny42") || !strings.Contains(got[1], "苏州园区") {
		t.Errorf("%q", got)
	}
	if it, ok := stacktest.Find(c.Ask(ask("Where is my home?")).Items, "Kilkenny42"); !ok || it.Type == "" {
		t.Error("a query does not find it")
	}
	calls := len(s.Requests())
	if calls != 3 {
		t.Errorf("%d calls for three turns", calls)
	}
	for _, r := range s.Requests() {
		if strings.Contains(r.Text(), "Zq9") || strings.Contains(r.Text(), "Oslo") {
			t.Errorf("the model is told %q", r.Text())
		}
	}
	job := c.Replayed(schema.ReplayRequest{From: "start", Switch: true})
	again := func(what string) {
		t.Helper()
		stacktest.Eventually(t, "the facts "+what, func() error {
			if got := append(lives(c, "ann"), lives(c, "wang")...); len(got) != 2 {
				return fmt.Errorf("%q", got)
			}
			return nil
		})
		if n := len(s.Requests()); n != calls {
			t.Errorf("%s: %d more calls", what, n-calls)
		}
	}
	if job.Replay == nil {
		t.Fatalf("%+v", job)
	}
	again("after a replay")
	readBy(t, c, "none", schema.ModelRead)
	if a, b := c.Hash(1), c.Hash(2); a.Hash != b.Hash {
		t.Errorf("the generations differ: %v", up.Differences(t, 1, 2, 5))
	}
	if err := up.Stop(); err != nil {
		t.Fatal(err)
	}
	up, c = modelled(t, dir, s)
	again("after a restart")
	kept := answers(t, up)
	if n := kept(); n != 3 {
		t.Errorf("%d answers are kept", n)
	}
	rep := erase(t, c, schema.EraseRequest{User: "ann", Verify: true})
	if n := kept(); n != 1 {
		t.Errorf("%d answers are kept after the erasure", n)
	}
	if rep.Check == nil || rep.Check.Hits > 0 {
		t.Errorf("%+v, %+v", rep, rep.Check)
	}
	if found, err := scour.Search(t.Context(), dir, []string{"Kilkenny42"}, qdrantd.Contents); err != nil || found.Hits > 0 {
		t.Errorf("%+v, %v", found, err)
	}
	if got := lives(c, "wang"); len(got) != 1 {
		t.Errorf("of the other is left %q", got)
	}
}

// Who is erased while the model thinks is not answered about afterwards: nothing of the answer is kept, or remembered.
func TestAnErasureReachesTheModelThatThinks(t *testing.T) {
	s := llmtest.New(t)
	asked, erased := make(chan struct{}), make(chan struct{})
	t.Cleanup(sync.OnceFunc(func() { close(erased) }))
	s.Answer(func(w http.ResponseWriter, r *llmtest.Request) {
		if strings.Contains(r.Text(), "Kilkenny42") {
			close(asked)
			<-erased
		}
		homes(w, r)
	})
	up, c := modelled(t, filepath.Join(t.TempDir(), "data"), s, func(c *config.Config) { c.LLM.Parallel, c.LLM.Timeout = 1, 5*time.Minute })
	c.Put(turn("en", "Been calling Kilkenny42 my home for ages.", "Nice."))
	<-asked
	erase(t, c, schema.EraseRequest{User: "ann"})
	erased <- struct{}{}
	zh := turn("zh", "苏州园区早就被我当成家了。", "真好。")
	zh.User = "wang"
	c.Put(zh)
	readBy(t, c, "zh", schema.ModelRead) // one after the other: the first is done
	if n := answers(t, up)(); n != 1 {
		t.Errorf("%d answers are kept, want that of the other user", n)
	}
	if got := lives(c, "ann"); len(got) > 0 {
		t.Errorf("%q", got)
	}
}

// Whatever the model does, turns are indexed and all is idle; what it fails at for good is given up, and told.
func TestNothingWaitsForAModel(t *testing.T) {
	s := llmtest.New(t)
	hang := make(chan struct{})
	release := func() {
		select {
		case <-hang:
		default:
			close(hang)
		}
	}
	t.Cleanup(release)
	s.Answer(func(w http.ResponseWriter, r *llmtest.Request) {
		switch {
		case strings.Contains(r.Text(), "prose"):
			llmtest.Content(w, "Certainly! The user likes prose.", "stop")
		case strings.Contains(r.Text(), "refused"):
			w.WriteHeader(http.StatusUnprocessableEntity)
		default:
			<-hang
			homes(w, r)
		}
	})
	_, c := modelled(t, filepath.Join(t.TempDir(), "data"), s, func(c *config.Config) { c.LLM.Parallel = 4; c.LLM.Timeout = time.Minute })
	c.Put(turn("slow", "Been calling Cork my home for ages.", "Nice."), turn("prose", "Write me some prose.", "Once upon."), turn("refused", "It was refused.", "Oh."))
	l := c.Settle().Ledger
	stacktest.Balanced(t, l)
	if st := c.What("slow"); l.Indexed != 3 || st.State != "indexed" || st.Model != nil {
		t.Errorf("%+v, %+v", l, st)
	}
	for _, id := range []string{"prose", "refused"} {
		if st := readBy(t, c, id, schema.ModelGivenUp); st.State != "indexed" {
			t.Errorf("%s is %s", id, st.State)
		}
	}
	release()
	readBy(t, c, "slow", schema.ModelRead)
	if got := lives(c, "ann"); len(got) != 1 {
		t.Errorf("%q", got)
	}
	if l, err := c.DeadLetters(t.Context(), "", 10); err != nil || len(l.Items) > 0 {
		t.Errorf("%d dead letters, %v", len(l.Items), err)
	}
}

// Of what a tenant's budget does not cover nobody is asked, the events say so, and what a user forgets meanwhile stays
// forgotten.
func TestAModelHasABudget(t *testing.T) {
	s := llmtest.New(t)
	s.Answer(homes)
	_, c := modelled(t, filepath.Join(t.TempDir(), "data"), s, func(c *config.Config) { c.LLM.DayCalls, c.LLM.Parallel = 2, 1 })
	for i := range 3 {
		c.Put(turn("b"+itoa(i), fmt.Sprintf("Been calling Town%d my home for ages.", i), "Nice."))
	}
	readBy(t, c, "b2", schema.ModelOverBudget)
	if n := len(s.Requests()); n != 2 {
		t.Errorf("%d calls", n)
	}
	forget(t, c, schema.Forget{User: "ann", Match: "town1"})
	c.Settle()
	for _, it := range c.All(schema.MemoryQuery{User: "ann", Status: "all"}) {
		if strings.Contains(it.Content, "Town1") {
			t.Errorf("%+v", it)
		}
	}
}
