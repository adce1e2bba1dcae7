package obs

import (
	"fmt"
	"io"
	"log/slog"
)

// Attribute names: the same thing has the same name on every line.
const (
	KeyEvent   = "event" // inside id (UUID) of an event
	KeyEventID = "event_id"
	KeyTenant  = "tenant"
	KeyUser    = "user"
	KeyStage   = "stage"
	KeySeq     = "seq"
	KeyError   = "error"
	KeyCode    = "code"
	KeyAddr    = "addr"
	KeyRequest = "request"
	KeyGen     = "generation"
)

// NewLogger returns a logger that writes to w. level is debug, info, warn or error; format is text or json.
func NewLogger(w io.Writer, level, format string) (*slog.Logger, error) {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		return nil, fmt.Errorf("log level %q: %w", level, err)
	}
	opts := &slog.HandlerOptions{Level: l}
	switch format {
	case "json":
		return slog.New(slog.NewJSONHandler(w, opts)), nil
	case "text", "":
		return slog.New(slog.NewTextHandler(w, opts)), nil
	}
	return nil, fmt.Errorf("log format %q is not text or json", format)
}
