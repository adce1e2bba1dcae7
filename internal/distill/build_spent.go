package distill

// What was spent is an event, one of a series: of it each stands by itself, told apart by its day, and none takes another's
// place. The amounts of a project are told of again to correct them, and share a slot for that.

// spentOn is the day that an expense is of: the one that is named, or that of the turn.
func spentOn(c *clause) string {
	for _, w := range c.whens() {
		if !w.by {
			return w.note()
		}
	}
	return c.at.Format("2006-01-02")
}

func spentEn(c *clause, m []string) (fact, bool) {
	return fact{object: objectOf(c, c.vp), qualifier: spentOn(c)}, !c.negated
}

// spentZh reads 打车花了45块, whoever paid: without a subject it is the speaker.
func spentZh(c *clause, m []string) (fact, bool) {
	f := fact{object: objectOf(c, m[0]), qualifier: spentOn(c)}
	if c.sub.kind == subjNone || c.sub.kind == subjThing {
		f.subject = "user"
	}
	return f, !c.negated && !containsAny(m[1], "他", "她", "你", "谁")
}
