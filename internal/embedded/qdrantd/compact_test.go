package qdrantd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/qdrant/go-client/qdrant"
)

// inFiles is in how many files under dir text stands, packed or not.
func inFiles(t *testing.T, dir, text string) (n int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) { // the engine tidies up
			return nil
		}
		if err != nil {
			return err
		}
		found := bytes.Contains(b, []byte(text))
		_, err = Contents(context.Background(), path, func(b []byte) error {
			found = found || bytes.Contains(b, []byte(text))
			return nil
		})
		if found {
			n++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// What was deleted or written over stays in logs and tables; Compact takes it away. What is there stays, and writes that
// come meanwhile are taken.
func TestCompactLeavesNothingOfWhatWasDeleted(t *testing.T) {
	r := start(t)
	r.docs("docs")
	text := func(i int, word string) string { return strings.Repeat(fmt.Sprintf("%s-%d ", word, i), 40) }
	for i := range uint64(200) {
		r.upsert("docs", point(i+1, []float32{1, 2, 3, float32(i)}, nil, map[string]any{"owner": "a", "text": text(int(i), "gone")}))
	}
	for i := range uint64(100) { // of these another text stays
		r.upsert("docs", point(i+1, []float32{1, 2, 3, float32(i)}, nil, map[string]any{"owner": "a", "text": text(int(i), "kept")}))
	}
	if err := r.srv.store.db.Flush(); err != nil { // some of it in tables, some in the log
		t.Fatal(err)
	}
	var rest []*qdrant.PointId
	for i := uint64(101); i <= 200; i++ {
		rest = append(rest, qdrant.NewIDNum(i))
	}
	_, err := r.Delete(t.Context(), &qdrant.DeletePoints{CollectionName: "docs", Wait: qdrant.PtrOf(true), Points: qdrant.NewPointsSelector(rest...)})
	r.must(err)
	if inFiles(t, r.dir, "gone-") == 0 {
		t.Fatal("nothing of what was deleted is in the files: the test shows nothing")
	}
	var writers sync.WaitGroup
	stop := make(chan struct{})
	last := uint64(1000)
	writers.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			last++
			_, err := r.Upsert(context.Background(), &qdrant.UpsertPoints{
				CollectionName: "docs", Wait: qdrant.PtrOf(true),
				Points: []*qdrant.PointStruct{point(last, []float32{1, 2, 3, 4}, nil, map[string]any{"owner": "b", "text": "kept-later"})},
			})
			if err != nil {
				t.Errorf("write beside it: %v", err)
				return
			}
		}
	})
	for range 2 {
		if err := r.srv.Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	writers.Wait()
	check := func(r *rig) {
		t.Helper()
		if n := inFiles(t, r.dir, "gone-"); n > 0 {
			t.Errorf("what was deleted is in %d files", n)
		}
		if inFiles(t, r.dir, "kept-7 ") == 0 {
			t.Error("what stays is in no file")
		}
		n, err := r.Count(context.Background(), &qdrant.CountPoints{CollectionName: "docs", Exact: qdrant.PtrOf(true)})
		if want := 100 + last - 1000; err != nil || n != want {
			t.Errorf("%d points, %v; want %d", n, err, want)
		}
	}
	check(r)
	check(r.reopen())
}

