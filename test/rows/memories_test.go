package rows

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// must is what an explicit write is answered with, once it holds.
func must(t *testing.T, c *stacktest.Tenant) func(schema.Written, error) schema.Written {
	return func(w schema.Written, err error) schema.Written {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if w.ID == "" || w.Event == "" || w.Seq == 0 {
			t.Fatalf("answered with %+v", w)
		}
		c.Settle()
		return w
	}
}

func TestC1_AnExplicitMemoryIsFoundAndCarriesItsFields(t *testing.T) {
	for lang, x := range map[string]struct{ content, question, key string }{
		"en": {"The greenhouse key hangs behind the barometer.", "Where is the greenhouse key?", "barometer"},
		"zh": {"温室的钥匙挂在气压计后面。", "温室的钥匙在哪里？", "气压计"},
	} {
		t.Run(lang, func(t *testing.T) {
			c := tenant(t)
			share := .95
			w := must(t, c)(c.Remember(t.Context(), schema.MemoryWrite{User: "ann", Type: schema.TypeFact, Content: x.content, Importance: &share}))
			it, ok := stacktest.Find(c.Ask(schema.Query{User: "ann", Query: x.question}).Items, x.key)
			if !ok || it.ID != w.ID || it.Importance != share || it.Confidence != 1 || !it.Explicit || it.Source.Class != schema.ClassUser || it.Source.Event != w.Event {
				t.Errorf("found %t: %+v", ok, it)
			}
			v, err := c.Memory(t.Context(), "ann", w.ID)
			if err != nil || v.Memory.Content != x.content || v.Memory.Kind == "" || v.Memory.ContentHash == "" || len(v.History) != 0 || len(v.Events) != 1 || v.Events[0].Seq != w.Seq {
				t.Errorf("the memory is %+v, %v", v, err)
			}
			if r := c.Ask(schema.Query{User: "bob", Query: x.question}); strings.Contains(r.Block, x.key) {
				t.Error("another user sees it")
			}
			balanced(t, c)
		})
	}
}

// balanced: explicit writes are in the ledger like any event.
func balanced(t *testing.T, c *stacktest.Tenant) {
	t.Helper()
	stacktest.Balanced(t, c.Settle().Ledger)
}

func TestC3_AnEditKeepsTheOldStatementAsHistory(t *testing.T) {
	for lang, x := range map[string]struct{ old, now, question, was, is string }{
		"en": {"The spare fuse lies in the red tin.", "The spare fuse lies in the walnut drawer.", "Where does the spare fuse lie?", "red tin", "walnut"},
		"zh": {"备用保险丝放在红色铁盒里。", "备用保险丝放在胡桃木抽屉里。", "备用保险丝放在哪里？", "铁盒", "胡桃木"},
	} {
		t.Run(lang, func(t *testing.T) {
			c := tenant(t)
			ok := must(t, c)
			a := ok(c.Remember(t.Context(), schema.MemoryWrite{User: "ann", Type: schema.TypeFact, Content: x.old}))
			b := ok(c.EditMemory(t.Context(), "ann", a.ID, schema.MemoryPatch{Content: x.now}))
			r := c.Ask(schema.Query{User: "ann", Query: x.question})
			if strings.Contains(r.Block, x.was) || !strings.Contains(r.Block, x.is) {
				t.Errorf("the block is\n%s", r.Block)
			}
			if _, found := stacktest.Find(r.Items, x.was); found {
				t.Error("the old statement is found without history")
			}
			r = c.Ask(schema.Query{User: "ann", Query: x.question, IncludeHistory: true})
			if it, found := stacktest.Find(r.Items, x.was); !found || it.Status != schema.StatusSuperseded || it.SupersededBy != b.ID || it.ValidTo.IsZero() {
				t.Errorf("history holds %t: %+v", found, it)
			}
			// The old id goes on naming the memory; importance alone is an edit, too.
			share := .33
			d := ok(c.EditMemory(t.Context(), "ann", a.ID, schema.MemoryPatch{Importance: &share}))
			v, err := c.Memory(t.Context(), "ann", d.ID)
			if err != nil || v.Memory.Content != x.now || v.Memory.Importance != share || v.Memory.Edits != a.ID || v.Memory.Status != schema.StatusActive ||
				len(v.History) != 2 || v.History[0].ID != a.ID || v.History[1].ID != b.ID || v.History[1].SupersededBy != d.ID {
				t.Errorf("the memory is %+v, %v", v, err)
			}
			if old, err := c.Memory(t.Context(), "ann", a.ID); err != nil || old.Memory.Content != x.old || old.Memory.SupersededBy != b.ID || len(old.History) != 2 {
				t.Errorf("by its first id it is %+v, %v", old, err)
			}
			if n := len(c.All(schema.MemoryQuery{User: "ann", Type: schema.TypeFact})); n != 1 {
				t.Errorf("%d facts hold, want 1", n)
			}
			balanced(t, c)
		})
	}
}

