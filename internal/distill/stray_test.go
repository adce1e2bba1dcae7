package distill

import (
	"slices"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// What a sentence tells of a journey, an animal or a machine is no fact of who tells it.
func TestStray_FactsAreOfWhomTheyAreToldOf(t *testing.T) {
	for _, c := range []struct{ said, not, still string }{
		{"下个月去大连出差，住中山广场的假日酒店", "lives_in", "plans"},
		{"暑假带爸妈去桂林玩，住阳朔", "lives_in", ""},
		{"我一直住在宁波，偶尔去上海开会", "", "lives_in"},
		{"公司派我去西安出差，结果我就搬到西安住了", "", ""},
		{"养了条柯基，两岁半了，皮肤不好", "age", ""},
		{"对门邻居养了只猫，八岁了", "age", ""},
		{"孩子三岁了，有哮喘", "health", ""},
		{"我今年三十四岁，肠胃不好", "", "age"},
		{"消息队列在 10.0.3.7:5672", "states", ""},
		{"爬楼我不行了，膝盖受不了", "dislikes", ""},
		{"我在武汉一家做医疗器械的公司当测试", "works_at", ""},
		{"I live in a hotel at the moment.", "lives_in", ""},
		{"I live in Leeds.", "", "lives_in"},
		{"We had a barbecue by the canal.", "plans", ""},
	} {
		var got []string
		for _, f := range readText(t, schema.SegInput, c.said).Facts {
			if f.Subject == "user" {
				got = append(got, f.Predicate)
			}
		}
		if c.not != "" && slices.Contains(got, c.not) {
			t.Errorf("%s: read %v, want no %s", c.said, got, c.not)
		}
		if c.still != "" && !slices.Contains(got, c.still) {
			t.Errorf("%s: read %v, want %s", c.said, got, c.still)
		}
	}
}

func TestStray_StillThenIsOver(t *testing.T) {
	for _, f := range readText(t, schema.SegInput, "我前年还很喜欢钓鱼").Facts {
		if f.Predicate == "likes" && f.ValidTo.IsZero() {
			t.Errorf("%q holds still", f.Content)
		}
	}
}

// A sentence that is not to be kept leaves no fact.
func TestPrivate_WhatIsNotToBeKeptIsNoFact(t *testing.T) {
	for _, s := range []string{
		"我的门禁卡尾号是 5519，这个不要记", "我姓欧阳，不用帮我记下来。",
		"My locker is number 88, don't save that.", "My salary is 4,200 euros, but that's off the record.",
	} {
		if got := readText(t, schema.SegInput, s).Facts; len(got) > 0 {
			t.Errorf("%q left %q", s, got[0].Content)
		}
	}
	for _, s := range []string{"别忘记我对花生过敏", "My locker is number 88. Please remember that."} {
		if got := readText(t, schema.SegInput, s).Facts; len(got) == 0 {
			t.Errorf("%q left nothing", s)
		}
	}
}

// What somebody else likes guides no answer: it is a fact, and has no place among the user's preferences.
func TestPreferencesAreTheSpeakers(t *testing.T) {
	for said, want := range map[string]schema.Type{
		"My colleague Ines hates early meetings.": schema.TypeFact, "I hate early meetings.": schema.TypePreference,
		"我妈喜欢听越剧": schema.TypeFact, "我喜欢听越剧": schema.TypePreference,
	} {
		found := false
		for _, f := range readText(t, schema.SegInput, said).Facts {
			if f.Predicate == "likes" || f.Predicate == "dislikes" {
				if found = true; f.Type != want {
					t.Errorf("%s: a %s, want a %s", said, f.Type, want)
				}
			}
		}
		if !found {
			t.Errorf("%s: nothing read", said)
		}
	}
}
