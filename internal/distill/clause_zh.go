package distill

import (
	"sort"
	"strings"
	"time"
	"unicode/utf8"
)

var (
	reFillerZh   = gated(`^(?:(?:嗯+|哦+|啊|对了|那个|其实|顺便说一下|顺便提一下|顺便说|说起来|话说|另外|还有|然后|而且|但是|但|不过|因为|所以|由于|好的|好吧|顺便说下|说下|好|是的|对|不对|不是|[哦啊]不|不不+|算了|等等|等一下|抱歉|对不起|不好意思|口误|我?(?:刚才|刚刚|之前|前面)?[说记写打搞弄]错了|哈哈+|你好|您好|谢谢|补充一下|更正一下|更正|更新一下|说明一下|跟你说|告诉你|我跟你说|我告诉你|之前说过|我说过|事实上|实际上|坦白说|老实说)[，,、：:！!～~\s]+|(?:其实|而且|但是|不过|因为|所以|由于|另外|然后|还有就是|顺便说一下|话说|对了|顺便说下|先说下|跟你说下|补充下)|^请?注意[，,：:])`)
	reExplicitZh = gated(`^(?:请|麻烦|帮我|帮忙|你要?|您|也|再|给我|务必)*(?:记住|记下来|记下|记一下|记录一下|记录|记好|牢记|备忘|存一下|保存一下|别忘了|不要忘记|不要忘了|请记|记着)(?:了|这个|这点|这一点|一点|一下)?[：:，,！!\s]*`)
	reTodoZh     = gated(`^(?:请|麻烦|帮我|你|也|再|到时候?)*(?:提醒我|提醒一下我|记得提醒我|通知我|记得|别忘了|不要忘了|不要忘记|别忘记)(?:去|要|在)?`)
	reLabelZh    = gated(`(?i)^(?:我的)?(?:待办(?:事项)?|代办(?:事项)?|to-?do|to do)\s*[:：]\s*|^(?:\[ ?\]|[☐□])\s*`)
	reAskZh      = gated(`来着[？?。]?$|该.{1,14}还是|还是.{1,10}[？?]|吗|呢[？?]?$|什么|谁|哪|怎么|怎样|如何|为什么|为啥|多少|几[个点号岁天年月次只位台楼]|是不是|有没有|能不能|可不可以|要不要|会不会|好不好|对不对|行不行|该不该|是否|多久|多大|多长|咋|啥`)
	reAskVerbZh  = gated(`^(?:请问|问一下|想问|我想问|我想知道|想知道|请教|帮我(?:查|看|找|算|写|做|翻|总结|分析|推荐|订|买|改|想)|给我(?:讲|写|推荐|看|查|找|来)|推荐|查一下|看看|告诉我|你觉得|你说|你知道|你认为|讲讲|介绍|解释|翻译|总结|写一)`)
	reHypoZh     = gated(`我的?(?:角色|主角|人设)|小说里|电影里|剧里|书里写|开玩笑|扮演|以为|记错|如果|要是|假如|假设|倘若|万一|若是|假使|要不是|可能会?|也许|或许|说不定|大概会|好像|似乎|考虑|在想|想不想|不确定|不知道|希望|但愿|会不会|想象|比方说|应该会|估计|没准|据说|听说|听人说|网上说|有人说|大家都?说|传说|据报道|新闻说|书上说|文章说`)
	reReportZh   = gated(`^(我?们?的?[\p{Han}A-Za-z]{1,8}?)(?:跟我|对我|和我|昨天|今天|刚才|刚|也|总|老)*(?:说|告诉我|提到|觉得|认为|表示|声称|建议|推荐|提议|写道)(?:过|了)?[，,：:]?(.+)$`)
	reSinceZh    = gated(`^[从自]\d{4} ?年(?:\d{1,2} ?月)?(?:起|开始)(?:就|一直|都)*`)
	// Somebody else's text is shown, or a part to play.
	reShownZh    = gated(`演一下|对练|演练|模拟(?:一下|面试|对话)|我演|你演|^(?:请|帮我|麻烦)?(?:把|将)?(?:下面|以下|这)(?:这)?(?:句|段|篇|几句|封|个|条|首)?(?:话|文字|邮件|文案|内容|句子)?[^：:，。]{0,10}[:：]|「[^」]{8,}」|“[^”]{12,}”|"[^"]{12,}"|扮演|假装你|假设你|你假装|你装作|你来演|角色扮演|续写|改写成|(?:讲一下|解释一下|看一下|分析一下|改一下|翻一下|怎么翻|翻成.{1,4}|译成.{1,4}|什么意思)[:：]`)
	reKinAloneZh = gated(`^(?:家里的?|我家的?|我们家)?(奶奶|爷爷|外婆|外公|姥姥|姥爷|老婆|老公|媳妇|妈妈|爸爸|老妈|老爸|儿子|女儿|闺女|弟弟|妹妹|哥哥|姐姐|嫂子|姐夫|室友|闺蜜|女朋友|男朋友|女友|男友|房东|导师|对象|婆婆|岳母|岳父|表弟|表妹|表哥|表姐|同事|同学|邻居|老同学|侄子|侄女|外甥|未婚妻|未婚夫|孩子|娃|大女儿|小女儿|大儿子|小儿子|俩娃|岳父母|公婆|爸妈|父母)(?:\d|明|后|周|月|马上|要|快|也|都|是|在|叫|对|有|今年|下|上|这|刚|最|不|爱|喜欢|住|属|姓|过|小名|大名|的|每|去|会|从|得|做|当|[A-Z]|[\p{Han}]{2}(?:是|对|在|叫))`)
	// A wish about how to be treated states what to do.
	reTreatZh       = gated(`^(?:我)?(?:们)?(?:希望|期望|想让|想要|喜欢)(?:你|您)(?:以后|今后|每次|总是|都|尽量|能|可以|回答|回复|说话|解释|讲|写代码|给我?代码|别|不要|直接|先|用|把)`)
	reStandingAskZh = gated(`^(?:你|您)?(?:能不能|可不可以|可以|能否|能|麻烦你?)(?:请)?((?:以后|今后|每次|总是|一直|从现在起|从现在开始).+?)(?:吗|么|呢)?[？?。]?$`)
	reTodoDayZh     = gated(`^(?:请|麻烦|你|到时候?)*(` + zhDay + `(?:早上|上午|中午|下午|晚上)?(?:\d{1,2} ?点(?:半)?|[一二三四五六七八九十]{1,2}点(?:半)?)?)[，, ]?(?:请|麻烦|帮我|你|记得|别忘了|要)*(?:提醒我|提醒一下我|叫我|喊我|催我)(?:一下|一声)?[，,]?(?:去|要|记得)?(.+)$`)
	reSelfZh        = gated(`^(?:我本人|本人|我自己|我|俺|用户(?:本人)?)`)
	reGroupZh       = gated(`^(?:我们|咱们|咱|我司|本公司|团队|项目组|我们团队|我们组|我们公司|我们项目)`)
	reAdvZh         = gated(`^(?:现在|目前|如今|眼下|最近|近来|一直以来|一直|从小就?|从来|平时|平常|通常|真的|真心|特别|非常|十分|超级|超|很|挺|都|就|也|还是|还|又|已经|其实|本来就?|这两年|这几年|这段时间|这阵子|当然|确实|一般|老是|总是|经常|常常|个人|自己|是真的|终于|刚刚|刚|才|正在|正|这边|这里|家里|今年)`)
	reLeadZh        = gated(`^(?:从?现在开始|[上下本这]个?(?:周|星期|礼拜)[一二三四五六日天]|现在|目前|如今|最近|这个?学期|这个月|平时|平常|一般|通常|从小|这几年|这两年|今年|去年|前年|明年|上周|下周|上个月|下个月|从[\p{Han}\d]{2,8}?(?:起|开始)|退休[前后]|毕业[前后]|结婚[前后]|昨天|今天|明天|后天|前天|昨晚|今晚|今早|` + zhOnce + `|从\d{4}年[起开]?始?|自\d{4}年起?|\d{4}年(?:起|开始)?|周末|每[天周年月晚早][\p{Han}]{0,2}?|从这周起|从本周起|这周起|早上|晚上|中午|下午|上午|刚刚|刚才|[上下本这]个?[周月年][一二三四五六日天底初]?|[一二两三四五六七八九十\d]+(?:天|周|个月|年|个星期)[前后]|整(?:周|天|个月|月|年|个星期)|一整[天周月年])[，,]?`)
	reCarryZh       = gated(`^(?:现在|目前|也|还|就|平时|一直|从小|最|特别|很|都|今年|已经|另外)*(?:在|住|喜欢|爱|讨厌|不喜欢|不爱|不吃|不喝|养|有|叫|姓|是|会|对|做|当|用|开|来自|老家|习惯|偏好|更喜欢|不再|搬|属|从.{2,16}(?:跳|搬|换|转|调|离职|辞职)|离开|跳槽|入职|加入|辞|今年|\d+岁|身高|体重|学|读|爱吃|从事|负责|毕业|改[用写学喝吃玩做看骑开坐])`)
)

