package distill

import (
	"regexp"
	"strings"

	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func compileZh(s string) *regexp.Regexp { return regexp.MustCompile(s) }

// framesZh is the Chinese lexicon: by what is said, the verbs that say it. Its rows see the core of a clause.
var framesZh = []rule{
	// Where somebody lives and comes from.
	{"zh.frame.lives", subjPeople, false, compileZh(`^在([\p{Han}A-Za-z0-9·]{2,16}?)(?:安了?个?家|定居|落了?户|落脚|扎了?根|租了?(?:个|间|套)?房子?住?|买了?(?:个|套)?房子?|安顿下来|生活|居住|漂着?|待着?|呆着?|混)(?:了.{0,8})?$|^(?:住在?|住进|搬进|搬到|搬去|搬来|搬回|迁到|迁往|移居到?|定居|定居在|落户|落户在?|扎根|扎根在?|租住在|借住在|寄住在|暂住在?|合租在|回到)([\p{Han}A-Za-z0-9·]{2,16}?)(?:的?(?:公寓|房子|小区|家里|家|宿舍|合租房))?(?:了.{0,8}|住|生活|定居)?$`), pLivesIn, .82, livedZh},
	{"zh.frame.left_town", subjPeople, false, compileZh(`^从([\p{Han}A-Za-z]{2,8}?)(?:搬|撤|回|调|转|过|逃|润)(?:回|过)?来(?:的|了)?$`), pLivesIn, .78, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1], past: true}, townZh(m[1])
	}},
	{"zh.frame.rents", subjPeople | subjMine, false, compileZh(`^(?:的)?(?:租的?|买的?|新)?(?:房子?|家|公寓|出租屋|住处|宿舍)(?:就|都|现在|租|买|安|搬)*(?:在|到了?)([\p{Han}A-Za-z0-9·]{2,14})$|^租(?:了)?(?:房|在)([\p{Han}A-Za-z0-9·]{2,12})$|^来的([\p{Han}]{2,6})$`), pLivesIn, .8, livedZh},
	{"zh.frame.from", subjPeople, false, compileZh(`^在([\p{Han}A-Za-z·]{2,10}?)(?:出生|长大|土生土长|生的|读的小学|度过(?:了)?童年)(?:的)?$|^(?:祖籍|籍贯|户口(?:还)?在?(?:老家)?|老家(?:是|在))(?:是|在)?([\p{Han}A-Za-z·]{2,8}?)(?:的|那边|农村)?$|^(?:出生|生)(?:在|于)([\p{Han}A-Za-z·]{2,8})$`), pHometown, .82, placedZh},

	// Work and study.
	{"zh.frame.works_at", subjPeople, false, compileZh(`^在([\p{Han}A-Za-z0-9·&]{2,18}?)(?:里|那边|这边)?(?:上班|工作|任职|就职|供职|实习|打工|当差|谋职|做事|干活|坐诊|教书|带课|值班|跑(?:了.{1,4})?(?:业务|外卖|销售|滴滴)|送(?:了.{1,4})?(?:外卖|快递))(?:.{0,8})$|^(?:就职|任职|供职|受雇|效力|服务)于([\p{Han}A-Za-z0-9·&]{2,16})$|^(?:入职|加入|跳槽到|跳槽去|跳去|跳到|去|转到|转去|调到|调去|考进|考上|进了?)(?:了|一家)?([\p{Han}A-Za-z0-9·&]{2,16}?(?:公司|集团|银行|医院|学校|大学|科技|事务所|工作室|研究院|研究所|厂|局|部|中心|报社|出版社|机构|单位|编制|公务员|美团|腾讯|阿里|字节|华为|百度|京东))(?:了|报到|上班|工作|做.{1,8})?$`), pWorksAt, .82, workedZh},
	{"zh.frame.job", subjPeople, false, compileZh(`^(?:是)?(?:一)?(?:个|名|位)?(?:搞|做|干|从事|弄|负责)([\p{Han}A-Za-z0-9+#]{2,12}?)(?:这(?:一)?(?:行|块))?的$|^(?:当|担任|任|干的是|做的是|出任)(?:过|了)?(?:.{1,4}年的?)?(?:个|名|位)?([\p{Han}A-Za-z]{2,10}?)(?:了.{0,6}|的)?$|^(?:靠|以)([\p{Han}A-Za-z]{2,10}?)(?:吃饭|谋生|为生|养家|糊口|过活)$|^(?:的)?(?:职业|职位|岗位|工种|本职工作?|本行|头衔|title)(?:是|：|:)?([\p{Han}A-Za-z ]{2,14})$|^((?:开|跑|送|拉)(?:着|了)?(?:.{0,3}年)?(?:大)?(?:货车|出租车?|网约车|公交车?|大巴|滴滴|挖掘机|叉车|吊车|长途|外卖|快递|货|渣土车|校车|火车|高铁|地铁|飞机|救护车)(?:.{0,6}))$|^(?:干|做|当|开|教)了?(?:.{1,3}年|一辈子|半辈子|大半辈子)(?:的)?([\p{Han}A-Za-z]{2,10}?)(?:了)?$|^(?:转行|改行)(?:做|当|去做|干)了?([\p{Han}A-Za-z]{2,10}?)了?$`), pJob, .8, jobbedZh},
	{"zh.frame.is_job", subjSelf | subjKin, false, compileZh(`^(?:是)?(?:一)?(?:个|名|位)?((?:退伍|退役|全职|自由|在读|兼职|专职|资深|高级|实习|民航|急诊|儿科|中学|小学|幼儿园|大学|法语|英语|外企|国企|持证)?[\p{Han}]{0,5}?(?:军人|教师|老师|医生|护士|律师|会计|司机|厨师|工程师|设计师|程序员|产品经理|经理|总监|主任|研究员|分析师|咨询师|翻译|编辑|记者|作家|画师|画家|摄影师|导演|演员|模特|主播|博主|店主|老板|个体户|创业者|销售|客服|运营|文员|行政|人事|财务|出纳|审计|税务师|建筑师|飞行员|空姐|乘务员|消防员|警察|交警|民警|法官|检察官|公务员|村官|社工|保安|保姆|月嫂|快递员|外卖员|骑手|电工|焊工|木工|瓦工|水电工|技师|药师|营养师|心理咨询师|健身教练|教练|裁判|运动员|舞者|歌手|乐手|调音师|插画师|木匠|裁缝|理发师|美容师|兽医|牧民|渔民|农民|果农|花农|家庭主妇|家庭煮夫|宝妈|学生|大一新生|研究生|博士生|博士后|实习生|校长|班主任|教授|讲师|辅导员|导游|船员|海员|船长|裁缝|测绘员|质检员|采购|HR|PM|DBA|前端|后端|测试|运维|算法))$`), pJob, .8, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1], negated: c.negated}, strings.Contains(c.text, "是") && !containsAny(m[1], "我的", "你", "这", "那")
	}},
	{"zh.frame.left", subjSelf | subjKin, false, compileZh(`^在([\p{Han}A-Za-z0-9]{2,10}?)(?:干|做|上班|工作)?(?:了)?$`), pWorksAt, .78, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1], negated: true}, c.negated && c.ended && !reNotPlaceZh.match(m[1]) && !townZh(m[1])
	}},
	{"zh.frame.passport", subjSelf | subjKin, false, compileZh(`^(?:持|持有|拿|拿的是|有|入了?|加入了?)(?:着|的是|的也是)?([\p{Han}]{2,6}?)(?:国)?(?:护照|绿卡|国籍|永居|永久居留|身份)$`), pNation, .8, nil},
	{"zh.frame.born", subjSelf | subjKin, false, compileZh(`^(?:是)?(\d{2,4}年)(?:的|生的?|生人|出生)$`), pBirthday, .78, nil},
	{"zh.frame.region", subjSelf | subjKin, false, compileZh(`^(?:是)?((?:湖南|湖北|东北|四川|重庆|河南|河北|山东|山西|陕西|甘肃|青海|宁夏|新疆|西藏|云南|贵州|广西|广东|福建|浙江|江苏|安徽|江西|海南|台湾|香港|澳门|北京|上海|天津|内蒙古?|黑龙江|吉林|辽宁|潮汕|温州|苏北|苏南|江浙|西北|华北|华南)[\p{Han}]{0,4}?)的$`), pHometown, .8, nil},
	{"zh.frame.called", subjAny | subjNone, true, compileZh(`^(?:朋友|同事|大家|家里人|家人|身边人|同学|别人|网友|圈里|熟人|他们)(?:们)?(?:一般|都|平时|也)*(?:喊|叫|管我叫|称呼)(?:我)?([\p{Han}A-Za-z]{2,6})$`), pName, .82, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1], subject: "user", qualifier: "address", typ: schema.TypePreference}, !hasSuffixAny(m[1], "总", "老师", "哥", "姐", "工", "导", "主任", "他", "她")
	}},
	{"zh.frame.hours", subjSelf | subjKin | subjNone, true, compileZh(`^(?:从)?((?:早上|上午|中午|下午|晚上|夜里|凌晨)?(?:\d{1,2}|[一二三四五六七八九十]{1,3})点(?:半)?(?:到|至|-|—)(?:第二天|次日)?(?:早上|上午|中午|下午|晚上|夜里|凌晨)?(?:\d{1,2}|[一二三四五六七八九十]{1,3})点(?:半)?)(?:上班|的班)?$`), pSchedule, .74, func(c *clause, m []string) (fact, bool) {
		return fact{subject: "user", object: m[1]}, len(c.certain(true)) == 0
	}},
	{"zh.frame.when", subjPeople, false, compileZh(`^((?:[一二三四五六日]{2,5}|(?:周|星期|礼拜)[一二三四五六日天](?:[到至、和](?:周|星期|礼拜)?[一二三四五六日天])*)(?:都|就|才)?(?:坐班|上班|在家办公|远程|休息|轮休|不上班|去公司|到岗|值班|上课|带课|有课|在家).{0,10})$|^((?:上|值|倒|排|轮|换)(?:了)?(?:早|中|晚|夜|白|大夜|小夜|通宵)班.{0,10}|(?:三|两|四)班倒.{0,6}|(?:朝九晚[五六九]|早八晚[五六]|早九晚[五六]|九九六|996|965|大小周|单休|双休|做[一二三四五六]休[一二三]|上[一二三四五六]休[一二三]|弹性(?:工作|上班)|坐班|远程办公|居家办公|在家办公|轮班|倒班|半天班).{0,10})$|^(?:的)?((?:上班|工作|营业|办公|坐诊|上课)时间(?:是|为|：|:|从)?.{3,16})$`), pSchedule, .82, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1] + m[2] + m[3]}, !containsAny(c.text, "明天", "今天", "下周", "这周", "一般", "通常", "经常", "习惯")
	}},
	{"zh.frame.studies", subjPeople, false, compileZh(`^(?:在)?(?:读|念|攻读|就读于?|就读|修)(?:的)?(?:是|着|了)?([\p{Han}A-Za-z0-9]{2,16}?)(?:专业|呢)?$|^在([\p{Han}A-Za-z]{2,12}?)(?:(?:读|念|学|攻读)(?:的|着)?|(?:读|念|上|学|攻读)(?:的|着)?(?:大[一二三四]|研[一二三]|博[一二三]?|本科|硕士?|博士?|研究生|高[一二三]|初[一二三]|[一二三四五六]年级|书|大学|小学|中学|幼儿园|MBA|mba))(?:的)?(?:.{0,10})$|^(?:毕业于|毕业自|考上了?|考进了?|保送|录取到)([\p{Han}A-Za-z]{2,14}?)(?:的.{2,8})?(?:专业)?$|^([\p{Han}A-Za-z]{2,12}?)(?:专业)?毕业(?:的)?$|^(?:自学|在学|在啃|啃|学着?|进修|研修|备考|在考|考|报了|报名了|上)(?:了|着|的)?(?:个)?([\p{Han}A-Za-z0-9+#]{1,10}?(?:语|证|课|班|琴|吉他|鼓|画|书法|编程|驾照|车|雅思|托福|四级|六级|司法考试|法考|注会|CPA|ACCA|CFA|PMP|公务员|考公|考研|教资|舞|瑜伽|游泳|摄影|剪辑|建模|会计|心理学|统计|Python|Rust|Go|Java|SQL|AI|机器学习))(?:了.{0,6}|呢|中)?$|^上(?:的)?((?:大[一二三四]|研[一二三]|高[一二三]|初[一二三]|[一二三四五六]年级|幼儿园|小学|中学|初中|高中|大学|托班|小班|中班|大班|学前班|职高|中专|大专).{0,6})$|^(?:的)?(?:专业|主修|方向|研究方向|课题|本科|硕士|博士|学的)(?:专业)?(?:是|做|：|:|读的?|念的?|学的?)?([\p{Han}A-Za-z]{2,14})$|^学(?:的)?(?:是)?([\p{Han}A-Za-z]{2,10}?)(?:专业)?的$|^是?([\p{Han}A-Za-z0-9]{1,10}?(?:本科|硕士|博士|大专|中专|高中|研究生))(?:出身|毕业|学历|在读)?$`), pStudies, .8, studiedZh},
	{"zh.frame.enrolled", subjPeople, false, compileZh(`^(?:报|选|修|考|过)了([\p{Han}A-Za-z]{2,10}?)(?:[和跟、]([\p{Han}A-Za-z]{2,8}?))?(?:[一两二三四五六\d](?:门|科))(?:课)?$`), pStudies, .78, func(c *clause, m []string) (fact, bool) {
		f := fact{object: m[1]}
		if m[2] != "" {
			f.twin = &fact{pred: pStudies, object: m[2]}
		}
		return f, true
	}},
	{"zh.frame.manager", subjSelf | subjGroup | subjNone, true, compileZh(`^(?:我们?|咱们?)?(?:的)?(?:部门|组|公司|团队|项目|科室|单位)?(?:里)?(?:的)?(?:新来的?|新|现任|现在的?|直属|顶头)*(?:领导|上级|上司|老板|总监|主管|经理|组长|主任|部长|科长|处长|队长|导师|leader|Leader|老大|头儿|boss|Boss)(?:现在|目前)?(?:姓|叫|是|换成了?|：)([\p{Han}]{1,4}|` + zhLatin + `|[A-Z][a-z]+)$|^(?:汇报给|向)([\p{Han}A-Za-z]{1,8}?)(?:汇报|负责)?(?:工作)?$`), pManager, .84, func(c *clause, m []string) (fact, bool) {
		o := m[1] + m[2]
		return fact{subject: "user", object: o, qualifier: "manager"}, o != "" && !hasPrefixAny(o, "谁", "我", "你", "他", "她", "个", "一", "女", "男", "新", "从", "那", "这", "很", "不", "老师")
	}},

	// Languages and skills.
	{"zh.frame.speaks", subjPeople | subjNone, false, compileZh(`^(?:的)?(?:会|能|懂|略懂|精通|说|讲|听得?懂|母语是|能说|能讲|会说|会讲|只会)?(?:一点儿?|点儿?|流利的?)?((?:` + zhTongue + `)(?:[和、跟](?:` + zhTongue + `))*)(?:也|都|就|水平|说得?|讲得?|听得?|还|能|只|才|已经|到|考过|过了?|是|算|比较|很|挺)*(?:是?(?:我的?)?(?:母语|第[一二三]语言)|流利|熟练|不错|还行|还可以|凑合|很溜|溜|挺好|很好|一般|马马虎虎|很差|不行|应付(?:日常)?.{0,6}|能交流|日常(?:对话|交流).{0,6}|[ABCN][1-6]|[四六八]级|专[四八]|零基础|听得?懂.{0,8}|只会听.{0,4}|入门|半吊子|说得?利索|磕磕巴巴)(?:了)?$|^(?:会|能|懂|略懂|精通|说|讲|听得?懂|能说|能讲|会说|会讲)(?:一点儿?|点儿?|流利的?|说|讲)?((?:` + zhTongue + `)(?:[和、跟](?:` + zhTongue + `))*)$`), pSpeaks, .82, func(c *clause, m []string) (fact, bool) {
		f := fact{object: m[1] + m[2]}
		if c.sub.kind == subjNone {
			f.subject = "user"
		}
		return f, f.object != ""
	}},
	{"zh.frame.skill", subjPeople, false, compileZh(`^(?:会|懂|熟悉?|精通|擅长|拿手|略懂|写|用|玩)(?:过|了)?(?:[一二两三四五六七八九十几\d]+(?:多|来)?年(?:多)?的?)([\p{Han}A-Za-z0-9+# ]{1,12})$|^(?:精通|擅长|拿手|熟悉|略懂)([\p{Han}A-Za-z0-9+# ]{1,12}?)$|^对([\p{Han}A-Za-z0-9+# ]{1,12}?)(?:一窍不通|零基础|一无所知|很熟|熟|门儿清|不熟|不太熟|很在行|在行|不在行|有经验)$|^会(?:一点儿?|点儿?)?((?:弹|拉|打|写|画|做|开|修|唱|跳|织|缝|游泳|滑雪|编程|剪辑|木工|手语)[\p{Han}A-Za-z]{0,8})$|^([\p{Han}A-Za-z0-9+#]{1,10}?)(?:一窍不通|零基础|写了.{1,5}年|用了.{1,5}年|是?强项|是?弱项)$`), pKnows, .76, func(c *clause, m []string) (fact, bool) {
		o := m[1] + m[2] + m[3] + m[4] + m[5]
		return fact{object: o, negated: c.negated || containsAny(c.text, "一窍不通", "零基础", "一无所知", "不熟")}, o != "" && !containsAny(o, "你", "这", "那", "什么") && !containsAny(c.text, "感兴趣", "过敏")
	}},

	// Health and diet.
	{"zh.frame.reacts", subjSelf | subjKin | subjNone, true, compileZh(`^(?:我)?(?:是)?(?:属于)?(?:那种)?(?:只要)?一?(?:沾|碰|吃|喝|闻|摸|接触|打|用|吸|抹|戴)(?:到|了|上|点)?([\p{Han}A-Za-z]{1,8}?)(?:我)?(?:嘴|脸|嗓子|喉咙|皮肤|身上|浑身|全身|眼睛|鼻子|肚子|胃|手|嘴唇|舌头)?(?:就)(?:会|要|得|容易)?(?:.{0,4}?)(?:拉肚子|腹泻|肿|痒|起疹子?|起红疹|长疹子|起包|长痘|爆痘|过敏|喘|喘不上气|吐|恶心|反胃|胃疼|肚子疼|胃胀|胀气|头疼|头晕|晕|发麻|休克|打喷嚏|流鼻涕|红|难受|不舒服|反酸|烧心|心慌|失眠|睡不着|起荨麻疹|发烧)(?:.{0,6})$|^([\p{Han}A-Za-z]{1,8}?)(?:我)?(?:打不了|用不了|吃不了|喝不了|碰不得|碰不了|沾不得|皮试阳性)$`), pAllergic, .84, func(c *clause, m []string) (fact, bool) {
		o := m[1] + m[2]
		c.negated = false // it is in the words
		return fact{subject: c.ofSelf(), object: o}, o != "" && !containsAny(o, "你", "他", "这", "那", "太多", "多了", "苦", "亏", "饭", "完") && !c.past
	}},
	{"zh.frame.reacts_not", subjSelf | subjKin, false, compileZh(`^(?:打|用|碰|沾|吃|喝)(?:不了|不得)([\p{Han}A-Za-z]{1,8})$`), pAllergic, .8, func(c *clause, m []string) (fact, bool) {
		c.negated = false
		f := fact{object: m[1]}
		if reFoodZh.match(m[1]) {
			f.pred, f.object = pDiet, c.vp // 吃不了香菜
		}
		return f, true
	}},
	{"zh.frame.health", subjSelf | subjKin, false, compileZh(`^(?:有|得|患|查出来?|确诊|被诊断出?|犯|落下|患上|带着?|天生|从小就?)(?:了|过|有|是)?(?:.{0,8}?的)?(?:点|一点|很|比较|轻微的?|轻度的?|重度的?|严重的?|先天性?的?|慢性的?|早期的?|老)*([\p{Han}A-Za-z0-9]{0,8}?(?:病|炎|症|癌|瘤|综合征|结石|结节|囊肿|失调|障碍|溃疡|骨折|突出|增生|偏头痛|头痛|失眠|色弱|色盲|近视|散光|心律不齐|早搏|房颤|贫血|鼻炎|哮喘|痛风|高血压|糖尿病|三高|脂肪肝|甲减|甲亢|腰突|颈椎病|抑郁|焦虑|多动症|耳鸣|乳糜泻|不耐受|幽闭恐惧|口吃|狐臭|湿疹|荨麻疹|白癜风|疱疹|痔疮|静脉曲张|扁平足|老寒腿|关节痛|胃病))(?:.{0,8})$|^((?:恐高|恐针|晕血|晕车|晕船|晕机|晕针|怕黑|幽闭恐惧|社恐|色弱|色盲|左撇子|高度近视|近视.{1,6}度?|散光|失眠|贫血|耳背|口吃|鸡胸|扁平足|乳糖不耐受?|麸质不耐受?|蚕豆病|怀孕.{0,6}|怀着.{1,6}|备孕)(?:.{0,4}))$|^((?:左|右|双)?(?:血糖|血压|血脂|尿酸|胆固醇|视力|听力|睡眠|胃|肠胃|腰|膝盖|颈椎|肩膀|心脏|肝|肾|肺|皮肤|眼睛|嗓子|牙口?|骨头|关节|脚踝|手腕|腿脚|腿|手|耳朵?|眼|脚|鼻子|甲状腺|血小板|转氨酶|身体|记性|体质)(?:一直|有点儿?|有些|比较|很|不太|不|偏|不怎么|特别|非常|容易|受过|听|看|动|做过|打过|长过|先天|经常|老|总|天生)*(?:高|低|好|差|舒服|行|敏感|浅|伤|疼|干|弱|见|清|利索|灵便|坏|酸|麻|凉|超标|阳性|失聪|失明|毛病|问题|虚|寒|异常).{0,6}|(?:膝盖|腰|颈椎|肩膀|心脏|胃|肺|肾|肝|眼睛|手腕|脚踝|髋关节|鼻子|甲状腺)(?:[\p{Han}]{0,8}?)(?:手术|钢钉|钢板|支架|搭桥).{0,4}|(?:尿酸|血压|血糖|血脂|胆固醇|体重|心率|视力|骨密度|转氨酶|甘油三酯|BMI)(?:都|是|有|到|飙到|已经|查出来)*\d[\d./]*.{0,4}|(?:严重)?(?:到)?(?:要|得|必须)?(?:随身|常年|长期)(?:带|备|吃|服|戴)(?:着)?[\p{Han}A-Za-z]{2,8})$|^((?:做|动|开)过?了?(?:.{0,8}?)(?:手术|搭桥|支架|透析|化疗|放疗|移植|切除).{0,6}|(?:切|摘|拔|缝|植|装)(?:过|了|掉了?)(?:.{0,4}?)(?:胆|阑尾|子宫|扁桃体|甲状腺|脾|胃|肾|智齿|牙|支架|起搏器|钢板|钢钉|针|义肢|假牙|假肢).{0,6})$|^((?:戴|佩戴|装|安|坐|拄|用)(?:着|了)?(?:个|副)?(?:助听器|起搏器|心脏支架|人工耳蜗|牙套|护膝|护腰|轮椅|拐杖|呼吸机|胰岛素泵|假肢|义肢|矫正器|造口袋).{0,4})$|^(?:属于)?(?:那种)?(一.{1,4}?就(?:心慌|头疼|头晕|失眠|胃疼|恶心|喘|晕|犯困|腰疼|过敏|咳嗽|流鼻血|出汗|耳鸣|拉肚子|胃疼|反酸|发抖|抽筋|起疹子)(?:的?体质)?)$`), pHealth, .82, func(c *clause, m []string) (fact, bool) {
		o := m[1] + m[2] + m[3] + m[4] + m[5] + m[6]
		return fact{object: strings.TrimSuffix(o, "的")}, utf8Len(o) > 1 && !c.negated && !rePassingZh.match(c.text) && !containsAny(o, "方便", "代码", "测试") && !illOfOthersZh(c.vp, "")
	}},
	{"zh.frame.diet", subjPeople, false, compileZh(`^((?:吃|只吃|改吃|开始吃|坚持|在|一直)*(?:全素|纯素|蛋奶素|锅边素|鱼素|素食?|斋|长斋|花素|清真|生酮|低碳|低脂|低盐|低糖|低嘌呤|无麸质|无糖|少油少盐|清淡|流食|减脂餐|轻断食|间歇性断食|断碳|控糖|控碳|断糖|戒糖|过午不食)(?:的?(?:饮食|食物|东西))?)(?:的|了.{0,6}|好.{1,4}年了?)?$`), pDiet, .82, func(c *clause, m []string) (fact, bool) { return fact{object: m[1]}, !c.negated }},
	{"zh.frame.avoids", subjPeople, false, compileZh(`^(?:能|敢|会|想|可以|碰|沾|吃|喝|抽|进|摄入)*(?:吃|喝|抽|沾|碰|进)(?:过|得了?|到)?(?:任何|一点儿?|半点)?([\p{Han}A-Za-z]{1,10}?)(?:的东西|类的?|制品)?(?:了)?$`), pConsumes, .8, func(c *clause, m []string) (fact, bool) {
		o := strings.TrimSuffix(m[1], "的")
		if strings.HasPrefix(c.text, "再") || containsAny(c.text, "再没", "再也没") {
			c.ended = true
		}
		f := fact{object: o, negated: true, qualifier: o}
		if containsAny(c.text, "不能", "不敢", "不可以", "不得", "不让") && !c.ended { // a diet, and not a choice
			f.pred, f.object, f.negated, c.negated = pDiet, trimEndZh(c.text), false, false
			return f, reFoodZh.match(o)
		}
		return f, c.negated && (reFoodZh.match(o) || containsAny(c.vp, "吃", "喝", "抽", "沾")) && !containsAny(o, "东西", "饭", "药", "过", "完", "到", "你", "亏", "苦", "起", "惯", "什么", "早饭")
	}},
	{"zh.frame.never", subjPeople, true, compileZh(`^(?:.{0,10}?)(?:我)?((?:从不|从来不|绝不|坚决不|打死不|死活不)[\p{Han}A-Za-z]{1,12})$`), pHabit, .76, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1], negated: true}, !c.past && !containsAny(c.text, "你", "他", "她", "服务", "代码")
	}},
	{"zh.frame.refuses", subjPeople, false, compileZh(`^(?:去|坐|看|玩|听|穿|聊|碰)([\p{Han}A-Za-z0-9]{2,10})$`), pDislikes, .74, func(c *clause, m []string) (fact, bool) {
		ok := c.negated && containsAny(c.text, "打死", "死活", "坚决", "绝对不", "绝不")
		c.negated = false
		return fact{object: m[1], qualifier: m[1]}, ok
	}},
	{"zh.frame.late", subjPeople, true, compileZh(`^(?:我)?((?:晚上|夜里|睡前|早上|中午|下午)?(?:[一二三四五六七八九十\d]+点(?:半)?(?:以后|之后|后|以前|前))?(?:我)?(?:就|都|从来|一般|基本)*(?:不|从不)(?:再)?(?:吃东西|吃饭|喝水|吃早饭|吃晚饭|吃早餐|吃晚餐|吃夜宵|喝咖啡|看手机|回消息|接电话|加班|看邮件|上网|出门)(?:了)?)$`), pHabit, .8, func(c *clause, m []string) (fact, bool) { return fact{object: m[1]}, !c.past }},
	{"zh.frame.consumes", subjPeople | subjNone, true, compileZh(`^(?:我)?(?:现在|基本|几乎|都|得|要)*(?:每天|一天|天天|每晚|每早|早上|一周|每周)(?:都|得|要|必须|基本|来|喝|抽|吃|至少)*([一二两三四五六七八九十半几\d]+(?:杯|瓶|罐|包|根|支|两|碗|盒|颗|片|斤|升|壶)[\p{Han}A-Za-z]{1,8}?)(?:续命|提神|打底|起步|雷打不动|不能少|下肚|才行|保平安|.{0,2})?$|^(?:我)?(?:全|就|都)*(?:靠|离不开|离不了|少不了|戒不掉)([\p{Han}A-Za-z]{1,8}?)(?:续命|活着|提神|撑着|吊着|过日子)?$`), pConsumes, .78, func(c *clause, m []string) (fact, bool) {
		o := m[1] + m[2]
		return fact{subject: c.ofSelf(), object: o, qualifier: o}, reFoodZh.match(o) && !c.negated
	}},
	{"zh.frame.drank", subjPeople, false, compileZh(`^(?:天天|每天|顿顿|老|总|爱|常)*(?:喝|吃|抽|嚼)([\p{Han}A-Za-z]{1,8})$`), pConsumes, .76, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1], qualifier: m[1]}, c.past && !c.negated && containsAny(c.text, "以前", "曾经", "过去", "原来", "之前") && reFoodZh.match(m[1])
	}},
	{"zh.frame.quit", subjPeople | subjNone, true, compileZh(`^(?:我)?戒(烟|酒|糖|咖啡|奶茶|可乐|辣|甜食|零食)(?:.{0,6}?)第?[\d一二三四五六七八九十百]+(?:天|周|个?月|年).{0,4}$`), pConsumes, .8, func(c *clause, m []string) (fact, bool) {
		c.ended = true
		return fact{subject: c.ofSelf(), object: m[1], negated: true, qualifier: m[1]}, true
	}},
	{"zh.frame.switched_to", subjPeople | subjNone, false, compileZh(`^(?:现在|后来|都|全|就|最近|已经)*(?:换成|改成|改喝|改吃|改抽|改用|换喝|换吃|只喝|只吃|只抽|改为喝|转喝)(?:了|喝|吃)?([\p{Han}A-Za-z]{1,8}?)(?:了)?$`), pConsumes, .78, func(c *clause, m []string) (fact, bool) {
		return fact{subject: c.ofSelf(), object: m[1], qualifier: m[1]}, reFoodZh.match(m[1])
	}},

	// Tastes.
	{"zh.frame.likes", subjPeople, false, compileZh(`^(?:喜欢|喜爱|喜好|爱|热爱|酷爱|钟爱|偏爱|独爱|挚爱|迷|痴迷|沉迷|着迷|入迷|迷恋|迷上|爱上|喜欢上|入坑|入了坑|热衷于?|钟情于?|沉迷于?|痴迷于?|享受|馋|粉|追|最爱|最喜欢|最享受|特爱|超爱|巨爱|贼爱)(?:了|着|上了?|的是|的)?([\p{Han}A-Za-z0-9·+# ]{1,18}?)(?:这口|这一口|了|的|得不行|得要命)?$|^对(.{1,14}?)(?:真的|完全|一直|特别|非常|很|超|挺|比较|十分)*(?:没有?抵抗力|毫无抵抗力|没有?免疫力|情有独钟|着迷|上瘾|上头|感兴趣|有兴趣|爱不释手|爱得深沉|特别有?感情?|有执念|欲罢不能|念念不忘|有瘾|有好感)$|^是?(?:个|一个|一枚|一名)?(?:资深|铁杆|骨灰级|十年|老|忠实|狂热|死忠)*([\p{Han}A-Za-z0-9·]{1,10}?)(?:迷|粉丝?|铁粉|爱好者|发烧友|控|死忠粉|拥趸|球迷)$|^(?:百(?:看|吃|听|玩)不厌|怎么(?:看|吃|听|喝|玩)都(?:不腻|不够))(?:的是)?(.{1,12})$`), pLikes, .82, tasteLikesZh},
	{"zh.frame.liked", subjNone | subjThing | subjSelf, true, compileZh(`^([\p{Han}A-Za-z0-9·]{1,12}?)(?:一直|真的|永远|绝对|才|就)*是我(?:的)?(?:心头好|最爱|快乐源泉|本命|命|白月光|解压神器|精神食粮|安慰食品|童年回忆|一生所爱|挚爱|快乐|动力)$|^([\p{Han}A-Za-z0-9·]{1,10}?)(?:我)?(?:能|可以)(?:连|一口气|一直|天天|每天|顿顿)(?:.{0,6}?)(?:吃|看|听|玩|喝|刷|聊)(?:.{0,8})$|^([\p{Han}A-Za-z0-9·]{1,10}?)(?:我)?(?:怎么(?:看|吃|听|喝|玩)都|百(?:看|吃|听|玩))(?:不腻|不够|不厌)$`), pLikes, .78, func(c *clause, m []string) (fact, bool) {
		o := m[1] + m[2] + m[3]
		return fact{subject: "user", object: o, qualifier: o}, o != "" && !hasPrefixAny(o, "这", "那", "你", "他", "她", "它")
	}},
	{"zh.frame.dislikes", subjPeople, false, compileZh(`^(?:讨厌|厌恶|反感|痛恨|憎恶|嫌弃|受不了|忍不了|忍受不了|接受不了|接受不能|看不惯|听不得|闻不得|见不得|闻不了|吃不惯|喝不惯|用不惯|住不惯|看不下去|听不下去|欣赏不来|吃不来|喝不来|玩不来|最烦|最恨|最怕|最讨厌|最受不了|害怕|怕|烦|恨|腻了|看腻|吃腻|玩腻|听腻|吃怕|喝怕|雷|拒绝|抗拒|抵触|排斥)(?:了|过)?(?:别人|人家)?([\p{Han}A-Za-z0-9·+# ]{1,18}?)(?:了|的)?$|^对(.{1,14}?)(?:真的|完全|一直|特别|非常|很|超|挺|比较|十分|实在|一点都?|就是)*(?:零容忍|不感冒|无感|没兴趣|没什么兴趣|不感兴趣|没好感|没啥好感|喜欢不起来|爱不起来|提不起兴趣|提不起劲|不来电|敬谢不敏|敬而远之|深恶痛绝|避之不及|反感|过敏不起|PTSD|有阴影|有心理阴影|没耐心|没有耐心)$|^(?:喜欢|爱)不(?:起来|上|来)(.{1,10})$`), pDislikes, .82, tasteDislikesZh},
	{"zh.frame.disliked", subjNone | subjThing | subjSelf, true, compileZh(`^([\p{Han}A-Za-z0-9·]{1,12}?)(?:一直|真的|永远|绝对|简直|就)*是我(?:的|此生|这辈子)*(?:雷区|死穴|噩梦|天敌|之敌|死敌|童年阴影|克星|底线|大忌|禁区)(?:.{0,4})$|^([\p{Han}A-Za-z0-9·]{1,10}?)(?:我)?(?:真的|实在|就是|一直|根本|完全)*(?:欣赏不来|喜欢不起来|爱不起来|吃不惯|喝不惯|看不惯|用不惯|住不惯|受不了|接受不了|忍不了|敬谢不敏|get不到|无感|谢谢不用)(?:了)?$|^(?:一)?(?:看|听|闻|提|想)(?:到|见|起)(.{1,10}?)(?:就)(?:头大|头疼|烦|来气|火大|想吐|反胃|难受|窒息|浑身难受|起鸡皮疙瘩)$`), pDislikes, .8, func(c *clause, m []string) (fact, bool) {
		o := m[1] + m[2] + m[3]
		c.negated = false
		return fact{subject: "user", object: o, qualifier: o}, o != "" && !reNoTopic.MatchString(o) && !reBodyPartZh.match(o) && !hasPrefixAny(o, "我", "一") && !c.past
	}},
	{"zh.frame.prefers", subjSelf | subjGroup | subjKin | subjNone, true, compileZh(`^(?:我们?)?(?:比起|相比|相较于?|跟|和|与|较之)(.{1,14}?)(?:相比|比起来|比|来说)?[，,]?(?:我们?)?(?:还是|肯定|会|一般|都|个人|其实)*(?:更|比较|宁愿|宁可)(?:愿意|喜欢|爱|想|习惯|倾向于?|偏向于?|偏好|推崇|适合|享受|爱用)?(?:选|用|坐|吃|喝|去|看|要)?(.{1,14})$|^(?:我们?)?(?:宁愿|宁可|情愿)(.{1,14}?)(?:也|都)(?:不|不要|不愿意?|不想)(.{1,14})$|^(?:我们?)?(.{1,8}?)[和跟与](.{1,8}?)(?:之间|里面?|二选一|选一个)?(?:的话)?[，,]?(?:我)?(?:肯定|一定|还是|会|都|永远|一般|当然)*(?:选|站|投|要)(.{1,8})$|^(?:我们?)?(?:还是|个人|一般|平时|现在|通常)*(?:更|比较)?(?:倾向于?|偏向于?|偏好|偏爱|首选|更喜欢|更爱|更愿意|更想|更习惯|习惯用|优先选?|更青睐)(?:于|用|选)?(.{2,16})$|^(?:我们?)?(?:还是)(.{1,10}?)(?:更|比较)?(?:适合我|顺手|顺眼|对我胃口|合我口味|香)$`), pPrefers, .8, func(c *clause, m []string) (fact, bool) {
		o := m[2]
		switch {
		case m[3] != "":
			o = m[3]
		case m[7] != "":
			o = m[7]
			if !containsAny(m[5]+m[6], o) {
				return fact{}, false
			}
		case m[8] != "":
			o = m[8]
		case m[9] != "":
			o = m[9]
		}
		o = objectOf(c, o)
		return fact{subject: c.ofSelf(), object: o, qualifier: o}, o != "" && !c.negated && !containsAny(o, "你", "这个方案", "什么") && !c.past
	}},

	// Habits, doings, plans.
	{"zh.frame.habit", subjPeople, true, compileZh(`^(?:我们?)?((?:闲下来|一有空|有空|没事|得空|一到.{1,4}|一闲|每逢.{1,6}|逢年过节|初一十五|隔天|隔三差五|雷打不动|天天|睡前|饭后|起床后?|下班后?|早起|周[一二三四五六日末](?:早上|晚上|下午)?|每.{1,6}?)(?:就|都|会|要|得|必|固定|雷打不动|喜欢|习惯|一般|基本)*(?:去|在|跟|和|给|带|打|跑|游|练|看|写|听|读|做|弹|拉|画|爬|骑|钓|逛|吃|喝|泡|冥想|复盘|遛|陪|上|开|买|回|瑜伽|健身|锻炼|散步|跳|唱|拍|录|种|喂|烤|烘焙|下棋|直播|撸铁|徒步|露营).{1,16})$`), pHabit, .76, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1]}, !c.past && !containsAny(c.text, "今天", "明天", "你", "下周", "昨天") && len(c.certain(true)) == 0
	}},
	{"zh.frame.for_years", subjPeople | subjNone, true, compileZh(`^(?:我)?([\p{Han}A-Za-z]{2,8}?)(?:玩|学|练|打|弹|画|写|做|跑|骑|滑|养|种|拍)了(?:都|有|快|将近|差不多)*(?:[一二两三四五六七八九十几好半\d]+(?:多|来)?(?:年|个月))(?:多)?(?:了)?$`), pHabit, .74, func(c *clause, m []string) (fact, bool) {
		return fact{subject: c.ofSelf(), object: c.text}, !hasPrefixAny(m[1], "这", "那", "你", "他", "她", "代码", "文档")
	}},
	{"zh.frame.doing", subjPeople, false, compileZh(`^(?:在|正在|忙着|忙于|着手|开始|最近在|准备|筹备|张罗)(自学|学|练|备考|备战|准备|筹备|装修|翻修|找(?:工作|房|对象|保姆|房子)|带娃|写(?:论文|书|小说|毕业|博士|剧本|开题)|做(?:副业|自媒体|毕设|开源|康复|理疗|一个|一款)|搞|攒钱|存钱|减肥|减脂|增肌|健身|康复|养胎|养伤|养病|坐月子|休(?:产假|年假|病假|陪产假)|创业|考|申请|追|谈恋爱|办(?:签证|移民|离婚|手续|婚礼)|看房|看病|治疗|戒|翻译|开发|研究|种|养|拍|录|参加|参与|负责|教|读)(.{0,16})$`), pDoing, .76, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1] + objectOf(c, m[2])}, !c.negated && !c.past && !containsAny(c.text, "日志", "文档", "你", "刚", "报错", "今天", "代码")
	}},
	{"zh.frame.promises", subjPeople, false, compileZh(`^(?:答应|承诺|约好|约好了|说好|定好|约定|许诺|立志|下定决心|发誓|决心|争取|力争|打算|计划|盘算着?|琢磨着|预计|准备|想着?|要|得|会|将|拟)(?:了|好了)?(.{3,30})$`), pPlan, .8, func(c *clause, m []string) (fact, bool) {
		if c.negated || c.past && !hasPrefixAny(c.vp, "答应", "约", "承诺", "说好", "定好") || c.reported || containsAny(c.text, "你", "您", "每", "一般", "通常", "平时") || reNoDeedZh.match(m[1]) {
			return fact{}, false
		}
		return fact{object: c.vp, expires: true, past: containsAny(c.text, "原本", "本来", "原计划", "原先")}, c.ahead() || hasPrefixAny(c.vp, "答应", "承诺", "打算", "计划", "立志", "下定决心", "盘算", "决心")
	}},
	{"zh.frame.ahead", subjPeople, true, compileZh(`^(.*?)(?:在.{1,10}(?:出差|休假|度假|培训|开会|参展|探亲|学习|值班)|放(?:暑假|寒假|假)|飞|回老家|回国|出国|去|到|搬家?|入职|报到|开学|毕业|结婚|领证|办婚礼|办酒|生日|手术|复查|体检|复诊|面试|答辩|考试?|交稿|交付|上线|出发|返程|续签|面签|开庭|搬进|交房|看房|领养|接|送|陪|参加|给|把|交|退房|到期|还|提交|完成|发|办|签)(.*)$`), pPlan, .76, func(c *clause, m []string) (fact, bool) {
		if !c.ahead() || c.negated || c.past || c.reported || containsAny(c.text, "你", "您", "每", "一般", "通常", "吗", "天气", "下雨", "涨", "降", "如果", "差点", "差一点") || len(c.certain(true)) == 0 {
			return fact{}, false
		}
		if c.elided || containsAny(c.text, "不在", "他", "她", "它") {
			return fact{}, false // who knows whose
		}
		return fact{object: trimEndZh(c.text), expires: true}, utf8Len(c.text) > 4
	}},

	// What somebody has and uses.
	{"zh.frame.size", subjGroup, false, compileZh(`^(?:组|团队|部门|公司|家|项目|小组|店)?(?:里)?(?:现在|目前|一共|总共|就|有|共|只有|加起来)+([一二两三四五六七八九十几\d]+(?:来|多)?(?:个|名|口)?人)(?:.{0,4})$`), pAttr, .78, func(c *clause, m []string) (fact, bool) {
		return fact{subject: "we", qualifier: "size", object: m[1], kind: schema.KindProject}, !c.negated
	}},
	{"zh.frame.has", subjPeople, false, compileZh(`^(?:有|养了?|养着|领养了?|收养了?|攒了?|攒下了?|囤了?|收藏了?|收集了?|拥有|入手了?|置办了?|添了?|买了?|换了?|开了?|经营着?|开着|请了?|雇了?|带着?|拉扯|生了?|名下有|上面有|下面有|家里有|手上有)(` + someZh + `[\p{Han}A-Za-z0-9·]{1,16}|(?:辆|台|只|条|匹|间|套|栋|架|块|把|副|个(?:女儿|儿子|弟弟|妹妹|哥哥|姐姐|孩子|娃|闺女|双胞胎))[\p{Han}A-Za-z0-9·]{0,16})$|^(?:有)((?:车|房|猫|狗|娃|孩子|对象|女朋友|男朋友|驾照|护照|绿卡|双国籍).{0,6})$`), pHas, .78, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1]+m[2])
		return fact{object: o, negated: c.negated}, o != "" && !containsAny(o, "问题", "bug", "想法", "建议", "疑问", "会", "事", "需求", "报错", "消息", "机会", "办法", "时间", "约会", "任务", "地方", "例子", "版本", "票", "假", "小时") && !containsAny(c.text, "今天", "刚刚")
	}},
	{"zh.frame.device", subjSelf | subjNone | subjGroup, true, compileZh(`^(?:我们?|家里|办公室|公司|宿舍|书房)*(?:的|那|这|现在|平时|用的|主力|备用)*(?:台|部|辆|块|个)?(?:NAS|nas|路由器?|电脑|主力机|笔记本|台式机?|显示器|键盘|鼠标|耳机|相机|手机|平板|打印机|车|摩托|服务器|开发机|显卡|编辑器|浏览器|终端|系统|IDE|输入法|数据库|磨豆机)(?:现在|目前|一直|都|用的?)*(?:是|用的是|换成了?|为|：)?([A-Za-z][\w.+ -]{1,20}.{0,4}|[\p{Han}]{0,6}[A-Za-z0-9][\w.+ -]{1,16}.{0,3})$`), pUses, .78, func(c *clause, m []string) (fact, bool) {
		return fact{subject: c.ofSelf(), object: strings.TrimSpace(m[1])}, !hasPrefixAny(m[1], "位", "牌", "库", "厂", "间") && (c.sub.kind != subjNone || hasPrefixAny(c.text, "家里", "主力", "编辑器", "终端", "公司", "办公室", "宿舍", "书房", "平时", "现在", "手机", "电脑", "车", "相机", "键盘", "浏览器", "磨豆机"))
	}},
	{"zh.frame.uses", subjPeople, false, compileZh(`^(?:用|使|在用|使用|用着|全用|只用|都用|改用|换用|装|装了?|跑|走|上|戴|只戴|戴着|穿|骑|开|坐|弹|拉|吹|打|玩)(?:的|着|了|是)*((?:一)?(?:辆|台|把|架|部|副|款|双)?[\p{Han}A-Za-z0-9·+#. ]{2,20}?)(?:的鞋|的)?(?:来?(?:写|做|办公|开发|上班|通勤|代步|画|记|管理|沟通|协作|聊天|开会|听|看|拍|剪).{0,10})?(?:了)?$`), pUses, .78, usedZh},
	{"zh.frame.uses_in", subjPeople | subjNone, true, compileZh(`^(?:我们?)?(?:做|写|记|画|管|存|列|剪|修|打|查|算|编)([\p{Han}A-Za-z]{1,8}?)(?:我们?)?(?:一般|都|全|基本|主要|平时|一直|就|统一)*(?:在|用|靠|走|放|交给|通过)([A-Za-z][\w.+# -]{1,20}|[\p{Han}]{2,8}?)(?:里面?|上|中)?(?:完成|搞定|弄|写|做|画|记)?$|^(?:我们?)?([\p{Han}A-Za-z]{1,8}?)(?:我们?)?(?:一般|都|全|基本|主要|平时|一直|统一)+(?:在|用|靠|走|放在?|存在?|写在?|记在?)([A-Za-z][\w.+# -]{1,20})(?:里面?|上|中)?$`), pUses, .78, func(c *clause, m []string) (fact, bool) {
		o := strings.TrimSpace(m[2] + m[4])
		return fact{subject: c.ofSelf(), object: o}, o != "" && (reLatinZh.MatchString(o) || reToolZh.match(o)) && !c.negated && !containsAny(c.text, "帮我", "你")
	}},

	// What a project decided, and who does what.
	{"zh.frame.decided", subjAny | subjNone, true, compileZh(`^(?:最后|最终|昨天|今天|上周|刚才|刚|我们?|咱们?|组里|团队|公司|会上|开会|大家|部门|项目组|讨论(?:完|下来|了半天|了一圈)?|商量(?:完|下来|了半天)?|评审|复盘|投票|都|一起|内部)+(?:会上?)?(?:一致|投票|最后|最终|都|已经|也)*(?:同意|决定|定了?|定下来|拍板|敲定|商量好|达成一致|说好|说定|确定|选定|选了|通过了?|表决|议定|达成共识)(?:了|：|:|，|要|把|由|用|先|还是)*(.{3,40})$`), pDecision, .82, func(c *clause, m []string) (fact, bool) {
		return fact{subject: "we", object: objectOf(c, c.text)}, !containsAny(c.text, "你", "要不要", "能不能", "没定", "没有决定", "还没")
	}},
	{"zh.frame.use_not", subjNone | subjGroup, true, compileZh(`^(?:我们?)?(?:就|最后|统一|都|还是)*(?:用|上|选|走|要)([A-Za-z][\w.+# -]{1,16}|[\p{Han}]{2,6}?)[，,]?(?:不用|不要|不选|不上|而不是|不走|放弃)([A-Za-z][\w.+# -]{1,16}|[\p{Han}]{2,6})(?:了)?$`), pDecision, .78, func(c *clause, m []string) (fact, bool) {
		return fact{subject: "we", object: c.text, twin: &fact{pred: pUses, subject: "we", object: m[2], negated: true, kind: schema.KindProject}}, !containsAny(c.text, "请", "回复", "回答", "你")
	}},
	{"zh.frame.rewritten", subjAny | subjNone, true, compileZh(`^(?:我们?)?([\p{Han}A-Za-z0-9_-]{2,12}?)(?:已经|刚|都|全部|后来|上周|上个?月)*(?:从|由)([\p{Han}A-Za-z0-9.+#]{1,12})(?:重写|改写|迁移?|换|转|切换?|改|重构)(?:成|到|为|用)了?([\p{Han}A-Za-z0-9.+#]{1,14}?)(?:了)?$`), pWrittenIn, .8, func(c *clause, m []string) (fact, bool) {
		f := fact{subject: ourThing(m[1]), object: m[3], replaces: m[2], kind: schema.KindProject}
		return f, reCodeLangZh.match(m[3]) && !hasPrefixAny(m[1], "你", "他", "她")
	}},
	{"zh.frame.on_host", subjNone | subjThing | subjGroup, true, compileZh(`^(?:我们?组?的?)?([\p{Han}A-Za-z0-9_-]{2,14}?)(?:已经|刚|都|全部|后来|现在|昨天)*(?:迁|搬|挪|切|换|部署|放|跑|转|割接)(?:到|在|去|往)了?([a-z0-9][\w-]*(?:[.-][\w-]+)+)(?:上|那台|这台|机器)*(?:了)?$`), pHost, .8, func(c *clause, m []string) (fact, bool) {
		return fact{subject: ourThing(m[1]), object: m[2]}, !strings.Contains(m[2], "://")
	}},
	{"zh.frame.instead", subjNone | subjThing | subjGroup, true, compileZh(`^(?:我们?)?([\p{Han}A-Za-z0-9]{0,10}?)(?:不)(?:用|放|走|搞|做|选|要|办|去|上)([\p{Han}A-Za-z0-9. ]{1,12}?)了?[，,](?:就|直接|还是)?(?:改|换|改成|换成|改为)(?:用|放|走|搞|做|选|去|上|到|在)?(.{2,16})$|^(?:改|换)(?:用|放|走|搞|做|选|去|上|到|在)([\p{Han}A-Za-z0-9. ]{2,16})$`), pDecision, .76, func(c *clause, m []string) (fact, bool) {
		return fact{subject: "we", object: objectOf(c, c.text)}, !c.past && !containsAny(c.text, "你", "请", "帮")
	}},
	{"zh.frame.owner", subjNone | subjThing, true, compileZh(`^([\p{Han}A-Za-z0-9]{2,12}?)(?:现在|目前|以后|一直|都)*(?:是|由|归|找|让)([\p{Han}A-Za-z]{1,8}?)(?:在|来|那边)?(?:负责|维护|跟进|跟|管|盯|对接|带|管着|接手|审|把关|主导|牵头)(?:的|了)?$|^([\p{Han}A-Za-z]{2,6}?)(?:现在|目前)?(?:在)?(?:负责|主管|分管|牵头|主导|接手了?|对接|管着)([\p{Han}A-Za-z0-9]{2,12})$`), pOwner, .8, func(c *clause, m []string) (fact, bool) {
		f := fact{subject: ourThing(m[1] + m[4]), object: m[2] + m[3], kind: schema.KindProject}
		return f, !containsAny(f.object, "我", "你", "他", "她", "谁", "这", "那", "不", "要", "请", "大家", "什么") && !hasPrefixAny(f.subject, "人", "这", "那", "你", "他", "我", "娃", "孩子") && !c.past
	}},
	{"zh.frame.port", subjAny | subjNone, true, compileZh(`^([\p{Han}A-Za-z0-9_.-]{2,20}?)(?:服务)?(?:现在|目前|默认|就|都|改)*(?:开|跑|监听|起|暴露|挂|绑|听|映射|部署|走|用|占)(?:在|到|的是)?(?:了)?(\d{2,5})(?:端口|口|上|号端口)*(?:了)?$`), pPort, .82, func(c *clause, m []string) (fact, bool) {
		return fact{subject: ourThing(m[1]), object: m[2]}, reLatinZh.MatchString(m[1]) || containsAny(c.text, "端口", "监听", "服务", "库")
	}},
	{"zh.frame.version", subjAny | subjNone, true, compileZh(`^([\p{Han}A-Za-z0-9_.-]{2,16}?)(?:现在|目前|还|都|一直|统一|已经|全部|也)*(?:停在|卡在|锁在|钉在|固定在|升到|升级到|降到|回退到|用的?是?|跑的?是?|是|在|到|更新到|切到|要求|需要|只支持|支持)(?:了)?((?:[A-Za-z][\w+#]*)? ?v?\d+(?:\.\d+)+[\w.-]*)(?:版本|版|上|这个版本|以上)*(?:了)?$|^(?:昨天|今天|刚|上周|已经)*(?:把|将)([\p{Han}A-Za-z0-9_.-]{2,16}?)(?:升级?|更新|降级?|回退|锁|固定|切)(?:到|在|成)了?(v?\d+(?:\.\d+)+[\w.-]*)(?:了)?$`), pVersion, .82, func(c *clause, m []string) (fact, bool) {
		return fact{subject: ourThing(m[1] + m[3]), object: m[2] + m[4]}, !strings.Contains(m[2], "元") && !hasPrefixAny(m[1], "你", "他", "她", "预算", "价格")
	}},
	{"zh.frame.limit", subjAny | subjNone, true, compileZh(`^([\p{Han}A-Za-z0-9]{2,14}?)(?:的)?(?:上限|下限|限额|额度|配额|预算|超时|阈值|最大值?|最多|限制)(?:是|为|：|:|在|定在|设成|设为|改成|调到|只有)?(\d[\d.,]* ?[\p{Han}A-Za-z%/]{0,6})$`), pAmount, .8, func(c *clause, m []string) (fact, bool) {
		return fact{subject: m[1], qualifier: m[1], object: m[2], kind: schema.KindProject}, !c.past || containsAny(c.text, "改", "调")
	}},
	{"zh.frame.via", subjNone | subjThing | subjGroup, true, compileZh(`^(?:我们?的?)?([\p{Han}A-Za-z0-9]{2,12}?)(?:之间)?(?:统一|都|全|目前|现在|主要|默认)*(?:通过|经由|基于|走|靠|用|依赖)([A-Za-z][\w.+#-]{1,20})(?:跟|和|与|来|做|进行|上|去|部署|通信|交互|对接|鉴权|同步|打包|构建|发布|管理|存|缓存|收发|推送).{0,12}$`), pUses, .78, func(c *clause, m []string) (fact, bool) {
		return fact{subject: ourThing(m[1]), object: m[2], kind: schema.KindProject}, !c.negated && !hasPrefixAny(m[1], "你", "他", "她", "怎么", "如何", "请", "帮", "可以", "能", "我") || hasPrefixAny(c.text, "我们")
	}},

	// Rules.
	{"zh.frame.except", subjAny | subjNone, true, compileZh(`^(?:除了?)([\p{Han}A-Za-z]{1,8}?)(?:以外|之外|外)?[，,]?(?:谁|任何人|其他人|别人|其余人)(?:都|也)?(?:不能|不许|不准|不得|不可以|别)(.{2,16})$`), pRule, .82, func(c *clause, m []string) (fact, bool) {
		return fact{object: c.text, kind: schema.KindProject}, true
	}},
	{"zh.frame.order", subjNone | subjThing | subjSelf, true, compileZh(`^(?:请|麻烦|你|您|以后|今后)*([\p{Han}A-Za-z0-9 “”"]{1,14}?)(?:的时候|时|里|中)?(?:都|也|请|要|就|得|最好|尽量|务必)*(?:尽量|统一|一律|一概|都要|都得|必须|务必|始终|默认|优先|控制在|不超过|不要|不用|不必|不许|不准|别|禁止|只能|只许|附上|标注|保留|写明|注明|写|用|署名|落款|标|按|走|加上|带上|换成?|改用|选|配)(.{1,18})$`), pRule, .74, orderZh},
	{"zh.frame.case", subjNone | subjSelf, true, compileZh(`^(?:凡是?|只要|但凡|每当|每次|任何时候|遇到|碰到|如果|要是|当|拿不准|不确定|有歧义|没把握)(.{1,20}?)[，,]?(?:就|都|你|您)*(?:请|要|得|务必|先|一定|直接|记得|别|不要|给我|帮我)+(.{2,20})$|^(?:给我|帮我|替我|你|您|每次)*((?:看|审|写|给|回|翻|讲|改|做|出|提|推荐|列|总结|解释|回答|回复|起草|安排|订|查|分析|生成|画|介绍|比较|评价|点评|算|举例|引用|聊|说).{0,12}?)(?:的时候|时)[，,]?(?:请|要|都|就|记得|一定|尽量|直接|先|顺便|优先|只|默认|别|不要|不用|统一|一律)+(.{2,18})$`), pRule, .76, func(c *clause, m []string) (fact, bool) {
		return fact{object: c.text}, !c.past && len(c.certain(true)) == 0 && !momentZh(c.text) && !containsAny(c.text, "会", "我就", "吗", "怎么", "告诉我", "完的时候", "的时候就")
	}},
}

