package stages

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// world is a store, a work stream and any number of workers, of which one at a time makes one step: a read, a write
// or a publish. Who is next is for pick to say, so that every interleaving can be had, and had again.
type world struct {
	pick   func(n int) int    // one of n
	crash  func(at Spec) bool // whether the worker that was picked dies instead
	twice  func() bool        // whether a message is delivered once more, to another worker
	points map[schema.Collection]map[string]map[string]any
	revs   map[string]uint64
	stored map[string]bool // message ids in the work stream's window
	queue  []delivery
	active []*worker
	parked chan struct{}
	errs   []error

	tools     cleanTools           // policies
	marked    bool                 // workers ask for marks
	archived  bool                 // the log has an archive event that names every turn
	forgotten bool                 // the log has a forget event that reaches every turn
	between   func()               // told before every step
	flow      map[schema.Op][]Spec // nil: flow
}

// delivery is a message on its way to a stage.
type delivery struct {
	spec Spec
	ev   schema.Event
}

// worker is one process at work on one delivery.
type worker struct {
	w      *world
	d      delivery
	resume chan struct{}
	killed bool
	done   bool
	err    error
	knows  bool // of the archive event
}

// flow are the stages behind an op.
var flow = map[schema.Op][]Spec{
	schema.OpTurn: {Clean}, schema.OpMemory: {Clean}, schema.OpCleaned: {Vectorize, Distill}, schema.OpFact: {Decide},
}

// flagged are the stages whose flags make an event indexed.
var flagged = []string{"clean", vectorizeName, distillName, decideName}

func newWorld() *world {
	w := &world{
		pick: func(int) int { return 0 }, crash: func(Spec) bool { return false }, twice: func() bool { return false },
		points: map[schema.Collection]map[string]map[string]any{}, revs: map[string]uint64{}, stored: map[string]bool{}, parked: make(chan struct{}),
	}
	for _, c := range schema.Collections {
		w.points[c] = map[string]map[string]any{}
	}
	return w
}

// deliver queues an event for every stage that wants it.
func (w *world) deliver(ev schema.Event) {
	to := flow
	if w.flow != nil {
		to = w.flow
	}
	for _, s := range to[ev.Op] {
		w.queue = append(w.queue, delivery{s, ev})
		if w.twice() {
			w.queue = append(w.queue, delivery{s, ev})
		}
	}
}

// run works until nothing is left to do. A worker that died or failed gives its message back.
func (w *world) run() error {
	for steps := 0; ; steps++ {
		if w.between != nil {
			w.between()
		}
		if len(w.queue)+len(w.active) == 0 {
			break
		}
		if steps > 100_000 {
			return errors.New("the workers do not come to an end")
		}
		i := w.pick(len(w.queue) + len(w.active))
		if i < len(w.queue) {
			d := w.queue[i]
			w.queue = slices.Delete(w.queue, i, i+1)
			k := &worker{w: w, d: d, resume: make(chan struct{})}
			w.active = append(w.active, k)
			go k.work()
		} else {
			k := w.active[i-len(w.queue)]
			k.killed = k.killed || w.crash(k.d.spec)
			k.resume <- struct{}{}
		}
		<-w.parked
		w.active = slices.DeleteFunc(w.active, func(k *worker) bool {
			if !k.done {
				return false
			}
			if k.err != nil {
				w.queue = append(w.queue, k.d)
				if !k.killed {
					w.errs = append(w.errs, k.err)
				}
			}
			return true
		})
	}
	return errors.Join(w.errs...)
}

func (k *worker) work() {
	k.err = k.handle(context.Background())
	k.done = true
	k.w.parked <- struct{}{}
}

// handle is what the router does with a delivery: the runner, and the dead letters for what no retry mends. Every
// worker has a runner of its own, as processes have.
func (k *worker) handle(ctx context.Context) error {
	r, err := NewRunner(k.d.spec, 1, Deps{Tools: k.w.tools, Events: k, Embedder: newFactStore(), Slots: k, Points: k, Archived: k.Archived}, k, k, k)
	if err != nil {
		return err
	}
	if k.w.marked {
		r.Marks = k
	}
	r.Retractor = &Retractor{Points: k, Sink: k, Settler: Resettler{Slots: k, Guard: k, Sink: k}}
	err = r.Handle(ctx, k.d.ev)
	if schema.IsPermanent(err) {
		ev := k.d.ev
		ev.Generation = 1
		return Bury(ctx, k, k, ev, k.d.spec.Name)
	}
	return err
}

