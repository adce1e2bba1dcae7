package rows

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// forget carries a request out and waits until that is done.
func forget(t *testing.T, c *stacktest.Tenant, f schema.Forget) schema.ForgetReply {
	t.Helper()
	r, err := c.Forget(t.Context(), f)
	if err != nil {
		t.Fatalf("forget %+v: %v", f, err)
	}
	c.Settle()
	if f.DryRun {
		return r
	}
	if job, err := c.Job(t.Context(), r.Job); err != nil || job.State != schema.JobDone || job.Kind != schema.JobForget || job.Forget.Matched != r.Matched {
		t.Errorf("its job once that is done: %+v, %v", job, err)
	}
	return r
}

// there are the ids of those events of ann's that can still be read.
func there(t *testing.T, c *stacktest.Tenant, ids ...string) []string {
	t.Helper()
	var out []string
	for _, id := range ids {
		_, err := c.Event(t.Context(), id)
		st, serr := c.EventStatus(t.Context(), id, true)
		switch {
		case err == nil && serr == nil && st.State == "indexed":
			out = append(out, id)
		case schema.CodeOf(err) != schema.CodeNotFound || schema.CodeOf(serr) != schema.CodeNotFound:
			t.Errorf("%s: raw %v, status %+v %v", id, err, st, serr)
		}
	}
	return out
}

func TestForgetReachesWhatItNamesAndNothingElse(t *testing.T) {
	ids := []string{"tea", "茶", "trip", "old", "own"}
	for _, x := range []struct {
		name string
		req  schema.Forget
		gone []string
	}{
		{"match", schema.Forget{Match: "ＬＡＰＳＡＮＧ souchong"}, []string{"tea"}},
		{"match zh", schema.Forget{Match: "正山小种"}, []string{"茶"}},
		{"event id", schema.Forget{IDs: []string{"trip", "own"}}, []string{"trip", "own"}},
		{"conversation", schema.Forget{Conversation: "c-trip"}, []string{"trip"}},
		{"before", schema.Forget{Before: day.Add(-48 * time.Hour)}, []string{"old"}},
		{"all", schema.Forget{All: true}, ids},
		{"nothing", schema.Forget{Match: "no such words"}, nil},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := tenant(t)
			old := turn("old", "My bicycle is stored in Whitby.", "")
			old.At = day.Add(-72 * time.Hour)
			trip := turn("trip", "I prefer trains to planes.", "So you took the Orient train.")
			trip.Conversation = "c-trip"
			bob := turn("bob", "I prefer Lapsang Souchong 正山小种. My bicycle is stored in Whitby.", "")
			bob.User, bob.Conversation, bob.At = "bob", "c-trip", day.Add(-72*time.Hour)
			c.Put(turn("tea", "I prefer Lapsang Souchong.", "OK."), turn("茶", "我喜欢喝正山小种。", ""), trip, old, turn("own", "Never deploy on Fridays.", ""), bob)
			x.req.User = "ann"
			stay := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return slices.Contains(x.gone, id) })

			dry := x.req
			dry.DryRun = true
			first := forget(t, c, dry)
			if first.Job != "" || !slices.Equal(there(t, c, ids...), ids) {
				t.Errorf("a dry run is answered with %+v and leaves %v", first, there(t, c, ids...))
			}
			r := forget(t, c, x.req)
			if r.Job == "" || r.Matched != first.Matched || (r.Matched == 0) != (len(x.gone) == 0) {
				t.Errorf("answered with %+v, the dry run with %+v", r, first)
			}
			if got := there(t, c, ids...); !slices.Equal(got, stay) {
				t.Errorf("left are %v, want %v", got, stay)
			}
			if got := there(t, c, "bob"); len(got) != 1 {
				t.Error("another user's is gone")
			}
			for _, it := range c.All(schema.MemoryQuery{User: "ann", Status: "all"}) {
				if slices.Contains(x.gone, it.Source.Event) {
					t.Errorf("a memory of %s is left: %q", it.Source.Event, it.Content)
				}
			}
			for _, q := range []string{"Lapsang Souchong", "正山小种", "trains or planes Orient", "bicycle Whitby", "deploy Fridays"} {
				r := c.Ask(ask(q))
				for _, it := range r.Items {
					if slices.Contains(x.gone, it.Source.Event) {
						t.Errorf("%q still finds %q", q, it.Content)
					}
				}
			}
			want := uint64(len(x.gone))
			if l := c.Settle().Ledger; l.Accepted != 6 || l.Forgotten != want || l.Indexed != 6-want {
				t.Errorf("the ledger is %+v, want %d of 6 forgotten", l, want)
			}
			// It reaches no further than itself: what is said again is remembered again.
			c.Put(turn("again", "I prefer Lapsang Souchong 正山小种.", ""))
			if got := there(t, c, "again"); len(got) != 1 {
				t.Error("what came after it is gone, too")
			}
			if _, ok := stacktest.Find(c.Ask(ask("Lapsang")).Items, "Lapsang"); !ok {
				t.Error("what came after it is not found")
			}
		})
	}
}

