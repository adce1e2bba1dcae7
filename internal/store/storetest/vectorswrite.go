package storetest

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/internal/store/qdrant"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func testInsert(t *testing.T, srv VectorServer) {
	s, ctx := openVectors(t, srv, vectorDim), t.Context()
	insert := func(i int, v string) schema.Write {
		w := upsert(schema.Events, point(i, ann, map[string]any{"v": v}))
		w.Kind = schema.WriteInsert
		return w
	}
	ok(t, s.Apply(ctx, vectorGen, []schema.Write{insert(1, "first"), insert(1, "same batch")}))
	ok(t, s.Apply(ctx, vectorGen, []schema.Write{{Kind: schema.WriteSetPayload, Collection: schema.Events, Owner: ann, IDs: []string{pid(1)}, Payload: map[string]any{"done_clean": true}}}))
	ok(t, s.Apply(ctx, vectorGen, []schema.Write{insert(1, "redelivered"), insert(2, "new")}))
	got, err := s.Get(ctx, vectorGen, schema.Events, []string{pid(1), pid(2)}, false)
	ok(t, err)
	values := map[string]string{}
	for _, p := range got {
		values[p.ID] = fmt.Sprint(p.Payload["v"], " ", p.Payload["done_clean"])
	}
	if want := map[string]string{pid(1): "first true", pid(2): "new <nil>"}; !reflect.DeepEqual(values, want) {
		t.Errorf("got %v, want %v", values, want)
	}
}

func testSetPayload(t *testing.T, srv VectorServer) {
	s, ctx := openVectors(t, srv, vectorDim), t.Context()
	ok(t, s.Apply(ctx, vectorGen, []schema.Write{upsert(schema.Events, point(1, ann, map[string]any{"keep": "x"})), upsert(schema.Events, point(2, bob, nil))}))
	flag := func(owner string, ids ...int) schema.Write {
		w := schema.Write{Kind: schema.WriteSetPayload, Collection: schema.Events, Owner: owner, Payload: map[string]any{"done_clean": true}}
		for _, i := range ids {
			w.IDs = append(w.IDs, pid(i))
		}
		return w
	}
	ok(t, s.Apply(ctx, vectorGen, []schema.Write{flag(ann, 1, 77), flag(bob, 2, 78)}))
	for i, want := range map[int]int{1: 1, 2: 1, 77: 0, 78: 0} {
		got, err := s.Get(ctx, vectorGen, schema.Events, []string{pid(i)}, false)
		ok(t, err)
		if len(got) != want || want == 1 && got[0].Payload["done_clean"] != true {
			t.Errorf("point %d: %+v", i, got)
		}
	}
	got, _ := s.Get(ctx, vectorGen, schema.Events, []string{pid(1)}, false)
	if len(got) != 1 || got[0].Payload["keep"] != "x" {
		t.Errorf("other keys are gone: %+v", got)
	}
}

