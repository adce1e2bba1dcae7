package clean

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// controls lets golden files show control characters.
var controls = strings.NewReplacer("␛", "\x1b", "␍", "\r", "␈", "\b", "␀", "\x00", "␇", "\a", "␣", " ", "⇥", "\t")

// TestGolden runs testdata/*.txtar: each case is a folder of step (lines), in, and want or fault.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 9 {
		t.Fatalf("%d golden files, %v: every cleaner has one", len(files), err)
	}
	have := map[string]bool{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		have[name] = true
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		cases := map[string]map[string]string{}
		for _, f := range ar.Files {
			c, part, _ := strings.Cut(f.Name, "/")
			if cases[c] == nil {
				cases[c] = map[string]string{}
			}
			cases[c][part] = controls.Replace(strings.TrimSuffix(string(f.Data), "\n"))
		}
		for c, parts := range cases {
			t.Run(name+"/"+c, func(t *testing.T) {
				var got, fault string
				if name == "basic" {
					got = spoken(parts["in"])
					if parts["as"] == "tool" {
						got = basic(legible(parts["in"]), true)
					}
				} else {
					out, f := newCleaner(t, nil).shape(legible(parts["in"]), strings.Split(parts["step"], "\n"))
					if got = out; f != nil {
						fault = f.Cleaner + ": " + f.Reason
					}
				}
				if want, ok := parts["want"]; ok && got != want {
					t.Errorf("got:\n%q\nwant:\n%q\nfault: %s", got, want, fault)
				}
				if fault != parts["fault"] {
					t.Errorf("fault %q, want %q (text %q)", fault, parts["fault"], got)
				}
			})
		}
	}
	for _, b := range Builtins() {
		if n := strings.TrimSuffix(b.Name, "?"); !have[n] {
			t.Errorf("no golden file for %s", n)
		}
	}
}
