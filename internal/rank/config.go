package rank

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// HalfLife is the age in which recency halves: recency = 2^(−age/36 days).
const HalfLife = 36 * 24 * time.Hour

// Arm says how the scores of one search arm are read.
type Arm struct {
	Weight float64 // factor of its standardised gain
	Floor  float64 // terms: share of the query's term weight; dense: a level, see [Config.Level]. Below it the arm is no evidence
	Mean   float64 // score of an unrelated text, the prior of the mean
	Dev    float64 // deviation of unrelated texts, the prior of the deviation
}

// Words says when something answers at all, by how near it is in meaning and how many of the query's words it holds, each
// word for itself or in another: where
//
//	level + Weight·agreement + share of the query's term weight
//
// reaches Same, or Cross where text and query are in two languages. Among many texts the best of those that have nothing
// to do with the question comes nearer, so that Crowd, or CrossCrowd, is added for each e-fold of their number, up to
// Most of them. A long text holds words near any question's by chance: it needs Longer more for each e-fold of its length
// beyond a sentence, and across languages beyond a page. Beside something that answers, what lies no more than Eased below
// is evidence as well: the question is not off-topic then.
type Words struct {
	Weight     float64
	Same       float64
	Cross      float64
	Crowd      float64
	CrossCrowd float64
	Most       float64
	Eased      float64
	Longer     float64
	Low        float64 // level below which what shares no words is not judged, and no evidence
}

// Config holds every number of the ranking. The zero value is not usable; start from [Defaults].
type Config struct {
	Weights   map[string]float64      // by rule name; a rule that is absent keeps its default, 0 switches it off
	Bonus     map[schema.Type]float64 // type bonus
	Dense     Arm
	Terms     Arm
	CrossMean float64 // score of an unrelated text of the dense arm in another language than the query
	Cross     float64 // the dense floor where text and query are in two languages: translations lie lower
	Words     Words   // what answers, where texts were compared with the query word by word
	Covered   float64 // share of the query's term weight that answers whatever else is known
	Prior     float64 // how many observations the prior of an arm counts for
	Adjacent  float64 // share of a found turn's gains that the turns right beside it receive
	Reach     int     // turns to either side that receive any; the share falls evenly to nothing beyond
	Neighbour float64 // least received gain that makes a turn found without evidence of its own
}

// Defaults are the weights of requirement D4, and for relevance what docs/evaluation.md measures. Dense.Floor and Cross
// count only where no text was compared word by word; they are set for the built-in table: of questions that a user's memory
// does not answer, the best cosine lies between .1 and .45, of those that it answers the evidence lies mostly above .4, and
// across languages above .25.
func Defaults() Config {
	return Config{
		Bonus: map[schema.Type]float64{
			schema.TypeConstraint: 0.15, schema.TypePreference: 0.10, schema.TypeTodoHint: 0.05,
		},
		Dense: Arm{Weight: 1, Floor: 0.40, Mean: 0, Dev: 0.10},
		Terms: Arm{Weight: 1, Floor: 0.12, Mean: 0, Dev: 0.15},
		Words: Words{Weight: 2, Same: 0.75, Cross: 0.5, Crowd: 0.1, CrossCrowd: 0.08, Most: 1000, Eased: 0.25, Longer: 0.15, Low: 0.1},
		Cross: 0.25, Covered: 0.5, Prior: 4, Adjacent: 0.3, Reach: 5, Neighbour: 0.2,
	}
}

// Validate reports every fault, each naming its field.
func (c Config) Validate() error {
	var errs []error
	bad := func(field, why string) { errs = append(errs, fmt.Errorf("%s: %s", field, why)) }
	known := map[string]bool{}
	for _, r := range Rules {
		known[r.Name] = true
	}
	for _, n := range sortedKeys(c.Weights) {
		if w := c.Weights[n]; !known[n] {
			bad("weights."+n, "is not a rule")
		} else if !finite(w) || w < 0 {
			bad("weights."+n, "must be finite and not negative")
		}
	}
	for t, b := range c.Bonus {
		if !t.Valid() || !finite(b) {
			bad("bonus."+string(t), "must be a finite bonus of a memory type")
		}
	}
	for _, a := range []struct {
		name string
		Arm
	}{{"dense", c.Dense}, {"terms", c.Terms}} {
		if !finite(a.Weight) || a.Weight < 0 {
			bad(a.name+".weight", "must be finite and not negative")
		}
		if !finite(a.Floor) || !finite(a.Mean) {
			bad(a.name+".floor", "floor and mean must be finite")
		}
		if !finite(a.Dev) || a.Dev <= 0 {
			bad(a.name+".dev", "must be above 0")
		}
	}
	for _, f := range []struct {
		name string
		v    float64
	}{
		{"cross_mean", c.CrossMean}, {"cross", c.Cross}, {"words.weight", c.Words.Weight}, {"words.same", c.Words.Same}, {"words.cross", c.Words.Cross},
		{"words.crowd", c.Words.Crowd}, {"words.cross_crowd", c.Words.CrossCrowd}, {"words.eased", c.Words.Eased}, {"words.longer", c.Words.Longer},
		{"words.low", c.Words.Low},
	} {
		if !finite(f.v) {
			bad(f.name, "must be finite")
		}
	}
	if !finite(c.Covered) || c.Covered < 0 {
		bad("covered", "must be finite and not negative")
	}
	if !finite(c.Words.Most) || c.Words.Most < 1 {
		bad("words.most", "must be at least 1")
	}
	if !finite(c.Prior) || c.Prior <= 0 {
		bad("prior", "must be above 0")
	}
	for _, s := range []struct {
		name string
		v    float64
	}{{"adjacent", c.Adjacent}, {"reach", float64(c.Reach)}, {"neighbour", c.Neighbour}} {
		if !finite(s.v) || s.v < 0 {
			bad(s.name, "must be finite and not negative")
		}
	}
	return errors.Join(errs...)
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
