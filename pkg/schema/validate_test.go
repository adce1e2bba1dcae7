package schema

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

type validator interface{ Validate() error }

// Every row is refused, naming the field; "" stands for no field.
func TestValidateNamesTheField(t *testing.T) {
	long := func(n int) string { return strings.Repeat("x", n) }
	inf := math.Inf(1)
	for _, c := range []struct {
		v     validator
		field string
	}{
		{&Query{}, "user"},
		{&Query{User: "a*"}, "user"},
		{&Query{User: "u\ufffd"}, "user"},
		{&Query{User: "u", Query: long(MaxQuery + 1)}, "query"},
		{&Query{User: "u", Conversation: "a  b"}, "conversation"},
		{&Query{User: "u", Turn: "\x01"}, "turn"},
		{&Query{User: "u", Limit: -1}, "limit"},
		{&Query{User: "u", Limit: MaxLimit + 1}, "limit"},
		{&Query{User: "u", TokenBudget: -1}, "token_budget"},
		{&Query{User: "u", Render: "html"}, "render"},
		{&Query{User: "u", Lang: "fr"}, "lang"},
		{&Query{User: "u", Mode: "Hybrid"}, "mode"},
		{&Query{User: "u", Dedupe: "turn"}, "dedupe"},
		{&Query{User: "u", Dedupe: "conversation", Turn: "t"}, "conversation"},
		{&Query{User: "u", Dedupe: "conversation", Conversation: "c"}, "turn"},
		{&Query{User: "u", Types: []Type{TypeFact, "facts"}}, "types[1]"},
		{&Query{User: "u", Filter: &QueryFilter{From: day(2, 0), To: day(2, 0)}}, "filter.to"},
		{&Query{User: "u", Filter: &QueryFilter{Tool: "a>"}}, "filter.tool"},
		{&Query{User: "u", Filter: &QueryFilter{Metadata: map[string]any{"a": nil}}}, "filter.metadata.a"},

		{&Turn{User: "u"}, "input"},
		{&Turn{User: "u", Input: "x", ContextWindow: -1}, "context_window"},
		{&Turn{User: "u", Input: "x", ToolsUsed: []string{"a", ""}}, "tools_used[1]"},
		{&Turn{User: "u", Input: "x", ToolsUsed: make([]string, MaxToolResults+1)}, "tools_used"},
		{&Turn{User: "u", ToolResults: make([]ToolResult, MaxToolResults+1)}, "tool_results"},
		{&Turn{User: "u", ToolResults: []ToolResult{{Name: "a", CallID: " "}}}, "tool_results[0].call_id"},
		{&Turn{User: "u", Input: "x", Metadata: map[string]any{"": 1.0}}, "metadata"},
		{&Turn{User: "u", Input: "x", Metadata: map[string]any{"k\ufffd": 1.0}}, "metadata"},
		{&Turn{User: "u", Input: "x", Metadata: map[string]any{"k": long(MaxMetaValue + 1)}}, "metadata.k"},
		{&Turn{User: "u", Input: "x", Metadata: map[string]any{"k": float64(MaxMetaNumber) * 2}}, "metadata.k"},
		{&Turn{User: "u", Input: "x", Metadata: map[string]any{"k": math.NaN()}}, "metadata.k"},
		{&Turn{User: "u", Input: "x", Metadata: map[string]any{"k": -inf}}, "metadata.k"},
		{&Turn{User: "u", Input: "x", Metadata: map[string]any{"k": []string{}}}, "metadata.k"},
		{&Turn{User: "u", Input: "x", Metadata: manyKeys(MaxMetadata + 1)}, "metadata"},

		{&Forget{User: "u"}, "ids"},
		{&Forget{User: "u", All: true, Match: "x"}, "ids"},
		{&Forget{User: "u", IDs: []string{}, Before: day(1, 0), Conversation: "c"}, "ids"},
		{&Forget{All: true}, "user"},
		{&Forget{User: "u", IDs: []string{"a", ""}}, "ids[1]"},
		{&Forget{User: "u", IDs: make([]string, MaxForgetIDs+1)}, "ids"},
		{&Forget{User: "u", Conversation: "*"}, "conversation"},
		{&Forget{User: "u", Match: " \t"}, "match"},
		{&Forget{User: "u", Match: "\u3000"}, "match"},
		{&Forget{User: "u", Match: "\u200b"}, "match"},
		{&Forget{User: "u", Match: "\ufe0f"}, "match"},
		{&Forget{User: "u", Match: "\u034f\u115f\u1160 \u3164\uffa0"}, "match"},
		{&Forget{User: "u", Match: "\u17b4\u17b5\u180b\u180f\u2065\U000e0001\U000e0100\U000e0fff\u2800"}, "match"},
		{&Pin{User: "u", Content: "\u3164\ufe0f"}, "content"},
		{&Forget{User: "u", Match: long(MaxMatch + 1)}, "match"},

		{&Pin{Content: "x"}, "user"},
		{&Pin{User: "u"}, "content"},
		{&Pin{User: "u", Content: " \n\u200b"}, "content"},
		{&Pin{User: "u", Content: long(MaxContent + 1)}, "content"},
		{&Pin{User: "u", Content: "x", Type: TypeFact}, "type"},
		{&Pin{User: "u", Delete: true}, "id"},
		{&Pin{ID: "a*", User: "u", Content: "x"}, "id"},

		{&MemoryPatch{User: "u", ID: "w"}, ""},
		{&MemoryPatch{ID: "a*", Content: "x"}, "id"},
		{&MemoryPatch{User: "\n", Content: "x"}, "user"},
		{&MemoryPatch{Content: " \u200b"}, "content"},
		{&MemoryPatch{Content: long(MaxContent + 1)}, "content"},
		{&MemoryPatch{Type: TypeEpisode}, "type"},
		{&MemoryPatch{Importance: ptr(math.NaN())}, "importance"},
		{&MemoryPatch{Confidence: ptr(1.01)}, "confidence"},
		{&MemoryWrite{User: "u", Content: "x"}, "type"},
		{&MemoryWrite{User: "u", Content: "x", Type: TypeEpisode}, "type"},
		{&MemoryWrite{User: "u", Type: TypeFact}, "content"},
		{&MemoryWrite{User: "u", Type: TypeFact, Delete: true}, "id"},
		{&MemoryWrite{ID: "\n", User: "u", Type: TypeFact, Content: "x"}, "id"},
		{&MemoryWrite{User: "u", Type: TypeFact, Content: "x", Importance: ptr(1.01)}, "importance"},
		{&MemoryWrite{User: "u", Type: TypeFact, Content: "x", Importance: ptr(math.NaN())}, "importance"},
		{&MemoryWrite{User: "u", Type: TypeFact, Content: "x", Confidence: ptr(-.01)}, "confidence"},
		{&MemoryWrite{User: "u", Type: TypeFact, Content: "x", Confidence: ptr(math.NaN())}, "confidence"},

		{&MemoryQuery{}, "user"},
		{&MemoryQuery{User: "u", Status: "deleted"}, "status"},
		{&MemoryQuery{User: "u", Type: "facts"}, "type"},
		{&MemoryQuery{User: "u", Kind: "users"}, "kind"},
		{&MemoryQuery{User: "u", Limit: 1001}, "limit"},
		{&MemoryQuery{User: "u", Limit: -1}, "limit"},
		{&MemoryQuery{User: "u", Text: long(MaxMatch + 1)}, "q"},

		{&Settings{Types: map[Type]bool{"facts": true}}, "types.facts"},

		{&ToolPolicy{Name: "x"}, ""},
		{&ToolPolicy{Name: "a*", NoMemory: ptr(true)}, "name"},
		{&ToolPolicy{Cleaner: &[]string{"ansi", ""}}, "cleaner[1]"},
		{&ToolPolicy{Cleaner: ptr(make([]string, MaxSteps+1))}, "cleaner"},
		{&ToolPolicy{Cleaner: &[]string{long(MaxStep + 1)}}, "cleaner[0]"},

		{&ToolDef{}, "name"},
		{&ToolDef{Name: "x", Cleaner: []string{""}}, "cleaner[0]"},
	} {
		err := c.v.Validate()
		var e *Error
		if !errors.As(err, &e) || e.Code != CodeInvalid || e.Field != c.field || e.Retry {
			t.Errorf("%T %.200s: %v, want field %q", c.v, fmt.Sprintf("%+v", c.v), err, c.field)
		}
	}
}

