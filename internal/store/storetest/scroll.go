package storetest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/siltstone-ai/siltstone/internal/store/qdrant"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// pages reads a whole listing page by page.
func pages(t *testing.T, s *qdrant.Store, f schema.Filter, o qdrant.ScrollOptions) (all []schema.Point, n int) {
	t.Helper()
	for {
		pts, next, err := s.Scroll(t.Context(), vectorGen, schema.Facts, f, o)
		ok(t, err)
		if len(pts) > o.Limit {
			t.Fatalf("a page of %d points, asked for %d", len(pts), o.Limit)
		}
		all = append(all, pts...)
		if n++; next == "" {
			return all, n
		}
		if n > 1000 {
			t.Fatal("the listing does not end")
		}
		o.Cursor = next
	}
}

func testScrollByID(t *testing.T, srv VectorServer) {
	s := openVectors(t, srv, vectorDim)
	var ws []schema.Write
	for i := range 25 {
		ws = append(ws, upsert(schema.Facts, point(i, ann, nil)), upsert(schema.Facts, point(1000+i, bob, nil)))
	}
	ok(t, s.Apply(t.Context(), vectorGen, ws))
	for _, limit := range []int{1, 7, 25, 26, 100} {
		all, n := pages(t, s, owned(ann), qdrant.ScrollOptions{Limit: limit})
		if want := (25 + limit - 1) / limit; n != want {
			t.Errorf("limit %d: %d pages, want %d", limit, n, want)
		}
		once(t, all, 25)
	}
}

func once(t *testing.T, pts []schema.Point, want int) {
	t.Helper()
	seen := map[string]bool{}
	for _, p := range pts {
		if seen[p.ID] {
			t.Errorf("point %v twice", p.Payload[schema.KeySeq])
		}
		seen[p.ID] = true
		if p.Payload[schema.KeyOwner] != ann {
			t.Errorf("a point of %v", p.Payload[schema.KeyOwner])
		}
	}
	if len(seen) != want {
		t.Errorf("%d points, want %d", len(seen), want)
	}
}

func testScrollByKey(t *testing.T, srv VectorServer) {
	s := openVectors(t, srv, vectorDim)
	var ws []schema.Write
	for i := range 30 {
		more := map[string]any{schema.KeyConfidence: float64(i%3) / 4}
		if i < 27 {
			more[schema.KeyAt] = int64(i / 6) // six points share a time: ties across pages
		}
		ws = append(ws, upsert(schema.Facts, point(i, ann, more)), upsert(schema.Facts, point(1000+i, bob, more)))
	}
	ok(t, s.Apply(t.Context(), vectorGen, ws))
	for _, c := range []struct {
		key  string
		desc bool
		want int
	}{{schema.KeyAt, false, 27}, {schema.KeyAt, true, 27}, {schema.KeySeq, true, 30}, {schema.KeyConfidence, false, 30}, {schema.KeyConfidence, true, 30}} {
		for _, limit := range []int{1, 4, 6, 27, 30, 50} {
			t.Run(fmt.Sprintf("%s desc=%v limit=%d", c.key, c.desc, limit), func(t *testing.T) {
				all, n := pages(t, s, owned(ann), qdrant.ScrollOptions{Limit: limit, OrderBy: c.key, Desc: c.desc})
				once(t, all, c.want)
				if want := (c.want + limit - 1) / limit; n != want {
					t.Errorf("%d pages, want %d", n, want)
				}
				if !slices.IsSortedFunc(all, func(a, b schema.Point) int {
					x, y := number(a.Payload[c.key]), number(b.Payload[c.key])
					if c.desc {
						x, y = y, x
					}
					return int(4*x - 4*y)
				}) {
					t.Error("not in order")
				}
			})
		}
	}

	_, cur, err := s.Scroll(t.Context(), vectorGen, schema.Facts, owned(ann), qdrant.ScrollOptions{Limit: 3, OrderBy: schema.KeyAt})
	ok(t, err)
	// A cursor of one listing, handed to another owner's, reaches nothing of the first.
	pts, _, err := s.Scroll(t.Context(), vectorGen, schema.Facts, owned(bob), qdrant.ScrollOptions{Limit: 50, OrderBy: schema.KeyAt, Cursor: cur})
	ok(t, err)
	for _, p := range pts {
		if p.Payload[schema.KeyOwner] != bob {
			t.Error("a cursor reached another owner's point")
		}
	}
	for _, o := range []qdrant.ScrollOptions{{Cursor: "x"}, {Cursor: cur}, {Cursor: "e30", OrderBy: schema.KeyAt}, {Cursor: cur[:len(cur)-4], OrderBy: schema.KeyAt}} {
		_, _, err := s.Scroll(t.Context(), vectorGen, schema.Facts, owned(ann), o)
		permanent(t, err, schema.CodeInvalid)
	}
}

func number(v any) float64 {
	switch x := v.(type) {
	case int64:
		return float64(x)
	case float64:
		return x
	}
	return -1
}
