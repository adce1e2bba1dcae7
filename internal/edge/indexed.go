package edge

import (
	"context"
	"time"
)

// Waiter waits until the log is settled up to a sequence; an error where ctx ends first.
type Waiter interface {
	Wait(ctx context.Context, seq uint64) error
}

// Indexed reports whether everything up to seq is searchable, for which it waits limit at most. What is accepted stays
// accepted: a wait that takes too long is an answer and not an error. Before it waits it calls leave, which gives back
// the place and the memory that the request had while it was worked on: who only waits must keep nobody from work.
func Indexed(ctx context.Context, w Waiter, seq uint64, limit time.Duration, leave func()) bool {
	if w == nil || seq == 0 {
		return false
	}
	leave()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return w.Wait(ctx, seq) == nil
}
