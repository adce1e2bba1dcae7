package rows

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

func TestD1_HybridTakesWhatStandsAndWhatIsAskedFor(t *testing.T) {
	c := tenant(t)
	c.Put(
		turn("rule", "Never deploy on Fridays.", "OK."), turn("like", "I prefer charts over tables.", "OK."),
		turn("todo", "Remind me to renew the passport by 2026-09-20.", "OK."),
		turn("cello", "My cello was built in Cremona.", "A fine place."), turn("boat", "The boat lies in the harbour of Whitby.", "Noted."),
	)
	r := c.Ask(ask("Where was the cello built?"))
	if len(r.Degraded) > 0 {
		t.Errorf("degraded: %v", r.Degraded)
	}
	if len(r.Items) == 0 || !strings.Contains(r.Items[0].Content, "Cremona") {
		t.Errorf("first is not what was asked for: %v", contents(r.Items))
	}
	for _, want := range []string{"Never deploy on Fridays", "charts over tables", "Cremona"} {
		if strings.Count(r.Block, want) < 1 {
			t.Errorf("the block lacks %q:\n%s", want, r.Block)
		}
	}
	if strings.Contains(r.Block, "Whitby") {
		t.Errorf("the block holds what was not asked for:\n%s", r.Block)
	}
	if it, ok := stacktest.Find(c.Ask(ask("renew passport")).Items, "passport"); !ok || it.Type != schema.TypeTodoHint && it.Type != schema.TypeEpisode {
		t.Error("the to-do is not found before its day")
	}
	q := ask("renew passport")
	q.Now = time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	for _, it := range c.Ask(q).Items {
		if it.Type == schema.TypeTodoHint {
			t.Errorf("an expired memory is returned: %+v", it)
		}
	}

	// The old way: the search alone, five items, no type bonus, no budgets.
	for i := range 12 {
		c.Put(turn("cello"+itoa(i), fmt.Sprintf("The cello lesson number %d was about Bach.", i), "Noted."))
	}
	q = schema.Query{User: "ann", Query: "Tell me about the cello lessons with Bach", Now: day, Mode: "legacy", Explain: true}
	r = c.Ask(q)
	if len(r.Items) != 5 {
		t.Errorf("legacy returns %d items: %v", len(r.Items), contents(r.Items))
	}
	for _, it := range r.Items {
		if _, ok := it.Explain.Parts["type"]; ok {
			t.Errorf("legacy gives a type bonus: %v", it.Explain.Parts)
		}
	}
	if strings.Contains(r.Block, "Fridays") || strings.Count(r.Block, "\n- ") != 5 {
		t.Errorf("the legacy block holds what was not searched for, or is cut by budgets:\n%s", r.Block)
	}
	// Where the search finds nothing, the structured query answers.
	q.Query = "xylophone quasar"
	if r := c.Ask(q); len(r.Items) == 0 || len(r.Items) > 5 {
		t.Errorf("legacy without a hit returns %v", contents(r.Items))
	}
	q.Mode = "hybrid"
	for _, it := range c.Ask(q).Items { // what stands may be among them, what was not searched for may not
		if it.Type != schema.TypeConstraint && it.Type != schema.TypePreference {
			t.Errorf("hybrid without a hit returns %q", it.Content)
		}
	}
}

