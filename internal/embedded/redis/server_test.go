package redis

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"
)

func start(t *testing.T, o Options) *Server {
	t.Helper()
	s, err := Start(o)
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

func client(t *testing.T, s *Server) *redis.Client {
	t.Helper()
	c := redis.NewClient(&redis.Options{Dialer: s.Dial, Password: s.Password(), ContextTimeoutEnabled: true})
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestNothingListensUnlessAsked(t *testing.T) {
	s := start(t, Options{})
	if s.Addr() != "" || s.m.Server().Addr() != nil {
		t.Fatalf("listens on %q", s.Addr())
	}
	c := client(t, s)
	if err := c.Set(t.Context(), "k", "v", 0).Err(); err != nil {
		t.Fatal(err)
	}
	if v, err := c.Get(t.Context(), "k").Result(); err != nil || v != "v" {
		t.Fatalf("got %q, %v", v, err)
	}
}

func TestEveryClientNeedsThePassword(t *testing.T) {
	s := start(t, Options{Listen: "127.0.0.1:0"})
	if len(s.Password()) < 20 {
		t.Errorf("drawn password %q is short", s.Password())
	}
	for name, o := range map[string]*redis.Options{
		"inside":  {Dialer: s.Dial},
		"outside": {Addr: s.Addr()},
		"wrong":   {Addr: s.Addr(), Password: "guess"},
	} {
		c := redis.NewClient(o)
		if err := c.Get(t.Context(), "k").Err(); err == nil || errors.Is(err, redis.Nil) {
			t.Errorf("%s: answered without the password", name)
		}
		_ = c.Close()
	}
	c := redis.NewClient(&redis.Options{Addr: s.Addr(), Password: s.Password()})
	defer c.Close()
	if err := c.Ping(t.Context()).Err(); err != nil {
		t.Error(err)
	}
}

func TestRefusesToListenBeyondLoopback(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":6379", "10.0.0.1:0", "example.com:1"} {
		if s, err := Start(Options{Listen: addr}); !errors.Is(err, ErrNotLoopback) {
			t.Errorf("%s: got %v", addr, err)
			if err == nil {
				_ = s.Close()
			}
		}
	}
}

func TestKeysReallyExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := Start(Options{})
		if err != nil {
			t.Fatal(err)
		}
		c := redis.NewClient(&redis.Options{Dialer: s.Dial, Password: s.Password()})
		if err := c.Set(t.Context(), "k", "v", time.Minute).Err(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(58 * time.Second)
		if err := c.Get(t.Context(), "k").Err(); err != nil {
			t.Errorf("gone after 58 s of 60: %v", err)
		}
		time.Sleep(4 * time.Second)
		if err := c.Get(t.Context(), "k").Err(); !errors.Is(err, redis.Nil) {
			t.Errorf("after 62 s of 60: %v, want it gone", err)
		}
		_ = c.Close()
		_ = s.Close()
	})
}

func TestTooManyKeysDropTheCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := Start(Options{MaxKeys: 10})
		if err != nil {
			t.Fatal(err)
		}
		c := redis.NewClient(&redis.Options{Dialer: s.Dial, Password: s.Password()})
		for i := range 11 {
			if err := c.Set(t.Context(), fmt.Sprint(i), "v", 0).Err(); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(2 * time.Second)
		if n := c.DBSize(t.Context()).Val(); n != 0 {
			t.Errorf("%d keys left", n)
		}
		_ = c.Close()
		_ = s.Close()
	})
}

// Unbuffered pipes would wait for each other here: the client still writes while the server wants to answer.
func TestALargePipelineWithLargeRepliesDoesNotStall(t *testing.T) {
	c := client(t, start(t, Options{}))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := c.Set(ctx, "big", strings.Repeat("x", 64<<10), 0).Err(); err != nil {
		t.Fatal(err)
	}
	p := c.Pipeline()
	for i := range 400 {
		p.Get(ctx, "big")
		p.Set(ctx, fmt.Sprint(i%7), strings.Repeat("y", 300), 0)
	}
	if _, err := p.Exec(ctx); err != nil {
		t.Fatal(err)
	}
}

func TestCloseTwice(t *testing.T) {
	s := start(t, Options{})
	c := client(t, s)
	if err := c.Ping(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.Ping(t.Context()).Err(); err == nil {
		t.Error("answered after Close")
	}
}
