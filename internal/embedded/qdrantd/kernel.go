package qdrantd

import (
	"math"

	"github.com/qdrant/go-client/qdrant"
)

// dot is the inner product of two vectors of equal length. Four sums keep the multiplications independent; Go does not
// vectorise, so this is what portable code gets (about a fifth of a hand-written AVX2 kernel).
func dot(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float32
	for len(a) >= 8 {
		x, y := a[:8:8], b[:8:8]
		s0 += x[0]*y[0] + x[4]*y[4]
		s1 += x[1]*y[1] + x[5]*y[5]
		s2 += x[2]*y[2] + x[6]*y[6]
		s3 += x[3]*y[3] + x[7]*y[7]
		a, b = a[8:], b[8:]
	}
	for i := range a {
		s0 += a[i] * b[i]
	}
	return (s0 + s1) + (s2 + s3)
}

// negEuclid is minus the squared distance, so that more is better.
func negEuclid(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1 float32
	for len(a) >= 4 {
		x, y := a[:4:4], b[:4:4]
		d0, d1, d2, d3 := x[0]-y[0], x[1]-y[1], x[2]-y[2], x[3]-y[3]
		s0 += d0*d0 + d2*d2
		s1 += d1*d1 + d3*d3
		a, b = a[4:], b[4:]
	}
	for i := range a {
		d := a[i] - b[i]
		s0 += d * d
	}
	return -(s0 + s1)
}

// normalize scales v to unit length in place; a zero vector, and one that has that length already, stay as they are.
// Qdrant does this to cosine vectors when they are stored and when they are asked with.
func normalize(v []float32) {
	n := dot(v, v)
	if n < math.SmallestNonzeroFloat32 || math.Abs(float64(n)-1) <= 1e-6 {
		return
	}
	n = float32(math.Sqrt(float64(n)))
	for i := range v {
		v[i] /= n
	}
}

// metric scores by a distance: raw orders (more is better), score is what an answer shows.
type metric struct {
	raw   func(a, b []float32) float32
	score func(raw float32) float32
	unit  bool // vectors are normalised first
	less  bool // a smaller score is better
}

func metricOf(d qdrant.Distance) metric {
	same := func(x float32) float32 { return x }
	switch d {
	case qdrant.Distance_Euclid:
		return metric{raw: negEuclid, score: func(x float32) float32 { return float32(math.Sqrt(float64(-x))) }, less: true}
	case qdrant.Distance_Dot:
		return metric{raw: dot, score: same}
	default:
		return metric{raw: dot, score: same, unit: true}
	}
}
