package distill

import (
	"regexp"
	"strings"
	"sync"
)

// Chinese verbs do not inflect, but what stands before and behind them moves: the object to the front (青霉素我打不了), the time
// and the company between subject and verb (下周一整周我都在杭州出差). A frame therefore sees the core of a clause, verb first,
// object behind it, and what was taken off tells whether it is denied, over, or was so once.

var tableFramesZh = sync.OnceValue(func() *table { return newTable(framesZh) })

// framedZh reads the core of c.
func framedZh(c *clause, said bool) (fact, *rule, bool) {
	k := c
	switch {
	case c.sub.kind != subjNone:
		k = c.coreZh()
	case said:
		return fact{}, nil, false
	default:
		if t := topicZh(c); t != nil {
			k = t
		}
	}
	f, rl, ok := tableFramesZh().row(k)
	if ok {
		c.sub, c.negated, c.ended, c.past, c.also = k.sub, k.negated, k.ended, k.past, k.also
	}
	return f, rl, ok
}

const (
	// zhWhenHead is a time before what is said.
	zhWhenHead = `(?:每(?:个|逢|到)?(?:周|星期|礼拜)?[一二三四五六日天末]{1,3}(?:早上|上午|中午|下午|晚上|早|晚)?|每(?:天|晚|早|周|月|年|个月|隔.{1,3}|次)(?:早上|上午|中午|下午|晚上|睡前|饭后)?|(?:周|星期|礼拜)[一二三四五六日天末](?:到(?:周|星期|礼拜)?[一二三四五六日天])?(?:早上|上午|中午|下午|晚上)?|[早中晚]上|上午|下午|中午|睡前|饭后|饭前|起床后|下班后|下班|上班路上|周末|工作日|平日|假期|暑假|寒假|冬天|夏天|春天|秋天|` + zhYouth + `|[今去前明]年|[上下这本]个?(?:月|周|星期|学期|季度)|\d{4}年(?:\d{1,2}月)?|[一二两三四五六七八九十半\d]+(?:年|个月|周|天)(?:前|后|多)?(?:开始)?|十几年前|好几年|这(?:几|两|些)?(?:年|个月|天|周|阵子|段时间)|最近|近来|眼下|目前|现在|如今|后来|以后|之后|从那以后|从那之后|确诊(?:之后|以后|后)|生(?:完|了)?(?:娃|孩子)(?:之后|以后|后)|结婚(?:之后|以后|后)|[\p{Han}]{2,8}?(?:之后|以后)|毕业(?:之后|以后|后)|退休(?:之后|以后|后)|疫情(?:之后|以后|后)|晚上[一二三四五六七八九十\d]+点(?:以后|之后|后)|[一二三四五六七八九十]+岁(?:才|就|那年)?|[年月][底初中末](?:前|之前|以前)?|[上下]半年|(?:暑假|寒假|春节|国庆|五一|过年|雨季|冬天|夏天)(?:前|之前|后|之后))`
	zhAdverb   = `(?:其实|真的|真心|确实|实在|特别|非常|十分|超级?|很|挺|太|最|比较|有点儿?|有些|都|就|也|还|又|再|才|只|全|一直|一向|向来|历来|从小|从来|从|总|总是|老是|老|经常|常常|常|时常|偶尔|有时候?|时不时|基本上?|大多|多半|主要|一般|通常|平时|平常|天天|整天|已经|早就|早已|刚刚|刚|终于|总算|正在|正|目前|自己|本人|个人|一个人|单独|亲自|另外|同时|顺便|当然|毕竟|反正|肯定|一定|必须|固定|基本|完全|根本|几乎|差不多|大概|大约|可能会|暂时|先|依然|仍然|仍|是|的话|雷打不动|这边|那边|家里|闲下来|有空|没事|一有空|得空|全家|一家人|一家三口|一家四口|我俩|我们俩|俩人|两口子|两个人)`
)

