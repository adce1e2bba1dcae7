package app

import (
	"context"

	"github.com/siltstone-ai/siltstone/internal/upkeep"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// places are the generations in which a tenant's letter tells what became of its event: the one where that died, and those
// that were copied from it after. A pruned one is none.
func (l *letters) places(tenant string, d events.DeadLetter) (out []int) {
	in := map[int]bool{d.Generation(): true}
	for n := d.Generation(); ; n++ {
		g, ok := l.state.Generation(n)
		if !ok {
			return out
		}
		copied := d.Stage != events.StageForget && g.Tenant != "" && g.Tenant != tenant && record(d).Seq <= g.Target
		if in[n] = in[n] || copied && in[g.CopyOf]; in[n] && g.Phase != events.PhasePruned {
			out = append(out, n)
		}
	}
}

// orphaned reports whether a letter's generation is gone: nothing can be tried again there, and what became of its event
// in another is for that one to say, by a letter of its own if need be.
func (l *letters) orphaned(tenant string, d events.DeadLetter) bool {
	_, known := l.state.Generation(d.Generation())
	return known && len(l.places(tenant, d)) == 0
}

// settlement is the worst of what became of a letter's event in all its places that are open here.
func (l *letters) settlement(ctx context.Context, tenant string, d events.DeadLetter) (upkeep.Settlement, error) {
	worst := upkeep.EntrySettled
	for _, n := range l.places(tenant, d) {
		if l.readings.get(n) == nil {
			continue
		}
		st, err := l.entries().Settlements(ctx, n, []schema.Event{d.Event})
		if err != nil {
			return worst, err
		}
		if st[0] == upkeep.EntryOpen || st[0] == upkeep.EntryUnknown || st[0] == upkeep.EntryDead && worst == upkeep.EntrySettled {
			worst = st[0]
		}
	}
	return worst, nil
}
