package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/siltstone-ai/siltstone/internal/disk"
	"github.com/siltstone-ai/siltstone/internal/embedded/nats"
)

// What may befall a data directory while the servers run.
var (
	// ErrLow: the disk is nearly full. Nothing new is to be taken until there is space; what was taken is worked on.
	ErrLow = errors.New("the disk is nearly full")
	// ErrFull: a write has failed for want of space, or by a fault of the disk. Appends are refused until there is space
	// and the servers of the streams have been started again, which they are by themselves.
	ErrFull = errors.New("the streams cannot be written")
	// ErrLost: the data directory was removed or replaced, or the vector store cannot go on. The process is to end.
	ErrLost = errors.New("the data directory is lost")
)

const (
	guardEvery   = 250 * time.Millisecond
	restartTime  = time.Minute      // for one restart of the streams' server: recovery reads every index
	restartAgain = 10 * time.Second // between two of them, where space is not what is wanting
)

// guard watches the data directory: its space, its presence, and the server of the streams, which takes nothing any
// more after a write that failed.
type guard struct {
	dir     string
	held    fs.FileInfo // the lock file as it was taken
	log     *slog.Logger
	streams *nats.Server
	vectors *vectors
	ctx     context.Context // ends with the stack
	stop    context.CancelFunc
	work    sync.WaitGroup

	low       bool // the disk, at the last look
	restarted time.Time

	mu      sync.Mutex
	fault   error
	changed chan struct{} // closed and replaced whenever fault changes
	lost    chan struct{} // closed with the first ErrLost
}

func newGuard(dir string, log *slog.Logger, streams *nats.Server, v *vectors) (*guard, error) {
	held, err := os.Stat(filepath.Join(dir, lockName))
	if err != nil {
		return nil, fmt.Errorf("look at data directory: %w", err)
	}
	g := &guard{dir: dir, held: held, log: log, streams: streams, vectors: v, changed: make(chan struct{}), lost: make(chan struct{})}
	g.ctx, g.stop = context.WithCancel(context.Background())
	if g.look() {
		g.work.Go(g.run)
	}
	return g, nil
}

func (g *guard) run() {
	tick := time.NewTicker(guardEvery)
	defer tick.Stop()
	for {
		select {
		case <-g.ctx.Done():
			return
		case <-g.vectors.store.Dead():
		case <-g.streams.Suspect():
		case <-tick.C:
		}
		if !g.look() {
			return
		}
	}
}

// look brings fault up to date; false where there is nothing more to look at.
func (g *guard) look() bool {
	if err := g.gone(); err != nil {
		g.set(fmt.Errorf("%w: %w", ErrLost, err))
		close(g.lost)
		return false
	}
	space, err := g.streams.Bound()
	switch {
	case errors.Is(err, disk.ErrUnknown):
	case err != nil: // JetStream may be off, and the disk may not answer: what follows will tell
		g.log.Debug("the streams are not bounded", "error", err)
	default:
		g.low = space.Low(g.low)
	}
	broken := g.streams.Broken()
	switch {
	case broken != nil:
		g.set(fmt.Errorf("%w: %w", ErrFull, broken))
		g.mend(broken)
	case g.low:
		g.set(fmt.Errorf("%w: %d MiB are free of %d", ErrLow, space.Free>>20, space.Total>>20))
	default:
		g.set(nil)
	}
	return true
}

// gone is why the process cannot go on, nil where it can.
func (g *guard) gone() error {
	if err := g.vectors.store.Err(); err != nil {
		if own := g.removed(); own != nil { // which is why
			return own
		}
		return err
	}
	return g.removed()
}

// removed reports a directory that is not there any more, or another one in its place. Any other fault of a look says
// nothing about that.
func (g *guard) removed() error {
	now, err := os.Stat(filepath.Join(g.dir, lockName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s was removed, or what is in it", g.dir)
	case err == nil && !os.SameFile(now, g.held):
		return fmt.Errorf("%s was replaced by another directory", g.dir)
	}
	return nil
}

// mend starts the server of the streams again where there is space for it.
func (g *guard) mend(why error) {
	if g.low || time.Since(g.restarted) < restartAgain {
		return
	}
	g.log.Warn("the server of the streams is started again: it could not write", "why", why)
	ctx, cancel := context.WithTimeout(g.ctx, restartTime)
	defer cancel()
	err := g.streams.Mend(ctx)
	g.restarted = time.Now()
	if err != nil {
		g.log.Error("the server of the streams does not start; it is tried again", "error", err)
		return
	}
	g.log.Info("the server of the streams is up again")
	g.set(nil)
}

func (g *guard) set(fault error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	before := g.fault
	if before == nil && fault == nil {
		return
	}
	g.fault = fault
	if kind(before) == kind(fault) {
		return
	}
	close(g.changed)
	g.changed = make(chan struct{})
	if fault == nil {
		g.log.Info("there is space on the disk of the data directory, and events are taken again", "dir", g.dir)
		return
	}
	g.log.Error("events are refused", "why", fault, "dir", g.dir)
}

// kind is which of the faults err is.
func kind(err error) error {
	for _, k := range []error{ErrLow, ErrFull, ErrLost} {
		if errors.Is(err, k) {
			return k
		}
	}
	return nil
}

func (g *guard) close() {
	g.stop()
	g.work.Wait()
}

// Fault is what has befallen the data directory, an [ErrLow], [ErrFull] or [ErrLost], nil for nothing; changed is closed
// once it may be another one.
func (s *Stack) Fault() (changed <-chan struct{}, fault error) {
	s.guard.mu.Lock()
	defer s.guard.mu.Unlock()
	return s.guard.changed, s.guard.fault
}

// Lost is closed with the first [ErrLost]. The process is to end then: nothing that it takes in would stay.
func (s *Stack) Lost() <-chan struct{} { return s.guard.lost }
