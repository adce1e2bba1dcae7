package redis

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Options of a store. The zero value of every field but URL is a sensible one.
type Options struct {
	// URL of the server: "redis://[user:password@]host:port[/db]", or "rediss://…" for TLS. Required unless Dial is set.
	URL string
	TLS *tls.Config // with rediss; nil means TLS 1.2 and the system's roots

	Password string // instead of one in the URL
	// Dial opens connections instead of the network, for the embedded server.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)

	PoolSize int           // connections at most; 0 means 32
	Timeout  time.Duration // of any call, below its context's deadline; 0 means 1 s: it is a cache

	Rest time.Duration // how long a server that did not answer is left alone; 0 means 500 ms

	TTL       time.Duration // how long standing memories are served as fresh; 0 means 10 min
	CountsTTL time.Duration // how long document counts live; 0 means 1 min
	KeepTTL   time.Duration // how long recent items and last accesses of an idle user live; 0 means 90 days
	RecentCap int           // recent items of a user; 0 means 200

	// Fresh makes all standing memories cached before void at the first call that reaches the server. A process that
	// invalidates sets it, so that invalidations that died with its predecessor are made up for.
	Fresh  bool
	Logger *slog.Logger // nil discards
}

// Store is the cache. It is safe for concurrent use.
type Store struct {
	c       *redis.Client
	o       Options
	pending *pending
	gate    gate
	log     *slog.Logger
}

// quiet stops the client library from writing to standard error by a logger of its own, process-wide, at every
// failed connection. Each failure is in the error that the call returns.
var quiet = sync.OnceFunc(logging.Disable)

// New makes a store. It validates o and does not touch the network.
func New(o Options) (*Store, error) {
	quiet()
	ro, err := clientOptions(&o)
	if err != nil {
		return nil, err
	}
	s := &Store{c: redis.NewClient(ro), o: o, pending: newPending(o.Fresh), log: o.Logger}
	return s, nil
}

func clientOptions(o *Options) (*redis.Options, error) {
	ro := &redis.Options{Addr: "embedded:0"}
	if o.URL != "" || o.Dial == nil {
		var err error
		if ro, err = redis.ParseURL(o.URL); err != nil || ro.Network == "tcp" && !port(ro.Addr) {
			// The library's own error quotes the URL, and a password with it.
			return nil, schema.Invalid("url", "must look like redis://host:6379 or rediss://host:6379")
		}
		if ro.TLSConfig != nil && o.TLS != nil {
			ro.TLSConfig = o.TLS
		}
	}
	ro.Dialer = o.Dial
	if o.Password != "" {
		ro.Password = o.Password
	}
	def(&o.PoolSize, 32)
	def(&o.Timeout, time.Second)
	def(&o.Rest, 500*time.Millisecond)
	def(&o.TTL, 10*time.Minute)
	def(&o.CountsTTL, time.Minute)
	def(&o.KeepTTL, 90*24*time.Hour)
	def(&o.RecentCap, 200)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	ro.ClientName = "siltstone"
	// A feature of one vendor's cloud, for which the client would look the host up in the DNS while it is made.
	ro.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	ro.ContextTimeoutEnabled = true // without it a deadline does not interrupt a read under way
	ro.PoolSize, ro.MaxActiveConns = o.PoolSize, o.PoolSize
	ro.DialTimeout, ro.ReadTimeout, ro.WriteTimeout, ro.PoolTimeout = o.Timeout, o.Timeout, o.Timeout, o.Timeout
	ro.DialerRetries = 1 // its own five tries at 100 ms would be waited for by every caller
	ro.MaxRetries = 2
	ro.MinRetryBackoff, ro.MaxRetryBackoff = 8*time.Millisecond, 100*time.Millisecond
	return ro, nil
}

func port(addr string) bool {
	_, p, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	n, err := strconv.ParseUint(p, 10, 16)
	return err == nil && n > 0
}

func def[T int | time.Duration](v *T, d T) {
	if *v <= 0 {
		*v = d
	}
}

// Close closes the connections. Invalidations not yet made are lost: see [Options].Fresh.
func (s *Store) Close() error {
	if err := s.c.Close(); err != nil {
		return fmt.Errorf("close cache: %w", err)
	}
	return nil
}

// Ping reports whether the server answers.
func (s *Store) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.o.Timeout)
	defer cancel()
	return fail("ping cache", s.c.Ping(ctx).Err())
}

// embeddedName is what the embedded server of Siltstone says it is.
const embeddedName = "miniredis"

// Server is what the server says it is, with its version where it tells.
func (s *Store) Server(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, s.o.Timeout)
	defer cancel()
	if err := s.c.Ping(ctx).Err(); err != nil {
		return "", fail("ping cache", err)
	}
	hello, err := s.c.Do(ctx, "hello", "3").Result()
	if says, ok := hello.(map[any]any); err == nil && ok && says["server"] == embeddedName {
		return "the embedded server of a Siltstone process", nil
	}
	info, err := s.c.Info(ctx, "server").Result()
	if err == nil { // it works all the same: some servers deny or lack INFO
		for line := range strings.Lines(info) {
			if v, ok := strings.CutPrefix(line, "redis_version:"); ok {
				return "Redis " + strings.TrimSpace(v), nil
			}
		}
	}
	return "Redis that does not tell its version", nil
}

// token is a version or an epoch: random, so that it never comes back.
func token() string { return rand.Text() }
