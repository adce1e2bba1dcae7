package auth

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// clock is a time that a test moves.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// world is a gate over a file of its own.
type world struct {
	*Gate
	*clock
	t    *testing.T
	file File
	log  *bytes.Buffer
}

func newWorld(t *testing.T) *world {
	w := &world{
		t: t, clock: &clock{at: time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)},
		file: File{filepath.Join(t.TempDir(), "data", "tokens.json")}, log: &bytes.Buffer{},
	}
	w.Gate = Open(Config{Path: w.file.Path, Now: w.Now, Logger: slog.New(slog.NewTextHandler(w.log, nil))})
	return w
}

// create makes a token and lets the gate see it.
func (w *world) create(tenant string, life time.Duration, scopes ...schema.Scope) (Token, string) {
	w.t.Helper()
	n := New{Tenant: tenant, Scopes: scopes}
	if life > 0 {
		n.Expires = w.Now().Add(life)
	}
	tok, secret, err := w.file.Create(n, w.Now())
	if err != nil {
		w.t.Fatal(err)
	}
	w.pass(Recheck)
	return tok, secret
}

// code is what the gate says to a token.
func (w *world) code(token string) schema.Code {
	_, _, err := w.Authenticate("192.0.2.1:5000", token)
	return schema.CodeOf(err)
}

func TestWithoutTokensNobodyNeedsOne(t *testing.T) {
	w := newWorld(t)
	if _, needed, err := w.Authenticate("127.0.0.1:1", ""); needed || err != nil {
		t.Errorf("needed %v, %v", needed, err)
	}
	// A client that believes it has a tenant's token must not end up in the default tenant.
	if c := w.code("silt_aaaaaaaa_" + strings.Repeat("a", 52)); c != schema.CodeUnauthenticated {
		t.Errorf("a token that nobody made: %s", c)
	}
}

func TestTokenLetsItsTenantIn(t *testing.T) {
	w := newWorld(t)
	tok, secret := w.create("acme", 0, schema.ScopeQuery, schema.ScopePublish, schema.ScopeQuery)
	p, needed, err := w.Authenticate("192.0.2.1:5000", secret)
	if err != nil || !needed || p.Tenant != "acme" || p.Token != tok.ID || fmt.Sprint(p.Scopes) != "[publish query]" {
		t.Fatalf("%+v, needed %v, %v", p, needed, err)
	}
	for name, bad := range map[string]string{
		"none":          "",
		"cut":           secret[:len(secret)-1],
		"longer":        secret + "a",
		"other case":    strings.ToUpper(secret),
		"other secret":  prefix + tok.ID + "_" + strings.Repeat("a", 52),
		"other id":      prefix + "aaaaaaaa" + secret[len(prefix)+8:],
		"the hash":      prefix + tok.ID + "_" + tok.Hash,
		"only an id":    prefix + tok.ID,
		"a foreign one": "ghp_" + strings.Repeat("x", 36),
		"space":         secret + " ",
	} {
		if c := w.code(bad); c != schema.CodeUnauthenticated {
			t.Errorf("%s: %q", name, c)
		}
		w.pass(time.Minute) // and the limit of failures is not what answers
	}
	if w.code(secret) != "" {
		t.Error("the right token is refused after wrong ones")
	}
}

func TestFlippedBitsLetNobodyIn(t *testing.T) {
	w := newWorld(t)
	_, secret := w.create("acme", 0, schema.ScopeQuery)
	for i := range secret {
		for bit := range 8 {
			b := []byte(secret)
			b[i] ^= 1 << bit
			if w.code(string(b)) == "" {
				t.Errorf("byte %d, bit %d changed lets in", i, bit)
			}
			w.pass(time.Minute)
		}
	}
}

func TestExpiryAndRevocation(t *testing.T) {
	w := newWorld(t)
	old, oldSecret := w.create("acme", time.Hour, schema.ScopeQuery)
	_, newSecret := w.create("acme", 0, schema.ScopeQuery) // rotation: both hold for a while
	if w.code(oldSecret) != "" || w.code(newSecret) != "" {
		t.Fatal("two tokens of a tenant do not both hold")
	}
	if _, err := w.file.Revoke(old.ID, w.Now()); err != nil {
		t.Fatal(err)
	}
	if w.code(oldSecret) != "" {
		t.Error("the file is looked at more often than said") // else the next check shows nothing
	}
	w.pass(Recheck)
	if c := w.code(oldSecret); c != schema.CodeUnauthenticated {
		t.Errorf("revoked: %q", c)
	}
	if w.code(newSecret) != "" {
		t.Error("revoking one ended the other")
	}

	_, short := w.create("acme", time.Hour, schema.ScopeQuery)
	w.pass(time.Hour - Recheck - time.Second)
	if w.code(short) != "" {
		t.Error("expired too early")
	}
	w.pass(time.Second)
	if c := w.code(short); c != schema.CodeUnauthenticated {
		t.Errorf("at the moment of expiry: %q", c)
	}
}

// TestLastRevocationOpensNothing: once there were tokens, a server never goes back to answering everybody by itself.
func TestLastRevocationOpensNothing(t *testing.T) {
	w := newWorld(t)
	tok, secret := w.create("acme", 0, schema.ScopeQuery)
	if _, err := w.file.Revoke(tok.ID, w.Now()); err != nil {
		t.Fatal(err)
	}
	w.pass(Recheck)
	again := Open(Config{Path: w.file.Path, Now: w.Now})
	for name, g := range map[string]*Gate{"running": w.Gate, "restarted": again} {
		if _, needed, err := g.Authenticate("127.0.0.1:1", ""); !needed || schema.CodeOf(err) != schema.CodeUnauthenticated || !g.Required() {
			t.Errorf("%s: needed %v, %v", name, needed, err)
		}
	}
	if w.code(secret) != schema.CodeUnauthenticated || w.Active() != 0 {
		t.Error("the revoked token holds")
	}
	if err := os.Remove(w.file.Path); err != nil {
		t.Fatal(err)
	}
	w.pass(Recheck)
	if c := w.code(""); c != schema.CodeUnavailable {
		t.Errorf("the file is gone: %q", c)
	}
}

// TestConcurrentUse is for the race detector.
func TestConcurrentUse(t *testing.T) {
	w := newWorld(t)
	_, secret := w.create("acme", 0, schema.ScopeQuery)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				_ = w.code(secret)
				_ = w.code("")
				w.pass(10 * time.Millisecond)
			}
		})
	}
	for range 10 {
		if _, _, err := w.file.Create(New{Tenant: "x", Scopes: schema.Scopes}, w.Now()); err != nil {
			t.Error(err)
		}
	}
	wg.Wait()
	if w.code(secret) != "" {
		t.Error("the token does not hold any more")
	}
}

func FuzzSplit(f *testing.F) {
	_, secret := newToken("t", "", nil, time.Unix(0, 0), time.Time{})
	for _, s := range []string{"", secret, prefix, secret + "_", "silt__", prefix + "aaaaaaab_"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if id, part, ok := split(s); ok && prefix+id+"_"+part != s {
			t.Errorf("%q is read as %q and %q", s, id, part)
		}
	})
}
