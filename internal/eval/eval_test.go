package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const sample = `{"id":"u","lang":"en","events":[{"id":"a","at":"2026-01-01T00:00:00Z","input":"x"},{"id":"b","at":"2026-01-01T00:00:01Z","input":"y"},{"id":"c","at":"2026-01-01T00:00:02Z","input":"z"}],"queries":[{"q":"?","evidence":["a","c"],"kind":"k"},{"q":"!","evidence":["b"],"kind":"l"}]}`

func TestReadRefusesWhatWouldCountWrongly(t *testing.T) {
	if us, err := Read(strings.NewReader(sample + "\n\n")); err != nil || len(us) != 1 || len(us[0].Queries) != 2 {
		t.Fatalf("%v, %v", us, err)
	}
	for in, names := range map[string]string{
		"":                                 "no users",
		`{"events":[]}`:                    "line 1: id",
		sample + "\n" + sample:             "line 2: id",
		`{"id":"u","events":[{"id":"a"}]}`: "events[0].at",
		`{"id":"u","queries":[{"q":"?"}]}`: "queries[0].evidence",
		`{"id":"u","queries":[{"q":"?","evidence":["z"]}]}`: "queries[0].evidence",
		strings.ReplaceAll(sample, `"id":"b"`, `"id":"a"`):  "events[1].id",
		"{": "line 1",
	} {
		if _, err := Read(strings.NewReader(in)); err == nil || !strings.Contains(err.Error(), names) {
			t.Errorf("%.60s: %v, want one that names %s", in, err, names)
		}
	}
}

func TestMeasures(t *testing.T) {
	o := Outcome{Evidence: 3, Ranks: []int{2, 6}}
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"R@1", o.Recall(1), 0}, {"R@5", o.Recall(5), 1. / 3}, {"R@10", o.Recall(10), 2. / 3}, {"reciprocal", o.Reciprocal(), .5},
		// (1/log2 3 + 1/log2 7) / (1/log2 2 + 1/log2 3 + 1/log2 4)
		{"nDCG@10", o.NDCG(10), (1/math.Log2(3) + 1/math.Log2(7)) / (1 + 1/math.Log2(3) + .5)},
		{"nDCG@10 of a best answer", Outcome{Evidence: 2, Ranks: []int{1, 2}}.NDCG(10), 1},
		{"nothing found", Outcome{Evidence: 2}.Reciprocal() + Outcome{Evidence: 2}.NDCG(10), 0},
	} {
		if math.Abs(c.got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		ranks := rapid.SliceOfNDistinct(rapid.IntRange(1, Depth), 0, 5, rapid.ID[int]).Draw(t, "ranks")
		o := Outcome{Evidence: max(1, len(ranks)+rapid.IntRange(0, 3).Draw(t, "missed")), Ranks: slices.Sorted(slices.Values(ranks))}
		last := 0.0
		for _, k := range []int{1, 5, 10, 20} {
			if r := o.Recall(k); r < last || r > 1 {
				t.Fatalf("R@%d is %v after %v", k, r, last)
			} else {
				last = r
			}
		}
		if n := o.NDCG(10); n < 0 || n > 1+1e-12 {
			t.Fatalf("nDCG %v", n)
		}
	})
}

