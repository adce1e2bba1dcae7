package retrieve

import (
	"errors"
	"fmt"
	"time"

	"github.com/siltstone-ai/siltstone/internal/rank"
	"github.com/siltstone-ai/siltstone/internal/render"
)

// Mode is a way to read memory.
type Mode string

// The modes. Legacy is the switch for rollback (D1, D12).
const (
	Hybrid Mode = "hybrid"
	Legacy Mode = "legacy"
)

// Config of a Service. The zero value is not usable; start from [Defaults].
type Config struct {
	Mode    Mode        // hybrid or legacy, where a query names none
	Render  render.Mode // typed_v2 or flat, where a query names none
	Enabled bool        // false: no block is ever made; items are still found

	Timeout time.Duration // of a whole query
	Path    time.Duration // of each path, within Timeout; what is left is for min_seq
	Cache   time.Duration // of one call to a cache or of the settings
	Embed   time.Duration // of the query's vector

	Limit       int         // items of a legacy reply that names no limit
	Arm         int         // hits of each search arm among passages, or as many as the reply's limit
	ArmFacts    int         // the same among facts
	Confidence  float64     // least confidence of a standing preference
	Standing    int         // most standing memories that are read
	CountWeight float64     // documents at which own counts weigh as much as the table
	RareIDF     float64     // inverse document frequency from which a term is rare (the table's lies between 1 and 12)
	Neighbours  int         // conversations whose turns are read for neighbours; 0 switches them off
	Turns       int         // most turns of a conversation that are read
	InBlock     bool        // turns that were found through neighbours alone may enter the block
	ItemRunes   int         // most runes of one memory in a block
	Budget      rank.Budget // of a block
	Rank        rank.Config
	Zone        *time.Location // zone of the dates in a block where a query's now names none; nil means UTC
}

// Defaults are the values of the requirements D1, D5, D6, D11 and D12.
func Defaults() Config {
	return Config{
		Mode: Hybrid, Render: render.TypedV2, Enabled: true,
		Timeout: 5 * time.Second, Path: 3 * time.Second, Cache: 500 * time.Millisecond, Embed: 2 * time.Second,
		Limit: 5, Arm: 60, ArmFacts: 30, Confidence: 0.8, Standing: 500, CountWeight: 50, RareIDF: 4,
		Neighbours: 4, Turns: 2000, ItemRunes: 1200, Budget: rank.DefaultBudget(), Rank: rank.Defaults(),
	}
}

// Validate reports every fault, each naming its field.
func (c Config) Validate() error {
	var errs []error
	bad := func(field, format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s: %s", field, fmt.Sprintf(format, args...)))
	}
	if c.Mode != Hybrid && c.Mode != Legacy {
		bad("mode", "%q is not one of hybrid, legacy", c.Mode)
	}
	if c.Render != render.TypedV2 && c.Render != render.Flat {
		bad("render", "%q is not one of typed_v2, flat", c.Render)
	}
	for _, d := range []struct {
		name string
		v    time.Duration
	}{{"timeout", c.Timeout}, {"path", c.Path}, {"cache", c.Cache}, {"embed", c.Embed}} {
		if d.v <= 0 {
			bad(d.name, "must be above 0")
		}
	}
	if c.Path > c.Timeout {
		bad("path", "must not exceed timeout")
	}
	if c.Embed > c.Path {
		bad("embed", "must not exceed path")
	}
	for _, n := range []struct {
		name   string
		v, min int
	}{{"limit", c.Limit, 1}, {"arm", c.Arm, 1}, {"arm_facts", c.ArmFacts, 1}, {"standing", c.Standing, 1}, {"neighbours", c.Neighbours, 0}, {"turns", c.Turns, 1}, {"item_runes", c.ItemRunes, 16}} {
		if n.v < n.min {
			bad(n.name, "must be at least %d", n.min)
		}
	}
	if !(c.Confidence >= 0 && c.Confidence <= 1) {
		bad("confidence", "must lie between 0 and 1")
	}
	if !(c.CountWeight >= 0) {
		bad("count_weight", "must not be negative")
	}
	if !(c.RareIDF >= 0) {
		bad("rare_idf", "must not be negative")
	}
	for field, err := range map[string]error{"budget": c.Budget.Validate(), "rank": c.Rank.Validate()} {
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", field, err))
		}
	}
	return errors.Join(errs...)
}
