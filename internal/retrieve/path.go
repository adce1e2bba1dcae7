package retrieve

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// isolate runs one path of a query under a deadline of its own. It returns when f does or when the deadline passes,
// whichever is first, and a panic in f is an error like any other. An f that ignores its context runs on alone.
func isolate[T any](ctx context.Context, limit time.Duration, log *slog.Logger, name string, f func(context.Context) (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r = result{err: fmt.Errorf("%s: panic", name)}
				// The value may hold text of a memory: only its type and the stack are logged.
				log.Error("path panicked", "path", name, "panic", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
			}
			done <- r
		}()
		r.v, r.err = f(ctx)
	}()
	select {
	case r := <-done:
		return r.v, r.err
	case <-ctx.Done():
		var zero T
		return zero, &schema.Error{Code: schema.CodeTimeout, Message: name + " did not answer in time", Err: ctx.Err(), Retry: true}
	}
}

// faults collects what a reply had to do without, each once, in the order of its happening. A path that was given
// up may still add to it: it is safe for concurrent use.
type faults struct {
	mu    sync.Mutex
	names []string
	log   *slog.Logger
}

func (f *faults) list() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string{}, f.names...)
}

func (f *faults) add(name string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, n := range f.names {
		if n == name {
			return
		}
	}
	f.names = append(f.names, name)
	f.log.Warn("degraded", "path", name, obs.KeyError, err)
}
