package app

import (
	"context"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// waiting is a settled floor that many may wait for: readings of the server are shared by all who wait.
type waiting struct {
	floor *events.Floor
	read  *events.Coalescer[struct{}, uint64]
}

// maxSharers is how many callers share one request.
const maxSharers = 4096

func newWaiting(f *events.Floor) (*waiting, error) {
	read, err := shared(f.Read)
	return &waiting{f, read}, err
}

// floorPoll is how long a waiter pauses between two readings.
const floorPoll = 5 * time.Millisecond

// Settled implements upkeep.Floor.
func (a *app) Settled(ctx context.Context, generation int, seq uint64) (bool, error) {
	g := a.readings.get(generation)
	if g == nil { // another process may run it
		return false, notOpen(generation)
	}
	at, err := g.floor.read.Do(ctx, struct{}{})
	return at >= seq, err
}

func notOpen(gen int) error {
	return schema.Retryable(schema.CodeUnavailable, 0, nil, "generation %d is not open in this process", gen)
}

// WaitFloor implements retrieve.Floor: it looks again and again until the floor is at seq or ctx
// ends. A reading that fails is made again.
func (a *app) WaitFloor(ctx context.Context, generation int, seq uint64) error {
	g := a.readings.get(generation)
	if g == nil {
		return notOpen(generation)
	}
	tick := time.NewTicker(floorPoll)
	defer tick.Stop()
	for {
		if at, err := g.floor.read.Do(ctx, struct{}{}); err == nil && at >= seq {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return schema.Retryable(schema.CodeTimeout, 0, ctx.Err(), "the log is not settled to %d within the time limit", seq)
		}
	}
}

// forgetLog reads the log's forget events; who asks for the last one at the same time shares one request, which
// begins after each of them has asked.
type forgetLog struct {
	*events.Log
	last *events.Coalescer[struct{}, uint64]
}

func newForgetLog(l *events.Log) (forgetLog, error) {
	last, err := shared(l.LastForget)
	return forgetLog{l, last}, err
}

// LastForget implements upkeep.ForgetLog.
func (f forgetLog) LastForget(ctx context.Context) (uint64, error) { return f.last.Do(ctx, struct{}{}) }

// shared lets concurrent callers of read share one call, which begins after all of them have asked.
func shared(read func(context.Context) (uint64, error)) (*events.Coalescer[struct{}, uint64], error) {
	return events.NewCoalescer(events.CoalescerConfig[struct{}]{MaxItems: maxSharers}, func(ctx context.Context, who []struct{}) ([]uint64, error) {
		n, err := read(ctx)
		if err != nil {
			return nil, err
		}
		out := make([]uint64, len(who))
		for i := range out {
			out[i] = n
		}
		return out, nil
	})
}