func TestC3_AnExplicitMemorySupersedesWhatWasSaidAndIsSuperseded(t *testing.T) {
	c := tenant(t)
	said := turn("t", "My manager is Priya.", "")
	said.At = day.Add(-time.Hour)
	c.Put(said)
	w := must(t, c)(c.Remember(t.Context(), schema.MemoryWrite{User: "ann", Type: schema.TypeFact, Content: "My manager is Elena."}))
	v, err := c.Memory(t.Context(), "ann", w.ID)
	if err != nil || len(v.History) != 1 || !strings.Contains(v.History[0].Content, "Priya") || v.History[0].SupersededBy != w.ID {
		t.Fatalf("the memory is %+v, %v", v, err)
	}
	// What is history cannot be edited into the present.
	_, err = c.EditMemory(t.Context(), "ann", v.History[0].ID, schema.MemoryPatch{Content: "My manager is Priscilla."})
	if schema.CodeOf(err) != schema.CodeSuperseded || !strings.Contains(err.Error(), w.ID) {
		t.Errorf("an edit of history is answered with %v, which should name %s", err, w.ID)
	}
}

func TestC3_OfOneTurnTheLaterClauseHolds(t *testing.T) {
	for lang, x := range map[string]struct{ said, question, was, is string }{
		"en": {"My manager is Priya. No wait, my manager is Elena.", "Who is my manager?", "Priya", "Elena"},
		"zh": {"我的经理是周敏。不对，我的经理是陈涛。", "我的经理是谁？", "周敏", "陈涛"},
	} {
		t.Run(lang, func(t *testing.T) {
			c := tenant(t)
			for i := range 6 { // another id for each
				c.Put(schema.Turn{ID: "t-" + strconv.Itoa(i), User: "u-" + strconv.Itoa(i), At: day.Add(-time.Hour), Input: x.said})
			}
			for i := range 6 {
				user := "u-" + strconv.Itoa(i)
				facts := c.All(schema.MemoryQuery{User: user, Type: schema.TypeFact})
				if len(facts) != 1 || !strings.Contains(facts[0].Content, x.is) {
					t.Errorf("for %s there hold %q", user, contents(facts))
				}
				r := c.Ask(schema.Query{User: user, Query: x.question, Now: day, Limit: 50, Types: []schema.Type{schema.TypeFact}, IncludeHistory: true})
				if it, found := stacktest.Find(r.Items, x.was); !found || it.Status != schema.StatusSuperseded {
					t.Errorf("the history of %s holds %q", user, contents(r.Items))
				}
			}
		})
	}
}

