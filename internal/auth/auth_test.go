package auth

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
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

func TestUnreadableFileLetsNobodyIn(t *testing.T) {
	good := func(w *world) []byte {
		b, err := os.ReadFile(w.file.Path)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for name, damage := range map[string]func(w *world) error{
		"empty":     func(w *world) error { return os.WriteFile(w.file.Path, nil, 0o600) },
		"cut":       func(w *world) error { b := good(w); return os.WriteFile(w.file.Path, b[:len(b)/2], 0o600) },
		"no tokens": func(w *world) error { return os.WriteFile(w.file.Path, []byte(`{"version":1,"tokens":[]}`), 0o600) },
		"null":      func(w *world) error { return os.WriteFile(w.file.Path, []byte(`null`), 0o600) },
		"later version": func(w *world) error {
			return os.WriteFile(w.file.Path, bytes.Replace(good(w), []byte(`"version": 1`), []byte(`"version": 2`), 1), 0o600)
		},
		"unknown field": func(w *world) error {
			return os.WriteFile(w.file.Path, bytes.Replace(good(w), []byte(`"tenant"`), []byte(`"teanant"`), 1), 0o600)
		},
		"unknown scope": func(w *world) error {
			return os.WriteFile(w.file.Path, bytes.Replace(good(w), []byte(`"query"`), []byte(`"everything"`), 1), 0o600)
		},
		"wild tenant": func(w *world) error {
			return os.WriteFile(w.file.Path, bytes.Replace(good(w), []byte(`"acme"`), []byte(`"*"`), 1), 0o600)
		},
		"short hash": func(w *world) error {
			return os.WriteFile(w.file.Path, bytes.Replace(good(w), []byte(`"hash": "`), []byte(`"hash": "00`), 1), 0o600)
		},
		"twice": func(w *world) error {
			var c content
			if err := json.Unmarshal(good(w), &c); err != nil {
				return err
			}
			c.Tokens = append(c.Tokens, c.Tokens[0])
			b, _ := json.Marshal(c)
			return os.WriteFile(w.file.Path, b, 0o600)
		},
		"open to others": func(w *world) error { return os.Chmod(w.file.Path, 0o604) },
		"group writes":   func(w *world) error { return os.Chmod(w.file.Path, 0o620) },
		"gone":           func(w *world) error { return os.Remove(w.file.Path) },
		"a directory":    func(w *world) error { return errorsOf(os.Remove(w.file.Path), os.Mkdir(w.file.Path, 0o700)) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			_, secret := w.create("acme", 0, schema.ScopeQuery)
			if w.code(secret) != "" {
				t.Fatal("the token does not hold")
			}
			before := good(w)
			if err := damage(w); err != nil {
				t.Fatal(err)
			}
			w.pass(Recheck)
			for what, token := range map[string]string{"the token": secret, "nothing": ""} {
				if _, needed, err := w.Authenticate("127.0.0.1:1", token); !needed || schema.CodeOf(err) != schema.CodeUnavailable {
					t.Errorf("with %s: needed %v, %v", what, needed, err)
				}
			}
			if w.Err() == nil || !strings.Contains(w.log.String(), "nobody is let in") {
				t.Errorf("err %v, log %s", w.Err(), w.log)
			}
			if n := strings.Count(w.log.String(), "nobody is let in"); n != 1 {
				t.Errorf("logged %d times", n)
			}
			// Mended, it holds again.
			_ = os.Remove(w.file.Path)
			if err := os.WriteFile(w.file.Path, before, 0o600); err != nil {
				t.Fatal(err)
			}
			w.pass(Recheck)
			if w.code(secret) != "" || w.Err() != nil {
				t.Errorf("after mending: %q, %v", w.code(secret), w.Err())
			}
		})
	}
}

// A file that was never readable in this process's time, and then goes, opens nothing either.
func TestADamagedFileThatGoesOpensNothing(t *testing.T) {
	w := newWorld(t)
	w.create("acme", 0, schema.ScopeQuery)
	if err := os.WriteFile(w.file.Path, []byte(`{"version":`), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Gate = Open(Config{Path: w.file.Path, Now: w.Now, Logger: slog.New(slog.NewTextHandler(w.log, nil))})
	for _, step := range []func() error{func() error { return nil }, func() error { return os.Remove(w.file.Path) }} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
		w.pass(Recheck)
		if _, needed, err := w.Authenticate("127.0.0.1:1", ""); !needed || schema.CodeOf(err) != schema.CodeUnavailable {
			t.Errorf("needed %v, %v", needed, err)
		}
	}
}

func errorsOf(errs ...error) error {
	for _, e := range errs {
		if e != nil {
			return e
		}
	}
	return nil
}

