package qdrantd

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
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
		var total int
		enough := make(chan struct{}) // 200 acknowledged
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
						if total += 5; total == 200 {
							close(enough)
						}
						mu.Unlock()
					}
				}
			})
		}
		select {
		case <-enough:
		case <-time.After(20 * time.Second): // a slow machine: what there is has to do
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

// TestDamageIsNoticed flips bits all over the store's files, one at a time. Whatever is damaged, Open must either fail
// or load exactly what was written; it must never serve less.
func TestDamageIsNoticed(t *testing.T) {
	r := start(t)
	r.docs("c")
	for i := range uint64(60) {
		r.upsert("c", point(i, []float32{1, float32(i), 0, 0}, nil, map[string]any{"owner": fmt.Sprint(i % 3), "text": strings.Repeat(fmt.Sprint(i), 40+int(i%7)*3000)}))
		if i == 30 {
			if err := r.srv.store.db.Flush(); err != nil { // half in tables, half in the log
				t.Fatal(err)
			}
		}
	}
	if err := r.srv.store.seal(); err != nil { // happens by itself a moment after the last write
		t.Fatal(err)
	}
	crashed := t.TempDir() // a copy while it runs is what a crash leaves
	copyDir(t, r.dir, crashed)
	pristine := t.TempDir()
	copyDir(t, crashed, pristine)
	want := dump(t, pristine) // opening turns the log into tables
	rng := rand.New(rand.NewPCG(5, 6))
	noticed, harmless := 0, 0
	flips := 15 // a file
	if testing.Short() {
		flips = 4
	}
	entries, err := os.ReadDir(crashed)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || info.Size() == 0 || !strings.HasSuffix(e.Name(), ".sst") && !strings.HasSuffix(e.Name(), ".log") {
			continue
		}
		whole, err := os.ReadFile(filepath.Join(crashed, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		size := len(bytes.TrimRight(whole, "\x00")) // the log is preallocated: behind its end lies nothing
		for range flips {
			dir := t.TempDir()
			copyDir(t, crashed, dir)
			damaged := bytes.Clone(whole)
			bit := rng.IntN(8 * size)
			damaged[bit/8] ^= 1 << (bit % 8)
			if err := os.WriteFile(filepath.Join(dir, e.Name()), damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := tryDump(dir)
			switch {
			case err != nil:
				noticed++
			case got == want:
				harmless++
			default:
				t.Errorf("damage of %s at bit %d went unnoticed", e.Name(), bit)
			}
		}
	}
	t.Logf("%d noticed, %d without effect", noticed, harmless)

	// A torn tail, in contrast, is what a crash leaves: it is cut, and what lies before it is there.
	logs, err := filepath.Glob(filepath.Join(crashed, "*.log"))
	if err != nil || len(logs) == 0 {
		t.Fatal(logs, err)
	}
	last := logs[len(logs)-1]
	whole, err := os.ReadFile(last)
	if err != nil {
		t.Fatal(err)
	}
	size := len(bytes.TrimRight(whole, "\x00"))
	for range flips {
		dir := t.TempDir()
		copyDir(t, crashed, dir)
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(last)), whole[:rng.IntN(size)], 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := tryDump(dir)
		if err != nil {
			t.Errorf("torn tail: %v", err)
		}
		if !strings.HasPrefix(want, got) {
			t.Error("what lies before a torn tail is not what was written")
		}
	}
	if noticed == 0 {
		t.Fatal("no damage was noticed")
	}
}

// dump is the whole content of a store as text.
func dump(t *testing.T, dir string) string {
	t.Helper()
	s, err := tryDump(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func tryDump(dir string) (out string, err error) {
	defer func() {
		if p := recover(); p != nil { // the engine gave up
			err = fmt.Errorf("%v", p)
		}
	}()
	srv, err := Open(dir, Options{})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for name, c := range srv.collections {
		for _, ix := range c.schema.indexes {
			fmt.Fprintln(&b, name, ix.path.text)
		}
		ids, _ := c.matching(context.Background(), nil)
		for _, id := range ids {
			l := c.where[id]
			fmt.Fprintf(&b, "%s %s %x %v\n", name, id, l.part.payload[l.row], l.part.dense[0].at(l.row))
		}
	}
	return b.String(), srv.Close()
}

func copyDir(t *testing.T, from, to string) {
	t.Helper()
	entries, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() == "LOCK" {
			continue
		}
		b, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, e.Name()), b, 0o600); err != nil {
			t.Fatal(err)
		}
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
