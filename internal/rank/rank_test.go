package rank

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

var now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

func cand(id string, typ schema.Type, imp, conf float64) Candidate {
	return Candidate{Item: schema.Item{
		ID: id, Type: typ, Content: "content of " + id, Importance: imp, Confidence: conf, Status: schema.StatusActive,
		ObservedAt: now, Source: schema.Source{Class: schema.ClassUser},
	}}
}

func ids(cs []Candidate) string {
	var s []string
	for _, c := range cs {
		s = append(s, c.Item.ID)
	}
	return strings.Join(s, " ")
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func TestRecency(t *testing.T) {
	for _, c := range []struct {
		name string
		at   time.Time
		want float64
	}{
		{"now", now, 1},
		{"36 days ago halves", now.Add(-36 * 24 * time.Hour), 0.5},
		{"72 days ago", now.Add(-72 * 24 * time.Hour), 0.25},
		{"18 days ago", now.Add(-18 * 24 * time.Hour), 0.7071067811865476}, // 2^(−1/2)
		{"the future counts as now", now.Add(time.Hour), 1},
		{"without a time", time.Time{}, 0},
	} {
		near(t, c.name, Recency(c.at, now), c.want)
	}
}

func TestD4_ScoreIsTheFormula(t *testing.T) {
	old := now.Add(-36 * 24 * time.Hour)
	for _, c := range []struct {
		name string
		edit func(*schema.Item)
		ask  Ask
		want float64
	}{
		// .35·1 + .30·.9 + .20·1 + .10 + .08 + .15 = .35+.27+.20+.33
		{"a new explicit constraint of this conversation", func(it *schema.Item) {
			it.Explicit, it.Conversation = true, "c1"
		}, Ask{Now: now, Conversation: "c1"}, 1.15},
		// .35 + .27 + .20·½ + .15
		{"the same, 36 days old, of another conversation", func(it *schema.Item) {
			it.ObservedAt, it.Conversation = old, "c2"
		}, Ask{Now: now, Conversation: "c1"}, 0.87},
		{"a query without a conversation is the same as none", func(it *schema.Item) {}, Ask{Now: now}, 0.97}, // .35+.27+.20+.15
		{"preference", func(it *schema.Item) { it.Type = schema.TypePreference }, Ask{Now: now}, 0.92},        // …+.10
		{"todo hint", func(it *schema.Item) { it.Type = schema.TypeTodoHint }, Ask{Now: now}, 0.87},           // …+.05
		{"fact", func(it *schema.Item) { it.Type = schema.TypeFact }, Ask{Now: now}, 0.82},                    // …+0
		{"episode", func(it *schema.Item) { it.Type = schema.TypeEpisode }, Ask{Now: now}, 0.82},
		{"legacy has no type bonus", func(it *schema.Item) {}, Ask{Now: now, Legacy: true}, 0.82},
		{"a constraint that a tool stated has none either", func(it *schema.Item) { it.Source.Class = schema.ClassTool }, Ask{Now: now}, 0.82},
	} {
		t.Run(c.name, func(t *testing.T) {
			cs := []Candidate{cand("a", schema.TypeConstraint, 1, 0.9)}
			c.edit(&cs[0].Item)
			Order(cs, c.ask, Defaults(), true)
			near(t, "score", cs[0].Item.Score, c.want)
		})
	}
}

func TestD4_TiesById(t *testing.T) {
	cs := []Candidate{cand("a", schema.TypeFact, .5, .5), cand("c", schema.TypeFact, .5, .5), cand("b", schema.TypeFact, .5, .5)}
	Order(cs, Ask{Now: now}, Defaults(), false)
	if got := ids(cs); got != "c b a" {
		t.Errorf("order %q, want ties by id descending", got)
	}
}

// With m₀ = 0, s₀ = .1, k = 4 and scores .8, .6, .4:
//
//	mean = (.8+.6+.4 + 0)/7 = .2571428571
//	dev² = (.5428571² + .3428571² + .1428571² + 4·(.01 + .2571428571²))/7 = .1053061
func TestRelevanceStandardises(t *testing.T) {
	cfg := Defaults()
	cs := []Candidate{cand("a", schema.TypeFact, .5, .5), cand("b", schema.TypeFact, .5, .5), cand("c", schema.TypeFact, .5, .5)}
	for i, x := range []float64{.6, .8, .4} {
		cs[i].Arms = map[string]float64{ArmDense: x}
	}
	mean := 1.8 / 7
	dev := math.Sqrt(((.8-mean)*(.8-mean) + (.6-mean)*(.6-mean) + (.4-mean)*(.4-mean) + 4*(.01+mean*mean)) / 7)
	Relevance(cs, Pool{Full: map[string]bool{}}, cfg)
	near(t, "z of the best", cs[1].Gains[0].Z, (.8-mean)/dev)
	near(t, "gain over the least, where more lies below", cs[1].Gains[0].Gain, .4/dev)
	near(t, "gain of the least", cs[2].Gains[0].Gain, 0)
	if cs[1].Gains[0].Rank != 1 || cs[0].Gains[0].Rank != 2 || cs[2].Gains[0].Rank != 3 {
		t.Errorf("ranks: %+v", cs)
	}
	Relevance(cs, Pool{Full: map[string]bool{ArmDense: true}}, cfg)
	near(t, "gain over the prior, where the arm is whole", cs[2].Gains[0].Gain, .4/dev)
}

func TestRelevanceOfFewCandidates(t *testing.T) {
	for _, scores := range [][]float64{{.9}, {.9, .9}, {.9, .1}, {0, 0}} {
		var cs []Candidate
		for i, x := range scores {
			c := cand(string(rune('a'+i)), schema.TypeFact, .5, .5)
			c.Arms = map[string]float64{ArmDense: x}
			cs = append(cs, c)
		}
		Relevance(cs, Pool{Full: map[string]bool{ArmDense: true}}, Defaults())
		for _, c := range cs {
			g := c.Gains[0]
			if !finite(g.Z) || !finite(g.Gain) || g.Gain < 0 {
				t.Errorf("%v: gain %+v", scores, g)
			}
			if g.Score >= .9 && (g.Gain < 1 || !c.Found) {
				t.Errorf("%v: a single good hit must stand out: %+v found %v", scores, g, c.Found)
			}
		}
	}
}

func TestD10_Floors(t *testing.T) {
	for _, c := range []struct {
		name   string
		arms   map[string]float64
		shared float64
		rare   bool
		want   bool
	}{
		{"off topic: low cosine and no word", map[string]float64{ArmDense: .2}, 0, false, false},
		{"off topic: a common word", map[string]float64{ArmDense: .2, ArmTerms: .2}, .2, false, false},
		{"off topic: a rare word that is next to nothing of the query", map[string]float64{ArmTerms: .05}, .05, true, false},
		{"near in meaning", map[string]float64{ArmDense: .4}, 0, false, true},
		{"low cosine, but a rare word", map[string]float64{ArmDense: .1, ArmTerms: .3}, .3, true, true},
		{"most of the query in common words", map[string]float64{ArmTerms: .6}, .6, false, true},
		{"no arm at all", nil, 1, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			cs := []Candidate{cand("a", schema.TypeFact, .5, .5)}
			cs[0].Arms, cs[0].Shared, cs[0].Rare = c.arms, c.shared, c.rare
			Relevance(cs, Pool{}, Defaults())
			if cs[0].Found != c.want {
				t.Errorf("found = %v, want %v", cs[0].Found, c.want)
			}
		})
	}
}

