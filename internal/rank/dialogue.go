package rank

// Answers tells each turn what the turn right before it gives where that asks something and was found by itself: who
// asks about a thing is answered about it next, often without naming it again. It is called once the texts are read.
func Answers(cands []Candidate, cfg Config) {
	asked := map[Turn]float64{}
	for i := range cands {
		if c := &cands[i]; c.Own && c.Asks && c.Turn != nil {
			asked[*c.Turn] = max(asked[*c.Turn], cfg.sum(c))
		}
	}
	for i := range cands {
		if c := &cands[i]; c.Turn != nil {
			c.Answer = asked[Turn{c.Turn.Conversation, c.Turn.Order - 1}]
		}
	}
}

// onlyAsks is −1 for a turn that does nothing but ask something: it states less than the one that answers.
func onlyAsks(c *Candidate, _ Ask, _ *Config) float64 {
	if c.Found && c.Asks {
		return -1
	}
	return 0
}

// answer is what the question before a turn gives it.
func answer(c *Candidate, _ Ask, _ *Config) float64 {
	if !c.Found {
		return 0
	}
	return c.Answer
}
