package retrieve

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/siltstone-ai/siltstone/internal/rank"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// How many hits are judged word by word, and by how much of their texts.
const (
	maxJudged     = 24
	maxJudgedText = 2000 // bytes
)

// agree judges, word by word, the nearest of what no shared words speak for, of what is in another language than the
// query and, where nothing covers the query by its words, of what shares some. It reports whether it judged any. What
// cannot be read is judged by its cosine alone.
func (s *Service) agree(ctx context.Context, a *ask, cands []rank.Candidate, h *hits, fs *faults) bool {
	if s.deps.Agreement == nil {
		return false
	}
	at := toJudge(s.cfg.Rank, cands, s.deps.Cosines != nil)
	var turns []string
	for _, i := range at {
		if cands[i].Item.Type == schema.TypeEpisode {
			turns = append(turns, cands[i].Item.ID)
		}
	}
	if err := s.readTurns(ctx, a, h, turns); err != nil {
		fs.add("vectors", fmt.Errorf("read turns to judge: %w", err))
		return false
	}
	texts := make([]string, len(at))
	for k, i := range at {
		if it := cands[i].Item; it.Type != schema.TypeEpisode {
			texts[k] = it.Content
		} else if t := h.events[it.ID]; t != nil {
			texts[k] = t.near(h.points[it.ID])
		}
		texts[k] = texts[k][:min(len(texts[k]), maxJudgedText)] // a rune that is cut is no word
	}
	for k, x := range s.deps.Agreement(a.Query.Query, texts) {
		c := &cands[at[k]]
		c.Judged, c.Agrees, c.Tokens = true, x, s.deps.Tokens(texts[k])
	}
	if s.deps.Cosines != nil {
		for k, x := range s.deps.Cosines(a.Query.Query, texts) {
			cands[at[k]].Near = &x
		}
	}
	return len(at) > 0
}

// toJudge is where in cands those stand that are judged, nearest first: by level and shared words. Near is told by levels:
// the cosines of a model lie lower across languages, and by them what is in the language of the query would take all places.
// Where the table judges what another model found, that model's level keeps nobody from being judged.
func toJudge(cfg rank.Config, cands []rank.Candidate, tabled bool) (at []int) {
	covered := slices.ContainsFunc(cands, func(c rank.Candidate) bool { return cfg.Covers(&c) })
	nearness := map[int]float64{}
	for i := range cands {
		c := &cands[i]
		level, hit := cfg.Level(c)
		words := cfg.ByWords(c)
		if words && (c.Cross || !covered) || !words && hit && (tabled || level >= cfg.Words.Low) {
			at = append(at, i)
			nearness[i] = level + c.Shared
		}
	}
	slices.SortStableFunc(at, func(i, j int) int { return cmp.Compare(nearness[j], nearness[i]) })
	return at[:min(len(at), maxJudged)]
}

// near is the text of the turn's segments that were found.
func (t *turn) near(point map[string]any) string {
	var parts []string
	for _, sg := range segments(point) {
		if t.segments[sg.Key] != nil {
			parts = append(parts, sg.Text)
		}
	}
	return strings.Join(parts, "\n")
}
