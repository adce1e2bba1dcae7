package stacktest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/internal/embedded/qdrantd"
)

// childVectors, set, makes a test binary a vector server over that directory at the address of childVectorsAt.
const (
	childVectors   = config.Prefix + "TEST_CHILD_VECTORS"
	childVectorsAt = config.Prefix + "TEST_CHILD_VECTORS_AT"
)

func serveVectors(dir, addr string) error {
	srv, err := qdrantd.Open(dir, qdrantd.Options{})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Println(listening)
	return srv.Serve(l)
}

const listening = "listening"

// Server is a store in a process of its own, at an address that stays. It can be killed and started again.
type Server struct {
	Name, Addr string

	t     testing.TB
	start func() *exec.Cmd
	up    func(line string) bool // whether a line of its output says that it answers

	cmd  *exec.Cmd
	gone chan struct{}
}

// VectorServer starts the vector server on a directory of its own: what it acknowledged is there again after it was killed.
func VectorServer(t testing.TB) *Server {
	t.Helper()
	dir, addr := t.TempDir(), FreeAddr(t)
	s := &Server{Name: "vectors", Addr: addr, t: t, up: func(line string) bool { return line == listening }, start: func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childVectors+"="+dir, childVectorsAt+"="+addr)
		return cmd
	}}
	return s.begin()
}

// RedisServer starts the machine's redis-server without persistence: it is empty after it was killed. It skips the test
// where there is none.
func RedisServer(t testing.TB) *Server {
	t.Helper()
	bin, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("no redis-server on this machine")
	}
	addr, dir := FreeAddr(t), t.TempDir()
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	ready := func(line string) bool { return strings.Contains(line, "Ready to accept connections") }
	s := &Server{Name: "redis-server", Addr: addr, t: t, up: ready, start: func() *exec.Cmd {
		return exec.Command(bin, "--bind", host, "--port", port, "--save", "", "--appendonly", "no", "--dir", dir, "--daemonize", "no")
	}}
	return s.begin()
}

func (s *Server) begin() *Server {
	s.t.Helper()
	s.Start()
	s.t.Cleanup(func() {
		_ = s.cmd.Process.Kill() // it may be gone
		<-s.gone
	})
	return s
}

// Start starts the server again after [Server.Kill] and returns once it listens.
func (s *Server) Start() {
	s.t.Helper()
	cmd := s.start()
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	gone, up := make(chan struct{}), make(chan struct{})
	s.cmd, s.gone = cmd, gone
	go func() {
		defer close(gone)
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if s.up(lines.Text()) {
				close(up)
				break
			}
		}
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait() // it is killed
	}()
	select {
	case <-up:
	case <-gone:
		s.t.Fatalf("%s ended", s.Name)
	case <-time.After(Patience()):
		s.t.Fatalf("%s is not up in time", s.Name)
	}
}

// Kill ends the server as a power cut would, and waits until it is gone.
func (s *Server) Kill() {
	s.t.Helper()
	if err := s.cmd.Process.Kill(); err != nil {
		s.t.Fatal(err)
	}
	<-s.gone
}

// Cached is everything that a server of [RedisServer] holds, as far as it is readable.
func (s *Server) Cached() ([]Entry, error) {
	c := redis.NewClient(&redis.Options{Addr: s.Addr})
	defer c.Close()
	return (&Scanner{t: s.t, cache: c}).redis(s.t.Context())
}

// Flush empties a server of [RedisServer].
func (s *Server) Flush() error {
	c := redis.NewClient(&redis.Options{Addr: s.Addr})
	defer c.Close()
	return c.FlushAll(s.t.Context()).Err()
}

// CountCalls lets a server of [RedisServer] count its commands from now on.
func (s *Server) CountCalls() error {
	c := redis.NewClient(&redis.Options{Addr: s.Addr})
	defer c.Close()
	return c.ConfigResetStat(s.t.Context()).Err()
}

// Calls is how often each command was called on a server of [RedisServer] since then, by its name in small letters.
func (s *Server) Calls() (map[string]int, error) {
	c := redis.NewClient(&redis.Options{Addr: s.Addr})
	defer c.Close()
	info, err := c.Info(s.t.Context(), "commandstats").Result()
	out := map[string]int{}
	for line := range strings.Lines(info) { // cmdstat_hmget:calls=12,usec=…
		if name, rest, ok := strings.Cut(strings.TrimPrefix(line, "cmdstat_"), ":calls="); ok {
			n, _, _ := strings.Cut(rest, ",")
			if out[name], err = strconv.Atoi(n); err != nil {
				return nil, err
			}
		}
	}
	return out, err
}

// FreeAddr is a loopback address on which nothing listens. Its port is none of those that systems give to outgoing
// connections by themselves, so that it is still free after a server there was killed.
func FreeAddr(t testing.TB) string {
	t.Helper()
	for range 1000 {
		addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(20_000+rand.IntN(12_000)))
		if l, err := net.Listen("tcp", addr); err == nil {
			_ = l.Close()
			return addr
		}
	}
	t.Fatal("no port is free")
	return ""
}

// listenAgain listens at an address that was listened at before.
func listenAgain(addr string) (net.Listener, error) {
	for end := time.Now().Add(Patience()); ; {
		l, err := net.Listen("tcp", addr)
		if err == nil || !errors.Is(err, syscall.EADDRINUSE) || time.Now().After(end) {
			return l, err
		}
		time.Sleep(10 * time.Millisecond) // between two tries
	}
}
