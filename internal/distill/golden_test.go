package distill

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/golden.txt anew")

// line is a turn's reading in one line: a hash of all of it, the rules that read, and how many triples there are.
func (u turn) line(t testing.TB) string {
	res := u.read()
	j, err := json.Marshal(res)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(j)
	rules := make([]string, len(res.Facts))
	for i, m := range res.Facts {
		rules[i] = m.Rule
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %d %s", u.name, hex.EncodeToString(sum[:6]), len(res.Triples), strings.Join(rules, ",")))
}

// TestGolden holds every reading to what it was when testdata/golden.txt was written: a change that is meant to make
// rules faster must not change a byte. A change that is meant runs with -update, and its diff shows which turns it
// touched.
func TestGolden(t *testing.T) {
	file := filepath.Join("testdata", "golden.txt")
	var got []string
	for _, ts := range [][]turn{spokenTurns(t), exampleTurns(t), newWriter(t, 1).turns(600)} {
		for _, u := range ts {
			got = append(got, u.line(t))
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(got) != len(want) {
		t.Fatalf("%d turns, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("got  %s\nwant %s", got[i], want[i])
		}
	}
}
