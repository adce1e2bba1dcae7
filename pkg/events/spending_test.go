package events

import (
	"sync"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
)

func TestSpendingIsCountedOnceByAll(t *testing.T) {
	s := eventstest.Server(t)
	js := eventstest.JetStream(t, s)
	if _, err := Ensure(t.Context(), js, DefaultTopology(), 0); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		sp, err := OpenSpending(t.Context(), js)
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			for range 10 {
				if _, err := sp.Add(t.Context(), "a.b", "2026-03-01", Spent{1, 10, time.Second}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	sp, err := OpenSpending(t.Context(), js)
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[[2]string]Spent{
		{"a.b", "2026-03-01"}: {40, 400, 40 * time.Second}, {"a.b", "2026-03-02"}: {}, {"a", "2026-03-01"}: {},
	} {
		if got, err := sp.Add(t.Context(), key[0], key[1], Spent{}); err != nil || got != want {
			t.Errorf("%v: %+v, %v, want %+v", key, got, err, want)
		}
	}
}
