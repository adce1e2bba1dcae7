// Package docs runs the examples of documents as a reader would.
package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// Every command of docs/nats.md, in both languages, word for word and in order, against a Siltstone of its own. It needs
// the nats command (go install github.com/nats-io/natscli/nats@latest).
func TestNATSCommandsOfTheDocs(t *testing.T) {
	if _, err := exec.LookPath("nats"); err != nil {
		t.Skip("the nats command is not there: the examples of docs/nats.md are not run")
	}
	var seen [][]string
	for _, x := range []struct{ doc, remembered string }{{"nats.md", "coriander"}, {"nats.zh.md", "香菜"}} {
		t.Run(x.doc, func(t *testing.T) {
			s := stacktest.Up(t, stacktest.Config(filepath.Join(t.TempDir(), "data")))
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "turns.jsonl"), []byte(`{"id":"n-1","user":"alice","input":"The gate code is 4711."}`+"\n"+`{"id":"n-2","user":"alice","input":"大门密码换了。"}`+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			run := func(line string) string {
				c := exec.CommandContext(t.Context(), "sh", "-c", line)
				c.Dir, c.Env = dir, append(os.Environ(), "XDG_CONFIG_HOME="+dir, "HOME="+dir)
				out, err := c.CombinedOutput()
				if err != nil {
					t.Errorf("%s: %v\n%s", line, err, out)
				}
				return string(out)
			}
			context, lines := commands(t, filepath.Join("..", "..", "docs", x.doc))
			place := regexp.MustCompile(`nats://\S+`)
			run(place.ReplaceAllLiteralString(context, s.Connect(t).NATS.URL))
			for _, line := range lines {
				out := run(line)
				bad := strings.Contains(out, "Nats-Service-Error")
				switch {
				case strings.Contains(line, "silt.ingest"):
					bad = bad || !strings.Contains(out, `"seq":`) || strings.Contains(line, "Silt-Wait") && !strings.Contains(out, `"indexed":true`) ||
						strings.Contains(line, "turns.jsonl") && !strings.Contains(out, `"rejected":[]`)
				case strings.Contains(line, "silt.query"):
					bad = bad || !strings.Contains(out, `"block":"<memory_context>`) || !strings.Contains(out, x.remembered)
				case strings.Contains(line, "silt.forget"):
					bad = bad || !strings.Contains(out, `"matched":`) || strings.Contains(out, `"matched":0`)
				case strings.Contains(line, "silt.status"):
					bad = bad || !strings.Contains(out, `"idle":true`)
				case strings.HasPrefix(line, "nats micro"):
					bad = bad || !strings.Contains(out, "silt-query")
				case strings.HasPrefix(line, "nats req silt.in"):
					bad = bad || !strings.Contains(out, `"stream":"SILT_IN"`)
				case strings.HasPrefix(line, "nats pub silt.in"):
				default:
					t.Errorf("%s: nobody says what to expect of it", line)
				}
				if bad {
					t.Errorf("%s says\n%s", line, out)
				}
			}
			// What was published without waiting arrives.
			c := s.As(t, "default")
			for _, id := range []string{"t-3", "t-4"} {
				stacktest.Eventually(t, id, func() error { _, err := c.Event(t.Context(), id); return err })
			}
			stacktest.Balanced(t, c.Settle().Ledger)
			seen = append(seen, lines)
		})
	}
	if len(seen) != 2 {
		return
	}
	text := regexp.MustCompile(`"(input|response|query|match)":"[^"]*"`)
	same := func(lines []string) (out []string) {
		for _, l := range lines {
			l, _, _ = strings.Cut(l, " #")
			out = append(out, strings.TrimSpace(text.ReplaceAllString(l, `"$1":"…"`)))
		}
		return out
	}
	if en, zh := same(seen[0]), same(seen[1]); !slices.Equal(en, zh) || len(en) < 12 {
		t.Errorf("the commands differ between the languages:\n%q\n%q", en, zh)
	}
}

// commands are the lines of a document's blocks of shell, and before them what tells nats where to go.
func commands(t *testing.T, path string) (context string, lines []string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("`(nats context add [^`]+)`").FindSubmatch(b)
	if m == nil {
		t.Fatalf("%s does not say how to tell nats where to go", path)
	}
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllSubmatch(b, -1) {
		for line := range strings.Lines(string(block[1])) {
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
	}
	return strings.ReplaceAll(string(m[1]), "\n", " "), lines
}
