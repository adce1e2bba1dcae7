package retrieve

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/internal/rank"
	"github.com/siltstone-ai/siltstone/internal/render"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// household is a small memory in two languages.
func household(w *world) {
	w.turn("e1", user, "c1", "2026-05-01T09:00:00Z", said("My seat on the Oslo flight is 14C."), replied("Noted."))
	w.turn("e2", user, "c1", "2026-05-01T09:01:00Z", said("What should I cook tonight?"), replied("Perhaps lentil soup."))
	w.turn("e3", user, "c2", "2026-05-02T09:00:00Z", said("看看 /srv/jobs 里有什么"), replied("有几个文件。"), printed("tool.0", "files_list", "deploy.py backup.sh"))
	w.turn("e4", user, "c2", "2026-05-03T09:00:00Z", said("我下个月要去贵阳出差三天。"), replied("好的，提醒你提前订酒店。"))
	w.fact("coriander", schema.TypeConstraint, "点外卖不要放香菜", func(m *schema.Memory) { m.Importance, m.Explicit = .9, true })
	w.fact("short", schema.TypePreference, "The user prefers short answers", func(m *schema.Memory) { m.Confidence = .85 })
	w.fact("unsure", schema.TypePreference, "The user may prefer tea", func(m *schema.Memory) { m.Confidence = .6 })
	w.fact("job", schema.TypeFact, "The user works as an auditor in Hangzhou")
}

func TestD1_HybridPathAIsThereWhateverIsAsked(t *testing.T) {
	w := newWorld(t, household)
	household(w)
	r := w.query(schema.Query{Query: "deploy.py 在哪个目录？"})
	if !strings.Contains(r.Block, "点外卖不要放香菜") || !strings.Contains(r.Block, "short answers") {
		t.Errorf("what stands is missing:\n%s", r.Block)
	}
	if strings.Contains(r.Block, "tea") {
		t.Errorf("an unsure preference stands:\n%s", r.Block)
	}
	if len(r.Items) == 0 || !strings.Contains(r.Items[0].Content, "/srv/jobs") || !strings.Contains(r.Items[0].Content, "deploy.py") {
		t.Fatalf("first item: %s", contents(r.Items))
	}
	if it := r.Items[0]; it.Type != schema.TypeEpisode || it.Source.Tool != "files_list" || it.Source.Class != schema.ClassTool || it.Source.Event != "e3" {
		t.Errorf("source of a turn found by its tool's output: %+v", it.Source)
	}
	if len(r.Degraded) != 0 || r.Hint != "" {
		t.Errorf("degraded %v hint %q", r.Degraded, r.Hint)
	}
}

func TestD1_ExpiredAndEndedDoNotStand(t *testing.T) {
	w := newWorld(t)
	past, future := w.now.Add(-time.Hour), w.now.Add(time.Hour)
	w.fact("expired", schema.TypeConstraint, "rule that expired", func(m *schema.Memory) { m.ExpiresAt = past })
	w.fact("ended", schema.TypeConstraint, "rule that ended", func(m *schema.Memory) { m.ValidTo = past })
	w.fact("old", schema.TypeConstraint, "rule that was replaced", func(m *schema.Memory) { m.Status = schema.StatusSuperseded })
	w.fact("gone", schema.TypeConstraint, "rule that was retracted", func(m *schema.Memory) { m.Status = schema.StatusDeleted })
	w.fact("twice", schema.TypeConstraint, "rule said twice", func(m *schema.Memory) { m.Status = schema.StatusDuplicate })
	w.fact("tool", schema.TypeConstraint, "rule that a page stated", func(m *schema.Memory) { m.Source.Class = schema.ClassTool })
	w.fact("soon", schema.TypeConstraint, "rule that will expire", func(m *schema.Memory) { m.ExpiresAt = future })
	for range 2 { // from the store, then from the cache
		r := w.query(schema.Query{})
		if got := contents(r.Items); got != "rule that will expire" {
			t.Errorf("standing: %s", got)
		}
	}
	if w.cache.fills != 1 || w.cache.seenVer != "v0" {
		t.Errorf("the cache was filled %d times with version %q", w.cache.fills, w.cache.seenVer)
	}
	w.now = w.now.Add(2 * time.Hour) // expiry is judged at reading, not at filling
	if r := w.query(schema.Query{}); len(r.Items) != 0 {
		t.Errorf("expired meanwhile: %s", contents(r.Items))
	}
}