func testFence(t *testing.T, srv VectorServer) {
	s, ctx := openVectors(t, srv, vectorDim), t.Context()
	at := func(i, seq int, owner, v string) schema.Write {
		return upsert(schema.Events, point(i, owner, map[string]any{schema.KeySeq: int64(seq), "v": v}))
	}
	over := func(w schema.Write, seq uint64) schema.Write { w.Seq = seq; return w }
	flag := func(i int, owner string, seq uint64) schema.Write {
		return schema.Write{Kind: schema.WriteSetPayload, Collection: schema.Events, Owner: owner, IDs: []string{pid(i)}, Payload: map[string]any{"done_clean": true}, Seq: seq}
	}
	ok(t, s.Apply(ctx, vectorGen, []schema.Write{at(1, 9, ann, "nine"), at(2, 12, ann, "twelve"), at(3, 14, bob, "fourteen")}))
	// Flags of a batch of events travel together, and each stands on its own entry's point alone.
	ok(t, s.Apply(ctx, vectorGen, []schema.Write{flag(1, ann, 8), flag(2, ann, 12), flag(3, bob, 14), flag(4, bob, 15)}))
	// Of two that would replace what they saw one does, even in one batch; another user's entry may; none is made.
	ok(t, s.Apply(ctx, vectorGen, []schema.Write{over(at(1, 3, bob, "three"), 9), over(at(1, 5, ann, "five"), 9), over(at(2, 7, ann, "seven"), 11), over(at(5, 1, ann, "one"), 9)}))
	got, err := s.GetKeys(ctx, vectorGen, schema.Events, []string{pid(1), pid(2), pid(3), pid(4), pid(5)}, "v", "done_clean")
	ok(t, err)
	values := map[string]string{}
	for _, p := range got {
		values[p.ID] = fmt.Sprint(p.Payload)
	}
	want := map[string]string{pid(1): "map[v:three]", pid(2): "map[done_clean:true v:twelve]", pid(3): "map[done_clean:true v:fourteen]"}
	if !reflect.DeepEqual(values, want) {
		t.Errorf("got %v, want %v", values, want)
	}
	ok(t, s.Apply(ctx, vectorGen, []schema.Write{flag(1, bob, 3)}))
	if n, err := s.Count(ctx, vectorGen, schema.Events, owned(bob, is("done_clean", true))); err != nil || n != 2 {
		t.Errorf("%d points of the new owner have flags (%v), want 2", n, err)
	}
	// Where one more fence is an outcome, nothing changes on a point that has another.
	outcome := func(i int, owner string, now, want schema.Outcome) schema.Write {
		return schema.Write{Kind: schema.WriteSetPayload, Collection: schema.Events, Owner: owner, IDs: []string{pid(i)}, Payload: map[string]any{schema.KeyOutcome: string(now)}, Outcome: want}
	}
	ok(t, s.Apply(ctx, vectorGen, []schema.Write{outcome(2, ann, schema.OutcomeOpen, ""), outcome(3, bob, schema.OutcomeForgotten, "")}))
	late := []schema.Write{outcome(2, ann, schema.OutcomeDead, schema.OutcomeOpen), outcome(3, bob, schema.OutcomeDead, schema.OutcomeOpen)}
	late[0].Seq, late[1].Seq = 12, 14
	ok(t, s.Apply(ctx, vectorGen, late))
	got, err = s.GetKeys(ctx, vectorGen, schema.Events, []string{pid(2), pid(3)}, schema.KeyOutcome)
	ok(t, err)
	for _, p := range got {
		if want := map[string]schema.Outcome{pid(2): schema.OutcomeDead, pid(3): schema.OutcomeForgotten}[p.ID]; p.Payload[schema.KeyOutcome] != string(want) {
			t.Errorf("point %s is %v, want %s", p.ID, p.Payload[schema.KeyOutcome], want)
		}
	}
	refused := over(at(1, 3, ann, "x"), 9)
	refused.Outcome = schema.OutcomeOpen
	permanent(t, s.Apply(ctx, vectorGen, []schema.Write{refused}), schema.CodeInvalid)
	insert := over(schema.Write{Kind: schema.WriteInsert, Collection: schema.Events, Owner: ann, Point: point(1, ann, nil)}, 1)
	permanent(t, s.Apply(ctx, vectorGen, []schema.Write{insert}), schema.CodeInvalid)
	// A deletion takes the point of its own entry, and not the one that another entry has put there.
	remove := func(i int, owner string, seq uint64) schema.Write {
		return schema.Write{Kind: schema.WriteDelete, Collection: schema.Events, Owner: owner, IDs: []string{pid(i)}, Seq: seq}
	}
	ok(t, s.Apply(ctx, vectorGen, []schema.Write{remove(1, bob, 9), remove(2, ann, 12), remove(3, bob, 15), remove(4, bob, 15)}))
	got, err = s.GetKeys(ctx, vectorGen, schema.Events, []string{pid(1), pid(2), pid(3)}, "v")
	ok(t, err)
	if len(got) != 2 {
		t.Errorf("%v are left, want those of entries 3 and 14", got)
	}
}

