package openie

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/siltstone-ai/siltstone/internal/text"
)

// Closed lists of Chinese words. They lie over the dictionary's tags, which are one a word, wherever it stands.
var (
	prepZh   = wordSet("在 于 从 自 由 由于 为了 以 用 对 对于 与 跟 同 向 给 因 因为 根据 通过 随着 按 按照 关于 沿着 沿 经 经过 针对 除了 自从 比 当 至 直到 作为 凭 据 朝 往 依据 依照 鉴于 围绕 就 除")
	locusZh  = wordSet("中 上 下 里 内 外 前 后 间 之间 之后 之前 之中 之内 之外 之上 之下 以来 以后 以前 以内 以外 期间 时 时候 时期 附近 方面 左右 里面 上面 下面 后面 前面 旁边 为止 处 旁 起")
	afterZh  = wordSet("后 之后 以后 前 之前 以前 时 期间 时候 以来 为止 之际")
	modalZh  = wordSet("可以 能 能够 会 可能 应该 应 必须 需要 想 要 想要 希望 愿意 打算 开始 继续 试图 帮助 尝试 决定 可 得以 准备 计划 允许 拒绝 负责 将要 敢 肯 被迫 无法 企图 设法 停止 努力 有望 有助于 用来 用于")
	handleZh = wordSet("把 让 使 令 使得 叫")
	coordZh  = wordSet("和 及 以及 、 或 或者 与 和/或 及其")
	aspectZh = wordSet("了 过 着")
	linkZh   = wordSet("到 为 成 给 至 出 入 向 自 作 成为 上 下 起 回 作为 进 往 来自 是 有 出来 起来 下来 下去 掉 住 完 好 走 开 过 去")
	conjZh   = wordSet("但 但是 而 而且 并 并且 因此 所以 然后 于是 不过 虽然 尽管 如果 同时 此外 也 还 其中 而是 随后 后来 最终 最后 据说 例如 或 又 且 且还 只是 即 即使 即便 因而 从而 甚至 另外 首先 其次 事实上 事实证明 当时 与此同时 然而 可是 之后 此后 不仅 不但 以使 以便 尤其 特别是")
	adverbZh = wordSet("很 更 最 也 都 还 就 才 又 再 已 已经 曾 曾经 仅 均 则 便 却 太 较 极 没 没有 不 未 并未 并不 常 正 正在 只 仍 仍然 现 刚 刚刚 一直 始终 再次 随后 不再 从未 分别 共同 一起 主要 首次 大约 不得不 相互")
	finalZh  = wordSet("了 吗 呢 吧 啊 呀 的话 而已 哦 啦")
	sayZh    = wordSet("说 表示 认为 称 指出 宣布 声称 相信 觉得 知道 发现 报道 强调 透露 承认 坚持 否认 建议 告诉 解释 证明 预计 预测 估计 希望 怀疑")
)

// verbsZh are verbs that the dictionary has as something else, or as one of two.
var verbsZh = wordSet("去世 前往 命名 服役 见面 谈判 预计 毕业 出生 居住 结婚 离婚 怀孕 开会 出差 跑步 游泳 上班 下班 加班 面试 搬家 过敏 学习 工作 研究 投资 管理 负责 收购 合作 团聚 会面 上学 留学 退休 辞职 入职 任职 就职 任教 获胜 推广 冲洗 升级 部署 评估 喝 吃 用 住 养 姓 名叫 称为 源自 位于 属于 包括 包含 含有 拥有 采用 使用 依赖 基于 担任 来自 毕业于 出生于 就读于 任职于 迁移 迁 维护 监听 连接 安装 运行 支持 存放 保存")

// soundsZh are characters that spell foreign names.
var soundsZh = runeSetOf("阿埃艾爱安奥巴贝本比彼毕波伯勃布卡科克库拉兰劳勒雷里利莉林卢鲁路罗洛马玛迈曼梅蒙米密莫姆穆纳娜南内尼涅诺努欧帕佩皮珀普奇恰切乔萨赛桑瑟沙莎史斯丝索塔泰坦特提图托瓦威维韦魏沃乌西希夏肖谢辛休修雅亚扬耶伊因尤约泽詹朱佐格盖戈哥古瓜圭顿丹达戴道德登迪蒂丁杜多恩尔法范菲费芬弗福富哈海汉豪赫亨胡霍基吉季贾杰金琼凯坎康考肯夫娃茨滕森逊翰姬堡")

