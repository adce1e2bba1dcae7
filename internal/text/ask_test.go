package text

import "testing"

func TestAsks(t *testing.T) {
	for s, want := range map[string]bool{
		"Where do you keep the ladder?": true, "“Where is it?”": true, "Really?! 😀": true, "What is that? [image: a red boat]": true, "看到了吗？【图片】": true,
		"梯子放在哪里？": true, "你吃饭了吗": true, "那你呢": true, "Is it here? In the shed.": false, "In the shed.": false, "在棚子里。": false, "": false, "?": true, "[note]": false,
		"Where is it?\nIn the shed.": false,
	} {
		if got := Asks(s); got != want {
			t.Errorf("Asks(%q) = %v", s, got)
		}
	}
}

func TestWhen(t *testing.T) {
	for s, want := range map[string]bool{
		"When did Ana move to Porto?": true, "On what date is the review?": true, "Which year did they meet?": true, "How long ago was that?": true, "since when?": true,
		"安娜什么时候搬到波尔图的？": true, "体检是几号？": true, "是哪一年认识的？": true, "開會是什麼時候？": true,
		"What does she eat when she is ill?": false, "Who came to dinner?": false, "她生病时吃什么？": false, "谁来吃晚饭了？": false,
	} {
		if got := AsksWhen(s); got != want {
			t.Errorf("AsksWhen(%q) = %v", s, got)
		}
	}
	for s, want := range map[string]bool{
		"We moved last week.": true, "The review is on 12 March.": true, "I met him two years ago.": true, "He left in 2019.": true, "It starts at 9pm": true, "on Friday": true,
		"上周末我们搬了家。": true, "上個禮拜我們搬了家。": true, "评审在三月十二日。": true, "我昨天见到他了。": true, "他是2019年走的。": true,
		"The ladder is in the shed.": false, "The cat of number 12 is grey.": false, "She works nights.": true, "We sing on Sundays.": true, "他上夜班。": true, "梯子在棚子里。": false, "她喜欢绿茶。": false,
	} {
		if got := TellsWhen(s); got != want {
			t.Errorf("TellsWhen(%q) = %v", s, got)
		}
	}
}
