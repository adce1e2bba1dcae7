package upkeep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/siltstone-ai/siltstone/internal/crash"
	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Step does what is due: it compares what is filled, switches where that was asked for, and removes what is to go. Who
// runs stages calls it now and then; several may, and one that was killed half-way is made up for by the next.
func (r *Replays) Step(ctx context.Context) error {
	var errs []error
	for _, g := range r.Register.Generations() {
		var err error
		switch {
		case g.Phase == events.PhasePruning:
			err = r.prune(ctx, g.Number)
		case g.Number == 1 || g.Phase != events.PhaseFilling || !r.Open(g.Number):
		case !g.Ready():
			if err = r.copyOthers(ctx, g); errors.Is(err, errNotDue) { // another process copies, or it is let go
				err = nil
			}
		default:
			err = r.fill(ctx, g)
		}
		if err == nil {
			g, _ = r.Register.Generation(g.Number)
			if g.Phase == events.PhaseFilled && g.Switch {
				err = r.take(ctx, g.Number, func(_ int, g events.Generation) error {
					if g.Phase != events.PhaseFilled || !g.Switch {
						return errNotDue
					}
					return nil
				})
				if errors.Is(err, errNotDue) { // another process has done it, and more may have been chosen since
					err = nil
				}
			}
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("generation %d: %w", g.Number, err))
		}
	}
	return errors.Join(errs...)
}

// fill looks whether a generation is filled, and notes it with what was compared.
func (r *Replays) fill(ctx context.Context, g events.Generation) error {
	floor, err := r.Floor(ctx, g.Number)
	if err != nil {
		return fmt.Errorf("read the settled floor: %w", err)
	}
	r.pace.note(g.Number, floor, r.Now())
	if floor < g.Target {
		return nil
	}
	was := r.Register.Active()
	upTo := floor
	if before, err := r.Floor(ctx, was); err == nil { // it may be another model's, on which nobody works
		upTo = min(upTo, before)
	}
	rep, err := r.Compare(ctx, was, g.Number, upTo)
	if err != nil {
		return fmt.Errorf("compare it with generation %d: %w", was, err)
	}
	rep.With, rep.UpTo = was, upTo
	if g.Switch {
		rep.Withheld = withheld(rep)
	}
	b, err := json.Marshal(rep)
	if err != nil {
		return fmt.Errorf("encode what was compared: %w", err)
	}
	crash.At(crash.ReplayFilled)
	_, err = r.Writer.EditGeneration(ctx, g.Number, func(g *events.Generation) error {
		if g.Phase != events.PhaseFilling {
			return nil // another process was faster
		}
		g.Phase, g.Filled, g.Report = events.PhaseFilled, r.Now().UTC(), b
		g.Switch = g.Switch && rep.Withheld == ""
		return nil
	})
	if err == nil {
		r.Logger.InfoContext(ctx, "replay filled its generation", obs.KeyGen, g.Number, "floor", floor, "asked", rep.Asked, "same", rep.Same, "withheld", rep.Withheld)
	}
	return err
}

// withheld is why a generation must not be switched to without a look at it: events that it should know are not there,
// or more were given up.
func withheld(rep schema.ReplayReport) string {
	for _, c := range rep.Collections {
		if c.Name == string(schema.Events) && c.Now < c.Before {
			return fmt.Sprintf("it accounts for %d events where the one before accounts for %d", c.Now, c.Before)
		}
	}
	if rep.Dead.Now > rep.Dead.Before {
		return fmt.Sprintf("%d events were given up in it, where it were %d before", rep.Dead.Now, rep.Dead.Before)
	}
	return ""
}

// errNotDue ends what this process thinks due and that is not, or not any more.
var errNotDue = errors.New("it is not due any more")

// take makes a generation the one that is read, if still, where there is one, agrees.
func (r *Replays) take(ctx context.Context, n int, still func(was int, g events.Generation) error) error {
	was, err := r.Writer.SetActive(ctx, n, still)
	if err != nil {
		return err
	}
	if was != n {
		crash.At(crash.SwitchDone)
		r.Logger.InfoContext(ctx, "switched to another generation", obs.KeyGen, n, "before", was)
	}
	_, err = r.Writer.EditGeneration(ctx, n, func(g *events.Generation) error {
		if g.Switch = false; was != n {
			g.Replaced = was
		}
		return nil
	})
	return err
}

// Switch makes another generation the one that is read, in all processes. Queries under way end with the one that they
// began with.
func (r *Replays) Switch(ctx context.Context, req schema.SwitchRequest) (schema.Job, error) {
	n := req.Generation
	if n == 0 {
		for _, g := range r.Register.Generations() {
			if g.Phase == events.PhaseFilled && g.Number != r.Register.Active() {
				n = g.Number
			}
		}
		if n == 0 {
			return schema.Job{}, conflict("no other generation is filled")
		}
	}
	return r.move(ctx, n, req.Force)
}

