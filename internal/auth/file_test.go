package auth

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

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
