package distill

import (
	"regexp"
	"strings"
)

// What is made up, asked for or told by others says nothing about who writes.
var (
	// A story, or a part to play: who is in it is nobody.
	reFictionEn = gated(`(?i)^(?:in|for) (?:the|my|this|our|that|his|her|a) (?:[\w'-]+ ){0,2}?(?:novel|story|short story|script|screenplay|film|movie|book|series|show|game|campaign|play|comic|manga|anime|podcast|fanfic|fairy tale|musical|sitcom|episode|season|sketch|scenario|role-?play|example|exercise|case study|thought experiment|dream|video|tutorial|article|brochure|ad|advert)\b|^(?:my|our|the|this) (?:[\w'-]+ ){0,3}?(?:character|protagonist|main character|hero|heroine|villain|narrator|antagonist|persona|npc|dungeon master|avatar|wizard|paladin|lyrics|poem)s?\b|^(?:pretend|imagine|picture this|suppose|let's say|lets say|say|assume|act as|play the role|role-?play|once upon a time|how (?:do|would|can|should) (?:I|you|we) (?:say|translate|spell|pronounce|write|phrase)|joke|riddle|plot idea|writing prompt|prompt|headline|fun fact about|trivia)\b`)

	// A thing to be made once: what stands behind it is what is to be made.
	reMakeEn   = gated(`(?i)^(?:(?:please|pls|now|ok|okay|then|also|quick|can you|could you|would you|help me|i need you to|i want you to|i'd like you to) )*(?:draft|compose|write|generate|create|invent|sketch|come up with|make up|give me|suggest|design|prepare|produce|translate|rephrase|paraphrase|proofread|rewrite|edit|convert|turn|summari[sz]e|fix|correct|polish|complete|continue|fill in|read|check|look at|describe|explain|compare|list|name|find|finish|quiz me|plan)\b`)
	reMadeOfEn = gated(`(?i)\b(?:that (?:says?|states?|reads?|begins|starts|goes)|saying|stating|which says|for (?:a|an|somebody|someone|people|those|two|three) .{0,40}?(?:who|that|with|living)|from the (?:perspective|point of view) of|as if|about (?:a|an|somebody|someone) |like ['"(]|something like|(?:called|named) \p{Lu}|the (?:sentence|phrase|line|text|paragraph|title|caption|quote|email|letter|bio|review|abstract)\b|who (?:is|has|lives|works|hates|loves|likes|moved|wants|cannot|only)|where (?:the|a|he|she|they|everyone)|this:|following)`)

	// What somebody else says, or everybody.
	reHearsayEn = gated(`(?i)^(?:supposedly|reportedly|allegedly|apparently|presumably|rumou?r (?:has it|is)|word is|legend has it|legend says|they say|some say|people say|i(?:'ve| have)? (?:heard|read|was told|overheard|saw)\b|heard\b|read (?:somewhere|that|online)\b|saw (?:somewhere|that|online)\b|someone|somebody|some (?:guy|woman|man|dude|person|people)|a (?:guy|woman|friend of a friend|stranger)|the (?:brochure|leaflet|ad|advert|flyer|website|article|paper|report|study|label|box|manual|docs?|documentation|readme|sign|poster|headline|post|tweet|thread|news|forecast|book|film|movie|internet|log|logs|changelog|release notes|spec|contract|listing|menu|review|faq|wiki|abstract|error|stack trace|output|guide|tutorial|course|teacher|lecturer|professor|speaker|podcast|host|narrator) (?:claims?|says?|said|states?|promises?|recommends?|suggests?|mentions?|reads?|argues?|warns?|describes?|told)|according to|on the (?:podcast|news|radio|internet|show|forum)\b|in the (?:article|paper|news|meeting notes|lecture|docs|manual|readme)\b)`)
)

