package storetest

import (
	"fmt"
	"reflect"
	"strings"
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

func item(i int) schema.Memory {
	m := memory(fmt.Sprintf("i%03d", i))
	m.Tenant, m.Content, m.ObservedAt = "", fmt.Sprintf("第 %d 条", i), time.UnixMilli(1_700_000_000_000+int64(i)).UTC()
	m.ExpiresAt = m.ObservedAt.Add(time.Hour)
	return m
}

func ids(ms []schema.Memory) string {
	var out []string
	for i := range ms {
		out = append(out, ms[i].ID)
	}
	return strings.Join(out, " ")
}

func testRecent(t *testing.T, open opener) {
	s, ctx, o := open(t, func(o *redis.Options) { o.RecentCap = 5 }), t.Context(), owner(t, "a")
	got, err := s.Recent(ctx, cacheGen, o, 10)
	ok(t, err)
	if len(got) != 0 {
		t.Fatalf("empty cache: %v", got)
	}
	for _, i := range []int{3, 1, 7, 5, 2, 6, 4, 7} { // any order, one twice
		ok(t, s.PushRecent(ctx, cacheGen, o, []schema.Memory{item(i)}))
	}
	got, err = s.Recent(ctx, cacheGen, o, 0)
	ok(t, err)
	if ids(got) != "i007 i006 i005 i004 i003" || !reflect.DeepEqual(got[0], item(7)) {
		t.Fatalf("got %s, %+v", ids(got), got[0])
	}
	changed := item(6)
	changed.Confidence = .4
	huge := item(9)
	huge.Content = strings.Repeat("x", 1<<20)
	ok(t, s.PushRecent(ctx, cacheGen, o, []schema.Memory{changed, huge, item(8)}))
	got, err = s.Recent(ctx, cacheGen, o, 3)
	ok(t, err)
	if ids(got) != "i008 i007 i006" || got[2].Confidence != .4 {
		t.Fatalf("got %s, %+v", ids(got), got)
	}
}

// What has ended stays as a trace without content, what was forgotten leaves none, and neither comes back by a push
// that is late.
func testEnded(t *testing.T, open opener) {
	s, ctx, o, other := open(t, nil), t.Context(), owner(t, "a"), owner(t, "b")
	look := func(o string) string {
		t.Helper()
		ms, err := s.Recent(ctx, cacheGen, o, 0)
		ok(t, err)
		var out []string
		for i := range ms {
			m := ms[i]
			if m.Content != "" {
				m.Content = "whole"
			}
			out = append(out, fmt.Sprintf("%s %s %q %v", m.ID, m.Status, m.Content, m.Source.UUID == memory("").Source.UUID))
		}
		return strings.Join(out, "; ")
	}
	all := []schema.Memory{item(1), item(2), item(3)}
	for _, o := range []string{o, other} {
		ok(t, s.PushRecent(ctx, cacheGen, o, all))
	}
	full := look(other)
	gone := schema.Memory{ID: "i002", Status: schema.StatusSuperseded, SupersededBy: "x"} // as whoever supersedes it knows it
	own := item(4)                                                                        // as its own writer does
	own.Status = schema.StatusDuplicate
	ended := []schema.Memory{gone, own, {ID: "i009", Status: schema.StatusDeleted}}
	ok(t, s.EndRecent(ctx, cacheGen, o, ended))
	ok(t, s.Forget(ctx, cacheGen, o, []redis.Gone{{ID: "i003"}, {ID: "i008"}}))
	want := `i004 duplicate "" true; i002 superseded "" true; i001 active "whole" true`
	for range 2 {
		if got := look(o); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		ok(t, s.PushRecent(ctx, cacheGen, o, []schema.Memory{item(2), item(3), item(4), item(8), item(9)}))
		ok(t, s.EndRecent(ctx, cacheGen, o, ended))
	}
	if ms, err := s.Recent(ctx, cacheGen, o, 2); err != nil || ms[1].SupersededBy != "x" {
		t.Errorf("what holds instead: %+v, %v", ms, err)
	}
	if got := look(other); got != full {
		t.Errorf("another user: %s, want %s", got, full)
	}
	ok(t, s.EndRecent(ctx, cacheGen, o, nil))
	ok(t, s.Forget(ctx, cacheGen, o, nil))

	// Traces are bounded as items are.
	s = open(t, func(o *redis.Options) { o.RecentCap = 2 })
	o = owner(t, "c")
	for i := range 4 {
		m := item(i)
		m.Status = schema.StatusSuperseded
		ok(t, s.EndRecent(ctx, cacheGen, o, []schema.Memory{m}))
	}
	if got := look(o); !strings.HasPrefix(got, "i003 ") || strings.Count(got, ";") != 1 {
		t.Errorf("got %s, want the latest two", got)
	}
}

// Of two log entries of one event id the first is the event, in whatever order they come and the other is taken back.
func testEntries(t *testing.T, open opener) {
	s, ctx := open(t, nil), t.Context()
	first, second := item(1), item(1)
	first.Source.Seq, second.Source.Seq, second.Content = 9, 10, "another body" // 9 < 10, as numbers
	push := func(m schema.Memory) func(string) {
		return func(o string) { ok(t, s.PushRecent(ctx, cacheGen, o, []schema.Memory{m})) }
	}
	back := func(o string) { ok(t, s.Forget(ctx, cacheGen, o, []redis.Gone{{ID: second.ID, Seq: 10}})) }
	for i, c := range []struct {
		steps []func(string)
		want  string
	}{
		{[]func(string){push(first), push(second)}, first.Content}, {[]func(string){push(second), push(first)}, first.Content},
		{[]func(string){push(second), back, push(first)}, first.Content}, {[]func(string){push(first), push(second), back}, first.Content},
		{[]func(string){push(second), back}, ""}, {[]func(string){back, push(second)}, ""}, {[]func(string){push(first), push(first), back, push(second)}, first.Content},
	} {
		o := owner(t, fmt.Sprint(i))
		for _, step := range c.steps {
			step(o)
		}
		ms, err := s.Recent(ctx, cacheGen, o, 0)
		ok(t, err)
		if got := len(ms); got > 1 || got == 0 != (c.want == "") || got == 1 && (ms[0].Content != c.want || ms[0].Source.Seq != 9) {
			t.Errorf("%d: %+v, want %q", i, ms, c.want)
		}
	}
}

func testForget(t *testing.T, open opener) {
	s, ctx, o, other := open(t, nil), t.Context(), owner(t, "a"), owner(t, "b")
	load := func(o string) {
		fill(t, s, cacheGen, o)
		ok(t, s.PushRecent(ctx, cacheGen, o, []schema.Memory{item(1), item(2)}))
		ok(t, s.Touch(ctx, cacheGen, o, []string{"i001", "i002"}, time.UnixMilli(5)))
		ok(t, s.SetTermCounts(ctx, cacheGen, o, redis.Counts{Docs: 2, HasDocs: true}))
	}
	look := func(o string) string {
		_, hit, _, err := s.Standing(ctx, cacheGen, o)
		ok(t, err)
		items, err := s.Recent(ctx, cacheGen, o, 0)
		ok(t, err)
		touched, err := s.Touched(ctx, cacheGen, o, []string{"i001", "i002"})
		ok(t, err)
		c, err := s.TermCounts(ctx, cacheGen, o, nil)
		ok(t, err)
		return fmt.Sprintf("standing %v, recent %s, touched %d, counts %v", hit, ids(items), len(touched), c.HasDocs)
	}
	load(o)
	load(other)
	full := look(other)
	ok(t, s.Forget(ctx, cacheGen, o, []redis.Gone{{ID: "i001"}}))
	if got, want := look(o), "standing true, recent i002, touched 1, counts true"; got != want {
		t.Errorf("by id: %s, want %s", got, want)
	}
	many := make([]redis.Gone, 2500) // more than goes at once
	for i := range many {
		many[i].ID = fmt.Sprintf("i%03d", i)
	}
	ok(t, s.Forget(ctx, cacheGen, o, many))
	if got, want := look(o), "standing true, recent , touched 0, counts true"; got != want {
		t.Errorf("all: %s, want %s", got, want)
	}
	if got := look(other); got != full {
		t.Errorf("another user: %s, want %s", got, full)
	}
}

func testDropGeneration(t *testing.T, open opener) {
	s, ctx := open(t, nil), t.Context()
	const dropped, kept = cacheGen + 2, cacheGen + 20 // one number begins the other
	var owners []string
	for i := range 30 {
		o := owner(t, fmt.Sprint(i))
		owners = append(owners, o)
		for _, gen := range []int{dropped, kept} {
			ok(t, s.PushRecent(ctx, gen, o, []schema.Memory{item(i)}))
		}
	}
	ok(t, s.DropGeneration(ctx, dropped))
	for _, o := range owners {
		gone, err := s.Recent(ctx, dropped, o, 0)
		ok(t, err)
		there, err := s.Recent(ctx, kept, o, 0)
		ok(t, err)
		if len(gone) != 0 || len(there) != 1 {
			t.Fatalf("dropped generation holds %d, the other %d", len(gone), len(there))
		}
	}
}
