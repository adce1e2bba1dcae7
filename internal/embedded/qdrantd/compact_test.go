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
