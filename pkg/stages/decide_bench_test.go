package stages

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// slotStore finds facts by group, slot and id without looking at others, as an index does: what a benchmark over it
// measures is the stage.
type slotStore struct {
	ids      map[string][]string // by group or slot
	payloads map[string]map[string]any
	given    int // facts handed out
}

func newSlotStore() *slotStore {
	return &slotStore{ids: map[string][]string{}, payloads: map[string]map[string]any{}}
}

func (s *slotStore) Revision(context.Context, int, string) (uint64, error) { return 1, nil }

func (s *slotStore) Facts(ctx context.Context, gen int, owner string, groups, slots []string) ([]schema.Memory, error) {
	var ids []string
	for _, keys := range [...][]string{groups, slots} {
		for _, k := range keys {
			ids = append(ids, s.ids[k]...)
		}
	}
	slices.Sort(ids)
	return s.FactsByID(ctx, gen, owner, slices.Compact(ids))
}

func (s *slotStore) FactsByID(_ context.Context, _ int, _ string, ids []string) ([]schema.Memory, error) {
	var out []schema.Memory
	for _, id := range ids {
		if p, ok := s.payloads[id]; ok {
			out = append(out, schema.MemoryFrom(id, p))
		}
	}
	s.given += len(out)
	return out, nil
}

func (s *slotStore) Each(context.Context, int, schema.Collection, schema.Filter, func(schema.Point) error) error {
	return nil
}

func (s *slotStore) apply(ws []schema.Write) {
	for _, w := range ws {
		if w.Kind == schema.WriteSetPayload {
			for _, id := range w.IDs {
				maps.Copy(s.payloads[id], w.Payload)
			}
			continue
		}
		s.payloads[w.Point.ID] = w.Point.Payload
		m := schema.MemoryFrom(w.Point.ID, w.Point.Payload)
		for _, k := range [...]string{m.Group, m.Slot} {
			if k != "" {
				s.ids[k] = append(s.ids[k], m.ID)
			}
		}
	}
}

func (s *slotStore) Embed(_ context.Context, texts []string, _ EmbedKind) ([][]float32, error) {
	return make([][]float32, len(texts)), nil
}
func (s *slotStore) Dim() int      { return 0 }
func (s *slotStore) Model() string { return "none" }

// lived is a store of one user with n facts, three of them in the slot that says where he lives, the stage over it,
// and an event that moves him.
func lived(tb testing.TB, n int) (*slotStore, Func, schema.Event) {
	s := newSlotStore()
	f, err := Decide.New(Deps{Embedder: s, Slots: s, Points: s})
	if err != nil {
		tb.Fatal(err)
	}
	said := []string{"I live in Porto.", "I moved to Rome.", "I live in Porto."}
	for i := range n {
		what := fmt.Sprintf("I love dish-%d.", i)
		if i < len(said) {
			what = said[i]
		}
		ev := spoken(tb, fmt.Sprint("e", i), uint64(i+1), day0.Add(time.Duration(i)*time.Minute), userSays(what))
		res, err := f(context.Background(), *ev)
		if err != nil {
			tb.Fatal(err)
		}
		s.apply(res.Writes)
	}
	if len(s.payloads) != n {
		tb.Fatalf("%d facts, want %d", len(s.payloads), n)
	}
	return s, f, *spoken(tb, "last", uint64(n+1), day0.AddDate(1, 0, 0), userSays("I live in Lisbon now."))
}

// What a decision reads does not grow with the facts outside the slots it touches.
func TestDecide_ReadsOnlyTheSlotsTouched(t *testing.T) {
	var given [2]int
	for i, n := range [...]int{10, 2000} {
		s, f, ev := lived(t, n)
		s.given = 0
		res, err := f(t.Context(), ev)
		if err != nil {
			t.Fatal(err)
		}
		if given[i] = s.given; given[i] < 3 || len(res.Writes) != 2 { // its own point, and the end of the one before
			t.Errorf("%d facts: %d read, %d writes", n, given[i], len(res.Writes))
		}
	}
	if given[0] != given[1] {
		t.Errorf("%d facts read of 10, %d of 2000", given[0], given[1])
	}
}

func BenchmarkDecide(b *testing.B) {
	for _, n := range [...]int{10, 1_000, 10_000} {
		b.Run(fmt.Sprint(n, "facts"), func(b *testing.B) {
			s, f, ev := lived(b, n)
			s.given = 0
			b.ReportAllocs()
			runs := 0
			for b.Loop() {
				if _, err := f(context.Background(), ev); err != nil {
					b.Fatal(err)
				}
				runs++
			}
			b.ReportMetric(float64(s.given)/float64(runs), "read/op")
		})
	}
}