// runeSetOf is the characters of s.
func runeSetOf(s string) map[rune]bool {
	m := map[rune]bool{}
	for _, r := range s {
		m[r] = true
	}
	return m
}

// wordsZh are the words of a Chinese sentence with their classes:
//
//	n noun  v verb  d adverb  p preposition  f word of place or time behind a noun  t time  u 的  k and
//	c conjunction  b 被  a 把  y 了  j adjective  m number  r pronoun  , end of a clause  q quotation mark or bracket
func wordsZh(s string) []Word {
	var ws []Word
	glued := true
	add := func(t, tag string, whole bool) {
		ws = append(ws, Word{Text: t, Tag: tag, Glued: glued, Whole: whole})
		glued = true
	}
	for _, t := range text.Segment(s) {
		switch {
		case len(ws) >= MaxWords:
			return ws
		case t.Kind == text.KindOther:
			for _, r := range t.Text {
				if unicode.IsSpace(r) {
					glued = false
					continue
				}
				add(string(r), "w", false)
			}
		case t.Han && t.Tag == "":
			for _, w := range unknownZh(t.Text) {
				add(w, pieceTags[w], false)
			}
		case t.Han:
			add(t.Text, t.Tag, false)
		case t.Kind == text.KindDate || t.Kind == text.KindTime:
			add(t.Text, "t", true)
		case t.Kind == text.KindNumber || t.Kind == text.KindQuantity:
			add(t.Text, "m", true)
		default:
			add(t.Text, "eng", t.Kind.Protected())
		}
	}
	ws = namesZh(ws)
	for i := range ws {
		ws[i].class = classZh(ws, i)
	}
	contextZh(ws)
	return ws
}

// unknownZh cuts a word that the dictionary does not have where a word of grammar hangs on it: 洛萨诺|于, 被|立, 这|是, 过|格拉尼库斯.
func unknownZh(w string) []string {
	first, n := utf8.DecodeRuneInString(w)
	if strings.ContainsRune("被更最或把将这那他她它我你以并从过", first) && n < len(w) {
		return append([]string{w[:n]}, unknownZh(w[n:])...)
	}
	last, m := utf8.DecodeLastRuneInString(w)
	if strings.ContainsRune("于为在被把将与和从对是由会", last) && m < len(w) {
		return []string{w[:len(w)-m], w[len(w)-m:]}
	}
	return []string{w}
}

// pieceTags are the tags of what unknownZh cuts off.
var pieceTags = map[string]string{
	"被": "p", "更": "d", "最": "d", "或": "c", "把": "p", "将": "d", "这": "r", "那": "r", "他": "r", "她": "r", "它": "r", "我": "r", "你": "r",
	"以": "p", "并": "c", "于": "p", "为": "p", "在": "p", "与": "p", "和": "c", "从": "p", "过": "ug", "对": "p", "是": "v", "由": "p", "会": "v",
}

// namesZh joins the parts of foreign names: those around a dot, and runs of short words that only spell.
func namesZh(ws []Word) []Word {
	out := ws[:0:0]
	for i := 0; i < len(ws); {
		j := i + 1
		if spells(ws[i].Text) || i+2 < len(ws) && ws[i+1].Glued && isDot(ws[i+1].Text) && ws[i+1].Text != "-" && spellsFirst(ws[i].Text) && spellsFirst(ws[i+2].Text) && len(ws[i].Text) <= 12 {
			loose := ws[i].Tag == ""
			runes := utf8.RuneCountInString(ws[i].Text)
			for j < len(ws) && ws[j].Glued && (spells(ws[j].Text) || isDot(ws[j].Text) && j+1 < len(ws) && spellsFirst(ws[j+1].Text)) {
				if isDot(ws[j].Text) {
					loose = true
					if !spells(ws[j+1].Text) { // 彼得·拜|沃特斯
						runes += utf8.RuneCountInString(ws[j+1].Text)
						j += 2
						continue
					}
				}
				loose = loose || ws[j].Tag == "" || utf8.RuneCountInString(ws[j].Text) == 1
				runes += utf8.RuneCountInString(ws[j].Text)
				j++
			}
			if j == i+1 || runes < 3 || !loose || isDot(ws[j-1].Text) {
				j = i + 1
			}
		}
		w := ws[i]
		for k := i + 1; k < j; k++ {
			w.Text += ws[k].Text
			w.Tag = "nr"
		}
		out = append(out, w)
		i = j
	}
	return out
}

