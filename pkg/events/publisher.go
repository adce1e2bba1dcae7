package events

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.opentelemetry.io/otel/propagation"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// HeaderMessageUUID carries the UUID of a Watermill message that is not an event of ours.
const HeaderMessageUUID = "Silt-Message-Uuid"

// DefaultPublishTimeout bounds the wait for the server's acknowledgements of one Publish.
const DefaultPublishTimeout = 10 * time.Second

// PublisherConfig configures a [Publisher].
type PublisherConfig struct {
	JS      jetstream.JetStream // shared; its publishes should have a timeout ([OpenJetStream] sets one)
	Timeout time.Duration       // wait for acknowledgements at most this long; default [DefaultPublishTimeout]
	Metrics *Metrics            // nil counts nothing
	Name    string              // label of the duplicates that the Watermill side counts; default "publisher"
}

// Publisher implements Watermill's message.Publisher: all messages of a call are sent at once, then every
// acknowledgement is waited for and looked at. It is safe for concurrent use, and many calls at a time is how it
// is fast. [Publisher.Events] is the typed side of it.
type Publisher struct{ cfg PublisherConfig }

var _ message.Publisher = (*Publisher)(nil)

// NewPublisher checks cfg and returns a Publisher. It does not touch the network.
func NewPublisher(cfg PublisherConfig) (*Publisher, error) {
	if cfg.JS == nil {
		return nil, errors.New("create publisher: JS is missing")
	}
	if cfg.Timeout <= 0 {
		cfg.Timeout = DefaultPublishTimeout
	}
	if cfg.Name == "" {
		cfg.Name = "publisher"
	}
	return &Publisher{cfg: cfg}, nil
}

// Publish stores msgs under the subject topic and returns once the stream has acknowledged all of them. On an
// error some may have been stored: give them a Nats-Msg-Id in their metadata and publish all again.
//
// Metadata becomes headers, except Status, Description and Nats-* (Nats-Msg-Id passes): a server would take them
// for its own. A key that is not a header name, or a value that a header cannot hold, is a permanent error.
// Errors are *schema.Error.
func (p *Publisher) Publish(topic string, msgs ...*message.Message) error {
	out := make([]*nats.Msg, len(msgs))
	for i, m := range msgs {
		h, err := headersOf(m)
		if err != nil {
			return fmt.Errorf("publish message %s to %s: %w", m.UUID, topic, err)
		}
		out[i] = &nats.Msg{Subject: topic, Header: h, Data: m.Payload}
	}
	ctx := context.Background()
	if len(msgs) > 0 {
		ctx = msgs[0].Context()
	}
	if err := p.send(ctx, p.cfg.Name, out); err != nil {
		return fmt.Errorf("publish to %s: %w", topic, err)
	}
	return nil
}

// Close does nothing: the connection is shared, and the Router closes the publishers of handlers that stop.
func (p *Publisher) Close() error { return nil }

// send publishes msgs without waiting in between, then waits for every acknowledgement, whatever became of the
// others.
func (p *Publisher) send(ctx context.Context, stage string, msgs []*nats.Msg) error {
	if len(msgs) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, p.cfg.Timeout)
	defer cancel()
	var firstErr error
	futures := make([]jetstream.PubAckFuture, 0, len(msgs))
	for _, m := range msgs {
		if err := ctx.Err(); err != nil {
			firstErr = err
			break
		}
		f, err := p.cfg.JS.PublishMsgAsync(m, jetstream.WithStallWait(p.cfg.Timeout))
		if err != nil {
			firstErr = err
			break
		}
		futures = append(futures, f)
	}
	for _, f := range futures {
		select {
		case ack := <-f.Ok():
			if ack.Duplicate {
				p.cfg.Metrics.publishDuplicate(stage)
			}
		case err := <-f.Err():
			if firstErr == nil {
				firstErr = err
			}
		case <-ctx.Done():
			if firstErr == nil {
				firstErr = ctx.Err()
			}
		}
	}
	return publishError(firstErr)
}

// JetStream API error codes that decide between permanent and retryable.
const (
	codeStreamFull     jetstream.ErrorCode = 10077 // maximum messages or bytes exceeded
	codeMessageTooLong jetstream.ErrorCode = 10054 // over the stream's max_msg_size
	codeAccountFull    jetstream.ErrorCode = 10002 // the account's bound of storage, which the embedded server sets by its disk
	codeNoResources    jetstream.ErrorCode = 10023 // the server's max_file_store or max_memory_store
	codeNoStorage      jetstream.ErrorCode = 10047 // a stream to be made reserves more than there is
	codeNoMemory       jetstream.ErrorCode = 10028 // the same of a stream in memory
)

// full reports whether the server has no room in its storage.
func full(api *jetstream.APIError) bool {
	return api.ErrorCode == codeAccountFull || api.ErrorCode == codeNoResources || api.ErrorCode == codeNoStorage
}

