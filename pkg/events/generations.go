package events

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Generation is one reading of the log into an index of its own.
type Generation struct {
	Number  int       `json:"number"`           // from 1, never used again
	From    uint64    `json:"from,omitempty"`   // first log sequence that it reads; 0 and 1 for all
	To      uint64    `json:"to,omitempty"`     // last log sequence that it reads; 0 for no end
	Policy  string    `json:"policy,omitempty"` // tool policies: PolicyRecorded (default) or PolicyCurrent
	Created time.Time `json:"created"`
	// Target is the end of the log when it was registered: it is filled once it is settled to there. 0 for the first one,
	// which has nothing to catch up with.
	Target uint64 `json:"target,omitempty"`
	// Again is the end of the log when it began to be read again, since the index was lost or another log was accepted: what
	// lies up to there does not wait for the first time. 0 where it never was.
	Again uint64 `json:"again,omitempty"`
	// Tenant is the one whose part of the log it reads anew, "" for all. Of the others it has the points that the generation
	// CopyOf had of what the log held up to Target; what they say later it reads as every generation does.
	Tenant string `json:"tenant,omitempty"`
	CopyOf int    `json:"copy_of,omitempty"`
	Copied bool   `json:"copied,omitempty"` // those points are there; its stages do not run before
	// CopyBy copies them at present: the process that noted that last, at CopyBeat.
	CopyBy   string    `json:"copy_by,omitempty"`
	CopyBeat time.Time `json:"copy_beat,omitzero"`
	// Model of the embedder whose vectors its collections hold, "" before any was bound ([State.BindModel]).
	Model string `json:"model,omitempty"`

	Phase    Phase           `json:"phase,omitempty"`
	Switch   bool            `json:"switch,omitempty"`   // it is to be read as soon as it is filled
	Filled   time.Time       `json:"filled,omitzero"`    // when it was found to be
	Replaced int             `json:"replaced,omitempty"` // the generation that was read before it, 0 for none
	Report   json.RawMessage `json:"report,omitempty"`   // what was compared when it was filled
}

// Phase is how far a generation is in its life.
type Phase string

// The phases. A number stays registered when its generation is gone, so that it is never used again.
const (
	PhaseFilling Phase = ""        // of the first one: always
	PhaseFilled  Phase = "filled"  // settled to its target, and compared
	PhasePruning Phase = "pruning" // nobody works on it any more, and it is being removed
	PhasePruned  Phase = "pruned"  // gone
)

// Tool policies of a generation.
const (
	PolicyRecorded = "recorded" // as they stood when an event was accepted
	PolicyCurrent  = "current"  // as they stood when the generation was registered, or the event was accepted, whichever came later
)

// Anew makes it a reading of the whole log, whose last sequence is last, where that holds other entries than before: sequences
// that it began, ended or was copied at mean nothing any more, and what was copied is gone.
func (g *Generation) Anew(last uint64) {
	g.From, g.To, g.Tenant, g.CopyOf, g.Copied, g.CopyBy, g.CopyBeat = 0, 0, "", 0, false, "", time.Time{}
	g.Target, g.Again = min(g.Target, last), last
}

// Live reports whether the generation is worked on.
func (g Generation) Live() bool { return g.Phase == PhaseFilling || g.Phase == PhaseFilled }

// Ready reports whether its stages may run.
func (g Generation) Ready() bool { return g.Tenant == "" || g.Copied }

// Complete reports whether it accounts for all of the log.
func (g Generation) Complete() bool { return g.From <= 1 && g.To == 0 }

// Holds reports whether it accounts for the log entry seq, as it read it or as it was copied.
func (g Generation) Holds(seq uint64) bool { return seq >= g.From && (g.To == 0 || seq <= g.To) }

// Reads reports whether it reads a tenant's log entry seq.
func (g Generation) Reads(tenant string, seq uint64) bool {
	return g.Holds(seq) && (g.Tenant == "" || g.Tenant == tenant || seq > g.Target)
}

// PolicyRev is the policy revision under which it reads an event of a tenant that was accepted under rev.
func (g Generation) PolicyRev(tenant string, rev uint64) uint64 {
	if g.Policy == PolicyCurrent && (g.Tenant == "" || g.Tenant == tenant) {
		return max(rev, g.Target)
	}
	return rev
}

const (
	keyActive        = "active"
	keyGeneration0   = "generation."
	keyGenerationAll = keyGeneration0 + "*"
)

func keyGeneration(n int) string { return keyGeneration0 + strconv.Itoa(n) }

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

// NextGeneration registers g under the next free number and returns it with that, unless check objects to the
// generations that are registered, those that are gone included. check is asked again where another process was faster,
// with that one's among them: of two that may not be there together, one is refused.
func (s *State) NextGeneration(ctx context.Context, g Generation, check func([]Generation) error) (Generation, error) {
	for {
		all, err := s.allGenerations(ctx)
		if err == nil {
			err = check(all)
		}
		if err != nil {
			return g, err
		}
		g.Number = 1
		if n := len(all); n > 0 {
			g.Number = all[n-1].Number + 1
		}
		b, err := json.Marshal(g)
		if err != nil {
			return g, fmt.Errorf("encode generation: %w", err)
		}
		rev, err := s.kv.Create(ctx, keyGeneration(g.Number), b)
		if lostRace(err) { // another process was faster
			continue
		}
		if err != nil {
			return g, fmt.Errorf("register generation %d: %w", g.Number, mapError(err))
		}
		s.apply(keyGeneration(g.Number), b, rev, false)
		return g, nil
	}
}

