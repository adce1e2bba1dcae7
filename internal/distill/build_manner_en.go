package distill

import (
	"strings"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// paddingEn is what stands in an answer beside the answer: the rest of what one asks to skip is a part of this text.
const paddingEn = `intro\w*|pleasantries|small talk|disclaimers?|preambles?|greetings?|fluff|flattery|apolog\w+|caveats?|explanations?|warnings?|compliments?|emojis?|sign[- ]offs?|recaps?`

var (
	// What makes a request about an answer one about all of them.
	reLastingEn = gated(`(?i)\b(?:always|in general|generally|by default|every time|each time|whenever|from now on|going forward|in (?:the )?future|(?:your|all|every|each|any) (?:[\w-]+ )?(?:answers?|repl(?:y|ies)|responses?|messages?|emails?|explanations?|summar(?:y|ies)|reports?))\b`)
	reYourOneEn = gated(`(?i)\byour (?:[\w-]+ )?(?:answer|reply|response|message|email|explanation|summary|report)\b`)
	reAddressEn = gated(`(?i)^(?:please )?(?:just |always )*(?:address me|double[- ]check|round everything)\b`)

	// What is asked for in all of a kind: something to be done with what is yet to be written, or how values are written.
	reOfAllEn = gated(`(?i)^(?:please |always |just |only )*(?:(?:` + standingVerbsEn + `|` + ruleVerbsImpEn + `)\b.* (?:answers?|repl(?:y|ies)|responses?|messages?|emails?|reports?|summar(?:y|ies)|commits?)\b|(?:use|prefer|avoid|never|always|do not|don't|dont|keep|only|include|stick to|write)\b|(?:dates|times|prices|amounts|numbers|units|temperatures|distances) (?:as|in|with) |(?:metric|imperial|SI) units |an? (?:[\w-]+ )??(?:summary|tl;?dr|overview|outline) )`)
)

// ruleVerbsImpEn are verbs of a request about what is to be written.
const ruleVerbsImpEn = `call|suggest|recommend|sign|say|speak|end|make|offer|translate|summari[sz]e|number|name|label|link|spell|capitali[sz]e`

// lastingEn reports whether s asks for good: "your answers", "in general". "Your answer" is the one just given.
func lastingEn(s string) bool { return reLastingEn.match(reYourOneEn.replace(s, "")) }

// pluralEn reports whether s holds a noun of more than one.
func pluralEn(s string) bool {
	return eachWordEn(s, func(w string) bool {
		return len(w) > 3 && strings.HasSuffix(w, "s") && !hasSuffixAny(w, "ss", "'s") && !singularEn[w]
	})
}

var singularEn = wordSet("this always thus perhaps unless besides across as yes thanks")

// keepEn is how answers are to be: of more than one, or for good.
func keepEn(c *clause, m []string) (fact, bool) {
	if noun := strings.ToLower(m[1]); !lastingEn(c.text) && !pluralEn(noun) && noun != "your code" {
		return fact{}, false
	}
	return ruleImperative(c, m)
}

// getToEn is what answers are to go without, or how values stand in them: of more than one, or for good. "Skip the intro"
// is about a text at hand.
func getToEn(c *clause, m []string) (fact, bool) {
	if !lastingEn(c.text) && !pluralEn(c.text) && !reAddressEn.match(c.text) {
		return fact{}, false
	}
	return ruleImperative(c, m)
}

var (
	reLimitsEn   = gated(`(?i)\b(?:without|unless|except|until|after|before|during|outside|on (?:the )?(?:mon|tues|wednes|thurs|fri|satur|sun)days?|on weekends|at night)\b`)
	reNoLongerEn = gated(`(?i)\b(?:any ?more|any longer|these days|nowadays|(?:to )?(?:me|us)|here|there|apparently|it seems|lately)[.!]*$`)
)

// nobodyEn is a ban on everybody: "nobody touches prod on Fridays", "nobody may use the lab". What nobody does is one only
// where the deed is one that is forbidden, rather than one that people leave: "nobody speaks English".
func nobodyEn(c *clause, m []string) (fact, bool) {
	modal, verb := strings.ToLower(m[1]), strings.ToLower(m[2])
	switch {
	case c.past || pastEn(verb) || len(strings.Fields(c.text)) < 3 || rePassing.match(c.low):
		return fact{}, false
	case modal == "": // it is told, not demanded
		if verb = strings.TrimSuffix(verb, "s"); !forbiddenEn[verb] && !forbiddenEn[strings.TrimSuffix(verb, "e")] || reNoLongerEn.match(c.text) {
			return fact{}, false
		}
	case modal == "can": // what cannot be done is mostly what fails
		if !forbiddenEn[verb] || !reLimitsEn.match(c.text) {
			return fact{}, false
		}
	case modal == "may", modal == "should", modal == "gets to":
		if statesEn[verb] {
			return fact{}, false
		}
	}
	return fact{object: c.text, kind: schema.KindProject}, true
}

var (
	// Deeds on what is shared, which a ban is about. They are met in their third person too, "pushes" and "merges".
	forbiddenEn = wordSet("touch deploy push commit delete merge rebase force-push edit modify change overwrite share post publish contact email disturb interrupt schedule store log restart reboot enter open release ship approve sign book order copy upload download install remove drop")
	statesEn    = wordSet("be have know care feel suffer die need want like wonder notice remember")
)
