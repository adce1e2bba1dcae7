package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/internal/retrieve"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// refillStores is a cache that has lost a user's recent items, and the points to fill them from.
type refillStores struct {
	mu       sync.Mutex
	failures int // of Scroll, before it answers
	whole    bool
	filled   chan []schema.Memory
}

func (s *refillStores) BeginRecent(context.Context, int, string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.whole {
		return "", nil
	}
	return "token", nil
}

func (s *refillStores) FillRecent(_ context.Context, gen int, owner, token string, ms []schema.Memory) error {
	if gen != 1 || owner != "o" || token != "token" {
		return fmt.Errorf("filled for %d, %s with %q", gen, owner, token)
	}
	s.filled <- ms
	return nil
}

func (s *refillStores) Scroll(_ context.Context, _ int, col schema.Collection, f schema.Filter, page retrieve.Page) ([]schema.Point, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failures--; s.failures >= 0 {
		return nil, errors.New("away")
	}
	if !page.Newest || len(f.Must) != 1 || f.Must[0].Key != schema.KeyOwner || f.Must[0].Equal != "o" {
		return nil, fmt.Errorf("asked for %+v, %+v", f, page)
	}
	if col == schema.Events {
		return []schema.Point{{ID: "turn", Payload: map[string]any{schema.KeyEvent: "turn", schema.KeySeq: int64(7), schema.KeyOutcome: string(schema.OutcomeOpen),
			schema.KeySegments: []map[string]any{{"kind": "input", "text": "said"}}}}}, nil
	}
	fact := func(id string, st schema.Status) schema.Point {
		return schema.Point{ID: id, Payload: map[string]any{schema.KeyContent: "content of " + id, schema.KeyStatus: string(st), schema.KeyEvent: "turn", schema.KeySeq: int64(7)}}
	}
	return []schema.Point{fact("holds", schema.StatusActive), fact("ended", schema.StatusSuperseded)}, nil
}

// TestRefillKeepsWhatWritersWouldHaveKept: active facts and turns with their text, ended facts without; and it goes on
// trying.
func TestRefillKeepsWhatWritersWouldHaveKept(t *testing.T) {
	s := &refillStores{failures: 1, filled: make(chan []schema.Memory, 1)}
	r := &refiller{cache: s, points: s, log: slog.New(slog.DiscardHandler), asked: map[ownerOf]struct{}{}, wake: make(chan struct{}, 1)}
	looked := make(chan int, 8)
	r.open = func(gen int) bool { looked <- gen; return gen == 1 }
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); r.run(ctx) }()
	r.missed(7, "o") // pruned: the cache refuses it, and it is not tried, let alone again
	if gen := <-looked; gen != 7 {
		t.Errorf("looked for generation %d", gen)
	}
	r.missed(1, "o")
	var got []string
	select {
	case ms := <-s.filled:
		for _, m := range ms {
			got = append(got, m.ID+" "+string(m.Status)+" "+m.Content)
			if m.Source.UUID != "turn" || m.Source.Seq != 7 {
				t.Errorf("%s comes from %+v", m.ID, m.Source)
			}
		}
	case <-time.After(30 * time.Second):
		t.Fatal("nothing is filled")
	}
	slices.Sort(got)
	if want := []string{"ended superseded ", "holds active content of holds", "turn active said"}; !slices.Equal(got, want) {
		t.Errorf("filled with %q, want %q", got, want)
	}
	cancel()
	<-done
	for range len(looked) {
		if gen := <-looked; gen != 1 {
			t.Errorf("generation %d waits again", gen)
		}
	}
}

func TestRefillsThatWaitAreBounded(t *testing.T) {
	r := &refiller{asked: map[ownerOf]struct{}{}, wake: make(chan struct{}, 1)}
	for i := range maxRefills + 10 {
		r.missed(1, fmt.Sprint(i))
		r.missed(1, fmt.Sprint(i))
	}
	if len(r.asked) != maxRefills {
		t.Errorf("%d wait", len(r.asked))
	}
	n := 0
	for _, ok := r.next(); ok; _, ok = r.next() {
		n++
	}
	if n != maxRefills {
		t.Errorf("%d came", n)
	}
}
