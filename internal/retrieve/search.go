package retrieve

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/siltstone-ai/siltstone/internal/rank"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// found is what path B brings.
type found struct {
	cands    []rank.Candidate
	searched bool // false: a structured answer, without relevance
	words    weighted
}

// search is path B: one batch of searches, dense and sparse apart, over passages and facts; hits of one event
// become one episode; scores become relevance; what passes no floor is left behind.
func (s *Service) search(ctx context.Context, a *ask, fs *faults) (found, error) {
	if s.blank(a) {
		return found{searched: true}, nil
	}
	w, vector := s.prepare(ctx, a, fs)
	h, err := s.arms(ctx, a, w, vector)
	if err != nil {
		return found{}, err
	}
	cands := append(h.facts, h.episodes()...)
	rank.Relevance(cands, h.pool(), s.cfg.Rank)
	if s.agree(ctx, a, cands, h, fs) {
		rank.Relevance(cands, h.pool(), s.cfg.Rank)
	}
	if more, ok := s.place(ctx, a, cands, fs); ok {
		cands = append(cands, more...)
		rank.Relevance(cands, h.pool(), s.cfg.Rank)
	}
	cands = slices.DeleteFunc(cands, func(c rank.Candidate) bool { return !c.Found })
	cands, err = s.hydrate(ctx, a, cands, h, fs)
	return found{cands: cands, searched: true, words: w}, err
}

// blank reports whether there is nothing to search for.
func (s *Service) blank(a *ask) bool {
	if a.Query.Query == "" {
		return true
	}
	_, facts := a.facts()
	return !facts && !a.wants(schema.TypeEpisode)
}

// prepare makes the two forms of the query, side by side. A form that fails is left out and named.
func (s *Service) prepare(ctx context.Context, a *ask, fs *faults) (weighted, []float32) {
	type embedded struct {
		v   []float32
		err error
	}
	done := make(chan embedded, 1)
	if s.deps.Embedder != nil {
		go func() {
			v, err := isolate(ctx, s.cfg.Embed, s.log, "embed query", func(ctx context.Context) ([]float32, error) {
				vs, err := s.deps.Embedder.Embed(ctx, []string{a.Query.Query}, schema.EmbedQuery)
				if err == nil && len(vs) != 1 {
					err = fmt.Errorf("%d vectors for one text", len(vs))
				}
				if err != nil {
					return nil, fmt.Errorf("embed query: %w", err)
				}
				return vs[0], nil
			})
			done <- embedded{v, err}
		}()
	} else {
		done <- embedded{}
	}
	terms := s.queryTerms(a.Query.Query)
	var total uint64
	var df map[uint32]uint64
	if len(terms) > 0 {
		type counted struct {
			total uint64
			df    map[uint32]uint64
		}
		c, err := isolate(ctx, s.cfg.Embed, s.log, "count terms", func(ctx context.Context) (c counted, err error) {
			c.total, c.df, err = s.counts(ctx, a, terms)
			return c, err
		})
		if err != nil {
			fs.add("counts", err)
		}
		total, df = c.total, c.df
	}
	e := <-done
	if e.err != nil {
		fs.add("embedder", e.err)
	}
	return s.weigh(terms, total, df), e.v
}

// passageKeys are what is read of a passage that was found: what places its turn and dates it. The turn's own point
// tells the rest of the few that are shown.
var passageKeys = []string{
	schema.KeyOwner, schema.KeyEvent, schema.KeyConversation, schema.KeyAt, schema.KeySegment, schema.KeySegKind, schema.KeyTool, schema.KeyToolNames, schema.KeyLang,
}

// factKeys are what [item] tells of a fact that was found, and what decides whether it holds; the rest of it serves the
// stages.
var factKeys = []string{
	schema.KeyOwner, schema.KeyEvent, schema.KeyEventID, schema.KeyClass, schema.KeyType, schema.KeyKind, schema.KeyStatus, schema.KeyContent,
	schema.KeyImportance, schema.KeyConfidence, schema.KeySeq, schema.KeyPinned, schema.KeyExplicit, schema.KeyConversation, schema.KeyHash,
	schema.KeySupersededBy, schema.KeySegment, schema.KeyTool, schema.KeyAt, schema.KeyValidFrom, schema.KeyValidTo, schema.KeyExpiresAt, schema.KeyLang,
	schema.KeyRule,
}

// limit is how many hits an arm brings: of facts, of which a block holds few and each of which is large, no more than
// the reply may need.
func (s *Service) limit(col schema.Collection, a *ask) int {
	if col == schema.Facts {
		return max(s.cfg.ArmFacts, a.Limit)
	}
	return max(s.cfg.Arm, a.Limit)
}

// arms runs the batch.
func (s *Service) arms(ctx context.Context, a *ask, w weighted, vector []float32) (*hits, error) {
	type arm struct {
		name  string
		facts bool
	}
	var batch []schema.Search
	var order []arm
	add := func(col schema.Collection, f schema.Filter, keys []string) {
		limit := s.limit(col, a)
		if len(vector) > 0 {
			batch = append(batch, schema.Search{Collection: col, Dense: vector, Filter: f, Limit: limit, Payload: true, Keys: keys})
			order = append(order, arm{rank.ArmDense, col == schema.Facts})
		}
		if w.vector != nil {
			batch = append(batch, schema.Search{Collection: col, Sparse: w.vector, Filter: f, Limit: limit, Payload: true, Keys: keys, Terms: col == schema.Passages})
			order = append(order, arm{rank.ArmTerms, col == schema.Facts})
		}
	}
	if a.wants(schema.TypeEpisode) {
		add(schema.Passages, a.passages(), passageKeys)
	}
	if f, ok := a.facts(); ok {
		add(schema.Facts, f, factKeys)
	}
	h := newHits(a, w)
	if len(batch) == 0 {
		if s.deps.Embedder != nil && len(vector) == 0 && w.vector == nil {
			return nil, errors.New("the query has neither a vector nor a known word")
		}
		return h, nil
	}
	res, err := s.deps.Points.Search(ctx, a.gen, batch)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	if len(res) != len(batch) {
		return nil, fmt.Errorf("search: %d results for %d searches", len(res), len(batch))
	}
	for i, hs := range res {
		if len(hs) >= batch[i].Limit {
			h.full[order[i].name] = false
		}
		for _, hit := range hs {
			if owner, _ := hit.Payload[schema.KeyOwner].(string); owner != a.owner {
				return nil, &schema.Error{Code: schema.CodeInternal, Message: "a search returned a point of another owner"}
			}
			if order[i].facts {
				h.fact(order[i].name, hit)
			} else {
				h.passage(order[i].name, hit)
			}
		}
	}
	h.settle()
	return h, nil
}
