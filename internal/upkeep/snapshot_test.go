package upkeep

import (
	"context"
	"fmt"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// pagesOf are points in pages of two.
type pagesOf map[schema.Collection][]schema.Point

func (p pagesOf) Page(_ context.Context, _ int, col schema.Collection, cursor string) ([]schema.Point, string, error) {
	from := 0
	_, _ = fmt.Sscan(cursor, &from)
	ps := p[col]
	to := min(from+2, len(ps))
	if to < len(ps) {
		return ps[from:to], fmt.Sprint(to), nil
	}
	return ps[from:to], "", nil
}

func TestHashTellsWhatDiffers(t *testing.T) {
	base := func() pagesOf {
		return pagesOf{
			schema.Events: {{ID: "a", Payload: map[string]any{"n": int64(1), "s": "x"}}, {ID: "b", Payload: map[string]any{"l": []string{"p", "q"}}}, {ID: "c"}, {ID: "d", Payload: map[string]any{"outcome": "forgotten", "done_clean": true}}},
			schema.Facts:  {{ID: "a", Dense: []float32{1, 0}, Sparse: &schema.Sparse{Indices: []uint32{1, 2}, Values: []float32{.5, .25}}, Payload: map[string]any{"n": 2.5}}},
		}
	}
	sum := func(p pagesOf) schema.Snapshot {
		t.Helper()
		told := uint64(0)
		s, err := Hash(t.Context(), p, 1, func(n uint64) { told = n })
		if err != nil {
			t.Fatal(err)
		}
		if told != uint64(len(p[schema.Events])+len(p[schema.Facts])) {
			t.Errorf("told of %d points", told)
		}
		return s
	}
	want := sum(base())
	if len(want.Collections) != len(schema.Collections) || want.Collections[0].Points != 4 || len(want.Hash) != 64 {
		t.Errorf("%+v", want)
	}
	for name, change := range map[string]func(pagesOf){
		"nothing":                 func(pagesOf) {},
		"the note of who held it": func(p pagesOf) { p[schema.Events][0].Payload["replaced"] = []map[string]any{{"seq": int64(4)}} },
		"how far stages had come with a forgotten event": func(p pagesOf) {
			p[schema.Events][3].Payload = map[string]any{"outcome": "forgotten", "done_clean": true, "done_extract": true, "facts": int64(1)}
		},
		"the order of sparse entries": func(p pagesOf) {
			p[schema.Facts][0].Sparse = &schema.Sparse{Indices: []uint32{2, 1}, Values: []float32{.25, .5}}
		},
	} {
		p := base()
		if change(p); sum(p).Hash != want.Hash {
			t.Errorf("%s changes the hash", name)
		}
	}
	for name, change := range map[string]func(pagesOf){
		"an id":             func(p pagesOf) { p[schema.Events][2].ID = "cc" },
		"a number of facts": func(p pagesOf) { p[schema.Events][0].Payload["facts"] = int64(1) },
		"a stage's flag":    func(p pagesOf) { p[schema.Events][0].Payload["done_extract"] = true },
		"what is forgotten": func(p pagesOf) {
			p[schema.Events][3].Payload["agent"] = "x"
		},
		"a value":         func(p pagesOf) { p[schema.Events][0].Payload["s"] = "y" },
		"a key":           func(p pagesOf) { p[schema.Events][2].Payload = map[string]any{"s": ""} },
		"a list's order":  func(p pagesOf) { p[schema.Events][1].Payload["l"] = []string{"q", "p"} },
		"a point":         func(p pagesOf) { p[schema.Events] = p[schema.Events][:2] },
		"the last bit":    func(p pagesOf) { p[schema.Facts][0].Dense[1] = 1e-45 },
		"a sparse weight": func(p pagesOf) { p[schema.Facts][0].Sparse.Values[0] = .75 },
		"a vector's kind": func(p pagesOf) { p[schema.Facts][0].Dense = nil },
		"a collection":    func(p pagesOf) { p[schema.Triples], p[schema.Facts] = p[schema.Facts], nil },
	} {
		p := base()
		change(p)
		s, err := Hash(t.Context(), p, 1, func(uint64) {})
		if err != nil || s.Hash == want.Hash {
			t.Errorf("%s does not change the hash, %v", name, err)
		}
	}
	p := base()
	p[schema.Events][1].ID = "Z"
	if _, err := Hash(t.Context(), p, 1, func(uint64) {}); err == nil {
		t.Error("points out of order are hashed all the same")
	}
}
