package events

import (
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// ErrDuplicate is what a handler returns for an event that it had done before: the message is acknowledged and
// counted as a duplicate.
var ErrDuplicate = errors.New("event was handled before")

// ConnOptions are the options that a connection of the pipeline needs: it reconnects for ever, from the first
// try on; it does not keep publishes for a server that is away (what was published before a restart may be gone
// with a memory stream, and an acknowledgement that outlives it would settle what is lost); and it logs what
// happens to it. name is shown by the server's monitoring.
func ConnOptions(name string, log *slog.Logger) []nats.Option {
	return []nats.Option{
		nats.Name(name),
		nats.MaxReconnects(-1),
		nats.RetryOnFailedConnect(true),
		nats.IgnoreAuthErrorAbort(), // credentials may be set right while we wait; else the second refusal would be the end
		nats.ReconnectWait(250 * time.Millisecond),
		nats.ReconnectJitter(100*time.Millisecond, time.Second),
		nats.ReconnectBufSize(-1),
		nats.DisconnectErrHandler(func(nc *nats.Conn, err error) {
			if !nc.IsClosed() { // closing is no loss
				log.Warn("connection to NATS lost", "error", err)
			}
		}),
		nats.ReconnectHandler(func(nc *nats.Conn) { log.Info("connection to NATS is back", "server", nc.ConnectedServerName()) }),
		nats.ErrorHandler(func(_ *nats.Conn, sub *nats.Subscription, err error) {
			subject := ""
			if sub != nil {
				subject = sub.Subject
			}
			log.Warn("asynchronous NATS error", "subject", subject, "error", err)
		}),
	}
}

// OpenJetStream is a JetStream client for many publishes under way at a time; each ends by itself where the
// server never answers it.
func OpenJetStream(nc *nats.Conn) (jetstream.JetStream, error) {
	return jetstream.New(nc,
		jetstream.WithPublishAsyncMaxPending(16<<10),
		jetstream.WithPublishAsyncTimeout(DefaultPublishTimeout),
	)
}

// oneLine makes s fit for a header or a protocol line: one line, at most n bytes of valid UTF-8.
func oneLine(s string, n int) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ")
	if len(s) > n {
		s = strings.ToValidUTF8(s[:n], "")
	}
	return s
}
