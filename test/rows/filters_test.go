package rows

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// sources are the events that items come from, in order of their ids.
func sources(items []schema.Item) string {
	var ids []string
	for _, it := range items {
		if !slices.Contains(ids, it.Source.Event) {
			ids = append(ids, it.Source.Event)
		}
	}
	slices.Sort(ids)
	return strings.Join(ids, " ")
}

// ids a, b, c: three turns that the same question finds, apart in time, tool and metadata.
func TestFiltersNarrowWhatIsFound(t *testing.T) {
	c := tenant(t)
	for i, x := range []struct {
		tool string
		meta map[string]any
	}{
		{"mcp__harbour__tide_table", map[string]any{"app.version": "1.2", "x[0]": "first", "n": 7.0, "on": true, "项目": "潮汐", "a b": "c d"}},
		{"tide-table", map[string]any{"app.version": "1.3", "app": "harbour", "n": 7.5, "on": false}},
		{"web_fetch", map[string]any{"n": "7"}},
		{"mcp__dock__tide_table", nil},
	} {
		id := string(rune('a' + i))
		tn := turn(id, "The Oslo harbour gauge was read, log "+id+".", "", tool(x.tool, "The Oslo harbour gauge shows "+fmt.Sprint(3+i)+" metres."))
		tn.Conversation, tn.At, tn.Metadata = "c-"+id, day.Add(time.Duration(i-10)*time.Hour), x.meta
		c.Put(tn)
	}
	at := func(i int) time.Time { return day.Add(time.Duration(i-10) * time.Hour) }
	meta := func(k string, v any) schema.QueryFilter { return schema.QueryFilter{Metadata: map[string]any{k: v}} }
	for _, x := range []struct {
		name string
		f    schema.QueryFilter
		want string
	}{
		{"nothing", schema.QueryFilter{}, "a b c d"},
		{"from, inclusive", schema.QueryFilter{From: at(1)}, "b c d"},
		{"to, exclusive", schema.QueryFilter{To: at(1)}, "a"},
		{"between", schema.QueryFilter{From: at(1), To: at(2)}, "b"},
		{"the same moment in another zone", schema.QueryFilter{From: at(2).In(time.FixedZone("", 8*3600))}, "c d"},
		{"tool", schema.QueryFilter{Tool: "web_fetch"}, "c"},
		{"tool in another spelling", schema.QueryFilter{Tool: "WebFetch"}, "c"},
		{"the last part of a qualified tool", schema.QueryFilter{Tool: "tide_table"}, "a b d"},
		{"a qualified tool, and where it was called without", schema.QueryFilter{Tool: "mcp__harbour__tide_table"}, "a b"},
		{"a qualified tool that was never called so", schema.QueryFilter{Tool: "mcp__net__web_fetch"}, "c"},
		{"a qualified tool in another spelling", schema.QueryFilter{Tool: "MCP-Harbour-TideTable"}, "a"},
		{"no such tool", schema.QueryFilter{Tool: "cmd_run"}, ""},
		{"text", meta("app.version", "1.2"), "a"},
		{"a key with a dot is no path", meta("app.version", "1.3"), "b"},
		{"a key with brackets", meta("x[0]", "first"), "a"},
		{"a key with a space", meta("a b", "c d"), "a"},
		{"a Chinese key and value", meta("项目", "潮汐"), "a"},
		{"a whole number", meta("n", 7.0), "a"},
		{"a broken number", meta("n", 7.5), "b"},
		{"a number as text is no number", meta("n", "7"), "c"},
		{"yes", meta("on", true), "a"},
		{"no", meta("on", false), "b"},
		{"case counts", meta("app", "Harbour"), ""},
		{"no such key", meta("colour", "red"), ""},
		{"all must hold", schema.QueryFilter{Metadata: map[string]any{"app": "harbour", "on": true}}, ""},
		{"several kinds together", schema.QueryFilter{Metadata: map[string]any{"app": "harbour"}, Tool: "TideTable", From: at(1), To: at(2)}, "b"},
	} {
		t.Run(x.name, func(t *testing.T) {
			q := ask("What does the Oslo harbour gauge show?")
			q.Filter = &x.f
			r := c.Ask(q)
			if got := sources(r.Items); got != x.want {
				t.Errorf("found %q, want %q", got, x.want)
			}
			for _, it := range r.Items { // the block holds nothing else
				if !strings.Contains(x.want, it.Source.Event) {
					t.Errorf("%+v", it)
				}
			}
			if x.want == "" && strings.Contains(r.Block, "gauge") {
				t.Errorf("the block is\n%s", r.Block)
			}
		})
	}
}

