package faults

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// badTurns are bodies that are no turns, and the field that the answer must name ("" where there is none).
var badTurns = []struct{ body, field string }{
	{``, ""}, {`null`, ""}, {`[]`, ""}, {`"text"`, ""}, {`{"user":"ann","input":"x"`, ""}, {`{"user":"ann","input":"x"} {}`, ""},
	{"{\"user\":\"ann\",\"input\":\"\xff\xfe\"}", ""},
	{`{"input":"no user"}`, "user"}, {`{"user":"","input":"x"}`, "user"}, {`{"user":7,"input":"x"}`, "user"},
	{`{"user":"a\u0000b","input":"x"}`, "user"}, {`{"user":"` + strings.Repeat("u", 5000) + `","input":"x"}`, "user"},
	{`{"user":"ann"}`, "input"}, {`{"user":"ann","input":["x"]}`, "input"},
	{`{"user":"ann","input":"x","inptu":"y"}`, "inptu"}, {`{"user":"ann","input":"x","input":"y"}`, "input"}, {`{"user":"ann","input":"x","Input":"y"}`, "Input"},
	{`{"user":"ann","input":"x","at":"yesterday"}`, "at"}, {`{"user":"ann","input":"x","at":"2026-01-01T00:00:00"}`, "at"},
	{`{"user":"ann","input":"x","id":"a\nb"}`, "id"}, {`{"user":"ann","input":"x","context_window":-1}`, "context_window"},
	{`{"user":"ann","tool_results":[{"output":"no name"}]}`, "tool_results[0].name"},
	{`{"user":"ann","tool_results":[{"name":"t","output":"x"},{"name":"t","output":"x","status":"lost"}]}`, "tool_results[1].status"},
	{`{"user":"ann","tool_results":[{"name":"t","outptu":"x"}]}`, "outptu"},
	{`{"user":"ann","input":"x","metadata":{"k":{"deep":1}}}`, "metadata.k"}, {`{"user":"ann","input":"x","tools_used":[""]}`, "tools_used[0]"},
}

