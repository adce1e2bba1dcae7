package distill

import (
	"cmp"
	"regexp"
	"strings"
	"unicode"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

const reVersion = `v?\d+(?:\.\d+)+(?:[-+.][\w.]+)?`

// rulesEn is the English table: the first row that reads a clause wins. Rows about what must be kept come first, then
// plans, then closed templates, then what is only a statement.
var rulesEn = []rule{
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
	{"en.rule.get_to", subjNone, true, compile(`^(?:please )?(?:just |always )*(?:get (?:straight )?to the point(?: (?:in|when|every|always|from now on)\b.*)?|(?:skip|leave out|spare me) (?:all |the |your |any )*(?:` + paddingEn + `)(?: (?:in|from|at|when|every|always|from now on)\b.*)?|round (?:everything|all|numbers|amounts|prices) .+|cite (?:your )?sources\b.*|give me (?:prices|amounts|distances|temperatures|dates|times|units|weights) in .+|show (?:prices|amounts|distances|temperatures|dates|times) in .+|address me (?:as|with|formally|informally)\b.*|sign (?:my |off )?(?:emails?|letters?|messages?) .+|double[- ]check .+ (?:before|every|always)\b.*)[.!]*$`), pRule, .75, getToEn},
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
	{"en.rule.forbidden", subjAny | subjNone, true, compile(`^(.+?) (?:is|are|remains?) (?:strictly |absolutely |always )?(not allowed|not permitted|forbidden|prohibited|banned|off[ -]limits|mandatory|compulsory)\b(.*)$`), pAllowed, .85, func(c *clause, m []string) (fact, bool) {
		neg := !strings.EqualFold(m[2], "mandatory") && !strings.EqualFold(m[2], "compulsory")
		return fact{subject: trimArticle(m[1]), object: m[2] + m[3], negated: neg, qualifier: m[3]}, !c.past && !isPronounEn(strings.ToLower(firstWord(m[1])))
	}},
	{"en.doctor", subjAny | subjNone, true, compile(`^(?:my |the )?(?:doctor|gp|dentist|physio(?:therapist)?|cardiologist) (?:told|advised|asked|wants|said|says|recommends?|recommended|suggests?|suggested|prescribed|put|ordered)(?: me)?(?: (?:that )?I (?:should|must|need to|have to|should not|must not|cannot|can't|am not allowed to))? ((?:not )?(?:to )?(?:avoid|stop|not|eat|drink|take|cut|stay|keep|exercise|walk|lose|quit|sleep|rest|no|less|more|on|lift|run|swim|wear|use|limit|reduce|start|get|do|give) ?.+)$`), pAdvised, .82, func(c *clause, m []string) (fact, bool) {
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

	// Plans, dates, reminders.
	{"en.todo.remind", subjNone, true, compile(`^(?:please )?remind me (?:again )?(?:to|about|that|of|when|on|at|in|every|tomorrow|next)\b ?(.+)$`), pReminder, .92, todoEn},
	{"en.todo.remember", subjNone, false, compile(`^remember to (.+)$`), pReminder, .9, todoEn},
	{"en.deadline", subjAny | subjNone, true, compile(`^(?:the |my |our )?(?:deadline (?:for|of) (?:the |my |our )?(.+?) (?:is|moved to|has moved to|was moved to|changed to)|(.+?)(?:'s)? deadline (?:is|moved to|has moved to|was moved to|changed to)|(.+?) (?:is|are|falls|will be|comes) due|(.+?) (?:expires?|runs? out|has to be (?:done|submitted|filed|paid|finished|ready)|must be (?:done|submitted|filed|paid|finished|ready)))(?: on| by| at| in| until| before)? (.+)$`), pDeadline, .9, deadlineEn},
	{"en.schedule", subjThings | subjKin, false, compile(`^(?:happens?|is|are|takes? place|runs?|meets?|comes?|gets? \w+|is done|are done|starts?) ((?:on |once |twice |every |each |daily|weekly|monthly|yearly|annually).*)$`), pTimetable, .85, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		return fact{object: cmp.Or(o, m[1])}, reTimetableEn.match(m[1])
	}},
	{"en.date.set", subjThing | subjMine | subjGroup | subjPerson, false, compile(`^(?:is|are|will be|(?:am|is|has been|was|are|have been|got) (?:scheduled|planned|set|moved|postponed|rescheduled|booked|pushed|brought forward)|takes place|ships?|goes (?:out|live)|launch(?:es)?|lands?|opens?|closes?|starts?|begins?|moves?|moved|leaves?|departs?|ends?|happens)(?: again)?(?: back)?(?: for| to| on| at| from| in)? (.+)$`), pDate, .85, dateEn},
	{"en.todo.when", subjNone | subjThing | subjPerson, true, compile(`^((?:an? |my |the )?(?:[\w'-]+ )??(?:dentist|doctor|gp|vet|haircut|hairdresser|physio|therapy|gym|meeting|interview|exam|test|flight|train|lunch|dinner|brunch|drinks|party|wedding|appointment|check-?up|scan|blood test|mot|viewing|recital|rehearsal|concert|gig|demo|standup|retro|review|deadline|driving test|parents' evening)(?: appointment)?)((?: (?:with|at|in|for) [^,;]{2,30}?)? (?:tomorrow|today|tonight|on|next|this|in|at|mon|tues|wednes|thurs|fri|satur|sun)\b?.*)$`), pPlan, .8, func(c *clause, m []string) (fact, bool) {
		return fact{object: objectOf(c, c.text), subject: "user", expires: true}, c.ahead() && !c.past && !reFiniteEn.match(m[2])
	}},
	{"en.todo.appointment", subjSelf | subjGroup | subjKin, false, compile(`^(?:have|has|have got|got) (?:an? |my |our |the )?((?:[\w'-]+ ){0,4}(?:appointment|meeting|interview|exam|test|flight|call|date|dinner|lunch|party|wedding|presentation|deadline|demo|review|check-?up|lesson|class|visit|surgery|operation|reservation|train|concert|game|match|race|trip)s?)\b(.*)$`), pPlan, .88, planEn},
	{"en.todo.must", subjSelf | subjGroup, false, compile(`^(?:have to|need to|must|have got to|got to|should)(?: not forget to)? (.+)$`), pPlan, .85, planEn},
	{"en.todo.must_bare", subjNone, true, compile(`^(?:have to|need to|must|got to|gotta) (.+)$`), pPlan, .8, dutyEn},
	{"en.todo.plan", subjSelf | subjGroup | subjKin | subjPerson, false, compile(`^(?:(?:am|are|is) (?:(?:probably |definitely |now |finally |also )*)(?:going to|planning to|planning|about to|flying|travell?ing|going|leaving|visiting|moving|meeting|seeing|starting|getting married|having|hosting|taking|presenting|running|attending|giving|driving|heading|joining|launching|releasing|picking up|off|on (?:[\w-]+ )?(?:leave|holiday|vacation|sabbatical|call|duty)|out (?:of office|sick)|having|getting|doing|signed up for|registered for|due|hosting|performing|speaking|defending|selling|closing|signing|handing|switching|trying|cooking|painting|sitting|retiring|graduating|working|volunteering|booked|away|back)|(?:have|has) (?:booked|tickets?|reservations?)|will(?: be)?|plan to|plan on|intend to|want to)\b ?(.*)$`), pPlan, .82, planEn},

	// Who I am.
	{"en.name.calls", subjAny | subjNone, true, regexp.MustCompile(`^(?i:everyone|everybody|people|folks|friends|my friends|my family|most people|most folks|they|all|colleagues)(?: [\p{Ll} ]{2,20}?)? (?i:calls?|calling|know) me (?:as )?(?:by )?"?([\p{Lu}][\p{L}'-]+)"?\b.*$`), pName, .85, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1], subject: "user", qualifier: "address", typ: schema.TypePreference}, true
	}},
	{"en.as_a", subjAny, true, compile(`^as an? ((?:[\w/&'-]+ ){0,4}?[\w-]+)(?: (?:on|at|in|for|with|who) .{2,80}?)?,? I\b.*$`), pJob, .78, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1], subject: "user"}, reAgentEn.match(m[1]) && !notAgentsEn[strings.ToLower(m[1][strings.LastIndexByte(m[1], ' ')+1:])] && !manneredEn[strings.ToLower(m[1][strings.LastIndexByte(m[1], ' ')+1:])]
	}},
	{"en.living", subjSelf | subjKin | subjPerson, true, compile(`^(?:I|he|she|my [\p{L}-]+|\p{L}+) (?:do|does|am doing) (.+?) for a living\b.*$`), pJob, .82, nil},
	{"en.been_in", subjSelf | subjGroup | subjKin, true, compile(`^(?:I|we|he|she|my [\p{L}-]+) (?:have|has) been (?:living )?in (\p{Lu}[^,;]*?) (?:since|for)\b.*$`), pLivesIn, .8, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1]}, capital(m[1]) && !reDayNameEn.match(m[1])
	}},
	{"en.name.am", subjSelf, false, regexp.MustCompile(`^(?:am|go by|am called|am named|go by the name(?: of)?) (?:the name )?(\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+){0,2})(?: by the way)?(?: and\b.*|, .*)?$`), pName, .75, nameEn},
	{"en.allergic.none", subjPeople, false, compile(`^(?:ha(?:ve|s) no (?:food )?allerg(?:y|ies)|(?:am|is|are) allergic to (?:anything|any food)|ha(?:ve|s) any (?:food )?allerg(?:y|ies))$`), pAllergic, .9, nothingOfAll},
	{"en.allergic", subjPeople, false, compile(`^(?:(?:am|is|are) (?:\w+ly )?(?:allergic|intolerant) to (.+)|ha(?:ve|s) (?:an? |severe |bad |mild )*(.+?) (?:allergy|allergies|intolerance)|ha(?:ve|s) an? (?:\w+ )?(?:allergy|intolerance) to (.+)|(?:am|is|are) (.+?)[- ]intolerant)$`), pAllergic, .95, firstGroup},
	{"en.health.have", subjSelf | subjKin | subjPerson, false, compile(`^(?:(?:have|has|suffers? from|was diagnosed with|were diagnosed with|got diagnosed with|been diagnosed with|am diagnosed with) (?:an? |type \d |chronic |severe |mild |high |low )*((?:[\w'-]+ ){0,3}(?:[\p{L}-]+(?:itis|osis|emia|aemia|algia|pathy|phobia|plegia|oma)|celiac|coeliac|ibs|pcos|ocd|ptsd|tinnitus|vertigo|scoliosis|hernia|reflux|gout|lupus|psoriasis|allerg(?:y|ies)|apnea|apnoea|sciatica|shingles|hay fever|panic attacks|flat feet|braces|contact lenses|contacts|implants?|(?:bad|weak|injured|torn|broken|sprained|sore|artificial) (?:back|knees?|hips?|shoulders?|heart|stomach|wrists?|ankles?|eyes?|eyesight|hearing|teeth|acl|meniscus)|(?:high|low) (?:cholesterol|iron|sugar)|diabetes|asthma|epilepsy|hypertension|blood pressure|arthritis|migraines?|anxiety|depression|adhd|autism|dyslexia|celiac|coeliac|cancer|disease|disorder|syndrome|condition|pacemaker|hearing aids?|glasses|insomnia|eczema|anaemia|anemia|bad back|bad knee|heart problem|thyroid \w+))|wears? ((?:[\w-]+ ){0,2}(?:glasses|lenses|contacts|hearing aids?|braces|wig|orthotics|insulin pump|pacemaker|splint|bifocals)\b.*)|gets? ((?:[\w-]+ ){0,2}(?:migraines?|headaches?|car ?sick|sea ?sick|motion sick(?:ness)?|panic attacks|heartburn|hay fever|dizzy|anxious|nosebleeds|cramps|hives|rash)\b.*)|takes? ((?:\w+ ){0,3}(?:mg|medication|pills?|insulin|metformin|ibuprofen|aspirin|tablets?).*))\b.*$`), pHealth, .85, firstGroup},
	{"en.health.on", subjSelf | subjKin | subjPerson, false, compile(`^(?:am|is|are|takes?|taking) (?:on )?((?:about )?\d[\d.,]* ?(?:mg|mcg|µg|ml|g|units) (?:of )?.+|(?:on )?(?:[\w-]+ ){0,2}(?:medication|meds|insulin|antibiotics|statins|blood thinners|antidepressants|beta blockers|steroids|birth control|immunosuppressants|metformin|warfarin)\b.*)$`), pHealth, .85, nil},
	{"en.health.be", subjSelf | subjKin | subjPerson, false, compile(`^(?:am|is|are) ((?:type \d |red-green )?(?:colou?r[- ]?blind|left[- ]handed|right[- ]handed|ambidextrous|diabetic|asthmatic|epileptic|dyslexic|autistic|deaf|blind|pregnant|lactose[- ]intolerant|short-sighted|near-sighted|nearsighted|hard of hearing|claustrophobic|afraid of .+|scared of .+|immunocompromised|anaemic|anemic|tone-deaf))\b.*$`), pHealth, .9, nil},
	{"en.diet", subjPeople, false, compile(`^(?:(?:am|is|are) (?:an? )?(?:strict |strictly |mostly )?(vegan|vegetarian|pescatarian|halal|kosher|teetotall?er|teetotal|gluten-free|dairy-free|keto)s?|(?:eats?|keeps?) (?:only |strictly )?(halal|kosher|vegan|vegetarian|gluten[- ]free)(?: food| meat)?|(?:am|is|are) on an? ((?:[\w-]+ )?diet)|(?:went|gone|turned) (vegan|vegetarian))\b.*$`), pDiet, .92, firstGroup},
	{"en.gives_me", subjAny | subjNone, true, compile(`^(.+?) (?:gives? me|gave me|makes? me|brings? (?:me )?out in|always gives me) (?:an? |the )?(hives|rash|migraines?|heartburn|cramps|sick|ill|sneeze|itch|itchy|nauseous|bloated|stomach ?aches?|swell|break out|diarrh?oea|reflux|jittery|anxious|wheez\w+)\b.*$`), pHealth, .82, func(c *clause, m []string) (fact, bool) {
		return fact{subject: "user", object: trimArticle(m[1]) + " → " + m[2]}, !isPronounEn(strings.ToLower(firstWord(m[1])))
	}},
	{"en.marital", subjSelf | subjKin | subjPerson, false, compile(`^(?:am|is|are|got|just got) (happily married|married|single|engaged|divorced|widowed|separated)(?: to (.+?))?(?: (?:in|since|for) .+)?$`), pMarital, .88, nil},
	{"en.age", subjSelf | subjKin | subjMine | subjPerson, false, compile(`^(?:am turning|is turning|will turn|am|is|are|turned|turns|just turned|turn|will be) (?:almost |nearly |about |now )?(\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty)(?: (?:years?|months?)(?: |-)?old)?(?: (?:today|now|yesterday|tomorrow|(?:this|last|next) \w+|in \w+|on .+))?(?:,? (?:and|but) [^\d].+|, .+)?$`), pAge, .88, ageEn},
	{"en.born", subjSelf | subjKin | subjPerson, false, compile(`^(?:was|were|am) born (?:on|in) (.+)$`), pBirthday, .9, bornEn},
	{"en.from", subjPeople, false, compile(`^(?:(?:am|is|are|come|comes) (?:originally )?from|grew up in|grew up (?:near|around|outside)|(?:was|were) (?:born and )?raised in|(?:am|is) a native of) (.+)$`), pHometown, .8, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		return fact{object: o}, o != "" && unicode.IsUpper([]rune(o)[0])
	}},
	{"en.changed", subjSelf | subjGroup, false, compile(`^(?:have |has |just |recently )*(?:changed|switched|updated|replaced|got a new|have a new|got new) (?:my |our )?((?:[\w-]+ ){0,2}?(?:number|address|email|e-mail|phone|mobile|wechat|wechat id|port|domain|password hint|plate|name|username|handle|account|job|url|extension))(?:: |(?:,|\.| and|;| –| —| -)? (?:so )?(?:the |my |our |it |its )?(?:is now|new (?:(?:one|number|address|email|value|id|name|port) )?is(?: now)?:?|now(?: is)?:?|to|is) )(.+)$`), pAttr, .85, changedEn},
	{"en.moved", subjPeople, false, compile(`^(?:have |has |just |recently |am |is |are )*(?:moved|relocated|moving|relocating)(?: house)?(?: back)?(?: away)?(?: from (.+?))? (?:to|into|in with) (.+)$`), pLivesIn, .9, movedEn},
	{"en.lives", subjPeople, false, compile(`^(?:(?:have |has )?lived?|lives|(?:am|is|are) (?:living|based|staying|residing|settled|located)|reside|resides|living|(?:have|has) been living)(?: alone| together| (?:with|at) (?:my|our|his|her) [\w-]+(?: [\w-]+)?)? (?:in|at|on|near|with|out of|just outside|outside|outside of|over in|down in|up in|around) (.+)$`), pLivesIn, .92, livesEn},
	{"en.quit_job", subjSelf | subjKin, true, regexp.MustCompile(`^(?:I|i|he|she|my \p{L}+) (?:have |has |just |finally )*quit (\p{Lu}[\w&.-]*(?: \p{Lu}[\w&.-]*){0,3})(?: .*)?$`), pWorksAt, .8, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1], negated: true}, c.ended
	}},
	{"en.left_job", subjPeople, false, compile(`^(?:have |has )?(?:left|quit|resigned from|(?:was|were|got) (?:laid off|let go|fired|made redundant)(?: from| at| by)|retired from|am (?:no longer|not) (?:at|with)|lost my job at|parted ways with|resigned at|handed in my notice at) (?:my job at |her job at |his job at |the job at )?(.+?)(?: (?:to join|for|and (?:then )?joined|and (?:have )?(?:since )?started (?:working )?(?:at|with|for)|and (?:am now|now work) (?:at|for)|to work at|to work for) (.+))?$`), pWorksAt, .85, leftEn},
	{"en.not_at", subjSelf | subjKin | subjPerson, false, compile(`^(?:am|is) (?:at|with|working (?:at|for)) (.+)$`), pWorksAt, .8, func(c *clause, m []string) (fact, bool) {
		o := place(c, m[1])
		return fact{object: o, negated: true}, c.ended && capital(o)
	}},
	{"en.promoted", subjPeople, false, compile(`^(?:(?:got|was|have been|has been|been|am being) (?:just )?promoted to|became|have become|has become|(?:am|is) now the|got (?:a job|a position|hired|a role|work) as|started (?:working )?as|(?:freelances?|(?:am |is )?freelancing|moonlights?|serves?|volunteers?) as|have a job as|am training (?:to be|as)) (?:an? |the )?(.+?)(?: (?:at|for|with|in) (.+))?$`), pJob, .85, promotedEn},
	{"en.works_adv", subjPeople, false, compile(`^(?:works?|(?:am|is|are) working|working|worked) (?:nights|days|evenings|weekends|full[- ]time|part[- ]time|remotely|freelance|shifts|night shifts|from home|mostly|mainly|abroad) (?:at|for) (.+)$`), pWorksAt, .88, worksEn},
	{"en.works_adv_as", subjPeople, false, compile(`^(?:works?|(?:am|is|are) working|working|worked) (?:nights|days|evenings|weekends|full[- ]time|part[- ]time|remotely|freelance|shifts|from home|mostly|mainly) as (?:an? |the )?(.+?)(?: (?:at|for|with|in) (.+))?$`), pJob, .88, jobEn},
	{"en.does", subjSelf | subjKin | subjPerson, true, compile(`^(?:I|he|she|my [\p{L}-]+|\p{L}+) (?:mostly |mainly |currently )?do(?:es)? ((?:[\w/&-]+ ){0,2}[\w/&-]+) (?:for|at) ((?:an? |the )?.+)$`), pField, .78, func(c *clause, m []string) (fact, bool) {
		at := strings.ToLower(m[2])
		return fact{object: m[1] + " for " + objectOf(c, m[2])}, !c.negated && !hasPrefixAny(strings.ToLower(m[1]), "it", "that", "this", "the ", "my ", "not ", "something", "everything") && (capital(m[2]) || reEmployerEn.match(at))
	}},
	{"en.works_as", subjPeople, false, compile(`^(?:have |has )?(?:works?|worked|am working|is working) as (?:an? |the )?(.+?)(?: (?:at|for|with|in) (.+))?$`), pJob, .9, jobEn},
	{"en.works_at", subjPeople, false, compile(`^(?:have |has )?(?:works?|worked|(?:am|is|are) (?:working|employed|interning)|(?:just |recently )?started (?:working|work)|working|interns?) (?:at|for|by) (.+)$`), pWorksAt, .92, worksEn},
	{"en.works_when", subjPeople, false, compile(`^(?:works?|working|(?:am|is|are) working) ((?:night|day|late|early|double)s?(?: shifts?)?\b.*|shifts\b.*|remotely\b.*|from home\b.*|part[- ]time\b.*|full[- ]time\b.*|weekends\b.*|from \d.*|(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b.*|four days\b.*|\d\d? hours\b.*)$`), pSchedule, .88, nil},
	{"en.works_in", subjPeople, false, compile(`^(?:works?|working|(?:am|is|are) working) (?:in|on) (.+)$`), pField, .8, nil},
	{"en.joined", subjPeople, false, compile(`^(?:have |has |just )*(?:joined|started (?:working )?(?:at|with)|started a (?:new )?job at|switched (?:jobs )?to|got a (?:new )?job at|changed jobs to|accepted an offer from|start at|starts at) (.+?)(?: (?:as) (?:an? )?(.+))?$`), pWorksAt, .82, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		return fact{object: o}, o != "" && capital(o)
	}},
	{"en.job", subjSelf | subjKin | subjPerson, false, compile(`^(?:am|is|are) (?:an? |the only |the sole |the lead |the )((?:[\w/&'-]+ ){0,4}?[\w/&'-]*(?:engineer|developer|designer|teacher|doctor|nurse|lawyer|manager|scientist|analyst|accountant|architect|consultant|writer|editor|journalist|artist|musician|student|professor|researcher|programmer|chef|cook|driver|pilot|electrician|plumber|carpenter|photographer|translator|dentist|pharmacist|therapist|psychologist|auditor|director|founder|ceo|cto|cfo|lead|officer|specialist|administrator|technician|mechanic|farmer|baker|barista|librarian|firefighter|police officer|paramedic|salesperson|recruiter|freelancer|intern|postdoc|veterinarian|vet|surgeon|economist|biologist|chemist|physicist|mathematician|geologist|historian|beekeeper|gardener|sailor|captain|coach|trainer|banker|trader|broker|owner|contractor|producer|actor|actress|singer|dancer|clerk|secretary|assistant|coordinator|supervisor|inspector|surveyor|operator|welder|tailor|curator|statistician|linguist|luthier|sre|devops|dev|tech|admin|sysadmin|pm|qa|dba|nurse practitioner|midwife|pensioner|apprentice|trainee|resident|undergrad|grad student|phd|homemaker|stay-at-home (?:mum|mom|dad|parent)|civil servant|soldier|priest|pastor|rabbi|monk|judge|principal|headmaster|dean|chief of staff|vp|ceo|cto|cfo|coo|cashier|courier|florist|model|tutor|guide|referee|umpire|entrepreneur|fireman|flight attendant|builder|bricklayer|roofer|painter|illustrator|sculptor|potter|carer|caregiver|nanny|au pair|hairdresser|barber|stylist|physio|gp|paediatrician|radiologist))(?: (?:at|for|with|of|in) (.+?))?(?:, .*)?$`), pJob, .9, jobEn},
	{"en.job.agent", subjSelf | subjKin | subjPerson, false, compile(`^(?:am|is|are) an? ((?:[\w/&'.-]+ ){0,5}?[\p{L}-]+(?:er|or|ist|ian|man|woman))(?: (?:at|for|with|of|in) (.+?))?(?:, .*)?$`), pJob, .8, agentEn},
	{"en.studies", subjPeople, false, compile(`^(?:(?:am|is|are) )?(?:study|studies|studied|studying|majoring in|major in|majors in|doing (?:an?|my) (?:(?:part|full)[- ]time )?(?:phd|degree|master's|masters|msc|bachelor's) in|did my (?:phd|degree|master's|masters|msc|bachelor's|undergrad) (?:in|at)|graduated (?:from|in)|learning|enrolled (?:in|at)|(?:have|hold|got) an? (?:[\w']+ )?(?:degree|phd|master's|masters|msc|bsc|ba|ma|diploma) (?:in|from)|(?:in|starting|finishing) (?:my|his|her) (?:\w+ )?(?:year|semester) (?:of|at)|at (?:uni|university|college) (?:in|studying)) (.+)$`), pStudies, .85, studiesEn},
	{"en.studies.year", subjSelf | subjKin | subjPerson, false, compile(`^(?:am|is|are) (?:doing |in |an? )?((?:an? |my |his |her )?(?:(?:part|full)[- ]time )?(?:mba|phd|msc|masters?|master's|degree|bachelor's|apprenticeship|law school|med school|medical school|grad school|high school|(?:first|second|third|fourth|final|last|1st|2nd|3rd|4th)[- ]year\b.*|(?:1st|2nd|3rd|\d+th|first|second|third|fourth|fifth|sixth|seventh|eighth) grade|kindergarten|primary school|elementary school|secondary school|college|freshman|sophomore|(?:[\w-]+ ){0,3}(?:undergrad(?:uate)?|student|major)))\b(.*)$`), pStudies, .82, func(c *clause, m []string) (fact, bool) { return fact{object: objectOf(c, m[1]+m[2])}, !c.negated }},
	{"en.school", subjSelf | subjKin | subjPerson, false, compile(`^(?:goes|go|went|am going|is going|are going) to ((?:the )?(?:[\p{L}'.-]+ ){0,4}(?:school|elementary|college|university|uni|high|kindergarten|academy|primary|daycare|preschool|nursery|grammar))\b.*$`), pStudies, .8, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1], past: strings.HasPrefix(c.vpLow, "went ")}, capital(trimArticle(m[1])) || c.sub.kind == subjKin
	}},
	{"en.speaks", subjPeople, false, compile(`^(?:(?:can )?speaks? (?:fluent |a little |some |good |only )?(.+)|(?:am|is) (?:fluent in|a native speaker of|a native (\w+) speaker)(?: (.+))?)$`), pSpeaks, .88, firstGroup},
	{"en.nationality", subjSelf | subjKin | subjPerson, false, regexp.MustCompile(`^(?:am|is|are) (?:originally )?(?:a |an )?(\p{Lu}\p{Ll}+(?:ese|ish|an|ch|i)|Dutch|Greek|Thai|Swiss|Czech|Welsh|Finn|Swede|Dane)$`), pNation, .75, nil},
	{"en.life", subjSelf | subjGroup | subjKin | subjPerson | subjMine, false, compile(`^(?:have |has |just |recently |finally |both )*((?:(?:had|got) (?:an? |our |my |her |his )?(?:[\w-]+ ){0,3}(?:baby|twins|surgery|operation|stroke|heart attack|miscarriage|transplant|bypass|accident|burglary|vasectomy|vaccin\w+|appendix|wisdom teeth)|gave birth|passed away|died|got (?:married|engaged|divorced|promoted|laid off|tenure)|broke up|split up|separated|was diagnosed|were diagnosed|was promoted|lost (?:my|his|her) job|bought (?:an?|our|my) (?:[\w-]+ ){0,3}(?:house|flat|apartment|place|car|van|boat|farm|cottage|condo)|sold (?:my|our|the|his|her) .+|moved (?:out|in together)|broke (?:my|his|her) .+|graduated|retired|dropped out|came out|adopted an? .+|became (?:a )?(?:parents?|father|mother|citizens?|dad|mum|mom|uncle|aunt|grandparents?|grandmother|grandfather)).*)$`), pEvent, .8, lifeEn},

	// People and animals around me.
	{"en.manager.report", subjSelf, false, compile(`^reports? (?:directly )?to (.+)$`), pManager, .9, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		return fact{object: o, qualifier: "manager"}, capital(o)
	}},
	{"en.turns", subjKin | subjMine | subjPerson, false, compile(`^turns (\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)\b(.*)$`), pAge, .85, func(c *clause, m []string) (fact, bool) { return fact{object: objectOf(c, c.vp)}, true }},
	{"en.goes_by", subjKin, false, compile(`^(?:goes by|is known as) (\p{Lu}[\p{L}'-]+)\b.*$`), pKnows, .85, kinNameEn},
	{"en.kin.name", subjKin, false, compile(`^(?:'s name (?:is|was)|(?:is|are|was) (?:called|named)|is now|is|are) (.+)$`), pKnows, .9, kinNameEn},
	{"en.has.pet", subjSelf | subjGroup | subjKin, false, compile(`^(?:(?:have |has )?(?:just |recently )?(?:adopted|got|kept|rescued)|have|has|have got|own|owns|keep|keeps) (an?|two|three|four|five|six|some|several|\d+|)? ?((?:[\w-]+ )*?(?:dogs?|cats?|pupp(?:y|ies)|kittens?|parrots?|budgies?|rabbits?|hamsters?|tortoises?|turtles?|horses?|pon(?:y|ies)|goldfish|fish|chickens?|hens?|bees?|snakes?|geckos?|lizards?|guinea pigs?|ducks?|goats?|ferrets?|canar(?:y|ies)|cockatiels?|axolotls?|chinchillas?|gerbils?|kittens?|puppies|labradors?|huskies|husky|beagles?|collies?|shepherds?|retrievers?|terriers?|poodles?|corgis?|birds?))\b(.*)$`), pHas, .92, petEn},
	{"en.has.kin", subjSelf | subjKin, false, compile(`^(?:have|has|have got|got) (an?|one|two|three|four|five|\d+|no|twin) ?((?:[\w-]+ ){0,4}?(?:sister|brother|sibling|son|daughter|kid|child|children|twin|niece|nephew|cousin|grandchild|grandchildren|grandson|granddaughter|stepson|stepdaughter|roommate|flatmate|housemate|girlfriend|boyfriend|wife|husband|partner)s?(?: and .+)?)\b(.*)$`), pHas, .92, func(c *clause, m []string) (fact, bool) {
		return fact{object: strings.TrimSpace(m[1] + " " + m[2]), negated: strings.EqualFold(m[1], "no") || c.negated}, true
	}},

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
	{"en.switched", subjSelf | subjGroup, false, compile(`^(?:have |has |just )*(?:switched|migrated|changed|moved|upgraded)(?: (?:over|everything|our \w+|my \w+|the \w+))?(?: from (.+?))? to (.+)$`), pUses, .85, switchedEn},
	{"en.swapped", subjSelf | subjGroup, false, compile(`^(?:have |has |just |finally )*(?:ditched|swapped(?: out)?|traded(?: in)?|dropped|dumped|exchanged|left) (?:my |our |the )?(.+?) for (?:an? |the |my )?(.+)$`), pUses, .82, switchedEn},
	{"en.replaced", subjSelf | subjGroup, false, compile(`^(?:have |has |just )*replaced (.+?) (?:with|by) (.+)$`), pUses, .85, switchedEn},
	{"en.decided", subjGroup | subjSelf, false, compile(`^(?:have |has |just )*(?:decided(?: (?:to|on|that|against|not to))?|chose|chosen|agreed(?: (?:to|on|that))?|picked|went with|settled on|(?:am|are) going with|adopted|selected|opted for) (.+)$`), pDecision, .88, nil},
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

	// Hosts, ports, versions, paths, roles.
	{"en.port", subjThings, false, compile(`^(?:listens?|(?:is |are )?(?:running|listening|served|available|reachable|exposed|now|up)|runs?|serves?|is|moved|was moved|uses?|sits?)(?: now)?(?: on| at| to)? (?:tcp )?(?:port (\d{2,5})|(?:https?://)?(?:localhost|[\w-]*[A-Za-z][\w.-]*|\d+(?:\.\d+){3}):(\d{2,5})/?)\b.*$`), pPort, .9, portEn},
	{"en.port.listens", subjThings, false, compile(`^(?:listens?|is listening|is exposed|is published|is bound|binds?|answers?)(?: now)?(?: on| at| to)? (\d{2,5})\b.*$`), pPort, .85, func(c *clause, m []string) (fact, bool) { return portEn(c, []string{m[0], m[1], ""}) }},
	{"en.at.host", subjThings, false, compile(`^(?:(?:lives?|sits?|moved|was moved|has moved|is reachable|is hosted|runs?|points?|resolves?)(?: now)?(?: at| on| to| over to)?|(?:is|are)(?: now)? (?:at|on)) (\d+(?:\.\d+){3}(?:/\d+)?|[a-z][\w-]*(?:\.[\w-]+)+)(?:[ ,;.].*)?$|^(?:is|are)(?: now)? (\d+(?:\.\d+){3}(?:/\d+)?|[a-z][\w-]*(?:\.[\w-]+){2,})(?:[ ,;.].*)?$`), pHost, .8, func(c *clause, m []string) (fact, bool) {
		return fact{subject: trimArticle(c.sub.text), object: m[1] + m[2]}, c.sub.kind != subjGroup && (m[2] == "" || isDigit(rune(m[2][0])) || reMachineEn.match(c.sub.said)) && !attrNounEn.match(c.sub.text) && !containsAny(c.vpLow, "is version", "example.com")
	}},
	{"en.version", subjThings, false, compile(`^(?:is|are|runs?|uses?|is on|are on|is running|needs?|requires?|is pinned to|was upgraded to|has been upgraded to|is still on|targets?)(?: at| on)? (?:version )?((?:[A-Z][\w+#.]* )?` + reVersion + `)(?: or (?:newer|later|higher))?$`), pVersion, .85, versionEn},
	{"en.path", subjThings, false, compile(`^(?:is|are|lives?|sits?|(?:is|are) (?:stored|located|kept|saved|deployed|installed|mounted|under|in|at)|can be found|goes?|go|moved to|was moved to|writes? to|logs? to)(?: now)?(?: in| at| under| to| on)? ((?:~|\.{1,2})?/[\w./@+~-]+|[A-Za-z]:\\[\w\\. -]+)(?:[ ,.].*)?$`), pPath, .88, nil},
	{"en.url", subjThings, false, compile(`^(?:is|are|lives?|(?:is|are) (?:hosted|available|reachable|documented|described))(?: at| on| under)? (https?://\S+)$`), pURL, .88, nil},
	{"en.host", subjThings, false, compile(`^(?:runs? (?:on|in)|(?:is|are) (?:(?:hosted|deployed|installed)(?: on| at| in| to)|running on)|lives? on|sits? on|is on|are on) (.+)$`), pHost, .8, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		return fact{object: o}, o != "" && len(c.whens()) == 0 && c.sub.kind != subjKin && specific(o) && !reTicketEn.match(o)
	}},
	{"en.owns_it", subjPerson | subjKin, false, compile(`^(?:owns?|maintains?|leads?|handles|manages|looks after|takes care of|(?:is|are) (?:in charge of|responsible for)) (?:the |our |all )?(.+)$|^(?:is|are) on ((?:[A-Z][A-Z\d]+-|#)\d+)(?:[ ,;.!].*)?$`), pOwner, .8, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1]+m[2])
		who := c.sub.text
		if c.sub.kind == subjKin && c.sub.name != "" {
			who = c.sub.name
		}
		return fact{subject: o, object: who, kind: schema.KindProject}, o != "" && !isPronounEn(strings.ToLower(firstWord(o))) && !c.past && !hasPrefixAny(strings.ToLower(o), "a ", "an ", "leave", "holiday", "vacation", "call", "monday", "it") && len(c.whens()) == 0
	}},
	{"en.owner", subjThings, false, compile(`^(?:(?:is|are) (?:now )?(?:owned|maintained|led|managed|run|handled) by|belongs? to|(?:is|are) assigned to) (.+)$`), pOwner, .85, nil},
	{"en.depends", subjThings, false, compile(`^(?:depends? on|requires?|needs?|relies? on|is built on|is based on) (.+)$`), pDepends, .75, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		return fact{object: o}, o != "" && (specific(o) || hasPrefixAny(c.vpLow, "depend", "require", "need")) && !hasPrefixAny(strings.ToLower(o), "to ", "you", "your", "a lot", "more", "some", "help", "an update", "it")
	}},
	{"en.written", subjThings, false, compile(`^(?:is|are) (?:written|implemented) in (.+)$`), pWrittenIn, .85, nil},
	{"en.role", subjPerson | subjKin, false, compile(`^(?:is|was) (?:now )?(?:the |our |my |an? )?((?:[\w/&'-]+ ){0,4}?[\w/&'-]+) (?:of|at|for|in|on) (?:the |our )?(.+)$`), pRole, .8, roleEn},
	{"en.role.our", subjPerson, false, compile(`^is (?:now )?(our|my) (.+)$`), pRole, .8, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[2])
		if k, _, ok := kinEn(o); ok && strings.EqualFold(m[1], "my") {
			return kinFact(c, k, c.sub.text), true
		}
		return fact{object: o}, o != "" && !c.negated && !containsAny(strings.ToLower(o), "language", "tongue", "favourite", "favorite", "style", "thing", "cup of tea", "fault", "problem")
	}},
	{"en.daily", subjThings, false, compile(`^(?:is|are|happens?|takes place|starts?|runs?|rehearses?|meets?|trains?|practi[sc]es?)(?: always| now)? ((?:at|around|from) \d{1,2}(?::\d\d)? ?(?:am|pm|h|o'clock)?(?: to .{3,10}?)?(?: (?:sharp|every|each|on|daily|UTC|CET|CEST|GMT|EST|PST)\b.*)?|(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)days(?: (?:at |from )?\d.*| at .+)?)$`), pTimetable, .8, func(c *clause, m []string) (fact, bool) {
		return fact{subject: trimArticle(c.sub.text), object: objectOf(c, m[1])}, reDateEvent.match(c.sub.said) || reTimetableEn.match(m[1]) || reMealEn.match(c.sub.said) || hasPrefixAny(c.vpLow, "rehearse", "meet", "train", "practi")
	}},
	{"en.members", subjGroup | subjMine, false, compile(`^(?:team )?(?:consists? of|(?:is|are) made up of) (.+)$`), pMember, .85, nil},

	// What the speaker is done with.
	{"en.done", subjSelf | subjGroup, false, compile(`^(?:have |has )?(?:already |just |finally )*(?:(?:handed|turned|sent) (?:in|off|out|over|back)|submitted|paid(?: off)?|filed|renewed|returned|mailed|posted|finished(?: writing| reading| with)?|completed|signed|booked|cancelled|canceled|picked up|dropped off|took care of|sorted(?: out)?|wrapped up|called(?: up)?|rang(?: up)?|phoned|texted|e-?mailed|messaged|contacted|wrote to|sent|visited|ordered|reserved|fetched|collected|took out|watered|fed|cleaned|washed|mowed|ironed|refilled|repaired|replaced) (.+)$`), pEvent, .8, doneEn},
	{"en.done.passive", subjThing | subjMine, false, compile(`^(?:am|is|are|has been|have been|was|were) (?:now |already |finally |all )*(?:handed in|turned in|submitted|paid|filed|renewed|returned|mailed|posted|finished|signed|booked|sorted|taken care of)\b.*$`), pEvent, .75, func(c *clause, m []string) (fact, bool) {
		if c.sub.kind == subjThing && !hasPrefixAny(strings.ToLower(c.sub.said), "the ") {
			return fact{}, false
		}
		name := c.sub.text
		if c.sub.kind == subjMine {
			name = c.sub.name
		}
		f, ok := done(c, name)
		f.subject = "user"
		return f, ok
	}},

	// What is mine, by name: the attribute is the predicate.
	{"en.attr.more", subjMine, false, compile(`^(?:also |now )*includes? (?:also )?(.+?)(?: too| as well)?$`), pAttr, .8, func(c *clause, m []string) (fact, bool) {
		f, ok := attrEn(c, []string{m[0], "", m[1]})
		f.noSlot = true // beside what is in it already
		return f, ok
	}},
	{"en.list.add", subjNone, true, compile(`^(?:please |also |and )*(?:add|put) (.{1,60}?) (?:to|on|onto) (?:my|our) ((?:[\w-]+ ){0,2}list)(?:,? please)?[.! ]*$`), pAttr, .75, func(c *clause, m []string) (fact, bool) {
		return fact{subject: "user", qualifier: strings.ToLower(m[2]), object: trimArticle(m[1]), noSlot: true}, !isPronounEn(strings.ToLower(m[1]))
	}},
	{"en.attr", subjMine | subjKin, false, compile(`^(?:'s ([\p{L}-]+(?: number)?) )?(?:(?:is|are|was) (?:called|named)|is|are|was|were|(?:has |have )?(?:just )?(?:changed|moved|switched)(?: from .+?)? to|became)(?: now| actually| currently)?\s*:? (.+)$`), pAttr, .85, attrEn},
	{"en.attr.of", subjThing | subjPerson, false, compile(`^(?:'s ([\p{L}-]+) )?(?:is|are|(?:has |have )?changed(?: from .+?)? to|moved to)(?: now| actually| currently)? (.+)$`), pAttr, .8, attrOfEn},

	// What happened on a day, and what is only a statement.
	{"en.event", subjSelf | subjGroup | subjKin | subjPerson, false, nil, pEvent, .7, eventEn},
	{"en.statement.name", subjPeople &^ subjSelf, false, nil, pStatement, .55, statementEn},
	{"en.statement", subjThings, false, nil, pStatement, .55, statementEn},
}

