package app

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestATroubleThatLastsIsToldNowAndThen(t *testing.T) {
	var log bytes.Buffer
	now := time.Unix(0, 0)
	tr := troubles{log: slog.New(slog.NewTextHandler(&log, nil)), what: "it fails", now: func() time.Time { return now }}
	for range 5 * 61 { // five times a second, for a little over a minute
		tr.note(t.Context(), errors.New("away"))
		now = now.Add(200 * time.Millisecond)
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 3 || !strings.Contains(lines[0], "suppressed=0") || !strings.Contains(lines[2], "suppressed=149") {
		t.Errorf("%d lines: %q", len(lines), lines)
	}
}
