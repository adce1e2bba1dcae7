package distill

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func ruleZh(c *clause, _ []string) (fact, bool) {
	if containsAny(c.text, "别担心", "别急", "别提多", "不要紧", "别客气", "别的", "不用谢", "不用了", "不要了", "别闹", "别生气", "别误会", "别着急", "不用管", "不用担心", "先别", "先不要", "暂时不", "今天不", "今天别", "这次", "等会", "一下", "一会儿", "现在别", "现在不要", "还不要", "再说", "这里", "这儿", "这段", "这一段", "这个函数", "上面", "必须说", "必须承认", "不得不", "总是出", "总是报", "总是失败") || reNothingZh.MatchString(trimEndZh(c.text)) || strings.HasPrefix(c.text, "平时") && !containsAny(c.text, "我", "你", "您", "回复", "回答") || utf8.RuneCountInString(c.text) < 4 {
		return fact{}, false
	}
	return fact{object: c.text}, true
}

// momentZh reports whether s names when something is done by what it comes before or after: 提交前.
func momentZh(s string) bool {
	return hasSuffixAny(s, "前", "后", "时") && utf8.RuneCountInString(s) > 2 &&
		!hasSuffixAny(s, "目前", "之前", "之后", "以前", "以后", "今后", "然后", "随后", "最后", "眼前", "提前", "当前", "小时", "平时", "同时", "及时", "准时", "按时", "临时", "届时", "暂时", "有时")
}

func allowedZh(c *clause, m []string) (fact, bool) {
	neg := containsAny(m[2], "不", "严禁", "禁止")
	subj := strings.TrimSuffix(m[1], "的")
	if neg && reOccasionZh.match(subj) { // 周四不许开会, 回答里禁止用表情: no thing that it is about
		f, ok := banZh(c, []string{m[0], m[2], m[3]})
		f.pred, f.kind = pRule, schema.KindProject
		return f, ok
	}
	if hasSuffixAny(subj, "谁", "怪", "恨", "舍", "顾", "由", "了", "巴", "年年", "天天") || strings.HasPrefix(subj, "除") { // 除了运维，谁都不能: who may is told as well
		return fact{}, false
	}
	if containsAny(m[0], "不能再", "再不能") && strings.Contains(m[0], "的") || m[2] == "只能" && !containsAny(subj, "所有", "每", "我们") {
		return fact{}, false // what cannot be otherwise
	}
	if !reAgentZh.match(subj) && !hasPrefixAny(subj, "你", "他", "她", "这", "那", "最近", "今天", "暂时", "能", "还", "我") && !c.past && len(c.certain(true)) == 0 && !hasPrefixAny(m[3], "得", "说", "承认", "的", "用了", "打开", "访问", "运行", "登录", "连") && c.sub.kind != subjSelf {
		f, ok := ruleZh(c, m) // 代码注释一律英文: how to go about a thing
		f.pred, f.kind = pRule, schema.KindProject
		return f, ok && utf8.RuneCountInString(m[3]) > 1
	}
	if !neg && (reOccasionZh.match(subj) || momentZh(subj) || strings.HasSuffix(subj, "请") || reInLanguageZh.match(m[3])) && !hasPrefixAny(subj, "你", "他", "她", "这", "那", "我") && !c.past {
		f, ok := ruleZh(c, m) // 提交前必须跑测试, 代码注释一律用中文写: how to go about something
		f.pred = pRule
		return f, ok && len(c.certain(true)) == 0
	}
	if hasPrefixAny(subj, "你", "他", "她", "这", "最近", "今天", "暂时", "能", "还", "那", "我") && !strings.HasPrefix(subj, "我们") || c.past {
		return fact{}, false
	}
	if c.sub.kind == subjSelf || m[2] == "不能" && hasPrefixAny(m[3], "用", "打开", "访问", "运行", "登录", "连") && !containsAny(c.text, "员", "客", "人", "代码", "孩子") {
		return fact{}, false
	}
	if hasPrefixAny(m[3], "得", "说", "承认", "的") {
		return fact{}, false
	}
	o := objectOf(c, m[3])
	return fact{subject: subj, object: m[2] + o, negated: neg, qualifier: o, kind: schema.KindProject}, utf8.RuneCountInString(o) > 1
}

