package retrieve

import (
	"github.com/siltstone-ai/siltstone/internal/rank"
	"github.com/siltstone-ai/siltstone/internal/render"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// block chooses by budgets and writes, and returns what it chose and how many standing rules and pins had no room. What
// the search brought enters only on evidence of its own: a turn beside a found one may interest who reads items, but
// costs every prompt its tokens.
func (s *Service) block(a *ask, cands []rank.Candidate, from found, lang string) (string, []schema.Item, int) {
	o := render.Options{Mode: a.render, Lang: lang, Zone: a.zone, Runes: s.cfg.ItemRunes, Section: rank.Section}
	if a.mode == Legacy {
		items := make([]schema.Item, 0, a.Limit)
		for _, c := range cands[:min(len(cands), a.Limit)] {
			items = append(items, s.shortened(c.Item, from.words))
		}
		return render.Block(items, o), items, 0
	}
	fit := make([]rank.Candidate, 0, len(cands))
	for _, c := range cands {
		if c.Standing || c.Own || c.Found && s.cfg.InBlock || !from.searched {
			c.Item = s.shortened(c.Item, from.words)
			fit = append(fit, c)
		}
	}
	b := s.cfg.Budget
	b.Tokens = a.TokenBudget
	o.Line = written(o)
	items := rank.Select(fit, b, s.cost(o))
	block := render.Block(items, o)
	// Tokens of parts are an upper bound of the tokens of the whole for estimators that round up; for others:
	for len(items) > 0 && s.deps.Tokens(block) > b.Tokens {
		items = items[:len(items)-1]
		block = render.Block(items, o)
	}
	kept := make(map[string]bool, len(items))
	for _, it := range items {
		kept[it.ID] = true
	}
	missing := 0
	for _, c := range fit {
		if c.Standing && !kept[c.Item.ID] && (c.Item.Pinned || rank.Section(c.Item) == schema.TypeConstraint) {
			missing++
		}
	}
	return block, items, missing
}

// written writes each item of one block once.
func written(o render.Options) func(schema.Item) string {
	lines := map[string]string{}
	return func(it schema.Item) string {
		l, ok := lines[it.ID]
		if !ok {
			l = render.Line(it, o)
			lines[it.ID] = l
		}
		return l
	}
}

// cost counts a block of items by its parts, each line once.
func (s *Service) cost(o render.Options) func([]schema.Item) int {
	frame := s.deps.Tokens(render.Frame(o.Lang) + "\n")
	lines := map[string]int{}
	return func(items []schema.Item) int {
		n := frame
		heads := map[schema.Type]bool{}
		for _, it := range items {
			c, ok := lines[it.ID]
			if !ok {
				c = s.deps.Tokens(o.Line(it) + "\n")
				lines[it.ID] = c
			}
			n += c
			if t := rank.Section(it); o.Mode == render.TypedV2 && !heads[t] {
				heads[t] = true
				n += s.deps.Tokens(render.Heading(t, o.Lang) + "\n")
			}
		}
		return n
	}
}

func (s *Service) shortened(it schema.Item, words weighted) schema.Item {
	if it.Type == schema.TypeEpisode {
		it.Content = excerpt(it.Content, words, s.cfg.ItemRunes)
	}
	return it
}
