package text

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Gist is the form in which two statements say the same in other words: what carries meaning, in the order in which it
// is said, and nothing else. Articles, politeness and particles fall away, inflections of number and person and words
// that are the same in any context are brought to one form. Whatever can turn a statement stays and parts it from
// others: negations, modal verbs, tense, prepositions, conditions, numbers, dates, names, units, the subject, and which
// of two names is said first. So to have one gist is an equivalence: it can be a key, and needs no comparing of pairs.
//
// It is made for single statements; of a long text it keeps what [Segment] cuts of the first 256 KiB.
func Gist(text string) string {
	if words := GistWords(text); len(words) > 0 {
		return join(words)
	}
	return Normalize(text) // nothing but function words and marks: kept to the letter
}

// GistWords are the words of a [Gist]; none where nothing in text carries meaning. Where a Chinese text was cut differs.
func GistWords(text string) []string {
	d := Analyze(text)
	g := gist{d: d, words: make([]string, 0, len(d.Tokens))}
	for i := range d.Tokens {
		t := &d.Tokens[i]
		if t.Kind == KindOther {
			g.marks(t.Text, i+1 < len(d.Tokens) && d.Tokens[i+1].Kind != KindWord)
			continue
		}
		g.token(t)
	}
	return unfront(g.active())
}

// join puts words together, Chinese ones without a gap: it does not matter where they were cut.
func join(words []string) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 && (words[i-1][0] < 0x80 || w[0] < 0x80) {
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
	return b.String()
}

// Thing is what a phrase such as "watching horror films on Fridays" is about: its words without the verb of what one does
// with it and without a time in front, and of them the one that names the kind of thing (film); none where nothing is left.
func Thing(phrase string) (words []string, kind string) {
	words = GistWords(phrase)
	for len(words) > 1 && (thingVerbs[words[0]] || gistDays[words[0]]) {
		words = words[1:]
	}
	if len(words) > 0 { // 一辆车 is a car, as "a car" is
		if rest, ok := strings.CutPrefix(words[0], "一"); ok && rest != "" {
			r, n := utf8.DecodeRuneInString(rest)
			switch one := strings.ContainsRune(thingCounters, r); {
			case one && n < len(rest):
				words = append([]string{rest[n:]}, words[1:]...)
			case one && len(words) > 1:
				words = words[1:]
			}
		}
	}
	if len(words) > 0 { // 喝咖啡 is one word of the dictionary
		if r, n := utf8.DecodeRuneInString(words[0]); n > 1 && thingVerbs[string(r)] && utf8.RuneCountInString(words[0]) > 2 {
			words = append([]string{words[0][n:]}, words[1:]...)
		}
	}
	for _, w := range words {
		if kind != "" && (thingEnds[w] || isDayWord(w)) {
			break
		}
		if !isNumber(w) {
			kind = w
		}
	}
	return words, kind
}

// thingCounters are the measure words of things, each one character.
const thingCounters = "辆只个条台部把间套匹本双件架块支头位张对群缸窝箱份杯瓶碗栋所艘顶座"

func isNumber(w string) bool { return strings.Trim(w, "0123456789.,") == "" }

var (
	thingVerbs = set("eat drink watch play read listen to go do use wear buy cook smoke have keep tri see ride drive own ani more some my i we " +
		"看 吃 喝 玩 听 读 抽 用 使用 打 做 逛 学 养 买 穿 开 骑 去 有 我 我们 什么 任何")
	// thingEnds are words behind which a phrase tells how, where and when.
	thingEnds = set("on in at by with without for from to about after befor dure over under near everi call+ed name+ed that who which or becaus when while if 在 和 但")
)

type gist struct {
	d     *Doc
	words []string
	is    int // how many words stood before the last form of "is" that fell away, and one more
}

// maxVoice bounds the words on either side of a passive that is turned: a longer one may hold a clause of its own.
const maxVoice = 4

// active is the words with a passive in the present turned: "bread is sliced by a man" says that a man slices bread.
func (g *gist) active() []string {
	by := slices.Index(g.words, "by")
	verb := by - 1
	if verb < 1 || verb+1 != g.is || verb > maxVoice || len(g.words)-by-1 > maxVoice || by == len(g.words)-1 {
		return g.words
	}
	did, past := strings.CutSuffix(g.words[verb], "+ed")
	if !past || slices.ContainsFunc(g.words, func(w string) bool { return gistTurns[w] }) {
		return g.words
	}
	return slices.Concat(g.words[by+1:], []string{did}, g.words[:verb])
}

// gistTurns are words with which a passive is left as it is: who does it is not what follows "by".
var gistTurns = set("was will can could must may might should would not ? -")

// unfront moves a time with which the words begin, or which follows their first pronoun, to their end: there it may
// stand as well, in both languages.
func unfront(words []string) []string {
	at := 0
	if len(words) > 1 && gistSelves[words[0]] && !isASCII(words[0]) {
		at = 1
	}
	n := at
	if n < len(words) && gistDayPreps[words[n]] {
		n++
	}
	first := n
	for n < len(words) && isDayWord(words[n]) {
		n++
	}
	if n == first || n == len(words) {
		return words
	}
	return slices.Concat(words[:at], words[n:], words[at:n])
}

var (
	gistSelves   = set("i we you he she they it 我 我们 你 你们 他 她 他们 她们")
	gistDayPreps = set("on by befor after sinc until till from everi 在 于")
	gistDays     = set("today tomorrow yesterday tonight monday tuesday wednesday thursday friday saturday sunday weekend morn afternoon even " +
		"今天 明天 后天 昨天 今晚 明晚 早上 上午 中午 下午 晚上 周一 周二 周三 周四 周五 周六 周日 周末 星期一 星期二 星期三 星期四 星期五 星期六 星期日 星期天 每天 每周")
)