func TestD1_VectorStoreDownFallsBackAndSaysSo(t *testing.T) {
	w := newWorld(t)
	household(w)
	w.store.searchErr = errDown
	r := w.query(schema.Query{Query: "What is my job?"})
	if !slices.Equal(r.Degraded, []string{"vectors"}) {
		t.Errorf("degraded %v", r.Degraded)
	}
	if !strings.Contains(r.Block, "香菜") || !strings.Contains(r.Block, "auditor") || r.Hint != "" {
		t.Errorf("hint %q block:\n%s", r.Hint, r.Block)
	}
	w.store.scrollErr, w.store.getErr, w.store.countErr = errDown, errDown, errDown
	w.cache.recent = []schema.Memory{{ID: "r1", Type: schema.TypeFact, Content: "from the recent list", Status: schema.StatusActive, ObservedAt: w.now},
		{ID: "r2", Type: schema.TypeFact, Content: "superseded there", Status: schema.StatusSuperseded, ObservedAt: w.now}}
	r = w.query(schema.Query{Query: "What is my job?"})
	if got := contents(r.Items); !strings.Contains(got, "from the recent list") || strings.Contains(got, "superseded") || !strings.Contains(got, "香菜") {
		t.Errorf("store down altogether: %s", got)
	}
	if !slices.Contains(r.Degraded, "vectors") || slices.Contains(r.Degraded, "pins") {
		t.Errorf("degraded %v: the cache still knows what stands", r.Degraded)
	}
	w.cache.err = errDown
	r = w.query(schema.Query{Query: "What is my job?"})
	if !slices.Contains(r.Degraded, "vectors") || !slices.Contains(r.Degraded, "pins") || len(r.Items) != 0 || r.Hint != "" {
		t.Errorf("everything down: %v %s hint %q", r.Degraded, contents(r.Items), r.Hint)
	}
}

func TestD1_EmbedderDownLeavesTheWords(t *testing.T) {
	w := newWorld(t)
	household(w)
	w.store.embedErr = errDown
	r := w.query(schema.Query{Query: "Oslo seat", Explain: true})
	if !slices.Equal(r.Degraded, []string{"embedder"}) || !strings.Contains(contents(r.Items[:1]), "14C") {
		t.Errorf("degraded %v items %s", r.Degraded, contents(r.Items))
	}
	if arms := r.Items[0].Explain.Arms; len(arms) != 1 || arms[rank.ArmTerms].Rank != 1 {
		t.Errorf("arms %v", arms)
	}
}

func TestD1_RedisDownChangesNothing(t *testing.T) {
	w := newWorld(t)
	household(w)
	q := schema.Query{Query: "When do I travel to Oslo, and what about 贵阳？"}
	whole := w.query(q)
	w.cache.err, w.cache.standing = errDown, nil
	r := w.query(q)
	if r.Block != whole.Block || contents(r.Items) != contents(whole.Items) || len(r.Degraded) != 0 {
		t.Errorf("degraded %v\n%s\nwant\n%s", r.Degraded, r.Block, whole.Block)
	}
	if !strings.Contains(whole.Block, "贵阳") || !strings.Contains(whole.Block, "14C") {
		t.Errorf("block:\n%s", whole.Block)
	}
}

func TestD1_LegacyIsTheOldOrder(t *testing.T) {
	w := newWorld(t)
	household(w)
	for i := range 9 {
		w.fact(fmt.Sprint("n", i), schema.TypeFact, fmt.Sprintf("Oslo note number %d", i))
	}
	r := w.query(schema.Query{Query: "Oslo", Mode: "legacy", Explain: true})
	if len(r.Items) != 5 {
		t.Errorf("%d items, legacy gives 5", len(r.Items))
	}
	for _, it := range r.Items {
		if !strings.Contains(it.Content, "Oslo") {
			t.Errorf("legacy has no path A: %s", it.Content)
		}
		if _, ok := it.Explain.Parts["type"]; ok {
			t.Error("legacy has no type bonus")
		}
	}
	r = w.query(schema.Query{Query: "zzzz qqqq", Mode: "legacy", Explain: true})
	if len(r.Items) != 5 || r.Hint != "" {
		t.Errorf("nothing semantic: the structured pool answers, got %s", contents(r.Items))
	}
	if w.query(schema.Query{Query: "Oslo"}).Items[0].Explain != nil {
		t.Error("explain without asking")
	}
}

