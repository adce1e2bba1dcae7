package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"golang.org/x/sync/errgroup"

	"github.com/siltstone-ai/siltstone/internal/edge/httpapi"
	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/pkg/stages"
)

// runBase starts what the roles stand on; it ends with ctx, after they have drained.
func (a *app) runBase(g *errgroup.Group, ctx context.Context) {
	g.Go(func() error { return a.followGenerations(ctx) })
	trouble := troubles{log: a.log, what: "forget events cannot be read", now: time.Now}
	g.Go(func() error { return a.marks.Follow(ctx, func(err error) { trouble.note(ctx, err) }) })
	g.Go(func() error { return a.cache.Run(ctx) })
	a.tellModel(ctx)
	g.Go(func() error { a.tellEmbedder(ctx); return nil })
	g.Go(func() error { return a.endWhenLost(ctx) })
	look := a.witness.Follow
	if a.cfg.Has("distiller") {
		look = a.witness.Advance
	}
	g.Go(func() error { a.witness.Run(ctx, look); return nil })
	if a.lag.most > 0 && a.cfg.Has("ingester") {
		g.Go(func() error { a.watchLag(ctx); return nil })
	}
	if a.cfg.Has("distiller") {
		g.Go(func() error { a.sweep(ctx); return nil })
		g.Go(func() error { a.stepReplays(ctx); return nil })
		g.Go(func() error { a.letters.tend(ctx); return nil })
		g.Go(func() error { a.readLog(ctx); return nil })
	}
}

// sweepEvery is how often bodies of work messages that are settled are removed from the blobs.
const sweepEvery = 5 * time.Minute

// sweep removes large derived bodies that nobody needs any more, until ctx ends.
func (a *app) sweep(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		for _, g := range a.readings.all() {
			if _, err := a.blobs.Sweep(ctx, g.Number, g.floor.floor.Last()); err != nil && ctx.Err() == nil {
				a.log.LogAttrs(ctx, slog.LevelWarn, "blobs are not swept", slog.Int(obs.KeyGen, g.Number), slog.String(obs.KeyError, err.Error()))
			}
		}
	}
}

