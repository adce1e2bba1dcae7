package upkeep

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Patience is how long an erasure waits for stages that do not come to its mark.
type Patience struct {
	Missing time.Duration // for one that has work and that no process works on
	Behind  time.Duration // for those that are worked on, while none of them does anything
}

// DefaultPatience waits longer than a process takes to be started again, and than a request to forget may take.
func DefaultPatience() Patience { return Patience{Missing: time.Minute, Behind: 20 * time.Minute} }

const (
	settleEvery = 50 * time.Millisecond // between two looks whether the log is settled up to the mark
	stagesEvery = time.Second           // between two looks at the stages
)

// settle waits until a generation has worked on everything up to seq, requests of the tenant too.
func (e *Eraser) settle(ctx context.Context, gen int, tenant string, seq uint64) error {
	p := cmp.Or(e.Patience, DefaultPatience())
	look := time.NewTicker(min(stagesEvery, max(p.Missing/4, time.Millisecond)))
	defer look.Stop()
	tick := time.NewTicker(settleEvery)
	defer tick.Stop()
	watch := newStageWatch(p, time.Now())
	for {
		ok, err := e.Forgetter.Floor.Settled(ctx, gen, seq)
		if err == nil && ok {
			ok, err = e.CarriedOut(ctx, gen, tenant, seq)
		}
		if err != nil {
			return fmt.Errorf("wait for generation %d: %w", gen, err)
		}
		if ok {
			return nil
		}
		select {
		case <-tick.C:
			continue
		case <-look.C:
		case <-ctx.Done():
			return fmt.Errorf("wait for generation %d to settle to %d: %w", gen, seq, ctx.Err())
		}
		stages, err := e.Stages(ctx, gen)
		if err != nil {
			return fmt.Errorf("look at the stages of generation %d: %w", gen, err)
		}
		if why := watch.look(stages, time.Now()); why != "" {
			return schema.Retryable(schema.CodeUnavailable, 0, nil, "generation %d does not come to log %d, with which the erasure begins: %s; "+
				"nothing of the user is shown, nothing was removed yet: see to it and ask again", gen, seq, why)
		}
	}
}

// stageWatch notices stages that do not come on.
type stageWatch struct {
	patience Patience
	missing  map[string]time.Time // since when a stage with work has had no worker
	open     map[string]uint64    // what each had to do at the last look
	moved    time.Time            // when that was another number
}

func newStageWatch(p Patience, now time.Time) *stageWatch {
	return &stageWatch{patience: p, missing: map[string]time.Time{}, open: map[string]uint64{}, moved: now}
}

// look says why there is no use in waiting any longer, "" where there is.
func (w *stageWatch) look(stages []schema.StageStatus, now time.Time) string {
	var missing, behind []string
	for _, s := range stages {
		if s.Name == events.StageLLM { // beside the pipeline: nothing waits for it
			continue
		}
		open := s.Pending + uint64(s.AckPending)
		if open != w.open[s.Name] {
			w.open[s.Name], w.moved = open, now
			delete(w.missing, s.Name)
		}
		if open == 0 || s.Workers > 0 || s.PausedMS > 0 {
			delete(w.missing, s.Name)
		} else if since, known := w.missing[s.Name]; !known {
			w.missing[s.Name] = now
		} else if now.Sub(since) >= w.patience.Missing {
			missing = append(missing, s.Name)
		}
		if open > 0 {
			behind = append(behind, fmt.Sprintf("%s has %d events to do", s.Name, open))
		}
	}
	slices.Sort(missing)
	switch {
	case len(missing) > 0:
		return "no process works on the stage " + strings.Join(missing, ", ") + ", which has work"
	case len(behind) > 0 && now.Sub(w.moved) >= w.patience.Behind:
		return "its stages do not come on: " + strings.Join(behind, ", ")
	}
	return ""
}
