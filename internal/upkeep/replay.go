package upkeep

import (
	"context"
	"encoding/json"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/siltstone-ai/siltstone/internal/crash"
	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Register tells which generations there are, and which is read. Nothing of it blocks.
type Register interface {
	Generations() []events.Generation
	Generation(n int) (events.Generation, bool)
	Active() int
}

// RegisterWriter changes the register; see [events.State].
type RegisterWriter interface {
	NextGeneration(ctx context.Context, g events.Generation, check func([]events.Generation) error) (events.Generation, error)
	EditGeneration(ctx context.Context, n int, change func(*events.Generation) error) (events.Generation, error)
	SetActive(ctx context.Context, n int, still func(was int, g events.Generation) error) (was int, err error)
}

// Positions finds places in the log.
type Positions interface {
	Last(ctx context.Context, tenant string) (uint64, error)
	// SeqAt is the first sequence that was stored at at or later, one above the last where there is none.
	SeqAt(ctx context.Context, at time.Time) (uint64, error)
}

// Replays reads the log into new generations, switches between generations and removes them. All that there is to know
// of a replay stands in the register: any process may be asked, and whoever works on the stages goes on with it. Safe
// for concurrent use.
type Replays struct {
	Register Register
	Writer   RegisterWriter
	Log      Positions
	Model    string // of the embedder here
	Now      func() time.Time
	Logger   *slog.Logger

	// Prepare is called before a generation is registered: there is room for it, and tool policies up to the end of the log are
	// in the state then.
	Prepare func(context.Context) error
	// Floor is how far a generation is settled; an error where it is not open here.
	Floor func(ctx context.Context, generation int) (uint64, error)
	// Open reports whether a generation is open in this process.
	Open func(generation int) bool
	// Compare tells how a filled generation differs from the one that is read.
	Compare func(ctx context.Context, was, now int, upTo uint64) (schema.ReplayReport, error)
	// Copy copies what a generation holds of all tenants but one, of log entries up to upTo, into another one where it is not
	// there yet. It calls beat after every few points, and ends with its error.
	Copy func(ctx context.Context, from, to int, but string, upTo uint64, beat func() error) error
	// Self tells this process from all others.
	Self string
	// Remove deletes all that a generation has; nobody here works on it. Doing it again changes nothing.
	Remove func(ctx context.Context, generation int) error

	pace pace
}

const replayJob = schema.JobReplay + "-"

// ReplayJob is the id of the job of a generation's replay.
func ReplayJob(generation int) string { return replayJob + strconv.Itoa(generation) }

// GenerationOf is the generation whose replay a job is; ok is false where it is another kind of job.
func GenerationOf(job string) (generation int, ok bool) {
	rest, ok := strings.CutPrefix(job, replayJob)
	n, err := strconv.Atoi(rest)
	return n, ok && err == nil && n > 0 && ReplayJob(n) == job
}

// oneAtATime objects to a further generation while another is on its way.
func oneAtATime(gs []events.Generation) error {
	for _, g := range gs {
		if g.Phase == events.PhasePruning || g.Number > 1 && g.Phase == events.PhaseFilling {
			return conflict("generation %d is still being filled or pruned: wait for it, or prune it", g.Number)
		}
	}
	return nil
}

// Begin registers a generation that reads the log as r says. Who runs stages begins with it at once. One at a time, of
// all processes.
func (r *Replays) Begin(ctx context.Context, req schema.ReplayRequest) (schema.JobStarted, error) {
	if err := oneAtATime(r.Register.Generations()); err != nil { // before anything is asked of the log
		return schema.JobStarted{}, err
	}
	if err := r.Prepare(ctx); err != nil {
		return schema.JobStarted{}, err
	}
	last, err := r.Log.Last(ctx, "")
	if err != nil {
		return schema.JobStarted{}, err
	}
	g := events.Generation{From: 1, Target: last, Policy: req.Policy, Created: r.Now().UTC(), Switch: req.Switch}
	if req.From != "" && req.From != "start" {
		if g.From, err = r.position(ctx, req.From, 0); err != nil {
			return schema.JobStarted{}, err
		}
	}
	if req.To != "" {
		if g.To, err = r.position(ctx, req.To, 1); err != nil {
			return schema.JobStarted{}, err
		}
		g.Target = g.To
	}
	switch {
	case g.From > last+1:
		return schema.JobStarted{}, schema.Invalid("from", "the log ends at %d", last)
	case g.To > last:
		return schema.JobStarted{}, schema.Invalid("to", "the log ends at %d", last)
	case g.To != 0 && g.To < g.From:
		return schema.JobStarted{}, schema.Invalid("to", "lies before the beginning, %d", g.From)
	case g.Switch && !g.Complete():
		return schema.JobStarted{}, schema.Invalid("switch", "a part of the log is not to be answered from: leave from and to out, or switch by hand and by force")
	}
	if err := r.ofTenant(&g, req.Tenant); err != nil {
		return schema.JobStarted{}, err
	}
	if g, err = r.Writer.NextGeneration(ctx, g, oneAtATime); err != nil {
		return schema.JobStarted{}, err
	}
	crash.At(crash.ReplayBegun)
	r.Logger.InfoContext(ctx, "replay begun", obs.KeyGen, g.Number, "from", g.From, "to", g.To, "target", g.Target, "policy", g.Policy, "switch", g.Switch, "of_tenant", g.Tenant)
	return schema.JobStarted{Job: ReplayJob(g.Number)}, nil
}

// position is the log sequence that s means. Of what was stored at one moment, a beginning takes in all, and so does an
// end, for which back is 1.
func (r *Replays) position(ctx context.Context, s string, back uint64) (uint64, error) {
	seq, at, err := schema.LogPosition(s)
	if err != nil || seq > 0 {
		return seq, err
	}
	if back > 0 {
		at = at.Add(1)
	}
	if seq, err = r.Log.SeqAt(ctx, at); err != nil {
		return 0, err
	}
	if seq <= back {
		return 0, schema.Invalid("to", "lies before the first entry of the log")
	}
	return seq - back, nil
}

func conflict(format string, args ...any) error {
	return schema.Permanent(schema.CodeConflict, nil, format, args...)
}

// List is every generation that there is.
func (r *Replays) List(ctx context.Context) (schema.ReplayList, error) {
	out := schema.ReplayList{Active: r.Register.Active(), Jobs: []schema.Job{}}
	for _, g := range r.Register.Generations() {
		out.Jobs = append(out.Jobs, r.job(ctx, g))
	}
	return out, nil
}

// Job is how far the replay of a generation is.
func (r *Replays) Job(ctx context.Context, generation int) (schema.Job, error) {
	g, ok := r.Register.Generation(generation)
	if !ok {
		return schema.Job{}, &schema.Error{Code: schema.CodeNotFound, Field: "id", Message: "there is no such job"}
	}
	return r.job(ctx, g), nil
}

func (r *Replays) job(ctx context.Context, g events.Generation) schema.Job {
	st := &schema.ReplayState{
		Generation: g.Number, Active: g.Number == r.Register.Active(), From: max(g.From, 1), To: g.To, Target: g.Target, Policy: g.Policy, Model: g.Model,
		Switch: g.Switch, Replaced: g.Replaced, Created: g.Created, Filled: g.Filled, Tenant: g.Tenant, CopyOf: g.CopyOf, Copying: !g.Ready(),
	}
	if st.Policy == "" {
		st.Policy = events.PolicyRecorded
	}
	if len(g.Report) > 0 {
		st.Report = &schema.ReplayReport{}
		if json.Unmarshal(g.Report, st.Report) != nil { // written by another build
			st.Report = nil
		}
	}
	job := schema.Job{ID: ReplayJob(g.Number), Kind: schema.JobReplay, State: schema.JobRunning, Replay: st}
	job.Total = g.Target - min(g.Target, st.From-1)
	switch {
	case !g.Live():
		job.State, job.Total = schema.JobGone, 0
		return job
	case g.Phase == events.PhaseFilled || g.Number == 1:
		job.State, job.Done = schema.JobDone, job.Total
	}
	floor, err := r.Floor(ctx, g.Number)
	if err != nil {
		if job.State == schema.JobRunning {
			job.Error = &schema.WireError{Code: schema.CodeOf(err), Message: "nobody here works on it at present"}
		}
		return job
	}
	st.Floor = floor
	if job.State == schema.JobRunning {
		job.Done = min(floor-min(floor, st.From-1), job.Total)
		if job.Rate = r.pace.rate(g, floor, r.Now()); job.Rate > 0 {
			eta := float64(job.Total-job.Done) / job.Rate
			job.ETA = &eta
		}
	}
	return job
}
