package events

import (
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// TestAnOutageIsCalledThat: with the server away for long the client's own text tells of its full buffer.
func TestAnOutageIsCalledThat(t *testing.T) {
	for _, err := range []error{nats.ErrReconnectBufExceeded, nats.ErrDisconnected, nats.ErrConnectionClosed} {
		got := mapError(err)
		wantCode(t, got, schema.CodeUnavailable, false)
		if s := got.Error(); !strings.Contains(s, "NATS is not connected") || strings.Contains(s, "buffer") {
			t.Errorf("%v: %s", err, s)
		}
	}
}
