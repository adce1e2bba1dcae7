package distill

import (
	"strings"
	"unicode/utf8"
)

// A correction that names the new value alone says nothing without the sentence before it: "The demo is on Tuesday. No wait,
// Thursday.", 航班是周二的。不对，是周四。
var (
	reSlipEn = gated(`(?i)^(?:(?:oh|oops|ah|ugh|sorry|actually|hmm|my (?:bad|mistake))[,.!]? )*(?:no,? wait|wait,? no|scratch that|correction|strike that|make that|i (?:meant|mean)|no,? (?:i )?(?:meant|mean)|no,? sorry|sorry,? no|no)[,:.!]? (?:(?:i (?:meant|mean)|make (?:that|it)|it(?:'s| is)|that(?:'s| is)) )?([^,;:?]{1,40}?)[.!]*$`)
	reSlotEn = gated(`(?i)^([^,;:?]{2,60}? (?:is|are)|(?:i|we) live|my [\w ]{2,24} is) ((?:on|in|at|by|to|for) )?([^,;:?]{1,40}?)[.!]*$`)
	reSlipZh = gated(`^(?:[哦啊呃哎]+[，, ]*)?(?:不对|不不+|错了|口误|我?(?:刚才|刚刚)?[说记写打搞弄]错了|更正(?:一下)?|等等|等一下)[，,：:！! ]+(?:不对[，, ]*)?(?:应该|其实|准确说)?(?:是|改成|改为)([^，,；;？?]{1,20}?)(?:才对|的)?[。！!~]*$`)
	reSlotZh = gated(`^(?:.*[，,])?([^，,；;？?]{0,16}?(?:住在|定在|约在|改到|叫做?|姓|是|为|在))([^，,；;？?]{1,20}?)[。！!~]*$`)
	reVerbIn = gated(`(?i)\b(?:is|are|was|were|am|has|have|had|do|does|did|will|would|can|could|should|don't|i|you|we|they|he|she|it|that|this|not|way|need|thanks?|please|worries|idea|problem|never ?mind)\b`)
)

// corrected is the sentence before with the value that sent puts in the place of its own, "" where sent does nothing of the
// kind. All of its words are the speaker's.
func corrected(before, sent string) string {
	if before == "" || len(sent) > 120 {
		return ""
	}
	before, sent = strings.TrimSpace(before), strings.TrimSpace(sent)
	if langOf(sent) == "zh" {
		v := reSlipZh.find(sent)
		if v == nil || reAskZh.match(v[1]) {
			return ""
		}
		if m := reSlotZh.find(before); m != nil && !reAskZh.match(before) && utf8.RuneCountInString(m[1]) > 1 {
			return m[1] + v[1] + "。"
		}
		return ""
	}
	v, m := reSlipEn.find(sent), reSlotEn.find(before)
	if v == nil || m == nil || reVerbIn.match(v[1]) || !specific(v[1]) && len(strings.Fields(v[1])) > 2 {
		return ""
	}
	prep := m[2]
	if isPrepositionEn(strings.ToLower(firstWord(v[1]))) {
		prep = ""
	}
	return m[1] + " " + prep + v[1] + "."
}
