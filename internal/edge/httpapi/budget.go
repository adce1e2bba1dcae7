package httpapi

import (
	"context"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// patience is how long a body that is being read waits for memory, and a batch for a slot, before it is refused.
const patience = 20 * time.Second

// bigBody is how many bytes a body may hold like any other. One that grows beyond needs one of the few places for big
// ones, each of which has room for the longest turn: big bodies that shared one store would wait for each other with
// all of it taken.
const bigBody = 1 << 20

// budget bounds the bytes that all bodies hold in memory together, from their being read to their being handed on.
// Bytes are taken as they come and not as they are announced, so that an announcement holds nothing.
type budget struct {
	small *semaphore.Weighted
	big   places
}

// leastSmall is room for some small bodies, however small the limit of a turn is.
const leastSmall = 256 << 10

// newBudget divides size bytes: one half is for big bodies of up to turn bytes.
func newBudget(size, turn int) *budget {
	big := max(1, size/2/turn)
	return &budget{semaphore.NewWeighted(int64(max(size-big*turn, leastSmall))), make(places, big)}
}

// hold is what one body has taken of a budget. Not safe for concurrent use.
type hold struct {
	*budget
	n     int64
	isBig bool
}

func (b *budget) hold() *hold { return &hold{budget: b} }

// try takes n bytes where they are free.
func (h *hold) try(n int) bool {
	if !h.isBig && (h.n+int64(n) > bigBody || !h.small.TryAcquire(int64(n))) {
		return false
	}
	h.n += int64(n)
	return true
}

// take takes n bytes, for which it waits a moment; the error is an overload.
func (h *hold) take(ctx context.Context, n int) error {
	if h.try(n) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if h.n+int64(n) > bigBody {
		if !h.big.await(ctx) {
			return errBuffer()
		}
		h.small.Release(h.n)
		h.isBig = true
	} else if h.small.Acquire(ctx, int64(n)) != nil {
		return errBuffer()
	}
	h.n += int64(n)
	return nil
}

// free gives back all but keep bytes.
func (h *hold) free(keep int) {
	k := int64(keep)
	switch {
	case h.isBig && k <= bigBody:
		h.isBig = false
		h.big.leave()
		if h.n = k; !h.small.TryAcquire(k) {
			h.n = 0 // what is left of a big body is let go uncounted: it must not wait for memory to give some back
		}
	case !h.isBig && h.n > k:
		h.small.Release(h.n - k)
		h.n = k
	}
}

// lend moves what is taken to a hold of its own, for those who use the memory on after the one that it was taken for.
func (h *hold) lend() *hold {
	lent := *h
	*h = hold{budget: h.budget}
	return &lent
}

func errBuffer() error {
	return overloaded("bodies that are being read fill the memory set aside for them (http.max_buffer)")
}

func overloaded(why string) error {
	return schema.Retryable(schema.CodeOverloaded, time.Second, nil, "%s; try again", why)
}

// places bounds how many do something at once.
type places chan struct{}

// enter takes a place where one is free at once.
func (p places) enter() bool {
	select {
	case p <- struct{}{}:
		return true
	default:
		return false
	}
}

// await takes a place, for which it waits a moment.
func (p places) await(ctx context.Context) bool {
	if p.enter() {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case p <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (p places) leave() { <-p }