func testForeign(t *testing.T, srv VectorServer) {
	s, ctx := openVectors(t, srv, vectorDim), t.Context()
	ok(t, s.Apply(ctx, vectorGen, []schema.Write{upsert(schema.Facts, point(1, ann, nil)), upsert(schema.Facts, point(2, bob, nil))}))
	// Bob names Ann's point, in one batch with honest writes of hers.
	ok(t, s.Apply(ctx, vectorGen, []schema.Write{
		{Kind: schema.WriteSetPayload, Collection: schema.Facts, Owner: bob, IDs: []string{pid(1), pid(2)}, Payload: map[string]any{"status": "deleted"}},
		{Kind: schema.WriteSetPayload, Collection: schema.Facts, Owner: ann, IDs: []string{pid(9)}, Payload: map[string]any{"status": "deleted"}},
		{Kind: schema.WriteDelete, Collection: schema.Facts, Owner: bob, IDs: []string{pid(1)}},
		{Kind: schema.WriteDelete, Collection: schema.Facts, Owner: ann, IDs: []string{pid(9)}},
	}))
	got, err := s.Get(ctx, vectorGen, schema.Facts, []string{pid(1), pid(2)}, false)
	ok(t, err)
	if len(got) != 2 {
		t.Fatalf("%d points left, want both", len(got))
	}
	for _, p := range got {
		if want := map[string]any{pid(1): nil, pid(2): "deleted"}[p.ID]; p.Payload["status"] != want {
			t.Errorf("point of %v has status %v", p.Payload[schema.KeyOwner], p.Payload["status"])
		}
	}
	ok(t, s.Apply(ctx, vectorGen, []schema.Write{{Kind: schema.WriteDelete, Collection: schema.Facts, Owner: ann, IDs: []string{pid(1), pid(2), pid(3)}}}))
	if got, err = s.Get(ctx, vectorGen, schema.Facts, []string{pid(1), pid(2)}, false); err != nil || len(got) != 1 || got[0].ID != pid(2) {
		t.Errorf("after Ann's deletion: %+v, %v", got, err)
	}
}

func testLarge(t *testing.T, srv VectorServer) {
	const dim, n = 1536, 1000 // 6 MB of vectors: more than gRPC takes in one message by default, either way
	s, ctx := openVectors(t, srv, dim), t.Context()
	var ws []schema.Write
	for i := range n {
		p := point(i, ann, nil)
		p.Dense = make([]float32, dim)
		p.Dense[i] = 1
		ws = append(ws, upsert(schema.Passages, p))
	}
	fat := point(n, ann, map[string]any{"summary": strings.Repeat("长", 5_000_000/3)}) // one point above the bound
	ok(t, s.Apply(ctx, vectorGen, append(ws, upsert(schema.Passages, fat))))
	count, err := s.Count(ctx, vectorGen, schema.Passages, owned(ann))
	ok(t, err)
	if count != n+1 {
		t.Errorf("%d points", count)
	}
	got, _, err := s.Scroll(ctx, vectorGen, schema.Passages, owned(ann), qdrant.ScrollOptions{Limit: n + 1, Vectors: true})
	ok(t, err)
	if len(got) != n+1 {
		t.Errorf("scrolled %d points", len(got))
	}
}

func testDeleteWhere(t *testing.T, srv VectorServer) {
	s, ctx := openVectors(t, srv, vectorDim), t.Context()
	ok(t, s.Apply(ctx, vectorGen, []schema.Write{
		upsert(schema.Facts, point(1, ann, map[string]any{"conversation": "c1"})), upsert(schema.Facts, point(2, ann, map[string]any{"conversation": "c2"})),
		upsert(schema.Facts, point(3, bob, map[string]any{"conversation": "c1"})),
	}))
	for _, f := range []schema.Filter{{}, {Must: []schema.Cond{is("conversation", "c1")}}, {Should: owned(ann).Must}, {Must: []schema.Cond{is("owner", "")}}} {
		permanent(t, s.DeleteWhere(ctx, vectorGen, schema.Facts, f), schema.CodeInvalid)
	}
	ok(t, s.DeleteWhere(ctx, vectorGen, schema.Facts, owned(ann, is("conversation", "c1"))))
	ok(t, s.DeleteWhere(ctx, vectorGen, schema.Facts, owned(ann, is("conversation", "c1"))))
	pts, _, err := s.Scroll(ctx, vectorGen, schema.Facts, schema.Filter{}, qdrant.ScrollOptions{})
	ok(t, err)
	if got := seqs(pts); got != "2 3" {
		t.Errorf("left %q", got)
	}
}
