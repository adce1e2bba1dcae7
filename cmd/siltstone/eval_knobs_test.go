package main

import (
	"slices"
	"testing"

	"github.com/siltstone-ai/siltstone/internal/retrieve"
)

// What a sweep says that it tried is what it ran, each value once: numbers that are whole are tried whole.
func TestSweepTriesWhatItSays(t *testing.T) {
	now := retrieve.Defaults()
	now.Rank.Reach = 5
	chosen, err := choose([]string{"reach"}, &now)
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{4, 6, 3, 8, 0, 10}; !slices.Equal(chosen[0].Try, want) {
		t.Errorf("reach: tries %v, want %v", chosen[0].Try, want)
	}
	now.Rank.Reach = 1
	if chosen, err = choose([]string{"reach"}, &now); err != nil {
		t.Fatal(err)
	}
	if want := []float64{2, 0}; !slices.Equal(chosen[0].Try, want) { // .75 and 1.25 are 1 again, .5 is 1, 1.5 is 2
		t.Errorf("reach: tries %v, want %v", chosen[0].Try, want)
	}
	all, err := choose(nil, &now)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		for _, x := range e.Try {
			c := now
			turn(map[string]float64{e.Name: x})(&c)
			for _, k := range knobs() {
				if got := k.get(&c); k.name == e.Name && got != x {
					t.Errorf("%s: says %v, runs %v", e.Name, x, got)
				}
			}
		}
	}
}
