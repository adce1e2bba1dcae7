package distill

import "cmp"

// rulesPlanEn are plans, dates and reminders.
var rulesPlanEn = []rule{
	// Plans, dates, reminders.
	{"en.todo.remind", subjNone, true, compile(`^(?:please )?remind me (?:again )?(?:to|about|that|of|when|on|at|in|every|tomorrow|next)\b ?(.+)$`), pReminder, .92, todoEn},
	{"en.todo.remember", subjNone, false, compile(`^remember to (.+)$`), pReminder, .9, todoEn},
	{"en.deadline", subjAny | subjNone, true, compile(`^(?:the |my |our )?(?:deadline (?:for|of) (?:the |my |our )?(.+?) (?:is|moved to|has moved to|was moved to|changed to)|(.+?)(?:'s)? deadline (?:is|moved to|has moved to|was moved to|changed to)|(.+?) (?:is|are|falls|will be|comes) due|(.+?) (?:expires?|runs? out|has to be (?:in|handed in|sent(?: in| off)?|done|submitted|filed|paid|finished|ready)|must be (?:in|handed in|sent(?: in| off)?|done|submitted|filed|paid|finished|ready)))(?: on| by| at| in| until| before)? (.+)$`), pDeadline, .9, deadlineEn},
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
}