func TestD1_WithoutTheVectorStoreTheReplyIsDegradedNotGone(t *testing.T) {
	_, at := servers(t)
	wire := stacktest.NewProxy(t, at.Qdrant.Addr)
	at.Qdrant.Addr = wire.Addr
	cfg := process(at, "all")
	c := stacktest.Up(t, cfg).As(t, "")
	c.Put(turn("rule", "Never deploy on Fridays.", "OK."), turn("cello", "My cello was built in Cremona.", "A fine place."))
	q := ask("Where was the cello built?")
	if r := c.Ask(q); len(r.Degraded) > 0 || !strings.Contains(r.Block, "Fridays") {
		t.Fatalf("whole, yet degraded %v:\n%s", r.Degraded, r.Block)
	}
	wire.Cut()
	for _, mode := range []string{"hybrid", "legacy"} {
		q.Mode = mode
		start := time.Now()
		r := c.Ask(q)
		if took := time.Since(start); took > 6*time.Second {
			t.Errorf("%s: took %s", mode, took)
		}
		if !slices.Contains(r.Degraded, "vectors") {
			t.Errorf("%s: degraded is %v", mode, r.Degraded)
		}
		if _, ok := stacktest.Find(r.Items, "Cremona"); !ok {
			t.Errorf("%s: the structured query gives %v", mode, contents(r.Items))
		}
		if r.Hint != "" {
			t.Errorf("%s: a search that failed says that nothing is recorded", mode)
		}
		if mode == "hybrid" && !strings.Contains(r.Block, "Fridays") {
			t.Errorf("the rule is lost:\n%s", r.Block)
		}
	}
	// What is published meanwhile is accepted, and searchable once the store is back.
	if _, err := c.Publish(t.Context(), turn("meanwhile", "My violin came from Mirecourt.", "Noted.")); err != nil {
		t.Errorf("publish while the vector store is down: %v", err)
	}
	wire.Mend()
	stacktest.Eventually(t, "the vector store to be back", func() error {
		r, err := c.Query(t.Context(), ask("Where did the violin come from?"))
		if err != nil {
			return err
		}
		if _, ok := stacktest.Find(r.Items, "Mirecourt"); !ok || len(r.Degraded) > 0 {
			return fmt.Errorf("degraded %v, found %v", r.Degraded, contents(r.Items))
		}
		return nil
	})
	stacktest.Balanced(t, c.Settle().Ledger)
}

// waysToBerlin are two turns of which the later one takes the place of the earlier one.
func waysToBerlin() (old, young schema.Turn) {
	old, young = turn("old", "I live in Paris.", "OK."), turn("young", "I live in Berlin now.", "OK.")
	young.At = old.At.Add(time.Minute)
	return old, young
}

func TestD1_WithoutTheVectorStoreWhatHasEndedStaysAway(t *testing.T) {
	_, at := servers(t)
	wire := stacktest.NewProxy(t, at.Qdrant.Addr)
	stacktest.Up(t, process(at, "distiller")) // another process writes, over a line that holds
	reading := at
	reading.Qdrant.Addr = wire.Addr
	in := stacktest.Up(t, process(at, "ingester")).As(t, "d1")
	c := stacktest.Up(t, process(reading, "retriever")).As(t, "d1")

	old, young := waysToBerlin()
	in.Put(old) // settled first: the recent items hold it as what holds
	in.Put(young)
	twin := turn("zh-old", "我住在上海。", "好的。")
	twin.User, twin.At = "wang", old.At
	in.Put(twin)
	twin.ID, twin.Input, twin.At = "zh-new", "我现在住在成都。", young.At
	in.Put(twin)
	todo := turn("todo", "Remind me to renew the passport by 2026-09-20.", "OK.")
	todo.User = "eve"
	rule := turn("rule", "Never deploy on Fridays.", "OK.")
	rule.User = "eve"
	in.Put(todo, rule, turn("diary", "My diary lies in the walnut bureau.", "Noted."))
	if _, err := in.Forget(t.Context(), schema.Forget{User: "ann", Match: "walnut"}); err != nil {
		t.Fatal(err)
	}
	in.Settle()

	wire.Cut()
	for _, mode := range []string{"hybrid", "legacy"} {
		for _, x := range []struct{ user, query, holds, ended string }{
			{"ann", "Where do I live?", "Berlin", "Paris"}, {"wang", "我住在哪里？", "成都", "上海"}, {"ann", "Where is the diary?", "Berlin", "walnut"},
		} {
			q := ask(x.query)
			q.User, q.Mode = x.user, mode
			r := c.Ask(q)
			if !slices.Contains(r.Degraded, "vectors") {
				t.Errorf("%s, %s: degraded is %v", mode, x.query, r.Degraded)
			}
			if _, ok := stacktest.Find(r.Items, x.holds); !ok {
				t.Errorf("%s, %s: what holds is not shown: %v", mode, x.query, contents(r.Items))
			}
			if it, ok := stacktest.Find(r.Items, x.ended); ok || strings.Contains(r.Block, x.ended) {
				t.Errorf("%s, %s: what has ended is shown as %s: %v\n%s", mode, x.query, it.Status, contents(r.Items), r.Block)
			}
		}
	}
	q := ask("passport")
	q.User, q.Types = "eve", []schema.Type{schema.TypeTodoHint}
	if _, ok := stacktest.Find(c.Ask(q).Items, "passport"); !ok {
		t.Error("the to-do is not shown before its day")
	}
	q.Now = time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	if r := c.Ask(q); len(r.Items) > 0 {
		t.Errorf("an expired memory is shown: %v", contents(r.Items))
	}

	// Nobody has asked for eve's rules before, and the store has been away since: they are found all the same.
	q = ask("")
	q.User = "eve"
	if r := c.Ask(q); !strings.Contains(r.Block, "Fridays") || !slices.Contains(r.Degraded, "pins") {
		t.Errorf("degraded %v, block\n%s", r.Degraded, r.Block)
	}
}

