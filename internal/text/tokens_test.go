package text

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"pgregory.net/rapid"
)

// TestD6_TokensNeverFall: a block that is over its budget is not made to fit by one more memory.
func TestD6_TokensNeverFall(t *testing.T) {
	part := rapid.SampledFrom([]string{
		"a", "B", "word", "WORD", "Word", "1", "234", ".", "(", "//", " ", "  ", "\n", "\r\n", "\t\t", "\x01", "字", "，", "→", "é", "я", "👍", "\u200d", "\ufe0f", "_",
	})
	rapid.Check(t, func(t *rapid.T) {
		s, last := "", 0
		for _, p := range rapid.SliceOfN(part, 1, 12).Draw(t, "parts") {
			s += p
			if n := Tokens(s); n < last {
				t.Fatalf("%q has %d tokens, %d without its end", s, n, last)
			} else {
				last = n
			}
		}
	})
}

// TestD6_TokensAgainstARealVocabulary holds the estimate to counts of a real tokenizer: those of testdata/tokens.jsonl, which
// tools/tokencounts made by js-tiktoken. It is an estimate of cl100k_base; vocabularies that know more Chinese words count
// less, and a block that fits by the estimate must fit by them as well.
func TestD6_TokensAgainstARealVocabulary(t *testing.T) {
	f, err := os.Open("testdata/tokens.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	type sum struct{ estimated, cl100k, o200k, texts int }
	sums := map[string]*sum{}
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var c struct {
			Kind, Text string
			CL100K     int `json:"cl100k_base"`
			O200K      int `json:"o200k_base"`
		}
		if err := json.Unmarshal(sc.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		s := sums[c.Kind]
		if s == nil {
			s = &sum{}
			sums[c.Kind] = s
		}
		n := Tokens(c.Text)
		s.estimated, s.cl100k, s.o200k, s.texts = s.estimated+n, s.cl100k+c.CL100K, s.o200k+c.O200K, s.texts+1
		if r := float64(n) / float64(c.CL100K); r < .7 || r > 1.35 {
			t.Errorf("%.2f of the true count (%d for %d): %q", r, n, c.CL100K, c.Text)
		}
	}
	for _, kind := range []string{"en", "zh", "code", "emoji", "mixed"} {
		s := sums[kind]
		if s == nil || s.texts < 5 {
			t.Errorf("%s: not enough texts", kind)
			continue
		}
		r, other := float64(s.estimated)/float64(s.cl100k), float64(s.estimated)/float64(s.o200k)
		t.Logf("%s: %d texts of %d tokens; estimated %.3f of cl100k_base, %.3f of o200k_base", kind, s.texts, s.cl100k, r, other)
		if r < .85 || r > 1.15 {
			t.Errorf("%s: the estimate is %.2f of the true count", kind, r)
		}
		if other < .95 {
			t.Errorf("%s: the estimate is %.2f of what o200k_base counts", kind, other)
		}
	}
}
