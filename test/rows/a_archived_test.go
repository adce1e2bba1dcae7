package rows

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/internal/llm/llmtest"
	"github.com/siltstone-ai/siltstone/internal/store/qdrant"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/pkg/stages"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// archive prunes turns of ann's and waits until that is done.
func archive(t *testing.T, c *stacktest.Tenant, ids ...string) schema.ArchiveReply {
	t.Helper()
	r, err := c.Archive(t.Context(), schema.Archive{User: "ann", IDs: ids})
	if err != nil {
		t.Fatalf("archive %v: %v", ids, err)
	}
	c.Settle()
	if job, err := c.Job(t.Context(), r.Job); err != nil || job.State != schema.JobDone || job.Kind != schema.JobArchive || job.Archive.Matched != r.Matched {
		t.Errorf("its job once that is done: %+v, %v", job, err)
	}
	return r
}

// listings are turns, in both languages, that say nothing of the files which a tool lists.
func listings() []schema.Turn {
	en := turn("en", "Look what scripts are in the release folder, please. We want to tidy it up before the summer, one script after the other, and I will tell you which of them go.",
		"There are several of them; which one shall I open?", tool("files_list", `{"path":"/srv/tools/release","entries":["deploy.py","rollback.sh"]}`))
	en.Conversation, en.At = "c-en", day.AddDate(0, -4, 0)
	zh := turn("zh", "看看备份目录里有哪些脚本。", "目录里有几个脚本，需要打开哪一个？", tool("files_list", `{"path":"/data/backup/nightly","entries":["restore.py","verify.sh"]}`))
	zh.Conversation, zh.At = "c-zh", day.AddDate(0, -4, 0)
	other := turn("talk", "发布流程还要再看看。 The release can wait.", "好的，之后再看。")
	other.Conversation = "c-3"
	return []schema.Turn{en, zh, other}
}

func TestA9_AnArchivedTurnIsFoundByAFileNameSeenOnlyInAToolsOutput(t *testing.T) {
	c := tenant(t)
	c.Put(listings()...)
	before := c.Settle().Ledger
	dry, err := c.Archive(t.Context(), schema.Archive{User: "ann", IDs: []string{"en", "zh", "en"}, DryRun: true})
	if err != nil || dry.Job != "" || dry.Matched != 2 || !slices.Equal(dry.Events, []string{"en", "zh"}) || c.What("en").Archived {
		t.Fatalf("a dry run is answered with %+v, %v", dry, err)
	}
	archive(t, c, "en", "zh")
	for _, x := range []struct{ q, event, folder string }{
		{"deploy.py 在哪个文件夹？", "en", "/srv/tools/release"},
		{"Which folder is deploy.py in?", "en", "/srv/tools/release"},
		{"restore.py 在哪个目录？", "zh", "/data/backup/nightly"},
		{"Which folder is restore.py in?", "zh", "/data/backup/nightly"},
	} {
		r := c.Ask(ask(x.q))
		at := slices.IndexFunc(r.Items, func(it schema.Item) bool { return it.Source.Event == x.event })
		if at < 0 || at > 1 || !strings.Contains(r.Block, x.folder) {
			t.Errorf("%s finds %v, block\n%s", x.q, contents(r.Items), r.Block)
			continue
		}
		if it := r.Items[at]; it.Status != schema.StatusArchived || it.Type != schema.TypeEpisode || it.Source.Class != schema.ClassTool {
			t.Errorf("%s: the item is %+v", x.q, it)
		}
		mark := "archived"
		if strings.Contains(x.q, "在") {
			mark = "已归档"
		}
		if !strings.Contains(r.Block, mark) {
			t.Errorf("%s: the block does not say that it is archived:\n%s", x.q, r.Block)
		}
	}
	q := ask("deploy.py")
	q.Filter = &schema.QueryFilter{Tool: "FilesList"}
	if items := c.Ask(q).Items; len(items) == 0 || items[0].Source.Event != "en" {
		t.Errorf("by its tool it is not found: %v", contents(items))
	}
	q.Filter.Tool = "web_fetch"
	if items := c.Ask(q).Items; slices.ContainsFunc(items, func(it schema.Item) bool { return it.Source.Event == "en" }) {
		t.Errorf("by another tool it is found: %v", contents(items))
	}
	st := c.What("en")
	if st.State != "indexed" || !st.Archived || !slices.Equal(st.Segments, []string{"archive"}) || strings.Contains(st.Computed.Segments[0].Text, `"entries"`) {
		t.Errorf("its status is %+v, computed %+v", st, st.Computed)
	}
	if raw, err := c.Event(t.Context(), "en"); err != nil || !strings.Contains(string(raw), "tidy it up") {
		t.Errorf("the raw turn: %s, %v", raw, err)
	}
	if after := c.Settle().Ledger; after != before {
		t.Errorf("the ledger was %+v and is %+v", before, after)
	}
	if got := there(t, c, "en", "zh", "talk"); len(got) != 3 {
		t.Errorf("there are %v", got)
	}
	// Once more, and what is left is listed as it is shown.
	if r, err := c.Archive(t.Context(), schema.Archive{User: "ann", IDs: []string{"en"}}); err != nil || r.Matched != 0 || r.Job != "" {
		t.Errorf("archived again: %+v, %v", r, err)
	}
	if it, ok := stacktest.Find(c.All(schema.MemoryQuery{User: "ann"}), "deploy.py"); !ok || it.Status != schema.StatusArchived {
		t.Errorf("the list shows %+v", it)
	}
}

