package distill

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

const (
	// zhTextKinds are kinds of texts and of what is in them.
	zhTextKinds = `(?:注释|变量名?|函数名|文件名|标题|文案|邮件|回复|回答|代码|缩进|日期|时间|金额|价格|单位|图表|配色|字体|提交信息|提交说明|commit|标点|引号|日志|表格|报告|周报|日报|文档|PPT|ppt|示例|例子|数字|温度|距离|货币|命名|缩略语|术语|人名|地名|称呼|语气|接口名|字段名|测试|变量命名|正文|总结|摘要|列表|公式|小数)`
	zhDate      = `\d{1,2}/\d{1,2}|(?:\d{4} ?年 ?)?(?:\d{1,2}|[一二三四五六七八九十]{1,3}) ?月 ?份?(?:\d{1,2}|[一二三四五六七八九十]{1,3})? ?[日号底初末]?|(?:[上下本这]个?)*(?:周|星期|礼拜)[一二三四五六日天末]|明天|后天|大后天|(?:这个?|本)?月[底初末]|(?:今|明)?年底|下个?月\S*|下周\S*|本周\S*|\d{1,2} ?[号日]`
	zhDay       = `(?:(?:\d{4} ?年 ?)?(?:\d{1,2}|[一二三四五六七八九十]{1,3}) ?月 ?(?:(?:\d{1,2}|[一二三四五六七八九十]{1,3}) ?[日号]?|[底初末])|(?:[下本这]个?)*(?:周|星期|礼拜)[一二三四五六日天末]|[今明后]天|大后天|[今明][早晚]|(?:这个?|本|下个?)?月[底初末]|(?:今|明)?年[底初]|下个?月|下个?周|下个?星期|\d{1,2} ?[号日]|(?:[一二两三四五六七八九十]{1,3}|\d{1,3}) ?(?:天|周|个月|个?星期|个?小时)(?:之?内|以内|之?后|以后))`
	zhNumber    = `手机号码?|电话号码?|手机|电话|号码|号`
	zhLatin     = `[A-Z][\w.'&-]*(?: [A-Z0-9][\w.'&-]*){1,3}` // a name of several words
	zhUnits     = `台|个|只|条|件|份|套|辆|人|名|本|张|箱|公斤|千克|斤|吨|米|平米|块|元|万元?|天|周|次|瓶|包|双|组|批|页|篇|栋|间`
)

// zhRecur is a time that comes again and again: a weekday, a weekend, a part of the day, a time of the clock, an
// occasion. zhBan forbids.
const (
	zhRecur = `(?:(?:每到?|每个|每逢|逢|到了?|在|平时|凡是?)*(?:(?:周|星期|礼拜)[一二三四五六日天](?:[到至、和-](?:周|星期|礼拜)?[一二三四五六日天])*|周末|双休日?|工作日|节假日|假期|休息日|上班(?:期间|时间)?|下班|午休(?:时间)?|午饭时间?|晚饭时间?|开会|睡觉|吃饭|会议期间|早上|上午|中午|下午|晚上|夜里|夜间|半夜|深夜|凌晨|白天|清晨|傍晚|每天|每晚|每周|每月)` +
		`(?:的?(?:早上|上午|中午|下午|晚上|夜里|凌晨))?(?:(?:[一二两三四五六七八九十]{1,3}|\d{1,2}) ?(?:点|时|[:：]\d\d)(?:半|钟|整|\d{1,2}分?)?(?:[到至-](?:[一二两三四五六七八九十]{1,3}|\d{1,2}) ?(?:点|时|[:：]\d\d)(?:半|钟)?)?)?(?:以后|之后|以前|之前|过后|后|前|之间|期间|的时候|时)?)`
	zhBan = `(?:不要再|别再|不要|请勿|勿|别|不准|不许|禁止|严禁|不得)`
)

// zhAsk is to ask the speaker, or somebody, first. zhLanguage is a language.
const (
	zhAsk = `(?:请|都|必须|务必|一定|一律|要|得|应该|也|就|总是|先)*(?:(?:问|请示|告知|通知|征求|征得|经过|得到|取得)(?:过|一下|一声)?(?:我|我们|[\p{Han}A-Za-z]{2,4}的?(?:同意|意见|许可|批准))|(?:跟|和|向|找|与|同)(?:我|我们|[\p{Han}A-Za-z]{2,4}?)(?:先)?(?:确认|商量|请示|核实|核对|打招呼|打个招呼|说一声|讲一声|报备))`
	// zhVoided says of the rule before it that it holds no longer.
	zhVoided   = `(?:那条|那个|这条|这个|之前那?条?|原来那?条?)的?(?:规矩|规则|规定|要求|限制|约定|禁令)?(?:就|也|已经|可以|都)*(?:取消|作废|不算数?|撤销|解除|去掉|废除)(?:了|吧)*`
	zhLanguage = `(?:中文|汉语|普通话|国语|粤语|白话|闽南语|方言|英文|英语|日文|日语|韩文|韩语|法文|法语|德文|德语|俄文|俄语|西班牙语|葡萄牙语|意大利语|阿拉伯语|越南语|泰语|[简繁]体中文|[简繁]体字?)`
)

// zhDoneWhen stands before a deed that is over, zhDoneVerb are such deeds.
const (
	zhDoneWhen = `(?:今天|昨天|前天|刚才|刚刚|刚|上周[一二三四五六日天]?|今早|昨晚|上午|下午|早上|中午|晚上|已经|终于|都|也|全部|全|总算|早就|提前|周[一二三四五六日天])`
	zhDoneVerb = `交|提交|上交|递交|付|缴|缴纳|支付|还|寄|发|写|办|办理|续费|续|订|取|领|预约|填|更新|完成|搞定|弄|处理|签|准备|整理|退|上传|归还|解决`
)

