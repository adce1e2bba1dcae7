package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/pkg/stages"
)

// earlier implements stages.Earlier for one generation.
type earlier struct {
	log    *events.Log
	events stages.EventReader
	gen    *reading
}

// stated are the ops whose entries decide comes to.
var stated = []schema.Op{schema.OpTurn, schema.OpMemory, schema.OpPin}

var errOpen = errors.New("not decided")

// Decided implements stages.Earlier: what lies above the floor as it is known here is looked at entry by entry, which is
// little, since the user's subject alone is read.
func (e earlier) Decided(ctx context.Context, ev schema.Event) (bool, error) {
	floor := e.gen.floor.floor.Last()
	if ev.Seq <= floor+1 {
		return true, nil
	}
	err := e.log.ScanUserFrom(ctx, ev.Tenant, ev.User, stated, floor+1, ev.Seq-1, func(was schema.Event, _ error) error {
		if !e.gen.Holds(was.Seq) {
			return nil
		}
		p, err := e.events.EventPoint(ctx, e.gen.Number, was.UUID)
		if err != nil {
			return fmt.Errorf("read event point of %s: %w", was.UUID, err)
		}
		if p == nil || p[schema.KeyOutcome] == string(schema.OutcomeOpen) && p[schema.KeyDone+stages.Decide.Name] != true {
			return errOpen
		}
		return nil
	})
	if errors.Is(err, errOpen) {
		return false, nil
	}
	return err == nil, err
}
