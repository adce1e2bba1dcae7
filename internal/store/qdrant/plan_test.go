package qdrant

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

const own = "acme.ann"

func pid(i int) string { return schema.UUID("test", fmt.Sprint(i)) }

func put(c schema.Collection, i int) schema.Write {
	return schema.Write{Kind: schema.WriteUpsert, Collection: c, Owner: own,
		Point: schema.Point{ID: pid(i), Payload: map[string]any{schema.KeyOwner: own}}}
}

func set(c schema.Collection, owner string, pl map[string]any, ids ...int) schema.Write {
	w := schema.Write{Kind: schema.WriteSetPayload, Collection: c, Owner: owner, Payload: pl}
	for _, i := range ids {
		w.IDs = append(w.IDs, pid(i))
	}
	return w
}

func del(c schema.Collection, owner string, ids ...int) schema.Write {
	w := set(c, owner, nil, ids...)
	w.Kind = schema.WriteDelete
	return w
}

// show prints levels as "kind collection count" of each group.
func show(levels [][]*group) string {
	kinds := map[schema.WriteKind]string{schema.WriteUpsert: "upsert", schema.WriteInsert: "insert", schema.WriteSetPayload: "set", schema.WriteDelete: "delete"}
	var out []string
	for _, groups := range levels {
		var names []string
		for _, g := range groups {
			names = append(names, fmt.Sprintf("%s %s %d", kinds[g.key.kind], g.key.collection, len(g.at)))
		}
		if len(names) > 0 {
			out = append(out, strings.Join(names, ", "))
		}
	}
	return strings.Join(out, " | ")
}