// rulesZh is the Chinese table, in the same order of kinds as the English one.
var rulesZh = []rule{
	// What need not be kept any more.
	{"zh.permit", subjAny | subjNone, true, regexp.MustCompile(`^([\p{Han}A-Za-z0-9 ]{2,12}?)(?:里|的东西|这边)?你(?:可以|都可以)?(?:随便|随意|尽管|放心|自行|直接)(.{1,12})$`), pPermitted, .8, func(c *clause, m []string) (fact, bool) {
		return fact{object: c.text, replaces: m[1] + m[2], soft: true}, !c.past && len(c.certain(true)) == 0 && !containsAny(c.text, "这次", "今天")
	}},
	{"zh.exempt", subjNone | subjThing, true, regexp.MustCompile(`^(.{2,14}?)(?:除外|不受.{0,8}?限制|例外|不算在内|不在此列)$`), pExempt, .8, func(c *clause, m []string) (fact, bool) {
		return fact{object: c.text, replaces: m[1], soft: true}, true
	}},
	{"zh.lift.may", subjAny | subjNone, true, regexp.MustCompile(`^(?:请|那)?(?:你|您|我们?|大家)?(?:以后|今后|从现在起|从现在开始|从今往后|往后|从今天起|从下?周起)(?:你|您|我们?|大家)?(` + zhRecur + `)?(?:又|也|就|都)*(?:可以|能|允许|准许|可)(?:再|重新|继续|又)?(.{2,40}?)了$|^(?:你|您)?(?:又|重新)(?:可以|能)(?:再|重新|继续)?(.{2,40}?)了$`), pPermitted, .85, liftZh},
	{"zh.lift.need_not", subjAny | subjNone, true, regexp.MustCompile(`^(?:请|那)?(?:(?:以后|今后|从现在起|从现在开始|从今往后|往后|从今天起|从下?周起)|现在)?(?:你|您|我们?|大家)?(?:(?:以后|今后|从现在起|从现在开始|从今往后|往后|从今天起|从下?周起))?(?:就|都|也|可以)*(?:不用再|不必再|不需要再|无需再|用不着再)(.{2,40}?)了?$`), pExempt, .85, liftZh},
	{"zh.lift.thing", subjAny | subjNone, true, regexp.MustCompile(`^([\p{Han}A-Za-z]{1,10}?)(?:现在|以后|今后|从现在起|又)+(?:也|就|都)*(?:可以|能)(?:再|重新|继续)?((?:放|加|吃|喝|写|讲|说|提)[\p{Han}A-Za-z]{0,6}?)了$`), pPermitted, .85, liftZh},
	{"zh.lift.with", subjAny | subjNone, true, regexp.MustCompile(`^(.{1,16}?)(?:又|也|就|都|现在)*(可以|能|不用|不必|不需要)(?:再)?([^，]{2,20}?)了?，(?:所以)?` + zhVoided + `$`), pPermitted, .9, liftWithZh},
	{"zh.lift.before", subjAny | subjNone, true, regexp.MustCompile(`^(?:以后|今后|从现在起)?([^，]{1,12}?(?:之前|之后|以前|以后|前|后|的时候|时))(?:就|都|也)*(?:不用|不必|不需要|无需|用不着)(?:再)?([^，]{2,20}?)了$`), pExempt, .85, liftZh},
	{"zh.lift.cancel", subjAny | subjNone, true, regexp.MustCompile(`^(?:请|麻烦|那就)*(?:取消|废除|解除|撤销|去掉)(?:之前|原来|以前|前面|那条|那个|关于|我|说|定|的)*(不要|不许|不准|不能|不得|不|别|禁止|禁)?(.{2,20}?)(?:那条|这条|那个|这个)?的?(?:规矩|规则|规定|要求|限制|约定|禁令)(?:了|吧)?$`), pPermitted, .85, liftRuleZh},
	{"zh.lift.that", subjAny | subjNone, true, regexp.MustCompile(`^(?:之前|原来|以前|前面|那条|那个|关于|我|说的|说过的|定的|的)*(不要|不许|不准|不能|不得|别|禁止|禁)?(.{2,20}?)(?:那条|这条|那一条)(?:已经|现在|就|可以|都)*(?:取消|作废|解除|废除|不算数?|不作数|失效|撤销|去掉)(?:了|吧)?$`), pPermitted, .85, liftRuleZh},
	{"zh.lift.rule", subjAny | subjNone, true, regexp.MustCompile(`^(?:之前|原来|以前|前面|那条|那个|关于|我|说的|说过的|定的|的)*(?:不要|不许|不准|不能|不得|别|禁止|禁)?(.{2,20}?)(?:那条|这条|那个|这个)?的?(?:规矩|规则|规定|要求|限制|约定|禁令)(?:已经|现在|就|可以|都)*(?:取消|作废|解除|废除|不算数?|不作数|失效|不用遵守|不再有效|撤销|去掉)了?$`), pPermitted, .85, liftZh},

	// What must be kept.
	{"zh.rule.label", subjAny | subjNone, true, regexp.MustCompile(`^(?:我们?|咱们?|公司|团队|组里|家里|项目|有个|有一个|一个|的|这里|家)*(?:规矩|规则|规定|原则|约定|底线|铁律)(?:是|就是|：|:)?[，,\s]*(.+)$`), pRule, .92, ruleZh},
	{"zh.rule.standing", subjAny | subjNone, true, regexp.MustCompile(`^(?:请|麻烦)?(?:你|您)?(?:以后|今后|从现在起|从现在开始|从今往后|往后|从今天起|每次|每当)(?:请|麻烦)?(?:你|您)?(?:.{0,16}?)(?:都|不要|别|必须|一律|务必|只|不准|不许|不用|不能|一定|请|用|先|按|叫我|称呼|记得|要).+$`), pRule, .9, ruleZh},
	{"zh.rule.must", subjNone, true, regexp.MustCompile(`^(?:请|你|您|麻烦)*(?:永远|绝对|千万|务必|必须|一律|严禁|禁止|不得|不许|不准|切勿|始终|请总是|总是)(?:.+)$`), pRule, .9, ruleZh},
	{"zh.rule.ask", subjAny | subjNone, true, regexp.MustCompile(`^(?:请|麻烦|你|您|在|凡是?|每次|所有)*(.{1,24}?)(?:之前|以前|前)[，,]?` + zhAsk + `.{0,10}$`), pRule, .85, askRuleZh},
	{"zh.rule.unasked", subjAny | subjNone, true, regexp.MustCompile(`^(?:请|你|您)*(?:没有?|未|不)(?:先)?(?:经过?|得到|征得|取得|获得|问过?|请示过?|跟|和|向|我的?|[\p{Han}A-Za-z]{1,4}的?)(?:.{0,14}?)[，,]?(?:之前|以前|前)?(?:就|也|都|千万|绝对|谁|任何人|你)*(` + zhBan + `|不能|不可以?|绝不能?)(.{2,})$`), pRule, .85, ruleZh},
	{"zh.doctor", subjNone | subjSelf, true, regexp.MustCompile(`^(?:我的)?(?:医生|大夫)(?:让|叫|要求|嘱咐|叮嘱|建议|要|说)(?:我)?(.{0,8}?(?:不要|别|不能|不许|不准|不让|少|多|戒|忌|每天|坚持|按时|避免).+)$`), pAdvised, .82, func(c *clause, m []string) (fact, bool) { return fact{object: objectOf(c, m[1])}, true }},
	{"zh.rule.all", subjAny | subjNone, true, regexp.MustCompile(`^(.{1,24}?)(一律|严禁|禁止|必须|不得|不许|不准|绝不能?|绝对不能?|都要|都不能?|都得|不允许|只能|不可以|不能|务必)(.+)$`), pAllowed, .82, allowedZh},
	{"zh.rule.diet", subjSelf, true, regexp.MustCompile(`^(?:我)?(?:忌口|忌|需要忌口|要忌口)(?:的是|：|:)?(.+)$`), pRule, .85, ruleZh},
	{"zh.rule.kinds", subjNone | subjThing, true, regexp.MustCompile(`^(?:请|麻烦|所有的?|你的?|写)*([\p{Han}A-Za-z]{0,8}?` + zhTextKinds + `)(?:里面?|中|上)?(?:都|一律|统一|请|要|就|最好|尽量|全部|默认)*(?:用|按照?|走|遵循|参照|保留|写成|写|给我|统一|一律|控制在|不超过|不要超过|精确到|四舍五入到)(.{1,24}?)(?:就行|就好|即可|吧|就可以)?$`), pRule, .76, kindsRuleZh},
	{"zh.rule.manner", subjNone | subjSelf, true, regexp.MustCompile(`^(?:请|麻烦|以后|你|您)*(?:回复|回答|答复|说话|解释|讲东西|讲解|写东西|总结|汇报|跟我讲话|跟我说|和我说话|跟我说话|跟我聊天|给我解释|给我讲)(?:我|问题|东西|的话)?(?:的时候|时)?(?:尽量|请|都|可以|要|最好|稍微)*(?:再)?(?:简单|简短|简洁|详细|直接|正式|口语化|通俗|精简|干脆|礼貌|委婉|幽默|专业|具体|清楚|严谨|温柔|随意|活泼|短|快|慢|客观|坦率|直白)(?:易懂)?(?:点|一点|些|一些)?(?:儿)?(?:就行|就好)?$`), pRule, .78, ruleZh},
	{"zh.rule.whenever", subjNone | subjSelf, true, regexp.MustCompile(`^(?:请|你|您|以后|每次|在|都)*(?:给我|帮我|替我|我|你)?(?:看|审|检查|起草|发|写|改|做|出|提|讲|问|要|推荐|列|翻译|总结|代码|方案|菜谱|链接|例子|订|查|分析|生成|画|review|安排).{0,12}?(?:的时候|时)(?:都|请|要|顺便|记得|一定|务必|尽量|先|别忘了|必须|一律|优先|直接|默认|把|用|附上|标|不要|别)+(.+)$`), pRule, .78, pleaseWheneverZh},
	{"zh.rule.wish", subjSelf | subjGroup | subjNone, true, regexp.MustCompile(`^(?:我们?)?(?:希望|期望|想让|想要|喜欢|更喜欢|要求|需要)(?:你|您)(.{2,})$`), pRule, .8, treatZh},
	{"zh.rule.topic", subjNone | subjThing, true, regexp.MustCompile(`^([\p{Han}A-Za-z]{1,10}?)(?:类的?|相关的?|之类的?)?(?:就|都|也|请|以后)*(?:不要再|别再|不要|别|就不用|不用)(?:再)?(?:给我|跟我|向我)?(推荐|放|加|点|提|说|讲|发|安排|推送|推|聊)(?:给我)?(?:了)?$`), pRule, .76, topicBanZh},
	{"zh.rule.every", subjNone | subjThing | subjGroup, true, regexp.MustCompile(`^((?:所有的?|每个|每次|每条|任何|全部的?|凡是?)[\p{Han}A-Za-z0-9 ]{1,16}?)((?:都|也)?(?:至少|最多|必须|需要|要|得|不能|不准|不许|不得|不可以?|应该|都有|才能|只能|走|用).+)$`), pRule, .8, func(c *clause, m []string) (fact, bool) {
		return fact{object: c.text, kind: schema.KindProject}, !c.past && !containsAny(c.text, "你", "怎么", "吗", "觉得")
	}},
	{"zh.rule.only", subjNone, true, regexp.MustCompile(`^(?:请|都|一律|统一|务必|默认|以后|平时|优先|尽量|最好)+(?:多|少)?(?:用|按|以|给我|先给|先说|把|写|附上|标明|列出|保留|输出|发)(.{2,30})$`), pRule, .74, ruleZh},
	{"zh.rule.nobody", subjNone, true, regexp.MustCompile(`^(?:谁|任何人|外人|新人|实习生)(?:都|也)(?:不许|不准|不能|不得|不可以|别|不要)(.+)$`), pRule, .8, ruleZh},
	{"zh.rule.dont", subjNone, true, regexp.MustCompile(`^(?:请|你|您|麻烦|就|也|都|再)*(?:.{0,12}?(?:的时候|时|里|中|上|前|后|给我|(?:跟我|和我|对我)(?:说话|聊天|交流|沟通|讲话)?))?(?:不要再|别再|不要|请勿|勿|别|不用)(?:再)?(?:老是?|总是?|动不动就?|老您|老你|一直|随便|随意|擅自|私自|自作主张|轻易|瞎|乱|太|长篇大论|啰嗦|废话|绕弯子|敷衍|客套|寒暄|跑题|用力|给|跟|对|向|让|替|为|在|用|使用|叫|说|发|推荐|提|加|写|问|安排|放|讲|打电话|回复|称呼|改|删|动|碰|把|拿|带|买|点|做|建议|推|提交|合并|部署|道歉|重复|夸|编|猜|瞎|联系|打扰|分享|透露|告诉|省略|翻译|总结|超过|输出|显示|出现|包含|添加|直接).*$`), pRule, .78, ruleZh},
	{"zh.rule.when", subjAny | subjNone, true, regexp.MustCompile(`^(?:请|麻烦|你|您|以后|今后)*(?:` + zhRecur + `|在[\p{Han}A-Za-z0-9 ]{1,10}?|我们?.{1,8}?(?:的时候|期间|时))(?:都|请|你|您|就|也|一律|千万|绝对|最好|尽量)*(` + zhBan + `)(.{2,})$`), pRule, .82, banZh},
	{"zh.rule.doing", subjNone, true, regexp.MustCompile(`^(?:请|麻烦|你|您|帮我|给我|替我)*(?:点|叫|订|买|做|炒|煮|泡|写|发|回|拍|画|起草|翻译|提交|部署|排|约|选|查|推荐|设计|打|回复)(?:[\p{Han}A-Za-z]{1,6}?)(?:的时候|时)?(?:请|都|就|也|千万|尽量)*(` + zhBan + `)((?:放|加|用|写|带|附|选|点|订|买|叫|发|抄送|超过|出现|包含|安排|推荐|提|说|改|删|碰|动|拿|把).+)$`), pRule, .75, doingZh},
	{"zh.rule.thing", subjNone | subjThing, true, regexp.MustCompile(`^(?:请|麻烦|帮我|给我|我的|所有的?)*([\p{Han}A-Za-z]{1,8}?)(?:里面|里|中|上)?(?:都|也|就|请|千万|尽量|一律)*(不要再|别再|不要|请勿|别)((?:放|加|用|写|带|附|配|撒|浇|混|包含|出现|超过).+)$`), pRule, .75, thingBanZh},
	{"zh.rule.noun", subjNone | subjThing, true, regexp.MustCompile(`^(?:请|麻烦|给我|我的|所有的?)*([\p{Han}A-Za-z]{0,6}?)(?:里面|里|中)?(?:都|也|就|请|千万)*(不要|别放|别加)([\p{Han}A-Za-z]{1,6})$`), pRule, .7, nounBanZh},
	{"zh.rule.change", subjNone | subjThing, true, regexp.MustCompile(`^([\p{Han}A-Za-z]{2,10}?)(?:里|中)?(?:以后|今后|都|就)*(?:还是|改成|改为|改|换成|统一)(?:都|一律)?(?:用|写)?` + zhLanguage + `(?:来)?(?:写|说|回复|回答|交流|沟通)?(?:吧|好了|就行|就好)?$`), pRule, .78, changeZh},
	{"zh.rule.please", subjNone, true, regexp.MustCompile(`^(?:请|以后|今后|每次|你|您|在|都)*((?:回复|回答|答复|解释|写|翻译|总结|概括|介绍|讲|起草|生成|输出|列|引用|推荐|安排|汇报|报告|提交|部署|改|画|设计|做|和|跟|与|对).{0,14}?)(?:的时候|时)(?:都|也|就)*(?:请|要|务必|麻烦|尽量|必须|一律|得|需要|只)(.{2,30})$`), pRule, .8, pleaseZh},
	{"zh.rule.language", subjNone, true, regexp.MustCompile(`^(?:请|麻烦|你|您|都|只|一律)*(?:(?:跟|和|对|与|同)我们?)?(?:都|只|要|请|一律)*(?:说|讲|用)` + zhLanguage + `(?:交流|沟通|聊天?|说话|回答|回复)?(?:吧|就好|就行|即可)?$`), pRule, .8, ruleZh},
	{"zh.rule.then", subjAny | subjNone, true, regexp.MustCompile(`^(?:[那这]个?(?:几|两|段)?(?:周|星期|礼拜|月|天|时候|时间|期间|日子|周末)|届时|到时候|期间)(?:里|内|都|请|你|您|就|也|千万|一律)*(` + zhBan + `)(.{2,})$`), pRule, .8, banZh},
	{"zh.rule.reply", subjNone, true, regexp.MustCompile(`^(?:请|麻烦|你|您|以后|都|统一|一律|只)*(?:用|以|拿|改用)(?:简体|繁体|正式|简短|简洁|轻松|口语|书面|公制)?(?:.{1,8}?)(?:回答|回复|跟我说话|和我说话|交流|沟通|写|表达|解释|说话)(?:我|就好|即可|就行|吧)?.{0,12}$|^(?:请)?(?:都|一律|只|统一)?用(?:.{1,8}?)(?:单位|格式|拼写|标点|货币|时间制|引号)(?:就行|就好|即可|吧)?$|^(?:回答|回复|说话|答案|解释)(?:我|我的问题)?(?:要|请|尽量|得|都要|都|一定|务必)*(?:简短|简洁|短|详细|直接|用|精简|正式|控制|不超过|分点|先).{0,24}$`), pRule, .8, ruleZh},
	{"zh.name.call", subjNone, true, regexp.MustCompile(`^(?:请|你|您|大家|可以|都|就|以后|平时|直接)*(?:叫|称呼|喊)我(?:为|作|做)?"?([\p{Han}A-Za-z]{1,8}?|` + zhLatin + `)"?(?:就好|就行|就可以|即可|吧|好了)?$`), pName, .85, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1], subject: "user", qualifier: "address", typ: schema.TypePreference}, !hasPrefixAny(m[1], "起床", "去", "来", "做", "吃", "一下", "一声")
	}},
	{"zh.rule.want", subjSelf, false, regexp.MustCompile(`^(?:要求|要你|需要你|想让你)(?:你)?(.*(?:每次|总是|都|一律|永远|始终).+)$`), pRule, .85, ruleZh},
	{"zh.rule.we_not", subjGroup, false, regexp.MustCompile(`^(?:组|团队|公司|项目|内部|部门|家)?(?:里|的)?(?:规定|约定|说好|一般)?(` + zhRecur + `|月底|月末|大促期间|封版期间)(?:从来?|都|一律|绝)*(?:不|不能|不准|不许|不允许)(上线|发版|发布|开会|部署|加班|合并?|改|提交|动|出差|排会|接单|营业|吃|看|玩|用).{0,12}$`), pRule, .8, func(c *clause, m []string) (fact, bool) {
		return fact{object: c.text, kind: schema.KindProject}, !c.past
	}},
	{"zh.rule.home", subjGroup | subjSelf, false, regexp.MustCompile(`^(?:家|公司|组|团队|宿舍|学校)(?:里)?(?:规定|约定|说好|有规定)(?:了)?[，：:]?(.{3,})$`), pRule, .82, func(c *clause, m []string) (fact, bool) { return fact{object: c.text}, true }},
	{"zh.rule.we", subjGroup, false, regexp.MustCompile(`^(?:这边|这里|内部|团队|组|项目)?(?:.{0,14}?)(?:一律|必须|都要|都用|都是|都得|从不|绝不|不允许|统一用|统一|禁止)(.+)$`), pRule, .82, func(c *clause, m []string) (fact, bool) {
		return fact{object: c.text, kind: schema.KindProject}, !c.past
	}},

	// Corrections that name what they replace.
	{"zh.amount.correct", subjAny | subjNone, true, regexp.MustCompile(`^(?:前面|之前|刚才|上次|原来|先前|早先)(?:说|讲|提|定|写)?(?:的|过的|好的)?.{0,6}?(\d+(?:\.\d+)?)(` + zhUnits + `)(?:.{0,6}?(?:作废|不算数?|取消|不对|错了|不要了))?[，,]?(?:.{0,6}?)(?:最后定|最终定|改成|改为|换成|定为|改定|应该是|是|最后是|最终是|定)了?(\d+(?:\.\d+)?)(` + zhUnits + `)`), pAmount, .85, func(c *clause, m []string) (fact, bool) {
		return fact{subject: m[4], object: m[3] + m[4], replaces: m[1] + m[2]}, m[2] == m[4]
	}},

	// Plans, dates, reminders.
	{"zh.todo.remind", subjNone, false, regexp.MustCompile(`^记得(.+)$`), pReminder, .9, func(c *clause, m []string) (fact, bool) {
		return fact{object: objectOf(c, m[1]), expires: true}, utf8.RuneCountInString(m[1]) > 2
	}},
	{"zh.deadline", subjAny | subjNone, true, regexp.MustCompile(`(?i)^(?:我们?的?)?(.{1,20}?)的?(?:截止日期|截止时间|截止|截稿|到期日?|deadline|ddl|最晚)(?:时间|日期)?(?:是|到|在|为|改到|延到|推迟到|提前到|：|:)*(.+)$`), pDeadline, .9, func(c *clause, m []string) (fact, bool) {
		return fact{subject: m[1], object: objectOf(c, m[2]), expires: true}, len(c.whens()) > 0 && !strings.HasSuffix(m[1], "不")
	}},
	{"zh.deadline.ends", subjAny | subjNone, true, regexp.MustCompile(`^(?:我们?的?)?(.{2,20}?)(?:在|于|到|将|会|就)*(` + zhDate + `)(?:就|要)?(?:到期|截止|过期|失效)(?:了)?$`), pDeadline, .88, func(c *clause, m []string) (fact, bool) {
		return fact{subject: m[1], object: m[2], expires: true}, len(c.whens()) > 0
	}},
	{"zh.todo.duty", subjNone, true, regexp.MustCompile(`^((?:在|到|赶在|最晚|最迟|务必)*` + zhDay + `(?:早上|上午|中午|下午|晚上)?(?:\d{1,2} ?点(?:半)?)?(?:之前|以前|前|之内)?[，, ]?)(?:我们?)?(?:就|还|也|都|一定|最晚|务必|千万|还是)*(?:要|得|需要|必须|应该|该|记得|别忘了|不要忘了)(?:记得)?(.{2,})$`), pPlan, .82, dutyZh},
	{"zh.deadline.before", subjThing | subjNone | subjGroup, true, regexp.MustCompile(`^(.{1,14}?)(?:要|得|必须|需要|最晚)?(?:在)?(` + zhDate + `)(?:之前|以前|前)(?:就|必须|一定|要|得|需要)*(交|提交|完成|上线|发布|发出|给|做完|搞定).*$`), pDeadline, .82, func(c *clause, m []string) (fact, bool) {
		return fact{subject: m[1], object: objectOf(c, m[2]), expires: true}, len(c.whens()) > 0 && !hasPrefixAny(m[1], "我", "你")
	}},
	{"zh.date.set", subjAny | subjNone, true, regexp.MustCompile(`^(?:我们?的?)?(.{1,16}?)(?:的时间|时间)?(?:定在|定于|安排在|约在|约了|改到|改在|改成|改为|推迟到|推到|顺延到|延后到|提早到|提前到|延期到|延到|挪到|订在|放在|是在|定到|就在|在|是)了?((?:` + zhDate + `).*)$`), pDate, .85, dateZh},
	{"zh.todo.plan", subjSelf | subjGroup | subjKin, true, regexp.MustCompile(`^(.*?)(?:要|会|准备|打算|计划|得|需要|必须|约了|预约了|约的|有个?|有一[个场次]|订了|买了|抢到了|报名了|报了|值班|轮休|休息|回|办|举办|过|飞|去|出发|开始|搬|参加|考|结婚|请假|出差|休假|放假|手术|体检|面试)(.*)$`), pPlan, .82, planZh},

	{"zh.schedule", subjNone | subjGroup, true, regexp.MustCompile(`^((?:我们的?)?[\p{Han}A-Za-z0-9 ]{2,12}?)(?:都|是|在|定在|要|会)*(每(?:周|天|月|年|个月|个星期|隔|两|三|半|季度|晚|早).{0,20})$`), pTimetable, .82, func(c *clause, m []string) (fact, bool) {
		return fact{subject: ourThing(m[1]), object: objectOf(c, m[2])}, !hasPrefixAny(m[1], "你", "他", "她", "以后", "请", "我要", "今后") && !containsAny(m[2], "都要", "必须")
	}},
	{"zh.wants", subjNone | subjKin, true, regexp.MustCompile(`^(?:我们?的?)?(客户|甲方|老板|领导|公司|对方|供应商|房东|学校|银行)(?:要求|规定|只收|只接受|希望)(.{2,})$`), pStatement, .65, func(c *clause, m []string) (fact, bool) { return fact{subject: m[1], object: objectOf(c, m[2])}, true }},

	// Who I am.
	{"zh.name", subjSelf, false, regexp.MustCompile(`^(?:的)?(?:名字|全名|大名|真名)?(?:叫做?|是|名叫)([\p{Han}]{2,4}|[A-Z][A-Za-z]+(?: [A-Z][A-Za-z]+)?)$`), pName, .9, nameZh},
	{"zh.surname", subjSelf, false, regexp.MustCompile(`^(?:免贵)?姓([\p{Han}]{1,2})$`), pName, .92, func(c *clause, m []string) (fact, bool) { return fact{object: m[1], qualifier: "surname"}, true }},
	{"zh.allergic.none", subjPeople, false, regexp.MustCompile(`^(?:现在)?(?:对)?(?:什么|任何东西|任何食物)(?:东西|食物)?(?:都|也)?不过敏了?$|^有(?:任何|什么)?(?:食物)?过敏(?:史|的东西|的)?了?$`), pAllergic, .9, nothingOfAll},
	{"zh.allergic", subjPeople, false, regexp.MustCompile(`^(?:对(.{1,20}?)(?:严重|有点|都|会|也|重度|轻微)*(?:过敏|不耐受?)|(?:有)?(.{1,8}?)(?:过敏|不耐受?))(?:.*)$`), pAllergic, .95, func(c *clause, m []string) (fact, bool) {
		o := m[1] + m[2]
		return fact{object: objectOf(c, o), negated: c.negated}, o != "" && !hasPrefixAny(o, "没")
	}},
	{"zh.health", subjSelf | subjKin | subjPerson, false, regexp.MustCompile(`^(?:有|得了|得过|患有|患|查出|确诊了?|是|怀)?(?:轻度|重度|严重的?|先天性?|红绿)*(.{0,6}?(?:糖尿病|高血压|低血压|心脏病|高血糖|高血脂|色盲|色弱|左撇子|近视|远视|怀孕|哮喘|癫痫|抑郁症|焦虑症|恐高症?|晕车|晕船|晕机|失眠|痛风|贫血|关节炎|胃炎|鼻炎|胃病|偏头痛|听障|癌|多动症|自闭症|甲亢|甲减|腰椎间盘突出|过敏性鼻炎))(.{0,12})$`), pHealth, .88, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1], negated: c.negated}, !containsAny(c.text, "害怕", "预防", "治疗", "治")
	}},
	{"zh.diet", subjPeople, false, regexp.MustCompile(`^(?:是|吃|只吃|开始吃|坚持)?(蛋奶素|锅边素|素食主义者|素食者|素食|纯素|全素|吃素|素|清真|生酮|低盐|低糖|无麸质)(?:的|者|饮食|食品|餐)?(?:已经|快|都)*(?:.{0,4}(?:年|个月)(?:多)?(?:了)?)?$`), pDiet, .9, nil},
	{"zh.health.level", subjSelf | subjKin | subjPerson, false, regexp.MustCompile(`^(?:的)?((?:血糖|血压|血脂|尿酸|胆固醇|视力|听力|睡眠|胃|肠胃|腰|膝盖|颈椎|心脏|肝|肾|肺|皮肤|眼睛|嗓子|牙口?|骨头|关节|脚踝|手腕)(?:一直|有点|有些|比较|很|不太|不|偏|不怎么|特别|非常|容易|受过)+(?:高|低|好|差|舒服|行|敏感|浅|伤|疼|干|弱).{0,6})$`), pHealth, .8, nil},
	{"zh.health.ill", subjSelf | subjKin | subjPerson, false, regexp.MustCompile(`^(?:有|得了|得过|患有|患|查出来?|确诊了?|被诊断出?)(?:点|一点|很|比较|轻微的?|轻度的?|重度的?|严重的?|先天性?的?|慢性的?|早期的?)*([\p{Han}A-Za-z]{1,8}?(?:病|炎|症|癌|瘤|过敏|综合征|结石|结节|囊肿|失调|障碍|溃疡|骨折|突出|增生|脱垂|衰竭|硬化|贫血|白内障|青光眼|耳鸣|脚气|痔疮|湿疹|荨麻疹|鼻窦炎|肺气肿|脂肪肝|近视|散光|强迫症|帕金森|阿尔茨海默|老年痴呆|中风|脑梗|心梗|腰突|甲状腺炎|自闭|唐氏))(?:.{0,10})$`), pHealth, .85, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1], negated: c.negated}, !containsAny(m[1], "毛病", "神经病", "有病", "预防", "治疗") && !containsAny(c.text, "怎么", "害怕")
	}},
	{"zh.health.takes", subjSelf | subjKin | subjPerson, false, regexp.MustCompile(`^(?:每天|每晚|早晚|长期|一直|在|正在|每周)*(?:都)?(?:要|得|在)?(?:吃|服用|打|注射|用)((?:.{0,8})(?:药|胰岛素|\d+ ?(?:毫克|mg|片|粒|颗|单位).{0,10}|维生素.{0,3}|褪黑素|抗生素|激素))$`), pHealth, .8, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1], negated: c.negated}, !c.past && !containsAny(c.text, "刚", "忘", "该不该")
	}},
	{"zh.life", subjSelf | subjGroup | subjKin | subjPerson, false, regexp.MustCompile(`^((?:(?:跟|和|与).{1,8}?)?(?:上个?月|上周|去年|前年|今年|昨天|前天|最近|刚刚?|已经|\d{4}年|正式|终于)*(?:(?:和|跟).{1,6}?)?(?:分手|离婚|订婚|领证|结婚|复合|怀孕|流产|生了|生娃|出生|去世|过世|走了|升职|晋升|被裁|裁员|失业|毕业|拿到绿卡|买房|买车|买了(?:套|个|辆)?(?:房|车|新房|二手房)|做了.{0,8}手术|骨折|住院|拿到.{0,6}证|搬家|当(?:爸|妈|爹)|考上).{0,10}?)$`), pEvent, .78, func(c *clause, m []string) (fact, bool) {
		f := fact{object: c.vp}
		for _, w := range c.whens() {
			if !w.by {
				f.qualifier = w.note()
				break
			}
		}
		return f, statedZh(c.vp) && !c.negated && !c.reported && containsAny(c.text, "了", "过", "被裁", "考上", "拿到") && !c.ahead() && !containsAny(c.text, "要结婚", "快要", "就要", "打算", "没") && !(strings.Contains(c.vp, "结婚") && hasSuffixAny(c.vp, "年了", "年", "年多了"))
	}},
	{"zh.retired", subjSelf | subjKin, false, regexp.MustCompile(`^(退休|失业|待业|离休|下岗)(?:在家|了|.{0,6}了)?$`), pTrait, .82, stateZh},
	{"zh.marital", subjSelf | subjKin, false, regexp.MustCompile(`^(?:是|已经|还是|还)?(已婚|未婚|结婚了?|单身|离婚了?|离异|订婚了?|丧偶)(?:.{0,8})$`), pMarital, .88, stateZh},
	{"zh.age", subjSelf | subjKin | subjMine | subjPerson, false, regexp.MustCompile(`^(?:[上这下]个?[月周]|去年|昨天|今天|前天|今年|快|已经|都|刚满?|满|马上|才|就|有|要)*(\d{1,3}|[一二三四五六七八九十两]{1,3})(?:多)?(?:周)?岁(?:半|多|了|啦)?$`), pAge, .9, nil},
	{"zh.age.bare", subjSelf | subjKin | subjPerson, false, regexp.MustCompile(`^(?:今年|快|刚满?|都|已经|马上|虚岁|周岁)*(\d{2}|[一二三四五六七八九]?十[一二三四五六七八九]?)了?$`), pAge, .8, nil},
	{"zh.born.year", subjSelf | subjKin, false, regexp.MustCompile(`^(?:是)?(\d{2}|\d{4}|[零一二三四五六七八九]{2})(?:年|后)(?:的|生的?|生人|出生的?)?$`), pBirthday, .82, func(c *clause, m []string) (fact, bool) {
		return fact{object: strings.TrimSuffix(strings.TrimSuffix(c.vp, "的"), "是")}, !c.negated
	}},
	{"zh.birthday.first", subjNone | subjSelf, true, regexp.MustCompile(`^(?:我)?(?:是)?((?:农历|阴历|阳历)?(?:\d{1,2}|[一二三四五六七八九十]{1,3})月(?:\d{1,2}|[一二三四五六七八九十初]{1,3})[号日]?)(?:的)?(?:过)?生日$`), pBirthday, .85, func(c *clause, m []string) (fact, bool) { return fact{subject: "user", object: m[1]}, true }},
	{"zh.due", subjNone | subjSelf | subjKin, true, regexp.MustCompile(`^(?:我)?(?:的)?预产期(?:是|在|：|:)?(.+)$`), pDate, .85, func(c *clause, m []string) (fact, bool) {
		return fact{subject: "预产期", object: objectOf(c, m[1]), expires: true}, len(c.whens()) > 0
	}},
	{"zh.gone_to", subjSelf | subjKin, false, regexp.MustCompile(`^(?:刚|已经|后来|.{0,4}月份?)*(?:转|调)(?:去|到)了?([\p{Han}A-Za-z0-9]{2,16}?)了$`), pWorksAt, .75, nil},
	{"zh.kin.does", subjKin, false, regexp.MustCompile(`^在([\p{Han}A-Za-z0-9·]{2,12}?)(?:开|教|卖|跑|搞|念|带)([\p{Han}A-Za-z]{1,10})$`), pWorksAt, .8, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		return fact{object: o}, !hasPrefixAny(m[2], "会", "车来", "玩笑", "心", "始")
	}},
	{"zh.birthday", subjSelf | subjKin, false, regexp.MustCompile(`^(?:的)?(?:生日|出生日期)(?:是|在|为|：|:)*(.+)$|^(?:出生于|生于)((?:\d{4}年|\d{1,2}月).*?)$|^是((?:\d{4}年)?(?:\d{1,2}月)?(?:\d{1,2}[日号])?)(?:出生|生)的?$`), pBirthday, .92, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, strings.Join(m[1:], ""))
		return fact{object: o}, strings.ContainsAny(o, "0123456789月")
	}},
	{"zh.moved", subjPeople, false, regexp.MustCompile(`^(?:要|刚|已经|最近|上个?月|上周|去年)*(?:从(.{1,12}?))?搬(?:家)?(?:到|去|来|回|进|至)了?([\p{Han}A-Za-z0-9]{2,16}?|` + zhLatin + `)(?:了|住|去了|来了|去)?$`), pLivesIn, .9, func(c *clause, m []string) (fact, bool) {
		return fact{object: objectOf(c, m[2]), replaces: objectOf(c, m[1])}, true
	}},
	{"zh.lives", subjPeople, false, regexp.MustCompile(`^(?:是|就|一个人|(?:和|跟|带着?).{1,12}?|一家人?|全家)?(?:的?家)?(?:居住在|定居在|定居于|常住在?|暂住在?|长居|旅居|坐标|人在|待在|呆在|留在|base在?|Base在?|生活在|住在|家住|住|家在|在)([\p{Han}A-Za-z0-9·]{2,20}?|` + zhLatin + `)(?:住|生活|定居|居住)?(?:了.{0,6}年|很多年|附近)?(?:了|的|那边|这边)?$`), pLivesIn, .9, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		if !containsAny(c.vp, "住", "定居", "家在", "坐标", "人在", "长居", "旅居", "生活", "待在", "呆在", "留在", "base", "Base") || containsAny(c.vp, "一个人住", "合住", "人在家", "住一起") { // 我在超市
			return fact{}, false
		}
		return fact{object: o, past: c.past, negated: c.negated}, o != "" && !hasPrefixAny(o, "院", "酒店", "宾馆", "过", "的")
	}},
	{"zh.home", subjSelf | subjGroup | subjKin, false, regexp.MustCompile(`^(?:的)?(?:租的?(?:的)?(?:房子?|公寓|地方)|房子|家|公寓|宿舍|出租屋|住处|新家|现在的家)(?:就|是|都)*在([\p{Han}A-Za-z0-9·]{2,20}?|` + zhLatin + `)(?:附近|那边|这边|旁边)?$`), pLivesIn, .85, nil},
	{"zh.since_in", subjPeople, true, regexp.MustCompile(`(?:年起|年开始|以来|之后|以后|毕业后?).{0,3}(?:就|一直|都)+(?:在|住在|待在|呆在|留在)([\p{Han}]{2,6}?|[A-Z][A-Za-z]+)了?$`), pLivesIn, .78, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1]}, !containsAny(m[1], "公司", "家里", "这里", "单位")
	}},
	{"zh.years", subjPeople, false, regexp.MustCompile(`^(?:来|到|在)了?([\p{Han}]{2,6}?|[A-Z][A-Za-z]+)(?:已经|都|快|差不多|整整|待了|住了|生活了)*(?:[一二两三四五六七八九十]+|\d+)(?:多)?年(?:多)?了$`), pLivesIn, .75, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1]}, !containsAny(m[1], "公司", "这里", "这儿", "家", "单位", "学校", "一起", "团队", "行业")
	}},
	{"zh.hometown", subjPeople, false, regexp.MustCompile(`^(?:的)?(?:老家|家乡|籍贯)(?:是|在)?([\p{Han}A-Za-z]{2,12}?|` + zhLatin + `)(?:的|人)?$|^来自([\p{Han}A-Za-z]{2,12}?|` + zhLatin + `)(?:的)?$|^出生(?:于|在)([\p{Han}A-Za-z]{2,12}?|` + zhLatin + `)$|^是(?:土生土长的)?([\p{Han}]{2,6})人$|^(?:在|从小在)([\p{Han}]{2,8}?)长大的?$`), pHometown, .85, func(c *clause, m []string) (fact, bool) {
		o := strings.Join(m[1:], "")
		c.past = false // 小时候在…长大 holds for good
		return fact{object: objectOf(c, o)}, !(strings.HasPrefix(c.vp, "是") && notNationZh.MatchString(o)) && !containsAny(o, "负责", "主持", "当事", "好", "坏", "主", "一个", "候选", "联系", "年轻", "普通", "那种", "这种", "文化", "内向", "外向", "急性子", "机器", "成年", "老实", "有心", "独立", "创始", "合伙", "法")
	}},
	{"zh.left_job", subjPeople, false, regexp.MustCompile(`^(?:已经|刚|上个?月|上周|去年)*从([\p{Han}A-Za-z0-9]{2,16}?|` + zhLatin + `)(?:(?:辞职|离职|跳槽)了?(?:到|去|来|加入)?|(?:跳|转|换)(?:到|去|来))了?([\p{Han}A-Za-z0-9]{2,16}|` + zhLatin + `)?了?$|^(?:已经|刚|上个?月|上周|去年)*(?:离开|辞掉|辞去|告别)了?([\p{Han}A-Za-z0-9]{2,16}?|` + zhLatin + `)(?:的工作|的职位)?了?$`), pWorksAt, .88, func(c *clause, m []string) (fact, bool) {
		if m[3] != "" { // 我离开北京了 is no employer
			o := objectOf(c, m[3])
			return fact{object: o, negated: true}, o != "" && (containsAny(c.vp, "辞") || hasSuffixAny(o, "公司", "集团", "科技", "银行", "大学", "医院", "软件", "网络") || capital(o))
		}
		if m[2] == "" {
			return fact{object: m[1], negated: true}, !containsAny(c.vp, "转", "换")
		}
		if containsAny(c.vp, "转", "换") && !strings.Contains(c.content, "工作") {
			return fact{}, false
		}
		return fact{object: objectOf(c, m[2]), replaces: m[1]}, true
	}},
	{"zh.joined", subjPeople, false, regexp.MustCompile(`^(?:已经|刚|上个?月|上周|去年|新|最近)*(?:跳槽到|跳槽去|入职|加入|换工作到|换到|就职于|任职于|供职于)了?([\p{Han}A-Za-z0-9]{2,18}?|` + zhLatin + `)(?:了|公司|工作|上班|做(.{2,10}))?$`), pWorksAt, .88, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		if hasPrefixAny(o, "我们", "咱们", "他们", "你们") {
			return fact{}, false
		}
		f := fact{object: o}
		if m[2] != "" && !hasSuffixAny(m[2], "公司", "厂", "单位", "机构") { // 一家做激光雷达的公司
			f.twin = &fact{pred: pJob, object: m[2]}
		}
		return f, true
	}},
	{"zh.works_at", subjPeople, false, regexp.MustCompile(`^(?:是)?(?:在|于)([\p{Han}A-Za-z0-9·]{2,20}?|` + zhLatin + `)(?:里|那边|这边)?(?:工作|上班|任职|就职|供职|实习|(?:做|当|担任|从事|干)(?:一名|一个|个|名)?([\p{Han}A-Za-z/]{1,12}?|` + zhLatin + `))(?:了.{0,6}|的|多年)?$`), pWorksAt, .92, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		f := fact{object: o, negated: c.negated, past: c.past}
		job := objectOf(c, m[2])
		if hasPrefixAny(job, "过", "了") || containsAny(job, "饭", "梦", "作业", "客", "题", "事", "什么", "完", "活动", "游戏", "家务", "运动") || containsAny(o, "家", "会议室", "厨房") && m[2] == "" && o == "家" {
			return fact{}, false
		}
		if job != "" {
			f.twin = &fact{pred: pJob, object: job, past: c.past}
		}
		return f, true
	}},
	{"zh.works_when", subjSelf | subjKin | subjGroup, false, regexp.MustCompile(`^(?:要|得|主要|基本|固定|改成?|都是|是|经常|一直|实行)*((?:上)(?:早班|晚班|夜班|中班|白班|大夜|小夜|倒班|周末班).{0,6}|(?:三班倒|两班倒|做六休一|996|995|朝九晚[五六九]|双休|单休|大小周|上[一二三四五六]休[一二三四]|弹性工作制?|远程办公|居家办公|在家办公|坐班|远程).{0,4})$`), pSchedule, .82, nil},
	{"zh.job.now", subjSelf | subjKin, false, regexp.MustCompile(`^(?:自己|目前|全职|在家|在)*(创业|开店|做自由职业|自由职业|单干|待业|在家带娃|带娃|读博|做自媒体|跑外卖|开网约车|开出租|开民宿|种地|开(?:了)?(?:家|一家|个)[\p{Han}A-Za-z]{1,10})(?:了|中|呢)?$`), pJob, .78, nil},
	{"zh.job.one", subjSelf | subjKin, false, regexp.MustCompile(`^([\p{Han}A-Za-z]{2,10}?)一[枚名个只]$`), pJob, .8, func(c *clause, m []string) (fact, bool) { return fact{object: m[1]}, !c.negated }},
	{"zh.job.as", subjSelf | subjKin | subjPerson, false, regexp.MustCompile(`^(?:升职?|晋升|升任|转岗|转|调岗|调|当上|提拔|改做|转行|转行做|转行当|升)(?:成|到|为|去|做|了)+([\p{Han}A-Za-z]{2,12}?)(?:了)?$`), pJob, .82, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1]}, !hasPrefixAny(m[1], "我", "你", "人工", "这", "那")
	}},
	{"zh.field", subjSelf | subjKin, false, regexp.MustCompile(`^(?:主要|一直|是)?(?:做|搞|干|从事)(?:的是?)?((?:[\p{Han}A-Za-z]{0,6}?)(?:后端|前端|全栈|测试|运维|开发|设计|产品|运营|算法|数据|销售|市场|财务|人事|HR|安卓|iOS|嵌入式|架构|客服|教育|金融|外贸|电商|自媒体|餐饮|装修|建筑|物流|医疗|法务|行政|采购|策划|翻译|审计|投资|咨询|科研|硬件|芯片|安全))(?:开发|工作|这块|方面|方向|行业|的|这行)*$`), pField, .8, nil},
	{"zh.job", subjSelf | subjKin | subjPerson, false, regexp.MustCompile(`^(?:是|做|当|担任|从事|的?(?:工作|职业|职位|岗位|本职)是)(?:的是)?(?:一名|一个|一位|个|名|位)?(?:[\p{Han}A-Za-z]{0,12}?的)?([\p{Han}A-Za-z/]{0,8}(?:工程师|程序员|设计师|老师|教师|医生|护士|律师|会计|审计|经理|总监|主管|主任|司机|厨师|教授|研究员|分析师|产品|运营|架构师|编辑|记者|作家|翻译|学生|研究生|博士生|博士|硕士|本科生|公务员|销售|顾问|架构|开发|测试|运维|策划|摄影师|画家|音乐家|演员|歌手|导演|警察|消防员|飞行员|农民|工人|电工|木工|药剂师|咨询师|理发师|店长|老板|创始人|合伙人|自由职业者?|全职妈妈|家庭主妇|退休教师|快递员|外卖员|客服|前台|助理|秘书|出纳|文员|数据科学家|科学家|牙医|兽医|教练))(?:的)?$`), pJob, .9, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1], past: c.past, negated: c.negated}, !c.negated || c.ended
	}},
	{"zh.studies.at", subjPeople, false, regexp.MustCompile(`^(?:在([\p{Han}A-Za-z]{2,14}?|` + zhLatin + `)(?:读书|上学|留学|求学|念书|读研|读博|读本科|交换|进修)|(?:本科|硕士|研究生|博士|大学|高中|MBA)(?:是|在|读的?是?|念的?是?|毕业于)+([\p{Han}A-Za-z]{2,14}?|` + zhLatin + `)(?:的|读的|念的|毕业的|上的)?)(?:.{0,4})$`), pStudies, .82, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1] + m[2], past: c.past && m[1] != ""}, true
	}},
	{"zh.studies.year", subjPeople, false, regexp.MustCompile(`^(?:在|是|刚|马上|今年|还在|正在)*(?:(?:读|念|上)(?:了|到)?)?((?:研|博|大|高|初)[一二三四五](?:下|上)?|(?:读|念|上)(?:研究生|博士|硕士|本科|大专|MBA|EMBA|幼儿园[小中大]?班?|小学|初中|高中|大学|[一二三四五六]年级)|(?:小学|初中|高中|幼儿园)?(?:[一二三四五六]年级|[小中大]班))(?:的)?(?:学生)?(?:了)?$`), pStudies, .82, nil},
	{"zh.studies", subjPeople, false, regexp.MustCompile(`^(?:在([\p{Han}A-Za-z]{2,14}?|` + zhLatin + `)(?:(?:读|念|学)(.{1,14})|上(?:[大小中]学|初中|高中|学|研究生).{0,10})|(?:的)?专业是(.{2,12})|(?:是)?(?:从)?([\p{Han}]{2,12}?)毕业的?|上((?:小学|初中|高中|大学|幼儿园|[一二三四五六七八九大高初][年一二三]).{0,8})|(?:\d{4}年)?毕业于(.{2,12})|(?:在学|正在学|学的是|学了.{1,6}年的?|主修|读的是|学的|读的|念的|攻读)(.{1,14}))$`), pStudies, .85, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, strings.Join(m[3:], ""))
		if m[1] != "" {
			o = objectOf(c, c.vp)
		}
		return fact{object: o}, utf8.RuneCountInString(o) >= 2 && !strings.HasPrefix(m[2], "到") && !strings.HasPrefix(m[2], "书")
	}},
	{"zh.speaks.first", subjNone | subjSelf, true, regexp.MustCompile(`^([\p{Han}]{1,4}?(?:语|话|文)(?:(?:、|和|跟)[\p{Han}]{1,4}?(?:语|话|文))*)(?:我)?(?:都|也)?(?:能|会)(?:讲|说)?(?:一点)?$`), pSpeaks, .85, func(c *clause, m []string) (fact, bool) { return fact{subject: "user", object: m[1]}, true }},
	{"zh.knows.not", subjNone | subjSelf, true, regexp.MustCompile(`^([\p{Han}]{1,6}?(?:语|话|文)|[A-Z][A-Za-z+#.]*|[\p{Han}]{2,6})(?:我)?(?:真的|是)?(?:完全|基本|一点儿?|一个字|一窍)?(?:都|也)?(不会|不懂|不通|没学过|没用过|没碰过)$`), pKnows, .8, func(c *clause, m []string) (fact, bool) {
		return fact{subject: "user", object: m[1], negated: true}, !hasPrefixAny(m[1], "他", "她", "你", "我", "这", "那", "它")
	}},
	{"zh.knows.wrote", subjNone | subjSelf, true, regexp.MustCompile(`^([A-Z][A-Za-z+#.]*)(?:我)?(?:倒|也|都)?(?:写|用|学)(?:了|过)(.{1,5}年).{0,3}$`), pKnows, .8, func(c *clause, m []string) (fact, bool) { return fact{subject: "user", object: m[1]}, true }},
	{"zh.mother_tongue", subjNone, true, regexp.MustCompile(`^([\p{Han}]{1,8}?(?:语|话|文))是我们?(?:家)?的?母语$`), pSpeaks, .88, func(c *clause, m []string) (fact, bool) { return fact{subject: "user", object: m[1]}, true }},
	{"zh.skill", subjSelf | subjKin, false, regexp.MustCompile(`^(?:的)?((?:英语|日语|法语|德语|韩语|西语|西班牙语|俄语|普通话|粤语|中文|英文|数学|编程|电脑|口语|听力|厨艺|车技|酒量|记性|方向感|乐感|体育)(?:水平|能力|口语|阅读)?(?:很|不太|比较|还|也|只有|大概|特别|非常|挺|有点|是|过了|考过|考了|到|只)*(?:一般|不好|不太好|不错|差|流利|不行|还行|可以|好|烂|四级|六级|N\d|专八|[ABC]\d|雅思.{0,5}|托福.{0,5}|零基础|入门|小白).{0,6})$`), pTrait, .78, nil},
	{"zh.speaks", subjPeople, false, regexp.MustCompile(`^(?:会说|会讲|能说|母语是|的母语是|会|说)(?:一点|流利的?)?([\p{Han}]{1,12}?(?:语|话|文))(?:.{0,10})$`), pSpeaks, .88, nil},
	{"zh.report", subjSelf, false, regexp.MustCompile(`^(?:直接)?(?:向|跟|给)([\p{Han}A-Za-z]{1,10}?|` + zhLatin + `)汇报(?:工作)?(?:了)?$`), pManager, .9, func(c *clause, m []string) (fact, bool) { return fact{object: m[1], qualifier: "manager"}, true }},

	// People and animals around me.
	{"zh.kin.birthday", subjKin, false, regexp.MustCompile(`^(?:的)?生日(?:是|在|为)?(.+)$`), pBirthday, .9, nil},
	{"zh.kin.breed", subjKin, false, regexp.MustCompile(`^是(?:一)?(?:只|条|头|匹)(.{2,10})$`), pTrait, .8, nil},
	{"zh.kin.surname", subjKin, false, regexp.MustCompile(`^(?:免贵)?姓([\p{Han}]{1,2})$`), pKnows, .88, func(c *clause, m []string) (fact, bool) {
		return kinFact(c, c.sub.text[strings.Index(c.sub.text, "'s ")+3:], m[1]), true
	}},
	{"zh.ethnic", subjSelf | subjKin, false, regexp.MustCompile(`^是([\p{Han}]{1,5}族)$`), pNation, .88, nil},
	{"zh.kin.name", subjKin, false, regexp.MustCompile(`^(?:的)?(?:名字|大名|小名|英文名)?(?:叫做?|小名叫?|大名叫?|名叫|是|换成了?|现在是|改成了?)([\p{Han}A-Za-z]{1,12}?|` + zhLatin + `)(?:了)?$`), pKnows, .9, kinNameZh},
	{"zh.kin.is_my", subjNone, true, regexp.MustCompile(`^([\p{Han}A-Za-z]{1,10}?|` + zhLatin + `)是我们?(?:的)?(?:新)?([\p{Han}]{2,5})$`), pKnows, .85, func(c *clause, m []string) (fact, bool) {
		k, ok := kinWords[m[2]]
		if !ok || containsAny(m[1], "这", "那", "他", "她", "它") {
			return fact{}, false
		}
		return kinFact(c, k.key, m[1]), true
	}},
	{"zh.has.pet", subjSelf | subjGroup | subjKin, false, regexp.MustCompile(`^(?:家)?(?:里)?(?:养了?|有|收养了?|领养了?|新买了?|买了?)(?:着)?((?:一|两|三|四|五|\d+)?(?:只|条|匹|对|缸|群|窝|箱)(?:.{0,10}?)(?:猫|狗|犬|鱼|鸟|兔子?|仓鼠|乌龟|鹦鹉|马|鸡|鸭|蜜蜂|蛇|蜥蜴|金毛|柯基|布偶|泰迪|哈士奇|英短|橘|龟|羊|豚鼠|猫咪|小狗)(?:.{0,12}?))$|^(?:家)?(?:里)?养了?((?:猫|狗|鱼|鸟).{0,8})$`), pHas, .92, func(c *clause, m []string) (fact, bool) {
		return fact{object: objectOf(c, m[1]+m[2]), qualifier: "pet", negated: c.negated}, true
	}},
	{"zh.has.kin", subjSelf | subjKin | subjGroup, false, regexp.MustCompile(`^(?:家)?(?:里)?有?((?:一|两|俩|三|四|五|\d+|一对)(?:个|位|对)?(?:.{0,4}?)(?:女儿|儿子|孩子|妹妹|姐姐|弟弟|哥哥|双胞胎|女朋友|男朋友|室友|宝宝|娃|孩子|侄子|侄女|外甥|外甥女)(?:(?:和|、)?.{1,6})?)$`), pHas, .92, func(c *clause, m []string) (fact, bool) { return fact{object: m[1], negated: c.negated}, true }},

	// Tastes, habits, things.
	{"zh.favourite", subjSelf | subjKin | subjPerson, true, regexp.MustCompile(`最(?:喜欢|爱)(?:吃|喝|看|听|玩|用|去|读)?的(.{1,12}?)(?:现在|一直|始终|永远)?(?:还是|是|变成|换成|改成|叫)了?(.{1,24}?)了?$`), pFavourite, .92, func(c *clause, m []string) (fact, bool) {
		return fact{object: objectOf(c, m[2]), qualifier: m[1]}, !containsAny(m[2], "什么", "哪")
	}},
	{"zh.prefers.rather", subjPeople, false, regexp.MustCompile(`^(?:.{0,6}?)(能.{1,10}?就(?:绝)?不.{1,12}|宁(?:愿|可|肯).{1,14}|.{1,10}?优先)$`), pPrefers, .8, func(c *clause, m []string) (fact, bool) {
		return fact{object: objectOf(c, c.vp)}, !containsAny(c.text, "你", "他", "她")
	}},
	{"zh.indifferent", subjPeople, false, regexp.MustCompile(`^对(.{1,14}?)(完全|真的|一直|有点|实在|一点都?|很|特别|非常|超|挺|比较|十分)*(无感|没兴趣|没什么兴趣|不感兴趣|不感冒|不来电|提不起兴趣|没啥兴趣|感兴趣|有兴趣|着迷|上瘾|情有独钟|毫无抵抗力|没有抵抗力)$`), pLikes, .85, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		f := fact{object: o, qualifier: o}
		if strings.Contains(m[3], "无感") || hasPrefixAny(m[3], "没兴趣", "没什么", "没啥", "不", "提不起") || c.negated {
			f.pred = pDislikes
		}
		return f, !containsAny(o, "你", "这个", "那个")
	}},
	{"zh.loves", subjPeople, false, regexp.MustCompile(`^(?:最|就|只|还|都|特别|一直)*(?:不)?爱((?:吃|喝|看|听|玩|打|逛|写|画|跑|做|睡|读|弹|唱|跳|旅|养|买|用|穿|坐|骑|爬|钓|下|游|泡|刷|追|聊|开|运动|干净|甜食|辣).{0,14}|猫|狗|小动物)$`), pLikes, .86, tasteZh},
	{"zh.prefers", subjPeople, false, regexp.MustCompile(`^(?:的)?(?:偏好(?:是|用)?|更愿意|首选|更喜欢|更爱|比较喜欢|更倾向于?|倾向于|宁愿|宁可|偏爱|更习惯)(.+)$`), pPrefers, .9, nil},
	{"zh.now_does", subjSelf | subjKin, false, regexp.MustCompile(`^(?:现在|后来|如今|最近)?改(玩|练|打|学|喝|吃|骑|坐|跑|听)(.{1,10}?)了?$`), pHabit, .78, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1] + objectOf(c, m[2])}, !strings.Contains(m[2], "成")
	}},
	{"zh.by", subjSelf | subjKin, false, regexp.MustCompile(`^(?:现在|平时|一般)?(上下班|通勤|出门|上班|接送孩子)(?:都|一般|基本)?(?:是)?(骑|开|坐|走|乘)(.{1,10})$`), pHabit, .78, func(c *clause, m []string) (fact, bool) { return fact{object: c.vp}, !c.past }},
	{"zh.likes", subjPeople, false, regexp.MustCompile(`^(?:是)?(?:最)?(?:喜欢上?|爱上?|热爱|喜爱|酷爱|钟爱|迷上|迷|享受|热衷于?)(?:了)?(.+)$`), pLikes, .9, tasteZh},
	{"zh.dislikes", subjPeople, false, regexp.MustCompile(`^(?:最)?(?:讨厌|厌恶|受不了|反感|痛恨|特烦|烦|恨|很怕|最怕|害怕|怕)(?:别人)?(.+)$`), pDislikes, .88, tasteZh},
	{"zh.consumes.first", subjNone | subjSelf, true, regexp.MustCompile(`^([\p{Han}A-Za-z]{1,6}?)我?(?:是|都)?(?:一滴|一口|一点儿?|从来|完全|基本|向来)(?:都|也)?不(?:沾|碰|吃|喝|抽)(?:的)?$`), pConsumes, .82, func(c *clause, m []string) (fact, bool) {
		return fact{subject: "user", object: m[1], qualifier: m[1], negated: true}, !hasPrefixAny(m[1], "他", "她", "你", "我")
	}},
	{"zh.prefers.only", subjNone | subjSelf, true, regexp.MustCompile(`^([\p{Han}A-Za-z]{1,6}?)我?只(?:认|喝|吃|用|看|听|穿|买|坐|住)(.{2,14})$`), pPrefers, .78, func(c *clause, m []string) (fact, bool) {
		return fact{subject: "user", object: objectOf(c, m[2])}, !hasPrefixAny(m[1], "他", "她", "你", "今天", "这", "那", "刚") && !c.past && !containsAny(c.text, "能", "剩", "有", "了")
	}},
	{"zh.consumes", subjPeople, false, regexp.MustCompile(`^(?:戒了?(烟|酒|糖|咖啡|奶茶|肉|辣|可乐|零食|甜食|碳水|游戏|短视频)(?:已经|都|快|第|有)?(?:[\d一二三四五六七八九十两半]+个?(?:天|周|月|年)(?:了|多|打卡)*)?|(?:能|可以|敢|会)?(?:吃|喝|抽|碰)(.{1,14}?))(?:了)?$`), pConsumes, .85, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1]+m[2])
		neg := c.negated || m[1] != ""
		f := fact{object: o, negated: neg, qualifier: o, past: c.past}
		if m[1] != "" {
			f.replaces = o // 戒: given up
		}
		return f, (neg || c.past) && o != "" && !hasPrefixAny(o, "饭", "完", "过", "下", "了", "惯", "透", "亏", "起") || neg && hasPrefixAny(o, "起司")
	}},
	{"zh.given_up", subjPeople, false, regexp.MustCompile(`^(?:看|听|玩|追|刷|用|买|逛|养|去|打|读|穿|做|学)(.{1,14}?)(?:了)?$`), pUses, .82, givenUpZh},
	{"zh.chose", subjNone | subjSelf | subjGroup, true, regexp.MustCompile(`^(?:我们)?(?:最后|最终|后来|讨论下来|商量下来|讨论后|商量后|综合考虑|评估下来|权衡之后|经过讨论|开会讨论后)(?:我们)?(?:还是|就|都|一致)*(?:决定|选择?|用|上|采用|定了?|敲定|改成|放弃|保留|走|同意)了?(.{2,40})$`), pDecision, .84, func(c *clause, m []string) (fact, bool) {
		return fact{subject: "we", object: objectOf(c, m[1])}, !containsAny(c.text, "你", "怎么", "什么")
	}},
	{"zh.decided", subjGroup | subjSelf, false, regexp.MustCompile(`^(?:最后|最终|已经|一致|讨论后|商量后|讨论下来|商量下来|综合考虑|评估下来|开会|昨天|今天|上周)*(?:还是)?(?:决定|商定|选了|选用|选择了?|选定|敲定|采用|改用|定下来?|拍板|约定)(?:了)?(.+)$`), pDecision, .88, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		return fact{object: o}, utf8.RuneCountInString(o) > 1
	}},
	{"zh.switched", subjSelf | subjGroup, false, regexp.MustCompile(`^(?:把)?(?:(.{1,14}?))?(?:从(.{1,10}?))?(?:换成|换到|切换到)了?(.{1,16}?)(?:了)?$`), pUses, .82, func(c *clause, m []string) (fact, bool) {
		f := fact{object: objectOf(c, m[3]), replaces: objectOf(c, m[2])}
		if m[1] != "" && m[2] == "" {
			f.pred, f.qualifier = pAttr, strings.TrimPrefix(m[1], "的")
		}
		return f, f.object != ""
	}},
	{"zh.uses.new", subjSelf | subjGroup | subjKin, false, regexp.MustCompile(`^(?:新|刚|都|全部|全|已经|现在|刚刚)*(?:(?:换|买|入手|升级|提)了?(?:一)?(?:台|辆|部|个|款|把|块)((?:新的?)?.{2,20}?)|(?:迁移?到|换成|换到|转到|转投|改用|切到|切换到|换回|用回)了?(.{2,20}?))(?:了)?$`), pUses, .8, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1]+m[2])
		return fact{object: o, negated: c.negated}, o != "" && (specific(o) || m[1] != "") && !containsAny(o, "问题", "话题", "方案", "思路", "说法")
	}},
	{"zh.writes", subjSelf | subjGroup | subjKin, false, regexp.MustCompile(`^(?:主要|平时|一般|基本|现在)*(?:写|用|搞|在写)([A-Z][A-Za-z+#.]*(?:[ 和、,/]+[A-Z][A-Za-z+#.]*)*)(?:写)?$`), pUses, .8, nil},
	{"zh.uses", subjSelf | subjGroup | subjKin | subjPerson, false, regexp.MustCompile(`^(?:主要用|用的是|用|使用|在用|开的?是|开|骑的?是|骑|弹|玩)(?:着|了)?(.{2,30}?)(?:来?(?:写|做|办公|开发|上班|代步|画|记|管理|沟通|协作|聊天|开会|联系|看|听|拍|剪|部署|监控)(.{0,10}))?$`), pUses, .82, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		return fact{object: o, negated: c.negated}, o != "" && (specific(o) || c.negated || utf8.RuneCountInString(c.vp)-utf8.RuneCountInString(o) > 2 || containsAny(c.vp, "用的是", "开的是", "骑的是") || hasPrefixAny(c.vp, "弹") || hasPrefixAny(o, "一辆", "一台", "一把", "一部", "一架", "辆", "台", "把")) && !hasPrefixAny(o, "会", "心", "始", "不", "户")
	}},
	{"zh.habit", subjSelf | subjGroup | subjKin, true, regexp.MustCompile(`基本都?|一有空就|没事就|每天|每周|每个|每晚|每早|每月|每年|习惯|通常|一般|经常|总是|平时|从来不|从不|每隔|每两`), pHabit, .8, func(c *clause, m []string) (fact, bool) {
		if c.past || containsAny(c.text, "了一", "那次") || c.sub.kind == subjGroup && !containsAny(c.text, "每", "通常", "习惯") {
			return fact{}, false
		}
		return fact{object: c.vp}, utf8.RuneCountInString(c.vp) > 2
	}},
	{"zh.has.none", subjSelf | subjGroup | subjKin, false, regexp.MustCompile(`^有((?:汽|自行|摩托|电动)?车|房子?|公寓|电脑|笔记本|相机|手机|平板|吉他|钢琴|宠物|猫|狗)了?$`), pHas, .8, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1], negated: true}, c.negated && c.ended
	}},
	{"zh.has", subjSelf | subjGroup | subjKin, false, regexp.MustCompile(`^(?:家)?(?:里)?(?:有|刚?买了|新买了|收藏了?|拥有|攒了|入手了?)((?:[一两三四五六七八九十百千几多\d]+)(?:本|双|个|只|件|台|辆|套|把|架|块|部|间|栋|家|支|副|艘|顶|座|张|箱)(?:.{1,16}))$`), pHas, .8, func(c *clause, m []string) (fact, bool) {
		return fact{object: objectOf(c, m[1]), negated: c.negated}, true
	}},
	{"zh.trait.degree", subjSelf | subjKin, false, regexp.MustCompile(`^(?:是)?(?:个|一个|一枚|那种)?((?:重度|轻度|深度|资深|典型的?|标准的?|铁杆)[\p{Han}]{2,6})$`), pTrait, .78, nil},
	{"zh.trait", subjSelf | subjKin, false, regexp.MustCompile(`^(?:是)?(?:个|一个)?(夜猫子|早起的人|社恐|内向的?人?|外向的?人?|独生子|独生女|双胞胎|完美主义者?|基督徒|佛教徒|穆斯林|程序媛|单亲妈妈|身高[^\d\s一二两三四五六七八九十]\S{0,7}|体重[^\d\s一二两三四五六七八九十]\S{0,7}|血型(?:是)?\S{1,5}|属[鼠牛虎兔龙蛇马羊猴鸡狗猪]|[\p{Han}]{2}座|[ABO]{1,2}型血?|单亲爸爸|宅男|宅女|吃货|颜控|路痴|脸盲|慢性子|急性子|处女座|左撇子|夜猫子型|信(?:佛|教|基督教?|天主教|伊斯兰教|道)|(?:[INTJFPSE]{4})|党员|二胎妈妈|全职爸爸|独居|(?:一个人|独自|(?:和|跟).{1,6})(?:一起)?(?:住|合租))(?:的)?$`), pTrait, .85, nil},
	{"zh.teaches", subjSelf | subjKin, false, regexp.MustCompile(`^教(.{2,16})$`), pDoing, .78, func(c *clause, m []string) (fact, bool) {
		return fact{object: "教" + objectOf(c, m[1])}, !hasPrefixAny(m[1], "我", "你", "他", "她", "育", "练")
	}},
	{"zh.doing.now", subjSelf | subjGroup | subjKin, false, regexp.MustCompile(`^(?:最近|目前|一直)?(?:在|正在|准备|开始)((?:减肥|健身|备孕|找工作|找房子?|考研|考公|学车|考驾照|装修(?:房子|新房)?|养病|休产假|带娃|备战.{0,12}|戒酒|戒烟|控糖|增肌|备考.{0,10}|坐月子|康复|复健|减脂|断糖|轻断食|学[\p{Han}A-Za-z]{1,8}|准备.{2,12}|办.{2,8}))(?:了|中|呢)?$`), pDoing, .78, func(c *clause, m []string) (fact, bool) {
		return fact{object: objectOf(c, m[1])}, !containsAny(m[1], "学校", "你", "看", "问")
	}},
	{"zh.not_at_times", subjSelf | subjKin, false, regexp.MustCompile(`^((?:早上|早饭|晚上|中午|晚饭|睡前|平时|夏天|冬天|周末|工作日|上班时间?|[一二三四五六七八九十\d]+点(?:以后|之后|后|以前|前))(?:从来|一般|基本|都|绝对)*(?:不|从不)(?:吃|喝|看|接|加|回|工作|用|出|碰|上).{1,10})$`), pHabit, .8, nil},
	{"zh.doing", subjSelf | subjGroup | subjKin, true, regexp.MustCompile(`(?:正在|在|一直在)?(学|写|备考|准备考|筹备|装修|研究|负责)(.{2,20})$`), pDoing, .72, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1] + objectOf(c, m[2])}, containsAny(c.text, "在"+m[1], "负责", "备考", "筹备")
	}},
	{"zh.member.joined", subjNone, true, regexp.MustCompile(`^([\p{Han}A-Za-z]{1,6}?|` + zhLatin + `)(?:这周|本周|今天|昨天|刚刚?|最近|上周|上个?月|也|已经|正式|明天|下周)*加入了?(我们[\p{Han}]{0,4}?)了?$`), pMember, .85, func(c *clause, m []string) (fact, bool) {
		return fact{subject: "we", object: m[1]}, !containsAny(m[1], "他", "她", "你", "谁", "请", "以")
	}},
	{"zh.reading", subjNone | subjGroup, true, regexp.MustCompile(`^(.{4,40}?)[：:]\s*([\p{Han}A-Za-z0-9]{1,16}?|` + zhLatin + `)\s*(?:是|为|达到|约)?\s*(\d[\d.,]*\s*\S{0,6})$`), pStatement, .7, func(c *clause, m []string) (fact, bool) {
		return fact{subject: m[1], object: m[2] + " " + m[3], kind: schema.KindProject}, !containsAny(c.text, "http", "://")
	}},
	{"zh.members", subjGroup, false, regexp.MustCompile(`^(?:组|团队|部门|公司|家)?(?:里)?(?:一共)?(?:的?成员(?:有|包括|是)|有|包括)(.+[、和].+)$`), pMember, .85, nil},

	// Hosts, ports, versions, paths, roles.
	{"zh.port", subjAny | subjNone, true, regexp.MustCompile(`^(.{1,24}?)(?:的)?(?:(?:服务|管理|数据库|对外|默认)?端口(?:号)?(?:是|为|改成了?|改为|换成了?|改到了?|：|:|用的是|在|我们?|现在|已经|换了?|改了?)*|(?:监听|跑|运行|开|部署)(?:在|的是|着)?(?:端口)?)\s*(\d{2,5})(?:端口|上|了)*$`), pPort, .9, func(c *clause, m []string) (fact, bool) {
		return fact{subject: ourThing(m[1]), object: m[2]}, containsAny(c.text, "端口", "监听") // who runs 5000 is no port
	}},
	{"zh.changed", subjAny | subjNone, true, regexp.MustCompile(`^(.{1,16}?)(?:那台|这台|那个|这个)?(?:后来|已经|最近|刚刚?|又|现在|今天|昨天)*(?:换|改|更换|调整|更新)了?(?:个|新)?(端口|版本|地址|域名|路径|分支|IP|ip|主机|` + zhNumber + `|邮箱|邮件地址|密码|微信号?|住址|车牌号?|航班号?)了?[，,](?:现在)?(?:的?新的?(?:号码?|地址|邮箱|微信号?|密码|端口|版本|域名|路径)?)?(?:用的?是?|改成|改为|是|为|：|:|换成|换到)了?\s*(.+)$`), pAttr, .82, func(c *clause, m []string) (fact, bool) {
		f := fact{subject: ourThing(m[1]), qualifier: attrKey(m[2]), object: objectOf(c, m[3])}
		if c.sub.kind == subjSelf || c.sub.kind == subjKin { // 我换手机号了: mine, however it is begun
			f.subject = c.sub.text
		}
		switch m[2] {
		case "端口":
			f.pred, f.qualifier = pPort, ""
		case "版本":
			f.pred, f.qualifier = pVersion, ""
		case "路径":
			f.pred, f.qualifier = pPath, ""
		}
		return f, f.object != ""
	}},
	{"zh.changed.noun", subjAny | subjNone, true, regexp.MustCompile(`^(.{0,12}?)(?:的)?(端口|版本|地址|域名|路径|` + zhNumber + `|邮箱|邮件地址|微信号?|住址|车牌号?|航班号?)(?:已经|又|刚刚?|最近)*(?:换|改|变)了[，,](?:现在)?(?:的?新的?(?:号码?|地址|邮箱|微信号?|端口|版本|域名|路径|那个)?)?(?:用的?是?|改成|改为|是|为|：|:|换成|换到|叫)*了?\s*([A-Za-z0-9+~/].*|[\p{Han}]{2,20})$`), pAttr, .82, changedNounZh},
	{"zh.version.from", subjAny | subjNone, true, regexp.MustCompile(`^(.{1,16}?)(?:刚|已经|上周|昨天|最近)*从\s*([A-Za-z][\w+#]* ?v?[\d.]+)\s*升级?到了?\s*(v?(?:[A-Za-z][\w+#]* ?)?[\d][\w.]*)\s*(?:了)?$`), pVersion, .85, func(c *clause, m []string) (fact, bool) {
		f := fact{subject: ourThing(m[1]), object: m[3], replaces: m[2]}
		if i := strings.LastIndexAny(m[2], " "); i > 0 {
			f.qualifier = m[2][:i]
		}
		return f, f.subject != ""
	}},
	{"zh.written", subjNone | subjThing | subjGroup, true, regexp.MustCompile(`^(.{1,20}?)(?:都|主要|全)?(?:是)?(?:用|拿)\s*(.{1,20}?)\s*(?:写|实现|开发|编写)的$`), pWrittenIn, .85, func(c *clause, m []string) (fact, bool) {
		return fact{subject: ourThing(m[1]), object: m[2]}, specific(m[2]) && !hasPrefixAny(m[1], "我", "你", "他", "她", "这段", "这个") || hasPrefixAny(m[1], "我们")
	}},
	{"zh.cloud", subjNone | subjThing | subjGroup, true, regexp.MustCompile(`^(.{1,16}?)(?:都)?(?:是|用的?是?|买的?是?|租的?是?)([\p{Han}A-Za-z]{1,8}云|AWS|GCP|Azure|Vercel|Cloudflare)(?:的)?(?:服务器|机器)?$`), pHost, .82, func(c *clause, m []string) (fact, bool) {
		return fact{subject: ourThing(m[1]), object: m[2]}, !hasPrefixAny(m[1], "我", "你", "他", "她") || hasPrefixAny(m[1], "我们")
	}},
	{"zh.version.held", subjAny | subjNone, true, regexp.MustCompile(`^(?:这个|那个)?(.{1,24}?)(?:版本)?(?:还)?(?:锁|锁死|钉|固定|卡|停|停留)在了?\s*(v?\d+(?:\.\d+)*[\w.-]*)(?:版本|版)?$`), pVersion, .85, func(c *clause, m []string) (fact, bool) {
		return fact{subject: ourThing(m[1]), object: m[2]}, strings.Contains(m[2], ".") || strings.Contains(c.text, "版本")
	}},
	{"zh.dropped", subjNone | subjThing, true, regexp.MustCompile(`^([A-Za-z][\w. -]{1,16}?)(?:年初|年底|去年|上个?月|上周|早|已经|后来)*(?:就|都)?(?:被)?(?:撤掉|下掉|下线|弃用|废弃|停用|干掉|换掉|移除|砍掉|毙掉|否决|不用)了?(?:了)?$`), pUses, .78, func(c *clause, m []string) (fact, bool) {
		return fact{subject: "we", object: strings.TrimSpace(m[1]), negated: true, kind: schema.KindProject}, strings.Contains(c.text, "了")
	}},
	{"zh.goes_by", subjNone | subjThing, true, regexp.MustCompile(`^(?:现在|目前)?([\p{Han}]{2,6}?)(?:现在|目前|都|统一|全)*(?:走|用的?是?|上|跑的?是?)([A-Za-z][\w.+# -]{1,24})$`), pAttr, .76, func(c *clause, m []string) (fact, bool) {
		return fact{subject: "we", qualifier: m[1], object: strings.TrimSpace(m[2]), kind: schema.KindProject}, !hasSuffixAny(m[1], "不", "没", "别", "该", "要") && !hasPrefixAny(m[1], "我", "你", "他", "她", "请", "可以", "能", "这", "那", "大家", "平时", "默认", "优先", "写", "做", "画", "记", "修", "查", "打", "剪", "存") && !c.past
	}},
	{"zh.chosen", subjNone | subjThing, true, regexp.MustCompile(`^([\p{Han}A-Za-z]{2,10}?)(?:最后|最终)?(?:拍板|定了|选了|敲定|选定)(?:用|了)?\s*([A-Za-z][\w.+# -]{1,24})$`), pDecision, .82, func(c *clause, m []string) (fact, bool) {
		return fact{subject: "we", object: c.text}, !hasPrefixAny(m[1], "你", "他", "她")
	}},
	{"zh.is_version", subjNone | subjThing | subjGroup, true, regexp.MustCompile(`^([\p{Han}A-Za-z]{2,12}?)(?:现在|目前|还|都)*(?:是|用的是|跑的是|跑)\s*([A-Z][A-Za-z+#]* ?v?\d+(?:\.\d+)+)$`), pVersion, .85, func(c *clause, m []string) (fact, bool) {
		return fact{subject: ourThing(m[1]), object: m[2]}, !hasPrefixAny(m[1], "我的", "你", "他", "她", "这", "最新", "如果")
	}},
	{"zh.version", subjAny | subjNone, true, regexp.MustCompile(`^(.{1,24}?)(?:的)?(?:版本(?:号)?(?:是|为|：|:)*|(?:已经|现在)*升级?到了?|用的(?:版本)?是|现在是)\s*(v?\d+(?:\.\d+)+[\w.-]*|[A-Za-z]+ ?\d+(?:\.\d+)*)\s*(?:版本|版|了)*$`), pVersion, .88, func(c *clause, m []string) (fact, bool) {
		return fact{subject: ourThing(m[1]), object: m[2]}, containsAny(c.text, "版本", "升级", "升到") || m[2][0] == 'v' // 网关现在是 v2.4
	}},
	{"zh.path", subjAny | subjNone, true, regexp.MustCompile(`^(.{1,24}?)(?:都|统一|一般)?(?:的)?(?:路径|目录|位置|地址)?(?:我|我们)?(?:都|统一|一般)?(?:是|为|在|放在|扔在|丢在|存在|保存在|写在|写到|位于|存到|输出到|部署在|部署到|装在)了?\s*((?:~|\.{1,2})?/[\w./@+~-]+|[A-Za-z]:\\[\w\\.-]+)\s*(?:底下|里面|那边|下|里|目录|下面)*$`), pPath, .88, func(c *clause, m []string) (fact, bool) {
		return fact{subject: ourThing(m[1]), object: m[2]}, true
	}},
	{"zh.url", subjAny | subjNone, true, regexp.MustCompile(`^(.{1,24}?)(?:的)?(?:网址|地址|链接|文档|域名)?(?:是|为|在|：|:)*\s*(https?://\S+)$`), pURL, .88, func(c *clause, m []string) (fact, bool) {
		return fact{subject: ourThing(m[1]), object: m[2]}, true
	}},
	{"zh.host", subjAny | subjNone, true, regexp.MustCompile(`^(.{1,24}?)(?:都|目前|现在)?(?:(?:部署|跑|运行|托管|装|搭)(?:在|到)了?|在)\s*([A-Za-z][\w.-]*[\w]|\d+\.\d+\.\d+\.\d+|[\p{Han}A-Za-z]{2,8}(?:云|机房|服务器))\s*(?:上|上面|里|这台机器上|那台机器上)?$`), pHost, .85, func(c *clause, m []string) (fact, bool) {
		return fact{subject: ourThing(m[1]), object: m[2]}, c.sub.kind != subjSelf && specificZh(m[2]) && containsAny(c.text, "部署", "跑", "运行", "托管", "装", "搭", "放在", "上")
	}},
	{"zh.owner.does", subjNone, true, regexp.MustCompile(`^([\p{Han}]{2,4}|` + zhLatin + `)(?:现在|目前|主要)?负责([\p{Han}A-Za-z0-9]{2,14}|` + zhLatin + `)(?:的)?$`), pOwner, .85, func(c *clause, m []string) (fact, bool) {
		return fact{subject: m[2], object: m[1]}, !containsAny(m[1], "他", "她", "你", "谁", "要", "请", "由", "不", "来") && !strings.HasPrefix(m[2], "人") // 项目的负责人现在是李雷
	}},
	{"zh.changed.to", subjNone | subjGroup, true, regexp.MustCompile(`^(.{2,14}?)(?:已经|现在|都|后来|最近)*(?:从\s*(.{1,20}?)\s*)?(?:迁移?到|换成|切换?到|升级到|改用|改成)了?\s*(.{2,60}?)\s*(?:已经|快)?(?:[一二三四五六七八九十半\d]+(?:年|个月|周)(?:多)?)?了?$`), pAttr, .78, func(c *clause, m []string) (fact, bool) {
		return fact{subject: "we", qualifier: ourThing(m[1]), object: objectOf(c, m[3]), replaces: objectOf(c, m[2]), kind: schema.KindProject}, (specific(m[3]) || reLatinZh.MatchString(m[3])) && len(c.whens()) == 0 && !hasPrefixAny(m[1], "把", "请", "帮", "能", "你", "全部", "都", "不", "改", "以前", "我")
	}},
	{"zh.owner.gui", subjNone | subjThing, true, regexp.MustCompile(`^([\p{Han}A-Za-z0-9]{2,10}?)(?:现在|以后|目前)?归([\p{Han}A-Za-z]{1,6}?)(?:管|负责|了)?$`), pOwner, .8, func(c *clause, m []string) (fact, bool) {
		return fact{subject: ourThing(m[1]), object: m[2]}, !hasPrefixAny(m[2], "类", "属", "零", "因", "来", "档")
	}},
	{"zh.owner", subjAny | subjNone, true, regexp.MustCompile(`^(.{2,20}?)(?:现在|目前)?(?:由|归|是)([\p{Han}A-Za-z]{1,10}?|` + zhLatin + `)(?:来|在)?(?:负责|维护|接手|管|管理|跟进|对接)(?:的)?$`), pOwner, .85, func(c *clause, m []string) (fact, bool) {
		return fact{subject: ourThing(m[1]), object: m[2]}, true
	}},
	{"zh.depends", subjThing | subjGroup | subjNone, true, regexp.MustCompile(`^([\p{Han}A-Za-z0-9_. -]{2,20}?|` + zhLatin + `)(?:依赖于?|基于)([\p{Han}A-Za-z0-9_. -]{2,24}|` + zhLatin + `)$`), pDepends, .78, func(c *clause, m []string) (fact, bool) {
		return fact{subject: ourThing(m[1]), object: objectOf(c, m[2])}, specific(m[1] + m[2])
	}},
	{"zh.amount", subjAny | subjNone, true, regexp.MustCompile(`^(?:我们?)?([\p{Han}A-Za-z]{2,10}?|` + zhLatin + `)(?:先|最后|最终|一共|总共|暂定|共|每次|需要|要)*(?:做|定|订|买|采购|生产|备|印|招|预算|是)?(?:了)?(\d+(?:\.\d+)?)(` + zhUnits + `)$`), pAmount, .75, func(c *clause, m []string) (fact, bool) {
		if len(c.whens()) > 0 || c.sub.kind == subjKin || strings.HasPrefix(m[1], "我") {
			return fact{}, false
		}
		return fact{subject: m[3], qualifier: m[1], object: m[2] + m[3]}, !containsAny(m[1], "不是", "重试", "失败", "被拒") && !reBodyZh.MatchString(m[1])
	}},
	{"zh.role", subjNone, true, regexp.MustCompile(`^([\p{Han}]{2,4}|` + zhLatin + `)是([\p{Han}A-Za-z0-9]{2,14}?|` + zhLatin + `)的([\p{Han}A-Za-z]{2,12}|` + zhLatin + `)$`), pRole, .8, func(c *clause, m []string) (fact, bool) {
		if containsAny(m[1], "这", "那", "他", "她", "它", "你", "今天", "昨天", "什么", "不", "都", "也") || hasSuffixAny(m[3], "人", "事", "问题", "时候", "东西", "地方") && utf8.RuneCountInString(m[3]) < 3 {
			return fact{}, false
		}
		return fact{subject: m[1], object: m[3] + " at " + m[2]}, true
	}},

	// What is mine, or a thing's, by name: the attribute is the predicate.
	{"zh.own.attr", subjSelf | subjKin, false, regexp.MustCompile(`^(?:的)?(` + zhBody + `|鞋码|血型|尺码|三围|车牌号?|手机号?|手机号码|电话|微信号?|邮箱|QQ号?|工号|学号|护照号|房间号|门牌号|座位号?|工位|车位|车位号|网名|英文名|GitHub|时区|会员号|银行卡尾号|年薪|月薪|预算)\s*[:：]?\s*(?:大概|约|是|在)?\s*([A-Za-z0-9@+].*|[一二两三四五六七八九十]米.*|[一二两三四五六七八九十百零]{1,6}(?:公斤|千克|斤|厘米|公分).*|[ABO]{1,2}型.*)$`), pAttr, .82, func(c *clause, m []string) (fact, bool) {
		f, ok := attrZh(c, []string{m[0], m[1], "是", m[2]})
		f.past = f.past || reBodyZh.MatchString(m[1]) && len(c.certain(false)) > 0 // measured then
		return f, ok
	}},
	{"zh.attr.more", subjSelf | subjKin, false, regexp.MustCompile(`^的([\p{Han}]{2,6}?)(?:里|中)?(?:还有|还包括|也包括|也有|另外还有|加上)(.+)$`), pAttr, .8, moreZh},
	{"zh.list.add", subjAny | subjNone, true, regexp.MustCompile(`^(?:请|帮我)?(?:把|将)(.{1,16}?)(?:也|再|都)?(?:加到|加进|加入|添加到|记到|放进)(?:我的|我们的)?([\p{Han}]{0,6}(?:清单|列表|名单))(?:里|中|上)?(?:去)?$`), pAttr, .75, func(c *clause, m []string) (fact, bool) { return listedZh(c, m[2], m[1]) }},
	{"zh.list.more", subjAny | subjNone, true, regexp.MustCompile(`^(?:请|帮我)?(?:在)?(?:我的|我们的)?([\p{Han}]{0,6}(?:清单|列表|名单))(?:里|上|中)?(?:还要|再|还|也|要)?(?:加上?|添上?|记上?|有)(.{1,30})$`), pAttr, .75, func(c *clause, m []string) (fact, bool) { return listedZh(c, m[1], m[2]) }},
	{"zh.place.we", subjGroup, false, regexp.MustCompile(`^(?:公司|办公室|总部|团队|组|学校|工作室|店|工厂|实验室)?(?:就|都|现在)?在([\p{Han}A-Za-z0-9 ·-]{2,20})$`), pAttr, .8, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		return fact{subject: "we", qualifier: "location", object: o, kind: schema.KindProject}, len(c.whens()) == 0 && utf8.RuneCountInString(o) > 1 && !hasPrefixAny(o, "做", "用", "讨论", "开会", "考虑", "等", "看", "写", "改", "忙", "找", "学", "一起", "家", "吃", "准备", "这", "那")
	}},
	{"zh.kin.nation", subjKin, false, regexp.MustCompile(`^是(?:个)?([\p{Han}]{2,6}?)人$`), pHometown, .82, func(c *clause, m []string) (fact, bool) { return fact{object: m[1]}, !notNationZh.MatchString(m[1]) }},
	{"zh.attr", subjSelf | subjGroup | subjKin, false, regexp.MustCompile(`^(?:的)?([\p{Han}A-Za-z0-9 ]{1,14}?|` + zhLatin + `)(?:现在|目前|已经|最后|还是)*(是|叫做?|为|改成了?|改为|换成了?|变成了?|改到了?|：|:)(.+)$`), pAttr, .82, attrZh},
	{"zh.attr.of", subjNone, true, regexp.MustCompile(`^([\p{Han}A-Za-z0-9 _.-]{2,16}?|` + zhLatin + `)的([\p{Han}A-Za-z0-9 ]{2,10}?|` + zhLatin + `)(?:现在|目前|已经|最后|还是)*(?:是|叫做?|为|改成了?|改为|换成了?|变成了?|改到了?|：|:)(.+)$`), pAttr, .8, attrOfZh},
	{"zh.thing", subjNone, true, regexp.MustCompile(`^([\p{Han}A-Za-z0-9]{1,16}?(?:编号|账号|号码|地址|名字|名称|代号|上限|预算|价格|周期|频率|区域|分支|环境|时区|地址|密码|账户|工位|车位号?|房间号?|门牌号?|会议室|超时时间|有效期|集群|仓库|域名|桶|队列|主题|单价|库存|人数|标题|口号))(?:只有|一共|现在|目前|已经|统一)?(?:是|为|叫做?|改成了?|改为|：|:|只有|有)\s*(.+)$`), pAttr, .8, func(c *clause, m []string) (fact, bool) {
		return fact{subject: "we", qualifier: m[1], object: objectOf(c, m[2]), kind: schema.KindProject}, true
	}},

	// What is done with, and what happened on a day; what is only a statement.
	{"zh.done.object", subjNone | subjThing, true, regexp.MustCompile(`^([\p{Han}A-Za-z0-9 ]{2,16}?|` + zhLatin + `)(?:我们?)?(` + zhDoneWhen + `*)(交|考|提交|上交|递交|付|缴|缴纳|支付|还|寄|发|写|做|办|办理|续费|续|订|买|取|拿|领|修|预约|报名?|填|审|改|更新|完成|搞定|弄|处理|签|准备|整理|打|退|换|还清|上传|归还|解决|取消)(完|好|掉|过|清|齐|出去|上去|回来|妥)?(?:给([\p{Han}A-Za-z]{1,8}?))?了$`), pEvent, .8, doneObjectZh},
	{"zh.done.ba", subjNone | subjSelf | subjGroup, true, regexp.MustCompile(`^(?:我们?)?` + zhDoneWhen + `*把(.{2,16}?)(?:都|也|全|给|已经)*(?:` + zhDoneVerb + `)(?:完|好|掉|过|清|齐|出去|上去|回来|妥)?(?:给([\p{Han}A-Za-z]{1,8}?))?了$`), pEvent, .8, func(c *clause, m []string) (fact, bool) { return doneForZh(c, m[1], m[2]) }},
	{"zh.done.verb", subjSelf | subjGroup, true, regexp.MustCompile(`^我们?` + zhDoneWhen + `*(?:` + zhDoneVerb + `)(?:(?:完|好|掉|过|清|齐|妥)了?|了)([\p{Han}A-Za-z0-9 ]{2,16}?|` + zhLatin + `)了?$`), pEvent, .8, func(c *clause, m []string) (fact, bool) { return doneZh(c, m[1]) }},
	{"zh.done.call", subjNone | subjSelf | subjGroup, true, regexp.MustCompile(`^(?:我们?)?` + zhDoneWhen + `*(?:给|跟|和|向|往)(.{1,12}?)` + zhDoneWhen + `*(?:打|发|写|回|寄|联系|沟通|确认|预约)(?:过|了|完|好)?(?:一?[个封条次通])?(?:电话|邮件|消息|短信|微信|信|包裹)?(?:了|过)?$`), pEvent, .8, callZh},
	{"zh.event", subjSelf | subjGroup | subjKin, true, nil, pEvent, .7, eventZh},
	{"zh.event.carried", subjNone, true, regexp.MustCompile(`^(?:昨天|昨晚|今天|今早|前天|上周|上个月|刚刚|刚才).*?(?:我|和|跟|给|在|去|被).*$`), pEvent, .6, eventZh},
	{"zh.statement", subjNone | subjGroup, true, regexp.MustCompile(`^([\p{Han}A-Za-z0-9_. -]{2,16}?|` + zhLatin + `)(?:都|也|一般|现在|每周|每天|只)?(?:是|用|使用|支持|需要|要求|放在|存|每|有|加入|负责|管|不支持|不能|允许|在)(.{2,60})$`), pStatement, .55, statementZh},
}
