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
	{"en.rule.label", subjAny | subjNone, true, compile(`^(?:(?:house|team|our|my|general|standing|important|hard|golden|new|project|the|one|coding|safety) )*(?:rule|policy|constraint)(?: (?:of thumb|number \w+|here|is))*\s*(?:[:：—-]+|is:? (?:that )?)\s*(.+)$`), pRule, .95, ruleWhole},
	{"en.rule.standing", subjAny | subjNone, true, compile(`^(?:please )?(?:from now on|going forward|in (?:the )?future|henceforth|from here on|every time|whenever|each time)\b.*\b(?:always|never|use|call|answer|reply|respond|write|speak|do not|avoid|keep|make|include|add|ask|send|start|stop|put|format|show|give|tell|run|check|commit|sign|cc|remind|be|assume|round|convert|treat|prefer|confirm|wait|skip|mention)\b|\b(?:from now on|going forward|henceforth)[.!]?$`), pRule, .9, ruleImperative},
	{"en.rule.never", subjNone, true, compile(`^(?:please )?(?:(?:make sure|be sure|ensure)(?: that)? (?:you )?)?(?:always|(?:never,? )*never(?:,? ever)?|do not ever) (.+)$`), pRule, .92, ruleImperative},
	{"en.rule.ask", subjAny | subjNone, true, compile(`^(?:please )?(?:` + askEn + `)(?: first)?,? before (?:(you|we|anybody|anyone|somebody|someone) (?:ever )?)?([\p{L}-]+)\b(.*)$`), pRule, .85, askRuleEn},
	{"en.rule.ask.before", subjAny | subjNone, true, compile(`^(?:please )?before (?:(you|we|anybody|anyone|somebody|someone) (?:ever )?)?([\p{L}-]+)\b([^;]{0,80}?),? (?:please |always |first )*(?:` + askEn + `)(?: first)?(?: please)?[.!]*$`), pRule, .85, askRuleEn},
	{"en.rule.if", subjAny | subjNone, true, compile(`^(?:if|when|whenever|unless) .{3,120}?,? (?:please )?(?:you must|you should always|always|never|do not|make sure|be sure) .+$`), pRule, .85, ruleImperative},
	{"en.rule.please", subjAny | subjNone, true, compile(`^(?:when(?:ever)? (?:you )?|while |in )((?:answer|repl|respond|writ|draft|summari[sz]|translat|explain|review|report|recommend|suggest|cod|commit|deploy|talk|speak)(?:e|y|ing|ying)?)\b(?: [^,;]{1,50}?)?,? please (.{4,80})$`), pRule, .8, pleaseEn},
	{"en.rule.you", subjAny | subjNone, true, compile(`^(?:you|the assistant|the agent|the bot) (?:must(?: not| never| always)?|should (?:always|never|not)|may (?:not|never|only)|cannot|can never|are (?:not |never )(?:allowed|permitted) to|are to|have to always|need to always|shall(?: not| never)?) (.+)$`), pRule, .88, ruleWhole},
	{"en.rule.want", subjSelf | subjGroup, false, compile(`^(?:want|need|expect|would like|prefer|ask|require|like it (?:when|if))s? (?:it if )?you (?:to )?(?:(?:always|never|not|only|please) .+|.+ (?:every time|always|each time|in all your .+|from now on|whenever .+))$`), pRule, .85, ruleWhole},
	{"en.rule.want_not", subjSelf | subjGroup, false, compile(`^(?:want|need|like|like it when|like when) you (?:to )?(.+)$`), pRule, .8, func(c *clause, m []string) (fact, bool) { return fact{object: c.text}, c.negated && !oneOff(c.low) }},
	{"en.rule.reply", subjNone, true, compile(`^(?:please )?(?:(?:always |only )?(?:answer|reply|respond|speak|talk|communicate|write)(?: (?:to )?me)?(?: only)? (?:in|with|using) (?:[A-Z][a-z]+|short|bullet|plain|simple|formal|metric|british|american|full)\b.*|keep (?:your|the|all|my)? ?(?:answers|replies|responses|messages|explanations|summaries|it) (?:short|brief|concise|simple|formal|polite|under|below|to|in|free)\b.*|(?:only |always )?use (?:[\w-]+ ){0,3}(?:spelling|units|notation|format|english|dates|currency|style|tabs|spaces|punctuation|quotes)\b.*)$`), pRule, .8, ruleImperative},
	{"en.rule.language", subjAny | subjNone, true, compile(`^(?:please )?(?:only |always )?(?:speak|talk|write|reply|answer|respond)(?: (?:only|to me|with me))* (?:only )?(?:in )?(?:` + languagesEn + `)(?: only)?(?: (?:with|to) (?:me|us))?(?: only| please)*[.!]*$`), pRule, .8, ruleImperative},
	{"en.rule.manner", subjNone, true, compile(`^(?:please )?(?:always )?be (?:(?:more|less|very|as|always|a bit|a little) )*(?:` + mannersEn + `)(?:(?:,|,? and|,? but)? (?:(?:more|less) )?(?:` + mannersEn + `))*(?: as possible)?(?: (?:with|to) (?:me|us))?(?: in (?:your|all|every)\b[^,;]*| when (?:you|answering|replying|explaining)\b[^,;]*)?(?:,? please)?[.!]*$`), pRule, .75, ruleImperative},
	{"en.name.call", subjNone, true, compile(`^(?:please |just |you can |everyone )?(?:call|address) me (?:as )?"?([\p{Lu}][\p{L}'-]+(?: [\p{Lu}][\p{L}'-]+)?)"?(?:[.,! ]|$)`), pName, .85, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1], subject: "user", qualifier: "address", typ: schema.TypePreference}, true
	}},
	{"en.rule.dont", subjNone, true, compile(`^(?:please )?(?:do not|avoid|stop|never) (?:ever )?(` + ruleVerbsEn + `)\b(.*)$`), pRule, .78, ruleImperative},
	{"en.rule.when", subjThing | subjPerson | subjNone, true, compile(`^(?:please )?(?:(?:on|at|in|after|before|during|over|between|outside|outside of|past|every|each) [^,;]{2,40}?),? (?:please )?(?:do not|never|avoid|no) (?:ever )?([\w'-]+\b.*)$`), pRule, .82, occasionEn},
	{"en.rule.no_times", subjAny | subjNone, true, compile(`^no (?:[\w-]+ ){1,4}?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days|weekends|weekdays|weeknights|evenings|mornings|afternoons|nights)\b[^,;]*$`), pRule, .78, ruleImperative},
	{"en.rule.no", subjNone | subjThing, true, compile(`^no (?:[\w-]+ ){0,3}?[\w-]+ (?:in|on|at|after|before|through|without|for|during|inside|between|under|over|to|from|with)\b.+$`), pRule, .75, func(c *clause, m []string) (fact, bool) {
		return fact{object: c.text}, !containsAny(c.low, "no problem", "no worries", "no idea", "no need", "no one", "no luck", "no clue", "no change", "no rush", "no doubt") && !oneOff(c.low)
	}},
	{"en.rule.no_please", subjAny | subjNone, true, compile(`^(?:please,? )?no (?:more )?((?:[\p{L}-]+ )??([\p{L}-]+))(?:,? (?:please|thanks|ever))*[.!]*$`), pRule, .75, noPleaseEn},
	{"en.rule.forbidden", subjAny | subjNone, true, compile(`^(.+?) (?:is|are|remains?) (?:strictly |absolutely |always )?(not allowed|not permitted|forbidden|prohibited|banned|off[ -]limits|mandatory|compulsory)\b(.*)$`), pAllowed, .85, func(c *clause, m []string) (fact, bool) {
		neg := !strings.EqualFold(m[2], "mandatory") && !strings.EqualFold(m[2], "compulsory")
		return fact{subject: trimArticle(m[1]), object: m[2] + m[3], negated: neg, qualifier: m[3]}, !c.past && !isPronounEn(strings.ToLower(firstWord(m[1])))
	}},
	{"en.rule.modal", subjThing | subjPerson | subjMine | subjKin, false, compile(`^(may|must|cannot|can|shall|should|(?:is|are) (?:not )?allowed to|ha(?:s|ve) to) (not |never |only |always )?(.+)$`), pAllowed, .8, modalEn},
	{"en.rule.we", subjGroup, true, compile(`^(?:we|our team|the team) (?:do )?(?:always|never|must|must never|must always|must not) (.+)$`), pRule, .85, func(c *clause, m []string) (fact, bool) {
		return fact{object: c.text, kind: schema.KindProject}, !c.past
	}},
	{"en.rule.we_not", subjGroup, false, compile(`^(?:allow|permit|accept|support|tolerate|merge|deploy|ship|commit|push|release|use|store|share|hire|work) (.+)$`), pAllowed, .8, func(c *clause, m []string) (fact, bool) {
		return fact{object: objectOf(c, c.vp), negated: true, kind: schema.KindProject}, c.negated && !c.ended && !c.past && !strings.HasPrefix(c.vpLow, "use ")
	}},
	{"en.rule.i_never_want", subjSelf, false, compile(`^(?:ever )?want (.+)$`), pRule, .7, func(c *clause, m []string) (fact, bool) {
		return fact{object: objectOf(c, m[1])}, c.negated && strings.Contains(c.low, "never") && !oneOff(c.low)
	}},

	{"en.doctor", subjAny | subjNone, true, compile(`^(?:my |the )?(?:doctor|gp|dentist|physio(?:therapist)?|cardiologist) (?:told|advised|asked|wants|said) (?:me )?(?:that I (?:should|must) )?((?:not )?(?:to )?(?:avoid|stop|not|eat|drink|take|cut|stay|keep|exercise|walk|lose|quit) ?.+)$`), pAdvised, .82, func(c *clause, m []string) (fact, bool) { return fact{object: objectOf(c, m[1])}, true }},

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
	{"en.date.set", subjThing | subjMine | subjGroup | subjPerson, false, compile(`^(?:is|are|will be|(?:am|is|has been|was|are|have been|got) (?:scheduled|planned|set|moved|postponed|rescheduled|booked|pushed|brought forward)|takes place|starts?|begins?|moves?|moved|leaves?|departs?|ends?|happens)(?: again)?(?: back)?(?: for| to| on| at| from| in)? (.+)$`), pDate, .85, dateEn},
	{"en.todo.appointment", subjSelf | subjGroup | subjKin, false, compile(`^(?:have|has|have got|got) (?:an? |my |our |the )?((?:[\w'-]+ ){0,4}(?:appointment|meeting|interview|exam|test|flight|call|date|dinner|lunch|party|wedding|presentation|deadline|demo|review|check-?up|lesson|class|visit|surgery|operation|reservation|train|concert|game|match|race|trip)s?)\b(.*)$`), pPlan, .88, planEn},
	{"en.todo.must", subjSelf | subjGroup, false, compile(`^(?:have to|need to|must|have got to|got to|should)(?: not forget to)? (.+)$`), pPlan, .85, planEn},
	{"en.todo.must_bare", subjNone, true, compile(`^(?:have to|need to|must|got to|gotta) (.+)$`), pPlan, .8, dutyEn},
	{"en.todo.plan", subjSelf | subjGroup | subjKin | subjPerson, false, compile(`^(?:(?:am|are|is) (?:going to|planning to|planning|about to|flying|travell?ing|going|leaving|visiting|moving|meeting|seeing|starting|getting married|having|hosting|taking|presenting|running|attending|giving|driving|heading|joining|launching|releasing|picking up|off|on (?:leave|holiday|vacation)|away|back)|will(?: be)?|plan to|plan on|intend to|want to)\b ?(.*)$`), pPlan, .82, planEn},

	// Who I am.
	{"en.name.am", subjSelf, false, regexp.MustCompile(`^(?:am|go by|am called|am named|go by the name(?: of)?) (?:the name )?(\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+){0,2})(?: by the way)?(?: and\b.*|, .*)?$`), pName, .75, nameEn},
	{"en.allergic.none", subjPeople, false, compile(`^(?:ha(?:ve|s) no (?:food )?allerg(?:y|ies)|(?:am|is|are) allergic to (?:anything|any food)|ha(?:ve|s) any (?:food )?allerg(?:y|ies))$`), pAllergic, .9, nothingOfAll},
	{"en.allergic", subjPeople, false, compile(`^(?:(?:am|is|are) (?:\w+ly )?(?:allergic|intolerant) to (.+)|ha(?:ve|s) (?:an? |severe |bad |mild )*(.+?) (?:allergy|allergies|intolerance)|ha(?:ve|s) an? (?:\w+ )?(?:allergy|intolerance) to (.+)|(?:am|is|are) (.+?)[- ]intolerant)$`), pAllergic, .95, firstGroup},
	{"en.health.have", subjSelf | subjKin | subjPerson, false, compile(`^(?:(?:have|has|suffers? from|was diagnosed with|were diagnosed with|got diagnosed with|been diagnosed with|am diagnosed with) (?:an? |type \d |chronic |severe |mild |high |low )*((?:[\w'-]+ ){0,2}(?:diabetes|asthma|epilepsy|hypertension|blood pressure|arthritis|migraines?|anxiety|depression|adhd|autism|dyslexia|celiac|coeliac|cancer|disease|disorder|syndrome|condition|pacemaker|hearing aids?|glasses|insomnia|eczema|anaemia|anemia|bad back|bad knee|heart problem|thyroid \w+))|wears? (.+)|takes? ((?:\w+ ){0,3}(?:mg|medication|pills?|insulin|metformin|ibuprofen|aspirin|tablets?).*))\b.*$`), pHealth, .85, firstGroup},
	{"en.health.be", subjSelf | subjKin | subjPerson, false, compile(`^(?:am|is|are) ((?:red-green )?(?:colou?r[- ]?blind|left[- ]handed|right[- ]handed|ambidextrous|diabetic|asthmatic|epileptic|dyslexic|autistic|deaf|blind|pregnant|lactose[- ]intolerant|short-sighted|near-sighted|nearsighted|hard of hearing|claustrophobic|afraid of .+|scared of .+|immunocompromised|anaemic|anemic|tone-deaf))\b.*$`), pHealth, .9, nil},
	{"en.diet", subjPeople, false, compile(`^(?:(?:am|is|are) (?:an? )?(?:strict |strictly |mostly )?(vegan|vegetarian|pescatarian|halal|kosher|teetotall?er|teetotal|gluten-free|dairy-free|keto)s?|eats? (?:only )?(halal|kosher|vegan|vegetarian|gluten[- ]free)(?: food| meat)?|(?:am|is|are) on an? ((?:[\w-]+ )?diet)|(?:went|gone|turned) (vegan|vegetarian))\b.*$`), pDiet, .92, firstGroup},
	{"en.marital", subjSelf | subjKin | subjPerson, false, compile(`^(?:am|is|are|got|just got) (happily married|married|single|engaged|divorced|widowed|separated)(?: to (.+?))?(?: (?:in|since|for) .+)?$`), pMarital, .88, nil},
	{"en.age", subjSelf | subjKin | subjMine | subjPerson, false, compile(`^(?:am|is|are|turned|turns|just turned|turn|will be) (?:almost |nearly |about |now )?(\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty)(?: (?:years?|months?)(?: |-)?old)?(?: (?:today|now|yesterday|tomorrow|(?:this|last|next) \w+|in \w+|on .+))?$`), pAge, .88, ageEn},
	{"en.born", subjSelf | subjKin | subjPerson, false, compile(`^(?:was|were|am) born (?:on|in) (.+)$`), pBirthday, .9, bornEn},
	{"en.from", subjPeople, false, compile(`^(?:(?:am|is|are|come|comes) (?:originally )?from|grew up in|was raised in|(?:am|is) a native of) (.+)$`), pHometown, .8, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		return fact{object: o}, o != "" && unicode.IsUpper([]rune(o)[0])
	}},
	{"en.changed", subjSelf | subjGroup, false, compile(`^(?:have |has |just |recently )*(?:changed|switched|updated|replaced|got a new|have a new|got new) (?:my |our )?((?:[\w-]+ ){0,2}?(?:number|address|email|e-mail|phone|mobile|wechat|wechat id|port|domain|password hint|plate|name|username|handle|account|job|url|extension))(?:: |(?:,|\.| and|;| –| —| -)? (?:so )?(?:the |my |our |it |its )?(?:is now|new (?:(?:one|number|address|email|value|id|name|port) )?is(?: now)?:?|now(?: is)?:?|to|is) )(.+)$`), pAttr, .85, changedEn},
	{"en.moved", subjPeople, false, compile(`^(?:have |has |just |recently |am |is |are )*(?:moved|relocated|moving|relocating)(?: house)?(?: back)?(?: away)?(?: from (.+?))? (?:to|into|in with) (.+)$`), pLivesIn, .9, movedEn},
	{"en.lives", subjPeople, false, compile(`^(?:(?:have |has )?lived?|lives|(?:am|is|are) (?:living|based|staying|residing)|reside|resides|living)(?: alone| together)? (?:in|at|on|near|with) (.+)$`), pLivesIn, .92, livesEn},
	{"en.left_job", subjPeople, false, compile(`^(?:have |has )?(?:left|quit|resigned from|was laid off from|were laid off from|retired from|was fired from) (?:my job at |her job at |his job at |the job at )?(.+?)(?: (?:to join|for|and (?:then )?joined|and (?:have )?(?:since )?started (?:working )?(?:at|with|for)|and (?:am now|now work) (?:at|for)|to work at|to work for) (.+))?$`), pWorksAt, .85, leftEn},
	{"en.works_as", subjPeople, false, compile(`^(?:have |has )?(?:works?|worked|am working|is working) as (?:an? |the )?(.+?)(?: (?:at|for|with|in) (.+))?$`), pJob, .9, jobEn},
	{"en.works_at", subjPeople, false, compile(`^(?:have |has )?(?:works?|worked|(?:am|is|are) (?:working|employed|interning)|(?:just |recently )?started (?:working|work)|working|interns?) (?:at|for|by) (.+)$`), pWorksAt, .92, worksEn},
	{"en.works_when", subjPeople, false, compile(`^(?:works?|working|(?:am|is|are) working) ((?:night|day|late|early|double)s?(?: shifts?)?\b.*|shifts\b.*|remotely\b.*|from home\b.*|part[- ]time\b.*|full[- ]time\b.*|weekends\b.*|from \d.*|(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b.*|four days\b.*|\d\d? hours\b.*)$`), pSchedule, .88, nil},
	{"en.works_in", subjPeople, false, compile(`^(?:works?|working|(?:am|is|are) working) (?:in|on) (.+)$`), pField, .8, nil},
	{"en.joined", subjPeople, false, compile(`^(?:have |has |just )*(?:joined|started (?:working )?(?:at|with)|started a (?:new )?job at|switched (?:jobs )?to|got a (?:new )?job at|changed jobs to|accepted an offer from|start at|starts at) (.+?)(?: (?:as) (?:an? )?(.+))?$`), pWorksAt, .82, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		return fact{object: o}, o != "" && capital(o)
	}},
	{"en.job", subjSelf | subjKin | subjPerson, false, compile(`^(?:am|is|are) (?:an? |the )((?:[\w/&'-]+ ){0,4}?[\w/&'-]*(?:engineer|developer|designer|teacher|doctor|nurse|lawyer|manager|scientist|analyst|accountant|architect|consultant|writer|editor|journalist|artist|musician|student|professor|researcher|programmer|chef|cook|driver|pilot|electrician|plumber|carpenter|photographer|translator|dentist|pharmacist|therapist|psychologist|auditor|director|founder|ceo|cto|cfo|lead|officer|specialist|administrator|technician|mechanic|farmer|baker|barista|librarian|firefighter|police officer|paramedic|salesperson|recruiter|freelancer|intern|postdoc|veterinarian|vet|surgeon|economist|biologist|chemist|physicist|mathematician|geologist|historian|beekeeper|gardener|sailor|captain|coach|trainer|banker|trader|broker|owner|contractor|producer|actor|actress|singer|dancer|clerk|secretary|assistant|coordinator|supervisor|inspector|surveyor|operator|welder|tailor|curator|statistician|linguist|luthier|sre|devops))(?: (?:at|for|with|of|in) (.+?))?$`), pJob, .9, jobEn},
	{"en.studies", subjPeople, false, compile(`^(?:(?:am|is|are) )?(?:study|studies|studied|studying|majoring in|major in|majors in|doing a (?:phd|degree|master's) in|graduated (?:from|in)|learning) (.+)$`), pStudies, .85, nil},
	{"en.speaks", subjPeople, false, compile(`^(?:(?:can )?speaks? (?:fluent |a little |some |good |only )?(.+)|(?:am|is) (?:fluent in|a native speaker of|a native (\w+) speaker)(?: (.+))?)$`), pSpeaks, .88, firstGroup},
	{"en.nationality", subjSelf | subjKin | subjPerson, false, regexp.MustCompile(`^(?:am|is|are) (?:originally )?(?:a |an )?(\p{Lu}\p{Ll}+(?:ese|ish|an|ch|i)|Dutch|Greek|Thai|Swiss|Czech|Welsh|Finn|Swede|Dane)$`), pNation, .75, nil},

	// People and animals around me.
	{"en.manager.report", subjSelf, false, compile(`^reports? (?:directly )?to (.+)$`), pManager, .9, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		return fact{object: o, qualifier: "manager"}, capital(o)
	}},
	{"en.kin.name", subjKin, false, compile(`^(?:'s name (?:is|was)|(?:is|are|was) (?:called|named)|is now|is|are) (.+)$`), pKnows, .9, kinNameEn},
	{"en.has.pet", subjSelf | subjGroup | subjKin, false, compile(`^(?:(?:have |has )?(?:just |recently )?(?:adopted|got|kept|rescued)|have|has|have got|own|owns|keep|keeps) (an?|two|three|four|five|six|some|several|\d+|)? ?((?:[\w-]+ )*?(?:dogs?|cats?|pupp(?:y|ies)|kittens?|parrots?|budgies?|rabbits?|hamsters?|tortoises?|turtles?|horses?|pon(?:y|ies)|goldfish|fish|chickens?|hens?|bees?|snakes?|geckos?|lizards?|guinea pigs?|ducks?|goats?|ferrets?|retrievers?|terriers?|poodles?|corgis?|birds?))\b(.*)$`), pHas, .92, petEn},
	{"en.has.kin", subjSelf | subjKin, false, compile(`^(?:have|has|have got) (an?|one|two|three|four|five|\d+|no|twin) ?((?:[\w-]+ ){0,2}?(?:sister|brother|sibling|son|daughter|kid|child|children|twin|niece|nephew|cousin|grandchild|grandchildren|grandson|granddaughter|stepson|stepdaughter|roommate|flatmate|housemate|girlfriend|boyfriend|wife|husband|partner)s?(?: and .+)?)\b(.*)$`), pHas, .92, func(c *clause, m []string) (fact, bool) {
		return fact{object: strings.TrimSpace(m[1] + " " + m[2]), negated: strings.EqualFold(m[1], "no") || c.negated}, true
	}},

	// Tastes, habits, things.
	{"en.likes", subjPeople, false, compile(`^(?:would )?(?:have always )?(?:likes?|loved?|loves|enjoys?|adores?|(?:am|is|are) (?:\w+ )?(?:fond of|into|keen on|crazy about|obsessed with|a (?:big |huge |great )?fan of)|(?:am|is|are) (?:big |huge )?fans of) (.+)$`), pLikes, .9, tasteEn},
	{"en.dislikes", subjPeople, false, compile(`^(?:hates?|hated|dislikes?|detests?|loathes?|despises?|cannot (?:stand|bear)|(?:am|is) sick of) (.+)$`), pDislikes, .9, tasteEn},
	{"en.prefers", subjPeople, false, compile(`^(?:would )?(?:prefers?|rather(?: have)?) (.+?)(?: (?:over|to|rather than|instead of|than) (.+))?$`), pPrefers, .9, nil},
	{"en.consumes.not", subjPeople, false, compile(`^cannot (?:have|eat|drink|tolerate|digest) (.+)$`), pConsumes, .88, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		return fact{object: o, negated: true, qualifier: strings.TrimPrefix(o, "any ")}, o != "" && !isPronounEn(strings.ToLower(firstWord(o)))
	}},
	{"en.consumes", subjPeople, false, compile(`^(?:eats?|drinks?|smokes?|touch|touches|eating|drinking|smoking)(?: (.+))?$`), pConsumes, .85, consumesEn},
	{"en.given_up", subjPeople, false, compile(`^(?:watch(?:es|ing)?|reads?|reading|listen(?:s|ing)? to|play(?:s|ing)?|us(?:e|es|ing)|wear(?:s|ing)?|order(?:s|ing)?|buy(?:s|ing)?|do(?:es|ing)?|go(?:es|ing)? to) (.+)$`), pUses, .82, givenUpEn},
	{"en.switched", subjSelf | subjGroup, false, compile(`^(?:have |has |just )*(?:switched|migrated|changed|moved|upgraded)(?: (?:over|everything|our \w+|my \w+|the \w+))?(?: from (.+?))? to (.+)$`), pUses, .85, switchedEn},
	{"en.replaced", subjSelf | subjGroup, false, compile(`^(?:have |has |just )*replaced (.+?) (?:with|by) (.+)$`), pUses, .85, switchedEn},
	{"en.decided", subjGroup | subjSelf, false, compile(`^(?:have |has |just )*(?:decided(?: (?:to|on|that|against|not to))?|chose|chosen|agreed(?: (?:to|on|that))?|picked|went with|settled on|(?:am|are) going with|adopted|selected|opted for) (.+)$`), pDecision, .88, nil},
	{"en.writes_in", subjSelf | subjGroup | subjKin | subjPerson, false, compile(`^(?:writes?|codes?|programs?|develops?|builds?|(?:am|are|is) (?:writing|coding|programming|building)) (?:mostly |mainly )?((?:.+ )?(?:in|with|using) .+)$`), pUses, .8, nil},
	{"en.uses", subjSelf | subjGroup | subjKin | subjPerson, false, compile(`^(?:(?:am|are|is) (?:using|running|driving|playing)|uses?|runs?|drives?|rides?|plays?|carry|carries) (.+)$`), pUses, .82, usesEn},
	{"en.habit", subjSelf | subjGroup | subjKin | subjPerson, true, nil, pHabit, .8, habitEn},
	{"en.done.bought", subjSelf | subjGroup, false, compile(`^(?:have |has )?(?:already |just |finally )*bought ((?:all )?the .+)$`), pEvent, .75, doneEn},
	{"en.has", subjSelf | subjGroup | subjKin, false, compile(`^(?:have (?:owned|kept|collected)|have|has|have got|owns?|keeps?|collects?|(?:just |recently )?bought) (.+)$`), pHas, .72, hasEn},
	{"en.trait", subjSelf | subjKin, false, compile(`^(?:am|is|are) ((?:an? )?(?:night owl|early bird|morning person|introvert|extrovert|introverted|extroverted|atheist|buddhist|christian|muslim|catholic|jewish|hindu|beginner|newbie|veteran|expat|immigrant|only child|twin|smoker|non-smoker|vegetable gardener|runner|cyclist|climber|beekeeper|dog person|cat person|perfectionist|gay|bisexual|trans|retired|unemployed|self-employed|tall|\d[\d.,]* ?(?:cm|m|kg|feet|ft)\b.*))$`), pTrait, .85, nil},
	{"en.measure", subjSelf | subjKin, false, compile(`^(weighs? .+|(?:am|is) .*\d.* tall)$`), pTrait, .85, nil},
	{"en.doing", subjSelf | subjGroup | subjKin, false, compile(`^(?:am|are|is) (?:learning|training for|saving (?:up )?for|writing|working on|building|preparing for|preparing|renovating|restoring|organi[sz]ing|planning|researching|expecting|recovering from|teaching) (.+)$`), pDoing, .75, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		return fact{object: o}, len(o) > 2 && !isPronounEn(strings.ToLower(firstWord(o)))
	}},

	// Hosts, ports, versions, paths, roles.
	{"en.port", subjThings, false, compile(`^(?:listens?|(?:is |are )?(?:running|listening|served|available|reachable|exposed|now|up)|runs?|serves?|is|moved|was moved|uses?|sits?)(?: now)?(?: on| at| to)? (?:tcp )?(?:port (\d{2,5})|(?:https?://)?(?:localhost|[\w.-]+):(\d{2,5})/?)\b.*$`), pPort, .9, portEn},
	{"en.version", subjThings, false, compile(`^(?:is|are|runs?|uses?|is on|are on|is running|needs?|requires?|is pinned to|was upgraded to|has been upgraded to|is still on|targets?)(?: at| on)? (?:version )?((?:[A-Z][\w+#.]* )?` + reVersion + `)(?: or (?:newer|later|higher))?$`), pVersion, .85, versionEn},
	{"en.path", subjThings, false, compile(`^(?:is|are|lives?|sits?|(?:is|are) (?:stored|located|kept|saved|deployed|installed|mounted|under|in|at)|can be found|goes?|go|moved to|was moved to|writes? to|logs? to)(?: now)?(?: in| at| under| to| on)? ((?:~|\.{1,2})?/[\w./@+~-]+|[A-Za-z]:\\[\w\\. -]+)(?:[ ,.].*)?$`), pPath, .88, nil},
	{"en.url", subjThings, false, compile(`^(?:is|are|lives?|(?:is|are) (?:hosted|available|reachable|documented|described))(?: at| on| under)? (https?://\S+)$`), pURL, .88, nil},
	{"en.host", subjThings, false, compile(`^(?:runs? (?:on|in)|(?:is|are) (?:(?:hosted|deployed|installed)(?: on| at| in| to)|running on)|lives? on|is on|are on) (.+)$`), pHost, .8, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		return fact{object: o}, o != "" && len(c.whens()) == 0 && c.sub.kind != subjKin && specific(o)
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
		return fact{object: o}, o != ""
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
	{"en.attr", subjMine | subjKin, false, compile(`^(?:'s ([\p{L}-]+(?: number)?) )?(?:(?:is|are|was) (?:called|named)|is|are|was|were|(?:has |have )?(?:just )?(?:changed|moved|switched)(?: from .+?)? to|became)(?: now| actually| currently)?\s*:? (.+)$`), pAttr, .85, attrEn},
	{"en.attr.of", subjThing | subjPerson, false, compile(`^(?:'s ([\p{L}-]+) )?(?:is|are|(?:has |have )?changed(?: from .+?)? to|moved to)(?: now| actually| currently)? (.+)$`), pAttr, .8, attrOfEn},

	// What happened on a day, and what is only a statement.
	{"en.event", subjSelf | subjGroup | subjKin | subjPerson, false, nil, pEvent, .7, eventEn},
	{"en.statement.name", subjPeople &^ subjSelf, false, nil, pStatement, .55, statementEn},
	{"en.statement", subjThings, false, nil, pStatement, .55, statementEn},
}

