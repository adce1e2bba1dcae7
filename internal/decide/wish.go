package decide

import (
	"strings"

	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Concerns reports whether m, which its user asked to forget under the name thing at the time of wish, is what was meant:
// it was said before, by no one who is trusted more, and the name stands in what it says. The name of a thing is not the
// end of a longer one ("my email address" is not meant by "my address"), nor its beginning ("my phone number"). With "my"
// or 我的 in front, the speaker's own is meant, and nobody else's.
func Concerns(m *schema.Memory, thing string, wish *schema.Envelope) bool {
	if IsMark(m) || IsShell(m) || m.Status == schema.StatusDeleted || m.Source.Class > schema.ClassUser ||
		m.Source.Seq >= wish.Seq || m.ObservedAt.After(wish.At) {
		return false
	}
	name, mine := strings.CutPrefix(thing, "my ")
	if !mine {
		name, mine = strings.CutPrefix(thing, "我的")
	}
	if mine && !ofSpeaker(m.Subject, name) {
		return false
	}
	if text.Lang(name) == "zh" {
		return concernsZh(text.Fold(m.Content), text.Fold(name), mine)
	}
	return concernsEn(m, name, mine)
}

// ofSpeaker reports whether a statement about subject can be one about the speaker's own thing: its subject is the speaker,
// a group that they speak for, or the thing.
func ofSpeaker(subject, thing string) bool {
	s := text.Fold(subject)
	switch s {
	case "", "user", "we":
		return true
	}
	for _, p := range [...]string{"user's ", "our ", "my ", "the ", "我们的", "我的"} {
		s = strings.TrimPrefix(s, p)
	}
	// kin have English names in both languages: 我的前女友 is "user's ex-girlfriend"; whose thing it is stands in front of it
	return s == text.Fold(thing) || text.Lang(thing) == "zh" && strings.HasPrefix(subject, "user's ")
}

// saidWord is a word of a statement as it is compared.
type saidWord struct {
	low, stem string
	kind      text.Kind
	cut       bool // a mark stands in front
	owns      bool // it ends in 's
}

func saidWords(s string) (out []saidWord) {
	cut := false
	for _, t := range text.Segment(s) {
		if t.Kind == text.KindOther {
			cut = cut || strings.TrimSpace(t.Text) != ""
			continue
		}
		w := saidWord{low: strings.ToLower(t.Text), kind: t.Kind, cut: cut}
		w.stem = w.low
		if g := text.GistWords(t.Text); len(g) == 1 {
			w.stem = g[0]
		}
		w.owns = strings.HasSuffix(w.low, "'s") || strings.HasSuffix(w.low, "’s")
		out = append(out, w)
		cut = false
	}
	return out
}

func concernsEn(m *schema.Memory, thing string, mine bool) bool {
	var name []string
	for _, w := range saidWords(thing) {
		name = append(name, w.stem)
	}
	said := saidWords(m.Content)
next:
	for i := 0; len(name) > 0 && i+len(name) <= len(said); i++ {
		for k := range name {
			if said[i+k].stem != name[k] {
				continue next
			}
		}
		end := i + len(name)
		if begins(said[:i], mine) && (end == len(said) || said[end-1].owns || behind(said[end]) || speaksOf(m.Subject, thing)) {
			return true
		}
	}
	return false
}

// speaksOf reports whether thing is what a statement with this subject is about, whatever verb follows.
func speaksOf(subject, thing string) bool {
	s := strings.TrimPrefix(strings.TrimPrefix(text.Fold(subject), "user's "), "our ")
	return s == text.Fold(thing)
}

// begins reports whether a name can begin behind these words; of a thing of the speaker's only behind "my" and behind what
// one says of what one has.
func begins(front []saidWord, mine bool) bool {
	n := len(front)
	for n > 0 && qualifies[front[n-1].low] {
		n--
	}
	if n > 0 && (front[n-1].low == "my" || front[n-1].low == "our") {
		return true
	}
	if n > 0 && others[front[n-1].low] {
		return false
	}
	for n > 0 && (front[n-1].low == "a" || front[n-1].low == "an" || front[n-1].low == "the" || !mine && front[n-1].low == "this") {
		n--
	}
	if n == 0 {
		return true
	}
	if w := front[n-1]; mine {
		return !w.owns && having[w.stem] && (n == 1 || !somebody[front[n-2].low])
	}
	return !front[n-1].owns && before[front[n-1].stem]
}

// behind reports whether w does not go on with the name in front of it: it is no noun.
func behind(w saidWord) bool {
	return w.cut || w.kind != text.KindWord || text.Lang(w.low) == "zh" || after[w.low] || after[w.stem] || strings.HasSuffix(w.low, "ly")
}

// fields is the set of the words of s.
func fields(s string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		out[w] = true
	}
	return out
}