var (
	reInLanguageZh = gated(`^(?:用|使用|以)` + zhLanguage)
	reOccasionZh   = gated(`^` + zhRecur + `$|(?:的时候|期间|里面?|之[前后中内]|以[前后内])$`)
)

// notBannedZh follow a word that only looks like a ban, or make a wish or a comfort of it.
var notBannedZh = []string{"指望", "怪我", "笑", "人", "的", "墅", "处", "家", "样", "称", "名", "致", "针", "扭", "国", "市", "校", "班", "组", "院", "忘", "逼", "慌", "怕", "急", "担心", "介意", "紧", "太累", "难过", "生气", "客气", "谢", "脸", "光", "命", "饿", "是", "下雨", "下雪", "刮风", "停电", "堵车", "加班", "迟到", "熬夜"}

// standingZh is what is to be done every time from now on. What happens every time is no order: 每次都绕半天.
func standingZh(c *clause, m []string) (fact, bool) {
	if hasPrefixAny(c.text, "每次", "每当") && !containsAny(c.text, "你", "您", "请", "不要", "别", "必须", "一律", "务必", "不准", "不许", "不能", "一定", "给我", "帮我", "先", "记得", "要", "用", "叫我", "称呼") {
		return fact{}, false
	}
	return ruleZh(c, m)
}

// banZh is a prohibition that holds at a time, on an occasion or in a place: m holds the word that forbids and what
// is forbidden. One for a certain day is no rule, and what only sounds like one (别人, 别忘了, 不要紧) none either.
func banZh(c *clause, m []string) (fact, bool) {
	if c.past || c.negated || hasPrefixAny(m[2], notBannedZh...) || hasSuffixAny(trimEndZh(c.text), "就好", "就好了", "才好", "就行了", "吧") || len(c.certain(true)) > 0 {
		return fact{}, false
	}
	return ruleZh(c, m)
}

// liftZh is a rule lifted: what was forbidden may be done, or what had to be done need not be. Where no rule is about
// it, it is a fact.
func liftZh(c *clause, m []string) (fact, bool) {
	matter := strings.Join(m[1:], "")
	if c.past || hasPrefixAny(matter, "叫我", "称呼", "喊我", "开始", "走", "放心", "说是", "说", "这样", "这么", "来") && utf8.RuneCountInString(matter) < 6 || containsAny(matter, "叫我", "称呼我", "喊我") || len(c.certain(true)) > 0 ||
		reThatRuleZh.match(matter) || containsAny(c.text, "这次", "这回", "暂时", "先不") {
		return fact{}, false
	}
	return fact{object: c.text, replaces: matter, soft: true}, true
}

var reThatRuleZh = gated(`^(?:那条|这条|那个|这个|那些|这些|之前|原来)的?$`)

// liftWithZh is what may be done, or need not be, where the rule against it is called off in the same breath: m holds
// when, which of the two, and the deed.
func liftWithZh(c *clause, m []string) (fact, bool) {
	f, ok := liftZh(c, []string{m[0], m[1], m[3]})
	if strings.HasPrefix(m[2], "不") {
		f.pred = pExempt
	}
	return f, ok
}

// liftRuleZh is a rule called off by its words: m holds the one that forbids, if it does, and the matter.
func liftRuleZh(c *clause, m []string) (fact, bool) {
	c.past = false // 之前说的 is when the rule was made
	f, ok := liftZh(c, []string{m[0], m[2]})
	if m[1] == "" && !strings.Contains(m[0], "禁") {
		f.pred = pExempt
	}
	return f, ok
}

// changeZh is a rule about the language of a kind of text: 注释还是用英文吧.
func changeZh(c *clause, m []string) (fact, bool) {
	if containsAny(m[0], "这", "那", "今天", "刚", "上次") || hasPrefixAny(m[1], "你", "他", "她", "大家", "有人") {
		return fact{}, false
	}
	return ruleZh(c, m)
}

// Things that finish of themselves are no to-dos of the speaker's.
var notDoneZh = []string{"构建", "编译", "测试", "部署", "服务", "流水线", "程序", "系统", "脚本", "网络", "数据库", "接口", "代码", "任务", "他", "她", "你", "它", "这", "那", "谁", "什么", "不", "没", "还", "饭", "天", "我"}

