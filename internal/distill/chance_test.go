package distill

import (
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Where somebody lives and works holds one value: nothing may take its place that is not sure to be one.
func TestChance_NoHomeAndNoEmployerByChance(t *testing.T) {
	readings(t, false, map[string]string{
		"I found a great place in Soho for dinner.":    "",
		"I found a room in Leeds for the night.":       "",
		"I found a flat in Rome for the weekend.":      "",
		"I ended up in Prague last weekend.":           "did ended up in prague last weekend",
		"I ended up in Prague.":                        "",
		"I'm with Sarah on this one.":                  "",
		"I'm with Tom.":                                "",
		"I'm with Tom now.":                            "",
		"I've been with Sarah for eleven years now.":   "",
		"I ended up in Prague for good.":               "lives_in prague",
		"I ended up in Prague and live there now.":     "lives_in prague",
		"I found a flat in Soho.":                      "lives_in soho",
		"I found a place in Brighton and rent it now.": "lives_in brighton",
		"I'm with Siemens as an engineer.":             "works_at siemens",
		"I'm with Barclays, in their risk team.":       "works_at barclays",
		"I've been with Northgate Rail since 2019.":    "works_at northgate rail",
		"I help out at the food bank.":                 "is_doing the food bank",
	})
}

// An allergy is a rule that is in every block: it needs what bodies react to, or a symptom.
func TestChance_NoAllergyWithoutSubstanceOrSymptom(t *testing.T) {
	readings(t, false, map[string]string{
		"I always come in early with coffee.":             "habit come in early with coffee",
		"I'm sensitive to criticism.":                     "",
		"I'm sensitive to noise.":                         "",
		"I react badly to surprises.":                     "",
		"I break out in a sweat when deadlines slip.":     "",
		"I break out in a rash when deadlines slip.":      "",
		"I'm sensitive to gluten.":                        "allergic_to gluten",
		"I'm sensitive to wool.":                          "allergic_to wool",
		"I react badly to penicillin.":                    "allergic_to penicillin",
		"I come out in hives from that-brand plasters.":   "allergic_to that-brand plasters",
		"I break out in a rash whenever I eat shellfish.": "allergic_to i eat shellfish",
		"I swell up when stung by bees.":                  "allergic_to stung by bees",
		"I have an intolerance to lactose.":               "allergic_to lactose",
	})
}

// An illness that a thing or another person of the speaker's is about is not the speaker's.
func TestChance_NoIllnessOfOthers(t *testing.T) {
	readings(t, false, map[string]string{
		"I have to write an essay about depression.": "",
		"I have a friend with diabetes.":             "has a friend with diabetes",
		"I have a book on autism.":                   "has a book on autism",
		"I have a daughter with autism.":             "has a daughter",
		"I deal with depressed people all day.":      "",
		"I have a meeting about anxiety.":            "",
		"I'm afraid of cancer awareness ads.":        "health afraid of cancer awareness ads",
		"I have asthma.":                             "health asthma",
		"I live with chronic back pain.":             "health chronic back pain",
		"I have a mild case of eczema.":              "health case of eczema",
		"I have trouble with insomnia.":              "health trouble with insomnia",
		"I get headaches from red wine.":             "health headaches from red wine",
		"I deal with a lot of anxiety.":              "health a lot of anxiety",
		"I'm severely asthmatic.":                    "health asthmatic",
	})
}

// The same in Chinese: a stay is no home, a visit no employer, and what one writes about no illness.
func TestChance_Zh(t *testing.T) {
	wantObjects(t, map[string][]string{
		"我在布拉格待了三天。":     {},
		"我在苏荷找到一家很棒的餐厅。": {},
		"我去了趟腾讯公司。":      {},
		"我对批评很敏感。":       {},
		"我要写一篇关于抑郁症的论文。": {},
		"我查了一下糖尿病。":      {},
		"我在布拉格生活。":       {"lives_in 布拉格"},
		"我在布拉格待了三年。":     {"lives_in 布拉格"},
		"我入职腾讯公司了。":      {"works_at 腾讯公司"},
		"我对花粉过敏。":        {"allergic_to 花粉"},
		"我有糖尿病。":         {"health 糖尿病"},
		"我得了抑郁症。":        {"health 抑郁症"},
	})
	for _, s := range []string{"我有个朋友有糖尿病。", "我有个会要讲焦虑症。", "我得写抑郁症的报告。", "我上周去了人民医院。", "我在研究癌症。", "我有一本关于自闭症的书。"} {
		for _, m := range readText(t, schema.SegInput, s).Facts {
			if m.Predicate == "health" || m.Predicate == "works_at" {
				t.Errorf("%s: %s %s by %s", s, m.Predicate, m.Object, m.Rule)
			}
		}
	}
}

// A number that begins like a year is a port where it is called one.
func TestLiteral_PortsThatLookLikeYears(t *testing.T) {
	for s, want := range map[string]string{
		"listens on port 8200 since 2024": "8200", "moved to port 2049": "2049", "answers on 9200 now": "9200", "is at vault:8200": "8200", "answers on 10200": "10200",
		"started on 2024": "", "is stuck on 1998": "", "runs at 10:20": "", "runs at 9:45 on port 9000": "9000",
	} {
		if got := portIn(s); got != want {
			t.Errorf("%q: port %q, want %q", s, got, want)
		}
	}
}

// What was so at a time of life that is over is so no longer, wherever that time stands.
func TestOnce_TimesOfALifeAreOver(t *testing.T) {
	for s, want := range map[string]string{
		"我年轻时在上海生活。": "lives_in 上海", "年轻时我住在上海。": "lives_in 上海", "我大学时住在北京。": "lives_in 北京", "大学的时候住在北京。": "lives_in 北京", "我小时候住在厦门。": "lives_in 厦门",
		"我年轻时在华为上班。": "works_at 华为", "我上学时在肯德基打工。": "works_at 肯德基", "大学期间我在腾讯实习。": "works_at 腾讯", "我当年在百度工作。": "works_at 百度",
	} {
		fs := readText(t, schema.SegInput, s).Facts
		if len(fs) != 1 || fs[0].Predicate+" "+fs[0].Object != want || fs[0].ValidTo.IsZero() {
			t.Errorf("%s: %+v, want %s, over", s, fs, want)
		}
	}
	for s, want := range map[string]string{"我在上海生活。": "lives_in 上海", "我在华为上班。": "works_at 华为"} {
		fs := readText(t, schema.SegInput, s).Facts
		if len(fs) != 1 || fs[0].Predicate+" "+fs[0].Object != want || !fs[0].ValidTo.IsZero() {
			t.Errorf("%s: %+v, want %s", s, fs, want)
		}
	}
}

// Expenses are events, each its own: no slot, so that a year of them is not compared with each other, and the same on
// another day is another one.
func TestSpent_EachItsOwn(t *testing.T) {
	read := func(s string, days int) schema.Memory {
		t.Helper()
		env := schema.Envelope{Tenant: "t", User: "u", ID: "e", UUID: "x", At: sunday.AddDate(0, 0, days), Seq: 1}
		fs := Read(schema.Cleaned{Segments: []schema.Segment{segment(schema.SegInput, s)}}, env).Facts
		if len(fs) != 1 {
			t.Fatalf("%s: %+v", s, fs)
		}
		return fs[0]
	}
	for _, s := range []string{"花了79块。", "打车花了45块。", "我加油花了350元。", "话费交了100块。", "今天买书花了88块。", "I spent 79 euros on lunch.", "We spent $300 on dinner.", "I spent £12 on a taxi yesterday."} {
		m, next := read(s, 0), read(s, 1)
		if m.Predicate != "did" || m.Slot != "" {
			t.Errorf("%s: %s %q in slot %q", s, m.Predicate, m.Object, m.Slot)
		}
		if m.Group == next.Group {
			t.Errorf("%s: the same a day later", s)
		}
		if again := read(s, 0); again.Group != m.Group {
			t.Errorf("%s: not the same told again", s)
		}
	}
	for _, s := range []string{"先做100台。", "预算12万元。"} { // what a project has is corrected by telling it again
		if m := read(s, 0); m.Predicate != "amount_of" && m.Predicate != "attribute" || m.Slot == "" {
			t.Errorf("%s: %s %q in slot %q", s, m.Predicate, m.Object, m.Slot)
		}
	}
}