func publishError(err error) error {
	var api *jetstream.APIError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, nats.ErrMaxPayload):
		return schema.Permanent(schema.CodeTooLarge, err, "message is over the server's limit")
	case errors.Is(err, nats.ErrBadSubject):
		return schema.Permanent(schema.CodeInvalid, err, "subject is malformed")
	case errors.As(err, &api) && api.ErrorCode == codeMessageTooLong:
		return schema.Permanent(schema.CodeTooLarge, err, "message is over the stream's limit")
	case errors.As(err, &api) && api.ErrorCode == codeStreamFull:
		return schema.Retryable(schema.CodeOverloaded, 0, err, "stream is full")
	case errors.As(err, &api) && full(api):
		return schema.Retryable(schema.CodeNoSpace, 0, err, "there is no room for it in the server's storage")
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, jetstream.ErrAsyncPublishTimeout):
		return schema.Retryable(schema.CodeTimeout, 0, err, "stream did not acknowledge in time")
	case errors.Is(err, context.Canceled):
		return err
	}
	return schema.Retryable(schema.CodeUnavailable, 0, err, "stream did not take the message")
}

// headersOf is the metadata of m as headers.
func headersOf(m *message.Message) (nats.Header, error) {
	h := make(nats.Header, len(m.Metadata)+1)
	for k, v := range m.Metadata {
		if reserved(k) && k != jetstream.MsgIDHeader {
			continue
		}
		if !headerName(k) {
			return nil, schema.Permanent(schema.CodeInvalid, nil, "metadata key %q is not a header name", k)
		}
		if strings.ContainsAny(v, "\r\n\x00") || strings.TrimSpace(v) != v {
			return nil, schema.Permanent(schema.CodeInvalid, nil, "value of metadata key %q has line breaks or outer spaces, which headers do not keep", k)
		}
		h[k] = []string{v}
	}
	if m.UUID != "" {
		h[HeaderMessageUUID] = []string{m.UUID}
	}
	return h, nil
}

// reserved reports whether the server or the client library gives a header of this name a meaning of its own.
func reserved(key string) bool {
	return strings.EqualFold(key, "Status") || strings.EqualFold(key, "Description") ||
		len(key) >= 5 && strings.EqualFold(key[:5], "Nats-")
}

// headerName reports whether s is a token of RFC 9110.
func headerName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0:
		default:
			return false
		}
	}
	return s != ""
}

// EventPublisher publishes what stages derive: it knows the subjects, the headers and the ids.
type EventPublisher struct {
	p      *Publisher
	encode Encode
}

// Encode turns an event into the headers and body of its message; [Blobs] does, with a claim check for large
// bodies.
type Encode func(ctx context.Context, stage string, ev schema.Event) (nats.Header, []byte, error)

// Events is the typed side of p. A nil encode sends bodies as they are, whatever their size.
func (p *Publisher) Events(encode Encode) *EventPublisher {
	if encode == nil {
		encode = func(_ context.Context, _ string, ev schema.Event) (nats.Header, []byte, error) {
			return Headers(ev.Envelope), ev.Body, nil
		}
	}
	return &EventPublisher{p: p, encode: encode}
}

// Publish stores evs, which stage derived, in the work streams of their generations and returns once all are
// acknowledged. An event that is there already is counted, not an error. The trace of ctx, where it has one,
// travels on. Two events of one call that would share an id, and an event without generation, are permanent
// errors: the stream would swallow one of them, or it would land in the log. Safe for concurrent use.
func (e *EventPublisher) Publish(ctx context.Context, stage string, evs ...schema.Event) error {
	msgs := make([]*nats.Msg, len(evs))
	trace := Traceparent(ctx)
	for i, ev := range evs {
		if ev.Generation <= 0 {
			return schema.Permanent(schema.CodeInternal, nil, "%s publishes event %s without a generation", stage, ev.UUID)
		}
		if trace != "" {
			ev.Trace = trace
		}
		h, body, err := e.encode(ctx, stage, ev)
		if err != nil {
			return fmt.Errorf("encode event %s: %w", ev.UUID, err)
		}
		id := MsgID(stage, ev.Generation, ev.UUID, ev.Seq, ev.Attempt)
		for _, m := range msgs[:i] {
			if m.Header[jetstream.MsgIDHeader][0] == id {
				return schema.Permanent(schema.CodeInternal, nil, "%s publishes event %s twice", stage, ev.UUID)
			}
		}
		h[jetstream.MsgIDHeader] = []string{id}
		msgs[i] = &nats.Msg{Subject: WorkSubject(ev.Generation, ev.Op, ev.Tenant, ev.User), Header: h, Data: body}
	}
	if err := e.p.send(ctx, stage, msgs); err != nil {
		return fmt.Errorf("publish events of %s: %w", stage, err)
	}
	return nil
}

// Traceparent is the W3C trace context of the span in ctx, "" where there is none: what goes into an envelope's
// Trace.
func Traceparent(ctx context.Context) string {
	c := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, c)
	return c[HeaderTrace]
}
