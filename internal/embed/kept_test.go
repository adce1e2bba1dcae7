package embed

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// memShelf is a shelf in memory.
type memShelf struct {
	mu       sync.Mutex
	kept     map[string][]byte
	loadErr  error
	saveErr  error
	saved    int
	repeated bool
}

func (s *memShelf) Load(_ context.Context, keys []string) ([][]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([][]byte, len(keys))
	for i, k := range keys {
		out[i] = s.kept[k]
	}
	return out, s.loadErr
}

func (s *memShelf) Save(_ context.Context, keys []string, values [][]byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.saveErr != nil {
		return s.saveErr
	}
	seen := map[string]bool{}
	for i, k := range keys {
		s.repeated = s.repeated || seen[k]
		seen[k] = true
		s.kept[k] = values[i]
		s.saved++
	}
	return nil
}

// counted counts the texts that it embeds.
type counted struct {
	Embedder
	model string
	texts int
}

func (c *counted) Model() string { return c.model }
func (c *counted) Embed(ctx context.Context, texts []string, kind schema.EmbedKind) ([][]float32, error) {
	c.texts += len(texts)
	return c.Embedder.Embed(ctx, texts, kind)
}

func TestKeptEmbedsNothingTwice(t *testing.T) {
	h, err := NewTable()
	if err != nil {
		t.Fatal(err)
	}
	shelf := &memShelf{kept: map[string][]byte{}}
	texts := []string{"a b", "c d", "a b", "", "e"}
	plain, err := h.Embed(t.Context(), texts, schema.EmbedPassage)
	if err != nil {
		t.Fatal(err)
	}
	asked := func(model, prefix string, want int, kind schema.EmbedKind) {
		t.Helper()
		e := &counted{Embedder: h, model: model}
		got, err := NewKept(e, shelf, prefix, nil).Embed(t.Context(), texts, kind)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if !slices.Equal(got[i], plain[i]) {
				t.Errorf("text %d has another vector", i)
			}
		}
		if e.texts != want {
			t.Errorf("model %s, prefix %q: %d texts embedded, want %d", model, prefix, e.texts, want)
		}
	}
	asked("m", "", 4, schema.EmbedPassage)
	asked("m", "", 0, schema.EmbedPassage)
	asked("m", "", 5, schema.EmbedQuery)            // queries are not kept
	asked("other", "", 4, schema.EmbedPassage)      // another model's are not taken
	asked("m", "passage: ", 4, schema.EmbedPassage) // nor those of another prefix
	if shelf.repeated || len(shelf.kept) != 12 {
		t.Errorf("%d kept, repeated %v", len(shelf.kept), shelf.repeated)
	}
	for k, v := range shelf.kept { // damaged: embedded again, and mended
		v = slices.Clone(v)
		v[3] ^= 1
		shelf.kept[k] = v
	}
	asked("m", "", 4, schema.EmbedPassage)
	asked("m", "", 0, schema.EmbedPassage)
	// A shelf that fails costs calls and nothing else.
	shelf.loadErr, shelf.saveErr = errors.New("away"), errors.New("away")
	asked("m", "", 4, schema.EmbedPassage)
}