// zhYouth are times of a life that are over; zhOnce are all words for what was once.
const (
	zhYouth = `小时候|当年|(?:年轻|上学|读书|读研|当兵|小学|初中|高中|中学|大学)(?:时候?|的时候|那时候?|那会儿|那几年|期间)`
	zhOnce  = `(?:以前|曾经|过去|之前|原来|原先|` + zhYouth + `)`
)

var reOnceZh = gated(zhOnce)

var reRecallZh = gated(`^(?:请问|那|所以)?(?:你|您)?(?:还|都)?(?:记得|记住了?)[^，,。]*吗$`)

// reKinHeadZh reads 我妹妹, 我家的猫 at the head of a clause; longer words come first.
var reKinHeadZh = func() *pattern {
	var ws []string
	for w := range kinWords {
		if r, _ := utf8.DecodeRuneInString(w); r > 0x2000 {
			ws = append(ws, w)
		}
	}
	sort.Slice(ws, func(i, j int) bool {
		if len(ws[i]) != len(ws[j]) {
			return len(ws[i]) > len(ws[j])
		}
		return ws[i] < ws[j]
	})
	return gated(`^(?:我们?|咱们?|我们?家|咱家)(?:的|家|家里的|最好的|新|新的|现任)*(` + strings.Join(ws, "|") + `)`)
}()

