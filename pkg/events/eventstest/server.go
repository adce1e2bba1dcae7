package eventstest

import (
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// ReadyTimeout bounds how long a server may take to accept connections; a loaded machine needs seconds.
const ReadyTimeout = 20 * time.Second

// Option changes the options of a server before it starts.
type Option func(*server.Options)

// SyncAlways makes the server sync every write to disk before it acknowledges it.
func SyncAlways() Option { return func(o *server.Options) { o.SyncAlways = true } }

// MaxPayload sets the largest message in bytes that the server takes.
func MaxPayload(n int32) Option { return func(o *server.Options) { o.MaxPayload = n } }

// StoreDir keeps the data in dir, which outlives the server: for tests that start it again.
func StoreDir(dir string) Option { return func(o *server.Options) { o.StoreDir = dir } }

// Server starts a nats-server with JetStream in this process and stops it when the test ends. It blocks until
// the server accepts connections, and fails the test where it does not.
func Server(t testing.TB, opts ...Option) *server.Server {
	t.Helper()
	o := options(opts...)
	if o.StoreDir == "" {
		o.StoreDir = t.TempDir()
	}
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatalf("create nats-server: %v", err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(ReadyTimeout) {
		t.Fatal("nats-server does not accept connections")
	}
	return s
}

func options(opts ...Option) *server.Options {
	o := &server.Options{
		ServerName: "eventstest",
		Host:       "127.0.0.1",
		Port:       server.RANDOM_PORT,
		JetStream:  true,
		NoLog:      true,
		NoSigs:     true,
	}
	for _, f := range opts {
		f(o)
	}
	return o
}

// Conn connects to s over the loopback and closes the connection when the test ends. It reconnects for ever.
func Conn(t testing.TB, s *server.Server, opts ...nats.Option) *nats.Conn {
	t.Helper()
	return Dial(t, s.ClientURL(), opts...)
}

// Dial connects to url as [Conn] does.
func Dial(t testing.TB, url string, opts ...nats.Option) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(url, append([]nats.Option{
		nats.MaxReconnects(-1), nats.ReconnectWait(20 * time.Millisecond), nats.Timeout(ReadyTimeout),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
	}, opts...)...)
	if err != nil {
		t.Fatalf("connect to nats-server: %v", err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// JetStream is a JetStream client of a new connection to s.
func JetStream(t testing.TB, s *server.Server, opts ...nats.Option) jetstream.JetStream {
	t.Helper()
	js, err := jetstream.New(Conn(t, s, opts...), jetstream.WithPublishAsyncTimeout(10*time.Second))
	if err != nil {
		t.Fatalf("open JetStream: %v", err)
	}
	return js
}

// Eventually polls ok until it reports true, and fails the test with what where it has not within the timeout.
func Eventually(t testing.TB, timeout time.Duration, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(timeout)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", timeout, what)
		}
		<-tick.C
	}
}