// runRoles starts the roles of the configuration and reports ready once all of them work.
func (a *app) runRoles(g *errgroup.Group, ctx context.Context) error {
	if err := a.marks.Load(ctx); err != nil {
		return fmt.Errorf("load forget events: %w", err)
	}
	for _, g := range a.readings.all() {
		if _, err := g.floor.floor.Read(ctx); err != nil {
			return fmt.Errorf("read the settled floor of generation %d: %w", g.Number, err)
		}
	}
	a.jobs.group, a.jobs.ctx = g, ctx
	var running []<-chan struct{}
	if a.cfg.Has("distiller") || a.cfg.Has("ingester") {
		r, err := a.newRouter()
		if err != nil {
			return err
		}
		g.Go(func() error { return a.runRouter(ctx, r) })
		running = append(running, r.Running())
	}
	if a.cfg.Has("retriever") {
		a.touches.Start()
		g.Go(func() error {
			<-ctx.Done()
			end, cancel := a.drainContext(ctx)
			defer cancel()
			return a.touches.Close(end)
		})
		g.Go(func() error { a.warm(ctx); return nil })
		g.Go(func() error { a.refiller.run(ctx); return nil })
	}
	for _, r := range running {
		select {
		case <-r:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if a.servesHTTP() {
		if err := a.serveNATS(g, ctx); err != nil {
			return err
		}
		if err := a.serveHTTP(g, ctx); err != nil {
			return err
		}
	}
	a.ready()
	return nil
}

// drainContext bounds what follows the end of ctx.
func (a *app) drainContext(ctx context.Context) (context.Context, context.CancelFunc) {
	base := context.WithoutCancel(ctx)
	if a.opts.Force != nil {
		base = a.opts.Force
	}
	return context.WithTimeout(base, a.cfg.Pipeline.Drain)
}

// newRouter adds a handler for every durable that this process works on.
func (a *app) newRouter() (*events.Router, error) {
	budget, err := events.NewBudget(a.cfg.Pipeline.Memory)
	if err != nil {
		return nil, err
	}
	r, err := events.NewRouter(events.RouterConfig{
		JS: a.js, Logger: a.log, Metrics: a.metrics, Bodies: a.blobs, Budget: budget, DrainTimeout: a.cfg.Pipeline.Drain,
		OnDead: obituary{a.points}.write, Suspects: a.lives.suspects, TracerProvider: a.tracer,
	})
	if err != nil {
		return nil, fmt.Errorf("build router: %w", err)
	}
	a.working.Lock()
	defer a.working.Unlock()
	if a.cfg.Has("distiller") {
		for _, g := range a.readings.all() {
			if !a.workable(g) {
				continue
			}
			if err := a.addStages(g, r); err != nil {
				return nil, err
			}
		}
	}
	if a.cfg.Has("ingester") {
		in := a.handlerConfig(0, events.StageIntake, events.StreamIn, events.StageIntake)
		in.Decode, in.MaxBody = decodePlain, int64(a.cfg.HTTP.MaxTurn)
		if err := r.Handle(in, bounded(stageLimit, a.plain)); err != nil {
			return nil, err
		}
	}
	a.router = r
	return r, nil
}

// windowShare is the part of the memory for events that the messages of one stage may fill before they are worked on.
const windowShare = 8

func (a *app) handlerConfig(gen int, stage, stream, durable string) events.HandlerConfig {
	return events.HandlerConfig{
		Name: stage, Stream: stream, Durable: durable, Generation: gen,
		Window: a.cfg.Pipeline.Window, MaxBytes: int(a.cfg.Pipeline.Memory / windowShare),
		MaxDeliver: a.cfg.Pipeline.MaxDeliver, Rebind: func(ctx context.Context) error { return a.rebind(ctx, gen) },
	}
}

// No handler runs longer, so that a dependency which never answers holds no event for ever: it is tried again then.
// To the bus a deadline is an outage, which buries nothing. A forget event may reach all that a user ever said.
const (
	stageLimit  = 2 * time.Minute
	forgetLimit = 15 * time.Minute
)

func bounded(limit time.Duration, fn events.Handler) events.Handler {
	return func(ctx context.Context, ev schema.Event) error {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		return fn(ctx, ev)
	}
}

// addStages adds the stages of one generation, once: a generation that comes while the router is built is met by both.
// The caller holds working.
func (a *app) addStages(g *reading, r *events.Router) error {
	if g.staged {
		return nil
	}
	g.staged = true
	gen := g.Number
	handle := func(stage, stream string, limit time.Duration, fn events.Handler) error {
		return r.Handle(a.handlerConfig(gen, stage, stream, events.Durable(stage, gen)), bounded(limit, fn))
	}
	runner, sink, err := a.newRunners(g)
	if err != nil {
		return err
	}
	for _, spec := range stages.All {
		if !a.cfg.RunsStage(spec.Name) || spec.Optional && a.model == nil {
			continue
		}
		fn, err := runner(spec)
		if err != nil {
			return err
		}
		if spec.In == stages.InSettled {
			c := a.modelConfig(g, a.handlerConfig(gen, spec.Name, streamOf(spec, gen), events.Durable(spec.Name, gen)), sink)
			if err := r.Handle(c, bounded(stageLimit+a.cfg.LLM.Timeout, afterFloor(g, fn))); err != nil {
				return err
			}
			continue
		}
		if stage := fn; spec.In == stages.InLog {
			fn = func(ctx context.Context, ev schema.Event) error {
				if !g.Reads(ev.Tenant, ev.Seq) { // it lies outside, or was copied
					return nil
				}
				return stage(ctx, ev)
			}
		}
		if err := handle(spec.Name, streamOf(spec, gen), stageLimit, fn); err != nil {
			return err
		}
	}
	if !a.cfg.RunsStage(events.StageForget) {
		return nil
	}
	prune, err := runner(stages.Archive)
	if err != nil {
		return err
	}
	return handle(events.StageForget, events.StreamLog, forgetLimit, carryOut(a.forgetter, a.archiver, prune))
}

// newRunners builds what the stages of a generation share; the function that it returns makes the handler of one of them,
// which writes through the sink.
func (a *app) newRunners(g *reading) (func(stages.Spec) (events.Handler, error), stages.Sink, error) {
	pub, err := events.NewPublisher(events.PublisherConfig{JS: a.js, Metrics: a.metrics})
	if err != nil {
		return nil, nil, fmt.Errorf("build publisher: %w", err)
	}
	out := pub.Events(a.blobs.Encode)
	sink, err := newSink(a.points.Store, a.cache, a.log)
	if err != nil {
		return nil, nil, fmt.Errorf("build sink: %w", err)
	}
	slots := slotReader{a.points, a.slots}
	reader, err := newEventReader(a.points)
	if err != nil {
		return nil, nil, fmt.Errorf("build reader of event points: %w", err)
	}
	retractor := &stages.Retractor{Points: a.points, Sink: sink, Settler: stages.Resettler{Slots: slots, Guard: a.slots, Sink: sink}}
	deps := stages.Deps{Tools: a.state, Events: reader, Embedder: a.embedder, Slots: slots, Points: a.points, Model: a.model, Archived: a.marks.Archived, Earlier: earlier{a.eventLog, reader, g}, Cleaners: a.opts.Cleaners}
	return func(spec stages.Spec) (events.Handler, error) {
		run, err := stages.NewRunner(spec, g.Number, deps, out, sink, a.slots)
		if err != nil {
			return nil, err
		}
		run.Floor, run.Marks, run.Retractor, run.Forgetter = g.floor.floor, a.marks, retractor, wishes{a.intake}
		if spec.In == stages.InLog || spec.In == stages.InSettled {
			return a.ofGeneration(g.Generation, run.Handle), nil
		}
		return run.Handle, nil
	}, sink, nil
}

// ofGeneration passes on what g accounts for of the log, under the policies that it reads it by, once this process knows
// those that intake knew.
func (a *app) ofGeneration(g events.Generation, fn events.Handler) events.Handler {
	return func(ctx context.Context, ev schema.Event) error {
		if !g.Holds(ev.Seq) {
			return nil
		}
		if err := a.state.WaitPolicy(ctx, ev.Tenant, ev.PolicyRev); err != nil {
			return err
		}
		ev.PolicyRev = g.PolicyRev(ev.Tenant, ev.PolicyRev)
		return fn(ctx, ev)
	}
}

// runRouter runs until ctx ends and the router has drained, or until Force ends.
func (a *app) runRouter(ctx context.Context, r *events.Router) error {
	if a.opts.Force != nil {
		stop := context.AfterFunc(a.opts.Force, func() {
			if err := r.Close(a.opts.Force); err != nil { // a context that has ended already cancels the handlers
				a.log.LogAttrs(ctx, slog.LevelWarn, "stages were cut off", slog.String(obs.KeyError, err.Error()))
			}
		})
		defer stop()
	}
	if err := r.Run(ctx); err != nil {
		return fmt.Errorf("run stages: %w", err)
	}
	return nil
}

// servesHTTP reports whether this process has an HTTP edge.
func (a *app) servesHTTP() bool { return a.cfg.Has("ingester") || a.cfg.Has("retriever") }

// serveHTTP listens and serves until ctx ends, then lets open requests finish.
func (a *app) serveHTTP(g *errgroup.Group, ctx context.Context) error {
	cfg := httpapi.Config{
		Addr: a.cfg.HTTP.Addr, Hosts: a.cfg.HTTP.Hosts, MaxTurn: a.cfg.HTTP.MaxTurn, MaxBatch: a.cfg.HTTP.MaxBatch, MaxOpen: a.cfg.HTTP.MaxOpen,
		MaxBuffer: a.cfg.HTTP.MaxBuffer, ReadTimeout: a.cfg.Read.Timeout, WriteTimeout: a.cfg.HTTP.WriteTimeout,
		Logger: a.log, Health: &a.health, Auth: gate{a.gate}, Metrics: promhttp.HandlerFor(a.registry, promhttp.HandlerOpts{}), Status: a, Tools: a, Settings: a, Events: a,
		Replayer: a.replays, Switcher: a.replays, Jobs: a.jobs, Keeper: &keeper{app: a, accepted: make(chan struct{})},
		Wrap: func(h http.Handler) http.Handler { return obs.TraceHTTP(a.tracer, h) },
	}
	if a.cfg.Has("ingester") {
		cfg.Publisher, cfg.Forgetter, cfg.Archiver, cfg.Dead, cfg.Auditor = publisher{a.intake}, a.forgets, a.archives, a.letters, auditor{a.letters}
		cfg.Eraser = a.erasures
		cfg.MemoryWriter, cfg.Pinner = memories{a}, memories{a}
	}
	if a.cfg.Has("retriever") {
		cfg.Querier, cfg.MemoryReader = querier{a.retrieval}, a.retrieval
	}
	srv, serve, err := a.openHTTP(cfg)
	if err != nil {
		return err
	}
	g.Go(serve)
	g.Go(func() error {
		<-ctx.Done()
		end, cancel := a.drainContext(ctx)
		defer cancel()
		if err := srv.Shutdown(end); err != nil {
			return errors.Join(srv.Close(), nil)
		}
		return nil
	})
	return nil
}

// openHTTP listens for an edge; serve answers until the server is shut down.
func (a *app) openHTTP(cfg httpapi.Config) (srv *http.Server, serve func() error, err error) {
	h, err := httpapi.New(cfg)
	if err != nil {
		return nil, nil, err
	}
	srv = httpapi.NewServer(h, a.log)
	on := srv.Serve
	if a.cfg.HTTP.TLSCert != "" {
		if srv.TLSConfig, err = httpapi.TLSConfig(a.cfg.HTTP.TLSCert, a.cfg.HTTP.TLSKey, a.log); err != nil {
			return nil, nil, fmt.Errorf("http.tls_cert, http.tls_key %w: %w", ErrConfig, err)
		}
		on = func(l net.Listener) error { return srv.ServeTLS(l, "", "") }
		a.addrs.TLS = true
	}
	l, err := net.Listen(network(a.cfg.HTTP.Addr), a.cfg.HTTP.Addr)
	if err != nil {
		return nil, nil, fmt.Errorf("listen for HTTP: %w (is another siltstone running? choose an address with --http-addr)", err)
	}
	a.addrs.HTTP = l.Addr().String()
	l = httpapi.LimitConns(l, srv, share(a.cfg.HTTP.MaxConns, httpShare))
	return srv, func() error {
		if err := on(l); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve HTTP: %w", err)
		}
		return nil
	}, nil
}