const zhTongue = `普通话|国语|粤语|广东话|白话|闽南[语话]|客家话|上海话|四川话|潮汕话|温州话|吴语|东北话|方言|手语|[\p{Han}]{1,4}语|英文|中文|日文|法文|德文|韩文|俄文`

// ofSelf is the speaker where c names nobody.
func (c *clause) ofSelf() string {
	if c.sub.kind&subjPeople == 0 {
		return "user"
	}
	return ""
}

func livedZh(c *clause, m []string) (fact, bool) {
	o := strings.TrimSuffix(objectOf(c, strings.Join(m[1:], "")), "的")
	for _, w := range [...]string{"那边", "这边", "那一带", "附近"} {
		o = strings.TrimSuffix(o, w)
	}
	if o == "" || containsAny(o, "是", "叫", "的时候") || utf8Len(o) < 2 || c.negated && !c.ended || reNotPlaceZh.match(o) || len(c.certain(false)) > 0 && c.ahead() {
		return fact{}, false
	}
	return fact{object: o}, !reStayZh.match(c.vp)
}

// reStayZh is a stay, not a home.
var reStayZh = gated(`(?:待|呆|住|玩|生活|居住|混|漂)了?(?:[一二两三四五六七八九十几半\d]+)(?:多)?(?:天|晚|夜|周|个?星期|个?礼拜|个?小时)`)

