package upkeep

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Question is what Compare puts to both generations.
type Question struct {
	Tenant string
	Query  schema.Query
}

// Asker answers a query from a generation. whole is false where a part of the answer did not come in time: that says
// nothing about what the generation holds.
type Asker func(ctx context.Context, generation int, q Question) (ids []string, whole bool, err error)

// CompareAnswers puts questions to two generations and tells in how many they answer alike, as many as can be asked before
// ctx ends: what is only a sample must not hold a switch up. A question that is not answered whole by both is left out.
func CompareAnswers(ctx context.Context, was, now int, qs []Question, ask Asker, rep *schema.ReplayReport) error {
	sum := 0.0
	for _, q := range qs {
		before, whole, err := ask(ctx, was, q)
		after, whole2, err2 := ask(ctx, now, q)
		if ctx.Err() != nil {
			break
		}
		if err := errors.Join(err, err2); err != nil {
			return fmt.Errorf("ask: %w", err)
		}
		if !whole || !whole2 {
			continue
		}
		rep.Asked++
		shared := 0
		for _, id := range before {
			for _, other := range after {
				if id == other {
					shared++
				}
			}
		}
		share := 1.0
		if len(before)+len(after) > 0 {
			share = float64(shared) / float64(max(len(before), len(after)))
		}
		sum += share
		if slices.Equal(before, after) {
			rep.Same++
		}
	}
	if rep.Asked > 0 {
		rep.Overlap = math.Round(sum/float64(rep.Asked)*1000) / 1000
	}
	return nil
}
