package stages

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// claim is one log entry on its way to its event point.
//
// An event id may stand in the log more than once, and clean may see the entries in any order, at the same time, in
// several processes, and each of them again. The event point is the entry's that came first in the log (its holder),
// and every other entry has a point of its own (LaterPoint) that says whether it is a duplicate or a conflict. That
// holds under any interleaving, because
//   - a point is inserted only where none is, and taken over only from the very entry that was seen to hold it, by one
//     conditional write each: the holder's sequence only ever falls;
//   - whoever writes looks again before it goes on, so that of two entries that both saw no point one learns that it
//     is not the holder;
//   - who takes over notes on the point whom it replaced, so that after a crash it, or whoever replaces it in turn,
//     still gives those their points and takes back what was derived from them;
//   - what is derived has ids of its log entry, flags are set only while the entry holds the point, and a stage that
//     has written for an entry looks whether that still is the holder (see Runner.retract): what a replaced entry
//     had under way goes as well.
type claim struct {
	s        *cleanStage
	ev       schema.Event
	archived bool // as far as is known

	point  *schema.Point // the event point, once computed
	out    *schema.Event // for the stages behind; nil where nothing is left to compute
	rounds int
	judged uint64 // the holder against which our later point was written
	clear  bool   // the points of those we replaced are written, and what was derived from them is gone
}

// maxRounds bounds how often one delivery looks at the event point. Each round but the last means that another entry
// of the same id has moved it.
const maxRounds = 64

// keyReplaced, on event points, lists the entries that held the point before, oldest last: what their own points need.
const keyReplaced = "replaced"

// next takes the next step.
func (c *claim) next(ctx context.Context) (schema.Result, error) {
	res, err := c.step(ctx)
	res.Archived = c.archived
	return res, err
}

// step looks at the event point and decides.
func (c *claim) step(ctx context.Context) (schema.Result, error) {
	if c.rounds++; c.rounds > maxRounds {
		return schema.Result{}, schema.Retryable(schema.CodeOverloaded, 0, nil, "the point of event %s kept moving", c.ev.UUID)
	}
	found, err := c.s.deps.Events.EventPoint(ctx, c.ev.Generation, c.ev.UUID)
	if err != nil {
		return schema.Result{}, fmt.Errorf("read event point %s: %w", c.ev.UUID, err)
	}
	if found == nil {
		if err := c.compute(nil); err != nil {
			return schema.Result{}, err
		}
		return schema.Result{Writes: []schema.Write{write(schema.WriteInsert, *c.point)}, Next: c.next}, nil
	}
	switch holder := seqOf(found); {
	case holder == 0:
		return schema.Result{}, schema.Permanent(schema.CodeCorrupt, nil, "the point of event %s has no sequence", c.ev.UUID)
	case holder < c.ev.Seq:
		return c.later(found, holder), nil
	case holder > c.ev.Seq:
		return c.replace(found, holder, append([]map[string]any{replacedEntry(found)}, replaced(found)...))
	case found[schema.KeyOutcome] == string(schema.OutcomeForgotten):
		return schema.Result{}, nil
	case found[schema.KeyOutcome] == string(schema.OutcomeDead) && c.ev.Attempt > 0: // out of the dead letters and on its way again
		return c.replace(found, holder, replaced(found))
	default:
		return c.hold(found)
	}
}

// replace writes our point over the one that was found.
func (c *claim) replace(found map[string]any, holder uint64, over []map[string]any) (schema.Result, error) {
	if err := c.compute(over); err != nil {
		return schema.Result{}, err
	}
	w := write(schema.WriteUpsert, *c.point)
	w.Seq = holder
	return schema.Result{Writes: []schema.Write{w}, Next: c.next}, nil
}

// hold is the way of the holder: once whom it replaced is seen to, it goes on.
func (c *claim) hold(found map[string]any) (schema.Result, error) {
	over := replaced(found)
	if !c.clear && (len(over) > 0 || c.ev.Attempt > 0) {
		c.clear = true
		owner := schema.Owner(c.ev.Tenant, c.ev.User)
		// An entry that clean had given up while another held the point has one of its own by then.
		res := schema.Result{Next: c.next, Writes: []schema.Write{
			{Kind: schema.WriteDelete, Collection: schema.Events, Owner: owner, IDs: []string{LaterPoint(c.ev.UUID, c.ev.Seq)}},
		}}
		for _, r := range over {
			res.Writes = append(res.Writes, laterWrite(c.ev, r, c.ev.BodyHash))
		}
		if len(over) > 0 {
			res.Retract = c.retraction(over, c.ev.Seq, c.ev.BodyHash)
		}
		return res, nil
	}
	if err := c.compute(over); err != nil {
		return schema.Result{}, err
	}
	res := schema.Result{Done: true}
	if c.out != nil {
		res.Events = []schema.Event{*c.out}
		if c.archived && found[schema.KeyArchived] != true {
			res.Writes = []schema.Write{c.prune()}
		}
	}
	return res, nil
}