// What a query cannot be asked with is refused, and the field named.
func TestQueriesThatAreRefused(t *testing.T) {
	c := tenant(t)
	for _, x := range []struct{ body, field string }{
		{`{"query":"x"}`, "user"},
		{`{"user":"ann","query":"x","limit":101}`, "limit"},
		{`{"user":"ann","query":"x","limit":-1}`, "limit"},
		{`{"user":"ann","query":"x","limits":1}`, "limits"},
		{`{"user":"ann","query":"x","min_seq":-1}`, "min_seq"},
		{`{"user":"ann","query":"x","min_seq":"1"}`, "min_seq"},
		{`{"user":"ann","query":"x","mode":"fast"}`, "mode"},
		{`{"user":"ann","query":"x","types":["rule"]}`, "types[0]"},
		{`{"user":"ann","query":"x","dedupe":"conversation"}`, "conversation"},
		{`{"user":"ann","query":"x","dedupe":"conversation","conversation":"c"}`, "turn"},
		{`{"user":"ann","query":"x","dedupe":"turn"}`, "dedupe"},
		{`{"user":"ann","query":"x","as_of":"yesterday"}`, "as_of"},
		{`{"user":"ann","query":"x","as_of":"2026-03-01T08:00:00"}`, "as_of"},
		{`{"user":"ann","query":"x","filter":{"tool":"a\u0000"}}`, "filter.tool"},
		{`{"user":"ann","query":"x","filter":{"metadata":{"a":null}}}`, "filter.metadata.a"},
		{`{"user":"ann","query":"x","filter":{"metadata":{"a":["b"]}}}`, "filter.metadata.a"},
		{`{"user":"ann","query":"x","filter":{"metadata":{"a":9007199254740993}}}`, "filter.metadata.a"},
		{`{"user":"ann","query":"x","filter":{"to":"2026-03-01T00:00:00Z","from":"2026-03-01T00:00:00Z"}}`, "filter.to"},
		{`{"user":"ann","query":"x","filter":{"since":"2026-03-01T00:00:00Z"}}`, "filter.since"},
	} {
		if code, body := c.Send("POST", "/v1/query", "application/json", x.body); code != 400 || !strings.Contains(body, `"field":"`+x.field+`"`) {
			t.Errorf("%s: %d %s", x.body, code, body)
		}
	}
	for _, x := range []struct{ query, field string }{
		{"", "user"},
		{"user=ann&limit=0x", "limit"},
		{"user=ann&limit=1001", "limit"},
		{"user=ann&status=gone", "status"},
		{"user=ann&type=rule", "type"},
		{"user=ann&kind=rule", "kind"},
		{"user=ann&cursor=nowhere", "cursor"},
		{"user=ann&users=bob", "users"},
		{"user=ann&user=bob", "user"},
	} {
		if code, body := c.Send("GET", "/v1/memories?"+x.query, "", ""); code != 400 || !strings.Contains(body, `"field":"`+x.field+`"`) {
			t.Errorf("%s: %d %s", x.query, code, body)
		}
	}
}

