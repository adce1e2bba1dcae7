package distill

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// utterance is a line of testdata/*.jsonl: what is said on Sunday, 10 May 2026 at 9:00 in Shanghai, and the facts
// that it states.
type utterance struct {
	Text  string             `json:"text"`
	Seg   schema.SegmentKind `json:"seg"` // input where absent
	Facts []goldFact         `json:"facts"`
}

type goldFact struct {
	Predicate string `json:"p"` // alternatives apart by |; * for any
	Subject   string `json:"s"` // user where absent
	Object    string `json:"o"` // must occur in the object or the content
	Negated   bool   `json:"n"`
	Past      bool   `json:"past"`
	Explicit  bool   `json:"e"`
	Type      string `json:"t"` // not compared where absent
	Content   string `json:"c"` // the whole of it; not compared where absent
	Expires   string `json:"x"` // the day on which it is over; not compared where absent
}

var sunday = time.Date(2026, 5, 10, 9, 0, 0, 0, time.FixedZone("", 8*3600))

func readText(t testing.TB, kind schema.SegmentKind, s string) Result {
	t.Helper()
	if kind == "" {
		kind = schema.SegInput
	}
	class := kindClass[kind]
	return Read(schema.Cleaned{Segments: []schema.Segment{{Key: string(kind), Kind: kind, Class: class, Text: s}}},
		schema.Envelope{Tenant: "t", User: "u", ID: "e", UUID: "x", At: sunday, Seq: 1})
}

func load(t testing.TB, file string) []utterance {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []utterance
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var u utterance
		if err := json.Unmarshal(sc.Bytes(), &u); err != nil {
			t.Fatalf("%s: %s: %v", file, sc.Text(), err)
		}
		out = append(out, u)
	}
	return out
}

func (g goldFact) is(m *schema.Memory) bool {
	subj := g.Subject
	if subj == "" && m.Subject != "we" && strings.HasPrefix(m.Subject, "user") {
		subj = "user"
	}
	ok := g.Predicate == "*"
	for p := range strings.SplitSeq(g.Predicate, "|") {
		ok = ok || p == m.Predicate
	}
	in := func(s string) bool { return strings.Contains(text.Fold(s), text.Fold(g.Object)) }
	return ok && (subj == "" || text.Fold(subj) == text.Fold(m.Subject)) && (in(m.Object) || in(m.Content)) &&
		g.Negated == m.Negated && g.Past == !m.ValidTo.IsZero() && (!g.Explicit || m.Explicit) &&
		(g.Type == "" || g.Type == string(m.Type)) && (g.Content == "" || g.Content == m.Content) &&
		(g.Expires == "" || !m.ExpiresAt.IsZero() && m.ExpiresAt.Format("2006-01-02") == g.Expires)
}

// score is precision and recall over a file.
func score(t testing.TB, us []utterance) (hit, wrong, missed int) {
	t.Helper()
	for _, u := range us {
		got := readText(t, u.Seg, u.Text).Facts
		used := make([]bool, len(got))
		for _, g := range u.Facts {
			found := false
			for i := range got {
				if !used[i] && g.is(&got[i]) {
					used[i], found = true, true
					break
				}
			}
			if found {
				hit++
			} else {
				missed++
				t.Logf("missed %+v in %q", g, u.Text)
			}
		}
		for i, m := range got {
			if !used[i] {
				wrong++
				t.Logf("wrong in %q: %s (%s | %s | %s) neg=%v past=%v exp=%s «%s»", u.Text, m.Rule, m.Subject, m.Predicate, m.Object, m.Negated, !m.ValidTo.IsZero(), m.ExpiresAt.Format("2006-01-02"), m.Content)
			}
		}
	}
	return hit, wrong, missed
}

func TestSet_PrecisionAndRecall(t *testing.T) {
	for _, tc := range []struct {
		file              string
		precision, recall float64
	}{
		{"en.jsonl", .97, .97},
		{"zh.jsonl", .97, .97},
		// Written after the rules and scored before any was changed for them: precision .92 and recall .74 in English,
		// .89 and .55 in Chinese. The kinds of what was missed were then added, so these no longer measure the unseen.
		{"en2.jsonl", .97, .97},
		{"zh2.jsonl", .97, .97},
		// A last look at the unseen, both languages: precision .97, recall .78 when it was first scored.
		{"third.jsonl", .97, .88},
	} {
		us := load(t, tc.file)
		hit, wrong, missed := score(t, us)
		p, r := float64(hit)/float64(hit+wrong), float64(hit)/float64(hit+missed)
		t.Logf("%s: %d utterances, precision %.3f, recall %.3f", tc.file, len(us), p, r)
		if p < tc.precision || r < tc.recall {
			t.Errorf("%s: precision %.3f (want %.2f), recall %.3f (want %.2f)", tc.file, p, tc.precision, r, tc.recall)
		}
	}
}

// What people say every day, kind by kind, each beside what only looks like it: everything in the file is read as it
// says, and nothing else.
func TestEveryday(t *testing.T) {
	us := load(t, "everyday.jsonl")
	hit, wrong, missed := score(t, us)
	if wrong+missed > 0 {
		t.Errorf("%d utterances: %d facts right, %d wrong, %d missed", len(us), hit, wrong, missed)
	}
}

func TestSet_NothingWhereNothingIsStated(t *testing.T) {
	us := append(load(t, "none.jsonl"), load(t, "none2.jsonl")...)
	_, wrong, _ := score(t, us)
	if wrong > 0 {
		t.Errorf("%d false facts in %d utterances that state none", wrong, len(us))
	}
}