func TestNeighboursShareGains(t *testing.T) {
	cfg := Defaults()
	var cs []Candidate
	for i := range 6 {
		c := cand(string(rune('a'+i)), schema.TypeEpisode, .5, .5)
		c.Turn = &Turn{"c1", i}
		cs = append(cs, c)
	}
	cs[2].Arms = map[string]float64{ArmDense: .9} // only turn 2 is found
	far := cand("x", schema.TypeEpisode, .5, .5)
	far.Turn = &Turn{"c2", 3}
	cs = append(cs, far)
	Relevance(cs, Pool{Full: map[string]bool{ArmDense: true}}, cfg)
	g := cs[2].Gains[0].Gain
	if g <= 0 {
		t.Fatal("no gain")
	}
	for i, want := range []float64{.24 * g, .3 * g, 0, .3 * g, .24 * g, .18 * g, 0} {
		near(t, cs[i].Item.ID+".Neighbour", cs[i].Neighbour, want)
	}
	if !cs[1].Found || cs[1].Own || cs[6].Found {
		t.Errorf("beside: found %v own %v; other conversation: %v", cs[1].Found, cs[1].Own, cs[6].Found)
	}
	cfg.Reach = 2
	Relevance(cs, Pool{Full: map[string]bool{ArmDense: true}}, cfg)
	for i, want := range []float64{.15 * g, .3 * g, 0, .3 * g, .15 * g, 0, 0} {
		near(t, cs[i].Item.ID+".Neighbour within two", cs[i].Neighbour, want)
	}
	if cs[5].Found {
		t.Error("three away is beyond a reach of two")
	}
	Order(cs, Ask{Now: now}, cfg, true)
	if got := ids(cs[:3]); got != "c d b" {
		t.Errorf("order %q: the found turn, then those beside it", got)
	}
}

