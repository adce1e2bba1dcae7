package app

import (
	"context"
	"fmt"
	"time"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/internal/store/qdrant"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// openGeneration makes the collections of a generation whose streams are there, and binds it to the embedder's model.
// Where collections of a generation that was worked on before are gone, all of the log is worked on again. The order
// matters: a crash before the collections are made leaves them missing, and the next start begins anew.
func (a *app) openGeneration(ctx context.Context, gen int) error {
	known := false
	for _, g := range a.state.Generations() {
		known = known || g.Number == gen
	}
	if !known {
		if err := a.state.RegisterGeneration(ctx, events.Generation{Number: gen, Created: time.Now().UTC()}); err != nil {
			return err
		}
	}
	missing, err := a.points.Missing(ctx, gen)
	if err != nil {
		return fmt.Errorf("look for collections: %w", err)
	}
	gone := map[schema.Collection]bool{}
	for _, c := range missing {
		gone[c] = true
	}
	empty := true // of vectors
	for _, c := range schema.Collections {
		empty = empty && (gone[c] || !qdrant.Dense(c))
	}
	if err := a.bindModel(ctx, gen, empty); err != nil {
		return err
	}
	if len(missing) > 0 {
		from, err := events.Refill(ctx, a.js, a.topology(), gen)
		if err != nil {
			return err
		}
		if from > 0 {
			a.log.Warn("the vector store has lost collections; they are filled again from the log", "collections", missing, "from", from, obs.KeyGen, gen)
		}
	}
	if err := a.points.EnsureGeneration(ctx, gen, a.embedder.Dim()); err != nil {
		return fmt.Errorf("make collections: %w", err)
	}
	return a.bindModel(ctx, gen, false) // no other process was faster with another model
}

// bindModel refuses an embedder whose vectors would be compared with those of another one.
func (a *app) bindModel(ctx context.Context, gen int, empty bool) error {
	err := a.state.BindModel(ctx, gen, a.embedder.Model(), empty)
	if schema.CodeOf(err) == schema.CodeConflict {
		return fmt.Errorf("%w: configure the former embedder again (embed.url, embed.model, embed.dim), or, to change the model, stop every process, "+
			"delete the collections of generation %d (embedded: the directory vectors in the data directory) and start: they are filled again from the log", err, gen)
	}
	return err
}
