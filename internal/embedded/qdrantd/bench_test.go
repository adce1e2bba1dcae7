//go:build unix

package qdrantd

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/qdrant/go-client/qdrant"
)

// Figures of these: go test -run '^$' -bench . -benchtime 1s ./internal/embedded/qdrantd

func randomVec(rng *rand.Rand, dim int) []float32 {
	v := make([]float32, dim)
	for i := range v {
		v[i] = float32(rng.NormFloat64())
	}
	return v
}

func benchPayload(owner string, i int) map[string]any {
	return map[string]any{
		"owner": owner, "tenant": "t", "user": owner, "event": uuidOf(i), "at": int64(1700000000000 + i), "seq": int64(i), "class": "said",
		"terms": []any{int64(i % 97), int64(i % 89), int64(i % 83)}, "tags": []any{"a", "b"}, "text": strings.Repeat("some text 中文 ", 60),
	}
}

// cpuTime reports the processor time of the whole process (client and server) an operation, which means more than the wall
// clock on a machine that is shared.
func cpuTime(b *testing.B) func() {
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := used()
	return func() { b.ReportMetric(float64((used()-before).Microseconds())/float64(b.N), "cpu-µs/op") }
}

// bench fills a collection with a partition of n points (and as many of others), vectors of dim and 40 terms a point.
func bench(b *testing.B, n, dim int) *rig {
	b.Helper()
	r := start(b)
	r.must(r.CreateCollection(context.Background(), &qdrant.CreateCollection{
		CollectionName:      "c",
		VectorsConfig:       qdrant.NewVectorsConfigMap(map[string]*qdrant.VectorParams{"dense": {Size: uint64(dim), Distance: qdrant.Distance_Cosine}}),
		SparseVectorsConfig: qdrant.NewSparseVectorsConfig(map[string]*qdrant.SparseVectorParams{"terms": {}}),
	}))
	r.index("c", "owner", qdrant.FieldType_FieldTypeKeyword, qdrant.NewPayloadIndexParamsKeyword(&qdrant.KeywordIndexParams{IsTenant: qdrant.PtrOf(true)}))
	r.index("c", "terms", qdrant.FieldType_FieldTypeInteger, nil)
	r.index("c", "at", qdrant.FieldType_FieldTypeInteger, nil)
	rng := rand.New(rand.NewPCG(1, 2))
	for first := 0; first < 2*n; first += 256 {
		var points []*qdrant.PointStruct
		for i := first; i < min(first+256, 2*n); i++ {
			owner := "x"
			if i >= n {
				owner = fmt.Sprint("other", i%10)
			}
			sparse := map[uint32]float32{}
			for range 40 {
				sparse[uint32(rng.ExpFloat64()*2000)] = 1
			}
			points = append(points, point(uint64(i), randomVec(rng, dim), sparse, benchPayload(owner, i)))
		}
		r.upsert("c", points...)
	}
	b.ResetTimer()
	return r
}

func BenchmarkUpsertSynced(b *testing.B) {
	for _, size := range []int{64, 256} {
		for _, writers := range []int{1, 4} {
			b.Run(fmt.Sprintf("batch=%d/writers=%d", size, writers), func(b *testing.B) {
				r := bench(b, 0, 512)
				rng := rand.New(rand.NewPCG(1, 2))
				vecs := make([][]float32, size)
				for i := range vecs {
					vecs[i] = randomVec(rng, 512)
				}
				var next atomic.Int64
				var wg sync.WaitGroup
				report := cpuTime(b)
				for range writers {
					wg.Go(func() {
						for at := next.Add(1); at <= int64(b.N); at = next.Add(1) {
							points := make([]*qdrant.PointStruct, size)
							for i := range points {
								id := int(at)*size + i
								points[i] = point(uint64(id), vecs[i], nil, benchPayload(fmt.Sprint(id%50), id))
							}
							r.upsert("c", points...)
						}
					})
				}
				wg.Wait()
				report()
				b.ReportMetric(float64(b.N*size)/b.Elapsed().Seconds(), "points/s")
			})
		}
	}
}

func BenchmarkQueryDense(b *testing.B) {
	for _, c := range []struct{ n, dim int }{{1000, 256}, {10000, 256}, {10000, 384}} {
		b.Run(fmt.Sprintf("points=%d/dim=%d", c.n, c.dim), func(b *testing.B) {
			r := bench(b, c.n, c.dim)
			q := &qdrant.QueryPoints{CollectionName: "c", Query: qdrant.NewQueryDense(randomVec(rand.New(rand.NewPCG(3, 4)), c.dim)), Using: qdrant.PtrOf("dense"),
				Filter: &qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewMatch("owner", "x")}}, Limit: qdrant.PtrOf(uint64(10)), WithPayload: qdrant.NewWithPayload(true)}
			defer cpuTime(b)()
			for b.Loop() {
				got, err := r.Query(context.Background(), q)
				if err != nil || len(got) != 10 {
					b.Fatal(len(got), err)
				}
			}
		})
	}
}

