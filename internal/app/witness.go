package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/siltstone-ai/siltstone/internal/atomicfile"
	"github.com/siltstone-ai/siltstone/internal/edge/httpapi"
	"github.com/siltstone-ai/siltstone/internal/intake"
	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// witnessDir is the directory in the data directory that remembers what was seen of an embedded log. It stands beside the
// server's own files, and does not go with them.
const witnessDir = "witness"

// witnessStore is where what was seen of the log is kept: in files where the log is this process's own, else in NATS.
func (a *app) witnessStore() events.WitnessStore {
	if a.cfg.NATS.URL != "" {
		return events.NewWitnessBucket(a.js)
	}
	return witnessFiles{filepath.Join(a.cfg.Data, witnessDir)}
}

// heldEvery is how often a process that holds looks whether the log has been put right, or accepted by another.
const heldEvery = 5 * time.Second

// admitLog holds the log against what was seen of it, before anything stands on it. Where its sequences may mean other
// events it serves nothing but that, until the log is put back or accepted, or ctx ends.
func (a *app) admitLog(ctx context.Context) error {
	faults := prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "silt", Name: "log_integrity_errors_total", Help: "Faults of the log that this process has found.",
	}, []string{"kind"})
	if err := a.registry.Register(faults); err != nil {
		return fmt.Errorf("register metrics of the log: %w", err)
	}
	for _, k := range []schema.LogFaultKind{schema.LogShortened, schema.LogSwapped, schema.LogDamaged, schema.LogMissing} {
		faults.WithLabelValues(string(k))
	}
	a.witness = events.NewWitness(a.js, a.witnessStore(), events.WitnessOptions{
		Log: a.log, Tell: func(f schema.LogFault) { faults.WithLabelValues(string(f.Kind)).Inc() },
	})
	a.health.Add("log", func(context.Context) error { return a.witness.Err() })
	if err := a.checkLog(ctx); err != nil {
		return err
	}
	if !a.witness.State().Held {
		return nil
	}
	return a.hold(ctx)
}

func (a *app) checkLog(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	return a.witness.Check(ctx)
}

// hold waits until the log is what it was, or is accepted.
func (a *app) hold(ctx context.Context) error {
	k := &keeper{app: a, held: true, accepted: make(chan struct{})}
	stop := func() error { return nil }
	if a.servesHTTP() {
		srv, serve, err := a.openHTTP(httpapi.Config{
			Addr: a.cfg.HTTP.Addr, Hosts: a.cfg.HTTP.Hosts, MaxTurn: a.cfg.HTTP.MaxTurn, MaxBatch: a.cfg.HTTP.MaxBatch, MaxOpen: a.cfg.HTTP.MaxOpen,
			WriteTimeout: openTimeout, Logger: a.log, Health: &a.health, Auth: gate{a.gate},
			Metrics: promhttp.HandlerFor(a.registry, promhttp.HandlerOpts{}), Keeper: k, Refuse: refuseHeld(a.witness),
		})
		if err != nil {
			return err
		}
		failed := make(chan error, 1)
		go func() { failed <- serve() }()
		stop = func() error {
			end, cancel := a.drainContext(ctx)
			defer cancel()
			err := srv.Shutdown(end)
			return errors.Join(err, <-failed)
		}
	}
	a.log.LogAttrs(ctx, slog.LevelError, "nothing is served: the log is not the one that was here before; put it back, or run siltstone log accept to go on with it as it is",
		slog.String(obs.KeyError, a.witness.Err().Error()), slog.String("http", a.addrs.HTTP))
	tick := time.NewTicker(heldEvery)
	defer tick.Stop()
	for a.witness.State().Held {
		select {
		case <-k.accepted:
			continue
		case <-tick.C:
		case <-ctx.Done():
			return errors.Join(stop(), ctx.Err())
		}
		if err := k.look(ctx); err != nil && ctx.Err() == nil {
			a.log.LogAttrs(ctx, slog.LevelWarn, "the log cannot be checked again", slog.String(obs.KeyError, err.Error()))
		}
	}
	a.log.Info("the log is taken as it is")
	return stop()
}

// refuseHeld is what everything is answered with while the log is held.
func refuseHeld(w *events.Witness) func() error {
	return func() error {
		s := w.State()
		if !s.Held {
			return schema.Retryable(schema.CodeUnavailable, time.Second, nil, "the log was accepted, and the start goes on")
		}
		return schema.Retryable(schema.CodeUnavailable, heldEvery, nil, "%s; nothing is served until it is put back, or accepted: siltstone log accept", s.Faults[0])
	}
}

