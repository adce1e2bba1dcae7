package rank

// tellsWhen is 1 for a text that tells a time, where the query asks for one.
func tellsWhen(c *Candidate, a Ask, _ *Config) float64 { return flag(a.When && c.Found && c.TellsWhen) }
