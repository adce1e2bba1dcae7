package app

import (
	"context"
	"fmt"

	"github.com/siltstone-ai/siltstone/internal/upkeep"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// archives takes requests to archive. It is safe for concurrent use.
type archives struct {
	*forgets
	points upkeep.KeyedPoints
	accept func(ctx context.Context, tenant string, r schema.Archive) (schema.Accepted, error)
	hides  func(point map[string]any) bool
}

func (a *app) newArchives() *archives {
	return &archives{forgets: a.forgets, points: a.points, accept: a.intake.Archive, hides: a.marks.HidesEvent}
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
	ps, err := r.points.GetKeys(ctx, gen, schema.Events, uuids)
	if err != nil {
		return nil, fmt.Errorf("read event points: %w", err)
	}
	points := make(map[string]map[string]any, len(ps))
	for _, p := range ps {
		points[p.ID] = p.Payload
	}
	var fresh []string
	named := map[string]bool{}
	for i, id := range req.IDs {
		p := points[uuids[i]]
		if p == nil && unsettled != nil {
			return nil, unsettled // it may be on its way
		}
		if err := archivable(fmt.Sprintf("ids[%d]", i), schema.Owner(tenant, req.User), p, r.hides); err != nil {
			return nil, err
		}
		if p[schema.KeyArchived] != true && !named[id] {
			fresh, named[id] = append(fresh, id), true
		}
	}
	return fresh, nil
}

// archivable says why the event of an event point cannot be archived; field is where the request names it. Nobody learns
// whether an id is another user's, or was forgotten.
func archivable(field, owner string, p map[string]any, hides func(map[string]any) bool) error {
	if p == nil || p[schema.KeyOwner] != owner || hides(p) || p[schema.KeyOutcome] == string(schema.OutcomeForgotten) {
		return &schema.Error{Code: schema.CodeNotFound, Field: field, Message: "the user has no such turn"}
	}
	if op, _ := p["op"].(string); op != string(schema.OpTurn) {
		return schema.Invalid(field, "is no turn: a memory or a pin is deleted, not archived")
	}
	if outcome, _ := p[schema.KeyOutcome].(string); outcome != string(schema.OutcomeOpen) {
		return schema.Invalid(field, "is not in the index: the turn is %s", outcome)
	}
	return nil
}

// carryOut is the handler of the entries of the log by which something leaves the index of a generation. prune is
// stages.Archive there.
func (a *app) carryOut(prune events.Handler) events.Handler {
	archiver := &upkeep.Archiver{Points: a.points, Log: a.eventLog, Floor: a, Logger: a.log}
	return func(ctx context.Context, ev schema.Event) error {
		if ev.Op == schema.OpArchive {
			return archiver.Handle(ctx, ev, prune)
		}
		return a.forgetter.Handle(ctx, ev)
	}
}
