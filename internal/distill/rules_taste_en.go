package distill

import (
	"regexp"
	"strings"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// rulesTasteEn are tastes, habits and things.
var rulesTasteEn = []rule{
	// Tastes, habits, things.
	{"en.likes", subjPeople, false, compile(`^(?:would )?(?:have always )?(?:likes?|loved?|loves|enjoys?|adores?|(?:am|is|are) (?:\w+ )?(?:fond of|into|keen on|crazy about|obsessed with|mad about|partial to|addicted to|a sucker for|(?:a |an )?(?:big |huge |great |massive |total |lifelong |much of a )?fan of|a (?:[\w-]+ )?lover of)|(?:am|is|are) (?:big |huge )?fans of) (.+)$`), pLikes, .9, tasteEn},
	{"en.dislikes", subjPeople, false, compile(`^(?:hates?|hated|dislikes?|detests?|loathes?|despises?|cannot (?:stand|bear)|(?:am|is|are) (?:so |really )?(?:sick of|tired of|fed up with|over)|(?:do|does) not care for|cannot deal with|(?:am|is|are) (?:really )?(?:put off by|annoyed by|bothered by|bored by|afraid of|scared of|terrified of)) (.+)$`), pDislikes, .9, tasteEn},
	{"en.likes.not_care", subjPeople, false, compile(`^(?:care for|mind) (.+)$`), pDislikes, .8, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		return fact{object: o, qualifier: bareTaste(o)}, c.negated && hasPrefixAny(c.vpLow, "care") && o != "" && !isPronounEn(firstWord(strings.ToLower(o)))
	}},
	{"en.favourite.is", subjAny | subjNone, true, compile(`^(.+?) (?:is|are|has always been|will always be) (?:still |now |probably |by far )*my (?:absolute |all-time |new )*(?:favou?rite|fave)(?: (.+?))?[.!]*$`), pFavourite, .85, func(c *clause, m []string) (fact, bool) {
		return fact{subject: "user", object: trimArticle(m[1]), qualifier: objectOf(c, m[2])}, !isPronounEn(strings.ToLower(firstWord(m[1])))
	}},
	{"en.works_for", subjNone | subjThing, true, compile(`^(.{3,40}?) (?:works?|suits?|is|are) (?:best|better|fine|great|perfect|easiest)? ?(?:for )?me(?: best| better)?[.!]*$`), pPrefers, .7, func(c *clause, m []string) (fact, bool) {
		return fact{subject: "user", object: trimArticle(m[1])}, !isPronounEn(strings.ToLower(firstWord(m[1]))) && !c.past && len(c.whens()) == 0 && !rePassing.match(c.low) && !hasPrefixAny(c.low, "the ", "it ", "that ", "this ", "both ", "either ", "sounds")
	}},
	{"en.repels", subjAny | subjNone, true, compile(`^(.+?) (?:makes? my skin crawl|drives? me (?:nuts|crazy|mad|up the wall|insane)|gets? on my nerves|gives? me (?:a headache|the creeps|the ick)|turns? my stomach|leaves? me cold|do(?:es)? nothing for me|(?:stress|freak|weird|gross|creep|tire)(?:es|s)? me out|makes? me (?:gag|cringe|anxious|uncomfortable)|puts? me off|(?:annoy|irritate|bother|exhaust|depresse?|bore)s? me(?: to (?:tears|death))?|(?:is|are|was|were|has|have) (?:not|never)(?: really| ever)?(?: been)? my (?:thing|cup of tea|jam|style|bag|scene))\b.*$`), pDislikes, .8, func(c *clause, m []string) (fact, bool) {
		o := trimArticle(m[1])
		return fact{subject: "user", object: o, qualifier: o}, !isPronounEn(strings.ToLower(firstWord(o))) && !hasPrefixAny(c.low, "my ", "the ") && (!c.past || strings.Contains(c.low, " never"))
	}},
	{"en.pleases", subjAny | subjNone, true, compile(`^(.+?) (?:(?:always |really |just )*(?:makes? (?:me happy|my day)|cheers? me up|calms? me(?: down)?|relaxes? me|never gets? old|hits? the spot|appeals? to me)|(?:is|are) (?:\w+ly |still )?(?:my (?:guilty pleasure|comfort food|go-to|happy place|weakness|jam|kryptonite|drink of choice|comfort watch|escape)s?|right up my (?:street|alley)|what I live for))\b.*$`), pLikes, .8, func(c *clause, m []string) (fact, bool) {
		o := trimArticle(m[1])
		return fact{subject: "user", object: o, qualifier: o}, !c.past && !c.negated && !isPronounEn(strings.ToLower(firstWord(o)))
	}},
	{"en.beats", subjAny | subjNone, true, compile(`^(?:nothing (?:beats|tops|compares to|comes close to|like)|there is nothing (?:better than|like|I love more than)|you cannot beat) (.+?)(?: for me| in my book| after .+)?[.!]*$`), pLikes, .8, func(c *clause, m []string) (fact, bool) {
		o := trimArticle(m[1])
		return fact{subject: "user", object: o, qualifier: o}, !isPronounEn(strings.ToLower(firstWord(o)))
	}},
	{"en.harms", subjAny | subjNone, true, compile(`^(.+?) (?:(?:does not|do not|never) (?:really )?(?:agrees?|sits? well) with (?:me|my (?:stomach|gut|skin))|(?:upsets?|wrecks?|messes up|bloats?|ruins?|irritates?|triggers?) my (?:stomach|gut|sleep|skin|asthma|migraines?|allergies|reflux)|(?:(?:would|could|will|can|might) )(?:\w+ly |actually )?kill me|closes? up my throat)\b.*$`), pHealth, .8, func(c *clause, m []string) (fact, bool) {
		o := trimArticle(m[1])
		c.negated = false // it is in the words
		return fact{subject: "user", object: o + " → " + strings.TrimSpace(c.text[len(m[1]):]), qualifier: o}, !c.past && !isPronounEn(strings.ToLower(firstWord(o))) && !hasPrefixAny(c.low, "my ", "the ", "you ", "that ")
	}},
	{"en.over", subjNone | subjThing, true, compile(`^([\p{L}' -]{2,30}?) over ([\p{L}' -]{2,30}?),? (?:always|any ?day|every (?:single )?time|all day)\b.*$`), pPrefers, .8, func(c *clause, m []string) (fact, bool) {
		return fact{subject: "user", object: m[1]}, true
	}},
	{"en.fine_now", subjThing | subjPerson, false, compile(`^(?:is|are) (?:now )?(?:fine|ok|okay|alright|all right|good)(?: (?:for|with|by) me)?$`), pDislikes, .75, fineNowEn},
	{"en.prefers", subjPeople, false, compile(`^(?:would )?(?:prefers?|rather(?: have)?) (.+?)(?: (?:over|to|rather than|instead of|than) (.+))?$`), pPrefers, .9, nil},
	{"en.consumes.not", subjPeople, false, compile(`^cannot (?:have|eat|drink|tolerate|digest) (.+)$`), pConsumes, .88, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		return fact{object: o, negated: true, qualifier: strings.TrimPrefix(o, "any ")}, o != "" && !isPronounEn(strings.ToLower(firstWord(o)))
	}},
	{"en.can_again", subjSelf | subjKin, false, compile(`^(?:can|am able to|is able to) (?:finally )?(?:have|eat|drink|tolerate|digest) (.+?)(?: again| now)*$`), pConsumes, .8, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		return fact{object: o, qualifier: o}, !c.negated && containsAny(c.low, " again", " now") && o != "" && !isPronounEn(strings.ToLower(firstWord(o)))
	}},
	{"en.gave_up", subjPeople, true, compile(`^(?:I|we|\p{L}+) (?:have |has |just |finally )*(?:gave|given|give) up ((?:[\p{L}-]+ ){0,2}[\p{L}-]+)\b(.*)$`), pConsumes, .8, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		return fact{object: o, negated: true, qualifier: strings.TrimPrefix(strings.ToLower(o), "eating ")}, c.sub.kind == subjSelf && c.ended && o != "" && !hasPrefixAny(strings.ToLower(o), "on ", "my ", "the ", "trying", "after", "this", "that", "smoking", "drinking", "it")
	}},
	{"en.consumes", subjPeople, false, compile(`^(?:eats?|drinks?|smokes?|vapes?|vaping|touch|touches|eating|drinking|smoking)(?: (.+))?$`), pConsumes, .85, consumesEn},
	{"en.given_up", subjPeople, false, compile(`^(?:watch(?:es|ing)?|reads?|reading|listen(?:s|ing)? to|play(?:s|ing)?|us(?:e|es|ing)|wear(?:s|ing)?|order(?:s|ing)?|buy(?:s|ing)?|do(?:es|ing)?|go(?:es|ing)? to) (.+)$`), pUses, .82, givenUpEn},
	{"en.on_these_days", subjSelf | subjGroup, false, compile(`^(?:am|are) (?:back )?on ([\w.+#-]+(?: [\w.+#-]+)?) (?:these days|now|nowadays|at the moment|currently)$`), pUses, .74, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1]}, !notUsedEn[strings.ToLower(firstWord(m[1]))] && !c.negated
	}},
	{"en.switched", subjSelf | subjGroup, false, compile(`^(?:have |has |just )*(?:switched|migrated|changed|moved|upgraded)(?: (?:over|everything|our \w+|my \w+|the \w+))?(?: from (.+?))? to (.+)$`), pUses, .85, switchedEn},
	{"en.swapped", subjSelf | subjGroup, false, compile(`^(?:have |has |just |finally )*(?:ditched|swapped(?: out)?|traded(?: in)?|dropped|dumped|exchanged|left) (?:my |our |the )?(.+?) for (?:an? |the |my )?(.+)$`), pUses, .82, switchedEn},
	{"en.replaced", subjSelf | subjGroup, false, compile(`^(?:have |has |just )*replaced (.+?) (?:with|by) (.+)$`), pUses, .85, switchedEn},
	{"en.decided", subjGroup | subjSelf, false, compile(`^(?:have |has |just )*(?:decided(?: (?:in|as|with) (?:the|a|our) [\w-]+| together| yesterday| today| last \w+| finally)?(?: (?:to|on|that|against|not to))?|chose|chosen|agreed(?: (?:to|on|that))?|picked|went with|settled on|(?:am|are) going with|adopted|selected|opted for) (.+)$`), pDecision, .88, nil},
	{"en.writes_in", subjSelf | subjGroup | subjKin | subjPerson, false, compile(`^(?:writes?|codes?|programs?|develops?|builds?|(?:am|are|is) (?:writing|coding|programming|building)) (?:mostly |mainly )?((?:.+ )?(?:in|with|using) (.+))$`), pUses, .8, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		return fact{object: o}, o != "" && (!hasPrefixAny(c.vpLow, "build", "am build", "are build", "is build") || capital(m[2]))
	}},
	{"en.dropped", subjSelf | subjGroup, false, compile(`^(?:have |has |just |finally |completely )*(?:dropped|ditched|got rid of|retired|killed(?: off)?|removed|moved (?:away from|off)|decommissioned|abandoned|scrapped|uninstalled|phased out|sunset|deprecated|are done with|am done with) (.+)$`), pUses, .78, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		return fact{object: o, negated: true}, capital(o) && !c.negated
	}},
	{"en.pinned", subjSelf | subjGroup | subjThing, false, compile(`^(?:am|is|are) (?:still |all )*(?:pinned to|stuck on|locked to|stuck with|standardi[sz]ed on|capped at|frozen at) (.+)$`), pUses, .8, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		f := fact{object: o}
		if c.sub.kind == subjThing {
			f.pred, f.subject = pVersion, core(c.sub.text)
		}
		return f, specific(o) && len(c.whens()) == 0
	}},
	{"en.business", subjSelf | subjGroup | subjKin, false, compile(`^(?:have |has )?(?:runs?|owns?|manages?|founded|co-?founded|started|opened|own and run) (an? (?:[\w'-]+ ){0,4}?(?:shop|store|caf[eé]|restaurant|studio|bakery|company|business|agency|startup|farm|gallery|salon|bar|clinic|blog|newsletter|podcast|channel|hostel|b&b|school|ngo|charity|bookshop|bookstore|brewery|vineyard|gym|practice|guesthouse|food truck|workshop)\b.*)$`), pHas, .8, nil},
	{"en.knows", subjSelf | subjKin, false, compile(`^(?:knows?|(?:am|is) (?:good at|fluent in|proficient in|experienced (?:in|with)|new to|comfortable with|familiar with)|(?:have|has) (?:never )?(?:touched|learned|learnt)|touched) (.+)$`), pKnows, .72, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		return fact{object: o, negated: c.negated}, capital(o) && !reDayNameEn.match(o) && len(strings.Fields(o)) <= 6
	}},
	{"en.uses.on", subjSelf | subjGroup, false, regexp.MustCompile(`^(?:am|are) (?:all |all still |both |running |entirely |fully |back )*on ((?:\p{Lu}|v?\d+\.)[\w.+#-]*(?: [\w.+#-]+){0,3})(?:[,;]? (?:and|but|for|since|because) .*)?$`), pUses, .78, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		return fact{object: o, negated: c.negated}, o != "" && len(c.whens()) == 0 && !reDayNameEn.match(o)
	}},
	{"en.stopped", subjSelf | subjGroup | subjKin, false, compile(`^(using|doing|having|holding|running|taking|going|buying|wearing|watching|reading|playing|working|making|practi[sc]ing|ordering|attending|writing|sending|supporting) (.+)$`), pHabit, .78, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[2])
		f := fact{object: m[1] + " " + o, negated: true}
		if strings.EqualFold(m[1], "using") {
			f.pred, f.object = pUses, o
		}
		return f, c.ended && o != "" && !isPronounEn(firstWord(strings.ToLower(o)))
	}},
	{"en.uses", subjSelf | subjGroup | subjKin | subjPerson, false, compile(`^(?:(?:am|are|is) (?:using|running|driving|playing)|uses?|runs?|drives?|rides?|plays?|carry|carries) (.+)$`), pUses, .82, usesEn},
	{"en.habit", subjSelf | subjGroup | subjKin | subjPerson, true, nil, pHabit, .8, habitEn},
	{"en.never", subjSelf | subjKin, true, compile(`^(?:I|we|my [\p{L}-]+) (?:really |almost |pretty much |basically )?never (watch|read|play|buy|use|wear|cook|travel|fly|drive|take|listen|answer|pick up|work|order|go|carry|check|shop|skip|talk|sleep)s?\b(.*)$`), pHabit, .78, func(c *clause, m []string) (fact, bool) {
		return fact{object: objectOf(c, "never "+m[1]+m[2]), negated: true}, !c.past && len(strings.Fields(m[2])) > 0
	}},
	{"en.routine", subjSelf | subjKin | subjGroup, false, compile(`^(?:sleeps?|wakes? up|gets? up|goes? to (?:bed|the gym|church|mass|yoga|therapy)|commutes?|volunteers?|meditates?|cycles?|bikes?|walks?|bakes?|cooks?|swims?|gardens?|knits?|paints?|sings?|dances?|hikes?|climbs?|skis?|surfs?|sails?|runs? \d|trains?|fasts?|journals?|shops?|reads?|listens? to) (.+)$`), pHabit, .7, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, c.vp)
		return fact{object: o, negated: c.negated}, !c.past && len(strings.Fields(o)) > 1 && len(c.certain(true)) == 0 && !rePassing.match(c.low) && !isPronounEn(firstWord(strings.ToLower(m[1]))) && !hasPrefixAny(strings.ToLower(m[1]), "through ", "your ", "the ", "about it")
	}},
	{"en.owes", subjSelf | subjKin, false, compile(`^(?:owes? .+|(?:have )?(?:lent|borrowed) .+)$`), pStatement, .7, func(c *clause, m []string) (fact, bool) {
		return fact{object: objectOf(c, c.vp), kind: schema.KindUser}, !strings.Contains(c.vpLow, "owe you")
	}},
	{"en.done.bought", subjSelf | subjGroup, false, compile(`^(?:have |has )?(?:already |just |finally )*bought ((?:all )?the .+)$`), pEvent, .75, doneEn},
	{"en.has.none", subjSelf | subjGroup | subjKin, false, compile(`^(?:have|has|own|owns|have got|has got) no (.+)$`), pHas, .8, noneLeftEn},
	{"en.has", subjSelf | subjGroup | subjKin, false, compile(`^(?:have (?:owned|kept|collected)|have|has|have got|owns?|keeps?|collects?|(?:just |recently )?bought) (.+)$`), pHas, .72, hasEn},
	{"en.trait", subjSelf | subjKin, false, compile(`^(?:am|is|are) ((?:an? )?(?:night owl|early bird|morning person|introvert|extrovert|introverted|extroverted|atheist|buddhist|christian|muslim|catholic|jewish|hindu|beginner|newbie|early riser|late riser|light sleeper|heavy sleeper|picky eater|slow reader|visual learner|parent|single (?:dad|mum|mom|parent|mother|father)\b.*|mother of .+|father of .+|dad of .+|mum of .+|mom of .+|native .+|people person|homebody|nerd|non-binary|lefty|bookworm|gamer|widow|widower|orphan|refugee|citizen .+|teetotaller|homeowner|renter|[\w-]+ person|veteran|expat|immigrant|only child|twin|smoker|non-smoker|vegetable gardener|runner|cyclist|climber|beekeeper|dog person|cat person|perfectionist|gay|bisexual|trans|retired|unemployed|self-employed|tall|\d[\d.,]* ?(?:cm|m|kg|feet|ft)\b.*))$`), pTrait, .85, nil},
	{"en.trait.a", subjSelf | subjKin, false, compile(`^(?:am|is) an? ((?:[\p{L}'-]+ ){0,3}[\p{L}'-]+)(?:, .*)?$`), pTrait, .6, traitEn},
	{"en.measure", subjSelf | subjKin, false, compile(`^(weighs? .+|(?:am|is) .*\d.* tall)$`), pTrait, .85, nil},
	{"en.doing", subjSelf | subjGroup | subjKin, false, compile(`^(?:am|are|is) (?:learning|training for|saving (?:up )?for|writing|working on|building|preparing for|preparing|renovating|restoring|organi[sz]ing|planning|researching|expecting|recovering from|teaching) (.+)$`), pDoing, .75, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		return fact{object: o}, len(o) > 2 && !isPronounEn(strings.ToLower(firstWord(o)))
	}},
}

// notUsedEn are what one is on without using it: "on holiday now".
var notUsedEn = wordSet("it holiday leave vacation break call phone sick parental maternity paternity annual shift shifts duty nights days strike parole probation board track time fire edge a an the my our this that these those medication antibiotics insulin hold foot good bad top speaker mute tour site top way road train bus plane")
