package nats

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"syscall"
	"testing"
)

// The server is started again for what it says itself about its disk, never for words that a client brought into its log.
func TestOnlyTheServersOwnErrorMakesItBroken(t *testing.T) {
	full := &os.PathError{Op: "write", Path: "1.blk", Err: syscall.ENOSPC}
	for _, c := range []struct {
		format string
		args   []any
		breaks bool
	}{
		{"JetStream stream '%s > %s' critical write error: %v", []any{"$G", "SILT_LOG", errors.New("input/output error")}, true},
		{"JetStream out of %s resources, will be DISABLED", []any{"File"}, true},
		{"Filesystem permission denied while writing msg, disabling JetStream: %v", []any{os.ErrPermission}, true},
		{"Filestore [KV] could not write its state: %v", []any{fmt.Errorf("flush: %w", full)}, true},
		{"Invalid subject %q of client %s", []any{"a no space left on device", "critical write error"}, false},
		{"Client parse error: %v", []any{errors.New("unknown protocol 'no space left on device'")}, false},
		{"Slow consumer", nil, false},
	} {
		g := newSlogLogger(slog.New(slog.DiscardHandler))
		g.Errorf(c.format, c.args...)
		suspects := len(g.suspect)
		if got := g.broke() != ""; got != c.breaks || suspects == 1 != c.breaks {
			t.Errorf("%s %v: broken %v, %d signals, want %v", c.format, c.args, got, suspects, c.breaks)
		}
	}
}
