package text

import (
	"strings"
	"testing"
)

// What one says in other words has one gist.
func TestC2_GistOfTheSame(t *testing.T) {
	for _, p := range [...][2]string{
		{"I live in Porto.", "i live in porto"},
		{"I'm allergic to peanuts", "I am allergic to peanut"},
		{"Please don't use tables.", "Do not use tables!"},
		{"The staging database runs in Frankfurt", "The staging databases run in Frankfurt."},
		{"On Friday I have to hand in the form.", "I have to hand in the form on Friday."},
		{"Tomorrow I meet Bob", "I meet Bob tomorrow"},
		{"The report is written in Go", "The report is written in Go, really."},
		{"The bread is sliced by a man", "A man slices the bread"},
		{"I have two kids", "I have 2 children"},
		{"Our meeting is at 10:30", "our meeting is at 10:30."},
		{"我目前住在成都。", "我现在居住在成都"},
		{"周五我要交报告。", "我周五要交报告。"},
		{"请你不要用表格。", "您别使用表格"},
		{"我喜歡看電影。", "我喜爱看影片。"},
		{"我的生日是3月3日", "我的生日：03月03日"},
	} {
		if a, b := Gist(p[0]), Gist(p[1]); a != b {
			t.Errorf("%q and %q: %q, %q", p[0], p[1], a, b)
		}
	}
}

// Whatever can turn a statement parts it from others, however near the words are.
func TestC2_GistOfWhatDiffers(t *testing.T) {
	for why, ps := range map[string][][2]string{
		"negation": {{"I eat fish", "I don't eat fish"}, {"Always deploy on Fridays", "Never deploy on Fridays"}, {"There is a man", "There is no man"},
			{"I can swim", "I cannot swim"}, {"我吃鱼", "我不吃鱼"}, {"我去过北京", "我没去过北京"}, {"可以打电话", "别打电话"}},
		"number": {{"door 4", "door 5"}, {"It costs 20 euros", "It costs 200 euros"}, {"I have two cats", "I have three cats"}, {"It is -5 outside", "It is 5 outside"},
			{"我有两只猫", "我有三只猫"}, {"样机先做20台", "样机先做30台"}},
		"date":     {{"due on March 3", "due on March 4"}, {"See you on Monday", "See you on Tuesday"}, {"我周五交", "我周六交"}, {"10月8日发布", "10月9日发布"}},
		"name":     {{"Ask Priya first", "Ask Elena first"}, {"我的经理是周敏", "我的经理是陈涛"}, {"Use C++", "Use C"}, {"My sign is 😀", "My sign is 😂"}},
		"unit":     {{"It weighs 5 kg", "It weighs 5 lb"}, {"16GB", "16MB"}, {"5公里", "5公斤"}, {"5%", "5"}},
		"order":    {{"Bob likes Alice", "Alice likes Bob"}, {"It moved from Leeds to York", "It moved from York to Leeds"}, {"小王喜欢小李", "小李喜欢小王"}},
		"subject":  {{"I live in Porto", "She lives in Porto"}, {"My sister is ill", "My brother is ill"}, {"我住在成都", "他住在成都"}, {"Your port is 80", "My port is 80"}},
		"modality": {{"You may call me", "You must call me"}, {"I can come", "I will come"}, {"I will move to Rome", "I moved to Rome"}, {"我可以来", "我必须来"}, {"我想去北京", "我去北京"}},
		"tense":    {{"I work at Acme", "I worked at Acme"}, {"I was ill", "I am ill"}, {"我去北京", "我去了北京"}},
		"where":    {{"Park before the gate", "Park behind the gate"}, {"Call before lunch", "Call after lunch"}, {"with milk", "without milk"}},
		"question": {{"I live in Porto", "I live in Porto?"}, {"我住在成都", "我住在成都吗？"}},
		"how many": {{"All tests pass", "Some tests pass"}, {"Only Bob may deploy", "Bob may deploy"}},
		"who does": {{"The dog was bitten by the man", "The man was bitten by the dog"}, {"The song was changed by Bob", "Bob changes the song"}},
	} {
		for _, p := range ps {
			if a, b := Gist(p[0]), Gist(p[1]); a == b {
				t.Errorf("%s: %q and %q are both %q", why, p[0], p[1], a)
			}
		}
	}
}

func FuzzGist(f *testing.F) {
	f.Add("I don't like \xff -5 µm 在")
	f.Fuzz(func(t *testing.T, s string) {
		if again := Gist(s); Gist(s) != again {
			t.Error("not a function")
		}
	})
}

func BenchmarkGist(b *testing.B) {
	for b.Loop() {
		Gist("Please don't deploy to the production cluster on Fridays after 17:00 without asking Priya.")
	}
}

func TestThing(t *testing.T) {
	for said, want := range map[string][2]string{
		"watching horror films on Fridays": {"horror film on friday", "film"}, "to eat raw fish": {"raw fish", "fish"}, "a cat called Miso": {"cat call+ed miso", "cat"},
		"two cars": {"2 car", "car"}, "thrillers": {"thriller", "thriller"}, "看恐怖片": {"恐怖片", "恐怖片"}, "喝咖啡": {"咖啡", "咖啡"}, "每天早上喝咖啡": {"咖啡 每天 早上", "咖啡"},
		"一辆车": {"车", "车"}, "一只猫": {"猫", "猫"}, "": {"", ""}, "it": {"it", "it"},
	} {
		words, kind := Thing(said)
		if got := strings.Join(words, " "); got != want[0] || kind != want[1] {
			t.Errorf("%q: %q of the kind %q", said, got, kind)
		}
	}
}
