package distill

import (
	"regexp"
	"strings"
)

// chatEn are words as they are typed in haste, and what rules are written for.
var chatEn = map[string]string{
	"im": "I am", "ive": "I have", "dont": "do not", "doesnt": "does not", "didnt": "did not", "cant": "cannot", "wont": "will not", "isnt": "is not",
	"arent": "are not", "wasnt": "was not", "werent": "were not", "havent": "have not", "hasnt": "has not", "shouldnt": "should not", "mustnt": "must not",
	"thats": "that is", "theres": "there is", "hes": "he is", "shes": "she is", "theyre": "they are", "youre": "you are",
	"pls": "please", "plz": "please", "plss": "please", "u": "you", "ur": "your", "thx": "thanks", "ty": "thanks", "fav": "favourite", "fave": "favourite",
	"gonna": "going to", "wanna": "want to", "rn": "right now", "tmr": "tomorrow", "tmrw": "tomorrow", "tomorow": "tomorrow", "bday": "birthday", "yrs": "years",
	"hubby": "husband", "gf": "girlfriend", "bf": "boyfriend", "bff": "best friend", "bro": "brother", "msgs": "messages", "convo": "conversation",
	"cuz": "because", "cos": "because", "coz": "because", "abt": "about", "sth": "something", "i": "I", "we've": "we have", "somethin": "something",
}

// idEn follow an "id" that is "I would".
var idEn = wordSet("like rather prefer love")

// spelledEn is s as somebody with time for it types it: rules match it, contents keep what was written.
func spelledEn(s string) string {
	if !strings.Contains(s, " ") {
		return s
	}
	words := strings.Split(s, " ")
	changed := false
	for i, w := range words {
		core := strings.Trim(w, ",.!?;:()")
		to, ok := chatEn[strings.ToLower(core)]
		switch {
		case strings.EqualFold(core, "id") && i+1 < len(words) && idEn[strings.ToLower(words[i+1])]:
			to, ok = "I would", true
		case core == "RN", core == "U", core == "BF": // a nurse, and other things
			ok = false
		}
		if !ok || to == core {
			continue
		}
		words[i], changed = strings.Replace(w, core, to, 1), true
	}
	if !changed {
		return s
	}
	return strings.Join(words, " ")
}

var (
	reIsEn     = regexp.MustCompile(`^(?:(?i:my|our|the) (?:[\p{L}\d'-]+ ){0,3}?[\p{L}\d'-]+|\p{Lu}[\p{L}-]+)$`)
	reFiniteEn = gated(`(?i)^(?:let|not)\b|\b(?:is|are|was|were|has|have|had|lives?|works?|likes?|loves?|hates?|uses?|turns?|turned|runs?|prefers?|expires?|goes|starts?|ends?|moved|changed|speaks?|needs?|wants?|listens|died|passed|cannot|will|can|must|does|said|says|told|just|got|owns?|:)\b|:`)
)

// isEn writes out the "is" of "my name's Priya". Where a verb follows, it is an owner's: "my sister's car is red".
func isEn(s string) string {
	if !strings.Contains(s, "'s ") {
		return s
	}
	i := strings.LastIndex(s, "'s ")
	if head, rest := s[:i], s[i+len("'s "):]; reIsEn.MatchString(head) && !reFiniteEn.match(rest) && rest != "" {
		return head + " is " + rest
	}
	return s
}
