package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// grace is what a handler gets beyond its time limit to say itself what the limit cut off.
const grace = time.Second

func errTimeout() error {
	return schema.Retryable(schema.CodeTimeout, 0, context.DeadlineExceeded, "the time limit passed; try again")
}

// crash carries a panic from one goroutine to another.
type crash struct {
	value any
	stack []byte
}

func newCrash(p any) *crash { return &crash{p, debug.Stack()} }

// crashed logs a panic; nil is none. What was panicked with may hold text of the request and is not shown.
func (s *server) crashed(ctx context.Context, c *crash) {
	if c != nil && c.value != http.ErrAbortHandler {
		s.Logger.LogAttrs(ctx, slog.LevelError, "request panicked", slog.String(obs.KeyRequest, requestID(ctx)), slog.String("stack", string(c.stack)))
	}
}

// timed runs h, whose context ends after limit. A handler that has answered nothing by then and a little more is left
// behind: the answer is a timeout then, and what it writes later goes nowhere. done is called once h has ended, which
// may be later.
func (s *server) timed(w http.ResponseWriter, r *http.Request, limit time.Duration, h http.HandlerFunc, done func()) {
	ctx, cancel := context.WithTimeout(r.Context(), limit)
	r = r.WithContext(ctx)
	tw := &timedWriter{w: w, header: w.Header().Clone()}
	ended := make(chan *crash, 1)
	go func() {
		defer done()
		defer cancel()
		defer func() {
			var c *crash
			if p := recover(); p != nil {
				c = newCrash(p)
			}
			ended <- c
		}()
		h(tw, r)
	}()
	late := time.NewTimer(limit + grace)
	defer late.Stop()
	var c *crash
	select {
	case c = <-ended:
	case <-late.C:
		if tw.claim(true) {
			go func() { s.crashed(r.Context(), <-ended) }()
			s.fail(w, r, errTimeout())
			return
		}
		c = <-ended // it is writing its answer, which the server's own limit ends
	}
	if c != nil {
		panic(c)
	}
	if tw.claim(true) { // it answered without a byte
		tw.take()
	}
}

// timedWriter is w for whoever claims it first: the handler by writing, or the time limit.
type timedWriter struct {
	w      http.ResponseWriter
	header http.Header

	mu   sync.Mutex
	mine bool // the handler writes
	gone bool // it may not any more
}

// claim makes the answer the limit's, or the handler's; false where the other one has it.
func (t *timedWriter) claim(limit bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if limit {
		t.gone = !t.mine
		return t.gone
	}
	if t.gone {
		return false
	}
	if !t.mine {
		t.mine = true
		t.take()
	}
	return true
}

// take makes the handler's headers the answer's.
func (t *timedWriter) take() {
	h := t.w.Header()
	clear(h)
	for k, v := range t.header {
		h[k] = v
	}
}

// Header implements http.ResponseWriter.
func (t *timedWriter) Header() http.Header { return t.header }

// WriteHeader implements http.ResponseWriter.
func (t *timedWriter) WriteHeader(status int) {
	if t.claim(false) {
		t.w.WriteHeader(status)
	}
}

// Write implements http.ResponseWriter.
func (t *timedWriter) Write(b []byte) (int, error) {
	if !t.claim(false) {
		return 0, http.ErrHandlerTimeout
	}
	return t.w.Write(b)
}
