package distill

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// rulesPlanZh are corrections that name what they replace, plans, dates and reminders.
var rulesPlanZh = []rule{
	// Corrections that name what they replace.
	{"zh.amount.correct", subjAny | subjNone, true, regexp.MustCompile(`^(?:前面|之前|刚才|上次|原来|先前|早先)(?:说|讲|提|定|写)?(?:的|过的|好的)?.{0,6}?(\d+(?:\.\d+)?)(` + zhUnits + `)(?:.{0,6}?(?:作废|不算数?|取消|不对|错了|不要了))?[，,]?(?:.{0,6}?)(?:最后定|最终定|改成|改为|换成|定为|改定|应该是|是|最后是|最终是|定)了?(\d+(?:\.\d+)?)(` + zhUnits + `)`), pAmount, .85, func(c *clause, m []string) (fact, bool) {
		return fact{subject: m[4], object: m[3] + m[4], replaces: m[1] + m[2]}, m[2] == m[4]
	}},

	// Plans, dates, reminders.
	{"zh.todo.remind", subjNone, false, regexp.MustCompile(`^记得(.+)$`), pReminder, .9, func(c *clause, m []string) (fact, bool) {
		return fact{object: objectOf(c, m[1]), expires: true}, utf8.RuneCountInString(m[1]) > 2 && !hasPrefixAny(m[1], "住", "清", "不", "我之前", "我上次", "我们上次", "我们之前") && !reAskZh.match(m[1])
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
}
