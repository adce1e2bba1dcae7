package app

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/siltstone-ai/siltstone/internal/atomicfile"
	"github.com/siltstone-ai/siltstone/internal/embedded"
)

// connectName is the file in the data directory that tells other processes of the same user how to reach the
// embedded servers that listen.
const connectName = "connect.yaml"

// handOver writes the addresses and secrets of the listeners, and where the tokens are, as a configuration file, for "--config" of an
// ingester, a distiller or a retriever. It is readable by its owner only and goes when this process stops. One that a
// killed process left behind is replaced.
func (a *app) handOver(at embedded.Addresses) error {
	path := filepath.Join(a.cfg.Data, connectName)
	if err := removeFile(path); err != nil {
		return err
	}
	tokens, err := filepath.Abs(a.cfg.TokensFile())
	if err != nil {
		return fmt.Errorf("tell where the tokens are: %w", err)
	}
	text := connectText(at, tokens)
	if text == "" {
		return nil
	}
	a.closers = append(a.closers, func() error { return removeFile(path) })
	if err := atomicfile.Write(path, []byte(text)); err != nil {
		return fmt.Errorf("tell how to connect: %w", err)
	}
	a.addrs.Connect = path
	return nil
}

// keyName is the file in the data directory from which the secrets of the listeners are made.
const keyName = "connect.key"

// secrets makes those of the listeners. They are the same at every start on a data directory, so that the other
// processes outlive a restart of this one; removing the file draws them anew. The caller holds the directory: two that
// start at once would draw two keys.
func (a *app) secrets(l *embedded.Listen) error {
	path := filepath.Join(a.cfg.Data, keyName)
	key, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		key = []byte(rand.Text())
		err = atomicfile.Write(path, key)
	}
	if err != nil {
		return fmt.Errorf("read the key of the listeners: %w", err)
	}
	if len(key) < 20 { // a file that was cut off, or made by hand
		return fmt.Errorf("the key of the listeners in %s is too short; remove the file to have one drawn", path)
	}
	secret := func(name string) string {
		h := hmac.New(sha256.New, key)
		h.Write([]byte(name))
		return hex.EncodeToString(h.Sum(nil)[:16])
	}
	l.NATSToken, l.RedisPassword, l.QdrantAPIKey = secret("nats"), secret("redis"), secret("qdrant")
	return nil
}

// connectText is the file's content, "" where nothing listens. tokens is the path of the file of the tokens, absolute:
// a role is started from any directory, and one that looked for it in its own would let everybody in. Values are quoted
// as JSON strings, which YAML reads.
func connectText(at embedded.Addresses, tokens string) string {
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
	if b.Len() > 0 {
		fmt.Fprintf(&b, "auth:\n  tokens: %q\n", tokens)
	}
	return b.String()
}

func removeFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", path, err)
	}
	return nil
}