func TestD2_SettingsGateEverything(t *testing.T) {
	off := false
	w := newWorld(t)
	household(w)
	w.cache.settings = map[string]schema.Settings{schema.Owner(tenant, user): {Enabled: &off}}
	for _, mode := range []string{"hybrid", "legacy"} {
		r := w.query(schema.Query{Query: "Oslo seat", Mode: mode})
		if len(r.Items) != 0 || r.Block != "" || r.Hint != render.Off(render.EN) {
			t.Errorf("%s, memory off: %+v", mode, r)
		}
	}
	if page, err := w.svc.List(t.Context(), tenant, ListRequest{User: user}); err != nil || len(page.Items) != 0 {
		t.Errorf("list, memory off: %v %v", page, err)
	}
	for _, typ := range []schema.Type{schema.TypeConstraint, schema.TypePreference, schema.TypeFact, schema.TypeEpisode} {
		w.cache.settings[schema.Owner(tenant, user)] = schema.Settings{Types: map[schema.Type]bool{typ: false}}
		for _, fail := range []error{nil, errDown} {
			w.store.searchErr = fail
			for _, q := range []string{"Oslo seat auditor tea 香菜", ""} {
				r := w.query(schema.Query{Query: q, Limit: 50, IncludeHistory: true})
				for _, it := range r.Items {
					if it.Type == typ {
						t.Errorf("type %s is off and came back: %s", typ, it.Content)
					}
				}
			}
		}
		w.store.searchErr = nil
	}
	w.cache.setErr = errDown
	if r := w.query(schema.Query{Query: "Oslo"}); len(r.Items) != 0 || !slices.Equal(r.Degraded, []string{"settings"}) {
		t.Errorf("settings unknown: nothing may be shown, got %v %s", r.Degraded, contents(r.Items))
	}
}

func TestD3_SameMemoryFromBothPathsOnce(t *testing.T) {
	w := newWorld(t)
	w.fact("a", schema.TypeConstraint, "点外卖不要放香菜")
	w.fact("b", schema.TypeFact, "点外卖不要放香菜", func(m *schema.Memory) { m.Importance = .5 })
	r := w.query(schema.Query{Query: "香菜", Explain: true})
	if len(r.Items) != 1 || r.Items[0].Type != schema.TypeConstraint || strings.Count(r.Block, "香菜") != 1 {
		t.Fatalf("items %s block:\n%s", contents(r.Items), r.Block)
	}
	if p := r.Items[0].Explain.Parts; p["match"] == 0 || p["terms"] == 0 {
		t.Errorf("a standing memory that was found keeps its relevance: %v", p)
	}
}

func TestD4_ExplainAddsUp(t *testing.T) {
	w := newWorld(t)
	household(w)
	r := w.query(schema.Query{Query: "seat on the flight", Explain: true, Conversation: "c1"})
	for _, it := range r.Items {
		sum := 0.0
		for _, p := range it.Explain.Parts {
			sum += p
		}
		if d := sum - it.Score; d > 1e-9 || d < -1e-9 {
			t.Errorf("%s: parts %v, score %v", it.Content, it.Explain.Parts, it.Score)
		}
	}
	if it := r.Items[0]; it.Explain.Parts["conversation"] != .08 || it.Explain.Arms["dense"].Rank != 1 || it.Explain.Arms["terms"].Rank != 1 {
		t.Errorf("first: %s %+v", it.Content, it.Explain)
	}
}

func TestD5_FactsCannotPushAConstraintOut(t *testing.T) {
	w := newWorld(t)
	for i := range 30 {
		w.fact(fmt.Sprint("f", i), schema.TypeFact, fmt.Sprintf("Oslo fact number %d about the flight", i), func(m *schema.Memory) { m.Importance = 1 })
	}
	for i := range 6 {
		w.fact(fmt.Sprint("c", i), schema.TypeConstraint, fmt.Sprintf("rule %d", i), func(m *schema.Memory) { m.Importance = .1 * float64(i) })
	}
	r := w.query(schema.Query{Query: "Oslo flight", Limit: 100})
	if n := strings.Count(r.Block, "- rule"); n != 5 || strings.Contains(r.Block, "rule 0") {
		t.Errorf("%d rules, want the five most important:\n%s", n, r.Block)
	}
	if n := strings.Count(r.Block, "- Oslo fact"); n != 5 {
		t.Errorf("%d facts in the block, want 5", n)
	}
	if len(r.Items) != 36 {
		t.Errorf("%d items: the block's budgets do not bound them", len(r.Items))
	}
	if r := w.query(schema.Query{Query: "Oslo flight", Limit: 3}); len(r.Items) != 3 || strings.Count(r.Block, "- rule") != 5 {
		t.Errorf("the limit does not bound the block: %d items\n%s", len(r.Items), r.Block)
	}
}