func TestD1_WhatStandsIsInTheCacheBeforeTheFirstQuery(t *testing.T) {
	_, at := servers(t)
	all := stacktest.Up(t, process(at, "all"))
	c := all.As(t, "d1")
	for _, user := range []string{"ann", "bob"} {
		x := turn("rule-"+user, "Never deploy on Fridays.", "OK.")
		x.User = user
		c.Put(x)
	}
	wire := stacktest.NewProxy(t, at.Qdrant.Addr)
	at.Qdrant.Addr = wire.Addr
	s := stacktest.Up(t, process(at, "retriever"))
	stacktest.Eventually(t, "the cache to be warm", func() error {
		if log := s.Logs.String(); !strings.Contains(log, "standing memories are in the cache") || !strings.Contains(log, `"users":2`) {
			return errors.New("nothing in the log says so")
		}
		return nil
	})
	wire.Cut()
	q := ask("")
	q.User = "bob"
	if r := s.As(t, "d1").Ask(q); !strings.Contains(r.Block, "Fridays") || slices.Contains(r.Degraded, "pins") {
		t.Errorf("degraded %v, block\n%s", r.Degraded, r.Block)
	}
}

// Where only the cache is away, forgetting goes through, nothing forgotten is shown, and the cache's part follows.
func TestD11_ForgettingDoesNotWaitForTheCache(t *testing.T) {
	s, at := servers(t)
	u, err := url.Parse(at.Redis.URL)
	if err != nil {
		t.Fatal(err)
	}
	wire := stacktest.NewProxy(t, u.Host)
	u.Host = wire.Addr
	at.Redis.URL = u.String()
	c := stacktest.Up(t, process(at, "all")).As(t, "b4")
	c.Put(turn("diary", "My diary lies in the walnut bureau.", "Noted."), turn("cello", "My cello was built in Cremona.", "A fine place."))
	x := s.Scan(t)
	somewhere(t, x.Everything(), "walnut", "redis", "qdrant")

	wire.Cut()
	if f, err := c.Forget(t.Context(), schema.Forget{User: "ann", Match: "walnut"}); err != nil || f.Matched == 0 {
		t.Fatalf("%+v, %v", f, err)
	}
	l := c.Settle().Ledger
	stacktest.Balanced(t, l)
	if l.Forgotten != 1 || l.Dead != 0 {
		t.Errorf("the ledger is %+v", l)
	}
	if r := c.Ask(ask("Where is the diary?")); strings.Contains(r.Block, "walnut") || len(r.Degraded) > 0 {
		t.Errorf("degraded %v, block\n%s", r.Degraded, r.Block)
	}
	for _, w := range stacktest.Holding(x.Everything(), "walnut") {
		if !strings.HasPrefix(w, "redis") && !strings.HasPrefix(w, "tap") {
			t.Errorf("still in %s", w)
		}
	}
	wire.Mend()
	stacktest.Eventually(t, "the cache to be made up for", func() error {
		for _, w := range stacktest.Holding(x.Everything(), "walnut") {
			if strings.HasPrefix(w, "redis") {
				return errors.New(w)
			}
		}
		return nil
	})
}

