package events

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Whatever the bounds, the callers, the bad items and those who leave: every caller that stays gets the answer to
// its own item, a bad item fails alone, no batch is over its bounds, no more calls run at a time than allowed.
func TestCoalescerProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		maxItems := rapid.IntRange(1, 9).Draw(t, "maxItems")
		maxBytes := rapid.IntRange(0, 40).Draw(t, "maxBytes")
		parallel := rapid.IntRange(1, 3).Draw(t, "parallel")
		n := rapid.IntRange(1, 60).Draw(t, "items")
		bad := rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 0, n, rapid.ID[int]).Draw(t, "bad")
		leaves := rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 0, n, rapid.ID[int]).Draw(t, "leaves")
		panics := rapid.Bool().Draw(t, "panics")
		isBad, left := map[int]bool{}, map[int]bool{}
		for _, i := range bad {
			isBad[i] = true
		}
		for _, i := range leaves {
			left[i] = true
		}
		size := func(i int) int { return i%13 + 1 }

		var faults sync.Map
		var running atomic.Int64
		answered := make([]atomic.Int64, n)
		c, err := NewCoalescer(CoalescerConfig[int]{MaxItems: maxItems, MaxBytes: maxBytes, Size: size, Parallel: parallel},
			func(_ context.Context, items []int) ([]string, error) {
				if r := running.Add(1); r > int64(parallel) {
					faults.Store(fmt.Sprintf("%d calls at a time", r), true)
				}
				defer running.Add(-1)
				sum := 0
				for _, i := range items {
					sum += size(i)
				}
				if len(items) > maxItems || maxBytes > 0 && sum > maxBytes && len(items) > 1 {
					faults.Store(fmt.Sprintf("a batch of %d items and %d bytes", len(items), sum), true)
				}
				out := make([]string, len(items))
				for k, i := range items {
					if isBad[i] {
						if panics {
							panic("bad item")
						}
						return nil, schema.Invalid("item", "is bad")
					}
					out[k] = fmt.Sprint("answer ", i)
				}
				for _, i := range items {
					answered[i].Add(1)
				}
				return out, nil
			})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for i := range n {
			ctx, cancel := context.WithCancel(context.Background())
			if left[i] {
				wg.Go(cancel)
			}
			wg.Go(func() {
				defer cancel()
				out, err := c.Do(ctx, i)
				switch {
				case left[i] && errors.Is(err, context.Canceled):
				case isBad[i] && schema.IsPermanent(err):
				case !isBad[i] && err == nil && out == fmt.Sprint("answer ", i):
				case left[i] && errors.Is(err, ErrClosed):
				default:
					faults.Store(fmt.Sprintf("item %d (bad %v, leaves %v): %q, %v", i, isBad[i], left[i], out, err), true)
				}
			})
		}
		wg.Wait()
		c.Close()
		if _, err := c.Do(context.Background(), 0); !errors.Is(err, ErrClosed) {
			t.Fatalf("after Close: %v", err)
		}
		faults.Range(func(k, _ any) bool { t.Error(k); return true })
		for i := range answered {
			if k := answered[i].Load(); k > 1 {
				t.Errorf("item %d was done %d times", i, k)
			}
		}
	})
}

// gate is a batch call that waits for leave before it answers, and records its batches.
type gate struct {
	mu      sync.Mutex
	batches [][]int
	enter   chan struct{}
	leave   chan struct{}
	answer  func(ctx context.Context, items []int) error
}

func (g *gate) do(ctx context.Context, items []int) ([]int, error) {
	g.mu.Lock()
	g.batches = append(g.batches, append([]int(nil), items...))
	first := len(g.batches) == 1
	g.mu.Unlock()
	if first && g.enter != nil {
		close(g.enter)
		<-g.leave
	}
	if g.answer != nil {
		if err := g.answer(ctx, items); err != nil {
			return nil, err
		}
	}
	return items, nil
}

func (g *gate) calls() [][]int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([][]int(nil), g.batches...)
}

// fill has n calls wait behind the first, which is under way.
func fill(t *testing.T, c *Coalescer[int, int], g *gate, n int) (errs []error, wait func()) {
	t.Helper()
	errs = make([]error, n+1)
	var wg sync.WaitGroup
	wg.Go(func() { _, errs[0] = c.Do(t.Context(), 0) })
	<-g.enter
	for i := 1; i <= n; i++ {
		wg.Go(func() { _, errs[i] = c.Do(t.Context(), i) })
		eventstest.Eventually(t, patience, "the call is queued", func() bool {
			c.mu.Lock()
			defer c.mu.Unlock()
			return len(c.queue) == i
		})
	}
	return errs, wg.Wait
}

