package redis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

const gen = 1

// rig is a server whose answers and whose line a test can spoil.
type rig struct {
	m   *miniredis.Miniredis
	cut atomic.Bool
}

func newRig(t *testing.T) *rig {
	r := &rig{m: miniredis.NewMiniRedis()}
	if err := r.m.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.m.Close)
	return r
}

func (r *rig) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	if r.cut.Load() {
		return nil, errors.New("the line is cut")
	}
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", r.m.Addr())
	return &line{c, &r.cut}, err
}

// line fails once the rig is cut.
type line struct {
	net.Conn
	cut *atomic.Bool
}

func (l *line) Read(p []byte) (int, error) {
	if l.cut.Load() {
		return 0, net.ErrClosed
	}
	return l.Conn.Read(p)
}

func (l *line) Write(p []byte) (int, error) {
	if l.cut.Load() {
		return 0, net.ErrClosed
	}
	return l.Conn.Write(p)
}

// hook runs before each command but the handshake's; true means it has answered.
func (r *rig) hook(f func(c *server.Peer, cmd string) bool) {
	r.m.Server().SetPreHook(func(c *server.Peer, cmd string, _ ...string) bool {
		if cmd = strings.ToUpper(cmd); cmd == "HELLO" || cmd == "CLIENT" || cmd == "AUTH" {
			return false
		}
		return f(c, cmd)
	})
}

