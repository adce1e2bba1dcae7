package openie

// attribute is the place behind 的 where the verb at i is part of what describes a noun (来自美国的画家), 0 where it is not.
func (c *chinese) attribute(i, b int) int {
	if c.Words[i].Text == "是" || c.Words[i].Text == "有" || c.class(i+1, b) == 'y' || sayZh[c.Words[i].Text] {
		return 0
	}
	if modalZh[c.Words[i].Text] && (c.class(i+1, b) == 'v' || c.class(i+1, b) == 'p' || c.class(i+1, b) == 'd') {
		return 0
	}
	subject := i > 0 && (c.Words[i-1].class == 'r' || c.Words[i-1].class == 'd') && !placeZh[c.Words[i].Text]
	for k := i + 1; k < b; k++ {
		if c.Words[k].class == 'u' && subject && k > i+1 && c.Words[k-1].class != 'v' {
			return 0 // 他喜欢张三的歌: what describes a noun and names who does it ends with its verb
		}
		switch c.Words[k].class {
		case 'u':
			if k == i+1 || c.Words[k-1].class != 'r' {
				if k+1 < b && c.class(k+1, b) != 'y' {
					return k + 1
				}
				return 0
			}
		case 'y', 'b', 'a', ',':
			return 0
		}
	}
	return 0
}

// mainVerb is the verb of the clause that begins at i, -1 for none: the first that does not describe a noun before
// another. It is kept by where the clause begins: whether a verb describes a noun asks for the verb behind that noun, and
// each of n such verbs in a row would search the same rest twice, 2ⁿ times in all.
func (c *chinese) mainVerb(i, b int) int {
	at := [2]int{i, b}
	if v, ok := c.verbs[at]; ok {
		return v
	}
	v := c.findVerb(i, b)
	c.verbs[at] = v
	return v
}

func (c *chinese) findVerb(i, b int) int {
	c.searched++
	noun := -1
	for k := i; k < b; k++ {
		w := c.Words[k]
		switch {
		case w.class == 'p':
			if e := c.prepositional(k, b); e > k+1 && e < b {
				k = e - 1
			}
		case w.class == 'v':
			if e := c.attribute(k, b); e > 0 && c.mainVerb(e, b) > 0 && c.described(i, k, e, b) {
				k = e - 1
				continue
			}
			return k
		case w.Tag == "vn" && k > i && (c.class(k-1, b) == 'r' || c.class(k+1, b) == 'n' || k == b-1):
			noun = k
		}
	}
	if noun < 0 {
		for k := i + 1; k < b-1; k++ {
			if c.Words[k].Text == "为" && c.Words[k].class == 'p' {
				c.Words[k].class = 'v' // 息差为2.45个百分点
				return k
			}
		}
	}
	return noun
}

// described reports whether what stands at i to k, with the verb k, can describe the noun at e.
func (c *chinese) described(i, k, e, b int) bool {
	return k == i || c.Words[e].Text == "是" || c.class(e, b) == 'n' || c.class(e, b) == 'm' || c.class(e, b) == 'j'
}

// predicateStart is where the predicate begins whose verb is at v: adverbs, prepositions, 把 and 被 stand before the verb.
func (c *chinese) predicateStart(i, v, b int) int {
	for k := i; k < v; k++ {
		switch c.Words[k].class {
		case 'd':
			if c.class(k+1, b) != 'j' && c.class(k+1, b) != 'u' {
				return k
			}
		case 'b', 'a':
			return k
		case 'p':
			if k > i {
				return k
			}
		case 't':
			if k > i && c.class(k+1, b) != 'u' && c.class(k+1, b) != 'n' {
				return k
			}
		case 'v':
			if e := c.attribute(k, b); e > 0 {
				k = e - 1
			}
		}
	}
	return v
}