func doneZh(c *clause, object string) (fact, bool) {
	object = strings.TrimSuffix(strings.TrimSpace(object), "的")
	if hasSuffixAny(object, "不", "没", "别") {
		return fact{}, false
	}
	for _, w := range [...]string{"我的", "我们的", "那份", "那个", "这份", "这个"} {
		object = strings.TrimPrefix(object, w)
	}
	if c.negated || hasPrefixAny(object, notDoneZh...) || containsAny(object, "要", "该", "需") || containsAny(c.text, "没", "还没", "快要", "就要", "才能", "要是", "差点") {
		return fact{}, false
	}
	return done(c, object)
}

// doneObjectZh reads 护照材料今天已经交了: only where a word says that it is over, since 菜买了 is small talk.
func doneObjectZh(c *clause, m []string) (fact, bool) {
	if m[4] == "" && hasPrefixAny(m[3], "改", "换", "修", "更新", "考") && !(m[3] == "考" && strings.Contains(m[0], "过")) {
		return fact{}, false // 密码改了 changes it
	}
	if m[2] == "" && m[4] == "" && utf8.RuneCountInString(m[1]) < 3 && !hasPrefixAny(m[3], "交", "付", "缴", "提交", "续") || strings.HasSuffix(m[1], "要") {
		return fact{}, false
	}
	return doneForZh(c, m[1], m[5])
}

// doneForZh is what was done with object for somebody: a to-do that names another is another one.
func doneForZh(c *clause, object, whom string) (fact, bool) {
	f, ok := doneZh(c, object)
	if ok && whom != "" && !containsAny(whom, "我", "你", "您", "他", "她") {
		f.replaces += " " + whom
	}
	return f, ok
}

// callZh reads 给牙医打过电话了: whom it reached is what the to-do was about. It is over where a word says so.
func callZh(c *clause, m []string) (fact, bool) {
	if !containsAny(c.text, "了", "过") {
		return fact{}, false
	}
	return doneZh(c, m[1])
}

var reDateEventZh = gated(`freeze|release|发版|ddl|deadline|demo|call|会|面试|考试|航班|飞机|火车|高铁|婚礼|聚会|发布|上线|培训|课|演出|比赛|讲座|体检|手术|旅行|出差|假期|活动|评审|答辩|生日会|搬家|交付|验收|演示|复诊|复查|预约|开学|典礼|装修|展|约|年会|团建|开工|截止|迁移|冻结|巡检`)

func dateZh(c *clause, m []string) (fact, bool) {
	if len(c.whens()) == 0 || !reDateEventZh.match(m[1]) || strings.Contains(c.text, "生日") && !strings.Contains(c.text, "生日会") || c.past && !containsAny(c.text, "改", "推迟", "定", "延", "挪", "提前", "约") {
		return fact{}, false
	}
	thing := m[1]
	if i := strings.LastIndex(thing, "从"); i > 0 && reMovedZh.match(c.text[i:]) { // 发布从周二改到周三: what it is moved from is over
		thing = thing[:i]
	}
	return fact{subject: strings.TrimSuffix(thing, "的"), object: objectOf(c, m[2]), expires: true}, true
}

var reMovedZh = gated(`^.*从.{1,12}(?:改|推迟|推|顺延|延后|提早|提前|延期|延|挪|换)`)

var (
	// What happens of itself, or is said of something else, is no to-do.
	reNoDeedZh = gated(`^(?:去)?(?:下[雨雪]|降[温雨雪价]|升温|刮|变|停[电水网机]|涨|放[假晴晚]|开学|过年|过节|到期|结束|下班|发工资|来|有|是|求|么|不|命|强|点|知道|看[看情天你]|说[是到]|想想|问题|感谢)|^[^我你他她]{0,2}的|的是|才能|就好了`)
)

// dutyZh is what must be done by a certain time, without a word on who: the speaker. What the weather or others will
// do, and what only describes something, is none.
func dutyZh(c *clause, m []string) (fact, bool) {
	if c.past || c.negated || c.reported || !c.ahead() || reNoDeedZh.match(m[2]) || containsAny(c.text, "你", "您", "他", "她", "每") {
		return fact{}, false
	}
	return fact{object: objectOf(c, m[2]), subject: "user", expires: true}, utf8.RuneCountInString(m[2]) > 1
}

