package faults

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// refusedIDs are taken by no door for anything: they would be a wildcard, a folder, or look like another id.
var refusedIDs = []string{
	"*", ">", "a.*", "a.>", ".", "..", "a\x00b", "a\r\nb", "a\nSilt-Tenant: b", "a\tb", " a", "a ", "a  b", "a\u00a0b", "a\u200bb", "a\u202eb", "a\ufeffb", "a\U000e0041b", "a\ufffdb",
	"\x7f", "a\u2028b", strings.Repeat("u", 5000), strings.Repeat("界", 100), "a\u0085b",
}

// oddIDs look dangerous, and each is an id like any: what is stored under it is found under it and nowhere else.
var oddIDs = []string{
	"a.b", "a b", "$SYS.REQ", "$JS.API.STREAM.DELETE.SILT_LOG", "../../etc/passwd", "a/../b", "%2e%2e%2f", "%00", "a%0d%0ab", "a;b", "a?b=c#d", "a\\b", `a"b`, "{a}", "[a]", "a:b", "silt.in.other", "a,b|c",
	"K", "\u212a", "k", "ſ", "s", "é", "e\u0301", "小明", "'; DROP TABLE x; --", "z", "z2a", "<b", "null", "0", "-1", "NaN",
}

func jsonOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// refusal fails the test unless a reply is a 400 in the one shape of errors that names a field.
func refusal(t *testing.T, what string, code int, body, field string) {
	t.Helper()
	var e struct{ Error schema.WireError }
	if err := json.Unmarshal([]byte(body), &e); err != nil || code != 400 || e.Error.Code != schema.CodeInvalid || e.Error.Field != field || e.Error.Message == "" {
		t.Errorf("%.120q is answered with %d %.300s, want an invalid %s", what, code, body, field)
	}
}

// TestHostileIDsAreRefusedAtEveryDoor sends each bad id as every id there is.
func TestHostileIDsAreRefusedAtEveryDoor(t *testing.T) {
	c := stacktest.Shared(t).As(t, "")
	c.Put(turn("here", "The lantern glows."))
	var batch strings.Builder
	var fields []string
	for _, id := range refusedIDs {
		j := jsonOf(id)
		for field, body := range map[string]string{
			"user": `{"user":` + j + `,"input":"x"}`, "id": `{"user":"u","input":"x","id":` + j + `}`, "agent": `{"user":"u","input":"x","agent":` + j + `}`,
			"conversation": `{"user":"u","input":"x","conversation":` + j + `}`, "speaker": `{"user":"u","input":"x","speaker":` + j + `}`,
			"tools_used[1]": `{"user":"u","input":"x","tools_used":["a",` + j + `]}`, "tool_results[0].name": `{"user":"u","tool_results":[{"name":` + j + `,"output":"x"}]}`,
			"tool_results[0].call_id": `{"user":"u","tool_results":[{"name":"t","output":"x","call_id":` + j + `}]}`,
		} {
			code, b := c.Send("POST", "/v1/events", "application/json", body)
			refusal(t, body, code, b, field)
			batch.WriteString(body + "\n")
			fields = append(fields, field)
		}
		for field, body := range map[string]string{
			"user": `{"user":` + j + `,"query":"x"}`, "conversation": `{"user":"u","query":"x","conversation":` + j + `}`, "turn": `{"user":"u","query":"x","turn":` + j + `}`,
			"filter.tool": `{"user":"u","query":"x","filter":{"tool":` + j + `}}`,
		} {
			code, b := c.Send("POST", "/v1/query", "application/json", body)
			refusal(t, body, code, b, field)
		}
		for field, body := range map[string]string{
			"user": `{"user":` + j + `,"all":true}`, "ids[0]": `{"user":"ann","ids":[` + j + `]}`, "conversation": `{"user":"ann","conversation":` + j + `}`,
		} {
			code, b := c.Send("POST", "/v1/forget", "application/json", body)
			refusal(t, body, code, b, field)
		}
		q, p := url.QueryEscape(id), url.PathEscape(id)
		code, b := c.Send("PUT", "/v1/settings?user="+q, "application/json", `{"enabled":false}`)
		refusal(t, "settings "+id, code, b, "user")
		code, b = c.Send("GET", "/v1/settings?user="+q, "", "")
		refusal(t, "settings "+id, code, b, "user")
		code, b = c.Send("GET", "/v1/memories?user="+q, "", "")
		refusal(t, "memories "+id, code, b, "user")
		if id == "." || id == ".." { // no path can say these
			continue
		}
		code, b = c.Send("PUT", "/v1/tools/"+p, "application/json", `{"no_memory":true}`)
		refusal(t, "tool "+id, code, b, "name")
		for _, path := range []string{"/v1/events/" + p, "/v1/events/" + p + "/status"} {
			if code, b := c.Send("GET", path, "", ""); code/100 != 4 {
				t.Errorf("GET %.100s is answered with %d %.200s", path, code, b)
			}
		}
	}
	code, b := c.Send("POST", "/v1/events", "application/x-ndjson", batch.String())
	var r schema.BatchReply
	if err := json.Unmarshal([]byte(b), &r); err != nil || code != 202 || len(r.Accepted) != 0 || len(r.Rejected) != len(fields) {
		t.Fatalf("the batch is answered with %d %.300s", code, b)
	}
	for i, x := range r.Rejected {
		if x.Line != i+1 || x.Error.Field != fields[i] {
			t.Errorf("line %d is rejected for %+v, want %s", x.Line, x.Error, fields[i])
		}
	}
	// Nothing of it reached the log, and what was there is there.
	l := c.Settle().Ledger
	stacktest.Balanced(t, l)
	if l.Accepted != 1 || l.Indexed != 1 {
		t.Errorf("the ledger is %+v", l)
	}
	if items := c.Ask(schema.Query{User: "ann", Query: "lantern", Now: day}).Items; len(items) == 0 {
		t.Error("what was there is gone")
	}
}

