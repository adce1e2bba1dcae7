package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Generation is one reading of the log into an index of its own.
type Generation struct {
	Number  int       `json:"number"`           // from 1, never used again
	From    uint64    `json:"from,omitempty"`   // first log sequence that it reads; 0 and 1 for all
	Policy  string    `json:"policy,omitempty"` // tool policies: "recorded" (default) or "current"
	Created time.Time `json:"created"`
	// Model of the embedder whose vectors its collections hold, "" before any was bound ([State.BindModel]).
	Model string `json:"model,omitempty"`
}

const (
	keyActive        = "active"
	keyGenerationAll = "generation.*"
)

func keyGeneration(n int) string { return "generation." + strconv.Itoa(n) }

// readGeneration is a registered generation; ok is false where there is none of that number.
func readGeneration(ctx context.Context, kv jetstream.KeyValue, n int) (g Generation, ok bool, err error) {
	e, err := kv.Get(ctx, keyGeneration(n))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return g, false, nil
	}
	if err == nil {
		err = json.Unmarshal(e.Value(), &g)
	}
	if err != nil {
		return g, false, fmt.Errorf("read generation %d: %w", n, mapError(err))
	}
	return g, true, nil
}

// RegisterGeneration notes g, before [Ensure] makes its streams. Registering the same number again changes
// nothing and is not an error.
func (s *State) RegisterGeneration(ctx context.Context, g Generation) error {
	if g.Number < 1 {
		return schema.Invalid("number", "must be positive")
	}
	b, err := json.Marshal(g)
	if err != nil {
		return fmt.Errorf("encode generation: %w", err)
	}
	rev, err := s.kv.Create(ctx, keyGeneration(g.Number), b)
	if lostRace(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("register generation %d: %w", g.Number, mapError(err))
	}
	s.apply(keyGeneration(g.Number), b, rev, false)
	return nil
}

// BindModel notes the model whose vectors a registered generation holds. Where it holds those of another one that is
// a permanent [schema.CodeConflict]: vectors of two models have nothing to say to one another. With anew, which is
// for a generation without vectors, the model takes the other one's place; should another process bind one at the
// same time, only one of them succeeds.
func (s *State) BindModel(ctx context.Context, n int, model string, anew bool) error {
	e, err := s.kv.Get(ctx, keyGeneration(n))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return schema.Permanent(schema.CodeNotFound, nil, "generation %d is not registered", n)
	}
	var g Generation
	if err == nil {
		err = json.Unmarshal(e.Value(), &g)
	}
	if err != nil {
		return fmt.Errorf("read generation %d: %w", n, mapError(err))
	}
	switch {
	case g.Model == model:
		return nil
	case g.Model != "" && !anew:
		return schema.Permanent(schema.CodeConflict, nil, "generation %d holds vectors of the model %q, and the embedder makes those of %q", n, g.Model, model)
	}
	g.Model = model
	b, err := json.Marshal(g)
	if err != nil {
		return fmt.Errorf("encode generation: %w", err)
	}
	rev, err := s.kv.Update(ctx, keyGeneration(n), b, e.Revision())
	if lostRace(err) {
		return s.BindModel(ctx, n, model, false)
	}
	if err != nil {
		return fmt.Errorf("bind a model to generation %d: %w", n, mapError(err))
	}
	s.apply(keyGeneration(n), b, rev, false)
	return nil
}

// RemoveGeneration takes a generation off the register; the active one is refused.
func (s *State) RemoveGeneration(ctx context.Context, n int) error {
	if s.Active() == n {
		return schema.Invalid("number", "generation %d is the active one", n)
	}
	if err := s.kv.Purge(ctx, keyGeneration(n)); err != nil {
		return fmt.Errorf("remove generation %d: %w", n, mapError(err))
	}
	s.drop(keyGeneration(n))
	return nil
}

// Generations is all registered generations by number. It does not block.
func (s *State) Generations() []Generation {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return sortedGenerations(s.generations)
}

// SetActive makes a registered generation the one that is read. Switching and rolling back are this one write.
func (s *State) SetActive(ctx context.Context, n int) error {
	if _, ok, err := readGeneration(ctx, s.kv, n); err != nil {
		return err
	} else if !ok {
		return schema.Permanent(schema.CodeNotFound, nil, "generation %d is not registered", n)
	}
	b := []byte(strconv.Itoa(n))
	rev, err := s.kv.Put(ctx, keyActive, b)
	if err != nil {
		return fmt.Errorf("switch to generation %d: %w", n, mapError(err))
	}
	s.apply(keyActive, b, rev, false)
	return nil
}

// Active is the generation to read, as last seen by the watch; 0 before any was set. It does not block.
func (s *State) Active() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.active
}
