package qdrantd

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/qdrant/go-client/qdrant"
)

// serveChild serves dir on loopback until it is killed, and prints its port.
func serveChild(dir string) {
	srv, err := Open(dir, Options{})
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	fmt.Println("port", lis.Addr().(*net.TCPAddr).Port)
	fmt.Println("error:", srv.Serve(lis))
}

func TestKilledProcessKeepsWhatItAcknowledged(t *testing.T) {
	if testing.Short() {
		t.Skip("starts child processes")
	}
	dir := t.TempDir()
	acked := map[uint64]bool{}
	next := uint64(1)
	for round := range 4 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), childEnv+"="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		var port int
		if _, err := fmt.Sscanf(line, "port %d", &port); err != nil {
			t.Fatalf("child said %q", line)
		}
		c, err := qdrant.NewClient(&qdrant.Config{Host: "127.0.0.1", Port: port, SkipCompatibilityCheck: true})
		if err != nil {
			t.Fatal(err)
		}
		if round == 0 {
			(&rig{Client: c, t: t}).docs("c")
		}
		if n, err := c.Count(t.Context(), &qdrant.CountPoints{CollectionName: "c"}); err != nil || n < uint64(len(acked)) {
			t.Fatalf("round %d: %d points, %d acknowledged, %v", round, n, len(acked), err)
		}
		// Four writers until the process is killed under them.
		var mu sync.Mutex
		var wg sync.WaitGroup
		var total atomic.Int64
		for range 4 {
			wg.Go(func() {
				for {
					mu.Lock()
					first := next
					next += 5
					mu.Unlock()
					var points []*qdrant.PointStruct
					for id := first; id < first+5; id++ {
						points = append(points, point(id, []float32{1, float32(id), 0, 0}, map[uint32]float32{uint32(id): 1}, map[string]any{"owner": fmt.Sprint(id % 3), "id": int64(id)}))
					}
					res, err := c.Upsert(context.Background(), &qdrant.UpsertPoints{CollectionName: "c", Wait: qdrant.PtrOf(true), Points: points})
					if err != nil {
						return
					}
					if res.GetStatus() == qdrant.UpdateStatus_Completed {
						mu.Lock()
						for id := first; id < first+5; id++ {
							acked[id] = true
						}
						mu.Unlock()
						total.Add(5)
					}
				}
			})
		}
		deadline := time.Now().Add(20 * time.Second)
		for total.Load() < 200 && time.Now().Before(deadline) {
			time.Sleep(time.Millisecond) // polling
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
		_ = cmd.Wait()
		_ = c.Close()
	}
	if len(acked) < 400 {
		t.Fatalf("only %d acknowledged", len(acked))
	}
	r := open(t, dir)
	n := 0
	for id := range acked {
		got, err := r.Get(t.Context(), &qdrant.GetPoints{CollectionName: "c", Ids: []*qdrant.PointId{qdrant.NewIDNum(id)}, WithPayload: qdrant.NewWithPayload(true), WithVectors: qdrant.NewWithVectors(true)})
		r.must(err)
		if len(got) != 1 || got[0].Payload["id"].GetIntegerValue() != int64(id) || len(got[0].GetVectors().GetVectors().GetVectors()) != 2 {
			t.Fatalf("point %d: %v", id, got)
		}
		n++
	}
	t.Logf("%d acknowledged points are there after 4 kills", n)
}

func TestDirectoryIsOpenedOnce(t *testing.T) {
	r := start(t)
	if s, err := Open(r.dir, Options{}); err == nil {
		_ = s.Close()
		t.Fatal("opened twice")
	} else if !strings.Contains(err.Error(), "lock") {
		t.Fatalf("unclear: %v", err)
	}
}

func TestConcurrentSearchAndWrite(t *testing.T) {
	r := start(t)
	r.docs("c")
	const n = 200
	var all []*qdrant.PointStruct
	for id := range uint64(n) {
		all = append(all, point(id, []float32{1, float32(id), 0, 0}, map[uint32]float32{1: 1}, map[string]any{"owner": "a", "keep": true}))
	}
	r.upsert("c", all...)
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Second)
	defer stop()
	var wg sync.WaitGroup
	var rounds atomic.Int64
	// One moves points between partitions, one adds and deletes others.
	wg.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			_, err := r.SetPayload(context.Background(), &qdrant.SetPayloadPoints{CollectionName: "c", Wait: qdrant.PtrOf(i%8 == 0), Payload: qdrant.NewValueMap(map[string]any{"owner": []string{"a", "b", "c"}[i%3]}),
				PointsSelector: qdrant.NewPointsSelector(qdrant.NewIDNum(uint64(i % n)))})
			if err != nil {
				t.Error(err)
				return
			}
		}
	})
	wg.Go(func() {
		for i := uint64(0); ctx.Err() == nil; i++ {
			_, err := r.Upsert(context.Background(), &qdrant.UpsertPoints{CollectionName: "c", Points: []*qdrant.PointStruct{point(1000+i, []float32{0, 0, 1, 0}, map[uint32]float32{2: 1}, map[string]any{"owner": "b"})}})
			if err == nil && i%2 == 1 {
				_, err = r.Delete(context.Background(), &qdrant.DeletePoints{CollectionName: "c", Points: qdrant.NewPointsSelectorFilter(&qdrant.Filter{MustNot: []*qdrant.Condition{qdrant.NewMatchBool("keep", true)}})})
			}
			if err != nil {
				t.Error(err)
				return
			}
		}
	})
	for range 3 {
		wg.Go(func() {
			for ctx.Err() == nil {
				rounds.Add(1)
				f := &qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewMatchBool("keep", true)}}
				got, err := r.Query(context.Background(), &qdrant.QueryPoints{CollectionName: "c", Query: qdrant.NewQuery(1, 0, 0, 0), Using: qdrant.PtrOf("dense"), Filter: f, Limit: qdrant.PtrOf(uint64(2 * n)), WithVectors: qdrant.NewWithVectors(true)})
				if err != nil || len(got) != n {
					t.Errorf("found %d of %d that are always there: %v", len(got), n, err)
					return
				}
				if got, err := r.Query(context.Background(), &qdrant.QueryPoints{CollectionName: "c", Query: qdrant.NewQuerySparse([]uint32{1}, []float32{1}), Using: qdrant.PtrOf("terms"), Limit: qdrant.PtrOf(uint64(2 * n))}); err != nil || len(got) != n {
					t.Errorf("found %d of %d by terms: %v", len(got), n, err)
					return
				}
				if got, err := r.Count(context.Background(), &qdrant.CountPoints{CollectionName: "c", Filter: f}); err != nil || got != n {
					t.Errorf("counted %d of %d: %v", got, n, err)
					return
				}
				if got, err := r.Scroll(context.Background(), &qdrant.ScrollPoints{CollectionName: "c", Filter: f, Limit: qdrant.PtrOf(uint32(2 * n))}); err != nil || len(got) != n {
					t.Errorf("scrolled %d of %d: %v", len(got), n, err)
					return
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%d rounds", rounds.Load())
}