// TestHostileTenantsAreRefused: a tenant's name goes into the header as it is.
func TestHostileTenantsAreRefused(t *testing.T) {
	s := stacktest.Shared(t)
	for _, tenant := range []string{"*", ">", ".", "..", "a b", "-a", "_a", "a/b", "a*", "$SYS", "小明", strings.Repeat("t", 65), "a\tb", "../x", "a,b"} {
		for method, path := range map[string]string{"POST": "/v1/events", "GET": "/v1/status", "PUT": "/v1/tools/x"} {
			req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(`{"user":"u","input":"x"}`))
			if err != nil {
				t.Fatal(err)
			}
			req.Header["X-Silt-Tenant"] = []string{tenant}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			b, _ := io.ReadAll(res.Body)
			_ = res.Body.Close()
			if res.StatusCode != 400 || !strings.Contains(string(b), `"tenant"`) {
				t.Errorf("%s %s as %q is answered with %d %.200s", method, path, tenant, res.StatusCode, b)
			}
		}
	}
}

// TestOddIDsAreIDsLikeAny stores a turn under each odd id, as user, event, conversation and tool, and finds it there
// and nowhere else.
func TestOddIDsAreIDsLikeAny(t *testing.T) {
	c := stacktest.Shared(t).As(t, "")
	for i, id := range oddIDs {
		x := schema.Turn{ID: id, User: id, Conversation: id, Agent: id, At: day, Input: fmt.Sprintf("My locker is number zq%dw.", i), ToolsUsed: []string{id},
			ToolResults: []schema.ToolResult{{Name: id, CallID: id, Output: fmt.Sprintf("The hatch is vx%dk.", i)}}}
		if _, err := c.Publish(t.Context(), x); err != nil {
			t.Errorf("%q is refused: %v", id, err)
		}
	}
	l := c.Settle().Ledger
	stacktest.Balanced(t, l)
	if l.Indexed != uint64(len(oddIDs)) {
		t.Errorf("the ledger is %+v, want %d indexed", l, len(oddIDs))
	}
	for i, id := range oddIDs {
		mine := fmt.Sprintf("zq%dw", i)
		for _, q := range []schema.Query{
			{User: id, Query: "locker number"}, {User: id, Query: mine, Conversation: id, Turn: id}, {User: id, Query: "hatch", Filter: &schema.QueryFilter{Tool: id}},
		} {
			q.Limit, q.Now = 50, day
			for _, it := range c.Ask(q).Items {
				if it.Source.Event != id || !strings.Contains(it.Content, fmt.Sprintf("zq%dw", i)) && !strings.Contains(it.Content, fmt.Sprintf("vx%dk", i)) {
					t.Errorf("%q is told %q of %q", id, it.Content, it.Source.Event)
				}
			}
		}
		if _, ok := stacktest.Find(c.Ask(schema.Query{User: id, Query: "locker number", Now: day}).Items, mine); !ok {
			t.Errorf("%q does not find its own", id)
		}
		raw, err := c.Event(t.Context(), id)
		if err != nil || !strings.Contains(string(raw), mine) {
			t.Errorf("the raw event %q is %.100s, %v", id, raw, err)
		}
		if st := c.What(id); st.ID != id || st.State != "indexed" {
			t.Errorf("the status of %q is that of %q, %s", id, st.ID, st.State)
		}
		on := false
		if err := c.SetSettings(t.Context(), id, schema.Settings{Enabled: &on}); err != nil {
			t.Errorf("settings of %q: %v", id, err)
		}
		if items := c.Ask(schema.Query{User: id, Query: "locker number", Now: day}).Items; len(items) != 0 {
			t.Errorf("%q switched memory off and is told %v", id, items)
		}
		if i+1 < len(oddIDs) {
			if set, err := c.Settings(t.Context(), oddIDs[i+1]); err != nil || set.Enabled != nil && !*set.Enabled {
				t.Errorf("the settings of %q are those of %q: %+v, %v", oddIDs[i+1], id, set, err)
			}
		}
	}
	// Forgetting one forgets one.
	if _, err := c.Forget(t.Context(), schema.Forget{User: "a.b", All: true}); err != nil {
		t.Fatal(err)
	}
	if l := c.Settle().Ledger; l.Forgotten != 1 || l.Indexed != uint64(len(oddIDs)-1) {
		t.Errorf("after one was forgotten the ledger is %+v", l)
	}
}
