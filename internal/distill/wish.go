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
	reWishKnown  = regexp.MustCompile(`(?i)^(?:all|everything|anything|whatever|what)(?: that)?(?: (?:you (?:know|remember|have (?:stored|saved)|stored|saved)|i(?:'ve| have)? (?:ever )?(?:told you|said)))?(?: about)? (.+?)(?: from (?:your )?memory)?$`)
	reWishMemory = regexp.MustCompile(`(?i)^(.+?) from (?:your )?memory$`)

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
	for _, re := range [...]*regexp.Regexp{reWishMemory, reWishKnown} {
		if k := re.FindStringSubmatch(said); k != nil {
			known := containsAny(low, " memory ", "you know", "you remember", "you have stored", "you stored", "you have saved", "you saved", "told you", " said ")
			if known {
				return namedEn(k[1])
			}
		}
	}
	if k := reWishMine.FindStringSubmatch(said); k != nil && strings.Contains(strings.ToLower(sent), "forget") {
		return namedEn(k[1])
	}
	return ""
}

// namedEn is what s names: at most five words, and more than a pronoun.
func namedEn(s string) string {
	s = strings.TrimSpace(s)
	for _, w := range [...]string{"everything ", "all ", "about ", "my ", "our ", "the "} {
		if len(s) > len(w) && strings.EqualFold(s[:len(w)], w) {
			s = s[len(w):]
		}
	}
	if isPronounEn(strings.ToLower(s)) || len(strings.Fields(s)) > 5 || len(s) < 2 {
		return ""
	}
	return s
}

func wishZh(sent string) string {
	m := reWishZh.find(sent)
	if m == nil {
		return ""
	}
	said, asked := m[2], m[1] != ""
	if m[4] != "" {
		said, asked = m[4], asked || !strings.Contains(sent, "忘了")
	}
	mine := strings.HasPrefix(said, "我的") || strings.HasPrefix(said, "我们的") || strings.HasPrefix(said, "我们家") || strings.HasPrefix(said, "我家")
	about := hasPrefixAny(said, "关于", "有关") || strings.Contains(sent, "记忆")
	switch {
	case strings.Contains(sent, "忘掉"):
		asked = true // nobody says of themself what they mean to
	case !strings.Contains(sent, "忘") && !about: // to delete something is a task
		return ""
	}
	if !asked || !mine && !about || containsAny(said, notWishedZh...) {
		return ""
	}
	for _, w := range [...]string{"关于", "有关", "我们的", "我们", "我的", "我"} {
		said = strings.TrimPrefix(said, w)
	}
	said = reWishEnds.ReplaceAllString(said, "")
	if utf8.RuneCountInString(said) < 2 {
		return ""
	}
	return said
}
