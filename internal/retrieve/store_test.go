package retrieve

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/internal/store/qdrant"
	"github.com/siltstone-ai/siltstone/internal/store/storetest"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// scroller gives the adapter's pages the shape of the port.
type scroller struct{ *qdrant.Store }

func (s scroller) Scroll(ctx context.Context, gen int, col schema.Collection, f schema.Filter, page Page) ([]schema.Point, error) {
	o := qdrant.ScrollOptions{Limit: page.Limit}
	if page.Newest {
		o.OrderBy, o.Desc = schema.KeyAt, true
	}
	ps, _, err := s.Store.Scroll(ctx, gen, col, f, o)
	return ps, err
}

// TestFakeAndRealStoreGiveTheSameReplies holds the fake of the other tests to the adapter over a real server: every
// filter, arm and order that queries use.
func TestFakeAndRealStoreGiveTheSameReplies(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a vector store")
	}
	w := newWorld(t)
	household(w)
	ended := w.now.Add(-10 * 24 * time.Hour)
	for i := range 12 {
		at := w.now.Add(-time.Duration(i) * 36 * time.Hour)
		w.turn(fmt.Sprint("t", i), user, fmt.Sprint("k", i/4), at.Format(time.RFC3339), said(fmt.Sprintf("Berth %d of the Oslo harbour has crane %d.", i, i*7)),
			replied("Noted."), printed("tool.0", "harbour_map", fmt.Sprintf("berth %d at %d m", i, i*100)))
		w.fact(fmt.Sprint("n", i), schema.TypeFact, fmt.Sprintf("crane %d stands at berth %d", i*7, i), func(m *schema.Memory) {
			m.ObservedAt, m.Source.UUID = at, schema.EventUUID(tenant, fmt.Sprint("t", i))
			switch i % 4 {
			case 1:
				m.Status, m.ValidTo = schema.StatusSuperseded, ended
			case 2:
				m.ExpiresAt = w.now.Add(time.Duration(i-5) * time.Hour)
			}
		})
	}
	w.turn("x", "u2", "k1", "2026-05-01T09:00:00Z", said("Berth 1 of the Oslo harbour, by another user."))

	srv := storetest.EmbeddedQdrant(t)
	srv.Options.Stages = []string{"vectorize", "extract"}
	store, err := qdrant.New(srv.Options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	if err := store.EnsureGeneration(t.Context(), 1, 256); err != nil {
		t.Fatal(err)
	}
	var writes []schema.Write
	for col, ps := range w.store.points {
		for _, p := range ps {
			owner, _ := p.Payload[schema.KeyOwner].(string)
			writes = append(writes, schema.Write{Kind: schema.WriteUpsert, Collection: col, Owner: owner, Point: p})
		}
	}
	if err := store.Apply(t.Context(), 1, writes); err != nil {
		t.Fatal(err)
	}
	deps := w.deps
	deps.Points, deps.Scroller, deps.Standing, deps.Counts = store, scroller{store}, nil, nil
	real, err := New(w.cfg, deps, nil)
	if err != nil {
		t.Fatal(err)
	}
	fake := w.svc

	compared := 0
	day := func(d int) time.Time { return time.Date(2026, 5, d, 0, 0, 0, 0, time.UTC) }
	for _, q := range []schema.Query{
		{Query: "Oslo seat"}, {Query: ""}, {Query: "deploy.py 在哪个目录？"}, {Query: "How tall is Kilimanjaro?"},
		{Query: "crane at berth 5", Limit: 50}, {Query: "crane berth", IncludeHistory: true, Limit: 50},
		{Query: "crane berth", AsOf: ended.Add(-time.Hour), Limit: 50}, {Query: "crane berth", Now: w.now.Add(100 * time.Hour)},
		{Query: "berth", Filter: &schema.QueryFilter{From: day(20), To: day(28)}}, {Query: "berth", Filter: &schema.QueryFilter{Tool: "harbour_map"}},
		{Query: "berth", Filter: &schema.QueryFilter{Metadata: map[string]any{"project": "p-k1", "n": 3.0}}},
		{Query: "berth", Types: []schema.Type{schema.TypeEpisode}}, {Query: "berth", Mode: "legacy"}, {Query: "zzz qqq", Mode: "legacy"},
	} {
		q.User, q.Explain = user, true
		name, _ := json.Marshal(q)
		a, errA := fake.Query(t.Context(), tenant, q)
		b, errB := real.Query(t.Context(), tenant, q)
		if errA != nil || errB != nil || len(b.Degraded) != 0 {
			t.Fatalf("%s: %v, %v %v", name, errA, errB, b.Degraded)
		}
		compared += len(a.Items)
		if a.Block != b.Block || a.Hint != b.Hint || contents(a.Items) != contents(b.Items) {
			t.Errorf("%s\nfake: %s\n%s\nreal: %s\n%s", name, contents(a.Items), a.Block, contents(b.Items), b.Block)
		}
	}
	if compared < 100 {
		t.Errorf("only %d items were compared", compared)
	}
	for _, r := range []ListRequest{{}, {Status: "all"}, {Status: "superseded"}, {Type: schema.TypeEpisode}, {Q: "CRANE"}, {Kind: schema.KindUser}} {
		r.User, r.Limit = user, 3
		for {
			a, errA := fake.List(t.Context(), tenant, r)
			b, errB := real.List(t.Context(), tenant, r)
			if errA != nil || errB != nil || contents(a.Items) != contents(b.Items) || a.Cursor != b.Cursor {
				t.Fatalf("list %+v: %v %v\nfake: %s\nreal: %s", r, errA, errB, contents(a.Items), contents(b.Items))
			}
			if r.Cursor = a.Cursor; r.Cursor == "" {
				break
			}
		}
	}
}
