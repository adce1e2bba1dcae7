package embedded

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"sync"

	natsgo "github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"

	"github.com/siltstone-ai/siltstone/internal/embedded/nats"
	"github.com/siltstone-ai/siltstone/internal/embedded/redis"
)

// Options of an embedded stack. The zero value of every field but Dir is the safe one.
type Options struct {
	Dir    string // data directory, required; made with mode 0700 where absent
	Listen Listen // what is to be reached from other processes of this machine
	// Secrets fills in the secrets of Listen from what the data directory keeps; nil draws them anew. It is called once
	// the directory is this stack's alone.
	Secrets func(*Listen) error
	Logger  *slog.Logger // nil discards

	MaxConns int   // connections to each listener; 0 for no bound
	MaxStore int64 // bytes of the streams; 0 takes what is free but for a reserve
	// Unsynced acknowledges appends before they are on disk: for tests and benchmarks that say so. A power cut then
	// loses them.
	Unsynced bool
}

// Listen asks for listeners: "host:port" on a loopback address, port 0 for any; "" for none. Each has its secret,
// drawn where it is "".
type Listen struct {
	NATS, NATSToken      string
	Redis, RedisPassword string
	Qdrant, QdrantAPIKey string
}

// Addresses are where the listeners are, "" for those not asked for, and what they want to hear.
type Addresses struct {
	NATS, NATSToken      string // "nats://host:port"
	Redis, RedisPassword string // "host:port"
	Qdrant, QdrantAPIKey string // "host:port" of gRPC, plaintext
}

// Stack is the running servers. Its methods are safe for concurrent use.
type Stack struct {
	lock    *dirLock
	nats    *nats.Server
	redis   *redis.Server
	vectors *vectors
	guard   *guard
	addrs   Addresses

	closing sync.Once
}

// Start runs the servers and returns once all of them answer and everything on disk is loaded. It blocks until then
// or until ctx ends; ctx has no part in what follows.
func Start(ctx context.Context, o Options) (*Stack, error) {
	if o.Dir == "" {
		return nil, errors.New("start embedded servers: Dir is required")
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	lock, err := lockDir(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("start embedded servers: %w", err)
	}
	s := &Stack{lock: lock}
	if err := s.run(ctx, o); err != nil {
		return nil, errors.Join(fmt.Errorf("start embedded servers: %w", err), s.Close())
	}
	return s, nil
}

func (s *Stack) run(ctx context.Context, o Options) error {
	if o.Secrets != nil && o.Listen != (Listen{}) {
		if err := o.Secrets(&o.Listen); err != nil {
			return err
		}
	}
	for addr, secret := range map[*string]*string{
		&o.Listen.NATS: &o.Listen.NATSToken, &o.Listen.Redis: &o.Listen.RedisPassword, &o.Listen.Qdrant: &o.Listen.QdrantAPIKey,
	} {
		if *addr != "" && *secret == "" {
			*secret = rand.Text()
		}
	}
	return s.start(ctx, o)
}

func (s *Stack) start(ctx context.Context, o Options) error {
	var g errgroup.Group // both read their whole state: side by side
	g.Go(func() (err error) {
		s.nats, err = nats.Start(ctx, nats.Options{
			StoreDir: filepath.Join(o.Dir, "nats"), Listen: o.Listen.NATS, Token: o.Listen.NATSToken,
			MaxConns: o.MaxConns, MaxStore: o.MaxStore, Unsynced: o.Unsynced, Logger: o.Logger,
		})
		return err
	})
	g.Go(func() (err error) {
		s.vectors, err = startVectors(filepath.Join(o.Dir, VectorsDir), o.Listen.Qdrant, o.Listen.QdrantAPIKey, o.MaxConns, o.Logger)
		return err
	})
	if err := g.Wait(); err != nil {
		return err
	}
	var err error
	if s.redis, err = redis.Start(redis.Options{Listen: o.Listen.Redis, Password: o.Listen.RedisPassword, MaxConns: o.MaxConns, Logger: o.Logger}); err != nil {
		return err
	}
	if s.guard, err = newGuard(o.Dir, o.Logger.With("component", "disk"), s.nats, s.vectors); err != nil {
		return err
	}
	s.addrs = Addresses{
		NATS: s.nats.URL(), NATSToken: o.Listen.NATSToken,
		Redis: s.redis.Addr(), RedisPassword: o.Listen.RedisPassword,
		Qdrant: s.vectors.addr(), QdrantAPIKey: o.Listen.QdrantAPIKey,
	}
	return nil
}

// NATS opens a connection inside the process. It reconnects for ever; opts may override that and its name.
func (s *Stack) NATS(opts ...natsgo.Option) (*natsgo.Conn, error) { return s.nats.Conn(opts...) }

// DialRedis opens a connection inside the process, to present RedisPassword on; network and address are ignored.
func (s *Stack) DialRedis(ctx context.Context, network, addr string) (net.Conn, error) {
	return s.redis.Dial(ctx, network, addr)
}

// RedisPassword is what every client of the Redis must present, inside the process too.
func (s *Stack) RedisPassword() string { return s.redis.Password() }

// DialQdrant opens a connection inside the process for gRPC without TLS and without a key; the address is ignored.
func (s *Stack) DialQdrant(ctx context.Context, _ string) (net.Conn, error) {
	return s.vectors.pipe.DialContext(ctx)
}

// Addresses are where the listeners are.
func (s *Stack) Addresses() Addresses { return s.addrs }

// Close stops the servers and releases the data directory: calls under way may finish for some seconds, then the
// stores are closed, the streams last. Clients should have been closed before. It may be called again.
func (s *Stack) Close() error {
	var errs []error
	s.closing.Do(func() {
		if s.guard != nil {
			s.guard.close()
		}
		if s.vectors != nil {
			errs = append(errs, s.vectors.close())
		}
		if s.redis != nil {
			errs = append(errs, s.redis.Close())
		}
		if s.nats != nil {
			errs = append(errs, s.nats.Close())
		}
		errs = append(errs, s.lock.release())
		if s.guard != nil && errors.Is(s.guard.fault, ErrLost) { // has been told, and all of these follow from it
			errs = nil
		}
	})
	return errors.Join(errs...)
}

// Compact has the files of the stores hold nothing that was deleted before the call. It blocks. The vector store answers
// meanwhile; then the streams do not for a moment, and memory streams are gone as after a restart.
func (s *Stack) Compact(ctx context.Context) error {
	if err := s.vectors.store.Compact(ctx); err != nil {
		return fmt.Errorf("compact vector store: %w", err)
	}
	if err := s.nats.Scrub(ctx); err != nil {
		return fmt.Errorf("compact streams: %w", err)
	}
	return nil
}
