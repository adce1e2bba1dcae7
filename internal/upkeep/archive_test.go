package upkeep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// shelf is the log, the points and the floor of an archiver.
type shelf struct {
	*memory
	size int // bytes of a turn
}

func (s *shelf) GetKeys(_ context.Context, _ int, col schema.Collection, ids []string, _ ...string) ([]schema.Point, error) {
	var out []schema.Point
	for _, id := range ids {
		if p := s.points[col][id]; p != nil {
			out = append(out, schema.Point{ID: id, Payload: p})
		}
	}
	return out, nil
}

func (s *shelf) Read(_ context.Context, seq uint64) (schema.Event, error) {
	return schema.Event{Envelope: schema.Envelope{Seq: seq}, Body: make([]byte, s.size)}, nil
}

func passageID(uuid string, seq uint64, part, stage string) string {
	return fmt.Sprint(uuid, " ", seq, " ", part, " ", stage)
}

// shelved is ten turns of lin with the sequences 1 to 10, and a request to archive them.
func shelved(t *testing.T) (*shelf, *Archiver, schema.Event) {
	t.Helper()
	s := &shelf{memory: newMemory(), size: 10}
	req := schema.Archive{User: "lin"}
	for i := range 10 {
		id := fmt.Sprint("t", i+1)
		s.remember("lin", id, uint64(i+1), day, "c1", "Said.", "")
		req.IDs = append(req.IDs, id)
	}
	body, err := json.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	ev := schema.Event{Envelope: schema.Envelope{Version: schema.Version, Tenant: "acme", User: "lin", Op: schema.OpArchive, Seq: 50, Generation: 1}, Body: body}
	return s, &Archiver{Points: s, Log: s, Floor: s, Point: passageID, Memory: 1 << 20, Logger: slog.New(slog.DiscardHandler)}, ev
}

// pruned hears of turns, side by side.
type pruned struct {
	mu   sync.Mutex
	seqs []uint64
}

func (p *pruned) turn(_ context.Context, ev schema.Event) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seqs = append(p.seqs, ev.Seq)
	return nil
}

func (p *pruned) all() []uint64 { return slices.Sorted(slices.Values(p.seqs)) }

// A request that comes again goes on where it ended: what has its document is not read again.
func TestA9_ARequestToArchiveThatComesAgainGoesOnWhereItEnded(t *testing.T) {
	s, a, ev := shelved(t)
	for seq := uint64(1); seq <= 9; seq++ {
		uuid := schema.EventUUID("acme", fmt.Sprint("t", seq))
		s.points[schema.Events][uuid][schema.KeyArchived] = seq != 8 // 8 has an old document, and was never marked
		for i, stage := range []string{events.StageVectorize, events.StageExtract} {
			if seq != 9 || i == 0 { // 9 has half a document
				s.points[schema.Passages][passageID(uuid, seq, "archive", stage)] = map[string]any{}
			}
		}
	}
	var p pruned
	if err := a.Handle(t.Context(), ev, p.turn); err != nil || !slices.Equal(p.all(), []uint64{8, 9, 10}) {
		t.Errorf("pruned are %v, %v", p.all(), err)
	}
}

// One turn that panics, or that nobody can read, keeps no other from being archived, and ends no process.
func TestA9_ATurnThatPanicsIsLeftWhereItIs(t *testing.T) {
	_, a, ev := shelved(t)
	var p pruned
	err := a.Handle(t.Context(), ev, func(ctx context.Context, turn schema.Event) error {
		switch turn.Seq {
		case 3:
			panic("a cleaner")
		case 4:
			return schema.Permanent(schema.CodeInvalid, nil, "unreadable")
		}
		return p.turn(ctx, turn)
	})
	if err != nil || !slices.Equal(p.all(), []uint64{1, 2, 5, 6, 7, 8, 9, 10}) {
		t.Errorf("pruned are %v, %v", p.all(), err)
	}
	away := schema.Retryable(schema.CodeUnavailable, 0, nil, "away")
	if err := a.Handle(t.Context(), ev, func(context.Context, schema.Event) error { return away }); !errors.Is(err, away) {
		t.Errorf("where the store is away: %v", err)
	}
}

