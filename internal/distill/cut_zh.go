package distill

import "strings"

// cutButZh cuts the parts that hold two clauses without a sign between: 喜欢爬山但是恐高.
func cutButZh(parts []string) []string {
	var out []string
	for _, p := range parts {
		if m := reButZh.find(p); m != nil {
			out = append(out, m[1], m[2])
			continue
		}
		out = append(out, p)
	}
	return out
}

var reButZh = gated(`^(.{4,}?)(?:但是|可是|而且)([\p{Han}A-Za-z].{1,})$`)

// reAskFirstZh is to ask somebody, which says nothing without what is before it.
var reAskFirstZh = gated(`^` + zhAsk)

// joinCorrections puts "X 作废" and the "改成 Y" behind it into one part: neither says anything alone.
func joinCorrections(parts []string) []string {
	var out []string
	for _, p := range parts {
		if n := len(out); n > 0 && reVoidZh.match(out[n-1]) && reNewZh.match(strings.TrimSpace(p)) {
			out[n-1] += "，" + strings.TrimSpace(p)
			continue
		}
		if n := len(out); n > 0 && strings.HasSuffix(strings.TrimSpace(out[n-1]), "前") && reAskFirstZh.match(strings.TrimSpace(p)) {
			out[n-1] += strings.TrimSpace(p) // 删除之前，先问我
			continue
		}
		if n := len(out); n > 0 && reVoidedZh.match(strings.TrimSpace(p)) {
			out[n-1] += "，" + strings.TrimSpace(p) // 可以发布了，那条规矩取消
			continue
		}
		if n := len(out); n > 0 && reCaseHeadZh.match(strings.TrimSpace(out[n-1])) && reOrderHeadZh.match(strings.TrimSpace(p)) {
			out[n-1] += "，" + strings.TrimSpace(p) // 凡是我贴日志，先定位根因
			continue
		}
		if n := len(out); n > 0 && reNoLeaveZh.match(out[n-1]) && reBanHeadZh.match(strings.TrimSpace(p)) {
			out[n-1] += "，" + strings.TrimSpace(p) // 没有我点头，谁也不许动生产环境
			continue
		}
		if n := len(out); n > 0 && hasPrefixAny(strings.TrimSpace(p), "叫", "名叫", "名字叫", "它叫") && reNewOneZh.match(out[n-1]) {
			out[n-1] += "，" + strings.TrimSpace(p) // 养了一只猫，叫豆包: the cat's name
			continue
		}
		out = append(out, p)
	}
	return out
}

var (
	reNoLeaveZh   = gated(`^(?:没有?|未经?|不经)(?:经过?|得到)?[\p{Han}A-Za-z]{1,6}?(?:的)?(?:点头|同意|允许|批准|确认|许可|授权|签字)$`)
	reBanHeadZh   = gated(`^(?:谁|任何人|你|大家)?(?:都|也|就)?(?:` + zhBan + `|不能|不可以|绝不)`)
	reCaseHeadZh  = gated(`^(?:凡是?|只要|但凡|每当|每次|任何时候|遇到|碰到|拿不准|不确定|有歧义|没把握|除了?|如果|要是)`)
	reOrderHeadZh = gated(`^(?:你|您)?(?:请|都|就|先|要|得|务必|一定|直接|记得|别|不要|给我|谁都|任何人|其他人|按|用|标|停|提醒|叫|催|告诉)`)
	reCaseZh      = gated(`^(?:如果|要是).{2,24}，(?:你|您)?(?:就|请)?(?:先|别|不要|提醒|催|告诉|用|按|标|停下|问|直接|务必|一定)`)
	rePronounZh   = gated(`^(?:她|他)(?:现在|目前|今年|也|就)?([^们].+)$`)
	reMentionZh   = gated(`(?:跟|和|与|有个?|是|陪|给|带)(?:我)?(女朋友|男朋友|女友|男友|老婆|老公|媳妇|儿子|女儿|闺女|弟弟|妹妹|哥哥|姐姐|妈妈|爸爸|奶奶|爷爷|外婆|外公|室友|闺蜜|对象|未婚妻|未婚夫|前妻|前夫|同桌|导师|表弟|表妹)`)
	// A thing to be made for once, whatever it is about.
	reRequestZh  = gated(`^(?:请|麻烦|能不能|可以|可不可以|能否)*(?:帮我|帮忙|替我|给我|为我|帮)(?:给|把|将|跟|和|用|写|拟|做|编|起|想|列|出|设计|推荐|策划|润色|翻译|改|查|算|找|生成|画|整理|总结|分析|解释|草拟|搜|订|规划|比较|对比|挑|选|估|评|介绍|来)|^(?:把|将)(?:下面|以下|这|上面|那)|^(?:写|编|拟|翻译|润色|改写|续写|总结|起)(?:一|个|段|首|篇|封|几|下面|以下|这|两)`)
	reStandingZh = gated(`清单|列表|名单|备忘|以后|今后|每次|每当|总是|一律|永远|从现在起|平时|默认|别|不要|必须|都要|都用|的时候`)
	// What others say, or write.
	reHearsayZh  = gated(`^(?:有?(?:老师|教授|博主|主播|网友|邻居|专家|宣传页|宣传册|说明书|手册|文章|论文|报道|新闻|视频|弹幕|评论|公众号|帖子|广告|客服|导游|主持人|播客|节目|电影|电视|小说|书|课本|教材|古人|同事|群里|论坛|知乎|小红书|微博|抖音)|那[个篇本部条])(?:在?.{0,6}?)(?:上|里|中)?(?:讲|说|写|提到|声称|介绍|吐槽|宣称|显示|报道|爆料|传|讲到|提过)(?:到|过|了|着|的是)?`)
	reThingZh    = gated(`^(?:我们?的?|咱们?的?)?([\p{Han}A-Za-z0-9_. -]{2,16}?)(?:现在|目前)?(?:的)?(?:在|跑在|部署在|是|有|用的?是?|运行在|放在|部署在|存在)`)
	reJobEveryZh = gated(`^每(?:天|周|晚|小时|隔|月|个?小时|[一二三四五六七八九十\d]+(?:分钟|小时|天)).{0,10}(?:跑|执行|备份|同步|重启|发布?|更新|清理?|巡检|轮转|触发|打包|构建)(?:一次|一遍)?$`)
	rePartZh     = gated(`^(?:默认|对外)?(?:端口号?|版本号?|IP|ip|路径|域名|用户名|账号|库名|分支)(?:是|为|：|:|改成)?\s*[A-Za-z0-9~/v][\w./:@~-]*$`)
)

