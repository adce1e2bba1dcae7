package qdrantd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/qdrant/go-client/qdrant"
	"pgregory.net/rapid"
)

// TestCoarseKernelsAgree holds the vector instructions to the plain Go.
func TestCoarseKernelsAgree(t *testing.T) {
	if vectorCoarse == nil {
		t.Skip("this processor has no instructions for it: coarse vectors are not used")
	}
	rapid.Check(t, func(t *rapid.T) {
		dim, n := coarseLanes*rapid.IntRange(1, 20).Draw(t, "lanes"), rapid.IntRange(1, 11).Draw(t, "rows")
		q := rapid.SliceOfN(rapid.Int16Range(-askedMax, askedMax), dim, dim).Draw(t, "q")
		rows := rapid.SliceOfN(rapid.Int8Range(-coarseMax, coarseMax), dim*n, dim*n).Draw(t, "rows")
		got, want := slices.Repeat([]int32{7}, n+1), make([]int32, n)
		vectorCoarse(&q[0], dim, &rows[0], dim, n, &got[0])
		coarsePortable(q, rows, want)
		if !slices.Equal(got[:n], want) || got[n] != 7 {
			t.Fatalf("%v with vector instructions, %v without", got, want)
		}
	})
}

// TestCoarseNeverOverflows: the largest codes at the largest dimension.
func TestCoarseNeverOverflows(t *testing.T) {
	if vectorCoarse == nil {
		t.Skip("coarse vectors are not used")
	}
	q, row, out := slices.Repeat([]int16{askedMax}, coarseMost), slices.Repeat([]int8{-coarseMax}, coarseMost), [1]int32{}
	vectorCoarse(&q[0], coarseMost, &row[0], coarseMost, 1, &out[0])
	if out[0] != -askedMax*coarseMax*coarseMost {
		t.Errorf("%d", out[0])
	}
}

// drawVector draws a vector of some size; large ones are beyond what could be squared.
func drawVector(t *rapid.T, dim int, what string) []float32 {
	size := float32(rapid.SampledFrom([]float64{1, 1e-44, 1e-38, 1e-29, 1e-15, 1e15, 1e29, 1e37}).Draw(t, what+" size"))
	number := rapid.OneOf(rapid.Float32Range(-1, 1), rapid.SampledFrom([]float32{0, 1, -1, .5}))
	v := rapid.SliceOfN(number, dim, dim).Draw(t, what)
	for i := range v {
		v[i] *= size
	}
	return v
}

// TestCoarseBoundHolds: no inner product exceeds what the coarse vectors say.
func TestCoarseBoundHolds(t *testing.T) {
	if vectorCoarse == nil {
		t.Skip("coarse vectors are not used")
	}
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.SampledFrom([]int{coarseLeast, 37, 64, 256}).Draw(t, "dim")
		q, c := drawVector(t, dim, "q"), newCoarse(dim)
		n := rapid.IntRange(1, 5).Draw(t, "n")
		for i := range n {
			v := drawVector(t, dim, "v")
			if rapid.Bool().Draw(t, "along") { // nothing is left between the bound and the product
				copy(v, q)
			}
			c.set(i, v)
			a := newAsked(q)
			if exact, most := float64(dot(q, v)), a.one(c, i); exact > most {
				t.Fatalf("%g, and at most %g", exact, most)
			}
			if one, block := a.one(c, i), a.most(c, i, a.block(c, 0, i+1)[i]); one != block && !math.IsNaN(one) {
				t.Fatalf("%g alone, %g in its block", one, block)
			}
		}
	})
}

// TestCoarseChangesNoAnswer: searches with and without coarse vectors have the same hits, score by score, after points were
// written, written over and removed; near ties and a filter are among them.
func TestCoarseChangesNoAnswer(t *testing.T) {
	if vectorCoarse == nil {
		t.Skip("coarse vectors are not used")
	}
	for _, distance := range []qdrant.Distance{qdrant.Distance_Cosine, qdrant.Distance_Dot} {
		t.Run(distance.String(), func(t *testing.T) {
			const dim, n = 40, 3000
			r := start(t)
			r.must(r.CreateCollection(t.Context(), &qdrant.CreateCollection{
				CollectionName: "c", VectorsConfig: qdrant.NewVectorsConfigMap(map[string]*qdrant.VectorParams{"dense": {Size: dim, Distance: distance}}),
			}))
			r.index("c", "kind", qdrant.FieldType_FieldTypeKeyword, nil)
			rng := rand.New(rand.NewPCG(5, uint64(distance)))
			middle := randomVec(rng, dim)
			draw := func() []float32 {
				v := randomVec(rng, dim)
				if rng.IntN(2) == 0 { // a crowd about one place, some of them equal
					for i := range v {
						v[i] = middle[i] + float32(math.Round(float64(v[i])*2))/500
					}
				}
				return v
			}
			put := func(ids ...int) {
				var ps []*qdrant.PointStruct
				for _, id := range ids {
					ps = append(ps, point(uint64(id), draw(), nil, map[string]any{"kind": fmt.Sprint("k", id%3), "n": int64(id % 7)}))
				}
				r.upsert("c", ps...)
			}
			for first := 0; first < n; first += 200 {
				ids := make([]int, 0, 240)
				for id := first; id < first+200; id++ {
					ids = append(ids, id)
					if id%5 == 0 {
						ids = append(ids, rng.IntN(id+1))
					}
				}
				put(ids...)
			}
			var gone []*qdrant.PointId
			for range n / 10 {
				gone = append(gone, qdrant.NewIDNum(uint64(rng.IntN(n))))
			}
			_, err := r.Delete(t.Context(), &qdrant.DeletePoints{CollectionName: "c", Points: qdrant.NewPointsSelector(gone...), Wait: qdrant.PtrOf(true)})
			r.must(err)
			c, err := r.srv.collection("c")
			r.must(err)
			for i := range 60 {
				q := draw()
				if i%3 == 0 {
					q = slices.Clone(middle)
				}
				req := &qdrant.QueryPoints{CollectionName: "c", Query: qdrant.NewQueryDense(q), Using: qdrant.PtrOf("dense"), Limit: qdrant.PtrOf(uint64(1 + i))}
				switch i % 4 {
				case 1:
					req.Filter = &qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewMatch("kind", "k1")}}
				case 2:
					req.Filter = &qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewMatchInt("n", 3)}} // without an index
				case 3:
					req.ScoreThreshold = qdrant.PtrOf(float32(.2))
				}
				ask := func() []*qdrant.ScoredPoint {
					hits, err := r.Query(t.Context(), req)
					if err != nil {
						t.Fatal(err)
					}
					return hits
				}
				with := ask()
				st := &c.parts[partKey{}].dense[0]
				kept := st.coarse
				st.coarse = nil
				without := ask()
				st.coarse = kept
				if kept == nil || len(with) == 0 || fmt.Sprint(with) != fmt.Sprint(without) {
					t.Fatalf("question %d: %d hits, %d without coarse vectors:\n%v\n%v", i, len(with), len(without), with, without)
				}
			}
		})
	}
}

// coarsePortable is the kernel in plain Go.
func coarsePortable(q []int16, rows []int8, out []int32) {
	for i := range out {
		sum := int32(0)
		for j, x := range rows[i*len(q) : (i+1)*len(q)] {
			sum += int32(q[j]) * int32(x)
		}
		out[i] = sum
	}
}
