package events

import (
	"encoding/json"
	"log/slog"
	"reflect"
	"slices"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func TestJoinRanges(t *testing.T) {
	ranges := func(ns ...uint64) (out []schema.SequenceRange) {
		for i := 0; i < len(ns); i += 2 {
			out = append(out, schema.SequenceRange{From: ns[i], To: ns[i+1]})
		}
		return out
	}
	got := joinRanges(ranges(9, 12, 1, 3, 4, 4, 2, 2, 20, 30, 10, 15))
	if want := ranges(1, 4, 9, 15, 20, 30); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	var in []uint64
	for n := range uint64(32) {
		if named(got, n) {
			in = append(in, n)
		}
	}
	if want := []uint64{1, 2, 3, 4, 9, 10, 11, 12, 13, 14, 15, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30}; !slices.Equal(in, want) {
		t.Errorf("named are %v, want %v", in, want)
	}
}

// A hole in the log is damage unless an erasure names it; so is one more beside those that are named.
func TestAHoleIsLegalOnlyWhereAnErasureNamesIt(t *testing.T) {
	ctx, _, js := ensured(t)
	l := openLog(t, ctx, js)
	seqs := mustAppend(t, ctx, l, turnEvents(12, "a")...)
	w := NewWitness(js, &memoryWitness{vals: map[string][]byte{}}, WitnessOptions{Log: slog.New(slog.DiscardHandler)})
	check := func() error {
		t.Helper()
		if err := w.Advance(ctx); err != nil {
			t.Fatal(err)
		}
		return w.Err()
	}
	if err := check(); err != nil {
		t.Fatal(err)
	}
	name := func(rs ...schema.SequenceRange) {
		t.Helper()
		body, err := json.Marshal(schema.Erasure{ID: "e", Sequences: rs})
		if err != nil {
			t.Fatal(err)
		}
		ev := turnEvent("acme", "", "erase-"+schema.Hash(body), string(body))
		ev.Op = schema.OpErase
		mustAppend(t, ctx, l, ev)
	}
	remove := func(seq uint64) {
		t.Helper()
		if err := l.stream.SecureDeleteMsg(ctx, seq); err != nil {
			t.Fatal(err)
		}
	}
	name(schema.SequenceRange{From: seqs[3], To: seqs[4]}, schema.SequenceRange{From: seqs[7], To: seqs[7]})
	for _, i := range []int{3, 4, 7} {
		remove(seqs[i])
		if err := check(); err != nil {
			t.Errorf("entry %d was erased: %v", seqs[i], err)
		}
	}
	remove(seqs[8])
	wantCode(t, check(), schema.CodeCorrupt, true)
	name(schema.SequenceRange{From: seqs[8], To: seqs[8]})
	if err := check(); err != nil {
		t.Errorf("named later: %v", err)
	}
	got, err := l.Erased(ctx)
	if want := []schema.SequenceRange{{From: seqs[3], To: seqs[4]}, {From: seqs[7], To: seqs[8]}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("erased are %v, %v; want %v", got, err, want)
	}
}
