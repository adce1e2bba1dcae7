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
}

// DefaultBudget is requirement D5 and D6.
func DefaultBudget() Budget {
	return Budget{
		Types: map[schema.Type]int{
			schema.TypeConstraint: 5, schema.TypePreference: 5, schema.TypeTodoHint: 3, schema.TypeFact: 5,
		},
		Total: 18, Tokens: 3000,
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
// not at all; one that is too long leaves its place to the next. cost is the number of tokens of a block of these
// items, rendered; it must not fall when an item is added. The result keeps the order of cands.
func Select(cands []Candidate, b Budget, cost func([]schema.Item) int) []schema.Item {
	taken := make([]bool, len(cands))
	left := make(map[schema.Type]int, len(b.Types))
	for t, n := range b.Types {
		left[t] = n
	}
	var items []schema.Item
	serve := func(types []schema.Type, pinned bool) {
		for i := range cands {
			t := Section(cands[i].Item)
			if len(items) >= b.Total {
				return
			}
			if taken[i] || left[t] <= 0 || cands[i].Item.Pinned != pinned || !slices.Contains(types, t) {
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