var reNotPlaceZh = gated(`^(?:公司|家里?|学校|一起|这|那|外面|里面|上面|下面|这里|那里|这边|那边|现在|目前|用|做|看|写|学|想|等|找|忙|准备|考虑|考|一个|自己|单位|办公室|医院|酒店|哪|什么|开会|路上|地铁|车上|床上|会议|线上|本地|后台|前台|底层|代码|服务器|数据库|文档|群里|微信|网上)`)

// reCodeLangZh are languages that programs are written in.
var reCodeLangZh = gated(`(?i)^(?:go|golang|java|kotlin|rust|python|c\+\+|c#|c|typescript|ts|javascript|js|node|php|ruby|scala|elixir|erlang|swift|dart|lua|perl|vue|react|svelte|angular|flutter)$`)

// townZh reports whether the dictionary knows s as a place.
func townZh(s string) bool {
	w := text.Segment(s)
	return len(w) > 0 && w[len(w)-1].Tag == "ns"
}

// deviceZh are things of one's own that one changes.
var deviceZh = wordSet("编辑器 浏览器 终端 IDE 输入法 手机 电脑 笔记本 系统 相机 键盘 鼠标 耳机 车 主力机 平板 显示器")

func placedZh(c *clause, m []string) (fact, bool) {
	o := objectOf(c, strings.Join(m[1:], ""))
	return fact{object: o}, utf8Len(o) > 1 && !c.negated && !reNotPlaceZh.match(o)
}

