package rows

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// lived publishes a life in both languages: more of every type than a block may hold.
func lived(t *testing.T, c *stacktest.Tenant) {
	t.Helper()
	var turns []schema.Turn
	add := func(format string, words ...string) {
		for _, w := range words {
			x := turn(fmt.Sprintf("l%02d", len(turns)), fmt.Sprintf(format, w), "")
			x.At = day.Add(-time.Duration(len(turns)+1) * 24 * time.Hour)
			x.Conversation = "c-" + itoa(len(turns))
			turns = append(turns, x)
		}
	}
	add("Never deploy the %s service on Fridays.", "billing", "search", "mail", "login", "report", "cache", "queue")
	add("I prefer %s for the garden.", "roses", "tulips", "ferns", "herbs", "moss", "ivy", "palms")
	add("Remind me to water the garden %s by 2027-03-01.", "beds", "pots", "lawn", "hedge", "orchard")
	add("The garden %s listens on port 7411.", "pump", "lamp", "gate", "sensor", "heater", "camera", "sprinkler", "mower", "shed")
	if r := c.PutMany(turns); len(r.Rejected) > 0 {
		t.Fatalf("rejected: %+v", r.Rejected)
	}
	c.Settle()
	got := map[schema.Type]int{}
	for _, it := range c.All(schema.MemoryQuery{User: "ann"}) {
		got[it.Type]++
	}
	if got[schema.TypeConstraint] < 7 || got[schema.TypePreference] < 7 || got[schema.TypeTodoHint] < 5 || got[schema.TypeFact] < 9 {
		t.Fatalf("not enough was distilled to show anything: %v", got)
	}
}

var headingsEN = []string{"【Constraints to keep】", "【User preferences】", "【Facts on the current topic】", "【Open to-dos】"}
var headingsZH = []string{"【必守约束】", "【用户偏好】", "【当前话题相关事实】", "【近期待办】"}

// sections are a typed block's lines by heading; it checks the form on the way.
func sections(t *testing.T, block string, headings []string) map[string][]string {
	t.Helper()
	lines := strings.Split(block, "\n")
	if len(lines) < 4 || lines[0] != "<memory_context>" || lines[len(lines)-1] != "</memory_context>" {
		t.Fatalf("not one block:\n%s", block)
	}
	if strings.HasPrefix(lines[1], "- ") || strings.HasPrefix(lines[1], "【") {
		t.Errorf("there is no intro line:\n%s", block)
	}
	out := map[string][]string{}
	at := -1
	for _, l := range lines[2 : len(lines)-1] {
		switch i := slices.Index(headings, l); {
		case i >= 0 && i <= at:
			t.Errorf("%s is out of order:\n%s", l, block)
		case i >= 0:
			at = i
		case at < 0 || !strings.HasPrefix(l, "- "):
			t.Errorf("a line that belongs nowhere: %q", l)
		default:
			out[headings[at]] = append(out[headings[at]], l)
		}
	}
	for _, h := range headings {
		if strings.Contains(block, h) && len(out[h]) == 0 {
			t.Errorf("%s is empty:\n%s", h, block)
		}
	}
	return out
}

func TestD3_TheSameIsReturnedOnce(t *testing.T) {
	c := tenant(t)
	for i, s := range []string{"Never deploy on Fridays.", "never   deploy on fridays.", "Never deploy on Fridays."} {
		x := turn("t"+itoa(i), s, "")
		x.At, x.Conversation = day.Add(time.Duration(i-9)*24*time.Hour), "c-"+itoa(i)
		c.Put(x)
	}
	c.Put(turn("like", "I prefer charts over tables.", ""))
	// Both paths bring the rule: it stands, and it is asked for.
	r := c.Ask(ask("May I deploy on Fridays?"))
	n, ids, texts := 0, map[string]bool{}, map[string]bool{}
	for _, it := range r.Items {
		said := string(it.Type) + " " + it.Content // two turns said the same words
		if texts[said] {
			t.Errorf("%q is there twice", said)
		}
		texts[said] = true
		if ids[it.ID] {
			t.Errorf("the item %s is there twice", it.ID)
		}
		ids[it.ID] = true
		if it.Type == schema.TypeConstraint {
			n++
		}
	}
	if !texts["episode Never deploy on Fridays."] {
		t.Errorf("the turn itself is not among %v, so nothing is shown", contents(r.Items))
	}
	if n != 1 || !slices.ContainsFunc(r.Items, func(it schema.Item) bool { return it.Type == schema.TypePreference }) {
		t.Errorf("%d constraints in %v", n, contents(r.Items))
	}
	if rules := sections(t, r.Block, headingsEN)[headingsEN[0]]; len(rules) != 1 {
		t.Errorf("the block says the rule %d times:\n%s", len(rules), r.Block)
	}
}

