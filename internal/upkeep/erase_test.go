package upkeep

import (
	"context"
	"log/slog"
	"slices"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// bare is the log, the marks and the rest of an erasure that finds nothing there.
type bare struct{ states [][]int }

func (*bare) Entries(context.Context, string, string, uint64, func(schema.Event, error) error) error {
	return nil
}
func (*bare) RemoveEntries(context.Context, []uint64, func(int)) error { return nil }
func (*bare) RemoveBlobs(context.Context, string, map[string]bool, func(uint64) bool) error {
	return nil
}
func (*bare) Begin(context.Context, string, schema.ErasureKey) error { return nil }
func (*bare) Write(context.Context, string, schema.Erasure) (schema.Accepted, error) {
	return schema.Accepted{Seq: 50}, nil
}
func (*bare) End(context.Context, string, schema.ErasureKey) error          { return nil }
func (*bare) RemoveWork(context.Context, int, string, string, uint64) error { return nil }
func (b *bare) RemoveState(_ context.Context, _, _ string, gens []int) error {
	b.states = append(b.states, gens)
	return nil
}
func (*bare) RemoveVectors(context.Context, []string) error { return nil }

// copying is a store into which a replay copies while an erasure goes on: it tells when the generation is read first.
type copying struct {
	*memory
	read map[int]int
}

func (c *copying) DeleteWhere(ctx context.Context, gen int, col schema.Collection, f schema.Filter) error {
	c.read[gen]++
	return c.memory.DeleteWhere(ctx, gen, col, f)
}

// A generation that a replay makes while an erasure goes on is made empty of the user too.
func TestAnErasureReachesAGenerationThatComesMeanwhile(t *testing.T) {
	m := sample()
	store := &copying{memory: m, read: map[int]int{}}
	f := forgetter(m)
	f.Store = store
	b := &bare{}
	listed := [][]int{{1}, {2, 1}, {3, 2}} // the replay of 3 has pruned 1; then nothing new comes
	times := 0
	e := &Eraser{
		Forgetter: f, Marks: NewMarks(m, m, m.sources), Log: b, Entries: b, Rest: b, NewID: func() string { return "e1" }, Logger: slog.New(slog.DiscardHandler),
		Generations: func() ([]int, []int) {
			gens := listed[min(times, len(listed)-1)]
			times++
			return slices.Clone(gens), gens
		},
		CarriedOut: func(context.Context, int, string, uint64) (bool, error) { return true, nil },
	}
	if _, err := e.Erase(t.Context(), "acme", "ann", nil, func(uint64, uint64) {}); err != nil {
		t.Fatal(err)
	}
	for _, gen := range []int{1, 2, 3} {
		if store.read[gen] == 0 {
			t.Errorf("generation %d was not made empty", gen)
		}
	}
	if times != 4 {
		t.Errorf("the generations were looked at %d times, want 4: until no new one came", times)
	}
	if len(b.states) != 1 || !slices.Equal(b.states[0], []int{1, 2, 3}) {
		t.Errorf("state was removed of %v", b.states)
	}
}
