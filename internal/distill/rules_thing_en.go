package distill

import (
	"strings"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// rulesThingEn are what is said of things, by name and by what happened, and what is only a statement.
var rulesThingEn = []rule{
	// Hosts, ports, versions, paths, roles.
	{"en.port", subjThings, false, compile(`^(?:listens?|(?:is |are )?(?:running|listening|served|available|reachable|exposed|now|up)|runs?|serves?|is|moved|was moved|uses?|sits?)(?: now)?(?: on| at| to)? (?:tcp )?(?:port (\d{2,5})|(?:https?://)?(localhost|[\w-]*[A-Za-z][\w.-]*|\d+(?:\.\d+){3}):(\d{2,5})/?)\b.*$`), pPort, .9, portEn},
	{"en.port.listens", subjThings, false, compile(`^(?:listens?|is listening|is exposed|is published|is bound|binds?|answers?)(?: now)?(?: on| at| to)? (\d{2,5})\b.*$`), pPort, .85, func(c *clause, m []string) (fact, bool) { return portEn(c, []string{m[0], m[1], "", ""}) }},
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
	{"en.owner", subjThings, false, compile(`^(?:(?:is|are) (?:now )?(?:owned|maintained|led|managed|run|handled|written|built|looked after) by|belongs? to|(?:is|are) assigned to) (.+)$`), pOwner, .85, nil},
	{"en.depends", subjThings, false, compile(`^(?:depends? on|requires?|needs?|relies? on|is built on|is based on|(?:cannot|can't|does not|will not) (?:run|work|start|boot|build|function|operate|compile|come up) without) (.+)$`), pDepends, .75, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		return fact{object: o}, o != "" && (specific(o) || hasPrefixAny(c.vpLow, "depend", "require", "need") || strings.Contains(c.vpLow, " without ")) && !hasPrefixAny(strings.ToLower(o), "to ", "you", "your", "a lot", "more", "some", "help", "an update", "it")
	}},
	{"en.role.does", subjPerson, false, compile(`^(?:does|handles|covers|looks after|takes care of|is in charge of) (?:the |our |all )?([\p{L}/&][\p{L}/& -]{1,30})$`), pRole, .76, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1], kind: schema.KindProject}, capital(c.sub.text) && !c.negated && !hasPrefixAny(strings.ToLower(m[1]), "it", "that", "this", "not", "what", "yoga", "his", "her", "their", "well", "nothing", "everything", "something")
	}},
	{"en.exempt", subjAny &^ subjSelf, false, compile(`^(?:is|are) (?:exempt(?:ed)?|excluded|excused) from (.+)$`), pExempt, .78, func(c *clause, m []string) (fact, bool) {
		return fact{object: c.text, kind: schema.KindProject}, !c.past && !c.negated
	}},
	{"en.drop_support", subjGroup, false, compile(`^(?:will |are going to |are |have )?(?:drop|dropping|dropped|end|ending|ended|stop|stopping|stopped) (?:all )?support for (.+)$`), pDecision, .8, nil},
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
	{"en.spent", subjSelf | subjGroup, false, compile(`^(?:have |has )?(?:already |just |only |finally )*(?:spent|blew|forked out|shelled out) (?:about |around |over |nearly |almost |only |another )*(?:[$€£¥]\d[\d,.]*k?|\d[\d,.]*k? ?(?:[$€£¥]|dollars|bucks|euros?|pounds|quid|yuan|rmb|yen|usd|eur|gbp))(?: (?:on|for|in|at) .+)?$`), pEvent, .7, spentEn},
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