func isDot(s string) bool { return s == "·" || s == "•" || s == "・" || s == "-" || s == "‧" }

// spells reports whether all characters of w are such as spell foreign names.
func spells(w string) bool {
	for _, r := range w {
		if !soundsZh[r] {
			return false
		}
	}
	return w != ""
}

func spellsFirst(w string) bool {
	r, _ := utf8.DecodeRuneInString(w)
	return unicode.Is(unicode.Han, r)
}

// classZh is the class of word i by the lists and its tag.
func classZh(ws []Word, i int) byte {
	w := ws[i]
	switch {
	case w.Whole && w.Tag == "eng":
		return 'n'
	case w.Tag == "w":
		switch {
		case strings.Contains("，。；！？：,;!?:…", w.Text):
			return ','
		case w.Text == "、":
			return 'k'
		case strings.Contains("《》“”（）()「」『』\"'`〈〉‘’[]【】", w.Text):
			return 'q'
		}
		return 'n'
	case w.Text == "的" || w.Text == "之":
		return 'u'
	case w.Text == "被":
		return 'b'
	case handleZh[w.Text]:
		return 'a'
	case w.Text == "将":
		return 'a'
	case aspectZh[w.Text] && (w.Tag == "ul" || w.Tag == "ug" || w.Tag == "uz" || w.Text == "了"):
		return 'y'
	case w.Text == "地" || w.Text == "得":
		return 'x'
	case coordZh[w.Text]:
		return 'k'
	case verbsZh[w.Text]:
		return 'v'
	case w.Tag == "c" && !modalZh[w.Text] && !prepZh[w.Text] || w.Tag == "cc":
		return 'c'
	case w.Text == "为":
		return 'p'
	case w.Text == "没有" || w.Text == "没":
		return 'v'
	case prepZh[w.Text] && w.Text != "就" && w.Text != "除" && !(w.Text == "作为" || w.Text == "当" || w.Text == "用" || w.Text == "给" || w.Text == "通过" || w.Text == "经过" || w.Text == "比") || w.Tag == "p":
		return 'p'
	case adverbZh[w.Text]:
		return 'd'
	case locusZh[w.Text] && (w.Tag == "f" || w.Text == "时" || w.Text == "期间" || w.Text == "为止" || w.Text == "以来" || w.Text == "时候"):
		return 'f'
	case modalZh[w.Text]:
		return 'v'
	}
	switch w.Tag {
	case "v", "vg", "vi", "vq", "vd":
		return 'v'
	case "d", "dg", "df", "ad":
		return 'd'
	case "t", "tg":
		return 't'
	case "m", "q", "mq":
		return 'm'
	case "r", "rr", "rz", "rg":
		return 'r'
	case "a", "ag", "z":
		return 'j'
	case "f":
		return 'f'
	case "y", "e", "o":
		return 'x'
	case "c":
		return 'c'
	}
	return 'n'
}

// compoundZh reports whether the verb at i, which opens a clause, is the first part of a name before the clause's own verb.
func compoundZh(ws []Word, i int) bool {
	k := i + 1
	for k < len(ws) && ws[k].class == 'n' && ws[k].Tag != "eng" {
		k++
	}
	if k == i+1 || k == len(ws) {
		return false
	}
	switch ws[k].class {
	case 'p', 'd', 'b', 'a', 't':
		return laterVerbZh(ws, k)
	}
	return (ws[k].class == 'v' || ws[k].Tag == "vn") && thingsZh[ws[k-1].Text]
}

// laterVerbZh reports whether a verb stands at i or behind it in its clause.
func laterVerbZh(ws []Word, i int) bool {
	for ; i < len(ws) && ws[i].class != ','; i++ {
		if ws[i].class == 'v' {
			return true
		}
	}
	return false
}

// planZh are the verbs before other verbs that are nouns behind 的: 他的决定将获得赞扬.
var planZh = wordSet("决定 计划 准备 打算 努力 希望 尝试 企图 帮助 拒绝")

// placeZh are verbs that say where something is or comes from: with their place they describe what stands behind 的,
// whoever is named in front (在他位于布莱顿的家中).
var placeZh = wordSet("位于 来自 源自 出自 属于 处于")

var beZh = wordSet("是 有 在 为 没有 属于 位于 叫 包括")

