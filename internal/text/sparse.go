package text

import (
	"slices"
	"strconv"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func itoa(n int) string { return strconv.Itoa(n) }

// Sparse is the document side of BM25: for each term its saturation
//
//	tf·(k1+1) / (tf + k1·(1 − b + b·len/avg))   k1 = 1.2, b = 0.75, avg = 100
//
// at the dimension [TermIndex]. The query side carries the inverse document frequencies ([QueryTerms]), so that
// the inner product is the score. Indices rise strictly; terms that share one are summed. Nil terms give an empty vector.
func Sparse(terms []Term) schema.Sparse {
	length := 0.0
	for _, t := range terms {
		length += float64(t.TF)
	}
	type iv struct {
		i uint32
		v float32
	}
	vs := make([]iv, len(terms))
	for k, t := range terms {
		vs[k] = iv{t.Index, float32(saturation(float64(t.TF), length))}
	}
	slices.SortStableFunc(vs, func(a, b iv) int {
		switch {
		case a.i < b.i:
			return -1
		case a.i > b.i:
			return 1
		}
		return 0
	})
	s := schema.Sparse{Indices: make([]uint32, 0, len(vs)), Values: make([]float32, 0, len(vs))}
	for _, x := range vs {
		if n := len(s.Indices); n > 0 && s.Indices[n-1] == x.i {
			s.Values[n-1] += x.v
			continue
		}
		s.Indices = append(s.Indices, x.i)
		s.Values = append(s.Values, x.v)
	}
	return s
}

// QueryTerm is a term of a query and its built-in weight: an inverse document frequency in nats between 1 and 12,
// times the share of the term (parts of a span weigh half). The caller blends in the user's own counts.
type QueryTerm struct {
	Term   string
	Index  uint32
	Weight float32
}

// QueryTerms lists the terms of a query, each once, in order of first occurrence. Chinese weights come from jieba's
// idf.utf8, English ones from hand-made bands of frequent words and, beyond those, from the length of the word.
func QueryTerms(text string) []QueryTerm {
	e := eng()
	terms := Terms(text)
	out := make([]QueryTerm, len(terms))
	for i, t := range terms {
		share := min(t.TF, 1)
		out[i] = QueryTerm{Term: t.Text, Index: t.Index, Weight: share * float32(e.idf(t.Text))}
	}
	return out
}