func TestMinSeqWaitsForWhatWasJustAccepted(t *testing.T) {
	c := tenant(t)
	for i := range 20 {
		acc, err := c.Publish(t.Context(), schema.Turn{ID: fmt.Sprint("t-", i), User: "ann", Input: fmt.Sprintf("Locker %d holds the keelson of ship %d.", i, i)})
		if err != nil {
			t.Fatal(err)
		}
		r := c.Ask(schema.Query{User: "ann", Query: fmt.Sprintf("What does locker %d hold?", i), MinSeq: acc.Seq, Limit: 50})
		if it, ok := stacktest.Find(r.Items, fmt.Sprintf("Locker %d ", i)); !ok || r.Stale {
			t.Fatalf("turn %d is not found right after it was accepted: %+v, stale %t", i, it, r.Stale)
		}
	}
	// What nobody has accepted yet does not come: the reply says so, and is a reply.
	st := c.Settle()
	r := c.Ask(schema.Query{User: "ann", Query: "What does locker 3 hold?", MinSeq: st.LastSeq + 1_000_000})
	if _, ok := stacktest.Find(r.Items, "Locker 3 "); !ok || !r.Stale {
		t.Errorf("%d items, stale %t", len(r.Items), r.Stale)
	}
}

// as_of shows memory as it stood then, include_history what was superseded since.
func TestAsOfAndHistoryShowWhatHeld(t *testing.T) {
	c := tenant(t)
	managers := []string{"Priya", "Elena", "Tomasz"}
	at := func(i int) time.Time { return day.AddDate(0, 0, 10*i-40) }
	for i, name := range managers {
		tn := turn(fmt.Sprint("t-", i), "My manager is "+name+".", "")
		tn.At, tn.Conversation = at(i), fmt.Sprint("c-", i)
		c.Put(tn)
	}
	for _, x := range []struct {
		name    string
		asOf    time.Time
		history bool
		want    string // active facts
		past    string // superseded ones
	}{
		{"now", time.Time{}, false, "Tomasz", ""},
		{"before the first", at(0).Add(-time.Hour), false, "", ""},
		{"after the first", at(0).Add(time.Hour), false, "Priya", ""},
		{"at the moment of the second", at(1), false, "Elena", ""},
		{"just before the third", at(2).Add(-time.Millisecond), false, "Elena", ""},
		{"history", time.Time{}, true, "Tomasz", "Elena Priya"},
		{"history as of the second", at(1).Add(time.Hour), true, "Elena", "Priya"},
	} {
		t.Run(x.name, func(t *testing.T) {
			r := c.Ask(schema.Query{User: "ann", Query: "Who is my manager?", Types: []schema.Type{schema.TypeFact}, Limit: 50, Now: day, AsOf: x.asOf, IncludeHistory: x.history})
			got := map[schema.Status][]string{}
			for _, it := range r.Items {
				for _, name := range managers {
					if strings.Contains(it.Content, name) {
						got[it.Status] = append(got[it.Status], name)
						if (it.SupersededBy == "") != (it.Status == schema.StatusActive) {
							t.Errorf("%+v", it)
						}
					}
				}
			}
			slices.Sort(got[schema.StatusSuperseded])
			if a, p := strings.Join(got[schema.StatusActive], " "), strings.Join(got[schema.StatusSuperseded], " "); a != x.want || p != x.past {
				t.Errorf("active %q and superseded %q, want %q and %q", a, p, x.want, x.past)
			}
		})
	}
}

func TestExplainIsThereOnRequestOnly(t *testing.T) {
	c := tenant(t)
	c.Put(turn("t", "The spare fuse lies in the red tin.", ""))
	must(t, c)(c.Pin(t.Context(), schema.Pin{User: "ann", Content: "Sign every letter with Ollerenshaw."}))
	for _, explain := range []bool{false, true} {
		q := ask("Where is the spare fuse?")
		q.Explain = explain
		r := c.Ask(q)
		if len(r.Items) < 2 {
			t.Fatalf("%d items", len(r.Items))
		}
		for _, it := range r.Items {
			if (it.Explain != nil) != explain {
				t.Errorf("explain %t: %+v", explain, it)
			} else if explain {
				sum := 0.0
				for _, p := range it.Explain.Parts {
					sum += p
				}
				if d := sum - it.Score; d > 1e-9 || d < -1e-9 {
					t.Errorf("the parts of %s make %v, its score is %v", it.ID, sum, it.Score)
				}
			}
		}
	}
}