var (
	// before are the words of a gist behind which the name of a thing begins.
	before = fields("i we you he she they it have had has own get got keep not no some ani everi this in on at to from of with without for about into " +
		"or but and new old former current main onli use like love hate dislik enjoy prefer pay see call visit rent sell buy clean lock open close")
	// having are those behind which it is a thing that one has.
	having = fields("have had has own get got keep rent bought buy sold sell drive drove own+ed rent+ed adopt+ed adopt use")
	// qualifies are words between "my" and a thing.
	qualifies = fields("new old former current present main only own favourite favorite other first second last late dear little big")
	somebody  = fields("you he she they it who")
	others    = fields("his her its their your whose")
	// after are words that follow a name and are no part of it.
	after = fields("is are was were be been am isn't aren't wasn't has have had hasn't doesn't don't didn't does did do will would can could should must may might " +
		"in on at to from of with without for about into by near over under behind beside since until before after during because when while if that which who and or but so as than " +
		"i you he she we they it my our his her their your the a an this every each any no not too also either anymore any now then today tomorrow yesterday tonight again here there last next " +
		"never always often still just ever call+ed named name+ed need cost live like eat run start end begin stay stand broke died die change+ed move+ed")
)

// concernsZh compares by the signs around the name: the dictionary cuts 我的猫叫咪咪 as 猫叫.
func concernsZh(said, name string, mine bool) bool {
	starts, tags := map[int]bool{}, map[int]string{}
	ends := map[int]string{}
	for _, t := range text.Segment(said) {
		starts[t.Start], tags[t.Start], ends[t.End] = true, t.Tag, t.Tag
		if t.Kind != text.KindWord || !t.Han {
			tags[t.Start], ends[t.End] = "x", "x"
		}
	}
	for at := 0; ; {
		i := strings.Index(said[at:], name)
		if i < 0 {
			return false
		}
		i += at
		end := i + len(name)
		at = end
		if beginsZh(said[:i], mine, starts[i] && !strings.HasPrefix(ends[i], "n") && ends[i] != "a" && ends[i] != "b") &&
			(end == len(said) || hasPrefixOf(said[end:], afterZh...) || starts[end] && !strings.HasPrefix(tags[end], "n") && tags[end] != "" && tags[end] != "k") {
			return true
		}
	}
}

func beginsZh(front string, mine, cut bool) bool {
	for _, w := range qualifiesZh {
		if rest, ok := strings.CutSuffix(front, w); ok {
			front, cut = rest, true
			break
		}
	}
	if front == "" || hasSuffixOf(front, mineZh...) {
		return true
	}
	if hasSuffixOf(front, "的", "他", "她", "你", "您", "他们", "她们", "你们", "家") {
		return false // somebody else's
	}
	if !mine {
		return cut
	}
	for _, w := range countersZh {
		front = strings.TrimSuffix(front, w)
	}
	for _, w := range [...]string{"一", "两", "几", "了", "着"} {
		front = strings.TrimSuffix(front, w)
	}
	for _, w := range [...]string{"有", "养", "租", "买", "开"} {
		if rest, ok := strings.CutSuffix(front, w); ok {
			return !hasSuffixOf(rest, "他", "她", "你", "您", "们") || hasSuffixOf(rest, "我们", "咱们")
		}
	}
	return hasSuffixOf(front, "，", "。", "；", ",", ".", ";", " ")
}

var (
	mineZh      = []string{"我的", "我们的", "我", "我们", "咱们", "咱们的", "我家", "我家的", "我们家", "我们家的", "本人", "自己的"}
	qualifiesZh = []string{"旧的", "旧", "老的", "老", "新的", "新", "以前的", "之前的", "原来的", "现在的", "目前的", "当前的", "那个", "这个", "那只", "这只"}
	countersZh  = []string{"只", "个", "辆", "条", "台", "间", "套", "部", "张", "位", "把"}
	afterZh     = []string{"是", "在", "叫", "为", "有", "的", "了", "和", "不", "没", "位于", "改", "换"}
)

func hasPrefixOf(s string, of ...string) bool {
	for _, w := range of {
		if strings.HasPrefix(s, w) {
			return true
		}
	}
	return false
}

func hasSuffixOf(s string, of ...string) bool {
	for _, w := range of {
		if strings.HasSuffix(s, w) {
			return true
		}
	}
	return false
}