// After a compaction that could not open the engine again the store has ended: it says so, and closes without asking the
// engine that is closed. Nothing is lost.
func TestAStoreClosesAfterACompactionThatFailed(t *testing.T) {
	dir := t.TempDir()
	s, err := openStore(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	s.opts.ErrorIfExists = true // a reason not to open
	if err := s.compact(t.Context()); err == nil || s.end.err() == nil {
		t.Fatalf("compact: %v; the end: %v", err, s.end.err())
	}
	if err := s.compact(t.Context()); err == nil {
		t.Error("a store that has ended is compacted again")
	}
	if _, err := s.writing(); err == nil {
		t.Error("a store that has ended takes writes")
	}
	if err := s.close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if s, err = openStore(dir, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatalf("open again: %v", err)
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
}

// While a compaction opens the engine again writes wait; whatever reads goes on. Here it comes no further, since a write
// holds it up.
func TestReadersDoNotWaitForACompaction(t *testing.T) {
	r := start(t)
	r.docs("docs")
	r.upsert("docs", point(1, []float32{1, 2, 3, 4}, map[uint32]float32{7: 1}, map[string]any{"owner": "a"}))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	done, err := r.srv.store.writing()
	r.must(err)
	compacted := make(chan error, 1)
	go func() { compacted <- r.srv.Compact(ctx) }()
	for r.srv.store.engine.TryRLock() { // until it waits for the write
		r.srv.store.engine.RUnlock()
		select {
		case err := <-compacted:
			t.Fatalf("it did not wait for the write: %v", err)
		case <-ctx.Done():
			t.Fatal("it never comes to open the engine again")
		default:
		}
	}
	owner := &qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewMatch("owner", "a")}}
	for what, read := range map[string]func() (int, error){
		"query": func() (int, error) {
			ps, err := r.Query(ctx, &qdrant.QueryPoints{CollectionName: "docs", Query: qdrant.NewQueryDense([]float32{1, 2, 3, 4}), Using: qdrant.PtrOf("dense"), Filter: owner})
			return len(ps), err
		},
		"sparse query": func() (int, error) {
			ps, err := r.Query(ctx, &qdrant.QueryPoints{CollectionName: "docs", Query: qdrant.NewQuerySparse([]uint32{7}, []float32{1}), Using: qdrant.PtrOf("terms"), Filter: owner})
			return len(ps), err
		},
		"get": func() (int, error) {
			ps, err := r.Get(ctx, &qdrant.GetPoints{CollectionName: "docs", Ids: []*qdrant.PointId{qdrant.NewIDNum(1)}})
			return len(ps), err
		},
		"count": func() (int, error) {
			n, err := r.Count(ctx, &qdrant.CountPoints{CollectionName: "docs", Filter: owner})
			return int(n), err
		},
		"scroll": func() (int, error) {
			ps, err := r.Scroll(ctx, &qdrant.ScrollPoints{CollectionName: "docs", Filter: owner})
			return len(ps), err
		},
		"list": func() (int, error) { names, err := r.ListCollections(ctx); return len(names), err },
		"info": func() (int, error) {
			info, err := r.GetCollectionInfo(ctx, "docs")
			return int(info.GetPointsCount()), err
		},
		"health": func() (int, error) { _, err := r.HealthCheck(ctx); return 1, err },
	} {
		if n, err := read(); n != 1 || err != nil {
			t.Errorf("%s: %d, %v", what, n, err)
		}
	}
	written := make(chan error, 1)
	go func() {
		_, err := r.Upsert(ctx, &qdrant.UpsertPoints{CollectionName: "docs", Wait: qdrant.PtrOf(true), Points: []*qdrant.PointStruct{point(2, []float32{1, 2, 3, 4}, nil, map[string]any{"owner": "a"})}})
		written <- err
	}()
	done()
	r.must(<-compacted)
	r.must(<-written)
	if n, err := r.reopen().Count(ctx, &qdrant.CountPoints{CollectionName: "docs", Filter: owner}); n != 2 || err != nil {
		t.Errorf("%d points, %v; want 2", n, err)
	}
}

// A table that the engine has not written to its end yet is read once it has.
func TestContentsWaitForATableThatIsBeingWritten(t *testing.T) {
	r := start(t)
	r.docs("docs")
	r.upsert("docs", point(1, []float32{1, 2, 3, 4}, nil, map[string]any{"owner": "a", "text": "a needle in a table"}))
	r.must(r.srv.Compact(t.Context())) // all in one table
	r.close()
	tables, err := filepath.Glob(filepath.Join(r.dir, "*.sst"))
	if err != nil || len(tables) != 1 {
		t.Fatal(tables, err)
	}
	whole, err := os.ReadFile(tables[0])
	r.must(err)
	for _, there := range []int{0, len(whole) / 2, len(whole) - 1} {
		path := filepath.Join(t.TempDir(), filepath.Base(tables[0]))
		f, err := os.Create(path)
		r.must(err)
		_, err = f.Write(whole[:there])
		r.must(err)
		if _, err := openTable(t.Context(), path); err == nil {
			t.Fatalf("%d of %d bytes make a table: the test shows nothing", there, len(whole))
		}
		var rest sync.WaitGroup
		rest.Go(func() {
			if _, err := f.Write(whole[there:]); err != nil {
				t.Error(err)
			}
		})
		found := false
		ok, err := Contents(t.Context(), path, func(b []byte) error {
			found = found || bytes.Contains(b, []byte("a needle"))
			return nil
		})
		rest.Wait()
		r.must(errors.Join(err, f.Close()))
		if !ok || !found {
			t.Errorf("%d of %d bytes: found %v", there, len(whole), found)
		}
	}
}