// Rollback makes the generation that was read before the one that is read again, or the one that is named.
func (r *Replays) Rollback(ctx context.Context, req schema.SwitchRequest) (schema.Job, error) {
	n := req.Generation
	if n == 0 {
		g, _ := r.Register.Generation(r.Register.Active())
		if n = g.Replaced; n == 0 {
			return schema.Job{}, conflict("generation %d took no other one's place", r.Register.Active())
		}
	}
	return r.move(ctx, n, req.Force)
}

func (r *Replays) move(ctx context.Context, n int, force bool) (schema.Job, error) {
	g, ok := r.Register.Generation(n)
	switch {
	case !ok || !g.Live():
		return schema.Job{}, &schema.Error{Code: schema.CodeNotFound, Field: "generation", Message: fmt.Sprintf("there is no generation %d", n)}
	case force:
	case g.Number > 1 && g.Phase != events.PhaseFilled:
		return schema.Job{}, conflict("generation %d is not filled yet", n)
	case !g.Complete():
		return schema.Job{}, conflict("generation %d holds a part of the log only, from %d: what lies outside would not be found; force switches all the same", n, max(g.From, 1))
	case g.Model != "" && g.Model != r.Model:
		return schema.Job{}, conflict("generation %d holds vectors of the model %q, and the embedder makes those of %q: configure that one first", n, g.Model, r.Model)
	}
	// What is still to switch by itself was asked for before this.
	for _, other := range r.Register.Generations() {
		if other.Switch {
			if _, err := r.Writer.EditGeneration(ctx, other.Number, func(g *events.Generation) error { g.Switch = false; return nil }); err != nil {
				return schema.Job{}, err
			}
		}
	}
	if err := r.take(ctx, n, nil); err != nil {
		return schema.Job{}, err
	}
	return r.Job(ctx, n)
}

// Prune lets a generation go that is not read. It is removed soon after, by whoever runs stages.
func (r *Replays) Prune(ctx context.Context, n int) (schema.Job, error) {
	if n == r.Register.Active() {
		return schema.Job{}, conflict("generation %d is the one that is answered from", n)
	}
	for _, g := range r.Register.Generations() {
		if g.Phase == events.PhaseFilling && !g.Ready() && g.CopyOf == n {
			return schema.Job{}, conflict("generation %d is being filled from generation %d: wait for it, or prune it", g.Number, n)
		}
	}
	g, err := r.Writer.EditGeneration(ctx, n, func(g *events.Generation) error {
		if g.Live() {
			g.Phase, g.Switch = events.PhasePruning, false
		}
		return nil
	})
	if schema.CodeOf(err) == schema.CodeNotFound {
		return schema.Job{}, &schema.Error{Code: schema.CodeNotFound, Field: "generation", Message: fmt.Sprintf("there is no generation %d", n)}
	}
	if err != nil {
		return schema.Job{}, err
	}
	return r.job(ctx, g), nil
}

// prune removes what a generation has, once this process does not work on it.
func (r *Replays) prune(ctx context.Context, n int) error {
	if n == r.Register.Active() { // switched to at the moment at which it was let go: it stays
		_, err := r.Writer.EditGeneration(ctx, n, func(g *events.Generation) error {
			if g.Phase = events.PhaseFilling; !g.Filled.IsZero() { // by force one may be read that never was filled
				g.Phase = events.PhaseFilled
			}
			return nil
		})
		return err
	}
	if r.Open(n) {
		return nil
	}
	if err := r.Remove(ctx, n); err != nil {
		return fmt.Errorf("prune: %w", err)
	}
	_, err := r.Writer.EditGeneration(ctx, n, func(g *events.Generation) error { g.Phase, g.Report = events.PhasePruned, nil; return nil })
	if err == nil {
		r.Logger.InfoContext(ctx, "generation pruned", obs.KeyGen, n)
	}
	return err
}

// pace knows how fast generations are being filled. Not all processes note it: without notes it is told from when the
// generation was registered.
type pace struct {
	mu    sync.Mutex
	notes map[int][]paceNote
}

type paceNote struct {
	floor uint64
	at    time.Time
}

// paceNotes bounds how far back the rate is looked at.
const paceNotes = 60

func (p *pace) note(generation int, floor uint64, at time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.notes == nil {
		p.notes = map[int][]paceNote{}
	}
	ns := append(p.notes[generation], paceNote{floor, at})
	p.notes[generation] = ns[max(0, len(ns)-paceNotes):]
}

// rate is how many log entries are settled a second.
func (p *pace) rate(g events.Generation, floor uint64, now time.Time) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	since := paceNote{max(g.From, 1) - 1, g.Created}
	if ns := p.notes[g.Number]; len(ns) > 0 && ns[0].floor < floor {
		since = ns[0]
	}
	took := math.Max(now.Sub(since.at).Seconds(), 1e-3)
	return math.Round(float64(floor-min(floor, since.floor))/took*10) / 10
}
