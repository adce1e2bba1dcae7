package events

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"

	"github.com/siltstone-ai/siltstone/internal/crash"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// ErrWait is in every error that [Wait] makes.
var ErrWait = errors.New("waits for other events")

// Wait is the error of a handler that cannot go on before other events are settled. A handler must not wait inside
// for events that other handlers of its router settle: a suspect runs alone, and would wait for it for ever. The
// event is tried again after the given time, as often as it takes; no try counts against it.
func Wait(after time.Duration, format string, args ...any) error {
	return schema.Retryable(schema.CodeUnavailable, after, ErrWait, format, args...)
}

// fault is what an error says about the event that it came from.
type fault uint8

const (
	faultNone   fault = iota // none: the event waits for others, or for room
	faultOutage              // hardly any: a dependency is away, slow or locked
	faultEvent               // the event itself, as far as anyone can tell
	faultFinal               // the event itself, and no retry mends it
)

// faultOf sorts errors. It is the one place that does.
func faultOf(err error) fault {
	switch {
	case schema.IsPermanent(err):
		return faultFinal
	case errors.Is(err, ErrWait):
		return faultNone
	}
	switch schema.CodeOf(err) {
	case schema.CodeOverloaded:
		return faultNone
	case schema.CodeUnavailable, schema.CodeTimeout, schema.CodeDenied, schema.CodeNoSpace:
		return faultOutage
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return faultOutage
	}
	return faultEvent
}

// hold keeps an event that failed through no fault of its own and tries it again in place, ever more slowly: the
// window fills with waiting events and nothing more is pulled. After Hold the event goes back, since another
// worker may reach what this one does not.
//
// It also notes whether the event was overtaken: it failed, another event of the stage passed, and it failed
// again. What is away for one event alone is not an outage.
func (h *handler) hold(next message.HandlerFunc) message.HandlerFunc {
	if h.cfg.Hold < 0 {
		return next
	}
	return func(m *message.Message) ([]*message.Message, error) {
		l := leaseOf(m)
		if l.alone { // nothing else runs meanwhile
			return next(m)
		}
		began, failedAt := time.Now(), uint64(0)
		for n := uint64(1); ; n++ {
			passed := h.passed.Load()
			out, err := next(m)
			if err == nil {
				return out, nil
			}
			f := faultOf(err)
			if f != faultOutage && f != faultNone {
				return out, err
			}
			if f == faultOutage {
				h.outage.note(h, l, err)
			}
			if n == 1 {
				failedAt = h.passed.Load()
			} else if passed > failedAt {
				l.overtaken = true
			}
			d := schema.RetryAfter(err)
			if !errors.Is(err, ErrWait) {
				d = max(d, h.cfg.Backoff.Delay(l.account.Tries+n)) // processes that died are no sign that waiting helps
			}
			if time.Since(began)+d > h.cfg.Hold {
				return out, err
			}
			t := time.NewTimer(max(d, time.Millisecond))
			select {
			case <-t.C:
			case <-l.sub.stopping:
				t.Stop()
				return out, err
			}
		}
	}
}

// counts reports whether this delivery counts against the event.
func (h *handler) counts(l *lease, err error) bool {
	switch faultOf(err) {
	case faultNone:
		return false
	case faultOutage:
		return l.overtaken
	}
	return true
}

// decide acknowledges, gives back or buries.
func (h *handler) decide(l *lease, err error) Outcome {
	dup := errors.Is(err, ErrDuplicate)
	switch {
	case err == nil || dup:
		h.passed.Add(1)
		h.outage.end(h)
		h.r.quarantine.line.wake()
		h.r.quarantine.drop(l)
		crash.At(crash.AckBegin)
		l.answer(ackBody)
		crash.At(crash.AckDone)
		if dup {
			return OutcomeDuplicate
		}
		return OutcomeOK
	case l.ctx.Err() != nil && !schema.IsPermanent(err): // cut off by a close
		l.giveBack()
		return OutcomeRetry
	}
	a := &l.account
	counted := h.counts(l, err)
	if counted {
		a.Failed++
	}
	if schema.IsPermanent(err) || counted && a.Failed >= h.cfg.MaxDeliver {
		cause := err
		if h.cfg.GiveUp != nil && l.event.UUID != "" {
			if err = h.giveUp(l, cause); err == nil {
				h.r.quarantine.drop(l)
				l.answer(ackBody)
				return OutcomeGivenUp
			}
		} else if err = h.bury(l, cause); err == nil {
			h.r.quarantine.drop(l)
			l.answer(termBody(string(schema.CodeOf(cause))))
			return OutcomeDead
		}
		a.Verdict = verdictOf(cause)
	}
	a.Answered, a.Alone, a.Proven = l.delivery.NumDelivered, 0, false
	a.Tries++
	if err := h.r.quarantine.write(l); err != nil { // this delivery will be taken for one that nobody answered for
		l.sub.fault("note delivery", err)
	}
	d := max(h.cfg.Backoff.Delay(a.Tries), schema.RetryAfter(err))
	h.logRetry(l, d, err)
	l.giveUp(d)
	return OutcomeRetry
}

// giveUp tells GiveUp of the event of l, for which nothing more is tried.
func (h *handler) giveUp(l *lease, cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(l.ctx), onDeadTimeout) // a close must not lose the word
	defer cancel()
	if err := h.cfg.GiveUp(ctx, l.event, cause); err != nil {
		return fmt.Errorf("tell of what is given up: %w", retryable(err))
	}
	h.log.Warn("nothing more is tried with an event", h.ids(l, "code", schema.CodeOf(cause), "reason", logged(cause))...)
	return nil
}
