// Command postag writes the model of the English tagger, internal/distill/postag/data/model.tsv.zst, from the model that
// github.com/jdkato/prose carries (MIT License): the same features and weights in lines of text, sorted, compressed.
// Run it in the root of the repository: go run ./tools/postag. A test fails where the committed file differs.
package main

import (
	"bytes"
	"fmt"
	"log"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/jdkato/prose/tag"
	"github.com/klauspost/compress/zstd"
)

const file = "internal/distill/postag/data/model.tsv.zst"

func main() {
	b, err := build()
	if err == nil {
		err = os.WriteFile(file, b, 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// names are the features of prose, longest first: what stands behind a name and a space are its values.
var names = []string{
	"i tag+i-2 tag", "i-1 tag+i word", "i suffix", "i pref1", "i-1 tag", "i-2 tag", "i word", "i-1 word", "i-1 suffix", "i-2 word",
	"i+1 word", "i+1 suffix", "i+2 word", "bias",
}

// build is the packed model.
func build() ([]byte, error) {
	t := tag.NewPerceptronTagger()
	var lines []string
	for w, tag := range t.TagMap() {
		lines = append(lines, "word\t"+w+"\t"+tag)
	}
	for f, weights := range t.Weights() {
		if len(weights) == 0 {
			continue
		}
		name, a, b, err := split(f)
		if err != nil {
			return nil, err
		}
		var ws []string
		for tag, w := range weights {
			ws = append(ws, fmt.Sprintf("%s:%d", tag, int(math.Round(w*1000))))
		}
		slices.Sort(ws)
		lines = append(lines, strings.Join([]string{"feature", name, a, b, strings.Join(ws, " ")}, "\t"))
	}
	slices.Sort(lines)
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	if _, err := w.Write([]byte(strings.Join(lines, "\n") + "\n")); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// split is a feature's name and its one or two values.
func split(f string) (name, a, b string, err error) {
	for _, n := range names {
		if f == n {
			return n, "", "", nil
		}
		if v, ok := strings.CutPrefix(f, n+" "); ok {
			if strings.Contains(n, "+i") {
				a, b, _ = strings.Cut(v, " ")
				return n, a, b, nil
			}
			return n, v, "", nil
		}
	}
	return "", "", "", fmt.Errorf("unknown feature %q", f)
}