func workedZh(c *clause, m []string) (fact, bool) {
	o := strings.TrimPrefix(objectOf(c, strings.Join(m[1:], "")), "一家")
	if utf8Len(o) < 2 || reNotPlaceZh.match(o) && !hasPrefixAny(o, "医院", "学校") || len(c.certain(false)) > 0 && c.ahead() {
		return fact{}, false
	}
	if strings.HasPrefix(c.vp, "去") && !containsAny(c.vp, "报到", "上班", "工作", "做", "当") { // a visit
		return fact{}, false
	}
	return fact{object: o, negated: c.negated}, !c.negated || c.ended
}

func jobbedZh(c *clause, m []string) (fact, bool) {
	o := objectOf(c, strings.Join(m[1:], ""))
	f := fact{object: o, past: len(m) > 6 && m[6] != "" && !strings.HasSuffix(c.text, "了")} // 干了八年急诊护士
	return f, c.sub.kind != subjGroup && utf8Len(o) > 1 && !hasPrefixAny(c.vp, "当天", "当晚", "当日", "当月", "当年", "当我", "当初", "当面", "当众", "当前", "当回") && (!c.negated || c.ended) && !containsAny(o, "你", "这", "那", "什么", "好的", "完", "不", "错", "饭", "梦", "作业", "时候", "了") && !hasPrefixAny(o, "事", "面子", "然", "出", "到", "起", "心", "成", "作", "真", "地", "下", "场", "伴郎", "伴娘", "证婚", "主持", "裁判", "评委")
}

