package natsapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
	"go.opentelemetry.io/otel/trace"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Config is what the edge serves. A nil port leaves its service out: a process may hold the write side, the read side,
// or both.
type Config struct {
	Version  string               // SemVer of the services' contract
	Queries  int                  // queries worked on at once; beyond it the answer is an overload error, never a queue
	Requests int                  // requests worked on at once by each of the other services
	Bytes    int64                // bytes of the bodies worked on at once, of all services; 0: 64 MiB
	MaxTurn  int64                // bytes of one turn whose body is claimed; 0: 16 MiB
	Timeout  time.Duration        // time limit of a request, waiting for the index included; 0: 30 s
	Logger   *slog.Logger         // nil: no log
	Tracer   trace.TracerProvider // nil traces nothing

	Publisher Publisher
	Querier   Querier
	Forgetter Forgetter
	Archiver  Archiver
	Status    Status
	Claims    Claims // nil: turns come in messages only
}

// Server is the running services. The services API calls a handler for one request at a time, so the handler here
// hands each on to a goroutine, up to a bound.
type Server struct {
	Config

	nc      *nats.Conn
	running []*running
	used    atomic.Int64 // bytes of the bodies worked on
	ctx     context.Context
	cancel  context.CancelFunc

	mu     sync.Mutex
	closed bool
	wg     sync.WaitGroup // requests at work
}

// running is one service at work.
type running struct {
	service
	svc   micro.Service
	open  chan struct{} // requests taken, those that only wait for the index among them
	slots chan struct{} // requests worked on

	own, tenants counts // of the operator's account, and of the tenants' ones
}

// tenantEndpoint is where requests of other accounts arrive: the server has put the account's token, which is the
// tenant's, into the subject.
const tenantEndpoint = "tenant"

// at are the counts of an endpoint.
func (r *running) at(endpoint string) *counts {
	if endpoint == tenantEndpoint {
		return &r.tenants
	}
	return &r.own
}

