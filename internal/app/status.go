package app

import (
	"context"
	"fmt"

	"github.com/siltstone-ai/siltstone/internal/upkeep"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/pkg/stages"
)

// Status implements httpapi.Status.
func (a *app) Status(ctx context.Context, tenant string) (schema.StatusReply, error) {
	gen := a.active()
	g := a.readings.get(gen)
	if g == nil {
		return schema.StatusReply{}, notOpen(gen)
	}
	m := g.monitor
	var st schema.StatusReply
	var err error
	if st.Idle, st.Floor, st.LastSeq, err = m.Idle(ctx, tenant); err != nil {
		return st, fmt.Errorf("read the settled floor: %w", err)
	}
	if st.Stages, err = m.Stages(ctx); err != nil {
		return st, err
	}
	st.LogFaults = a.witness.State().Faults
	st.Ledger, st.Reasons, err = upkeep.Ledger(ctx, a.points, a.eventLog, a.letters.store, gen, tenant, stages.Names())
	return st, err
}

// Wait implements httpapi.Status.
func (a *app) Wait(ctx context.Context, seq uint64) error {
	return a.WaitFloor(ctx, a.active(), seq)
}

// Raw implements httpapi.Events: the bytes as published, from the log.
func (a *app) Raw(ctx context.Context, tenant, id string) ([]byte, error) {
	st, err := a.find(ctx, tenant, id, false)
	if err != nil {
		return nil, err
	}
	ev, err := a.eventLog.Read(ctx, st.Seq)
	if err != nil {
		return nil, err
	}
	if ev.Tenant != tenant || ev.ID != id {
		return nil, schema.Permanent(schema.CodeCorrupt, nil, "the log's entry %d is not the event that the index says", st.Seq)
	}
	if a.marks.HidesEntry(ev) { // its point does not tell all that it states, and the request may not be carried out yet
		return nil, noEvent()
	}
	return ev.Body, nil
}

// EventStatus implements httpapi.Events.
func (a *app) EventStatus(ctx context.Context, tenant, id string, computed bool) (schema.EventStatus, error) {
	st, err := a.find(ctx, tenant, id, computed)
	if err != nil {
		return schema.EventStatus{}, err
	}
	return *st, nil
}

// find looks an event up in the index; one that the index does not know may still be on its way, so it looks
// again once the log is settled up to the present, within the time limit of a query.
func (a *app) find(ctx context.Context, tenant, id string, computed bool) (*schema.EventStatus, error) {
	gen := a.active()
	look := func() (*schema.EventStatus, error) { return a.inspector.Status(ctx, gen, tenant, id, computed) }
	st, err := look()
	if err != nil {
		return nil, err
	}
	if st == nil {
		last, err := a.eventLog.Last(ctx, tenant)
		if err != nil {
			return nil, err
		}
		wait, cancel := context.WithTimeout(ctx, a.cfg.Read.Timeout)
		defer cancel()
		if err := a.WaitFloor(wait, gen, last); err != nil {
			return nil, err
		}
		if st, err = look(); err != nil {
			return nil, err
		}
	}
	if st == nil || st.State == string(schema.OutcomeForgotten) {
		return nil, noEvent()
	}
	return st, nil
}

func noEvent() error {
	return &schema.Error{Code: schema.CodeNotFound, Field: "id", Message: "the tenant has no such event"}
}