func TestD4_TheScoreIsTheFormula(t *testing.T) {
	c := tenant(t)
	lived(t, c)
	q := ask("garden pump port")
	q.Explain, q.Conversation, q.Limit = true, "c-19", 100
	items := c.Ask(q).Items
	if len(items) < 20 {
		t.Fatalf("only %d items", len(items))
	}
	bonus := map[schema.Type]float64{schema.TypeConstraint: .15, schema.TypePreference: .10, schema.TypeTodoHint: .05}
	same := 0
	for i, it := range items {
		sum := 0.0
		for _, v := range it.Explain.Parts {
			sum += v
		}
		if math.Abs(sum-it.Score) > 1e-9 {
			t.Errorf("the parts add up to %f, the score is %f: %v", sum, it.Score, it.Explain.Parts)
		}
		age := day.Sub(it.ObservedAt).Hours() / 24
		want := map[string]float64{"importance": .35 * it.Importance, "confidence": .30 * it.Confidence, "recency": .20 * math.Exp2(-age/36), "type": bonus[it.Type]}
		if it.Explicit {
			want["explicit"] = .10
		}
		if it.Conversation == "c-19" {
			want["conversation"] = .08
			same++
		}
		for _, part := range []string{"importance", "confidence", "recency", "explicit", "conversation", "type"} {
			if got := it.Explain.Parts[part]; math.Abs(got-want[part]) > 1e-6 {
				t.Errorf("%s of %q is %f, want %f", part, it.Content, got, want[part])
			}
		}
		if i > 0 {
			if p := items[i-1]; p.Score < it.Score || p.Score == it.Score && p.ID < it.ID {
				t.Errorf("%q (%f, %s) stands before %q (%f, %s)", p.Content, p.Score, p.ID, it.Content, it.Score, it.ID)
			}
		}
	}
	if same == 0 || !strings.Contains(items[0].Content, "pump") {
		t.Errorf("%d items of the conversation that asks; first is %q", same, items[0].Content)
	}
	if a := items[0].Explain.Arms["terms"]; a.Rank == 0 || a.Score <= 0 {
		t.Errorf("the arms are not told: %+v", items[0].Explain)
	}
	q.Explain = false
	if it := c.Ask(q).Items[0]; it.Explain != nil {
		t.Error("explained without being asked")
	}
}

func TestD5_EachTypeHasItsBudget(t *testing.T) {
	c := tenant(t)
	lived(t, c)
	q := ask("garden pump lamp gate sensor heater camera sprinkler mower shed port deploy service water")
	in := sections(t, c.Ask(q).Block, headingsEN)
	for i, want := range []int{5, 5, 5, 3} {
		if got := len(in[headingsEN[i]]); got != want {
			t.Errorf("%s has %d lines, want %d", headingsEN[i], got, want)
		}
	}
	// All limits are configuration, and what must be kept is served first.
	for _, x := range []struct {
		name                                 string
		constraints, prefs, facts, todos, of int
		want                                 []int
	}{
		{"each", 2, 1, 4, 1, 18, []int{2, 1, 4, 1}}, {"total", 5, 5, 5, 3, 6, []int{5, 1, 0, 0}}, {"none", 0, 5, 5, 3, 18, []int{0, 5, 5, 3}},
	} {
		cfg := process(c.Stack.Connect(t), "retriever")
		cfg.Inject.Constraints, cfg.Inject.Preferences, cfg.Inject.Facts, cfg.Inject.Todos, cfg.Inject.Total = x.constraints, x.prefs, x.facts, x.todos, x.of
		b := stacktest.Up(t, cfg).As(t, c.Name).Ask(q).Block
		in := sections(t, b, headingsEN)
		for i, want := range x.want {
			if got := len(in[headingsEN[i]]); got != want {
				t.Errorf("%s: %s has %d lines, want %d", x.name, headingsEN[i], got, want)
			}
		}
	}
}

