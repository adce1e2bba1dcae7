package app

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/internal/store/qdrant"
	"github.com/siltstone-ai/siltstone/internal/upkeep"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// jobs run work that goes on after its request was answered, in the process that was asked, and answer for any job.
type jobs struct {
	*app
	store *events.Jobs
	busy  chan struct{}   // a token a job that runs here
	group *errgroup.Group // of the roles
	ctx   context.Context // of group
}

// Whoever works on a job saves it so often; one that was not saved for long has lost its process.
const (
	jobEvery = time.Second
	jobLost  = 30 * time.Second
)

// maxJobs run in a process at a time: each walks over the log or the stores.
const maxJobs = 4

// Job implements httpapi.Jobs.
func (j *jobs) Job(ctx context.Context, tenant, id string) (schema.Job, error) {
	if gen, ok := upkeep.GenerationOf(id); ok {
		return j.replays.Job(ctx, gen)
	}
	job, saved, err := j.store.Load(ctx, tenant, id)
	if schema.CodeOf(err) == schema.CodeNotFound {
		job, saved, err = j.store.Load(ctx, "", id)
	}
	if err != nil {
		return job, err
	}
	if job.Forget != nil {
		job.State, err = j.carriedOut(ctx, job.Forget.Seq)
		return job, err
	}
	if job.Archive != nil {
		if job.State, err = j.carriedOut(ctx, job.Archive.Seq); err == nil && job.State == schema.JobDone {
			job.Archive.Left, err = j.archives.left(ctx, job.Archive.Seq)
		}
		return job, err
	}
	if job.State == schema.JobRunning && time.Since(saved) > jobLost {
		job.State = schema.JobFailed
		job.Error = &schema.WireError{Code: schema.CodeUnavailable, Message: "the process that worked on it has ended: ask for it again"}
	}
	return job, nil
}

// carriedOut is how far a request to forget or to archive is: whoever works on a generation carries it out there, and nobody
// works on the job itself.
func (j *jobs) carriedOut(ctx context.Context, seq uint64) (schema.JobState, error) {
	for _, g := range j.readings.all() {
		if g.asleep {
			continue
		}
		if done, err := g.monitor.Forgotten(ctx, seq); err != nil || !done {
			return schema.JobRunning, err
		}
	}
	return schema.JobDone, nil
}

// start begins a job of a tenant, or of all where it is "": only the tenant's own requests see it. work tells how far it is, and returns what it found; its error is the job's.
func (j *jobs) start(ctx context.Context, tenant, kind string, work func(ctx context.Context, tell func(done, total uint64)) (schema.Job, error)) (schema.JobStarted, error) {
	select {
	case j.busy <- struct{}{}:
	default:
		return schema.JobStarted{}, schema.Retryable(schema.CodeOverloaded, jobLost, nil, "%d jobs are running in this process already", cap(j.busy))
	}
	job := schema.Job{ID: kind + "-" + newID(), Kind: kind, State: schema.JobRunning}
	if err := j.store.Save(ctx, tenant, job); err != nil {
		<-j.busy
		return schema.JobStarted{}, err
	}
	j.group.Go(func() error {
		defer func() { <-j.busy }()
		j.run(tenant, job, work)
		return nil
	})
	return schema.JobStarted{Job: job.ID}, nil
}

func (j *jobs) run(tenant string, job schema.Job, work func(ctx context.Context, tell func(done, total uint64)) (schema.Job, error)) {
	begun := time.Now()
	var mu sync.Mutex // guards job while work tells
	stop := j.keepSaving(func() error {
		mu.Lock()
		now := job
		mu.Unlock()
		return j.store.Save(j.ctx, tenant, now)
	})
	out, err := work(j.ctx, func(done, total uint64) {
		mu.Lock()
		defer mu.Unlock()
		job.Done, job.Total = done, total
		took := time.Since(begun).Seconds()
		if job.Rate = float64(done) / max(took, 1e-3); job.Rate > 0 && total >= done {
			eta := float64(total-done) / job.Rate
			job.ETA = &eta
		}
	})
	stop()
	out.ID, out.Kind, out.State, out.Done, out.Total = job.ID, job.Kind, schema.JobDone, job.Done, job.Total
	if err != nil {
		out.State = schema.JobFailed
		out.Error = &schema.WireError{Code: schema.CodeOf(err), Message: err.Error()}
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(j.ctx), 5*time.Second)
	defer cancel()
	if err := j.store.Save(end, tenant, out); err != nil {
		j.log.LogAttrs(end, slog.LevelWarn, "what a job found is lost", slog.String("job", job.ID), slog.String(obs.KeyError, err.Error()))
	}
}

// keepSaving saves every so often, whether there is news or not, so that nobody takes the job for lost, until stop is
// called; none is under way after that.
func (j *jobs) keepSaving(save func() error) (stop func()) {
	ctx, cancel := context.WithCancel(j.ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(jobEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				_ = save() // the next one says more
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { cancel(); <-done }
}

// Snapshot implements httpapi.Jobs: it hashes what a generation holds.
func (j *jobs) Snapshot(ctx context.Context, gen int) (schema.JobStarted, error) {
	if gen == 0 {
		gen = j.active()
	}
	g := j.readings.get(gen)
	if g == nil {
		return schema.JobStarted{}, &schema.Error{Code: schema.CodeNotFound, Field: "generation", Message: fmt.Sprintf("generation %d is not open here", gen)}
	}
	return j.start(ctx, "", schema.JobSnapshot, func(ctx context.Context, tell func(done, total uint64)) (schema.Job, error) {
		snap, err := j.snapshot(ctx, g, tell)
		return schema.Job{Snapshot: &snap}, err
	})
}

func (j *jobs) snapshot(ctx context.Context, g *reading, tell func(done, total uint64)) (schema.Snapshot, error) {
	total := uint64(0)
	for _, col := range schema.Collections {
		n, err := j.points.Counts(ctx, g.Number, col, []schema.Filter{{}})
		if err != nil {
			return schema.Snapshot{}, fmt.Errorf("count %s: %w", col, err)
		}
		total += n[0]
	}
	idle, _, last, err := g.monitor.Idle(ctx, "")
	if err != nil {
		return schema.Snapshot{}, err
	}
	out, err := upkeep.Hash(ctx, pointPages{j.points}, g.Number, func(n uint64) { tell(n, max(n, total)) })
	if err != nil {
		return out, err
	}
	end, err := j.eventLog.Last(ctx, "")
	out.Seq, out.Settled = end, idle && end == last
	return out, err
}

// pointPages implements upkeep.PointPages.
type pointPages struct{ points }

// Page implements upkeep.PointPages.
func (p pointPages) Page(ctx context.Context, gen int, col schema.Collection, cursor string) ([]schema.Point, string, error) {
	return p.Scroll(ctx, gen, col, schema.Filter{}, qdrant.ScrollOptions{Limit: 256, Cursor: cursor, Vectors: true})
}
