package eval

import "slices"

// Difference is how much better the first of two runs over the same questions is, by one measure.
type Difference struct {
	Measure string   `json:"measure"`
	By      Interval `json:"by"` // mean of first − second, paired by question
}

// Compare pairs the outcomes of two runs over the same questions. It is empty where they are not of the same questions.
func Compare(first, second []Outcome) []Difference {
	if len(first) != len(second) {
		return nil
	}
	answered := func(os []Outcome) []Outcome {
		return slices.DeleteFunc(slices.Clone(os), func(o Outcome) bool { return o.Evidence == 0 })
	}
	if first, second = answered(first), answered(second); len(first) != len(second) || len(first) == 0 {
		return nil
	}
	out := make([]Difference, 0, len(Measures))
	xs := make([]float64, len(first))
	for _, m := range Measures {
		for i := range first {
			xs[i] = m.Of(first[i]) - m.Of(second[i])
		}
		out = append(out, Difference{m.Name, bootstrap(xs)})
	}
	return out
}