func planZh(c *clause, m []string) (fact, bool) {
	if c.past && !containsAny(c.text, "约了", "订了", "报名了", "买了", "抢到了", "报了") || c.negated || c.reported {
		return fact{}, false
	}
	if !c.ahead() && !containsAny(c.text, "打算", "计划", "准备去", "准备换") {
		return fact{}, false
	}
	if containsAny(c.text, "要求", "需要你", "重要", "只要", "每", "一般", "通常", "经常", "习惯", "总是", "平时", "刚刚", "刚才", "不要") {
		return fact{}, false
	}
	if c.elided && (reNoDeedZh.match(m[2]) || !reTimeOnlyZh.MatchString(strings.TrimSpace(undated(m[1], c))) || containsAny(c.text, "你", "您", "他", "她")) {
		return fact{}, false // what somebody else will do
	}
	return fact{object: c.vp, expires: true}, utf8.RuneCountInString(c.vp) > 1
}

var reTimeOnlyZh = regexp.MustCompile(`^(?:已经|刚刚?|还|得|就|早上|上午|中午|下午|晚上|\d{1,2}[点:：]\d{0,2}|[一二两三四五六七八九十]{1,3}点|半|和.{1,6}|跟.{1,6}|坐.{1,6}|端午|中秋|国庆|春节|元旦|清明|五一|十一|暑假|寒假|过年|[上下]半年|[，, 在])*$`)

var notNamesZh = []string{"什么", "一个", "一名", "老师", "医生", "学生", "程序", "工程", "单身", "素食", "左撇", "色盲", "中国", "北京人", "上海人", "独生", "内向", "外向", "夜猫", "认真", "真的", "想", "要", "不", "在", "来", "做", "个", "说", "新手", "新人", "男", "女", "谁", "很", "你", "他", "她", "这", "那", "用", "有", "因为", "觉得", "会计", "律师", "护士", "司机", "一只", "从", "为", "喜欢", "素", "下", "去", "已婚", "未婚"}

func nameZh(c *clause, m []string) (fact, bool) {
	named := containsAny(c.vp, "叫", "名")
	if !named || hasPrefixAny(m[1], notNamesZh...) {
		return fact{}, false
	}
	f := fact{object: m[1]}
	if strings.Contains(c.vp, "英文名") {
		f.qualifier = "english name"
	}
	return f, true
}

func isHanString(s string) bool { return langOf(s) == "zh" }

func kinNameZh(c *clause, m []string) (fact, bool) {
	o := objectOf(c, m[1])
	named := containsAny(c.vp, "叫", "名")
	n := utf8.RuneCountInString(o)
	key := c.sub.text[strings.Index(c.sub.text, "'s ")+3:]
	if o == "" || hasPrefixAny(o, notNamesZh...) || isHanString(o) && n > 4 || !named && isHanString(o) && (n > 3 || hasSuffixAny(o, "族", "师", "员", "生", "人", "的", "家", "工", "座", "病")) {
		return fact{}, false
	}
	f := kinFact(c, key, o)
	if petKeys[key] {
		f.pred, f.oneSlot = pHas, false
	}
	return f, true
}

func tasteZh(c *clause, m []string) (fact, bool) {
	o := objectOf(c, m[1])
	if o == "" || hasPrefixAny(o, "你", "他", "她", "的", "死", "上班的") || utf8.RuneCountInString(o) > 24 {
		return fact{}, false
	}
	p := pLikes
	if containsAny(c.vp[:min(len(c.vp), 12)], "讨厌", "厌恶", "受不了", "反感", "恨", "烦", "怕") {
		if c.negated {
			return fact{}, false
		}
		p = pDislikes
	} else if c.negated {
		p = pDislikes
	}
	q := o
	for _, w := range [...]string{"吃", "喝", "看", "听", "玩", "读", "用"} {
		if t := strings.TrimPrefix(q, w); t != q && utf8.RuneCountInString(t) > 1 {
			q = t
			break
		}
	}
	f := fact{pred: p, object: o, qualifier: q, past: c.past}
	return f, true
}