func TestD6_AMemoryIsTakenWholeOrNotAtAllWithinTheTokens(t *testing.T) {
	c := tenant(t)
	lived(t, c)
	long := turn("long", "我在花园里的水泵旁边放了很多工具，"+strings.Repeat("包括铲子、耙子、剪刀和一些旧的花盆，", 12)+"都收在木箱里。", "")
	c.Put(long)
	q := ask("garden pump 花园 水泵")
	q.Lang = "en"
	whole := strings.Split(c.Ask(q).Block, "\n")
	last := -1
	for _, budget := range []int{60, 120, 160, 200, 260, 340, 420, 600, 3000} {
		q.TokenBudget = budget
		b := c.Ask(q).Block
		if n := text.Tokens(b); n > budget {
			t.Errorf("a block of %d tokens for a budget of %d", n, budget)
		}
		lines := 0
		for l := range strings.Lines(b) {
			l = strings.TrimSuffix(l, "\n")
			if strings.HasPrefix(l, "- ") {
				lines++
				// A line that the full block has no room for may move up: it must be whole all the same.
				if !slices.Contains(whole, l) && !strings.HasSuffix(l, ")") {
					t.Errorf("a line is cut: %q", l)
				}
			}
		}
		if lines < last {
			t.Errorf("%d lines for %d tokens, before there were %d for less", lines, budget, last)
		}
		last = lines
	}
	if last < 10 {
		t.Errorf("only %d lines for 3000 tokens", last)
	}
	// The default is 3000 and configuration.
	cfg := process(c.Stack.Connect(t), "retriever")
	cfg.Inject.TokenBudget = 160
	q.TokenBudget = 0
	if b := stacktest.Up(t, cfg).As(t, c.Name).Ask(q).Block; b == "" || text.Tokens(b) > 160 || !strings.Contains(b, "Never deploy") {
		t.Errorf("configured to 160 tokens, the block has %d:\n%s", text.Tokens(b), b)
	}
}

func TestD7_TheBlockIsRenderedInSectionsOrFlat(t *testing.T) {
	c := tenant(t)
	c.Put(
		turn("rule", "以后点外卖一律不要香菜。", ""), turn("like", "我喜欢喝乌龙茶。", ""), turn("fact", "我的车牌号是浙A12345。", ""),
		turn("todo", "提醒我在 2026-12-01 之前给车牌续费。", ""),
	)
	zh := c.Ask(ask("我的车牌号是多少？车牌续费")).Block
	in := sections(t, zh, headingsZH)
	for i, want := range []string{"不要香菜", "乌龙茶", "浙A12345", "续费"} {
		if !slices.ContainsFunc(in[headingsZH[i]], func(l string) bool { return strings.Contains(l, want) }) {
			t.Errorf("%s lacks %s:\n%s", headingsZH[i], want, zh)
		}
	}
	if !strings.Contains(zh, "背景") || !strings.Contains(zh, "不要复述") {
		t.Errorf("the intro does not say that it is background, not to be recited:\n%s", zh)
	}
	en := c.Ask(ask("What is my number plate, 浙A12345?")).Block
	if sections(t, en, headingsEN); !strings.Contains(en, "background") || !strings.Contains(en, "do not recite") {
		t.Errorf("the intro does not say that it is background, not to be recited:\n%s", en)
	}
	q := ask("What is new?")
	q.Lang = "zh"
	if b := c.Ask(q).Block; !strings.Contains(b, headingsZH[0]) || strings.Contains(b, headingsZH[2]) {
		t.Errorf("asked for Chinese, and nothing on the topic is there:\n%s", b)
	}
	q = ask("我的车牌号是多少？")
	q.Render = "flat"
	flat := strings.Split(c.Ask(q).Block, "\n")
	line := regexp.MustCompile(`^\[(constraint|preference|todo_hint|fact|episode)\] \S`)
	if len(flat) < 5 || flat[0] != "<memory_context>" || flat[len(flat)-1] != "</memory_context>" {
		t.Fatalf("flat is %q", flat)
	}
	for _, l := range flat[2 : len(flat)-1] {
		if !line.MatchString(l) {
			t.Errorf("a flat line is %q", l)
		}
	}
	if !slices.ContainsFunc(flat, func(l string) bool { return strings.HasPrefix(l, "[constraint] 以后点外卖一律不要香菜") }) {
		t.Errorf("flat is %q", flat)
	}
	q.Render = "none"
	if r := c.Ask(q); r.Block != "" || len(r.Items) == 0 {
		t.Errorf("rendered nothing: %q with %d items", r.Block, len(r.Items))
	}
}