func TestA9_WhatATurnStatedOutlivesItsText(t *testing.T) {
	c := tenant(t)
	c.Put(turn("move", "I live in Ghent. My bicycle is stored in Whitby.", "Noted."), turn("umzug", "我住在杭州。", "好的。"))
	facts := c.What("move").Computed.Facts
	if len(facts) == 0 {
		t.Fatal("the turn states nothing")
	}
	archive(t, c, "move", "umzug")
	after := c.What("move").Computed.Facts
	if len(after) != len(facts) || after[0].ID != facts[0].ID || after[0].Status != facts[0].Status {
		t.Errorf("it stated %+v and states %+v", facts, after)
	}
	// A later truth still takes the place of what an archived turn said.
	later := turn("later", "I live in Oslo now.", "Noted.")
	later.At = day.Add(-time.Minute)
	c.Put(later)
	if it, ok := stacktest.Find(c.Ask(ask("Where do I live?")).Items, "Oslo"); !ok || it.Status != schema.StatusActive {
		t.Errorf("what holds now is %+v", it)
	}
}

// Whether a turn is archived before, while or after it is indexed, forgotten, or read again from the log: the points are
// the same.
func TestA9_AnArchivedTurnIsTheSameAfterAReplay(t *testing.T) {
	s := stacktest.Up(t, stacktest.Config(t.TempDir()))
	c := s.As(t, "")
	c.Put(append(listings(), turn("gone", "The walnut bureau stands in the hall.", "Noted.", tool("files_list", "/home/ann/bureau.txt")),
		turn("fact", "I live in Ghent. 我对花生过敏。", "Noted."))...)
	archive(t, c, "en", "fact", "gone")
	archive(t, c, "zh")
	forget(t, c, schema.Forget{User: "ann", IDs: []string{"gone"}})
	want := c.Hash(1)
	gen := c.Replayed(schema.ReplayRequest{From: "start", Switch: true}).Replay.Generation
	sameHash(t, c, want, gen)
	if r := c.Ask(ask("Which folder is deploy.py in?")); len(r.Items) == 0 || r.Items[0].Status != schema.StatusArchived {
		t.Errorf("after the replay it finds %v", contents(r.Items))
	}
	balanced(t, c)
}