// ourThing is the name of a thing without whose it is.
func ourThing(s string) string {
	for _, p := range [...]string{"我们的", "我们", "我的", "咱们的", "咱们", "现在", "目前", "这个", "那个"} {
		s = strings.TrimPrefix(s, p)
	}
	return strings.TrimSuffix(strings.TrimSpace(s), "的")
}

func specificZh(s string) bool { return specific(s) || hasSuffixAny(s, "云", "机房", "服务器") }

var reBadAttrZh = gated(`^(?:意思|问题|想法|感觉|建议|看法|理解|目的|目标是|重点|原因|结论|要求|代码|意见|疑问|关键|主要|真|就|也|都|还|应该|可能|只|不|觉得|以为|知道|这|那|说的|做的|写的|想要的|需要的|要的|想|会|一直|今天|昨天|角色|主角|人物|人设)|^[和跟与]|不$|的$`)

func attrZh(c *clause, m []string) (fact, bool) {
	attr, o := strings.TrimPrefix(strings.TrimSpace(m[1]), "的"), objectOf(c, m[3])
	if attr == "" || o == "" || containsAny(c.text, "猜", "觉得是", "感觉是", "假装", "扮") || reBadAttrZh.match(attr) || containsAny(o, "什么", "怎么", "不对", "错的") || c.negated {
		return fact{}, false
	}
	f := fact{qualifier: attr, object: o, past: c.past}
	switch {
	case hasSuffixAny(attr, "生日", "出生日期"):
		f.pred, f.qualifier = pBirthday, ""
	case attr == "名字", attr == "全名", attr == "英文名", attr == "昵称", attr == "网名":
		f.pred = pName
		if attr == "名字" {
			f.qualifier = ""
		}
	case attr == "工作", attr == "职业", attr == "职位", attr == "岗位":
		f.pred, f.qualifier = pJob, ""
	case (attr == "手机" || attr == "电话") && digits(o) < 5: // 我的手机是 iPhone 15: the thing, not its number
	case attrKey(attr) != attr:
		f.qualifier = attrKey(attr)
	case attr == "年龄":
		f.pred, f.qualifier = pAge, ""
	}
	if c.sub.kind == subjGroup {
		f.kind = schema.KindProject
	}
	return f, true
}

func attrOfZh(c *clause, m []string) (fact, bool) {
	if containsAny(m[1], "你", "他", "她", "这", "那", "什么", "真正", "今天", "所谓", "最好", "最大", "重要", "默认") || reBadAttrZh.match(m[2]) || containsAny(m[3], "什么", "怎么") {
		return fact{}, false
	}
	o := objectOf(c, m[3])
	if o == "" || !specific(o) && !specific(m[1]) {
		return fact{}, false
	}
	return fact{subject: ourThing(m[1]), qualifier: m[2], object: o, kind: schema.KindProject}, true
}

func eventZh(c *clause, m []string) (fact, bool) {
	if c.negated || !containsAny(c.text, "了", "过") || containsAny(c.text, "想了", "试了", "问了你", "怎么", "要了", "算了", "好了吗", "为了", "除了") || c.past && containsAny(c.text, "以前", "曾经") {
		return fact{}, false
	}
	for _, w := range c.whens() {
		if !w.by {
			return fact{object: c.vp, qualifier: w.note(), subject: "user"}, utf8.RuneCountInString(c.vp) > 2
		}
	}
	return fact{}, false
}

func statementZh(c *clause, m []string) (fact, bool) {
	if c.past || hasPrefixAny(m[1], "控制", "语气", "字数", "篇幅") || containsAny(c.text, "还是空", "还没") || containsAny(m[1], "你", "他", "她", "它", "这", "那", "什么", "今天", "现在", "天气", "昨天", "大家", "有人", "可以", "不", "没", "请", "帮", "好像", "觉得", "看") || !specific(m[0]) && c.sub.kind != subjGroup || utf8.RuneCountInString(m[0]) < 7 || rePassingZh.match(m[0]) {
		return fact{}, false
	}
	return fact{subject: ourThing(m[1]), object: objectOf(c, m[2])}, true
}

var rePassingZh = gated(`今天|现在|刚刚|刚才|又|正在|马上|还在|报错|失败了|通过了|挂了|卡|慢`)

