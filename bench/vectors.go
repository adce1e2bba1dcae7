package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/siltstone-ai/siltstone/internal/embedded/qdrantd"
)

const (
	vectorDim    = 256
	vectorUsers  = 100
	vectorTopics = 500
	vectorBatch  = 256 // points of an upsert
	vectorRounds = 5   // of questions to every side in turn
	userAsks     = 400 // of one user, a round
	allAsks      = 10  // of all users, a round
)

// vectorSet is the points that both sides hold and the questions that both are asked, the same for the same seed.
type vectorSet struct {
	n                int
	vectors, queries []float32
}

// newVectorSet draws vectors as an embedder makes them: gathered about topics, not alike in all directions.
func newVectorSet(n int, seed uint64) vectorSet {
	r := rand.New(rand.NewPCG(seed, 11))
	topics := make([]float32, vectorTopics*vectorDim)
	for i := range topics {
		topics[i] = float32(r.NormFloat64())
	}
	draw := func(n int) []float32 {
		out := make([]float32, 0, n*vectorDim)
		for range n {
			topic := topics[r.IntN(vectorTopics)*vectorDim:][:vectorDim]
			for _, x := range topic {
				out = append(out, x+1.2*float32(r.NormFloat64()))
			}
		}
		return out
	}
	return vectorSet{n, draw(n), draw(vectorRounds * userAsks)}
}

func at(vs []float32, i int) []float32 { return vs[i*vectorDim : (i+1)*vectorDim] }

func vectorOwner(i int) string { return fmt.Sprintf("user-%02d", i%vectorUsers) }

func vectorPayload(i int) map[string]any {
	return map[string]any{
		"owner": vectorOwner(i), "conversation": fmt.Sprintf("c-%d", i/20), "at": int64(1_760_000_000_000 + 60_000*i), "seq": int64(i),
		"tags": []any{"work", "发布"}, "text": strings.Repeat(fmt.Sprintf("the gateway was upgraded last night (%d)，网关升级了。", i), 5),
	}
}

// benchVectors holds the embedded vector server against Qdrant's own engine, which must be installed (make
// bin/edge/installed): the same points, the same questions, exact search on both sides, and the same answers.
func benchVectors(ctx context.Context, o options) (out []figure, err error) {
	dir, err := os.MkdirTemp("", "siltstone-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	set := newVectorSet(max(vectorUsers*20, int(100_000*o.scale)), o.seed)
	v := &vectorServer{dir: filepath.Join(dir, "qdrantd")}
	filled, err := v.fill(ctx, set)
	if err != nil {
		return nil, err
	}
	out = append(out, figure{"points", float64(set.n), "", fmt.Sprintf("%d users, %d dimensions, payloads of %.2f kB", vectorUsers, vectorDim, filled.payload/1000)},
		figure{"upserted, wait=true", float64(set.n) / filled.took.Seconds(), "points/s", fmt.Sprintf("one client, batches of %d; the client's work is in it", vectorBatch)},
		figure{"on disk", filled.disk / float64(set.n), "B/point", fmt.Sprintf("the vector is %d of them", 4*vectorDim)})
	stop, err := profile(o.prof, "vectors")
	if err != nil {
		return nil, err
	}
	defer stop()
	started, heap, err := v.startup()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, v.close()) }()
	out = append(out, figure{"in memory", heap / float64(set.n), "B/point", "heap in use after a start"},
		figure{"start", median(started), "s", fmt.Sprintf("median of %d: %.2f to %.2f", len(started), slices.Min(started), slices.Max(started))})
	e, why, err := startEngine(filepath.Join(dir, "edge"), set)
	if err != nil {
		return nil, err
	}
	if e == nil {
		fmt.Printf("  SKIPPED: the engine's side, since %s\n", why)
	} else {
		defer func() { err = errors.Join(err, e.Close()) }()
	}
	asked, err := askSides(ctx, v, e, set)
	if err != nil {
		return nil, err
	}
	out = append(out, asked...)
	if e != nil {
		more, err := e.figures(set, float64(set.n)/filled.took.Seconds(), median(started))
		return append(out, more...), err
	}
	return out, nil
}

// vectorServer is qdrantd behind an in-memory listener, as it is embedded.
type vectorServer struct {
	dir    string
	srv    *qdrantd.Server
	client *qdrant.Client
	direct qdrant.PointsServer // the same without gRPC
	served chan error
}

// catcher is a grpc.ServiceRegistrar that keeps the service of points.
type catcher struct{ points qdrant.PointsServer }

func (c *catcher) RegisterService(_ *grpc.ServiceDesc, impl any) {
	if p, ok := impl.(qdrant.PointsServer); ok {
		c.points = p
	}
}

func (v *vectorServer) open() (err error) {
	if v.srv, err = qdrantd.Open(v.dir, qdrantd.Options{}); err != nil {
		return err
	}
	lis := bufconn.Listen(1 << 20)
	v.served = make(chan error, 1)
	go func() { v.served <- v.srv.Serve(lis) }()
	var c catcher
	v.srv.Register(&c)
	v.direct = c.points
	v.client, err = qdrant.NewClient(&qdrant.Config{
		Host: "passthrough:///bufnet", Port: 6334, SkipCompatibilityCheck: true, PoolSize: 1,
		GrpcOptions: []grpc.DialOption{
			grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) { return lis.Dial() }),
			grpc.WithTransportCredentials(insecure.NewCredentials()),
		},
	})
	return err
}

