package stages

import (
	"context"
	"fmt"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// EventPoints reads the payload of one event point, nil where there is none.
type EventPoints interface {
	EventPoint(ctx context.Context, generation int, uuid string) (map[string]any, error)
}

// Bury notes in the index that a stage gave ev up, so that the ledger adds up; doing it again changes nothing. The point
// of an id belongs to one entry of the log, told by its sequence:
//   - to this one: it becomes dead, unless it was forgotten. That cannot happen in between: the forgetter waits until
//     everything before its own entry is settled, and this event is not, yet;
//   - to nobody: clean gave the event up before it made one, and it is made here;
//   - to another one: what clean gave up gets a point of its own, as later entries of an id do; what a stage behind
//     clean gave up has one, or gets it from who replaced it.
func Bury(ctx context.Context, sink Sink, points EventPoints, ev schema.Event, stage string) error {
	switch ev.Op {
	case schema.OpTurn, schema.OpMemory, schema.OpPin, schema.OpCleaned, schema.OpFact:
	default: // has no point, and is no event that the ledger accounts for; so is an operation of a newer build
		return nil
	}
	found, err := points.EventPoint(ctx, ev.Generation, ev.UUID)
	if err != nil {
		return fmt.Errorf("note that event %s is dead: %w", ev.UUID, err)
	}
	p := eventPoint(ev)
	p.Payload[schema.KeyOutcome] = string(schema.OutcomeDead)
	ws := make([]schema.Write, 1)
	if found == nil && stage == Clean.Name {
		ws[0] = write(schema.WriteInsert, p)
		if err := sink.Apply(ctx, ev.Generation, ws); err != nil {
			return fmt.Errorf("note that event %s is dead: %w", ev.UUID, err)
		}
		// Another entry of the id may have been faster.
		if found, err = points.EventPoint(ctx, ev.Generation, ev.UUID); err != nil {
			return fmt.Errorf("note that event %s is dead: %w", ev.UUID, err)
		}
	}
	switch {
	case found == nil || found[schema.KeyOutcome] == string(schema.OutcomeForgotten):
		return nil
	case seqOf(found) == ev.Seq:
		ws[0] = schema.Write{
			Kind: schema.WriteSetPayload, Collection: schema.Events, Owner: schema.Owner(ev.Tenant, ev.User), IDs: []string{ev.UUID},
			Payload: map[string]any{schema.KeyOutcome: string(schema.OutcomeDead)}, Seq: ev.Seq,
		}
	case stage == Clean.Name:
		p.ID = LaterPoint(ev.UUID, ev.Seq)
		ws[0] = write(schema.WriteInsert, p)
	default:
		return nil
	}
	if err := sink.Apply(ctx, ev.Generation, ws); err != nil {
		return fmt.Errorf("note that event %s is dead: %w", ev.UUID, err)
	}
	return nil
}