func BenchmarkQuerySparse(b *testing.B) {
	r := bench(b, 10000, 8)
	q := &qdrant.QueryPoints{CollectionName: "c", Query: qdrant.NewQuerySparse([]uint32{5, 100, 300, 700, 1500, 2500, 4000, 6000}, []float32{1, 2, 1, 2, 1, 2, 1, 2}), Using: qdrant.PtrOf("terms"),
		Filter: &qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewMatch("owner", "x")}}, Limit: qdrant.PtrOf(uint64(10)), WithPayload: qdrant.NewWithPayload(true)}
	defer cpuTime(b)()
	for b.Loop() {
		got, err := r.Query(context.Background(), q)
		if err != nil || len(got) != 10 {
			b.Fatal(len(got), err)
		}
	}
}

func BenchmarkCount(b *testing.B) {
	r := bench(b, 10000, 8)
	for name, must := range map[string][]*qdrant.Condition{
		"term":       {qdrant.NewMatch("owner", "x"), qdrant.NewMatchInt("terms", 5)},
		"term+range": {qdrant.NewMatch("owner", "x"), qdrant.NewMatchInt("terms", 5), qdrant.NewRange("at", &qdrant.Range{Gte: qdrant.PtrOf(1700000005000.)})},
		"unindexed":  {qdrant.NewMatch("owner", "x"), qdrant.NewMatch("class", "said")},
	} {
		b.Run(name, func(b *testing.B) {
			defer cpuTime(b)()
			for b.Loop() {
				n, err := r.Count(context.Background(), &qdrant.CountPoints{CollectionName: "c", Filter: &qdrant.Filter{Must: must}})
				if err != nil || n == 0 {
					b.Fatal(n, err)
				}
			}
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	r := bench(b, 10000, 256)
	r.close()
	b.ResetTimer()
	for b.Loop() {
		start := time.Now()
		s, err := Open(r.dir, Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(20000/time.Since(start).Seconds(), "points/s")
		b.StopTimer()
		_ = s.Close()
		b.StartTimer()
	}
}

// BenchmarkCompact compacts a store of 100,000 points, a tenth of them deleted, under queries and synced writes of one
// client each, and reports the longest of either.
func BenchmarkCompact(b *testing.B) {
	r := bench(b, 50_000, 256)
	q := &qdrant.QueryPoints{CollectionName: "c", Query: qdrant.NewQueryDense(randomVec(rand.New(rand.NewPCG(3, 4)), 256)), Using: qdrant.PtrOf("dense"),
		Filter: &qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewMatch("owner", "other1")}}, Limit: qdrant.PtrOf(uint64(10)), WithPayload: qdrant.NewWithPayload(true)}
	write := &qdrant.UpsertPoints{CollectionName: "c", Wait: qdrant.PtrOf(true),
		Points: []*qdrant.PointStruct{point(1, randomVec(rand.New(rand.NewPCG(5, 6)), 256), nil, benchPayload("other2", 1))}}
	for b.Loop() {
		_, err := r.Delete(context.Background(), &qdrant.DeletePoints{CollectionName: "c", Wait: qdrant.PtrOf(true),
			Points: qdrant.NewPointsSelectorFilter(&qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewRange("at", &qdrant.Range{Lt: qdrant.PtrOf(1700000010000.)})}})})
		r.must(err)
		var callers sync.WaitGroup
		done := make(chan struct{})
		beside := func(call func() error) *calls {
			n := &calls{}
			callers.Go(func() { n.make(b, call, done) })
			return n
		}
		queries := beside(func() error { _, err := r.Query(context.Background(), q); return err })
		writes := beside(func() error { _, err := r.Upsert(context.Background(), write); return err })
		err = r.srv.Compact(context.Background())
		close(done)
		callers.Wait()
		r.must(err)
		queries.report(b, "query")
		writes.report(b, "write")
	}
}

// calls are those of one client, one after the other.
type calls struct {
	n       int
	longest time.Duration
}

func (c *calls) make(b *testing.B, call func() error, done <-chan struct{}) {
	for ; ; c.n++ {
		select {
		case <-done:
			return
		default:
		}
		start := time.Now()
		if err := call(); err != nil {
			b.Error(err)
			return
		}
		c.longest = max(c.longest, time.Since(start))
	}
}

func (c *calls) report(b *testing.B, what string) {
	b.ReportMetric(float64(c.longest.Microseconds())/1000, "longest-"+what+"-ms")
	b.ReportMetric(float64(c.n), what+"-calls")
}
