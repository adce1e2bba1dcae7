package intake

import (
	"context"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Forgotten knows what users made to go.
type Forgotten interface {
	// Forgotten reports of each of evs, in order, whether a request to forget reaches the log entry of its sequence,
	// which has its inside id and its body.
	Forgotten(ctx context.Context, evs []schema.Event) ([]bool, error)
}

// tellForgotten says of answers "as before" that what there was has been forgotten since. out[at[i]] is what evs[i] is
// answered with. Where it cannot be found out the answer stays as it is: it is right, and says less.
func (in *Intake) tellForgotten(ctx context.Context, evs []schema.Event, at []int, out []Outcome) {
	if in.cfg.Forgotten == nil {
		return
	}
	var again []schema.Event
	var place []int
	for i, ev := range evs {
		if o := out[at[i]]; o.Err == nil && o.Duplicate {
			ev.Seq = o.Seq
			again, place = append(again, ev), append(place, at[i])
		}
	}
	if len(again) == 0 {
		return
	}
	gone, err := in.cfg.Forgotten.Forgotten(ctx, again)
	if err != nil {
		return
	}
	for i, p := range place {
		out[p].Forgotten = gone[i]
	}
}
