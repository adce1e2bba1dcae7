package main

import (
	"math"

	"github.com/siltstone-ai/siltstone/internal/rank"
	"github.com/siltstone-ai/siltstone/internal/retrieve"
)

// arms are parts of the ranking alone, beside the whole.
var arms = []struct {
	name string
	tune func(*retrieve.Config)
}{
	{"lexical", func(c *retrieve.Config) {
		alone(c, "terms")
		c.Rank.Dense.Floor, c.Rank.Cross, c.Rank.Words.Low = never, never, never
		c.Rank.Words.Same, c.Rank.Words.Cross = -never, -never
	}},
	{"dense", func(c *retrieve.Config) { alone(c, "dense"); c.Rank.Terms.Floor, c.Rank.Covered = never, never }},
}

// never is a floor that nothing reaches.
const never = math.MaxFloat64

// alone switches every rule off but the named one, and what makes something found.
func alone(c *retrieve.Config, rule string) {
	off := make(map[string]float64, len(rank.Rules))
	for _, r := range rank.Rules {
		if r.Name != rule && r.Name != "match" {
			off[r.Name] = 0
		}
	}
	c.Rank.Weights, c.Neighbours = off, 0
}

// rules are the names of the rules of the ranking.
func rules() []string {
	out := make([]string, len(rank.Rules))
	for i, r := range rank.Rules {
		out[i] = r.Name
	}
	return out
}

// without switches one rule off.
func without(rule string) func(*retrieve.Config) {
	return func(c *retrieve.Config) { weigh(c, rule, 0) }
}

// weigh gives a rule another weight. The map is a new one: configurations share theirs.
func weigh(c *retrieve.Config, rule string, weight float64) {
	weights := map[string]float64{rule: weight}
	for name, w := range c.Rank.Weights {
		if name != rule {
			weights[name] = w
		}
	}
	c.Rank.Weights = weights
}
