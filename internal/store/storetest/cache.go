package storetest

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/internal/store/redis"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// gen numbers keep the tests of one server apart, and from what a named server holds otherwise.
const cacheGen = 90_000

// Cache checks that a Redis behind the adapter keeps what the rest relies on.
func Cache(t *testing.T, srv CacheServer) {
	open := func(t testing.TB, more func(*redis.Options)) *redis.Store {
		t.Helper()
		o := srv.Options
		if more != nil {
			more(&o)
		}
		s, err := redis.New(o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	for _, c := range []struct {
		name string
		run  func(*testing.T, func(testing.TB, func(*redis.Options)) *redis.Store)
	}{
		{"standing", testStanding},
		{"standing that is old", testOldStanding},
		{"owners and generations are apart", testApart},
		{"fresh voids everything", testFresh},
		{"term counts", testCounts},
		{"term counts expire", testCountsExpire},
		{"touched", testTouched},
		{"recent", testRecent},
		{"recent that ended", testEnded},
		{"recent of two log entries", testEntries},
		{"recent that was lost", testRefill},
		{"forget", testForget},
		{"drop generation", testDropGeneration},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, open) })
	}
	t.Run("stale reads never survive", func(t *testing.T) { testStale(t, srv) })
}

type opener = func(testing.TB, func(*redis.Options)) *redis.Store

