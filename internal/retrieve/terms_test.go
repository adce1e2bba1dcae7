package retrieve

import (
	"math"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func TestWeighBlendsOwnCountsWithTheTable(t *testing.T) {
	s := &Service{cfg: Defaults()}
	terms := []Term{{Index: 2, IDF: 8, Share: 1}, {Index: 1, IDF: 8, Share: .5}, {Index: 3, IDF: 0, Share: 1}}
	for _, c := range []struct {
		name   string
		total  uint64
		df     map[uint32]uint64
		w1, w2 float64
		rare2  bool
	}{
		{"no counts: the table alone", 0, nil, 4, 8, true},
		// N = 50: α = ½. own(df 0) = ln(1 + 50.5/.5) = ln 102, own(df 50) = ln(1 + .5/50.5)
		{"fifty documents: half and half", 50, map[uint32]uint64{1: 0, 2: 50, 3: 0}, .5 * (.5*math.Log(102) + 4), .5*math.Log(1+.5/50.5) + 4, false},
		// N = 950: α = .95; a term that all documents hold is worth next to nothing
		{"many documents: own counts rule", 950, map[uint32]uint64{1: 1, 2: 950, 3: 0}, .5 * (.95*math.Log(1+949.5/1.5) + .4), .95*math.Log(1+.5/950.5) + .4, false},
		{"a count above the total is the total", 50, map[uint32]uint64{1: 0, 2: 99, 3: 0}, .5 * (.5*math.Log(102) + 4), .5*math.Log(1+.5/99.5) + 4, false},
	} {
		w := s.weigh(terms, c.total, c.df)
		for i, want := range map[uint32]float64{1: c.w1, 2: c.w2} {
			if math.Abs(w.weight[i]-want) > 1e-9 {
				t.Errorf("%s: weight of %d = %v, want %v", c.name, i, w.weight[i], want)
			}
		}
		if w.rare[2] != c.rare2 {
			t.Errorf("%s: rare = %v", c.name, w.rare[2])
		}
		for i := 1; i < len(w.vector.Indices); i++ {
			if w.vector.Indices[i-1] >= w.vector.Indices[i] {
				t.Errorf("%s: indices %v do not rise", c.name, w.vector.Indices)
			}
		}
	}
	if w := s.weigh(nil, 0, nil); w.vector != nil {
		t.Error("no terms, no vector")
	}
}

func TestCountsAreExactAndCached(t *testing.T) {
	w := newWorld(t)
	household(w)
	w.turn("x", "u2", "c1", "2026-05-01T09:00:00Z", said("Oslo Oslo Oslo")) // another user's text changes nothing
	a := w.svc.ask(tenant, schema.Query{User: user, Query: "Oslo"})
	terms := QueryTerms("Oslo")
	for range 2 {
		total, df, err := w.svc.counts(t.Context(), a, terms)
		if err != nil || total != 9 || df[terms[0].Index] != 1 { // 9 segments; one of them holds Oslo
			t.Errorf("total %d df %v %v", total, df, err)
		}
	}
	if w.store.counts != 1 {
		t.Errorf("%d counts asked of the store, the second time they are cached", w.store.counts)
	}
}

func TestQueryTermsKeepTheTablesFrequencies(t *testing.T) {
	for _, q := range []string{"C++", "狼人杀", "AB12 在几楼", "billing 服务 用的是什么 复制方案", "lobby: \"greet AND (screen NOT* ^visitors"} {
		ts := QueryTerms(q)
		if len(ts) == 0 {
			t.Errorf("%q has no terms", q)
		}
		seen := map[uint32]bool{}
		for _, x := range ts {
			if seen[x.Index] || x.IDF < 1 || x.IDF > 12.001 || x.Share <= 0 || x.Share > 1 {
				t.Errorf("%q: %+v", q, x)
			}
			seen[x.Index] = true
		}
	}
}
