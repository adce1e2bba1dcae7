package upkeep

import (
	"context"
	"fmt"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Counter counts points.
type Counter interface {
	Counts(ctx context.Context, generation int, col schema.Collection, filters []schema.Filter) ([]uint64, error)
}

// EntryCounter counts entries of the log.
type EntryCounter interface {
	// Count is how many entries of op the tenant has in the log.
	Count(ctx context.Context, tenant string, op schema.Op) (uint64, error)
}

// Ledger accounts for a tenant's events. Each is in exactly one place: what no point accounts for is pending.
// The points are counted before the log, and final states before those that lead to them, so that an event on its
// way is pending rather than counted twice.
func Ledger(ctx context.Context, points Counter, log EntryCounter, generation int, tenant string, stages []string) (schema.Ledger, error) {
	var l schema.Ledger
	is := func(o schema.Outcome, more ...schema.Cond) schema.Filter {
		return schema.Filter{Must: append([]schema.Cond{{Key: schema.KeyTenant, Equal: tenant}, {Key: schema.KeyOutcome, Equal: string(o)}}, more...)}
	}
	done := make([]schema.Cond, len(stages))
	for i, s := range stages {
		done[i] = schema.Cond{Key: schema.KeyDone + s, Equal: true}
	}
	for _, step := range []struct {
		filter schema.Filter
		into   *uint64
	}{
		{is(schema.OutcomeForgotten), &l.Forgotten}, {is(schema.OutcomeDead), &l.Dead}, {is(schema.OutcomeDropped), &l.Dropped},
		{is(schema.OutcomeDuplicate), &l.Duplicate}, {is(schema.OutcomeConflict), &l.Duplicate}, {is(schema.OutcomeOpen, done...), &l.Indexed},
	} {
		n, err := points.Counts(ctx, generation, schema.Events, []schema.Filter{step.filter})
		if err != nil {
			return l, fmt.Errorf("count event points: %w", err)
		}
		*step.into += n[0]
	}
	for _, op := range []schema.Op{schema.OpTurn, schema.OpMemory, schema.OpPin} {
		n, err := log.Count(ctx, tenant, op)
		if err != nil {
			return l, fmt.Errorf("count log entries: %w", err)
		}
		l.Accepted += n
	}
	settled := l.Indexed + l.Duplicate + l.Dropped + l.Dead + l.Forgotten
	l.Pending = l.Accepted - min(l.Accepted, settled)
	return l, nil
}
