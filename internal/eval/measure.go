package eval

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"
)

// Depth is how many events of an answer are looked at.
const Depth = 20

// Ask answers a question of a user with the ids of events, best first, each once, and says how long that took.
type Ask func(ctx context.Context, user int, question string) (events []string, took time.Duration, err error)

// Outcome is what became of one question.
type Outcome struct {
	Set, Kind, Lang string
	User            int
	Evidence        int           // how many events answer it; 0 where the right answer is nothing
	Answers         int           // how many events came
	Ranks           []int         // places, from 1, at which they stood, those up to Depth, rising
	Took            time.Duration // of the answer
}

// Run asks every question of a set once, in order. It stops at the first answer that fails.
func Run(ctx context.Context, set string, users []User, ask Ask) ([]Outcome, error) {
	var out []Outcome
	for i, u := range users {
		for _, q := range u.Queries {
			got, took, err := ask(ctx, i, q.Q)
			if err != nil {
				return nil, fmt.Errorf("ask user %s: %w", u.ID, err)
			}
			evidence := slices.Compact(slices.Sorted(slices.Values(q.Evidence)))
			o := Outcome{Set: set, Kind: q.Kind, Lang: u.Lang, User: i, Evidence: len(evidence), Answers: len(got), Took: took}
			for r, id := range got[:min(len(got), Depth)] {
				if _, is := slices.BinarySearch(evidence, id); is {
					o.Ranks = append(o.Ranks, r+1)
				}
			}
			out = append(out, o)
		}
	}
	return out, nil
}

// Recall is the share of the evidence among the first k events.
func (o Outcome) Recall(k int) float64 {
	n := 0
	for _, r := range o.Ranks {
		if r <= k {
			n++
		}
	}
	return float64(n) / float64(o.Evidence)
}

// Reciprocal is 1 over the place of the first event of evidence, 0 where none is among the first Depth; its mean is the
// mean reciprocal rank (MRR).
func (o Outcome) Reciprocal() float64 {
	if len(o.Ranks) == 0 {
		return 0
	}
	return 1 / float64(o.Ranks[0])
}

// NDCG is the normalised discounted cumulative gain at k with a gain of 1 an event of evidence (Järvelin and Kekäläinen
// 2002): Σ 1/log₂(place+1), over that of the best order.
func (o Outcome) NDCG(k int) float64 {
	dcg, ideal := 0.0, 0.0
	for _, r := range o.Ranks {
		if r <= k {
			dcg += 1 / math.Log2(float64(r)+1)
		}
	}
	for r := 1; r <= min(k, o.Evidence); r++ {
		ideal += 1 / math.Log2(float64(r)+1)
	}
	return dcg / ideal
}

// Measure is one figure of an outcome; a report tells its mean.
type Measure struct {
	Name string
	Of   func(Outcome) float64
}

// Measures of a report, in its order.
var Measures = [...]Measure{
	{"R@1", func(o Outcome) float64 { return o.Recall(1) }},
	{"R@5", func(o Outcome) float64 { return o.Recall(5) }},
	{"R@10", func(o Outcome) float64 { return o.Recall(10) }},
	{"R@20", func(o Outcome) float64 { return o.Recall(20) }},
	{"MRR", Outcome.Reciprocal},
	{"nDCG@10", func(o Outcome) float64 { return o.NDCG(10) }},
}
