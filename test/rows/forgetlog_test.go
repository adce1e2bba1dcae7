package rows

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// What a user wants forgotten may stand nowhere but in the log: nothing of it is readable then either.
func TestForgetReachesTheLog(t *testing.T) {
	for name, x := range map[string]struct {
		say   func(t *testing.T, c *stacktest.Tenant) []string // the events that have to go
		match string
	}{
		"a deleted memory": {func(t *testing.T, c *stacktest.Tenant) []string {
			w := must(t, c)(c.Remember(t.Context(), schema.MemoryWrite{User: "ann", Type: schema.TypeFact, Content: "The spare key is under the Zanzibar pot."}))
			must(t, c)(c.DeleteMemory(t.Context(), "ann", w.ID))
			return []string{w.Event}
		}, "ZANZIBAR"},
		"a deleted memory zh": {func(t *testing.T, c *stacktest.Tenant) []string {
			w := must(t, c)(c.Remember(t.Context(), schema.MemoryWrite{User: "ann", Type: schema.TypeFact, Content: "备用钥匙在ＡＢ青花瓷盆下面。"}))
			must(t, c)(c.DeleteMemory(t.Context(), "ann", w.ID))
			return []string{w.Event}
		}, "ab青花瓷"},
		"edit of a deleted one": {func(t *testing.T, c *stacktest.Tenant) []string {
			w := must(t, c)(c.Remember(t.Context(), schema.MemoryWrite{User: "ann", Type: schema.TypeFact, Content: "The spare key is under the red pot."}))
			e := must(t, c)(c.EditMemory(t.Context(), "ann", w.ID, schema.MemoryPatch{Content: "The spare key is under the Zanzibar pot."}))
			must(t, c)(c.DeleteMemory(t.Context(), "ann", w.ID))
			return []string{w.Event, e.Event}
		}, "zanzibar"},
		"edited away": {func(t *testing.T, c *stacktest.Tenant) []string {
			w := must(t, c)(c.Remember(t.Context(), schema.MemoryWrite{User: "ann", Type: schema.TypeFact, Content: "The spare key is under the Zanzibar pot."}))
			e := must(t, c)(c.EditMemory(t.Context(), "ann", w.ID, schema.MemoryPatch{Content: "The spare key is under the red pot."}))
			must(t, c)(c.DeleteMemory(t.Context(), "ann", e.ID))
			return []string{w.Event}
		}, "zanzibar"},
		"unpinned": {func(t *testing.T, c *stacktest.Tenant) []string {
			w := must(t, c)(c.Pin(t.Context(), schema.Pin{User: "ann", Content: "Never mention Zanzibar."}))
			must(t, c)(c.Unpin(t.Context(), "ann", w.ID))
			return []string{w.Event}
		}, "zanzibar"},
		"no_memory": {func(t *testing.T, c *stacktest.Tenant) []string {
			c.Put(turn("t", "What is in the file?", "One line.", tool("cmd_run", "zanzibar:x:0:0")))
			return []string{"t"}
		}, "Zanzibar"},
		"escaped JSON": {func(t *testing.T, c *stacktest.Tenant) []string {
			c.Put(turn("t", "What is in the file?", "One line.", tool("cmd_run", `{"line":"\u9752\u82b1 vase"}`)))
			return []string{"t"}
		}, "青花 VASE"},
		"masked secret": {func(t *testing.T, c *stacktest.Tenant) []string {
			c.Put(turn("t", "My key is AKIAZANZIBAR2EXAMPLE, keep it.", ""))
			return []string{"t"}
		}, "akiazanzibar2example"},
	} {
		t.Run(name, func(t *testing.T) {
			c := tenant(t)
			ids := x.say(t, c)
			c.Put(turn("stay", "My bicycle is stored in Whitby.", ""))
			w := must(t, c)(c.Remember(t.Context(), schema.MemoryWrite{User: "bob", Type: schema.TypeFact, Content: "Bob knows " + x.match}))
			for _, id := range ids {
				if _, err := c.Event(t.Context(), id); err != nil {
					t.Fatalf("before: %v", err)
				}
			}
			r, err := c.Forget(t.Context(), schema.Forget{User: "ann", Match: x.match})
			if err != nil || r.Matched < len(ids) {
				t.Fatalf("answered with %+v, %v; %d events state it", r, err, len(ids))
			}
			if _, err := c.Event(t.Context(), ids[len(ids)-1]); schema.CodeOf(err) != schema.CodeNotFound {
				t.Errorf("as soon as it is asked for: %v", err)
			}
			c.Settle()
			for _, id := range ids {
				if _, err := c.Event(t.Context(), id); schema.CodeOf(err) != schema.CodeNotFound {
					t.Errorf("%s can still be read: %v", id, err)
				}
				if _, err := c.EventStatus(t.Context(), id, true); schema.CodeOf(err) != schema.CodeNotFound {
					t.Errorf("%s has a status: %v", id, err)
				}
			}
			for _, id := range []string{"stay", w.Event} {
				if _, err := c.Event(t.Context(), id); err != nil {
					t.Errorf("%s is gone, too: %v", id, err)
				}
			}
			balanced(t, c)
		})
	}
}