func manyKeys(n int) map[string]any {
	m := map[string]any{}
	for i := range n {
		m[fmt.Sprintf("k%d", i)] = true
	}
	return m
}

func TestValidateTakesWhatLiesOnTheEdge(t *testing.T) {
	for _, v := range []validator{
		&Query{User: "u"}, // the block of pins alone
		&Query{User: "u", Query: strings.Repeat("x", MaxQuery), Limit: MaxLimit, Dedupe: "none"},
		&Query{User: "u", Filter: &QueryFilter{From: day(1, 0)}},
		&Query{User: "u", Filter: &QueryFilter{To: day(1, 0), Metadata: map[string]any{"n": -float64(MaxMetaNumber)}}},
		&Turn{User: "u", Response: " "},
		&Turn{User: "u", ToolResults: []ToolResult{{Name: "a"}}},
		&Turn{User: "u", Input: "x\ufffd", Metadata: map[string]any{"k": "\ufffd"}}, // broken text in texts is whole
		&Turn{User: "u", Input: "x", Metadata: manyKeys(MaxMetadata)},
		&Forget{User: "u", IDs: []string{"a"}, DryRun: true},
		&Forget{User: "u", Match: "。"},
		&Pin{User: "u", Content: strings.Repeat("x", MaxContent)},
		&Pin{ID: "p", User: "u", Delete: true},
		&MemoryPatch{Pinned: ptr(false)},
		&MemoryPatch{ID: "w", User: "u", Type: TypeFact, Content: "x"},
		&MemoryWrite{User: "u", Type: TypeTodoHint, Content: "x", Importance: ptr(0.0), Confidence: ptr(1.0)},
		&MemoryWrite{ID: "m", User: "u", Type: TypeFact, Delete: true},
		&MemoryQuery{User: "u", Status: "all", Type: TypeEpisode, Kind: KindReference, Limit: 1000},
		&Settings{}, &Settings{Types: map[Type]bool{TypeEpisode: false}},
		&ToolPolicy{Cleaner: &[]string{}}, // takes a cleaner away
		&ToolPolicy{Name: "浏览器", Ingest: ptr(false)},
		&ToolDef{Name: "x", Cleaner: make16()},
	} {
		if err := v.Validate(); err != nil {
			t.Errorf("%T %.200s: %v", v, fmt.Sprintf("%+v", v), err)
		}
	}
}

