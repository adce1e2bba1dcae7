package distill

import (
	"regexp"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// rulesKeepZh are what need not be kept any more, and what must be.
var rulesKeepZh = []rule{
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
	{"zh.lift.that", subjAny | subjNone, true, regexp.MustCompile(`^(?:之前|原来|以前|前面|刚才|刚刚|上次|那条|那个|关于|我|说的|说过的|提的|定的|的)*(不要|不许|不准|不能|不得|别|禁止|禁)?(.{2,20}?)(?:那条|这条|那一条)(?:已经|现在|就|可以|都)*(?:取消|作废|解除|废除|不算数?|不作数|失效|撤销|去掉)(?:了|吧)?$`), pPermitted, .85, liftRuleZh},
	{"zh.lift.rule", subjAny | subjNone, true, regexp.MustCompile(`^(?:之前|原来|以前|前面|那条|那个|关于|我|说的|说过的|定的|的)*(?:不要|不许|不准|不能|不得|别|禁止|禁)?(.{2,20}?)(?:那条|这条|那个|这个)?的?(?:规矩|规则|规定|要求|限制|约定|禁令)(?:已经|现在|就|可以|都)*(?:取消|作废|解除|废除|不算数?|不作数|失效|不用遵守|不再有效|撤销|去掉)了?$`), pPermitted, .85, liftZh},

	// What must be kept.
	{"zh.rule.label", subjAny | subjNone, true, regexp.MustCompile(`^(?:我们?|咱们?|公司|团队|组里|家里|项目|有个|有一个|一个|的|这里|家)*(?:规矩|规则|规定|原则|约定|底线|铁律)(?:是|就是|：|:)?[，,\s]*(.+)$`), pRule, .92, ruleZh},
	{"zh.rule.standing", subjAny | subjNone, true, regexp.MustCompile(`^(?:请|麻烦)?(?:你|您)?(?:以后|今后|从现在起|从现在开始|从今往后|往后|从今天起|每次|每当)(?:请|麻烦)?(?:你|您)?(?:.{0,16}?)(?:都|不要|别|必须|一律|务必|只|不准|不许|不用|不能|一定|请|用|先|按|叫我|称呼|记得|要).+$`), pRule, .9, standingZh},
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
	{"zh.rule.shown", subjNone | subjSelf | subjThing, true, regexp.MustCompile(`^(?:给|发给|写给|回给|报给)我(?:看|发|写|报|回复?)?的(?:所有|任何)?[\p{Han}]{2,8}?(?:一律|都|统一|全部|请|要|得)*(?:用|按|写成|保留|控制在|不超过).+$`), pRule, .8, ruleZh},
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
}