var (
	reHeadZh2 = gated(`^(?:` + zhWhenHead + `|` + zhAdverb + `)(?:，|,)?`)
	reWithZh  = gated(`^(?:跟|和|与|同|带着?|陪着?|为了?|给)(?:我|我们)?[\p{Han}A-Za-z]{1,6}?(?:一起|一块儿?|一道)?(住|在|去|做|开|养|租|合租|合伙|打|玩|看|吃|创业|搬|定居|异地|生活|经营)`)
	reNotZh   = gated(`^(?:再也没有?|再没|从没|从未|从来没|没怎么|已经不|早就不|早已不|不再|再也不|从不|从来不|不怎么|不太|不大|不是很|并不|不|没有|没|未)(?:再)?`)
	reKeepNot = gated(`^(?:不同|不错|不锈|不久|不少|不过|不如|没事|不动产|不倒翁|不好意思|不知道|不是不|未婚|未来|未成年|没完|没准|不一定|不便|不断|不停|没有(?:抵抗力|免疫力|耐心))`)
)

// coreZh is c with adverbials taken off the front of what is said.
func (c *clause) coreZh() *clause {
	k := *c
	vp := c.vp
	for range 10 {
		if reNotZh.match(vp) && !reKeepNot.match(vp) {
			w := reNotZh.first(vp)
			k.negated = true
			if containsAny(w, "再", "已经", "早") {
				k.ended = true
			}
			vp = vp[len(w):]
			continue
		}
		if m := reWithZh.findIndex(vp); m != nil {
			vp = vp[m[2]:]
			continue
		}
		w := reHeadZh2.first(vp)
		if w == "" || len(w) == len(vp) || isWordZh(vp, len(w)) {
			break
		}
		if hasPrefixAny(strings.TrimLeft(vp[len(w):], "，, "), "的", "生的", "生人", "出生") {
			break // 95年的
		}
		if o := reOnceZh.first(w); o != "" && strings.HasPrefix(w, o) { // 毕业之前 may be ahead
			k.past = true
		}
		vp = strings.TrimLeft(vp[len(w):], "，, ")
	}
	if k.negated && strings.HasSuffix(trimEndZh(vp), "了") {
		k.ended = true
	}
	k.setVP(trimEndZh(vp))
	return &k
}

// zhWholes begin with an adverb and are no adverb.
var zhWholes = []string{"老家", "老公", "老婆", "老板", "老师", "老爸", "老妈", "老人", "老虎", "常州", "常德", "全职", "全麦", "全棉", "正式", "正宗", "刚果", "先生", "总监", "总部", "总经理", "就职", "就读", "就业", "只身", "从事", "从小", "从业", "还款", "还书", "太太", "太极", "太原", "也门", "才艺", "最爱", "最怕", "最烦", "最喜欢", "最讨厌", "再婚", "都市", "都江堰", "是个", "是一", "是名", "很少", "先给", "主要是"}

// isWordZh reports whether what s begins with is more than its first n bytes.
func isWordZh(s string, n int) bool {
	for _, w := range zhWholes {
		if len(w) > n && strings.HasPrefix(s, w) {
			return true
		}
	}
	return false
}

const (
	zhTakes = `吃|喝|抽|碰|沾|打|用|戴|穿|看|听|玩|追|刷|养|买|做|骑|开|写|读|练|弹|学|加|放|去|住|订|登|写|碰过|摸|装|上|接|回|逛`
	zhEnds  = `(?:不惯|不来|不了|不得|不下去?|不动|不起|不进去?|不懂|腻|够|怕|吐)`
)

