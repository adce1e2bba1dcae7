package app

import (
	"context"

	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/pkg/stages"
)

// obituary notes in the index that an event is dead.
type obituary struct {
	store interface {
		stages.EventPoints
		stages.Sink
	}
}

// write is the router's OnDead; doing it again changes nothing.
func (o obituary) write(ctx context.Context, ev schema.Event, stage string, _ error) error {
	return stages.Bury(ctx, o.store, o.store, ev, stage)
}
