package decide

import (
	"slices"
	"strings"

	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Predicates of statements that end others of their matter, as distill gives them.
const (
	predPermitted = "permitted" // what was forbidden may be done
	predExempt    = "exempt"    // what had to be done need not be
	predDone      = "did"
)

// endsMatter reports whether f leaves no room for a in a slot of matters: it lifts the rule or closes the to-do that a
// is, or it is a rule again on what a had permitted.
func endsMatter(f, a *schema.Memory) bool {
	switch {
	case f.Replaces != "" && a.Replaces == "":
		return covers(f, a)
	case f.Replaces == "" && a.Replaces != "" && f.Type == schema.TypeConstraint:
		return covers(a, f)
	case f.Replaces == "" && a.Replaces == "" && f.Type == schema.TypeConstraint && a.Type == schema.TypeConstraint:
		return otherValue(f, a)
	}
	return false
}

// covers reports whether all of the matter that by names is in what of says: by may be broader ("you may call me")
// than of ("don't call me at night"), never narrower.
func covers(by, of *schema.Memory) bool {
	switch by.Predicate {
	case predPermitted:
		if !forbids(of.Object) {
			return false
		}
	case predExempt:
		if forbids(of.Object) {
			return false
		}
	case predDone:
		return sameDeed(by, of) && within(by.Replaces, of.Object)
	}
	return lists(of.Object) == lists(by.Replaces) && !toOthers(by.Replaces, of.Object) && within(by.Replaces, of.Object)
}

// toOthers reports whether the matter speaks of what is done to the speaker, and s of what is done to somebody else.
func toOthers(matter, s string) bool {
	for _, w := range [...]string{"给", "跟", "和", "对", "向"} {
		if strings.Contains(matter, w+"我") {
			return !strings.Contains(s, w+"我") && strings.Contains(s, w)
		}
	}
	return false
}

// sameDeed reports whether what was done with the object is what was to be done: printing a form does not hand it in.
func sameDeed(done, todo *schema.Memory) bool {
	object := text.Fold(done.Replaces)
	did := text.Deeds(strings.ReplaceAll(text.Fold(done.Object), object, " "))
	due := text.Deeds(strings.ReplaceAll(text.Fold(todo.Object), object, " "))
	return due == 0 || (did|due)&text.DeedAny != 0 || did&due != 0
}

// within reports whether every word that tells something in matter is in s.
func within(matter, s string) bool {
	have := telling(s)
	want := telling(matter)
	for w := range want {
		if !have[w] {
			return false
		}
	}
	return len(want) > 0
}

// telling are the terms of s that tell what it is about, in one form for what the two languages and their habits name
// differently.
func telling(s string) map[string]bool {
	s = text.Fold(s)
	out := map[string]bool{}
	for _, m := range matters {
		for _, w := range m {
			if holds(s, w) {
				s = strings.ReplaceAll(s, w, " ")
				out[m[0]] = true
			}
		}
	}
	for _, t := range text.Terms(s) {
		if !idle[t.Text] {
			out[t.Text] = true
		}
	}
	return out
}

// demandKey is one for all rules that ask for the same in any words of both languages, "" for a rule, or what is none, of
// which that cannot be told: one that speaks of more than matters that have a row, or under a condition.
func demandKey(m *schema.Memory) string {
	if m.Type != schema.TypeConstraint || m.Replaces != "" || !schema.IsMatterSlot(m.Slot) || len(m.Content) > maxDemand {
		return ""
	}
	s := strings.NewReplacer("以后", " ", "今后", " ", "之前说", " ").Replace(" " + text.Fold(m.Object) + " ")
	if containsAny(s, conditions...) || lists(s) || toSomebody(s) {
		return ""
	}
	var key []string
	for w := range telling(s) {
		if !rowOf[w] {
			return ""
		}
		key = append(key, w)
	}
	if len(key) == 0 {
		return ""
	}
	slices.Sort(key)
	if contrary(key, forbids(s)) {
		return ""
	}
	if forbids(s) {
		key = append(key, "not")
	}
	return strings.Join(key, " ")
}

// contrary reports whether a rule on these matters may ask for one and forbid the other: which is which stands in the order
// of its words, and no key holds that.
func contrary(key []string, forbids bool) bool {
	langs := 0
	of := map[int]int{}
	for _, w := range key {
		if slices.Contains(languages[:], w) {
			langs++
		}
		if g := instead[w]; g > 0 {
			of[g]++
		}
	}
	if langs > 1 || langs == 1 && forbids && len(key) > 1 {
		return true
	}
	for _, n := range of {
		if forbids && n > 1 {
			return true
		}
	}
	return false
}

// instead are matters of which one stands for the other: forms of an answer, ways to reach somebody, days.
var instead = func() map[string]int {
	out := map[string]int{}
	for g, ws := range [...][]string{{"list", "table", "markdown", "emoji"}, {"phone call", "message", "email", "notification"},
		{"weekend", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}} {
		for _, w := range ws {
			out[w] = g + 1
		}
	}
	return out
}()

// maxDemand is the longest rule in bytes that is looked at for what it demands: a longer one says more.
const maxDemand = 120

// conditions are words of rules that hold at times, in part, or for some.
var conditions = []string{" if ", " when ", " while ", " before ", " after ", " until ", " unless ", " except ", " without ", " during ", " only ", " but ", " first ",
	" instead ", " than ", " too ", " also ", " both ", " some ", " any more than ", " more ", " less ", " to ", " for ", " from ", " about ",
	"只", "仅", "除", "如果", "要是", "的时候", "时", "前", "后", "直到", "但", "也", "先", "再", "还是", "改", "关于", "换", "少", "多"}

// toSomebody reports whether s speaks of what is done to somebody.
func toSomebody(s string) bool { return containsAny(s, "给", "跟", "对", "向", "替", "帮") }

// rowOf knows the first words of the rows of matters.
var rowOf = func() map[string]bool {
	out := map[string]bool{}
	for _, m := range matters {
		out[m[0]] = true
	}
	return out
}()

// holds reports whether w is in s, at the beginning of a word where it is English.
func holds(s, w string) bool {
	i := strings.Index(s, w)
	return i >= 0 && (w[0] >= 0x80 || i == 0 || s[i-1] < 'a' || s[i-1] > 'z')
}

// matters are what people make rules about, each in the words of both languages; longer ones before those they hold.
var matters = [][]string{
	{"emoji", "表情符号", "表情包", "颜文字", "emoticons", "emoticon", "smileys", "smiley", "emojis", "表情"},
	{"list", "项目符号", "bullet points", "bullet lists", "bullets", "列表"},
	{"table", "tables", "表格"},
	{"markdown", "md格式"},
	{"english", "英文", "英语"},
	{"chinese", "中文", "汉语", "mandarin"},
	{"french", "法文", "法语"},
	{"german", "德文", "德语"},
	{"spanish", "西班牙语"},
	{"italian", "意大利语"},
	{"portuguese", "葡萄牙语"},
	{"russian", "俄文", "俄语"},
	{"japanese", "日文", "日语"},
	{"korean", "韩文", "韩语"},
	{"swearing", "脏话", "粗话", "swear words", "swear", "curse"},
	{"phone call", "打电话", "phone calls", "call me", "来电", "电话"},
	{"message", "messages", "发消息", "消息", "短信"},
	{"email", "e-mails", "e-mail", "emails", "邮件"},
	{"notification", "notifications", "通知", "推送"},
	{"joke", "jokes", "joking", "开玩笑", "笑话", "玩笑"},
	{"deploy", "发版", "上线", "部署", "发布", "deploying", "deployments", "releases", "release"},
	{"meeting", "meetings", "开会", "会议"},
	{"weekend", "weekends", "周末"},
	{"monday", "mondays", "周一", "星期一"},
	{"tuesday", "tuesdays", "周二", "星期二"},
	{"wednesday", "wednesdays", "周三", "星期三"},
	{"thursday", "thursdays", "周四", "星期四"},
	{"friday", "fridays", "周五", "星期五"},
	{"saturday", "saturdays", "周六", "星期六"},
	{"sunday", "sundays", "周日", "星期日", "星期天"},
	{"disturb", "打扰", "打搅", "interrupt"},
}

// idle terms tell nothing about the matter.
var idle = func() map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq("use using used again now from on going forward anymore more please always never not don't may can need have to pleas " +
		"放 加 用 请用 使用 再 重新 继续 给 我 把 在 了 以后 今后 现在 起 可以 不用 不要 别 回答 回复 里 中 answer answers repli reply me your you my the") {
		out[w] = true
	}
	return out
}()

// forbids reports whether a rule says what must not be done.
func forbids(rule string) bool {
	low := strings.ToLower(rule)
	for _, w := range [...]string{"不", "别", "勿", "禁", "not ", "n't", "never", "no ", "avoid", "stop ", "forbid", "prohibit", "without"} {
		if i := strings.Index(low, w); i == 0 || i > 0 && (w[0] >= 0x80 || w == "n't" || low[i-1] == ' ') {
			return true
		}
	}
	return false
}

// lists reports whether s names several things: what lifts one of them does not lift the rule.
func lists(s string) bool {
	s = strings.ToLower(s)
	for _, w := range [...]string{"和我", "和你", "和他", "和她"} {
		s = strings.ReplaceAll(s, w, " ")
	}
	for _, w := range [...]string{"、", "和", "或", "以及", " and ", " or ", " nor "} {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}
