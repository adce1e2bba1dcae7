package nats

import (
	"fmt"
	"log/slog"
	"sync"
)

// slogLogger carries the server's log to slog. The server's Fatalf means "this part did not start"; it relies on
// the logger to end the process. Here the first such line is kept, so that Start can return it.
type slogLogger struct {
	l *slog.Logger

	mu    sync.Mutex
	first string
}

func newSlogLogger(l *slog.Logger) *slogLogger {
	return &slogLogger{l: l.With("component", "nats")}
}

func (g *slogLogger) fatal() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.first
}

// The server's notices (version, store directory, recovered streams) are details here.
func (g *slogLogger) Noticef(f string, v ...any) { g.l.Debug(fmt.Sprintf(f, v...)) }
func (g *slogLogger) Warnf(f string, v ...any)   { g.l.Warn(fmt.Sprintf(f, v...)) }
func (g *slogLogger) Errorf(f string, v ...any)  { g.l.Error(fmt.Sprintf(f, v...)) }
func (g *slogLogger) Debugf(f string, v ...any)  { g.l.Debug(fmt.Sprintf(f, v...)) }
func (g *slogLogger) Tracef(f string, v ...any)  { g.l.Debug(fmt.Sprintf(f, v...)) }

func (g *slogLogger) Fatalf(f string, v ...any) {
	msg := fmt.Sprintf(f, v...)
	g.mu.Lock()
	if g.first == "" {
		g.first = msg
	}
	g.mu.Unlock()
	g.l.Error(msg)
}