func TestBadInputIsRefusedByFieldAndLosesNothing(t *testing.T) {
	c := stacktest.Shared(t).As(t, "")
	named := func(what string, e schema.WireError, field string) {
		t.Helper()
		if e.Code != schema.CodeInvalid || e.Message == "" || !strings.Contains(e.Field, field) && !strings.Contains(e.Message, field) {
			t.Errorf("%.80s: the error is %+v, want it to name %q", what, e, field)
		}
	}
	one := func(method, path, body, field string) {
		t.Helper()
		code, b := c.Send(method, path, "application/json", body)
		var e struct{ Error schema.WireError }
		if err := json.Unmarshal([]byte(b), &e); err != nil || code != 400 {
			t.Errorf("%s %s %.80s: answered with %d %s", method, path, body, code, b)
			return
		}
		named(path+" "+body, e.Error, field)
	}
	// In a batch, among good ones. An empty line is no turn and no error.
	var batch strings.Builder
	good := 0
	for i, x := range badTurns {
		one("POST", "/v1/events", x.body, x.field)
		fmt.Fprintf(&batch, "{\"user\":\"ann\",\"id\":\"good-%d\",\"input\":\"The good lantern %d glows.\"}\n%s\n", i, i, x.body)
		good++
	}
	code, b := c.Send("POST", "/v1/events", "application/x-ndjson", batch.String())
	var r schema.BatchReply
	if err := json.Unmarshal([]byte(b), &r); err != nil || code != 202 {
		t.Fatalf("the batch is answered with %d %s", code, b)
	}
	if len(r.Accepted) != good || len(r.Rejected) != len(badTurns)-1 {
		t.Errorf("accepted %d of %d, rejected %d of %d", len(r.Accepted), good, len(r.Rejected), len(badTurns)-1)
	}
	for _, x := range r.Rejected {
		if x.Line%2 != 0 || x.Line/2 > len(badTurns) {
			t.Errorf("line %d is rejected: %+v", x.Line, x.Error)
			continue
		}
		bad := badTurns[x.Line/2-1]
		named(fmt.Sprintf("line %d %s", x.Line, bad.body), x.Error, bad.field)
	}
	l := c.Settle().Ledger
	stacktest.Balanced(t, l)
	if l.Accepted != uint64(good) || l.Indexed != uint64(good) {
		t.Errorf("the ledger is %+v, want %d indexed", l, good)
	}
	if _, ok := stacktest.Find(c.Ask(schema.Query{User: "ann", Query: "lantern 7", Now: day}).Items, "lantern 7 "); !ok {
		t.Error("a good one among bad ones is not found")
	}

	for _, x := range []struct{ method, path, body, field string }{
		{"POST", "/v1/query", `{"query":"x"}`, "user"}, {"POST", "/v1/query", `{"user":"a","query":"x","limit":101}`, "limit"},
		{"POST", "/v1/query", `{"user":"a","query":"x","mode":"new"}`, "mode"}, {"POST", "/v1/query", `{"user":"a","query":"x","types":["mood"]}`, "types"},
		{"POST", "/v1/query", `{"user":"a","query":"x","render":"html"}`, "render"}, {"POST", "/v1/query", `{"user":"a","query":"x","now":1}`, "now"},
		{"POST", "/v1/query", `{"user":"a","query":"x","filter":{"from":"2026-02-01T00:00:00Z","to":"2026-01-01T00:00:00Z"}}`, "filter.to"},
		{"POST", "/v1/forget", `{"user":"a"}`, "ids"}, {"POST", "/v1/forget", `{"user":"a","all":true,"match":"x"}`, "ids"}, {"POST", "/v1/forget", `{"all":true}`, "user"},
		{"PUT", "/v1/tools/x", `{"cleaner":["nonsense"]}`, "cleaner"}, {"PUT", "/v1/tools/x", `{"name":"y","no_memory":true}`, "name"}, {"PUT", "/v1/tools/x", `{"no_memory":"yes"}`, "no_memory"},
		{"PUT", "/v1/tools/x", `{"cleaner":["drop:("]}`, "cleaner"},
		{"POST", "/v1/replay", `{"from":"yesterday"}`, "from"}, {"POST", "/v1/replay", `{"to":"start"}`, "to"}, {"POST", "/v1/replay", `{"policy":"old"}`, "policy"},
		{"POST", "/v1/replay", `{"form":"start"}`, "form"}, {"POST", "/v1/replay", `{"from":"2","switch":true}`, "switch"}, {"POST", "/v1/replay", `{"from":"999999999"}`, "from"},
		{"POST", "/v1/replay/switch", `{"generation":-1}`, "generation"}, {"POST", "/v1/snapshot", `{"generation":-1}`, "generation"}, {"DELETE", "/v1/generations/x", "", "generation"},
		{"PUT", "/v1/settings?user=a", `{"types":{"mood":false}}`, "mood"}, {"PUT", "/v1/settings?user=", `{}`, "user"},
		{"GET", "/v1/memories?user=a&status=odd", ``, "status"}, {"GET", "/v1/memories?user=a&lmit=3", ``, "lmit"}, {"GET", "/v1/memories", ``, "user"},
		{"GET", "/v1/memories?user=a&cursor=nonsense", ``, "cursor"},
	} {
		one(x.method, x.path, x.body, x.field)
	}
	// Too large is said to be so, and the rest of the batch is in.
	huge := `{"user":"ann","input":"` + strings.Repeat("x", 17<<20) + `"}`
	if code, b := c.Send("POST", "/v1/events", "application/json", huge); code != 413 || !strings.Contains(b, "too_large") {
		t.Errorf("a huge turn is answered with %d %.200s", code, b)
	}
	code, b = c.Send("POST", "/v1/events", "application/x-ndjson", "{\"user\":\"ann\",\"id\":\"before\",\"input\":\"x\"}\n"+huge[:16<<20+100]+"\n{\"user\":\"ann\",\"id\":\"after\",\"input\":\"y\"}\n")
	if err := json.Unmarshal([]byte(b), &r); err != nil || code != 202 || len(r.Accepted) != 2 || len(r.Rejected) != 1 || r.Rejected[0].Line != 2 || r.Rejected[0].Error.Code != schema.CodeTooLarge {
		t.Errorf("a huge line is answered with %d %.300s", code, b)
	}
	// What does not exist is said not to.
	for _, path := range []string{"/v1/events/none", "/v1/events/none/status", "/v1/nothing"} {
		if code, b := c.Send("GET", path, "", ""); code != 404 || !strings.Contains(b, `"not_found"`) {
			t.Errorf("%s is answered with %d %s", path, code, b)
		}
	}
}
