package distill

import "strings"

var (
	// Who asks for a sentence not to be kept.
	reDontKeepZh = gated(`(?:别|不要|不用|不许|无需|不必)(?:帮我|替我|给我)?(?:记住|记录|记下|记|存下|存|保存|留底|写进记忆)(?:这个|这些|这条|它|下来|了|啊|哈|哦)*[。！!，,~]*$`)
	reDontKeepEn = gated(`(?i)\b(?:do not|don't|please never|never) (?:store|save|remember|record|keep|memori[sz]e|write down) (?:this|that|it|any of this|what I (?:just )?said)\b|\boff the record\b`)

	// Where somebody is for a while, and what one stays in then.
	reTripZh  = gated(`出差|开会|旅游|旅行|度假|出游|培训|参展|转机|路过|蜜月|比赛|去[^，。；]{1,8}?(?:玩|耍|逛)`)
	reHotelZh = gated(`酒店|宾馆|民宿|旅馆|旅店|客栈|招待所|青旅|度假村`)
	reHotelEn = gated(`(?i)\b(?:hotel|hostel|airbnb|motel|guest ?house|resort|b&b)\b`)
	reMoveZh  = gated(`搬|定居|落户|长租|租了|买了`)

	// What a clause without a subject goes on about, where it stands before it.
	reBeastZh  = gated(`[猫狗犬鸟兔龟]|泰迪|金毛|柯基|柴犬|布偶|仓鼠|宠物`)
	reOthersZh = gated(`^(?:我?家?(?:的)?(?:宝宝|宝贝|娃|孩子)|[^，。；我]{0,8}(?:邻居|同事|朋友|室友|房东|老板|领导|客户|同学|宝宝|孩子|娃))`)
	reOwnZh    = gated(`我|咱|俺|本人`)

	// 去年还挺喜欢: it was so then, and "still" says that it changed.
	reThenStillZh = gated(`^(?:我)?(?:去年|前年|前几年|早几年|上学那会儿?|当年|那时候?)(?:我)?还`)
)

// private reports whether somebody asks for sent not to be kept: nothing is read out of it.
func private(sent string) bool {
	if langOf(sent) == "zh" {
		return reDontKeepZh.match(sent)
	}
	return reDontKeepEn.match(sent)
}

// strays reports whether what was read from c is about somebody or something else than it seems, as the rest of the
// sentence tells: where one stays on a journey is no home, and a cat's age is not its owner's.
func strays(c *clause, f *fact, sent string) bool {
	if c.lang != "zh" {
		return f.pred.name == pLivesIn.name && reHotelEn.match(f.object) || !c.explicit && f.pred.name != pAllowed.name && f.pred.name != pRule.name && genericEn(c)
	}
	before := sent[:max(0, strings.Index(sent, c.vp))]
	own := before[strings.LastIndexAny(before, "，。；,")+1:]
	switch {
	case f.pred.name == pRule.name:
		return reThisTimeZh.match(sent)
	case (c.sub.kind&(subjSelf|subjNone) != 0 || f.subject == "we" || f.subject == "user") && !c.explicit && reTheySayZh.match(before) && !reOwnZh.match(own) && !strings.HasPrefix(sent, "我"):
		return true
	}
	switch f.pred.name {
	case pLivesIn.name:
		return reHotelZh.match(f.object) || reTripZh.match(before) && !reMoveZh.match(sent)
	case pAge.name, pHealth.name, pTrait.name, pBirthday.name:
		if c.sub.kind&(subjKin|subjPerson|subjMine) != 0 || before == "" {
			return false
		}
		return !reOwnZh.match(own) && (reBeastZh.match(before) || reOthersZh.match(before))
	}
	return false
}
