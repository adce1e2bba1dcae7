package client_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/siltstone-ai/siltstone/internal/app"
	"github.com/siltstone-ai/siltstone/internal/config"
)

// patience bounds every wait; the machine may be loaded.
const patience = 60 * time.Second

// Where the Siltstone of these tests is reached: a whole one, on a nats-server of its own.
var httpAddress, natsAddress string

func TestMain(m *testing.M) {
	code, err := withSiltstone(m.Run)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// withSiltstone runs fn while a Siltstone is up.
func withSiltstone(fn func() int) (int, error) {
	dir, err := os.MkdirTemp("", "siltstone-client-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	ns, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: filepath.Join(dir, "nats"), NoLog: true, NoSigs: true,
	})
	if err != nil {
		return 1, err
	}
	ns.Start()
	defer func() { ns.Shutdown(); ns.WaitForShutdown() }()
	if !ns.ReadyForConnections(patience) {
		return 1, errors.New("nats-server does not accept connections")
	}
	natsAddress = ns.ClientURL()

	cfg := config.Default()
	cfg.Data, cfg.HTTP.Addr, cfg.NATS.URL, cfg.Jieba.Cache = filepath.Join(dir, "data"), "127.0.0.1:0", natsAddress, filepath.Join(dir, "words")
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	up, ended := make(chan app.Addresses, 1), make(chan error, 1)
	go func() {
		ended <- app.Run(ctx, app.Options{Config: cfg, Logger: slog.New(slog.DiscardHandler), Ready: func(a app.Addresses) { up <- a }})
	}()
	select {
	case a := <-up:
		httpAddress = "http://" + a.HTTP
	case err := <-ended:
		return 1, fmt.Errorf("start Siltstone: %w", err)
	case <-time.After(patience):
		return 1, errors.New("Siltstone does not come up")
	}
	code := fn()
	stop()
	return code, <-ended
}
