package distill

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

const (
	zhDate   = `(?:\d{4} ?年 ?)?(?:\d{1,2}|[一二三四五六七八九十]{1,3}) ?月 ?(?:\d{1,2}|[一二三四五六七八九十]{1,3})? ?[日号底初末]?|(?:[上下本这]个?)*(?:周|星期|礼拜)[一二三四五六日天末]|明天|后天|大后天|月底|月初|年底|下个?月\S*|下周\S*|本周\S*|\d{1,2} ?[号日]`
	zhDay    = `(?:(?:\d{4} ?年 ?)?(?:\d{1,2}|[一二三四五六七八九十]{1,3}) ?月 ?(?:(?:\d{1,2}|[一二三四五六七八九十]{1,3}) ?[日号]?|[底初末])|(?:[下本这]个?)*(?:周|星期|礼拜)[一二三四五六日天末]|[今明后]天|大后天|[今明][早晚]|(?:这个?|本|下个?)?月[底初末]|(?:今|明)?年[底初]|下个?月|下个?周|下个?星期|\d{1,2} ?[号日]|(?:[一二两三四五六七八九十]{1,3}|\d{1,3}) ?(?:天|周|个月|个?星期|个?小时)(?:之?内|以内|之?后|以后))`
	zhNumber = `手机号码?|电话号码?|手机|电话|号码|号`
	zhLatin  = `[A-Z][\w.'&-]*(?: [A-Z0-9][\w.'&-]*){1,3}` // a name of several words
	zhUnits  = `台|个|只|条|件|份|套|辆|人|名|本|张|箱|公斤|千克|斤|吨|米|平米|块|元|万元?|天|周|次|瓶|包|双|组|批|页|篇|栋|间`
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
	{"zh.rule.unasked", subjAny | subjNone, true, regexp.MustCompile(`^(?:请|你|您)*(?:没有?|未|不)(?:先)?(?:经过?|得到|征得|取得|获得|问过?|请示过?|跟|和|向).{1,14}?[，,]?(?:之前|以前|前)?(?:就|也|都|千万|绝对)*(` + zhBan + `|不能|不可以?|绝不能?)(.{2,})$`), pRule, .85, ruleZh},
	{"zh.rule.all", subjAny | subjNone, true, regexp.MustCompile(`^(.{1,24}?)(一律|严禁|禁止|必须|不得|不许|不准|绝不能?|绝对不能?|都要|都不能?|都得|不允许|只能|不可以|不能|务必)(.+)$`), pAllowed, .82, allowedZh},
	{"zh.rule.diet", subjSelf, true, regexp.MustCompile(`^(?:我)?(?:忌口|忌|需要忌口|要忌口)(?:的是|：|:)?(.+)$`), pRule, .85, ruleZh},
	{"zh.rule.dont", subjNone, true, regexp.MustCompile(`^(?:请|你|您|麻烦|就|也|都|再)*(?:.{0,12}?(?:的时候|时|里|中|上|前|后|给我|跟我|和我|对我))?(?:不要再|别再|不要|请勿|勿|别|不用)(?:给|跟|对|向|让|替|为|在|用|使用|叫|说|发|推荐|提|加|写|问|安排|放|讲|打电话|回复|称呼|改|删|动|碰|把|拿|带|买|点|做|建议|推|提交|合并|部署|道歉|重复|夸|编|猜|瞎|联系|打扰|分享|透露|告诉|省略|翻译|总结|超过|输出|显示|出现|包含|添加|直接).*$`), pRule, .78, ruleZh},
	{"zh.rule.when", subjAny | subjNone, true, regexp.MustCompile(`^(?:请|麻烦|你|您|以后|今后)*(?:` + zhRecur + `|在[\p{Han}A-Za-z0-9 ]{1,10}?|我们?.{1,8}?(?:的时候|期间|时))(?:都|请|你|您|就|也|一律|千万|绝对|最好|尽量)*(` + zhBan + `)(.{2,})$`), pRule, .82, banZh},
	{"zh.rule.doing", subjNone, true, regexp.MustCompile(`^(?:请|麻烦|你|您|帮我|给我|替我)*(?:点|叫|订|买|做|炒|煮|泡|写|发|回|拍|画|起草|翻译|提交|部署|排|约|选|查|推荐|设计|打|回复)(?:[\p{Han}A-Za-z]{1,6}?)(?:的时候|时)?(?:请|都|就|也|千万|尽量)*(` + zhBan + `)((?:放|加|用|写|带|附|选|点|订|买|叫|发|抄送|超过|出现|包含|安排|推荐|提|说|改|删|碰|动).+)$`), pRule, .75, doingZh},
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
	{"zh.deadline.ends", subjAny | subjNone, true, regexp.MustCompile(`^(?:我们?的?)?(.{2,20}?)(?:在|于|到|将|会)*(` + zhDate + `)(?:到期|截止|过期)$`), pDeadline, .88, func(c *clause, m []string) (fact, bool) {
		return fact{subject: m[1], object: m[2], expires: true}, len(c.whens()) > 0
	}},
	{"zh.todo.duty", subjNone, true, regexp.MustCompile(`^((?:在|到|赶在|最晚|最迟|务必)*` + zhDay + `(?:早上|上午|中午|下午|晚上)?(?:\d{1,2} ?点(?:半)?)?(?:之前|以前|前|之内)?[，, ]?)(?:我们?)?(?:就|还|也|都|一定|最晚|务必|千万|还是)*(?:要|得|需要|必须|应该|该|记得|别忘了|不要忘了)(?:记得)?(.{2,})$`), pPlan, .82, dutyZh},
	{"zh.deadline.before", subjThing | subjNone | subjGroup, true, regexp.MustCompile(`^(.{1,14}?)(?:要|得|必须|需要|最晚)?(?:在)?(` + zhDate + `)(?:之前|以前|前)(交|提交|完成|上线|发布|发出|给|做完|搞定).*$`), pDeadline, .82, func(c *clause, m []string) (fact, bool) {
		return fact{subject: m[1], object: objectOf(c, m[2]), expires: true}, len(c.whens()) > 0 && !hasPrefixAny(m[1], "我", "你")
	}},
	{"zh.date.set", subjAny | subjNone, true, regexp.MustCompile(`^(?:我们?的?)?(.{1,16}?)(?:的时间|时间)?(?:定在|定于|安排在|约在|约了|改到|改在|改成|改为|推迟到|提前到|延期到|延到|挪到|订在|放在|是在|定到|就在|在|是)了?((?:` + zhDate + `).*)$`), pDate, .85, dateZh},
	{"zh.todo.plan", subjSelf | subjGroup | subjKin, true, regexp.MustCompile(`^(.*?)(?:要|会|准备|打算|计划|得|需要|必须|约了|预约了|有个?|有一[个场次]|订了|报名了|飞|去|出发|开始|搬|参加|考|结婚|请假|出差|休假|放假|手术|体检|面试)(.*)$`), pPlan, .82, planZh},

	{"zh.schedule", subjNone | subjGroup, true, regexp.MustCompile(`^((?:我们的?)?[\p{Han}A-Za-z0-9 ]{2,12}?)(?:都|是|在|定在|要|会)*(每(?:周|天|月|年|个月|个星期|隔|两|三|半|季度|晚|早).{0,20})$`), pTimetable, .82, func(c *clause, m []string) (fact, bool) {
		return fact{subject: ourThing(m[1]), object: objectOf(c, m[2])}, !hasPrefixAny(m[1], "你", "他", "她", "以后", "请", "我要", "今后") && !containsAny(m[2], "都要", "必须")
	}},
	{"zh.doctor", subjNone | subjSelf, true, regexp.MustCompile(`^(?:我的)?(?:医生|大夫)(?:让|叫|要求|嘱咐|叮嘱|建议|要)(?:我)?((?:不要|别|不能|不让|少|多|戒|忌|每天|坚持|按时|避免).+)$`), pAdvised, .82, func(c *clause, m []string) (fact, bool) { return fact{object: objectOf(c, m[1])}, true }},
	{"zh.wants", subjNone | subjKin, true, regexp.MustCompile(`^(?:我们?的?)?(客户|甲方|老板|领导|公司|对方|供应商|房东|学校|银行)(?:要求|规定|只收|只接受|希望)(.{2,})$`), pStatement, .65, func(c *clause, m []string) (fact, bool) { return fact{subject: m[1], object: objectOf(c, m[2])}, true }},

	// Who I am.
	{"zh.name", subjSelf, false, regexp.MustCompile(`^(?:的)?(?:名字|全名|大名|真名)?(?:叫做?|是|名叫)([\p{Han}]{2,4}|[A-Z][A-Za-z]+(?: [A-Z][A-Za-z]+)?)$`), pName, .9, nameZh},
	{"zh.surname", subjSelf, false, regexp.MustCompile(`^(?:免贵)?姓([\p{Han}]{1,2})$`), pName, .92, func(c *clause, m []string) (fact, bool) { return fact{object: m[1], qualifier: "surname"}, true }},
	{"zh.allergic.none", subjPeople, false, regexp.MustCompile(`^(?:现在)?(?:对)?(?:什么|任何东西|任何食物)(?:东西|食物)?(?:都|也)?不过敏了?$|^有(?:任何|什么)?(?:食物)?过敏(?:史|的东西|的)?了?$`), pAllergic, .9, nothingOfAll},
	{"zh.allergic", subjPeople, false, regexp.MustCompile(`^(?:对(.{1,20}?)(?:严重|有点|都|会|也|重度|轻微)*(?:过敏|不耐受)|(?:有)?(.{1,8}?)(?:过敏|不耐受))(?:.*)$`), pAllergic, .95, func(c *clause, m []string) (fact, bool) {
		o := m[1] + m[2]
		return fact{object: objectOf(c, o), negated: c.negated}, o != "" && !hasPrefixAny(o, "没")
	}},
	{"zh.health", subjSelf | subjKin | subjPerson, false, regexp.MustCompile(`^(?:有|得了|得过|患有|患|查出|确诊了?|是|怀)?(?:轻度|重度|严重的?|先天性?|红绿)*(.{0,6}?(?:糖尿病|高血压|低血压|心脏病|高血糖|高血脂|色盲|色弱|左撇子|近视|远视|怀孕|哮喘|癫痫|抑郁症|焦虑症|恐高症?|晕车|晕船|晕机|失眠|痛风|贫血|关节炎|胃炎|鼻炎|胃病|偏头痛|听障|癌|多动症|自闭症|甲亢|甲减|腰椎间盘突出|过敏性鼻炎))(.{0,12})$`), pHealth, .88, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1], negated: c.negated}, !containsAny(c.text, "害怕", "预防", "治疗", "治")
	}},
	{"zh.diet", subjPeople, false, regexp.MustCompile(`^(?:是|吃|只吃|开始吃|坚持)?(素食主义者|素食者|素食|纯素|全素|吃素|素|清真|生酮|低盐|低糖|无麸质)(?:的|者|饮食|食品|餐)?$`), pDiet, .9, nil},
	{"zh.marital", subjSelf | subjKin, false, regexp.MustCompile(`^(?:是|已经|还是|还)?(已婚|未婚|结婚了?|单身|离婚了?|离异|订婚了?|丧偶)(?:.{0,8})$`), pMarital, .88, nil},
	{"zh.age", subjSelf | subjKin | subjMine | subjPerson, false, regexp.MustCompile(`^(?:[上这下]个?[月周]|去年|昨天|今天|前天|今年|快|已经|都|刚满?|满|马上|才|就|有|要)*(\d{1,3}|[一二三四五六七八九十两]{1,3})(?:多)?(?:周)?岁(?:半|多|了|啦)?$`), pAge, .9, nil},
	{"zh.birthday", subjSelf | subjKin, false, regexp.MustCompile(`^(?:的)?(?:生日|出生日期)(?:是|在|为|：|:)*(.+)$|^(?:出生于|生于)((?:\d{4}年|\d{1,2}月).*?)$|^是((?:\d{4}年)?(?:\d{1,2}月)?(?:\d{1,2}[日号])?)(?:出生|生)的?$`), pBirthday, .92, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, strings.Join(m[1:], ""))
		return fact{object: o}, strings.ContainsAny(o, "0123456789月")
	}},
	{"zh.moved", subjPeople, false, regexp.MustCompile(`^(?:要|刚|已经|最近|上个?月|上周|去年)*(?:从(.{1,12}?))?搬(?:家)?(?:到|去|来|回|进|至)了?([\p{Han}A-Za-z0-9]{2,16}?|` + zhLatin + `)(?:了|住|去了|来了|去)?$`), pLivesIn, .9, func(c *clause, m []string) (fact, bool) {
		return fact{object: objectOf(c, m[2]), replaces: objectOf(c, m[1])}, true
	}},
	{"zh.lives", subjPeople, false, regexp.MustCompile(`^(?:是|就|一个人|(?:和|跟|带着?).{1,12}?|一家人?|全家)?(?:的?家)?(?:居住在|定居在|定居于|常住|暂住在?|住在|住|家在|在)([\p{Han}A-Za-z0-9·]{2,20}?|` + zhLatin + `)(?:住|生活|定居|居住)?(?:了.{0,6}年|很多年|附近)?(?:了|的|那边|这边)?$`), pLivesIn, .9, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		if !containsAny(c.vp, "住", "定居", "家在") { // 我在超市
			return fact{}, false
		}
		return fact{object: o, past: c.past, negated: c.negated}, o != "" && !hasPrefixAny(o, "院", "酒店", "宾馆", "过", "的")
	}},
	{"zh.hometown", subjPeople, false, regexp.MustCompile(`^(?:的)?(?:老家|家乡|籍贯)(?:是|在)([\p{Han}A-Za-z]{2,12}?|` + zhLatin + `)(?:的|人)?$|^来自([\p{Han}A-Za-z]{2,12}?|` + zhLatin + `)(?:的)?$|^出生(?:于|在)([\p{Han}A-Za-z]{2,12}?|` + zhLatin + `)$|^是(?:土生土长的)?([\p{Han}]{2,6})人$|^(?:在|从小在)([\p{Han}]{2,8}?)长大的?$`), pHometown, .85, func(c *clause, m []string) (fact, bool) {
		o := strings.Join(m[1:], "")
		return fact{object: objectOf(c, o)}, !containsAny(o, "负责", "主持", "当事", "好", "坏", "主", "一个", "候选", "联系", "年轻", "普通", "那种", "这种", "文化", "内向", "外向", "急性子", "机器", "成年", "老实", "有心", "独立", "创始", "合伙", "法")
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
		if m[2] != "" {
			f.twin = &fact{pred: pJob, object: m[2]}
		}
		return f, true
	}},
	{"zh.works_at", subjPeople, false, regexp.MustCompile(`^(?:是)?(?:在|于)([\p{Han}A-Za-z0-9·]{2,20}?|` + zhLatin + `)(?:里|那边|这边)?(?:工作|上班|任职|就职|供职|实习|(?:做|当|担任|从事|干)(?:一名|一个|个|名)?([\p{Han}A-Za-z/]{1,12}?|` + zhLatin + `))(?:了.{0,6}|的|多年)?$`), pWorksAt, .92, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		f := fact{object: o, negated: c.negated, past: c.past}
		job := objectOf(c, m[2])
		if containsAny(job, "饭", "梦", "作业", "客", "题", "事", "什么", "完", "活动", "游戏", "家务", "运动") || containsAny(o, "家", "会议室", "厨房") && m[2] == "" && o == "家" {
			return fact{}, false
		}
		if job != "" {
			f.twin = &fact{pred: pJob, object: job, past: c.past}
		}
		return f, true
	}},
	{"zh.job", subjSelf | subjKin | subjPerson, false, regexp.MustCompile(`^(?:是|做|当|担任|从事|的?(?:工作|职业|职位|岗位|本职)是)(?:的是)?(?:一名|一个|一位|个|名|位)?(?:[\p{Han}A-Za-z]{0,12}?的)?([\p{Han}A-Za-z/]{0,8}(?:工程师|程序员|设计师|老师|教师|医生|护士|律师|会计|审计|经理|总监|主管|主任|司机|厨师|教授|研究员|分析师|产品|运营|架构师|编辑|记者|作家|翻译|学生|研究生|博士生|博士|硕士|本科生|公务员|销售|顾问|架构|开发|测试|运维|策划|摄影师|画家|音乐家|演员|歌手|导演|警察|消防员|飞行员|农民|工人|电工|木工|药剂师|咨询师|理发师|店长|老板|创始人|合伙人|自由职业者?|全职妈妈|家庭主妇|退休教师|快递员|外卖员|客服|前台|助理|秘书|出纳|文员|数据科学家|科学家|牙医|兽医|教练))(?:的)?$`), pJob, .9, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1], past: c.past, negated: c.negated}, !c.negated || c.ended
	}},
	{"zh.studies", subjPeople, false, regexp.MustCompile(`^(?:在([\p{Han}A-Za-z]{2,14}?|` + zhLatin + `)(?:(?:读|念|学)(.{1,14})|上(?:[大小中]学|初中|高中|学|研究生).{0,10})|(?:的)?专业是(.{2,12})|(?:是)?(?:从)?([\p{Han}]{2,12}?)毕业的?|上((?:小学|初中|高中|大学|幼儿园|[一二三四五六七八九大高初][年一二三]).{0,8})|(?:\d{4}年)?毕业于(.{2,12})|(?:在学|正在学|学的是|学了.{1,6}年的?|主修|读的是|攻读)(.{1,14}))$`), pStudies, .85, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, strings.Join(m[3:], ""))
		if m[1] != "" {
			o = objectOf(c, c.vp)
		}
		return fact{object: o}, utf8.RuneCountInString(o) >= 2 && !strings.HasPrefix(m[2], "到") && !strings.HasPrefix(m[2], "书")
	}},
	{"zh.speaks", subjPeople, false, regexp.MustCompile(`^(?:会说|会讲|能说|母语是|的母语是|会|说)(?:一点|流利的?)?([\p{Han}]{1,12}?(?:语|话|文))(?:.{0,10})$`), pSpeaks, .88, nil},
	{"zh.report", subjSelf, false, regexp.MustCompile(`^(?:直接)?(?:向|跟|给)([\p{Han}A-Za-z]{1,10}?|` + zhLatin + `)汇报(?:工作)?(?:了)?$`), pManager, .9, func(c *clause, m []string) (fact, bool) { return fact{object: m[1], qualifier: "manager"}, true }},

	// People and animals around me.
	{"zh.kin.birthday", subjKin, false, regexp.MustCompile(`^(?:的)?生日(?:是|在|为)?(.+)$`), pBirthday, .9, nil},
	{"zh.kin.name", subjKin, false, regexp.MustCompile(`^(?:的)?(?:名字|大名|小名|英文名)?(?:叫做?|名叫|是|换成了?|现在是|改成了?)([\p{Han}A-Za-z]{1,12}?|` + zhLatin + `)(?:了)?$`), pKnows, .9, kinNameZh},
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
	{"zh.has.kin", subjSelf | subjKin | subjGroup, false, regexp.MustCompile(`^(?:家)?(?:里)?有((?:一|两|三|四|五|\d+|一对)?(?:个|位|对)?(?:.{0,4}?)(?:女儿|儿子|孩子|妹妹|姐姐|弟弟|哥哥|双胞胎|女朋友|男朋友|室友|宝宝|娃|侄子|侄女|外甥|外甥女)(?:和.{1,6})?)$`), pHas, .92, func(c *clause, m []string) (fact, bool) { return fact{object: m[1], negated: c.negated}, true }},

	// Tastes, habits, things.
	{"zh.favourite", subjSelf | subjKin | subjPerson, true, regexp.MustCompile(`最(?:喜欢|爱)(?:吃|喝|看|听|玩|用|去|读)?的(.{1,12}?)(?:现在)?(?:还是|是|变成|换成|改成|叫)了?(.{1,24}?)了?$`), pFavourite, .92, func(c *clause, m []string) (fact, bool) {
		return fact{object: objectOf(c, m[2]), qualifier: m[1]}, !containsAny(m[2], "什么", "哪")
	}},
	{"zh.prefers", subjPeople, false, regexp.MustCompile(`^(?:的)?(?:偏好(?:是|用)?|更喜欢|更爱|比较喜欢|更倾向于?|倾向于|宁愿|宁可|偏爱|更习惯)(.+)$`), pPrefers, .9, nil},
	{"zh.likes", subjPeople, false, regexp.MustCompile(`^(?:是)?(?:最)?(?:喜欢上?|爱上?|热爱|喜爱|酷爱|钟爱|迷上|享受|热衷于?)(?:了)?(.+)$`), pLikes, .9, tasteZh},
	{"zh.dislikes", subjPeople, false, regexp.MustCompile(`^(?:最)?(?:讨厌|厌恶|受不了|反感|痛恨|特烦|恨|很怕|最怕|害怕|怕)(?:别人)?(.+)$`), pDislikes, .88, tasteZh},
	{"zh.consumes", subjPeople, false, regexp.MustCompile(`^(?:戒了?(烟|酒|糖|咖啡|奶茶|肉|辣)|(?:能|可以|敢|会)?(?:吃|喝|抽|碰)(.{1,14}?))(?:了)?$`), pConsumes, .85, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1]+m[2])
		neg := c.negated || m[1] != ""
		f := fact{object: o, negated: neg, qualifier: o, past: c.past}
		if m[1] != "" {
			f.replaces = o // 戒: given up
		}
		return f, (neg || c.past) && o != "" && !hasPrefixAny(o, "饭", "完", "过", "下", "了", "惯", "透", "亏", "起") || neg && hasPrefixAny(o, "起司")
	}},
	{"zh.given_up", subjPeople, false, regexp.MustCompile(`^(?:看|听|玩|追|刷|用|买|逛|养|去|打|读|穿|做|学)(.{1,14}?)(?:了)?$`), pUses, .82, givenUpZh},
	{"zh.decided", subjGroup | subjSelf, false, regexp.MustCompile(`^(?:最后|最终|已经|一致|讨论后|商量后|开会|昨天|今天|上周)*(?:决定|商定|选了|选用|选择了?|选定|敲定|采用|改用|定下来?|拍板|约定)(?:了)?(.+)$`), pDecision, .88, func(c *clause, m []string) (fact, bool) {
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
	{"zh.uses", subjSelf | subjGroup | subjKin | subjPerson, false, regexp.MustCompile(`^(?:主要用|用的是|用|使用|在用|开的?是|开|骑的?是|骑|弹|玩)(?:着|了)?(.{2,30}?)(?:来?(?:写|做|办公|开发|上班|代步|画|记|管理|沟通|协作|聊天|开会|联系|看|听|拍|剪|部署|监控)(.{0,10}))?$`), pUses, .82, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		return fact{object: o, negated: c.negated}, o != "" && (specific(o) || c.negated || utf8.RuneCountInString(c.vp)-utf8.RuneCountInString(o) > 2 || containsAny(c.vp, "用的是", "开的是", "骑的是") || hasPrefixAny(c.vp, "弹")) && !hasPrefixAny(o, "会", "心", "始", "不", "户")
	}},
	{"zh.habit", subjSelf | subjGroup | subjKin, true, regexp.MustCompile(`每天|每周|每个|每晚|每早|每月|每年|习惯|通常|一般|经常|总是|平时|从来不|从不|每隔|每两`), pHabit, .8, func(c *clause, m []string) (fact, bool) {
		if c.past || containsAny(c.text, "了一", "那次") || c.sub.kind == subjGroup && !containsAny(c.text, "每", "通常", "习惯") {
			return fact{}, false
		}
		return fact{object: c.vp}, utf8.RuneCountInString(c.vp) > 2
	}},
	{"zh.has", subjSelf | subjGroup | subjKin, false, regexp.MustCompile(`^(?:家)?(?:里)?(?:有|刚?买了|新买了|收藏了?|拥有)((?:一|两|三|四|五|六|\d+)(?:台|辆|套|把|架|块|部|间|栋|家|支|副|艘|顶|座|张|箱)(?:.{1,16}))$`), pHas, .8, func(c *clause, m []string) (fact, bool) {
		return fact{object: objectOf(c, m[1]), negated: c.negated}, true
	}},
	{"zh.trait", subjSelf | subjKin, false, regexp.MustCompile(`^(?:是)?(?:个|一个)?(夜猫子|早起的人|社恐|内向的?人?|外向的?人?|独生子|独生女|双胞胎|完美主义者?|基督徒|佛教徒|穆斯林|程序媛|单亲妈妈|身高\S{1,8}|体重\S{1,8}|血型(?:是)?\S{1,5}|属[鼠牛虎兔龙蛇马羊猴鸡狗猪]|[\p{Han}]{2}座|[ABO]{1,2}型血?)(?:的)?$`), pTrait, .85, nil},
	{"zh.teaches", subjSelf | subjKin, false, regexp.MustCompile(`^教(.{2,16})$`), pDoing, .78, func(c *clause, m []string) (fact, bool) {
		return fact{object: "教" + objectOf(c, m[1])}, !hasPrefixAny(m[1], "我", "你", "他", "她", "育", "练")
	}},
	{"zh.doing", subjSelf | subjGroup | subjKin, true, regexp.MustCompile(`(?:正在|在|一直在)?(学|写|备考|准备考|筹备|装修|研究|负责)(.{2,20})$`), pDoing, .72, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1] + objectOf(c, m[2])}, containsAny(c.text, "在"+m[1], "负责", "备考", "筹备")
	}},
	{"zh.member.joined", subjNone, true, regexp.MustCompile(`^([\p{Han}A-Za-z]{1,6}?|` + zhLatin + `)(?:这周|本周|今天|昨天|刚刚?|最近|上周|上个?月|也|已经|正式|明天|下周)*加入了?(我们[\p{Han}]{0,4}?)了?$`), pMember, .85, func(c *clause, m []string) (fact, bool) {
		return fact{subject: "we", object: m[1]}, !containsAny(m[1], "他", "她", "你", "谁", "请", "以")
	}},
	{"zh.reading", subjNone | subjGroup, true, regexp.MustCompile(`^(.{4,40}?)[：:]\s*([\p{Han}A-Za-z0-9]{1,16}?|` + zhLatin + `)\s*(?:是|为|达到|约)?\s*(\d[\d.,]*\s*\S{0,6})$`), pStatement, .7, func(c *clause, m []string) (fact, bool) {
		return fact{subject: m[1], object: m[2] + " " + m[3], kind: schema.KindProject}, true
	}},
	{"zh.members", subjGroup, false, regexp.MustCompile(`^(?:组|团队|部门|公司|家)?(?:里)?(?:一共)?(?:的?成员(?:有|包括|是)|有|包括)(.+[、和].+)$`), pMember, .85, nil},

	// Hosts, ports, versions, paths, roles.
	{"zh.port", subjAny | subjNone, true, regexp.MustCompile(`^(.{1,24}?)(?:的)?(?:(?:服务|管理|数据库|对外|默认)?端口(?:号)?(?:是|为|改成了?|改为|换成了?|改到了?|：|:|用的是|在)+|(?:监听|跑|运行|开|部署)(?:在|的是|着)?(?:端口)?)\s*(\d{2,5})(?:端口|上|了)*$`), pPort, .9, func(c *clause, m []string) (fact, bool) {
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
	{"zh.version", subjAny | subjNone, true, regexp.MustCompile(`^(.{1,24}?)(?:的)?(?:版本(?:号)?(?:是|为|：|:)+|(?:已经|现在)*升级?到了?|用的(?:版本)?是|现在是)\s*(v?\d+(?:\.\d+)+[\w.-]*|[A-Za-z]+ ?\d+(?:\.\d+)*)\s*(?:版本|版|了)*$`), pVersion, .88, func(c *clause, m []string) (fact, bool) {
		return fact{subject: ourThing(m[1]), object: m[2]}, containsAny(c.text, "版本", "升级", "升到") || m[2][0] == 'v' // 网关现在是 v2.4
	}},
	{"zh.path", subjAny | subjNone, true, regexp.MustCompile(`^(.{1,24}?)(?:都|统一|一般)?(?:的)?(?:路径|目录|位置|地址)?(?:是|为|在|放在|存在|保存在|写在|写到|位于|存到|输出到|部署在|部署到|装在)了?\s*((?:~|\.{1,2})?/[\w./@+~-]+|[A-Za-z]:\\[\w\\.-]+)\s*(?:下|里|目录|下面)*$`), pPath, .88, func(c *clause, m []string) (fact, bool) {
		return fact{subject: ourThing(m[1]), object: m[2]}, true
	}},
	{"zh.url", subjAny | subjNone, true, regexp.MustCompile(`^(.{1,24}?)(?:的)?(?:网址|地址|链接|文档|域名)?(?:是|为|在|：|:)+\s*(https?://\S+)$`), pURL, .88, func(c *clause, m []string) (fact, bool) {
		return fact{subject: ourThing(m[1]), object: m[2]}, true
	}},
	{"zh.host", subjAny | subjNone, true, regexp.MustCompile(`^(.{1,24}?)(?:都|目前|现在)?(?:(?:部署|跑|运行|托管|装|搭)(?:在|到)了?|在)\s*([A-Za-z][\w.-]*[\w]|\d+\.\d+\.\d+\.\d+|[\p{Han}A-Za-z]{2,8}(?:云|机房|服务器))\s*(?:上|上面|里|这台机器上|那台机器上)?$`), pHost, .85, func(c *clause, m []string) (fact, bool) {
		return fact{subject: ourThing(m[1]), object: m[2]}, c.sub.kind != subjSelf && specificZh(m[2]) && containsAny(c.text, "部署", "跑", "运行", "托管", "装", "搭", "放在", "上")
	}},
	{"zh.owner.does", subjNone, true, regexp.MustCompile(`^([\p{Han}]{2,4}|` + zhLatin + `)(?:现在|目前|主要)?负责([\p{Han}A-Za-z0-9]{2,14}|` + zhLatin + `)(?:的)?$`), pOwner, .85, func(c *clause, m []string) (fact, bool) {
		return fact{subject: m[2], object: m[1]}, !containsAny(m[1], "他", "她", "你", "谁", "要", "请", "由", "不", "来")
	}},
	{"zh.changed.to", subjNone | subjGroup, true, regexp.MustCompile(`^(.{2,14}?)(?:已经|现在|都|后来|最近)*(?:从\s*(.{1,20}?)\s*)?(?:迁移?到|换成|切换?到|升级到|改用|改成)了?\s*(.{2,60}?)\s*了?$`), pAttr, .78, func(c *clause, m []string) (fact, bool) {
		return fact{subject: "we", qualifier: ourThing(m[1]), object: objectOf(c, m[3]), replaces: objectOf(c, m[2]), kind: schema.KindProject}, specific(m[3]) && len(c.whens()) == 0 && !hasPrefixAny(m[1], "把", "请", "帮", "能", "你")
	}},
	{"zh.owner", subjAny | subjNone, true, regexp.MustCompile(`^(.{2,20}?)(?:现在|目前)?(?:由|归|是)([\p{Han}A-Za-z]{1,10}?|` + zhLatin + `)(?:来)?(?:负责|维护|接手|管|管理)(?:的)?$`), pOwner, .85, func(c *clause, m []string) (fact, bool) {
		return fact{subject: ourThing(m[1]), object: m[2]}, true
	}},
	{"zh.depends", subjThing | subjGroup | subjNone, true, regexp.MustCompile(`^([\p{Han}A-Za-z0-9_. -]{2,20}?|` + zhLatin + `)(?:依赖于?|基于)([\p{Han}A-Za-z0-9_. -]{2,24}|` + zhLatin + `)$`), pDepends, .78, func(c *clause, m []string) (fact, bool) {
		return fact{subject: ourThing(m[1]), object: objectOf(c, m[2])}, specific(m[1] + m[2])
	}},
	{"zh.amount", subjAny | subjNone, true, regexp.MustCompile(`^(?:我们?)?([\p{Han}A-Za-z]{2,10}?|` + zhLatin + `)(?:先|最后|最终|一共|总共|暂定|共|每次|需要|要)*(?:做|定|订|买|采购|生产|备|印|招|预算|是)?(?:了)?(\d+(?:\.\d+)?)(` + zhUnits + `)$`), pAmount, .75, func(c *clause, m []string) (fact, bool) {
		if len(c.whens()) > 0 || c.sub.kind == subjKin || strings.HasPrefix(m[1], "我") {
			return fact{}, false
		}
		return fact{subject: m[3], qualifier: m[1], object: m[2] + m[3]}, true
	}},
	{"zh.role", subjNone, true, regexp.MustCompile(`^([\p{Han}]{2,4}|` + zhLatin + `)是([\p{Han}A-Za-z0-9]{2,14}?|` + zhLatin + `)的([\p{Han}A-Za-z]{2,12}|` + zhLatin + `)$`), pRole, .8, func(c *clause, m []string) (fact, bool) {
		if containsAny(m[1], "这", "那", "他", "她", "它", "你", "今天", "昨天", "什么", "不", "都", "也") || hasSuffixAny(m[3], "人", "事", "问题", "时候", "东西", "地方") && utf8.RuneCountInString(m[3]) < 3 {
			return fact{}, false
		}
		return fact{subject: m[1], object: m[3] + " at " + m[2]}, true
	}},

	// What is mine, or a thing's, by name: the attribute is the predicate.
	{"zh.attr", subjSelf | subjGroup | subjKin, false, regexp.MustCompile(`^(?:的)?([\p{Han}A-Za-z0-9 ]{1,14}?|` + zhLatin + `)(?:现在|目前|已经|最后|还是)*(是|叫做?|为|改成了?|改为|换成了?|变成了?|改到了?|：|:)(.+)$`), pAttr, .82, attrZh},
	{"zh.attr.of", subjNone, true, regexp.MustCompile(`^([\p{Han}A-Za-z0-9 _.-]{2,16}?|` + zhLatin + `)的([\p{Han}A-Za-z0-9 ]{2,10}?|` + zhLatin + `)(?:现在|目前|已经|最后|还是)*(?:是|叫做?|为|改成了?|改为|换成了?|变成了?|改到了?|：|:)(.+)$`), pAttr, .8, attrOfZh},
	{"zh.thing", subjNone, true, regexp.MustCompile(`^([\p{Han}A-Za-z0-9]{2,16}?(?:编号|账号|号码|地址|名字|名称|代号|上限|预算|价格|周期|频率|区域|分支|环境|时区))(?:是|为|改成了?|改为|：|:)(.+)$`), pAttr, .8, func(c *clause, m []string) (fact, bool) {
		return fact{subject: "we", qualifier: m[1], object: objectOf(c, m[2]), kind: schema.KindProject}, true
	}},

	// What is done with, and what happened on a day; what is only a statement.
	{"zh.done.object", subjNone | subjThing, true, regexp.MustCompile(`^([\p{Han}A-Za-z0-9 ]{2,16}?|` + zhLatin + `)(?:我们?)?(` + zhDoneWhen + `*)(交|提交|上交|递交|付|缴|缴纳|支付|还|寄|发|写|做|办|办理|续费|续|订|买|取|拿|领|修|预约|报名?|填|审|改|更新|完成|搞定|弄|处理|签|准备|整理|打|退|换|还清|上传|归还|解决|取消)(完|好|掉|过|清|齐|出去|上去|回来|妥)?(?:给([\p{Han}A-Za-z]{1,8}?))?了$`), pEvent, .8, doneObjectZh},
	{"zh.done.ba", subjNone | subjSelf | subjGroup, true, regexp.MustCompile(`^(?:我们?)?` + zhDoneWhen + `*把(.{2,16}?)(?:都|也|全|给|已经)*(?:` + zhDoneVerb + `)(?:完|好|掉|过|清|齐|出去|上去|回来|妥)?(?:给([\p{Han}A-Za-z]{1,8}?))?了$`), pEvent, .8, func(c *clause, m []string) (fact, bool) { return doneForZh(c, m[1], m[2]) }},
	{"zh.done.verb", subjSelf | subjGroup, true, regexp.MustCompile(`^我们?` + zhDoneWhen + `*(?:` + zhDoneVerb + `)(?:(?:完|好|掉|过|清|齐|妥)了?|了)([\p{Han}A-Za-z0-9 ]{2,16}?|` + zhLatin + `)了?$`), pEvent, .8, func(c *clause, m []string) (fact, bool) { return doneZh(c, m[1]) }},
	{"zh.done.call", subjNone | subjSelf | subjGroup, true, regexp.MustCompile(`^(?:我们?)?` + zhDoneWhen + `*(?:给|跟|和|向|往)(.{1,12}?)` + zhDoneWhen + `*(?:打|发|写|回|寄|联系|沟通|确认|预约)(?:过|了|完|好)?(?:一?[个封条次通])?(?:电话|邮件|消息|短信|微信|信|包裹)?(?:了|过)?$`), pEvent, .8, callZh},
	{"zh.event", subjSelf | subjGroup | subjKin, true, nil, pEvent, .7, eventZh},
	{"zh.event.carried", subjNone, true, regexp.MustCompile(`^(?:昨天|昨晚|今天|今早|前天|上周|上个月|刚刚|刚才).*?(?:我|和|跟|给|在|去|被).*$`), pEvent, .6, eventZh},
	{"zh.statement", subjNone | subjGroup, true, regexp.MustCompile(`^([\p{Han}A-Za-z0-9_. -]{2,16}?|` + zhLatin + `)(?:都|也|一般|现在|每周|每天|只)?(?:是|用|使用|支持|需要|要求|放在|存|每|有|加入|负责|管|不支持|不能|允许|在)(.{2,60})$`), pStatement, .55, statementZh},
}
