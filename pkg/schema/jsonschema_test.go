package schema

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

// compiled reads a generated JSON Schema. Formats are checked, which the standard leaves to the reader.
func compiled(t testing.TB, name string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	s, err := c.Compile(filepath.Join("jsonschema", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// verdict is what a JSON Schema says of a document.
func verdict(t testing.TB, s *jsonschema.Schema, doc []byte) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

// schemaOf names the JSON Schema of each golden sample.
func schemaOf(sample string) string {
	switch sample {
	case "turn_tool_result":
		return "turn"
	case "query_minimal":
		return "query"
	case "reply_empty":
		return "reply"
	case "stored/fact":
		return "candidates"
	case "stored/tool":
		return "tool_policy"
	case "stored/setting":
		return "settings"
	case "stored/memory":
		return "memory_write"
	case "stored/erase", "stored/erase_mark":
		return "erasure"
	}
	for _, p := range []string{"forget_before", "forget_match", "forget_conversation", "forget_all", "pin_delete", "memory_write_delete", "memory_patch_pinned"} {
		if sample == p {
			return p[:strings.LastIndex(p, "_")]
		}
	}
	return strings.TrimPrefix(sample, "stored/")
}

func TestGoldenSamplesFitTheirJSONSchema(t *testing.T) {
	used := map[string]bool{"item": true, "tool_result": true} // within others
	for _, s := range samples {
		name := schemaOf(s.name)
		used[name] = true
		b, err := os.ReadFile(samplePath(Version, s.name))
		if err != nil {
			t.Fatal(err)
		}
		if err := verdict(t, compiled(t, name), b); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
	}
	files, _ := filepath.Glob("jsonschema/*.json")
	for _, f := range files {
		if n := strings.TrimSuffix(filepath.Base(f), ".json"); !used[n] {
			t.Errorf("no sample is held against %s", f)
		}
	}
}

// decoders read requests, by the name of their schema.
var decoders = map[string]func([]byte) (any, error){
	"turn":          func(b []byte) (any, error) { return Decode[Turn](b) },
	"tool_policy":   func(b []byte) (any, error) { return Decode[ToolPolicy](b) },
	"settings":      func(b []byte) (any, error) { return Decode[Settings](b) },
	"memory_write":  func(b []byte) (any, error) { return Decode[MemoryWrite](b) },
	"memory_patch":  func(b []byte) (any, error) { return Decode[MemoryPatch](b) },
	"pin":           func(b []byte) (any, error) { return Decode[Pin](b) },
	"forget":        func(b []byte) (any, error) { return Decode[Forget](b) },
	"erase_request": func(b []byte) (any, error) { return Decode[EraseRequest](b) },
	"query":         func(b []byte) (any, error) { return Decode[Query](b) },
}

// What both refuse: the schemas are not so wide that they say nothing.
func TestJSONSchemaRefusesWhatDecodeRefuses(t *testing.T) {
	for _, c := range []struct{ name, body string }{
		{"turn", `[]`}, {"turn", `{"input":"x"}`}, {"turn", `{"user":"u"}`}, {"turn", `{"user":"u","input":"x","inputs":1}`},
		{"turn", `{"user":"u","input":5}`}, {"turn", `{"user":"u","input":"x","at":"yesterday"}`}, {"turn", `{"user":"u","input":"x","at":"2026-01-31T09:00:00"}`},
		{"turn", `{"user":"u","input":"x","context_window":-1}`}, {"turn", `{"user":"u","input":"x","context_window":1.5}`},
		{"turn", `{"user":"u","tool_results":[{"output":"x"}]}`}, {"turn", `{"user":"u","tool_results":[{"name":"a","output":"x","status":"bad"}]}`},
		{"turn", `{"user":"u","input":"x","metadata":{"a":{"b":1}}}`}, {"turn", `{"user":"u","input":"x","metadata":{"a":1e17}}`},
		{"turn", `{"user":"` + strings.Repeat("x", MaxID+1) + `","input":"x"}`},
		{"query", `{}`}, {"query", `{"user":"u","limit":101}`}, {"query", `{"user":"u","limit":-1}`}, {"query", `{"user":"u","types":["facts"]}`},
		{"query", `{"user":"u","render":"html"}`}, {"query", `{"user":"u","mode":"x"}`}, {"query", `{"user":"u","lang":"fr"}`}, {"query", `{"user":"u","dedupe":"x"}`},
		{"query", `{"user":"u","filter":{"frm":"2026-01-31T09:00:00Z"}}`}, {"query", `{"user":"u","min_seq":-1}`}, {"query", `{"user":"u","explain":"yes"}`},
		{"forget", `{"all":true}`}, {"forget", `{"user":"u","ids":"a"}`}, {"forget", `{"user":"u","everything":true}`},
		{"pin", `{"user":"u"}`}, {"pin", `{"user":"u","content":"x","type":"fact"}`}, {"pin", `{"user":"u","delete":true}`},
		{"memory_write", `{"user":"u","content":"x"}`}, {"memory_write", `{"user":"u","type":"episode","content":"x"}`},
		{"memory_write", `{"user":"u","type":"fact","content":"x","importance":1.5}`}, {"memory_write", `{"user":"u","type":"fact"}`},
		{"memory_patch", `{}`}, {"memory_patch", `{"user":"u","id":"w"}`}, {"memory_patch", `{"type":"episode"}`}, {"memory_patch", `{"confidence":-1}`}, {"memory_patch", `{"delete":true}`},
		{"settings", `{"types":{"facts":true}}`}, {"settings", `{"types":{"fact":1}}`}, {"settings", `{"enable":true}`},
		{"tool_policy", `{}`}, {"tool_policy", `{"cleaner":"ansi"}`}, {"tool_policy", `{"no_memory":1}`},
	} {
		if _, err := decoders[c.name]([]byte(c.body)); err == nil {
			t.Errorf("Decode takes the %s %s", c.name, c.body)
		}
		if err := verdict(t, compiled(t, c.name), []byte(c.body)); err == nil {
			t.Errorf("the JSON Schema takes the %s %s", c.name, c.body)
		}
	}
}

// A client that holds to the schema is never stricter than the server: what Decode takes, the schema takes. (null
// and "" are left out, which Decode reads as absent: the schemas are for what to send.)
func TestJSONSchemaTakesWhatDecodeTakes(t *testing.T) {
	values := []any{
		"x", "小明", " ", "a\ufffd", "*", "2026-01-31T09:00:00Z", "2026-01-31T09:00:00.5+05:45", "0001-01-01T00:00:00Z", "2016-12-31T23:59:60Z", "1969-07-20T20:17:40Z",
		"ok", "error", "fact", "constraint", "preference", "episode", "zh", "flat", "typed_v2", "none", "hybrid", "legacy", "conversation",
		0, 1, -1, .5, 1e15, 1e17, 100, 101, true, false, []any{}, []any{"x"}, []any{"fact", "episode"}, []any{1}, map[string]any{}, map[string]any{"k": "v", "n": 2},
		[]any{map[string]any{"name": "a"}}, []any{map[string]any{"name": "a", "output": "o", "status": "ok"}}, map[string]any{"fact": true}, map[string]any{"tool": "t", "from": "2026-01-31T09:00:00Z"},
	}
	taken := 0
	names := []string{"turn", "tool_policy", "settings", "memory_write", "memory_patch", "pin", "forget", "query"}
	schemas := map[string]*jsonschema.Schema{}
	fields := map[string][]string{}
	for _, n := range names {
		schemas[n] = compiled(t, n)
		for f := range schemas[n].Properties {
			fields[n] = append(fields[n], f)
		}
		slices.Sort(fields[n])
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(names).Draw(t, "type")
		doc := map[string]any{}
		if name != "tool_policy" && name != "settings" {
			doc["user"] = "u"
		}
		for range rapid.IntRange(1, 4).Draw(t, "fields") {
			f := rapid.SampledFrom(fields[name]).Draw(t, "field")
			doc[f] = rapid.SampledFrom(values).Draw(t, f)
		}
		b, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decoders[name](b); err != nil {
			return
		}
		taken++
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if err := schemas[name].Validate(v); err != nil {
			t.Fatalf("Decode takes the %s %s, the JSON Schema does not: %v", name, b, err)
		}
	})
	if taken == 0 && !testing.Short() { // few draws may well hit none
		t.Error("Decode took none of the documents drawn: the test shows nothing")
	}
}

// Every value that a schema lists for a field of a request is one that Validate takes.
func TestJSONSchemaListsValidValues(t *testing.T) {
	checked := 0
	for name, base := range map[string]map[string]any{
		"query": {"user": "u", "conversation": "c", "turn": "t"}, "pin": {"user": "u", "content": "x"}, "memory_write": {"user": "u", "type": "fact", "content": "x"},
		"memory_patch": {"pinned": true},
	} {
		for field, p := range compiled(t, name).Properties {
			if p.Enum == nil {
				continue
			}
			for _, v := range p.Enum.Values {
				doc := map[string]any{field: v}
				for k, b := range base {
					if k != field {
						doc[k] = b
					}
				}
				b, _ := json.Marshal(doc)
				if _, err := decoders[name](b); err != nil {
					t.Errorf("%s.%s %v: %v", name, field, v, err)
				}
				checked++
			}
		}
	}
	if checked < 15 {
		t.Errorf("only %d values checked", checked)
	}
}