func studiedZh(c *clause, m []string) (fact, bool) {
	o := objectOf(c, strings.Join(m[1:], ""))
	return fact{object: o}, utf8Len(o) > 1 && !c.negated && !containsAny(o, "你", "这", "那", "什么", "日志", "文档", "代码", "到", "完", "出", "懂", "书", "不") && !hasPrefixAny(o, "家", "公司", "群", "网", "班", "就是")
}

func tasteLikesZh(c *clause, m []string) (fact, bool) {
	o := objectOf(c, strings.Join(m[1:], ""))
	f, ok := tasteZh(c, []string{m[0], o})
	if c.negated {
		f.pred = pDislikes
	}
	return f, ok && !reNoTopic.MatchString(o) && !hasPrefixAny(o, "好", "象", "多", "像", "处", "久", "难", "容易", "不容易", "消息", "问题") && !rePassingZh.match(c.text)
}

func tasteDislikesZh(c *clause, m []string) (fact, bool) {
	o := objectOf(c, strings.Join(m[1:], ""))
	if o == "" || c.negated && !containsAny(c.vp, "不惯", "不了", "不来", "不得", "不下", "不起", "对") || hasPrefixAny(o, "你", "他", "她", "这", "那", "是", "的", "死", "上班", "不") || strings.HasPrefix(c.vp, "雷打不动") || utf8Len(o) > 18 {
		return fact{}, false
	}
	c.negated = false
	q := o
	for _, w := range [...]string{"吃", "喝", "看", "听", "玩", "读", "用"} {
		if t := strings.TrimPrefix(q, w); t != q && utf8Len(t) > 1 {
			q = t
			break
		}
	}
	return fact{object: o, qualifier: q}, !rePassingZh.match(c.text)
}