func TestMemoriesAreListedWholeInPagesOfAnySize(t *testing.T) {
	c := tenant(t)
	var turns []schema.Turn
	for i := range 25 { // some at the same moment
		tn := turn(fmt.Sprintf("t-%02d", i), fmt.Sprintf("Crate %02d holds %d anchors, weighed at the quay.", i, 100+i), "")
		tn.At = day.Add(-time.Duration(i/3) * time.Minute)
		turns = append(turns, tn)
	}
	if r := c.PutMany(turns); len(r.Rejected) > 0 {
		t.Fatalf("%+v", r.Rejected)
	}
	c.Settle()
	whole := c.All(schema.MemoryQuery{User: "ann"})
	if n := len(sources(whole)); len(strings.Fields(sources(whole))) != 25 {
		t.Fatalf("%d bytes of sources: %s", n, sources(whole))
	}
	for _, limit := range []int{1, 2, 3, 7, len(whole), 1000} {
		var got []schema.Item
		q := schema.MemoryQuery{User: "ann", Limit: limit}
		for page := 0; ; page++ {
			p, err := c.Memories(t.Context(), q)
			if err != nil || len(p.Items) > limit || page > len(whole) {
				t.Fatalf("limit %d, page %d: %d items, %v", limit, page, len(p.Items), err)
			}
			got = append(got, p.Items...)
			if q.Cursor = p.Cursor; q.Cursor == "" {
				break
			}
		}
		if !slices.EqualFunc(got, whole, func(a, b schema.Item) bool { return a.ID == b.ID }) {
			t.Errorf("in pages of %d the list has %d memories, of other ones or in another order than the %d", limit, len(got), len(whole))
		}
	}
	for _, x := range []struct {
		q    schema.MemoryQuery
		want string
	}{
		{schema.MemoryQuery{Text: "CRATE 07"}, "t-07"},
		{schema.MemoryQuery{Text: "ｃrate 07"}, "t-07"}, // full width
		{schema.MemoryQuery{Text: "crate 99"}, ""},
		{schema.MemoryQuery{Type: schema.TypeConstraint}, ""},
		{schema.MemoryQuery{Status: "superseded"}, ""},
	} {
		x.q.User = "ann"
		if got := sources(c.All(x.q)); got != x.want {
			t.Errorf("%+v lists %q, want %q", x.q, got, x.want)
		}
	}
}

// A6: secrets are masked in every computation, and metadata is one.
func TestA6_SecretsInMetadataAreMaskedInEveryStore(t *testing.T) {
	s := stacktest.Up(t, stacktest.Config(filepath.Join(t.TempDir(), "data")))
	scan := s.Scan(t)
	c := s.As(t, "")
	const key = "sk-proj-Zq8vT3mXw2LrY7nKp4Hs9Bd1Cf6Gj0Aa5Ee"
	tn := turn("t", "The deployment is done.", "")
	tn.Metadata = map[string]any{"note": "uses " + key, "db_password": "Tr0ub4dor-and-3", "region": "eu-1", "build": 42.0, key: true}
	c.Put(tn)
	es := scan.Everything()
	somewhere(t, es, "eu-1", "tap", "qdrant passages", "qdrant events") // metadata is there, but for its secrets
	nowhere(t, es, "Zq8vT3mXw2LrY7nKp4Hs9Bd1Cf6Gj0Aa5Ee", "Tr0ub4dor")
	raw, err := c.Event(t.Context(), "t")
	if err != nil || !strings.Contains(string(raw), key) || !strings.Contains(string(raw), "Tr0ub4dor") {
		t.Errorf("the raw event has lost them: %s, %v", raw, err)
	}
	for k, v := range map[string]any{"region": "eu-1", "build": 42.0} { // what is no secret is found as before
		q := ask("Is the deployment done?")
		q.Filter = &schema.QueryFilter{Metadata: map[string]any{k: v}}
		if got := sources(c.Ask(q).Items); got != "t" {
			t.Errorf("by %s: %q", k, got)
		}
	}
}
