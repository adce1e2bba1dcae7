package storetest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"

	embedded "github.com/siltstone-ai/siltstone/internal/embedded/redis"
	"github.com/siltstone-ai/siltstone/internal/store/redis"
)

// CacheServer is a Redis to run [Cache] on.
type CacheServer struct {
	Name    string
	Options redis.Options // how to reach it
}

// EmbeddedRedis starts the embedded server for one test.
func EmbeddedRedis(t testing.TB) CacheServer {
	t.Helper()
	s, err := embedded.Start(embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return CacheServer{Name: "embedded", Options: redis.Options{Dial: s.Dial, Password: s.Password()}}
}

// LocalRedis starts the machine's redis-server on a loopback port for one test, without persistence. It skips the
// test where there is none.
func LocalRedis(t testing.TB) CacheServer {
	t.Helper()
	bin, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("no redis-server on this machine")
	}
	const password = "test-of-siltstone"
	addr := freeAddr(t)
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, "--bind", "127.0.0.1", "--port", port, "--requirepass", password,
		"--save", "", "--appendonly", "no", "--dir", t.TempDir(), "--daemonize", "no", "--loglevel", "warning")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	s := CacheServer{Name: "redis-server", Options: redis.Options{URL: "redis://:" + password + "@" + addr}}
	awaitRedis(t, s.Options)
	return s
}

// NamedRedis is the server that SILTSTONE_TEST_REDIS_URL names. It skips the test where none is named.
func NamedRedis(t testing.TB) CacheServer {
	t.Helper()
	url := os.Getenv("SILTSTONE_TEST_REDIS_URL")
	if url == "" {
		t.Skip("SILTSTONE_TEST_REDIS_URL names no server")
	}
	s := CacheServer{Name: "named", Options: redis.Options{URL: url}}
	awaitRedis(t, s.Options)
	return s
}

func awaitRedis(t testing.TB, o redis.Options) {
	t.Helper()
	s, err := redis.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for deadline := time.Now().Add(10 * time.Second); ; {
		if err = s.Ping(t.Context()); err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("redis does not answer: %v", err)
		}
	}
}

func freeAddr(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return fmt.Sprint(l.Addr())
}