func TestWritesTravelInAsFewRequestsAsTheirOrderAllows(t *testing.T) {
	done := map[string]any{"done_clean": true}
	var batch []schema.Write // what 100 events of one stage write
	for i := range 100 {
		batch = append(batch, put(schema.Passages, i), set(schema.Events, fmt.Sprintf("acme.user%d", i%7), done, 1000+i))
	}
	var fenced []schema.Write
	for i, w := range batch {
		if w.Kind == schema.WriteSetPayload {
			w.Seq = uint64(i + 1)
		}
		fenced = append(fenced, w)
	}
	claim := put(schema.Events, 1)
	claim.Seq = 9
	insert := put(schema.Events, 1)
	insert.Kind = schema.WriteInsert
	for _, c := range []struct {
		name string
		in   []schema.Write
		want string
	}{
		{"nothing", nil, ""},
		{"a stage's batch: one upsert, then one flag for all owners", batch, "upsert passages 100 | set events 100"},
		{"the same with each flag on its own entry's point alone", fenced, "upsert passages 100 | set events 100"},
		{"flags with and without a fence", []schema.Write{fenced[1], batch[3]}, "set events 1, set events 1"},
		{"two that would replace one point", []schema.Write{claim, claim}, "upsert events 1 | upsert events 1"},
		{"collections side by side", []schema.Write{put(schema.Passages, 1), put(schema.Facts, 1), put(schema.Passages, 2)}, "upsert passages 2, upsert facts 1"},
		{"one point twice", []schema.Write{put(schema.Facts, 1), put(schema.Facts, 1)}, "upsert facts 1"},
		{"payloads that differ", []schema.Write{set(schema.Facts, own, map[string]any{"a": int64(1)}, 1), set(schema.Facts, own, map[string]any{"a": int64(2)}, 2)}, "set facts 1, set facts 1"},
		{"equal payloads", []schema.Write{set(schema.Facts, own, map[string]any{"a": int64(1), "b": "x"}, 1), set(schema.Facts, own, map[string]any{"b": "x", "a": int64(1)}, 2, 1)}, "set facts 2"},
		{"equal payloads of two owners' facts", []schema.Write{set(schema.Facts, own, done, 1), set(schema.Facts, "acme.bob", done, 2)}, "set facts 1, set facts 1"},
		{"integer and float are not equal", []schema.Write{set(schema.Facts, own, map[string]any{"a": int64(1)}, 1), set(schema.Facts, own, map[string]any{"a": 1.0}, 1)}, "set facts 1 | set facts 1"},
		{"order of one point", []schema.Write{put(schema.Facts, 1), del(schema.Facts, own, 1), put(schema.Facts, 1), put(schema.Facts, 2)}, "upsert facts 2 | delete facts 1 | upsert facts 1"},
		{"the same in two collections", []schema.Write{put(schema.Facts, 1), del(schema.Passages, own, 1)}, "upsert facts 1, delete passages 1"},
		{"insert, flag, forget mark", []schema.Write{insert, set(schema.Events, own, done, 1), set(schema.Events, own, map[string]any{"outcome": "forgotten"}, 1)}, "insert events 1 | set events 1 | set events 1"},
		{"a flag before its own point's rewrite stays before", []schema.Write{set(schema.Events, own, done, 1), put(schema.Events, 1), put(schema.Facts, 2)}, "set events 1, upsert facts 1 | upsert events 1"},
		{"no ids", []schema.Write{del(schema.Facts, own)}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			levels, err := plan(c.in)
			if err != nil {
				t.Fatal(err)
			}
			if got := show(levels); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestABadWriteIsFoundBeforeAnythingIsSent(t *testing.T) {
	with := func(mutate func(*schema.Write)) schema.Write {
		w := put(schema.Facts, 1)
		mutate(&w)
		return w
	}
	payload := func(v any) schema.Write {
		return with(func(w *schema.Write) { w.Point.Payload["x"] = v })
	}
	type myString string
	for _, c := range []struct {
		name, field string
		w           schema.Write
	}{
		{"no kind", "kind", with(func(w *schema.Write) { w.Kind = 0 })},
		{"no collection", "collection", with(func(w *schema.Write) { w.Collection = "others" })},
		{"no owner", "owner", with(func(w *schema.Write) { w.Owner = "" })},
		{"another's point", "payload.owner", with(func(w *schema.Write) { w.Owner = "acme.bob" })},
		{"a point without an owner", "payload.owner", with(func(w *schema.Write) { w.Point.Payload = nil })},
		{"id that is no UUID", "id", with(func(w *schema.Write) { w.Point.ID = "e1" })},
		{"id in another form of UUID", "id", with(func(w *schema.Write) { w.Point.ID = "{" + pid(1) + "}" })},
		{"id that is no UUID, to delete", "ids", schema.Write{Kind: schema.WriteDelete, Collection: schema.Facts, Owner: own, IDs: []string{pid(1), "../x"}}},
		{"change of owner", "payload.owner", set(schema.Facts, own, map[string]any{schema.KeyOwner: "acme.bob"}, 1)},
		{"change of tenant", "payload.tenant", set(schema.Facts, own, map[string]any{schema.KeyTenant: "other"}, 1)},
		{"dense where none is kept", "dense", with(func(w *schema.Write) { w.Collection = schema.Events; w.Point.Dense = []float32{1} })},
		{"terms where none are kept", "sparse", with(func(w *schema.Write) {
			w.Collection = schema.Events
			w.Point.Sparse = &schema.Sparse{Indices: []uint32{1}, Values: []float32{1}}
		})},
		{"not a number in a vector", "dense", with(func(w *schema.Write) { w.Point.Dense = []float32{1, float32(math.NaN())} })},
		{"infinite term", "sparse", with(func(w *schema.Write) {
			w.Point.Sparse = &schema.Sparse{Indices: []uint32{1}, Values: []float32{float32(math.Inf(1))}}
		})},
		{"terms out of order", "sparse", with(func(w *schema.Write) {
			w.Point.Sparse = &schema.Sparse{Indices: []uint32{2, 2}, Values: []float32{1, 1}}
		})},
		{"terms without values", "sparse", with(func(w *schema.Write) { w.Point.Sparse = &schema.Sparse{Indices: []uint32{2}} })},
		{"invalid UTF-8", "payload.x", payload("a\xffb")},
		{"invalid UTF-8 in a list", "payload.x[1]", payload([]string{"a", "\xc0"})},
		{"invalid UTF-8 in an object's key", "payload.x", payload(map[string]any{"\xff": 1})},
		{"a time", "payload.x", payload(time.Now())},
		{"a map of strings", "payload.x", payload(map[string]string{"a": "b"})},
		{"bytes", "payload.x", payload([]byte("a"))},
		{"a named type", "payload.x", payload(myString("a"))},
		{"a pointer in an object in a list", "payload.x[0].y", payload([]map[string]any{{"y": new(int)}})},
		{"NaN", "payload.x", payload(math.NaN())},
		{"over int64", "payload.x", payload(uint64(math.MaxUint64))},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := plan([]schema.Write{put(schema.Facts, 2), c.w})
			var e *schema.Error
			if !errors.As(err, &e) || e.Retry || e.Field != c.field {
				t.Errorf("got %v, want a permanent error about %s", err, c.field)
			}
		})
	}
	deep := any("x")
	for range maxDepth + 1 {
		deep = map[string]any{"d": deep}
	}
	if _, err := plan([]schema.Write{payload(deep)}); !schema.IsPermanent(err) {
		t.Errorf("nested %d deep: %v", maxDepth+1, err)
	}
	if _, err := plan([]schema.Write{payload(strings.Repeat("x", maxPoint))}); schema.CodeOf(err) != schema.CodeTooLarge {
		t.Errorf("point over the bound: %v", err)
	}
}

func TestUpsertsAreCutByBytesAndByCount(t *testing.T) {
	sizes := func(n, bytes int) []int {
		var ws []schema.Write
		for i := range n {
			w := put(schema.Facts, i)
			w.Point.Payload["x"] = strings.Repeat("x", bytes)
			ws = append(ws, w)
		}
		levels, err := plan(ws)
		if err != nil {
			t.Fatal(err)
		}
		var out []int
		for _, c := range cutPoints(levels[0][0].points) {
			out = append(out, len(c))
		}
		return out
	}
	for _, c := range []struct {
		n, bytes int
		want     string
	}{{1, 10, "[1]"}, {1100, 10, "[512 512 76]"}, {10, 1_000_000, "[3 3 3 1]"}, {3, 5_000_000, "[1 1 1]"}} {
		if got := fmt.Sprint(sizes(c.n, c.bytes)); got != c.want {
			t.Errorf("%d points of %d bytes: %s, want %s", c.n, c.bytes, got, c.want)
		}
	}
}

// Whatever a payload holds, conversion gives the same back or a permanent error, and never panics.
func TestPitfall30_NoPayloadPanics(t *testing.T) {
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		bytes := rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) any { return string(b) })
		leaf := []*rapid.Generator[any]{
			bytes, rapid.String().AsAny(), rapid.Int64().AsAny(), rapid.Float64().AsAny(), rapid.Bool().AsAny(), rapid.Just[any](nil),
			rapid.SliceOfN(rapid.String(), 1, 3).AsAny(), rapid.SliceOfN(rapid.Int64(), 1, 3).AsAny(), rapid.Just[any](struct{}{}),
		}
		if depth == 0 {
			return rapid.OneOf(leaf...)
		}
		return rapid.OneOf(append(leaf,
			rapid.MapOfN(rapid.String(), value(depth-1), 0, 3).AsAny(),
			rapid.SliceOfN(rapid.MapOfN(rapid.String(), value(depth-1), 0, 2), 1, 2).AsAny())...)
	}
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.MapOfN(rapid.String(), value(3), 0, 5).Draw(t, "payload")
		pl, err := toPayload("payload", in, 0)
		if err != nil {
			if !schema.IsPermanent(err) {
				t.Fatalf("%v is not permanent", err)
			}
			return
		}
		b, err := proto.Marshal(&qdrant.GetResponse{Result: []*qdrant.RetrievedPoint{{Payload: pl}}})
		if err != nil {
			t.Fatal(err)
		}
		var r pointsReply
		if err := r.read(b); err != nil {
			t.Fatal(err)
		}
		if out := r.points[0].Payload; fmt.Sprintf("%#v", out) != fmt.Sprintf("%#v", in) {
			t.Fatalf("came back as %#v, was %#v", out, in)
		}
	})
}

