package nats

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/siltstone-ai/siltstone/internal/disk"
)

// Faults of a start that a person must look at; no retry mends them.
var (
	// ErrLocked: another process (or another server of this one) uses the store directory.
	ErrLocked = errors.New("store directory is in use by another server")
	// ErrNotRecovered: a stream stands in the store directory and the server could not read it.
	ErrNotRecovered = errors.New("a stream on disk could not be recovered")
	// ErrNotLoopback: a listen address beyond this machine was asked for.
	ErrNotLoopback = errors.New("the embedded server listens on loopback addresses only")
)

// ServerName is the name under which the embedded server shows itself.
const ServerName = "siltstone-embedded"

const (
	lockName  = "siltstone.lock"
	readyWait = 30 * time.Second // for a start whose context sets no deadline: recovery reads every index
)

// Options of an embedded server. The zero value of every field but StoreDir is the safe one.
type Options struct {
	StoreDir  string       // required; made with mode 0700 where absent
	Listen    string       // "host:port" on a loopback address, port 0 for any; "" opens no listener
	Token     string       // with Listen: what clients must present; "" lets every local program in
	MaxConns  int          // connections, beside those of this process; 0 leaves the server's default, 65536
	MaxStore  int64        // bytes of the file store; 0 or more than fits takes what is free but for a reserve (see Bound)
	MaxMemory int64        // bytes of memory streams; 0 leaves the server's default, ¾ of the machine's memory
	Unsynced  bool         // true acknowledges before fsync: for tests and benchmarks that say so
	Logger    *slog.Logger // nil discards
}

// Server is a running embedded NATS server. Its methods are safe for concurrent use.
type Server struct {
	srv  atomic.Pointer[server.Server] // another one after a Restart
	opts Options
	host string
	port int // of the listener: the one that was found at the first start holds for all of them
	lock *flock.Flock
	log  *slogLogger

	turn    sync.Mutex  // held by Restart, Mend, Scrub and Close
	pausing atomic.Bool // it stands still because it was told to
	closing sync.Once
	closed  bool
}

// Start runs a server and returns once it accepts connections and every stream on disk is there again. It blocks
// until then, until ctx ends, or for at most 30 s where ctx has no deadline.
func Start(ctx context.Context, o Options) (*Server, error) {
	if o.StoreDir == "" {
		return nil, errors.New("start nats: StoreDir is required")
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	host, port, err := listenAddr(o.Listen)
	if err != nil {
		return nil, fmt.Errorf("start nats: %w", err)
	}
	if err := os.MkdirAll(o.StoreDir, 0o700); err != nil {
		return nil, fmt.Errorf("start nats: make store directory: %w", err)
	}
	lock := flock.New(filepath.Join(o.StoreDir, lockName), flock.SetPermissions(0o600))
	switch ok, err := lock.TryLock(); {
	case err != nil:
		return nil, fmt.Errorf("start nats: lock store directory: %w", err)
	case !ok:
		return nil, fmt.Errorf("start nats: %s: %w", o.StoreDir, ErrLocked)
	}
	s := &Server{opts: o, host: host, port: port, lock: lock, log: newSlogLogger(o.Logger)}
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("start nats: %w", err), s.Close())
	}
	return s, nil
}

func (s *Server) start(ctx context.Context) error {
	onDisk, err := streamsOnDisk(s.opts.StoreDir)
	if err != nil {
		return fmt.Errorf("list streams on disk: %w", err)
	}
	srv, err := server.NewServer(&server.Options{
		ServerName:             ServerName,
		Host:                   s.host,
		Port:                   s.port,
		MaxConn:                maxConns(s.opts.MaxConns),
		DontListen:             s.opts.Listen == "",
		Authorization:          s.opts.Token,
		JetStream:              true,
		StoreDir:               s.opts.StoreDir,
		JetStreamMaxStore:      noMaxStore,
		JetStreamMaxMemory:     maxMemory(s.opts.MaxMemory),
		SyncAlways:             !s.opts.Unsynced,
		NoSigs:                 true,
		DisableJetStreamBanner: true,
	})
	if err != nil {
		return err
	}
	srv.SetLoggerV2(s.log, false, false, false)
	s.srv.Store(srv)
	srv.Start()
	if err := s.awaitReady(ctx, srv); err != nil {
		return err
	}
	if at, ok := srv.Addr().(*net.TCPAddr); ok {
		s.port = at.Port
	}
	if err := s.checkRecovered(srv, onDisk); err != nil {
		return err
	}
	if _, err := s.Bound(); err != nil && !errors.Is(err, disk.ErrUnknown) {
		return fmt.Errorf("size the store: %w", err)
	}
	return nil
}

