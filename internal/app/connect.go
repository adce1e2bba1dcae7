package app

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/siltstone-ai/siltstone/internal/embedded"
)

// connectName is the file in the data directory that tells other processes of the same user how to reach the
// embedded servers that listen.
const connectName = "connect.yaml"

// handOver writes the addresses and secrets of the listeners as a configuration file, for "--config" of an
// ingester, a distiller or a retriever. Secrets are drawn anew at every start and stand nowhere else; the file is
// readable by its owner only and goes when this process stops. One that a killed process left behind is replaced.
func (a *app) handOver(at embedded.Addresses) error {
	path := filepath.Join(a.cfg.Data, connectName)
	if err := removeFile(path); err != nil {
		return err
	}
	text := connectText(at)
	if text == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write how to connect: %w", err)
	}
	a.closers = append(a.closers, func() error { return removeFile(path) })
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write how to connect: %w", err)
	}
	a.addrs.Connect = path
	return nil
}

// connectText is the file's content, "" where nothing listens. Values are quoted as JSON strings, which YAML reads.
func connectText(at embedded.Addresses) string {
	var b strings.Builder
	if at.NATS != "" {
		u := url.URL{Scheme: "nats", User: url.User(at.NATSToken), Host: strings.TrimPrefix(at.NATS, "nats://")}
		fmt.Fprintf(&b, "nats:\n  url: %q\n", u.String())
	}
	if at.Qdrant != "" {
		fmt.Fprintf(&b, "qdrant:\n  addr: %q\n  key: %q\n", at.Qdrant, at.QdrantAPIKey)
	}
	if at.Redis != "" {
		u := url.URL{Scheme: "redis", User: url.UserPassword("", at.RedisPassword), Host: at.Redis}
		fmt.Fprintf(&b, "redis:\n  url: %q\n", u.String())
	}
	return b.String()
}

func removeFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", path, err)
	}
	return nil
}
