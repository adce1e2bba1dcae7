package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/internal/upkeep"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// countFor is how long a request to forget is counted at most before it is written down. Counting reads what a user ever
// said; where that is much, the request must not wait for it, let alone fail. Clients over NATS wait for 10 s.
const countFor = 6 * time.Second

// forgets takes requests to forget. It is safe for concurrent use.
type forgets struct {
	last   func(ctx context.Context, tenant string) (uint64, error)
	settle func(ctx context.Context, generation int, seq uint64) error
	active func() int // generation
	reach  func(ctx context.Context, generation int, tenant string, f schema.Forget, reading time.Duration) (upkeep.Reached, error)
	write  func(ctx context.Context, tenant string, f schema.Forget) (schema.Accepted, error)
	load   func(context.Context) error // of the marks
	note   func(ctx context.Context, tenant string, job schema.Job) error
	wait   time.Duration // for the log to be settled
	limit  time.Duration // of counting
	log    *slog.Logger
}

func (a *app) newForgets() *forgets {
	return &forgets{
		last: a.eventLog.Last, settle: a.WaitFloor, active: a.active, reach: a.forgetter.Reach, write: a.intake.Forget, load: a.marks.Load, note: a.jobs.store.Save,
		wait: a.cfg.Read.Timeout, limit: countFor, log: a.log,
	}
}

// Forget implements httpapi.Forgetter: what is reached now is counted, then the request becomes an event of the
// log, which is carried out once the log is settled up to it. The count comes first, for carrying out begins at once
// and takes away what there is to count; but it only informs: where it is not done in time, or fails, the request is
// written down all the same. A dry run is nothing but the count and has all the time of its request.
func (r *forgets) Forget(ctx context.Context, tenant string, f schema.Forget) (schema.ForgetReply, error) {
	if f.DryRun {
		hit, err := r.look(ctx, tenant, f, false)
		if err != nil {
			return schema.ForgetReply{}, err
		}
		out := counted(hit)
		out.Events, out.Memories = hit.Events[:min(len(hit.Events), schema.MaxForgetShown)], hit.Memories[:min(len(hit.Memories), schema.MaxForgetShown)]
		return out, nil
	}
	out := counted(r.count(ctx, tenant, f))
	acc, err := r.write(ctx, tenant, f)
	if err != nil {
		return schema.ForgetReply{}, err
	}
	// From here on nothing of it is shown, by this process at once.
	if err := r.load(ctx); err != nil {
		return schema.ForgetReply{}, err
	}
	out.Job = acc.ID
	r.noted(ctx, tenant, schema.Job{ID: acc.ID, Kind: schema.JobForget, State: schema.JobRunning, Forget: &schema.ForgetState{Seq: acc.Seq, Matched: out.Matched, Partial: out.Partial}}, acc.Seq)
	return out, nil
}

// noted keeps the job of a request that is in the log with sequence seq.
func (r *forgets) noted(ctx context.Context, tenant string, job schema.Job, seq uint64) {
	if err := r.note(ctx, tenant, job); err != nil { // only how far it is cannot be asked
		r.log.LogAttrs(ctx, slog.LevelWarn, "a request has no job", slog.String("kind", job.Kind), slog.String(obs.KeyTenant, tenant), slog.Uint64("seq", seq), slog.String(obs.KeyError, err.Error()))
	}
}

func counted(hit upkeep.Reached) schema.ForgetReply {
	return schema.ForgetReply{Matched: len(hit.Events) + len(hit.Memories), Partial: hit.Partial}
}

// count is what a request reaches, as far as can be told within the limit, and within half the time that its caller has.
func (r *forgets) count(ctx context.Context, tenant string, f schema.Forget) upkeep.Reached {
	limit := r.limit
	if end, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(end)/2)
	}
	look, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	hit, err := r.look(look, tenant, f, true)
	if err != nil {
		if look.Err() == nil {
			r.log.LogAttrs(ctx, slog.LevelWarn, "what a request to forget reaches cannot be counted", slog.String(obs.KeyTenant, tenant), slog.String(obs.KeyError, err.Error()))
		}
		return upkeep.Reached{Partial: true}
	}
	return hit
}

// look is what a request reaches, once the log is settled up to the present. In a hurry neither waiting for that nor
// reading the log takes more than half of what is left of the time: the rest is for the index.
func (r *forgets) look(ctx context.Context, tenant string, f schema.Forget, hurry bool) (upkeep.Reached, error) {
	last, err := r.last(ctx, tenant)
	if err != nil {
		return upkeep.Reached{}, err
	}
	half := func() time.Duration {
		end, _ := ctx.Deadline()
		return max(1, time.Until(end)/2)
	}
	gen, wait, reading := r.active(), r.wait, time.Duration(0)
	if hurry {
		wait = min(wait, half())
	}
	settle, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	unsettled := r.settle(settle, gen, last)
	if unsettled != nil && ctx.Err() != nil {
		return upkeep.Reached{}, unsettled
	}
	if hurry {
		reading = half()
	}
	hit, err := r.reach(ctx, gen, tenant, f, reading)
	hit.Partial = hit.Partial || unsettled != nil // the event reaches everything all the same
	return hit, err
}
