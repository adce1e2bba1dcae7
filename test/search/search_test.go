// Package search holds questions about memories in both languages, and what answers them: a fault of finding becomes a
// line of testdata. The files have the format of siltstone eval recall, which takes them too.
package search

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/internal/eval"
	"github.com/siltstone-ai/siltstone/internal/render"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

func TestMain(m *testing.M) { os.Exit(stacktest.Main(m)) }

// Gates of a kind of question, where all would be too much to ask of a table of words: the least share of questions whose
// answer is among the first three. Every kind that is not here must be answered without exception.
var gates = map[string]float64{"words": 0.7, "cross": 0.7}

// mostWrong is the largest share of questions that nothing answers and something is given for, and of those of the kind
// off-word, which share a word with a memory by chance.
const (
	mostWrong     = 0.05
	mostWrongWord = 0.7
)

// first is how many items are looked at.
const first = 3

func TestSearchCorpus(t *testing.T) {
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	asked, answered := map[string]int{}, map[string]int{}
	off, wrong := map[bool]int{}, map[bool]int{} // by whether a word is shared
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		users, err := eval.Read(f)
		f.Close()
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, u := range users {
			c := stacktest.Shared(t).As(t, "search-"+u.ID)
			turns := make([]schema.Turn, len(u.Events))
			for i, e := range u.Events {
				turns[i] = schema.Turn{ID: e.ID, User: u.ID, Conversation: e.Conversation, At: e.At, Input: e.Input}
			}
			if r := c.PutMany(turns); len(r.Rejected) > 0 {
				t.Fatalf("%s: %+v", file, r.Rejected)
			}
			c.Settle()
			now := u.Events[len(u.Events)-1].At
			for _, q := range u.Queries {
				r := c.Ask(schema.Query{User: u.ID, Query: q.Q, Now: now, Limit: first})
				if len(r.Degraded) > 0 {
					t.Errorf("%q: degraded %v", q.Q, r.Degraded)
				}
				if q.Nothing {
					shares := q.Kind == "off-word"
					off[shares]++
					if r.Hint == "" || !strings.HasPrefix(r.Hint, render.Hint(render.EN, r.Block != "")) && !strings.HasPrefix(r.Hint, render.Hint(render.ZH, r.Block != "")) {
						wrong[shares]++
						t.Logf("%s: %q is answered by %q", u.ID, q.Q, said(r.Items))
					}
					continue
				}
				asked[q.Kind]++
				if slices.ContainsFunc(r.Items, func(it schema.Item) bool { return slices.Contains(q.Evidence, it.Source.Event) }) {
					answered[q.Kind]++
					continue
				}
				report := t.Logf
				if gates[q.Kind] == 0 {
					report = t.Errorf
				}
				report("%s, %s: %q finds %q", u.ID, q.Kind, q.Q, said(r.Items))
			}
		}
	}
	for kind, least := range gates {
		if got := float64(answered[kind]) / float64(asked[kind]); !(got >= least) {
			t.Errorf("%d of %d questions of the kind %q are answered, want %.0f in 100", answered[kind], asked[kind], kind, 100*least)
		}
	}
	for shares, most := range map[bool]float64{false: mostWrong, true: mostWrongWord} {
		if n, of := wrong[shares], off[shares]; of == 0 || float64(n) > most*float64(of) {
			t.Errorf("%d of %d questions that nothing answers are answered (a word is shared: %v), want %.0f in 100 at most", n, of, shares, 100*most)
		}
	}
	t.Logf("asked %v, answered among the first %d %v; off-topic questions answered, by whether a word is shared, %v of %v", asked, first, answered, wrong, off)
}

func said(items []schema.Item) []string {
	var out []string
	for _, it := range items {
		out = append(out, it.Content)
	}
	return out
}