func TestPathsOfKeys(t *testing.T) {
	for in, want := range map[string]string{
		"owner": "owner", "done_clean": "done_clean", "metadata.city": "metadata.city", "metadata.a.b": `metadata."a.b"`,
		"metadata.x[]": `metadata."x[]"`, "metadata.地点": `metadata."地点"`, "metadata.a b": `metadata."a b"`,
	} {
		if got, err := path(in); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", in, got, err, want)
		}
	}
	for _, in := range []string{"", "a.b", "a[0]", "owner ", `metadata.a"b`, `metadata.a\`, "metadata.", "metadata.\xff", "地点"} {
		if got, err := path(in); !schema.IsPermanent(err) {
			t.Errorf("%q became %q", in, got)
		}
	}
}

func FuzzCursorNeverPanics(f *testing.F) {
	f.Add("", "at")
	f.Add(cursor{ID: pid(1)}.String(), "")
	n := int64(5)
	f.Add(cursor{Int: &n, Seen: []string{pid(1)}}.String(), "at")
	f.Add("bnVsbA", "at")
	f.Fuzz(func(t *testing.T, text, key string) {
		c, err := parseCursor(ScrollOptions{Cursor: text, OrderBy: key})
		if err != nil {
			if !schema.IsPermanent(err) {
				t.Fatalf("%v is not permanent", err)
			}
			return
		}
		if text != "" && (c.ID != "") == (key != "") {
			t.Fatalf("a cursor of one kind of listing was taken for the other: %+v", c)
		}
	})
}