func TestD2_SettingsGateEverything(t *testing.T) {
	c := tenant(t)
	c.Put(turn("rule", "Never deploy on Fridays.", "OK."), turn("like", "I prefer charts over tables.", "OK."), turn("fact", "My cello was built in Cremona.", "OK."))
	questions := []string{"Where was the cello built?", "May I deploy?", "charts or tables?", ""}
	types := func() map[schema.Type]bool {
		seen := map[schema.Type]bool{}
		for _, text := range questions {
			for _, mode := range []string{"hybrid", "legacy"} {
				q := ask(text)
				q.Mode = mode
				for _, it := range c.Ask(q).Items {
					seen[it.Type] = true
				}
			}
		}
		return seen
	}
	all := types()
	for _, want := range []schema.Type{schema.TypeConstraint, schema.TypePreference, schema.TypeFact, schema.TypeEpisode} {
		if !all[want] {
			t.Fatalf("without settings there is no %s to switch off: %v", want, all)
		}
	}
	for _, off := range []schema.Type{schema.TypeConstraint, schema.TypePreference, schema.TypeFact, schema.TypeEpisode} {
		if err := c.SetSettings(t.Context(), "ann", schema.Settings{Types: map[schema.Type]bool{off: false}}); err != nil {
			t.Fatal(err)
		}
		if got := types(); got[off] || len(got) != len(all)-1 {
			t.Errorf("%s is off, returned are %v", off, got)
		}
		if off == schema.TypeConstraint {
			if b := c.Ask(ask("What is new?")).Block; strings.Contains(b, "【Constraints") {
				t.Errorf("constraints are off, the block is\n%s", b)
			}
		}
	}
	no, yes := false, true
	if err := c.SetSettings(t.Context(), "ann", schema.Settings{Enabled: &no}); err != nil {
		t.Fatal(err)
	}
	for _, text := range questions {
		if r := c.Ask(ask(text)); len(r.Items) > 0 || r.Block != "" {
			t.Errorf("memory is off, %q gives %v and %q", text, contents(r.Items), r.Block)
		}
	}
	if err := c.SetSettings(t.Context(), "ann", schema.Settings{Enabled: &yes}); err != nil {
		t.Fatal(err)
	}
	if got := types(); len(got) != len(all) {
		t.Errorf("memory is on again, returned are %v", got)
	}
	if err := c.SetSettings(t.Context(), "ann", schema.Settings{Types: map[schema.Type]bool{"mood": false}}); err == nil {
		t.Error("an unknown type is taken")
	}
}

