package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/siltstone-ai/siltstone/internal/embedded"
	"github.com/siltstone-ai/siltstone/internal/intake"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// noSpaceAfter is when those who were refused for want of space may come again.
const noSpaceAfter = 5 * time.Second

// refusal is a fault of the data directory as clients are told of it, nil for none.
func refusal(fault error) error {
	switch {
	case fault == nil:
		return nil
	case errors.Is(fault, embedded.ErrLow):
		return schema.Retryable(schema.CodeNoSpace, noSpaceAfter, fault, "the server's disk is nearly full: nothing new is taken until there is space")
	case errors.Is(fault, embedded.ErrFull):
		return schema.Retryable(schema.CodeNoSpace, noSpaceAfter, fault, "the server's disk is full or at fault: nothing is taken until it can be written again")
	}
	return schema.Retryable(schema.CodeUnavailable, noSpaceAfter, fault, "the server's data directory is gone, and it is ending")
}

// roomyLog is the log as intake appends to it while the embedded servers watch their disk: it refuses at once what would
// not be stored, and holds nobody up who was about to append when the disk failed.
type roomyLog struct {
	log   intake.Log
	fault func() (<-chan struct{}, error)
}

// Append implements intake.Log. Requests to forget pass a disk that is merely low: they are few and small, and what they
// take away must not wait.
func (l roomyLog) Append(ctx context.Context, evs []schema.Event) []events.Appended {
	changed, fault := l.fault()
	if fault != nil && !(errors.Is(fault, embedded.ErrLow) && onlyForget(evs)) {
		return refuseAll(make([]events.Appended, len(evs)), refusal(fault))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan []events.Appended, 1)
	go func() { done <- l.log.Append(ctx, evs) }()
	for {
		select {
		case out := <-done:
			return out
		case <-changed:
		}
		if changed, fault = l.fault(); fault != nil && !errors.Is(fault, embedded.ErrLow) {
			cancel() // the server answers nobody whose append failed
			return refuseAll(<-done, refusal(fault))
		}
	}
}

func onlyForget(evs []schema.Event) bool {
	for _, ev := range evs {
		if ev.Op != schema.OpForget && ev.Op != schema.OpErase {
			return false
		}
	}
	return true
}

// refuseAll gives every event without an answer the error err.
func refuseAll(out []events.Appended, err error) []events.Appended {
	for i := range out {
		if out[i].Seq == 0 && !schema.IsPermanent(out[i].Err) {
			out[i] = events.Appended{Err: err}
		}
	}
	return out
}

// watchDisk has the process say what befalls its data directory.
func (a *app) watchDisk(stack *embedded.Stack) {
	a.diskFault, a.diskLost = stack.Fault, stack.Lost()
	a.health.Add("disk", func(context.Context) error { _, fault := stack.Fault(); return fault })
}

// endWhenLost waits for the loss of the data directory, which ends the process, or for the end of ctx.
func (a *app) endWhenLost(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-a.diskLost: // nil, and never, where nothing is embedded
	}
	_, fault := a.diskFault()
	return fmt.Errorf("stop: %w", fault)
}
