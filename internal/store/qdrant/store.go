package qdrant

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/metadata"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

const (
	defaultPort    = 6334
	defaultTimeout = 15 * time.Second
	maxReply       = 64 << 20 // bytes; gRPC's own limit of 4 MiB is less than a page of long vectors

	// Insert-only upserts are a wire field since 1.17. An older server skips it as unknown and overwrites instead,
	// which would wipe flags without an error: such a server is refused.
	minMajor, minMinor = 1, 17
)

// reconnect says how long is waited between tries to reach a server that is away. By gRPC's own measure it would be up to
// two minutes, and for so long answers would stay degraded after an outage.
var reconnect = backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 3 * time.Second}

// Options of a store.
type Options struct {
	// URL of the server's gRPC port: "http://host:6334", or "https://host:6334" for TLS. Required unless Dial is set.
	URL    string
	APIKey string // sent with each call; refused over plaintext beyond loopback unless Insecure
	// Insecure allows an API key over plaintext, for a network that is trusted by itself.
	Insecure bool
	TLS      *tls.Config // with https; nil means TLS 1.3 and the system's roots

	// Dial opens connections instead of the network, for the embedded server.
	Dial func(ctx context.Context, addr string) (net.Conn, error)

	Prefix  string        // before the names of collections, so that several installations share a server
	Stages  []string      // stages whose done flag is filtered on: each gets an index
	Conns   int           // connections, used in turn; 0 means 1 with Dial and 3 without
	Timeout time.Duration // of a call whose context has no deadline; 0 means 15 s
	Logger  *slog.Logger  // nil discards
}

// Store reads and writes points. It is safe for concurrent use.
type Store struct {
	client  *qdrant.Client
	prefix  string
	stages  []string
	timeout time.Duration
	log     *slog.Logger
	checked atomic.Bool // the server's version was seen and is recent enough
}

var _ io.Closer = (*Store)(nil)

// New makes a store. It validates o and does not touch the network.
func New(o Options) (*Store, error) {
	cfg := &qdrant.Config{
		SkipCompatibilityCheck: true, // it would hang here for up to a minute; Ping does it
		PoolSize:               uint(max(o.Conns, 0)),
		KeepAliveTime:          30,
		KeepAliveTimeout:       10,
		GrpcOptions: []grpc.DialOption{
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxReply), grpc.MaxCallSendMsgSize(maxReply)),
			grpc.WithConnectParams(grpc.ConnectParams{Backoff: reconnect, MinConnectTimeout: 5 * time.Second}),
		},
	}
	if o.APIKey != "" {
		cfg.GrpcOptions = append(cfg.GrpcOptions, grpc.WithChainUnaryInterceptor(withKey(o.APIKey)))
	}
	if o.Dial != nil {
		cfg.Host = "passthrough:///embedded"
		cfg.KeepAliveTime = -1 // a pipe inside the process does not die silently
		cfg.GrpcOptions = append(cfg.GrpcOptions, grpc.WithContextDialer(o.Dial))
		if o.Conns == 0 {
			cfg.PoolSize = 1
		}
	} else if err := target(cfg, o); err != nil {
		return nil, err
	}
	client, err := qdrant.NewClient(cfg)
	if err != nil {
		return nil, fmt.Errorf("open vector store: %w", err)
	}
	s := &Store{client: client, prefix: o.Prefix, stages: o.Stages, timeout: o.Timeout, log: o.Logger}
	if s.timeout <= 0 {
		s.timeout = defaultTimeout
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	return s, nil
}

func target(cfg *qdrant.Config, o Options) error {
	u, err := url.Parse(o.URL)
	if err != nil || u.Host == "" || u.Path != "" && u.Path != "/" || u.User != nil || u.RawQuery != "" {
		return schema.Invalid("url", "must look like http://host:6334 or https://host:6334")
	}
	switch u.Scheme {
	case "https", "grpcs":
		cfg.UseTLS, cfg.TLSConfig = true, o.TLS
	case "http", "grpc":
	default:
		return schema.Invalid("url", "the scheme must be http or https")
	}
	cfg.Host, cfg.Port = u.Hostname(), defaultPort
	if strings.Contains(cfg.Host, ":") {
		cfg.Host = "[" + cfg.Host + "]" // IPv6
	}
	if p := u.Port(); p != "" {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil || n == 0 {
			return schema.Invalid("url", "the port must lie between 1 and 65535")
		}
		cfg.Port = int(n)
	}
	if o.APIKey != "" && !cfg.UseTLS && !o.Insecure && !loopback(u.Hostname()) {
		return schema.Invalid("api_key", "would travel in clear text to %s: use https", u.Hostname())
	}
	return nil
}

// withKey sends the key as the client library would. The library also warns of plaintext on the process's own logger;
// here that was decided when the store was made.
func withKey(key string) grpc.UnaryClientInterceptor {
	return func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, next grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		return next(metadata.AppendToOutgoingContext(ctx, "api-key", key), method, req, reply, cc, opts...)
	}
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Close closes the connections. Calls under way fail.
func (s *Store) Close() error {
	if err := s.client.Close(); err != nil {
		return fmt.Errorf("close vector store: %w", err)
	}
	return nil
}

// Ping reports whether the server answers and is recent enough. An older server than 1.17 is a permanent error.
func (s *Store) Ping(ctx context.Context) error {
	_, err := s.Server(ctx)
	return err
}

// embeddedTitle begins what the embedded server of Siltstone says it is; Qdrant says "qdrant - vector search engine".
const embeddedTitle = "siltstone"

// Server is what the server says it is, with its version, as Ping looks at it.
func (s *Store) Server(ctx context.Context) (string, error) {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	r, err := s.client.HealthCheck(ctx)
	if err != nil {
		return "", fail("ping vector store", err)
	}
	major, minor, ok := version(r.GetVersion())
	if !ok || major != minMajor || minor < minMinor {
		return "", schema.Permanent(schema.CodeUnsupported, nil, "vector store says it is %s %q: Qdrant %d.%d or later of that major version is needed",
			r.GetTitle(), r.GetVersion(), minMajor, minMinor)
	}
	s.checked.Store(true)
	if strings.HasPrefix(r.GetTitle(), embeddedTitle) {
		return "the embedded server of a Siltstone process, which answers as Qdrant " + r.GetVersion(), nil
	}
	return "Qdrant " + r.GetVersion(), nil
}

// check pings once in the store's life: before the first call that an old server would get wrong.
func (s *Store) check(ctx context.Context) error {
	if s.checked.Load() {
		return nil
	}
	return s.Ping(ctx)
}

func version(v string) (major, minor int, ok bool) {
	a, rest, _ := strings.Cut(v, ".")
	b, _, _ := strings.Cut(rest, ".")
	major, err1 := strconv.Atoi(a)
	minor, err2 := strconv.Atoi(b)
	return major, minor, err1 == nil && err2 == nil
}

// call makes a call of the server whose reply reads itself.
func (s *Store) call(ctx context.Context, method string, req, r any) error {
	return s.client.GetConnection().Invoke(ctx, method, req, r, grpc.StaticMethod(), asWire)
}

func (s *Store) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, set := ctx.Deadline(); set {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, s.timeout)
}

// name is the collection's name on the server.
func (s *Store) name(gen int, c schema.Collection) string {
	return s.prefix + string(c) + "_" + strconv.Itoa(gen)
}
