package qdrantd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// What HealthCheck answers: an honest name, and the version of Qdrant whose protocol is spoken, for the client's
// compatibility check.
const (
	Title   = "siltstone qdrantd"
	Version = "1.18.0"
)

// MaxMessage is the size in bytes of the largest request that Serve takes. Answers are not limited; a client has its
// own limit for them (4 MiB by default in gRPC for Go).
const MaxMessage = 64 << 20

// Options of a Server. The zero value is good.
type Options struct {
	Logger *slog.Logger // nil: nothing is logged
}

// Server is a vector store over one directory. It is safe for concurrent use.
type Server struct {
	store *store
	log   *slog.Logger

	mu          sync.RWMutex
	collections map[string]*collection
	next        uint64
	closed      atomic.Bool

	serving sync.Mutex
	grpc    []*grpc.Server
	gate    sync.RWMutex // held by Close to let no call in
}

// Open reads the state under dir, which is made where it is missing (mode 0700), into memory. It blocks until all is
// loaded. It is an error if another process has dir open, and if a record is damaged: nothing is served then, and
// nothing skipped.
func Open(dir string, opts Options) (*Server, error) {
	log := opts.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make data directory: %w", err)
	}
	start := time.Now()
	st, err := openStore(dir, log)
	if err != nil {
		return nil, err
	}
	var found map[string]*collection
	var next uint64
	if err := st.end.await(func() (err error) { found, next, err = st.load(); return err }); err != nil {
		return nil, errors.Join(fmt.Errorf("load %s: %w", dir, err), st.end.await(st.close))
	}
	points := 0
	for _, c := range found {
		points += len(c.where)
	}
	log.Info("vector store loaded", "collections", len(found), "points", points, "took", time.Since(start))
	return &Server{store: st, log: log, collections: found, next: next}, nil
}

// Register adds the services to a gRPC server of the caller's, who must allow for large
// messages (MaxMessage) and for pings every 10 s.
func (s *Server) Register(r grpc.ServiceRegistrar) {
	qdrant.RegisterQdrantServer(r, &healthService{s: s})
	qdrant.RegisterCollectionsServer(r, &collectionsService{s: s})
	qdrant.RegisterPointsServer(r, &pointsService{s: s})
	qdrant.RegisterSnapshotsServer(r, qdrant.UnimplementedSnapshotsServer{})
}

// Serve answers on lis until Close, or until lis fails. It blocks, and returns nil after Close. It may be called for
// several listeners.
func (s *Server) Serve(lis net.Listener) error {
	g := grpc.NewServer(
		grpc.MaxRecvMsgSize(MaxMessage),
		// The official client pings every 10 s; a server that keeps gRPC's default allows one in five minutes and hangs up.
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: time.Second, PermitWithoutStream: true}),
		grpc.InitialWindowSize(4<<20), grpc.InitialConnWindowSize(8<<20), // batches of vectors come in one go
	)
	s.Register(g)
	s.serving.Lock()
	if s.closed.Load() {
		s.serving.Unlock()
		return lis.Close()
	}
	s.grpc = append(s.grpc, g)
	s.serving.Unlock()
	if err := g.Serve(lis); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// graceful is how long Close lets calls finish before it cuts them off.
const graceful = 5 * time.Second

// Close stops serving, waits for the calls under way and closes the store. Nothing of what was acknowledged is lost.
// A second call does nothing.
func (s *Server) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.serving.Lock()
	servers := s.grpc
	s.serving.Unlock()
	for _, g := range servers {
		hard := time.AfterFunc(graceful, g.Stop)
		g.GracefulStop()
		hard.Stop()
	}
	err := s.store.end.await(func() error {
		s.gate.Lock() // whoever registered the services elsewhere may still be inside
		defer s.gate.Unlock()
		return s.store.close()
	})
	if err != nil {
		return fmt.Errorf("close store: %w", err)
	}
	return nil
}

// Compact has the files hold nothing that was deleted or written over before the call. It blocks; calls go on meanwhile, but
// for a moment at its end in which writes wait. Close waits for it.
func (s *Server) Compact(ctx context.Context) error {
	return s.store.end.await(func() error {
		s.gate.RLock()
		defer s.gate.RUnlock()
		if s.closed.Load() {
			return errClosed
		}
		return s.store.compact(ctx)
	})
}

// Dead is closed once the store cannot go on: its log cannot be written, or its files are gone from under it. Calls
// that need it hang from then on, and the process is to end. What was acknowledged is in the files that are left.
func (s *Server) Dead() <-chan struct{} { return s.store.end.dead }

// Err is why the store cannot go on, nil while it does.
func (s *Server) Err() error { return s.store.end.err() }

// enter begins a call: it refuses what the server does not know and keeps Close waiting until leave.
func (s *Server) enter(req proto.Message) (leave func(), err error) {
	s.gate.RLock()
	if s.closed.Load() {
		s.gate.RUnlock()
		return nil, errClosed
	}
	if err := s.store.end.err(); err != nil {
		s.gate.RUnlock()
		return nil, status.Error(codes.Unavailable, "Service runtime error: "+err.Error())
	}
	if err := refuse(req); err != nil {
		s.gate.RUnlock()
		return nil, err
	}
	return s.gate.RUnlock, nil
}

func (s *Server) collection(name string) (*collection, error) {
	if name == "" || len(name) > 255 {
		return nil, invalid("Validation error in body: [collection_name: length must be from 1 to 255]")
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if c := s.collections[name]; c != nil {
		return c, nil
	}
	return nil, noCollection(name)
}

// limited is ctx with the timeout of a request, in seconds.
func limited(ctx context.Context, timeout *uint64) (context.Context, context.CancelFunc, error) {
	if timeout == nil {
		return ctx, func() {}, nil
	}
	if *timeout == 0 {
		return nil, nil, invalid("Validation error in body: [timeout: must be greater than or equal to 1]")
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(min(*timeout, 1<<30))*time.Second)
	return ctx, cancel, nil
}

// ctxStatus turns the error of a context into a status; others pass.
func ctxStatus(err error) error {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return status.Error(codes.DeadlineExceeded, "Timeout error: the request's time is over")
	case errors.Is(err, context.Canceled):
		return status.Error(codes.Canceled, "Operation Cancelled: the request was cancelled")
	}
	return err
}

type healthService struct {
	qdrant.UnimplementedQdrantServer
	s *Server
}

// HealthCheck implements qdrant.QdrantServer.
func (h *healthService) HealthCheck(_ context.Context, req *qdrant.HealthCheckRequest) (*qdrant.HealthCheckReply, error) {
	leave, err := h.s.enter(req)
	if err != nil {
		return nil, err
	}
	defer leave()
	return &qdrant.HealthCheckReply{Title: Title, Version: Version}, nil
}
