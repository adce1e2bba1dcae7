package qdrantd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/qdrant/go-client/qdrant"
)

func TestDirectoryIsOpenedOnce(t *testing.T) {
	r := start(t)
	if s, err := Open(r.dir, Options{}); err == nil {
		_ = s.Close()
		t.Fatal("opened twice")
	} else if !strings.Contains(err.Error(), "lock") {
		t.Fatalf("unclear: %v", err)
	}
}

// TestDamageIsNoticed damages the store's files, one at a time: a flipped bit or a cut end, anywhere. Whatever is damaged, Open
// must either fail or load exactly what was written; it must never serve less. Only a log may end early, since that is what a
// crash leaves: what lies before its end is there then.
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
	// Both happen by themselves a moment after the last change.
	if err := errors.Join(r.srv.store.seal(), r.srv.store.recordList()); err != nil {
		t.Fatal(err)
	}
	crashed := t.TempDir() // a copy while it runs is what a crash leaves
	copyDir(t, r.dir, crashed)
	pristine := t.TempDir()
	copyDir(t, crashed, pristine)
	want := dump(t, pristine) // opening turns the log into tables
	entries, err := os.ReadDir(crashed)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, e := range entries {
		whole, err := os.ReadFile(filepath.Join(crashed, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		// A log is made longer in advance: behind its end lies nothing.
		if size := len(bytes.TrimRight(whole, "\x00")); size > 0 && e.Name() != "LOCK" {
			files[e.Name()] = whole[:size]
		}
	}
	names := slices.Sorted(maps.Keys(files))
	rng := rand.New(rand.NewPCG(5, 6))
	rounds := 200
	if testing.Short() {
		rounds = 30
	}
	tally := map[string]int{}
	for i := range rounds {
		name := names[i%len(names)]
		whole := files[name]
		dir := t.TempDir()
		copyDir(t, crashed, dir)
		var damaged []byte
		var what string
		if rng.IntN(3) == 0 {
			damaged = whole[:rng.IntN(len(whole))]
			what = fmt.Sprintf("%s cut to %d of %d bytes", name, len(damaged), len(whole))
		} else {
			damaged = bytes.Clone(whole)
			bit := rng.IntN(8 * len(whole))
			damaged[bit/8] ^= 1 << (bit % 8)
			what = fmt.Sprintf("bit %d of %s flipped", bit, name)
		}
		if err := os.WriteFile(filepath.Join(dir, name), damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := tryDump(dir)
		kind := filepath.Ext(name)
		if kind == "" {
			kind = strings.TrimRight(name, "-0123456789")
		}
		switch {
		case err != nil:
			tally[kind+" noticed"]++
		case got == want:
			tally[kind+" without effect"]++
		case kind == ".log" && len(damaged) < len(whole) && strings.HasPrefix(want, got):
			tally[kind+" tail cut"]++
		default:
			t.Errorf("went unnoticed: %s", what)
		}
	}
	t.Logf("%d damages: %v", rounds, tally)
	if tally[".log noticed"] == 0 || tally[".sst noticed"] == 0 || tally["MANIFEST noticed"] == 0 {
		t.Fatal("no damage was noticed")
	}

	// A torn tail, in contrast, is what a crash leaves: it is cut, and what lies before it is there.
	logs := slices.DeleteFunc(names, func(name string) bool { return filepath.Ext(name) != ".log" })
	last := logs[len(logs)-1]
	for range rounds / 10 {
		dir := t.TempDir()
		copyDir(t, crashed, dir)
		if err := os.WriteFile(filepath.Join(dir, last), files[last][:rng.IntN(len(files[last]))], 0o600); err != nil {
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
		if e.Name() == "LOCK" || strings.HasSuffix(e.Name(), ".new") { // on its way to another name
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