func TestD6_TokenBudgetHolds(t *testing.T) {
	w := newWorld(t)
	for i := range 12 {
		w.fact(fmt.Sprint("f", i), schema.TypeFact, strings.Repeat(fmt.Sprintf("奥斯陆 flight %d ", i), 3+4*i))
		w.fact(fmt.Sprint("c", i), schema.TypeConstraint, strings.Repeat(fmt.Sprintf("规则 rule %d ", i), 2+i))
	}
	for budget := 1; budget < 1200; budget += 37 {
		r := w.query(schema.Query{Query: "奥斯陆 flight", TokenBudget: budget})
		if n := w.svc.deps.Tokens(r.Block); n > budget {
			t.Errorf("budget %d: block of %d tokens", budget, n)
		}
		for line := range strings.SplitSeq(r.Block, "\n") {
			if strings.HasPrefix(line, "- ") && strings.Contains(line, "…") {
				t.Errorf("a memory was cut: %s", line)
			}
		}
	}
	if w.query(schema.Query{Query: "奥斯陆"}).Block == "" {
		t.Error("the default budget is enough for some")
	}
}

func TestD7_LanguageOfTheHeadings(t *testing.T) {
	w := newWorld(t)
	household(w)
	for _, c := range []struct {
		q    schema.Query
		want string
	}{
		{schema.Query{Query: "我的座位号是多少 Oslo"}, "【必守约束】"},
		{schema.Query{Query: "Which seat?"}, "【Constraints to keep】"},
		{schema.Query{Query: "Which seat?", Lang: "zh"}, "【必守约束】"},
		{schema.Query{Query: "座位", Render: "flat"}, "[constraint] 点外卖"},
	} {
		if r := w.query(c.q); !strings.Contains(r.Block, c.want) {
			t.Errorf("%+v: want %s in\n%s", c.q, c.want, r.Block)
		}
	}
	if r := w.query(schema.Query{Query: "Which seat?", Render: "none"}); r.Block != "" || len(r.Items) == 0 {
		t.Error("render none gives items without a block")
	}
}

func TestD8_DatesInTheAskersZone(t *testing.T) {
	w := newWorld(t)
	w.turn("e1", user, "c1", "2026-05-10T01:00:00+08:00", said("刚刚给鱼缸换了水。"))
	now, _ := time.Parse(time.RFC3339, "2026-06-01T10:00:00+08:00")
	if r := w.query(schema.Query{Query: "鱼缸", Now: now}); !strings.Contains(r.Block, "2026-05-10") {
		t.Errorf("block:\n%s", r.Block)
	}
	if r := w.query(schema.Query{Query: "鱼缸"}); !strings.Contains(r.Block, "2026-05-09") {
		t.Errorf("UTC unless told:\n%s", r.Block)
	}
}

func TestD10_OffTopicGetsNothingFromTheSearch(t *testing.T) {
	w := newWorld(t)
	household(w)
	for q, hint := range map[string]string{
		"How tall is Mount Kilimanjaro?": render.Hint(render.EN, true), "量子纠缠怎么解释？": render.Hint(render.ZH, true),
	} {
		r := w.query(schema.Query{Query: q})
		for _, it := range r.Items {
			if it.Type != schema.TypeConstraint && it.Type != schema.TypePreference {
				t.Errorf("%s: %s", q, it.Content)
			}
		}
		if r.Hint != hint {
			t.Errorf("%s: hint %q", q, r.Hint)
		}
		if strings.Contains(r.Block, "相关事实") || strings.Contains(r.Block, "Facts on") {
			t.Errorf("%s: block\n%s", q, r.Block)
		}
	}
	empty := newWorld(t)
	r := empty.query(schema.Query{Query: "anything"})
	if r.Block != "" || r.Hint != render.Hint(render.EN, false) || r.Items == nil || r.Degraded == nil {
		t.Errorf("an empty memory: %+v", r)
	}
	b, _ := json.Marshal(r)
	if !strings.Contains(string(b), `"items":[]`) || !strings.Contains(string(b), `"degraded":[]`) {
		t.Errorf("on the wire: %s", b)
	}
	if r := empty.query(schema.Query{}); r.Hint != "" {
		t.Error("without a question nothing was looked for")
	}
}

