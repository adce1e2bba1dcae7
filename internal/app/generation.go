package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/internal/store/qdrant"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// active is the generation that this process answers from. It does not block.
func (a *app) active() int { return a.readings.from(a.state.Active()) }

// openGenerations opens the generation that is read, and those beside it. A fresh installation gets its first one.
func (a *app) openGenerations(ctx context.Context) error {
	if len(a.state.Generations()) == 0 {
		if err := a.state.RegisterGeneration(ctx, events.Generation{Number: firstGeneration, Created: time.Now().UTC()}); err != nil {
			return err
		}
	}
	active := cmp.Or(a.state.Active(), firstGeneration)
	for _, g := range a.state.Generations() {
		if !g.Live() {
			continue
		}
		err := a.openGeneration(ctx, g)
		if errors.Is(err, errOtherModel) && g.Number == active && a.cfg.Embed.Change {
			err = a.openAsleep(ctx, g)
		}
		switch {
		case err != nil && g.Number == active:
			return err
		case err != nil:
			a.tellClosed(ctx, g.Number, err)
		}
	}
	if a.state.Active() == 0 {
		_, err := a.state.SetActive(ctx, firstGeneration, func(was int, _ events.Generation) error {
			if was != 0 { // another process was faster, and may have been told to switch since
				return errChosen
			}
			return nil
		})
		if !errors.Is(err, errChosen) {
			return err
		}
	}
	return nil
}

// errChosen ends what is only for an installation where no generation is read yet.
var errChosen = errors.New("a generation is read already")

// tellClosed logs that a generation beside the one that is read cannot be worked on. It is tried again.
func (a *app) tellClosed(ctx context.Context, gen int, err error) {
	if ctx.Err() == nil && !errors.Is(err, events.ErrClosed) {
		a.log.LogAttrs(ctx, slog.LevelWarn, "a generation is not worked on", slog.Int(obs.KeyGen, gen), slog.String(obs.KeyError, err.Error()))
	}
}

// openGeneration makes the streams and collections of a registered generation and opens what stands on them.
func (a *app) openGeneration(ctx context.Context, g events.Generation) error {
	report, err := events.Ensure(ctx, a.js, a.topology(), g.Number)
	if err != nil {
		return fmt.Errorf("make streams: %w", err)
	}
	a.tellEnsured(report, g.Number)
	if err := a.openIndex(ctx, g.Number); err != nil {
		return err
	}
	if err := a.beginLife(ctx, g.Number); err != nil {
		return err
	}
	return a.openFloor(ctx, g, false)
}

// openAsleep opens a generation whose streams are there and whose vectors are another model's, to be read by words until
// another takes its place.
func (a *app) openAsleep(ctx context.Context, g events.Generation) error {
	a.log.Warn("the index is of another model: answers come by words alone, and lack what is new, until siltstone replay --from start --switch has filled another",
		obs.KeyGen, g.Number, "model", g.Model, "embedder", a.embedder.Model())
	return a.openFloor(ctx, g, true)
}

// openFloor opens what stands on the streams of a generation.
func (a *app) openFloor(ctx context.Context, g events.Generation, asleep bool) error {
	f, err := events.OpenFloor(ctx, a.js, g.Number, events.FloorOptions{Log: a.log})
	if err != nil {
		return err
	}
	w, err := newWaiting(f)
	if err != nil {
		return err
	}
	a.readings.put(&reading{Generation: g, asleep: asleep, floor: w, monitor: events.NewMonitor(a.eventLog, f)})
	return nil
}

// openIndex makes the collections of a generation whose streams are there, and binds it to the embedder's model.
// Where collections of a generation that was worked on before are gone, all of the log is worked on again. The order
// matters: a crash before the collections are made leaves them missing, and the next start begins anew.
func (a *app) openIndex(ctx context.Context, gen int) error {
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
		last := a.witness.State().Last
		if _, err := a.state.EditGeneration(ctx, gen, func(g *events.Generation) error { g.Again = last; return nil }); err != nil {
			return err
		}
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

// errOtherModel marks what is refused since the vectors of a generation are another model's.
var errOtherModel = errors.New("another model")

// changeModel is what to do about it.
const changeModel = "configure the former embedder again (embed.url, embed.model, embed.dim); or, to change the model, start with embed.change and run " +
	"siltstone replay --from start --switch, which fills an index of the new model from the log (see docs/replay.md)"

// bindModel refuses an embedder whose vectors would be compared with those of another one.
func (a *app) bindModel(ctx context.Context, gen int, empty bool) error {
	err := a.state.BindModel(ctx, gen, a.embedder.Model(), empty)
	if schema.CodeOf(err) == schema.CodeConflict {
		return fmt.Errorf("%w (%w): %s", err, errOtherModel, changeModel)
	}
	return err
}

// asleep are the generations of another model, where gen is the first of this one's: who has that model works on them
// again one day.
func (a *app) asleep(gen int) []int {
	var out []int
	first := 0
	for _, g := range a.state.Generations() {
		switch {
		case !g.Live() || g.Model == "":
		case g.Model != a.embedder.Model():
			out = append(out, g.Number)
		case first == 0:
			first = g.Number
		}
	}
	if gen != first {
		return nil
	}
	return out
}