// reKinBareZh reads 老婆是医生 behind a clause about 我.
var reKinBareZh = gated(`^(老婆|妻子|太太|老公|丈夫|先生|妈妈|爸爸|母亲|父亲|儿子|女儿|孩子|弟弟|妹妹|哥哥|姐姐|女朋友|男朋友|室友|老板|领导|导师)(?:是|叫|在|今年|也|不|的|对|喜欢|住)`)

// someDaysZh takes out what counts without asking.
var someDaysZh = strings.NewReplacer("那几天", "", "这几天", "", "那几个", "", "这几个", "", "好几", "", "什么都不", "", "什么也不", "", "谁也", "", "谁都", "")

func clausesZh(sent string, sp speaker, at time.Time) []*clause {
	u := stripZh(sent)
	if u.text == "" {
		return nil
	}
	question := strings.ContainsAny(sent[max(0, len(sent)-9):], "？?")
	if reRecallZh.match(trimEndZh(sent)) { // 你还记得我说过的吗 asks what is remembered
		return nil
	}
	if othersZh(sent) && !u.explicit {
		return nil
	}
	if m := reStandingAskZh.find(u.text); m != nil {
		u.text, question = m[1], false
	}
	if reAskVerbZh.match(u.text) && !u.explicit && !u.todo && !containsAny(u.text, "别", "不要", "一律", "都要", "必须", "的时候") || reRequestZh.match(u.text) && !u.explicit && !u.todo && !reStandingZh.match(u.text) || reHearsayZh.match(u.text) && !u.explicit {
		return nil
	}
	if u.todo {
		c := newClause(tidy(strings.TrimRight(sent, "。")), closed(u.text), "zh", at, false)
		c.sub, c.explicit = subject{kind: subjNone}, true
		c.setVP("记得" + trimEndZh(c.text))
		return []*clause{c}
	}
	parts := strings.FieldsFunc(u.text, func(r rune) bool {
		return r == '，' || r == ',' || r == '；' || r == '！' || r == '。' || r == '…'
	})
	parts = ofThings(joinCorrections(cutButZh(parts)))
	var out []*clause
	var carried subject
	hypo := false
	for i, p := range parts {
		p = strings.TrimSpace(p)
		if i > 0 {
			p = withoutFillerZh(p)
		}
		if reAskZh.match(someDaysZh.Replace(p)) && !u.explicit || question && i == len(parts)-1 {
			continue
		}
		if m := rePronounZh.find(p); m != nil && i > 0 && (carried.kind == 0 || carried.kind == subjSelf) { // 我跟女朋友异地，她在成都读博
			if k := reMentionZh.find(parts[i-1]); k != nil {
				for _, c := range readZh(m[1], sp, at, subject{kind: subjKin, text: sp.self + "'s " + kinWords[k[1]].key, said: "我" + k[1]}) {
					c.explicit = u.explicit
					out = append(out, c)
				}
				continue
			}
		}
		if reHypoZh.match(p) && !reTreatZh.match(p) && !reCaseZh.match(p) {
			hypo = true // 如果…，… : what follows hangs on it
			continue
		}
		if hypo {
			continue
		}
		who := carried
		if i > 0 && carried.kind == subjSelf && reAgedZh.match(p) { // 有一对双胞胎，今年五岁: theirs
			if m := reHasKinZh.find(parts[i-1]); m != nil {
				who = subject{kind: subjKin, text: sp.self + "'s " + kinWords[m[1]].key, said: "我" + m[1]}
			}
		}
		if i > 0 && who.kind == 0 && reWroteZh.match(strings.TrimSpace(parts[i-1])) && reWritesZh.match(p) { // 不写 Java 了，改写 Kotlin
			who = subject{kind: subjSelf, text: sp.self, said: "我"}
		}
		for _, c := range readZh(p, sp, at, who) {
			c.explicit = u.explicit
			if c.sub.kind != subjNone && (carried.kind == 0 || hasPrefixAny(p, "我", "咱", "用户")) {
				carried = c.sub // 我住…，老婆是…，有个儿子: who is only mentioned takes over nothing
			}
			out = append(out, c)
		}
	}
	return out
}