func TestC5_ADeletedMemoryIsInNoStoreAndStaysGone(t *testing.T) {
	cfg := stacktest.Config(filepath.Join(t.TempDir(), "data"))
	s, err := stacktest.Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Stop() }() // a second stop does nothing
	c := s.As(t, "")
	ok := must(t, c)
	a := ok(c.Remember(t.Context(), schema.MemoryWrite{ID: "w-1", User: "ann", Type: schema.TypePreference, Content: "I prefer Quetzaltenango coffee."}))
	ok(c.EditMemory(t.Context(), "ann", a.ID, schema.MemoryPatch{Content: "I prefer Huehuetenango coffee."}))
	stay := ok(c.Remember(t.Context(), schema.MemoryWrite{User: "ann", Type: schema.TypePreference, Content: "I prefer window seats."}))
	c.Put(turn("t", "My bicycle is stored in Whitby.", ""))
	rode, found := stacktest.Find(c.All(schema.MemoryQuery{User: "ann", Type: schema.TypeFact}), "Whitby")
	if !found {
		t.Fatal("nothing was read from the turn")
	}
	c.Ask(ask("Which coffee?")) // fills the caches
	somewhere(t, s.Scan(t).Everything(), "Huehuetenango", "qdrant facts", "redis")

	ok(c.DeleteMemory(t.Context(), "ann", a.ID))
	ok(c.DeleteMemory(t.Context(), "ann", rode.ID))
	gone := func(c *stacktest.Tenant) {
		t.Helper()
		es := c.Stack.Scan(t).Everything()
		nowhere(t, es, "Quetzaltenango", "Huehuetenango", "quetzaltenango", "huehuetenango")
		somewhere(t, es, "window seats", "qdrant facts")
		for _, q := range []string{"Which coffee, Huehuetenango or Quetzaltenango?", "Where is the bicycle stored, in Whitby?"} {
			q := schema.Query{User: "ann", Query: q, IncludeHistory: true, Limit: 50}
			r := c.Ask(q)
			for _, word := range []string{"tenango", "Whitby"} {
				if it, found := stacktest.Find(r.Items, word); found || strings.Contains(r.Block, word) {
					t.Errorf("%q still finds %+v\n%s", q.Query, it, r.Block)
				}
			}
		}
		for _, it := range c.All(schema.MemoryQuery{User: "ann", Status: "all"}) {
			if it.ID == a.ID || it.ID == rode.ID || strings.Contains(it.Content, "tenango") || strings.Contains(it.Content, "Whitby") {
				t.Errorf("the list still holds %+v", it)
			}
		}
		for _, id := range []string{a.ID, rode.ID} {
			if v, err := c.Memory(t.Context(), "ann", id); schema.CodeOf(err) != schema.CodeNotFound {
				t.Errorf("%s is answered with %+v, %v", id, v, err)
			}
			if w, err := c.EditMemory(t.Context(), "ann", id, schema.MemoryPatch{Content: "x"}); schema.CodeOf(err) != schema.CodeNotFound {
				t.Errorf("an edit of %s is answered with %+v, %v", id, w, err)
			}
			if w, err := c.DeleteMemory(t.Context(), "ann", id); schema.CodeOf(err) != schema.CodeNotFound {
				t.Errorf("a deletion of %s is answered with %+v, %v", id, w, err)
			}
		}
		balanced(t, c)
	}
	gone(c)
	// The same write again is the same write: it is answered, and brings nothing back.
	again := ok(c.Remember(t.Context(), schema.MemoryWrite{ID: "w-1", User: "ann", Type: schema.TypePreference, Content: "I prefer Quetzaltenango coffee."}))
	if !again.Duplicate || again.ID != a.ID {
		t.Errorf("the same write is answered with %+v, at first with %+v", again, a)
	}
	gone(c)
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	// With every index lost, all of it is read from the log again.
	vectors := filepath.Join(cfg.Data, "vectors")
	if _, err := os.Stat(vectors); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(vectors); err != nil {
		t.Fatal(err)
	}
	c = stacktest.Up(t, cfg).As(t, c.Name)
	c.Settle()
	gone(c)
	if v, err := c.Memory(t.Context(), "ann", stay.ID); err != nil || v.Memory.Content != "I prefer window seats." {
		t.Errorf("what stays is %+v, %v", v, err)
	}
	// Said again it is a new memory.
	w := must(t, c)(c.Remember(t.Context(), schema.MemoryWrite{User: "ann", Type: schema.TypePreference, Content: "I prefer Quetzaltenango coffee."}))
	if it, found := stacktest.Find(c.Ask(ask("Which coffee?")).Items, "Quetzaltenango"); !found || it.ID != w.ID || w.ID == a.ID {
		t.Errorf("said again: %t %+v, %+v", found, it, w)
	}
}

