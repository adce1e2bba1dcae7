package events

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/siltstone-ai/siltstone/internal/crash"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// handler is one handler of the router with the middleware around it: settle(observe(trace(hold(open(recover(fn)))))).
type handler struct {
	cfg     HandlerConfig
	r       *Router
	fn      Handler
	metrics *stageMetrics
	share   *share
	log     *slog.Logger
	passed  atomic.Uint64 // events that passed here in this process
	outage  outage
}

// EventFrom returns the event that ctx belongs to; ok is false outside of a handler.
func EventFrom(ctx context.Context) (ev schema.Event, ok bool) {
	l, ok := ctx.Value(deliveryKey{}).(*lease)
	if !ok || l.event.UUID == "" {
		return schema.Event{}, false
	}
	return l.event, true
}

func leaseOf(m *message.Message) *lease { return m.Context().Value(deliveryKey{}).(*lease) }

// handle is the innermost: the handler's own function.
func (h *handler) handle(m *message.Message) error {
	return h.fn(m.Context(), leaseOf(m).event)
}

// settle decides what becomes of a message. It is the end of every error: Watermill never sees one, since it would
// only log it and NAK.
func (h *handler) settle(next message.HandlerFunc) message.HandlerFunc {
	return func(m *message.Message) ([]*message.Message, error) {
		l := leaseOf(m)
		defer l.giveBack() // does nothing but after a panic of ours
		if crash.AckFirst() {
			_ = l.sub.nc.Publish(l.raw.Reply, ackBody)
		}
		err := h.r.quarantine.read(l, h.cfg.MaxDeliver)
		switch {
		case err != nil:
		case l.account.Verdict != nil: // a verdict stands, also where the event would pass by now
			err = l.account.Verdict.cause()
		case h.suspect(l):
			err = h.runAlone(m, l, next)
		default:
			_, err = next(m)
		}
		outcome := h.decide(l, err)
		if h.metrics != nil {
			h.metrics.outcome[outcome].Inc()
		}
		return nil, nil
	}
}

// logRetry tells of an event that comes again: the first time to everybody.
func (h *handler) logRetry(l *lease, d time.Duration, err error) {
	level := slog.LevelInfo
	if l.account.Tries > 1 {
		level = slog.LevelDebug
	}
	if h.log.Enabled(l.ctx, level) {
		h.log.Log(l.ctx, level, "event comes again", h.ids(l, "delay", d, "error", err)...)
	}
}

func (h *handler) ids(l *lease, more ...any) []any {
	return append([]any{
		"event", l.event.UUID, "tenant", l.event.Tenant, "trace", l.event.Trace,
		"seq", l.delivery.Sequence, "delivered", l.delivery.NumDelivered,
	}, more...)
}

// open hands on what could not be decoded as an error, waits for room for the body, and fetches that of an event whose
// message is a claim. Both are held for one try: an event that waits for a dependency holds neither.
func (h *handler) open(next message.HandlerFunc) message.HandlerFunc {
	return func(m *message.Message) ([]*message.Message, error) {
		l := leaseOf(m)
		if l.err != nil {
			return nil, l.err
		}
		if !l.alone { // a suspect holds the lock for itself. It is taken before the room, which a suspect asks for behind it
			h.r.quarantine.mu.RLock()
			defer h.r.quarantine.mu.RUnlock()
		}
		n, claimed := int64(len(l.event.Body)), false
		if bodies := h.r.cfg.Bodies; bodies != nil {
			size, err := bodies.Size(l.ctx, l.raw.Header)
			if err != nil {
				return nil, fmt.Errorf("resolve body: %w", err)
			}
			if claimed = size > 0; claimed {
				n = size
			}
		}
		if most := h.cfg.MaxBody; most > 0 && n > most {
			return nil, schema.Permanent(schema.CodeTooLarge, nil, "the body is %d bytes long, at most %d are allowed", n, most)
		}
		free, err := h.share.take(l.ctx, n)
		if err != nil {
			return nil, err
		}
		defer free()
		if claimed {
			own := l.event.Body
			if l.event.Body, err = h.r.cfg.Bodies.Resolve(l.ctx, l.raw.Header, own); err != nil {
				l.event.Body = own
				return nil, fmt.Errorf("resolve body: %w", err)
			}
			defer func() { l.event.Body = own }()
		}
		return next(m)
	}
}

// observe measures the handler.
func (h *handler) observe(next message.HandlerFunc) message.HandlerFunc {
	if h.metrics == nil {
		return next
	}
	return func(m *message.Message) ([]*message.Message, error) {
		h.metrics.inflight.Inc()
		defer h.metrics.inflight.Dec()
		began := time.Now()
		out, err := next(m)
		h.metrics.seconds.Observe(time.Since(began).Seconds())
		return out, err
	}
}

// trace starts a span under the one that the event came from.
func (h *handler) trace(next message.HandlerFunc) message.HandlerFunc {
	if h.r.tracer == nil {
		return next
	}
	name := "process " + h.cfg.Name
	return func(m *message.Message) ([]*message.Message, error) {
		l := leaseOf(m)
		ctx := propagation.TraceContext{}.Extract(m.Context(), propagation.MapCarrier{HeaderTrace: l.event.Trace})
		ctx, span := h.r.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindConsumer), trace.WithAttributes(
			attribute.String("messaging.system", "nats"),
			attribute.String("messaging.destination.name", l.delivery.Stream),
			attribute.String("messaging.consumer.group.name", l.delivery.Durable),
			attribute.String("silt.event", l.event.UUID),
			attribute.Int64("silt.seq", int64(l.event.Seq)),
			attribute.Int64("silt.delivered", int64(l.delivery.NumDelivered)),
		))
		defer span.End()
		m.SetContext(ctx)
		out, err := next(m)
		if err != nil && !errors.Is(err, ErrDuplicate) {
			span.SetStatus(codes.Error, string(schema.CodeOf(err)))
		}
		return out, err
	}
}

// recoverPanics turns a panic into a permanent error: the same event would panic again.
func recoverPanics(next message.HandlerFunc) message.HandlerFunc {
	return func(m *message.Message) (out []*message.Message, err error) {
		defer func() {
			if p := recover(); p != nil {
				err = recovered(p)
			}
		}()
		return next(m)
	}
}

// recovered is a panic as a permanent error. What was panicked with may hold text of the event, so only errors of
// the runtime are shown; and the stack, in the log.
func recovered(p any) error {
	what := fmt.Sprintf("panic with a %T", p)
	if re, ok := p.(runtime.Error); ok {
		what = "panic: " + re.Error()
	}
	return &panicError{schema.Permanent(schema.CodeInternal, nil, "%s", what), debug.Stack()}
}

// panicError carries the stack to where the error is logged.
type panicError struct {
	err   *schema.Error
	stack []byte
}

func (e *panicError) Error() string { return e.err.Error() }
func (e *panicError) Unwrap() error { return e.err }
