package auth

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

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
