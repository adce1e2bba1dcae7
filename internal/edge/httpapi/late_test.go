package httpapi

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// late is a port that heeds no context and panics once it is let go.
type late struct {
	fake
	free chan struct{}
}

func (l *late) Publish(context.Context, string, [][]byte) ([]schema.Accepted, []error) {
	<-l.free
	panic("memory text")
}

func (l *late) Query(context.Context, string, schema.Query) (schema.Reply, error) {
	<-l.free
	panic("memory text")
}

// safeLog is a log that may be read while it is written.
type safeLog struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *safeLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *safeLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// What outlives its time limit holds its memory until it ends, and a panic then is logged under its request.
func TestWhatOutlivesItsLimitIsAccountedFor(t *testing.T) {
	l := &late{free: make(chan struct{})}
	log := &safeLog{}
	cfg := edgeOf(&l.fake)
	cfg.Publisher, cfg.Querier, cfg.Logger = l, l, slog.New(slog.NewTextHandler(log, nil))
	cfg.ReadTimeout, cfg.WriteTimeout, cfg.MaxOpen = 20*time.Millisecond, 20*time.Millisecond, 8
	s, err := newServer(cfg)
	if err != nil {
		t.Fatal(err)
	}
	h := s.root(routes)
	turn := `{"user":"u","id":"1","input":"` + strings.Repeat("x", 30<<10) + `"}`
	calls := map[string][]string{
		"late-turn":  {"POST", "/v1/events", turn, "X-Request-Id", "late-turn"},
		"late-batch": {"POST", "/v1/events", turn + "\n", "X-Request-Id", "late-batch", "Content-Type", "application/x-ndjson"},
		"late-query": {"POST", "/v1/query", `{"user":"u","query":"x"}`, "X-Request-Id", "late-query"},
	}
	var wg sync.WaitGroup
	for name, c := range calls {
		wg.Go(func() {
			if w := call(h, c[0], c[1], c[2], c[3:]...); w.Code != 504 {
				t.Errorf("%s is answered with %d %s", name, w.Code, w.Body)
			}
		})
	}
	wg.Wait()
	small := s.bounds.bytes.small
	size := int64(cfg.MaxBuffer - cfg.MaxBuffer/2/cfg.MaxTurn*cfg.MaxTurn)
	if small.TryAcquire(size - 50<<10) {
		t.Error("the memory of bodies in use is given away")
		small.Release(size - 50<<10)
	}
	close(l.free)
	waitUntil(t, func() bool {
		if !small.TryAcquire(size) {
			return false
		}
		small.Release(size)
		return len(s.bounds.work) == 0
	})
	waitUntil(t, func() bool {
		for name := range calls {
			if !strings.Contains(log.String(), "request="+name) {
				return false
			}
		}
		return true
	})
	if out := log.String(); strings.Count(out, "request panicked") != 3 || strings.Contains(out, "memory text") {
		t.Errorf("the log says\n%s", out)
	}
}
