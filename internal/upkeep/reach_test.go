package upkeep

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// long is a user whose log takes longer to read than anybody waits: three entries that no point tells of, and reading
// stops at the third.
func long(t *testing.T) *memory {
	t.Helper()
	m := sample()
	for i, id := range []string{"x", "y", "z"} {
		m.publish(t, id, uint64(5+i), schema.OpTurn, schema.OutcomeDead, schema.Turn{User: "lin", Input: "b-14"})
	}
	m.stuck = 7
	return m
}

func TestReachSaysWhatItKnewWhenItsTimeWasUp(t *testing.T) {
	m := long(t)
	f := forgetter(m)
	match := schema.Forget{User: "lin", Match: "b-14"}
	hit, err := f.Reach(t.Context(), 1, "acme", match, 50*time.Millisecond)
	if err != nil || !hit.Partial || !slices.Equal(hit.Events, []string{"a", "c", "x", "y"}) || len(hit.Memories) != 1 {
		t.Errorf("%+v, %v; want what the index tells and what was read, as a part", hit, err)
	}
	if hit, err = f.Reach(t.Context(), 1, "acme", schema.Forget{User: "lin", IDs: []string{"x"}}, 50*time.Millisecond); err != nil || hit.Partial {
		t.Errorf("a request that needs no log: %+v, %v", hit, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := f.Reach(ctx, 1, "acme", match, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a dry run that does not come to its end: %v", err)
	}
	m.stuck = 0
	if hit, err = f.Reach(t.Context(), 1, "acme", match, time.Minute); err != nil || hit.Partial || !slices.Equal(hit.Events, []string{"a", "c", "x", "y", "z"}) {
		t.Errorf("in time: %+v, %v", hit, err)
	}
}

// Who waits behind others has no more time than who reads.
func TestReachDoesNotWaitBehindOthers(t *testing.T) {
	m := long(t)
	f := forgetter(m)
	leave, err := f.asked.enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	hit, err := f.Reach(t.Context(), 1, "acme", schema.Forget{User: "lin", Match: "b-14"}, 50*time.Millisecond)
	if err != nil || !hit.Partial || !slices.Equal(hit.Events, []string{"a", "c"}) {
		t.Errorf("%+v, %v; want what the index tells", hit, err)
	}
}

// However many requests there are, the bodies of two are in memory at a time: of one that is counted and one that is
// carried out.
func TestLogsAreReadOneAtATime(t *testing.T) {
	m := sample()
	var mu sync.Mutex // the store of the test is not safe
	var now, most atomic.Int32
	begun := make(chan struct{}, 64)
	m.scanning = func() func() {
		n := now.Add(1)
		for {
			old := most.Load()
			if n <= old || most.CompareAndSwap(old, n) {
				break
			}
		}
		begun <- struct{}{}
		for deadline := time.Now().Add(20 * time.Millisecond); now.Load() == n && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond) // gives others the time to come in, if they may
		}
		return func() { now.Add(-1) }
	}
	f := forgetter(m)
	f.Store, f.Settler, f.Caches = locked{m, &mu}, nobody{}, nil
	ev := m.forget(t, 10, schema.Forget{User: "lin", Match: "nothing of the kind"})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := f.Handle(t.Context(), ev); err != nil {
				t.Error(err)
			}
		})
		all.Go(func() {
			if _, err := f.Reach(t.Context(), 1, "acme", schema.Forget{User: "lin", Match: "b-14"}, time.Minute); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := most.Load(); n > 2 || len(begun) != 24 {
		t.Errorf("%d scans, %d at a time; want 24, 2 at a time", len(begun), n)
	}
}

type locked struct {
	*memory
	mu *sync.Mutex
}

func (l locked) Each(ctx context.Context, gen int, col schema.Collection, f schema.Filter, fn func(schema.Point) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.memory.Each(ctx, gen, col, f, fn)
}

type nobody struct{}

func (nobody) Resettle(context.Context, int, string, []string, []string) error { return nil }

// An event that waits behind others for too long is given back, and no fault of it is counted.
func TestForgetIsGivenBackWhereOthersTakeLong(t *testing.T) {
	m := sample()
	f := forgetter(m)
	leave, err := f.carried.enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ev := m.forget(t, 10, schema.Forget{User: "lin", Match: "b-14"})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := f.Handle(ctx, ev); !errors.Is(err, events.ErrWait) {
		t.Errorf("while others are carried out: %v, want events.ErrWait", err)
	}
	leave()
	if err := f.Handle(t.Context(), ev); err != nil {
		t.Fatal(err)
	}
	if got := m.left(); !slices.Equal(got, []string{"b", "d"}) {
		t.Errorf("left are %v", got)
	}
}
