package redis

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
	"golang.org/x/net/netutil"
	"google.golang.org/grpc/test/bufconn"
)

// ErrNotLoopback: a listen address beyond this machine was asked for.
var ErrNotLoopback = errors.New("the embedded server listens on loopback addresses only")

const (
	// DefaultMaxKeys is how many keys the server holds before it drops them all.
	DefaultMaxKeys = 200_000

	tick      = time.Second
	tickShare = 50 // a pass of the clock over all keys may take 1/50 of the time

	// Bytes each way of a connection inside the process. A client that writes more than this in one pipeline while
	// the replies exceed it too would wait for the server and the server for it.
	pipeBuffer = 256 << 10
)

// Options of an embedded Redis. The zero value is the safe one.
type Options struct {
	Listen   string       // "host:port" on a loopback address, port 0 for any; "" opens no listener
	Password string       // what clients must present; "" draws a random one
	MaxConns int          // connections to the listener; 0 for no bound
	MaxKeys  int          // 0 takes DefaultMaxKeys
	Logger   *slog.Logger // nil discards
}

// Server is a running embedded Redis. Its methods are safe for concurrent use.
type Server struct {
	m        *miniredis.Miniredis
	pipe     *bufconn.Listener
	port     net.Listener // nil where none listens
	password string
	maxKeys  int
	log      *slog.Logger

	stop    chan struct{}
	work    sync.WaitGroup
	closing sync.Once
}

// Start runs an empty server. It does not block.
func Start(o Options) (*Server, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.MaxKeys <= 0 {
		o.MaxKeys = DefaultMaxKeys
	}
	if o.Password == "" {
		o.Password = rand.Text()
	}
	s := &Server{
		m: miniredis.NewMiniRedis(), pipe: bufconn.Listen(pipeBuffer), password: o.Password,
		maxKeys: o.MaxKeys, log: o.Logger.With("component", "redis"), stop: make(chan struct{}),
	}
	s.m.RequireAuth(o.Password)
	if err := s.listen(o.Listen, o.MaxConns); err != nil {
		return nil, fmt.Errorf("start redis: %w", err)
	}
	s.work.Go(func() { s.accept(s.pipe) })
	if s.port != nil {
		s.work.Go(func() { s.accept(s.port) })
	}
	s.work.Go(s.clock)
	return s, nil
}

func (s *Server) listen(addr string, maxConns int) error {
	if addr != "" {
		host, _, err := net.SplitHostPort(addr)
		if err != nil {
			return fmt.Errorf("listen address %q: %w", addr, err)
		}
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return fmt.Errorf("listen address %q: %w", addr, ErrNotLoopback)
		}
		if s.port, err = net.Listen("tcp", addr); err != nil {
			return err
		}
		if maxConns > 0 {
			s.port = netutil.LimitListener(s.port, maxConns)
		}
	}
	// The library starts without a listener on its first Dial only. Its own in-memory connections are net.Pipes:
	// unbuffered, so that a pipeline and its replies can wait for each other. Ours are buffered.
	c, err := s.m.Dial()
	if err != nil {
		return err
	}
	return c.Close()
}

// acceptAgain is the pause after a connection that could not be taken, for want of a descriptor say.
const acceptAgain = 100 * time.Millisecond

func (s *Server) accept(l net.Listener) {
	srv := s.m.Server()
	for {
		c, err := l.Accept()
		if err == nil {
			srv.ServeConn(c)
			continue
		}
		select {
		case <-s.stop:
			return
		case <-time.After(acceptAgain):
		}
	}
}

// clock pushes the server's time by what really passed.
func (s *Server) clock() {
	last := time.Now()
	timer := time.NewTimer(tick)
	defer timer.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-timer.C:
		}
		now := time.Now()
		s.m.FastForward(now.Sub(last))
		last = now
		s.bound()
		timer.Reset(max(tick, tickShare*time.Since(now)))
	}
}

func (s *Server) bound() {
	if n := len(s.m.DB(0).Keys()); n > s.maxKeys {
		s.m.FlushAll()
		s.log.Warn("cache dropped: too many keys", "keys", n, "max", s.maxKeys)
	}
}

// Dial opens a connection inside the process. Network and address are ignored: it fits a client's dialer option.
func (s *Server) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	return s.pipe.DialContext(ctx)
}

// Addr is the listener's "host:port", "" where there is none.
func (s *Server) Addr() string {
	if s.port == nil {
		return ""
	}
	return s.port.Addr().String()
}

// Password is what every client must present, inside the process too.
func (s *Server) Password() string { return s.password }

// Close ends every connection and drops everything. It may be called again.
func (s *Server) Close() error {
	var err error
	s.closing.Do(func() {
		close(s.stop)
		err = s.pipe.Close()
		if s.port != nil {
			err = errors.Join(err, s.port.Close())
		}
		s.work.Wait() // before the library's Close: no connection may be handed to a closed server
		s.m.Close()
	})
	return err
}