// isDayWord reports whether a word of a gist is a time: a day by name, a date or a time of day in canonical form.
func isDayWord(w string) bool {
	if gistDays[w] {
		return true
	}
	if len(w) < 5 || w[0] != '-' && (w[0] < '0' || w[0] > '9') {
		return false
	}
	return strings.Trim(w, "0123456789-:") == "" && strings.ContainsAny(w, "-:")
}

func set(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

func (g *gist) token(t *Token) {
	switch {
	case t.Kind != KindWord:
		g.add(t.Norm)
	case t.Han:
		g.han(t.Norm)
	default:
		g.word(strings.ReplaceAll(t.Norm, "’", "'"))
	}
}

// marks adds the marks in s that tell something: all but white space and punctuation, and a sign before a number.
func (g *gist) marks(s string, number bool) {
	for i, r := range s {
		switch {
		case r == '?' || r == '？':
			g.add("?")
		case r == '-' || r == '−':
			if number && i+utf8.RuneLen(r) == len(s) {
				g.add("-")
			}
		case !unicode.IsSpace(r) && !unicode.IsPunct(r) && !unicode.IsControl(r) || strings.ContainsRune("#%&*/@\\", r):
			g.add(string(r))
		}
	}
}

func (g *gist) add(w string) {
	if n := len(g.words); w == "not" && n > 0 && g.words[n-1] == "do" {
		g.words = g.words[:n-1] // do not, don't
	}
	if w != "" {
		g.words = append(g.words, w)
	}
}

// word adds an English word, or one of any other language that has spaces.
func (g *gist) word(w string) {
	if strings.IndexByte(w, '-') > 0 {
		for p := range strings.SplitSeq(w, "-") {
			g.word(p)
		}
		return
	}
	switch w {
	case "is", "are", "being":
		g.is = len(g.words) + 1
	}
	if one, ok := gistForms[w]; ok {
		for p := range strings.FieldsSeq(one) {
			g.add(p)
		}
		return
	}
	if base, ok := strings.CutSuffix(w, "'s"); ok { // whose it is
		g.add(g.d.stem(base))
		g.add("'s")
		return
	}
	if !isASCII(w) {
		g.add(w)
		return
	}
	s := stemEnglish(w)
	if one, ok := gistForms[s]; ok && one != "" {
		s = one
	}
	if strings.HasSuffix(w, "ed") && s != w { // it was, and may be no more
		s += "+ed"
	}
	g.add(s)
}

// han adds a Chinese word.
func (g *gist) han(w string) {
	if one, ok := gistForms[w]; ok {
		w = one
	}
	g.add(w)
}

// gistForms is the one form of each word that has another; "" for what tells nothing.
var gistForms = func() map[string]string {
	out := map[string]string{}
	for _, row := range gistRows {
		form, words, _ := strings.Cut(row, ":")
		for w := range strings.FieldsSeq(words) {
			out[w] = strings.TrimSpace(form)
		}
	}
	return out
}()

// gistRows are the words of one form, after the form. Only what is the same in every context may stand in a row.
var gistRows = []string{
	": a an the that is are am be been being of and please kindly just really actually simply basically so well oh ok okay hey hi hello",
	": 的 地 得 呢 啊 呀 吧 哦 啦 嘛 哈 嗯 请 麻烦 一下 那个 就是 其实 是",
	"i: i me my mine myself i'm i've im ive",
	"i will: i'll",
	"i would: i'd",
	"we: we us our ours ourselves we're we've",
	"we will: we'll",
	"you: you your yours yourself you're you've u ur",
	"you will: you'll",
	"he: he him his himself he's",
	"she: she her hers herself she's",
	"it: it its itself it's",
	"they: they them their theirs themselves they're they've",
	"not: not no don't doesn't isn't aren't dont doesnt isnt arent",
	"did not: didn't didnt",
	"was not: wasn't weren't wasnt werent",
	"was: was were",
	"can not: can't cannot cant",
	"could not: couldn't couldnt",
	"would not: wouldn't wouldnt",
	"should not: shouldn't shouldnt",
	"will not: won't wont",
	"have not: haven't hasn't havent hasnt",
	"had not: hadn't hadnt",
	"have: have has having",
	"do: do does doing",
	"must not: mustn't mustnt",
	"any more: anymore",
	"1: one", "2: two", "3: three", "4: four", "5: five", "6: six", "7: seven", "8: eight", "9: nine", "10: ten", "11: eleven", "12: twelve",
	"film: movie movi film",
	"big: large larg",
	"start: begin begun start",
	"child: children kids child",
	"woman: women ladi ladies woman", "man: men", "person: people peopl persons",
	"mother: mum mom mama mother", "father: dad daddi papa father",
	"buy: purchas buy", "speak: talk speak", "photo: photograph picture pictur photo",
	"bike: bicycl bike", "tv: televis tv telly", "phone: telephon phone", "someone: somebody someon someone", "car: automobil car",
	"till: until till", "also: also too", "toward: toward towards",
	"你: 您 你", "我们: 咱们 咱 我们", "妈妈: 母亲 老妈 妈妈 妈", "爸爸: 父亲 老爸 爸爸 爸", "现在: 目前 如今 眼下 现在", "电影: 影片 电影",
	"喜欢: 喜爱 喜欢", "使用: 用 使用 采用", "居住: 住 居住", "不要: 别 不要 勿", "必须: 务必 必须", "位于: 坐落 坐落于 位于", "因为: 由于 因为", "和: 与 及 以及 和 跟",
}
