package upkeep

import (
	"context"
	"fmt"
	"slices"

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

// LetterCounter counts dead letters.
type LetterCounter interface {
	// CountByStage is how many letters of a tenant there are, by the stage that gave up.
	CountByStage(ctx context.Context, tenant string) (map[string]uint64, error)
}

// Ledger accounts for a tenant's events. Each is in exactly one place: what no point accounts for is pending.
// The points are counted before the log, and final states before those that lead to them, so that an event on its
// way is pending rather than counted twice.
func Ledger(ctx context.Context, points Counter, log EntryCounter, letters LetterCounter, generation int, tenant string, stages []string) (schema.Ledger, schema.LedgerReasons, error) {
	var l schema.Ledger
	var why schema.LedgerReasons
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
		{is(schema.OutcomeDuplicate), &l.Duplicate}, {is(schema.OutcomeConflict), &why.Conflict}, {is(schema.OutcomeOpen, done...), &l.Indexed},
	} {
		n, err := points.Counts(ctx, generation, schema.Events, []schema.Filter{step.filter})
		if err != nil {
			return l, why, fmt.Errorf("count event points: %w", err)
		}
		*step.into += n[0]
	}
	l.Duplicate += why.Conflict
	if l.Dropped > 0 {
		var err error
		if why.Dropped, err = droppedBy(ctx, points, generation, l.Dropped, is(schema.OutcomeDropped)); err != nil {
			return l, why, err
		}
	}
	if l.Dead > 0 && letters != nil {
		var err error
		if why.Dead, err = letters.CountByStage(ctx, tenant); err != nil {
			return l, why, fmt.Errorf("count dead letters: %w", err)
		}
	}
	for _, op := range []schema.Op{schema.OpTurn, schema.OpMemory, schema.OpPin} {
		n, err := log.Count(ctx, tenant, op)
		if err != nil {
			return l, why, fmt.Errorf("count log entries: %w", err)
		}
		l.Accepted += n
	}
	settled := l.Indexed + l.Duplicate + l.Dropped + l.Dead + l.Forgotten
	l.Pending = l.Accepted - min(l.Accepted, settled)
	return l, why, nil
}

// droppedBy splits the number of events that were dropped by [DroppedBy], in one request. What was dropped since they were
// counted is left out, so that they sum up.
func droppedBy(ctx context.Context, points Counter, gen int, all uint64, dropped schema.Filter) (map[string]uint64, error) {
	has := func(reason string) schema.Cond {
		return schema.Cond{Key: schema.KeyDropped + "[].reason", Equal: reason}
	}
	var filters []schema.Filter
	var before []schema.Cond
	for _, r := range Reasons {
		filters = append(filters, schema.Filter{Must: append(slices.Clone(dropped.Must), has(r)), MustNot: slices.Clone(before)})
		before = append(before, has(r))
	}
	ns, err := points.Counts(ctx, gen, schema.Events, filters)
	if err != nil {
		return nil, fmt.Errorf("count what was dropped: %w", err)
	}
	out := map[string]uint64{}
	left := all
	for i, r := range Reasons {
		if n := min(ns[i], left); n > 0 {
			out[r] = n
			left -= n
		}
	}
	if left > 0 {
		out[ReasonEmpty] += left
	}
	return out, nil
}

// DroppedBy is the policy that an event of which nothing is left was dropped by, from what its point says of its parts: the
// first of Reasons that stands there.
func DroppedBy(dropped []map[string]any) string {
	for _, r := range Reasons {
		for _, d := range dropped {
			if str(d, "reason") == r {
				return r
			}
		}
	}
	return ReasonEmpty
}

// Reasons are what parts of an event are dropped for, by how much they say of the whole: a policy before a lack.
var Reasons = [...]string{"no_memory", "not_ingested", "quoted_no_memory", "aborted", "too_many_segments", ReasonEmpty}

// ReasonEmpty is why an event is dropped of which nothing else is known.
const ReasonEmpty = "empty"
