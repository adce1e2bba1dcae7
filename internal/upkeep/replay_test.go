package upkeep

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// register is the generations in memory.
type register struct {
	gens   map[int]events.Generation
	active int
	first  func()                    // called before a generation is registered
	seen   map[int]events.Generation // what this process believes that they are, where it lags behind
}

func (r *register) Generations() []events.Generation {
	var out []events.Generation
	for n := 1; n <= len(r.gens); n++ {
		if g := r.gens[n]; g.Phase != events.PhasePruned {
			out = append(out, g)
		}
	}
	return out
}

func (r *register) Generation(n int) (events.Generation, bool) {
	g, ok := r.seen[n]
	if !ok {
		g, ok = r.gens[n]
	}
	return g, ok
}

func (r *register) Active() int { return r.active }

func (r *register) NextGeneration(_ context.Context, g events.Generation, check func([]events.Generation) error) (events.Generation, error) {
	if r.first != nil { // another process is faster
		r.first()
	}
	if err := check(r.Generations()); err != nil {
		return g, err
	}
	g.Number = len(r.gens) + 1
	r.gens[g.Number] = g
	return g, nil
}

func (r *register) EditGeneration(_ context.Context, n int, change func(*events.Generation) error) (events.Generation, error) {
	g, ok := r.gens[n]
	if !ok {
		return g, schema.Permanent(schema.CodeNotFound, nil, "none")
	}
	err := change(&g)
	if err == nil {
		r.gens[n] = g
	}
	return g, err
}

func (r *register) SetActive(_ context.Context, n int, still func(int, events.Generation) error) (int, error) {
	was := r.active
	if still != nil {
		if err := still(was, r.gens[n]); err != nil {
			return was, err
		}
	}
	r.active = n
	return was, nil
}

