package upkeep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/siltstone-ai/siltstone/internal/crash"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Store is what forgetting needs of the vector store.
type Store interface {
	// Each calls fn with every point that matches, page by page, until fn errs.
	Each(ctx context.Context, generation int, col schema.Collection, f schema.Filter, fn func(schema.Point) error) error
	Apply(ctx context.Context, generation int, ws []schema.Write) error
	DeleteWhere(ctx context.Context, generation int, col schema.Collection, f schema.Filter) error
}

// Settler decides the state of groups and slots again after facts have gone.
type Settler interface {
	Resettle(ctx context.Context, generation int, owner string, groups, slots []string) error
}

// Caches drops what caches hold of an owner's points, or remembers to: the points are what decides whether something
// is forgotten.
type Caches interface {
	Drop(ctx context.Context, generation int, owner string, ids []string)
}

// Floor tells how far the log is settled.
type Floor interface {
	// Settled reports whether the log is settled to seq in a generation. It does not wait for that.
	Settled(ctx context.Context, generation int, seq uint64) (bool, error)
}

// Forgetter carries out forget events. Safe for concurrent use; doing one again changes nothing.
type Forgetter struct {
	Store   Store
	Settler Settler
	Caches  Caches // may be nil
	Floor   Floor
	Log     UserLog
	Dead    DeadLetters
	MaxTurn int64        // bytes of a turn; longer bodies of dead letters are not read
	Logger  *slog.Logger // nil: says nothing

	// Asleep are the generations that nobody works on at present and that who works on this one sees to; nil for none.
	Asleep func(generation int) []int

	// Who reads through a log or through dead letters holds bodies of many megabytes, and their folded copies: one at a
	// time. Requests do not wait for events that are carried out.
	asked, carried turnstile
}

// floorEvery is how often Handle wants to be called until the log is settled.
const floorEvery = 20 * time.Millisecond

// Handle carries out one forget event in its generation, once the log is settled there up to the event, so that what was
// still on its way is found too. Until then its error is [events.Wait]: it does not hold up those it waits for. Every
// generation is told of every forget event. One that sleeps has what it holds removed now, and is told of the event when
// it is worked on again.
func (f *Forgetter) Handle(ctx context.Context, ev schema.Event) error {
	if ev.Op != schema.OpForget { // the body of another may decode as one that reaches more than it names
		return schema.Permanent(schema.CodeUnsupported, nil, "the operation %q is no request to forget", ev.Op)
	}
	req, err := schema.DecodeStored[schema.Forget](schema.OpForget, ev.Version, ev.Body)
	if err != nil {
		return err
	}
	settled, err := f.Floor.Settled(ctx, ev.Generation, ev.Seq)
	if err != nil {
		return fmt.Errorf("forget event %s: read the settled floor: %w", ev.UUID, err)
	}
	if !settled {
		return events.Wait(floorEvery, "forget event %s: generation %d is not settled to %d", ev.UUID, ev.Generation, ev.Seq)
	}
	gens := []int{ev.Generation}
	if f.Asleep != nil {
		gens = append(gens, f.Asleep(ev.Generation)...)
	}
	sel := newSelector(ev.Tenant, req)
	seqs, err := f.carry(ctx, ev, sel)
	if err != nil {
		return fmt.Errorf("forget event %s: %w", ev.UUID, err)
	}
	gone := map[string]bool{} // inside ids
	for _, gen := range gens {
		hit, err := f.find(ctx, gen, ev.Tenant, sel, seqs, ev.Seq)
		if err != nil {
			return fmt.Errorf("forget event %s: find: %w", ev.UUID, err)
		}
		hit.resume()
		if err := f.remove(ctx, gen, schema.Owner(ev.Tenant, req.User), hit); err != nil {
			return fmt.Errorf("forget event %s: remove: %w", ev.UUID, err)
		}
		for uuid := range hit.events {
			gone[uuid] = true
		}
	}
	crash.At(crash.ForgetDone)
	// Nothing of it dies from here on: the log is settled up to the request.
	if err := f.removeDead(ctx, ev, sel, seqs, gone); err != nil {
		return fmt.Errorf("forget event %s: remove dead letters: %w", ev.UUID, err)
	}
	return nil
}

// queueFor is how long an event waits inside for those before it. What is left of its time is for the work.
const queueFor = time.Minute

// carry is stated for an event that is carried out. Where others take long it gives the event back: waiting is no fault.
func (f *Forgetter) carry(ctx context.Context, ev schema.Event, sel selector) (map[uint64]bool, error) {
	if !sel.reads() {
		return nil, nil
	}
	wait, cancel := context.WithTimeout(ctx, queueFor)
	defer cancel()
	leave, err := f.carried.enter(wait)
	if err != nil {
		return nil, events.Wait(floorEvery, "%v", err)
	}
	defer leave()
	return f.stated(ctx, ev.Tenant, sel, ev.Seq)
}

