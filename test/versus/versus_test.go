package versus

import (
	"flag"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/qdrant/go-client/qdrant"
	"pgregory.net/rapid"
)

// operationsVar says how many requests each side is sent at least.
const operationsVar = "SILTSTONE_TEST_VERSUS_OPERATIONS"

// TestServerEqualsEngine sends both sides the same drawn changes and questions, one collection after the other, and
// compares every answer, and after every change the whole state.
func TestServerEqualsEngine(t *testing.T) {
	want := 2000
	if s := os.Getenv(operationsVar); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("%s: %v", operationsVar, err)
		}
		want = n
	}
	p := startPair(t)
	seed := firstSeed(t)
	total := 0
	for round := uint64(0); total < want && !t.Failed(); round++ {
		if err := flag.Set("rapid.seed", strconv.FormatUint(seed+round<<32, 10)); err != nil {
			t.Fatal(err)
		}
		rapid.Check(t, func(rt *rapid.T) { play(rt, p) })
		total, _ = p.report()
	}
	_, table := p.report()
	t.Logf("%d operations on each side: %s", total, table)
}

// firstSeed is what is drawn from: -rapid.seed, or where that is 0 a random one. A failure names the seed of its own
// drawing, which then fails at once.
func firstSeed(t *testing.T) uint64 {
	seed, err := strconv.ParseUint(flag.Lookup("rapid.seed").Value.String(), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	for seed == 0 {
		seed = rand.Uint64() >> 32
	}
	t.Logf("drawn from seed %d: make versus SEED=%d draws the same", seed, seed)
	return seed
}

// play is one collection's life.
func play(rt *rapid.T, p *pair) {
	w := genWorld.Draw(rt, "world")
	p.create(rt, w.create())
	if w.crowd > 0 {
		p.update(rt, "upsert", w.fill(rt))
	}
	changed := true
	change := func(name string, draw func(*rapid.T) updateRequest) func(*rapid.T) {
		return func(rt *rapid.T) {
			p.update(rt, name, draw(rt))
			changed = true
		}
	}
	wait := qdrant.PtrOf(true)
	// Actions are drawn by name, the first ones of the alphabet more often.
	rt.Repeat(map[string]func(*rapid.T){
		"a upsert": change("upsert", func(rt *rapid.T) updateRequest { return w.upsert(rt) }),
		"b query":  func(rt *rapid.T) { p.query(rt, w.query(rt)) },
		"c index":  change("create_index", func(rt *rapid.T) updateRequest { return genIndex.Draw(rt, "index") }),
		"d scroll": func(rt *rapid.T) {
			req := &qdrant.ScrollPoints{CollectionName: collection, Filter: maybeFilter(rt, 2), WithPayload: withPayload(rt), WithVectors: withVectors(rt), Limit: limit32(rt)}
			if rapid.Bool().Draw(rt, "offset?") {
				req.Offset = genID.Draw(rt, "offset")
			}
			for next := p.scroll(rt, req); next != nil; next = p.uncounted(rt, req) {
				req.Offset = next
			}
		},
		"e scroll ordered": func(rt *rapid.T) {
			p.scroll(rt, &qdrant.ScrollPoints{CollectionName: collection, Filter: maybeFilter(rt, 1), WithPayload: withPayload(rt), WithVectors: withVectors(rt), Limit: limit32(rt), OrderBy: orderBy(rt)})
		},
		"f set payload": change("set_payload", func(rt *rapid.T) updateRequest { return setPayload(rt) }),
		"g delete": change("delete", func(rt *rapid.T) updateRequest {
			return &qdrant.DeletePoints{CollectionName: collection, Wait: wait, Points: genSelector.Draw(rt, "which")}
		}),
		"h count": func(rt *rapid.T) {
			p.count(rt, &qdrant.CountPoints{CollectionName: collection, Filter: maybeFilter(rt, 2), Exact: qdrant.PtrOf(true)})
		},
		"i facet": func(rt *rapid.T) {
			req := &qdrant.FacetCounts{CollectionName: collection, Key: rapid.SampledFrom(indexed).Draw(rt, "key"), Filter: maybeFilter(rt, 1), Exact: qdrant.PtrOf(true)}
			if rapid.Bool().Draw(rt, "limit?") {
				req.Limit = qdrant.PtrOf(rapid.Uint64Range(1, 5).Draw(rt, "limit"))
			}
			p.facet(rt, req)
		},
		"j query batch": func(rt *rapid.T) {
			req := &qdrant.QueryBatchPoints{CollectionName: collection}
			for range rapid.IntRange(1, 3).Draw(rt, "queries") {
				req.QueryPoints = append(req.QueryPoints, w.query(rt))
			}
			p.queryBatch(rt, req)
		},
		"k update batch": change("update_batch", func(rt *rapid.T) updateRequest { return w.updateBatch(rt) }),
		"l get": func(rt *rapid.T) {
			p.get(rt, &qdrant.GetPoints{CollectionName: collection, Ids: genIDs.Draw(rt, "ids"), WithPayload: withPayload(rt), WithVectors: withVectors(rt)})
		},
		"m optimize": func(rt *rapid.T) { p.optimize(rt) },
		"n overwrite payload": change("overwrite_payload", func(rt *rapid.T) updateRequest {
			return &qdrant.SetPayloadPoints{CollectionName: collection, Wait: wait, PointsSelector: genSelector.Draw(rt, "which"), Payload: qdrant.NewValueMap(genPayload.Draw(rt, "payload"))}
		}),
		"o delete payload": change("delete_payload", func(rt *rapid.T) updateRequest {
			return &qdrant.DeletePayloadPoints{CollectionName: collection, Wait: wait, PointsSelector: genSelector.Draw(rt, "which"), Keys: rapid.SliceOfN(genPath, 0, 3).Draw(rt, "keys")}
		}),
		"p delete index": change("delete_index", func(rt *rapid.T) updateRequest {
			return &qdrant.DeleteFieldIndexCollection{CollectionName: collection, Wait: wait, FieldName: rapid.SampledFrom(indexed).Draw(rt, "field")}
		}),
		"q clear payload": change("clear_payload", func(rt *rapid.T) updateRequest {
			return &qdrant.ClearPayloadPoints{CollectionName: collection, Wait: wait, Points: genSelector.Draw(rt, "which")}
		}),
		"r restart": func(rt *rapid.T) {
			if rapid.IntRange(0, 9).Draw(rt, "restart?") == 0 {
				p.restart(rt)
				changed = true
			}
		},
		"": func(rt *rapid.T) {
			if changed {
				p.state(rt)
			}
			changed = false
		},
	})
}

func (w world) upsert(t *rapid.T) *qdrant.UpsertPoints {
	req := &qdrant.UpsertPoints{CollectionName: collection, Wait: qdrant.PtrOf(true)}
	for range rapid.IntRange(1, w.points).Draw(t, "points") {
		req.Points = append(req.Points, w.point(t))
	}
	req.UpdateMode, req.UpdateFilter = updateMode(t)
	return req
}

func updateMode(t *rapid.T) (mode *qdrant.UpdateMode, f *qdrant.Filter) {
	if rapid.IntRange(0, 2).Draw(t, "mode?") == 0 {
		mode = qdrant.PtrOf(rapid.SampledFrom([]qdrant.UpdateMode{qdrant.UpdateMode_Upsert, qdrant.UpdateMode_InsertOnly, qdrant.UpdateMode_UpdateOnly}).Draw(t, "mode"))
	}
	if rapid.IntRange(0, 4).Draw(t, "update filter?") == 0 {
		f = genFilter(1).Draw(t, "update filter")
	}
	return mode, f
}

func setPayload(t *rapid.T) *qdrant.SetPayloadPoints {
	req := &qdrant.SetPayloadPoints{CollectionName: collection, Wait: qdrant.PtrOf(true), PointsSelector: genSelector.Draw(t, "which"), Payload: qdrant.NewValueMap(genPayload.Draw(t, "payload"))}
	if rapid.IntRange(0, 2).Draw(t, "key?") == 0 {
		req.Key = qdrant.PtrOf(genPath.Draw(t, "key"))
	}
	return req
}

func (w world) updateBatch(t *rapid.T) *qdrant.UpdateBatchPoints {
	req := &qdrant.UpdateBatchPoints{CollectionName: collection, Wait: qdrant.PtrOf(true)}
	for range rapid.IntRange(1, 3).Draw(t, "operations") {
		var op *qdrant.PointsUpdateOperation
		which := genSelector.Draw(t, "which")
		switch rapid.IntRange(0, 5).Draw(t, "operation") {
		case 0:
			u := w.upsert(t)
			op = &qdrant.PointsUpdateOperation{Operation: &qdrant.PointsUpdateOperation_Upsert{Upsert: &qdrant.PointsUpdateOperation_PointStructList{Points: u.Points, UpdateMode: u.UpdateMode, UpdateFilter: u.UpdateFilter}}}
		case 1:
			s := setPayload(t)
			op = qdrant.NewPointsUpdateSetPayload(&qdrant.PointsUpdateOperation_SetPayload{Payload: s.Payload, Key: s.Key, PointsSelector: which})
		case 2:
			op = qdrant.NewPointsUpdateOverwritePayload(&qdrant.PointsUpdateOperation_OverwritePayload{Payload: qdrant.NewValueMap(genPayload.Draw(t, "payload")), PointsSelector: which})
		case 3:
			op = qdrant.NewPointsUpdateDeletePayload(&qdrant.PointsUpdateOperation_DeletePayload{Keys: rapid.SliceOfN(genPath, 0, 3).Draw(t, "keys"), PointsSelector: which})
		case 4:
			op = qdrant.NewPointsUpdateDeletePoints(&qdrant.PointsUpdateOperation_DeletePoints{Points: which})
		default:
			op = qdrant.NewPointsUpdateClearPayload(&qdrant.PointsUpdateOperation_ClearPayload{Points: which})
		}
		req.Operations = append(req.Operations, op)
	}
	return req
}

func limit32(t *rapid.T) *uint32 {
	if rapid.IntRange(0, 3).Draw(t, "limit?") == 0 {
		return nil
	}
	return qdrant.PtrOf(rapid.Uint32Range(1, 50).Draw(t, "limit"))
}

func orderBy(t *rapid.T) *qdrant.OrderBy {
	by := &qdrant.OrderBy{Key: rapid.SampledFrom([]string{"n", "n", "f", "t", "键", "arr[].x", "kw", "missing"}).Draw(t, "key")}
	if rapid.Bool().Draw(t, "direction?") {
		by.Direction = qdrant.PtrOf(rapid.SampledFrom([]qdrant.Direction{qdrant.Direction_Asc, qdrant.Direction_Desc}).Draw(t, "direction"))
	}
	switch rapid.IntRange(0, 5).Draw(t, "start") {
	case 0:
		by.StartFrom = qdrant.NewStartFromInt(genStart.Draw(t, "from"))
	case 1:
		by.StartFrom = qdrant.NewStartFromFloat(genReal.Draw(t, "from"))
	case 2:
		by.StartFrom = &qdrant.StartFrom{Value: &qdrant.StartFrom_Datetime{Datetime: "2024-03-01T10:00:00Z"}}
	}
	return by
}

// query draws a search; a threshold is a number that no score of whole numbers comes near, but for the sparse ones,
// whose scores are exact.
func (w world) query(t *rapid.T) *qdrant.QueryPoints {
	req := &qdrant.QueryPoints{CollectionName: collection, Filter: maybeFilter(t, 2), WithPayload: withPayload(t), WithVectors: withVectors(t)}
	if rapid.Bool().Draw(t, "limit?") {
		req.Limit = qdrant.PtrOf(rapid.Uint64Range(1, 50).Draw(t, "limit"))
	}
	if rapid.IntRange(0, 3).Draw(t, "offset?") == 0 {
		req.Offset = qdrant.PtrOf(rapid.Uint64Range(0, 10).Draw(t, "offset"))
	}
	threshold := []float32{-1.5, -.30103, .1234567, .61803, 3.1415}
	switch even(t, 7, "query") {
	case 0: // none
		return req
	case 1, 2, 3:
		req.Query, req.Using = qdrant.NewQueryDense(w.vector(t)), qdrant.PtrOf("dense")
	default:
		s := genSparse.Draw(t, "sparse query")
		req.Query, req.Using = qdrant.NewQuerySparse(s.Indices, s.Values), qdrant.PtrOf("terms")
		threshold = []float32{-1, 0, .25, .5, 1, 1.5, 2, 3, 4.5}
	}
	if even(t, 2, "threshold?") == 0 {
		req.ScoreThreshold = &threshold[even(t, len(threshold), "threshold")]
	}
	return req
}
