// Package triples holds sentences with their facts, written by hand for this project: chat, work and encyclopedia, in English and
// Chinese, in BenchIE's format. siltstone eval triples --gold FILE scores either file.
package triples

import (
	"os"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/internal/distill/openie"
	"github.com/siltstone-ai/siltstone/internal/eval"
)

// TestOpenExtraction holds the extraction to what it reached when the sentences were first read, with some room below.
func TestOpenExtraction(t *testing.T) {
	for _, c := range []struct {
		file          string
		precision, f1 float64
		read          func([]string) *openie.Sentence
	}{
		{"en.txt", .78, .74, openie.EnglishWords},
		{"zh.txt", .85, .72, func(ws []string) *openie.Sentence { return openie.Chinese(strings.Join(ws, "")) }},
	} {
		f, err := os.Open(c.file)
		if err != nil {
			t.Fatal(err)
		}
		gold, err := eval.ReadGold(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		var got []eval.Extracted
		for _, g := range gold {
			s := c.read(strings.Fields(g.Text))
			for _, tr := range s.Triples {
				got = append(got, eval.Extracted{ID: g.ID, Subject: s.Text(tr.Subject), Relation: s.Text(tr.Relation), Object: s.Text(tr.Object)})
			}
		}
		score := eval.ScoreTriples(gold, got)
		t.Logf("%s: %+v", c.file, score)
		if score.Precision < c.precision || score.F1 < c.f1 {
			t.Errorf("%s: precision %.3f, F1 %.3f; want at least %.2f and %.2f", c.file, score.Precision, score.F1, c.precision, c.f1)
		}
	}
}
