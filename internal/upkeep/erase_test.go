package upkeep

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

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

// unmade is a store in which one generation was registered and has no collections.
type unmade struct {
	*copying
	gen int
}

func (u *unmade) DeleteWhere(ctx context.Context, gen int, col schema.Collection, f schema.Filter) error {
	if gen == u.gen {
		return schema.Retryable(schema.CodeUnavailable, time.Second, schema.ErrNoCollection, "delete %s", col)
	}
	return u.copying.DeleteWhere(ctx, gen, col, f)
}

func (u *unmade) Each(ctx context.Context, gen int, col schema.Collection, f schema.Filter, fn func(schema.Point) error) error {
	if gen == u.gen {
		return schema.Retryable(schema.CodeUnavailable, time.Second, schema.ErrNoCollection, "read %s", col)
	}
	return u.copying.Each(ctx, gen, col, f, fn)
}

// A generation that nobody could begin keeps nobody from being erased.
func TestAnErasurePassesByAGenerationThatWasNeverMade(t *testing.T) {
	m := sample()
	f := forgetter(m)
	store := &copying{memory: m, read: map[int]int{}}
	f.Store = &unmade{store, 5}
	b := &bare{}
	e := &Eraser{
		Forgetter: f, Marks: NewMarks(m, m, m.sources), Log: b, Entries: b, Rest: b, NewID: func() string { return "e1" }, Logger: slog.New(slog.DiscardHandler),
		Generations: func() ([]int, []int) { return []int{1, 5}, []int{1} },
		CarriedOut:  func(context.Context, int, string, uint64) (bool, error) { return true, nil },
	}
	if _, err := e.Erase(t.Context(), "acme", "ann", nil, func(uint64, uint64) {}); err != nil {
		t.Fatal(err)
	}
	if store.read[1] == 0 {
		t.Error("the generation that was made was not made empty")
	}
}

// unsettled is a log that is not settled until it is told so.
type unsettled struct{ done bool }

func (u *unsettled) Settled(context.Context, int, uint64) (bool, error) { return u.done, nil }

// An erasure that nobody lets begin says which stage is missing, and harms nothing: asked again it does all of it.
func TestAnErasureNamesTheStageThatIsMissing(t *testing.T) {
	m := sample()
	log := &unsettled{done: true}
	store := &copying{memory: m, read: map[int]int{}}
	f := forgetter(m)
	f.Floor, f.Store = log, store
	b := &bare{}
	carried := false
	e := &Eraser{
		Forgetter: f, Marks: NewMarks(m, m, m.sources), Log: b, Entries: b, Rest: b, NewID: func() string { return "e1" }, Logger: slog.New(slog.DiscardHandler),
		Generations: func() ([]int, []int) { return []int{1}, []int{1} },
		CarriedOut:  func(context.Context, int, string, uint64) (bool, error) { return carried, nil },
		Stages: func(context.Context, int) ([]schema.StageStatus, error) {
			return []schema.StageStatus{{Name: "clean", Workers: 1}, {Name: "forget", Pending: 2}, {Name: "llm", Pending: 9}}, nil
		},
		Patience: Patience{Missing: time.Millisecond, Behind: time.Hour},
	}
	_, err := e.Erase(t.Context(), "acme", "ann", nil, func(uint64, uint64) {})
	if schema.CodeOf(err) != schema.CodeUnavailable || schema.IsPermanent(err) || !strings.Contains(err.Error(), "no process works on the stage forget") || strings.Contains(err.Error(), "llm") {
		t.Errorf("error %v", err)
	}
	if store.read[1] > 0 || len(b.states) > 0 {
		t.Errorf("points were removed %d times, state %d times", store.read[1], len(b.states))
	}
	carried = true
	if _, err := e.Erase(t.Context(), "acme", "ann", nil, func(uint64, uint64) {}); err != nil || store.read[1] == 0 || len(b.states) != 1 {
		t.Errorf("asked again: %v, points were removed %d times, state %d times", err, store.read[1], len(b.states))
	}
}

// Who is busy is waited for; who does nothing for long is not.
func TestStagesThatComeOnAreWaitedFor(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	w := newStageWatch(Patience{Missing: time.Minute, Behind: 10 * time.Minute}, now)
	for _, c := range []struct {
		after  time.Duration
		stages []schema.StageStatus
		want   string
	}{
		{0, []schema.StageStatus{{Name: "distill", Pending: 9}, {Name: "forget", AckPending: 1, Workers: 1}}, ""},
		{time.Minute, []schema.StageStatus{{Name: "distill", Pending: 8}, {Name: "forget", AckPending: 1, Workers: 1}}, ""}, // none asks, but it comes on
		{30 * time.Second, []schema.StageStatus{{Name: "distill", Pending: 8, Workers: 1}, {Name: "forget", AckPending: 1, Workers: 1}}, ""},
		{9 * time.Minute, []schema.StageStatus{{Name: "distill", Pending: 8, PausedMS: 5}, {Name: "forget", AckPending: 1, Workers: 1}}, ""},
		{time.Minute, []schema.StageStatus{{Name: "distill", Pending: 8, Workers: 1}, {Name: "forget", AckPending: 1, Workers: 1}}, "distill has 8 events to do, forget has 1"},
		{time.Second, []schema.StageStatus{{Name: "distill"}, {Name: "forget", AckPending: 1}}, ""},
		{59 * time.Second, []schema.StageStatus{{Name: "distill"}, {Name: "forget", AckPending: 1}}, ""},
		{time.Second, []schema.StageStatus{{Name: "distill"}, {Name: "forget", AckPending: 1}}, "no process works on the stage forget"},
	} {
		now = now.Add(c.after)
		if got := w.look(c.stages, now); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("after %v: %q, want %q", c.after, got, c.want)
		}
	}
}
