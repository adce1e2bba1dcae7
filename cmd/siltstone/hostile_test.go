package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// TestPublishTakesHostileInput: a bad line of a file or of standard input is told by its number and costs no neighbour
// anything, however long it is.
func TestPublishTakesHostileInput(t *testing.T) {
	s := stacktest.Up(t, stacktest.Config(t.TempDir()))
	good := func(id string) string { return `{"user":"ann","id":"` + id + `","input":"My locker is number zq7w."}` }
	deep := strings.Repeat(`{"a":`, 100_000) + `1` + strings.Repeat(`}`, 100_000)
	lines := []struct {
		body string
		code schema.Code // "" where it is taken
	}{
		{`{"user":"*","input":"x"}`, schema.CodeInvalid}, {`{"user":">","input":"x"}`, schema.CodeInvalid}, {`{"user":"","input":"x"}`, schema.CodeInvalid},
		{`{"user":"a\u0000b","input":"x"}`, schema.CodeInvalid}, {`{"user":"a\r\nb","input":"x"}`, schema.CodeInvalid},
		{`{"user":"` + strings.Repeat("u", 5000) + `","input":"x"}`, schema.CodeInvalid},
		{`{"user":"a.b","input":"x"}`, ""}, {`{"user":"a b","input":"x"}`, ""}, {`{"user":"../../x","input":"x"}`, ""},
		{"{\"user\":\"u\",\"input\":\"\xff\"}", schema.CodeInvalid}, {"{\"user\":\"u\",\"input\":\"\x00\"}", schema.CodeInvalid},
		{`{"user":"u","input":"\ud800"}`, ""}, {`{"user":"u","user":"v","input":"x"}`, schema.CodeInvalid}, {`{"user":"u","uſer":"v","input":"x"}`, schema.CodeInvalid},
		{deep, schema.CodeInvalid}, {`{"user":"u","input":` + quoted(deep) + `}`, ""}, {`{"user":"u","input":"` + strings.Repeat("汉字没有标点符号", 8<<20/24) + `"}`, ""},
		{`{"user":"u","input":"` + strings.Repeat("x", 10<<20) + `"}`, ""}, {`{"user":"u","input":"` + strings.Repeat("x", 17<<20) + `"}`, schema.CodeTooLarge},
		{`{"user":"u","tool_results":[{"name":"t","output":"` + strings.Repeat("x", 100<<20) + `"}]}`, schema.CodeTooLarge},
	}
	for _, door := range []string{"file", "stdin"} {
		var in bytes.Buffer
		taken := 0
		for i, l := range lines {
			fmt.Fprintf(&in, "%s\n%s\n", good(fmt.Sprintf("%s-%d", door, i)), l.body)
			taken++
			if l.code == "" {
				taken++
			}
		}
		args, stdin := []string{"--server", s.URL, "--json", "publish"}, io.Reader(&in)
		if door == "file" {
			path := filepath.Join(t.TempDir(), "turns.jsonl")
			if err := os.WriteFile(path, in.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			args, stdin = append(args, path), strings.NewReader("")
		}
		var out, errs bytes.Buffer
		code := run(t.Context(), &env{in: stdin, out: &out, err: &errs, force: t.Context()}, args)
		var r schema.BatchReply
		if err := json.NewDecoder(&out).Decode(&r); err != nil || code == exitOK {
			t.Fatalf("%s: exit %d, %v, %.500s", door, code, err, errs.String())
		}
		if len(r.Accepted) != taken {
			t.Errorf("%s: %d lines are accepted, want %d", door, len(r.Accepted), taken)
		}
		got := map[int]schema.Code{}
		for _, x := range r.Rejected {
			got[x.Line] = x.Error.Code
		}
		for i, l := range lines {
			if got[2*i+2] != l.code {
				t.Errorf("%s: line %d, %.60q, is answered with %q, want %q", door, 2*i+2, l.body, got[2*i+2], l.code)
			}
			delete(got, 2*i+2)
		}
		if len(got) > 0 {
			t.Errorf("%s: good lines are refused: %v", door, got)
		}
	}
}

func quoted(s string) string {
	b, _ := json.Marshal(s) // a string
	return string(b)
}
