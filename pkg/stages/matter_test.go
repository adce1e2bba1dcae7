package stages

import (
	"math/rand"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// holding is what holds, of what the user says an hour apart, once all of it is decided in the order given by perm.
func holding(t *testing.T, perm []int, lines ...string) []string {
	t.Helper()
	s := newFactStore()
	r := s.runner(t)
	for _, i := range perm {
		if ev := spoken(t, "e"+string(rune('a'+i)), uint64(i+1), day0.Add(time.Duration(i)*time.Hour), userSays(lines[i])); ev != nil {
			handle(t, r, ev)
		}
	}
	return s.active(day0.Add(time.Duration(len(lines)) * time.Hour))
}

// A rule that is lifted, a to-do that is done, a value that changed: what holds afterwards, in any order of arrival,
// and what like words leave alone. want lists the beginnings of what still holds.
func TestC3_RulesAreLiftedToDosClosedValuesChanged(t *testing.T) {
	for _, tc := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"lifted", []string{"以后回答不要用表情符号。", "以后可以用表情符号了。"}, []string{"以后可以"}},
		{"lifted in other words", []string{"以后回答不要用表情符号。", "从现在起可以用表情了。"}, []string{"从现在起"}},
		{"lifted in the other language", []string{"以后回答不要用表情符号。", "You can use emoji from now on."}, []string{"You can"}},
		{"lifted en", []string{"Don't use emojis in your answers.", "You can use emoji again."}, []string{"You can"}},
		{"lifted en, zh", []string{"Never use tables.", "以后可以用表格了。"}, []string{"以后可以"}},
		{"broader than the rule", []string{"周末不要给我打电话。", "以后可以给我打电话了。"}, []string{"以后可以"}},
		{"rule by name", []string{"不要用表情符号。", "不要用表情的规矩取消了。"}, []string{"不要用表情的"}},
		{"a duty lifted", []string{"以后都用英文回复我。", "以后不用再用英文回复了。"}, []string{"以后不用"}},
		{"a duty lifted en", []string{"Always answer in French.", "You no longer have to answer in French."}, []string{"You no"}},
		{"forbidden again", []string{"不要用表情符号。", "以后可以用表情了。", "以后别再用表情符号。"}, []string{"以后别再"}},
		{"another matter", []string{"以后回答不要用表格。", "以后可以用表情符号了。"}, []string{"以后回答", "以后可以"}},
		{"narrower than the rule", []string{"不要给我打电话。", "以后周末可以给我打电话了。"}, []string{"不要给我", "以后周末"}},
		{"another person", []string{"不要给客户打电话。", "以后可以给我打电话了。"}, []string{"不要给客户", "以后可以"}},
		{"one of two", []string{"不要用表情符号和表格。", "以后可以用表格了。"}, []string{"不要用", "以后可以"}},
		{"a permission lifts no duty", []string{"以后都用英文回复我。", "以后可以用英文回复了。"}, []string{"以后可以", "以后都用"}},
		{"lifted now", []string{"不要放香菜。", "香菜现在可以放了。"}, []string{"香菜现在"}},
		{"lifted by name", []string{"不要放香菜。", "之前说的不要放香菜那条取消。"}, []string{"之前说的"}},
		{"called off", []string{"不要放香菜。", "取消不放香菜的规则。"}, []string{"取消"}},
		{"lifted and called off", []string{"周五下午不要发布。", "周五下午可以发布了，那条规矩取消。"}, []string{"周五（"}},
		{"a duty before something", []string{"提交前必须跑测试。", "提交前不用跑测试了。"}, []string{"提交前不用"}},
		{"a duty before something, this once", []string{"提交前必须跑测试。", "这次提交前不用跑测试了。"}, []string{"提交前必须"}},
		{"of another thing", []string{"不要放香菜。", "葱花现在可以放了。"}, []string{"不要放香菜", "葱花"}},
		{"a window is no permission", []string{"不要部署生产环境。", "生产环境现在可以部署了。"}, []string{"不要部署"}},
		{"called off without its words", []string{"周五下午不要发布。", "那条规矩取消。"}, []string{"周五下午不要"}},

		{"another language", []string{"代码注释请一律用中文写。", "算了，注释还是用英文吧。"}, []string{"算了"}},
		{"another language from now on", []string{"代码注释请一律用中文写。", "以后代码注释改用英文写。"}, []string{"以后代码"}},
		{"another language en", []string{"Always write code comments in Chinese.", "From now on write code comments in English."}, []string{"From now"}},
		{"another language, zh then en", []string{"以后都用中文回复我。", "From now on answer me in English."}, []string{"From now"}},
		{"another language, politely", []string{"Please answer in French.", "Always reply in German."}, []string{"Always reply"}},
		{"another language, in other verbs", []string{"Please speak to me in French.", "From now on answer in German."}, []string{"From now"}},
		{"another language, en then zh", []string{"Always answer in English.", "以后请用中文回答。"}, []string{"以后请用"}},
		{"another language, politely zh", []string{"请用中文回答我。", "以后用英文回答。"}, []string{"以后用"}},
		{"of replies, not of comments", []string{"代码注释请一律用中文写。", "以后都用英文回复我。"}, []string{"以后都用", "代码注释"}},
		{"of comments, not of replies", []string{"以后都用英文回复我。", "代码注释请一律用中文写。"}, []string{"以后都用", "代码注释"}},
		{"of one kind of mail", []string{"给客户的邮件一律用英文写。", "以后邮件都用中文写。"}, []string{"给客户", "以后邮件"}},
		{"beside the other", []string{"Always answer in English.", "Always answer in French, too."}, []string{"Always answer in E", "Always answer in F"}},

		{"no rule before it", []string{"You can use emoji from now on."}, []string{"You can"}},

		{"done", []string{"我周五之前要交护照材料。", "护照材料今天已经交了。"}, []string{"护照材料"}},
		{"done, by 把", []string{"12 月 5 日之前要把年终总结写完。", "我把年终总结写完了。"}, []string{"我把"}},
		{"done en", []string{"I need to hand in the passport papers by 14 January.", "I handed in the passport papers today."}, []string{"I handed"}},
		{"done, a label", []string{"待办：1 月 20 日前提交报销单。", "报销单已经交了。"}, []string{"报销单"}},
		{"done, a deadline", []string{"The expense report is due on 14 January.", "I've submitted the expense report."}, []string{"I've"}},
		{"done for somebody", []string{"我周五之前要把对账报告发给王总。", "对账报告已经发给王总了。"}, []string{"对账报告"}},
		{"done for somebody else", []string{"我周五之前要把对账报告发给王总。", "对账报告已经发给李总了。"}, []string{"对账报告", "我周五"}},
		{"done with another thing", []string{"我1月20日之前要交护照材料。", "签证材料今天已经交了。"}, []string{"我1月20日", "签证材料"}},
		{"filled in, not handed in", []string{"1 月 20 日之前要交报销单。", "报销单已经填好了。"}, []string{"1 月 20", "报销单"}},
		{"to be done again", []string{"房租已经付了。", "1 月 25 日要交房租。"}, []string{"1 月 25", "房租"}},

		{"done, in the past tense", []string{"Remind me to call the dentist.", "I called the dentist, done."}, []string{"I called"}},
		{"done, an irregular past", []string{"Remind me to ring my landlord.", "I rang my landlord this morning."}, []string{"I rang"}},
		{"done, bought", []string{"Remind me to buy milk.", "I bought the milk."}, []string{"I bought"}},
		{"another deed", []string{"Remind me to call the dentist.", "I emailed the dentist."}, []string{"I emailed", "Remind"}},
		{"another deed, the other way", []string{"Remind me to email the dentist.", "I called the dentist."}, []string{"I called", "Remind"}},
		{"another person called", []string{"Remind me to call the dentist.", "I called the plumber."}, []string{"I called", "Remind"}},
		{"done, a call", []string{"提醒我给牙医打电话。", "牙医的电话打过了。"}, []string{"牙医"}},
		{"done, a call to somebody", []string{"提醒我给牙医打电话。", "我已经给牙医打过电话了。"}, []string{"我已经"}},
		{"another person called, zh", []string{"提醒我给牙医打电话。", "给房东打过电话了。"}, []string{"提醒我", "给房东"}},

		{"phone", []string{"我的手机号是 13800001111。", "我换手机号了，新号是 13900002222。"}, []string{"我换手机号了"}},
		{"phone, both languages", []string{"我的手机号是 13800001111。", "I changed my phone number, the new one is 555-0199."}, []string{"I changed"}},
		{"job", []string{"我在字节跳动工作。", "我换工作了，从字节跳动跳到了蚂蚁集团。"}, []string{"我换工作了"}},
		{"job en", []string{"I work at ByteDance.", "I left ByteDance and joined Ant Group."}, []string{"I left"}},
		{"since corrected", []string{"I have lived in Porto since 2019.", "I have lived in Porto since 2021."}, []string{"I have lived in Porto since 2021"}},
		{"since kept", []string{"I have lived in Porto since 2019.", "I live in Porto."}, []string{"I have lived in Porto since 2019"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			perm := make([]int, len(tc.lines))
			for i := range perm {
				perm[i] = i
			}
			slices.Sort(tc.want)
			for range 3 {
				got := holding(t, perm, tc.lines...)
				slices.Sort(got)
				ok := len(got) == len(tc.want)
				for i := range got {
					ok = ok && strings.HasPrefix(got[i], tc.want[i])
				}
				if !ok {
					t.Errorf("in the order %v there hold %q, want %q", perm, got, tc.want)
				}
				rand.New(rand.NewSource(int64(len(tc.name)))).Shuffle(len(perm), func(i, j int) { perm[i], perm[j] = perm[j], perm[i] })
			}
		})
	}
}

