package httpapi

import (
	"errors"
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
	Addr     string
	Hosts    []string // Host names answered beside loopback ones
	MaxTurn  int      // bytes
	MaxBatch int      // bytes
	MaxOpen  int      // requests under /v1/ worked on at once
	Logger   *slog.Logger
	Health   *obs.Health
	Auth     Authenticator // nil: no route needs a credential
	Metrics  http.Handler
	Wrap     func(http.Handler) http.Handler // put right around the routes, within the guard; nil for nothing

	Publisher Publisher
	Querier   Querier
	Events    Events
	Forgetter Forgetter
	Status    Status
	Tools     Tools
	Settings  Settings

	MemoryReader MemoryReader
	MemoryWriter MemoryWriter
	Pinner       Pinner
}

type server struct{ Config }

// New returns the edge as an http.Handler. Safe for concurrent use.
func New(cfg Config) (http.Handler, error) { return newHandler(cfg, routes) }

func newHandler(cfg Config, table []route) (http.Handler, error) {
	if cfg.Logger == nil || cfg.Health == nil || cfg.MaxTurn <= 0 || cfg.MaxBatch < cfg.MaxTurn || cfg.MaxOpen <= 0 {
		return nil, errors.New("new HTTP edge: Logger, Health, MaxTurn, MaxBatch (at least MaxTurn) and MaxOpen are required")
	}
	cfg.Hosts = slices.Clone(cfg.Hosts)
	for i, h := range cfg.Hosts {
		cfg.Hosts[i] = strings.ToLower(h)
	}
	s := &server{cfg}
	mux := http.NewServeMux()
	for _, rt := range table {
		if rt.has(&s.Config) {
			mux.HandleFunc(rt.method+" "+rt.path, s.only(rt))
		}
	}
	mux.HandleFunc("/", s.notFound)
	if cfg.Wrap == nil {
		return s.guard(mux), nil
	}
	return s.guard(cfg.Wrap(mux)), nil
}

// NewServer wraps a handler in the timeouts that keep slow clients from holding connections.
func NewServer(h http.Handler, logger *slog.Logger) *http.Server {
	return &http.Server{
		Handler: h, DisableGeneralOptionsHandler: true, // "OPTIONS *" passes the guard as everything does
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, WriteTimeout: 5 * time.Minute,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
}
