package events

import (
	"context"
	"fmt"

	"golang.org/x/sync/semaphore"
)

// largeBody is how many bytes a body may have and still share memory with all others. Larger ones have a lane of
// their own, so that no small one ever waits for a large one.
const largeBody = 1 << 20

// minBudget is what a [Budget] needs at least.
const minBudget = 2 * largeBody

// Budget bounds the bytes of the bodies that the handlers of a process have in memory at a time. A handler's work on a
// body takes several times the body itself, so this, and not the number of messages, is what bounds memory.
//
// One half is for bodies of up to 1 MiB, of which the handlers of one durable get half at most: while what a stage needs
// is away, the others go on. The other half is for larger ones; a body that is larger than that half has all of it, alone.
// Whoever waits is served in the order of coming, so that a large body waits for those before it and not for ever.
//
// Nobody who has a part of it waits for another part, or for anybody who does: a handler asks once, for the whole of its
// body, and gives back before it waits for a dependency to come back. So it cannot come to a deadlock. Safe for
// concurrent use.
type Budget struct {
	half         int64
	small, large *semaphore.Weighted
}

// NewBudget returns a budget of so many bytes, at least 2 MiB.
func NewBudget(bytes int64) (*Budget, error) {
	if bytes < minBudget {
		return nil, fmt.Errorf("create budget: %d bytes are less than %d", bytes, minBudget)
	}
	half := bytes / 2
	return &Budget{half: half, small: semaphore.NewWeighted(half), large: semaphore.NewWeighted(half)}, nil
}

// share is the part of a budget that the handlers of one durable use.
type share struct {
	*Budget
	own *semaphore.Weighted // of the small lane
}

// share is nil of a nil budget, which bounds nothing.
func (b *Budget) share() *share {
	if b == nil {
		return nil
	}
	return &share{b, semaphore.NewWeighted(max(b.half/2, largeBody))}
}

// take waits until there is room for a body of n bytes and returns what gives it back. It fails where ctx ends first.
func (s *share) take(ctx context.Context, n int64) (free func(), err error) {
	if s == nil {
		return func() {}, nil
	}
	if n > largeBody {
		n = min(n, s.half)
		if err := s.large.Acquire(ctx, n); err != nil {
			return nil, err
		}
		return func() { s.large.Release(n) }, nil
	}
	// Always in this order: who has the durable's own part waits only for those who have theirs of the whole.
	if err := s.own.Acquire(ctx, n); err != nil {
		return nil, err
	}
	if err := s.small.Acquire(ctx, n); err != nil {
		s.own.Release(n)
		return nil, err
	}
	return func() { s.small.Release(n); s.own.Release(n) }, nil
}