func TestD10_RightMemoryWithALowScoreComes(t *testing.T) {
	w := newWorld(t)
	household(w)
	w.turn("e9", user, "c9", "2026-01-01T09:00:00Z", said("The label machine in the copy room prints from queue zebra-2; Oskar set it up with the long driver."))
	w.turn("e8", user, "c8", "2026-01-01T09:00:00Z", said("昨晚和同事在公司玩了狼人杀，我当了两次预言家。"))
	for q, want := range map[string]string{"printer queue": "zebra-2", "狼人杀": "狼人杀", "copy room AND (queue": "zebra-2"} {
		if r := w.query(schema.Query{Query: q}); len(r.Items) == 0 || !strings.Contains(r.Items[0].Content, want) {
			t.Errorf("%s: %s", q, contents(r.Items))
		}
	}
}

func TestD11_EveryPathIsIsolated(t *testing.T) {
	quick := func(w *world) {
		w.cfg.Timeout, w.cfg.Path, w.cfg.Cache, w.cfg.Embed = 900*time.Millisecond, 300*time.Millisecond, 50*time.Millisecond, 100*time.Millisecond
	}
	for _, c := range []struct {
		name  string
		fault func(*memory)
		deg   []string
		want  string
	}{
		{"the search hangs", func(m *memory) { m.hang["search"] = true }, []string{"vectors"}, "香菜"},
		{"the search panics", func(m *memory) { m.panics["search"] = true }, []string{"vectors"}, "香菜"},
		{"the embedder hangs", func(m *memory) { m.hang["embed"] = true }, []string{"embedder"}, "14C"},
		{"the embedder panics", func(m *memory) { m.panics["embed"] = true }, []string{"embedder"}, "14C"},
		{"counts hang", func(m *memory) { m.hang["count"] = true }, []string{"counts"}, "14C"},
		{"turns cannot be read", func(m *memory) { m.getErr = errDown }, []string{"vectors"}, "香菜"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, quick)
			household(w)
			w.query(schema.Query{}) // what stands is cached
			c.fault(w.store)
			start := time.Now()
			r := w.query(schema.Query{Query: "Oslo seat"})
			if took := time.Since(start); took > w.cfg.Timeout {
				t.Errorf("took %v", took)
			}
			if !slices.Equal(r.Degraded, c.deg) || !strings.Contains(r.Block, "香菜") || !strings.Contains(contents(r.Items), c.want) {
				t.Errorf("degraded %v block:\n%s", r.Degraded, r.Block)
			}
		})
	}
	t.Run("path A panics", func(t *testing.T) {
		w := newWorld(t, quick)
		household(w)
		w.store.panics["scroll"] = true
		r := w.query(schema.Query{Query: "Oslo seat"})
		if !slices.Contains(r.Degraded, "pins") {
			t.Errorf("degraded %v", r.Degraded)
		}
	})
}

func TestD12_RollbackByConfiguration(t *testing.T) {
	w := newWorld(t, func(w *world) { w.cfg.Mode, w.cfg.Render = Legacy, render.Flat })
	household(w)
	r := w.query(schema.Query{Query: "Oslo seat"})
	if strings.Contains(contents(r.Items), "香菜") || !strings.Contains(r.Block, "[episode] ") {
		t.Errorf("legacy and flat:\n%s", r.Block)
	}
	if r := w.query(schema.Query{Query: "Oslo seat", Mode: "hybrid", Render: "typed_v2"}); !strings.Contains(r.Block, "【") || !strings.Contains(r.Block, "香菜") {
		t.Errorf("a query may choose:\n%s", r.Block)
	}
	w = newWorld(t, func(w *world) { w.cfg.Enabled = false })
	household(w)
	if r := w.query(schema.Query{Query: "Oslo seat", Render: "typed_v2"}); r.Block != "" || len(r.Items) == 0 {
		t.Errorf("injection off: no block, and searches still answer: %q %d", r.Block, len(r.Items))
	}
}

type floor struct{ at uint64 }

func (f floor) WaitFloor(ctx context.Context, _ int, seq uint64) error {
	if seq <= f.at {
		return nil
	}
	<-ctx.Done()
	return ctx.Err()
}

