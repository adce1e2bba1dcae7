package rank

import (
	"math"
	"slices"
	"sort"
)

// Relevance turns the raw scores of the arms into gains, marks what passes a floor as found, and lets found turns
// lift their neighbours. full tells of each arm whether the search returned everything that it has (fewer hits than
// its limit); only then is an absent candidate known to score nothing.
//
// Gains: per arm, scores are standardised over the arm's candidates, with a prior of cfg.Prior observations of an
// unrelated text so that one or two hits, or equal ones, have a deviation too:
//
//	mean = (Σx + k·m₀)/(n+k)
//	dev² = (Σ(x−mean)² + k·(s₀² + (m₀−mean)²))/(n+k)
//	gain = max(0, x − absent)/dev,  absent = the least score returned, or min(that, m₀) where the arm is full
//
// Summing gains orders as summing z-scores does (the means cancel), and an item that no arm returned has gain 0.
// An item is found where it shares a rare term and enough of the query's term weight, or so much of it that no rare
// term is needed, or where its cosine, with the agreement of its words where that is known, reaches the floor; see [Words]. Neighbours receive cfg.Adjacent and cfg.Next of the gains of found turns.
func Relevance(cands []Candidate, full map[string]bool, cfg Config) {
	for i := range cands {
		c := &cands[i]
		c.Gains, c.Neighbour, c.Found, c.Own = nil, 0, false, false
	}
	for _, name := range Arms {
		arm := cfg.Dense
		if name == ArmTerms {
			arm = cfg.Terms
		}
		standardise(cands, name, arm, cfg.Prior, full[name])
	}
	evidence(cands, cfg)
	neighbours(cands, cfg)
}

// evidence marks what is found by itself. What only the dense arm found is judged last: whether it needs to pass the
// whole floor or less depends on whether anything else answers.
func evidence(cands []Candidate, cfg Config) {
	answered, judged := false, false
	for i := range cands {
		c := &cands[i]
		c.Own = cfg.ByWords(c) || c.Judged && cfg.near(c, 0)
		answered = answered || c.Own
		judged = judged || c.Judged
	}
	for i := range cands {
		c := &cands[i]
		if !c.Own && (answered || !judged) {
			c.Own = cfg.near(c, cfg.Words.Eased)
		}
		c.Found = c.Own
	}
}

// ByWords reports whether the words that a candidate shares with the query are evidence by themselves.
func (c Config) ByWords(cand *Candidate) bool {
	_, shares := cand.Arms[ArmTerms]
	return shares && (cand.Rare && cand.Shared >= c.Terms.Floor || cand.Shared >= c.Covered)
}

// sentence is about the length of one, in tokens.
const sentence = 12

// levelDev is the deviation of unrelated texts under the built-in table, of which a level is the cosine.
const levelDev = 0.1

// Level is what a candidate's cosine would be under the built-in table, whose unrelated texts lie at 0 ± .1: floors mean
// the same whatever model embeds. hit is false where the dense arm did not return it.
func (c Config) Level(cand *Candidate) (level float64, hit bool) {
	cos, hit := cand.Arms[ArmDense]
	mean := c.Dense.Mean
	if cand.Cross {
		mean = c.CrossMean
	}
	return (cos - mean) / c.Dense.Dev * levelDev, hit
}

// near reports whether the dense arm's hit is evidence, where eased less is enough.
func (c Config) near(cand *Candidate, eased float64) bool {
	level, hit := c.Level(cand)
	switch {
	case !hit:
		return false
	case !cand.Judged && cand.Cross:
		return level >= min(c.Dense.Floor, c.Cross)
	case !cand.Judged:
		return level >= c.Dense.Floor
	}
	least := c.Words.Cross
	if !cand.Cross {
		least = c.Words.Same + c.Words.Longer*math.Log(math.Max(1, float64(cand.Tokens)/sentence))
	}
	return level >= c.Words.Low && level+c.Words.Weight*cand.Agrees >= least-eased
}

func standardise(cands []Candidate, name string, arm Arm, prior float64, full bool) {
	var at []int
	for i := range cands {
		if x, ok := cands[i].Arms[name]; ok && finite(x) {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return
	}
	sort.SliceStable(at, func(i, j int) bool { return cands[at[i]].Arms[name] > cands[at[j]].Arms[name] })
	n, sum := float64(len(at)), 0.0
	for _, i := range at {
		sum += cands[i].Arms[name]
	}
	mean := (sum + prior*arm.Mean) / (n + prior)
	varsum := prior * (arm.Dev*arm.Dev + (arm.Mean-mean)*(arm.Mean-mean))
	for _, i := range at {
		d := cands[i].Arms[name] - mean
		varsum += d * d
	}
	dev := math.Sqrt(varsum / (n + prior))
	absent := cands[at[len(at)-1]].Arms[name]
	if full {
		absent = math.Min(absent, arm.Mean)
	}
	for r, i := range at {
		x := cands[i].Arms[name]
		cands[i].Gains = append(cands[i].Gains, Gain{
			Arm: name, Rank: r + 1, Score: x, Z: (x - mean) / dev, Gain: (x - absent) / dev,
		})
	}
}

// neighbours gives each turn a share of the gains of the found turns beside it.
func neighbours(cands []Candidate, cfg Config) {
	own := map[Turn]float64{}
	for i := range cands {
		if c := &cands[i]; c.Own && c.Turn != nil {
			own[*c.Turn] = math.Max(own[*c.Turn], cfg.sum(c))
		}
	}
	if len(own) == 0 {
		return
	}
	for i := range cands {
		c := &cands[i]
		if c.Turn == nil {
			continue
		}
		beside := func(d int) float64 { return own[Turn{c.Turn.Conversation, c.Turn.Order + d}] }
		c.Neighbour = cfg.Adjacent*(beside(-1)+beside(1)) + cfg.Next*(beside(-2)+beside(2))
		if c.Neighbour >= cfg.Neighbour && c.Neighbour > 0 {
			c.Found = true
		}
	}
}

func (c Config) sum(cand *Candidate) float64 {
	s := 0.0
	for _, g := range cand.Gains {
		if g.Arm == ArmDense {
			s += c.Dense.Weight * g.Gain
		} else {
			s += c.Terms.Weight * g.Gain
		}
	}
	return s
}

func sortedKeys[V any](m map[string]V) []string {
	ks := make([]string, 0, len(m))
	for k := range m {
		ks = append(ks, k)
	}
	slices.Sort(ks)
	return ks
}
