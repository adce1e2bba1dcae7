package eval

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"
)

// Report is what a run measured, line by line.
type Report struct {
	Embedder string `json:"embedder"`
	Lines    []Line `json:"lines"`
}

// Line is the figures of one group of questions under one arm.
type Line struct {
	Arm       string              `json:"arm"` // whole, or a part of the ranking alone
	Set       string              `json:"set"`
	Group     string              `json:"group"` // all, or a kind of question or a language
	Questions int                 `json:"questions"`
	Measures  map[string]Interval `json:"measures,omitempty"`
	False     *Interval           `json:"false,omitempty"` // of questions that nothing answers: the share that got something
	P50MS     float64             `json:"p50_ms"`
	P99MS     float64             `json:"p99_ms"`
}

// all is the group of every question of a set.
const all = "all"

// Add appends the lines of one arm over one set: every question, then by kind and by language where there are several.
func (r *Report) Add(arm string, os []Outcome) {
	var unanswered []Outcome
	for _, o := range os {
		if o.Evidence == 0 {
			unanswered = append(unanswered, o)
		}
	}
	if len(unanswered) > 0 {
		defer r.add(arm, unanswered, wrongs)
		os = slices.DeleteFunc(slices.Clone(os), func(o Outcome) bool { return o.Evidence == 0 })
	}
	r.add(arm, os, line)
}

func (r *Report) add(arm string, os []Outcome, line func(arm, group string, os []Outcome) Line) {
	if len(os) == 0 {
		return
	}
	r.Lines = append(r.Lines, line(arm, all, os))
	for _, of := range []struct {
		name string
		by   func(Outcome) string
	}{{"kind", func(o Outcome) string { return o.Kind }}, {"lang", func(o Outcome) string { return o.Lang }}} {
		groups := map[string][]Outcome{}
		for _, o := range os {
			groups[of.by(o)] = append(groups[of.by(o)], o)
		}
		if len(groups) < 2 {
			continue
		}
		names := make([]string, 0, len(groups))
		for n := range groups {
			names = append(names, n)
		}
		slices.Sort(names)
		for _, n := range names {
			r.Lines = append(r.Lines, line(arm, of.name+" "+n, groups[n]))
		}
	}
}

func line(arm, group string, os []Outcome) Line {
	l := Line{Arm: arm, Set: os[0].Set, Group: group, Questions: len(os), Measures: map[string]Interval{}}
	xs := make([]float64, len(os))
	for _, m := range Measures {
		for i, o := range os {
			xs[i] = m.Of(o)
		}
		l.Measures[m.Name] = bootstrap(xs)
	}
	took := make([]time.Duration, len(os))
	for i, o := range os {
		took[i] = o.Took
	}
	slices.Sort(took)
	l.P50MS, l.P99MS = quantile(took, .5), quantile(took, .99)
	return l
}

// wrongs counts the questions that nothing answers and something was given for.
func wrongs(arm, group string, os []Outcome) Line {
	if group == all {
		group = "nothing"
	} else {
		group = "nothing, " + group
	}
	xs := make([]float64, len(os))
	for i, o := range os {
		if o.Answers > 0 {
			xs[i] = 1
		}
	}
	share := bootstrap(xs)
	return Line{Arm: arm, Set: os[0].Set, Group: group, Questions: len(os), False: &share}
}

// quantile is that of sorted times by the nearest rank, in milliseconds.
func quantile(took []time.Duration, q float64) float64 {
	return float64(took[min(len(took)-1, int(q*float64(len(took))))].Microseconds()) / 1000
}

// Write prints the report as a table; with before, what moved since that one stands in parentheses.
func (r *Report) Write(w io.Writer, before *Report) error {
	former := map[[3]string]Line{}
	if before != nil {
		for _, l := range before.Lines {
			former[[3]string{l.Arm, l.Set, l.Group}] = l
		}
	}
	if _, err := fmt.Fprintf(w, "embedder %s\n", r.Embedder); err != nil {
		return err
	}
	set := ""
	for _, l := range r.Lines {
		if l.Set != set {
			set = l.Set
			fmt.Fprintf(w, "\n%-24s %-24s %5s", set, "", "n")
			for _, m := range Measures {
				fmt.Fprintf(w, "  %-15s", m.Name)
			}
			fmt.Fprintf(w, "  %s\n", "p50, p99 ms")
		}
		fmt.Fprintf(w, "%-24s %-24s %5d", l.Arm, l.Group, l.Questions)
		if l.False != nil {
			fmt.Fprintf(w, "  answered all the same: %.3f ±%.3f\n", l.False.Mean, (l.False.High-l.False.Low)/2)
			continue
		}
		old, known := former[[3]string{l.Arm, l.Set, l.Group}]
		for _, m := range Measures {
			x := l.Measures[m.Name]
			cell := fmt.Sprintf("%.3f ±%.3f", x.Mean, (x.High-x.Low)/2)
			if known {
				cell = fmt.Sprintf("%.3f (%+.3f)", x.Mean, x.Mean-old.Measures[m.Name].Mean)
			}
			fmt.Fprintf(w, "  %-15s", cell)
		}
		if _, err := fmt.Fprintf(w, "  %.1f, %.1f\n", l.P50MS, l.P99MS); err != nil {
			return err
		}
	}
	return nil
}

// ReadReport reads what was written as JSON.
func ReadReport(r io.Reader) (*Report, error) {
	var out Report
	if err := json.NewDecoder(r).Decode(&out); err != nil {
		return nil, fmt.Errorf("read report: %w", err)
	}
	return &out, nil
}