// reMachineEn is what has a host's name: other things have a file's or a library's, "main.go".
var reMachineEn = gated(`(?i)\b(?:server|database|db|host|registry|cluster|gateway|proxy|broker|vpn|machine|box|mirror)$`)

// reTicketEn is a piece of work by its number, on which somebody is and nothing runs.
var reTicketEn = gated(`^(?:[A-Z][A-Z\d]+-|#)\d+$`)

var reTimetableEn = gated(`(?i)\b(?:every|each|daily|weekly|monthly|yearly|annually|once|twice|weekdays|(?:mon|tues|wednes|thurs|fri|satur|sun)days)\b`)

// ruleVerbsEn are verbs that one forbids an assistant for good, rather than once.
// whenYouEn is an occasion that comes again: "when you write code", "if I ask for a recipe".
const whenYouEn = `^(?:even )?(?:if|when|whenever|every time) (?:you|I|we|someone|somebody) (?:ever )?(?:write|writes|give|show|send|make|create|draft|answer|reply|explain|review|suggest|recommend|translate|summari[sz]e|ask|asks|say|says|mention|share|paste|post|need|want|talk|book|plan|do|are|am|use|call|commit|deploy|generate|build|cook|travel|code|refer)\b[^,;]{0,80}?,? (?:please |just |then |you can )*`