func digits(s string) (n int) {
	for i := 0; i < len(s); i++ {
		if s[i] >= '0' && s[i] <= '9' {
			n++
		}
	}
	return n
}

// kindsRuleZh is how a kind of text is to be made: 代码注释用英文. One text in particular is none.
func kindsRuleZh(c *clause, m []string) (fact, bool) {
	if c.past || containsAny(c.text, "这", "那", "刚", "上面", "下面", "今天", "我们", "什么", "怎么", "错", "哪") || hasPrefixAny(m[1], "把", "给", "帮", "你", "他", "她", "我") || hasPrefixAny(m[2], "来", "在", "到", "完", "了", "好", "不", "的") {
		return fact{}, false
	}
	return ruleZh(c, m)
}

// pleaseWheneverZh is what is to be done along with what an agent does again and again.
func pleaseWheneverZh(c *clause, m []string) (fact, bool) {
	if c.past || c.negated || len(c.certain(true)) > 0 || containsAny(c.text, "昨", "刚", "那次", "这次", "报错", "失败", "发现", "出现", "遇到", "完的", "好的时候", "这", "请告诉我", "帮我记") || utf8.RuneCountInString(m[1]) < 2 {
		return fact{}, false
	}
	return ruleZh(c, m)
}

// treatZh is a wish about how to be treated for good: 希望你回答的时候附上链接. A wish for one thing is a request.
func treatZh(c *clause, m []string) (fact, bool) {
	if c.past || len(c.certain(true)) > 0 || hasPrefixAny(m[1], "帮", "给我写", "给我讲", "的", "这", "推荐", "写一", "画", "查", "找", "看", "能帮", "做一", "来") || !containsAny(c.text, "以后", "每次", "总", "都", "回答", "回复", "说话", "的时候", "时", "别", "不要", "尽量", "直接", "先", "放在", "一点", "用", "把", "少", "多", "叫我", "称呼") {
		return fact{}, false
	}
	return ruleZh(c, m)
}

// topicBanZh forbids a topic: 牛奶别推荐了.
func topicBanZh(c *clause, m []string) (fact, bool) {
	if hasPrefixAny(m[1], "你", "他", "她", "这", "那", "我", "先", "暂时", "今天", "都", "就") || c.past {
		return fact{}, false
	}
	return fact{object: c.text}, true
}

// changedZh is that what m names of a thing, and then how, is now what follows.
func changedZh(c *clause, m []string) fact {
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
	return f
}

// changedNounZh reads 我手机号换了，新的是 13800001111: a thing's, or the speaker's own.
func changedNounZh(c *clause, m []string) (fact, bool) {
	f := changedZh(c, m)
	if f.subject == "" {
		f.subject = "user"
	}
	return f, f.object != "" && !containsAny(f.object, "还没", "忘", "不记得")
}

// reAgentZh ends what may or may not do something: people, animals, teams.
var reAgentZh = gated(`(?:员|人|客|孩子|小孩|学生|宠物|猫|狗|同事|用户|实习生|新人|家长|老师|司机|团队|部门|组|方|者|外包|供应商|客户|成员|谁|大家)$`)

// notNationZh are what people are beside from somewhere.
var notNationZh = regexp.MustCompile(`好|坏|内向|外向|老实|聪明|普通|一个|负责|文化|年轻|退休|有钱|懒|急|军|志愿|主持|继承|监护|候选|代理|经纪|发言|创始|合伙|牧|猎|诗|商|艺|媒体|内部|外地|本地|当地|打工`)

// reLatinZh is a name in letters, which a Chinese sentence uses for products.
var reLatinZh = regexp.MustCompile(`^[A-Za-z][\w.+# -]+$`)

// reNothingZh forbids or orders without saying what: 千万别错过, 以后都别.
var reNothingZh = regexp.MustCompile(`^(?:请|你|您|千万|绝对|务必|一定|以后|今后|都|也|再|可|就|还|这次|下次|要|得|不要|不许|不准|别|勿)*(?:错过|忘记?|迟到|漏掉?|搞错|弄错|记错|搞混|弄混|耽误|记住|记得|记牢|注意|小心|这样|那样)?(?:了|啊|哦|哈|呀|吧)*$`)
