package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sync/errgroup"

	"github.com/siltstone-ai/siltstone/internal/auth"
	"github.com/siltstone-ai/siltstone/internal/clean"
	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/internal/embed"
	"github.com/siltstone-ai/siltstone/internal/intake"
	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/internal/outbound"
	"github.com/siltstone-ai/siltstone/internal/rank"
	"github.com/siltstone-ai/siltstone/internal/retrieve"
	"github.com/siltstone-ai/siltstone/internal/store/qdrant"
	"github.com/siltstone-ai/siltstone/internal/store/redis"
	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/internal/upkeep"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/pkg/stages"
)

// Addresses are where a running process can be reached; "" for what does not listen.
type Addresses struct {
	HTTP, NATS, Qdrant, Redis string

	TLS     bool   // HTTP is served over TLS
	Connect string // path of the configuration file for processes that use the listeners; "" where none listens
}

// URL is the address of the HTTP edge, "" where there is none.
func (a Addresses) URL() string {
	switch {
	case a.HTTP == "":
		return ""
	case a.TLS:
		return "https://" + reachable(a.HTTP)
	}
	return "http://" + reachable(a.HTTP)
}

// reachable is addr as it can be asked for from this machine: one that stands for all addresses is none to go to.
func reachable(addr string) string {
	ap, err := netip.ParseAddrPort(addr)
	switch {
	case err != nil || !ap.Addr().IsUnspecified():
		return addr
	case ap.Addr().Is4():
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), ap.Port()).String()
	}
	return netip.AddrPortFrom(netip.IPv6Loopback(), ap.Port()).String()
}

// network is what to listen on for addr: 0.0.0.0 means IPv4, and Go would take it for IPv6 as well.
func network(addr string) string {
	host, _, err := net.SplitHostPort(addr)
	if ip, perr := netip.ParseAddr(host); err == nil && perr == nil && ip.Is4() {
		return "tcp4"
	}
	return "tcp"
}

// Options of Run.
type Options struct {
	Config   config.Config
	Logger   *slog.Logger
	Ready    func(Addresses)           // called once, when every role works; may be nil
	Force    context.Context           // ends what Run's own context only drains; nil for never
	Registry *prometheus.Registry      // nil makes one
	Cleaners map[string]stages.Cleaner // cleaners of a program that embeds Siltstone
	Tracer   trace.TracerProvider      // of a program that embeds Siltstone; nil makes the one that trace.url asks for
	Tuned    func(Tuned)               // given, before Ready, what an evaluation asks by; nil for nobody, and unused without a retriever
}

// app is everything that one process runs. Fields are set by open and the new… methods, then only read.
type app struct {
	cfg      config.Config
	log      *slog.Logger
	opts     Options
	registry *prometheus.Registry
	health   obs.Health
	gate     *auth.Gate
	tracer   trace.TracerProvider // nil traces nothing
	addrs    Addresses
	closers  []func() error // in order of opening; run backwards

	dial   func(name string) (*nats.Conn, error)
	nc     *nats.Conn
	js     jetstream.JetStream
	points points
	cache  *redis.Store

	diskFault  func() (<-chan struct{}, error) // of the embedded servers' data directory; nil where nothing is embedded
	diskLost   <-chan struct{}
	compact    func(context.Context) error // has the files of the embedded servers hold nothing that was deleted; nil where none of them keeps files
	embedder   stages.Embedder
	calibrated *rank.Config       // the ranking as fitted to the embedder, nil where that is the built-in table
	words      *embed.Table       // compares words of questions and texts, whatever embeds
	shelf      shelf              // of the embedder
	model      stages.ModelReader // nil: no language model is asked
	heard      *events.Kept       // what a language model answered
	cleaner    *clean.Cleaner     // checks policies

	eventLog *events.Log
	blobs    *events.Blobs
	state    *events.State
	slots    *events.Slots
	readings readings
	metrics  *events.Metrics
	witness  *events.Witness

	working sync.Mutex     // held while stages are added to the router or taken from it
	router  *events.Router // nil before the roles begin

	marks     *upkeep.Marks
	forgetter *upkeep.Forgetter
	archiver  *upkeep.Archiver
	forgets   *forgets
	archives  *archives
	inspector *upkeep.Inspector
	intake    *intake.Intake
	retrieval *retrieve.Service
	replays   *upkeep.Replays
	jobs      *jobs
	letters   *letters
	erasures  *erasures
	touches   *retrieve.Batcher
	refiller  *refiller
	lives     lives
	lag       lag
}