func TestA9_TheAuditKnowsArchivedTurns(t *testing.T) {
	s := stacktest.Up(t, stacktest.Config(t.TempDir()))
	c := s.As(t, "")
	at := s.Connect(t)
	store, err := qdrant.New(qdrant.Options{URL: "http://" + at.Qdrant.Addr, APIKey: at.Qdrant.Key})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	c.Put(listings()...)
	st := c.What("en")
	old, err := store.Get(t.Context(), 1, schema.Passages, []string{stages.Passage(st.UUID, st.Seq, "input", "extract")}, true)
	if err != nil || len(old) != 1 {
		t.Fatalf("the passage: %v, %v", old, err)
	}
	archive(t, c, "en")
	if left, err := store.Get(t.Context(), 1, schema.Passages, []string{old[0].ID}, false); err != nil || len(left) > 0 {
		t.Fatalf("the passage is left: %v, %v", left, err)
	}
	audit := func(repair bool) *schema.Audit {
		t.Helper()
		id, err := c.Audit(t.Context(), schema.AuditRequest{Repair: repair})
		if err != nil {
			t.Fatal(err)
		}
		return c.Finished(id).Audit
	}
	if a := audit(false); a.Faults != 0 || a.Ledger.Indexed != 3 {
		t.Fatalf("what was pruned is missed: %+v", a)
	}
	owner, _ := old[0].Payload[schema.KeyOwner].(string)
	document := stages.Passage(st.UUID, st.Seq, "archive", "vectorize")
	if err := store.Apply(t.Context(), 1, []schema.Write{
		{Kind: schema.WriteUpsert, Collection: schema.Passages, Owner: owner, Point: old[0]},
		{Kind: schema.WriteDelete, Collection: schema.Passages, Owner: owner, IDs: []string{document}},
	}); err != nil {
		t.Fatal(err)
	}
	found := map[string]schema.AuditKind{}
	for _, f := range audit(false).Found {
		found[f.Point] = f.Kind
	}
	if len(found) != 2 || found[old[0].ID] != schema.AuditGhost || found[document] != schema.AuditMissing {
		t.Errorf("it finds %v", found)
	}
	if a := audit(true); a.Faults != 0 || a.Repaired != 2 {
		t.Errorf("after the repair: %+v", a)
	}
	if ps, err := store.Get(t.Context(), 1, schema.Passages, []string{document}, true); err != nil || len(ps) != 1 || len(ps[0].Dense) == 0 {
		t.Errorf("the document is %v, %v", ps, err)
	}
	if ps, err := store.Get(t.Context(), 1, schema.Passages, []string{old[0].ID}, false); err != nil || len(ps) > 0 {
		t.Errorf("the passage is back: %v, %v", ps, err)
	}
	// A turn that was named, and that nobody could archive, is found by the log and not by what its point says.
	terms := stages.Passage(st.UUID, st.Seq, "archive", "extract")
	if err := store.Apply(t.Context(), 1, []schema.Write{
		{Kind: schema.WriteSetPayload, Collection: schema.Events, Owner: owner, IDs: []string{st.UUID}, Payload: map[string]any{
			schema.KeyArchived: false, schema.KeySegments: []map[string]any{{"key": "input", "kind": "input", "class": "user", "text": "all of it"}},
		}},
		{Kind: schema.WriteDelete, Collection: schema.Passages, Owner: owner, IDs: []string{document, terms}},
		{Kind: schema.WriteUpsert, Collection: schema.Passages, Owner: owner, Point: old[0]},
	}); err != nil {
		t.Fatal(err)
	}
	if a := audit(true); a.Faults != 0 || a.Repaired != 2 || !c.What("en").Archived {
		t.Errorf("after the repair of a turn that was not archived: %+v", a)
	}
	if ps, err := store.Get(t.Context(), 1, schema.Passages, []string{old[0].ID, document, terms}, false); err != nil || len(ps) != 2 {
		t.Errorf("there are %v, %v", ps, err)
	}
}

