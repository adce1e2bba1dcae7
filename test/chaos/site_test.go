//go:build chaos

package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/internal/crash"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// site is one data directory with everything at addresses that outlive the processes.
type site struct {
	t      *testing.T
	dir    string
	listen []string // flags of whoever runs the servers
	http   string   // address of whoever takes events
	read   string   // address of a retriever of its own

	mu     sync.Mutex
	killed map[crash.Point]int // processes that died at each point
	random int                 // and at no point: at any moment
	kills  int                 // both
	fails  int                 // starts that failed
	starts int
	rising time.Duration // that starts took in all
}

func newSite(t *testing.T) *site {
	s := &site{t: t, dir: filepath.Join(t.TempDir(), "data"), http: stacktest.FreeAddr(t), read: stacktest.FreeAddr(t), killed: map[crash.Point]int{}}
	for _, name := range []string{"nats", "qdrant", "redis"} {
		s.listen = append(s.listen, "--"+name+"-listen", stacktest.FreeAddr(t))
	}
	return s
}

func (s *site) connect() string { return filepath.Join(s.dir, "connect.yaml") }
func (s *site) url() string     { return "http://" + s.http }

// whole is everything in one process.
func (s *site) whole() stacktest.Launch {
	return stacktest.Launch{Dir: s.dir, Flags: append([]string{"--http-addr", s.http}, s.listen...)}
}

// servers are the three stores, alone in a process.
func (s *site) servers() stacktest.Launch {
	return stacktest.Launch{Role: "none", Flags: append([]string{"--log-format", "json", "--data", s.dir}, s.listen...)}
}

// role is one role over those.
func (s *site) role(role string, flags ...string) stacktest.Launch {
	addr := s.http
	if role == "retriever" {
		addr = s.read
	}
	args := []string{"--log-format", "json", "--config", s.connect(), "--data", filepath.Join(s.dir, "..", role), "--http-addr", addr, "--pipeline-ack-wait", "3s"}
	return stacktest.Launch{Role: role, Flags: append(args, flags...)}
}

// target is a point that a process is to die at, the n-th time that it comes by.
type target struct {
	point crash.Point
	n     int
}

// post is a process that is started again whenever it has died, each time to die at whichever of its points it comes to
// first, until there is none left; then it runs on.
type post struct {
	site    *site
	launch  stacktest.Launch
	plan    []target
	moments int // how often it is to be killed at no point, at any moment
	rng     *rand.Rand
	idle    func(context.Context) (floor uint64, idle bool) // how far everything is, and whether nothing comes any more before it dies; nil: nobody asks

	done chan struct{} // closed once it runs without anything to die at, or failed
	once sync.Once
}

// maxFails is how many starts in a row may fail, and maxStuck how often a process may come to none of its points.
const (
	maxFails = 5
	maxStuck = 10
)

func (p *post) finished() { p.once.Do(func() { close(p.done) }) }

// armed is the launch of a process that is to die at any of the points that are left.
func (p *post) armed() stacktest.Launch {
	l := p.launch
	at := make([]string, len(p.plan))
	for i, x := range p.plan {
		at[i] = fmt.Sprintf("%s:%d", x.point, x.n)
	}
	if len(at) > 0 {
		l.Env = append(l.Env, crash.Variable+"="+strings.Join(at, ","))
	}
	return l
}

// keep runs the process until ctx ends, and kills it then.
func (p *post) keep(ctx context.Context) error {
	defer p.finished()
	for fails, stuck := 0, 0; ctx.Err() == nil; {
		began := time.Now()
		c, err := p.armed().Start(p.site.t)
		p.site.started(time.Since(began))
		if c == nil {
			return err
		}
		if err != nil { // it died on the way up, which may be what it was to do
			if p.diedOf(c) {
				continue
			}
			// The servers went away under it, or it had too little of the machine: whoever keeps processes starts them again.
			if fails++; fails > maxFails {
				return err
			}
			p.site.failed()
			continue
		}
		fails = 0
		var over <-chan time.Time
		lives, ends := context.WithCancel(ctx)
		switch {
		case p.moments > 0:
			over = time.After(time.Duration(p.rng.IntN(2000)) * time.Millisecond)
		case len(p.plan) > 0:
			over = p.stuck(lives)
		default:
			p.finished()
		}
		select {
		case <-c.Gone():
			if !p.diedOf(c) {
				ends()
				return fmt.Errorf("a process ended by itself: %s", c.Logs.Warnings())
			}
		case <-over:
			c.End()
			if p.diedOf(c) { // at this very moment
				ends()
				continue
			}
			p.site.died("")
			if p.moments > 0 {
				p.moments--
			} else if stuck++; stuck > maxStuck {
				p.plan = nil
			}
			for i := range p.plan {
				p.plan[i].n = 1 + p.plan[i].n/2 // sooner on the way
			}
		case <-ctx.Done():
			c.End()
		}
		ends()
	}
	return nil
}

// How often it is asked whether a process still gets on, and how long it may do so without coming to any of its points.
const (
	askEvery  = 2 * time.Second
	mostStill = 30 * time.Second
)

// stuck is sent to once a process will come to none of its points as things stand: nothing is to be done any more before something
// dies, or nothing gets done. A busy machine alone makes nobody stuck.
func (p *post) stuck(ctx context.Context) <-chan time.Time {
	out := make(chan time.Time, 1)
	if p.idle == nil {
		return out
	}
	go func() {
		tick := time.NewTicker(askEvery)
		defer tick.Stop()
		still, at, last := 0, time.Now(), uint64(0)
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			floor, idle := p.idle(ctx)
			if still++; !idle {
				still = 0
			}
			if floor != last {
				at, last = time.Now(), floor
			}
			if still >= 2 || time.Since(at) > mostStill { // what comes by timers comes in between
				out <- time.Now()
				return
			}
		}
	}()
	return out
}

// diedOf strikes the point out that a process says that it died at; false where it says nothing.
func (p *post) diedOf(c *stacktest.Child) bool {
	_, rest, ok := strings.Cut(c.Logs.String(), crash.Reached)
	if !ok {
		return false
	}
	line, _, _ := strings.Cut(rest, "\n")
	at := crash.Point(line)
	p.plan = slices.DeleteFunc(p.plan, func(x target) bool { return x.point == at })
	p.site.died(at)
	return true
}

func (s *site) started(took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.starts++
	s.rising += took
}

func (s *site) failed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fails++
}

func (s *site) died(at crash.Point) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kills++; at == "" {
		s.random++
	} else {
		s.killed[at]++
	}
}

func (s *site) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kills
}

// diedAt is the point at which a process says that it died.
func diedAt(c *stacktest.Child) (crash.Point, bool) {
	_, rest, ok := strings.Cut(c.Logs.String(), crash.Reached)
	line, _, _ := strings.Cut(rest, "\n")
	return crash.Point(line), ok
}
