package stages

import (
	"context"
	"fmt"

	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Extract writes one terms point for each segment of a cleaned event.
var Extract = Spec{
	Name: extractName,
	In:   InCleaned,
	Doc:  "finds the terms, keywords, tags, entities and the summary of each segment",
	New:  newExtract,
}

const extractName = "extract"

// What extract keeps of a segment at most.
const (
	maxKeywords = 12
	maxTags     = 5
	maxEntities = 32
	maxSummary  = 160 // characters
)

// newExtract opens the dictionaries: a worker that cannot cut as the others do must not start.
func newExtract(Deps) (Func, error) {
	if _, err := text.Open(text.Config{}); err != nil {
		return nil, fmt.Errorf("open dictionaries: %w", err)
	}
	return extract, nil
}

func extract(ctx context.Context, ev schema.Event) (schema.Result, error) {
	body, segs, err := readCleaned(ev)
	if err != nil {
		return schema.Result{}, err
	}
	res := schema.Result{Done: true}
	for _, s := range segs {
		if err := ctx.Err(); err != nil {
			return schema.Result{}, err
		}
		doc := text.Analyze(s.Text)
		sparse := text.Sparse(doc.Terms())
		p := passagePoint(ev, body, s, extractName)
		if len(sparse.Indices) > 0 { // a text of symbols has none
			p.Sparse = &sparse
		}
		p.Payload[schema.KeyTerms] = dimensions(sparse)
		res.Writes = append(res.Writes, passageWrite(ev, p))
	}
	return res, nil
}

func dimensions(s schema.Sparse) []int64 {
	out := make([]int64, len(s.Indices))
	for i, x := range s.Indices {
		out[i] = int64(x)
	}
	return out
}