// What a tool without memory put out, what a cleaner took out and what is masked is in no store, before and after archiving
// and in another reading of the log; nor is anything of an archived turn that is forgotten.
func TestA5_NeedlesAreInNoProjectionAfterArchivingAndReplaying(t *testing.T) {
	s := stacktest.Up(t, stacktest.Config(t.TempDir()))
	c := s.As(t, "")
	x := s.Scan(t)
	bait := func(n string) string {
		return "My manager is " + n + "man. The service listens on " + n + "host:9999 in /srv/" + n + "/" + n + ".yaml. 我的经理是" + n + "。请记住" + n + "住在杭州。"
	}
	yes := true
	if _, err := c.SetTool(t.Context(), schema.ToolPolicy{Name: "secret_box", NoMemory: &yes}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.SetTool(t.Context(), schema.ToolPolicy{Name: "log_view", Cleaner: &[]string{"drop:^TRACE"}}); err != nil {
		t.Fatal(err)
	}
	const token = "ghp_Zk3vQ9xLm2Rt7Yw5Bn8Jc4Hd6Fs1Gp0AeUi"
	turns := []schema.Turn{
		turn("box", "Open it.", "Opened; the kept answer is Pelikan.", tool("secret_box", bait("zqbox")), tool("files_list", "/srv/kept/kormoran.txt")),
		turn("html", "Fetch it.", "Fetched.", tool("web_fetch", "<html><script>"+bait("zqscript")+"</script><!-- "+bait("zqcomment")+" --><p>See /srv/kept/pelikan.html.</p></html>")),
		turn("log", "把日志给我看。", "看吧。", tool("log_view", "TRACE "+bait("zqtrace")+"\nkept in /var/log/kormoran.log\n")),
		turn("token", "Show the environment.", "Here it is.", tool("env_show", "GITHUB_TOKEN="+token+"\nEDITOR=/usr/bin/kormoran\n")),
	}
	c.Put(turns...)
	needles := []string{"zqbox", "zqscript", "zqcomment", "zqtrace", token, token[4:20]}
	clean := func(when string) {
		t.Helper()
		es := x.Everything()
		somewhere(t, es, "kormoran", "qdrant events")
		nowhere(t, es, needles...)
		for _, v := range turns {
			for part, text := range derived(c.What(v.ID).Computed) {
				for _, n := range needles {
					if strings.Contains(strings.ToLower(text), strings.ToLower(n)) {
						t.Errorf("%s: the %s of %s hold %q", when, part, v.ID, n)
					}
				}
			}
		}
	}
	clean("indexed")
	archive(t, c, "box", "html", "log", "token")
	if !c.What("token").Archived {
		t.Fatal("nothing is archived")
	}
	clean("archived")
	want := c.Hash(1)
	gen := c.Replayed(schema.ReplayRequest{From: "start", Switch: true}).Replay.Generation
	sameHash(t, c, want, gen)
	clean("replayed")
	// A text that is in the log's entry alone finds an archived turn to forget, too.
	forget(t, c, schema.Forget{User: "ann", Match: "zqbox住在杭州"})
	if got := there(t, c, "box", "html", "log", "token"); !slices.Equal(got, []string{"html", "log", "token"}) {
		t.Errorf("left are %v", got)
	}
	nowhere(t, s.Scan(t).Everything(), "/srv/kept/kormoran.txt", "Pelikan.")
	forget(t, c, schema.Forget{User: "ann", All: true})
	nowhere(t, s.Scan(t).Everything(), "kormoran", "pelikan.html")
	balanced(t, c)
	if r, err := c.Archive(t.Context(), schema.Archive{User: "ann", IDs: []string{"log"}}); schema.CodeOf(err) != schema.CodeNotFound {
		t.Errorf("a forgotten turn is archived: %+v, %v", r, err)
	}
}

func TestArchiveRefusesWhatIsNoTurnOfTheUser(t *testing.T) {
	c := tenant(t)
	bob := turn("bobs", "My cello was built in Cremona.", "")
	bob.User = "bob"
	c.Put(turn("a", "I live in Ghent.", ""), bob, schema.Turn{ID: "meta", User: "ann", At: day, ToolResults: []schema.ToolResult{tool("todo_write", "1. plan")}})
	w := must(t, c)(c.Remember(t.Context(), schema.MemoryWrite{ID: "w", User: "ann", Type: schema.TypeFact, Content: "The key is under the pot."}))
	c.Settle()
	for _, x := range []struct {
		ids  []string
		code schema.Code
		says string
	}{
		{nil, schema.CodeInvalid, "ids"},
		{[]string{"a", "nosuch"}, schema.CodeNotFound, "ids[1]"},
		{[]string{"bobs"}, schema.CodeNotFound, "ids[0]"},
		{[]string{w.Event}, schema.CodeInvalid, "is no turn"},
		{[]string{"meta"}, schema.CodeInvalid, "the turn is dropped"},
		{[]string{"a b\x00"}, schema.CodeInvalid, "ids[0]"},
	} {
		if r, err := c.Archive(t.Context(), schema.Archive{User: "ann", IDs: x.ids}); schema.CodeOf(err) != x.code || !strings.Contains(err.Error(), x.says) {
			t.Errorf("%q is answered with %+v, %v", x.ids, r, err)
		}
	}
	if c.What("a").Archived {
		t.Error("a request with a wrong id has archived the others")
	}
}

// What a language model has read of a turn is there after a replay too, though its event point has the document alone.
func TestA9_WhatAModelReadOfAnArchivedTurnIsTheSameAfterAReplay(t *testing.T) {
	m := llmtest.New(t)
	m.Answer(homes)
	_, c := modelled(t, t.TempDir(), m)
	// Nothing that the document would leave whole: the model must be told what was said.
	long := strings.Repeat("This and that was said in passing. ", 20)
	c.Put(turn("en", long+"Been calling Kilkenny42 my home for ages. "+long, "Nice."), turn("zh", "苏州园区早就被我当成家了。", "真好。"))
	for _, id := range []string{"en", "zh"} {
		if st := readBy(t, c, id, schema.ModelRead); st.Model.Facts != 1 {
			t.Fatalf("of %s the model has read %+v", id, st.Model)
		}
	}
	archive(t, c, "en", "zh")
	want, calls := c.Hash(1), len(m.Requests())
	gen := c.Replayed(schema.ReplayRequest{From: "start", Switch: true}).Replay.Generation
	for _, id := range []string{"en", "zh"} {
		if st := readBy(t, c, id, schema.ModelRead); st.Model.Facts != 1 || !st.Archived {
			t.Errorf("of %s the model has read %+v", id, st.Model)
		}
	}
	sameHash(t, c, want, gen)
	if n := len(m.Requests()); n != calls {
		t.Errorf("the model was asked %d times more", n-calls)
	}
}