// ofThings says of a part that tells a port or the like, and not of what, what the part before it speaks of:
// 测试库在 10.0.4.17，端口 3307.
func ofThings(parts []string) []string {
	thing := ""
	for i, p := range parts {
		p = strings.TrimSpace(p)
		if rePartZh.match(p) && thing != "" {
			parts[i] = thing + "的" + p
			continue
		}
		if reJobEveryZh.match(p) && thing != "" && i > 0 { // 备份脚本在 /opt/x，每天凌晨三点跑
			parts[i] = thing + p
			continue
		}
		if m := reThingZh.find(p); m != nil && !hasPrefixAny(m[1], "我", "你", "他", "她", "这", "那") {
			thing = strings.TrimSpace(m[1])
		}
	}
	return parts
}

// reNoticeZh is what stands before the words of a document: 招聘启事：….
var reNoticeZh = gated(`^(?:这(?:个|份|条|张|则)|那(?:个|份|条|张|则)|有(?:个|份|条|张|则))?[\p{Han}]{0,6}(?:启事|招聘信息|招聘要求|岗位要求|任职要求|职位描述|海报|公告|说明书|告示|征文|租房信息|房源信息|简章|须知|宣传语|标语|广告词|传单)(?:里|上|中)?(?:写着|写的是|写|说)?[:：]`)

var (
	// reOneTaskZh begins what is to be done once: nothing in it is about who asks.
	reOneTaskZh = gated(`^(?:请|帮我|帮忙|麻烦你?)?(?:用|以|按|照着?|模仿|学)[^，。：:]{1,14}?(?:口吻|语气|风格|口气|文风|笔法|视角)(?:给我|帮我)?(?:写|说|讲|编|回|改)一?(?:段|篇|首|封|句|个|条|则)|^(?:请|帮我|帮忙|麻烦你?)?(?:把|将)(?:下面|以下|上面|这)(?:的|这)?[^，。：:]{0,16}[:：]|^(?:请|帮忙|帮我|麻烦你?)(?:想|起|列|写|找|推荐|给|编|拟|取)(?:我|出)?(?:[一二两三四五六七八九十几\d]+)(?:个|条|份|种|款|句|首|篇|段|家|本)|^(?:给|跟)我(?:想|列|写|找|推荐|来|说|讲|编)?(?:[一二两三四五六七八九十几\d]+)(?:个|条|份|种|款|句|首|篇|段|家|本)|^(?:我|咱们?)?(?:假装|扮演|来演|装作)|^所谓`)
	// reThisTimeZh makes what follows hold for once.
	reThisTimeZh = gated(`^(?:那|好|嗯|，|,)*(?:这次|这一次|这回|这篇|这段|这条|这封|这版|今天这)`)
	// reTheySayZh is somebody else of whom what follows is said, where it names nobody.
	reTheySayZh = gated(`(?:他|她|候选人|客户|有人|对方|作者|博主|主播|哥们|网友|老外|朋友|同事|司机|中介)(?:们)?(?:自己)?(?:还|都|就)?(?:说|讲|表示|称|声称|吹)(?:他|她|自己|，|,|$)?|看了?(?:一)?(?:篇|个|部|条)(?:文章|帖子|视频|报道|新闻|采访|电影|纪录片)|听(?:播客|广播|节目)|作者原来|据说|听说|(?:^|，)说(?:他|她)`)
)

// othersZh reports whether sent is a text to be dealt with, a notice or a task done once: nothing in it is about who says it.
func othersZh(sent string) bool {
	return reShownZh.match(sent) || reNoticeZh.match(sent) || reOneTaskZh.match(sent)
}
