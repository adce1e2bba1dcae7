package rows

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/internal/app"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/pkg/stages"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

func TestA2_PolicyBelongsToTheTool(t *testing.T) {
	c := tenant(t)
	yes := true
	for _, p := range []schema.ToolPolicy{
		{Name: "office_dump", NoMemory: &yes}, {Name: "office_read", Cleaner: &[]string{"json:body.text"}},
		{Name: "office_page", Cleaner: &[]string{"html", "truncate:20"}}, {Name: "office_log", Cleaner: &[]string{"drop:^DEBUG"}},
		{Name: "office_table", Cleaner: &[]string{"lines:head:1"}},
	} {
		if _, err := c.SetTool(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	// Six tools of one plugin in one turn, twice: under another agent and user nothing is otherwise.
	for _, who := range []struct{ id, user, agent string }{{"one", "ann", "coder"}, {"two", "bob", "writer"}} {
		x := turn(who.id, "do it all", "done",
			tool("office_dump", "dumped words"), tool("office_read", `{"body":{"text":"inner words","n":1},"id":"envelope"}`),
			tool("office_page", "<p>page words that are rather long</p>"), tool("office_log", "DEBUG noise\nkept line\nDEBUG noise"),
			tool("office_table", "first row\nsecond row"), tool("office_note", `{"note":"as it is"}`))
		x.User, x.Agent = who.user, who.agent
		c.Put(x)
		st := c.What(who.id)
		if got := dropped(st, "tool.0"); got != "no_memory" {
			t.Errorf("%s: office_dump is dropped for %q", who.id, got)
		}
		for i, want := range []string{"", "inner words", "page words that are", "kept line", "first row", `{"note":"as it is"}`} {
			key := "tool." + string(rune('0'+i))
			if got := segment(st, key); !strings.Contains(got, want) || (want == "") != (got == "") {
				t.Errorf("%s: %s is computed as %q, want %q", who.id, key, got, want)
			}
			for _, not := range []string{"dumped", "envelope", "<p>", "rather long", "DEBUG", "second row"} {
				if strings.Contains(segment(st, key), not) {
					t.Errorf("%s: %s still holds %q", who.id, key, not)
				}
			}
		}
	}
}

// TestA2_APolicyHoldsForEverySpelling: what is set for a tool under one spelling of its name holds under every
// other, lies over the default and is listed once.
func TestA2_APolicyHoldsForEverySpelling(t *testing.T) {
	c := tenant(t)
	yes, no := true, false
	set := func(p schema.ToolPolicy) schema.ToolDef {
		t.Helper()
		d, err := c.SetTool(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if d := set(schema.ToolPolicy{Name: "Bash", Cleaner: &[]string{"truncate:4000"}}); d.Name != "bash" || !d.NoMemory || !slices.Equal(d.Cleaner, []string{"truncate:4000"}) {
		t.Errorf("a cleaner for Bash makes it %+v", d)
	}
	set(schema.ToolPolicy{Name: "My-Tool", NoMemory: &yes})
	set(schema.ToolPolicy{Name: "mcp__wiki__WebFetch", Cleaner: &[]string{"json:text"}})
	c.Put(turn("t", "everything", "done",
		tool("bash", "needle-bash words"), tool("mcp__x__Bash", "needle-qualified words"), tool("my_tool", "needle-mine words"), tool("srv/myTool", "needle-other words"),
		tool("mcp__wiki__web_fetch", `{"text":"inner wiki words"}`), tool("webfetch", `{"text":"page words"}`)))
	st := c.What("t")
	for _, key := range []string{"tool.0", "tool.1", "tool.2", "tool.3"} {
		if got := dropped(st, key); got != "no_memory" || segment(st, key) != "" {
			t.Errorf("%s is dropped for %q and computed as %q", key, got, segment(st, key))
		}
	}
	if got := segment(st, "tool.4"); got != "[source: mcp__wiki__web_fetch] inner wiki words" {
		t.Errorf("the whole name's cleaner gave %q", got)
	}
	if got := segment(st, "tool.5"); !strings.Contains(got, `{"text":"page words"}`) {
		t.Errorf("one server's cleaner holds for another tool: %q", got)
	}
	set(schema.ToolPolicy{Name: "MY_TOOL", NoMemory: &no})
	defs, err := c.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]schema.ToolDef{}
	for _, d := range defs {
		k := schema.ToolKey(d.Name)
		rows[k] = append(rows[k], d)
	}
	for name, none := range map[string]bool{"bash": true, "My-Tool": false, "web_fetch": false, "mcp__wiki__WebFetch": false} {
		if r := rows[schema.ToolKey(name)]; len(r) != 1 || r[0].Name != name || r[0].NoMemory != none {
			t.Errorf("%s is listed as %+v", name, r)
		}
	}
}

func TestA4_ACleanerShapesOnlyWhatIsComputed(t *testing.T) {
	c := tenant(t)
	out := `{"path":"/srv/notes.md","content":"The aquarium pump hums at night.\nChange its filter.","size":53}`
	c.Put(turn("t", "读一下笔记", "好的。", tool("files_read", out)))
	if got, want := segment(c.What("t"), "tool.0"), "[source: files_read] The aquarium pump hums at night.\nChange its filter."; got != want {
		t.Errorf("computed is %q, want %q", got, want)
	}
	raw, err := c.Event(t.Context(), "t")
	if err != nil || !strings.Contains(string(raw), `\"path\":\"/srv/notes.md\"`) {
		t.Errorf("raw is %s (%v)", raw, err)
	}
	if _, ok := stacktest.Find(c.Ask(ask("aquarium pump filter")).Items, "hums at night"); !ok {
		t.Error("the inner text is not found")
	}
}

func TestA6_ResponseIsCleanedToo(t *testing.T) {
	c := tenant(t)
	dirty := func(s string) string {
		return "  <think>hidden musings about zebras</think>\u0000" + s + "\u0007\n<memory_context>\nold echoed walrus\n</memory_context>  "
	}
	c.Put(turn("t", dirty("Where is my umbrella?"), dirty("It stands in the hall.")))
	st := c.What("t")
	if in, out := segment(st, "input"), segment(st, "response"); in != "Where is my umbrella?" || out != "It stands in the hall." {
		t.Errorf("computed are input %q and response %q", in, out)
	}
	for part, s := range derived(st.Computed) {
		if strings.Contains(s, "zebra") || strings.Contains(s, "walrus") {
			t.Errorf("%s holds what was to be removed: %q", part, s)
		}
	}
	// A turn of nothing but an echo of memory brings nothing in.
	c.Put(turn("echo", "<memory_context>\n- likes walrus steaks\n</memory_context>", "<think>only thoughts</think>"))
	if st := c.What("echo"); st.State != "dropped" {
		t.Errorf("a turn of echoes is %s", st.State)
	}
}

func TestA7_ACleanersFaultCostsItsSegmentOnly(t *testing.T) {
	cfg := stacktest.Config(filepath.Join(t.TempDir(), "data"))
	cfg.Tools = []schema.ToolPolicy{
		{Name: "own_ok", Cleaner: &[]string{"upper"}}, {Name: "own_panic", Cleaner: &[]string{"panics"}},
		{Name: "own_hang", Cleaner: &[]string{"hangs"}}, {Name: "own_junk", Cleaner: &[]string{"junk"}}, {Name: "own_chain", Cleaner: &[]string{"json:a", "upper", "truncate:4"}},
	}
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	s := stacktest.Up(t, cfg, func(o *app.Options) {
		o.Cleaners = map[string]stages.Cleaner{
			"upper":  func(s, _ string) (string, error) { return strings.ToUpper(s), nil },
			"panics": func(s, _ string) (string, error) { panic("no panic may tell: " + s) },
			"hangs":  func(s, _ string) (string, error) { <-release; return s, nil },
			"junk":   func(s, _ string) (string, error) { return s + "\xff\xfe", nil },
		}
	})
	c := s.As(t, "")
	c.Put(turn("t", "The parrot is called Kiwi.", "Noted, Kiwi.",
		tool("files_read", "not JSON at all, needle-malformed"), tool("own_panic", "needle-panic"), tool("own_hang", "needle-hang"),
		tool("own_junk", "needle-junk"), tool("own_ok", "shaped words"), tool("own_chain", `{"a":"abcdefgh"}`)))
	st := c.What("t")
	if st.State != "indexed" {
		t.Errorf("the event is %s", st.State)
	}
	faults := map[string]schema.Fault{}
	for _, f := range st.Faults {
		faults[f.Segment] = f
	}
	for key, cleaner := range map[string]string{"tool.0": "json", "tool.1": "panics", "tool.2": "hangs", "tool.3": "junk"} {
		if f := faults[key]; !strings.HasPrefix(f.Cleaner, cleaner) || f.Reason == "" {
			t.Errorf("%s: the fault is %+v, want one of %s with its reason", key, f, cleaner)
		}
		if got := segment(st, key); got != "" {
			t.Errorf("%s: computed all the same: %q", key, got)
		}
	}
	if len(st.Faults) != 4 || segment(st, "tool.4") != "[source: own_ok] SHAPED WORDS" || !strings.HasPrefix(segment(st, "tool.5"), "[source: own_chain] ABCD") {
		t.Errorf("faults %+v, segments %+v", st.Faults, st.Computed.Segments)
	}
	if segment(st, "input") == "" || segment(st, "response") == "" {
		t.Error("the rest of the turn is not computed")
	}
	if r := c.Ask(ask("What is the parrot called?")); len(r.Items) == 0 {
		t.Error("the rest of the turn is not found")
	}
	es := s.Scan(t).Everything()
	nowhere(t, es, "needle-malformed", "needle-panic", "needle-hang", "needle-junk")
	somewhere(t, es, "Kiwi", "qdrant events", "qdrant facts")
}

func TestA8_TheDecisionMatrixIsTheDefaultAndCanBeOverridden(t *testing.T) {
	cfg := stacktest.Config(filepath.Join(t.TempDir(), "data"))
	yes, no := true, false
	cfg.Tools = []schema.ToolPolicy{
		{Name: "cmd_run", NoMemory: &no, Cleaner: &[]string{"ansi"}}, {Name: "Web-Search", NoMemory: &yes},
		{Name: "bash", Ingest: &yes}, {Name: "files_read", NoMemory: &no}, // set nothing that matters: the rest stays
	}
	c := tenant(t)
	defs, err := c.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]schema.ToolDef{}
	for _, d := range defs {
		if d.Why == "" {
			t.Errorf("%s has a policy without a reason", d.Name)
		}
		byName[d.Name] = d
	}
	x := turn("t", "everything", "done")
	kinds := map[string]string{ // what each row of the matrix does
		"cmd_run": "no_memory", "bash": "no_memory", "claude_code": "no_memory", "doc_edit": "no_memory", "feed_subscribe": "no_memory", "feed_unsubscribe": "no_memory",
		"feed_check": "no_memory", "message_send": "no_memory", "message_mute": "no_memory",
		"files_read": "cleaner", "web_fetch": "cleaner", "web_search": "cleaner", "browser_search": "cleaner", "browser_fetch": "cleaner", "browser_render": "cleaner",
		"message_query": "cleaner", "video_query": "cleaner", "music_query": "cleaner", "ocr": "cleaner", "agent_query": "cleaner",
		"person_set_trait": "as it is", "memory_recall": "not_ingested",
	}
	var names []string
	for name, want := range kinds {
		names = append(names, name)
		d, ok := byName[name]
		got := "as it is"
		switch {
		case !d.Ingested():
			got = "not_ingested"
		case d.NoMemory:
			got = "no_memory"
		case len(d.Cleaner) > 0:
			got = "cleaner"
		}
		if !ok || got != want {
			t.Errorf("the default of %s is %q (%v), want %q", name, got, ok, want)
		}
	}
	slices.Sort(names)
	for _, n := range names {
		x.ToolResults = append(x.ToolResults, tool(n, `{"content":"plain words of `+n+`"}`))
	}
	c.Put(x)
	st := c.What("t")
	for i, n := range names {
		key := "tool." + itoa(i)
		switch want := kinds[n]; want {
		case "no_memory", "not_ingested":
			if got := dropped(st, key); got != want || segment(st, key) != "" {
				t.Errorf("%s: dropped for %q, computed %q", n, got, segment(st, key))
			}
		default:
			if got := segment(st, key); !strings.Contains(got, "plain words of "+n) || want == "as it is" != strings.Contains(got, `{"content"`) && n != "web_fetch" && !strings.HasPrefix(n, "browser") && n != "agent_query" {
				t.Errorf("%s: computed %q, want it %s", n, got, want)
			}
		}
	}
	// Overridden at run time, for this tenant and for what comes from now on.
	for _, p := range []schema.ToolPolicy{{Name: "cmd_run", NoMemory: &no}, {Name: "files_read", NoMemory: &yes}} {
		if _, err := c.SetTool(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.SetTool(t.Context(), schema.ToolPolicy{Name: "cmd_run", Cleaner: &[]string{"nonsense:1"}}); schema.CodeOf(err) != schema.CodeInvalid || !strings.Contains(err.Error(), "cleaner") {
		t.Errorf("an unknown cleaner is answered with %v", err)
	}
	c.Put(turn("later", "again", "done", tool("cmd_run", "shell words"), tool("files_read", `{"content":"file words"}`)))
	if st := c.What("later"); !strings.Contains(segment(st, "tool.0"), "shell words") || dropped(st, "tool.1") != "no_memory" {
		t.Errorf("overridden at run time: %+v, dropped %+v", st.Computed.Segments, st.Dropped)
	}
	if st := c.What("t"); dropped(st, "tool."+itoa(slices.Index(names, "cmd_run"))) != "no_memory" {
		t.Error("what was decided under the old policy is decided anew without a replay")
	}
	other := c.Stack.As(t, "a8-other")
	other.Put(turn("t", "mine", "done", tool("cmd_run", "shell words")))
	if st := other.What("t"); dropped(st, "tool.0") != "no_memory" {
		t.Error("one tenant's policy holds for another")
	}
	// Overridden by configuration.
	cc := stacktest.Up(t, cfg).As(t, "")
	cc.Put(turn("t", "again", "done", tool("cmd_run", "\x1b[1mshell\x1b[0m words"), tool("web_search", "hits"), tool("mcp__x__Bash", "printed"), tool("files_read", `{"content":"inner"}`)))
	if st := cc.What("t"); segment(st, "tool.0") != "[source: cmd_run] shell words" || dropped(st, "tool.1") != "no_memory" || dropped(st, "tool.2") != "no_memory" || segment(st, "tool.3") != "[source: files_read] inner" {
		t.Errorf("overridden by configuration: %+v, dropped %+v", st.Computed.Segments, st.Dropped)
	}
}

func TestA10_MetaToolsAreNotIngested(t *testing.T) {
	c := tenant(t)
	// A day of nothing but the agent's own business.
	meta := []string{"todo_write", "memory_search", "memory_ingest", "memory_recall", "ask_user", "model_probe", "memory_status", "memory_pin", "TodoWrite", "mcp__silt__memory_search"}
	for i := range 24 {
		name := meta[i%len(meta)]
		c.Put(schema.Turn{ID: "m" + itoa(i), User: "ann", Conversation: "c-1", At: day.Add(time.Duration(i-24) * time.Hour),
			ToolResults: []schema.ToolResult{tool(name, "My favourite drink is cocoa number "+itoa(i)+". Never forget the otter.")}})
	}
	for i := range 24 {
		if st := c.What("m" + itoa(i)); st.State != "dropped" || dropped(st, "tool.0") != "not_ingested" {
			t.Errorf("%s is %s, its output dropped for %q", meta[i%len(meta)], st.State, dropped(st, "tool.0"))
		}
	}
	if ms := c.All(schema.MemoryQuery{User: "ann", Status: "all"}); len(ms) > 0 {
		t.Errorf("memories of meta tools: %v", contents(ms))
	}
	if r := c.Ask(ask("cocoa otter")); len(r.Items) > 0 || r.Block != "" {
		t.Errorf("found: %v", contents(r.Items))
	}
	if raw, err := c.Event(t.Context(), "m0"); err != nil || !strings.Contains(string(raw), "cocoa number 0") {
		t.Errorf("the raw event is not kept: %s, %v", raw, err)
	}
	// Aborted and empty results are skipped, the rest of the turn is not.
	x := turn("skip", "try the map", "The map says north.", tool("map_lookup", "half a rhubarb"), tool("map_lookup", " \n\t"), tool("map_lookup", "the whole artichoke"))
	x.ToolResults[0].Status = schema.ToolAborted
	c.Put(x)
	if st := c.What("skip"); dropped(st, "tool.0") != "aborted" || dropped(st, "tool.1") != "empty" || segment(st, "tool.2") == "" {
		t.Errorf("dropped %+v, segments %+v", st.Dropped, st.Computed.Segments)
	}
	// The allowlist.
	yes := true
	if _, err := c.SetTool(t.Context(), schema.ToolPolicy{Name: "todo_write", Ingest: &yes}); err != nil {
		t.Fatal(err)
	}
	c.Put(schema.Turn{ID: "allowed", User: "ann", At: day, ToolResults: []schema.ToolResult{tool("todo_write", "buy a zither")}})
	if st := c.What("allowed"); st.State != "indexed" || !strings.Contains(segment(st, "tool.0"), "zither") {
		t.Errorf("allowed, but %s: %+v", st.State, st.Dropped)
	}
	stacktest.Balanced(t, c.Settle().Ledger)
}

func TestA11_ASegmentSaysWhichToolItCameFrom(t *testing.T) {
	c := tenant(t)
	x := turn("fetched", "When is the museum open?", "I looked it up.", tool("web_fetch", "<html><body><h1>Museum</h1><p>Opening hours: Tue–Sun 10–18</p></body></html>"))
	x.Conversation = "conv-42"
	y := turn("told", "The bakery's opening hours are 6 to 14.", "Noted.")
	y.Conversation = "web_fetch-talk"
	c.Put(x, y)
	if s := segment(c.What("fetched"), "tool.0"); !strings.HasPrefix(s, "[source: web_fetch] ") {
		t.Errorf("the segment is %q", s)
	}
	r := c.Ask(ask("what did web_fetch say about opening hours"))
	if len(r.Items) == 0 || r.Items[0].Source.Event != "fetched" || r.Items[0].Source.Tool != "web_fetch" {
		t.Fatalf("first is %+v of %v", r.Items[:min(1, len(r.Items))], contents(r.Items))
	}
	if got := r.Items[0].Conversation; got != "conv-42" {
		t.Errorf("its conversation is %q", got)
	}
	q := ask("opening hours")
	q.Filter = &schema.QueryFilter{Tool: "web_fetch"}
	for _, it := range c.Ask(q).Items {
		if it.Source.Event != "fetched" {
			t.Errorf("filtered by tool, yet found %q", it.Content)
		}
	}
	if r := c.Ask(ask("web_fetch")); len(r.Items) == 0 || r.Items[0].Source.Event != "fetched" {
		t.Errorf("the tool's name alone finds %v", contents(r.Items))
	}
}