// awaitReady polls in short steps so that a fatal fault, which the server only logs, or the end of ctx is seen at
// once and not after the whole wait.
func (s *Server) awaitReady(ctx context.Context, srv *server.Server) error {
	if _, set := ctx.Deadline(); !set {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, readyWait)
		defer cancel()
	}
	for {
		if f := s.log.fatal(); f != "" {
			return fmt.Errorf("server gave up: %s", f)
		}
		if srv.ReadyForConnections(20 * time.Millisecond) {
			// The fault may have come between the two looks.
			if f := s.log.fatal(); f != "" {
				return fmt.Errorf("server gave up: %s", f)
			}
			if !srv.JetStreamEnabled() {
				return errors.New("JetStream is not enabled")
			}
			return nil
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("wait until the server is ready: %w", err)
		}
	}
}

func (s *Server) checkRecovered(srv *server.Server, onDisk []string) error {
	if len(onDisk) == 0 {
		return nil
	}
	info, err := srv.Jsz(&server.JSzOptions{Accounts: true, Streams: true})
	if err != nil {
		return fmt.Errorf("list recovered streams: %w", err)
	}
	var have []string
	for _, a := range info.AccountDetails {
		for _, st := range a.Streams {
			have = append(have, st.Name)
		}
	}
	var lost []string
	for _, name := range onDisk {
		if !slices.Contains(have, name) {
			lost = append(lost, name)
		}
	}
	if len(lost) > 0 {
		return fmt.Errorf("%s in %s: %w", strings.Join(lost, ", "), s.opts.StoreDir, ErrNotRecovered)
	}
	return nil
}

// streamsOnDisk names the streams of the global account that have a description in dir.
func streamsOnDisk(dir string) ([]string, error) {
	metas, err := filepath.Glob(filepath.Join(globEscape(dir), server.JetStreamStoreDir, "$G", "streams", "*", server.JetStreamMetaFile))
	if err != nil {
		return nil, err
	}
	names := make([]string, len(metas))
	for i, m := range metas {
		names[i] = filepath.Base(filepath.Dir(m))
	}
	return names, nil
}

func globEscape(p string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(p)
}

// Conn opens a connection that stays inside the process, or reaches the same server over TCP where the program
// was given another dialer by opts. It reconnects for ever; opts may override that and the name.
func (s *Server) Conn(opts ...nats.Option) (*nats.Conn, error) {
	base := []nats.Option{
		nats.InProcessServer(s),
		nats.Name("siltstone"),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(250 * time.Millisecond),
	}
	if s.opts.Token != "" {
		base = append(base, nats.Token(s.opts.Token))
	}
	nc, err := nats.Connect("", append(base, opts...)...)
	if err != nil {
		return nil, fmt.Errorf("connect to embedded nats: %w", err)
	}
	return nc, nil
}

// InProcessConn implements nats.InProcessConnProvider: clients find the server that runs now, also after a Restart.
func (s *Server) InProcessConn() (net.Conn, error) {
	srv := s.srv.Load()
	if srv == nil || !srv.Running() {
		return nil, errors.New("the embedded nats is not running")
	}
	return srv.InProcessConn()
}

// URL is where the listener is, "" where there is none.
func (s *Server) URL() string {
	if s.opts.Listen == "" {
		return ""
	}
	return s.srv.Load().ClientURL()
}

// Close stops the server: clients are told to go, streams are flushed and closed, the directory is released. It
// blocks until that is done and may be called again.
func (s *Server) Close() error {
	var err error
	s.closing.Do(func() {
		s.turn.Lock()
		defer s.turn.Unlock()
		s.closed = true
		s.shutdown()
		if uerr := s.lock.Unlock(); uerr != nil {
			err = fmt.Errorf("release nats store directory: %w", uerr)
		}
	})
	return err
}

func (s *Server) shutdown() {
	if srv := s.srv.Load(); srv != nil {
		srv.Shutdown()
		srv.WaitForShutdown()
	}
}

// ownConns is room for the connections of this process, which the server counts, too.
const ownConns = 24

func maxConns(n int) int {
	if n <= 0 {
		return 0
	}
	return n + ownConns
}

func maxMemory(n int64) int64 {
	if n <= 0 {
		return -1 // the server's way to say: find out
	}
	return n
}

// listenAddr splits addr and refuses what is not loopback. A name other than localhost is refused too: what it
// resolves to may change.
func listenAddr(addr string) (host string, port int, err error) {
	if addr == "" {
		return "127.0.0.1", server.RANDOM_PORT, nil
	}
	host, p, err := net.SplitHostPort(addr)
	if err != nil {
		return "", 0, fmt.Errorf("listen address %q: %w", addr, err)
	}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return "", 0, fmt.Errorf("listen address %q: %w", addr, ErrNotLoopback)
	}
	n, err := strconv.ParseUint(p, 10, 16)
	if err != nil {
		return "", 0, fmt.Errorf("listen address %q: bad port: %w", addr, err)
	}
	if n == 0 {
		return host, server.RANDOM_PORT, nil
	}
	return host, int(n), nil
}
