package clean

import (
	"reflect"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func newCleaner(t testing.TB, own map[string]Func) *Cleaner {
	t.Helper()
	c, err := New(Config{Own: own})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// defaults are the policies as shipped, with some laid over them.
func defaults(over ...schema.ToolDef) Policies {
	tools := NewTools(append(over, DefaultTools()...))
	return tools.Lookup
}

func texts(r Report) string {
	var b strings.Builder
	for _, s := range r.Segments {
		b.WriteString(s.Key + "|" + s.Class.String() + "|" + s.Text + "\n")
	}
	return b.String()
}

func TestA3_NoMemoryOutputIsInNothingComputed(t *testing.T) {
	line := "lchen:x:1007:1007:Chen Li,Room 5:/home/lchen:/bin/zsh"
	turn := &schema.Turn{
		User: "u1", Input: "What is the first line of the account file?",
		Response:    "The first line is:\n```\n" + line + "\n```\nThat is Chen Li, who sits in room 5 and uses zsh.",
		ToolResults: []schema.ToolResult{{Name: "cmd_run", Output: line + "\nroot:x:0:0:root:/root:/bin/bash\n"}},
	}
	r := newCleaner(t, nil).Turn(turn, defaults())
	all := texts(r)
	if strings.Contains(all, "lchen:x") || strings.Contains(all, "/home/lchen") || strings.Contains(all, "root:x") {
		t.Errorf("the printed line is computed:\n%s", all)
	}
	for _, want := range []string{"first line of the account file", "That is Chen Li, who sits in room 5 and uses zsh."} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is gone:\n%s", want, all)
		}
	}
	want := []schema.Dropped{{Segment: "response", Tool: "cmd_run", Reason: ReasonQuoted}, {Segment: "tool.0", Tool: "cmd_run", Reason: ReasonNoMemory}}
	if !reflect.DeepEqual(r.Dropped, want) {
		t.Errorf("dropped %+v, want %+v", r.Dropped, want)
	}
}
