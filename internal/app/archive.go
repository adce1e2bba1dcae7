package app

import (
	"context"
	"fmt"
	"time"

	"github.com/siltstone-ai/siltstone/internal/upkeep"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// archives takes requests to archive. It is safe for concurrent use.
type archives struct {
	last   func(ctx context.Context, tenant string) (uint64, error)
	settle func(ctx context.Context, generation int, seq uint64) error
	active func() int // generation
	points upkeep.KeyedPoints
	entry  func(ctx context.Context, seq uint64) (schema.Event, error) // of the log
	accept func(ctx context.Context, tenant string, r schema.Archive) (schema.Accepted, error)
	hides  func(point map[string]any) bool
	noted  func(ctx context.Context, tenant string, job schema.Job, seq uint64)
	wait   time.Duration // for the log to be settled
}

func (a *app) newArchives() *archives {
	return &archives{
		last: a.eventLog.Last, settle: a.WaitFloor, active: a.active, points: a.points, entry: a.eventLog.Read, accept: a.intake.Archive, hides: a.marks.HidesEvent,
		noted: a.forgets.noted, wait: a.cfg.Read.Timeout,
	}
}

// Archive implements httpapi.Archiver: the turns are looked for once the log is settled up to the present, and all must be
// there. Then the request becomes an event of the log, which names those that are not archived yet, and is carried out
// once the log is settled up to it.
func (r *archives) Archive(ctx context.Context, tenant string, req schema.Archive) (schema.ArchiveReply, error) {
	fresh, err := r.turns(ctx, tenant, req)
	if err != nil {
		return schema.ArchiveReply{}, err
	}
	out := schema.ArchiveReply{Matched: len(fresh)}
	if req.DryRun {
		out.Events = fresh
	}
	if req.DryRun || len(fresh) == 0 {
		return out, nil
	}
	acc, err := r.accept(ctx, tenant, schema.Archive{User: req.User, IDs: fresh})
	if err != nil {
		return schema.ArchiveReply{}, err
	}
	out.Job = acc.ID
	r.noted(ctx, tenant, schema.Job{ID: acc.ID, Kind: schema.JobArchive, State: schema.JobRunning, Archive: &schema.ArchiveState{Seq: acc.Seq, Matched: out.Matched}}, acc.Seq)
	return out, nil
}

// turns are the ids of those of the request's turns that are not archived yet, each once.
func (r *archives) turns(ctx context.Context, tenant string, req schema.Archive) ([]string, error) {
	last, err := r.last(ctx, tenant)
	if err != nil {
		return nil, err
	}
	gen := r.active()
	settle, cancel := context.WithTimeout(ctx, r.wait)
	defer cancel()
	unsettled := r.settle(settle, gen, last)
	uuids := make([]string, len(req.IDs))
	for i, id := range req.IDs {
		uuids[i] = schema.EventUUID(tenant, id)
	}
	points, err := r.read(ctx, gen, uuids, keyOp, schema.KeyOwner, schema.KeyOutcome, schema.KeyArchived)
	if err != nil {
		return nil, err
	}
	var fresh []string
	named := map[string]bool{}
	for i, id := range req.IDs {
		p := points[uuids[i]]
		if p == nil && unsettled != nil {
			return nil, unsettled // it may be on its way
		}
		if err := archivable(field(i), schema.Owner(tenant, req.User), p); err != nil {
			return nil, err
		}
		if p[schema.KeyArchived] != true && !named[id] {
			fresh, named[id] = append(fresh, id), true
		}
	}
	return fresh, r.hidden(ctx, gen, uuids)
}

// field is where a request names its id with number i.
func field(i int) string { return fmt.Sprintf("ids[%d]", i) }

// hidden fails where a forget event that is not carried out yet reaches one of the events. It may have to look into the
// texts, which are read a few at a time.
func (r *archives) hidden(ctx context.Context, gen int, uuids []string) error {
	for from := 0; from < len(uuids); from += readPoints {
		part := uuids[from:min(from+readPoints, len(uuids))]
		points, err := r.read(ctx, gen, part)
		if err != nil {
			return err
		}
		for i, u := range part {
			if p := points[u]; p == nil || r.hides(p) {
				return noTurn(field(from + i))
			}
		}
	}
	return nil
}

// read is the payloads of event points by their ids: these keys, all where none is named.
func (r *archives) read(ctx context.Context, gen int, uuids []string, keys ...string) (map[string]map[string]any, error) {
	ps, err := r.points.GetKeys(ctx, gen, schema.Events, uuids, keys...)
	if err != nil {
		return nil, fmt.Errorf("read event points: %w", err)
	}
	points := make(map[string]map[string]any, len(ps))
	for _, p := range ps {
		points[p.ID] = p.Payload
	}
	return points, nil
}

// left is how many turns that the archive event at seq names could not be archived: those in the index that do not say so,
// once it is carried out.
func (r *archives) left(ctx context.Context, seq uint64) (int, error) {
	ev, err := r.entry(ctx, seq)
	if schema.IsPermanent(err) { // erased with its user
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	req, err := schema.DecodeStored[schema.Archive](ev.Op, ev.Version, ev.Body)
	if err != nil {
		return 0, err
	}
	uuids := make([]string, len(req.IDs))
	for i, id := range req.IDs {
		uuids[i] = schema.EventUUID(ev.Tenant, id)
	}
	points, err := r.read(ctx, r.active(), uuids, schema.KeyOwner, schema.KeyOutcome, schema.KeyArchived)
	n := 0
	for _, p := range points {
		if p[schema.KeyOwner] == schema.Owner(ev.Tenant, ev.User) && p[schema.KeyOutcome] == string(schema.OutcomeOpen) && p[schema.KeyArchived] != true {
			n++
		}
	}
	return n, err
}

// keyOp is where an event point has the op of its entry.
const keyOp = "op"

func noTurn(field string) error {
	return &schema.Error{Code: schema.CodeNotFound, Field: field, Message: "the user has no such turn"}
}

// archivable says why the event of an event point cannot be archived; field is where the request names it. Nobody learns
// whether an id is another user's, or was forgotten.
func archivable(field, owner string, p map[string]any) error {
	if p == nil || p[schema.KeyOwner] != owner || p[schema.KeyOutcome] == string(schema.OutcomeForgotten) {
		return noTurn(field)
	}
	if op, _ := p[keyOp].(string); op != string(schema.OpTurn) {
		return schema.Invalid(field, "is no turn: a memory or a pin is deleted, not archived")
	}
	if outcome, _ := p[schema.KeyOutcome].(string); outcome != string(schema.OutcomeOpen) {
		return schema.Invalid(field, "is not in the index: the turn is %s", outcome)
	}
	return nil
}

// carryOut is the handler of the entries of the log by which something leaves the index of a generation, when they come and
// when they are tried again. prune is stages.Archive there.
func carryOut(f *upkeep.Forgetter, a *upkeep.Archiver, prune events.Handler) events.Handler {
	return func(ctx context.Context, ev schema.Event) error {
		if ev.Op == schema.OpArchive {
			return a.Handle(ctx, ev, prune)
		}
		return f.Handle(ctx, ev)
	}
}
