package rank

import "github.com/siltstone-ai/siltstone/pkg/schema"

// Merge joins lists of candidates and removes duplicates in three passes (D3): by id, where the later wins; by
// content hash, where the more important wins and an empty hash is no hash; by rendered text (type and content),
// where the more important wins too. Between equally important ones an active one wins, then the one observed last, then
// the earlier of the lists. What is kept inherits from what is dropped: that it stands (path A), and the better evidence of
// the search, so call [Relevance] on what was searched for before.
func Merge(lists ...[]Candidate) []Candidate {
	var all []Candidate
	for _, l := range lists {
		all = append(all, l...)
	}
	all = dedupe(all, func(c *Candidate) string { return c.Item.ID }, func(_, _ *Candidate) bool { return true })
	more := func(old, now *Candidate) bool {
		a, b := now.Item, old.Item
		switch {
		case a.Importance != b.Importance:
			return a.Importance > b.Importance
		case (a.Status == schema.StatusActive) != (b.Status == schema.StatusActive):
			return a.Status == schema.StatusActive
		}
		return a.ObservedAt.After(b.ObservedAt)
	}
	all = dedupe(all, func(c *Candidate) string { return c.Hash }, more)
	return dedupe(all, func(c *Candidate) string { return string(c.Item.Type) + "\x00" + c.Item.Content }, more)
}

// dedupe keeps one candidate a key, in the place of the first; wins tells whether a later one replaces it.
func dedupe(cands []Candidate, key func(*Candidate) string, wins func(old, now *Candidate) bool) []Candidate {
	at := make(map[string]int, len(cands))
	out := make([]Candidate, 0, len(cands))
	for i := range cands {
		c := &cands[i]
		k := key(c)
		j, dup := at[k]
		switch {
		case k == "" || !dup:
			if k != "" {
				at[k] = len(out)
			}
			out = append(out, *c)
		case wins(&out[j], c):
			old := out[j]
			out[j] = *c
			out[j].inherit(&old)
		default:
			out[j].inherit(c)
		}
	}
	return out
}

func (c *Candidate) inherit(from *Candidate) {
	c.Standing = c.Standing || from.Standing
	c.Rare = c.Rare || from.Rare
	c.Shared = max(c.Shared, from.Shared)
	c.Named = c.Named || from.Named
	c.TellsWhen = c.TellsWhen || from.TellsWhen
	c.Answer = max(c.Answer, from.Answer)
	if from.Judged && (!c.Judged || from.Agrees > c.Agrees) {
		c.Judged, c.Agrees, c.Near, c.Tokens, c.Cross = true, from.Agrees, from.Near, from.Tokens, from.Cross
	}
	if c.Turn == nil {
		c.Turn = from.Turn
	}
	if !from.Found || c.Found && (c.Own || !from.Own) && c.weight() >= from.weight() {
		return
	}
	c.Arms, c.Gains, c.Neighbour, c.Found, c.Own = from.Arms, from.Gains, from.Neighbour, true, from.Own
}

func (c *Candidate) weight() float64 {
	s := c.Neighbour
	for _, g := range c.Gains {
		s += g.Gain
	}
	return s
}
