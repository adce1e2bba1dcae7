package stages

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
)

func TestLanesLetOneOfAnOwnerIn(t *testing.T) {
	var l lanes
	var inside [3]atomic.Int32
	var wg sync.WaitGroup
	for i := range 300 {
		owner := i % 3
		wg.Go(func() {
			leave, err := l.enter(t.Context(), string(rune('a'+owner)))
			if err != nil {
				t.Error(err)
				return
			}
			if inside[owner].Add(1) != 1 {
				t.Error("two of one owner are inside")
			}
			inside[owner].Add(-1)
			leave()
		})
	}
	wg.Wait()
	if len(l.open) != 0 {
		t.Errorf("%d lanes are left", len(l.open))
	}
}

func TestAWaiterLeavesWithItsContext(t *testing.T) {
	var l lanes
	leave, err := l.enter(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.enter(ctx, "a"); err == nil {
		t.Fatal("entered a lane that is taken")
	}
	leave()
	if again, err := l.enter(t.Context(), "a"); err != nil {
		t.Error(err)
	} else {
		again()
	}
	if len(l.open) != 0 {
		t.Errorf("%d lanes are left", len(l.open))
	}
}
