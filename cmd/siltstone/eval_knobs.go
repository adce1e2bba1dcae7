package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/siltstone-ai/siltstone/internal/eval"
	"github.com/siltstone-ai/siltstone/internal/rank"
	"github.com/siltstone-ai/siltstone/internal/retrieve"
)

// knob is a number of the ranking that a sweep tries other values of.
type knob struct {
	name string
	get  func(*retrieve.Config) float64
	set  func(*retrieve.Config, float64)
}

// knobs are the weight of every rule that relevance is made of, and what decides what is found at all.
func knobs() []knob {
	var out []knob
	for _, r := range rank.Rules {
		if r.Name == "match" { // lifts what was found above what stands: no order among the found depends on it
			continue
		}
		out = append(out, knob{"weight." + r.Name, func(c *retrieve.Config) float64 {
			if w, set := c.Rank.Weights[r.Name]; set {
				return w
			}
			return r.Weight
		}, func(c *retrieve.Config, x float64) { weigh(c, r.Name, x) }})
	}
	number := func(name string, at func(*retrieve.Config) *float64) {
		out = append(out, knob{name, func(c *retrieve.Config) float64 { return *at(c) }, func(c *retrieve.Config, x float64) { *at(c) = x }})
	}
	number("adjacent", func(c *retrieve.Config) *float64 { return &c.Rank.Adjacent })
	out = append(out, knob{"reach", func(c *retrieve.Config) float64 { return float64(c.Rank.Reach) }, func(c *retrieve.Config, x float64) { c.Rank.Reach = int(math.Round(x)) }})
	number("neighbour", func(c *retrieve.Config) *float64 { return &c.Rank.Neighbour })
	number("terms.floor", func(c *retrieve.Config) *float64 { return &c.Rank.Terms.Floor })
	number("covered", func(c *retrieve.Config) *float64 { return &c.Rank.Covered })
	number("prior", func(c *retrieve.Config) *float64 { return &c.Rank.Prior })
	number("words.weight", func(c *retrieve.Config) *float64 { return &c.Rank.Words.Weight })
	number("words.same", func(c *retrieve.Config) *float64 { return &c.Rank.Words.Same })
	number("words.cross", func(c *retrieve.Config) *float64 { return &c.Rank.Words.Cross })
	number("words.crowd", func(c *retrieve.Config) *float64 { return &c.Rank.Words.Crowd })
	number("words.cross_crowd", func(c *retrieve.Config) *float64 { return &c.Rank.Words.CrossCrowd })
	number("words.eased", func(c *retrieve.Config) *float64 { return &c.Rank.Words.Eased })
	number("words.longer", func(c *retrieve.Config) *float64 { return &c.Rank.Words.Longer })
	number("words.low", func(c *retrieve.Config) *float64 { return &c.Rank.Words.Low })
	number("count_weight", func(c *retrieve.Config) *float64 { return &c.CountWeight })
	number("rare_idf", func(c *retrieve.Config) *float64 { return &c.RareIDF })
	return out
}

// Values that are tried: these factors of the present one, and where that is 0 these numbers.
var (
	factors = []float64{.75, 1.25, .5, 1.5, 0, 2}
	fromOff = []float64{.1, .25, .5}
)

// choose are the knobs of these names, all where none is named, with what they stand at and what is tried.
func choose(names []string, now *retrieve.Config) (chosen []eval.Knob, err error) {
	all := knobs()
	for _, n := range names {
		if !slices.ContainsFunc(all, func(k knob) bool { return k.name == n }) {
			known := make([]string, len(all))
			for i, k := range all {
				known[i] = k.name
			}
			return nil, fmt.Errorf("--number: %q is not one of %s", n, strings.Join(known, ", "))
		}
	}
	for _, k := range all {
		if len(names) > 0 && !slices.Contains(names, k.name) {
			continue
		}
		x := k.get(now)
		e := eval.Knob{Name: k.name, Now: x, Try: fromOff}
		if x != 0 {
			e.Try = nil
			for _, f := range factors {
				c := *now
				k.set(&c, f*x)
				if v := k.get(&c); v != x && !slices.Contains(e.Try, v) && c.Validate() == nil { // what is run: a whole number is rounded, and not every number may be 0
					e.Try = append(e.Try, v)
				}
			}
		}
		chosen = append(chosen, e)
	}
	return chosen, nil
}

// turn sets the knobs to values.
func turn(values map[string]float64) func(*retrieve.Config) {
	return func(c *retrieve.Config) {
		for _, k := range knobs() {
			if x, set := values[k.name]; set {
				k.set(c, x)
			}
		}
	}
}
