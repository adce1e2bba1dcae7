package distill

import (
	"regexp"
	"strings"
)

// A rule knows the words that it reads by; what a model points at may stand in any words. So it is held against the form of
// its clause more strictly than what a rule reads: where the form leaves a doubt, nothing is stated.

var (
	// What asks for anything to be forgotten states nothing, in none of its clauses.
	reForgetEn = regexp.MustCompile(`(?i)^(?:(?:ok|okay|hey|hi|also|and|so|now|then|please|pls|kindly|just|can you|could you|would you|will you|you (?:can|could|may|should|must)|i(?: want| need| would like|'d like) you to)[, ]+)*(?:forget|unlearn|erase|delete|wipe|remove|drop|disregard|scrap)\b`)
	reForgetZh = regexp.MustCompile(`^(?:好的?|那|嗯|对了|还有|另外|请|麻烦|帮我|你|您|能不能|可不可以|可以|能|希望|我想让|我要|先|就|都|[把将].{0,20}?|[，, ])*(?:(?:忘掉|忘记|忘了)(?:[^说讲提告带]|$)|删掉|删除|抹掉|清除|别再?记|不要再?记)`)

	// Somebody is asked for something, whoever the clause speaks of.
	reAskedEn = regexp.MustCompile(`(?i)\b(?:can|could|would|will|should|must) you\b|\b(?:want|need|expect|like|love|prefer|ask|asking|beg|trust)(?:s|ed)? (?:for )?you to\b|^you\b|^(?:let's|lets|let us)\b`)
	reAskedZh = regexp.MustCompile(`^请[^假客了人]|麻烦|劳驾|拜托|能不能|可不可以|能否|(?:让|叫|要|求|希望)[你您]|^[你您]`)
	reFavorZh = regexp.MustCompile(`帮我|帮忙|替我|给我|为我`) // asked for, unless it was done: 妈妈给我买了一只猫

	// An order has no subject and begins with its verb.
	reOrderLeadEn = regexp.MustCompile(`(?i)^(?:(?:please|pls|kindly|just|also|and|so|then|now|ok|okay|hey|hi|next|first|quickly|maybe|never|always|only|ever|do not|don't|do)[, ]+)+`)
	reOrdersEn    = regexp.MustCompile(`(?i)^(?:find|search|look|help|get|fetch|go|open|close|reserve|rent|hire|cancel|move|switch|set|remind|erase|remove|arrange|organi[sz]e|recommend|compute|calculate|count|play|teach|bring|take|pack|pay|transfer|upload|download|install|build|create|update|upgrade|dial|navigate|stay|grab|visit|come|try)\b`)
	reForMeEn     = regexp.MustCompile(`(?i)^(?:in|at|for|on|near|from|by|with) (?:[\w'-]+ ){1,4}?(?:find|get|book|give|show|tell|send|bring|help|remind|order|buy|reserve|teach|fetch|recommend|suggest|write|lend|pass) (?:me|us)\b`)
	reOrdersZh    = regexp.MustCompile(`^(?:再|先|顺便|那|就|现在|快|赶紧|马上|今[天晚]|明[天晚]|后天|下周.?|周末|到时候?)*(?:订|预[订定约]|买|找|查|搜|推荐|写[^作]|翻译|总结|解释|介绍|列|画|算[一算出]|安排|规划|设计|制定|生成|打开|关[闭掉]|提醒|告诉|发[给一送个封]|寄|联系|取消|记[住得]|检查|修|更新|部署|安装|运行|测试|比较|对比|整理|挑|估算|导航|看看|把|将[^近]|别[^人的]|不要|帮)`)
	reDoneZh      = regexp.MustCompile(`[了过着]`)

	// What is wished for or planned before the value is not so yet.
	reWishedEn = regexp.MustCompile(`(?i)\b(?:want|hope|wish|plan|intend|aim|dream|long|aspire)(?:s|ed|ing|ning|d)?\b[^,;]{0,20}?\b(?:to|of|on|for)\b|\b(?:would|'d) (?:like|love|prefer)\b|\b(?:thinking|dreaming) (?:of|about)\b|\bconsidering\b|\bgoing to (?:be|have|get|move|live|work|study|start|become|buy|adopt|join|take|learn|turn)\b`)
	reWishedZh = regexp.MustCompile(`(?:想|想要|打算|计划|准备|梦想|盼着)(?:着|要|去|来|在|买|养|住|搬|学|当|做|换|找|有|吃|喝|玩|试|成为)|(?:^|[^主需只重])要(?:去|搬|买|养|学|换|当)`)
)

