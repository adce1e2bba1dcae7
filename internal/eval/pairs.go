package eval

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// NearCosine is the cosine from which two texts count as near in a report of pairs: the level at which memories are
// commonly merged by their nearest neighbour alone.
const NearCosine = 0.92

// Pair is one line of a file of pairs: two texts, and whether they say the same.
type Pair struct {
	Lang          string `json:"lang"`
	A             string `json:"a"`
	B             string `json:"b"`
	Same          bool   `json:"same"`
	Contradiction bool   `json:"contradiction"` // they exclude one another
	Set           string `json:"set"`           // where the pair comes from
}

// ReadPairs reads a file of pairs, one a line.
func ReadPairs(r io.Reader) ([]Pair, error) {
	return readLines(r, "pairs", maxSaid, Pair{}, func(p *Pair) error {
		if p.A == "" || p.B == "" {
			return errors.New("a and b must not be empty")
		}
		return nil
	})
}

// PairJudge is what is measured.
type PairJudge struct {
	Merged func(a, b string) bool             // whether one of two statements that say this is kept as a duplicate of the other
	Cosine func(a, b string) (float64, error) // nearness by the embedder, beside which the judge is shown
}

// PairScore counts the pairs of one set and language that were merged.
type PairScore struct {
	Set         string  `json:"set"`
	Lang        string  `json:"lang"`
	Same        int     `json:"same"`
	SameMerged  int     `json:"same_merged"`
	SameNear    int     `json:"same_near"` // by cosine alone
	Other       int     `json:"other"`     // pairs that do not say the same
	OtherMerged int     `json:"other_merged"`
	OtherNear   int     `json:"other_near"`
	Least       float64 `json:"least_cosine"` // of the merged pairs; 1 where none was merged
}

// PairReport is what a run over a file of pairs measured.
type PairReport struct {
	Scores []PairScore `json:"scores"`          // by set and language, and all at the end
	Wrong  []Pair      `json:"wrong,omitempty"` // merged, and not the same
}

// JudgePairs scores pairs.
func JudgePairs(pairs []Pair, by PairJudge) (PairReport, error) {
	var out PairReport
	sums := map[[2]string]*PairScore{}
	for i, p := range pairs {
		cos, err := by.Cosine(p.A, p.B)
		if err != nil {
			return out, fmt.Errorf("pair %d: %w", i+1, err)
		}
		merged := by.Merged(p.A, p.B)
		if merged && !p.Same {
			out.Wrong = append(out.Wrong, p)
		}
		for _, key := range [...][2]string{{p.Set, p.Lang}, {all, all}} {
			s := sums[key]
			if s == nil {
				s = &PairScore{Set: key[0], Lang: key[1], Least: 1}
				sums[key] = s
			}
			s.count(p.Same, merged, cos)
		}
	}
	for _, s := range sums {
		out.Scores = append(out.Scores, *s)
	}
	slices.SortFunc(out.Scores, func(a, b PairScore) int {
		if (a.Set == all) != (b.Set == all) {
			return map[bool]int{true: 1, false: -1}[a.Set == all]
		}
		return strings.Compare(a.Set+" "+a.Lang, b.Set+" "+b.Lang)
	})
	return out, nil
}

func (s *PairScore) count(same, merged bool, cos float64) {
	n, m, near := &s.Other, &s.OtherMerged, &s.OtherNear
	if same {
		n, m, near = &s.Same, &s.SameMerged, &s.SameNear
	}
	*n++
	if cos >= NearCosine {
		*near++
	}
	if merged {
		*m++
		s.Least = min(s.Least, cos)
	}
}

// Write prints the scores as a table, and with wrong the pairs that were merged and are not the same.
func (r *PairReport) Write(w io.Writer, wrong bool) error {
	if _, err := fmt.Fprintf(w, "%-12s %-4s %6s %15s %6s %15s %6s\n", "set", "lang", "same", "merged (cosine)", "other", "merged (cosine)", "least"); err != nil {
		return err
	}
	for _, s := range r.Scores {
		if _, err := fmt.Fprintf(w, "%-12s %-4s %6d %7s (%5s) %6d %7s (%5s) %6.3f\n", s.Set, s.Lang,
			s.Same, percent(s.SameMerged, s.Same), percent(s.SameNear, s.Same), s.Other, percent(s.OtherMerged, s.Other), percent(s.OtherNear, s.Other), s.Least); err != nil {
			return err
		}
	}
	if !wrong {
		return nil
	}
	for _, p := range r.Wrong {
		if _, err := fmt.Fprintf(w, "%s\n  %s\n", p.A, p.B); err != nil {
			return err
		}
	}
	return nil
}

func percent(n, of int) string { return fmt.Sprintf("%.1f%%", 100*share(n, of, 0)) }