func (r *rig) store(t *testing.T, o Options) *Store {
	t.Helper()
	o.Dial = r.Dial
	if o.Rest == 0 {
		o.Rest = time.Nanosecond
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func retryable(t testing.TB, err error) {
	t.Helper()
	var e *schema.Error
	if !errors.As(err, &e) || !e.Retry {
		t.Errorf("got %v, want a retryable error", err)
	}
}

func fillFor(t testing.TB, s *Store, owner string) {
	t.Helper()
	_, _, ver, err := s.Standing(t.Context(), gen, owner)
	ok(t, err)
	ok(t, s.FillStanding(t.Context(), gen, owner, ver, []schema.Memory{{ID: "m"}}))
	if !hit(t, s, owner) {
		t.Fatal("the fill was not kept")
	}
}

func hit(t testing.TB, s *Store, owner string) bool {
	t.Helper()
	_, h, _, err := s.Standing(t.Context(), gen, owner)
	ok(t, err)
	return h
}

func eventually(t testing.TB, what string, cond func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !cond(); {
		if time.Now().After(deadline) {
			t.Fatalf("not so after 10 s: %s", what)
		}
	}
}

func TestPitfall38_ACommandThatRunsTwiceCountsOnce(t *testing.T) {
	r := newRig(t)
	s := r.store(t, Options{Timeout: 100 * time.Millisecond})
	at := time.UnixMilli(1_700_000_000_000).UTC()
	for name, call := range map[string]func() error{
		"push": func() error {
			return s.PushRecent(t.Context(), gen, "o", []schema.Memory{{ID: "a", ObservedAt: at}})
		},
		"touch":  func() error { return s.Touch(t.Context(), gen, "o", []string{"a"}, at) },
		"counts": func() error { return s.SetTermCounts(t.Context(), gen, "o", Counts{Docs: 3, HasDocs: true}) },
	} {
		var once sync.Once
		r.hook(func(*server.Peer, string) bool { // the first command runs, its answer comes too late
			once.Do(func() { time.Sleep(200 * time.Millisecond) })
			return false
		})
		if err := call(); err == nil {
			t.Errorf("%s: no error though the answer was late", name)
		}
		eventually(t, name+" succeeds", func() bool { return call() == nil })
	}
	items, err := s.c.ZCard(t.Context(), keyRecent(gen, "o")).Result() // not by Recent: what a failed push left is removed before it is read
	ok(t, err)
	touched, err := s.Touched(t.Context(), gen, "o", []string{"a"})
	ok(t, err)
	c, err := s.TermCounts(t.Context(), gen, "o", nil)
	ok(t, err)
	if items != 1 || !touched["a"].Equal(at) || c.Docs != 3 {
		t.Errorf("%d items, touched %v, counts %+v", items, touched, c)
	}
}

// The same, for what guards the cache: a late second run of an invalidation must not bring the version of its first
// run back, nor one of a new epoch.
func TestPitfall38_ALateRepetitionBringsNoVersionBack(t *testing.T) {
	r := newRig(t)
	s, ctx := r.store(t, Options{}), t.Context()
	run := func() string {
		ok(t, scriptInvalidate.Run(ctx, s.c, []string{"k"}, "token", 1000).Err())
		return s.c.HGet(ctx, "k", fieldVer).Val()
	}
	if a, b := run(), run(); a == "" || a == b {
		t.Errorf("two runs of one invalidation: %q and %q", a, b)
	}
	epoch := func() string {
		e, err := scriptEpoch.Run(ctx, s.c, []string{keyEpoch}, "token", "").Text()
		ok(t, err)
		return e
	}
	if a, b := epoch(), epoch(); a == "" || a == b {
		t.Errorf("two runs of one voiding: %q and %q", a, b)
	}
}

func TestPitfall39_ADeadlineInterruptsAReadUnderWay(t *testing.T) {
	r := newRig(t)
	s := r.store(t, Options{Timeout: 10 * time.Second})
	ok(t, s.Ping(t.Context()))
	r.hook(func(*server.Peer, string) bool { time.Sleep(400 * time.Millisecond); return false })
	ctx, cancel := context.WithTimeout(t.Context(), 25*time.Millisecond)
	defer cancel()
	begin := time.Now()
	_, err := s.Recent(ctx, gen, "o", 1)
	if took := time.Since(begin); took > 200*time.Millisecond {
		t.Errorf("took %v", took)
	}
	if schema.CodeOf(err) != schema.CodeTimeout && schema.CodeOf(err) != schema.CodeUnavailable {
		t.Errorf("got %v", err)
	}
	retryable(t, err)
}

func TestPitfall40_AReplicaThatRefusesWritesIsTriedAgain(t *testing.T) {
	r := newRig(t)
	s := r.store(t, Options{})
	for _, c := range []struct {
		refusals int32
		want     bool
	}{{2, true}, {1000, false}} {
		var n atomic.Int32
		r.hook(func(p *server.Peer, cmd string) bool {
			if n.Add(1) > c.refusals {
				return false
			}
			p.WriteError("READONLY You can't write against a read only replica.")
			return true
		})
		err := s.Touch(t.Context(), gen, "o", []string{"a"}, time.UnixMilli(5))
		if (err == nil) != c.want {
			t.Errorf("%d refusals: %v after %d commands", c.refusals, err, n.Load())
		}
		if err != nil {
			retryable(t, err)
		}
	}
}

func TestPitfall41_ASmallPoolBoundsTheWait(t *testing.T) {
	r := newRig(t)
	s := r.store(t, Options{PoolSize: 4, Timeout: 300 * time.Millisecond})
	r.hook(func(*server.Peer, string) bool { time.Sleep(20 * time.Millisecond); return false })
	var wg sync.WaitGroup
	var slowest atomic.Int64
	var answered, refused atomic.Int32
	for range 128 {
		wg.Go(func() {
			begin := time.Now()
			_, err := s.Recent(t.Context(), gen, "o", 1)
			if took := int64(time.Since(begin)); took > slowest.Load() {
				slowest.Store(took)
			}
			if err != nil {
				retryable(t, err)
				refused.Add(1)
				return
			}
			answered.Add(1)
		})
	}
	wg.Wait()
	if d := time.Duration(slowest.Load()); d > time.Second {
		t.Errorf("slowest call took %v of 300 ms", d)
	}
	if answered.Load() == 0 || r.m.TotalConnectionCount() > 4+int(refused.Load()) {
		t.Errorf("%d answered, %d refused, %d connections", answered.Load(), refused.Load(), r.m.TotalConnectionCount())
	}
}

func TestAnInvalidationThatDidNotArriveIsMadeUpFor(t *testing.T) {
	r := newRig(t)
	s := r.store(t, Options{})
	healthy := &rig{m: r.m} // a second process with a line of its own
	second := healthy.store(t, Options{})
	fillFor(t, s, "o")
	_, _, held, err := second.Standing(t.Context(), gen, "o")
	ok(t, err)

	r.cut.Store(true)
	retryable(t, s.InvalidateStanding(t.Context(), gen, "o"))
	if _, h, _, err := s.Standing(t.Context(), gen, "o"); err == nil || h {
		t.Errorf("served while its invalidation waits: %v, %v", h, err)
	}
	if n, _ := s.Pending(); n != 1 {
		t.Errorf("%d pending", n)
	}

	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	r.cut.Store(false)
	eventually(t, "nothing pending", func() bool { n, all := s.Pending(); return n == 0 && !all })
	if hit(t, second, "o") {
		t.Error("the other process is served what was invalidated")
	}
	ok(t, second.FillStanding(t.Context(), gen, "o", held, []schema.Memory{{ID: "stale"}}))
	if hit(t, second, "o") {
		t.Error("what was read before the invalidation was stored after it")
	}
	cancel()
	ok(t, <-done)
}

func TestTooManyLostInvalidationsVoidEverything(t *testing.T) {
	r := newRig(t)
	s := r.store(t, Options{})
	healthy := &rig{m: r.m}
	second := healthy.store(t, Options{})
	fillFor(t, s, "untouched")
	fillFor(t, s, "o1")

	r.cut.Store(true)
	owners := make([]string, maxPending+1)
	for i := range owners {
		owners[i] = fmt.Sprintf("o%d", i)
	}
	retryable(t, s.InvalidateStanding(t.Context(), gen, owners...))
	if n, all := s.Pending(); n != 0 || !all {
		t.Fatalf("%d keys pending, all %v: memory is not bounded", n, all)
	}
	retryable(t, s.InvalidateStanding(t.Context(), gen, "o1"))
	r.cut.Store(false)
	ok(t, s.flush(t.Context()))
	for _, o := range []string{"untouched", "o1"} {
		if hit(t, s, o) || hit(t, second, o) {
			t.Errorf("%s is still served", o)
		}
	}
	fillFor(t, second, "o1")
	if !hit(t, s, "o1") {
		t.Error("nothing is cached after it")
	}
}

// The caches' part of an end, or of forgetting, is made up for when the server is back; until then this process shows
// nothing of the user that it may concern.
func TestAnEndThatDidNotArriveIsMadeUpFor(t *testing.T) {
	for name, end := range map[string]func(*Store) error{
		"end":    func(s *Store) error { return s.EndRecent(t.Context(), gen, "o", []schema.Memory{{ID: "a"}}) },
		"forget": func(s *Store) error { return s.Forget(t.Context(), gen, "o", []Gone{{ID: "a"}}) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			s := r.store(t, Options{})
			second := (&rig{m: r.m}).store(t, Options{})
			fillFor(t, s, "o")
			for _, o := range []string{"o", "p"} {
				ok(t, s.PushRecent(t.Context(), gen, o, []schema.Memory{{ID: "a", Content: "x"}, {ID: "b", Content: "y"}}))
			}
			r.cut.Store(true)
			retryable(t, end(s))
			if _, err := s.Recent(t.Context(), gen, "o", 0); err == nil {
				t.Error("served while the end waits")
			}
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { done <- s.Run(ctx) }()
			r.cut.Store(false)
			eventually(t, "nothing pending", func() bool { n, all := s.Pending(); return n == 0 && !all })
			for _, c := range []struct {
				owner string
				want  int
			}{{"o", 0}, {"p", 2}} {
				if ms, err := second.Recent(t.Context(), gen, c.owner, 0); err != nil || len(ms) != c.want {
					t.Errorf("another process sees %d recent items of %s, %v; want %d", len(ms), c.owner, err, c.want)
				}
			}
			if !hit(t, second, "o") {
				t.Error("standing memories are gone too")
			}
			cancel()
			ok(t, <-done)
		})
	}
}

func TestTooManyLostEndsRemoveAllRecentItems(t *testing.T) {
	r := newRig(t)
	s := r.store(t, Options{})
	second := (&rig{m: r.m}).store(t, Options{})
	fillFor(t, s, "untouched")
	ok(t, s.Touch(t.Context(), gen, "untouched", []string{"a"}, time.UnixMilli(5)))
	for g := range 3 {
		ok(t, s.PushRecent(t.Context(), g, "untouched", []schema.Memory{{ID: "a", Content: "x"}}))
	}
	r.cut.Store(true)
	for i := range maxPending + 1 {
		retryable(t, s.EndRecent(t.Context(), gen, fmt.Sprint("o", i), []schema.Memory{{ID: "a"}}))
	}
	if n, all := s.Pending(); n != 0 || !all {
		t.Fatalf("%d pending, all %v: memory is not bounded", n, all)
	}
	r.cut.Store(false)
	_, err := s.Recent(t.Context(), gen, "untouched", 0)
	retryable(t, err)
	if !hit(t, s, "untouched") {
		t.Error("standing memories are void too")
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	eventually(t, "nothing pending", func() bool { n, all := s.Pending(); return n == 0 && !all })
	for g := range 3 {
		if ms, err := second.Recent(t.Context(), g, "untouched", 0); err != nil || len(ms) != 0 {
			t.Errorf("generation %d: %d recent items are left, %v", g, len(ms), err)
		}
	}
	if at, err := s.Touched(t.Context(), gen, "untouched", []string{"a"}); err != nil || len(at) != 1 {
		t.Errorf("last accesses are gone too: %v, %v", at, err)
	}
	cancel()
	ok(t, <-done)
}

func TestAServerThatIsAwayCostsOneTimeout(t *testing.T) {
	s, err := New(Options{Timeout: 150 * time.Millisecond, Rest: time.Minute,
		Dial: func(ctx context.Context, _, _ string) (net.Conn, error) { <-ctx.Done(); return nil, ctx.Err() }})
	ok(t, err)
	defer s.Close()
	begin := time.Now()
	for range 100 {
		retryable(t, s.InvalidateStanding(t.Context(), gen, "o"))
		_, _, _, err := s.Standing(t.Context(), gen, "p")
		retryable(t, err)
	}
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("200 calls took %v", took)
	}
}

func TestACallersDeadlineDoesNotShutTheGate(t *testing.T) {
	r := newRig(t)
	s := r.store(t, Options{Rest: time.Minute})
	ok(t, s.Touch(t.Context(), gen, "o", []string{"a"}, time.UnixMilli(1)))
	r.hook(func(*server.Peer, string) bool { time.Sleep(50 * time.Millisecond); return false })
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	if _, err := s.Recent(ctx, gen, "o", 1); err == nil {
		t.Fatal("no error after 5 ms of 50")
	}
	_, err := s.Recent(t.Context(), gen, "o", 1)
	ok(t, err)
}

// useAll calls everything that runs while Siltstone works.
func useAll(t *testing.T, s *Store) {
	fillFor(t, s, "o")
	ok(t, s.InvalidateStanding(t.Context(), gen, "o", "p"))
	_, _, err := s.LastStanding(t.Context(), gen, "o")
	ok(t, err)
	ok(t, s.SetTermCounts(t.Context(), gen, "o", Counts{Docs: 1, HasDocs: true, Terms: map[uint32]uint64{1: 1}}))
	_, err = s.TermCounts(t.Context(), gen, "o", []uint32{1})
	ok(t, err)
	ok(t, s.Touch(t.Context(), gen, "o", []string{"a", "b"}, time.UnixMilli(1)))
	_, err = s.Touched(t.Context(), gen, "o", []string{"a", "c"})
	ok(t, err)
	ok(t, s.PushRecent(t.Context(), gen, "o", []schema.Memory{{ID: "a"}, {ID: "b"}}))
	_, err = s.Recent(t.Context(), gen, "o", 0)
	ok(t, err)
	lost, err := s.BeginRecent(t.Context(), gen, "p")
	ok(t, err)
	ok(t, s.FillRecent(t.Context(), gen, "p", lost, []schema.Memory{{ID: "c", Content: "x"}}))
	ok(t, s.EndRecent(t.Context(), gen, "o", []schema.Memory{{ID: "b"}}))
	ok(t, s.Forget(t.Context(), gen, "o", []Gone{{ID: "a"}}))
}

func TestHotPathsUseIdempotentCommandsAndNeverScan(t *testing.T) {
	r := newRig(t)
	s := r.store(t, Options{})
	var mu sync.Mutex
	seen := map[string]bool{}
	r.hook(func(_ *server.Peer, cmd string) bool {
		mu.Lock()
		defer mu.Unlock()
		seen[cmd] = true
		return false
	})
	useAll(t, s)
	allowed := []string{"GET", "HMGET", "HGET", "HEXISTS", "HLEN", "PTTL", "TIME", "ZCARD", "ZSCORE", "ZRANGE", "EVAL", "EVALSHA", "SCRIPT", // scripts' own commands show too
		"SET", "HSET", "HSETNX", "ZADD", "ZREMRANGEBYRANK", "ZREMRANGEBYSCORE", "PEXPIRE", "ZREM", "HDEL", "DEL"}
	mu.Lock()
	defer mu.Unlock()
	for cmd := range seen {
		if !slices.Contains(allowed, cmd) {
			t.Errorf("%s is used", cmd)
		}
	}
}

func TestEveryKeyExpiresButTheEpoch(t *testing.T) {
	r := newRig(t)
	s := r.store(t, Options{})
	useAll(t, s)
	keys := r.m.Keys()
	if len(keys) < 6 {
		t.Fatalf("keys %q", keys)
	}
	for _, k := range keys {
		if !strings.HasPrefix(k, prefix) {
			t.Errorf("key %q lies outside the prefix", k)
		}
		if r.m.TTL(k) <= 0 && k != keyEpoch {
			t.Errorf("key %q does not expire", k)
		}
	}
}

func TestKeysAreApart(t *testing.T) {
	owners := []string{schema.Owner("a", "b"), schema.Owner("a.b", ""), schema.Owner("", "a.b"), schema.Owner("a", "b}"), schema.Owner("a", "{b"), schema.Owner("ab", ""), schema.Owner("a", "b:c")}
	seen := map[string]string{keyEpoch: "epoch"}
	for _, o := range owners {
		for g := range 13 {
			for what, k := range map[string]string{"standing": keyStanding(g, o), "counts": keyCounts(g, o), "touched": keyTouched(g, o), "recent": keyRecent(g, o), "items": keyItems(g, o), "ended": keyEnded(g, o)} {
				at := fmt.Sprint(what, g, o)
				if was, taken := seen[k]; taken {
					t.Errorf("%s and %s share the key %s", was, at, k)
				}
				seen[k] = at
				if !strings.HasPrefix(k, keyGen(g)) || strings.Count(k, "{") != 1 || !strings.HasSuffix(k, "{"+o+"}") {
					t.Errorf("key %s", k)
				}
			}
		}
	}
}

func TestABadURLIsRefusedWithoutItsPassword(t *testing.T) {
	for _, u := range []string{"", "http://:hunter2@x", "redis://:hunter2@x:99999999", "redis://:hunter2%zz@x", "redis://:hunter2@x/notadb"} {
		_, err := New(Options{URL: u})
		if !schema.IsPermanent(err) {
			t.Errorf("%s: %v", u, err)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error tells the password: %v", err)
		}
	}
}

type refusal string

func (r refusal) Error() string { return string(r) }
func (refusal) RedisError()     {}

// TestErrorsQuoteNoMemory: a server quotes the arguments of a command that it does not know, and errors are logged.
func TestErrorsQuoteNoMemory(t *testing.T) {
	for said, kept := range map[string]string{
		"ERR unknown command 'EVALSHA', with args beginning with: 'the canary' ": "server answered ERR unknown command",
		"ERR unknown command `HSET`, with args beginning with: `the canary`":     "server answered ERR unknown command",
		"WRONGTYPE Operation against a key holding the wrong kind of value":      "wrong kind of value",
		"OOM command not allowed when used memory > 'maxmemory'.":                "OOM command not allowed",
	} {
		err := fail("fill a list", fmt.Errorf("pipeline: %w", refusal(said)))
		if s := err.Error(); strings.Contains(s, "canary") || !strings.Contains(s, kept) || !strings.Contains(s, "fill a list") {
			t.Errorf("%q is told as %q", said, s)
		}
	}
}