// forgets reports whether sent asks for something to be forgotten.
func forgets(sent string) bool {
	if wish(sent) != "" {
		return true
	}
	if langOf(sent) == "zh" {
		return reForgetZh.MatchString(strings.TrimSpace(sent))
	}
	return reForgetEn.MatchString(strings.TrimSpace(sent))
}

// unstated reports whether c asks for what it says of value, or only wishes for it.
func unstated(c *clause, p predicate, value string) bool {
	before, _, _ := strings.Cut(c.text, value)
	if c.lang == "zh" {
		switch {
		case reAskedZh.MatchString(before), reFavorZh.MatchString(before) && !reDoneZh.MatchString(c.text):
			return true
		case c.sub.kind == subjNone && reOrdersZh.MatchString(c.text) && !reDoneZh.MatchString(c.text):
			return true
		}
		return p.name != pDoing.name && reWishedZh.MatchString(before)
	}
	if reAskedEn.MatchString(c.text) {
		return true
	}
	if c.sub.kind == subjNone {
		for _, part := range strings.Split(c.text[:len(before)], ", ") { // "For the trip, reserve …"
			verb := reOrderLeadEn.ReplaceAllString(part, "")
			if (reOrdersEn.MatchString(verb) || reOrderEn.match(verb) || reMakeEn.match(verb)) && !pastEn(firstWord(verb)) || reForMeEn.MatchString(verb) {
				return true
			}
		}
	}
	return p.name != pDoing.name && reWishedEn.MatchString(before)
}

var (
	// Turns with a word for what is not so that say what is.
	reSoEn = regexp.MustCompile(`(?i)\b(?:can(?:not|'t|not ever) (?:get enough of|resist|live without|do without|go without|wait)|never (?:(?:get|gets|grow|grew|got) (?:tired|sick|enough|bored) of|tire of|say no to|miss(?:es|ed)?)|nothing (?:beats|better than)|not (?:only|just)|not to mention|not surprising(?:ly)?|no (?:doubt|wonder|matter|joke|kidding|secret|surprise)|never mind)\b`)
	reSoZh = regexp.MustCompile(`不错|不[仅但光止管论断久时同少]|差不多|少不了|离不开|不能没有|不可或缺|忍不住|戒不掉|不得不|说不定|对不起|不好意思|没得说|没[错事]|没想到|不知不觉|动不动|了不起|不客气|[吃看听玩喝]不[腻厌够]|不[腻厌]`)

	reDeniesEn = regexp.MustCompile(`(?i)\b(?:not|never|no|none|nobody|nothing|neither|nor|without|hardly|barely|rarely|seldom|scarcely|cannot|lacks?|stopped|quit|(?:gave|given) up|any ?more|far from|anything but)\b|n['’]t\b`)
	reDeniesZh = regexp.MustCompile(`不|没|从未|未曾|很少|戒|无法`)

	// To keep away from a thing is what somebody says who must not have it.
	reAbstainsEn = regexp.MustCompile(`(?i)\b(?:can(?:not|'t)|could not|couldn't|do(?:es)? not|don't|doesn't|never|must not|mustn't|may not|should not|shouldn't) (?:eat|have|touch|drink|tolerate|digest|stand|handle|stomach|consume|go|come|get|be|take|sleep|walk|breathe|run|see|hear)\b`)
	reAbstainsZh = regexp.MustCompile(`(?:不能|不可以|不敢|没法|从不|从来不|不)(?:吃|喝|碰|沾|闻|睡|走|动|站|坐)`)

	reHatesEn = regexp.MustCompile(`(?i)\b(?:(?:can(?:not|'t)|could not|couldn't) (?:stand|bear|abide)|not for me|hat(?:e|es|ed|ing)|detest|despise|loathe|dislike|avoid|abhor)(?:s|d|ed)?\b|\b(?:sick|tired) of\b|\bfed up\b|\b(?:gross|awful|disgusting)\b`)
	reHatesZh = regexp.MustCompile(`受不了|讨厌|厌恶|反感|恨|嫌|难吃|恶心`)
)

