package intake

import (
	"context"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Erased knows what users made to go.
type Erased interface {
	// Erased reports of each of evs, in order, whether a request to forget reaches the log entry of its sequence,
	// which has its inside id and its body.
	Erased(ctx context.Context, evs []schema.Event) ([]bool, error)
}

// settleErased takes back the answer "as before" where what there was has been forgotten since: it is not remembered,
// so it must not be answered as if it were. evs are all events of a batch, out[at[i]] what evs[i] is answered with.
// An id of fallback's is that of the caller, who passes the same turn again: it was said before, not again.
func (in *Intake) settleErased(ctx context.Context, evs []schema.Event, at []int, fallback string, out []Outcome) {
	if in.cfg.Erased == nil {
		return
	}
	var again []schema.Event
	var place []int
	for i, ev := range evs {
		if o := out[at[i]]; o.Err == nil && o.Duplicate && (fallback == "" || ev.ID != fallback) {
			ev.Seq = o.Seq
			again, place = append(again, ev), append(place, at[i])
		}
	}
	if len(again) == 0 {
		return
	}
	gone, err := in.cfg.Erased.Erased(ctx, again)
	for i, p := range place {
		switch {
		case err != nil:
			out[p] = Outcome{Err: err}
		case gone[i]:
			out[p] = Outcome{Err: &schema.Error{Code: schema.CodeConflict, Field: "id", Message: "the id belonged to an event that was erased"}}
		}
	}
}
