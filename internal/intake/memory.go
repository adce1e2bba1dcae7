package intake

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Memory appends an explicit write of a memory, which w.ID names where it is a change or a deletion. id is the
// client's id of the write, by which it can be repeated: the same id and body give the same answer, another body is a
// conflict. With "" the id is drawn. class says who stands behind it. It blocks until the log has it; errors are
// those of [Intake.Turn].
func (in *Intake) Memory(ctx context.Context, tenant string, class schema.Class, id string, w schema.MemoryWrite) (schema.Accepted, error) {
	if err := w.Validate(); err != nil {
		return schema.Accepted{}, err
	}
	return in.write(ctx, tenant, w.User, id, schema.OpMemory, class, w)
}

// Pin is Memory for a pin.
func (in *Intake) Pin(ctx context.Context, tenant string, class schema.Class, id string, p schema.Pin) (schema.Accepted, error) {
	if err := p.Validate(); err != nil {
		return schema.Accepted{}, err
	}
	return in.write(ctx, tenant, p.User, id, schema.OpPin, class, p)
}

// write appends one entry that is not a turn and may come with an id.
func (in *Intake) write(ctx context.Context, tenant, user, id string, op schema.Op, class schema.Class, body any) (schema.Accepted, error) {
	if err := schema.CheckTenant(tenant); err != nil {
		return schema.Accepted{}, err
	}
	b, err := json.Marshal(body)
	if err != nil {
		return schema.Accepted{}, fmt.Errorf("encode %s: %w", op, err)
	}
	var given []string
	if id != "" {
		if err := schema.CheckID("id", id); err != nil {
			return schema.Accepted{}, err
		}
		given = []string{schema.EventUUID(tenant, id)}
	} else {
		id = in.cfg.NewID()
	}
	ev := in.event(ctx, tenant, user, id, op, b, in.cfg.Now().UTC())
	ev.Class = class
	out := make([]Outcome, 1)
	in.settle(ctx, []schema.Event{ev}, []int{0}, given, out)
	return out[0].Accepted, out[0].Err
}