func hasSuffixAny(s string, suffixes ...string) bool {
	for _, x := range suffixes {
		if strings.HasSuffix(s, x) {
			return true
		}
	}
	return false
}

// contextZh mends classes by the words around.
func contextZh(ws []Word) {
	text := func(i int) string {
		if i < 0 || i >= len(ws) {
			return ""
		}
		return ws[i].Text
	}
	at := func(i int) byte {
		if i < 0 || i >= len(ws) {
			return ','
		}
		return ws[i].class
	}
	for i := range ws {
		w := &ws[i]
		switch {
		case w.class == 'v' && at(i-1) == ',' && len(w.Text) > 3 && !beZh[w.Text] && !modalZh[w.Text] && compoundZh(ws, i):
			w.class = 'n' // 远航物流在…, 支付网关监听…
		case w.class == 'v' && at(i-1) == 'a' && laterVerbZh(ws, i+1):
			w.class = 'n' // 把缓存换成
		case w.Text == "将" && at(i+1) == 'v':
			w.class = 'd'
		case w.Text == "为" && at(i-1) == 'v':
			w.class = 'l' // 改名为
		case (w.Text == "当" || w.Text == "用") && at(i+1) != 'y' && at(i-1) != 'd' && at(i-1) != 'v':
			w.class = 'p'
		case w.Text == "作为" && at(i-1) != 'l' && at(i-1) != 'k':
			w.class = 'p'
		case w.Text == "与" && (at(i-1) == ',' || at(i-1) == 'd' || at(i-1) == 'v' || at(i-1) == 'r'):
			w.class = 'p'
		case w.Text == "和" && at(i-1) == ',':
			w.class = 'p'
		case w.Text == "会" && (at(i-1) == 'n' && at(i+1) != 'v' && at(i+1) != 'd' && at(i+1) != 'p'):
			w.class = 'n'
		case w.Text == "比" && at(i-1) == 'm' && at(i+1) == 'm':
			w.class = 'm' // 47比38
		case w.Text == "没有" && (at(i+1) == 'v' && at(i+2) != 'u' || at(i+1) == 'd'):
			w.class = 'd'
		case w.class == 'd' && at(i+1) == 'u':
			w.class = 'j' // 充分的
		case w.class == 'f' && at(i-1) == ',' && at(i+1) != ',':
			w.class = 'n' // 周边村庄
		case w.class == 'v' && at(i-1) == 'm' && hasSuffixAny(text(i-1), "次", "种", "个", "项", "场") && at(i+1) != 'n' && at(i+1) != 'y' && at(i+1) != 'r' && at(i+1) != 'm' && !beZh[w.Text]:
			w.class = 'n' // 几次攻击
		case w.class == 'v' && at(i-1) == 'u' && !beZh[w.Text] && !modalZh[w.Text] && (at(i+1) == ',' || at(i+1) == 'k' || at(i+1) == 'f' || at(i+1) == 'u' || at(i+1) == 'n' || at(i+1) == 'v' || at(i+1) == 'd' || at(i+1) == 'a' || at(i+1) == 'b'),
			at(i-1) == 'u' && planZh[w.Text] && (at(i+1) == 'a' || at(i+1) == 'b'):
			w.class = 'n' // 充分的体现, 创始法官, 他的决定将…
		case w.class == 'v' && at(i-1) == 'k' && at(i-2) == 'n' && at(i+1) == 'n' && i+2 < len(ws) && at(i+2) != 'u':
			w.class = 'n' // 娱乐和休闲服务
		case verbsZh[w.Text] && w.Tag != "v" && (at(i-1) == 'u' || at(i-1) == 'm' || at(i+1) == 'u' && at(i-1) == 'n' || at(i+1) == 'n' && at(i+2) != ',' && at(i-1) == 'n'):
			w.class = 'n'
		case w.class == 'n' && at(i-1) == 'b' && utf8.RuneCountInString(w.Text) <= 2 && (at(i+1) == 'y' || at(i+1) == ','):
			w.class = 'v' // 被立了起来
		case w.Text == "/" && at(i-1) == 'k' && at(i+1) == 'k':
			w.class = 'k'
		case w.Tag == "vn" && (at(i-1) == 'd' && ws[i-1].Tag == "d" || at(i-1) == 'b' || at(i+1) == 'y'):
			w.class = 'v'
		}
	}
}