func make16() []string {
	s := make([]string, MaxSteps)
	for i := range s {
		s[i] = strings.Repeat("x", MaxStep)
	}
	return s
}

func TestPoliciesAreLaidOver(t *testing.T) {
	base := ToolDef{Name: "x", NoMemory: true, Cleaner: []string{"ansi"}, Why: "w"}
	if got := (ToolPolicy{}).Apply(base); !got.NoMemory || len(got.Cleaner) != 1 || !got.Ingested() {
		t.Errorf("nothing set changes %+v", got)
	}
	steps := []string{"html"}
	got := (ToolPolicy{NoMemory: ptr(false), Cleaner: &steps, Ingest: ptr(false)}).Apply(base)
	steps[0] = "changed later"
	if got.NoMemory || got.Cleaner[0] != "html" || got.Ingested() || got.Why != "w" || base.Cleaner[0] != "ansi" {
		t.Errorf("laid over: %+v, base %+v", got, base)
	}
}

func TestD2_SettingsGateTypes(t *testing.T) {
	off := Settings{Enabled: ptr(false), Types: map[Type]bool{TypeFact: true}}
	if off.On() || off.Allows(TypeFact) {
		t.Error("memory is off and a type is allowed")
	}
	some := Settings{Types: map[Type]bool{TypeFact: false, TypePreference: true}}
	if !some.On() || some.Allows(TypeFact) || !some.Allows(TypePreference) || !some.Allows(TypeConstraint) {
		t.Errorf("settings %+v", some)
	}
}

