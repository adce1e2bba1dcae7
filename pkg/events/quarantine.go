package events

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// loneRuns is how many times an event runs alone before it is dead.
const loneRuns = 2

// quarantine finds the event that kills processes among those that were in the same process by chance.
//
// Deliveries alone do not tell: a process that dies leaves its whole window unanswered, and with it the delivery
// count of hundreds of innocent events rises each time. So an event that was delivered MaxDeliver times is not
// dead but suspected. It runs alone: no other handler of the router runs meanwhile, and a mark is stored before.
// Whoever finds the marks of [loneRuns] runs knows that the process died of this event, or that it failed each
// time. Everything else that is suspected passes.
type quarantine struct {
	js jetstream.JetStream
	mu sync.RWMutex // held for reading by handlers, for writing by a suspect's
}

// mark notes that the event of d is about to run alone and returns how often it has done so, this one included.
// Where there is no bucket to note it in, the delivery count has to do.
func (q *quarantine) mark(ctx context.Context, d Delivery, maxDeliver int) (runs int, clear func(context.Context), err error) {
	kv, err := q.js.KeyValue(ctx, BucketState)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return int(d.NumDelivered) - maxDeliver, func(context.Context) {}, nil
	}
	if err != nil {
		return 0, nil, fmt.Errorf("open marks of suspects: %w", err)
	}
	// Sequences begin anew with a stream: the time tells the messages apart.
	key := "suspect." + schema.Token(d.Durable) + "." + strconv.FormatUint(d.Sequence, 10) + "." + strconv.FormatInt(d.Stored.UnixNano(), 10)
	e, err := kv.Get(ctx, key)
	switch {
	case err == nil:
		runs, _ = strconv.Atoi(string(e.Value()))
	case !errors.Is(err, jetstream.ErrKeyNotFound):
		return 0, nil, fmt.Errorf("read mark of suspect: %w", err)
	}
	runs++
	if runs <= loneRuns {
		if _, err := kv.PutString(ctx, key, strconv.Itoa(runs)); err != nil {
			return 0, nil, fmt.Errorf("mark suspect: %w", err)
		}
	}
	// A mark that is not cleared is a stray key for one message that never comes again.
	return runs, func(ctx context.Context) { _ = kv.Purge(ctx, key) }, nil
}
