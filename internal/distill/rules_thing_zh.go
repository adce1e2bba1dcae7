package distill

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// rulesThingZh are what is said of things, by name and by what happened, and what is only a statement.
var rulesThingZh = []rule{
	// Hosts, ports, versions, paths, roles.
	{"zh.port", subjAny | subjNone, true, regexp.MustCompile(`^(.{1,24}?)(?:的)?(?:(服务|管理|数据库|对外|默认)?端口(?:号)?(?:是|为|改成了?|改为|换成了?|改到了?|：|:|用的是|在|我们?|现在|已经|换了?|改了?)*|(?:监听|跑|运行|开|部署)(?:在|的是|着)?(?:端口)?)\s*(\d{2,5})(?:端口|上|了)*$`), pPort, .9, func(c *clause, m []string) (fact, bool) {
		thing := ourThing(m[1])
		if m[2] == "数据库" && !strings.HasSuffix(thing, "库") { // 测试机的数据库端口: not the machine's
			thing += "的" + m[2]
		}
		return fact{subject: thing, object: m[3]}, containsAny(c.text, "端口", "监听") // who runs 5000 is no port
	}},
	{"zh.port.address", subjAny | subjNone, true, regexp.MustCompile(`^(.{1,24}?)(?:的)?(?:连接地址|访问地址|服务地址|地址|连接串)?(?:现在|目前|已经|都|后来)*(?:(?:部署|跑|运行|开|放|搭|监听|服务)(?:在|着)?|(?:搬|迁移?|挪|换|切|改)(?:到|成|为)|用的?是|在|是|为|：|:)了?\s*(localhost|\d+(?:\.\d+){3}|[A-Za-z][\w-]*(?:\.[\w-]+)*):(\d{2,5})/?(?:端口|上|了)*$`), pPort, .9, func(c *clause, m []string) (fact, bool) {
		return endpoint(ourThing(m[1]), m[2], m[3]), isDigit(rune(m[2][0])) || !containsAny(c.text, "是", "为", "：") // 面板是 mon.acme.cn:3000 names an address
	}},
	{"zh.changed", subjAny | subjNone, true, regexp.MustCompile(`^(.{1,16}?)(?:那台|这台|那个|这个)?(?:后来|已经|最近|刚刚?|又|现在|今天|昨天)*(?:换|改|更换|调整|更新)了?(?:个|新)?(端口|版本|地址|域名|路径|分支|IP|ip|主机|` + zhNumber + `|邮箱|邮件地址|密码|微信号?|住址|车牌号?|航班号?)了?[，,](?:现在)?(?:的?新的?(?:号码?|地址|邮箱|微信号?|密码|端口|版本|域名|路径)?)?(?:用的?是?|改成|改为|是|为|：|:|换成|换到)了?\s*(.+)$`), pAttr, .82, func(c *clause, m []string) (fact, bool) {
		f := changedZh(c, m)
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
		return fact{subject: "we", qualifier: m[1], object: strings.TrimSpace(m[2]), kind: schema.KindProject}, !hasSuffixAny(m[1], "不", "没", "别", "该", "要") && !hasPrefixAny(m[1], "我", "你", "他", "她", "请", "可以", "能", "这", "那", "大家", "平时", "默认", "优先", "写", "做", "画", "记", "修", "查", "打", "剪", "存", "固定", "现在") && !c.past
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
	{"zh.url", subjAny | subjNone, true, regexp.MustCompile(`^(.{1,24}?)(?:的)?(?:网址|地址|链接|文档|域名)?(?:是|为|在|：|:)*\s*(https?://\S+|\b(?:[a-z0-9-]+\.)+(?:com|cn|net|org|io|dev|app|local|internal|lan|corp|ai|cc|xyz|tech|me)(?::\d{2,5})?(?:/\S*)?)$`), pURL, .88, func(c *clause, m []string) (fact, bool) {
		return fact{subject: ourThing(m[1]), object: m[2]}, true
	}},
	{"zh.host", subjAny | subjNone, true, regexp.MustCompile(`^(.{1,24}?)(?:都|目前|现在)?(?:(?:部署|跑|运行|托管|装|搭)(?:在|到)了?|在)\s*([A-Za-z][\w.-]*[\w]|\d+\.\d+\.\d+\.\d+|[\p{Han}A-Za-z]{2,8}(?:云|机房|服务器))\s*(?:上|上面|里|这台机器上|那台机器上)?$`), pHost, .85, func(c *clause, m []string) (fact, bool) {
		return fact{subject: ourThing(m[1]), object: m[2]}, c.sub.kind != subjSelf && specificZh(m[2]) && containsAny(c.text, "部署", "跑", "运行", "托管", "装", "搭", "放在", "上")
	}},
	{"zh.owner.does", subjNone, true, regexp.MustCompile(`^([\p{Han}]{2,4}|` + zhLatin + `)(?:现在|目前|主要)?负责([\p{Han}A-Za-z0-9]{2,14}|` + zhLatin + `)(?:的)?$`), pOwner, .85, func(c *clause, m []string) (fact, bool) {
		return fact{subject: m[2], object: m[1]}, !containsAny(m[1], "他", "她", "你", "谁", "要", "请", "由", "不", "来") && !strings.HasPrefix(m[2], "人") // 项目的负责人现在是李雷
	}},
	{"zh.changed.to", subjNone | subjGroup, true, regexp.MustCompile(`^(.{2,14}?)(?:已经|现在|都|后来|最近)*(?:从\s*(.{1,20}?)\s*)?(?:迁移?到|换成|切换?到|升级到|改用|改成)了?\s*(.{2,60}?)\s*(?:已经|快)?(?:[一二三四五六七八九十半\d]+(?:年|个月|周)(?:多)?)?了?$`), pAttr, .78, func(c *clause, m []string) (fact, bool) {
		if deviceZh[ourThing(m[1])] && c.sub.kind != subjGroup { // one's own
			return fact{pred: pUses, subject: "user", object: objectOf(c, m[3]), replaces: objectOf(c, m[2])}, true
		}
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
	{"zh.spent", subjAny | subjNone, true, regexp.MustCompile(`^(?:我们?)?([\p{Han}A-Za-z0-9 ]{0,14}?)(?:先|最后|最终|一共|总共|共|又|就|才|还|大概|大约|差不多|居然)*(?:花|付|交|充|缴|消费|支付|支出|花费)(?:了|掉了?|去了?|出去了?)(\d+(?:\.\d+)?)(?:多)?(块钱?|万块?|元|万元|刀|美元|美金|欧元|英镑|港币|日元)$`), pEvent, .7, spentZh},
	{"zh.amount", subjAny | subjNone, true, regexp.MustCompile(`^(?:我们?)?([\p{Han}A-Za-z]{2,10}?|` + zhLatin + `)(?:先|最后|最终|一共|总共|暂定|共|每次|需要|要)*(?:做|定|订|买|采购|生产|备|印|招|预算|是)?(?:了)?(\d+(?:\.\d+)?)(` + zhUnits + `)$`), pAmount, .75, func(c *clause, m []string) (fact, bool) {
		if strings.Contains(c.text, "比") && containsAny(c.text, "多", "少", "贵", "便宜") || len(c.whens()) > 0 || c.sub.kind == subjKin || strings.HasPrefix(m[1], "我") {
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