func TestD1_PinsAreInEveryBlockUntilTheyExpire(t *testing.T) {
	c := tenant(t)
	ok := must(t, c)
	yes := true
	end := time.Now().Add(time.Hour).UTC()
	rule := ok(c.Pin(t.Context(), schema.Pin{User: "ann", Content: "Sign every letter with Fernsby."}))
	zh := ok(c.Pin(t.Context(), schema.Pin{User: "ann", Content: "回信一律用仿宋体。", Type: schema.TypePreference, ExpiresAt: end}))
	fact := ok(c.Remember(t.Context(), schema.MemoryWrite{User: "ann", Type: schema.TypeFact, Content: "The gate code is 4711.", Pinned: &yes}))
	c.Put(turn("t", "My bicycle is stored in Whitby.", ""))

	block := func(now time.Time) string {
		return c.Ask(schema.Query{User: "ann", Query: "Where is the bicycle stored?", Now: now}).Block
	}
	for _, s := range []string{"Fernsby", "仿宋体", "4711"} {
		if b := block(time.Now()); !strings.Contains(b, s) {
			t.Errorf("the block of another question is without %q:\n%s", s, b)
		}
	}
	if b := block(end.Add(time.Second)); strings.Contains(b, "仿宋体") || !strings.Contains(b, "Fernsby") || !strings.Contains(b, "4711") {
		t.Errorf("after the end of one the block is\n%s", b)
	}
	pins := func() (ids []string) {
		ps, err := c.Pins(t.Context(), "ann")
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range ps {
			ids = append(ids, p.ID)
		}
		slices.Sort(ids)
		return ids
	}
	all := []string{rule.ID, zh.ID, fact.ID}
	slices.Sort(all)
	if got := pins(); !slices.Equal(got, all) {
		t.Errorf("pinned are %v, want %v", got, all)
	}
	// What was stated as a pin goes, what was pinned besides stays.
	ok(c.Unpin(t.Context(), "ann", rule.ID))
	ok(c.Unpin(t.Context(), "ann", fact.ID))
	if got := pins(); !slices.Equal(got, []string{zh.ID}) {
		t.Errorf("pinned are %v, want %v", got, zh.ID)
	}
	if b := block(time.Now()); strings.Contains(b, "Fernsby") || strings.Contains(b, "4711") || !strings.Contains(b, "仿宋体") {
		t.Errorf("unpinned, the block is\n%s", b)
	}
	if _, found := stacktest.Find(c.Ask(schema.Query{User: "ann", Query: "What is the gate code?"}).Items, "4711"); !found {
		t.Error("a memory that was pinned is gone with its pin")
	}
	if _, found := stacktest.Find(c.All(schema.MemoryQuery{User: "ann", Status: "all"}), "Fernsby"); found {
		t.Error("what was stated as a pin is left")
	}
	if _, err := c.Unpin(t.Context(), "ann", fact.ID); schema.CodeOf(err) != schema.CodeNotFound {
		t.Errorf("what is no pin is taken back with %v", err)
	}
	// A memory may be pinned later, and move its end.
	moved := ok(c.EditMemory(t.Context(), "ann", zh.ID, schema.MemoryPatch{ExpiresAt: end.Add(24 * time.Hour)}))
	if b := block(end.Add(time.Second)); !strings.Contains(b, "仿宋体") {
		t.Errorf("with its end moved the block is\n%s", b)
	}
	ok(c.Unpin(t.Context(), "ann", moved.ID))
	if got := pins(); len(got) != 0 {
		t.Errorf("an edited pin is left: %v", got)
	}
}

