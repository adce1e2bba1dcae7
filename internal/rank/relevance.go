package rank

import (
	"math"
	"slices"
	"sort"
)

// Pool is what the search was over.
type Pool struct {
	Full  map[string]bool // by arm: the search returned everything that it has, so that an absent candidate is known to score nothing
	Texts uint64          // how many the user has, 0 where unknown
}

// Relevance turns the raw scores of the arms into gains, marks what is evidence as found, and lets found turns lift their
// neighbours.
//
// Gains: per arm, scores are standardised over the arm's candidates, with a prior of cfg.Prior observations of an
// unrelated text so that one or two hits, or equal ones, have a deviation too:
//
//	mean = (Σx + k·m₀)/(n+k)
//	dev² = (Σ(x−mean)² + k·(s₀² + (m₀−mean)²))/(n+k)
//	gain = max(0, x − absent)/dev,  absent = the least score returned, or min(that, m₀) where the arm is full
//
// Summing gains orders as summing z-scores does (the means cancel), and an item that no arm returned has gain 0.
// What is found: where something holds so much of the query's term weight that nothing else need be known, or is near enough
// by [Words], the query is answered. Then all that shares a rare term and enough of the weight is evidence, and what is
// near. Where nothing answers, nothing is found. Neighbours receive a share of the gains of found turns.
func Relevance(cands []Candidate, pool Pool, cfg Config) {
	for i := range cands {
		c := &cands[i]
		c.Gains, c.Neighbour, c.Found, c.Own = nil, 0, false, false
	}
	for _, name := range Arms {
		arm := cfg.Dense
		if name == ArmTerms {
			arm = cfg.Terms
		}
		standardise(cands, name, arm, cfg.Prior, pool.Full[name])
	}
	evidence(cands, pool, cfg)
	neighbours(cands, cfg)
}

// evidence marks what is found by itself. Where no text was compared word by word, each is judged alone, by its floors.
func evidence(cands []Candidate, pool Pool, cfg Config) {
	answered, judged := false, false
	for i := range cands {
		judged = judged || cands[i].Judged
	}
	crowd := math.Log(math.Min(math.Max(float64(pool.Texts), math.Max(float64(len(cands)), 1)), cfg.Words.Most))
	for i := range cands {
		c := &cands[i]
		c.Own = cfg.Covers(c) || c.Judged && cfg.answers(c, crowd, 0) || !judged && (cfg.ByWords(c) || cfg.near(c))
		answered = answered || c.Own
	}
	for i := range cands {
		c := &cands[i]
		if !c.Own && answered {
			c.Own = cfg.ByWords(c) || !c.Judged && cfg.near(c) || c.Judged && cfg.answers(c, crowd, cfg.Words.Eased)
		}
		c.Found = c.Own
	}
}

// Covers reports whether a candidate holds so much of the query's term weight that it answers whatever else is known.
func (c Config) Covers(cand *Candidate) bool {
	_, shares := cand.Arms[ArmTerms]
	return shares && cand.Shared >= c.Covered
}

// ByWords reports whether the words that a candidate shares with the query are evidence by themselves, where the query is
// answered at all.
func (c Config) ByWords(cand *Candidate) bool {
	_, shares := cand.Arms[ArmTerms]
	return shares && (cand.Rare && cand.Shared >= c.Terms.Floor || cand.Shared >= c.Covered)
}

// Lengths in tokens: of a sentence, about, and of a page, beyond which a text in another language needs more. Shorter
// ones there need no more than a sentence does: translations of a word lie farther than its forms.
const (
	sentence = 12
	page     = 250
)

// levelDev is the deviation of unrelated texts under the built-in table, of which a level is the cosine.
const levelDev = 0.1

// Level is what a candidate's cosine would be under the built-in table, whose unrelated texts lie at 0 ± .1: floors mean
// the same whatever model embeds. hit is false where the dense arm did not return it.
func (c Config) Level(cand *Candidate) (level float64, hit bool) {
	cos, hit := cand.Arms[ArmDense]
	if !hit {
		return 0, false
	}
	mean := c.Dense.Mean
	if cand.Cross {
		mean = c.CrossMean
	}
	return (cos - mean) / c.Dense.Dev * levelDev, true
}

// near reports whether the dense arm's hit is evidence by its level alone.
func (c Config) near(cand *Candidate) bool {
	level, hit := c.Level(cand)
	if cand.Cross {
		return hit && level >= min(c.Dense.Floor, c.Cross)
	}
	return hit && level >= c.Dense.Floor
}

// answers reports whether a candidate that was compared word by word reaches what [Words] asks for, eased less, among
// texts of whose number crowd is the logarithm.
func (c Config) answers(cand *Candidate, crowd, eased float64) bool {
	level, hit := c.Level(cand)
	if cand.Near != nil {
		level = *cand.Near
	}
	if !c.ByWords(cand) && (!hit || level < c.Words.Low) {
		return false
	}
	least, free := c.Words.Same+c.Words.Crowd*crowd, float64(sentence)
	if cand.Cross {
		least, free = c.Words.Cross+c.Words.CrossCrowd*crowd, page
	}
	least += c.Words.Longer * math.Log(math.Max(1, float64(cand.Tokens)/free))
	shared := 0.0
	if _, shares := cand.Arms[ArmTerms]; shares {
		shared = cand.Shared
	}
	return level+c.Words.Weight*cand.Agrees+shared >= least-eased
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
		for d := 1; d <= cfg.Reach; d++ {
			share := cfg.Adjacent * float64(cfg.Reach+1-d) / float64(cfg.Reach)
			c.Neighbour += share * (own[Turn{c.Turn.Conversation, c.Turn.Order - d}] + own[Turn{c.Turn.Conversation, c.Turn.Order + d}])
		}
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
