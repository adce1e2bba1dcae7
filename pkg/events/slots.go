package events

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Slots is the revisions of slots: whoever recomputes a slot reads its revision, reads its facts, writes what
// follows, and compares and swaps the revision last; where another was faster, it does it all again. The bucket
// guards and does not remember: it is in memory, an entry goes after a time, and a revision read before either
// never matches after it. It is safe for concurrent use.
type Slots struct{ kv jetstream.KeyValue }

// OpenSlots opens the bucket that [Ensure] made.
func OpenSlots(ctx context.Context, js jetstream.JetStream) (*Slots, error) {
	kv, err := js.KeyValue(ctx, BucketSlots)
	if err != nil {
		return nil, fmt.Errorf("open slots: %w", mapError(err))
	}
	return &Slots{kv}, nil
}

// keySlot has a fixed length: a slot names a subject of any length in any script.
func keySlot(generation int, slot string) string {
	return strconv.Itoa(generation) + "." + schema.UUID(slot)
}

// Revision is a slot's revision, 0 for one not written of late.
func (s *Slots) Revision(ctx context.Context, generation int, slot string) (uint64, error) {
	e, err := s.kv.Get(ctx, keySlot(generation, slot))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read slot revision: %w", mapError(err))
	}
	return e.Revision(), nil
}

// CompareAndSwap gives a slot a new revision where it still has rev, and reports whether it had.
func (s *Slots) CompareAndSwap(ctx context.Context, generation int, slot string, rev uint64) (ok bool, err error) {
	if rev == 0 {
		_, err = s.kv.Create(ctx, keySlot(generation, slot), nil)
	} else {
		_, err = s.kv.Update(ctx, keySlot(generation, slot), nil, rev)
	}
	if lostRace(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("write slot revision: %w", mapError(err))
	}
	return true, nil
}
