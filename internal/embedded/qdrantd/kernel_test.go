package qdrantd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestKernelsAgree holds the vector instructions to the plain Go, bit by bit, and both to sums in float64; and it looks
// that nothing is read or written outside the vectors.
func TestKernelsAgree(t *testing.T) {
	if vectorKernel == nil {
		t.Log("no vector instructions of this processor are used: the portable kernel alone")
	}
	number := rapid.OneOf(rapid.Float32Range(-1, 1), rapid.Float32Range(-1e-30, 1e-30), rapid.Float32Range(-1e15, 1e15), rapid.Just(float32(math.Copysign(0, -1))))
	rapid.Check(t, func(t *rapid.T) {
		dim, n, shift := rapid.IntRange(0, 70).Draw(t, "dim"), rapid.IntRange(0, 11).Draw(t, "rows"), rapid.IntRange(0, 9).Draw(t, "shift")
		draw := func(n int, what string) []float32 { // not aligned, and between numbers that would show in any sum
			v := append(slices.Repeat([]float32{float32(math.NaN())}, shift), rapid.SliceOfN(number, n, n).Draw(t, what)...)
			return append(v, float32(math.NaN()))[shift : shift+n]
		}
		q, rows := draw(dim, "q"), draw(dim*n, "rows")
		got, want := slices.Repeat([]float32{7}, n+1), make([]float32, n)
		dotRows(q, rows, got[:n])
		dotRowsPortable(q, rows, want)
		for i := range want {
			if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
				t.Fatalf("row %d: %g (%08x) with vector instructions, %g (%08x) without", i, got[i], math.Float32bits(got[i]), want[i], math.Float32bits(want[i]))
			}
			exact, size := 0., 0.
			for j, x := range q {
				exact += float64(x) * float64(rows[i*dim+j])
				size += math.Abs(float64(x) * float64(rows[i*dim+j]))
			}
			// Each product and each of the at most dim/8+10 additions of a lane rounds by half a unit of 2^-23; products
			// below the normal range lose what is absolute.
			if off := math.Abs(exact - float64(want[i])); off > size*float64(dim/lanes+12)*math.Exp2(-24)+float64(dim)*math.SmallestNonzeroFloat32 {
				t.Fatalf("row %d: %g, in float64 %g", i, want[i], exact)
			}
		}
		if got[n] != 7 {
			t.Fatalf("wrote behind out")
		}
	})
}

func BenchmarkKernel(b *testing.B) {
	for _, dim := range []int{256, 384, 1024} {
		r := rand.New(rand.NewPCG(1, 2))
		q, rows, out := randomVec(r, dim), randomVec(r, 1000*dim), make([]float32, 1000)
		for name, kernel := range map[string]func(q, rows, out []float32){"vector": dotRows, "portable": dotRowsPortable} {
			b.Run(fmt.Sprintf("dim=%d/%s", dim, name), func(b *testing.B) {
				for b.Loop() {
					kernel(q, rows, out)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/row")
			})
		}
	}
}