var (
	reTopicZh   = gated(`^([\p{Han}A-Za-z0-9·+# ]{1,12}?)(?:这种东西|这东西|这玩意儿?|这类东西|之类的?|什么的)?(我们?|咱们?|本人)(?:` + zhAdverb + `|现在|早就|再也|从来|一[滴口点根个粒片下样])*(不|没有?|别|从不|不再|再没|早就不|已经不|再也不)?(?:能|会|敢|想|太|怎么|爱)?(` + zhTakes + `|接受|忍受|欣赏|受|喜欢|爱|讨厌)(` + zhEnds + `)?(?:过|了|的|啦)*$`)
	reTopicNo   = gated(`^([\p{Han}A-Za-z0-9·+# ]{1,10}?)(?:` + zhAdverb + `|现在|早就|再也|从来|一滴|一口|一点|一个都)*(不|没|不再|再也不|早就不|已经不)(?:能|会|敢|想|怎么|太)?(` + zhTakes + `)(?:过|了|啦)+$`)
	reTopicEver = gated(`^([\p{Han}A-Za-z0-9·]{1,8}?)(?:那种|这种|之类|什么)?(?:的|我)?(?:打死|死活|坚决|绝对|从来都?|一律|绝)(不)(` + zhTakes + `)$`)
	reTopicBit  = gated(`^(?:一点儿?|半点|一口|一滴|任何)([\p{Han}A-Za-z0-9·]{1,8}?)(?:我)?(?:都|也)(不|没)(?:能|敢|想|会|可以)?(` + zhTakes + `)(?:过|了|啦|的)*$`)
	reTopicEat  = gated(`^([\p{Han}A-Za-z0-9·+# ]{1,10}?)(?:` + zhAdverb + `)*(戒|停|断|退|卸|弃|卸载|注销|停用|弃用)(?:掉)?了$`)
	reNoTopic   = regexp.MustCompile(`^(?:哈哈+|嗯+|哦+|呵呵|嘿嘿|好|好的|行|是|对|也|都|很|真|太|这|那|它|他|她|你|您|谁|什么|哪|怎么|为什么|所以|因为|如果|今天|昨天|刚才|刚|现在|先|请|别|不|没|在|对|把|被|给|让|一|饭|水|药|觉|话|电话|消息|代码|测试|接口|网|门|手机|作业|报告|文档|邮件|以前|之前|我|大家|老|会议?|程序|服务|系统)$|^(?:这|那|它|他|她|你|您|谁|把|被|让|今天|昨天|刚)`)
)

// topicZh is a clause whose object stands first, verb first: 甜口的菜我吃不惯, 印象笔记我早就不用了.
func topicZh(c *clause) *clause {
	t := trimEndZh(c.text)
	var obj, not, verb, end string
	if m := reTopicZh.find(t); m != nil {
		obj, not, verb, end = m[1], m[3], m[4], m[5]
		if not == "" && end == "" && !containsAny(verb, "喜欢", "爱", "讨厌") {
			return nil
		}
	} else if m := reTopicNo.find(t); m != nil {
		obj, not, verb = m[1], m[2], m[3]
	} else if m := reTopicEver.find(t); m != nil {
		obj, not, verb = m[1], m[2], m[3]
	} else if m := reTopicBit.find(t); m != nil {
		obj, not, verb = m[1], m[2], m[3]
	} else if m := reTopicEat.find(t); m != nil {
		obj, not, verb = m[1], "不再", "用"
		if reFoodZh.match(obj) {
			verb = "吃"
		}
		if m[2] == "退" {
			return nil
		}
	} else {
		return nil
	}
	obj = strings.TrimSuffix(strings.TrimSpace(obj), "的")
	if reNoTopic.MatchString(obj) || containsAny(obj, "你", "他", "她", "了", "我") {
		return nil
	}
	k := *c
	k.sub = subject{kind: subjSelf, text: "user", said: "我"}
	k.negated = not != "" || end != ""
	k.ended = not != "" && end == "" && strings.HasSuffix(t, "了")
	k.setVP(verb + end + obj)
	if end == "腻" || end == "够" || end == "怕" || end == "吐" {
		k.negated, k.ended = false, false
	}
	return &k
}

// someZh is how much of a value there is, which is left in it.
const someZh = `(?:[一二两三四五六七八九十几多好半\d]+(?:个|只|条|匹|位|台|辆|套|间|家|栋|本|张|把|支|架|部|块|双|件|柜子?|箱|盒|屋子?|墙|抽屉|盆|棵|株|群|窝|缸|枚|门|艘|份|杯|瓶|罐|包|根|碗|两|斤))`
