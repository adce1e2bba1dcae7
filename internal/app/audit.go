package app

import (
	"context"
	"time"

	"github.com/siltstone-ai/siltstone/internal/store/qdrant"
	"github.com/siltstone-ai/siltstone/internal/upkeep"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/pkg/stages"
)

// auditor starts audits as jobs.
type auditor struct{ *letters }

// Audit implements httpapi.Auditor.
func (a auditor) Audit(ctx context.Context, tenant string, r schema.AuditRequest) (schema.JobStarted, error) {
	g := a.readings.get(a.active())
	if g == nil {
		return schema.JobStarted{}, notOpen(a.active())
	}
	u := &upkeep.Auditor{
		Log: a.eventLog, Store: a.points, Entries: a.entries(), Point: stages.Passage, Settled: a.settledTo, Pause: pause,
		Feed: func(ctx context.Context, _ int, ev schema.Event) error { return a.feed.feed(ctx, g, ev) },
		Archived: func(ctx context.Context, _ int) (func(schema.Event) bool, error) {
			to, err := g.monitor.CarriedTo(ctx)
			return func(ev schema.Event) bool { return a.marks.ArchivedBy(ev, to) }, err
		},
		Verify: func(ctx context.Context) ([]schema.LogFault, error) {
			err := a.witness.Verify(ctx, nil)
			return a.witness.State().Faults, err
		},
	}
	return a.jobs.start(ctx, tenant, schema.JobAudit, func(ctx context.Context, tell func(done, total uint64)) (schema.Job, error) {
		rep, err := u.Run(ctx, g.Number, g.Holds, tenant, r, tell)
		return schema.Job{Audit: &rep}, err
	})
}

// entries tells what became of log entries.
func (a *app) entries() *upkeep.Accounts {
	return &upkeep.Accounts{Points: a.points, Stages: stages.Names(), Later: stages.LaterPoint}
}

// pause waits, or ends with ctx.
func pause(ctx context.Context, after time.Duration) error {
	t := time.NewTimer(after)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Some implements upkeep.AuditStore.
func (p points) Some(ctx context.Context, gen int, col schema.Collection, f schema.Filter, keys []string, cursor string) ([]schema.Point, string, error) {
	return p.Scroll(ctx, gen, col, f, qdrant.ScrollOptions{Limit: 256, Keys: keys, Cursor: cursor})
}