func TestFileHoldsNoSecretAndIsPrivate(t *testing.T) {
	w := newWorld(t)
	tok, secret := w.create("acme", time.Hour, schema.ScopeRaw)
	b, err := os.ReadFile(w.file.Path)
	if err != nil {
		t.Fatal(err)
	}
	_, part, ok := split(secret)
	if !ok || bytes.Contains(b, []byte(part)) || strings.Contains(w.log.String(), part) {
		t.Error("the secret is in the file or in the log")
	}
	if want := hash(part); tok.Hash != want || len(part) < 39 { // 39 letters of base 32 are 195 bits
		t.Errorf("hash %s of a secret of %d letters", tok.Hash, len(part))
	}
	for path, want := range map[string]fs.FileMode{w.file.Path: 0o600, filepath.Dir(w.file.Path): 0o700} {
		if st, err := os.Stat(path); err != nil || st.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, st.Mode(), err)
		}
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(w.file.Path), ".tokens-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestCreateRefuses(t *testing.T) {
	w := newWorld(t)
	for name, n := range map[string]New{
		"no tenant":     {Scopes: schema.Scopes},
		"wild tenant":   {Tenant: "*", Scopes: schema.Scopes},
		"no scope":      {Tenant: "a"},
		"unknown scope": {Tenant: "a", Scopes: []schema.Scope{"all"}},
		"past":          {Tenant: "a", Scopes: schema.Scopes, Expires: w.Now()},
		"escape":        {Tenant: "a", Scopes: schema.Scopes, Name: "x\x1b[2J"},
		"long name":     {Tenant: "a", Scopes: schema.Scopes, Name: strings.Repeat("长", 50)},
	} {
		if _, _, err := w.file.Create(n, w.Now()); schema.CodeOf(err) != schema.CodeInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(w.file.Path); err == nil {
		t.Error("a refused token made the file")
	}
	if _, err := w.file.Revoke("aaaaaaaa", w.Now()); schema.CodeOf(err) != schema.CodeNotFound {
		t.Errorf("revoke of none: %v", err)
	}
}

// TestGuessingIsBounded: who guesses at tokens from one address is soon not answered any more, and locks out nobody by
// it: neither that token from that very address, nor others, nor anyone elsewhere.
func TestGuessingIsBounded(t *testing.T) {
	w := newWorld(t)
	tok, secret := w.create("acme", 0, schema.ScopeQuery)
	_, other := w.create("bob", 0, schema.ScopeQuery)
	dying, dead := w.create("eve", time.Minute, schema.ScopeQuery)
	wrong := prefix + tok.ID + "_" + strings.Repeat("a", 52)
	tries := 0
	for w.code(wrong) == schema.CodeUnauthenticated {
		if tries++; tries > burst {
			t.Fatalf("%d guesses answered", tries)
		}
		if tries%2 == 0 && w.code(secret) != "" {
			t.Fatalf("locked out after %d guesses", tries)
		}
	}
	if tries != burst || w.code(wrong) != schema.CodeRateLimited {
		t.Errorf("%d guesses answered, want %d", tries, burst)
	}
	for name, s := range map[string]string{"the token that was guessed at": secret, "another token": other} {
		if c := w.code(s); c != "" {
			t.Errorf("%s is locked out behind that address: %q", name, c)
		}
	}
	if w.code(wrong) != schema.CodeRateLimited {
		t.Error("a success clears the count of failures")
	}
	if _, _, err := w.Authenticate("198.51.100.7:1", wrong); schema.CodeOf(err) != schema.CodeUnauthenticated {
		t.Errorf("a guess from elsewhere: %v", err)
	}
	_, _, err := w.Authenticate("192.0.2.1:5000", wrong)
	wait := schema.RetryAfter(err)
	if wait <= 0 || wait > refill {
		t.Fatalf("wait %s", wait)
	}
	w.pass(wait)
	if w.code(wrong) != schema.CodeUnauthenticated {
		t.Error("not answered for longer than said")
	}
	w.pass(2 * time.Minute)
	for range burst { // the right secret of a token that holds no longer is a failure like others
		if c := w.code(dead); c != schema.CodeUnauthenticated {
			t.Fatalf("%s, expired: %q", dying.ID, c)
		}
	}
	if c := w.code(dead); c != schema.CodeRateLimited {
		t.Errorf("an expired token without end: %q", c)
	}
}

func TestStrangersAreBoundedAndForgotten(t *testing.T) {
	w := newWorld(t)
	_, secret := w.create("acme", 0, schema.ScopeQuery)
	for range burst + 5 {
		w.code("")
	}
	if c := w.code(""); c != schema.CodeRateLimited {
		t.Errorf("strangers: %q", c)
	}
	if w.code(secret) != "" {
		t.Error("strangers lock out a token")
	}
	for i := range 3 * sources {
		_, _, _ = w.Authenticate(fmt.Sprintf("10.%d.%d.%d:1", i>>16, i>>8&255, i&255), "")
	}
	if n := len(w.failed.byID); n > sources || n != w.failed.age.Len() {
		t.Errorf("%d sources are remembered, at most %d may be", n, sources)
	}
}

func TestSourcesOfAnAddress(t *testing.T) {
	for in, want := range map[string]string{
		"192.0.2.1:1": "192.0.2.1", "[::ffff:192.0.2.1]:9": "192.0.2.1", "[2001:db8:1:2:3:4:5:6]:1": "2001:db8:1:2::/64",
		"[2001:db8:1:2:ffff::1]:2": "2001:db8:1:2::/64", "[fe80::1%eth0]:1": "fe80::/64", "@": "?", "": "?",
	} {
		if got := source(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
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
