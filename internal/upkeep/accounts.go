package upkeep

import (
	"context"
	"fmt"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// KeyedPoints reads some keys of points by their ids, in any order; those that are not there are left out.
type KeyedPoints interface {
	GetKeys(ctx context.Context, generation int, col schema.Collection, ids []string, keys ...string) ([]schema.Point, error)
}

// Settlement is what event points say of one entry of the log.
type Settlement int

// Settlements.
const (
	EntryUnknown Settlement = iota // no point is of it
	EntryOpen
	EntrySettled
	EntryDead
)

// Accounts tells what became of entries of the log. Safe for concurrent use.
type Accounts struct {
	Points KeyedPoints
	Stages []string                             // that settle an event
	Later  func(uuid string, seq uint64) string // id of the point of an entry that is not the first of its event
}

// EntryPoints are the payloads that may tell of a log entry: under the event's id where that is of this entry, and under
// the id for an entry that is not the first of its event. Either may be nil.
type EntryPoints struct{ Own, Later map[string]any }

// State is the one that tells; nil where none does.
func (p EntryPoints) State() map[string]any {
	if p.Own != nil {
		return p.Own
	}
	return p.Later
}

// Settlements are what became of log entries, each by the inside id and sequence of its event, in order.
func (e *Accounts) Settlements(ctx context.Context, gen int, evs []schema.Event) ([]Settlement, error) {
	ps, err := e.Read(ctx, gen, evs)
	if err != nil {
		return nil, err
	}
	out := make([]Settlement, len(ps))
	for i, p := range ps {
		out[i] = e.Of(p.State())
	}
	return out, nil
}

// Read reads them in order, with what [Accounts.Of] needs and more keys.
func (e *Accounts) Read(ctx context.Context, gen int, evs []schema.Event, more ...string) ([]EntryPoints, error) {
	keys := append([]string{schema.KeySeq, schema.KeyOutcome}, more...)
	for _, s := range e.Stages {
		keys = append(keys, schema.KeyDone+s)
	}
	ids := make([]string, 0, 2*len(evs))
	for _, ev := range evs {
		ids = append(ids, ev.UUID, e.Later(ev.UUID, ev.Seq))
	}
	ps, err := e.Points.GetKeys(ctx, gen, schema.Events, ids, keys...)
	if err != nil {
		return nil, fmt.Errorf("read event points: %w", err)
	}
	found := make(map[string]map[string]any, len(ps))
	for _, p := range ps {
		found[p.ID] = p.Payload
	}
	out := make([]EntryPoints, len(evs))
	for i, ev := range evs {
		out[i].Later = found[e.Later(ev.UUID, ev.Seq)]
		if own := found[ev.UUID]; own != nil && uint64(number(own[schema.KeySeq])) == ev.Seq {
			out[i].Own = own
		}
	}
	return out, nil
}

// Of is what the payload of an event point says.
func (e *Accounts) Of(pl map[string]any) Settlement {
	if pl == nil {
		return EntryUnknown
	}
	switch schema.Outcome(str(pl, schema.KeyOutcome)) {
	case schema.OutcomeDead:
		return EntryDead
	case schema.OutcomeOpen:
		for _, s := range e.Stages {
			if pl[schema.KeyDone+s] != true {
				return EntryOpen
			}
		}
	}
	return EntrySettled
}
