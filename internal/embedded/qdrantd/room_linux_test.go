package qdrantd

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/siltstone-ai/siltstone/internal/disk/disktest"
)

// noticed waits until the store knows that the disk is full.
func noticed(t *testing.T, r *rig, free func()) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); r.srv.store.room.err() == nil; {
		if time.Now().After(end) {
			free()
			t.Fatal("the full disk is not noticed")
		}
	}
}

// TestAFullDiskRefusesAndGoesOn: another program takes all space while points are written. Nothing ends, what is asked
// for is answered, writes are refused as something that passes, and succeed when there is space. What was acknowledged
// is there afterwards.
func TestAFullDiskRefusesAndGoesOn(t *testing.T) {
	disk := disktest.Small(t, "128m")
	dir := filepath.Join(disk, "vectors")
	r := open(t, dir)
	r.docs("c")
	var next atomic.Uint64
	var mu sync.Mutex
	acked := map[uint64]bool{}
	write := func() error {
		id := next.Add(1)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		_, err := r.Upsert(ctx, &qdrant.UpsertPoints{CollectionName: "c", Wait: qdrant.PtrOf(true), Points: []*qdrant.PointStruct{point(id, []float32{1, float32(id), 0, 0}, nil, map[string]any{"owner": "o", "id": int64(id)})}})
		if err == nil {
			mu.Lock()
			acked[id] = true
			mu.Unlock()
		}
		return err
	}
	for range 3 {
		// Writers are at work when the space goes: some writes are under way without having looked.
		stop := make(chan struct{})
		var writers sync.WaitGroup
		var refused atomic.Int64
		for range 4 {
			writers.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					if err := write(); status.Code(err) == codes.Unavailable {
						refused.Add(1)
					} else if err != nil {
						t.Errorf("a write under way: %v", err)
						return
					}
				}
			})
		}
		free := disktest.Fill(t, disk, 0)
		noticed(t, r, free)
		if n, err := r.Count(t.Context(), &qdrant.CountPoints{CollectionName: "c"}); err != nil || n == 0 {
			t.Errorf("on a full disk %d points are counted, %v", n, err)
		}
		free()
		for end := time.Now().Add(20 * time.Second); write() != nil; {
			if time.Now().After(end) {
				t.Fatal("with space again nothing is written")
			}
		}
		close(stop)
		writers.Wait()
	}
	free := disktest.Fill(t, disk, 0)
	noticed(t, r, free)
	if err := write(); status.Code(err) != codes.Unavailable {
		t.Errorf("a write on a full disk: %v", err)
	}
	free()
	r.close()
	r = open(t, dir)
	for id := range acked {
		if got, err := r.Get(t.Context(), &qdrant.GetPoints{CollectionName: "c", Ids: []*qdrant.PointId{qdrant.NewIDNum(id)}}); err != nil || len(got) != 1 {
			t.Fatalf("point %d was acknowledged: %v, %v", id, got, err)
		}
	}
	t.Logf("%d acknowledged points are there", len(acked))
}