func (v *vectorServer) close() error {
	if v.srv == nil {
		return nil
	}
	err := errors.Join(v.client.Close(), v.srv.Close(), <-v.served)
	*v = vectorServer{dir: v.dir}
	return err
}

type filled struct {
	took          time.Duration
	payload, disk float64 // bytes: of a payload, of all files
}

// fill makes the collection in an empty directory and closes the server again.
func (v *vectorServer) fill(ctx context.Context, set vectorSet) (f filled, err error) {
	if err := v.open(); err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, v.close(), v.size(&f)) }()
	if err := v.client.CreateCollection(ctx, &qdrant.CreateCollection{
		CollectionName: "bench",
		VectorsConfig:  qdrant.NewVectorsConfigMap(map[string]*qdrant.VectorParams{"dense": {Size: vectorDim, Distance: qdrant.Distance_Cosine}}),
	}); err != nil {
		return f, err
	}
	for _, ix := range []*qdrant.CreateFieldIndexCollection{
		{FieldName: "owner", FieldType: qdrant.FieldType_FieldTypeKeyword.Enum(), FieldIndexParams: qdrant.NewPayloadIndexParamsKeyword(&qdrant.KeywordIndexParams{IsTenant: qdrant.PtrOf(true)})},
		{FieldName: "conversation", FieldType: qdrant.FieldType_FieldTypeKeyword.Enum()},
		{FieldName: "at", FieldType: qdrant.FieldType_FieldTypeInteger.Enum()},
	} {
		ix.CollectionName, ix.Wait = "bench", qdrant.PtrOf(true)
		if _, err := v.client.CreateFieldIndex(ctx, ix); err != nil {
			return f, err
		}
	}
	for first := 0; first < set.n; first += vectorBatch {
		req := &qdrant.UpsertPoints{CollectionName: "bench", Wait: qdrant.PtrOf(true)}
		for i := first; i < min(first+vectorBatch, set.n); i++ {
			payload := vectorPayload(i)
			if i == 0 {
				b, err := json.Marshal(payload)
				if err != nil {
					return f, err
				}
				f.payload = float64(len(b))
			}
			req.Points = append(req.Points, &qdrant.PointStruct{Id: qdrant.NewIDNum(uint64(i)), Payload: qdrant.NewValueMap(payload),
				Vectors: qdrant.NewVectorsMap(map[string]*qdrant.Vector{"dense": qdrant.NewVectorDense(at(set.vectors, i))})})
		}
		start := time.Now()
		if _, err := v.client.Upsert(ctx, req); err != nil {
			return f, err
		}
		f.took += time.Since(start)
	}
	return f, nil
}

func (v *vectorServer) size(f *filled) error {
	return filepath.WalkDir(v.dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			f.disk += float64(info.Size())
		}
		return err
	})
}

// startup opens the server several times, and leaves it open: how many seconds each took, and the heap it needs.
func (v *vectorServer) startup() (took []float64, heap float64, err error) {
	inUse := func() float64 {
		runtime.GC()
		runtime.GC() // what had finalizers
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapInuse)
	}
	before := inUse()
	for range 3 {
		if err := v.close(); err != nil {
			return nil, 0, err
		}
		runtime.GC()
		start := time.Now()
		if err := v.open(); err != nil {
			return nil, 0, err
		}
		took = append(took, time.Since(start).Seconds())
	}
	return took, inUse() - before, nil
}

// question is the i-th one: of one user, or of all where owner is "".
func (s vectorSet) question(i int, owner string, payload bool) *qdrant.QueryPoints {
	req := &qdrant.QueryPoints{CollectionName: "bench", Query: qdrant.NewQueryDense(at(s.queries, i)), Using: qdrant.PtrOf("dense"),
		Limit: qdrant.PtrOf(uint64(10)), WithPayload: qdrant.NewWithPayload(payload)}
	if owner != "" {
		req.Filter = &qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewMatch("owner", owner)}}
	}
	return req
}

// ask asks n questions from the given one on, over gRPC or directly.
func (v *vectorServer) ask(ctx context.Context, set vectorSet, owner string, from, n int, direct, payload bool) (a answers, err error) {
	for i := from; i < from+n; i++ {
		req := set.question(i, owner, payload)
		start := time.Now()
		var hits []*qdrant.ScoredPoint
		if direct {
			var res *qdrant.QueryResponse
			if res, err = v.direct.Query(ctx, req); err == nil {
				hits = res.GetResult()
			}
		} else {
			hits, err = v.client.Query(ctx, req)
		}
		a.NS = append(a.NS, time.Since(start).Nanoseconds())
		if err != nil {
			return a, err
		}
		ids := make([]uint64, len(hits))
		for j, h := range hits {
			ids[j] = h.GetId().GetNum()
		}
		a.IDs = append(a.IDs, ids)
	}
	return a, nil
}

func floatBytes(v []float32) []byte {
	out := make([]byte, 0, 4*len(v))
	for _, x := range v {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
	}
	return out
}