// reFoodZh are heads of what is eaten, drunk and smoked.
var reFoodZh = gated(`(?:肉|鱼|虾|蟹|贝|海鲜|河鲜|蛋|奶|乳制品|芝士|奶酪|黄油|面食|面|米饭|主食|碳水|麸质|谷物|坚果|花生|核桃|腰果|杏仁|芝麻|大豆|豆制品|豆浆|豆腐|蘑菇|香菜|葱|姜|蒜|韭菜|折耳根|芹菜|苦瓜|茄子|青椒|番茄|土豆|水果|芒果|菠萝|榴莲|草莓|猕猴桃|西瓜|糖|甜食|甜品|蛋糕|巧克力|零食|辣|辣椒|花椒|麻辣|油炸|油腻|荤|内脏|下水|酒|啤酒|白酒|红酒|黄酒|烟|电子烟|槟榔|咖啡|美式|拿铁|茶|奶茶|可乐|汽水|饮料|气泡水|碳酸|果汁|水|凉的|冰的|生冷|火锅|烧烤|外卖|快餐|方便面|泡面|螺蛳粉|臭豆腐|味精|盐|酱油|药酒|牛油果|菌子|豆类|腐乳|隔夜菜|剩菜|早餐|早饭|夜宵|宵夜|晚饭)`)

