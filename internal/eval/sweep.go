package eval

import (
	"context"
	"errors"
	"fmt"
	"maps"
)

// Goal is what a sweep makes as large as it can: the mean over sets of a measure, less False times the mean over sets of
// the share of questions that nothing answers and something was given for.
type Goal struct {
	Measure Measure
	False   float64
}

// worth is what each question gives to the goal, so that the mean of all is the goal: a set weighs as much as any other,
// however many its questions are.
func (g Goal) worth(os []Outcome) []float64 {
	answered, unanswered := map[string]int{}, map[string]int{}
	for _, o := range os {
		if o.Evidence > 0 {
			answered[o.Set]++
		} else {
			unanswered[o.Set]++
		}
	}
	out := make([]float64, len(os))
	for i, o := range os {
		switch {
		case o.Evidence > 0:
			out[i] = g.Measure.Of(o) * float64(len(os)) / float64(len(answered)*answered[o.Set])
		case o.Answers > 0:
			out[i] = -g.False * float64(len(os)) / float64(len(unanswered)*unanswered[o.Set])
		}
	}
	return out
}

// by is how much more the goal is with one run than with another over the same questions.
func (g Goal) by(now, before []Outcome) Interval {
	a, b := g.worth(now), g.worth(before)
	for i := range a {
		a[i] -= b[i]
	}
	return bootstrap(a)
}

// Knob is a number that a sweep may set.
type Knob struct {
	Name string
	Now  float64
	Try  []float64 // in the order in which equal ones are preferred
}

// Asked answers the questions of one half, that to tune on or the other, with knobs at values; those that are not
// among them stay as they are. Equal values give equal outcomes.
type Asked func(ctx context.Context, values map[string]float64, tune bool) ([]Outcome, error)

// Step is what was found of one knob, with the steps before it taken.
type Step struct {
	Knob  string    `json:"knob"`
	From  float64   `json:"from"`
	To    float64   `json:"to"`              // the best of what was tried; From where nothing was better
	Tune  float64   `json:"tune"`            // by how much the goal rose on the half to tune on
	Other *Interval `json:"other,omitempty"` // and on the half that nothing was chosen on; nil where no step was taken
	Tried []Tried   `json:"tried"`
}

// Tried is one value, and by how much the goal rose with it on the half to tune on.
type Tried struct {
	Value float64 `json:"value"`
	By    float64 `json:"by"`
}

// Swept is what came of a sweep.
type Swept struct {
	Steps  []Step             `json:"steps"`
	Values map[string]float64 `json:"values"` // of the knobs that moved
	Tune   Moved              `json:"tune"`   // all steps together, on the half to tune on
	Other  Moved              `json:"other"`  // and on the half that nothing was chosen on: what they are worth
}

// Moved compares one half before and after.
type Moved struct {
	Questions int          `json:"questions"`
	Goal      Interval     `json:"goal"`
	Measures  []Difference `json:"measures"`
	False     *Difference  `json:"false,omitempty"` // share of questions that nothing answers and were answered; nil without any
}

// Sweep tries the values of one knob after the other on the half to tune on, takes the best where it raises the goal by
// more than least, and says of every step what it is worth on the other half. It is coordinate ascent, passes times over.
func Sweep(ctx context.Context, knobs []Knob, goal Goal, least float64, passes int, ask Asked) (Swept, error) {
	out := Swept{Values: map[string]float64{}}
	var start, now [2][]Outcome // of the half to tune on, of the other
	for i, tune := range []bool{true, false} {
		var err error
		if start[i], err = ask(ctx, out.Values, tune); err != nil {
			return out, err
		}
		if len(start[i]) == 0 {
			return out, errors.New("one half has no questions: a sweep takes at least two users, or two questions of one")
		}
	}
	now = start
	for range passes {
		for _, k := range knobs {
			step, err := goal.step(ctx, k, least, out.Values, now[0], ask)
			if err != nil {
				return out, fmt.Errorf("sweep %s: %w", k.Name, err)
			}
			if step.To != step.From {
				out.Values[k.Name] = step.To
				before := now[1]
				for i, tune := range []bool{true, false} {
					if now[i], err = ask(ctx, out.Values, tune); err != nil {
						return out, fmt.Errorf("sweep %s: %w", k.Name, err)
					}
				}
				by := goal.by(now[1], before)
				step.Other = &by
			}
			out.Steps = append(out.Steps, step)
		}
	}
	out.Tune, out.Other = goal.moved(now[0], start[0]), goal.moved(now[1], start[1])
	return out, nil
}

// step tries every value of k.
func (g Goal) step(ctx context.Context, k Knob, least float64, values map[string]float64, now []Outcome, ask Asked) (Step, error) {
	from, moved := values[k.Name]
	if !moved {
		from = k.Now
	}
	s := Step{Knob: k.Name, From: from, To: from}
	for _, v := range k.Try {
		if v == from {
			continue
		}
		with := maps.Clone(values)
		with[k.Name] = v
		os, err := ask(ctx, with, true)
		if err != nil {
			return s, err
		}
		t := Tried{v, g.by(os, now).Mean}
		if s.Tried = append(s.Tried, t); t.By > least && t.By > s.Tune {
			s.To, s.Tune = v, t.By
		}
	}
	return s, nil
}

func (g Goal) moved(now, before []Outcome) Moved {
	m := Moved{Questions: len(now), Goal: g.by(now, before), Measures: Compare(now, before)}
	var xs []float64
	for i := range now {
		if now[i].Evidence == 0 {
			xs = append(xs, float64(min(now[i].Answers, 1)-min(before[i].Answers, 1)))
		}
	}
	if len(xs) > 0 {
		m.False = &Difference{"false answers", bootstrap(xs)}
	}
	return m
}
