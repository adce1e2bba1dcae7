package stages

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/siltstone-ai/siltstone/internal/crash"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Publisher stores events of a stage in the stream that belongs to them and returns once all are stored.
// Storing an event that is there already is not an error.
type Publisher interface {
	Publish(ctx context.Context, stage string, evs ...schema.Event) error
}

// Sink makes writes, in their order for any one point, and returns once they are durable. It is idempotent.
type Sink interface {
	Apply(ctx context.Context, generation int, ws []schema.Write) error
}

// SlotGuard compares and swaps slot revisions.
type SlotGuard interface {
	// CompareAndSwap raises the slot's revision if it still is rev; false means that another writer was faster.
	CompareAndSwap(ctx context.Context, generation int, slot string, rev uint64) (bool, error)
}

// Marks knows what was forgotten.
type Marks interface {
	// Forgotten reports whether a forget event in the log reaches ev. It is asked after ev's writes are durable
	// and answers with every forget event that was in the log by then.
	Forgotten(ctx context.Context, ev schema.Event) (bool, error)
	// Erased reports, of an event that is forgotten, whether it is erased: then its event point goes, too.
	Erased(ev schema.Event) bool
	// Archived reports whether one of the archive events that Forgotten knew of names ev.
	Archived(ev schema.Event) bool
}

// Floor is the settled floor as this process knows it.
type Floor interface {
	// Stamp sets on e below which log sequence nothing was open. It does not block.
	Stamp(e *schema.Envelope)
	// Admit says whether a message of this op and size may be published now; a retryable error is backpressure.
	Admit(op schema.Op, size int) error
}

// Runner is the loop body around a stage: it makes what the stage decided happen, in the one order that loses
// nothing: own points, statuses, slot revisions, events, done flag. The caller acknowledges after Handle returned
// nil. It is safe for concurrent use.
type Runner struct {
	Spec       Spec
	Generation int
	Func       Func
	Publisher  Publisher
	Sink       Sink
	Slots      SlotGuard
	Marks      Marks      // nil: nothing is ever forgotten
	Floor      Floor      // nil: nothing is stamped and everything is admitted
	Retractor  *Retractor // nil: nothing is taken back, which is right only where no event id comes twice
	Forgetter  Forgetter  // nil: nobody's wish to forget can be met

	events    EventReader
	lanes     lanes     // of owners, for stages that recompute slots
	resettler Resettler // for stages that recompute slots
}

// maxConflicts bounds how often one delivery runs a stage again because another writer moved a slot.
const maxConflicts = 64

// Handle runs the stage for one event and makes its result durable. It blocks until then. A nil error means that
// the message may be acknowledged.
func (r *Runner) Handle(ctx context.Context, ev schema.Event) error {
	crash.With(crash.HandlerBegin, ev.ID)
	ev.Generation = r.Generation
	if r.Spec.In == InFact {
		leave, err := r.lanes.enter(ctx, schema.Owner(ev.Tenant, ev.User))
		if err != nil {
			return events.Wait(0, "the owner's other events kept event %s waiting: %v", ev.UUID, err)
		}
		defer leave()
	}
	for range maxConflicts {
		res, err := r.Func(ctx, ev)
		if err != nil {
			return fmt.Errorf("%s event %s: %w", r.Spec.Name, ev.UUID, err)
		}
		ok, err := r.settle(ctx, ev, res)
		if err != nil {
			return fmt.Errorf("settle %s of event %s: %w", r.Spec.Name, ev.UUID, err)
		}
		if ok {
			return nil
		}
	}
	return schema.Retryable(schema.CodeOverloaded, 0, nil, "%s of event %s: its slots kept moving", r.Spec.Name, ev.UUID)
}

// settle makes res durable; false means that a slot moved and the stage must decide again.
func (r *Runner) settle(ctx context.Context, ev schema.Event, res schema.Result) (bool, error) {
	var before []schema.Write
	for res.Next != nil {
		next, err := r.step(ctx, res)
		if err != nil {
			return false, err
		}
		before, res = append(before, res.Writes...), next
	}
	writes := res.Writes
	// Without events to publish the flag travels with the points: one trip to the store, which makes it last. With
	// guards it may stand a moment before the slots are sure; the message is open until they are.
	last := len(res.Events) == 0
	if res.Done && last {
		writes = append(writes, schema.DoneWrite(ev, r.Spec.Name))
	}
	if len(writes) > 0 {
		crash.At(crash.PointsBegin)
		if err := r.Sink.Apply(ctx, r.Generation, writes); err != nil {
			return false, err
		}
		crash.At(crash.PointsDone)
	}
	for _, g := range res.Guards {
		crash.At(crash.SlotPart)
		ok, err := r.Slots.CompareAndSwap(ctx, r.Generation, g.Slot, g.Revision)
		if err != nil || !ok {
			return false, err
		}
	}
	if len(res.Guards) > 0 {
		crash.At(crash.SlotDone)
	}
	if len(res.Events) > 0 {
		out := make([]schema.Event, len(res.Events))
		for i, e := range res.Events {
			e.Generation, e.Seq = r.Generation, ev.Seq
			if r.Floor != nil {
				if err := r.Floor.Admit(e.Op, len(e.Body)); err != nil {
					return false, err
				}
				r.Floor.Stamp(&e.Envelope)
			}
			out[i] = e
		}
		crash.At(crash.PublishBegin)
		if err := r.Publisher.Publish(ctx, r.Spec.Name, out...); err != nil {
			return false, err
		}
		crash.At(crash.PublishDone)
	}
	if res.Done && !last {
		if err := r.Sink.Apply(ctx, r.Generation, []schema.Write{schema.DoneWrite(ev, r.Spec.Name)}); err != nil {
			return false, err
		}
	}
	if err := r.forget(ctx, ev, res.Forget); err != nil {
		return false, err
	}
	res.Writes = append(before, res.Writes...)
	if pruned, err := r.unwrite(ctx, ev, res); err != nil || pruned {
		return false, err
	}
	return true, r.retract(ctx, ev, res.Writes)
}