// world is replays over a log of 100 entries, the second half of which was stored at noon or later.
type world struct {
	*Replays
	reg     *register
	floor   map[int]uint64
	report  schema.ReplayReport
	removed []int
	copied  []string // calls of Copy
	page    func()   // called after each page of one
	open    map[int]bool
	now     time.Time
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func (w *world) Last(context.Context, string) (uint64, error) { return 100, nil }

func (w *world) SeqAt(_ context.Context, at time.Time) (uint64, error) {
	switch {
	case at.After(noon):
		return 101, nil
	case at.Equal(noon):
		return 51, nil
	}
	return 1, nil
}

func newWorld() *world {
	w := &world{
		reg:   &register{gens: map[int]events.Generation{1: {Number: 1, Model: "m"}}, active: 1},
		floor: map[int]uint64{1: 100}, open: map[int]bool{1: true}, now: noon,
	}
	w.Replays = &Replays{
		Register: w.reg, Writer: w.reg, Log: w, Model: "m", Now: func() time.Time { return w.now }, Logger: slog.New(slog.DiscardHandler),
		Prepare: func(context.Context) error { return nil },
		Floor: func(_ context.Context, n int) (uint64, error) {
			if !w.open[n] {
				return 0, errors.New("not open")
			}
			return w.floor[n], nil
		},
		Open:    func(n int) bool { return w.open[n] },
		Compare: func(context.Context, int, int, uint64) (schema.ReplayReport, error) { return w.report, nil },
		Self:    "here",
		Copy: func(_ context.Context, from, to int, but string, upTo uint64, beat func() error) error {
			w.copied = append(w.copied, fmt.Sprint(from, to, but, upTo))
			for range 3 {
				if err := beat(); err != nil {
					return err
				}
				if w.page != nil {
					w.page()
				}
			}
			return nil
		},
		Remove: func(_ context.Context, n int) error { w.removed = append(w.removed, n); return nil },
	}
	return w
}

func TestReplayBegins(t *testing.T) {
	for _, c := range []struct {
		req      schema.ReplayRequest
		from, to uint64
		target   uint64
		fault    string // field
	}{
		{schema.ReplayRequest{}, 1, 0, 100, ""},
		{schema.ReplayRequest{From: "start", Switch: true}, 1, 0, 100, ""},
		{schema.ReplayRequest{From: "7", To: "9"}, 7, 9, 9, ""},
		{schema.ReplayRequest{From: "2026-03-01T12:00:00Z"}, 51, 0, 100, ""},
		{schema.ReplayRequest{To: "2026-03-01T12:00:00Z"}, 1, 100, 100, ""}, // the end takes in all of its moment
		{schema.ReplayRequest{To: "2026-03-01T11:59:59.999999999Z"}, 1, 50, 50, ""},
		{schema.ReplayRequest{To: "2026-03-01T11:00:00Z"}, 0, 0, 0, "to"}, // before the first entry
		{schema.ReplayRequest{From: "101"}, 101, 0, 100, ""},              // what comes from now on
		{schema.ReplayRequest{From: "102"}, 0, 0, 0, "from"},
		{schema.ReplayRequest{To: "101"}, 0, 0, 0, "to"},
		{schema.ReplayRequest{From: "9", To: "7"}, 0, 0, 0, "to"},
		{schema.ReplayRequest{From: "2", Switch: true}, 0, 0, 0, "switch"},
		{schema.ReplayRequest{To: "9", Switch: true}, 0, 0, 0, "switch"},
	} {
		w := newWorld()
		job, err := w.Begin(t.Context(), c.req)
		var e *schema.Error
		if c.fault != "" {
			if !errors.As(err, &e) || e.Field != c.fault || e.Code != schema.CodeInvalid || len(w.reg.gens) != 1 {
				t.Errorf("%+v: %v, want a fault of %s", c.req, err, c.fault)
			}
			continue
		}
		g := w.reg.gens[2]
		if err != nil || job.Job != "replay-2" || g.From != c.from || g.To != c.to || g.Target != c.target || g.Switch != c.req.Switch {
			t.Errorf("%+v: %+v, %v; want %d to %d, target %d", c.req, g, err, c.from, c.to, c.target)
		}
		if _, err := w.Begin(t.Context(), schema.ReplayRequest{}); schema.CodeOf(err) != schema.CodeConflict {
			t.Errorf("a second one beside it: %v", err)
		}
	}
}

func TestReplayJobTellsHowFarItIs(t *testing.T) {
	w := newWorld()
	if _, err := w.Begin(t.Context(), schema.ReplayRequest{From: "51"}); err != nil {
		t.Fatal(err)
	}
	job, err := w.Job(t.Context(), 2)
	if err != nil || job.State != schema.JobRunning || job.Error == nil || job.Total != 50 || job.Done != 0 {
		t.Errorf("before anybody works on it: %+v, %v", job, err)
	}
	w.open[2], w.floor[2] = true, 50
	for range 4 { // ten entries every two seconds
		if err := w.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.floor[2] += 10
		w.now = w.now.Add(2 * time.Second)
	}
	if job, err = w.Job(t.Context(), 2); err != nil || job.Done != 40 || job.Total != 50 || job.Rate != 5 || job.ETA == nil || *job.ETA != 2 || job.Error != nil {
		t.Errorf("on the way: %+v, %v", job, err)
	}
	w.floor[2] = 130 // beyond what it had to catch up with
	if job, _ = w.Job(t.Context(), 2); job.Done != 50 {
		t.Errorf("at the end: %+v", job)
	}
	if _, err := w.Job(t.Context(), 3); schema.CodeOf(err) != schema.CodeNotFound {
		t.Errorf("a job that is none: %v", err)
	}
	for id, want := range map[string]int{"replay-2": 2, "replay-02": 0, "replay-0": 0, "replay-x": 0, "snapshot-2": 0, "replay--1": 0} {
		if n, ok := GenerationOf(id); ok != (want > 0) || ok && n != want {
			t.Errorf("%s is of generation %d, %v", id, n, ok)
		}
	}
}

func TestReplaySwitchesByItself(t *testing.T) {
	events_ := func(before, now uint64) []schema.ReplayCount {
		return []schema.ReplayCount{{Name: "events", Before: before, Now: now}, {Name: "facts", Before: 9, Now: 3}}
	}
	for name, c := range map[string]struct {
		report   schema.ReplayReport
		withheld bool
	}{
		"the same":     {schema.ReplayReport{Collections: events_(5, 5)}, false},
		"more":         {schema.ReplayReport{Collections: events_(5, 6)}, false},
		"fewer events": {schema.ReplayReport{Collections: events_(5, 4)}, true},
		"more dead":    {schema.ReplayReport{Collections: events_(5, 5), Dead: schema.ReplayCount{Before: 1, Now: 2}}, true},
		"fewer dead":   {schema.ReplayReport{Collections: events_(5, 5), Dead: schema.ReplayCount{Before: 2, Now: 1}}, false},
	} {
		w := newWorld()
		w.report = c.report
		if _, err := w.Begin(t.Context(), schema.ReplayRequest{Switch: true}); err != nil {
			t.Fatal(err)
		}
		w.open[2], w.floor[2] = true, 99
		if err := w.Step(t.Context()); err != nil || w.reg.active != 1 || w.reg.gens[2].Phase != events.PhaseFilling {
			t.Errorf("%s: before it is filled %d is active, %+v, %v", name, w.reg.active, w.reg.gens[2], err)
		}
		w.floor[2] = 100
		for range 2 { // once more changes nothing
			if err := w.Step(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		g := w.reg.gens[2]
		job, err := w.Job(t.Context(), 2)
		if err != nil || g.Phase != events.PhaseFilled || job.State != schema.JobDone || job.Replay.Report == nil || g.Switch {
			t.Errorf("%s: %+v, %+v, %v", name, g, job, err)
		}
		if (w.reg.active == 1) != c.withheld || (job.Replay.Report.Withheld != "") != c.withheld || !c.withheld && g.Replaced != 1 {
			t.Errorf("%s: %d is active, %+v", name, w.reg.active, job.Replay)
		}
		if c.withheld { // who has looked may do it
			if _, err := w.Switch(t.Context(), schema.SwitchRequest{}); err != nil || w.reg.active != 2 {
				t.Errorf("%s: by hand: %v", name, err)
			}
		}
		if _, err := w.Rollback(t.Context(), schema.SwitchRequest{}); err != nil || w.reg.active != 1 {
			t.Errorf("%s: back to %d, %v", name, w.reg.active, err)
		}
		if err := w.Step(t.Context()); err != nil || w.reg.active != 1 {
			t.Errorf("%s: after the rollback %d is active, %v", name, w.reg.active, err)
		}
	}
}

// A process that dies between what it notes and the switch leaves one that the next makes, unless somebody chose otherwise
// meanwhile.
func TestReplaySwitchOutlivesItsProcess(t *testing.T) {
	w := newWorld()
	w.reg.gens[2] = events.Generation{Number: 2, From: 1, Target: 100, Model: "m", Phase: events.PhaseFilled, Switch: true}
	w.reg.gens[3] = events.Generation{Number: 3, From: 1, Target: 100, Model: "m", Phase: events.PhaseFilled}
	if _, err := w.Switch(t.Context(), schema.SwitchRequest{Generation: 3}); err != nil {
		t.Fatal(err)
	}
	if err := w.Step(t.Context()); err != nil || w.reg.active != 3 {
		t.Errorf("%d is active, %v: the choice of 3 came later", w.reg.active, err)
	}
	w.reg.gens[2] = events.Generation{Number: 2, From: 1, Target: 100, Model: "m", Phase: events.PhaseFilled, Switch: true}
	if err := w.Step(t.Context()); err != nil || w.reg.active != 2 || w.reg.gens[2].Replaced != 3 {
		t.Errorf("%d is active, %+v, %v", w.reg.active, w.reg.gens[2], err)
	}
	// A process that lags behind thinks it still due after it was made and taken back.
	if _, err := w.Rollback(t.Context(), schema.SwitchRequest{}); err != nil {
		t.Fatal(err)
	}
	late := w.reg.gens[2]
	late.Switch = true
	w.reg.seen = map[int]events.Generation{2: late}
	if err := w.Step(t.Context()); err != nil || w.reg.active != 3 {
		t.Errorf("%d is active, %v: the rollback to 3 came later", w.reg.active, err)
	}
}

// Of two replays that are asked for at once one begins.
func TestReplaysBeginOneAtATime(t *testing.T) {
	w := newWorld()
	w.reg.first = func() {
		w.reg.first = nil
		if _, err := w.Begin(t.Context(), schema.ReplayRequest{}); err != nil {
			t.Error(err)
		}
	}
	if _, err := w.Begin(t.Context(), schema.ReplayRequest{}); schema.CodeOf(err) != schema.CodeConflict || len(w.reg.gens) != 2 {
		t.Errorf("%v, %d generations; want a conflict, and one beside the first", err, len(w.reg.gens))
	}
}

func TestReplayRefusesToAnswerFromWhatLacksSomething(t *testing.T) {
	w := newWorld()
	for n, g := range map[int]events.Generation{
		2: {From: 1, Phase: events.PhaseFilling}, 3: {From: 2, Phase: events.PhaseFilled}, 4: {From: 1, To: 9, Phase: events.PhaseFilled},
		5: {From: 1, Phase: events.PhaseFilled, Model: "other"}, 6: {From: 1, Phase: events.PhasePruning}, 7: {From: 1, Phase: events.PhasePruned},
	} {
		g.Number = n
		w.reg.gens[n] = g
	}
	for n, want := range map[int]schema.Code{2: schema.CodeConflict, 3: schema.CodeConflict, 4: schema.CodeConflict, 5: schema.CodeConflict, 6: schema.CodeNotFound, 7: schema.CodeNotFound, 8: schema.CodeNotFound} {
		if _, err := w.Switch(t.Context(), schema.SwitchRequest{Generation: n}); schema.CodeOf(err) != want || w.reg.active != 1 {
			t.Errorf("switch to %d: %v, want %s", n, err, want)
		}
		_, err := w.Switch(t.Context(), schema.SwitchRequest{Generation: n, Force: true})
		if forced := n <= 5; (err == nil) != forced {
			t.Errorf("switch to %d by force: %v", n, err)
		}
		w.reg.active = 1
	}
	if _, err := w.Rollback(t.Context(), schema.SwitchRequest{}); schema.CodeOf(err) != schema.CodeConflict {
		t.Errorf("a rollback with nothing before: %v", err)
	}
}

func TestReplayPrunes(t *testing.T) {
	w := newWorld()
	w.reg.gens[2] = events.Generation{Number: 2, From: 1, Phase: events.PhaseFilled, Report: []byte(`{}`)}
	w.open[2] = true
	if _, err := w.Prune(t.Context(), 1); schema.CodeOf(err) != schema.CodeConflict {
		t.Errorf("the active one: %v", err)
	}
	if _, err := w.Prune(t.Context(), 9); schema.CodeOf(err) != schema.CodeNotFound {
		t.Errorf("none: %v", err)
	}
	if job, err := w.Prune(t.Context(), 2); err != nil || job.State != schema.JobGone {
		t.Errorf("%+v, %v", job, err)
	}
	step := func() {
		t.Helper()
		if err := w.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if step(); len(w.removed) > 0 {
		t.Error("removed while this process works on it")
	}
	w.open[2] = false
	step()
	step()
	if !slices.Equal(w.removed, []int{2}) || w.reg.gens[2].Phase != events.PhasePruned {
		t.Errorf("removed %v, %+v", w.removed, w.reg.gens[2])
	}
	if job, err := w.Job(t.Context(), 2); err != nil || job.State != schema.JobGone {
		t.Errorf("its job: %+v, %v", job, err)
	}
	if l, err := w.List(t.Context()); err != nil || len(l.Jobs) != 1 || l.Active != 1 {
		t.Errorf("%+v, %v", l, err)
	}
	// Switched to at the moment at which it was let go: it stays.
	w.reg.gens[1] = events.Generation{Number: 1, Phase: events.PhasePruning}
	w.open[1] = false
	if step(); w.reg.gens[1].Phase != events.PhaseFilling || len(w.removed) != 1 {
		t.Errorf("%+v, removed %v", w.reg.gens[1], w.removed)
	}
	for filled, phase := range map[time.Time]events.Phase{{}: events.PhaseFilling, noon: events.PhaseFilled} { // by force one may be read that never was filled
		w.reg.gens[3] = events.Generation{Number: 3, Target: 100, Filled: filled, Phase: events.PhasePruning}
		w.reg.active = 3
		if step(); w.reg.gens[3].Phase != phase || len(w.removed) != 1 {
			t.Errorf("filled %v: %+v, removed %v", filled, w.reg.gens[3], w.removed)
		}
	}
}

func TestCompareAnswers(t *testing.T) {
	answers := map[string][]string{"1 a": {"x", "y"}, "2 a": {"x", "y"}, "1 b": {"x", "y"}, "2 b": {"y", "z"}, "1 c": nil, "2 c": nil, "1 d": {"x"}, "2 d": nil}
	ask := func(_ context.Context, gen int, q Question) ([]string, bool, error) {
		if q.Tenant == "fails" {
			return nil, false, errors.New("away")
		}
		slow := q.Tenant == fmt.Sprint("slow in ", gen)
		return answers[fmt.Sprintf("%d %s", gen, q.Tenant)], !slow, nil
	}
	var rep schema.ReplayReport
	if err := CompareAnswers(t.Context(), 1, 2, []Question{{Tenant: "slow in 1"}, {Tenant: "a"}, {Tenant: "b"}, {Tenant: "c"}, {Tenant: "slow in 2"}, {Tenant: "d"}}, ask, &rep); err != nil {
		t.Fatal(err)
	}
	if rep.Asked != 4 || rep.Same != 2 || rep.Overlap != 0.625 {
		t.Errorf("%+v", rep)
	}
	ended, cancel := context.WithCancel(t.Context())
	late := schema.ReplayReport{}
	err := CompareAnswers(ended, 1, 2, []Question{{Tenant: "a"}, {Tenant: "b"}}, func(ctx context.Context, gen int, q Question) ([]string, bool, error) {
		if q.Tenant == "b" {
			cancel()
		}
		return ask(ctx, gen, q)
	}, &late)
	if err != nil || late.Asked != 1 || late.Same != 1 || late.Overlap != 1 {
		t.Errorf("with no time for the second question: %+v, %v", late, err)
	}
	if err := CompareAnswers(t.Context(), 1, 2, []Question{{Tenant: "fails"}}, ask, &rep); err == nil || !strings.Contains(err.Error(), "away") {
		t.Errorf("a question that fails: %v", err)
	}
}

// A generation of one tenant gets the others' points from the one that is read, before its stages run, by one process at a
// time.
func TestReplayOfOneTenantCopiesTheOthers(t *testing.T) {
	w := newWorld()
	step := func() {
		t.Helper()
		if err := w.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range []schema.ReplayRequest{{Tenant: "acme", From: "7"}, {Tenant: "acme", To: "50"}} {
		if _, err := w.Begin(t.Context(), r); schema.CodeOf(err) != schema.CodeInvalid {
			t.Errorf("%+v: %v", r, err)
		}
	}
	w.reg.gens[1] = events.Generation{Number: 1, Model: "other"}
	if _, err := w.Begin(t.Context(), schema.ReplayRequest{Tenant: "acme"}); schema.CodeOf(err) != schema.CodeConflict {
		t.Errorf("of another model: %v", err)
	}
	w.reg.gens[1] = events.Generation{Number: 1, Model: "m"}
	if _, err := w.Begin(t.Context(), schema.ReplayRequest{Tenant: "acme", Policy: "current", Switch: true}); err != nil {
		t.Fatal(err)
	}
	g := w.reg.gens[2]
	for _, x := range []struct {
		tenant string
		seq    uint64
		reads  bool
		policy uint64 // under which what was accepted under 5 is read
	}{{"acme", 1, true, 100}, {"acme", 101, true, 100}, {"other", 1, false, 5}, {"other", 100, false, 5}, {"other", 101, true, 5}} {
		if g.Reads(x.tenant, x.seq) != x.reads || g.PolicyRev(x.tenant, 5) != x.policy || !g.Holds(x.seq) {
			t.Errorf("%+v: reads %v under %d", x, g.Reads(x.tenant, x.seq), g.PolicyRev(x.tenant, 5))
		}
	}
	if job, err := w.Job(t.Context(), 2); err != nil || !job.Replay.Copying || job.Replay.Tenant != "acme" || job.Replay.CopyOf != 1 {
		t.Errorf("%+v, %v", job.Replay, err)
	}
	w.open[2], w.floor[1], w.floor[2] = true, 99, 100 // its own floor says nothing before its stages run
	if step(); len(w.copied) > 0 {
		t.Error("copied from what is not settled yet")
	}
	w.floor[1] = 100
	g.CopyBy, g.CopyBeat = "elsewhere", w.now.Add(-copyLost/2)
	w.reg.gens[2] = g
	if step(); len(w.copied) > 0 {
		t.Error("two processes copy")
	}
	w.now = w.now.Add(copyLost) // it has ended; and another takes over while this one is held up
	w.page = func() {
		g := w.reg.gens[2]
		g.CopyBy = "elsewhere"
		w.reg.gens[2] = g
	}
	if step(); w.reg.gens[2].Copied || len(w.copied) != 1 {
		t.Errorf("went on after another took over: %+v, %v", w.reg.gens[2], w.copied)
	}
	if _, err := w.Prune(t.Context(), 1); schema.CodeOf(err) != schema.CodeConflict {
		t.Errorf("prune the active one: %v", err)
	}
	w.now, w.page = w.now.Add(2*copyLost), nil
	if step(); !w.reg.gens[2].Ready() || w.reg.gens[2].Phase != events.PhaseFilling || w.copied[1] != "1 2acme100" {
		t.Errorf("%+v, copied %q", w.reg.gens[2], w.copied)
	}
	if step(); w.reg.active != 2 || len(w.copied) != 2 {
		t.Errorf("%d is read: %+v", w.reg.active, w.reg.gens[2])
	}
}
