//go:build chaos

package chaos

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/internal/app"
	"github.com/siltstone-ai/siltstone/internal/crash"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// Variables with which make chaos sets a run.
const (
	turnsVar = "SILTSTONE_TEST_CHAOS_TURNS"
	seedVar  = "SILTSTONE_TEST_CHAOS_SEED"
)

// spot is where and how often a point is come by.
type spot struct {
	point crash.Point
	most  int // a process dies at one of the first so many times
}

// Who comes by which points. One process with everything in it comes by all of them.
var (
	ofIngester  = []spot{{crash.BlobStored, 1}, {crash.AppendBegin, 15}, {crash.AppendPart, 15}, {crash.AppendDone, 15}}
	ofDistiller = []spot{
		{crash.PointsBegin, 500}, {crash.PointsDone, 500}, {crash.SlotPart, 200}, {crash.SlotDone, 200}, {crash.PublishBegin, 300}, {crash.PublishDone, 300},
		{crash.AckBegin, 500}, {crash.AckDone, 500}, {crash.DeadTold, 2}, {crash.DeadStored, 2}, {crash.CheckpointRead, 5}, {crash.CheckpointDone, 5},
		{crash.ForgetMarked, 2}, {crash.ForgetDeleted, 2}, {crash.ForgetDone, 2},
	}
	ofStreams = []spot{{crash.ResetDone, 1}, {crash.StreamClosed, 1}}
	ofVectors = []spot{{crash.VectorsLogged, 100}, {crash.VectorsSynced, 100}}
	ofReplay  = []spot{{crash.ReplayBegun, 1}, {crash.ReplayFilled, 1}, {crash.SwitchDone, 1}, {crash.PrunePart, 1}}
)

// drawn is a plan: the spots, each with a number of times drawn. Few turns come by less often.
func drawn(rng *rand.Rand, share float64, spots ...spot) []target {
	var out []target
	for _, s := range spots {
		most := max(1, int(share*float64(s.most)))
		out = append(out, target{point: s.point, n: 1 + rng.IntN(most)})
	}
	return out
}

func join(parts ...[]spot) []spot { return slices.Concat(parts...) }