// Run opens the servers, runs the roles of the configuration and returns when ctx has ended and everything is
// drained, or with the error that stopped it. It blocks.
func Run(ctx context.Context, o Options) (err error) {
	a := &app{cfg: o.Config, log: o.Logger, opts: o, registry: o.Registry}
	if a.registry == nil {
		a.registry = obs.NewRegistry()
	}
	defer func() { err = errors.Join(err, a.close()) }()
	if a.servesHTTP() {
		if err := a.openGate(); err != nil { // before anything is started or made
			return err
		}
	}
	if err := a.openTracing(ctx); err != nil {
		return err
	}
	if err := a.open(ctx); err != nil {
		return stopped(ctx, err)
	}
	if !a.cfg.Has("ingester") && !a.cfg.Has("distiller") && !a.cfg.Has("retriever") { // servers only
		a.ready()
		return a.endWhenLost(ctx)
	}
	if err := a.build(ctx); err != nil {
		return stopped(ctx, err)
	}
	return stopped(ctx, a.run(ctx))
}

// run starts what the roles stand on, then the roles, and returns once all of them have ended: the roles first,
// when ctx ends or one of either fails.
func (a *app) run(ctx context.Context) error {
	under, stopUnder := context.WithCancel(context.WithoutCancel(ctx)) // outlives ctx until the roles have drained
	defer stopUnder()
	base, under := errgroup.WithContext(under)
	a.runBase(base, under)

	roles, stopRoles := context.WithCancel(ctx)
	defer stopRoles()
	g, roles := errgroup.WithContext(roles)
	unhook := context.AfterFunc(under, stopRoles) // a fault below ends the roles
	defer unhook()
	err := a.runRoles(g, roles)
	if err != nil {
		stopRoles()
	}
	err = errors.Join(err, g.Wait())
	stopUnder()
	return errors.Join(err, base.Wait())
}

// traceEnd is how long the end waits for the last spans to be sent.
const traceEnd = 3 * time.Second

// openTracing sends spans where the configuration says. It is closed last, so that the end of everything is told.
func (a *app) openTracing(ctx context.Context) (err error) {
	if a.tracer = a.opts.Tracer; a.tracer != nil || a.cfg.Trace.URL == "" {
		return nil
	}
	var end func(context.Context) error
	cl, err := outbound.NewClient(outbound.Config{URL: a.cfg.Trace.URL, AllowPrivate: a.cfg.Trace.AllowPrivate})
	if err != nil {
		return fmt.Errorf("trace.url %w: %w", ErrConfig, err)
	}
	a.tracer, end, err = obs.NewTracerProvider(ctx, obs.TraceConfig{URL: a.cfg.Trace.URL, Ratio: a.cfg.Trace.Ratio, Service: "siltstone", Client: cl, Logger: a.log})
	if err != nil {
		return err
	}
	a.closers = append(a.closers, func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), traceEnd)
		defer cancel()
		if err := end(ctx); err != nil { // a collector that is away is no failure of ours
			a.log.LogAttrs(ctx, slog.LevelWarn, "last spans are lost", slog.String(obs.KeyError, err.Error()))
		}
		return nil
	})
	return nil
}

// stopped is err, unless ctx has ended and err only follows from that, which is how Run is told to stop.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil && (errors.Is(err, context.Canceled) || schema.CodeOf(err) == schema.CodeTimeout) {
		return nil
	}
	return err
}

func (a *app) ready() {
	if a.opts.Ready != nil {
		a.opts.Ready(a.addrs)
	}
}

// close runs the closers backwards.
func (a *app) close() error {
	var errs []error
	for i := len(a.closers) - 1; i >= 0; i-- {
		errs = append(errs, a.closers[i]())
	}
	return errors.Join(errs...)
}

// firstGeneration is what a fresh installation reads and writes.
const firstGeneration = 1

// openTimeout bounds the wait for servers at start.
const openTimeout = 60 * time.Second

// build makes streams, stores and the parts that every role uses.
func (a *app) build(ctx context.Context) error {
	if err := a.prepare(ctx); err != nil {
		return err
	}
	if err := a.admitLog(ctx); err != nil {
		return err
	}
	return a.buildOnLog(ctx)
}