// standingVerbsEn begin what is to be done whenever something is the case.
const standingVerbsEn = `use|do not|don't|dont|never|always|give|keep|answer|reply|respond|write|put|add|include|show|assume|ask|tell me|show me|explain|make sure|stick to|start with|begin with|end with|avoid|skip|leave out|mention|prefer|round|convert|format|list|quote|cite|check|run|remind me|call it|treat|default to|be (?:blunt|brief|honest|harsh|strict|concise|nice|kind|patient|thorough|critical|careful|specific)|only`

const ruleVerbsEn = `use|using|call|calling|suggest|suggesting|include|including|recommend|recommending|mention|mentioning|send|sending|share|sharing|write|writing|add|adding|put|putting|give|giving|ask|asking|say|saying|speak|reply|answer|schedule|scheduling|deploy|deploying|push|pushing|commit|committing|delete|deleting|touch|touching|contact|email|emailing|start|starting|end|make|making|show|offer|apologi[sz]e|apologi[sz]ing|repeat|repeating|invent|guess|assume|change|modify|edit|overwrite|run|store|save|log|post|publish|merge|rebase|force-push|translate|summari[sz]e|format|book|order|buy|disturb|interrupt|swear|praise|flatter|sugarcoat|round|abbreviate|discuss|talk about|talking about|bring up|serve|cook|feed|invite`

// oneOff reports marks of a request about this moment, which is no rule.
func oneOff(low string) bool {
	return containsAny(low, " yet", " right now", " today", " tonight", " this time", " this one", " just now", " for now", " that file", " this file", " this email", " until i", " before i", " tomorrow", " this message", " this week", " the above", " it again", " anything else", " this for", " that one", " this sentence", " this text", " this code", " this function", " first one", " in here") || stepEn(low) ||
		!containsAny(low, "always ", "whenever ", "every time ") && strings.HasSuffix(strings.TrimRight(low, ".! "), " it") || strings.HasSuffix(strings.TrimRight(low, ".! "), " here") || strings.HasSuffix(strings.TrimRight(low, ".! "), " this") || strings.HasSuffix(strings.TrimRight(low, ".! "), " that")
}