// removeDead removes what died of the events that went, by inside id or by sequence, and what intake refused.
func (f *Forgetter) removeDead(ctx context.Context, ev schema.Event, sel selector, seqs map[uint64]bool, gone map[string]bool) error {
	leave, err := f.carried.enter(ctx)
	if err != nil {
		return events.Wait(floorEvery, "%v", err)
	}
	defer leave()
	return f.Dead.RemoveDead(ctx, ev.Tenant, f.MaxTurn, func(d events.DeadLetter) bool {
		e := d.Event
		if e.UUID == "" {
			return sel.letter(ev.Tenant, d, ev.Accepted)
		}
		return e.User == sel.req.User && e.Seq <= ev.Seq && (gone[e.UUID] || seqs[e.Seq] || sel.whole(e.At))
	})
}

// found is what a request reaches: events by inside id, with the ids of their points, and facts.
type found struct {
	events map[string][]string // uuid → ids of its event points
	facts  map[string]schema.Memory
	names  map[string]string          // uuid → the client's id
	begun  map[string][]schema.Memory // events marked as forgotten before, and what facts of them are still there
	orphan []schema.Memory            // facts decided by one that is not there any more
}

// resume takes in the events that were marked before: a try that ended between the marks and the deletions has left
// points behind which nothing else finds, since the text that selected them is gone.
func (h *found) resume() {
	for uuid, facts := range h.begun {
		if _, found := h.events[uuid]; !found {
			h.events[uuid] = nil // nothing to mark again
		}
		for _, m := range facts {
			h.facts[m.ID] = m
		}
	}
}

// find resolves a request to events and facts, seqs being the log entries that state it. A fact goes with its source
// event, and an event with its facts: what states it must not stay behind to be read again.
func (f *Forgetter) find(ctx context.Context, gen int, tenant string, sel selector, seqs map[uint64]bool, upTo uint64) (found, error) {
	owner := schema.Owner(tenant, sel.req.User)
	hit := found{events: map[string][]string{}, facts: map[string]schema.Memory{}, names: map[string]string{}, begun: map[string][]schema.Memory{}}
	byOwner := schema.Filter{Must: []schema.Cond{{Key: schema.KeyOwner, Equal: owner}}}

	facts := map[string][]schema.Memory{} // by source event
	var decided []schema.Memory           // by another
	there := map[string]bool{}
	err := f.Store.Each(ctx, gen, schema.Facts, byOwner, func(p schema.Point) error {
		m := schema.MemoryFrom(p.ID, p.Payload)
		if there[m.ID] = true; m.SupersededBy != "" || m.Mark != "" {
			decided = append(decided, m)
		}
		if m.Source.Seq > upTo {
			return nil
		}
		facts[m.Source.UUID], hit.names[m.Source.UUID] = append(facts[m.Source.UUID], m), m.Source.Event
		if sel.fact(m) {
			hit.events[m.Source.UUID] = nil
		}
		return nil
	})
	if err != nil {
		return hit, err
	}
	hit.orphan = slices.DeleteFunc(decided, func(m schema.Memory) bool {
		return (m.SupersededBy == "" || there[m.SupersededBy]) && (m.Mark == "" || there[m.Mark])
	})
	points := map[string][]string{}
	err = f.Store.Each(ctx, gen, schema.Events, byOwner, func(p schema.Point) error {
		uuid, _ := p.Payload[schema.KeyEvent].(string)
		seq := uint64(number(p.Payload[schema.KeySeq]))
		if seq > upTo {
			return nil
		}
		if p.Payload[schema.KeyOutcome] == string(schema.OutcomeForgotten) {
			hit.begun[uuid] = facts[uuid]
			return nil
		}
		points[uuid] = append(points[uuid], p.ID)
		hit.names[uuid], _ = p.Payload[schema.KeyEventID].(string)
		// An entry that came later under the same id is not the event, and has a point of its own.
		if sel.event(uuid, p.Payload) || p.ID == uuid && seqs[seq] {
			hit.events[uuid] = nil
		}
		return nil
	})
	if err != nil {
		return hit, err
	}
	hit.lines(facts, sel)
	for uuid := range hit.events {
		hit.events[uuid] = points[uuid]
		for _, m := range facts[uuid] {
			hit.facts[m.ID] = m
		}
	}
	return hit, nil
}

