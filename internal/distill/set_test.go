package distill

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/internal/eval"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// factsDir holds the files of utterances.
var factsDir = filepath.Join("..", "..", "test", "facts")

var sunday = eval.SaidAt

func readText(t testing.TB, kind schema.SegmentKind, s string) Result {
	t.Helper()
	return Read(schema.Cleaned{Segments: []schema.Segment{segment(kind, s)}}, schema.Envelope{Tenant: "t", User: "u", ID: "e", UUID: "x", At: sunday, Seq: 1})
}

func load(t testing.TB, file string) []eval.Utterance {
	t.Helper()
	f, err := os.Open(filepath.Join(factsDir, file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	us, err := eval.ReadUtterances(f)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return us
}

// factReader reads an utterance without the cleaning before it.
var factReader = eval.FactReader{Subject: Subject, Person: IsPerson, Read: func(u eval.Utterance) ([]schema.Memory, error) {
	seg := segment(u.Seg, u.Text)
	seg.Tool = u.Tool
	return Read(schema.Cleaned{Segments: []schema.Segment{seg}}, schema.Envelope{Tenant: "t", User: "u", ID: "e", UUID: "x", At: u.At, Seq: 1}).Facts, nil
}}

// TestSet_PrecisionAndRecall: the README of the files tells how each came to be.
func TestSet_PrecisionAndRecall(t *testing.T) {
	gates := map[string]struct{ precision, recall, rate float64 }{
		"dev.en.jsonl":  {.98, .86, 0},
		"dev.zh.jsonl":  {.94, .94, .05},
		"open.en.jsonl": {.98, .97, 0},
		"open.zh.jsonl": {.98, .97, 0},
		"none.en.jsonl": {1, 1, 0},
		"none.zh.jsonl": {1, 1, 0},
		// What they were scored when they had never been seen stands in the README; these hold what was learnt since.
		"unseen1.en.jsonl": {.93, .74, .06},
		"unseen1.zh.jsonl": {.85, .74, .03},
		"unseen2.en.jsonl": {.83, .92, 0},
		"unseen2.zh.jsonl": {.87, .90, 0},
		"unseen3.en.jsonl": {.87, .78, .08},
		"unseen3.zh.jsonl": {.90, .68, 0},
		"unseen4.en.jsonl": {.80, .40, 0},
		"unseen4.zh.jsonl": {.59, .23, .04},
		"unseen5.en.jsonl": {.87, .65, 0},
		"unseen5.zh.jsonl": {.85, .73, 0},
		"unseen6.en.jsonl": {.73, .59, .07}, // seen by nobody but the test: not learnt from
		"unseen6.zh.jsonl": {.72, .58, .04},
	}
	files := setFiles(t)
	if len(files) != len(gates) {
		t.Errorf("%d files, %d gates", len(files), len(gates))
	}
	for _, file := range files {
		var r eval.FactReport
		if err := r.Add(strings.TrimSuffix(file, ".jsonl"), load(t, file), factReader); err != nil {
			t.Fatal(err)
		}
		var shown strings.Builder
		if err := r.Write(&shown, true); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s\n%s", file, shown.String())
		want, ok := gates[file]
		if !ok {
			t.Errorf("%s has no gate", file)
		}
		for _, s := range r.Scores {
			if s.Lang == "en" && strings.HasSuffix(file, "zh.jsonl") || s.Lang == "zh" && strings.HasSuffix(file, "en.jsonl") {
				continue // a few lines in the other language
			}
			if s.Precision() < want.precision || s.Recall() < want.recall || s.FalseRate() > want.rate {
				t.Errorf("%s, %s: precision %.3f, recall %.3f, false %.3f; want %v", file, s.Lang, s.Precision(), s.Recall(), s.FalseRate(), want)
			}
		}
	}
}

// TestSet_Sizes: there are at least as many utterances as the evaluation is to rest on.
func TestSet_Sizes(t *testing.T) {
	stating, none := map[string]int{}, 0
	for _, file := range setFiles(t) {
		for _, u := range load(t, file) {
			if len(u.Facts) == 0 {
				none++
			} else {
				stating[langOf(u.Text)]++
			}
		}
	}
	if stating["en"] < 150 || stating["zh"] < 150 || none < 100 {
		t.Errorf("%d English and %d Chinese utterances state facts, %d none", stating["en"], stating["zh"], none)
	}
}

// setFiles are the files of utterances, in the order of their names.
func setFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(factsDir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files of utterances: %v", len(files), err)
	}
	slices.Sort(files)
	for i := range files {
		files[i] = filepath.Base(files[i])
	}
	return files
}