// prepare builds what stands on no log, and waits for the servers.
func (a *app) prepare(ctx context.Context) error {
	words, err := text.Open(text.Config{CacheDir: a.cfg.Jieba.Cache})
	if err != nil {
		return fmt.Errorf("open dictionaries: %w", err)
	}
	a.log.Info("dictionaries opened", "segmenter", words.Segmenter, "words", words.Words)
	// Only now: on a machine that has much else to do the dictionaries take most of a minute, and no server is to blame.
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	if a.embedder, err = a.newEmbedder(ctx); err != nil {
		return fmt.Errorf("build embedder: %w", err)
	}
	if err := a.checkTools(); err != nil {
		return err
	}
	return a.awaitServers(ctx)
}

func (a *app) buildOnLog(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	if err := a.openStreams(ctx); err != nil {
		return err
	}
	if err := a.noteModel(); err != nil {
		return err
	}
	forgets, err := newForgetLog(a.eventLog)
	if err != nil {
		return err
	}
	a.marks = upkeep.NewMarks(forgets, a.points, a.sources)
	eraser, err := events.OpenEraser(ctx, a.js, a.eventLog)
	if err != nil {
		return err
	}
	a.marks.Keys = eraser.Key
	a.inspector = &upkeep.Inspector{Store: a.points, Points: a.points, Stages: stages.Names(), Marks: a.marks}
	a.forgetter = &upkeep.Forgetter{
		Store: a.points, Floor: a, Log: a.eventLog, Dead: a.blobs, Caches: caches{a.cache, a.log}, Asleep: a.asleep, Logger: a.log,
		MaxTurn: int64(a.cfg.HTTP.MaxTurn),
		Settler: stages.Resettler{Slots: slotReader{a.points, a.slots}, Guard: a.slots, Sink: a.points},
	}
	a.archiver = &upkeep.Archiver{Points: a.points, Log: a.eventLog, Floor: a, Point: stages.Passage, Memory: a.cfg.Pipeline.Memory / windowShare, Logger: a.log}
	if err := a.newModel(ctx); err != nil {
		return err
	}
	if err := a.newIntake(); err != nil {
		return err
	}
	if err := a.newRetrieval(ctx); err != nil {
		return err
	}
	a.replays = a.newReplays()
	store, err := events.OpenJobs(ctx, a.js)
	a.jobs = &jobs{app: a, store: store, busy: make(chan struct{}, maxJobs)}
	if err != nil {
		return err
	}
	a.forgets = a.newForgets()
	a.archives = a.newArchives()
	a.erasures = a.newErasures(eraser)
	a.letters, err = a.newLetters(ctx)
	return err
}

// checkTools refuses configured policies that name a cleaner which does not exist.
func (a *app) checkTools() error {
	own := make(map[string]clean.Func, len(a.opts.Cleaners))
	for name, f := range a.opts.Cleaners {
		own[name] = clean.Func(f)
	}
	var err error
	if a.cleaner, err = clean.New(clean.Config{Own: own}); err != nil {
		return fmt.Errorf("build cleaners: %w", err)
	}
	for _, p := range a.cfg.Tools {
		if err := a.cleaner.Check(p); err != nil {
			return fmt.Errorf("configured tool %s: %w", p.Name, err)
		}
	}
	return nil
}

// sources are the inside ids of the events that the facts of ids come from.
func (a *app) sources(ctx context.Context, ids []string) ([]string, error) {
	ps, err := a.points.Get(ctx, a.active(), schema.Facts, ids, false)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, p := range ps {
		out = append(out, schema.MemoryFrom(p.ID, p.Payload).Source.UUID)
	}
	return out, nil
}

// caches drops what the cache holds of points. One that does not answer holds up no forgetting: it remembers what it
// has to make up for, and readers show nothing that a forget event reaches.
type caches struct {
	*redis.Store
	log *slog.Logger
}

func (c caches) Drop(ctx context.Context, generation int, owner string, ids []string) {
	if err := errors.Join(c.Forget(ctx, generation, owner, goneOf(ids)), c.InvalidateStanding(ctx, generation, owner)); err != nil {
		c.log.LogAttrs(ctx, slog.LevelWarn, "the cache of a user will be dropped later", slog.Int(obs.KeyGen, generation), slog.String(obs.KeyError, err.Error()))
	}
}

var _ stages.Sink = (*qdrant.Store)(nil)
