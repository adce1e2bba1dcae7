//go:build chaos

package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
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

// target is a point that a process is to die at, the n-th time.
type target struct {
	point crash.Point
	n     int
	tries int
}

// post is a process that is started again whenever it has died, each time to die at another point, until there is none
// left for it; then it runs on.
type post struct {
	site    *site
	launch  stacktest.Launch
	plan    []target
	moments int // how often it is to be killed at no point, at any moment
	rng     *rand.Rand
	stuck   time.Duration // how long it may live without coming to its point

	done chan struct{} // closed once it runs without anything to die at, or failed
	once sync.Once
}

// maxTries is how often a process is sent for the same point.
const maxTries = 3

// maxFails is how many starts in a row may fail.
const maxFails = 5

func (p *post) finished() { p.once.Do(func() { close(p.done) }) }

// keep runs the process until ctx ends, and kills it then.
func (p *post) keep(ctx context.Context) error {
	defer p.finished()
	for fails := 0; ctx.Err() == nil; {
		var aim target
		l := p.launch
		switch {
		case len(p.plan) > 0:
			aim, p.plan = p.plan[0], p.plan[1:]
			l.Env = append(l.Env, fmt.Sprintf("%s=%s:%d", crash.Variable, aim.point, aim.n))
		case p.moments == 0:
			p.finished()
		}
		c, err := l.Start(p.site.t)
		if c == nil {
			return err
		}
		if err != nil { // it died on the way up, which may be what it was to do
			if at, ok := diedAt(c); ok {
				p.site.died(at)
				continue
			}
			// The servers went away under it, or it had too little of the machine: whoever keeps processes starts them again.
			if fails++; fails > maxFails {
				return err
			}
			p.site.failed()
			p.back(aim)
			continue
		}
		fails = 0
		if err := p.watch(ctx, c, aim); err != nil {
			return err
		}
	}
	return nil
}

// watch waits for the end of a process that is up, and sees to it where it does not come.
func (p *post) watch(ctx context.Context, c *stacktest.Child, aim target) error {
	life := time.Duration(0) // for ever
	switch {
	case aim.point != "":
		life = p.stuck
	case p.moments > 0:
		p.moments--
		life = time.Duration(p.rng.IntN(2000)) * time.Millisecond
	}
	var over <-chan time.Time
	if life > 0 {
		t := time.NewTimer(life)
		defer t.Stop()
		over = t.C
	}
	select {
	case <-c.Gone():
		at, ok := diedAt(c)
		if !ok {
			return fmt.Errorf("a process ended by itself: %s", c.Logs.Warnings())
		}
		p.site.died(at)
		return nil
	case <-over:
		if aim.point != "" {
			p.back(aim)
		}
		c.End()
		if at, ok := diedAt(c); ok { // at this very moment
			p.site.died(at)
			return nil
		}
		p.site.died("")
	case <-ctx.Done():
		c.End()
	}
	return nil
}

// back has a point that was not come to tried again, sooner on the way.
func (p *post) back(aim target) {
	if aim.tries++; aim.point != "" && aim.tries < maxTries {
		aim.n = 1
		p.plan = append(p.plan, aim)
	}
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
