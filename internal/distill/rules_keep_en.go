package distill

import (
	"strings"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// rulesKeepEn are what need not be kept any more, and what must be.
var rulesKeepEn = []rule{
	// What need not be kept any more.
	{"en.lift.may", subjAny | subjNone, true, compile(`^(?:(?:from now on|going forward|in (?:the )?future|henceforth|from here on),? )?(?:you|we) (?:can|may|are (?:now )?(?:allowed|free) to) (?:now |again |also |once again )?(.+?)(?: again)?(?: from now on| going forward| in (?:the )?future| from here on)?[.!]?$`), pPermitted, .85, liftEn},
	{"en.lift.fine", subjAny | subjNone, true, compile(`^(?:(?:from now on|going forward|henceforth),? )?(?:it is (?:now )?(?:ok|okay|fine|all right|alright)(?: for you)? to|feel free to) (.+?)(?: again)?(?: from now on| going forward| in (?:the )?future)?[.!]?$`), pPermitted, .85, liftEn},
	{"en.lift.need_not", subjAny | subjNone, true, compile(`^(?:you|we) (?:(?:no longer (?:have|need) to) (.+?)|do not (?:have|need) to (.+?) (?:any ?more|any longer))(?: from now on)?[.!]?$`), pExempt, .85, liftEn},
	{"en.lift.rule", subjAny | subjNone, true, compile(`^(?:(?:please )?(?:forget|drop|ignore|scrap) )?the (?:(?:rule|ban|restriction|policy) (?:about|against|on|for) (.+?)|no[- ]([\w-]+) (?:rule|policy|ban))(?: (?:no longer (?:applies|holds|counts)|is (?:lifted|over|gone|off|cancell?ed|void)|does not apply (?:any ?more|any longer)|has been (?:lifted|dropped)))?[.!]?$`), pPermitted, .85, liftEn},

	// What must be kept.
	{"en.rule.label", subjAny | subjNone, true, compile(`^(?:(?:house|team|our|my|general|standing|important|hard|golden|new|project|the|one|coding|safety) )*(?:rule|policy|constraint|order|instruction|ground rule)(?: (?:of thumb|number \w+|here|is|for [^:]{2,30}?))*\s*(?:[:：—-]+|is:? (?:that )?)\s*(.+)$`), pRule, .95, ruleWhole},
	{"en.decision", subjAny | subjNone, true, compile(`^(?:final |team |our |the )*(?:decisions?|consensus|verdict|outcome|conclusion|resolution)(?: (?:from|of|at|made) [^,:]{2,30}?)?\s*[,:—-]+\s*(.+)$|^(?:it is|it's) (?:been )?(?:decided|settled|agreed)(?: that)?[,:]? (.+)$`), pDecision, .85, func(c *clause, m []string) (fact, bool) {
		return fact{subject: "we", object: objectOf(c, m[1]+m[2])}, true
	}},
	{"en.rule.standing", subjAny | subjNone, true, compile(`^(?:please )?(?:from now on|going forward|in (?:the )?future|henceforth|from here on|every time|whenever|each time)\b.*\b(?:always|never|use|call|answer|reply|respond|write|speak|do not|avoid|keep|make|include|add|ask|send|start|stop|put|format|show|give|tell|run|check|commit|sign|cc|remind|be|assume|round|convert|treat|prefer|confirm|wait|skip|mention)\b|\b(?:from now on|going forward|henceforth)[.!]?$`), pRule, .9, ruleImperative},
	{"en.rule.never", subjNone, true, compile(`^(?:please )?(?:(?:make sure|be sure|ensure)(?: that)? (?:you )?)?(?:always|(?:never,? )*never(?:,? ever)?|do not ever) (.+)$`), pRule, .92, ruleImperative},
	{"en.rule.ask", subjAny | subjNone, true, compile(`^(?:please )?(?:` + askEn + `)(?: first)?,? before (?:(you|we|anybody|anyone|somebody|someone) (?:ever )?)?([\p{L}-]+)\b(.*)$`), pRule, .85, askRuleEn},
	{"en.rule.ask.before", subjAny | subjNone, true, compile(`^(?:please )?before (?:(you|we|anybody|anyone|somebody|someone) (?:ever )?)?([\p{L}-]+)\b([^;]{0,80}?),? (?:please |always |first )*(?:` + askEn + `)(?: first)?(?: please)?[.!]*$`), pRule, .85, askRuleEn},
	{"en.rule.if", subjAny | subjNone, true, compile(`^(?:if|when|whenever|unless) .{3,120}?,? (?:please )?(?:you must|you should always|always|never|do not|make sure|be sure) .+$`), pRule, .85, ruleImperative},
	{"en.rule.please", subjAny | subjNone, true, compile(`^(?:when(?:ever)? (?:you )?|while |in )((?:answer|repl|respond|writ|draft|summari[sz]|translat|explain|review|report|recommend|suggest|cod|commit|deploy|talk|speak)(?:e|y|ing|ying)?)\b(?: [^,;]{1,50}?)?,? please (.{4,80})$`), pRule, .8, pleaseEn},
	{"en.rule.when_you", subjAny | subjNone, true, compile(whenYouEn + `(` + standingVerbsEn + `)\b.+$`), pRule, .8, pleaseEn},
	{"en.rule.in_every", subjSelf | subjGroup, false, compile(`^(?:always )?(?:want|need|expect|like|would like|prefer) (.+ (?:in|for|with|at the (?:top|end|start|bottom|beginning) of|before|after) (?:every|all|each|any|your) (?:[\w-]+ )?(?:answers?|repl(?:y|ies)|responses?|messages?|code|commits?|summar(?:y|ies)|reports?|emails?|lists?|recipes?|snippets?|examples?|functions?|outputs?|explanations?|documents?))$`), pRule, .82, func(c *clause, m []string) (fact, bool) { return fact{object: c.text}, !c.negated && !oneOff(c.low) }},
	{"en.rule.you_to", subjSelf | subjGroup, false, compile(`^(?:want|need|expect|would like|would love|would prefer|prefer|like|would appreciate)s? (?:it (?:if|when) )?you(?: to| would| could)? (?:be (?:more|less|as|very|brief|blunt|honest|direct|concise|formal|critical|patient|strict)\b|stop\b|keep (?:it|your|things|answers|the tone)|call me\b|speak\b|talk\b|answer\b|reply\b|respond\b|use\b|avoid\b|treat\b|challenge\b|correct (?:me|my)\b|push back\b|explain (?:things|your)|address me\b|start (?:every|each|with)|skip\b|leave out\b|double[- ]check\b|cite\b).*$`), pRule, .82, func(c *clause, m []string) (fact, bool) { return fact{object: c.text}, !oneOff(c.low) }},
	{"en.rule.as_if", subjNone, true, compile(`^(?:please )?(?:explain|answer|talk|speak|write|treat|describe|teach)(?: to)?(?: me| things| everything| stuff| concepts| code)* (?:like|as if|as though) .+$`), pRule, .75, ruleImperative},
	{"en.rule.no_need", subjNone | subjThing, true, compile(`^(?:there is )?no need (?:for|to) (?:[\w-]+ ){0,2}?(greetings?|pleasantries|disclaimers?|apolog\w+|introductions?|intros?|preambles?|explanations?|explain|translate|repeat|summari[sz]e|ask|flattery|emojis?|caveats?|warnings?|compliments?|small talk|recap|sign[- ]offs?)\b.*$`), pRule, .75, func(c *clause, m []string) (fact, bool) { return fact{object: c.text}, !oneOff(c.low) && !c.past }},
	{"en.rule.nobody", subjAny | subjNone, true, compile(`^(?:nobody|no one|no-one) (?:(should|may|can|must|is allowed to|gets to|is to) (?:ever )?)?([\p{L}-]+)(?: .+)?$`), pRule, .78, nobodyEn},
	{"en.rule.keep", subjNone, true, compile(`^(?:please )?(?:always )?(?:keep (?:your |the |all |my )?|make (?:all )?your )(answers?|replies|responses|messages|explanations|summaries|emails?|it|things|your code|code|tone|variable names|commit messages) (?:[\w-]+ )?(?:short|shorter|brief|concise|simple|formal|informal|polite|casual|under|below|in|free|to|crisp|light|clean|friendly|lower-?case)\b.*$`), pRule, .78, keepEn},
	{"en.rule.get_to", subjNone, true, compile(`^(?:please )?(?:just |always )*(?:get (?:straight )?to the point(?: (?:in|when|every|always|from now on)\b.*)?|(?:skip|leave out|spare me|drop|lose|ditch|cut) (?:all |the |your |any )*(?:` + paddingEn + `)(?: (?:in|from|at|when|every|always|from now on|for good|forever|altogether)\b.*)?|round (?:everything|all|numbers|amounts|prices) .+|cite (?:your )?sources\b.*|give me (?:prices|amounts|distances|temperatures|dates|times|units|weights) in .+|show (?:prices|amounts|distances|temperatures|dates|times) in .+|address me (?:as|with|formally|informally)\b.*|sign (?:my |off )?(?:emails?|letters?|messages?) .+|double[- ]check .+ (?:before|every|always)\b.*)[.!]*$`), pRule, .75, getToEn},
	{"en.rule.you", subjAny | subjNone, true, compile(`^(?:you|the assistant|the agent|the bot) (?:must(?: not| never| always)?|should (?:always|never|not)|may (?:not|never|only)|cannot|can never|are (?:not |never )(?:allowed|permitted) to|are to|have to always|need to always|shall(?: not| never)?) (.+)$`), pRule, .88, ruleWhole},
	{"en.rule.want", subjSelf | subjGroup, false, compile(`^(?:want|need|expect|would like|prefer|ask|require|like it (?:when|if))s? (?:it if )?you (?:to )?(?:(?:always|never|not|only|please) .+|.+ (?:every time|always|each time|in all your .+|from now on|whenever .+))$`), pRule, .85, ruleWhole},
	{"en.rule.like_when", subjSelf | subjGroup, false, compile(`^(?:really |much )?(?:like|love|prefer|appreciate) it (?:when|if) you (?:are|keep|use|give|explain|start|answer|just|get|say|show|push|tell|ask|put|lead|go|skip|do not)\b.*$`), pRule, .78, func(c *clause, m []string) (fact, bool) { return fact{object: c.text}, !c.negated && !oneOff(c.low) }},
	{"en.rule.want_not", subjSelf | subjGroup, false, compile(`^(?:want|need|like|like it when|like when) you (?:to )?(.+)$`), pRule, .8, func(c *clause, m []string) (fact, bool) { return fact{object: c.text}, c.negated && !oneOff(c.low) }},
	{"en.rule.reply", subjNone, true, compile(`^(?:please )?(?:just )?(?:(?:always |only )?(?:answer|reply|respond|speak|talk|communicate|write)(?: (?:to )?me)?(?: only)? (?:in|with|using) (?:[A-Z][a-z]+|short|bullet|plain|simple|formal|metric|british|american|full)\b.*|keep (?:your|the|all|my)? ?(?:answers|replies|responses|messages|explanations|summaries) (?:short|brief|concise|simple|formal|polite|under|below|to|in|free)\b.*|(?:only |always )?use (?:[\w-]+ ){0,3}(?:spelling|units|notation|format|english|dates|currency|style|tabs|spaces|punctuation|quotes)\b.*)$`), pRule, .8, ruleImperative},
	{"en.rule.language", subjAny | subjNone, true, compile(`^(?:please )?(?:only |always )?(?:speak|talk|write|reply|answer|respond)(?: (?:only|to me|with me))* (?:only )?(?:in )?(?:` + languagesEn + `)(?: only)?(?: (?:with|to) (?:me|us))?(?: only| please)*[.!]*$`), pRule, .8, ruleImperative},
	{"en.rule.manner", subjNone, true, compile(`^(?:please )?(?:always )?be (?:(?:more|less|very|as|always|a bit|a little) )*(?:` + mannersEn + `)(?:(?:,|,? and|,? but)? (?:(?:more|less) )?(?:` + mannersEn + `))*(?: as possible)?(?: (?:with|to) (?:me|us))?(?: in (?:your|all|every)\b[^,;]*| when (?:you|answering|replying|explaining)\b[^,;]*)?(?:,? please)?[.!]*$`), pRule, .75, ruleImperative},
	{"en.name.call", subjNone, true, compile(`^(?:please |just |you can |everyone )?(?:call|address) me (?:as )?"?([\p{Lu}][\p{L}'-]+(?: [\p{Lu}][\p{L}'-]+)?)"?(?:[.,! ]|$)`), pName, .85, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1], subject: "user", qualifier: "address", typ: schema.TypePreference}, true
	}},
	{"en.rule.for_all", subjNone | subjThing, true, compile(`^(?:for|in|with) (?:anything|everything|all|any|every|each|my|our|the) [^,;]{2,60}?,? (?:please |always |just )*(?:use|do not|avoid|keep|be|write|give|stick to|prefer|ask|answer|reply|treat|default to)\b.+$`), pRule, .75, func(c *clause, m []string) (fact, bool) {
		f, ok := ruleImperative(c, m)
		return f, ok && len(c.certain(true)) == 0
	}},
	{"en.rule.in_all", subjNone | subjThing, true, compile(`^.{2,60}? (?:in|for|on|at the (?:top|end) of) (?:every|all (?:of )?your|all|each) (?:single )?(?:documents?|answers?|repl(?:y|ies)|responses?|messages?|emails?|reports?|summar(?:y|ies)|files?|commits?|code|lists?|tables?)(?: you .{3,40}?)?[.!]*$`), pRule, .74, func(c *clause, m []string) (fact, bool) {
		return fact{object: c.text}, !c.past && !c.reported && !oneOff(c.low) && !reStateVerb.match(c.vp) && reOfAllEn.match(c.text)
	}},
	{"en.rule.hands_off", subjAny | subjNone, true, compile(`^(?:please )?(?:hands off|keep (?:away from|off|your hands off|out of)|stay (?:away from|off|out of)) (.+)$`), pRule, .8, ruleImperative},
	{"en.permit", subjAny | subjNone, true, compile(`^you (?:may|can|are free to|are allowed to) (?:freely |always )?(.+? without (?:asking|checking|my|confirm\w*|approval|permission).*|freely .+|.+ (?:as you like|whenever you (?:want|like)|any time))$`), pPermitted, .82, func(c *clause, m []string) (fact, bool) {
		return fact{object: c.text, replaces: strings.TrimSpace(m[1]), soft: true}, !c.past && !oneOff(c.low)
	}},
	{"en.rule.dont", subjNone, true, compile(`^(?:please )?(?:do not|avoid|stop|never) (?:ever )?(` + ruleVerbsEn + `)\b(.*)$`), pRule, .78, ruleImperative},
	{"en.rule.when", subjThing | subjPerson | subjNone, true, compile(`^(?:please )?(?:(?:on|at|in|after|before|during|over|between|outside|outside of|past|every|each) [^,;]{2,40}?),? (?:please )?(?:do not|never|avoid|no) (?:ever )?([\w'-]+\b.*)$`), pRule, .82, occasionEn},
	{"en.rule.no_times", subjAny | subjNone, true, compile(`^no (?:[\w-]+ ){1,4}?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days|weekends|weekdays|weeknights|evenings|mornings|afternoons|nights)\b[^,;]*$`), pRule, .78, ruleImperative},
	{"en.for_me", subjNone | subjThing, true, compile(`^no ((?:[\p{L}-]+ ){0,2}?[\p{L}-]+(?: (?:and|or) (?:no )?(?:[\p{L}-]+ ){0,2}?[\p{L}-]+)?) for me\b.*$`), pConsumes, .8, func(c *clause, m []string) (fact, bool) {
		if reMannerEn.match(m[1]) { // of an answer
			return fact{pred: pRule, object: c.text}, true
		}
		return fact{subject: "user", object: m[1], qualifier: m[1], negated: true}, true
	}},
	{"en.rule.no", subjNone | subjThing, true, compile(`^no (?:[\w-]+ ){0,3}?[\w-]+ (?:in|on|at|after|before|through|without|for|during|inside|between|under|over|to|from|with)\b.+$`), pRule, .75, func(c *clause, m []string) (fact, bool) {
		return fact{object: c.text}, !containsAny(c.low, "no problem", "no worries", "no idea", "no need", "no one", "no luck", "no clue", "no change", "no rush", "no doubt") && !oneOff(c.low)
	}},
	{"en.rule.no_please", subjAny | subjNone, true, compile(`^(?:please,? )?no (?:more )?((?:[\p{L}-]+ )??([\p{L}-]+))(?: (?:with|containing|that|about|in|on|over) [^,;]{2,40}?)?(?:,? (?:please|thanks|ever))*[.!]*$`), pRule, .75, noPleaseEn},
	{"en.rule.any", subjAny | subjNone, true, compile(`^(?:any(?:thing|one|body)?|every(?:thing|one|body)?|all|each) (?:[^,;]{2,60} )?(?:(?:needs?|requires?|gets?) .*(?:approval|review|sign-?off|permission|ticket|tests?|first|reviewer|pair of eyes|signature|label|owner)|must (?:not |never )?\w+|ha(?:s|ve) to|goes? through|(?:is|are) (?:not )?(?:subject to|to be|allowed|permitted)|should (?:not |never |always )?\w+) ?.*$`), pRule, .78, func(c *clause, m []string) (fact, bool) {
		return fact{object: c.text, kind: schema.KindProject}, !c.past && !oneOff(c.low) && !c.reported
	}},
	{"en.rule.nobody_but", subjAny | subjNone, true, compile(`^(?:nobody|no one|only) (?:(?:except|but|other than|apart from|outside) )?(?:[\w'-]+ ){1,4}?(?:(?:should|may|can|must|(?:is|are) allowed to|gets? to) (?:ever )?)([\p{L}-]+)(?: .+)?$`), pRule, .78, func(c *clause, m []string) (fact, bool) {
		return fact{object: c.text, kind: schema.KindProject}, !c.past && !oneOff(c.low) && !hasPrefixAny(strings.ToLower(m[1]), "be", "tell", "say", "imagine", "hope", "guess", "wonder")
	}},
	{"en.rule.can_drop", subjAny | subjNone, true, compile(`^you (?:can|may|do not (?:need|have) to|need not) (?:always |just |safely )*(?:drop|skip|leave out|omit|cut|lose|ditch|stop with|spare me|add|include|use|write|give me|repeat|explain|put) (?:all |the |any |your |those |me )*(?:` + paddingEn + `|emojis|apologies|formalities|bullet points|headings?|titles?|honorifics|basics|theory|jargon|markdown|politeness)\b.*$`), pRule, .78, func(c *clause, m []string) (fact, bool) {
		return fact{object: c.text}, !c.past && !oneOff(c.low)
	}},
	{"en.rule.want_done", subjSelf | subjGroup, false, compile(`^(?:always )?(?:want|need|expect|would like|would appreciate) (?:all |your |my |the |any |every )*(?:[\w-]+ ){0,2}?(?:answers?|repl(?:y|ies)|responses?|quotes?|dates|names|units|code|comments?|emails?|summar(?:y|ies)|explanations?|numbers|prices|lists?|tables?|messages?|documentation|links|sources|terms|titles|examples?|translations?|citations?|output|feedback|reviews?|reports?|measurements|temperatures|recipes) (?:to be |that are |kept |written |spelled |formatted |given |shown |always |only )*(?:in|as|with|without|short|brief|blunt|concise|detailed|honest|direct|under|to|kept|written|first|that)\b.*$`), pRule, .78, func(c *clause, m []string) (fact, bool) {
		return fact{object: c.text}, !c.past && !c.negated && !oneOff(c.low) && len(c.certain(true)) == 0
	}},
	{"en.rule.format", subjAny | subjNone, true, compile(`^(?:so |and )?((?:[\p{L}-]+ ){0,2}?(?:bullet points?|tables?|prose|plain text|markdown|paragraphs|sentences|metric|imperial|celsius|fahrenheit|kilomet(?:re|er)s|British English|American English|British spelling|American spelling|24[- ]hour (?:time|clock)|ISO dates|euros|dollars|gluten[- ]free|sugar[- ]free|dairy[- ]free)(?: (?:and|or) (?:[\p{L}-]+ ){1,3}?[\p{L}-]+)?)(?: only)?,? (?:please|always|only|from now on|from here on|for (?:me|everything)|when(?:ever)? you|if you|in (?:all|every|your))\b.*$`), pRule, .76, func(c *clause, m []string) (fact, bool) {
		return fact{object: c.text}, !c.past && !oneOff(c.low)
	}},
	{"en.date.until", subjThing | subjMine | subjGroup | subjPerson | subjKin, false, compile(`^(?:is|are) (?:frozen|closed|blocked|on hold|paused|suspended|off[- ]limits|shut|unavailable|away|out|off|on leave|booked out|locked) (?:until|till|through) (.+)$`), pDate, .8, func(c *clause, m []string) (fact, bool) {
		return fact{object: objectOf(c, c.vp), expires: true}, len(c.whens()) > 0
	}},
	{"en.rule.forbidden", subjAny | subjNone, true, compile(`^(.+?) (?:is|are|remains?) (?:strictly |absolutely |always )?(not allowed|not permitted|forbidden|prohibited|banned|off[ -]limits|mandatory|compulsory)\b(.*)$`), pAllowed, .85, func(c *clause, m []string) (fact, bool) {
		neg := !strings.EqualFold(m[2], "mandatory") && !strings.EqualFold(m[2], "compulsory")
		return fact{subject: trimArticle(m[1]), object: m[2] + m[3], negated: neg, qualifier: m[3]}, !c.past && !isPronounEn(strings.ToLower(firstWord(m[1])))
	}},
	{"en.doctor", subjAny | subjNone, true, compile(`^(?:(?:my |the )?(?:doctor|gp|dentist|physio(?:therapist)?|cardiologist|consultant|surgeon|midwife|dietitian|nutritionist|dermatologist|neurologist|oncologist|psychiatrist)|(?:dr\.?|doctor) [\p{L}'-]+(?: [\p{L}'-]+)?) (?:told|advised|asked|wants|said|says|recommends?|recommended|suggests?|suggested|prescribed|put|ordered)(?: me)?(?: (?:that )?I (?:should|must|need to|have to|should not|must not|cannot|can't|am not allowed to))? ((?:not )?(?:to )?(?:avoid|stop|not|eat|drink|take|cut|stay|keep|exercise|walk|lose|quit|sleep|rest|no|less|more|on|lift|run|swim|wear|use|limit|reduce|start|get|do|give) ?.+)$`), pAdvised, .82, func(c *clause, m []string) (fact, bool) {
		return fact{object: objectOf(c, m[1]), subject: "user"}, true
	}},
	{"en.rule.modal", subjThing | subjPerson | subjMine | subjKin, false, compile(`^(may|must|cannot|can|shall|should|(?:is|are) (?:not )?allowed to|ha(?:s|ve) to) (not |never |only |always )?(.+)$`), pAllowed, .8, modalEn},
	{"en.rule.we", subjGroup, true, compile(`^(?:we|our team|the team) (?:do )?(?:always|never|must|must never|must always|must not) (.+)$`), pRule, .85, func(c *clause, m []string) (fact, bool) {
		return fact{object: c.text, kind: schema.KindProject}, !c.past
	}},
	{"en.rule.we_not", subjGroup, false, compile(`^(?:allow|permit|accept|support|tolerate|merge|deploy|ship|commit|push|release|use|store|share|hire|work) (.+)$`), pAllowed, .8, func(c *clause, m []string) (fact, bool) {
		return fact{object: objectOf(c, c.vp), negated: true, kind: schema.KindProject}, c.negated && !c.ended && !c.past && !strings.HasPrefix(c.vpLow, "use ")
	}},
	{"en.rule.not_need", subjSelf, false, compile(`^(?:need|want|care for) (?:the |your |any |all the )?(compliments|praise|disclaimers?|pleasantries|greetings?|apologies|flattery|small talk|fluff|preambles?|caveats|summar(?:y|ies)|explanations?|emojis?|encouragement|hand-?holding|sugarcoating)\b.*$`), pRule, .78, func(c *clause, m []string) (fact, bool) { return fact{object: c.text}, c.negated && !oneOff(c.low) }},
	{"en.rule.i_never_want", subjSelf, false, compile(`^(?:ever )?want (.+)$`), pRule, .7, func(c *clause, m []string) (fact, bool) {
		return fact{object: objectOf(c, m[1])}, c.negated && strings.Contains(c.low, "never") && !oneOff(c.low)
	}},

	{"en.reading", subjAny | subjNone, true, compile(`^([\p{L}][^:]{3,70}?): ((?:[\w/%-]+ ){0,4}?[\w/%-]+) (?:was|were|is|are|=|at|reached) (.*\d.*)$`), pStatement, .7, func(c *clause, m []string) (fact, bool) {
		return fact{subject: trimArticle(m[1]), object: m[2] + " " + m[3], kind: schema.KindProject}, !hasPrefixAny(c.low, "my ", "i ", "note", "question")
	}},
	{"en.member.joined", subjPerson, false, compile(`^(?:has |just |recently )*joined (?:our|the|my) (team|group|squad|crew|department|company|project)\b.*$`), pMember, .85, func(c *clause, m []string) (fact, bool) {
		return fact{subject: "we", object: c.sub.text}, true
	}},
}

// reMannerEn ends what an answer may have or be.
var reMannerEn = gated(`(?i)(?:lists?|bullets?|bullet points?|emojis?|headings?|headers?|tables?|markdown|jargon|small talk|apologies|preambles?|disclaimers?|summar(?:y|ies)|exclamation marks?|footnotes?|hashtags?|code blocks?|slang|puns?|jokes?|compliments?|flattery|essays?|answers?|caps|abbreviations|acronyms|metaphors?|spoilers?)$`)
