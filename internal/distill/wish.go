package distill

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// A wish to forget names a thing of the speaker's ("please forget my storage unit"), or asks for what is known or kept in
// memory of a thing. To forget a rule lifts it (liftEn), to delete a file is a task, and "forget it" is said of a thought.
var (
	reWishEn = gated(`(?i)^(?:(?:ok|okay|hey|hi|also|and|so|actually|now|one more thing|by the way)[,:]? +)*(?:(?:please|can you|could you|would you|will you|you can|you may|you should|i want you to|i'd like you to|i would like you to|i need you to|just)[, ]+)*(?:forget|erase|delete|remove|wipe|drop) +(.+?)(?:,? please)?[.!? ]*$`)
	// whose it is, or that it is what is known of it
	reWishMine   = regexp.MustCompile(`(?i)^(?:all |everything |anything )?(?:about )?(?:my|our) (.+)$`)
	reWishKnown  = regexp.MustCompile(`(?i)^(?:all|everything|anything|whatever|what)(?: that)? (?:you(?:'ve| have)? (?:ever )?(?:know|remember|stored|saved|learn(?:ed|t))|i(?:'ve| have)? (?:ever )?(?:told you|said)(?: to you)?) about (.+?)(?: from (?:your )?memory)?$`)
	reWishMemory = regexp.MustCompile(`(?i)^(.+?) from (your )?memory$`)
	reWishAsks   = regexp.MustCompile(`(?i)\b(?:please|(?:can|could|would|will) you)\b`)

	// What a person says of themself begins with what one forgot; a request asks for it.
	reWishZh   = gated(`^(?:好的?|那|嗯|对了|还有|另外)?[，, ]*((?:请你?|请您|麻烦你?|帮我|你|您|能不能|可不可以|可以|能|希望你|我想让你|我要你|我希望你)*)(?:(?:忘掉|忘记|忘了|删掉|删除|抹掉|清除)(?:掉)?((?:关于|有关)?.{2,24}?)|(把|将)((?:关于|有关)?.{2,24}?)(?:从(?:你的)?记忆(?:里|中))?(?:给我|给|全部|都)?(?:忘掉|忘记|忘了|删掉|删除|抹掉|清除)(?:掉)?)(?:吧|好吗|行吗|可以吗|好不好)?[。！？!?. ]*$`)
	reWishEnds = regexp.MustCompile(`的?(?:所有|全部|一切)?(?:这件|那件|的)?(?:事情?|信息|记忆|记录|内容|情况)$`)
)

// notWished are words of what is no thing of the speaker's: talk of the talk itself, another clause, or all at once, which
// takes more than a word in passing.
var (
	notWishedEn = []string{" if ", " when ", " until ", " unless ", " because ", " but ", " so ", " to ", ",", ";", ":", "instruction", "prompt", "question", "message", "mistake", "rule", "last ", "previous", "\"", "“", "(", "worries", "troubles"}
	notWishedZh = []string{"，", ",", "；", "：", ":", "是", "在哪", "怎么", "什么", "哪", "多少", "几", "吗", "指令", "提示", "规则", "规矩", "上面", "刚才", "问题", "烦恼", "“", "「", "\"", "文件", "这", "那"}
)

// wish is the thing that sent asks to be forgotten, "" where it asks for nothing of the kind.
func wish(sent string) string {
	sent = strings.TrimSpace(sent)
	if langOf(sent) == "zh" {
		return wishZh(sent)
	}
	m := reWishEn.find(sent)
	if m == nil {
		return ""
	}
	said := strings.TrimSpace(m[1])
	low := " " + strings.ToLower(said) + " "
	if len(said) > 80 || containsAny(low, notWishedEn...) {
		return ""
	}
	if strings.HasSuffix(strings.TrimRight(sent, " ."), "?") && !reWishAsks.MatchString(sent) {
		return "" // "forget my birthday?" wonders at it
	}
	forget := strings.Contains(strings.ToLower(sent), "forget")
	if k := reWishKnown.FindStringSubmatch(said); k != nil {
		return namedEn(k[1])
	}
	if k := reWishMemory.FindStringSubmatch(said); k != nil && (k[2] != "" || forget) { // else that of a machine
		return namedEn(k[1])
	}
	if k := reWishMine.FindStringSubmatch(said); k != nil && forget {
		return namedEn("my " + k[1])
	}
	return ""
}

// namedEn is what s names: at most five words, and more than a pronoun; of the speaker's own things with "my" in front, by
// which others' are told from them.
func namedEn(s string) string {
	s = strings.TrimSpace(s)
	mine := ""
	for _, w := range [...]string{"everything ", "all ", "about ", "my ", "our ", "the "} {
		if len(s) > len(w) && strings.EqualFold(s[:len(w)], w) {
			s = s[len(w):]
			if w == "my " || w == "our " {
				mine = "my "
			}
		}
	}
	switch low := strings.ToLower(s); {
	case isPronounEn(low) || isPronounEn(firstWord(low)) || hasPrefixAny(low+" ", "all ", "anything ", "i ", "me ", "us ", "my ", "our "):
		return ""
	case len(strings.Fields(s)) > 5 || len(s) < 2:
		return ""
	}
	return mine + s
}

func wishZh(sent string) string {
	m := reWishZh.find(sent)
	if m == nil {
		return ""
	}
	said := m[2]
	if m[4] != "" {
		said = m[4]
	}
	mine := hasPrefixAny(said, "我的", "我们的", "我们家", "我家")
	about := hasPrefixAny(said, "关于", "有关") || strings.Contains(sent, "记忆")
	if !askedZh(sent, m[1], m[4] != "") || !mine && !about || hasSuffixAny(said, "了", "吗") || containsAny(said, notWishedZh...) {
		return ""
	}
	if !strings.Contains(sent, "忘") && !about { // to delete something is a task
		return ""
	}
	for _, w := range [...]string{"关于", "有关"} {
		said = strings.TrimPrefix(said, w)
	}
	own := ""
	for _, w := range [...]string{"我们的", "我们", "我的", "我"} {
		if rest, ok := strings.CutPrefix(said, w); ok {
			said, own = rest, "我的"
			break
		}
	}
	said = reWishEnds.ReplaceAllString(said, "")
	if utf8.RuneCountInString(said) < 2 {
		return ""
	}
	return own + said
}

// askedZh reports whether sent, with front before its verb, asks: who says 你忘了… or 你忘记… complains, and so does who
// wonders, and only a word that asks makes either a wish. Nobody says of themself that they 忘掉 what they mean to keep.
func askedZh(sent, front string, object bool) bool {
	polite := containsAny(front, "请", "麻烦", "帮我", "能不能", "可不可以", "可以", "希望", "我想让你", "我要你")
	if text := strings.TrimRight(sent, "。！!. "); hasSuffixAny(text, "？", "?") && !containsAny(front, "能不能", "可不可以", "可以") &&
		!((polite || strings.Contains(sent, "忘掉")) && hasSuffixAny(strings.TrimRight(text, "？? "), "好吗", "行吗", "可以吗", "好不好")) {
		return false
	}
	switch {
	case polite:
		return true
	case strings.Contains(sent, "忘了"):
		return false
	case strings.Contains(sent, "忘记"):
		return object && front == "" // 把我的生日忘记
	}
	return front != "" || object || strings.Contains(sent, "忘掉")
}
