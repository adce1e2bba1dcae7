package distill

import (
	"slices"
	"strings"
)

const reVersion = `v?\d+(?:\.\d+)+(?:[-+.][\w.]+)?`

// rulesEn is the English table: the first row that reads a clause wins. Rows about what must be kept come first, then
// plans, then closed templates, then what is only a statement.
var rulesEn = slices.Concat(rulesKeepEn, rulesPlanEn, rulesSelfEn, rulesTasteEn, rulesThingEn)

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