// Forgotten implements Marks: from here on the worker knows what the log has.
func (k *worker) Forgotten(context.Context, schema.Event) (bool, error) {
	if err := k.step(); err != nil {
		return false, err
	}
	k.knows = k.w.archived
	return k.w.forgotten, nil
}

func (k *worker) Erased(schema.Event) bool { return false }

// Archived tells what was known when Forgotten was asked last.
func (k *worker) Archived(schema.Event) bool { return k.knows }

var errKilled = errors.New("the process was killed")

// step waits until it is this worker's turn.
func (k *worker) step() error {
	k.w.parked <- struct{}{}
	<-k.resume
	if k.killed {
		return errKilled
	}
	return nil
}

func (k *worker) EventPoint(_ context.Context, _ int, uuid string) (map[string]any, error) {
	if err := k.step(); err != nil {
		return nil, err
	}
	return maps.Clone(k.w.points[schema.Events][uuid]), nil
}

func (k *worker) Holder(ctx context.Context, gen int, uuid string) (uint64, error) {
	p, err := k.EventPoint(ctx, gen, uuid)
	return seqOf(p), err
}

// Apply makes one write a step.
func (k *worker) Apply(_ context.Context, _ int, ws []schema.Write) error {
	for _, w := range ws {
		if err := k.step(); err != nil {
			return err
		}
		applyTo(k.w.points[w.Collection], w)
	}
	return nil
}

// Each reads page by page, a point a page.
func (k *worker) Each(_ context.Context, _ int, col schema.Collection, f schema.Filter, fn func(schema.Point) error) error {
	for _, id := range sortedKeys(k.w.points[col]) {
		pl := k.w.points[col][id]
		if pl == nil || slices.ContainsFunc(f.Must, func(c schema.Cond) bool {
			return c.Range == nil && pl[c.Key] != c.Equal || c.Range != nil && float64(seqOf(pl)) <= *c.Range.GT
		}) {
			continue
		}
		if err := fn(schema.Point{ID: id, Payload: maps.Clone(pl)}); err != nil {
			return err
		}
		if err := k.step(); err != nil {
			return err
		}
	}
	return nil
}

func (k *worker) Publish(_ context.Context, stage string, evs ...schema.Event) error {
	for _, ev := range evs {
		if err := k.step(); err != nil {
			return err
		}
		// As pkg/events names messages.
		id := fmt.Sprintf("%s:%d:%s:%d:%d", stage, ev.Generation, ev.UUID, ev.Seq, ev.Attempt)
		if !k.w.stored[id] {
			k.w.stored[id] = true
			k.w.deliver(ev)
		}
	}
	return nil
}

func (k *worker) Revision(_ context.Context, _ int, slot string) (uint64, error) {
	return k.w.revs[slot], k.step()
}

func (k *worker) CompareAndSwap(_ context.Context, _ int, slot string, rev uint64) (bool, error) {
	if err := k.step(); err != nil || k.w.revs[slot] != rev {
		return false, err
	}
	k.w.revs[slot]++
	return true, nil
}

func (k *worker) Facts(_ context.Context, _ int, owner string, groups, slots []string) ([]schema.Memory, error) {
	return k.w.facts(func(m *schema.Memory) bool {
		return schema.Owner(m.Tenant, m.User) == owner && (slices.Contains(groups, m.Group) || slices.Contains(slots, m.Slot))
	}), k.step()
}

func (k *worker) FactsByID(_ context.Context, _ int, owner string, ids []string) ([]schema.Memory, error) {
	return k.w.facts(func(m *schema.Memory) bool {
		return schema.Owner(m.Tenant, m.User) == owner && slices.Contains(ids, m.ID)
	}), k.step()
}

func (w *world) facts(keep func(*schema.Memory) bool) []schema.Memory {
	var out []schema.Memory
	for _, id := range sortedKeys(w.points[schema.Facts]) {
		if m := schema.MemoryFrom(id, w.points[schema.Facts][id]); keep(&m) {
			out = append(out, m)
		}
	}
	return out
}

// derived are all points but those of events, as text.
func (w *world) derived() string {
	var b strings.Builder
	for _, c := range []schema.Collection{schema.Passages, schema.Triples, schema.Facts} {
		for _, id := range sortedKeys(w.points[c]) {
			if c == schema.Facts { // a state that was decided back is the one never decided otherwise
				fmt.Fprintf(&b, "%s %+v\n", c, schema.MemoryFrom(id, w.points[c][id]))
				continue
			}
			fmt.Fprintf(&b, "%s %s %v\n", c, id, w.points[c][id])
		}
	}
	return b.String()
}