// Dead letters hold what died whole. What is forgotten leaves them, with the bodies that they claim.
func TestForgetReachesDeadLetters(t *testing.T) {
	s := stacktest.Up(t, stacktest.Config(filepath.Join(t.TempDir(), "data")))
	c := s.As(t, "")
	js, err := jetstream.New(stacktest.Dial(t, s.Connect(t)))
	if err != nil {
		t.Fatal(err)
	}
	// What intake refuses: the id is taken, a field does not exist.
	c.Put(turn("taken", "My bicycle is stored in Whitby.", ""))
	for _, body := range []string{
		`{"id":"taken","user":"ann","input":"Zanzibar one"}`, `{"user":"ann","input":"Zanzibar two","nosuch":1}`,
		`{"user":"ann","conversation":"c-9","input":"three","nosuch":1}`, `{"user":"bob","input":"Zanzibar four","nosuch":1}`, `Zanzibar five, no JSON`,
	} {
		if _, err := js.Publish(t.Context(), events.InSubject(c.Name), []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	// An accepted event that died in a stage, as the pipeline buries it, with a body that was too large to travel.
	blobs, err := events.OpenBlobs(t.Context(), js)
	if err != nil {
		t.Fatal(err)
	}
	c.Put(turn("dead", "I prefer Lapsang.", ""))
	st, err := c.EventStatus(t.Context(), "dead", false)
	if err != nil {
		t.Fatal(err)
	}
	ev := schema.Event{Envelope: schema.Envelope{
		Version: schema.Version, ID: "dead", UUID: st.UUID, Tenant: c.Name, User: "ann", Op: schema.OpCleaned, Class: schema.ClassUser, Seq: st.Seq, Generation: 1, BodyHash: schema.Hash([]byte("raw")),
	}, Body: []byte(strings.Repeat("Lapsang ", events.MaxInWork/8+1))}
	h, body, err := blobs.Encode(t.Context(), events.StageClean, ev)
	if err != nil {
		t.Fatal(err)
	}
	h.Set(events.HeaderDeadStage, "extract")
	h.Set(events.HeaderDeadStream, events.WorkStream(1))
	h.Set(events.HeaderDeadSeq, "7")
	h.Set(events.HeaderDeadCount, "1")
	if _, err := js.PublishMsg(t.Context(), &nats.Msg{Subject: events.DLQSubject("extract", c.Name, "x"), Header: h, Data: body}); err != nil {
		t.Fatal(err)
	}
	letters := func() (out []string) {
		t.Helper()
		dlq, err := js.Stream(t.Context(), events.StreamDLQ)
		if err != nil {
			t.Fatal(err)
		}
		st := dlq.CachedInfo().State
		for seq := st.FirstSeq; st.Msgs > 0 && seq <= st.LastSeq; seq++ {
			if m, err := dlq.GetMsg(t.Context(), seq); err == nil {
				out = append(out, string(m.Data))
			}
		}
		return out
	}
	stacktest.Eventually(t, "six dead letters", func() error {
		if n := len(letters()); n != 6 {
			return fmt.Errorf("there are %d", n)
		}
		return nil
	})
	for _, step := range []struct {
		f    schema.Forget
		left int
	}{
		{schema.Forget{User: "ann", Match: "zanzibar"}, 4},
		{schema.Forget{User: "ann", Conversation: "c-9"}, 3},
		{schema.Forget{User: "ann", IDs: []string{"dead"}}, 2},
	} {
		forget(t, c, step.f)
		stacktest.Eventually(t, "fewer dead letters", func() error {
			if ls := letters(); len(ls) != step.left {
				return fmt.Errorf("%+v: left are %q", step.f, ls)
			}
			return nil
		})
	}
	es := s.Scan(t).Everything()
	nowhere(t, es, "Zanzibar one", "Zanzibar two", "Lapsang", "lapsang")
	somewhere(t, es, "Zanzibar four", "stream SILT_DLQ") // another user's, and what is nobody's
	somewhere(t, es, "Zanzibar five", "stream SILT_DLQ")
	if _, err := c.Event(t.Context(), "taken"); err != nil {
		t.Errorf("what has the id is gone: %v", err)
	}
}
