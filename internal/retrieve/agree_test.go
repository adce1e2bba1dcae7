package retrieve

import (
	"slices"
	"testing"

	"github.com/siltstone-ai/siltstone/internal/rank"
)

// With a model whose cosines lie lower across languages, the other language has its places among what is judged.
func TestToJudge_ByLevelNotByCosine(t *testing.T) {
	cfg := rank.Defaults()
	cfg.Dense.Mean, cfg.CrossMean, cfg.Dense.Dev = .75, .5, .05
	var cands []rank.Candidate
	for range 2 * maxJudged {
		cands = append(cands, rank.Candidate{Arms: map[string]float64{rank.ArmDense: .85}})
	}
	cross := len(cands)
	cands = append(cands, rank.Candidate{Arms: map[string]float64{rank.ArmDense: .7}, Cross: true},
		rank.Candidate{Arms: map[string]float64{rank.ArmDense: .52}, Cross: true}) // no nearer than what is unrelated
	at := toJudge(cfg, cands, false)
	if len(at) != maxJudged || at[0] != cross || slices.Contains(at, cross+1) {
		t.Errorf("judged are %v, want %d of them, %d first", at, maxJudged, cross)
	}
}
