package stages

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/siltstone-ai/siltstone/internal/decide"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Forgetter appends requests to forget to the log.
type Forgetter interface {
	// ForgetAs appends f for a user of ev's tenant under an id made of ev's: once, however often it is asked for the same
	// event. It blocks until it is stored.
	ForgetAs(ctx context.Context, ev schema.Event, f schema.Forget) error
}

// Earlier tells how far a user's events have come.
type Earlier interface {
	// Decided reports whether all that the user of ev had in the log before ev is decided, or never will be. It reads the
	// log and the event points, and does not wait.
	Decided(ctx context.Context, ev schema.Event) (bool, error)
}

// wishAgain is how long a wish waits before it looks again whether what was said before it is decided.
const wishAgain = 100 * time.Millisecond

// wished is the request to forget that a user spoke in ev: the memories that the things concern, and with them, as with every request, the turns that state them. alone says that ev states nothing else: then
// it goes too, so that no memory of the wish is left. It returns nil where nothing is to go, and [events.Wait] while
// something that was said before is not decided: the wish would pass it by.
func (d decider) wished(ctx context.Context, ev schema.Event, things []string, alone bool) (*schema.Forget, error) {
	if d.earlier != nil {
		ok, err := d.earlier.Decided(ctx, ev)
		if err != nil {
			return nil, fmt.Errorf("look at what was said before: %w", err)
		}
		if !ok {
			return nil, events.Wait(wishAgain, "the wish of event %s waits for what was said before it", ev.UUID)
		}
	}
	var ids []string
	f := schema.Filter{Must: []schema.Cond{{Key: schema.KeyOwner, Equal: schema.Owner(ev.Tenant, ev.User)}}}
	err := d.points.Each(ctx, ev.Generation, schema.Facts, f, func(p schema.Point) error {
		m := schema.MemoryFrom(p.ID, p.Payload)
		if slices.ContainsFunc(things, func(thing string) bool { return decide.Concerns(&m, thing, &ev.Envelope) }) {
			ids = append(ids, m.ID)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for what is to be forgotten: %w", err)
	}
	if alone {
		ids = append(ids, ev.ID)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	slices.Sort(ids)
	return &schema.Forget{User: ev.User, IDs: ids[:min(len(ids), schema.MaxForgetIDs)]}, nil
}

// forget appends the request that a stage decided on, unless ev is forgotten by now: then it was appended before, and
// the log is read again.
func (r *Runner) forget(ctx context.Context, ev schema.Event, f *schema.Forget) error {
	if f == nil {
		return nil
	}
	if r.Forgetter == nil {
		return schema.Permanent(schema.CodeInternal, nil, "%s of event %s asks to forget, and nobody can", r.Spec.Name, ev.UUID)
	}
	if r.Marks != nil {
		gone, err := r.Marks.Forgotten(ctx, ev)
		if err != nil || gone {
			return err
		}
	}
	if err := r.Forgetter.ForgetAs(ctx, ev, *f); err != nil {
		return fmt.Errorf("append the request to forget: %w", err)
	}
	return nil
}
