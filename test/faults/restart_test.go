package faults

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

func TestEverythingIsThereAgainAfterARestart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	// seen is all that a client can see, as text.
	seen := func(c *stacktest.Tenant) map[string]string {
		t.Helper()
		out := map[string]string{}
		put := func(name string, v any, err error) {
			t.Helper()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			b, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			out[name] = string(b)
		}
		put("memories", c.All(schema.MemoryQuery{User: "ann", Status: "all"}), nil)
		for _, q := range []string{"Where was the cello built?", "水泵", "May I deploy?"} {
			r := c.Ask(schema.Query{User: "ann", Query: q, Now: day, Limit: 50})
			r.TookMS = 0
			put("query "+q, r, nil)
		}
		r := c.Ask(schema.Query{User: "off", Query: "cello", Now: day})
		r.TookMS = 0
		put("query of one who switched memory off", r, nil)
		tools, err := c.Tools(t.Context())
		put("tools", tools, err)
		_, settings := c.Send("GET", "/v1/settings?user=off", "", "")
		put("settings", settings, nil)
		for _, id := range []string{"cello", "big", "gone", "shell"} {
			code, raw := c.Send("GET", "/v1/events/"+id, "", "")
			raw, _, _ = strings.Cut(raw, `,"request_id"`) // the one part of an error that is never the same
			put("raw "+id, itoa(code)+" "+raw, nil)
		}
		st, err := c.EventStatus(t.Context(), "shell", true)
		put("status", st, err)
		put("ledger", c.Settle().Ledger, nil)
		return out
	}
	s, err := stacktest.Start(stacktest.Config(dir))
	if err != nil {
		t.Fatal(err)
	}
	c := s.As(t, "again")
	no, yes := false, true
	for _, p := range []schema.ToolPolicy{{Name: "own_tool", NoMemory: &yes}, {Name: "cmd_run", NoMemory: &no, Cleaner: &[]string{"ansi", "truncate:10"}}} {
		if _, err := c.SetTool(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.SetSettings(t.Context(), "off", schema.Settings{Enabled: &no}); err != nil {
		t.Fatal(err)
	}
	big := turn("big", strings.Repeat("a long story of the pump 水泵的长故事. ", 8<<10)) // a claim, not a message
	shell := turn("shell", "Look at it.")
	shell.ToolResults = []schema.ToolResult{{Name: "cmd_run", Output: "abcdefghijklmnop"}, {Name: "own_tool", Output: "hidden"}}
	other := turn("other", "My cello was built in Cremona.")
	other.User = "off"
	c.Put(turn("cello", "My cello was built in Cremona."), turn("rule", "Never deploy on Fridays."), turn("pump", "水泵在花园里。"), turn("gone", "My kettle is blue."), big, shell, other)
	if _, err := c.Forget(t.Context(), schema.Forget{User: "ann", IDs: []string{"gone"}}); err != nil {
		t.Fatal(err)
	}
	c.Settle()
	before := seen(c)
	for range 2 {
		if err := s.Stop(); err != nil {
			t.Fatal(err)
		}
		s = stacktest.Up(t, stacktest.Config(dir))
		after := seen(s.As(t, "again"))
		for k, v := range before {
			if after[k] != v {
				t.Errorf("%s was\n%.2000s\nand is\n%.2000s", k, v, after[k])
			}
		}
	}
	// Policies hold for what comes now.
	shell.ID = "shell-2"
	c = s.As(t, "again")
	c.Put(shell)
	if st := c.What("shell-2"); len(st.Dropped) != 1 || st.Dropped[0].Tool != "own_tool" || st.Dropped[0].Reason != "no_memory" {
		t.Errorf("dropped are %+v", st.Dropped)
	}
}
