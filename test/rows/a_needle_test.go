package rows

import (
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

func TestA3_NoMemoryTakesTheOutputOutOfEveryComputationAndNothingElse(t *testing.T) {
	c := tenant(t)
	x := c.Stack.Scan(t)
	const line = "svc-ledger:x:1042:1042:quarter closing run:/srv/ledger:/usr/sbin/nologin"
	c.Put(turn("t", "Which account is in the first line of the account file?",
		"The first line reads `"+line+"`. That is the service account of the bookkeeping system; Marta Quint from finance owns it.",
		tool("cmd_run", line+"\n")))
	st := c.What("t")
	if st.State != "indexed" || dropped(st, "tool.0") != "no_memory" || dropped(st, "response") != "quoted_no_memory" {
		t.Errorf("the event is %s, dropped are %+v", st.State, st.Dropped)
	}
	if s := segment(st, "response"); !strings.Contains(s, "Marta Quint from finance owns it") || !strings.Contains(s, "The first line reads") {
		t.Errorf("the explanation is not whole: %q", s)
	}
	r := c.Ask(ask("Who is the account in the first line of the account file?"))
	if it, ok := stacktest.Find(r.Items, "Marta Quint"); !ok || strings.Contains(it.Content, "1042") {
		t.Errorf("found %v", contents(r.Items))
	}
	if !strings.Contains(r.Block, "Marta Quint") || strings.Contains(r.Block, "1042") {
		t.Errorf("the block is %s", r.Block)
	}
	for part, s := range derived(st.Computed) {
		for _, n := range []string{"svc-ledger", "1042", "nologin", "quarter closing"} {
			if strings.Contains(strings.ToLower(s), n) {
				t.Errorf("%s holds %q of the output: %q", part, n, s)
			}
		}
	}
	es := x.Everything()
	somewhere(t, es, "Marta Quint", "qdrant events", "redis", "tap silt.work")
	nowhere(t, es, "svc-ledger", "quarter closing run", "/srv/ledger")
	if raw, err := c.Event(t.Context(), "t"); err != nil || strings.Count(string(raw), line) != 2 {
		t.Errorf("the raw event holds the line %d times (%v)", strings.Count(string(raw), line), err)
	}
	if items := c.Ask(ask("svc-ledger quarter closing run nologin")).Items; len(items) > 0 {
		if _, ok := stacktest.Find(items, "svc-ledger"); ok {
			t.Errorf("the output is found: %v", contents(items))
		}
	}
}

func TestA5_CleanersAndNoMemoryHoldInEveryComputation(t *testing.T) {
	c := tenant(t)
	x := c.Stack.Scan(t)
	// Sentences that every stage would jump at: names, facts, triples, constraints, paths, in both languages.
	bait := func(n string) string {
		return "My manager is " + n + "man. Never deploy to " + n + "ville. I prefer " + n + "tea. The service listens on " + n + "host:9999 in /srv/" + n +
			"/app.yaml. Remind me to call " + n + "man by 2027-01-01. 我的经理是" + n + "。以后一律不要" + n + "。请记住" + n + "住在杭州。"
	}
	yes := true
	if _, err := c.SetTool(t.Context(), schema.ToolPolicy{Name: "secret_box", NoMemory: &yes}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.SetTool(t.Context(), schema.ToolPolicy{Name: "log_view", Cleaner: &[]string{"drop:^TRACE", "truncate:2000"}}); err != nil {
		t.Fatal(err)
	}
	const token = "ghp_Zk3vQ9xLm2Rt7Yw5Bn8Jc4Hd6Fs1Gp0AeUi"
	huge := strings.Repeat("lorem words of a huge report 报告。", 20_000) // the derived body becomes a blob
	c.Put(
		turn("shell", "Run it.", "It went well; the kept answer is Pelikan.", tool("cmd_run", bait("zqshell"))),
		turn("box", "Open it.", "Opened; the kept answer is Pelikan.", tool("secret_box", bait("zqbox"))),
		turn("json", "Read it.", "Read; the kept answer is Pelikan.", tool("files_read", `{"content":"Kept inner Kormoran text.","meta":"`+bait("zqmeta")+`"}`)),
		turn("html", "Fetch it.", "Fetched.", tool("web_fetch", "<html><head><script>"+bait("zqscript")+"</script><style>.zqstyle{}</style></head><body><!-- "+bait("zqcomment")+" --><p>Kept Kormoran page.</p></body></html>")),
		turn("log", "Show the log.", "Shown.", tool("log_view", "TRACE "+bait("zqtrace")+"\nkept Kormoran line\n"+strings.Repeat("filler ", 400)+bait("zqtail"))),
		turn("meta", "Plan.", "Planned.", tool("todo_write", bait("zqmetatool"))),
		turn("token", "Show the environment.", "Here it is.", tool("env_show", "GITHUB_TOKEN="+token+"\nEDITOR=kormoran\n")),
		turn("huge", "Read the report.", "A long one.", tool("files_read", `{"content":"`+huge+`","meta":"zqhuge"}`), tool("cmd_run", "zqhugeshell "+huge)),
	)
	single := schema.Turn{ID: "single", User: "ann", Conversation: "c-1", At: day, ToolResults: []schema.ToolResult{tool("bash", bait("zqsingle"))}}
	c.Put(single)
	for _, id := range []string{"shell", "box", "json", "html", "log", "meta", "token", "huge", "single"} {
		for part, s := range derived(c.What(id).Computed) {
			if strings.Contains(strings.ToLower(s), "zq") || strings.Contains(s, token) {
				t.Errorf("%s: %s holds a needle: %.300q", id, part, s)
			}
		}
		raw, err := c.Event(t.Context(), id)
		if err != nil || (id != "token" && !strings.Contains(string(raw), "zq")) || (id == "token" && !strings.Contains(string(raw), token)) {
			t.Errorf("%s: the raw event has lost its needle (%v)", id, err)
		}
	}
	c.Ask(ask("zqshellman zqboxville " + token)) // what is asked for is written down nowhere
	es := x.Everything()
	somewhere(t, es, "Pelikan", "qdrant events", "redis", "tap silt.work")
	somewhere(t, es, "Kormoran", "qdrant events", "tap silt.work")
	for _, n := range []string{"zqshell", "zqbox", "zqmeta", "zqscript", "zqstyle", "zqcomment", "zqtrace", "zqtail", "zqmetatool", "zqhuge", "zqsingle", token, token[4:20]} {
		nowhere(t, es, n)
		nowhere(t, es, strings.ToUpper(n))
	}
	for _, it := range c.All(schema.MemoryQuery{User: "ann", Status: "all"}) {
		if strings.Contains(it.Content, "zq") {
			t.Errorf("a memory holds a needle: %q", it.Content)
		}
	}
}

func TestMemoryTextIsNeverLogged(t *testing.T) {
	c := tenant(t)
	c.Put(turn("t", "My manager is Wolfram Needleby.", "Noted.", tool("web_fetch", "needle page of Needleby")))
	c.Ask(ask("Who is Wolfram Needleby?"))
	if _, err := c.Forget(t.Context(), schema.Forget{User: "ann", Match: "Wolfram Needleby"}); err != nil {
		t.Fatal(err)
	}
	c.Settle()
	if code, _ := c.Send("POST", "/v1/events", "application/json", `{"user":"ann","input":"needleby broken`); code != 400 {
		t.Errorf("a broken body is answered with %d", code)
	}
	logs := c.Stack.Logs.String()
	if !strings.Contains(logs, `"level"`) {
		t.Fatal("nothing is logged at all, so nothing is shown")
	}
	if i := strings.Index(strings.ToLower(logs), "needleby"); i >= 0 {
		t.Errorf("the log tells memory text: …%s…", logs[max(0, i-200):min(len(logs), i+100)])
	}
}