// Serve registers a service for every port of cfg, each in a queue group of its own name, so that any number of
// processes share the requests, and returns once the server knows them. nc belongs to the services alone: [Server.Close]
// waits until its subscriptions are gone. It does not close nc.
func Serve(nc *nats.Conn, cfg Config) (*Server, error) {
	if cfg.Queries < 1 || cfg.Requests < 1 {
		return nil, errors.New("serve NATS: Queries and Requests must be at least 1")
	}
	if cfg.Bytes == 0 {
		cfg.Bytes = 64 << 20
	}
	if cfg.MaxTurn == 0 {
		cfg.MaxTurn = 16 << 20
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = 30 * time.Second
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{Config: cfg, nc: nc}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	for _, line := range services {
		if !line.has(&s.Config) {
			continue
		}
		if err := s.add(line); err != nil {
			return nil, fmt.Errorf("add service %s: %w", line.name, errors.Join(err, s.stop()))
		}
	}
	if err := nc.Flush(); err != nil { // the server knows the subscriptions from here on
		return nil, fmt.Errorf("serve NATS: %w", errors.Join(err, s.stop()))
	}
	return s, nil
}

func (s *Server) add(line service) error {
	n := s.Requests
	if line.name == "silt-query" {
		n = s.Queries
	}
	r := &running{service: line, open: make(chan struct{}, n*waitersPerSlot), slots: make(chan struct{}, n)}
	handler := func(endpoint string) micro.Handler {
		return micro.HandlerFunc(func(q micro.Request) { s.take(r, r.at(endpoint), q) })
	}
	about := map[string]string{"request": line.request, "reply": line.reply}
	var err error
	r.svc, err = micro.AddService(s.nc, micro.Config{
		Name: line.name, Version: s.Version, QueueGroup: line.name, Description: line.about,
		Endpoint:     &micro.EndpointConfig{Subject: line.subject, Handler: handler(""), Metadata: about},
		StatsHandler: func(e *micro.Endpoint) any { return r.at(e.Name).stats() },
		ErrorHandler: func(_ micro.Service, e *micro.NATSError) {
			s.Logger.LogAttrs(s.ctx, slog.LevelError, "NATS service", slog.String("service", line.name), slog.String("subject", e.Subject), slog.String(obs.KeyError, e.Error()))
		},
	})
	if err != nil {
		return err
	}
	s.running = append(s.running, r)
	return r.svc.AddEndpoint(tenantEndpoint, handler(tenantEndpoint), micro.WithEndpointSubject(line.subject+".*"), micro.WithEndpointMetadata(about))
}

// stop takes no further requests.
func (s *Server) stop() error {
	var errs []error
	for _, r := range s.running {
		errs = append(errs, r.svc.Stop())
	}
	return errors.Join(errs...)
}

// waitersPerSlot is how many requests may be open for one that is worked on: the others wait for the index.
const waitersPerSlot = 4

// drainPoll is how often Close looks whether the library has handed on what it had received.
const drainPoll = 2 * time.Millisecond

// Close stops taking requests, waits until all that were received are answered, or until ctx ends, and then cancels
// those still at work.
func (s *Server) Close(ctx context.Context) error {
	err := s.stop()
	tick := time.NewTicker(drainPoll)
	defer tick.Stop()
	for s.nc.IsConnected() && s.nc.NumSubscriptions() > 0 && ctx.Err() == nil {
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	done := make(chan struct{})
	go func() { s.wg.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
		err = errors.Join(err, ctx.Err())
	}
	s.cancel()
	if s.nc.IsConnected() { // the answers are with the server before the connection may go
		if _, ok := ctx.Deadline(); ok && ctx.Err() == nil {
			err = errors.Join(err, s.nc.FlushWithContext(ctx))
		} else {
			err = errors.Join(err, s.nc.FlushTimeout(time.Second))
		}
	}
	return err
}

func overloaded() error {
	return &schema.Error{Code: schema.CodeOverloaded, Message: "too many requests at once; try again", Retry: true}
}

// take hands a request on, or refuses it at once.
func (s *Server) take(r *running, c *counts, q micro.Request) {
	req := newRequest(r, c, q)
	if !enter(r.open) {
		s.refuse(req, overloaded())
		return
	}
	if !enter(r.slots) {
		<-r.open
		s.refuse(req, overloaded())
		return
	}
	c.working.Add(1)
	req.leave = sync.OnceFunc(func() { s.less(req); req.body = nil; c.working.Add(-1); <-r.slots })
	if !s.more(req, int64(len(req.body))) {
		req.leave()
		<-r.open
		s.refuse(req, overloaded())
		return
	}
	if !s.begin() {
		req.leave()
		<-r.open
		s.refuse(req, schema.Retryable(schema.CodeUnavailable, 0, nil, "this server is stopping; try again"))
		return
	}
	subject := q.Subject()
	go func() {
		defer s.wg.Done()
		defer func() { req.leave(); <-r.open }()
		start := time.Now()
		s.answer(req, subject)
		c.times.add(time.Since(start))
	}()
}

// enter takes a place where one is free.
func enter(places chan struct{}) bool {
	select {
	case places <- struct{}{}:
		return true
	default:
		return false
	}
}

// begin counts a request in, unless the server has closed.
func (s *Server) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.wg.Add(1)
	}
	return !s.closed
}

// more takes n bytes of the budget; false where they are not left. One request alone may always have them.
func (s *Server) more(r *request, n int64) bool {
	at := s.used.Add(n)
	if at > s.Bytes && at > n+r.bytes {
		s.used.Add(-n)
		return false
	}
	r.bytes += n
	return true
}

func (s *Server) less(r *request) { s.used.Add(-r.bytes) }

// refuse answers at once.
func (s *Server) refuse(r *request, err error) {
	r.counts.over.Add(1)
	s.send(r, s.refusal(s.ctx, r, err))
}
