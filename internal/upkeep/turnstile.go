package upkeep

import (
	"context"
	"fmt"
	"sync"
)

// turnstile lets one through at a time, about in the order of coming. The zero value is ready; any number of goroutines
// may use it.
type turnstile struct {
	once sync.Once
	in   chan struct{}
}

// enter waits until nobody else is inside, or ctx ends; then its error wraps that of ctx. Who is in has to leave.
func (t *turnstile) enter(ctx context.Context) (leave func(), err error) {
	t.once.Do(func() { t.in = make(chan struct{}, 1) })
	select {
	case t.in <- struct{}{}:
		return func() { <-t.in }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for others to be done: %w", ctx.Err())
	}
}
