package stages

import (
	"slices"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// What each nature of a slot leaves standing, in any order of arrival. want lists the beginnings of what still holds.
func TestC3_NaturesOfSlots(t *testing.T) {
	for _, tc := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"functional", []string{"The API runs on port 8080.", "The API runs on port 9090 now."}, []string{"The API runs on port 9090"}},
		{"functional, renamed as new", []string{"My phone number is 555-0100.", "My new phone number is 555-0199."}, []string{"My new phone"}},
		{"immutable", []string{"My birthday is March 3.", "My birthday is March 4."}, []string{"My birthday is March 4"}},
		{"immutable zh", []string{"我的生日是3月3日。", "说错了，我的生日是3月4日。"}, []string{"说错了"}},
		{"many", []string{"I speak French.", "I speak German."}, []string{"I speak French", "I speak German"}},
		{"many of a kind", []string{"I have a dog.", "I have a cat."}, []string{"I have a cat", "I have a dog"}},
		{"many of a kind zh", []string{"我养了一只猫。", "我养了一只狗。"}, []string{"我养了一只狗", "我养了一只猫"}},
		{"two of one kind with names", []string{"My dog is called Rex.", "My dog is called Max."}, []string{"My dog is called Max", "My dog is called Rex"}},
		{"one of them gone", []string{"I have a dog.", "I have a cat.", "I no longer have a dog."}, []string{"I have a cat", "I no longer"}},
		{"one of them gone zh", []string{"我养了一只猫。", "我养了一只狗。", "我不养猫了。"}, []string{"我不养猫了", "我养了一只狗"}},
		{"none of them left", []string{"I own two cars.", "I have no cars any more."}, []string{"I have no cars"}},
		{"none of them left zh", []string{"我有一辆车。", "我没有车了。"}, []string{"我没有车了"}},
		{"sold", []string{"I have a car.", "I have a boat.", "I sold my car."}, []string{"I have a boat", "I sold my car"}},
		{"no longer learnt", []string{"I'm learning Spanish.", "I'm learning French.", "I gave up learning Spanish."}, []string{"I gave up", "I'm learning French"}},
		{"sold zh", []string{"我有一辆车。", "上周我把车卖掉了。"}, []string{"上周"}},
		{"readings", []string{"My blood pressure this morning was 130/85.", "My blood pressure this morning was 130/85.", "My blood pressure today was 120/80."},
			[]string{"My blood pressure this", "My blood pressure this", "My blood pressure today"}},
		{"polar", []string{"I love horror movies.", "I hate horror films."}, []string{"I hate horror films"}},
		{"polar, of a kind", []string{"I like horror movies.", "I don't like movies."}, []string{"I don't like", "I like horror"}},
		{"diets", []string{"I'm a vegetarian.", "I'm vegan now."}, []string{"I'm vegan"}},
		{"one allergy over", []string{"I'm allergic to peanuts.", "I'm allergic to shrimp.", "I'm not allergic to peanuts any more."}, []string{"I'm allergic to shrimp", "I'm not allergic"}},
		{"all allergies over", []string{"I'm allergic to peanuts.", "I'm allergic to shrimp.", "I have no allergies any more."}, []string{"I have no"}},
		{"all allergies over zh", []string{"我对花生过敏。", "我对虾过敏。", "我现在没有任何过敏了。"}, []string{"我现在没有"}},
		{"all allergies over zh, in other words", []string{"我对花生过敏。", "我现在什么都不过敏了。"}, []string{"我现在什么都不"}},
		{"beside the other", []string{"I work at Acme.", "I also work part-time at Borealis."}, []string{"I also", "I work at Acme"}},
		{"beside the other zh", []string{"我在字节跳动工作。", "我还在蚂蚁集团兼职工作。"}, []string{"我在字节", "我还在蚂蚁"}},

		{"given up closes several", []string{"I love thrillers.", "I watch thrillers every Friday.", "I love jazz.", "I don't watch thrillers at all any more."}, []string{"I don't watch", "I love jazz"}},
		{"given up, the kind of all", []string{"I like sci-fi movies.", "I like horror films.", "I don't watch movies any more."}, []string{"I don't watch"}},
		{"given up zh", []string{"我喜欢看恐怖片。", "我喜欢爬山。", "我再也不看恐怖片了。"}, []string{"我再也不", "我喜欢爬山"}},
		{"given up, habit and all", []string{"I drink coffee every morning.", "I love coffee.", "I quit drinking coffee."}, []string{"I quit"}},
		{"given up zh, habit and all", []string{"我每天早上喝咖啡。", "我喜欢喝咖啡。", "我戒咖啡了。"}, []string{"我戒咖啡了"}},
		{"given up and taken up again", []string{"I stopped watching thrillers.", "I love thrillers."}, []string{"I love thrillers"}},
		{"not given up, only disliked", []string{"I drink coffee every morning.", "I don't like coffee."}, []string{"I don't like", "I drink coffee"}},
		{"given up by another", []string{"I love thrillers.", "My sister doesn't watch thrillers any more."}, []string{"I love thrillers", "My sister"}},
		{"given up before it was liked, by event time", []string{"I don't play tennis any more.", "I play tennis on Mondays."}, []string{"I play tennis"}},

		{"repeated in other words", []string{"I am allergic to Peanuts!", "I'm allergic to peanut."}, []string{"I am allergic"}},
		{"a rule repeated in other words", []string{"Please don't use tables.", "Don't use tables!"}, []string{"Please don't"}},
		{"a rule repeated in the other language", []string{"Don't use emojis in your answers.", "以后回答不要用表情符号。"}, []string{"Don't use"}},
		{"a rule repeated in the other language, by day", []string{"Never deploy on Fridays.", "周五不要发布。"}, []string{"Never deploy"}},
		{"a rule and its opposite", []string{"Don't use tables.", "Always use tables."}, []string{"Always use", "Don't use"}},
		{"a rule of another day", []string{"Never deploy on Fridays.", "周四不要发布。"}, []string{"Never deploy", "周四"}},
		{"a rule before a day", []string{"Never deploy on weekends.", "Never deploy before weekends."}, []string{"Never deploy before", "Never deploy on"}},
		{"a rule for one alone", []string{"Don't use tables.", "Never use tables for Priya."}, []string{"Don't use", "Never use tables for"}},
		{"a rule of two things", []string{"Don't use tables.", "Don't use tables or emojis."}, []string{"Don't use tables.", "Don't use tables or"}},
		{"a rule repeated in other words zh", []string{"请不要用表格。", "别使用表格。"}, []string{"请不要用表格"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			perm := make([]int, len(tc.lines))
			for i := range perm {
				perm[i] = i
			}
			slices.Sort(tc.want)
			for range 2 {
				got := holding(t, perm, tc.lines...)
				slices.Sort(got)
				ok := len(got) == len(tc.want)
				for i := range got {
					ok = ok && strings.HasPrefix(got[i], tc.want[i])
				}
				if !ok {
					t.Errorf("in the order %v there hold %q, want %q", perm, got, tc.want)
				}
				slices.Reverse(perm)
			}
		})
	}
}

// What a person gave up stays in history with its end.
func TestC3_WhatIsGivenUpStaysInHistory(t *testing.T) {
	s := newFactStore()
	r := s.runner(t)
	handle(t, r, spoken(t, "a", 1, day0, userSays("I love thrillers.")), spoken(t, "b", 2, day0.AddDate(0, 0, 1), userSays("I don't watch thrillers any more.")))
	old := s.find(func(m *schema.Memory) bool { return m.Predicate == "likes" })
	if len(old) != 1 || old[0].Status != schema.StatusSuperseded || old[0].SupersededBy == "" || !old[0].ValidTo.Equal(day0.AddDate(0, 0, 1)) {
		t.Errorf("%+v", old)
	}
}
