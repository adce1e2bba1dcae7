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
