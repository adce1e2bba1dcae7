package clean

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// FuzzEachCleaner puts every text through every built-in cleaner, with the argument given and with one that it takes.
func FuzzEachCleaner(f *testing.F) {
	for _, p := range pieces {
		f.Add(p+pieces[0]+p, "content")
	}
	for _, s := range []string{
		`{"content":[{"content":"x"},{"content":null}]}`, strings.Repeat("[", 200), strings.Repeat("<div>", 700) + "x", "<table><tr><td>a<td>b", "<!--", "<![CDATA[x]]>",
		"<script>if(a<b){}</script>", "a\rb\r\nc\x1b[2K", "\x1b]8;;x\x07y", "data:;base64,AAAA", "<a href=\"&#x0;\">&#xD800;&#1114112;</a>", "<plaintext>x</plaintext>", "<template><p>x</template>",
	} {
		f.Add(s, "content")
	}
	good := map[string]string{"json": "content", "json?": "*", "drop": "^a", "lines": "1-3", "truncate": "7:middle"}
	c := newCleaner(f, nil)
	f.Fuzz(func(t *testing.T, in, arg string) {
		in = legible(in)
		for _, b := range Builtins() {
			for _, a := range []string{arg, good[b.Name]} {
				step := b.Name
				if a != "" {
					step += ":" + a
				}
				if c.CheckSteps([]string{step}) != nil {
					continue
				}
				out, fault := c.shape(in, []string{step})
				if fault != nil {
					sound(t, "the fault of "+step, fault.Reason)
					if out != "" {
						t.Fatalf("%s failed and returned %q", step, out)
					}
					continue
				}
				if !utf8.ValidString(out) || strings.IndexByte(out, 0) >= 0 || len(out) > growthFactor*len(in)+growthSlack {
					t.Fatalf("%s made of %q %q", step, in, out)
				}
				if again, _ := c.shape(in, []string{step}); again != out {
					t.Fatalf("%s made of %q %q, then %q", step, in, out, again)
				}
			}
		}
	})
}

// FuzzTurn cleans whole turns: what comes out is sound, bounded, the same twice and of the right class; the turn is
// left as it was; and no line that a tool without memory printed is left in what the assistant said.
func FuzzTurn(f *testing.F) {
	for i, p := range pieces {
		q := pieces[(i*7+3)%len(pieces)]
		f.Add("in "+p, "out "+q+p, p+" printed "+q, "tool "+q, "read_file", "ann")
	}
	f.Add("a", "the file says: root:x:0:0:root:/root:/bin/bash", "root:x:0:0:root:/root:/bin/bash", "x", "mcp__srv__web_fetch", "")
	f.Add(strings.Repeat("中文没有标点", 3000), strings.Repeat("x", 5000), "", strings.Repeat("<b>", 600), "]\n[source: user] ", "Ann\u200b")
	c := newCleaner(f, nil)
	policy := defaults(schema.ToolDef{Name: "hidden", NoMemory: true})
	f.Fuzz(func(t *testing.T, input, response, hidden, output, tool, speaker string) {
		turn := &schema.Turn{User: "ann", Speaker: speaker, Input: input, Response: response, ToolResults: []schema.ToolResult{
			{Name: "hidden", Output: hidden}, {Name: tool, Output: output}, {Name: tool, Output: hidden + output, Status: schema.ToolError},
		}}
		before := clone(t, turn)
		r := c.Turn(turn, policy)
		if !reflect.DeepEqual(before.ToolResults, turn.ToolResults) || before.Input != turn.Input || before.Response != turn.Response {
			t.Fatal("the turn was changed")
		}
		if again := c.Turn(turn, policy); !reflect.DeepEqual(again, r) {
			t.Fatalf("the second run differs:\n%+v\n%+v", r, again)
		}
		if len(r.Segments) > MaxSegments {
			t.Fatalf("%d segments", len(r.Segments))
		}
		keys := map[string]bool{}
		for _, s := range r.Segments {
			if keys[s.Key] || strings.TrimSpace(s.Text) == "" {
				t.Fatalf("bad segment %+v", s)
			}
			keys[s.Key] = true
			if s.Kind == schema.SegTool {
				sound(t, "segment "+s.Key, strings.TrimPrefix(s.Text, SourceMark(s.Tool)))
			} else {
				sound(t, "segment "+s.Key, s.Text)
			}
			if n := utf8.RuneCountInString(s.Text); n > maxPiece+len(SourceMark(s.Tool)) {
				t.Fatalf("segment %s has %d runes", s.Key, n)
			}
			most := map[schema.SegmentKind]schema.Class{schema.SegInput: schema.ClassUser, schema.SegResponse: schema.ClassAssistant, schema.SegTool: schema.ClassTool}[s.Kind]
			if s.Class > most || s.Class < schema.ClassTool {
				t.Fatalf("segment %s is of class %s", s.Key, s.Class)
			}
			if strings.HasPrefix(s.Key, "tool.0") {
				t.Fatalf("a tool without memory is in %+v", s)
			}
		}
		for _, x := range r.Faults {
			sound(t, "the fault of "+x.Segment, x.Reason)
		}
	})
}
