package app

import (
	"bytes"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/internal/auth"
	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// TestOpenBindIsRefused: an address that other machines reach needs a token that holds, before anything is made.
func TestOpenBindIsRefused(t *testing.T) {
	live := auth.New{Tenant: "acme", Scopes: schema.Scopes}
	for name, c := range map[string]struct {
		prepare func(t *testing.T, f auth.File)
		change  func(*config.Config)
		says    string
	}{
		"no tokens": {func(*testing.T, auth.File) {}, func(*config.Config) {}, "siltstone token create"},
		"a revoked token": {func(t *testing.T, f auth.File) {
			tok, _, err := f.Create(live, time.Now())
			if err == nil {
				_, err = f.Revoke(tok.ID, time.Now())
			}
			if err != nil {
				t.Fatal(err)
			}
		}, func(*config.Config) {}, "no valid token"},
		"tokens open to others": {func(t *testing.T, f auth.File) {
			_, _, err := f.Create(live, time.Now())
			if err := errors.Join(err, os.Chmod(f.Path, 0o644)); err != nil {
				t.Fatal(err)
			}
		}, func(*config.Config) {}, "chmod 600"},
		"retriever alone": {func(*testing.T, auth.File) {}, func(c *config.Config) { c.Roles = []string{"retriever"} }, "no valid token"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			cfg := config.Default()
			cfg.Data, cfg.Auth.Tokens = filepath.Join(dir, "data"), filepath.Join(dir, "auth", "tokens.json")
			cfg.HTTP.Addr, cfg.HTTP.TLSCert, cfg.HTTP.TLSKey = "0.0.0.0:0", "c.pem", "k.pem"
			c.change(&cfg)
			c.prepare(t, auth.File{Path: cfg.Auth.Tokens})
			if err := cfg.Validate(); err != nil {
				t.Fatal(err)
			}
			err := Run(t.Context(), Options{Config: cfg, Logger: slog.New(slog.DiscardHandler)})
			if !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "http.addr") || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v", err)
			}
			if _, err := os.Stat(cfg.Data); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a refused start made the data directory: %v", err)
			}
		})
	}
}

// TestOpenGateLetsThrough what is guarded, or said to be.
func TestOpenGateLetsThrough(t *testing.T) {
	for name, change := range map[string]func(*config.Config, auth.File) error{
		"loopback":      func(c *config.Config, _ auth.File) error { return nil },
		"IPv6 loopback": func(c *config.Config, _ auth.File) error { c.HTTP.Addr = "[::1]:0"; return nil },
		"said insecure": func(c *config.Config, _ auth.File) error {
			c.HTTP.Addr, c.HTTP.Insecure = "0.0.0.0:0", true
			return nil
		},
		"a token and TLS": func(c *config.Config, f auth.File) error {
			c.HTTP.Addr, c.HTTP.TLSCert, c.HTTP.TLSKey = "0.0.0.0:0", "c.pem", "k.pem"
			_, _, err := f.Create(auth.New{Tenant: "acme", Scopes: schema.Scopes}, time.Now())
			return err
		},
	} {
		a := &app{cfg: config.Default(), log: slog.New(slog.DiscardHandler)}
		a.cfg.Auth.Tokens = filepath.Join(t.TempDir(), "tokens.json")
		if err := change(&a.cfg, auth.File{Path: a.cfg.Auth.Tokens}); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(a.cfg.Validate(), a.openGate()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAnOpenEdgeSaysSo: whoever starts a role that finds no tokens reads where they were looked for.
func TestAnOpenEdgeSaysSo(t *testing.T) {
	for name, c := range map[string]struct {
		addr  string
		token bool
		says  string // "" for nothing
	}{
		"loopback":            {"127.0.0.1:0", false, "level=INFO msg=\"no tokens: everyone on this machine is let in"},
		"beyond it":           {"0.0.0.0:0", false, "level=WARN msg=\"no tokens: everyone who reaches it is let in"},
		"loopback with token": {"127.0.0.1:0", true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			cfg := config.Default()
			cfg.Auth.Tokens, cfg.HTTP.Addr, cfg.HTTP.Insecure = filepath.Join(t.TempDir(), "tokens.json"), c.addr, true
			if c.token {
				if _, _, err := (auth.File{Path: cfg.Auth.Tokens}).Create(auth.New{Tenant: "acme", Scopes: schema.Scopes}, time.Now()); err != nil {
					t.Fatal(err)
				}
			}
			a := &app{cfg: cfg, log: slog.New(slog.NewTextHandler(&log, nil))}
			if err := a.openGate(); err != nil {
				t.Fatal(err)
			}
			got := log.String()
			if c.says == "" && strings.Contains(got, "no tokens") || c.says != "" && (!strings.Contains(got, c.says) || !strings.Contains(got, cfg.Auth.Tokens)) {
				t.Errorf("want %q and the file, the log says:\n%s", c.says, got)
			}
		})
	}
}
