package eval

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

// Halves splits outcomes or users in two: one to tune on, the other to report. Users go by turns, and where there is one
// alone its questions do.
func Halves(users []User) (tune, report []User) {
	if len(users) == 1 {
		a, b := users[0], users[0]
		a.Queries, b.Queries = nil, nil
		for i, q := range users[0].Queries {
			if i%2 == 0 {
				a.Queries = append(a.Queries, q)
			} else {
				b.Queries = append(b.Queries, q)
			}
		}
		return []User{a}, []User{b}
	}
	for i, u := range users {
		if i%2 == 0 {
			tune = append(tune, u)
		} else {
			report = append(report, u)
		}
	}
	return tune, report
}