// setting is a number that a variable sets.
func setting(t *testing.T, name string, def uint64) uint64 {
	t.Helper()
	s := os.Getenv(name)
	if s == "" {
		return def
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// run is one chaos run.
type run struct {
	t     *testing.T
	site  *site
	rng   *rand.Rand
	load  *workload
	pub   *publisher
	start time.Time
}

func newRun(t *testing.T, seed uint64, turns int) *run {
	t.Logf("seed %d, %d turns", seed, turns)
	r := &run{t: t, site: newSite(t), rng: rand.New(rand.NewPCG(seed, 2)), load: newWorkload(seed, turns), start: time.Now()}
	r.pub = &publisher{url: r.site.url, connect: r.site.connect(), acked: map[string]uint64{}}
	return r
}

// during publishes jobs while the processes of posts die and come back, and ends the processes once all jobs are
// answered and every post has nothing left to die at.
func (r *run) during(jobs []*job, posts ...*post) {
	r.t.Helper()
	ctx, stop := context.WithCancel(r.t.Context())
	defer stop()
	turns, before, plan := 0, r.site.count(), 0
	for _, j := range jobs {
		turns += j.weight
	}
	var keepers sync.WaitGroup
	var errs []error
	var mu sync.Mutex
	for _, p := range posts {
		p.site, p.rng, p.done = r.site, rand.New(rand.NewPCG(r.rng.Uint64(), 3)), make(chan struct{})
		p.idle = r.idle
		plan += len(p.plan) + p.moments
		keepers.Go(func() {
			if err := p.keep(ctx); err != nil {
				mu.Lock()
				errs = append(errs, err)
				mu.Unlock()
				stop()
			}
		})
	}
	// The turns are spread over the deaths: there is always something under way, and never all of it.
	begun := r.pub.count()
	r.pub.gate = func(published int) bool {
		died := r.site.count() - before
		return died >= plan || float64(published-begun) < float64(turns)*(0.15+float64(died)/float64(plan))
	}
	err := r.pub.run(ctx, jobs)
	for _, p := range posts {
		select {
		case <-p.done:
		case <-ctx.Done():
		}
	}
	stop()
	keepers.Wait()
	if err = errors.Join(append(errs, err)...); err != nil {
		r.t.Fatal(err)
	}
}

// idle tells how far the log is settled, and whether nothing will be before a process dies.
func (r *run) idle(ctx context.Context) (floor uint64, idle bool) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	idle = r.pub.rests.Load()
	for _, tenant := range tenants {
		c, err := (&stacktest.Stack{URL: r.site.url()}).Bare(tenant)
		if err != nil {
			return 0, false
		}
		st, err := c.Status(ctx)
		if err != nil {
			return 0, false
		}
		floor = st.Floor
		idle = idle && st.Idle
	}
	return floor, idle
}

// whole is everything in one process, to die at spots.
func (r *run) whole(share float64, spots ...spot) *post {
	return &post{launch: r.site.whole(), plan: drawn(r.rng, share, spots...)}
}

// up starts everything in one process that nothing is to happen to.
func (r *run) up() *stacktest.Child {
	r.t.Helper()
	c, err := r.site.whole().Start(r.t)
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

// clean verifies and tells.
func (r *run) clean(s *stacktest.Stack, when string) tally {
	r.t.Helper()
	f, n := verify(r.t, s, r.site.connect(), r.load, r.pub.acked, true)
	if !f.none() {
		r.t.Fatalf("%s:\n%s", when, f)
	}
	return n
}

// tell prints what a run came to.
func (r *run) tell(n tally) {
	var at []string
	for _, p := range crash.All {
		if k := r.site.killed[p]; k > 0 {
			at = append(at, fmt.Sprintf("%s %d", p, k))
		}
	}
	r.t.Logf("%d kills in %s: %s; at any moment %d; of %d starts, each %s, %d failed",
		r.site.kills, time.Since(r.start).Round(time.Second), strings.Join(at, ", "), r.site.random, r.site.starts, (r.site.rising / time.Duration(max(r.site.starts, 1))).Round(time.Millisecond), r.site.fails)
	r.t.Logf("%d entries of %d events acknowledged (%d answers as known, %d appended once more, %d requests without an answer): 0 lost, 0 doubled, 0 ghosts; %+v",
		n.entries, n.distinct, r.pub.again, r.pub.slipped, r.pub.failures, n)
}

// reached fails the test where one of spots was come by by no process that died of it.
func (r *run) reached(spots ...spot) {
	r.t.Helper()
	var not []crash.Point
	for _, s := range spots {
		if r.site.killed[s.point] == 0 {
			not = append(not, s.point)
		}
	}
	if len(not) > 0 {
		r.t.Errorf("no process died at %v", not)
	}
}

// replayed reads the log anew, switches and prunes, dying on the way, and holds what comes out against what the live
// generation had become under its own kills.
func (r *run) replayed(tenant string) {
	r.t.Helper()
	ctx, stop := context.WithCancel(r.t.Context())
	defer stop()
	p := &post{site: r.site, launch: r.site.whole(), plan: drawn(r.rng, 1, ofReplay...), rng: r.rng, done: make(chan struct{})}
	ended := make(chan error, 1)
	go func() { ended <- p.keep(ctx) }()
	c := (&stacktest.Stack{URL: r.site.url()}).As(r.t, tenant)
	compared := false
	stacktest.Eventually(r.t, "the replay, the switch and the pruning", func() error {
		select {
		case err := <-ended:
			r.t.Fatalf("the process is kept no more: %v", err)
		default:
		}
		l, err := c.Replays(ctx)
		if err != nil {
			return err
		}
		if len(l.Jobs) < 2 {
			if _, err := c.Replay(ctx, schema.ReplayRequest{Switch: true}); err != nil {
				return err
			}
			return errors.New("it is asked for")
		}
		next := l.Jobs[len(l.Jobs)-1].Replay
		if next.Report != nil && next.Report.Withheld != "" {
			r.t.Fatalf("the switch is withheld: %+v", next.Report)
		}
		if l.Active != next.Generation {
			return fmt.Errorf("%d is active: %+v", l.Active, l.Jobs[len(l.Jobs)-1])
		}
		if !compared {
			compared = true
			r.same(c, 1, next.Generation)
		}
		if l.Jobs[0].State != schema.JobGone {
			_, err := c.Prune(ctx, 1)
			return errors.Join(err, errors.New("the first generation is still there"))
		}
		select {
		case <-p.done:
			return nil
		default:
			return errors.New("the process is still to die somewhere")
		}
	})
	stop()
	if err := <-ended; err != nil {
		r.t.Error(err)
	}
}

// same fails the test unless two generations hold the same, and shows some of what they do not.
func (r *run) same(c *stacktest.Tenant, was, now int) {
	r.t.Helper()
	a, b := c.Hash(was), c.Hash(now)
	if a.Hash == b.Hash {
		return
	}
	r.t.Errorf("the log read anew gives %+v, and the live generation had become %+v", b, a)
	at := &stacktest.Stack{Addrs: app.Addresses{Connect: r.site.connect()}}
	for _, d := range at.Differences(r.t, was, now, 5) {
		r.t.Log(d)
	}
}

// The short run of make test: everything in one process dies at points of every kind.
func TestShortChaos(t *testing.T) {
	r := newRun(t, setting(t, seedVar, 1), int(setting(t, turnsVar, 500)))
	spots := []spot{{crash.AppendPart, 5}, {crash.PointsDone, 100}, {crash.SlotPart, 50}, {crash.StreamClosed, 1}, {crash.ForgetMarked, 1}}
	r.during(r.load.jobs, r.whole(1, spots...))
	n := r.clean(r.up().Stack, "after the kills")
	r.reached(spots...)
	r.tell(n)
}

// The long run of make chaos.
func TestChaos(t *testing.T) {
	if os.Getenv(turnsVar) == "" {
		t.Skip("make chaos runs it")
	}
	seed := setting(t, seedVar, 0)
	if seed == 0 {
		seed = rand.Uint64() >> 32
	}
	turns := int(setting(t, turnsVar, 20_000))
	r := newRun(t, seed, turns)
	share := min(1, float64(turns)/20_000)
	half := len(r.load.jobs) / 2

	// First everything in one process, then a process a role over servers of their own; all of them die.
	all := join(ofIngester, ofDistiller, ofStreams, ofVectors)
	r.during(r.load.jobs[:half], r.whole(share, all...))
	t.Logf("one process: %d kills, %d turns published, after %s", r.site.kills, r.pub.count(), time.Since(r.start).Round(time.Second))
	r.during(r.load.jobs[half:],
		&post{launch: r.site.servers(), plan: drawn(r.rng, share, ofVectors...), moments: 3},
		&post{launch: r.site.role("ingester"), plan: drawn(r.rng, share, ofIngester...), moments: 1},
		&post{launch: r.site.role("distiller"), plan: drawn(r.rng, share, ofDistiller...), moments: 2},
		&post{launch: r.site.role("retriever"), moments: 1},
	)
	t.Logf("a process a role: %d kills, %d turns published, after %s", r.site.kills, r.pub.count(), time.Since(r.start).Round(time.Second))

	c := r.up()
	r.clean(c.Stack, "after the kills")
	t.Logf("settled and clean after %s", time.Since(r.start).Round(time.Second))
	c.End()

	r.replayed(tenants[0])
	n := r.clean(r.up().Stack, "after the replay")
	r.reached(join(all, ofReplay)...)
	r.tell(n)
}
