package upkeep

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Reached is what a request reaches: the clients' ids of the events and the ids of the memories, sorted.
type Reached struct {
	Events, Memories []string
	Partial          bool // the log was not read to its end: there may be more
}

// Reach is what req reaches now in a generation, for the answer to the request. For at most so long it reads in the log
// what the index cannot tell, as far as it comes; 0 is without a limit of its own. Other failures, and the end of ctx,
// are errors. It blocks until done.
func (f *Forgetter) Reach(ctx context.Context, generation int, tenant string, req schema.Forget, reading time.Duration) (Reached, error) {
	sel := newSelector(tenant, req)
	seqs, partial, err := f.statedFor(ctx, tenant, sel, reading)
	if err != nil {
		return Reached{}, fmt.Errorf("look what to forget: %w", err)
	}
	hit, err := f.find(ctx, generation, tenant, sel, seqs, ^uint64(0))
	if err != nil {
		return Reached{}, fmt.Errorf("look what to forget: %w", err)
	}
	out := Reached{Partial: partial}
	for uuid := range hit.events {
		out.Events = append(out.Events, cmp.Or(hit.names[uuid], uuid))
	}
	for id, m := range hit.facts {
		if !schema.IsTarget(m.Slot) { // marks go too, and are no memories
			out.Memories = append(out.Memories, id)
		}
	}
	slices.Sort(out.Events)
	slices.Sort(out.Memories)
	return out, nil
}

// statedFor is stated of the whole log, or of what can be read of it in the time given; then partial.
func (f *Forgetter) statedFor(ctx context.Context, tenant string, sel selector, reading time.Duration) (seqs map[uint64]bool, partial bool, err error) {
	if !sel.reads() {
		return nil, false, nil
	}
	read := ctx
	if reading > 0 {
		var cancel context.CancelFunc
		read, cancel = context.WithTimeout(ctx, reading)
		defer cancel()
	}
	leave, err := f.asked.enter(read)
	if err == nil {
		seqs, err = f.stated(read, tenant, sel, ^uint64(0))
		leave()
	}
	if err != nil && read.Err() != nil && ctx.Err() == nil {
		return seqs, true, nil
	}
	return seqs, false, err
}