// agrees makes f, which a model says that c states of value, of the pole that c has, and reports whether the two agree:
// nothing is affirmed by words that deny, nor the other way round.
func agrees(c *clause, f *fact, value string) bool {
	so, denies, abstains, hates := reSoEn, reDeniesEn, reAbstainsEn, reHatesEn
	if c.lang == "zh" {
		so, denies, abstains, hates = reSoZh, reDeniesZh, reAbstainsZh, reHatesZh
	}
	said := so.ReplaceAllString(strings.Replace(c.text, value, "¤", 1), "¤")
	switch f.pred.name {
	case pLikes.name, pDislikes.name:
		bad := hates.MatchString(said)
		not := c.negated || c.ended || denies.MatchString(hates.ReplaceAllString(said, "¤"))
		switch {
		case not && bad, f.pred.name == pDislikes.name && f.negated: // "don't hate": neither liked nor disliked
			return false
		case f.pred.name == pDislikes.name:
			return true
		case f.negated && (not || bad): // what is not liked is disliked, as the rules have it
			f.pred, f.negated = pDislikes, false
			return true
		}
		return !not && !bad && !f.negated
	case pAllergic.name, pDiet.name, pHealth.name:
		if abstains.MatchString(said) && f.negated {
			return false
		}
		said = abstains.ReplaceAllString(said, "¤")
	}
	return !negates(f.pred) || (c.negated || c.ended || denies.MatchString(said)) == f.negated
}

var (
	reJoinEn  = regexp.MustCompile(`(?i)\b(?:when|while|because|since|after|before|where|until|till|that|so|though|although|than|as|if|and|but|or)\s+`)
	reJoinZh  = regexp.MustCompile(`(?:的时候|之后|以后|之前|以前|那[年天时]候?|因为|所以|但是?|[后前时])[，, ]?`)
	reOtherEn = regexp.MustCompile(`(?i)^(?:he|she|they|you)\b`)
	reOtherZh = regexp.MustCompile(`^[他她你您]`)
)

// spokenAt is whom c speaks of where it says value: a clause within it may have a subject of its own.
func (r *reader) spokenAt(c *clause, value string) subject {
	at := strings.Index(c.text, value)
	if at < 0 {
		return c.sub
	}
	join, other := reJoinEn, reOtherEn
	if c.lang == "zh" {
		join, other = reJoinZh, reOtherZh
	}
	own := c.sub
	for _, ix := range join.FindAllStringIndex(c.text[:at], -1) {
		inner := c.text[ix[1]:]
		if other.MatchString(inner) {
			if own.kind&(subjSelf|subjGroup) != 0 { // somebody else, whoever it is
				own = subject{kind: subjPerson}
			}
			continue
		}
		var sub subject
		if c.lang == "zh" {
			for _, in := range readZh(inner, r.sp, c.at, subject{}) {
				sub = in.sub
			}
		} else if in := readEn(inner, r.sp, c.at, context{}); in != nil {
			sub = in.sub
		}
		if sub.kind != 0 && sub.kind != subjNone {
			own = sub
		}
	}
	return own
}