func TestD8_EachItemCarriesItsTimeAndTheBlockTheConflictRule(t *testing.T) {
	c := tenant(t)
	lived(t, c)
	date := regexp.MustCompile(`20\d\d-\d\d-\d\d`)
	for lang, rule := range map[string]string{"zh": "与当前对话冲突时，以当前对话为准", "en": "Where it conflicts with the current conversation, the current conversation wins"} {
		for _, mode := range []string{"typed_v2", "flat"} {
			q := ask("garden pump port")
			q.Lang, q.Render = lang, mode
			r := c.Ask(q)
			lines := strings.Split(r.Block, "\n")
			if !strings.Contains(lines[1], rule) {
				t.Errorf("%s %s: the intro is %q", lang, mode, lines[1])
			}
			n := 0
			for _, l := range lines[2:] {
				if strings.HasPrefix(l, "- ") || strings.HasPrefix(l, "[") {
					n++
					if !date.MatchString(l[max(0, len(l)-40):]) {
						t.Errorf("%s %s: no time in %q", lang, mode, l)
					}
				}
			}
			if n < 10 {
				t.Errorf("%s %s: only %d lines", lang, mode, n)
			}
			for _, it := range r.Items {
				if it.ObservedAt.IsZero() || it.ObservedAt.After(day) {
					t.Errorf("%q was observed at %s", it.Content, it.ObservedAt)
				}
			}
		}
	}
	// The very day on which it was said, in the zone of the one who asks.
	x := turn("night", "The night train was late.", "")
	x.At = time.Date(2026, 8, 20, 23, 30, 0, 0, time.UTC)
	c.Put(x)
	q := ask("night train late")
	q.Now = day.In(time.FixedZone("", 8*3600))
	if b := c.Ask(q).Block; !strings.Contains(b, "night train was late.” (2026-08-21") {
		t.Errorf("east of it the day is another:\n%s", b)
	}
}

func TestD10_AnEmptySearchSaysThatNothingIsRecorded(t *testing.T) {
	c := tenant(t)
	for q, want := range map[string]string{"What is my blood type?": "which does not mean that it is not so", "我的血型是什么？": "没有记录不等于没有这回事"} {
		r := c.Ask(ask(q))
		if len(r.Items) > 0 || r.Block != "" || !strings.Contains(r.Hint, want) {
			t.Errorf("%s is answered with %v, block %q, hint %q", q, contents(r.Items), r.Block, r.Hint)
		}
	}
	c.Put(turn("rule", "Never deploy on Fridays.", ""))
	if r := c.Ask(ask("What is my blood type?")); !strings.Contains(r.Hint, "nothing") && !strings.Contains(r.Hint, "Nothing") || !strings.Contains(r.Block, "Fridays") {
		t.Errorf("only a rule stands: hint %q, block\n%s", r.Hint, r.Block)
	}
	if r := c.Ask(ask("May I deploy on Fridays?")); r.Hint != "" {
		t.Errorf("something is recorded, yet the hint is %q", r.Hint)
	}
}
