package app

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Processes may be started in any order: a role waits for its servers, says so once, and ends when its time is over.
func TestARoleWaitsForItsServers(t *testing.T) {
	var log bytes.Buffer
	a := &app{log: slog.New(slog.NewTextHandler(&log, nil))}
	tries := 0
	err := a.await(t.Context(), "Qdrant", func(context.Context) error {
		if tries++; tries < 3 {
			return errors.New("connection refused")
		}
		return nil
	})
	if err != nil || tries != 3 || strings.Count(log.String(), "waiting for a server") != 1 {
		t.Errorf("%v after %d tries: %s", err, tries, log.String())
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	err = a.await(over, "Qdrant", func(ctx context.Context) error { return errors.New("connection refused") })
	if schema.CodeOf(err) != schema.CodeUnavailable || !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "Qdrant does not answer") {
		t.Errorf("in vain: %v", err)
	}
}