func TestForgetLeavesNoTextInAnyStore(t *testing.T) {
	c := tenant(t)
	c.Put(turn("t", "My manager is Wilhelmina Fernsby. 我的经理是费恩斯比女士。", "Noted: Fernsby it is.", tool("web_fetch", "<p>Fernsby lives in Quimperle</p>")),
		turn("stay", "My bicycle is stored in Whitby.", ""))
	c.Ask(ask("Who is Fernsby?")) // fills the caches
	before := c.Stack.Scan(t)
	somewhere(t, before.Everything(), "Fernsby", "qdrant events", "qdrant facts", "redis")
	forget(t, c, schema.Forget{User: "ann", IDs: []string{"t"}})
	es := c.Stack.Scan(t).Everything()
	nowhere(t, es, "Fernsby", "fernsby", "费恩斯比", "Quimperle", "quimperle")
	somewhere(t, es, "Whitby", "qdrant events", "qdrant facts")
}

func TestForgettingByAMemorysIdTakesItsSource(t *testing.T) {
	c := tenant(t)
	c.Put(turn("t", "My bicycle is stored in Whitby.", "A fine place for it."), turn("rule", "Never deploy on Fridays.", ""))
	it, ok := stacktest.Find(c.All(schema.MemoryQuery{User: "ann"}), "Whitby")
	if !ok {
		t.Fatal("no memory to forget")
	}
	if r := forget(t, c, schema.Forget{User: "ann", IDs: []string{it.ID}}); r.Matched < 2 {
		t.Errorf("matched %d: the memory and its source are two", r.Matched)
	}
	if got := there(t, c, "t", "rule"); !slices.Equal(got, []string{"rule"}) {
		t.Errorf("left are %v", got)
	}
	if r := c.Ask(ask("Where is the bicycle stored?")); strings.Contains(r.Block, "Whitby") {
		t.Errorf("the block still says it:\n%s", r.Block)
	}
	// A pinned rule goes, too, from the very next block.
	if b := c.Ask(ask("What is new?")).Block; !strings.Contains(b, "Fridays") {
		t.Fatalf("the rule does not stand:\n%s", b)
	}
	if _, err := c.Forget(t.Context(), schema.Forget{User: "ann", Match: "deploy on fridays"}); err != nil {
		t.Fatal(err)
	}
	c.Settle()
	if r := c.Ask(ask("What is new?")); strings.Contains(r.Block, "Fridays") {
		t.Errorf("the rule still stands:\n%s", r.Block)
	}
}

func TestASupersededMemoryComesBackWhenTheOtherIsForgotten(t *testing.T) {
	for name, x := range map[string]struct{ old, now, was, is, question string }{
		"en": {"My manager is Priya.", "My manager is now Elena.", "Priya", "Elena", "Who is my manager?"},
		"zh": {"我的经理是王芳。", "我的经理现在是李雷。", "王芳", "李雷", "我的经理是谁？"},
	} {
		t.Run(name, func(t *testing.T) {
			c := tenant(t)
			old, now := turn("old", x.old, ""), turn("now", x.now, "")
			old.At, now.At = day.Add(-20*24*time.Hour), day.Add(-10*24*time.Hour)
			old.Conversation = "c-0"
			c.Put(now, old) // the order of arrival does not matter
			facts := func(status string) string {
				var out []string
				for _, it := range c.All(schema.MemoryQuery{User: "ann", Status: status, Type: schema.TypeFact}) {
					out = append(out, it.Content)
				}
				return strings.Join(out, "|")
			}
			if a, s := facts("active"), facts("superseded"); !strings.Contains(a, x.is) || strings.Contains(a, x.was) || !strings.Contains(s, x.was) {
				t.Fatalf("active %q, superseded %q", a, s)
			}
			forget(t, c, schema.Forget{User: "ann", IDs: []string{"now"}})
			if a, s := facts("active"), facts("superseded"); !strings.Contains(a, x.was) || s != "" {
				t.Errorf("after forgetting: active %q, superseded %q", a, s)
			}
			r := c.Ask(ask(x.question))
			if !strings.Contains(r.Block, x.was) || strings.Contains(r.Block, x.is) {
				t.Errorf("the block is\n%s", r.Block)
			}
		})
	}
}