// A call that finds nothing under way goes at once and alone; what comes meanwhile goes together.
func TestCoalescerTakesWhatQueued(t *testing.T) {
	t.Parallel()
	g := &gate{enter: make(chan struct{}), leave: make(chan struct{})}
	c, err := NewCoalescer(CoalescerConfig[int]{MaxItems: 64}, g.do)
	if err != nil {
		t.Fatal(err)
	}
	errs, wait := fill(t, c, g, 100)
	close(g.leave)
	wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	var sizes []int
	for _, b := range g.calls() {
		sizes = append(sizes, len(b))
	}
	if fmt.Sprint(sizes) != "[1 64 36]" {
		t.Errorf("batches of %v, want [1 64 36]", sizes)
	}
}

// One bad item among 64 costs no more than two calls a level of halving.
func TestCoalescerBisects(t *testing.T) {
	t.Parallel()
	g := &gate{enter: make(chan struct{}), leave: make(chan struct{}), answer: func(_ context.Context, items []int) error {
		for _, i := range items {
			if i == 17 {
				return schema.Invalid("item", "is bad")
			}
		}
		return nil
	}}
	c, err := NewCoalescer(CoalescerConfig[int]{MaxItems: 64}, g.do)
	if err != nil {
		t.Fatal(err)
	}
	errs, wait := fill(t, c, g, 64)
	close(g.leave)
	wait()
	for i, err := range errs {
		if (i == 17) != schema.IsPermanent(err) {
			t.Errorf("item %d: %v", i, err)
		}
	}
	if n, most := len(g.calls())-1, 1+2*bits.Len(63); n > most {
		t.Errorf("%d calls for 64 items with one bad, want at most %d", n, most)
	}
}

// An outage, a refusal of the caller and a wrong number of answers fail the batch in one call.
func TestCoalescerDoesNotBisectOutages(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]error{
		"unavailable": schema.Retryable(schema.CodeUnavailable, time.Second, nil, "down"),
		"unknown":     errors.New("broken pipe"),
		"denied":      schema.Permanent(schema.CodeDenied, nil, "key is wrong"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := &gate{enter: make(chan struct{}), leave: make(chan struct{}), answer: func(context.Context, []int) error { return fault }}
			c, err := NewCoalescer(CoalescerConfig[int]{MaxItems: 64}, g.do)
			if err != nil {
				t.Fatal(err)
			}
			errs, wait := fill(t, c, g, 40)
			close(g.leave)
			wait()
			for i, err := range errs {
				if !errors.Is(err, fault) {
					t.Errorf("item %d: %v", i, err)
				}
			}
			if n := len(g.calls()); n != 2 {
				t.Errorf("%d calls, want 2", n)
			}
		})
	}
	c, err := NewCoalescer(CoalescerConfig[int]{}, func(context.Context, []int) ([]int, error) { return nil, nil })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Do(t.Context(), 1); err == nil || schema.IsPermanent(err) {
		t.Errorf("no answers: %v, want a retryable error", err)
	}
}

// Callers who leave are not sent if they were not yet, and end the call once none is left.
func TestCoalescerContexts(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	g := &gate{answer: func(ctx context.Context, items []int) error {
		if items[0] == 0 {
			<-ctx.Done()
			close(ended)
			return ctx.Err()
		}
		return nil
	}}
	c, err := NewCoalescer(CoalescerConfig[int]{}, g.do)
	if err != nil {
		t.Fatal(err)
	}
	ctx, leave := context.WithCancel(t.Context())
	errs := make(chan error, 3)
	go func() { _, err := c.Do(ctx, 0); errs <- err }()
	eventstest.Eventually(t, patience, "the call is under way", func() bool { return len(g.calls()) == 1 })
	go func() { _, err := c.Do(ctx, 1); errs <- err }()
	go func() { _, err := c.Do(t.Context(), 2); errs <- err }()
	eventstest.Eventually(t, patience, "two wait", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.queue) == 2
	})
	leave()
	<-ended
	var got []error
	for range 3 {
		got = append(got, <-errs)
	}
	c.Close()
	nils := 0
	for _, err := range got {
		if err == nil {
			nils++
		} else if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	if nils != 1 || fmt.Sprint(g.calls()) != "[[0] [2]]" {
		t.Errorf("%d answered, calls %v; want 1, [[0] [2]]", nils, g.calls())
	}
}

func TestCoalescerRefusesBadConfig(t *testing.T) {
	t.Parallel()
	do := func(context.Context, []int) ([]int, error) { return nil, nil }
	for _, cfg := range []CoalescerConfig[int]{{MaxItems: -1}, {MaxBytes: -1}, {Parallel: -1}, {MaxBytes: 10}} {
		if _, err := NewCoalescer(cfg, do); err == nil {
			t.Errorf("%+v is taken", cfg)
		}
	}
	if _, err := NewCoalescer[int, int](CoalescerConfig[int]{}, nil); err == nil {
		t.Error("a missing call is taken")
	}
}