func TestD2_SettingsGateMemoriesByIdAndPins(t *testing.T) {
	c := tenant(t)
	w := must(t, c)(c.Pin(t.Context(), schema.Pin{User: "ann", Content: "Sign every letter with Fernsby."}))
	off := false
	if err := c.SetSettings(t.Context(), "ann", schema.Settings{Enabled: &off}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Memory(t.Context(), "ann", w.ID); schema.CodeOf(err) != schema.CodeNotFound {
		t.Errorf("with memory off it is answered with %v", err)
	}
	if ps, err := c.Pins(t.Context(), "ann"); err != nil || len(ps) != 0 {
		t.Errorf("with memory off the pins are %v, %v", ps, err)
	}
	must(t, c)(c.DeleteMemory(t.Context(), "ann", w.ID)) // taking back is always allowed
}

func TestExplicitWritesAnswerTheSameWriteTheSame(t *testing.T) {
	c := tenant(t)
	ok := must(t, c)
	m := schema.MemoryWrite{ID: "w-1", User: "ann", Type: schema.TypeFact, Content: "The gate code is 4711."}
	a := ok(c.Remember(t.Context(), m))
	p := schema.Pin{ID: "p-1", User: "ann", Content: "Never use the word synergy."}
	b := ok(c.Pin(t.Context(), p))
	share := .4
	patch := schema.MemoryPatch{ID: "e-1", Importance: &share}
	e := ok(c.EditMemory(t.Context(), "ann", a.ID, patch))
	ok(c.EditMemory(t.Context(), "ann", a.ID, schema.MemoryPatch{Content: "The gate code is 4712."}))
	for name, x := range map[string]struct {
		first schema.Written
		again func() (schema.Written, error)
		other func() (schema.Written, error)
	}{
		"memory": {a, func() (schema.Written, error) { return c.Remember(t.Context(), m) }, func() (schema.Written, error) {
			o := m
			o.Content = "The gate code is 4713."
			return c.Remember(t.Context(), o)
		}},
		"pin": {b, func() (schema.Written, error) { return c.Pin(t.Context(), p) }, func() (schema.Written, error) {
			o := p
			o.Type = schema.TypePreference
			return c.Pin(t.Context(), o)
		}},
		"edit": {e, func() (schema.Written, error) { return c.EditMemory(t.Context(), "ann", a.ID, patch) }, func() (schema.Written, error) {
			o := .5
			return c.EditMemory(t.Context(), "ann", a.ID, schema.MemoryPatch{ID: "e-1", Importance: &o})
		}},
		"another op": {a, func() (schema.Written, error) { return c.Remember(t.Context(), m) }, func() (schema.Written, error) {
			o := p
			o.ID = "w-1"
			return c.Pin(t.Context(), o)
		}},
	} {
		got, err := x.again()
		if err != nil || got.ID != x.first.ID || got.Seq != x.first.Seq || got.Event != x.first.Event || !got.Duplicate {
			t.Errorf("%s: again it is answered with %+v, %v, at first with %+v", name, got, err, x.first)
		}
		if got, err := x.other(); schema.CodeOf(err) != schema.CodeConflict {
			t.Errorf("%s: another body is answered with %+v, %v", name, got, err)
		}
	}
	if n := len(c.All(schema.MemoryQuery{User: "ann"})); n != 2 {
		t.Errorf("%d memories hold, want 2", n)
	}
}

func TestExplicitWritesOfOthersAreNotThere(t *testing.T) {
	c := tenant(t)
	w := must(t, c)(c.Pin(t.Context(), schema.Pin{User: "ann", Content: "Never use the word synergy."}))
	stranger := c.Stack.As(t, "stranger")
	for name, call := range map[string]func(c *stacktest.Tenant, user, id string) error{
		"read": func(c *stacktest.Tenant, u, id string) error { _, err := c.Memory(t.Context(), u, id); return err },
		"edit": func(c *stacktest.Tenant, u, id string) error {
			_, err := c.EditMemory(t.Context(), u, id, schema.MemoryPatch{Content: "x"})
			return err
		},
		"delete": func(c *stacktest.Tenant, u, id string) error {
			_, err := c.DeleteMemory(t.Context(), u, id)
			return err
		},
		"unpin": func(c *stacktest.Tenant, u, id string) error { _, err := c.Unpin(t.Context(), u, id); return err },
	} {
		for who, err := range map[string]error{
			"another user": call(c, "bob", w.ID), "another tenant": call(stranger, "ann", w.ID), "no such id": call(c, "ann", "none"),
		} {
			if schema.CodeOf(err) != schema.CodeNotFound {
				t.Errorf("%s by %s: %v", name, who, err)
			}
		}
		if err := call(c, "ann", "a\u0001"); schema.CodeOf(err) != schema.CodeInvalid {
			t.Errorf("%s of a bad id: %v", name, err)
		}
	}
	if ps, err := c.Pins(t.Context(), "ann"); err != nil || len(ps) != 1 {
		t.Errorf("the pins are %v, %v", ps, err)
	}
	for _, x := range []struct{ method, path, body, field string }{
		{"POST", "/v1/memories", `{"user":"ann","type":"episode","content":"x"}`, "type"},
		{"POST", "/v1/memories", `{"user":"ann","type":"fact","content":"x","importance":2}`, "importance"},
		{"POST", "/v1/memories", `{"user":"ann","id":"x","type":"fact","delete":true}`, "delete"},
		{"POST", "/v1/memories?wait=soon", `{"user":"ann","type":"fact","content":"x"}`, "wait"},
		{"POST", "/v1/pins", `{"user":"ann","content":"x","type":"fact"}`, "type"},
		{"PATCH", "/v1/memories/" + w.ID, `{"content":"x"}`, "user"},
		{"PATCH", "/v1/memories/" + w.ID + "?user=ann", `{"status":"active"}`, "status"},
		{"PATCH", "/v1/memories/" + w.ID + "?user=ann", `{"user":"bob","content":"x"}`, "user"},
		{"DELETE", "/v1/memories/" + w.ID, "", "user"},
		{"DELETE", "/v1/pins/" + w.ID + "?users=ann", "", "users"},
		{"GET", "/v1/pins", "", "user"},
	} {
		if code, body := c.Send(x.method, x.path, "application/json", x.body); code != 400 || !strings.Contains(body, `"field":"`+x.field+`"`) {
			t.Errorf("%s %s %s: %d %s", x.method, x.path, x.body, code, body)
		}
	}
	if code, body := c.Send("POST", "/v1/memories?wait=indexed", "application/json", `{"user":"ann","type":"fact","content":"The gate code is 4711."}`); code != 202 || !strings.Contains(body, `"indexed":true`) {
		t.Errorf("with wait=indexed: %d %s", code, body)
	}
}

// TestD1_ARuleFromATurnGoesWithItsPin in both languages: a rule stands in every block without being pinned.
func TestD1_ARuleFromATurnGoesWithItsPin(t *testing.T) {
	for in, word := range map[string]string{"Never use emojis in my letters.": "emojis", "以后回信一律用楷体。": "楷体"} {
		t.Run(word, func(t *testing.T) {
			c := tenant(t)
			c.Put(turn("t", in, ""))
			block := func() string {
				return c.Ask(schema.Query{User: "ann", Query: "Where is the bicycle stored?"}).Block
			}
			pins, err := c.Pins(t.Context(), "ann")
			if err != nil || len(pins) != 1 || !strings.Contains(block(), word) {
				t.Fatalf("%q: %v, %v, block\n%s", in, pins, err, block())
			}
			must(t, c)(c.Unpin(t.Context(), "ann", pins[0].ID))
			if b := block(); strings.Contains(b, word) {
				t.Errorf("taken away, the rule is in the block:\n%s", b)
			}
			if left, err := c.Pins(t.Context(), "ann"); err != nil || len(left) != 0 {
				t.Errorf("taken away, the rule is listed: %v, %v", left, err)
			}
		})
	}
}