// later is the way of an entry whose id an earlier one has: a point that accounts for it and holds no text. It is
// written again where the holder changes, since the holder's body says what it is.
func (c *claim) later(found map[string]any, holder uint64) schema.Result {
	if c.judged == holder {
		return schema.Result{}
	}
	c.judged = holder
	hash, _ := found[schema.KeyBodyHash].(string)
	res := schema.Result{Writes: []schema.Write{laterWrite(c.ev, replacedEntry(eventPoint(c.ev).Payload), hash)}, Next: c.next}
	if over := replaced(found); len(over) > 0 {
		// We may have held the point ourselves, in this delivery or in one that was cut off, and judged others by our body
		// after the new holder had by its own.
		res.Retract = c.retraction(over, holder, hash)
	}
	return res
}

// retraction takes back what replaced holders have left behind.
func (c *claim) retraction(over []map[string]any, holder uint64, hash string) *schema.Retraction {
	rt := &schema.Retraction{Tenant: c.ev.Tenant, Event: c.ev.UUID, After: holder, Hash: hash}
	for _, r := range over {
		user, _ := r[schema.KeyUser].(string)
		if o := schema.Owner(c.ev.Tenant, user); !slices.Contains(rt.Owners, o) {
			rt.Owners = append(rt.Owners, o)
		}
	}
	return rt
}

// compute fills the event point and what is published, once.
func (c *claim) compute(over []map[string]any) error {
	if c.point == nil {
		p := eventPoint(c.ev)
		var err error
		if c.ev.Op == schema.OpTurn {
			c.out, err = c.s.turn(c.ev, p.Payload)
			if err == nil && c.out != nil && c.archived {
				err = c.document(p.Payload)
			}
		} else {
			c.out, err = c.s.explicit(c.ev, p.Payload)
		}
		if err != nil {
			return err
		}
		if c.out == nil {
			p.Payload[schema.KeyOutcome] = string(schema.OutcomeDropped)
		}
		c.point = &p
	}
	if delete(c.point.Payload, keyReplaced); len(over) > 0 {
		c.point.Payload[keyReplaced] = over
	}
	return nil
}

// LaterPoint is the id of the event point of a log entry whose event id an earlier one has.
func LaterPoint(uuid string, seq uint64) string {
	return schema.PointID(uuid, "seq."+strconv.FormatUint(seq, 10), "clean")
}

// replacedEntry is what is kept of a holder that is replaced.
func replacedEntry(pl map[string]any) map[string]any {
	out := map[string]any{}
	for _, k := range []string{schema.KeySeq, schema.KeyUser, schema.KeyBodyHash, schema.KeyAt, keyAcceptedAt, schema.KeyClass, keyOp} {
		if v, ok := pl[k]; ok {
			out[k] = v
		}
	}
	return out
}

// replaced reads the list of replaced holders.
func replaced(pl map[string]any) []map[string]any {
	l, _ := pl[keyReplaced].([]map[string]any)
	return l
}

// laterWrite is the point of the entry r of ev's id, of which hash is the first body.
func laterWrite(ev schema.Event, r map[string]any, hash string) schema.Write {
	user, _ := r[schema.KeyUser].(string)
	body, _ := r[schema.KeyBodyHash].(string)
	pl := map[string]any{
		schema.KeyOwner: schema.Owner(ev.Tenant, user), schema.KeyTenant: ev.Tenant, schema.KeyUser: user,
		schema.KeyEvent: ev.UUID, schema.KeyEventID: ev.ID, schema.KeyOutcome: string(laterOutcome(body, hash)),
	}
	for k, v := range r {
		pl[k] = v
	}
	return write(schema.WriteUpsert, schema.Point{ID: LaterPoint(ev.UUID, seqOf(r)), Payload: pl})
}

// laterOutcome is what a later entry of an id is: a duplicate with the first body, a conflict with another.
func laterOutcome(body, first string) schema.Outcome {
	if body == first {
		return schema.OutcomeDuplicate
	}
	return schema.OutcomeConflict
}