var (
	reWroteZh  = gated(`^(?:现在|已经|早就|以后|最近)*不(?:再|怎么)?写 ?[A-Z][A-Za-z+#.]* ?了?$`)
	reWritesZh = gated(`^(?:现在|以后|都|全)*改写 ?[A-Z][A-Za-z+#.]* ?了?$`)
	reAgedZh   = gated(`^(?:今年|已经|都|快|刚|才)*(?:\d{1,2}|[一二三四五六七八九十两]{1,3})岁`)
	reHasKinZh = gated(`有.{0,6}(双胞胎|女儿|儿子|孩子|闺女|娃|弟弟|妹妹|哥哥|姐姐|猫|狗)`)
)

var (
	reVoidZh   = gated(`(?:` + zhNumber + `|邮箱|邮件地址|地址|端口|域名|微信号?|住址|车牌号?|航班号?|版本)(?:已经|又|刚刚?|最近)*(?:换|改|变)了$|作废|不算数?$|不对$|错了$|取消$|不要了$|[换改]了?(?:个|新)?(?:端口|版本|地址|域名|路径|分支|IP|ip|主机|` + zhNumber + `|邮箱|邮件地址|密码|微信号?|住址|车牌号?|航班号?)了?$`)
	reVoidedZh = gated(`^(?:所以)?` + zhVoided + `$`)
	reNewOneZh = gated(`(?:养|有|收养|领养|买)了?(?:一|两|三|\d)?(?:只|条|匹|个|位|台|辆)`)
	reNewZh    = gated(`^(?:最后|最终|现在|应该|还是|都)*(?:改|换|定|是|用)|^(?:现在)?(?:的)?新的?(?:号码?|地址|邮箱|微信号?|密码|端口|版本|域名|路径)?(?:是|为|：|:)`)
)