func TestFoundStandsBeforeStanding(t *testing.T) {
	pin := cand("pin", schema.TypeConstraint, 1, 1)
	pin.Standing, pin.Item.Explicit, pin.Item.Conversation = true, true, "c"
	hit := cand("hit", schema.TypeEpisode, .5, .5)
	hit.Item.ObservedAt = now.Add(-1000 * 24 * time.Hour)
	hit.Arms = map[string]float64{ArmDense: Defaults().Dense.Floor + .01}
	cs := []Candidate{pin, hit}
	Relevance(cs[1:], Pool{Full: map[string]bool{ArmDense: true}}, Defaults())
	Order(cs, Ask{Now: now, Conversation: "c"}, Defaults(), false)
	if got := ids(cs); got != "hit pin" {
		t.Errorf("order %q", got)
	}
}

func TestD3_Merge(t *testing.T) {
	withHash := func(c Candidate, h string) Candidate { c.Hash = h; return c }
	says := func(c Candidate, s string) Candidate { c.Item.Content = s; return c }
	scored := func(c Candidate, conf float64) Candidate { c.Item.Confidence = conf; return c }
	stand := func(c Candidate) Candidate { c.Standing = true; return c }
	f := func(id string, imp float64) Candidate { return cand(id, schema.TypeFact, imp, .5) }
	for _, c := range []struct {
		name  string
		lists [][]Candidate
		want  string
	}{
		{"nothing", nil, ""},
		{"by id the later wins, in the first's place", [][]Candidate{{f("a", .5), f("b", .5)}, {scored(says(f("a", .1), "new"), .9)}}, "a b"},
		{"by hash the more important wins", [][]Candidate{{withHash(f("a", .5), "h"), f("b", .5)}, {withHash(f("c", .6), "h")}}, "c b"},
		{"by hash the less important does not", [][]Candidate{{withHash(f("a", .5), "h")}, {withHash(f("c", .4), "h")}}, "a"},
		{"an empty hash is no hash", [][]Candidate{{f("a", .5)}, {f("c", .6)}}, "a c"},
		{"by type and content", [][]Candidate{{says(f("a", .5), "x")}, {says(f("b", .6), "x")}}, "b"},
		{"another type says it too", [][]Candidate{{says(f("a", .5), "x"), says(cand("b", schema.TypePreference, .6, .5), "x")}}, "a b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := ids(Merge(c.lists...)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	got := Merge([]Candidate{f("a", .5)}, []Candidate{scored(f("a", .1), .9)})
	if got[0].Item.Confidence != .9 || got[0].Item.Importance != .1 {
		t.Errorf("by id the later wins whole: %+v", got[0].Item)
	}
	found := f("b", .1)
	found.Arms = map[string]float64{ArmDense: .9}
	l := []Candidate{withHash(found, "h")}
	Relevance(l, Pool{}, Defaults())
	got = Merge([]Candidate{stand(withHash(f("a", .9), "h"))}, l)
	if len(got) != 1 || got[0].Item.ID != "a" || !got[0].Standing || !got[0].Found || len(got[0].Gains) != 1 {
		t.Errorf("what is kept inherits the evidence: %+v", got)
	}
	active, old := withHash(f("a", .5), "h"), withHash(f("b", .5), "h")
	old.Item.Status = schema.StatusSuperseded
	if got := ids(Merge([]Candidate{old}, []Candidate{active})); got != "a" {
		t.Errorf("between equally important ones the active wins, got %q", got)
	}
}

func TestD5_Budgets(t *testing.T) {
	var cs []Candidate
	for _, n := range []struct {
		typ  schema.Type
		imp  float64
		many int
	}{{schema.TypeFact, 1, 20}, {schema.TypeEpisode, .9, 10}, {schema.TypeConstraint, .1, 7}, {schema.TypePreference, .1, 7}, {schema.TypeTodoHint, .1, 7}} {
		for range n.many {
			c := cand(string(n.typ)+string(rune('a'+len(cs))), n.typ, n.imp, .5)
			c.Found = n.typ == schema.TypeFact // facts stand far before the constraints
			cs = append(cs, c)
		}
	}
	Order(cs, Ask{Now: now}, Defaults(), false)
	count := func(b Budget, cost func([]schema.Item) int) map[schema.Type]int {
		m := map[schema.Type]int{}
		for _, it := range Select(cs, b, cost) {
			m[Section(it)]++
		}
		return m
	}
	one := func(items []schema.Item) int { return 10 * len(items) }
	for _, c := range []struct {
		name string
		edit func(*Budget)
		want map[schema.Type]int
	}{
		{"5, 5, 3, 5: 18 in all", func(*Budget) {}, map[schema.Type]int{"constraint": 5, "preference": 5, "todo_hint": 3, "fact": 5}},
		{"a total of 7 leaves the constraints whole", func(b *Budget) { b.Total = 7 }, map[schema.Type]int{"constraint": 5, "preference": 2}},
		{"tokens for six: constraints first", func(b *Budget) { b.Tokens = 65 }, map[schema.Type]int{"constraint": 5, "preference": 1}},
		{"no tokens, nothing", func(b *Budget) { b.Tokens = 0 }, map[schema.Type]int{}},
		{"a type without a budget stays out", func(b *Budget) { delete(b.Types, schema.TypePreference) }, map[schema.Type]int{"constraint": 5, "todo_hint": 3, "fact": 5}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := DefaultBudget()
			c.edit(&b)
			if got := count(b, one); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestD5_PinnedBeforeOthers(t *testing.T) {
	var cs []Candidate
	for i := range 8 {
		c := cand(string(rune('a'+i)), schema.TypeConstraint, .9, .9)
		if i == 7 {
			c.Item.Pinned, c.Item.Importance = true, .1
		}
		cs = append(cs, c)
	}
	Order(cs, Ask{Now: now}, Defaults(), false)
	items := Select(cs, DefaultBudget(), nil)
	if !slices.ContainsFunc(items, func(it schema.Item) bool { return it.Pinned }) || len(items) != 5 {
		t.Errorf("the pinned constraint is missing among %d", len(items))
	}
}

func TestD6_WholeOrNotAtAll(t *testing.T) {
	cs := []Candidate{cand("long", schema.TypeFact, 1, 1), cand("short", schema.TypeFact, .5, .5)}
	cost := func(items []schema.Item) int {
		n := 0
		for _, it := range items {
			n += map[string]int{"long": 100, "short": 10}[it.ID]
		}
		return n
	}
	b := DefaultBudget()
	b.Tokens = 50
	items := Select(cs, b, cost)
	if len(items) != 1 || items[0].ID != "short" {
		t.Errorf("got %v: the long one does not fit, the short one takes its place", items)
	}
}

func TestTrust_OnlyUsersMakeRules(t *testing.T) {
	for class, want := range map[schema.Class]schema.Type{
		schema.ClassUser: schema.TypeConstraint, schema.ClassOperator: schema.TypeConstraint,
		schema.ClassTool: schema.TypeFact, schema.ClassAssistant: schema.TypeFact, 0: schema.TypeFact,
	} {
		it := schema.Item{Type: schema.TypeConstraint, Source: schema.Source{Class: class}}
		if got := Section(it); got != want {
			t.Errorf("class %v: section %v, want %v", class, got, want)
		}
	}
}

func genCandidate() *rapid.Generator[Candidate] {
	return rapid.Custom(func(t *rapid.T) Candidate {
		types := []schema.Type{schema.TypeConstraint, schema.TypePreference, schema.TypeTodoHint, schema.TypeFact, schema.TypeEpisode}
		c := cand(rapid.StringMatching(`[a-d]{1,3}`).Draw(t, "id"), rapid.SampledFrom(types).Draw(t, "type"),
			rapid.Float64Range(0, 1).Draw(t, "imp"), rapid.Float64Range(0, 1).Draw(t, "conf"))
		c.Item.ObservedAt = now.Add(time.Duration(rapid.Int64Range(-1000, 100).Draw(t, "days")) * 24 * time.Hour)
		c.Item.Explicit = rapid.Bool().Draw(t, "explicit")
		c.Item.Content = rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "content")
		c.Standing = rapid.Bool().Draw(t, "standing")
		if rapid.Bool().Draw(t, "dense") {
			c.Arms = map[string]float64{ArmDense: rapid.Float64Range(-1, 1).Draw(t, "cos")}
		}
		if rapid.Bool().Draw(t, "terms") {
			if c.Arms == nil {
				c.Arms = map[string]float64{}
			}
			c.Arms[ArmTerms] = rapid.Float64Range(0, 3).Draw(t, "bm25")
			c.Shared, c.Rare = rapid.Float64Range(0, 1).Draw(t, "shared"), rapid.Bool().Draw(t, "rare")
		}
		if rapid.Bool().Draw(t, "turn") {
			c.Turn = &Turn{"c", rapid.IntRange(0, 5).Draw(t, "order")}
		}
		return c
	})
}

func TestOrderProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cs := rapid.SliceOfN(genCandidate(), 0, 30).Draw(t, "cands")
		full := map[string]bool{ArmDense: rapid.Bool().Draw(t, "fullDense"), ArmTerms: rapid.Bool().Draw(t, "fullTerms")}
		Relevance(cs, Pool{Full: full}, Defaults())
		merged := Merge(cs)
		Order(merged, Ask{Now: now}, Defaults(), true)
		seen := map[string]bool{}
		for i, c := range merged {
			sum := 0.0
			for _, p := range c.Item.Explain.Parts {
				sum += p
			}
			if math.Abs(sum-c.Item.Score) > 1e-9 || !finite(c.Item.Score) {
				t.Fatalf("parts add up to %v, the score is %v", sum, c.Item.Score)
			}
			if seen[c.Item.ID] {
				t.Fatalf("id %q twice", c.Item.ID)
			}
			seen[c.Item.ID] = true
			if i > 0 && before(&merged[i-1], &c) > 0 {
				t.Fatalf("out of order at %d", i)
			}
		}
		again := slices.Clone(merged)
		slices.Reverse(again)
		Order(again, Ask{Now: now}, Defaults(), true)
		if ids(again) != ids(merged) {
			t.Fatal("the order depends on the order of the input")
		}
		b := DefaultBudget()
		b.Tokens = rapid.IntRange(0, 40).Draw(t, "tokens")
		cost := func(items []schema.Item) int {
			n := 0
			for _, it := range items {
				n += 1 + len(it.ID)
			}
			return n
		}
		items := Select(merged, b, cost)
		if cost(items) > b.Tokens || len(items) > b.Total {
			t.Fatalf("%d items cost %d of %d", len(items), cost(items), b.Tokens)
		}
	})
}

func TestConfigNamesEveryFault(t *testing.T) {
	c := Defaults()
	c.Weights = map[string]float64{"nonsense": 1, "dense": math.NaN()}
	c.Dense.Dev, c.Prior = 0, 0
	err := c.Validate()
	if err == nil {
		t.Fatal("no error")
	}
	for _, f := range []string{"weights.nonsense", "weights.dense", "dense.dev", "prior"} {
		if !strings.Contains(err.Error(), f) {
			t.Errorf("%q is not named in %q", f, err)
		}
	}
	if err := Defaults().Validate(); err != nil {
		t.Error(err)
	}
	b := DefaultBudget()
	b.Types[schema.TypeEpisode], b.Total = 3, -1
	if err := b.Validate(); err == nil || !strings.Contains(err.Error(), "types.episode") || !strings.Contains(err.Error(), "total") {
		t.Errorf("budget: %v", err)
	}
}

func TestEveryRuleCanBeSwitchedOff(t *testing.T) {
	for _, r := range Rules {
		cfg := Defaults()
		cfg.Weights = map[string]float64{r.Name: 0}
		c := cand("a", schema.TypeConstraint, 1, 1)
		c.Item.Explicit, c.Item.Conversation, c.Turn = true, "c", &Turn{"c", 1}
		c.Arms = map[string]float64{ArmDense: .9, ArmTerms: .9}
		c.Shared, c.Rare = 1, true
		c.Cross, c.Judged, c.Agrees, c.Named, c.Asks, c.TellsWhen = true, true, .8, true, true, true
		before := c
		before.Turn, before.Item.ID = &Turn{"c", 0}, "b"
		cs := []Candidate{c, before}
		Relevance(cs, Pool{Full: map[string]bool{ArmDense: true, ArmTerms: true}}, cfg)
		Answers(cs, cfg)
		Order(cs, Ask{Now: now, Conversation: "c", When: true}, cfg, true)
		parts := cs[slices.IndexFunc(cs, func(c Candidate) bool { return c.Item.ID == "a" })].Item.Explain.Parts
		if _, there := parts[r.Name]; there || len(parts) != len(Rules)-1 {
			t.Errorf("%s off: parts %v", r.Name, parts)
		}
	}
}

// TestFloorAcrossLanguages: a text in another language than the query needs less, and one in the same language does not.
func TestFloorAcrossLanguages(t *testing.T) {
	cfg := Defaults()
	same, other := cand("same", schema.TypeEpisode, .5, .5), cand("other", schema.TypeEpisode, .5, .5)
	x := (cfg.Cross + cfg.Dense.Floor) / 2
	same.Arms, other.Arms, other.Cross = map[string]float64{ArmDense: x}, map[string]float64{ArmDense: x}, true
	cs := []Candidate{same, other}
	Relevance(cs, Pool{Full: map[string]bool{ArmDense: true}}, cfg)
	if cs[0].Found || !cs[1].Found {
		t.Errorf("found %v in the query's language and %v in the other one, by a cosine of %.2f", cs[0].Found, cs[1].Found, x)
	}
}

// The cosine, the words one by one and the words shared, together; less where something else answers, and nothing where
// words were compared and agree too little.
func TestD10_WhatAnswersIsJudgedWordByWord(t *testing.T) {
	hit := func(id string, cos, agrees float64, cross bool) Candidate {
		c := cand(id, schema.TypeEpisode, .5, .5)
		c.Arms, c.Judged, c.Agrees, c.Cross = map[string]float64{ArmDense: cos}, true, agrees, cross
		return c
	}
	sharing := func(c Candidate, share float64, rare bool) Candidate {
		c.Arms[ArmTerms], c.Shared, c.Rare = share, share, rare
		return c
	}
	tabled := func(c Candidate, cos float64) Candidate { c.Near = &cos; return c }
	covers := sharing(Candidate{Item: cand("covers", schema.TypeEpisode, .5, .5).Item, Arms: map[string]float64{}}, .6, true)
	page := hit("page", .5, .4, false)
	page.Tokens = 12 * 20 // 1.21 + .15·ln 20 = 1.66
	long := func(c Candidate, tokens int) Candidate { c.Tokens = tokens; return c }
	unread := cand("unread", schema.TypeEpisode, .5, .5)
	unread.Arms = map[string]float64{ArmDense: .6}
	for _, c := range []struct {
		name  string
		texts uint64 // within a language .75 + .1·ln 100 = 1.21, across two .5 + .08·ln 100 = .87
		cands []Candidate
		want  string
	}{
		{"near, and its words agree", 100, []Candidate{hit("a", .5, .4, false)}, "a"},
		{"near by chance: its words do not", 100, []Candidate{hit("a", .5, .3, false)}, ""},
		{"among few texts less is enough", 10, []Candidate{hit("a", .5, .3, false)}, "a"},
		{"among many more is needed", 1000, []Candidate{hit("a", .5, .4, false)}, ""},
		{"but no more than among a thousand", 1_000_000, []Candidate{hit("a", .5, .48, false)}, "a"},
		{"across languages less is enough", 100, []Candidate{hit("a", .3, .3, true), hit("b", .3, .3, false)}, "a"},
		{"a rare word by chance", 100, []Candidate{sharing(hit("a", .3, .3, false), .2, true)}, ""},
		{"a rare word in a text that is near", 100, []Candidate{sharing(hit("a", .4, .35, false), .2, true)}, "a"},
		{"beside one that answers, a rare word is enough", 100, []Candidate{hit("a", .5, .6, false), sharing(hit("b", .3, .3, false), .2, true)}, "a b"},
		{"and less of the rest", 100, []Candidate{hit("a", .5, .6, false), hit("b", .4, .3, false)}, "a b"},
		{"that one alone", 100, []Candidate{hit("b", .4, .3, false)}, ""},
		{"most of the query answers by itself", 100, []Candidate{covers, hit("b", .4, .3, false)}, "covers b"},
		{"a page that agrees no better than a sentence would", 100, []Candidate{page}, ""},
		{"in another language a page answers as a sentence does", 100, []Candidate{long(hit("a", .3, .3, true), 250)}, "a"},
		{"and what is longer needs more: .87 + .15·ln 3 = 1.03", 100, []Candidate{long(hit("a", .3, .35, true), 750), long(hit("b", .3, .38, true), 750)}, "a b"},
		{"which less does not reach", 100, []Candidate{long(hit("a", .3, .35, true), 750)}, ""},
		{"words agree but the text is far", 100, []Candidate{hit("a", .05, .9, false)}, ""},
		{"what was not compared, where nothing that was passes", 100, []Candidate{hit("a", .5, .3, false), unread}, ""},
		{"what was not compared, beside what passes", 100, []Candidate{hit("a", .5, .6, false), unread}, "a unread"},
		{"where another model embeds, the table's cosine judges", 100, []Candidate{tabled(hit("a", .9, .4, false), .1), tabled(hit("b", .3, .4, false), .5)}, "b"},
		{"nothing was compared", 100, []Candidate{unread}, "unread"},
	} {
		Relevance(c.cands, Pool{Full: map[string]bool{ArmDense: true, ArmTerms: true}, Texts: c.texts}, Defaults())
		var got []Candidate
		for _, x := range c.cands {
			if x.Found {
				got = append(got, x)
			}
		}
		if ids(got) != c.want {
			t.Errorf("%s: found %q, want %q", c.name, ids(got), c.want)
		}
	}
}

// The turn right after a found question gets a share of its gains, whoever it names; a question itself gets less.
func TestTheAnswerStandsBeforeTheQuestion(t *testing.T) {
	var cs []Candidate
	for i, id := range []string{"before", "question", "answer", "after"} {
		c := cand(id, schema.TypeEpisode, .5, .5)
		c.Turn = &Turn{"c", i}
		cs = append(cs, c)
	}
	cs[1].Arms, cs[1].Asks = map[string]float64{ArmDense: .9}, true
	cfg := Defaults()
	cfg.Neighbour = 0
	Relevance(cs, Pool{Full: map[string]bool{ArmDense: true}}, cfg)
	Answers(cs, cfg)
	g := cs[1].Gains[0].Gain
	for i, want := range []float64{0, 0, g, 0} {
		near(t, cs[i].Item.ID+".Answer", cs[i].Answer, want)
	}
	Order(cs, Ask{Now: now}, cfg, true)
	parts := map[string]map[string]float64{}
	for _, c := range cs {
		parts[c.Item.ID] = c.Item.Explain.Parts
	}
	near(t, "asks of the question", parts["question"]["asks"], -.3)
	near(t, "answers of the answer", parts["answer"]["answers"], .1*g)
	if _, there := parts["answer"]["asks"]; there {
		t.Errorf("the answer: %v", parts["answer"])
	}
}

func TestWhatTellsATimeComesFirstWhereOneIsAsked(t *testing.T) {
	for _, when := range []bool{true, false} {
		a, b := cand("a", schema.TypeEpisode, .5, .5), cand("b", schema.TypeEpisode, .5, .5)
		a.Arms, b.Arms = map[string]float64{ArmDense: .8}, map[string]float64{ArmDense: .8}
		a.TellsWhen = true
		cs := []Candidate{a, b}
		Relevance(cs, Pool{}, Defaults())
		Order(cs, Ask{Now: now, When: when}, Defaults(), false)
		if got, want := ids(cs), map[bool]string{true: "a b", false: "b a"}[when]; got != want { // equal scores stand by id, descending
			t.Errorf("asks for a time %v: %q, want %q", when, got, want)
		}
	}
}
