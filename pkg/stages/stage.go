package stages

import (
	"context"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Func is a stage: it decides what follows from one event. It reads through the ports in Deps and publishes and
// writes nothing itself; the runner does, and may call it again for the same event at any time. It reads no
// clock and draws no random number: times and ids come with the event. It must be safe for concurrent use.
//
// An error that is a permanent [schema.Error] sends the event to the dead letters at once; any other is retried.
type Func func(ctx context.Context, ev schema.Event) (schema.Result, error)

// Input is what a stage consumes.
type Input string

// Inputs of stages.
const (
	InLog     Input = "log"     // every op of SILT_LOG
	InCleaned Input = "cleaned" // schema.OpCleaned
	InFact    Input = "fact"    // schema.OpFact
	InSettled Input = "settled" // turns of SILT_LOG, once all other stages are through with them and with what was before them
)

// Spec declares a stage: one line of [All].
type Spec struct {
	Name string      // stage and durable name: lower-case letters
	In   Input       // what it consumes
	Out  []schema.Op // what it may publish; empty for none
	Doc  string      // one sentence for people

	Optional bool                     // it runs only where Deps has what it needs, and nothing waits for it: an event is indexed without it
	Prunes   bool                     // it writes something else once its event is archived
	New      func(Deps) (Func, error) // checks that the ports it needs are there
}
