package app

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/internal/embedded"
)

func TestConnectFileIsAConfiguration(t *testing.T) {
	path := filepath.Join(t.TempDir(), connectName)
	at := embedded.Addresses{
		NATS: "nats://127.0.0.1:4222", NATSToken: "t/k:1", Redis: "127.0.0.1:6379", RedisPassword: "p@w", Qdrant: "127.0.0.1:6334", QdrantAPIKey: `k"y`,
	}
	if err := os.WriteFile(path, []byte(connectText(at, "/srv/silt stone/tokens.json")), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(path, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.NATS.URL != "nats://t%2Fk%3A1@127.0.0.1:4222" || c.Redis.URL != "redis://:p%40w@127.0.0.1:6379" || c.Qdrant.Addr != at.Qdrant || c.Qdrant.Key != at.QdrantAPIKey {
		t.Errorf("read %+v %+v %+v", c.NATS, c.Redis, c.Qdrant)
	}
	if got := c.TokensFile(); got != "/srv/silt stone/tokens.json" {
		t.Errorf("tokens are looked for in %q", got)
	}
	if got := connectText(embedded.Addresses{}, "/srv/tokens.json"); got != "" {
		t.Errorf("without listeners: %q", got)
	}
}

func TestConnectFileLivesAsLongAsTheListeners(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	cfg := config.Default()
	cfg.Data, cfg.Roles, cfg.Redis.Listen = "data", []string{"none"}, "127.0.0.1:0"
	path := filepath.Join(cfg.Data, connectName)
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("left by a killed process, open to all"), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	err = Run(ctx, Options{Config: cfg, Logger: slog.New(slog.DiscardHandler), Ready: func(a Addresses) {
		defer stop()
		if a.Connect != path {
			t.Errorf("the file is %q, not %q", a.Connect, path)
		}
		b, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(b), a.Redis) {
			t.Errorf("the file says %q (%v), not %s", b, err, a.Redis)
		}
		if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o600 {
			t.Errorf("the file is %v (%v)", fi.Mode(), err)
		}
		if c, err := config.Load(path, nil, nil); err != nil || c.TokensFile() != filepath.Join(dir, "data", "tokens.json") {
			t.Errorf("a role that reads the file looks for tokens in %q (%v)", c.TokensFile(), err)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the file is left behind: %v", err)
	}
}

// TestTheKeyOfTheListenersIsDrawnUnderTheLock: whoever cannot have the data directory touches nothing in it, and a key
// lasts.
func TestTheKeyOfTheListenersIsDrawnUnderTheLock(t *testing.T) {
	cfg := config.Default()
	cfg.Data, cfg.Roles, cfg.Redis.Listen = filepath.Join(t.TempDir(), "data"), []string{"none"}, "127.0.0.1:0"
	path := filepath.Join(cfg.Data, keyName)
	holder, err := embedded.Start(t.Context(), embedded.Options{Dir: cfg.Data, Unsynced: true})
	if err != nil {
		t.Fatal(err)
	}
	start := func() error {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		return Run(ctx, Options{Config: cfg, Logger: slog.New(slog.DiscardHandler), Ready: func(Addresses) { stop() }})
	}
	if err := start(); !errors.Is(err, embedded.ErrInUse) {
		t.Errorf("a second process: %v", err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("it drew a key for a directory that it does not hold: %v", err)
	}
	if err := holder.Close(); err != nil {
		t.Fatal(err)
	}
	var keys []string
	for range 2 {
		if err := start(); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o600 {
			t.Errorf("the key is %v (%v)", fi.Mode(), err)
		}
		keys = append(keys, string(b))
	}
	if len(keys[0]) < 20 || keys[0] != keys[1] {
		t.Errorf("the key changes or is short: %d and %d characters", len(keys[0]), len(keys[1]))
	}
}
