package distill

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/siltstone-ai/siltstone/internal/text"
)

// reGapZh are the spaces with which many part clauses in chats: 今年刚满三十四 还没结婚.
var reGapZh = regexp.MustCompile(`(\p{Han}|[A-Za-z0-9])([ \t])(\p{Han})`)

// plainZh is a Chinese sentence as rules see it: in simplified characters, and with commas where spaces part clauses. It has
// a rune for each of s, so that what rules read can be shown as it was written.
func plainZh(s string) string {
	p := text.Simplify(s)
	if strings.ContainsAny(p, " \t") && !strings.ContainsAny(p, "，,；") {
		for _, ix := range reGapZh.FindAllStringSubmatchIndex(p, -1) {
			if before := []rune(p[:ix[4]]); isHan(before[len(before)-1]) && len(before) > 3 && reGapAheadZh.match(p[ix[5]:]) {
				p = p[:ix[4]] + "," + p[ix[5]:]
			}
		}
	}
	if utf8.RuneCountInString(p) != utf8.RuneCountInString(s) {
		return s
	}
	return p
}

// reGapAheadZh begins a clause.
var reGapAheadZh = gated(`^(?:早上|上午|中午|下午|晚上|凌晨|\d{1,2}点|所以|我|家里|老婆|老公|还没|没|已经|现在|以前|今年|明年|去年|每天|平时|周[一二三四五六日末]|下周|上周|最近|不|别|请|以后|而且|但|不过|然后|因为|所以|喜欢|住|在|对|有|是|叫|做|会|想|要|用|从|老家|单身|养了)`)

// asWritten is s, a part of the plain sentence, as it was written, but for spaces between scripts (see closed).
func (r *reader) asWritten(s string) string {
	if r.plain == r.said || s == "" {
		return s
	}
	return closed(r.span(s))
}

// span is the part of the sentence that says s, with the spaces that were written.
func (r *reader) span(s string) string {
	var solid []rune // the plain sentence without spaces
	var at []int     // of each of its runes, the place in the sentence
	for i, c := range []rune(r.plain) {
		if !unicode.IsSpace(c) {
			solid, at = append(solid, c), append(at, i)
		}
	}
	want := []rune(strings.Join(strings.Fields(s), ""))
	for cut := 0; cut <= 4 && cut < len(want); cut++ { // a subject may have been put before it
		i := strings.Index(string(solid), string(want[cut:]))
		if i < 0 {
			continue
		}
		n := utf8.RuneCountInString(string(solid)[:i])
		return string(want[:cut]) + string([]rune(r.said)[at[n]:at[n+len(want)-cut-1]+1])
	}
	return s
}
