package eval

import (
	"fmt"
	"io"
)

// Write prints the steps as a table, with all that was tried where verbose, and what they are worth together.
func (s *Swept) Write(w io.Writer, verbose bool) error {
	fmt.Fprintf(w, "%-22s %9s %9s  %-11s %s\n", "number", "from", "to", "tune half", "other half, 95 %")
	for _, st := range s.Steps {
		if st.Other == nil {
			fmt.Fprintf(w, "%-22s %9.4g %9s  %-11s\n", st.Knob, st.From, "stays", "")
		} else {
			fmt.Fprintf(w, "%-22s %9.4g %9.4g  %-11s %s\n", st.Knob, st.From, st.To, fmt.Sprintf("%+.4f", st.Tune), signed(*st.Other))
		}
		if verbose {
			for _, t := range st.Tried {
				fmt.Fprintf(w, "  %-20s %9s %9.4g  %+.4f\n", "tried", "", t.Value, t.By)
			}
		}
	}
	for _, half := range []struct {
		name string
		Moved
	}{{"half to tune on", s.Tune}, {"other half", s.Other}} {
		fmt.Fprintf(w, "\nall steps, %s, %d questions\n  %-14s %s\n", half.name, half.Questions, "goal", signed(half.Goal))
		ds := half.Measures
		if half.False != nil {
			ds = append(ds[:len(ds):len(ds)], *half.False)
		}
		for _, d := range ds {
			fmt.Fprintf(w, "  %-14s %s\n", d.Measure, signed(d.By))
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}

func signed(i Interval) string { return fmt.Sprintf("%+.4f (%+.4f to %+.4f)", i.Mean, i.Low, i.High) }
