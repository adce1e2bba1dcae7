package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/stages"
)

// alignEvery is how often followGenerations looks without being told: what could not be opened is tried again.
const alignEvery = 5 * time.Second

// followGenerations keeps open here what is registered, with the stages that this process runs, and runs the floors,
// until ctx ends. The stages are the router's, which drains by itself before that.
func (a *app) followGenerations(ctx context.Context) error {
	defer func() {
		for _, g := range a.readings.all() {
			if g.stop != nil {
				g.stop()
			}
		}
	}()
	tick := time.NewTicker(alignEvery)
	defer tick.Stop()
	read := a.active()
	told := map[int]string{} // why a generation is not open
	for {
		moved := a.state.Moved()
		a.align(ctx, told)
		if now := a.active(); now != read {
			a.log.Info("another generation is read", obs.KeyGen, now, "before", read)
			read = now
			if err := a.noteModel(); err != nil {
				a.log.Warn("what doctor looks at is not up to date", obs.KeyError, err.Error())
			}
			if a.cfg.Has("retriever") {
				a.warm(ctx)
			}
		}
		select {
		case <-moved:
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// align opens what is registered and not open, and closes what is not registered any more.
func (a *app) align(ctx context.Context, told map[int]string) {
	wanted := map[int]bool{}
	for _, g := range a.state.Generations() {
		if !g.Live() {
			continue
		}
		wanted[g.Number] = true
		if a.readings.get(g.Number) == nil {
			err := a.beginGeneration(ctx, g)
			if err != nil && told[g.Number] != err.Error() {
				told[g.Number] = err.Error()
				a.tellClosed(ctx, g.Number, err)
			}
		}
	}
	for _, g := range a.readings.all() {
		switch {
		case !wanted[g.Number]:
			a.endGeneration(ctx, g)
		case g.stop == nil:
			g.stop = runFloor(ctx, g.floor.floor)
			fallthrough
		default: // what it waited for may have come
			if err := a.work(ctx, g); err != nil {
				a.tellClosed(ctx, g.Number, err)
			}
		}
	}
}

// beginGeneration opens a generation while the process runs, and works on it from then on.
func (a *app) beginGeneration(ctx context.Context, g events.Generation) error {
	open, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	if err := a.openGeneration(open, g); err != nil {
		return err
	}
	return a.work(ctx, a.readings.get(g.Number))
}

// workable reports whether stages may run on an open generation.
func (a *app) workable(g *reading) bool {
	now, ok := a.state.Generation(g.Number)
	return !g.asleep && ok && now.Live() && now.Ready()
}

// work runs the stages of an open generation, once it may be worked on and unless they run already.
func (a *app) work(ctx context.Context, g *reading) error {
	a.working.Lock()
	defer a.working.Unlock()
	if a.router == nil || !a.cfg.Has("distiller") || g.staged || !a.workable(g) {
		return nil
	}
	if err := a.addStages(g, a.router); err != nil {
		a.stopStages(ctx, g.Number)
		a.readings.drop(g.Number)
		return err
	}
	a.log.Info("a generation is worked on", obs.KeyGen, g.Number, "from", max(g.From, 1), "target", g.Target)
	return nil
}

// endGeneration stops working on a generation that is to go.
func (a *app) endGeneration(ctx context.Context, g *reading) {
	a.working.Lock()
	defer a.working.Unlock()
	a.stopStages(ctx, g.Number)
	if g.stop != nil {
		g.stop()
	}
	a.readings.drop(g.Number)
	a.log.Info("a generation is not worked on any more", obs.KeyGen, g.Number)
}

// stopStages ends the handlers of a generation; the caller holds working. What they have not finished belongs to a
// generation that goes.
func (a *app) stopStages(ctx context.Context, gen int) {
	if a.router == nil {
		return
	}
	end, cancel := a.drainContext(ctx)
	defer cancel()
	var errs []error
	for _, spec := range stages.All {
		errs = append(errs, a.router.Stop(end, streamOf(spec, gen), events.Durable(spec.Name, gen)))
	}
	errs = append(errs, a.router.Stop(end, events.StreamLog, events.Durable(events.StageForget, gen)))
	if err := errors.Join(errs...); err != nil {
		a.log.Warn("stages did not end in time", obs.KeyGen, gen, obs.KeyError, err.Error())
	}
}

// streamOf is where a stage of a generation reads.
func streamOf(spec stages.Spec, gen int) string {
	if spec.In == stages.InLog || spec.In == stages.InSettled {
		return events.StreamLog
	}
	return events.WorkStream(gen)
}

// runFloor runs a floor until ctx ends or the function that it returns is called.
func runFloor(ctx context.Context, f *events.Floor) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		f.Run(ctx)
	}()
	return func() { cancel(); <-done }
}

// rebind makes streams and durables again where one was found to be gone: those of a generation, or with 0 those that
// all share. What is gone because its generation goes stays gone. Whatever made it go, workers and broker have not begun
// together: what a worker had before may still be acknowledged.
func (a *app) rebind(ctx context.Context, gen int) error {
	if g, ok := a.state.Generation(gen); gen != 0 && (!ok || !g.Live()) {
		return fmt.Errorf("generation %d is gone: %w", gen, events.ErrClosed)
	}
	t := a.topology()
	t.ResetGrace = a.cfg.Pipeline.AckWait
	r, err := events.Ensure(ctx, a.js, t, gen)
	if err != nil {
		return err
	}
	a.tellEnsured(r, gen)
	return nil
}
