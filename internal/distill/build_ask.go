package distill

import (
	"strings"
	"unicode/utf8"
)

const (
	// askEn is to ask the speaker, or somebody, about something.
	askEn = `(?:ask|check with|consult|confirm with|clear (?:it |this )?with|get (?:a )?(?:yes|ok|okay) from|warn|notify|inform) (?:me|us|(?:my|our) [\w-]+|[A-Z][\w'-]+)|confirm|(?:get|seek|obtain|wait for) (?:(?:my|our|his|her|[A-Z][\w'-]+'s) )?(?:approval|permission|consent|confirmation|go-ahead|ok|okay)`
	// languagesEn are the names of languages, mannersEn ways to speak.
	languagesEn = `English|Chinese|Mandarin|Cantonese|French|German|Spanish|Italian|Portuguese|Dutch|Swedish|Danish|Norwegian|Finnish|Icelandic|Russian|Ukrainian|Polish|Czech|Slovak|Slovenian|Croatian|Serbian|Bulgarian|Greek|Turkish|Arabic|Hebrew|Persian|Farsi|Hindi|Urdu|Bengali|Punjabi|Tamil|Telugu|Japanese|Korean|Vietnamese|Thai|Indonesian|Malay|Tagalog|Swahili|Hungarian|Romanian|Catalan|Basque|Welsh|Irish|Latin|Esperanto`
	mannersEn   = `brief|concise|succinct|terse|short|laconic|polite|formal|informal|casual|direct|blunt|frank|verbose|wordy|chatty|talkative|friendly|matter-of-fact|to the point`
)

var (
	reFirstEn    = gated(`\bfirst(?:[.!;, ]*$|,? (?:please|thanks|and|then|before)\b|[,;])`)
	reStandingEn = gated(`\bbefore\b.*\bfirst\b|\b(?:always|never|ever|without|unless|whenever|every|each|from now on|going forward|henceforth)\b|\b(?:ask|check|confirm|consult|tell|warn|notify|inform|clear|agree|talk|speak)(?:s|ed|ing)?\b.*\bfirst\b|\b(?:approval|permission|consent|confirmation|okay|ok|blessing)\b`)
)

// stepEn reports whether "first" only puts the steps of one task in order: "don't write the code first". Where somebody
// is to be asked first, or it holds always, it is part of a rule.
func stepEn(low string) bool { return reFirstEn.match(low) && !reStandingEn.match(low) }

// passingEn are deeds that belong to the talk at hand: to ask before them is no rule.
var passingEn = wordSet("go going leave leaving begin beginning start starting continue continuing proceed proceeding do doing answer answering reply replying finish finishing come coming")

// askRuleEn is that somebody is to be asked before something is done: m holds who does it, if it is said, and the deed.
// "Before Friday" is a time.
func askRuleEn(c *clause, m []string) (fact, bool) {
	deed := strings.ToLower(m[2])
	if m[1] == "" && !strings.HasSuffix(deed, "ing") || passingEn[deed] || c.past || len(c.certain(true)) > 0 {
		return fact{}, false
	}
	return ruleImperative(c, m)
}

// askRuleZh is the same in Chinese.
func askRuleZh(c *clause, m []string) (fact, bool) {
	if hasSuffixAny(m[1], "目", "以", "提", "面", "跟", "眼", "从", "日", "天", "点") || hasPrefixAny(m[1], "我", "他", "她", "走", "出发", "开始", "继续", "回答") || containsAny(m[1], "没", "未", "不") || len(c.certain(true)) > 0 || containsAny(c.text, "了", "今天", "这次", "暂时") || utf8.RuneCountInString(c.text) < 5 {
		return fact{}, false
	}
	return fact{object: c.text}, true
}

// speechEn are things without a plural that one has no more of in talk and text.
var speechEn = wordSet("emoji slang jargon sarcasm markdown html latex fluff filler flattery profanity swearing preamble boilerplate smalltalk talk advice politics religion legalese punctuation sugarcoating hedging rambling lecturing moralising moralizing waffling padding buzzwords")

// idlePleas are said without a thing to be kept away.
var idlePleas = wordSet("thanks worries problems regrets questions news plans ideas changes issues doubts comments surprises errors results luck bugs matches objections buts ifs signs please")

// noPleaseEn is a ban without a verb: "no emojis, please". What is one helping of something is none.
func noPleaseEn(c *clause, m []string) (fact, bool) {
	low := strings.ToLower(m[2])
	many := strings.HasSuffix(low, "s") && !strings.HasSuffix(low, "ss")
	if !many && !speechEn[low] || oneOff(c.low) || idlePleas[low] {
		return fact{}, false
	}
	// Without "please" it may be a report as well: "no failures".
	return fact{object: c.text}, strings.Contains(c.low, "please") || speechEn[low] || strings.Contains(c.low, " ever")
}

// doingZh is what is not to be done with things of a kind: 点外卖不要放香菜. One of them in particular, or one time, is
// no rule.
func doingZh(c *clause, m []string) (fact, bool) {
	if containsAny(c.text, "这", "那", "刚", "昨", "这次", "上次") {
		return fact{}, false
	}
	return banZh(c, m)
}