// readZh reads one part. A part without a subject takes the one carried from the part before it.
func readZh(p string, sp speaker, at time.Time, carried subject) []*clause {
	p = strings.TrimSpace(p)
	if utf8.RuneCountInString(p) < 2 {
		return nil
	}
	conf, reported := 1.0, false
	text := closed(p)
	if m := reReportZh.find(text); m != nil && !hasPrefixAny(m[1], "医生", "大夫", "我的医生", "跟我", "和我", "对我", "与我") && !hasPrefixAny(m[2], "的", "话", "服", "明", "得", "起", "不上", "没有抵抗") && !hasSuffixAny(m[1], "小", "传", "解", "学", "假", "据", "胡", "瞎", "细", "能", "会", "爱") && (!strings.HasPrefix(m[1], "我") || reKinHeadZh.match(m[1])) && !containsAny(m[1], "别", "不", "请", "帮", "给", "以后", "每", "要", "可以", "必须") {
		rest := m[2]
		if !hasPrefixAny(rest, "他", "她") || hasPrefixAny(m[1], "他", "她", "大家", "有人", "别人") {
			return nil
		}
		text = m[1] + rest[len("他"):]
		conf, reported = 0.7, true
	}
	past := strings.Contains(p, "了") && !containsAny(p, "要", "会", "快", "将", "得", "约了", "订了", "报名了", "抢到了") && !(strings.Contains(p, "买了") && strings.Contains(p, "票")) || strings.Contains(p, "过")
	c := newClause(trimEndZh(p), text, "zh", at, past)
	c.conf, c.reported = conf, reported
	t := trimEndZh(text)
	for range 3 { // 现在我… 以前我…
		ix := reLeadZh.findIndex(t)
		if ix == nil || ix[1] >= len(t) {
			break
		}
		lead := t[:ix[1]]
		rest := t[ix[1]:]
		if hasPrefixAny(rest, "之前", "以前") { // 明天之前 is a limit, not the past
			break
		}
		if !hasPrefixAny(rest, "我", "咱", "俺") && !reLeadZh.match(rest) && (carried.kind == 0 || !reCarryZh.match(rest)) {
			break
		}
		c.past = c.past || reOnceZh.match(lead)
		t = rest
	}
	if i := strings.Index(t, "我"); i > 0 && hasPrefixAny(t, "比起", "相比", "和", "跟") && containsAny(t[:i], "比") {
		t = t[i:] // 比起咖啡我更喜欢茶
	}
	if carried.kind == subjKin && strings.HasPrefix(t, "家里") { // 我爱人是回族，家里不吃猪肉: all of them
		carried = subject{kind: subjSelf, text: sp.self, said: "我"}
	}
	c.sub = subject{kind: subjNone}
	vp := t
	lead := t
	for range 3 { // 上个月刚从广州搬来: the adverbial alone, where nobody is named
		ix := reLeadZh.findIndex(lead)
		if ix == nil || ix[1] >= len(lead) || hasPrefixAny(lead[ix[1]:], "之前", "以前") {
			break
		}
		lead = lead[ix[1]:]
	}
	switch {
	case reKinHeadZh.match(t):
		m := reKinHeadZh.find(t)
		rest := t[len(m[0]):]
		c.sub = subject{kind: subjKin, text: sp.self + "'s " + kinWords[m[1]].key, said: m[0]}
		if n, r := nameAfterZh(rest); n != "" {
			c.sub.name, rest = n, r
			c.sub.said += n
		}
		vp = rest
	case reGroupZh.match(t):
		s := reGroupZh.first(t)
		c.sub = subject{kind: subjGroup, text: "we", said: s}
		vp = t[len(s):]
		for _, w := range [...]string{"团队", "组", "公司", "项目", "部门"} {
			if strings.HasPrefix(vp, w) {
				c.sub.said += w
				vp = vp[len(w):]
			}
		}
	case reSelfZh.match(t):
		s := reSelfZh.first(t)
		c.sub = subject{kind: subjSelf, text: sp.self, said: s}
		vp = t[len(s):]
	case reKinAloneZh.match(t):
		m := reKinAloneZh.find(t)
		said := t[:strings.Index(t, m[1])+len(m[1])]
		c.sub = subject{kind: subjKin, text: sp.self + "'s " + kinWords[m[1]].key, said: said}
		rest := t[len(said):]
		if n, r := nameAfterZh(rest); n != "" {
			c.sub.name, rest = n, r
			c.sub.said += n
		}
		vp = rest
	case carried.kind == subjSelf && reKinBareZh.match(t):
		m := reKinBareZh.find(t)
		c.sub = subject{kind: subjKin, text: sp.self + "'s " + kinWords[m[1]].key, said: "我" + m[1]}
		c.content = "我" + trimEndZh(p)
		vp = t[len(m[1]):]
	case carried.kind != 0 && reCarryZh.match(t):
		c.sub = carried
		c.content = carried.said + trimEndZh(p)
	}
	if c.sub.kind == subjNone {
		c.alt = c.whose(lead, carried, sp)
	}
	c.readVPZh(vp)
	return []*clause{c}
}