// owner is one user of the test at hand: a named server may hold others.
func owner(t testing.TB, user string) string {
	return schema.Owner("storetest", fmt.Sprintf("%s/%s/%d", t.Name(), user, time.Now().UnixNano()))
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func memory(id string) schema.Memory {
	return schema.Memory{
		ID: id, Tenant: "acme", User: "ann", Type: schema.TypeConstraint, Content: "不要香菜 · no coriander",
		Importance: .9, Confidence: 1, Pinned: true, Status: schema.StatusActive,
		ObservedAt: time.UnixMilli(1_700_000_000_123).UTC(),
		Source:     schema.Source{Event: "e1", UUID: schema.EventUUID("acme", "e1"), Class: schema.ClassUser, Seq: 7},
	}
}

func testStanding(t *testing.T, open opener) {
	s, ctx, o := open(t, nil), t.Context(), owner(t, "a")
	_, hit, ver, err := s.Standing(ctx, cacheGen, o)
	ok(t, err)
	if hit || ver == "" {
		t.Fatalf("empty cache: hit %v, version %q", hit, ver)
	}
	want := []schema.Memory{memory("m1"), memory("m2")}
	ok(t, s.FillStanding(ctx, cacheGen, o, ver, want))
	got, hit, _, err := s.Standing(ctx, cacheGen, o)
	ok(t, err)
	if !hit || !reflect.DeepEqual(got, want) {
		t.Fatalf("after the fill: hit %v, %+v, want %+v", hit, got, want)
	}

	// A reader asked, then the facts changed, then the reader fills: what he read is not kept.
	ok(t, s.InvalidateStanding(ctx, cacheGen, o))
	_, hit, stale, err := s.Standing(ctx, cacheGen, o)
	ok(t, err)
	if hit {
		t.Fatal("served after an invalidation")
	}
	ok(t, s.InvalidateStanding(ctx, cacheGen, o))
	for _, v := range []string{stale, ver, "", "/", "forged"} {
		ok(t, s.FillStanding(ctx, cacheGen, o, v, want))
		if _, hit, _, _ := s.Standing(ctx, cacheGen, o); hit {
			t.Fatalf("a fill under the version %q was kept", v)
		}
	}

	// Nothing standing is something to know.
	_, _, ver, err = s.Standing(ctx, cacheGen, o)
	ok(t, err)
	ok(t, s.FillStanding(ctx, cacheGen, o, ver, nil))
	got, hit, _, err = s.Standing(ctx, cacheGen, o)
	ok(t, err)
	if !hit || len(got) != 0 {
		t.Fatalf("an empty fill: hit %v, %d memories", hit, len(got))
	}
}

// What is old is not served as what stands, and is there for who has nothing better, unless it was made void.
func testOldStanding(t *testing.T, open opener) {
	s, ctx, o := open(t, func(o *redis.Options) { o.TTL = 300 * time.Millisecond }), t.Context(), owner(t, "a")
	fill := func() {
		t.Helper()
		_, _, ver, err := s.Standing(ctx, cacheGen, o)
		ok(t, err)
		ok(t, s.FillStanding(ctx, cacheGen, o, ver, []schema.Memory{memory("m1")}))
	}
	last := func() int {
		t.Helper()
		ms, found, err := s.LastStanding(ctx, cacheGen, o)
		ok(t, err)
		if !found {
			return -1
		}
		return len(ms)
	}
	if last() != -1 {
		t.Error("something is found in an empty cache")
	}
	fill()
	for begin := time.Now(); ; {
		_, hit, _, err := s.Standing(ctx, cacheGen, o)
		ok(t, err)
		if !hit {
			break
		}
		if time.Since(begin) > 10*time.Second {
			t.Fatal("still fresh after 10 s of 300 ms")
		}
	}
	if n := last(); n != 1 {
		t.Errorf("of what is old there are %d", n)
	}
	fill() // an old entry takes a new fill
	if n := last(); n != 1 {
		t.Errorf("after another fill there are %d", n)
	}
	ok(t, s.InvalidateStanding(ctx, cacheGen, o))
	if n := last(); n != -1 {
		t.Errorf("after an invalidation there are %d", n)
	}
}

func testApart(t *testing.T, open opener) {
	s, ctx := open(t, nil), t.Context()
	a, b := owner(t, "a"), owner(t, "b")
	fill(t, s, cacheGen, a)
	fill(t, s, cacheGen+1, a)
	fill(t, s, cacheGen, b)
	ok(t, s.InvalidateStanding(ctx, cacheGen, a))
	for _, c := range []struct {
		gen   int
		owner string
		want  bool
	}{{cacheGen, a, false}, {cacheGen + 1, a, true}, {cacheGen, b, true}} {
		_, hit, _, err := s.Standing(ctx, c.gen, c.owner)
		ok(t, err)
		if hit != c.want {
			t.Errorf("generation %d, owner %s: hit %v, want %v", c.gen, c.owner, hit, c.want)
		}
	}
}

func fill(t testing.TB, s *redis.Store, gen int, owner string) {
	t.Helper()
	_, _, ver, err := s.Standing(t.Context(), gen, owner)
	ok(t, err)
	ok(t, s.FillStanding(t.Context(), gen, owner, ver, []schema.Memory{memory("m1")}))
	if _, hit, _, err := s.Standing(t.Context(), gen, owner); err != nil || !hit {
		t.Fatalf("fill was not kept: %v", err)
	}
}

// A process that invalidates may have died with invalidations in its memory: its successor voids everything.
func testFresh(t *testing.T, open opener) {
	var addr redis.Options
	s, ctx, o := open(t, func(o *redis.Options) { addr = *o }), t.Context(), owner(t, "a")
	fill(t, s, cacheGen, o)
	_, _, held, err := s.Standing(ctx, cacheGen, o)
	ok(t, err)

	addr.Fresh = true
	next, err := redis.New(addr)
	ok(t, err)
	defer next.Close()
	if _, hit, _, err := next.Standing(ctx, cacheGen, o); err != nil || hit {
		t.Fatalf("a fresh process: hit %v, %v", hit, err)
	}
	ok(t, s.FillStanding(ctx, cacheGen, o, held, []schema.Memory{memory("m1")}))
	if _, hit, _, err := s.Standing(ctx, cacheGen, o); err != nil || hit {
		t.Fatalf("another process after that, with what it had read before: hit %v, %v", hit, err)
	}
}

func testCounts(t *testing.T, open opener) {
	s, ctx, o := open(t, nil), t.Context(), owner(t, "a")
	c, err := s.TermCounts(ctx, cacheGen, o, []uint32{3, 1, 4_000_000_000})
	ok(t, err)
	if c.HasDocs || len(c.Terms) != 0 || !reflect.DeepEqual(c.Missing, []uint32{3, 1, 4_000_000_000}) {
		t.Fatalf("empty cache: %+v", c)
	}
	ok(t, s.SetTermCounts(ctx, cacheGen, o, redis.Counts{Docs: 120, HasDocs: true, Terms: map[uint32]uint64{3: 0, 4_000_000_000: 17}}))
	c, err = s.TermCounts(ctx, cacheGen, o, []uint32{3, 1, 4_000_000_000})
	ok(t, err)
	want := redis.Counts{Docs: 120, HasDocs: true, Terms: map[uint32]uint64{3: 0, 4_000_000_000: 17}, Missing: []uint32{1}}
	if !reflect.DeepEqual(c, want) {
		t.Fatalf("got %+v, want %+v", c, want)
	}
}

func testCountsExpire(t *testing.T, open opener) {
	const ttl = 1500 * time.Millisecond
	s, ctx, o := open(t, func(o *redis.Options) { o.CountsTTL = ttl }), t.Context(), owner(t, "a")
	ok(t, s.SetTermCounts(ctx, cacheGen, o, redis.Counts{Docs: 1, HasDocs: true}))
	begin := time.Now()
	for term := uint32(0); ; term++ {
		// Later counts must not keep the earlier ones alive.
		ok(t, s.SetTermCounts(ctx, cacheGen, o, redis.Counts{Terms: map[uint32]uint64{term % 50: 1}}))
		c, err := s.TermCounts(ctx, cacheGen, o, nil)
		ok(t, err)
		if !c.HasDocs {
			break
		}
		if time.Since(begin) > ttl+5*time.Second {
			t.Fatalf("the first count still stands after %v of %v", time.Since(begin), ttl)
		}
	}
}

func testTouched(t *testing.T, open opener) {
	s, ctx, o := open(t, nil), t.Context(), owner(t, "a")
	early, late := time.UnixMilli(1_700_000_000_000).UTC(), time.UnixMilli(1_700_000_555_001).UTC()
	ok(t, s.Touch(ctx, cacheGen, o, []string{"a", "b"}, late))
	ok(t, s.Touch(ctx, cacheGen, o, []string{"b", "c"}, early)) // arrives late: b keeps the later time
	got, err := s.Touched(ctx, cacheGen, o, []string{"a", "b", "c", "d"})
	ok(t, err)
	if want := map[string]time.Time{"a": late, "b": late, "c": early}; !reflect.DeepEqual(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	ok(t, s.Touch(ctx, cacheGen, o, nil, late))
	if got, err = s.Touched(ctx, cacheGen, o, nil); err != nil || len(got) != 0 {
		t.Fatalf("no ids: %v, %v", got, err)
	}
}
