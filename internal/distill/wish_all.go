package distill

import (
	"strings"

	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// A wish for everything to be forgotten is none for a thing: it cannot be taken back, and a sentence in passing, a joke
// or words of somebody else's that were pasted would be enough. So it is not carried out. It becomes a hint for whoever
// answers the user next, to ask whether it is meant and to have it done by the API, and goes by itself after a week.
var (
	reAllEn = gated(`(?i)^(?:(?:ok|okay|hey|hi|also|and|so|actually|now)[,:]? +)*(?:(?:please|can you|could you|would you|will you|you can|you should|i want you to|i'd like you to|i would like you to|i need you to|just)[, ]+)*(?:forget|erase|delete|remove|wipe|clear) +(?:` +
		`(?:absolutely )?everything(?: (?:that )?(?:you(?:'ve| have)? (?:ever )?(?:know|remember|stored?|saved?|learn(?:ed|t)|got|have)(?: (?:about|on|of) me)?|(?:about|on) me|i(?:'ve| have)? (?:ever )?(?:said|told you)))?` +
		`|(?:all|any|every one)(?: of)? (?:my|your) (?:personal )?(?:data|information|info|memor(?:y|ies)|records?|history)(?: (?:about|on|of) me)?` +
		`|all (?:the )?(?:data|information|info|memories|records) (?:about|on|of) me|all (?:that )?you(?:'ve| have)? (?:ever )?(?:know|remember|stored|saved)(?: about me)?` +
		`|my (?:personal )?data|your (?:whole |entire )?memory (?:of|about) me|me (?:completely|entirely)` +
		`)(?: from (?:your|the) (?:memory|records|database|system))?(?:,? (?:please|now|right now|completely|permanently))*[.!? ]*$`)
	reAllZh = gated(`^(?:好的?|那|嗯|对了|另外)?[，, ]*(?:请你?|请您|麻烦你?|帮我|你|您|能不能|可不可以|可以|希望你|我想让你|我要你|我希望你)*(?:把|将)?(?:` +
		`(?:(?:全部|彻底|完全)?(?:忘掉|忘记|删掉|删除|抹掉|清除|清空)(?:掉)?)?(?:你)?(?:(?:记住|知道|存|保存|记得)的?)?(?:关于|有关)?我的?(?:所有|全部|一切|个人)的?(?:个人)?(?:数据|记忆|信息|资料|记录|内容|东西|事情?)?` +
		`|(?:忘掉|忘记|删掉|删除|抹掉|清除)(?:掉)?(?:所有|全部|一切)(?:的)?(?:关于|有关)我的?(?:个人)?(?:数据|记忆|信息|资料|记录|内容|东西|事情?)` +
		`|(?:所有|全部|一切)(?:的)?(?:关于|有关)我的?(?:个人)?(?:数据|记忆|信息|资料|记录|内容|东西|事情?)` +
		`|(?:清空|清除)(?:你)?(?:的)?(?:全部|所有)?(?:关于我的)?记忆|我(?:彻底|完全)` +
		`)(?:都|也|全部?|给我|彻底|永久|从你?的?记忆(?:里|中))*(?:忘掉|忘记|忘了|删掉|删除|删了|抹掉|清除|清空)?(?:掉)?(?:吧|好吗|行吗|可以吗|好不好)?[。！？!?. ]*$`)
	reAllVerbZh = gated(`忘掉|忘记|忘了|删掉|删除|删了|抹掉|清除|清空`)
)

// wishAll reports whether sent asks that all be forgotten.
func wishAll(sent string) bool {
	sent = strings.TrimSpace(sent)
	if len(sent) > 160 {
		return false
	}
	if langOf(sent) == "zh" {
		return reAllZh.match(sent) && reAllVerbZh.match(sent)
	}
	if strings.HasSuffix(strings.TrimRight(sent, " ."), "?") && !reWishAsks.MatchString(sent) {
		return false
	}
	return reAllEn.match(sent)
}

// wishAllDays is how long the hint stays.
const wishAllDays = 7

// askAll adds the hint.
func (r *reader) askAll(seg *schema.Segment, sent string) {
	content := tidy(sent)
	c := newClause(content, content, langOf(sent), r.env.At, false)
	c.dated = true
	c.sub = subject{kind: subjNone}
	rl := rule{name: c.lang + ".wish.all", pred: pReminder, conf: .9}
	m := r.memory(seg, c, fact{pred: pReminder, object: content, until: r.env.At.AddDate(0, 0, wishAllDays)}, &rl)
	m.Slot, m.Group = "", schema.GroupKey(r.owner, "wish for everything", text.Gist(content))
	if !r.groups[m.Group] && len(r.out.Facts) < maxFacts {
		r.groups[m.Group] = true
		r.out.Facts = append(r.out.Facts, m)
	}
}
