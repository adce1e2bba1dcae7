package retrieve

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// pages reads a whole list, limit by limit.
func (w *world) pages(r ListRequest) (all []schema.Item, pages int) {
	w.t.Helper()
	r.User = user
	for {
		p, err := w.svc.List(w.t.Context(), tenant, r)
		if err != nil {
			w.t.Fatalf("list: %v", err)
		}
		all = append(all, p.Items...)
		pages++
		if p.Cursor == "" {
			return all, pages
		}
		if len(p.Items) != r.Limit {
			w.t.Fatalf("a page of %d of %d items is not the last", len(p.Items), r.Limit)
		}
		r.Cursor = p.Cursor
	}
}

func TestListIsWholeAndOrderedWhateverThePage(t *testing.T) {
	w := newWorld(t)
	for i := range 23 { // many of one moment, so that pages end amid it
		at := time.Date(2026, 5, 1, 9, i/7, 0, 0, time.UTC)
		w.turn(fmt.Sprint("e", i), user, "c1", at.Format(time.RFC3339), said(fmt.Sprint("turn ", i)), printed("tool.0", "ls", fmt.Sprint("file", i)))
		w.fact(fmt.Sprint("f", i), schema.TypeFact, fmt.Sprint("fact ", i), func(m *schema.Memory) { m.ObservedAt = at })
	}
	w.turn("x", "u2", "c1", "2026-05-01T09:00:00Z", said("another user's"))
	want, _ := w.pages(ListRequest{Limit: schema.MaxPage})
	if len(want) != 46 {
		t.Fatalf("%d items, want 46", len(want))
	}
	if !slices.IsSortedFunc(want, func(a, b schema.Item) int {
		if c := b.ObservedAt.Compare(a.ObservedAt); c != 0 {
			return c
		}
		return strings.Compare(b.ID, a.ID)
	}) {
		t.Error("not from the newest to the oldest")
	}
	for _, it := range want {
		if it.Type == schema.TypeEpisode && !strings.Contains(it.Content, "file") {
			t.Errorf("a list shows all computed text: %q", it.Content)
		}
	}
	for _, limit := range []int{1, 2, 3, 5, 7, 14, 45, 46, 47} {
		got, _ := w.pages(ListRequest{Limit: limit})
		if contents(got) != contents(want) {
			t.Errorf("pages of %d:\n%s\nwant\n%s", limit, contents(got), contents(want))
		}
	}
	first, err := w.svc.List(t.Context(), tenant, ListRequest{User: user, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	w.turn("late", user, "c1", "2026-05-02T09:00:00Z", said("newer than the cursor"))
	next, err := w.svc.List(t.Context(), tenant, ListRequest{User: user, Limit: 10, Cursor: first.Cursor})
	if err != nil || contents(next.Items) != contents(want[10:20]) {
		t.Errorf("a new memory moved the page: %v %s", err, contents(next.Items))
	}
}

func TestListByStatusTypeKindAndText(t *testing.T) {
	w := newWorld(t)
	old := func(m *schema.Memory) { m.Status = schema.StatusSuperseded }
	w.turn("e-a", user, "c1", "2026-03-01T10:00:00Z", said("The port is 3306."))
	w.turn("e-b", user, "c1", "2026-03-02T10:00:00Z", said("Ｃoriander, never."))
	w.fact("a", schema.TypeFact, "port is 3306", old)
	w.fact("b", schema.TypeConstraint, "no coriander")
	w.fact("c", schema.TypeFact, "said twice", func(m *schema.Memory) { m.Status = schema.StatusDuplicate })
	w.fact("d", schema.TypeFact, "taken back", func(m *schema.Memory) { m.Status = schema.StatusDeleted })
	w.fact("e", schema.TypeTodoHint, "over", func(m *schema.Memory) { m.ExpiresAt = w.now.Add(-time.Hour) })
	w.fact("f", schema.TypeFact, "of a project", func(m *schema.Memory) { m.Kind = schema.KindProject })
	for _, c := range []struct {
		name string
		r    ListRequest
		want []string
	}{
		{"active", ListRequest{}, []string{"no coriander", "Ｃoriander, never.", "of a project"}},
		{"superseded", ListRequest{Status: "superseded"}, []string{"port is 3306", "The port is 3306."}},
		{"all but what was taken back", ListRequest{Status: "all"}, []string{"no coriander", "Ｃoriander, never.", "of a project", "port is 3306", "The port is 3306.", "said twice", "over"}},
		{"type", ListRequest{Type: schema.TypeEpisode, Status: "all"}, []string{"Ｃoriander, never.", "The port is 3306."}},
		{"kind", ListRequest{Kind: schema.KindProject}, []string{"of a project"}},
		{"text, folded", ListRequest{Q: "CORIANDER"}, []string{"no coriander", "Ｃoriander, never."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.r.Limit = 2
			got, _ := w.pages(c.r)
			var texts []string
			for _, it := range got {
				texts = append(texts, it.Content)
			}
			slices.Sort(texts)
			slices.Sort(c.want)
			if !slices.Equal(texts, c.want) {
				t.Errorf("got %q, want %q", texts, c.want)
			}
		})
	}
	for field, r := range map[string]ListRequest{
		"user": {}, "status": {User: user, Status: "old"}, "type": {User: user, Type: "x"}, "kind": {User: user, Kind: "x"},
		"limit": {User: user, Limit: schema.MaxPage + 1}, "cursor": {User: user, Cursor: "%%"},
	} {
		if _, err := w.svc.List(t.Context(), tenant, r); schema.CodeOf(err) != schema.CodeInvalid || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
	w.store.scrollErr = errDown
	if _, err := w.svc.List(t.Context(), tenant, ListRequest{User: user}); err == nil {
		t.Error("a list that cannot be read is an error, not an empty list")
	}
}

func TestListOfMoreThanOneReadOfOneMoment(t *testing.T) {
	w := newWorld(t)
	at := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	for i := range 300 {
		w.fact(fmt.Sprint("f", i), schema.TypeFact, fmt.Sprint("fact ", i), func(m *schema.Memory) { m.ObservedAt = at })
	}
	got, pages := w.pages(ListRequest{Limit: 20})
	seen := map[string]bool{}
	for _, it := range got {
		seen[it.ID] = true
	}
	if len(got) != 300 || len(seen) != 300 || pages != 15 {
		t.Errorf("%d items, %d different, %d pages", len(got), len(seen), pages)
	}
}

func FuzzCursor(f *testing.F) {
	f.Add(cursor{1, "x"}.String())
	f.Add("MS4x")
	f.Fuzz(func(t *testing.T, s string) {
		c, err := parseCursor(s)
		if err != nil {
			return
		}
		if again, err := parseCursor(c.String()); err != nil || again != c {
			t.Fatalf("%q: %v, then %v %v", s, c, again, err)
		}
	})
}

// A forged cursor far outside of time is refused, not followed.
func TestListRefusesCursorsOutsideOfTime(t *testing.T) {
	for _, at := range []string{"-9223372036854775808", "-4611686018427387905", "9223372036854775807"} {
		c := base64.RawURLEncoding.EncodeToString([]byte("1." + at + ".a"))
		if err := (&ListRequest{User: "u", Cursor: c}).Validate(); schema.CodeOf(err) != schema.CodeInvalid {
			t.Errorf("a cursor at %s is taken: %v", at, err)
		}
	}
}
