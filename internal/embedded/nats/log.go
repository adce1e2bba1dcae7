package nats

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
)

// slogLogger carries the server's log to slog. The server's Fatalf means "this part did not start"; it relies on
// the logger to end the process. Here the first such line is kept, so that Start can return it.
type slogLogger struct {
	l *slog.Logger

	mu      sync.Mutex
	first   string
	broken  string        // the first line by which a store takes no more
	suspect chan struct{} // one place: it has become broken
}

func newSlogLogger(l *slog.Logger) *slogLogger {
	return &slogLogger{l: l.With("component", "nats"), suspect: make(chan struct{}, 1)}
}

func (g *slogLogger) fatal() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.first
}

// The server's notices (version, store directory, recovered streams) are details here.
func (g *slogLogger) Noticef(f string, v ...any) { g.l.Debug(fmt.Sprintf(f, v...)) }
func (g *slogLogger) Warnf(f string, v ...any)   { g.watch(slog.LevelWarn, f, v) }
func (g *slogLogger) Errorf(f string, v ...any)  { g.watch(slog.LevelError, f, v) }
func (g *slogLogger) Debugf(f string, v ...any)  { g.l.Debug(fmt.Sprintf(f, v...)) }
func (g *slogLogger) Tracef(f string, v ...any)  { g.l.Debug(fmt.Sprintf(f, v...)) }

// watch logs a line and notes one that says that a store takes no more.
func (g *slogLogger) watch(level slog.Level, f string, v []any) {
	line := fmt.Sprintf(f, v...)
	if breaks(f, v) {
		g.mu.Lock()
		if g.broken == "" {
			g.broken = line
		}
		g.mu.Unlock()
		select {
		case g.suspect <- struct{}{}:
		default:
		}
	}
	g.l.Log(context.Background(), level, line)
}

func (g *slogLogger) broke() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.broken
}

// stay keeps the server broken by err until the next reset.
func (g *slogLogger) stay(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.broken = err.Error()
}

// reset forgets what an earlier server said.
func (g *slogLogger) reset() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.first, g.broken = "", ""
}

func (g *slogLogger) Fatalf(f string, v ...any) {
	msg := fmt.Sprintf(f, v...)
	g.mu.Lock()
	if g.first == "" {
		g.first = msg
	}
	g.mu.Unlock()
	g.l.Error(msg)
}