// whose is c with the subject that it goes without: that of the part before it, carried, or else the speaker.
func (c *clause) whose(vp string, carried subject, sp speaker) *clause {
	a := *c
	if carried.kind != 0 {
		a.sub, a.content = carried, carried.said+c.content
	} else {
		a.sub, a.elided = subject{kind: subjSelf, text: sp.self}, true
	}
	a.past = c.past || reOnceZh.match(c.text[:len(c.text)-len(vp)])
	a.conf *= .9
	a.readVPZh(vp)
	return &a
}

var reNameZh = gated(`^([A-Z][A-Za-z]+|(?:小|阿|老)\p{Han}|\p{Han}{2})(\d|十|早|晚上|每|天天|明|下[周个]|刚|已经|最|特别|很|讨厌|养|学|读|教|在|喜欢|对|是|做|住|今年|不|会|也|有|从|的)`)

// nameAfterZh reads the name in 我弟弟小明在… where it is sure to be one.
func nameAfterZh(s string) (name, rest string) {
	m := reNameZh.find(s)
	if m == nil || adverbialZh(m[1]) || hasPrefixAny(m[1], "是", "在", "有", "会", "做", "养", "住") {
		return "", s
	}
	return m[1], s[len(m[1]):]
}

// readVPZh takes adverbs, negation and tense off the front of what is said.
func (c *clause) readVPZh(vp string) {
	vp = reSinceZh.replace(strings.TrimSpace(vp), "")
	for range 8 {
		switch {
		case reOnceZh.first(vp) != "" && strings.HasPrefix(vp, reOnceZh.first(vp)):
			c.past = true
			vp = strings.TrimLeft(strings.TrimPrefix(vp, reOnceZh.first(vp)), " ，,")
			continue
		case hasPrefixAny(vp, "不再", "再也不", "已经不", "现在不", "早就不", "早已不"):
			c.negated, c.ended = true, true
			for _, w := range [...]string{"不再", "再也不", "已经不", "现在不", "早就不", "早已不"} {
				if strings.HasPrefix(vp, w) {
					vp = vp[len(w):]
					break
				}
			}
			vp = strings.TrimPrefix(vp, "再")
			continue
		case hasPrefixAny(vp, "从不", "从来不", "不太", "不怎么", "并不", "不是很", "不大"):
			c.negated = true
			for _, w := range [...]string{"从来不", "从不", "不太", "不怎么", "并不", "不是很", "不大"} {
				if strings.HasPrefix(vp, w) {
					vp = vp[len(w):]
					break
				}
			}
			continue
		case hasPrefixAny(vp, "不喜欢", "不爱", "不吃", "不喝", "不是", "不在", "不住", "不用", "不会", "不想", "没有", "不抽", "不对", "不能", "不看", "不听", "不玩", "不养", "不打", "不读", "不写"):
			c.negated = true
			if strings.HasPrefix(vp, "没有") {
				vp = vp[len("没"):]
			} else {
				vp = vp[len("不"):]
			}
			continue
		}
		s := reAdvZh.first(vp)
		if s == "" || len(s) == len(vp) || s == "就" && strings.HasPrefix(vp, "就职") || s == "还" && strings.HasPrefix(vp, "还款") || s == "正" && strings.HasPrefix(vp, "正式") {
			break
		}
		if s == "还" || s == "也" || s == "又" {
			c.also = true
		}
		vp = strings.TrimLeft(vp[len(s):], " ，,")
	}
	if containsAny(vp, "兼职", "副业", "另外还") {
		c.also = true
	}
	if c.negated && strings.HasSuffix(trimEndZh(vp), "了") {
		c.ended = true
	}
	c.setVP(trimEndZh(vp))
}
