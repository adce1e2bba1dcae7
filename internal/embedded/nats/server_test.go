package nats

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/internal/disk"
)

func start(t *testing.T, o Options) *Server {
	t.Helper()
	s, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func js(t *testing.T, s *Server) jetstream.JetStream {
	t.Helper()
	nc, err := s.Conn()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	j, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestStreamsAreThereAfterARestart(t *testing.T) {
	dir := t.TempDir()
	s := start(t, Options{StoreDir: dir})
	j := js(t, s)
	if _, err := j.CreateStream(t.Context(), jetstream.StreamConfig{Name: "LOG", Subjects: []string{"log.>"}}); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if _, err := j.Publish(t.Context(), "log.a", fmt.Appendf(nil, "%d", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	st, err := js(t, start(t, Options{StoreDir: dir})).Stream(t.Context(), "LOG")
	if err != nil {
		t.Fatal(err)
	}
	if n := st.CachedInfo().State.Msgs; n != 20 {
		t.Errorf("got %d messages after the restart, want 20", n)
	}
}

func TestNothingListensUnlessAsked(t *testing.T) {
	s := start(t, Options{StoreDir: t.TempDir()})
	if s.URL() != "" {
		t.Errorf("URL %q, want none", s.URL())
	}
	if a := s.srv.Load().Addr(); a != nil {
		t.Errorf("listens on %v", a)
	}
}

func TestListensOnLoopbackWithToken(t *testing.T) {
	s := start(t, Options{StoreDir: t.TempDir(), Listen: "127.0.0.1:0", Token: "t0ken"})
	if nc, err := nats.Connect(s.URL()); err == nil {
		nc.Close()
		t.Error("connected without the token")
	}
	nc, err := nats.Connect(s.URL(), nats.Token("t0ken"))
	if err != nil {
		t.Fatal(err)
	}
	nc.Close()
	in, err := s.Conn()
	if err != nil {
		t.Fatalf("connection inside the process: %v", err)
	}
	in.Close()
}

func TestRefusesToListenBeyondLoopback(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:4222", ":4222", "192.168.1.2:0", "[::]:0", "example.com:4222"} {
		if _, err := Start(t.Context(), Options{StoreDir: t.TempDir(), Listen: addr}); !errors.Is(err, ErrNotLoopback) {
			t.Errorf("%s: got %v, want ErrNotLoopback", addr, err)
		}
	}
	for _, addr := range []string{"127.0.0.1", "127.0.0.1:70000", "127.0.0.1:x"} {
		if _, err := Start(t.Context(), Options{StoreDir: t.TempDir(), Listen: addr}); err == nil {
			t.Errorf("%s: accepted", addr)
		}
	}
}

func TestOneDirectoryServesOneServer(t *testing.T) {
	dir := t.TempDir()
	s := start(t, Options{StoreDir: dir})
	if _, err := Start(t.Context(), Options{StoreDir: dir}); !errors.Is(err, ErrLocked) {
		t.Fatalf("second start: got %v, want ErrLocked", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	start(t, Options{StoreDir: dir})
}

func TestPitfall19_AppendsAreSyncedBeforeTheyAreAcknowledged(t *testing.T) {
	for _, unsynced := range []bool{false, true} {
		s := start(t, Options{StoreDir: t.TempDir(), Unsynced: unsynced})
		if got := s.srv.Load().JetStreamConfig().SyncAlways; got == unsynced {
			t.Errorf("Unsynced %v: SyncAlways is %v", unsynced, got)
		}
	}
}

func TestStoreStaysBelowFreeSpace(t *testing.T) {
	space, err := disk.Of(t.TempDir())
	if err != nil {
		t.Skip(err)
	}
	account := func(s *Server) int64 {
		t.Helper()
		i, err := js(t, s).AccountInfo(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return i.Limits.MaxStore
	}
	for _, want := range []int64{0, 1 << 62} {
		s := start(t, Options{StoreDir: t.TempDir(), MaxStore: want})
		if got := account(s); got <= 0 || got > space.Free-space.Reserve()/2 {
			t.Errorf("MaxStore %d: limit is %d bytes with %d free", want, got, space.Free)
		}
	}
	s := start(t, Options{StoreDir: t.TempDir(), MaxStore: 1 << 20})
	if got := account(s); got != 1<<20 {
		t.Errorf("limit is %d, want 1 MiB", got)
	}
	// Over the limit the server answers an error: no append vanishes.
	j := js(t, s)
	if _, err := j.CreateStream(t.Context(), jetstream.StreamConfig{Name: "LOG", Subjects: []string{"log"}}); err != nil {
		t.Fatal(err)
	}
	body := bytes.Repeat([]byte("x"), 100_000)
	for range 20 {
		if _, err = j.Publish(t.Context(), "log", body); err != nil {
			break
		}
	}
	var api *jetstream.APIError
	if !errors.As(err, &api) || api.ErrorCode != 10002 {
		t.Errorf("2 MB into a 1 MiB store: got %v", err)
	}
}

func TestAStreamThatCannotBeRecoveredRefusesTheStart(t *testing.T) {
	dir := t.TempDir()
	s := start(t, Options{StoreDir: dir})
	if _, err := js(t, s).CreateStream(t.Context(), jetstream.StreamConfig{Name: "LOG", Subjects: []string{"log"}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	meta := filepath.Join(dir, server.JetStreamStoreDir, "$G", "streams", "LOG", server.JetStreamMetaFile)
	if err := os.WriteFile(meta, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Start(t.Context(), Options{StoreDir: dir}); !errors.Is(err, ErrNotRecovered) || !strings.Contains(err.Error(), "LOG") {
		t.Fatalf("got %v, want ErrNotRecovered naming LOG", err)
	}
}

func TestAStartThatFailsSaysWhyAndReleasesTheDirectory(t *testing.T) {
	dir := t.TempDir()
	// A file where the store's directory must be.
	blocker := filepath.Join(dir, server.JetStreamStoreDir)
	if err := os.WriteFile(blocker, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Start(t.Context(), Options{StoreDir: dir}); err == nil {
		t.Fatal("started on a directory it cannot use")
	}
	if err := os.Remove(blocker); err != nil {
		t.Fatal(err)
	}
	start(t, Options{StoreDir: dir})
}

func TestConnSurvivesUntilCloseAndReconnectsForEver(t *testing.T) {
	s := start(t, Options{StoreDir: t.TempDir()})
	nc, err := s.Conn(nats.Name("other"))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	if nc.Opts.MaxReconnect != -1 || nc.Opts.Name != "other" {
		t.Errorf("MaxReconnect %d, name %q", nc.Opts.MaxReconnect, nc.Opts.Name)
	}
	if _, err := nc.RTT(); err != nil {
		t.Fatal(err)
	}
}

func TestServerLogGoesToSlog(t *testing.T) {
	var b syncBuffer
	s := start(t, Options{StoreDir: t.TempDir(), Logger: slog.New(slog.NewJSONHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	_ = s.Close()
	deadline := time.Now().Add(5 * time.Second)
	for !strings.Contains(b.String(), `"component":"nats"`) {
		if time.Now().After(deadline) {
			t.Fatalf("no line of the server in %q", b.String())
		}
	}
}
