package rank

import (
	"math"
	"slices"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Ask is what the order depends on beside the candidates.
type Ask struct {
	Now          time.Time // clock of the query
	Conversation string    // of the query, "" for none
	Legacy       bool      // without the type bonus
	When         bool      // the query asks for a time
}

// Rule is one part of the score: weight times value.
type Rule struct {
	Name   string
	Weight float64 // default
	Value  func(*Candidate, Ask, *Config) float64
	Doc    string // one sentence for people
}

// Rules is the score, part by part, in the order in which the parts are added. A new rule is one line here.
// The first six are requirement D4. The others are relevance: Match lifts what the search found above what merely
// stands (the six can give 1.18 at most, and .25 at least to what a stage writes), the rest orders it.
var Rules = [...]Rule{
	{"importance", 0.35, func(c *Candidate, _ Ask, _ *Config) float64 { return c.Item.Importance }, "how much the memory matters"},
	{"confidence", 0.30, func(c *Candidate, _ Ask, _ *Config) float64 { return c.Item.Confidence }, "how sure it is"},
	{"recency", 0.20, func(c *Candidate, a Ask, _ *Config) float64 { return Recency(c.Item.ObservedAt, a.Now) }, "2^(−age/36 days)"},
	{"explicit", 0.10, func(c *Candidate, _ Ask, _ *Config) float64 { return flag(c.Item.Explicit) }, "the user asked for it to be remembered"},
	{"conversation", 0.08, func(c *Candidate, a Ask, _ *Config) float64 {
		return flag(a.Conversation != "" && c.Item.Conversation == a.Conversation)
	}, "said in the conversation that asks"},
	{"type", 1, func(c *Candidate, a Ask, f *Config) float64 {
		if a.Legacy || Section(c.Item) != c.Item.Type {
			return 0
		}
		return f.Bonus[c.Item.Type]
	}, "bonus of its type"},
	{"match", 1, func(c *Candidate, _ Ask, _ *Config) float64 { return flag(c.Found) }, "the search found it"},
	{"dense", 0.2, func(c *Candidate, _ Ask, f *Config) float64 { return f.Dense.Weight * c.gain(ArmDense) }, "nearness in meaning, in deviations"},
	{"terms", 0.45, func(c *Candidate, _ Ask, f *Config) float64 { return f.Terms.Weight * c.gain(ArmTerms) }, "shared words, in deviations"},
	{"speaker", 0.45, func(c *Candidate, _ Ask, _ *Config) float64 { return flag(c.Found && c.Named) }, "said by somebody whom the query names"},
	{"agreement", 3, func(c *Candidate, _ Ask, _ *Config) float64 {
		if !c.Found || !c.Cross { // within a language shared words say it already
			return 0
		}
		return c.Agrees
	}, "words of the query that a text in the other language holds"},
	{"neighbours", 0.45, func(c *Candidate, _ Ask, _ *Config) float64 {
		if !c.Found {
			return 0
		}
		return c.Neighbour
	}, "what the turns beside it give"},
	{"asks", 0.3, onlyAsks, "less where it only asks itself"},
	{"answers", 0.1, answer, "what the question right before it gives"},
	{"when", 0.4, tellsWhen, "tells a time, where the query asks for one"},
}

func (c *Candidate) gain(arm string) float64 {
	if !c.Found {
		return 0
	}
	for _, g := range c.Gains {
		if g.Arm == arm {
			return g.Gain
		}
	}
	return 0
}

// Recency is 2^(−age/[HalfLife]) of a memory observed at; 1 for the future, 0 for a memory without a time.
func Recency(at, now time.Time) float64 {
	if at.IsZero() {
		return 0
	}
	age := now.Sub(at)
	if age <= 0 {
		return 1
	}
	return math.Exp2(-float64(age) / float64(HalfLife))
}

// Order sets the score of every candidate and sorts them: best first, ties by id, descending. With explain each
// item tells its parts, which add up to its score, and its rank in each arm.
func Order(cands []Candidate, ask Ask, cfg Config, explain bool) {
	for i := range cands {
		c := &cands[i]
		c.Item.Score, c.Item.Explain = 0, nil
		var parts map[string]float64
		if explain {
			parts = make(map[string]float64, len(Rules))
		}
		for _, r := range Rules {
			w, set := cfg.Weights[r.Name]
			if !set {
				w = r.Weight
			}
			if v := w * r.Value(c, ask, &cfg); v != 0 && finite(v) {
				c.Item.Score += v
				if explain {
					parts[r.Name] = v
				}
			}
		}
		if explain {
			c.Item.Explain = c.explain(parts)
		}
	}
	sorted := make([]*Candidate, len(cands)) // a candidate is large: sorting moves pointers
	for i := range cands {
		sorted[i] = &cands[i]
	}
	slices.SortStableFunc(sorted, before)
	out := make([]Candidate, len(cands))
	for i, c := range sorted {
		out[i] = *c
	}
	copy(cands, out)
}

// before is the order of a reply: by score, then by id, both descending.
func before(a, b *Candidate) int {
	switch {
	case a.Item.Score > b.Item.Score:
		return -1
	case a.Item.Score < b.Item.Score:
		return 1
	case a.Item.ID > b.Item.ID:
		return -1
	case a.Item.ID < b.Item.ID:
		return 1
	}
	return 0
}

func (c *Candidate) explain(parts map[string]float64) *schema.Explain {
	e := &schema.Explain{Parts: parts}
	for _, g := range c.Gains {
		if g.Rank == 0 {
			continue
		}
		if e.Arms == nil {
			e.Arms = map[string]schema.Arm{}
		}
		e.Arms[g.Arm] = schema.Arm{Rank: g.Rank, Score: g.Score, Z: g.Z}
	}
	switch {
	case c.Standing && !c.Found:
		e.Notes = append(e.Notes, "standing: in the block whatever was asked")
	case c.Standing:
		e.Notes = append(e.Notes, "standing, and found by the search")
	case c.Found && !c.Own:
		e.Notes = append(e.Notes, "found through a neighbouring turn")
	case !c.Found:
		e.Notes = append(e.Notes, "not searched for: ranked without relevance")
	}
	return e
}

func flag(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
