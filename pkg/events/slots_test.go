package events

import (
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
)

func openSlots(t testing.TB, js jetstream.JetStream) *Slots {
	t.Helper()
	s, err := OpenSlots(testContext(t), js)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A counter under a slot that many writers raise by read, compute, swap comes out right: no swap is lost.
func TestSlotsLetOneWriterThrough(t *testing.T) {
	ctx, srv, _ := ensured(t)
	slot := "acme.小李|住在\x00" + strings.Repeat("长", 300) // a slot names a subject of any length and script
	counter, swaps := 0, 0
	var mu sync.Mutex // makes the counter's accesses races of logic, not of memory
	var wg sync.WaitGroup
	for range 5 {
		s := openSlots(t, eventstest.JetStream(t, srv))
		wg.Go(func() {
			for range 20 {
				for {
					rev, err := s.Revision(ctx, 1, slot)
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					read := counter
					mu.Unlock()
					ok, err := s.CompareAndSwap(ctx, 1, slot, rev)
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					if ok {
						counter, swaps = max(counter, read)+1, swaps+1
						mu.Unlock()
						break
					}
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	if swaps != 100 {
		t.Errorf("%d swaps, want 100", swaps)
	}
	s := openSlots(t, eventstest.JetStream(t, srv))
	rev, err := s.Revision(ctx, 1, slot)
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := s.CompareAndSwap(ctx, 1, slot, rev-1); ok || err != nil {
		t.Errorf("a stale revision was swapped: %v, %v", ok, err)
	}
	if ok, err := s.CompareAndSwap(ctx, 1, slot, 0); ok || err != nil {
		t.Errorf("a known slot was created: %v, %v", ok, err)
	}
	if other, err := s.Revision(ctx, 2, slot); other != 0 || err != nil {
		t.Errorf("the slot of another generation has revision %d, %v", other, err)
	}
}

// Memory goes with the server: a revision read before that never matches one given after it.
func TestSlotRevisionsOfALostBucketNeverMatch(t *testing.T) {
	ctx, _, js := ensured(t)
	s := openSlots(t, js)
	for range 5 {
		rev, _ := s.Revision(ctx, 1, "a")
		if ok, err := s.CompareAndSwap(ctx, 1, "a", rev); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	before, err := s.Revision(ctx, 1, "a")
	if err != nil {
		t.Fatal(err)
	}
	if err := js.DeleteKeyValue(ctx, BucketSlots); err != nil {
		t.Fatal(err)
	}
	if _, err := Ensure(ctx, js, DefaultTopology(), 1); err != nil {
		t.Fatal(err)
	}
	s = openSlots(t, js)
	for range 10 {
		if ok, err := s.CompareAndSwap(ctx, 1, "a", before); ok || err != nil {
			t.Fatalf("revision %d of the lost bucket matched (%v)", before, err)
		}
		rev, err := s.Revision(ctx, 1, "a")
		if err != nil || rev != 0 && rev <= before {
			t.Fatalf("revision %d after %d (%v)", rev, before, err)
		}
		if ok, err := s.CompareAndSwap(ctx, 1, "a", rev); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
}
