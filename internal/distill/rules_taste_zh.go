package distill

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// rulesTasteZh are tastes, habits and things.
var rulesTasteZh = []rule{
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
	{"zh.writes", subjSelf | subjGroup | subjKin, false, regexp.MustCompile(`^(?:主要|平时|一般|基本|现在)*(?:改写|转写|写|用|搞|在写)([A-Z][A-Za-z+#.]*(?:[ 和、,/]+[A-Z][A-Za-z+#.]*)*)(?:写)?(?:了)?$`), pUses, .8, nil},
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
	{"zh.quit.topic", subjNone | subjThing | subjSelf, true, regexp.MustCompile(`^(?:我)?(烟|酒|奶茶|咖啡|可乐|糖|槟榔|零食|宵夜|夜宵|甜食|甜品|游戏|短视频|网购|辣|肉|碳水|碳酸饮料)(?:我)?(?:早|已经|都|也|就|彻底)*戒(?:了|掉了?)(?:快|有|差不多|整整|都|大概|将近)*(?:[\d一二两三四五六七八九十半]+个?多?(?:年|月|天|周|星期)半?多?)?了?$`), pConsumes, .85, func(c *clause, m []string) (fact, bool) {
		c.ended = true
		return fact{subject: "user", object: m[1], qualifier: m[1], negated: true}, true
	}},
	{"zh.installed", subjNone, true, regexp.MustCompile(`^(?:里面|上面)?(?:装|跑|刷)的(?:是)?\s*([A-Z][\w. +-]{1,20})$`), pUses, .74, func(c *clause, m []string) (fact, bool) {
		return fact{subject: "user", object: m[1]}, true
	}},
	{"zh.moved_things", subjNone | subjThing | subjSelf, true, regexp.MustCompile(`^(?:我)?(?:的)?(笔记|日记|待办|文档|照片|书签|密码|账单|任务|代码|邮件|日程|博客|素材|稿子|资料|日历|清单)(?:全部?|都|已经|也|早就?)*(?:搬|迁|挪|转|换|存|放|记)移?(?:到|去|在|进)了?\s*([A-Za-z][\w. +-]{1,20}?)\s*(?:里面?|上|那边|去)?了?$`), pUses, .8, func(c *clause, m []string) (fact, bool) {
		return fact{subject: "user", object: m[2]}, !c.negated
	}},
	{"zh.reading", subjNone | subjGroup, true, regexp.MustCompile(`^(.{4,40}?)[：:]\s*([\p{Han}A-Za-z0-9]{1,16}?|` + zhLatin + `)\s*(?:是|为|达到|约)?\s*(\d[\d.,]*\s*\S{0,6})$`), pStatement, .7, func(c *clause, m []string) (fact, bool) {
		return fact{subject: m[1], object: m[2] + " " + m[3], kind: schema.KindProject}, !containsAny(c.text, "http", "://") && !reAddrZh.match(c.text)
	}},
	{"zh.members", subjGroup, false, regexp.MustCompile(`^(?:组|团队|部门|公司|家)?(?:里)?(?:一共)?(?:的?成员(?:有|包括|是)|有|包括)(.+[、和].+)$`), pMember, .85, nil},
}

var reAddrZh = gated(`(?:\d{1,3}(?:\.\d{1,3}){3}|[a-z0-9-]+(?:\.[a-z0-9-]+)+)[:：]\d`) // 10.0.0.5:5432
