package retrieve

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Term is one term of a query.
type Term struct {
	Index uint32  // in the sparse vectors
	IDF   float64 // inverse document frequency by the built-in table
	Share float64 // factor of its weight: less than 1 for a part of a word or span that is a term itself
}

// QueryTerms are the terms of a query as documents are indexed by them, each once, with the table's frequencies.
func QueryTerms(query string) []Term {
	tf := map[uint32]float64{}
	for _, t := range text.Terms(query) {
		tf[t.Index] = min(float64(t.TF), 1)
	}
	var out []Term
	seen := map[uint32]bool{}
	for _, t := range text.QueryTerms(query) {
		if share := tf[t.Index]; share > 0 && !seen[t.Index] {
			seen[t.Index] = true
			out = append(out, Term{Index: t.Index, IDF: float64(t.Weight) / share, Share: share})
		}
	}
	return out
}

// maxTerms bounds the terms of one query: the weightiest are kept.
const maxTerms = 64

// A term in more than commonShare of a user's documents is not rare, once there are fewDocuments.
const (
	commonShare  = 0.25
	fewDocuments = 8
)

// weighted is a query as a sparse vector, with what is needed to judge a hit.
type weighted struct {
	vector *schema.Sparse
	weight map[uint32]float64
	rare   map[uint32]bool
	total  float64 // sum of weights
	texts  uint64  // how many the user has, 0 where unknown
}

// weigh gives each term of the query its weight: its inverse document frequency, where the user's own counts speak
// the louder the more documents the user has:
//
//	own = ln(1 + (N − df + ½)/(df + ½)),  idf = α·own + (1−α)·table,  α = N/(N + CountWeight)
//
// own is BM25's (Robertson and Spärck Jones, with the 1 that keeps it positive). Without counts the table stands
// alone.
func (s *Service) weigh(terms []Term, total uint64, df map[uint32]uint64) weighted {
	w := weighted{weight: map[uint32]float64{}, rare: map[uint32]bool{}, texts: total}
	n := float64(total)
	for _, t := range terms {
		idf := t.IDF
		if d, ok := df[t.Index]; ok && n > 0 {
			own := math.Log(1 + (n-math.Min(float64(d), n)+0.5)/(float64(d)+0.5))
			alpha := n / (n + s.cfg.CountWeight)
			idf = alpha*own + (1-alpha)*t.IDF
		}
		if x := idf * t.Share; x > 0 && !math.IsInf(x, 0) {
			w.weight[t.Index] = x
			w.rare[t.Index] = idf >= s.cfg.RareIDF && (n < fewDocuments || float64(df[t.Index]) <= commonShare*n)
			w.total += x
		}
	}
	if len(w.weight) == 0 {
		return w
	}
	v := &schema.Sparse{}
	for i := range w.weight {
		v.Indices = append(v.Indices, i)
	}
	slices.Sort(v.Indices)
	for _, i := range v.Indices {
		v.Values = append(v.Values, float32(w.weight[i]))
	}
	w.vector = v
	return w
}

// queryTerms are the terms of the query, the weightiest by the table where there are too many.
func (s *Service) queryTerms(query string) []Term {
	ts := s.deps.Terms(query)
	if len(ts) > maxTerms {
		ts = slices.Clone(ts)
		slices.SortStableFunc(ts, func(x, y Term) int { return cmp.Compare(y.IDF, x.IDF) })
		ts = ts[:maxTerms]
	}
	return ts
}

// counts are how many of the user's documents hold each term, from the cache or, exactly, from the store.
func (s *Service) counts(ctx context.Context, a *ask, terms []Term) (uint64, map[uint32]uint64, error) {
	idx := make([]uint32, 0, len(terms))
	for _, t := range terms {
		idx = append(idx, t.Index)
	}
	type entry struct {
		total uint64
		df    map[uint32]uint64
	}
	var e entry
	var cacheErr error
	if s.deps.Counts != nil {
		e, cacheErr = isolate(ctx, s.cfg.Cache, s.log, "term counts", func(ctx context.Context) (e entry, err error) {
			e.total, e.df, err = s.deps.Counts.TermCounts(ctx, a.gen, a.owner, idx)
			return e, err
		})
		if cacheErr != nil {
			e = entry{}
		}
	}
	df := make(map[uint32]uint64, len(idx))
	var missing []uint32
	for _, i := range idx {
		if n, ok := e.df[i]; ok && e.total > 0 {
			df[i] = n
		} else {
			missing = append(missing, i)
		}
	}
	if len(missing) == 0 {
		return e.total, df, nil
	}
	filters := make([]schema.Filter, 0, len(missing)+1)
	for _, i := range missing {
		filters = append(filters, ownerFilter(a.owner, equal(keyStage, stageExtract), equal(schema.KeyTerms, int64(i))))
	}
	if e.total == 0 {
		filters = append(filters, ownerFilter(a.owner, equal(keyStage, stageExtract)))
	}
	ns, err := s.deps.Points.Counts(ctx, a.gen, schema.Passages, filters)
	if err != nil {
		return 0, nil, fmt.Errorf("count terms: %w", err)
	}
	if len(ns) != len(filters) {
		return 0, nil, fmt.Errorf("count terms: %d counts for %d filters", len(ns), len(filters))
	}
	total := e.total
	if total == 0 {
		total = ns[len(missing)]
	}
	fresh := make(map[uint32]uint64, len(missing))
	for k, i := range missing {
		df[i], fresh[i] = ns[k], ns[k]
	}
	if s.deps.Counts != nil && cacheErr == nil && total > 0 {
		if err := s.deps.Counts.FillTermCounts(ctx, a.gen, a.owner, total, fresh); err != nil {
			s.log.Warn("fill term counts", obs.KeyGen, a.gen, obs.KeyTenant, a.tenant, obs.KeyError, err)
		}
	}
	return total, df, nil
}