var reTimetableEn = gated(`(?i)\b(?:every|each|daily|weekly|monthly|yearly|annually|once|twice|weekdays|(?:mon|tues|wednes|thurs|fri|satur|sun)days)\b`)

// ruleVerbsEn are verbs that one forbids an assistant for good, rather than once.
const ruleVerbsEn = `use|using|call|calling|suggest|suggesting|include|including|recommend|recommending|mention|mentioning|send|sending|share|sharing|write|writing|add|adding|put|putting|give|giving|ask|asking|say|saying|speak|reply|answer|schedule|scheduling|deploy|deploying|push|pushing|commit|committing|delete|deleting|touch|touching|contact|email|emailing|start|starting|end|make|making|show|offer|apologi[sz]e|apologi[sz]ing|repeat|repeating|invent|guess|assume|change|modify|edit|overwrite|run|store|save|log|post|publish|merge|rebase|force-push|translate|summari[sz]e|format|book|order|buy|disturb|interrupt|swear|praise|flatter|sugarcoat|round|abbreviate|discuss|talk about|talking about|bring up|serve|cook|feed|invite`

// oneOff reports marks of a request about this moment, which is no rule.
func oneOff(low string) bool {
	return containsAny(low, " yet", " right now", " today", " tonight", " this time", " this one", " just now", " for now", " that file", " this file", " this email", " until i", " before i", " tomorrow", " this message", " this week", " the above", " it again", " anything else", " this for", " that one", " this sentence", " this text", " this code", " this function", " first one") || stepEn(low) ||
		strings.HasSuffix(strings.TrimRight(low, ".! "), " it") || strings.HasSuffix(strings.TrimRight(low, ".! "), " this") || strings.HasSuffix(strings.TrimRight(low, ".! "), " that")
}