// reToolZh are things that one uses, without a name in letters.
var reToolZh = gated(`(?:笔记|表格|文档|石墨|飞书|钉钉|企业微信|语雀|思源|印象|坚果云|网盘|语音|输入法|键盘|鼠标|显示器|框架|眼镜|隐形|助听器|电脑|笔记本|平板|手机|相机|吉他|钢琴|小提琴|大提琴|二胡|古筝|架子鼓|笛子|口琴|尤克里里|电动车|小电驴|摩托|自行车|单车|地铁|公交|飞度|卡罗拉|轿车|车|码|现金|信用卡|花呗|支付宝|纸笔|手账|番茄钟|日历|深色模式|暗色|双拼|五笔|苹果|安卓|鸿蒙|统信|麒麟|云|机)`)

func usedZh(c *clause, m []string) (fact, bool) {
	o := strings.TrimSuffix(objectOf(c, m[1]), "的")
	for _, p := range [...]string{"一辆", "辆", "一台", "台", "一把", "把", "一部", "一款", "一副", "副"} {
		o = strings.TrimPrefix(o, p)
	}
	if c.elided && !containsAny(c.text, "平时", "一直", "现在", "都", "只", "全", "天天", "每天", "习惯", "了") {
		return fact{}, false // as well an order: 用表格回答
	}
	if utf8Len(o) < 2 || hasPrefixAny(o, "你", "他", "她", "这", "那", "来", "到", "完", "不", "心", "力", "在", "会", "班", "电话", "游戏", "学", "课", "车去", "得") || containsAny(o, "什么", "怎么") || c.past && !c.ended && !containsAny(c.text, "以前", "曾经", "过去", "小时候", "原来") {
		return fact{}, false
	}
	f := fact{object: o, negated: c.negated}
	return f, (reLatinZh.MatchString(o) || reToolZh.match(o) || specific(o)) && (!c.negated || c.ended || hasPrefixAny(c.vp, "用", "戴"))
}

