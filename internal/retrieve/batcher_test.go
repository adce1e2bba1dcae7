package retrieve

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func TestD11_AccessIsWrittenAfterwards(t *testing.T) {
	c := &cache{}
	b := NewBatcher(c, time.Hour, 100, nil)
	w := newWorld(t, func(w *world) { w.deps.Touched = b })
	household(w)
	r := w.query(schema.Query{Query: "Oslo seat"})
	w.query(schema.Query{Query: "Oslo seat"})
	c.mu.Lock()
	n := len(c.touched)
	c.mu.Unlock()
	if n != 0 {
		t.Error("written within the query")
	}
	b.Start()
	if err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, it := range r.Items {
		want = append(want, schema.Owner(tenant, user)+" "+it.ID)
	}
	slices.Sort(want)
	slices.Sort(c.touched)
	if !slices.Equal(c.touched, want) {
		t.Errorf("touched %v, want each item once: %v", c.touched, want)
	}
}

func TestBatcherDropsInsteadOfBlocking(t *testing.T) {
	c := &cache{}
	b := NewBatcher(c, time.Hour, 2, nil) // holds 16
	for i := range 20 {
		b.Add(Touch{Owner: "o", ID: fmt.Sprint(i), At: time.Now()})
	}
	if b.Dropped() != 4 {
		t.Errorf("dropped %d, want 4", b.Dropped())
	}
	c.touchErr = errDown
	b.Start()
	if err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if b.Dropped() != 20 {
		t.Errorf("dropped %d: what cannot be written is dropped too", b.Dropped())
	}
	b.Add(Touch{}) // after Close: lost, without a panic
	if err := NewBatcher(c, time.Hour, 2, nil).Close(t.Context()); err != nil {
		t.Errorf("close without start: %v", err)
	}
}

func TestBatcherWritesByTheClock(t *testing.T) {
	c := &cache{}
	b := NewBatcher(c, time.Millisecond, 100, nil)
	b.Start()
	defer func() { _ = b.Close(context.Background()) }()
	b.Add(Touch{Owner: "o", ID: "1", At: time.Now()})
	eventstest.Eventually(t, 5*time.Second, "the touch is written", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.touched) == 1
	})
}
