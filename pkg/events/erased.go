package events

import (
	"context"
	"fmt"
	"slices"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Erased is every log sequence that an erasure has named, of all tenants, as ranges that rise and do not touch: a gap in
// the log that is not among them is damage. It reads the erasures alone, and blocks until done.
func (l *Log) Erased(ctx context.Context) ([]schema.SequenceRange, error) {
	var named []schema.SequenceRange
	err := l.Scan(ctx, 1, []schema.Op{schema.OpErase}, "", func(ev schema.Event) error {
		e, err := schema.DecodeStored[schema.Erasure](ev.Op, ev.Version, ev.Body)
		if err != nil {
			return fmt.Errorf("read erasure %s: %w", ev.UUID, err)
		}
		named = append(named, e.Sequences...)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read what was erased: %w", err)
	}
	return joinRanges(named), nil
}

// joinRanges sorts ranges and joins those that overlap or touch. It changes rs.
func joinRanges(rs []schema.SequenceRange) []schema.SequenceRange {
	slices.SortFunc(rs, func(a, b schema.SequenceRange) int {
		switch {
		case a.From < b.From:
			return -1
		case a.From > b.From:
			return 1
		}
		return 0
	})
	var out []schema.SequenceRange
	for _, r := range rs {
		if n := len(out); n > 0 && r.From <= out[n-1].To+1 {
			out[n-1].To = max(out[n-1].To, r.To)
			continue
		}
		out = append(out, r)
	}
	return out
}

// named reports whether seq is in one of the ranges of [Log.Erased].
func named(rs []schema.SequenceRange, seq uint64) bool {
	i, found := slices.BinarySearchFunc(rs, seq, func(r schema.SequenceRange, n uint64) int {
		switch {
		case r.To < n:
			return -1
		case r.From > n:
			return 1
		}
		return 0
	})
	return found && i < len(rs)
}
