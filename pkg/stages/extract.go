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
	New:  newExtract, Prunes: true,
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
func newExtract(d Deps) (Func, error) {
	if _, err := text.Open(text.Config{}); err != nil {
		return nil, fmt.Errorf("open dictionaries: %w", err)
	}
	return extractor{d}.run, nil
}

type extractor struct{ deps Deps }

func (x extractor) run(ctx context.Context, ev schema.Event) (schema.Result, error) {
	body, segs, err := readCleaned(ev)
	if err != nil {
		return schema.Result{}, err
	}
	res := schema.Result{Done: true, Archived: x.deps.archived(ev)}
	segs, gone := kept(ev, segs, extractName, res.Archived)
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
		describe(p.Payload, doc)
		res.Writes = append(res.Writes, passageWrite(ev, p))
	}
	res.Writes = append(res.Writes, gone...)
	return res, nil
}

// describe adds what people and ranking read of a segment; empty lists are left out.
func describe(p map[string]any, doc *text.Doc) {
	var words []string
	for _, k := range doc.Keywords(maxKeywords) {
		words = append(words, k.Text)
	}
	if len(words) > 0 {
		p[schema.KeyKeywords] = words
	}
	if tags := doc.Tags(maxTags); len(tags) > 0 {
		p[schema.KeyTags] = tags
	}
	var ents []map[string]any
	for _, e := range doc.Entities(maxEntities) {
		ents = append(ents, map[string]any{"text": e.Text, "type": e.Type})
	}
	if len(ents) > 0 {
		p[schema.KeyEntities] = ents
	}
	if s := doc.Summary(maxSummary); s != "" {
		p[schema.KeySummary] = s
	}
}

// dimensions are the indices of a sparse vector as payload integers, for exact document counts.
func dimensions(s schema.Sparse) []int64 {
	out := make([]int64, len(s.Indices))
	for i, x := range s.Indices {
		out[i] = int64(x)
	}
	return out
}
