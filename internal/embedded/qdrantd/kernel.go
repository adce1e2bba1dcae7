package qdrantd

import (
	"math"

	"github.com/qdrant/go-client/qdrant"
)

// lanes is how many sums an inner product is made of: lane i adds the products at i, i+8, i+16 and so on. The sums, and
// then the products of the last len%8 numbers, are added in one fixed order, and no product is fused with its addition.
// So every kernel comes to the same bits, whatever the processor (kernel_test.go).
const lanes = 8

// kernel puts the inner product of q with each of count rows, which begin stride numbers apart, into out, with the vector
// instructions of a processor. It takes n numbers of each, a multiple of lanes; n and count are at least 1.
type kernel func(q *float32, n int, rows *float32, stride int, count int, out *float32)

// dotRows puts the inner product of q with each row into out. rows holds len(out) vectors of len(q) numbers, end to end.
func dotRows(q, rows, out []float32) {
	rows = rows[:len(q)*len(out)]
	whole := len(q) / lanes * lanes
	if vectorKernel == nil || whole == 0 || len(out) == 0 {
		dotRowsPortable(q, rows, out)
		return
	}
	vectorKernel(&q[0], whole, &rows[0], len(q), len(out), &out[0])
	if whole < len(q) {
		for i := range out {
			out[i] = addProducts(out[i], q[whole:], rows[i*len(q)+whole:])
		}
	}
}

// addProducts adds the products of a with the front of b to sum. The conversion keeps processors that can from fusing a
// product with its addition.
func addProducts(sum float32, a, b []float32) float32 {
	for i := range a {
		sum += float32(a[i] * b[i])
	}
	return sum
}

// dotRowsPortable is dotRows in plain Go, which uses no vector instructions.
func dotRowsPortable(q, rows, out []float32) {
	for i := range out {
		a, b := q, rows[i*len(q):(i+1)*len(q)]
		var s0, s1, s2, s3, s4, s5, s6, s7 float32
		for len(a) >= lanes && len(b) >= lanes {
			s0 += float32(a[0] * b[0])
			s1 += float32(a[1] * b[1])
			s2 += float32(a[2] * b[2])
			s3 += float32(a[3] * b[3])
			s4 += float32(a[4] * b[4])
			s5 += float32(a[5] * b[5])
			s6 += float32(a[6] * b[6])
			s7 += float32(a[7] * b[7])
			a, b = a[lanes:], b[lanes:]
		}
		out[i] = addProducts(((s0+s1)+(s2+s3))+((s4+s5)+(s6+s7)), a, b)
	}
}

// dot is the inner product of two vectors of equal length.
func dot(a, b []float32) float32 {
	var out [1]float32
	dotRows(a, b, out[:])
	return out[0]
}

// euclidRows puts minus the squared distance of q to each row into out, so that more is better.
func euclidRows(q, rows, out []float32) {
	for i := range out {
		a, b := q, rows[i*len(q):(i+1)*len(q)]
		var s0, s1 float32
		for len(a) >= 4 && len(b) >= 4 {
			d0, d1, d2, d3 := a[0]-b[0], a[1]-b[1], a[2]-b[2], a[3]-b[3]
			s0 += d0*d0 + d2*d2
			s1 += d1*d1 + d3*d3
			a, b = a[4:], b[4:]
		}
		for j := range a {
			d := a[j] - b[j]
			s0 += d * d
		}
		out[i] = -(s0 + s1)
	}
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
	raw   func(q, rows, out []float32) // of each row, as [dotRows]
	score func(raw float32) float32
	unit  bool // vectors are normalised first
	inner bool // raw is the inner product
	less  bool // a smaller score is better
}

func metricOf(d qdrant.Distance) metric {
	same := func(x float32) float32 { return x }
	switch d {
	case qdrant.Distance_Euclid:
		return metric{raw: euclidRows, score: func(x float32) float32 { return float32(math.Sqrt(float64(-x))) }, less: true}
	case qdrant.Distance_Dot:
		return metric{raw: dotRows, score: same, inner: true}
	default:
		return metric{raw: dotRows, score: same, unit: true, inner: true}
	}
}
