package events

import (
	"fmt"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/synadia-io/orbit.go/jetstreamext"

	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
)

func TestVectorsAreKeptUpToABound(t *testing.T) {
	s := eventstest.Server(t)
	js := eventstest.JetStream(t, s)
	ctx := t.Context()
	topology := DefaultTopology()
	topology.VectorsMax = 100
	if _, err := Ensure(ctx, js, topology, 0); err != nil {
		t.Fatal(err)
	}
	v, err := OpenKept(ctx, js, BucketVectors)
	if err != nil {
		t.Fatal(err)
	}
	save := func(from, to int) {
		t.Helper()
		var keys []string
		var values [][]byte
		for i := from; i < to; i++ {
			keys, values = append(keys, fmt.Sprintf("k%d", i)), append(values, fmt.Appendf(nil, "v%d", i))
		}
		if err := v.Save(ctx, keys, values); err != nil {
			t.Fatal(err)
		}
	}
	held := func(from, to int) (n int) {
		t.Helper()
		for i := from; i < to; i++ {
			got, err := v.Load(ctx, []string{fmt.Sprintf("k%d", i), "none"})
			if err != nil || got[1] != nil {
				t.Fatalf("%v, %v", got, err)
			}
			if got[0] != nil {
				n++
				if string(got[0]) != fmt.Sprintf("v%d", i) {
					t.Errorf("k%d holds %s", i, got[0])
				}
			}
		}
		return n
	}
	save(0, 3) // few: one by one
	save(3, 90)
	save(0, 90) // again: nothing is there twice
	if n := held(0, 90); n != 90 {
		t.Errorf("%d of 90 are there", n)
	}
	batch := make([]*nats.Msg, minBatch) // the way that costs one sync is not refused
	for i := range batch {
		n := 90 - minBatch + i
		batch[i] = &nats.Msg{Subject: v.subject(fmt.Sprintf("k%d", n)), Data: fmt.Appendf(nil, "v%d", n), Header: nats.Header{}}
	}
	if _, err := jetstreamext.PublishMsgBatch(ctx, js, batch); err != nil {
		t.Errorf("a batch is refused: %v", err)
	}
	save(90, 150)
	if n := held(0, 150); n != 100 || held(50, 150) != 100 {
		t.Errorf("%d are there, %d of the latest", n, held(50, 150))
	}
	// A smaller bound may be configured later, and lets the oldest go; an installation from before had none.
	for _, most := range []int64{40, -1, 60} {
		topology.VectorsMax = most
		if _, err := Ensure(ctx, js, topology, 0); err != nil {
			t.Fatalf("bound %d: %v", most, err)
		}
	}
	if n := held(0, 150); n != 40 {
		t.Errorf("%d are there within the bound of 40", n)
	}
	if _, err := js.KeyValue(ctx, BucketVectors); err != nil {
		t.Errorf("not a bucket any more: %v", err)
	}
}

// TestReadingsGoWithTheirOwner: what a language model read of somebody is removed by the first part of its keys, and
// what it read of others stays.
func TestReadingsGoWithTheirOwner(t *testing.T) {
	s := eventstest.Server(t)
	js := eventstest.JetStream(t, s)
	ctx := t.Context()
	if _, err := Ensure(ctx, js, DefaultTopology(), 0); err != nil {
		t.Fatal(err)
	}
	v, err := OpenKept(ctx, js, BucketReadings)
	if err != nil {
		t.Fatal(err)
	}
	keys := []string{"ann.1", "ann.2", "anna.1"}
	if err := v.Save(ctx, keys, [][]byte{[]byte("a"), []byte("b"), []byte("c")}); err != nil {
		t.Fatal(err)
	}
	for range 2 { // again changes nothing
		if err := v.Remove(ctx, []string{"ann.>"}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := v.Load(ctx, keys)
	if err != nil || got[0] != nil || got[1] != nil || string(got[2]) != "c" {
		t.Errorf("%q, %v", got, err)
	}
}