// What encoding/json would pass over or get wrong, and what is decided about it.
func TestDecodeAtTheEdges(t *testing.T) {
	deep := func(open, shut string, n int) string { return strings.Repeat(open, n) + strings.Repeat(shut, n) }
	turn := func(extra string) string { return `{"user":"u","input":"x",` + extra + `}` }
	for _, c := range []struct{ name, body, field, says string }{ // says "" means taken
		{"number over float64", turn(`"metadata":{"k":1e400}`), "metadata.k", "out of range"},
		{"negative over float64", turn(`"metadata":{"k":-1e400}`), "metadata.k", "out of range"},
		{"huge exponent", turn(`"metadata":{"k":1e999999999999}`), "metadata.k", "out of range"},
		{"tiny is nought", turn(`"metadata":{"k":1e-400}`), "", ""},
		{"many digits", turn(`"metadata":{"k":0.1` + strings.Repeat("3", 5000) + `}`), "", ""},
		{"whole number over int64", turn(`"context_window":9223372036854775808`), "context_window", "whole number"},
		{"exponent for a whole number", turn(`"context_window":1e3`), "context_window", "whole number"},
		{"snowflake as number", turn(`"metadata":{"k":175928847299117063}`), "metadata.k", "as a string"},
		{"snowflake as string", turn(`"metadata":{"k":"175928847299117063"}`), "", ""},
		{"NaN", turn(`"metadata":{"k":NaN}`), "metadata.k", "syntax"},
		{"Infinity", turn(`"metadata":{"k":-Infinity}`), "metadata.k", "syntax"},
		{"leading nought", turn(`"context_window":010`), "", "syntax"},
		{"hexadecimal", turn(`"context_window":0x10`), "", "syntax"},
		{"lists too deep", turn(`"metadata":{"k":` + deep("[", "]", MaxDepth) + `}`), "metadata.k", "deeper"},
		{"a million brackets", strings.Repeat("[", 1<<20), "", "must not be a list"},
		{"a million brackets inside", turn(`"metadata":{"k":` + strings.Repeat("[", 1<<20)), "metadata.k", "deeper"},
		{"byte order mark", "\ufeff" + `{"user":"u","input":"x"}`, "", "byte order mark"},
		{"byte order mark behind", `{"user":"u","input":"x"}` + "\ufeff", "", "after the end"},
		{"comment", `{"user":"u", /* x */ "input":"x"}`, "", "syntax"},
		{"trailing comma", `{"user":"u","input":"x",}`, "", "syntax"},
		{"single quotes", `{'user':'u'}`, "", "syntax"},
		{"raw control character", "{\"user\":\"u\",\"input\":\"a\nb\"}", "input", "syntax"},
		{"two values", `{"user":"u","input":"x"}[]`, "", "after the end"},
		{"white space around", " \t\r\n" + `{"user":"u","input":"x"}` + "\r\n", "", ""},
		{"null alone", `null`, "user", "empty"},
		{"null for what is required", `{"user":null,"input":"x"}`, "user", "empty"},
		{"null for what is not", turn(`"agent":null,"at":null,"metadata":null,"tool_results":null,"context_window":null`), "", ""},
		{"null in a list", turn(`"tools_used":["a",null]`), "tools_used[1]", "empty"},
		{"null for an object in a list", turn(`"tool_results":[null]`), "tool_results[0].name", "empty"},
		{"null in metadata", turn(`"metadata":{"k":null}`), "metadata.k", "must be"},
		{"half a surrogate pair in a text", turn(`"response":"a\ud83d"`), "", ""},
		{"the other half", turn(`"response":"\ude00a"`), "", ""},
		{"half a surrogate pair in an id", `{"user":"u\ud83d","input":"x"}`, "user", "U+FFFD"},
		{"half a surrogate pair in a key", turn(`"metadata":{"k\ud83d":1}`), "metadata", "broken text"},
		{"a whole surrogate pair in an id", `{"user":"u\ud83d\ude00","input":"x"}`, "", ""},
		{"NUL in a text", turn(`"response":"a\u0000"`), "", ""},
		{"NUL in an id", `{"user":"u\u0000","input":"x"}`, "user", "U+0000"},

		{"leap second", turn(`"at":"2016-12-31T23:59:60Z"`), "at", "RFC 3339"},
		{"offset with minutes", turn(`"at":"2026-01-31T09:00:00+05:45"`), "", ""},
		{"offset of unknown zone", turn(`"at":"2026-01-31T09:00:00-00:00"`), "", ""},
		{"offset without colon", turn(`"at":"2026-01-31T09:00:00+0800"`), "at", "RFC 3339"},
		{"offset of hours alone", turn(`"at":"2026-01-31T09:00:00+08"`), "at", "RFC 3339"},
		{"offset out of range", turn(`"at":"2026-01-31T09:00:00+24:00"`), "at", "RFC 3339"},
		{"space for T", turn(`"at":"2026-01-31 09:00:00Z"`), "at", "RFC 3339"},
		{"one digit of hours", turn(`"at":"2026-01-31T9:00:00Z"`), "at", "RFC 3339"},
		{"comma before fractions", turn(`"at":"2026-01-31T09:00:00,5Z"`), "at", "RFC 3339"},
		{"nanoseconds", turn(`"at":"2026-01-31T09:00:00.123456789Z"`), "", ""},
		{"date alone", turn(`"at":"2026-01-31"`), "at", "RFC 3339"},
		{"30 February", turn(`"at":"2026-02-30T00:00:00Z"`), "at", "RFC 3339"},
		{"year 0", turn(`"at":"0000-01-01T00:00:00Z"`), "at", "years 1 to 9999"},
		{"year 0 in UTC", turn(`"at":"0001-01-01T00:00:00+08:00"`), "at", "years 1 to 9999"},
		{"year 10000 in UTC", turn(`"at":"9999-12-31T23:59:59-08:00"`), "at", "years 1 to 9999"},
		{"year 10000", turn(`"at":"10000-01-01T00:00:00Z"`), "at", "RFC 3339"},
		{"no time spelled out", turn(`"at":"0001-01-01T00:00:00Z"`), "", ""},
		{"1969", turn(`"at":"1969-12-31T23:59:59.999Z"`), "", ""},
		{"after 2262", turn(`"at":"2300-01-01T00:00:00Z"`), "", ""},
		{"empty time", turn(`"at":""`), "at", "RFC 3339"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Decode[Turn]([]byte(c.body))
			var e *Error
			switch {
			case c.says == "" && err != nil:
				t.Fatalf("refused: %v", err)
			case c.says == "":
				if y := got.At.UTC().Year(); y < 1 || y > 9999 {
					t.Errorf("at is %v", got.At)
				}
			case !errors.As(err, &e):
				t.Fatalf("want a schema error, got %v", err)
			case e.Code != CodeInvalid || e.Retry || !strings.HasPrefix(e.Field, c.field) || c.field == "" && e.Field != "" || !strings.Contains(e.Message, c.says):
				t.Errorf("%v (field %q), want field %q and %q", e, e.Field, c.field, c.says)
			case len(e.Error()) > 2000:
				t.Errorf("a message of %d bytes", len(e.Error()))
			}
		})
	}
}

func TestDecodeReplacesHalfSurrogatesInTexts(t *testing.T) {
	got, err := Decode[Turn]([]byte(`{"user":"u","input":"a\ud83d","response":"\ud83d\ude00"}`))
	if err != nil || got.Input != "a\ufffd" || got.Response != "😀" {
		t.Errorf("%q %q %v", got.Input, got.Response, err)
	}
}

// The zone that a client gave stays, whatever the machine's own is.
func TestDecodeKeepsTheZone(t *testing.T) {
	got, err := Decode[Turn]([]byte(`{"user":"u","input":"x","at":"2026-01-31T23:30:00-09:30"}`))
	if err != nil {
		t.Fatal(err)
	}
	if s := got.At.Format(time.RFC3339); s != "2026-01-31T23:30:00-09:30" {
		t.Errorf("at is %s", s)
	}
}
