package eval

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
)

// GoldSentence is a sentence of a file in BenchIE's format (Gashteovski et al. 2022), with the facts that it states: a fact
// is a cluster of forms, any of which says it.
type GoldSentence struct {
	ID       string
	Text     string // words apart by one space
	Clusters [][]goldForm
}

// goldForm is subject, relation and object of one way to state a fact.
type goldForm [3][]goldWord

// goldWord is a word that must be there, or words that may be left out together.
type goldWord struct {
	text     string // with the space behind it
	optional bool
}

// Extracted is a triple that a system read out of the sentence ID.
type Extracted struct {
	ID                        string
	Subject, Relation, Object string
}

// TripleScore is what BenchIE's rule says of a system: a triple is right where each of its parts equals, word by word, that
// of one form of one cluster of its sentence; words in brackets may be there or not, all of them or none.
type TripleScore struct {
	Sentences int     `json:"sentences"`
	Clusters  int     `json:"clusters"`
	Triples   int     `json:"triples"`
	Hit       int     `json:"hit"`       // clusters that a triple states
	Wrong     int     `json:"wrong"`     // triples that state none
	Precision float64 `json:"precision"` // Hit / (Hit + Wrong): repeating what is right costs nothing
	Recall    float64 `json:"recall"`    // Hit / Clusters
	F1        float64 `json:"f1"`
}

var (
	reCluster  = regexp.MustCompile(`^\d+\s*-->\s*Cluster`)
	reGoldHan  = regexp.MustCompile(`\[[^\]]*\]|[^\s\[]+`)
	reGoldWord = regexp.MustCompile(`\[[^\]]*\]|\S+`)
)

// maxGoldLine is the longest line of a gold file that is read.
const maxGoldLine = 1 << 20

// ReadGold reads a file in BenchIE's format: a line "sent_id:N<TAB>sentence", then for every fact a line "N--> Cluster K:" and its
// forms, "subject --> relation --> object" a line. Chinese may have its characters apart or not.
func ReadGold(r io.Reader) ([]GoldSentence, error) {
	var out []GoldSentence
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, maxGoldLine)
	for n := 1; sc.Scan(); n++ {
		line := strings.TrimSpace(sc.Text())
		if head, ok := strings.CutPrefix(line, "sent_id:"); ok {
			id, text, ok := strings.Cut(head, "\t")
			if !ok {
				return nil, fmt.Errorf("line %d: no tab behind the sentence's number", n)
			}
			out = append(out, GoldSentence{ID: id, Text: text})
			continue
		}
		if line == "" {
			continue
		}
		if len(out) == 0 {
			return nil, fmt.Errorf("line %d: stands before the first sent_id", n)
		}
		s := &out[len(out)-1]
		if reCluster.MatchString(line) {
			s.Clusters = append(s.Clusters, nil)
			continue
		}
		parts := strings.Split(line, " --> ")
		if len(parts) != 3 {
			continue // the published files hold some: a part is missing
		}
		if len(s.Clusters) == 0 {
			s.Clusters = append(s.Clusters, nil)
		}
		var f goldForm
		for k, part := range parts {
			f[k] = goldWords(part, s.Chinese())
		}
		last := len(s.Clusters) - 1
		s.Clusters[last] = append(s.Clusters[last], f)
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("read gold: %w", err)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("read gold: no line begins with sent_id")
	}
	return out, nil
}

// Chinese reports whether the sentence is Chinese, of which characters are compared one by one.
func (g *GoldSentence) Chinese() bool {
	return strings.ContainsFunc(g.Text, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

// Apart is s with its characters apart by spaces.
func Apart(s string) string {
	return strings.Join(strings.Split(strings.Join(strings.Fields(s), ""), ""), " ")
}

func goldWords(s string, chinese bool) []goldWord {
	var out []goldWord
	words := reGoldWord
	if chinese {
		words = reGoldHan
	}
	for _, w := range words.FindAllString(s, -1) {
		optional := w[0] == '['
		if optional {
			w = strings.Join(strings.Fields(strings.TrimSuffix(w[1:], "]")), " ")
		}
		if chinese {
			w = Apart(w)
		}
		if w != "" {
			out = append(out, goldWord{w + " ", optional})
		}
	}
	return out
}

// ScoreTriples scores triples against gold. Triples of sentences that gold does not hold do not count.
func ScoreTriples(gold []GoldSentence, triples []Extracted) TripleScore {
	byID := make(map[string]*GoldSentence, len(gold))
	s := TripleScore{Sentences: len(gold)}
	for i := range gold {
		byID[gold[i].ID] = &gold[i]
		s.Clusters += len(gold[i].Clusters)
	}
	type cluster struct {
		id string
		n  int
	}
	hit := map[cluster]bool{}
	for _, t := range triples {
		g := byID[t.ID]
		if g == nil {
			continue
		}
		s.Triples++
		if n := g.states(t); n >= 0 {
			hit[cluster{t.ID, n}] = true
		} else {
			s.Wrong++
		}
	}
	s.Hit = len(hit)
	s.Precision = ratio(s.Hit, s.Hit+s.Wrong)
	s.Recall = ratio(s.Hit, s.Clusters)
	if s.Precision+s.Recall > 0 {
		s.F1 = 2 * s.Precision * s.Recall / (s.Precision + s.Recall)
	}
	return s
}

func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// states is the first cluster of which t is a form, -1 for none.
func (g *GoldSentence) states(t Extracted) int {
	parts := [3]string{t.Subject, t.Relation, t.Object}
	for k := range parts {
		if g.Chinese() {
			parts[k] = Apart(parts[k])
		}
		parts[k] = spaced(parts[k])
	}
	for n, c := range g.Clusters {
		for _, f := range c {
			if matches(f[0], parts[0]) && matches(f[1], parts[1]) && matches(f[2], parts[2]) {
				return n
			}
		}
	}
	return -1
}

// spaced is s with one space behind every word.
func spaced(s string) string {
	if s = strings.Join(strings.Fields(s), " "); s == "" {
		return ""
	}
	return s + " "
}

// matches reports whether s is the words, those that are optional there or not. It takes time linear in the number of words
// times the number of places in s that they can have reached.
func matches(words []goldWord, s string) bool {
	reached := map[int]bool{0: true}
	for _, w := range words {
		next := map[int]bool{}
		for at := range reached {
			if strings.HasPrefix(s[at:], w.text) {
				next[at+len(w.text)] = true
			}
			if w.optional {
				next[at] = true
			}
		}
		if len(next) == 0 {
			return false
		}
		reached = next
	}
	return reached[len(s)]
}