func TestD11_AFailingPathNeverFailsTheReply(t *testing.T) {
	e := stacktest.NewEmbedder(t)
	cfg := stacktest.Config(filepath.Join(t.TempDir(), "data"))
	cfg.Embed.URL, cfg.Embed.Model, cfg.Embed.Dim = e.URL, "test", stacktest.Dim
	cfg.Embed.Timeout = time.Second
	c := stacktest.Up(t, cfg).As(t, "")
	c.Put(turn("rule", "Never deploy on Fridays.", "OK."), turn("cello", "My cello was built in Cremona.", "A fine place."))
	e.Down.Store(true)
	start := time.Now()
	r := c.Ask(ask("Where was the cello built?"))
	if took := time.Since(start); took > 5500*time.Millisecond {
		t.Errorf("took %s, the limit is 5 s", took)
	}
	if !slices.Contains(r.Degraded, "embedder") || len(r.Items) == 0 || !strings.Contains(r.Items[0].Content, "Cremona") || !strings.Contains(r.Block, "Fridays") {
		t.Errorf("degraded %v, items %v, block\n%s", r.Degraded, contents(r.Items), r.Block)
	}
	// Ingesting alike: publishing does not wait for it, the other stages go on, and what was published is found by
	// its words; it counts as pending until the embedder is back.
	start = time.Now()
	if _, err := c.Publish(t.Context(), turn("flute", "The flute lies beside the metronome.", "Noted.")); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("publishing took %s", took)
	}
	stacktest.Eventually(t, "the other stages", func() error {
		st, err := c.EventStatus(t.Context(), "flute", false)
		if err != nil || !st.Stages["clean"] || !st.Stages["extract"] || !st.Stages["distill"] || st.Stages["vectorize"] {
			return fmt.Errorf("%+v, %w", st, err)
		}
		return nil
	})
	if _, ok := stacktest.Find(c.Ask(ask("Where lies the flute?")).Items, "metronome"); !ok {
		t.Error("not found by its words")
	}
	// It comes back: a call that hung was given up after its time, so nobody has to let it go.
	e.Down.Store(false)
	l := c.Settle().Ledger
	stacktest.Balanced(t, l)
	if l.Indexed != 3 {
		t.Errorf("the ledger is %+v", l)
	}
	if r := c.Ask(ask("Where lies the flute?")); len(r.Degraded) > 0 {
		t.Errorf("degraded still: %v", r.Degraded)
	}
}

func TestD12_RollbackByConfigurationAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	// up starts over the same data, changed only by the environment.
	up := func(env ...string) (*stacktest.Stack, *stacktest.Tenant) {
		t.Helper()
		cfg, err := config.Load("", env, map[string]string{"data": dir, "http.addr": stacktest.Loopback})
		if err != nil {
			t.Fatal(err)
		}
		s := stacktest.Up(t, cfg)
		return s, s.As(t, "d12")
	}
	q := schema.Query{User: "ann", Query: "Where was the cello built?", Now: day, Explain: true}
	s, c := up()
	rule := turn("rule", "Never deploy on Fridays.", "OK.")
	rule.Conversation = "c-2" // not beside the other, or the search would bring it along
	c.Put(rule, turn("cello", "My cello was built in Cremona.", "A fine place."))
	if r := c.Ask(q); !strings.Contains(r.Block, "【Constraints to keep】\n- Never deploy on Fridays") {
		t.Errorf("by default the block is\n%s", r.Block)
	}
	for _, x := range []struct {
		env   string
		check func(schema.Reply) bool
	}{
		{"SILTSTONE_READ_MODE=legacy", func(r schema.Reply) bool {
			return len(r.Items) > 0 && !strings.Contains(r.Block, "Fridays") && strings.Contains(r.Block, "【Facts")
		}},
		{"SILTSTONE_INJECT_RENDER_MODE=flat", func(r schema.Reply) bool {
			return !strings.Contains(r.Block, "【") && strings.Contains(r.Block, "\n[constraint] Never deploy on Fridays") && strings.Contains(r.Block, "\n[fact] My cello")
		}},
		{"SILTSTONE_RETRIEVAL_ENABLED=false", func(r schema.Reply) bool { return r.Block == "" }},
		{"SILTSTONE_READ_MODE=hybrid", func(r schema.Reply) bool { return strings.Contains(r.Block, "【Constraints to keep】") }},
	} {
		if err := s.Stop(); err != nil {
			t.Fatal(err)
		}
		s, c = up(x.env)
		if r := c.Ask(q); !x.check(r) {
			t.Errorf("%s: items %v, block\n%s", x.env, contents(r.Items), r.Block)
		}
	}
}
