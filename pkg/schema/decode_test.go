package schema

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestDecodeNamesTheField(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 70)
	for _, c := range []struct{ name, body, field, says string }{
		{"unknown field", `{"user":"u","inputs":"x"}`, "inputs", `did you mean "input"`},
		{"unknown nested", `{"user":"u","tool_results":[{"name":"a","output":"o"},{"nme":"b"}]}`, "tool_results[1].nme", `"name"`},
		{"duplicate", `{"user":"u","user":"v","input":"x"}`, "user", "twice"},
		{"duplicate in another case", `{"user":"u","input":"x","INPUT":"y"}`, "INPUT", "twice"},
		{"duplicate by unicode folding", `{"user":"u","uſer":"v","input":"x"}`, "uſer", "twice"},
		{"wrong case alone", `{"User":"u","input":"x"}`, "User", `did you mean "user"`},
		{"duplicate inside metadata", `{"user":"u","input":"x","metadata":{"k":1,"K":2}}`, "metadata.K", "twice"},
		{"trailing data", `{"user":"u","input":"x"} {}`, "", "after the end"},
		{"invalid UTF-8", "{\"user\":\"u\",\"input\":\"\xff\"}", "", "UTF-8"},
		{"empty", "  ", "", "empty"},
		{"truncated", `{"user":"u","inp`, "", "early"},
		{"wrong type", `{"user":"u","tool_results":[{"name":"a","output":5}]}`, "tool_results[0].output", "a string"},
		{"list for object", `[]`, "", "must not be a list"},
		{"object for string", `{"user":{"a":1}}`, "user", "must not be an object"},
		{"time without zone", `{"user":"u","input":"x","at":"2026-01-31T09:00:00"}`, "at", "RFC 3339"},
		{"time as number", `{"user":"u","input":"x","at":5}`, "at", "RFC 3339"},
		{"fraction for int", `{"user":"u","input":"x","context_window":1.5}`, "context_window", "whole number"},
		{"too deep", `{"user":"u","input":"x","metadata":` + deep + `}`, "metadata.a", "deeper"},
		{"nested metadata", `{"user":"u","input":"x","metadata":{"a":{"b":1}}}`, "metadata.a", "must be a string, a number or a boolean"},
		{"no user", `{"input":"x"}`, "user", "must not be empty"},
		{"nothing said", `{"user":"u"}`, "input", "at least one of"},
		{"hostile user", `{"user":"u*","input":"x"}`, "user", "U+002A"},
		{"bad status", `{"user":"u","tool_results":[{"name":"a","output":"","status":"bad"}]}`, "tool_results[0].status", "ok, error, aborted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Decode[Turn]([]byte(c.body))
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("want a schema error, got %v", err)
			}
			if e.Code != CodeInvalid || e.Retry {
				t.Errorf("want a permanent invalid error, got %v", e)
			}
			if e.Field != c.field && !(c.name == "too deep" && strings.HasPrefix(e.Field, c.field)) {
				t.Errorf("field %q, want %q", e.Field, c.field)
			}
			if !strings.Contains(e.Message, c.says) {
				t.Errorf("message %q does not say %q", e.Message, c.says)
			}
		})
	}
}

func TestDecodeTakesAWholeTurn(t *testing.T) {
	body := `{"id":"e1","user":"小明","agent":"a","conversation":"slack/c1","at":"2026-01-31T09:00:00+08:00","input":"你好 <b>","response":"hi",
	 "tools_used":["cmd_run"],"tool_results":[{"name":"cmd_run","output":"\u001b[1mx","call_id":"7","status":"ok"}],"context_window":8000,
	 "metadata":{"k":"v","n":1.5,"b":true}}`
	turn, err := Decode[Turn]([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	if turn.User != "小明" || turn.ToolResults[0].Output != "\x1b[1mx" || turn.Metadata["n"] != 1.5 {
		t.Errorf("decoded %+v", turn)
	}
	if h := turn.At.UTC().Format("15:04"); h != "01:00" {
		t.Errorf("at is %s UTC, want 01:00", h)
	}
}

func TestDecodeStoredIsTolerantAndRefusesNewer(t *testing.T) {
	turn, err := DecodeTurn(1, []byte(`{"user":"u","input":"x","new_field":{"a":1}}`))
	if err != nil || turn.Input != "x" {
		t.Fatalf("unknown field of a stored turn: %v %+v", err, turn)
	}
	if _, err := DecodeTurn(Version+1, []byte(`{}`)); CodeOf(err) != CodeUnsupported || !IsPermanent(err) {
		t.Errorf("newer version: %v", err)
	}
	if _, err := DecodeTurn(1, []byte(`{`)); !IsPermanent(err) {
		t.Errorf("broken body: %v", err)
	}
}

func FuzzDecodeNeverPanics(f *testing.F) {
	f.Add([]byte(`{"user":"u","input":"x"}`))
	f.Add([]byte(`{"user":"u","query":"q","filter":{"from":"2026-01-31T09:00:00Z"}}`))
	f.Add([]byte(`[[[[`))
	f.Add([]byte("{\"a\":\"\xff\"}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		turn, err := Decode[Turn](b)
		if err == nil {
			out, err := json.Marshal(turn)
			if err != nil {
				t.Fatalf("an accepted turn does not encode: %v", err)
			}
			if _, err := Decode[Turn](out); err != nil {
				t.Fatalf("an accepted turn is refused after a round trip: %v\n%s", err, out)
			}
		}
		_, _ = Decode[Query](b)
		_, _ = Decode[Forget](b)
		_, _ = Decode[MemoryWrite](b)
		_, _ = Decode[MemoryPatch](b)
		_, _ = Decode[Pin](b)
		_, _ = DecodeTurn(1, b)
	})
}
