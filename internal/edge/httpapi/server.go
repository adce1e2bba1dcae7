package httpapi

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/siltstone-ai/siltstone/internal/obs"
)

// Config is what the edge serves. A nil port leaves its routes out (404): a process may hold the write side, the
// read side, or both.
type Config struct {
	Addr         string
	Hosts        []string      // Host names answered beside loopback ones
	MaxTurn      int           // bytes
	MaxBatch     int           // bytes
	MaxOpen      int           // requests under /v1/ worked on at once; readersPerSlot times as many may be open
	MaxBuffer    int           // bytes of bodies in memory at once, at least two turns; 0 means six
	ReadTimeout  time.Duration // of routes that read; 0 means 5 s
	WriteTimeout time.Duration // of routes that write, and of each piece of a batch; 0 means 20 s
	Logger       *slog.Logger
	Health       *obs.Health
	Auth         Authenticator // nil: no route needs a credential
	Metrics      http.Handler
	Wrap         func(http.Handler) http.Handler // put right around the routes, within the guard; nil for nothing
	Refuse       func() error                    // what every route under /v1/ that has no port answers; nil: that another role has it

	Publisher Publisher
	Querier   Querier
	Events    Events
	Forgetter Forgetter
	Archiver  Archiver
	Status    Status
	Tools     Tools
	Settings  Settings
	Replayer  Replayer
	Switcher  Switcher
	Jobs      Jobs
	Dead      DeadLetters
	Auditor   Auditor
	Keeper    LogKeeper
	Eraser    Eraser

	MemoryReader MemoryReader
	MemoryWriter MemoryWriter
	Pinner       Pinner
}

type server struct {
	Config
	bounds  bounds
	openapi []byte // the document of what is served
}

// New returns the edge as an http.Handler. Safe for concurrent use.
func New(cfg Config) (http.Handler, error) { return newHandler(cfg, routes) }

func newHandler(cfg Config, table []route) (http.Handler, error) {
	s, err := newServer(cfg)
	if err != nil {
		return nil, fmt.Errorf("new HTTP edge: %w", err)
	}
	return s.root(table), nil
}

// Bounds of a configuration that names none.
const (
	bufferTurns         = 6 // turns that bodies in memory may fill
	defaultReadTimeout  = 5 * time.Second
	defaultWriteTimeout = 20 * time.Second
)

func newServer(cfg Config) (*server, error) {
	cfg.MaxBuffer = cmp.Or(cfg.MaxBuffer, bufferTurns*cfg.MaxTurn)
	cfg.ReadTimeout, cfg.WriteTimeout = cmp.Or(cfg.ReadTimeout, defaultReadTimeout), cmp.Or(cfg.WriteTimeout, defaultWriteTimeout)
	if cfg.Logger == nil || cfg.Health == nil || cfg.MaxTurn <= 0 || cfg.MaxBatch < cfg.MaxTurn || cfg.MaxOpen <= 0 || cfg.MaxBuffer < 2*cfg.MaxTurn {
		return nil, errors.New("a Logger, Health, MaxTurn, MaxBatch (at least MaxTurn) and MaxOpen are required, and a MaxBuffer is at least twice MaxTurn")
	}
	cfg.Hosts = slices.Clone(cfg.Hosts)
	for i, h := range cfg.Hosts {
		cfg.Hosts[i] = strings.ToLower(h)
	}
	doc, err := served(&cfg)
	if err != nil {
		return nil, err
	}
	s := &server{Config: cfg, openapi: doc, bounds: bounds{
		open: make(places, cfg.MaxOpen*readersPerSlot), work: make(places, cfg.MaxOpen), bytes: newBudget(cfg.MaxBuffer, cfg.MaxTurn),
	}}
	for _, rt := range routes {
		if _, ok := operations[rt.name()]; !ok {
			return nil, fmt.Errorf("%s has no description", rt.name())
		}
	}
	return s, nil
}

// root is everything a request passes.
func (s *server) root(table []route) http.Handler {
	mux := http.NewServeMux()
	methods := map[string][]string{}
	for _, rt := range table {
		if !rt.has(&s.Config) {
			if strings.HasPrefix(rt.path, "/v1/") {
				mux.HandleFunc(rt.name(), s.elsewhere(rt))
			}
			continue
		}
		mux.HandleFunc(rt.name(), s.only(rt, s.handler(rt, operations[rt.name()])))
		methods[rt.path] = append(methods[rt.path], rt.method)
	}
	for path, ms := range methods {
		mux.HandleFunc(path, s.wrongMethod(ms))
	}
	mux.HandleFunc("/", s.notFound)
	if s.Wrap == nil {
		return s.guard(mux)
	}
	return s.guard(s.Wrap(mux))
}

// NewServer wraps a handler in the timeouts that keep slow clients from holding connections.
func NewServer(h http.Handler, logger *slog.Logger) *http.Server {
	return &http.Server{
		Handler: h, DisableGeneralOptionsHandler: true, // "OPTIONS *" passes the guard as everything does
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, WriteTimeout: 5 * time.Minute,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
}
