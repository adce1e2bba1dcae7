package eval

import (
	"context"
	"math"
	"strings"
	"testing"
)

// asked is a ranking of two numbers: the first helps both halves up to 2, the second helps only the half to tune on.
func asked(_ context.Context, v map[string]float64, tune bool) ([]Outcome, error) {
	real, luck := 1.0, v["luck"]
	if x, set := v["real"]; set {
		real = x
	}
	out := make([]Outcome, 0, 42)
	for i := range 40 {
		o := Outcome{Set: []string{"large", "small"}[i/30], Evidence: 1, Answers: 1}
		found := float64(i%10) < 4+2*min(real, 4-real)
		switch {
		case luck > 0 && tune && i%10 == 9:
			found = true
		case luck > 0 && !tune && i%10 == 0:
			found = false
		}
		if found {
			o.Ranks = []int{1}
		}
		out = append(out, o)
	}
	wrong := 1
	if real > 2 {
		wrong = 0
	}
	return append(out, Outcome{Set: "large", Answers: wrong}, Outcome{Set: "small"}), nil
}

func TestASweepTellsWhatHoldsFromWhatWasLuck(t *testing.T) {
	knobs := []Knob{{"real", 1, []float64{0, 2, 3}}, {"luck", 0, []float64{1}}, {"idle", 5, []float64{4, 6}}}
	goal := Goal{Measure: Measures[2]}
	s, err := Sweep(t.Context(), knobs, goal, 0, 1, asked)
	if err != nil {
		t.Fatal(err)
	}
	if s.Values["real"] != 2 || s.Values["luck"] != 1 || len(s.Values) != 2 || len(s.Steps) != 3 {
		t.Fatalf("%+v", s)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	near("real, tune", s.Steps[0].Tune, .2)
	near("real, other", s.Steps[0].Other.Mean, .2)
	near("luck, tune", s.Steps[1].Tune, .1)
	near("luck, other", s.Steps[1].Other.Mean, -.1)
	near("all, tune", s.Tune.Goal.Mean, .3)
	near("all, other", s.Other.Goal.Mean, .1)
	if st := s.Steps[2]; st.To != 5 || st.Other != nil || len(st.Tried) != 2 {
		t.Errorf("idle: %+v", st)
	}
	var b strings.Builder
	if err := s.Write(&b, true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"real                           1         2  +0.2000     +0.2000 (", "idle                           5     stays", "other half, 42 questions", "false answers  +0.0000"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// A set weighs as much as any other whatever its size, and false answers cost what the goal says.
func TestTheGoalWeighsSetsAndFalseAnswers(t *testing.T) {
	os, err := asked(t.Context(), map[string]float64{"real": 1}, true)
	if err != nil {
		t.Fatal(err)
	}
	sum := func(g Goal) float64 { return mean(g.worth(os)) }
	if got := sum(Goal{Measure: Measures[2]}); math.Abs(got-.6) > 1e-9 {
		t.Errorf("%v, want the mean over sets, .6", got)
	}
	os[0].Ranks = nil // one of thirty questions of one of two sets
	if got, want := sum(Goal{Measures[2], .5}), .6-1./60-.5*.5; math.Abs(got-want) > 1e-9 {
		t.Errorf("%v, want %v", got, want)
	}
	// What costs false answers is not worth what it finds.
	s, err := Sweep(t.Context(), []Knob{{"real", 1, []float64{2, 2.5}}}, Goal{Measures[2], .9}, 0, 1, asked)
	if err != nil || s.Values["real"] != 2.5 {
		t.Errorf("%v, %+v", err, s.Values)
	}
}

func TestASweepWantsTwoHalves(t *testing.T) {
	_, err := Sweep(t.Context(), nil, Goal{Measure: Measures[0]}, 0, 1, func(_ context.Context, _ map[string]float64, tune bool) ([]Outcome, error) {
		return make([]Outcome, map[bool]int{true: 1}[tune]), nil
	})
	if err == nil || !strings.Contains(err.Error(), "one half has no questions") {
		t.Errorf("%v", err)
	}
}