// allGenerations are those that were ever registered, by number, as the bucket has them now.
func (s *State) allGenerations(ctx context.Context) ([]Generation, error) {
	keys, err := s.kv.ListKeysFiltered(ctx, keyGenerationAll)
	if err != nil {
		return nil, fmt.Errorf("list generations: %w", mapError(err))
	}
	all := map[int]Generation{}
	for k := range keys.Keys() {
		n, err := strconv.Atoi(strings.TrimPrefix(k, keyGeneration0))
		if err != nil {
			continue
		}
		g, ok, err := readGeneration(ctx, s.kv, n)
		if err != nil {
			return nil, err
		}
		if ok {
			all[n] = g
		}
	}
	return sortedGenerations(all), ctx.Err()
}

// EditGeneration changes a registered generation by change, which is asked again where another process was faster. What
// change leaves as it was is not written; its error ends the edit. It returns the generation as it stands then.
func (s *State) EditGeneration(ctx context.Context, n int, change func(*Generation) error) (Generation, error) {
	for {
		e, err := s.kv.Get(ctx, keyGeneration(n))
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			return Generation{}, schema.Permanent(schema.CodeNotFound, nil, "generation %d is not registered", n)
		}
		var g Generation
		if err == nil {
			err = json.Unmarshal(e.Value(), &g)
		}
		if err != nil {
			return g, fmt.Errorf("read generation %d: %w", n, mapError(err))
		}
		if err := change(&g); err != nil {
			return g, err
		}
		b, err := json.Marshal(g)
		if err != nil {
			return g, fmt.Errorf("encode generation: %w", err)
		}
		rev := e.Revision()
		if !bytes.Equal(b, e.Value()) {
			rev, err = s.kv.Update(ctx, keyGeneration(n), b, rev)
			if lostRace(err) {
				continue
			}
			if err != nil {
				return g, fmt.Errorf("edit generation %d: %w", n, mapError(err))
			}
		}
		s.apply(keyGeneration(n), b, rev, false)
		return g, nil
	}
}

// BindModel notes the model whose vectors a registered generation holds. Where it holds those of another one that is
// a permanent [schema.CodeConflict]: vectors of two models have nothing to say to one another. With anew, which is
// for a generation without vectors, the model takes the other one's place; should another process bind one at the
// same time, only one of them succeeds.
func (s *State) BindModel(ctx context.Context, n int, model string, anew bool) error {
	tries := 0
	_, err := s.EditGeneration(ctx, n, func(g *Generation) error {
		tries++
		if g.Model != "" && g.Model != model && (!anew || tries > 1) {
			return schema.Permanent(schema.CodeConflict, nil, "generation %d holds vectors of the model %q, and the embedder makes those of %q", n, g.Model, model)
		}
		g.Model = model
		return nil
	})
	return err
}

// Generations is all registered generations that are not gone, by number. It does not block.
func (s *State) Generations() []Generation {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.DeleteFunc(sortedGenerations(s.generations), func(g Generation) bool { return g.Phase == PhasePruned })
}

// Generation is a registered generation, gone or not, as last seen. It does not block.
func (s *State) Generation(n int) (Generation, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	g, ok := s.generations[n]
	return g, ok
}

// Moved is closed when what generations there are, or which is read, changes after the call.
func (s *State) Moved() <-chan struct{} {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.moved
}

// SetActive makes a registered generation the one that is read, and returns the one that was before, 0 for none.
// Switching and rolling back are this one write. still, where it is not nil, is asked whether that is wanted, with the
// entry as it stands now, and once more where somebody else has switched since: its error ends it. So a process that
// lags behind does not undo what was chosen meanwhile.
func (s *State) SetActive(ctx context.Context, n int, still func(was int, g Generation) error) (was int, err error) {
	for {
		e, err := s.kv.Get(ctx, keyActive) // before the entry: whoever changes that first and switches then is seen
		was, rev := 0, uint64(0)
		switch {
		case err == nil:
			was, _ = strconv.Atoi(string(e.Value()))
			rev = e.Revision()
		case !errors.Is(err, jetstream.ErrKeyNotFound):
			return 0, fmt.Errorf("read which generation is read: %w", mapError(err))
		}
		g, ok, err := readGeneration(ctx, s.kv, n)
		if err != nil {
			return was, err
		}
		if !ok || !g.Live() {
			return was, schema.Permanent(schema.CodeNotFound, nil, "there is no generation %d", n)
		}
		if still != nil {
			if err := still(was, g); err != nil {
				return was, err
			}
		}
		b := []byte(strconv.Itoa(n))
		rev, err = s.kv.Update(ctx, keyActive, b, rev)
		if lostRace(err) {
			continue
		}
		if err != nil {
			return was, fmt.Errorf("switch to generation %d: %w", n, mapError(err))
		}
		s.apply(keyActive, b, rev, false)
		return was, nil
	}
}

// Active is the generation to read, as last seen by the watch; 0 before any was set. It does not block.
func (s *State) Active() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.active
}
