package events

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// BenchmarkAppend compares the ways into a log that syncs every write: go test -bench Append -benchtime 20x.
func BenchmarkAppend(b *testing.B) {
	for _, n := range []int{1, 15, 16, 64, 256, 1000} {
		b.Run(fmt.Sprint("fresh/", n), func(b *testing.B) {
			ctx, _, js := ensured(b, eventstest.SyncAlways())
			l := openLog(b, ctx, js)
			benchAppend(b, ctx, l, l, n, 0)
		})
	}
	for _, dups := range []int{1, 10, 500, 1000} {
		for _, who := range []string{"own", "others"} {
			b.Run(fmt.Sprintf("1000 with %d duplicates of its %s", dups, who), func(b *testing.B) {
				ctx, _, js := ensured(b, eventstest.SyncAlways())
				l, first := openLog(b, ctx, js), openLog(b, ctx, js)
				if who == "own" {
					first = l
				}
				benchAppend(b, ctx, l, first, 1000, dups)
			})
		}
	}
	b.Run("singles/256", func(b *testing.B) {
		ctx, _, js := ensured(b, eventstest.SyncAlways())
		l := openLog(b, ctx, js)
		i := 0
		for b.Loop() {
			i++
			var es []entry
			out := make([]Appended, 256)
			for k, ev := range benchEvents(256, i) {
				e, err := l.prepare(ctx, ev)
				if err != nil {
					b.Fatal(err)
				}
				e.out = &out[k]
				es = append(es, e)
			}
			l.singles(ctx, es)
		}
		b.ReportMetric(float64(b.N*256)/b.Elapsed().Seconds(), "events/s")
	})
}

func benchEvents(n, round int) []schema.Event {
	evs := turnEvents(n, fmt.Sprintf("r%d-", round))
	for i := range evs {
		evs[i].Body = append(evs[i].Body, bytes.Repeat([]byte("x"), 1000)...)
	}
	return evs
}

func benchAppend(b *testing.B, ctx context.Context, l, first *Log, n, dups int) {
	round := 0
	for b.Loop() {
		round++
		evs := benchEvents(n, round)
		if dups > 0 {
			b.StopTimer()
			var before []schema.Event
			for i := range dups {
				before = append(before, evs[i*(n/dups)+n/dups/2]) // spread over the batch
			}
			first.Append(ctx, before)
			b.StartTimer()
		}
		for _, a := range l.Append(ctx, evs) {
			if a.Err != nil {
				b.Fatal(a.Err)
			}
		}
	}
	b.ReportMetric(float64(b.N*n)/b.Elapsed().Seconds(), "events/s")
}
