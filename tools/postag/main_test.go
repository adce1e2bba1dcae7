package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jdkato/prose/tag"

	"github.com/siltstone-ai/siltstone/internal/distill/postag"
)

func TestModelDoesNotDrift(t *testing.T) {
	want, err := build()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join("..", "..", file))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what go run ./tools/postag writes", file)
	}
}

var reWords = regexp.MustCompile(`[\p{L}\d][\p{L}\d'-]*|[.,:;()!?"$%-]`)

// TestTagsAreThoseOfProse compares the two taggers on the English documentation. Where two tags have one score, prose takes
// either, as its maps lie.
func TestTagsAreThoseOfProse(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	theirs, ours := tag.NewPerceptronTagger(), postag.English()
	words, differ := 0, 0
	for _, f := range files {
		if strings.HasSuffix(f, ".zh.md") {
			continue
		}
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			ws := reWords.FindAllString(line, -1)
			got := ours.Tag(ws)
			for i, w := range theirs.Tag(ws) {
				words++
				if w.Tag != got[i] && w.Tag != "-NONE-" {
					differ++
					if differ < 10 {
						t.Logf("%q in %q: %s, prose says %s", w.Text, line, got[i], w.Tag)
					}
				}
			}
		}
	}
	t.Logf("%d words, %d differ", words, differ)
	if words < 10_000 || differ*1000 > words {
		t.Errorf("%d of %d words differ", differ, words)
	}
}
