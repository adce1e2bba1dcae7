package eval

import (
	"math/rand/v2"
	"slices"
)

// Interval is a mean with its 95 % interval.
type Interval struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// resamples of a bootstrap: enough for two digits of a 95 % interval.
const resamples = 1000

// bootstrap is the mean of xs and its percentile interval over resampled questions (Efron 1979). The seed is fixed: the
// same figures give the same interval.
func bootstrap(xs []float64) Interval {
	if len(xs) == 0 {
		return Interval{}
	}
	rnd := rand.New(rand.NewPCG(1, uint64(len(xs))))
	means := make([]float64, resamples)
	for i := range means {
		sum := 0.0
		for range xs {
			sum += xs[rnd.IntN(len(xs))]
		}
		means[i] = sum / float64(len(xs))
	}
	slices.Sort(means)
	return Interval{Mean: mean(xs), Low: means[resamples*25/1000], High: means[resamples*975/1000-1]}
}

func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}
