package stacktest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/siltstone-ai/siltstone/internal/app"
	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/pkg/client"
)

// Patience bounds every wait of a test: far beyond what is needed, so that only a fault uses it up. Long runs set a longer
// one (make replay).
func Patience() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("SILTSTONE_TEST_PATIENCE")); err == nil {
		return d
	}
	return 90 * time.Second
}

// Loopback is an address on which the system chooses the port.
const Loopback = "127.0.0.1:0"

// Stack is one running process: app.Run in a goroutine, with what it logged.
type Stack struct {
	Config   config.Config
	URL      string // of HTTP, "" where no edge runs
	Addrs    app.Addresses
	Registry *prometheus.Registry
	Logs     *Logs

	stop context.CancelFunc
	done chan struct{}
	err  error // of Run, once done is closed
}

// Config is the configuration of a laptop with its data in dir, any port, and listeners, so that the stores can be
// looked into.
func Config(dir string) config.Config {
	c := config.Default()
	c.Data, c.HTTP.Addr, c.Log.Level = dir, Loopback, "debug"
	c.NATS.Listen, c.Qdrant.Listen, c.Redis.Listen = Loopback, Loopback, Loopback
	c.NATS.MaxWork = 256 << 20
	return c
}

// Start runs a process and returns once it is ready. Who starts it stops it.
func Start(cfg config.Config, change ...func(*app.Options)) (*Stack, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("configuration of a test: %w", err)
	}
	s := &Stack{Config: cfg, Registry: prometheus.NewRegistry(), Logs: &Logs{}, done: make(chan struct{})}
	log, err := obs.NewLogger(s.Logs, cfg.Log.Level, "json")
	if err != nil {
		return nil, err
	}
	ready := make(chan app.Addresses, 1)
	o := app.Options{Config: cfg, Logger: log, Registry: s.Registry, Ready: func(a app.Addresses) { ready <- a }}
	for _, f := range change {
		f(&o)
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	go func() {
		defer close(s.done)
		s.err = app.Run(ctx, o)
	}()
	select {
	case s.Addrs = <-ready:
	case <-s.done:
		stop()
		return nil, fmt.Errorf("start: %w", errors.Join(errors.New("it ended"), s.err))
	case <-time.After(Patience()):
		stop()
		return nil, errors.New("start: it is not ready in time")
	}
	if s.Addrs.HTTP != "" {
		s.URL = "http://" + s.Addrs.HTTP
	}
	return s, nil
}

// Up runs a process until the test ends, and fails the test where it does not start or does not end well.
func Up(t testing.TB, cfg config.Config, change ...func(*app.Options)) *Stack {
	t.Helper()
	s, err := Start(cfg, change...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
		if t.Failed() {
			t.Logf("log of the process:\n%s", s.Logs.Warnings())
		}
	})
	return s
}

// Stop asks the process to end as a signal does, waits until it has drained and returns what Run returned. It may
// be called again.
func (s *Stack) Stop() error {
	s.stop()
	select {
	case <-s.done:
		return s.err
	case <-time.After(Patience()):
		return errors.New("it does not end")
	}
}

// Client talks to the process over HTTP, for a tenant.
func (s *Stack) Client(t testing.TB, tenant string) *client.HTTP {
	t.Helper()
	c, err := client.NewHTTP(s.URL, client.WithTenant(tenant))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Handled is how many deliveries of a stage this process has finished well.
func (s *Stack) Handled(t testing.TB, stage string) int {
	t.Helper()
	families, err := s.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	n := 0.0
	for _, f := range families {
		if f.GetName() != "silt_events_handled_total" {
			continue
		}
		for _, m := range f.GetMetric() {
			labels := map[string]string{}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			if labels["stage"] == stage && labels["outcome"] == "ok" {
				n += m.GetCounter().GetValue()
			}
		}
	}
	return int(n)
}

// Logs keeps everything that a process logged, at every level.
type Logs struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (l *Logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// String is all of it.
func (l *Logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// Warnings are the lines that are no mere information, the last of them where there are many.
func (l *Logs) Warnings() string {
	var out []byte
	for line := range bytes.Lines([]byte(l.String())) {
		if bytes.Contains(line, []byte(`"level":"`+slog.LevelWarn.String())) || bytes.Contains(line, []byte(`"level":"`+slog.LevelError.String())) {
			out = append(out, line...)
		}
	}
	return string(out[max(0, len(out)-8000):])
}

// shared is the stack that the tests of one package use together, each with a tenant of its own.
var shared struct {
	sync.Mutex
	stack *Stack
	dir   string
}

// Shared is a process with the defaults that all tests of the package use: one start for all. A test must take a
// tenant of its own and leave the process alone.
func Shared(t testing.TB) *Stack {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.stack == nil {
		dir, err := os.MkdirTemp("", "siltstone-test-")
		if err != nil {
			t.Fatal(err)
		}
		shared.dir = dir
		if shared.stack, err = Start(Config(dir)); err != nil {
			t.Fatal(err)
		}
	}
	return shared.stack
}

// Main runs the tests of a package and then stops what they shared: the whole of a TestMain.
func Main(m *testing.M) int {
	code := m.Run()
	if shared.stack == nil {
		return code
	}
	if err := shared.stack.Stop(); err != nil {
		fmt.Fprintf(os.Stderr, "the shared stack did not end well: %v\n", err)
		code = max(code, 1)
	}
	if err := os.RemoveAll(shared.dir); err != nil {
		fmt.Fprintf(os.Stderr, "remove the shared data: %v\n", err)
		code = max(code, 1)
	}
	return code
}