// What one turn says and takes back, for many users, since their ids differ.
func TestC3_TheLaterClauseOfATurnHolds(t *testing.T) {
	for _, tc := range []struct{ said, want string }{
		{"我住在杭州。不对，我住在苏州。", "我住在苏州"},
		{"我的经理是周敏。哦不，我的经理是陈涛。", "我的经理是陈涛"},
		{"我的经理是周敏。我的经理换成陈涛了。", "我的经理换成陈涛"},
		{"请叫我老王。算了，请叫我王工。", "请叫我王工"},
		{"我已经搬到苏州了，现在住在苏州工业园区。", "现在住在苏州工业园区"},
		{"I live in Leeds. Sorry, I live in York.", "I live in York"},
		{"My manager is Priya. No wait, my manager is Elena.", "my manager is Elena"},
		{"I live in Leeds. No, I live in York. Actually no, I live in Leeds.", "I live in Leeds"},
	} {
		for i := range 12 {
			s := newFactStore()
			handle(t, s.runner(t), spoken(t, "turn-"+strconv.Itoa(i), uint64(i+1), day0, userSays(tc.said)))
			if got := s.active(day0.Add(time.Hour)); len(got) != 1 || !strings.Contains(strings.ToLower(got[0]), strings.ToLower(tc.want)) {
				t.Errorf("%s, %d: there hold %q", tc.said, i, got)
			}
		}
	}
}

// What was lifted or closed stays as history, with what ended it.
func TestC3_WhatIsLiftedStaysInHistory(t *testing.T) {
	s := newFactStore()
	r := s.runner(t)
	handle(t, r, spoken(t, "a", 1, day0, userSays("以后回答不要用表情符号。")), spoken(t, "b", 2, day0.Add(time.Hour), userSays("从现在起可以用表情了。")))
	old := s.find(func(m *schema.Memory) bool { return m.Type == schema.TypeConstraint })
	if len(old) != 1 || old[0].Status != schema.StatusSuperseded || old[0].SupersededBy == "" || !old[0].ValidTo.Equal(day0.Add(time.Hour)) {
		t.Errorf("%+v", old)
	}
}