func TestMinSeqWaitsOrSaysStale(t *testing.T) {
	w := newWorld(t, func(w *world) {
		w.cfg.Timeout, w.cfg.Path, w.cfg.Cache, w.cfg.Embed = 500*time.Millisecond, 400*time.Millisecond, 50*time.Millisecond, 100*time.Millisecond
		w.deps.Floor = floor{7}
	})
	household(w)
	if r := w.query(schema.Query{Query: "Oslo", MinSeq: 7}); r.Stale {
		t.Error("settled, and stale")
	}
	start := time.Now()
	r := w.query(schema.Query{Query: "Oslo", MinSeq: 8})
	if !r.Stale || len(r.Items) == 0 || time.Since(start) > w.cfg.Timeout {
		t.Errorf("stale %v, %d items after %v", r.Stale, len(r.Items), time.Since(start))
	}
}

func TestRefusedQueries(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		name, tenant, field string
		q                   schema.Query
		code                schema.Code
	}{
		{"tenant", "a b", "tenant", schema.Query{User: user}, schema.CodeInvalid},
		{"user", tenant, "user", schema.Query{}, schema.CodeInvalid},
		{"dedupe without a turn", tenant, "turn", schema.Query{User: user, Dedupe: "conversation", Conversation: "c"}, schema.CodeInvalid},
	} {
		_, err := w.svc.Query(t.Context(), c.tenant, c.q)
		if schema.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.field) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	_, err := New(Config{}, Deps{}, nil)
	for _, s := range []string{"mode", "timeout", "item_runes", "rank: dense.dev", "port Points", "port Settings"} {
		if err == nil || !strings.Contains(err.Error(), s) {
			t.Errorf("%q is not named in %v", s, err)
		}
	}
}

func TestSameQuerySameReply(t *testing.T) {
	w := newWorld(t)
	household(w)
	q := schema.Query{Query: "Oslo seat 香菜 auditor", Now: w.now, Explain: true}
	first := w.query(q)
	for range 20 {
		r := w.query(q)
		r.TookMS = first.TookMS
		a, _ := json.Marshal(first)
		b, _ := json.Marshal(r)
		if string(a) != string(b) {
			t.Fatalf("got\n%s\nthen\n%s", a, b)
		}
	}
}

func TestD6_LongTurnShowsWhatWasAskedFor(t *testing.T) {
	w := newWorld(t)
	var log strings.Builder
	for i := range 200 {
		if i == 120 {
			log.WriteString("line 120: sdc reports 7 reallocated sectors, replace it soon\n")
		}
		fmt.Fprintf(&log, "line %d: sda temperature 31 C, no event\n", i)
	}
	w.turn("e1", user, "c1", "2026-05-01T09:00:00Z", said("Check the disks and keep what matters."), replied("Finished."), printed("tool.0", "smart_scan", log.String()))
	r := w.query(schema.Query{Query: "Which disk has reallocated sectors?"})
	if !strings.Contains(r.Block, "7 reallocated sectors") || !strings.Contains(r.Block, "Check the disks") || !strings.Contains(r.Block, "…") {
		t.Errorf("block:\n%s", r.Block)
	}
	if n := w.svc.deps.Tokens(r.Block); n > 700 {
		t.Errorf("%d tokens", n)
	}
	if !strings.Contains(r.Items[0].Content, "line 199") {
		t.Error("an item is whole")
	}
}

// TestD10_WordsDecideWhatIsNearByChance: what lies near a question is an answer where its words agree with the
// question's, and a question in another language finds it all the same.
func TestD10_WordsDecideWhatIsNearByChance(t *testing.T) {
	w := newWorld(t)
	w.turn("e1", user, "c1", "2026-01-01T09:00:00Z", said("The defense gave up just 308 points last season."))
	w.turn("e2", user, "c2", "2026-01-02T09:00:00Z", said("We went camping with the children near the lake."))
	w.turn("e3", user, "c3", "2026-01-03T09:00:00Z", said("下周三下午要去看牙医。"))
	for q, want := range map[string]string{
		"上个赛季的防守丢了多少分？":                    "308 points",
		"我们带孩子去湖边露营了吗？":                    "camping",
		"When is the dentist appointment?": "牙医",
		"量子纠缠怎么解释？":                        "",
		"这个数据库怎么备份？":                       "",
		"How is steel galvanised?":         "",
	} {
		r := w.query(schema.Query{Query: q})
		switch {
		case want == "" && len(r.Items) > 0:
			t.Errorf("%s: %s", q, contents(r.Items))
		case want != "" && (len(r.Items) == 0 || !strings.Contains(r.Items[0].Content, want)):
			t.Errorf("%s: %s, want first what holds %q", q, contents(r.Items), want)
		}
	}
}
