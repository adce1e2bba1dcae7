package events

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// handler is one handler of the router with the middleware around it: settle(observe(trace(hold(recover(fn))))).
type handler struct {
	cfg     HandlerConfig
	r       *Router
	fn      Handler
	metrics *stageMetrics
	log     *slog.Logger
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
	l := leaseOf(m)
	if l.runs == 0 { // a suspect holds the lock for itself
		h.r.quarantine.mu.RLock()
		defer h.r.quarantine.mu.RUnlock()
	}
	return h.fn(m.Context(), l.event)
}

// settle opens the message and decides what becomes of it. It is the end of every error: Watermill never sees
// one, since it would only log it and NAK.
func (h *handler) settle(next message.HandlerFunc) message.HandlerFunc {
	return func(m *message.Message) ([]*message.Message, error) {
		l := leaseOf(m)
		defer l.giveBack() // does nothing but after a panic of ours
		err := h.open(l)
		switch {
		case err != nil:
		case l.delivery.NumDelivered > uint64(h.cfg.MaxDeliver):
			err = h.alone(m, l, next)
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

// alone runs a suspect (see quarantine).
func (h *handler) alone(m *message.Message, l *lease, next message.HandlerFunc) error {
	q := &h.r.quarantine
	q.mu.Lock()
	defer q.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(l.ctx), bindTimeout)
	defer cancel()
	if err := l.ctx.Err(); err != nil {
		return err // cut off while it waited for its turn
	}
	runs, clear, err := q.mark(ctx, l.delivery, h.cfg.MaxDeliver)
	if err != nil {
		return err
	}
	l.runs, l.clear = runs, clear
	if runs > loneRuns {
		return schema.Permanent(schema.CodeInternal, nil, "was delivered %d times and never answered for, alone too", l.delivery.NumDelivered-1)
	}
	h.log.Warn("event is suspected of ending processes and runs alone", h.ids(l, "run", runs)...)
	_, err = next(m)
	return err
}

// last reports whether this failure of a message is its last.
func (h *handler) last(l *lease) bool {
	if l.delivery.NumDelivered > uint64(h.cfg.MaxDeliver) {
		return l.runs >= loneRuns
	}
	return l.delivery.NumDelivered == uint64(h.cfg.MaxDeliver)
}

// decide acknowledges, gives back or buries.
func (h *handler) decide(l *lease, err error) Outcome {
	dup := errors.Is(err, ErrDuplicate)
	switch {
	case err == nil || dup:
		l.unmark()
		l.answer(ackBody)
		if dup {
			return OutcomeDuplicate
		}
		return OutcomeOK
	case l.ctx.Err() != nil && !schema.IsPermanent(err): // cut off by a close
		l.giveBack()
		return OutcomeRetry
	}
	if schema.IsPermanent(err) || h.last(l) {
		cause := err
		if err = h.bury(l, cause); err == nil {
			l.unmark()
			l.answer(termBody(string(schema.CodeOf(cause))))
			return OutcomeDead
		}
	}
	d := max(h.cfg.Backoff.Delay(l.delivery.NumDelivered), schema.RetryAfter(err))
	level := slog.LevelInfo
	if l.delivery.NumDelivered > 1 {
		level = slog.LevelDebug
	}
	if h.log.Enabled(l.ctx, level) {
		h.log.Log(l.ctx, level, "event comes again", h.ids(l, "delay", d, "error", err)...)
	}
	l.giveUp(d)
	return OutcomeRetry
}

func (h *handler) ids(l *lease, more ...any) []any {
	return append([]any{
		"event", l.event.UUID, "tenant", l.event.Tenant, "trace", l.event.Trace,
		"seq", l.delivery.Sequence, "delivered", l.delivery.NumDelivered,
	}, more...)
}

// open fetches the body of an event whose message is a claim.
func (h *handler) open(l *lease) error {
	if l.err != nil || h.r.cfg.Resolve == nil {
		return l.err
	}
	body, err := h.r.cfg.Resolve(l.ctx, l.raw.Header, l.event.Body)
	if err != nil {
		return fmt.Errorf("resolve body: %w", err)
	}
	l.event.Body = body
	return nil
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

// hold keeps an event whose dependency is down and tries again in place, so that an outage uses up no
// deliveries: the window fills with waiting events and nothing more is pulled. After Hold the event counts as
// failed once and makes room for another.
func (h *handler) hold(next message.HandlerFunc) message.HandlerFunc {
	if h.cfg.Hold < 0 {
		return next
	}
	return func(m *message.Message) ([]*message.Message, error) {
		if leaseOf(m).runs > 0 { // nothing else runs meanwhile
			return next(m)
		}
		var waited time.Duration
		for n := uint64(1); ; n++ {
			out, err := next(m)
			if c := schema.CodeOf(err); err == nil || schema.IsPermanent(err) || c != schema.CodeUnavailable && c != schema.CodeOverloaded {
				return out, err
			}
			d := max(h.cfg.Backoff.Delay(n), schema.RetryAfter(err))
			if waited += d; waited > h.cfg.Hold {
				return out, err
			}
			t := time.NewTimer(d)
			select {
			case <-t.C:
			case <-leaseOf(m).sub.stopping:
				t.Stop()
				return out, err
			}
		}
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