// madeUpEn reports whether the sentence s is about what is not: fiction, something to be written, hearsay.
func madeUpEn(s string) bool {
	return reFictionEn.match(s) || reReadsEn.match(s) || reOneTaskEn.match(s) || reSaysTailEn.match(s) || reHadBeenEn.match(s) || reHearsayEn.match(s) || reMakeEn.match(s) && reMadeOfEn.match(s) && !strings.Contains(strings.ToLower(s), "always")
}

// reReadsEn is what stands before the words of a document: "The job ad reads: …".
var reReadsEn = gated(`(?i)^(?:the |this |that |an? |my |their |our |his |her )?(?:[\p{L}'-]+ ){0,3}?(?:ad|advert|advertisement|posting|listing|sign|letter|article|poster|flyer|brochure|manual|label|contract|description|menu|review|headline|caption|transcript|prompt|quote|passage|paragraph|clause|policy|tweet|notice|leaflet|lease|brief|template|chapter|blurb|bio) (?:reads?|says?|said|states?|goes|went|begins|starts)(?: like this)? ?[,:'"“‘]`)

var (
	// reOneTaskEn begins what is to be done once: nothing in it is about who asks, and no rule.
	reOneTaskEn = gated(`(?i)^(?:(?:please|pls|now|ok|okay|then|also|so|quick|can you|could you|would you) )*(?:rewrite|rephrase|make (?:that|it|this)|change (?:it|this|that)|write me|write (?:an?|two|three|four|five|\d+|some|another) |give me (?:an?|one|two|three|four|five|\d+|some|another|the) |act as|act like|pretend|play the (?:part|role)|imagine|picture|suppose|given (?:an?|that)|model the|proofread|translate|role-?play|you are (?:an?|the|now) )`)
	// reSaysTailEn ends what somebody else says.
	reSaysTailEn = gated(`(?i), (?:says?|said|claims?|according to|reports?|writes|reads) (?:the|an?|my|this|that|one|some) (?:[\p{L}-]+ ){0,2}?(?:article|news|paper|report|book|study|magazine|website|page|doc|docs|documentation|manual|blog|post|survey|headline|author|journal|podcast|guide|brochure|review|show)\b`)
	// reHadBeenEn supposes what is not so: "if I were your boss".
	reHadBeenEn = gated(`(?i)^(?:and |but |so |well, )?if (?:i|you|he|she|we|they|it|the \p{L}+|my \p{L}+) (?:were|had been|had had)\b`)
	// reAskBareEn asks without a question mark, as people type.
	reAskBareEn = gated(`(?i)^(?:(?:so|and|but|hey|hi|ok|okay|btw|quick question|quick one|sorry)[,:]? )*(?:(?:how|where|why|which|what|who) (?:can|do|does|did|should|would|could|will|many|much|long|often|come|is the|are the|is my|are my|was the)\b|(?:does|did|is|are|was|were|can|could|should|would) (?:that|it|this|i|we|they|he|she|there|anyone|anybody|somebody)\b|do (?:i|you|we|they) )`)
	// reTagEn asks for assent.
	reTagEn = gated(`(?i), (?:(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|should)n['’]t|do|does|did|is|are|was|were) (?:it|they|he|she|we|you|i|there|that)\?\s*$`)
)

// genericEn reports whether c speaks of all of a kind, which is nobody the speaker knows: "Surgeons work long hours".
func genericEn(c *clause) bool {
	subj := c.sub.text
	if c.sub.kind&(subjPerson|subjThing) == 0 || !reManyPeopleEn.MatchString(subj) || !strings.HasPrefix(c.text, subj) {
		return false
	}
	verb := firstWord(c.vpLow)
	return verb == "are" || verb == "were" || verb == "have" || verb == "do" || verb != "is" && verb != "has" && !strings.HasSuffix(verb, "s")
}

var reManyPeopleEn = regexp.MustCompile(`^\p{Lu}\p{Ll}+(?:ors|ists|ers|eons|ians|men|women|ats|cats|dogs|kids|mosquitos|mosquitoes|ulcers|roses|violets|people|students|nurses|bananas|birds|bees)(?: in \p{Lu}\p{Ll}+)?$`)