// keeper shows how the log stands, and takes it as it is.
type keeper struct {
	*app
	held     bool // nothing stands on the log yet
	mu       sync.Mutex
	accepted chan struct{} // closed by the first accept of a held log
	once     sync.Once
}

// LogState implements httpapi.LogKeeper.
func (k *keeper) LogState(context.Context) (schema.LogState, error) { return k.witness.State(), nil }

// look checks again, while nobody accepts.
func (k *keeper) look(ctx context.Context) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.checkLog(ctx)
}

// AcceptLog implements httpapi.LogKeeper.
func (k *keeper) AcceptLog(ctx context.Context) (schema.LogState, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.witness.State().Held {
		if !k.held {
			return schema.LogState{}, &schema.Error{Code: schema.CodeConflict, Message: "the log changed under this process, which has read the one before: start it again, and accept it then"}
		}
		if err := k.beginAnew(ctx); err != nil {
			return schema.LogState{}, err
		}
	}
	if _, err := k.witness.Accept(ctx); err != nil {
		return schema.LogState{}, err
	}
	k.once.Do(func() { close(k.accepted) })
	return k.witness.State(), nil
}

// beginAnew removes all that was derived from a log with other entries, so that the start that follows derives it again
// from this one. Doing it again changes nothing.
func (a *app) beginAnew(ctx context.Context) error {
	if _, err := events.Ensure(ctx, a.js, a.topology(), 0); err != nil {
		return fmt.Errorf("make streams: %w", err)
	}
	if err := events.Anew(ctx, a.js); err != nil {
		return err
	}
	state, err := events.OpenState(ctx, a.js, events.StateOptions{Log: a.log})
	if err != nil {
		return err
	}
	defer state.Close()
	if a.blobs, err = events.OpenBlobs(ctx, a.js); err != nil {
		return err
	}
	last := a.witness.State().Last
	for _, g := range state.Generations() {
		if !g.Live() {
			continue
		}
		if err := a.removeGeneration(ctx, g.Number); err != nil {
			return fmt.Errorf("remove what generation %d has of the log before: %w", g.Number, err)
		}
		if _, err := state.EditGeneration(ctx, g.Number, func(g *events.Generation) error { g.Anew(last); return nil }); err != nil {
			return err
		}
	}
	return nil
}

// restFor is for how many times as long as it reads a process rests while it looks through its log for damage.
const restFor = 9

// readLog reads the whole log once, for damage, and rests in between.
func (a *app) readLog(ctx context.Context) {
	began := time.Now()
	err := a.witness.Verify(ctx, func(uint64, uint64) {
		select {
		case <-time.After(restFor * time.Since(began)):
		case <-ctx.Done():
		}
		began = time.Now()
	})
	if err != nil && ctx.Err() == nil {
		a.log.LogAttrs(ctx, slog.LevelWarn, "the log was not read to its end for damage", slog.String(obs.KeyError, err.Error()))
	}
}

// heldLog is the log as intake appends to it: nothing new gets a sequence that may have meant something else.
type heldLog struct {
	log    intake.Log
	state  func() schema.LogState
	refuse func() error
}

// Append implements intake.Log.
func (l heldLog) Append(ctx context.Context, evs []schema.Event) []events.Appended {
	if l.state().Held {
		return refuseAll(make([]events.Appended, len(evs)), l.refuse())
	}
	return l.log.Append(ctx, evs)
}

// witnessFiles is an events.WitnessStore in a directory of one process.
type witnessFiles struct{ dir string }

// Load implements events.WitnessStore.
func (f witnessFiles) Load(_ context.Context, key string) ([]byte, error) {
	b, err := os.ReadFile(filepath.Join(f.dir, key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return b, err
}

// Save implements events.WitnessStore.
func (f witnessFiles) Save(_ context.Context, key string, value []byte) error {
	path := filepath.Join(f.dir, key)
	if value == nil {
		return removeFile(path)
	}
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return err
	}
	return atomicfile.Write(path, value)
}

// Keys implements events.WitnessStore.
func (f witnessFiles) Keys(context.Context) ([]string, error) {
	es, err := os.ReadDir(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var keys []string
	for _, e := range es {
		if !strings.HasPrefix(e.Name(), ".") { // one that a crash left half-written
			keys = append(keys, e.Name())
		}
	}
	return keys, err
}
