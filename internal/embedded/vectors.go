package embedded

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"golang.org/x/net/netutil"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/siltstone-ai/siltstone/internal/embedded/qdrantd"
)

const (
	vectorPipe  = 1 << 20         // bytes each way of a connection inside the process
	vectorGrace = 5 * time.Second // for calls under way when closing
	window      = 4 << 20         // bytes of a stream: a batch of vectors comes in one go
)

// VectorsDir is where in the data directory the vector store keeps its files. What is missing is filled again from the log.
const VectorsDir = "vectors"

// ErrNotLoopback: a listen address beyond this machine was asked for.
var ErrNotLoopback = errors.New("embedded servers listen on loopback addresses only")

// vectors serves the vector store on a pipe, and on a port where one is asked for.
type vectors struct {
	store   *qdrantd.Server
	pipe    *bufconn.Listener
	port    net.Listener // nil for none
	servers []*grpc.Server
	work    sync.WaitGroup
}

func startVectors(dir, listen, key string, maxConns int, log *slog.Logger) (*vectors, error) {
	port, err := listenLoopback(listen)
	if err != nil {
		return nil, fmt.Errorf("start vector store: %w", err)
	}
	if port != nil && maxConns > 0 {
		port = netutil.LimitListener(port, maxConns)
	}
	store, err := qdrantd.Open(dir, qdrantd.Options{Logger: log.With("component", "qdrantd")})
	if err != nil {
		if port != nil {
			_ = port.Close()
		}
		return nil, fmt.Errorf("start vector store: %w", err)
	}
	v := &vectors{store: store, pipe: bufconn.Listen(vectorPipe), port: port}
	v.serve(v.pipe, log)
	if port != nil {
		v.serve(port, log, grpc.ChainUnaryInterceptor(needKey(key)))
	}
	return v, nil
}

func (v *vectors) serve(l net.Listener, log *slog.Logger, more ...grpc.ServerOption) {
	g := grpc.NewServer(append(more,
		grpc.MaxRecvMsgSize(qdrantd.MaxMessage),
		grpc.InitialWindowSize(window), grpc.InitialConnWindowSize(2*window),
		// The official clients ping every ten seconds; by default gRPC for Go hangs up on whoever does.
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 5 * time.Second, PermitWithoutStream: true}),
	)...)
	v.store.Register(g)
	v.servers = append(v.servers, g)
	v.work.Go(func() {
		if err := g.Serve(l); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
			log.Error("vector store stopped serving", "component", "qdrantd", "error", err)
		}
	})
}

func (v *vectors) addr() string {
	if v.port == nil {
		return ""
	}
	return v.port.Addr().String()
}

func (v *vectors) close() error {
	for _, g := range v.servers {
		hard := time.AfterFunc(vectorGrace, g.Stop)
		calm := make(chan struct{})
		go func() { defer close(calm); g.GracefulStop() }()
		select {
		case <-calm:
		case <-v.store.Dead(): // calls that are inside never end
			g.Stop()
		}
		hard.Stop()
	}
	v.work.Wait()
	if err := v.store.Close(); err != nil {
		return fmt.Errorf("close vector store: %w", err)
	}
	return nil
}

func listenLoopback(addr string) (net.Listener, error) {
	if addr == "" {
		return nil, nil
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("listen address %q: %w", addr, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("listen address %q: %w", addr, ErrNotLoopback)
	}
	return net.Listen("tcp", addr)
}

// needKey refuses calls that do not carry the key as Qdrant's clients send it.
func needKey(key string) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		md, _ := metadata.FromIncomingContext(ctx)
		got := md.Get("api-key")
		if len(got) != 1 || subtle.ConstantTimeCompare([]byte(got[0]), []byte(key)) != 1 {
			return nil, status.Error(codes.Unauthenticated, "Must provide an API key")
		}
		return next(ctx, req)
	}
}