// Turns that are pruned at a time hold no more memory than there is for them; one that is longer than that is alone.
func TestA9_ArchivingKeepsWithinItsMemory(t *testing.T) {
	for size, most := range map[int]int{10: 3, 40: 1, 1: archiveAtOnce} {
		s, a, ev := shelved(t)
		s.size, a.Memory = size, 30
		var mu sync.Mutex
		now, top, full := 0, 0, make(chan struct{})
		err := a.Handle(t.Context(), ev, func(context.Context, schema.Event) error {
			mu.Lock()
			now++
			if top = max(top, now); now == most && most > 1 {
				select {
				case <-full:
				default:
					close(full)
				}
			}
			mu.Unlock()
			if most > 1 {
				<-full // as many as may be are in here at once
			}
			mu.Lock()
			now--
			mu.Unlock()
			return nil
		})
		if err != nil || top != most {
			t.Errorf("turns of %d bytes: %d at a time, want %d: %v", size, top, most, err)
		}
	}
}

// A second request waits outside, by being given back: requests to forget share its window.
func TestA9_RequestsToArchiveAreCarriedOutOneAtATime(t *testing.T) {
	_, a, ev := shelved(t)
	inside, leave := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	var once sync.Once
	go func() {
		done <- a.Handle(t.Context(), ev, func(context.Context, schema.Event) error {
			once.Do(func() { close(inside) })
			<-leave
			return nil
		})
	}()
	<-inside
	var p pruned
	if err := a.Handle(t.Context(), ev, p.turn); !errors.Is(err, events.ErrWait) || len(p.seqs) > 0 {
		t.Errorf("a second one: %v, pruned %v", err, p.seqs)
	}
	close(leave)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A request to archive, which names turns as a request to forget does, is never taken for one.
func TestA9_ARequestToArchiveIsNeverForgotten(t *testing.T) {
	m := sample()
	ev := m.forget(t, 5, schema.Forget{User: "lin", IDs: []string{"a", "b"}})
	ev.Op = schema.OpArchive
	if err := forgetter(m).Handle(t.Context(), ev); schema.CodeOf(err) != schema.CodeUnsupported || !schema.IsPermanent(err) || len(m.left()) != 4 {
		t.Errorf("left are %v: %v", m.left(), err)
	}
	_, a, ev := shelved(t)
	ev.Op = schema.OpForget
	var p pruned
	if err := a.Handle(t.Context(), ev, p.turn); schema.CodeOf(err) != schema.CodeUnsupported || len(p.seqs) > 0 {
		t.Errorf("pruned are %v: %v", p.seqs, err)
	}
}

// An erasure removes nothing before requests of its tenant that are under way are carried out: what they write would stay.
func TestC5_AnErasureWaitsForRequestsUnderWay(t *testing.T) {
	m := sample()
	b := &bare{}
	asked := 0
	e := &Eraser{
		Forgetter: forgetter(m), Marks: NewMarks(m, m, m.sources), Log: b, Entries: b, Rest: b, NewID: func() string { return "e1" }, Logger: slog.New(slog.DiscardHandler),
		Generations: func() ([]int, []int) { return []int{1}, []int{1} },
		CarriedOut: func(_ context.Context, gen int, tenant string, seq uint64) (bool, error) {
			if gen != 1 || tenant != "acme" || seq != 50 {
				t.Errorf("asked for generation %d, %s, %d", gen, tenant, seq)
			}
			if asked++; asked < 3 && len(m.points[schema.Passages]) != 4 {
				t.Error("it does not wait")
			} else if asked == 3 { // what the request writes at last
				m.points[schema.Passages]["late"] = map[string]any{schema.KeyOwner: schema.Owner("acme", "lin"), schema.KeyEvent: schema.EventUUID("acme", "a")}
			}
			return asked >= 3, nil
		},
	}
	if _, err := e.Erase(t.Context(), "acme", "lin", nil, func(uint64, uint64) {}); err != nil {
		t.Fatal(err)
	}
	if n := len(m.points[schema.Passages]); n != 1 || asked < 3 {
		t.Errorf("%d passages are left after %d looks, want those of the other user", n, asked)
	}
}

// Only what is carried out counts as archived for an audit.
func TestMarksKnowWhatIsArchivedUpTo(t *testing.T) {
	_, _, ev := shelved(t)
	m := newMemory()
	marks := NewMarks(m, m, m.sources)
	if err := marks.apply(t.Context(), ev); err != nil {
		t.Fatal(err)
	}
	turn := schema.Event{Envelope: schema.Envelope{Tenant: "acme", User: "lin", UUID: schema.EventUUID("acme", "t1"), Seq: 1}}
	later := turn
	later.Seq = 60
	if !marks.ArchivedBy(turn, 50) || marks.ArchivedBy(turn, 49) || marks.ArchivedBy(later, 100) || !marks.Archived(turn) {
		t.Error("a turn is archived by what is carried out")
	}
}