// reOrderedZh is what orders are about: how something is to be written, done or kept.
var reOrderedZh = gated(`^(?:` + zhTextKinds + `)|回复|回答|答案|答复|解释|邮件|落款|署名|术语|缩写|代码|注释|变量|提交|分支|合并|上线|发版|部署|配置|文件|合同|数据|表格|图表|日期|金额|数字|单位|格式|标题|标点|语气|称呼|篇幅|字数|长度|住址|地址|电话|隐私|密码|账号|身份证|工资|薪资|病历|照片|名字|孩子的|客户|报价|会议|日程|行程|菜谱|菜单|推荐|跟我说话|和我说话|给我|内容|拿不准|不确定|引用|来源|链接|例子|示例|翻译|总结|周报|日报|报告|简历|文案|PPT|接口|日志|备份|发布|生产|线上|权限|审批|采购|报销|请假`)

var reMakeHeadZh = gated(`^(?:做|写|画|给|发|回|出|列|生成|帮我写|帮我做|讲)`)

// orderZh is an order about a kind of thing: 邮件落款统一写秦工, 合同类的文件一概不许外发.
func orderZh(c *clause, m []string) (fact, bool) {
	if c.past || len(c.certain(true)) > 0 || momentZh(c.text) || !reOrderedZh.match(reMakeHeadZh.replace(strings.TrimPrefix(m[1], "我的"), "")) || containsAny(c.text, "吗", "怎么", "什么", "现在", "可以", "我们用", "刚", "今天", "这个", "那个", "这段", "这篇", "这份", "这封", "上面", "下面", "帮我", "报错", "失败", "已经", "还没", "了解") || hasPrefixAny(c.text, "他", "她", "有", "在", "是", "因为") {
		return fact{}, false
	}
	return fact{object: c.text}, true
}

// A part of the body that bears something no more is no taste.
var reBodyPartZh = gated(`^(?:膝盖|腰|腿|胃|肩膀?|脖子|颈椎|眼睛|嗓子|心脏|皮肤|身体|脚|手腕|手|背|牙|耳朵|头)$`)
