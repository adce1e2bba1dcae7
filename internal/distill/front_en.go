package distill

import "strings"

// What stands before a statement and says nothing of it: greetings, interjections, "by the way", "no, wait".
const (
	greetEn = `(?:hi|hey|hello)(?: (?:there|again|all|everyone|team|claude|chat|buddy|assistant))?|yo|good (?:morning|evening|afternoon)|morning`
	ohEn    = `oh|ah|aha|well|so|ok|okay|ok so|lol|lol ok|ok cool|haha+|hah|hmm+|ugh|wow|omg|phew|sure|great|cool|nice|perfect|awesome|right|yes|yeah|yep|no|nope|honestly|anyways?|sorry|cheers|thx|thanks(?: a lot| so much)?|thank you(?: so much)?`
	asideEn = `by the way|btw|fyi|just fyi|just so you know|for the record|for context|as you know|to be clear|tbh|to be honest|fwiw|for what it's worth|actually|in fact|update|quick (?:note|update|fact|one|aside)|small update|side note|fun fact|random fact|heads[- ]up|(?:just )?a (?:quick )?heads[- ]up|news|(?:good|bad|big) news|guess what|long story short|first of all|(?:one|another|last) (?:more )?thing|quick intro(?:duction)?|(?:a )?(?:bit|little) about me|speaking of which|as for me|as it happens|turns out|it turns out|ok so context|so context|context|in case (?:it's relevant|it matters|you need it)|also|and|but|then|correction`
	backEn  = `(?:(?:oh|no|wait|sorry|actually|well|hang on|hold on),? )*(?:no|wait|sorry|scratch that|strike that|never ?mind|my (?:mistake|bad)|i mean|i meant|on second thoughts?)`
)

var (
	reFillerEn   = gated(`(?i)^(?:` + backEn + `|` + greetEn + `|` + ohEn + `|` + asideEn + `)\s*(?:[,:!…—-]+|\.\.+)\s*|^(?:` + greetEn + `|oh|ah|well|lol|haha|ugh|hmm|ok|okay|ok so|so|honestly|yes|yeah|anyway|btw|fyi|tbh|fwiw|also|and|but|actually|turns out|it turns out|please note that|note that|just so you know|you should know that|i should mention that|i mentioned that|i told you that|as i said|as it happens|because|since)\s+(?:that\s+)?`)
	reExplicitEn = gated(`(?i)^(?:please |could you |can you )?(?:(?:remember|keep in mind|don't forget|do not forget|for future reference|for your memory)(?: (?:this|it|of this))?(?: that\b|\s*[:,：—-]+|\b)|(?:make a (?:mental )?note|take (?:a )?note|note(?: down)?|save this|save to memory|store this|memori[sz]e|write (?:this |it )?down|jot (?:this |it )?down)(?: (?:this|it|of this))?(?: that\b|\s*[:,：—-]+))\s*`)
	reTodoEn     = gated(`(?i)^(?:please |pls )?(?:remember|don't forget|dont forget|do not forget|(?:don't|dont|do not) let me forget|make sure (?:that )?I (?:don't forget|dont forget|remember)|I must not forget|I mustn't forget) to `)
	reLabelEn    = gated(`(?i)^(?:my )?(?:to-?do|to do)(?: item)?\s*[:：—-]\s*|^(?:\[ ?\]|☐|□)\s*`)
	// A request that is to hold for good: "could you always …", "can you keep it short in general?"
	reStandingAskEn = gated(`(?i)^(?:can|could|would|will) you (?:please |pls )?((?:always|never|from now on)\b.+|.+ (?:in general|from now on|going forward|in (?:the )?future|every time|each time|whenever .+|in (?:all|every|each of) your .+|by default))[?!.]*$`)
)

var reFaveEn = gated(`(?i)^(?:favou?rite|fave) (?:[\p{L}-]+ ){1,3}(?:is|are|has always been)\b`)

var reNoIEn = gated(`(?i)^(?:no|yes|yeah|nope|yep) ((?:I|I'm|im|my|we) .+)$`)

// stripEn takes fillers and "remember that" off the front.
func stripEn(s string) unit {
	u := unit{text: strings.TrimSpace(strings.ReplaceAll(s, "’", "'"))}
	if reFaveEn.match(u.text) { // "favourite band is still Low"
		u.text = "my " + u.text
	}
	if m := reNoIEn.find(u.text); m != nil { // "No i am not American"
		u.text = m[1]
	}
	if ix := reLabelEn.findIndex(u.text); ix != nil && ix[1]+3 < len(u.text) {
		u.todo, u.explicit, u.text = true, true, u.text[ix[1]:]
		return u
	}
	for range 4 {
		t := u.text
		if reTodoEn.match(t) {
			u.todo, u.explicit = true, true
			u.text = reTodoEn.replace(t, "")
			return u
		}
		if ix := reExplicitEn.findIndex(t); ix != nil && ix[1] < len(t) {
			rest := t[ix[1]:]
			low := strings.ToLower(rest)
			if hasPrefixAny(low, "when ", "how ", "what ", "the time", "me", "if ", "whether ", "where ") {
				return u // "remember when we …" recalls, it does not state
			}
			u.explicit, u.text = true, rest
			continue
		}
		if ix := reFillerEn.findIndex(t); ix != nil && ix[1] < len(t) {
			u.text = t[ix[1]:]
			continue
		}
		return u
	}
	return u
}
