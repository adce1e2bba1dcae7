package text

import "strings"

// Deed is a set of kinds of deeds: what one does with the object of a to-do.
type Deed uint16

// Kinds of deeds. One word may stand for several: 交 hands in papers and pays rent.
const (
	DeedHandIn Deed = 1 << iota
	DeedPay
	DeedMake
	DeedFetch
	DeedRenew
	DeedReturn
	DeedCheck
	DeedCall
	DeedSign
	DeedAny // done, whatever it was
)

// deedWords are the words of both languages; English ones as their beginning.
var deedWords = []struct {
	kind  Deed
	words string
}{
	{DeedHandIn, "交 递 寄 发 送 上报 申报 投 hand turn submit sen post mail email deliver fil"},
	{DeedPay, "交 付 缴 还 汇 充 续 pay pai settl transfer"},
	{DeedMake, "写 做 改 更新 准备 整理 填 画 编 翻译 writ wrot draft updat prepar fill mak mad revis translat"},
	{DeedFetch, "取 拿 领 买 订 购 预约 预订 pick collect fetch buy bought order book get got"},
	{DeedRenew, "续 更新 换 renew extend replac updat"},
	{DeedReturn, "还 退 return giv"},
	{DeedCheck, "看 查 体检 复诊 复查 打疫苗 see saw check visit"},
	{DeedCall, "打 联系 通知 回 call phon ring rang contact repl answer"},
	{DeedSign, "签 盖章 sign"},
	{DeedAny, "完成 搞定 办 弄 处理 解决 做完 finish complet done sort tak"},
}

// Deeds are the kinds of deeds that words of s stand for, 0 for none that is known. It looks at words alone and takes
// a word inside another for itself in Chinese.
func Deeds(s string) Deed {
	s = Fold(s)
	words := strings.FieldsFunc(s, func(r rune) bool { return r < 'a' || r > 'z' })
	var out Deed
	for _, d := range deedWords {
		for w := range strings.FieldsSeq(d.words) {
			if w[0] >= 0x80 && strings.Contains(s, w) || w[0] < 0x80 && anyPrefixed(words, w) {
				out |= d.kind
			}
		}
	}
	return out
}

func anyPrefixed(words []string, start string) bool {
	for _, w := range words {
		if strings.HasPrefix(w, start) {
			return true
		}
	}
	return false
}