func TestRunCountsEvidenceOnceAndByPlace(t *testing.T) {
	us, err := Read(strings.NewReader(sample))
	if err != nil {
		t.Fatal(err)
	}
	us[0].Queries[0].Evidence = []string{"c", "a", "c"}
	os, err := Run(t.Context(), "s", us, func(_ context.Context, _ int, q string) ([]string, time.Duration, error) {
		return map[string][]string{"?": {"b", "a", "c"}, "!": {}}[q], time.Millisecond, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if o := os[0]; o.Evidence != 2 || len(o.Ranks) != 2 || o.Ranks[0] != 2 || o.Ranks[1] != 3 {
		t.Errorf("first: %+v", o)
	}
	if o := os[1]; o.Evidence != 1 || o.Ranks != nil || o.Took != time.Millisecond {
		t.Errorf("second: %+v", o)
	}
}

// A bootstrap's interval holds the mean, repeats, is narrow for what hardly varies and has about the width of theory:
// 2·1.96·σ/√n.
func TestBootstrap(t *testing.T) {
	if i := bootstrap([]float64{.5, .5, .5}); i.Low != .5 || i.High != .5 || i.Mean != .5 {
		t.Errorf("%+v", i)
	}
	xs := make([]float64, 400)
	for i := range xs {
		xs[i] = float64(i % 2)
	}
	i := bootstrap(xs)
	if width, theory := i.High-i.Low, 2*1.96*.5/20; i.Mean != .5 || math.Abs(width-theory) > theory/5 {
		t.Errorf("%+v: width %v, theory says %v", i, i.High-i.Low, theory)
	}
	if bootstrap(xs) != i {
		t.Error("it does not repeat")
	}
}

func TestReportTellsWhatMoved(t *testing.T) {
	outcome := func(kind string, ranks ...int) Outcome {
		return Outcome{Set: "set", Kind: kind, Lang: "en", Evidence: 1, Ranks: ranks, Took: 2 * time.Millisecond}
	}
	var before, after Report
	before.Add("whole", []Outcome{outcome("k", 1), outcome("l")})
	after.Add("whole", []Outcome{outcome("k", 1), outcome("l", 7)})
	if len(after.Lines) != 3 || after.Lines[1].Group != "kind k" || after.Lines[2].Questions != 1 {
		t.Fatalf("%+v", after.Lines)
	}
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(before); err != nil {
		t.Fatal(err)
	}
	old, err := ReadReport(&b)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := after.Write(&out, old); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1.000 (+0.500)", "0.500 (+0.000)", "kind l", "2.0, 2.0"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	d := Compare([]Outcome{outcome("k", 1)}, []Outcome{outcome("k", 2)})
	if d[0].Measure != "R@1" || d[0].By.Mean != 1 || d[1].By.Mean != 0 {
		t.Errorf("%+v", d)
	}
	if Compare(nil, []Outcome{outcome("k")}) != nil {
		t.Error("runs of other questions are compared")
	}
}

func TestHalvesShareNoQuestion(t *testing.T) {
	us, err := Read(strings.NewReader(sample))
	if err != nil {
		t.Fatal(err)
	}
	a, b := Half(us, true, 0), Half(us, false, 0)
	if len(a[0].Queries) != 1 || len(b[0].Queries) != 1 || a[0].Queries[0].Q == b[0].Queries[0].Q || len(b[0].Events) != 3 {
		t.Errorf("%+v\n%+v", a, b)
	}
	three := []User{{ID: "1", Queries: us[0].Queries}, {ID: "2", Queries: us[0].Queries}, {ID: "3", Queries: us[0].Queries}}
	a, b = Half(three, true, 0), Half(three, false, 0)
	for i, mine := range []bool{true, false, true} {
		if len(a[i].Queries) != map[bool]int{true: 2}[mine] || len(b[i].Queries) != map[bool]int{false: 2}[mine] {
			t.Errorf("user %d: %d and %d questions", i, len(a[i].Queries), len(b[i].Queries))
		}
	}
}

func TestASeedDrawsAnotherSplit(t *testing.T) {
	us := []User{{ID: "u"}}
	for i := range 20 {
		us[0].Queries = append(us[0].Queries, Query{Q: strings.Repeat("q", i+1)})
	}
	asked := func(tune bool, seed uint64) (out []string) {
		for _, q := range Half(us, tune, seed)[0].Queries {
			out = append(out, q.Q)
		}
		return out
	}
	if slices.Equal(asked(true, 0), asked(true, 7)) || !slices.Equal(asked(true, 7), asked(true, 7)) {
		t.Error("the split does not follow from the seed")
	}
	for _, q := range asked(true, 7) {
		if slices.Contains(asked(false, 7), q) {
			t.Errorf("%s is in both halves", q)
		}
	}
	if n := len(asked(true, 7)); n != 10 {
		t.Errorf("%d of 20 questions", n)
	}
}
