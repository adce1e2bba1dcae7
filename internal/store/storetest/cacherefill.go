package storetest

import (
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// testRefill: what was lost is filled from what was read after the loss, and from nothing else.
func testRefill(t *testing.T, open opener) {
	s, ctx := open(t, nil), t.Context()
	const gen = cacheGen + 3
	o := owner(t, "refill")
	begin := func() string {
		t.Helper()
		token, err := s.BeginRecent(ctx, gen, o)
		ok(t, err)
		return token
	}
	read := func() []schema.Memory {
		t.Helper()
		ms, err := s.Recent(ctx, gen, o, 0)
		ok(t, err)
		return ms
	}
	ended := item(2)
	ended.Content, ended.Status = "", schema.StatusSuperseded
	ended.Source.UUID = "event-2"
	token := begin()
	if token == "" {
		t.Fatal("a user of whom nothing is kept counts as whole")
	}
	// Writers go on meanwhile: what they put there, and what they end, outweighs what was read before.
	newer := item(3)
	newer.Content = "newer"
	ok(t, s.PushRecent(ctx, gen, o, []schema.Memory{newer}))
	ok(t, s.EndRecent(ctx, gen, o, []schema.Memory{{ID: item(4).ID, Status: schema.StatusSuperseded}}))
	ok(t, s.FillRecent(ctx, gen, o, token, []schema.Memory{item(1), ended, item(3), item(4)}))
	got := read()
	if len(got) != 3 || got[0].ID != newer.ID || got[0].Content != "newer" || got[1].Content != "" || got[1].Status != schema.StatusSuperseded || got[1].Source.UUID != "event-2" || got[2].ID != item(1).ID || got[2].Content == "" {
		t.Errorf("kept are %+v", got)
	}
	if begin() != "" {
		t.Error("what was filled does not count as whole")
	}

	// Of two that read, and where the items are lost once more after the reading, the older reading stores nothing.
	ok(t, s.DropGeneration(ctx, gen))
	first := begin()
	second := begin()
	ok(t, s.FillRecent(ctx, gen, o, first, []schema.Memory{item(1)}))
	if got := read(); len(got) != 0 {
		t.Errorf("the older reading is kept: %+v", got)
	}
	ok(t, s.DropGeneration(ctx, gen))
	ok(t, s.FillRecent(ctx, gen, o, second, []schema.Memory{item(1)}))
	if got := read(); len(got) != 0 {
		t.Errorf("a reading of before the loss is kept: %+v", got)
	}
	if begin() == "" {
		t.Error("a loss after a reading goes unseen")
	}
}
