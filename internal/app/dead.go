package app

import (
	"context"
	"fmt"
	"strconv"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// obituary notes in the index that an event is dead, so that the ledger adds up.
type obituary struct {
	store interface {
		EventPoint(ctx context.Context, generation int, uuid string) (map[string]any, error)
		Apply(ctx context.Context, generation int, ws []schema.Write) error
	}
}

// write is the router's OnDead; doing it again changes nothing. The point of an id belongs to one entry of the log,
// told by its sequence:
//   - to this one: it becomes dead, unless it was forgotten. That cannot happen in between: the forgetter waits until
//     everything before its own entry is settled, and this event is not, yet;
//   - to nobody: clean gave the event up before it made one, and it is made here;
//   - to another one: what clean gave up gets a point of its own, as later entries of an id do; what a stage behind
//     clean gave up has one.
func (o obituary) write(ctx context.Context, ev schema.Event, stage string, _ error) error {
	switch ev.Op {
	case schema.OpForget, schema.OpTool, schema.OpSetting: // have no point
		return nil
	}
	owner := schema.Owner(ev.Tenant, ev.User)
	found, err := o.store.EventPoint(ctx, ev.Generation, ev.UUID)
	if err != nil {
		return fmt.Errorf("note that event %s is dead: %w", ev.UUID, err)
	}
	if found == nil && stage == events.StageClean {
		insert := schema.Write{Kind: schema.WriteInsert, Collection: schema.Events, Owner: owner, Point: deadPoint(ev, ev.UUID)}
		if err := o.store.Apply(ctx, ev.Generation, []schema.Write{insert}); err != nil {
			return fmt.Errorf("note that event %s is dead: %w", ev.UUID, err)
		}
		// Another entry of the id may have been faster.
		if found, err = o.store.EventPoint(ctx, ev.Generation, ev.UUID); err != nil {
			return fmt.Errorf("note that event %s is dead: %w", ev.UUID, err)
		}
	}
	if found == nil || found[schema.KeyOutcome] == string(schema.OutcomeForgotten) {
		return nil
	}
	w := schema.Write{
		Kind: schema.WriteSetPayload, Collection: schema.Events, Owner: owner, IDs: []string{ev.UUID},
		Payload: map[string]any{schema.KeyOutcome: string(schema.OutcomeDead)},
	}
	if seq, _ := found[schema.KeySeq].(int64); uint64(seq) != ev.Seq {
		if stage != events.StageClean {
			return nil
		}
		own := schema.PointID(ev.UUID, "seq."+strconv.FormatUint(ev.Seq, 10), events.StageClean)
		w = schema.Write{Kind: schema.WriteInsert, Collection: schema.Events, Owner: owner, Point: deadPoint(ev, own)}
	}
	if err := o.store.Apply(ctx, ev.Generation, []schema.Write{w}); err != nil {
		return fmt.Errorf("note that event %s is dead: %w", ev.UUID, err)
	}
	return nil
}

// deadPoint is the event point of an entry that clean could not make one of.
func deadPoint(ev schema.Event, id string) schema.Point {
	return schema.Point{ID: id, Payload: map[string]any{
		schema.KeyOwner: schema.Owner(ev.Tenant, ev.User), schema.KeyTenant: ev.Tenant, schema.KeyUser: ev.User, schema.KeyEvent: ev.UUID, schema.KeyEventID: ev.ID,
		schema.KeyAt: ev.At.UnixMilli(), schema.KeySeq: int64(ev.Seq), schema.KeyBodyHash: ev.BodyHash, schema.KeyOutcome: string(schema.OutcomeDead),
	}}
}
