package rank

import (
	"errors"
	"fmt"
	"slices"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Budget bounds a block.
type Budget struct {
	Types  map[schema.Type]int // most items a section; episodes count as facts; a type that is absent has none
	Total  int                 // most items in all
	Tokens int                 // most tokens of the whole block
	Copies float64             // share of their words by which what the search brought may differ and still repeats another; 0: repeats stay
}

// DefaultBudget is requirement D5 and D6.
func DefaultBudget() Budget {
	return Budget{
		Types: map[schema.Type]int{
			schema.TypeConstraint: 5, schema.TypePreference: 5, schema.TypeTodoHint: 3, schema.TypeFact: 5,
		},
		Total: 18, Tokens: 3000, Copies: 0.1,
	}
}

// Validate reports every fault, each naming its field.
func (b Budget) Validate() error {
	var errs []error
	for t, n := range b.Types {
		if !t.Valid() || t == schema.TypeEpisode {
			errs = append(errs, fmt.Errorf("types.%s: is not a type with a budget (episodes share the facts')", t))
		} else if n < 0 {
			errs = append(errs, fmt.Errorf("types.%s: must not be negative", t))
		}
	}
	if b.Total < 0 {
		errs = append(errs, errors.New("total: must not be negative"))
	}
	if b.Tokens < 0 {
		errs = append(errs, errors.New("tokens: must not be negative"))
	}
	if !(b.Copies >= 0 && b.Copies < 1) {
		errs = append(errs, errors.New("copies: must be at least 0 and below 1"))
	}
	return errors.Join(errs...)
}

// claims is who is served first: what must be kept never waits for what is merely of interest.
var claims = [...][]schema.Type{
	{schema.TypeConstraint},
	{schema.TypePreference},
	{schema.TypeTodoHint, schema.TypeFact},
}

// Select chooses from ordered candidates what goes into a block: constraints first, then preferences, then facts,
// episodes and to-dos, pinned ones before others and then by score, each while its section, the total and the
// tokens last. A memory is taken whole or
// not at all; one that is too long, or nearly repeats a taken one and neither stands nor is pinned, leaves its place to the next. cost is the number of tokens of a block of these
// items, rendered; it must not fall when an item is added. The result keeps the order of cands.
func Select(cands []Candidate, b Budget, cost func([]schema.Item) int) []schema.Item {
	taken := make([]bool, len(cands))
	left := make(map[schema.Type]int, len(b.Types))
	for t, n := range b.Types {
		left[t] = n
	}
	var items []schema.Item
	again := copies{share: b.Copies, words: map[string]map[string]int{}}
	serve := func(types []schema.Type, pinned bool) {
		for i := range cands {
			t := Section(cands[i].Item)
			if len(items) >= b.Total {
				return
			}
			if taken[i] || left[t] <= 0 || cands[i].Item.Pinned != pinned || !slices.Contains(types, t) {
				continue
			}
			if !pinned && !cands[i].Standing && again.any(items, cands[i].Item) {
				continue
			}
			if cost != nil && cost(append(items, cands[i].Item)) > b.Tokens {
				continue
			}
			items = append(items, cands[i].Item)
			left[t]--
			taken[i] = true
		}
	}
	for _, types := range claims {
		serve(types, true)
		serve(types, false)
	}
	out := make([]schema.Item, 0, len(items))
	for i := range cands {
		if taken[i] {
			out = append(out, cands[i].Item)
		}
	}
	return out
}
