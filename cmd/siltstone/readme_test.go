package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
)

var readmes = []string{"README.md", "README.zh.md"}

// shellBlocks are the blocks of shell commands in a document.
func shellBlocks(t testing.TB, name string) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("../..", name))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindAllStringSubmatch(string(b), -1) {
		out = append(out, m[1])
	}
	if len(out) < 5 {
		t.Fatalf("%s has %d blocks of shell commands", name, len(out))
	}
	return out
}

// readmeDoc runs what a document tells to type against the script's server, in a folder that looks like a built
// checkout, and keeps what it printed for stdout. What would not return (siltstone up) or start another build (make) is
// looked at by tests of its own.
func readmeDoc(t testing.TB) func(ts *testscript.TestScript, neg bool, args []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) != 1 {
			ts.Fatalf("usage: readme FILE")
		}
		ts.Check(os.MkdirAll(ts.MkAbs("bin"), 0o755))
		wrapper := "#!/bin/sh\nexec siltstone --server \"$SERVER\" \"$@\"\n"
		ts.Check(os.WriteFile(ts.MkAbs("bin/siltstone"), []byte(wrapper), 0o755))
		if _, err := os.Stat(ts.MkAbs("examples")); err != nil {
			ts.Check(os.Symlink(filepath.Join(ts.Getenv("ROOT"), "examples"), ts.MkAbs("examples")))
		}
		ran := 0
		script := "set -e\n"
		for _, b := range shellBlocks(t, args[0]) {
			if !strings.Contains(b, "curl") && !strings.Contains(b, "bin/siltstone") || strings.Contains(b, "bin/siltstone up") {
				continue
			}
			// What was published is searchable some milliseconds later; a reader types more slowly than that.
			script += strings.ReplaceAll(b, "http://127.0.0.1:8317", "$SERVER") + "\necho\nbin/siltstone status --wait --json >/dev/null\n"
			ran++
		}
		if ran < 3 {
			ts.Fatalf("%s holds %d blocks to run", args[0], ran)
		}
		ts.Check(ts.Exec("sh", "-c", script))
	}
}

func TestReadmeExamplesRun(t *testing.T) {
	p := params(t, "testdata/readme")
	p.Cmds["readme"] = readmeDoc(t)
	testscript.Run(t, p)
}

// Every siltstone up in the documents has flags and values that exist.
func TestReadmeStartsAreValid(t *testing.T) {
	n := 0
	for _, doc := range readmes {
		for _, b := range shellBlocks(t, doc) {
			for line := range strings.Lines(b) {
				args, ok := strings.CutPrefix(strings.TrimSpace(line), "bin/siltstone up")
				if !ok {
					continue
				}
				e := &env{}
				c := &cobra.Command{Use: "up"}
				load := e.addConfigFlags(c)
				if err := c.ParseFlags(strings.Fields(args)); err != nil {
					t.Errorf("%s: up%s: %v", doc, args, err)
				} else if _, err := load(c); err != nil {
					t.Errorf("%s: up%s: %v", doc, args, err)
				}
				n++
			}
		}
	}
	if n < 2*len(readmes) {
		t.Errorf("only %d starts found", n)
	}
}

// Every target of make in the documents is there.
func TestReadmeTargetsExist(t *testing.T) {
	mk, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, doc := range readmes {
		for _, b := range shellBlocks(t, doc) {
			for _, m := range regexp.MustCompile(`(?m)^make (\S+)`).FindAllStringSubmatch(b, -1) {
				n++
				if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(m[1]) + `:`).Match(mk) {
					t.Errorf("%s: no target %s", doc, m[1])
				}
			}
		}
	}
	if n < 2*len(readmes) {
		t.Errorf("only %d targets found", n)
	}
}

// English and Chinese tell the reader to type the same, but for comments and for what is said in a language.
func TestReadmeCommandsAreTheSameInBothLanguages(t *testing.T) {
	en, zh := commandsOf(t, readmes[0]), commandsOf(t, readmes[1])
	if !slices.Equal(en, zh) {
		t.Errorf("README.md has\n%s\nREADME.zh.md has\n%s", strings.Join(en, "\n"), strings.Join(zh, "\n"))
	}
	if len(en) < 10 {
		t.Errorf("only %d commands", len(en))
	}
}

// commandsOf is what a document tells to type, a command an entry: comments are gone, the values in JSON bodies and the
// quoted questions of users stand as "…".
func commandsOf(t *testing.T, doc string) []string {
	var out []string
	for _, b := range shellBlocks(t, doc) {
		b = regexp.MustCompile(`(?s)-d '(.*?)'`).ReplaceAllStringFunc(b, func(d string) string {
			var v any
			if err := json.Unmarshal([]byte(d[len("-d '"):len(d)-1]), &v); err != nil {
				t.Errorf("%s: a body is not JSON: %v", doc, err)
			}
			keys, _ := json.Marshal(blank(v))
			return "-d " + string(keys)
		})
		b = regexp.MustCompile(`-u \S+ ".*?"`).ReplaceAllString(b, `-u … "…"`)
		for line := range strings.Lines(b) {
			line, _, _ = strings.Cut(line, " #")
			if line = strings.TrimSpace(line); line != "" {
				out = append(out, line)
			}
		}
	}
	return out
}

// blank is v with its texts gone.
func blank(v any) any {
	switch x := v.(type) {
	case map[string]any:
		for k := range x {
			x[k] = blank(x[k])
		}
	case []any:
		for i := range x {
			x[i] = blank(x[i])
		}
	case string:
		return "…"
	}
	return v
}

// Every link from a document to a file of the project leads to one.
func TestDocumentLinksLead(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#\s]+)(#[^)]*)?\)`)
	n := 0
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "deploy/*/*.md"} {
		docs, err := filepath.Glob(filepath.Join("../..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, doc := range docs {
			b, err := os.ReadFile(doc)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range link.FindAllStringSubmatch(string(b), -1) {
				if strings.Contains(m[1], "://") {
					continue
				}
				n++
				if _, err := os.Stat(filepath.Join(filepath.Dir(doc), m[1])); err != nil {
					t.Errorf("%s: %s leads nowhere", doc, m[1])
				}
			}
		}
	}
	if n < 10 {
		t.Errorf("only %d links found", n)
	}
}
