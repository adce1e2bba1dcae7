package stages

import (
	"context"
	"fmt"

	"github.com/siltstone-ai/siltstone/internal/decide"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Resettler decides groups and slots again after facts have gone, so that what they had superseded or hidden holds
// again. Safe for concurrent use.
type Resettler struct {
	Slots SlotReader
	Guard SlotGuard
	Sink  Sink
}

// Resettle reads every fact that shares one of the groups or slots, decides their state and writes what changed,
// under the same revisions as decide. It blocks until the writes are durable.
func (r Resettler) Resettle(ctx context.Context, generation int, owner string, groups, slots []string) error {
	return r.without(ctx, generation, owner, groups, slots, nil)
}

// without is Resettle as if the facts of these ids were not there.
func (r Resettler) without(ctx context.Context, generation int, owner string, groups, slots []string, gone map[string]bool) error {
	for range maxConflicts {
		ok, err := r.once(ctx, generation, owner, groups, slots, gone)
		if err != nil || ok {
			return err
		}
	}
	return schema.Retryable(schema.CodeOverloaded, 0, nil, "%d slots kept moving", len(groups)+len(slots))
}

func (r Resettler) once(ctx context.Context, generation int, owner string, groups, slots []string, gone map[string]bool) (bool, error) {
	rec := recall{d: decider{slots: r.Slots}, ctx: ctx, gen: generation, owner: owner, facts: map[string]schema.Memory{}, revs: map[string]uint64{}}
	seeds := make([]schema.Memory, 0, len(groups)+len(slots))
	for _, g := range groups {
		seeds = append(seeds, schema.Memory{Group: g})
	}
	for _, s := range slots {
		seeds = append(seeds, schema.Memory{Slot: s})
	}
	if err := rec.collect(seeds); err != nil {
		return false, err
	}
	all := make([]schema.Memory, 0, len(rec.facts))
	for _, id := range sortedKeys(rec.facts) {
		if !gone[id] {
			all = append(all, rec.facts[id])
		}
	}
	settled := decide.Settle(all)
	var ws []schema.Write
	for i := range all {
		if decide.Changed(&all[i], &settled[i]) {
			ws = append(ws, stateWrite(owner, &settled[i]))
		}
	}
	if len(ws) > 0 {
		if err := r.Sink.Apply(ctx, generation, ws); err != nil {
			return false, fmt.Errorf("write states: %w", err)
		}
	}
	for _, g := range rec.guards() {
		if ok, err := r.Guard.CompareAndSwap(ctx, generation, g.Slot, g.Revision); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}