// step makes the writes of a result that has more to say, and asks on.
func (r *Runner) step(ctx context.Context, res schema.Result) (schema.Result, error) {
	if len(res.Writes) > 0 {
		if err := r.Sink.Apply(ctx, r.Generation, res.Writes); err != nil {
			return schema.Result{}, err
		}
	}
	if res.Retract != nil && r.Retractor != nil {
		if err := r.Retractor.Retract(ctx, r.Generation, *res.Retract); err != nil {
			return schema.Result{}, err
		}
	}
	return res.Next(ctx)
}

// retract looks, after the points derived from ev are durable, whether ev still holds its event point. Where an
// earlier log entry of the same id has taken it, either that one has seen these points and removed them, or we see it
// here and do.
func (r *Runner) retract(ctx context.Context, ev schema.Event, ws []schema.Write) error {
	derived := func(w schema.Write) bool { return w.Kind == schema.WriteUpsert && w.Collection != schema.Events }
	if r.Retractor == nil || !slices.ContainsFunc(ws, derived) {
		return nil
	}
	holder, err := r.events.Holder(ctx, r.Generation, ev.UUID)
	if err != nil {
		return fmt.Errorf("ask for the holder of event point %s: %w", ev.UUID, err)
	}
	if holder == 0 || holder >= ev.Seq {
		return nil
	}
	return r.Retractor.Retract(ctx, r.Generation, schema.Retraction{Event: ev.UUID, After: holder, Owners: []string{schema.Owner(ev.Tenant, ev.User)}})
}

// unwrite deletes what a late writer has just written about a forgotten event, and decides again what it had
// decided for others. Event points stay: they account for the event and hold no text once it is forgotten. Those of an
// erased event go: the log has no entry any more that they would account for. Of an event that is not forgotten it tells
// whether it is archived, which the stage did not know: then it has to decide once more.
func (r *Runner) unwrite(ctx context.Context, ev schema.Event, res schema.Result) (pruned bool, err error) {
	if r.Marks == nil || len(res.Writes) == 0 {
		return false, nil
	}
	ws := res.Writes
	gone, err := r.Marks.Forgotten(ctx, ev)
	if err != nil || !gone {
		return err == nil && r.Spec.Prunes && !res.Archived && r.Marks.Archived(ev), err
	}
	var del []schema.Write
	for _, w := range ws {
		id, seq := w.Point.ID, seqOf(w.Point.Payload)
		if _, text := w.Payload[schema.KeySegments]; text && w.Kind == schema.WriteSetPayload {
			id, seq = w.IDs[0], w.Seq
		} else if w.Kind != schema.WriteUpsert && w.Kind != schema.WriteInsert {
			continue
		}
		switch w.Collection {
		case schema.Events:
			f := schema.ForgottenWrite(w.Owner, id)
			if r.Marks.Erased(ev) {
				f = schema.Write{Kind: schema.WriteDelete, Collection: schema.Events, Owner: w.Owner, IDs: []string{id}}
			}
			f.Seq = seq // the point may be another entry's by now
			del = append(del, f)
		default:
			del = append(del, schema.Write{Kind: schema.WriteDelete, Collection: w.Collection, Owner: w.Owner, IDs: []string{w.Point.ID}})
		}
	}
	if len(del) > 0 {
		if err := r.Sink.Apply(ctx, r.Generation, del); err != nil {
			return false, err
		}
	}
	if len(res.Guards) == 0 {
		return false, nil
	}
	var groups, slots []string
	for _, g := range res.Guards {
		if schema.IsGroup(g.Slot) {
			groups = append(groups, g.Slot)
		} else {
			slots = append(slots, g.Slot)
		}
	}
	return false, r.resettler.Resettle(ctx, r.Generation, schema.Owner(ev.Tenant, ev.User), groups, slots)
}

// NewRunner builds the runner of one stage, checking that its ports are there.
func NewRunner(spec Spec, generation int, deps Deps, pub Publisher, sink Sink, slots SlotGuard) (*Runner, error) {
	fn, err := spec.New(deps)
	if err != nil {
		return nil, fmt.Errorf("build stage %s: %w", spec.Name, err)
	}
	switch {
	case sink == nil:
		return nil, errors.New("build stage " + spec.Name + ": no sink")
	case len(spec.Out) > 0 && pub == nil:
		return nil, errors.New("build stage " + spec.Name + ": no publisher")
	case (spec.In == InFact || spec.In == InSettled) && slots == nil:
		return nil, errors.New("build stage " + spec.Name + ": no slot guard")
	}
	return &Runner{
		Spec: spec, Generation: generation, Func: fn, Publisher: pub, Sink: sink, Slots: slots, events: deps.Events,
		resettler: Resettler{Slots: deps.Slots, Guard: slots, Sink: sink},
	}, nil
}