// lines takes in what belongs together by edits. A line is a memory with its edits, all under the id of the first. Where
// an event that goes states one of them, by itself or by an edit, all that the line said up to that entry of the log goes,
// with the events that said it: it would hold again else. A memory that is named by its id goes with the whole line,
// later edits too. Marks are in no line: that a deletion is forgotten takes nothing along.
func (h *found) lines(facts map[string][]schema.Memory, sel selector) {
	line := func(m schema.Memory) string { return cmp.Or(m.Edits, m.ID) }
	upTo := map[string]uint64{} // log sequence up to which a line goes
	for uuid := range h.events {
		for _, m := range facts[uuid] {
			if !schema.IsTarget(m.Slot) {
				upTo[line(m)] = max(upTo[line(m)], m.Source.Seq)
			}
		}
	}
	for _, ms := range facts {
		for _, m := range ms {
			if sel.ids[m.ID] {
				upTo[line(m)] = ^uint64(0)
			}
		}
	}
	for uuid, ms := range facts {
		for _, m := range ms {
			if last, goes := upTo[line(m)]; goes && m.Source.Seq <= last {
				if _, known := h.events[uuid]; !known {
					h.events[uuid] = nil
				}
			}
		}
	}
}

// batchEvents bounds how many events one deletion names.
const batchEvents = 200

// remove marks the event points first, which is what late workers look at, then deletes, then decides the slots
// again, and at last looks whether anything is left.
func (f *Forgetter) remove(ctx context.Context, gen int, owner string, hit found) error {
	var marks []schema.Write
	uuids := make([]string, 0, len(hit.events))
	for uuid, ids := range hit.events {
		uuids = append(uuids, uuid)
		for _, id := range ids {
			marks = append(marks, schema.ForgottenWrite(owner, id))
		}
	}
	ids := make([]string, 0, len(marks)+len(hit.facts))
	for _, w := range marks {
		ids = append(ids, w.IDs...)
	}
	for id := range hit.facts {
		ids = append(ids, id)
	}
	if f.Caches != nil { // first, while it is known what there is to drop, and at last, when nothing can be read into them
		f.Caches.Drop(ctx, gen, owner, ids)
		defer f.Caches.Drop(ctx, gen, owner, ids)
	}
	if len(marks) > 0 {
		if err := f.Store.Apply(ctx, gen, marks); err != nil {
			return fmt.Errorf("mark event points: %w", err)
		}
		crash.At(crash.ForgetMarked)
	}
	groups, slots := map[string]bool{}, map[string]bool{}
	// A try that ended behind the deletions has left what they had decided as it was.
	for _, m := range hit.orphan {
		groups[m.Group], slots[m.Slot] = true, true
	}
	var targets []string
	for _, m := range hit.facts {
		groups[m.Group], slots[m.Slot] = true, true
		if schema.IsTarget(m.Slot) {
			targets = append(targets, m.Subject)
		}
	}
	if len(targets) > 0 { // what a mark stood on is decided without it
		held := schema.Filter{Must: []schema.Cond{{Key: schema.KeyOwner, Equal: owner}, {HasID: targets}}}
		err := f.Store.Each(ctx, gen, schema.Facts, held, func(p schema.Point) error {
			m := schema.MemoryFrom(p.ID, p.Payload)
			groups[m.Group], slots[m.Slot] = true, true
			return nil
		})
		if err != nil {
			return fmt.Errorf("read what was edited: %w", err)
		}
	}
	for len(uuids) > 0 {
		n := min(len(uuids), batchEvents)
		filter := schema.Filter{Must: []schema.Cond{{Key: schema.KeyOwner, Equal: owner}, {Key: schema.KeyEvent, Any: uuids[:n]}}}
		for _, col := range []schema.Collection{schema.Passages, schema.Triples, schema.Facts} {
			if err := f.Store.DeleteWhere(ctx, gen, col, filter); err != nil {
				return fmt.Errorf("delete %s: %w", col, err)
			}
		}
		for _, col := range []schema.Collection{schema.Passages, schema.Triples, schema.Facts} {
			if err := f.Store.Each(ctx, gen, col, filter, func(schema.Point) error { return errLeft }); err != nil {
				return schema.Retryable(schema.CodeUnavailable, 0, err, "%s of forgotten events are left", col)
			}
		}
		uuids = uuids[n:]
		crash.At(crash.ForgetDeleted)
	}
	if len(groups)+len(slots) > 0 {
		if err := f.Settler.Resettle(ctx, gen, owner, keys(groups), keys(slots)); err != nil {
			return fmt.Errorf("decide slots again: %w", err)
		}
	}
	return nil
}

var errLeft = errors.New("a point is left")

func keys(m map[string]bool) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		if k != "" {
			out = append(out, k)
		}
	}
	return out
}

func contains(s, sub string) bool { return sub != "" && strings.Contains(s, sub) }

func number(v any) float64 {
	switch x := v.(type) {
	case int64:
		return float64(x)
	case float64:
		return x
	}
	return 0
}
