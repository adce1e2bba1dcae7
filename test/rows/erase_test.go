package rows

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/internal/embedded/qdrantd"
	"github.com/siltstone-ai/siltstone/internal/scour"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// erase carries an erasure out.
func erase(t *testing.T, c *stacktest.Tenant, r schema.EraseRequest) schema.ErasureReport {
	t.Helper()
	id, err := c.Erase(t.Context(), r)
	if err != nil {
		t.Fatalf("erase: %v", err)
	}
	return *c.Finished(id).Erasure
}

// everythingOf is what the API tells of a user: memories of any status with their histories, pins, settings.
func everythingOf(t *testing.T, c *stacktest.Tenant, user string) string {
	t.Helper()
	var out []any
	for _, it := range c.All(schema.MemoryQuery{User: user, Status: "all"}) {
		out = append(out, it)
	}
	pins, err := c.Pins(t.Context(), user)
	if err != nil {
		t.Fatal(err)
	}
	set, err := c.Settings(t.Context(), user)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.MarshalIndent(append(out, pins, set), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// An erased user is in no file, whatever way what was said went; the others have all that they had.
func TestAnErasedUserIsInNoFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	s := stacktest.Up(t, stacktest.Config(dir))
	c := s.As(t, "")
	const user = "quintessa.varga"
	huge := strings.Repeat("Quarzmann report 石英报告 line. ", 30_000) // travels as a blob, raw and derived
	mine := func(x schema.Turn) schema.Turn {
		x.User = user
		return x
	}
	say := func(name string) []schema.Turn {
		return []schema.Turn{
			turn(name+"-1", "My manager is Wolframina Needleby, and 青花瓷盆下面有备用钥匙。", "Noted.", tool("web_fetch", "Kormoranwords of "+name)),
			turn(name+"-2", "I live in Zanzibar77. I never eat Pelikanfish.", "Good."),
			turn(name+"-3", "Read the report.", "A long one.", tool("files_read", `{"content":"`+huge+`"}`)),
		}
	}
	var turns []schema.Turn
	for _, v := range say("Erasable") {
		turns = append(turns, mine(v))
	}
	stays := []schema.Turn{turn("stay-1", "My manager is Oskar Meyerling.", "Noted."), turn("stay-2", "我住在杭州西湖边上的公寓。", "好的。")}
	c.Put(append(turns, stays...)...)
	js, err := jetstream.New(stacktest.Dial(t, s.Connect(t)))
	if err != nil {
		t.Fatal(err)
	}
	// Fire and forget, refused, edited, deleted, pinned, settings, forgotten before, asked, dead.
	for _, body := range []string{
		`{"id":"plain-1","user":"` + user + `","input":"Plainpublish Needleby77 speaks"}`,
		`{"user":"` + user + `","input":"Refusedwords Needleby88","nosuch":1}`,
	} {
		if _, err := js.Publish(t.Context(), events.InSubject(c.Name), []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	w := must(t, c)(c.Remember(t.Context(), schema.MemoryWrite{User: user, Type: schema.TypeFact, Content: "The spare key is under the Redpot99."}))
	e := must(t, c)(c.EditMemory(t.Context(), user, w.ID, schema.MemoryPatch{Content: "The spare key is under the Bluepot99."}))
	must(t, c)(c.DeleteMemory(t.Context(), user, e.ID))
	must(t, c)(c.Pin(t.Context(), schema.Pin{User: user, Content: "Answer in Esperanto88."}))
	must(t, c)(c.Pin(t.Context(), schema.Pin{User: "ann", Content: "Answer in Volapuek."}))
	for _, u := range []string{user, "ann"} {
		if err := c.SetSettings(t.Context(), u, schema.Settings{Types: map[schema.Type]bool{schema.TypeTodoHint: false}}); err != nil {
			t.Fatal(err)
		}
	}
	c.Put(mine(turn("gone", "I once had a Forgottendog55.", "")))
	forget(t, c, schema.Forget{User: user, Match: "forgottendog55"})
	if _, err := c.Archive(t.Context(), schema.Archive{User: user, IDs: []string{"Erasable-1", "Erasable-3"}}); err != nil {
		t.Fatal(err)
	}
	c.Settle()
	q := ask("Who is my manager?")
	q.User, q.Conversation, q.Turn = user, "c-1", "t-9"
	c.Ask(q)
	c.Settle()
	stacktest.Eventually(t, "a dead letter", func() error {
		l, err := c.DeadLetters(t.Context(), "", 10)
		if err == nil && len(l.Items) == 0 {
			err = errors.New("there is none")
		}
		return err
	})
	needles := []string{user, "Wolframina", "青花瓷盆下面", "Zanzibar77", "Pelikanfish", "Quarzmann", "石英报告", "Plainpublish", "Refusedwords", "Redpot99", "Bluepot99", "Esperanto88", "Forgottendog55", "Erasable-1"}
	before := everythingOf(t, c, "ann")
	found, err := scour.Search(t.Context(), dir, needles, qdrantd.Contents)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for _, h := range found.Found {
		seen[h.String] = true
	}
	if found.Hits < schema.MaxErasureHits && len(seen) != len(needles) {
		t.Fatalf("of %d needles only %d are in the files before, so the search shows nothing: %+v", len(needles), len(seen), found.Found)
	}

	rep := erase(t, c, schema.EraseRequest{User: user, Verify: true})
	if rep.Check == nil || rep.Check.Hits > 0 || rep.Check.Files < 10 || rep.Check.Strings < 10 || !rep.Compacted || rep.Entries != 12 || rep.Points < 10 {
		t.Errorf("the erasure tells %+v, check %+v", rep, rep.Check)
	}
	if found, err = scour.Search(t.Context(), dir, needles, qdrantd.Contents); err != nil || found.Hits > 0 {
		t.Errorf("%d strings are in the files: %+v, %v", found.Hits, found.Found, err)
	}
	if got := everythingOf(t, c, "ann"); got != before {
		t.Errorf("another user's memory has changed:\n%s\nbefore\n%s", got, before)
	}
	if got := everythingOf(t, c, user); strings.Contains(got, "content") {
		t.Errorf("of the erased user is left %s", got)
	}
	for _, v := range stays {
		if _, err := c.Event(t.Context(), v.ID); err != nil {
			t.Errorf("%s is gone, too: %v", v.ID, err)
		}
	}
	balanced(t, c)

	// Neither another reading of the log nor another start brings anything back, and the log is whole.
	job := c.Replayed(schema.ReplayRequest{From: "start", Switch: true})
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	s = stacktest.Up(t, stacktest.Config(dir))
	c = s.As(t, c.Name)
	if got := everythingOf(t, c, "ann"); got != before {
		t.Errorf("after a replay (%+v) and a start another user's memory has changed:\n%s\nbefore\n%s", job.Replay, got, before)
	}
	if found, err = scour.Search(t.Context(), dir, needles, qdrantd.Contents); err != nil || found.Hits > 0 {
		t.Errorf("after a replay and a start %d strings are in the files: %+v, %v", found.Hits, found.Found, err)
	}
	nowhere(t, s.Scan(t).Everything(), needles...)

	// What is said later is new, under the same ids too.
	c.Put(turns[1])
	if got := everythingOf(t, c, user); !strings.Contains(got, "Zanzibar77") || strings.Contains(got, "Wolframina") {
		t.Errorf("said again: %s", got)
	}
	logs := s.Logs.String()
	for _, n := range needles {
		if strings.Contains(logs, n) {
			t.Errorf("the log of the process tells %q", n)
		}
	}
}
