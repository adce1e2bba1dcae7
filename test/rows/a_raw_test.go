package rows

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func TestA1_TheRawLayerKeepsEveryByte(t *testing.T) {
	c := tenant(t)
	no := true
	if _, err := c.SetTool(t.Context(), schema.ToolPolicy{Name: "vault_dump", NoMemory: &no}); err != nil {
		t.Fatal(err)
	}
	// Odd on purpose: spaces, order of keys, escapes that another encoder would write otherwise, numbers' spelling.
	odd := "{ \"response\":\"\\u001b[31mred\\u001b[0m <b>bold<\\/b>\\t\\u00e9 \\ud83d\\ude00\",\r\n\t\"user\":\"ann\" , \"input\" : \"看一下 <think>x</think>\"," +
		"\"tool_results\":[{\"output\":\"{\\\"k\\\": [1, 2.50, 1e3]}\\n\\u001b[2J<html><script>1<\\/script></html>\",\"name\":\"vault_dump\"}," +
		"{\"name\":\"todo_write\",\"output\":\"\"},{\"name\":\"web_fetch\",\"output\":\"<p>page</p>\",\"status\":\"aborted\"}]," +
		"\"metadata\":{\"n\":1.0,\"b\":true},\"id\":\"odd\", \"at\":\"2026-08-31T23:59:59.120+08:00\" }\n"
	big := `{"id":"big","user":"ann","input":"` + strings.Repeat("大文件 a file ", 60_000) + `"}` // a claim, not a message
	for _, raw := range []string{odd, big} {
		a, err := c.PublishRaw(t.Context(), []byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		c.Settle()
		got, err := c.Event(t.Context(), a.ID)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != raw {
			t.Errorf("%s: %d bytes came back of %d, or others: %.200q", a.ID, len(got), len(raw), got)
		}
	}
	// In a batch every line is an event, whole.
	lines := []string{`{"user":"ann",  "id":"l1","input":"one"}`, `{"id":"l2","input":"\u4e8c","user":"ann" }`}
	if _, err := c.PublishBatch(t.Context(), strings.NewReader(strings.Join(lines, "\r\n"))); err != nil {
		t.Fatal(err)
	}
	c.Settle()
	for i, id := range []string{"l1", "l2"} {
		if got, err := c.Event(t.Context(), id); err != nil || string(got) != lines[i] {
			t.Errorf("%s: %q, %v; published was %q", id, got, err, lines[i])
		}
	}
	// A policy that changes later changes nothing of it.
	yes := true
	if _, err := c.SetTool(t.Context(), schema.ToolPolicy{Name: "web_fetch", NoMemory: &yes}); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Event(t.Context(), "odd"); err != nil || string(got) != odd {
		t.Errorf("after the change: %q, %v", got, err)
	}
}

func TestA12_TheCallersObjectIsNotChanged(t *testing.T) {
	c := tenant(t)
	mk := func() schema.Turn {
		x := turn("t", "look at \x1b[1mthis\x1b[0m <think>secret thoughts</think> page", "A long <b>page</b>\u0007.",
			tool("web_fetch", "<html><body><script>x()</script>"+strings.Repeat("<p>words of a page</p>", 4000)+"</body></html>"),
			tool("files_read", `{"content":"inner `+strings.Repeat("long ", 20_000)+`","size":3}`), tool("cmd_run", "root:x:0:0"))
		x.ToolsUsed = []string{"web_fetch", "files_read", "cmd_run"}
		x.Metadata = map[string]any{"k": "v", "n": 1.5}
		return x
	}
	mine := mk()
	c.Put(mine)
	if want := mk(); !reflect.DeepEqual(mine, want) {
		t.Error("the turn that was handed to the client is another now")
	}
	st := c.What("t")
	if s := segment(st, "tool.0"); s == "" || strings.Contains(s, "<p>") || len(s) >= len(mine.ToolResults[0].Output) {
		t.Fatalf("nothing was shortened (%d bytes), so nothing is shown: %.80q", len(s), s)
	}
	raw, err := c.Event(t.Context(), "t")
	if err != nil {
		t.Fatal(err)
	}
	var back schema.Turn
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	if want := mk(); !reflect.DeepEqual(back, want) {
		t.Error("the turn that the raw layer holds is another than the one that was published")
	}
}
