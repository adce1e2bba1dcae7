package text

import (
	"regexp"
	"testing"
)

// reTellsWhen says in one expression what [TellsWhen] looks for.
var reTellsWhen = regexp.MustCompile(`(?i)\b(?:yesterday|today|tonight|tomorrow|ago|recently|last|next|this (?:week|weekend|month|year|morning|afternoon|evening|spring|summer|autumn|fall|winter)|` +
	`january|february|march|april|may|june|july|august|september|october|november|december|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:19|20)\d\d|\d{1,2}(?::\d\d|[ap]m)|(?:day|week|month|year|hour|weekday|weekend|night|morning|afternoon|evening)s?|noon|midnight|daily|weekly|monthly|yearly|every)\b|` +
	`昨[天晚日]|前[天晚年]|今[天晚早年日]|明[天晚早年]|后[天年]|去年|上(?:个)?(?:周|月|星期|礼拜|半年)|下(?:个)?(?:周|月|星期|礼拜)|这(?:个)?(?:周|月|星期)|周[一二三四五六日天末]|星期[一二三四五六日天]|礼拜[一二三四五六日天]|` +
	`[\d一二两三四五六七八九十几]+(?:年|月|日|号|天|周|个月|个星期|点)|每[天周月年晚早]|[夜早晚中日]班|中午|半夜|午夜|最近|刚才|刚刚|上午|下午|凌晨|早上|晚上`)

func FuzzTellsWhen(f *testing.F) {
	for _, s := range []string{
		"We met this  week", "this week", "This Weekends", "lastly", "a9pm 9PM 21:30 21:300 2019: 12019 19_20", "in May_", "二十号楼", "3个月", "v3月", "上半年", "上个半年", "每天", "\xff昨天", "昨", "几点", "周八", "wednesdays", "Wednesdayss", "this", "this ", "x this fall",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range s {
			if r == '\u017f' || r == '\u212a' { // which the expression takes for s and k
				t.Skip()
			}
		}
		if got, want := TellsWhen(s), reTellsWhen.MatchString(Simplify(s)); got != want {
			t.Errorf("TellsWhen(%q) = %v, want %v", s, got, want)
		}
	})
}

func BenchmarkTellsWhen(b *testing.B) {
	const s = "The ladder stands in the shed behind the house, and the cat of number 12 sleeps on it. 梯子在棚子里，猫睡在上面。"
	b.Run("scan", func(b *testing.B) {
		for b.Loop() {
			TellsWhen(s)
		}
	})
	b.Run("expression", func(b *testing.B) {
		for b.Loop() {
			reTellsWhen.MatchString(Simplify(s))
		}
	})
}
