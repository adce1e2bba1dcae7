package distill

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// rulesSelfZh are who somebody is, and who is around him.
var rulesSelfZh = []rule{
	// Who I am.
	{"zh.name", subjSelf, false, regexp.MustCompile(`^(?:的)?(?:名字|全名|大名|真名)?(?:叫做?|是|名叫)([\p{Han}]{2,4}|[A-Z][A-Za-z]+(?: [A-Z][A-Za-z]+)?)$`), pName, .9, nameZh},
	{"zh.surname", subjSelf, false, regexp.MustCompile(`^(?:免贵)?姓([\p{Han}]{1,2})$`), pName, .92, func(c *clause, m []string) (fact, bool) { return fact{object: m[1], qualifier: "surname"}, true }},
	{"zh.allergic.none", subjPeople, false, regexp.MustCompile(`^(?:现在)?(?:对)?(?:什么|任何东西|任何食物)(?:东西|食物)?(?:都|也)?不过敏了?$|^有(?:任何|什么)?(?:食物)?过敏(?:史|的东西|的)?了?$`), pAllergic, .9, nothingOfAll},
	{"zh.allergic", subjPeople, false, regexp.MustCompile(`^(?:对(.{1,20}?)(?:严重|有点|都|会|也|重度|轻微)*(?:过敏|不耐受?)|(?:有)?(.{1,8}?)(?:过敏|不耐受?))(?:.*)$`), pAllergic, .95, func(c *clause, m []string) (fact, bool) {
		o := m[1] + withoutDegreeZh(m[2])
		return fact{object: objectOf(c, o), negated: c.negated}, o != "" && !hasPrefixAny(o, "没")
	}},
	{"zh.health", subjSelf | subjKin | subjPerson, false, regexp.MustCompile(`^(?:有|得了|得过|患有|患|查出|确诊了?|是|怀)?(?:轻度|重度|严重的?|先天性?|红绿)*(.{0,6}?(?:糖尿病|高血压|低血压|心脏病|高血糖|高血脂|色盲|色弱|左撇子|近视|远视|怀孕|哮喘|癫痫|抑郁症|焦虑症|恐高症?|晕车|晕船|晕机|失眠|痛风|贫血|关节炎|胃炎|鼻炎|胃病|偏头痛|听障|癌|多动症|自闭症|甲亢|甲减|腰椎间盘突出|过敏性鼻炎))(.{0,12})$`), pHealth, .88, func(c *clause, m []string) (fact, bool) {
		return fact{object: withoutDegreeZh(m[1]), negated: c.negated}, !containsAny(c.text, "害怕", "预防", "治疗", "治") && !illOfOthersZh(m[1], m[2])
	}},
	{"zh.diet", subjPeople, false, regexp.MustCompile(`^(?:是|吃|只吃|开始吃|坚持)?(蛋奶素|锅边素|素食主义者|素食者|素食|纯素|全素|吃素|素|清真|生酮|低盐|低糖|无麸质)(?:的|者|饮食|食品|餐)?(?:已经|快|都)*(?:.{0,4}(?:年|个月)(?:多)?(?:了)?)?$`), pDiet, .9, nil},
	{"zh.health.level", subjSelf | subjKin | subjPerson, false, regexp.MustCompile(`^(?:的)?((?:血糖|血压|血脂|尿酸|胆固醇|视力|听力|睡眠|胃|肠胃|腰|膝盖|颈椎|心脏|肝|肾|肺|皮肤|眼睛|嗓子|牙口?|骨头|关节|脚踝|手腕)(?:一直|有点|有些|比较|很|不太|不|偏|不怎么|特别|非常|容易|受过)+(?:高|低|好|差|舒服|行|敏感|浅|伤|疼|干|弱).{0,6})$`), pHealth, .8, nil},
	{"zh.health.ill", subjSelf | subjKin | subjPerson, false, regexp.MustCompile(`^(?:有|得了|得过|患有|患|查出来?|确诊了?|被诊断出?)(?:点|一点|很|比较|轻微的?|轻度的?|重度的?|严重的?|先天性?的?|慢性的?|早期的?)*([\p{Han}A-Za-z]{1,8}?(?:病|炎|症|癌|瘤|过敏|综合征|结石|结节|囊肿|失调|障碍|溃疡|骨折|突出|增生|脱垂|衰竭|硬化)|[\p{Han}A-Za-z]{0,8}?(?:贫血|白内障|青光眼|耳鸣|脚气|痔疮|湿疹|荨麻疹|肺气肿|脂肪肝|近视|散光|帕金森|阿尔茨海默|老年痴呆|中风|脑梗|心梗|腰突|自闭|唐氏))(?:.{0,10})$`), pHealth, .85, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1], negated: c.negated}, !containsAny(m[1], "毛病", "神经病", "有病", "预防", "治疗") && !containsAny(c.text, "怎么", "害怕") && !illOfOthersZh(c.vp, "")
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
	{"zh.birthday.paper", subjNone | subjMine | subjSelf, true, regexp.MustCompile(`^(?:我)?(?:的)?(?:身份证|户口本|护照|证件)(?:上|里)?(?:写)?的?生日(?:写的是|写的|是|为|：|:)+(.+)$`), pBirthday, .85, func(c *clause, m []string) (fact, bool) {
		return fact{subject: "user", object: objectOf(c, m[1])}, !containsAny(c.text, "他", "她", "不是")
	}},
	{"zh.found_ill", subjSelf | subjNone | subjKin, false, regexp.MustCompile(`^(?:.{0,6}?(?:体检|检查|复查|化验|筛查|B超|CT|去医院))?(?:的时候|时)?(?:查|检查|诊断|测|验|照)(?:出来?|出了)(?:是|有|得了|患有)?(?:轻度|中度|重度|轻微)?的?([\p{Han}A-Za-z]{2,10})$`), pHealth, .82, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1]}, reFoundZh.match(m[1]) && !c.negated
	}},
	{"zh.runs_shop", subjSelf | subjKin | subjNone, false, regexp.MustCompile(`^(?:自己|现在|目前|一起|合伙|[跟和][\p{Han}]{1,6})*(?:开|经营|打理|运营)(?:了|着)?(?:一)?(?:家|间|个)?([\p{Han}A-Za-z]{1,12}(?:店|馆|工作室|公司|餐厅|民宿|诊所|咖啡厅|书屋|铺子?|厂|农场|农庄|培训班|事务所|网店))$`), pHas, .8, func(c *clause, m []string) (fact, bool) {
		return fact{subject: saidOfZh(c), object: m[1]}, !c.negated && !hasPrefixAny(m[1], "这", "那", "过", "会") && (c.sub.kind != subjNone || containsAny(c.text, "自己", "现在", "目前"))
	}},
	{"zh.studies_part", subjSelf | subjKin | subjNone, false, regexp.MustCompile(`^(?:在职|业余|全职|脱产|周末|晚上|在|正在)+(?:读|念|攻读|上)\s*([\p{Han}A-Za-z]{0,10}?(?:MBA|EMBA|MPA|硕士?|博士?|研究生|本科|专升本|自考|夜校|函授))\s*(?:中|呢)?$`), pStudies, .84, func(c *clause, m []string) (fact, bool) {
		return fact{subject: saidOfZh(c), object: m[1]}, !c.negated
	}},
	{"zh.lives", subjPeople, false, regexp.MustCompile(`^(?:是|就|一个人|(?:和|跟|带着?).{1,12}?|一家人?|全家)?(?:的?家)?(?:居住在|定居在|定居于|常住在?|常驻在?|长驻在?|暂住在?|长居|旅居|坐标|人在|待在|呆在|留在|base在?|Base在?|生活在|住在|家住|住|家在|在)([\p{Han}A-Za-z0-9·]{2,20}?|` + zhLatin + `)(?:住|生活|定居|居住)?(?:了.{0,6}年|很多年|附近)?(?:了|的|那边|这边)?$`), pLivesIn, .9, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		if !containsAny(c.vp, "住", "常驻", "长驻", "定居", "家在", "坐标", "人在", "长居", "旅居", "生活", "待在", "呆在", "留在", "base", "Base") || containsAny(c.vp, "一个人住", "合住", "人在家", "住一起") { // 我在超市
			return fact{}, false
		}
		return fact{object: o, past: c.past, negated: c.negated}, o != "" && !hasPrefixAny(o, "院", "酒店", "宾馆", "过", "的", "内存", "后台", "进程", "现场", "代表")
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
		if hasPrefixAny(job, "过", "了") || containsAny(job, "饭", "梦", "作业", "客", "题", "事", "什么", "完", "活动", "游戏", "家务", "运动") || containsAny(o, "家", "会议室", "厨房") && m[2] == "" && o == "家" || hasSuffixAny(o, "一家", "某家", "这家", "那家", "一个") { // 在一家做软件的公司
			return fact{}, false
		}
		if job != "" {
			f.twin = &fact{pred: pJob, object: job, past: c.past}
		}
		return f, true
	}},
	{"zh.works_when", subjSelf | subjKin | subjGroup, false, regexp.MustCompile(`^(?:要|得|主要|基本|固定|改成?|都是|是|经常|一直|实行)*((?:上)(?:早班|晚班|夜班|中班|白班|大夜|小夜|倒班|周末班).{0,6}|(?:三班倒|两班倒|做六休一|996|995|朝九晚[五六九]|双休|单休|大小周|上[一二三四五六]休[一二三四]|弹性工作制?|远程办公|居家办公|在家办公|坐班|远程).{0,4})$`), pSchedule, .82, nil},
	{"zh.job.now", subjSelf | subjKin, false, regexp.MustCompile(`^(?:自己|目前|全职|在家|在)*(创业|开店|做自由职业|自由职业|单干|待业|在家带娃|带娃|读博|做自媒体|跑外卖|开网约车|开出租|开民宿|种地|开(?:了)?(?:家|一家|个)[\p{Han}A-Za-z]{1,10})(?:了|中|呢)?$`), pJob, .78, nil},
	{"zh.job.one", subjSelf | subjKin, false, regexp.MustCompile(`^([\p{Han}A-Za-z]{2,10}?)一[枚名个只]$`), pJob, .8, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1]}, !c.negated && !hasPrefixAny(m[1], "聊", "看", "说", "来", "换", "下", "再")
	}},
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
		f := fact{object: o}
		if m[1] != "" {
			f.object = objectOf(c, c.vp)
			o = f.object
			if m[2] != "" && townZh(m[1]) {
				f.twin = &fact{pred: pLivesIn, object: m[1]}
			}
		}
		return f, utf8.RuneCountInString(o) >= 2 && !hasPrefixAny(o, "年底", "月底", "明年", "今年", "下个月", "去年") && !strings.HasPrefix(m[2], "到") && !strings.HasPrefix(m[2], "书")
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
}

// reFoundZh ends what an examination finds.
var reFoundZh = gated(`(?:病|炎|症|癌|瘤|肝|结石|结节|囊肿|息肉|增生|溃疡|贫血|血压|血糖|血脂|尿酸|偏高|偏低|突出|骨折|脂肪肝|过敏|感染|阳性|怀孕|骨质疏松|不足|不齐|缺乏|近视|散光)(?:了)?$`)

// saidOfZh is whom c speaks of, the speaker where it says nobody.
func saidOfZh(c *clause) string {
	if c.sub.kind == subjNone {
		return "user"
	}
	return c.sub.text
}
