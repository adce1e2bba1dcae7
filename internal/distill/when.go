package distill

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
)

// span says how wide a time expression is.
type span uint8

const (
	spanInstant span = iota + 1
	spanDay
	spanWeek
	spanMonth
	spanYear
)

// when is a time expression in a text, resolved to [from, to) in the speaker's zone.
type when struct {
	start, end int // bytes in the text
	from, to   time.Time
	span       span
	relative   bool // means nothing without the date of the turn
	by         bool // a limit ("by Friday"), not a date
	since      bool // a beginning ("since 2019")
	bare       bool // names no certain day: a weekday or a weekend alone, which recurs in a rule
}

// note is the date to set beside a relative expression.
func (w when) note() string {
	switch w.span {
	case spanInstant:
		return w.from.Format("2006-01-02 15:04")
	case spanDay:
		return w.from.Format("2006-01-02")
	case spanWeek:
		return w.from.Format("2006-01-02") + "/" + w.to.AddDate(0, 0, -1).Format("01-02")
	case spanMonth:
		return w.from.Format("2006-01")
	}
	return w.from.Format("2006")
}

// clock is what time expressions are resolved against.
type clock struct {
	at   time.Time // when the turn happened, in the speaker's zone
	past bool      // the clause speaks of the past: an open date lies behind
}

// timeRule is a row of the table of time expressions.
type timeRule struct {
	re    *regexp.Regexp
	build built
	rel   bool
	bare  func(m []string) bool // whether the match names no certain day; nil for never
}

// isHan is unicode.Is(unicode.Han, r), at once for most characters.
func isHan(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x2E80 && unicode.Is(unicode.Han, r)
}

var timeIndex = sync.OnceValue(func() *index {
	return indexOf(len(timeRules), func(i int) string { return timeRules[i].re.String() })
})

// eachWords before a time expression say that it recurs.
var eachWords = []string{"每", "每个", "每逢", "每到", "逢", "every", "each", "every other", "every single", "any"}

// findWhens is every time expression in s, from left to right, none overlapping; the earlier row of the table wins.
func findWhens(s string, c clock) []when {
	may := timeIndex().scan(s)
	if may.empty() {
		return nil
	}
	low := strings.ToLower(s)
	if len(low) != len(s) { // lower case of another length: offsets would not fit
		low = s
	}
	var out []when
	for i := may.next(0); i >= 0; i = may.next(i + 1) {
		r := &timeRules[i]
		for _, ix := range r.re.FindAllStringSubmatchIndex(low, 4) {
			if overlaps(out, ix[0], ix[1]) || hasSuffixAny(strings.TrimRight(low[:ix[0]], " "), eachWords...) {
				continue
			}
			m := make([]string, len(ix)/2)
			for i := range m {
				if ix[2*i] >= 0 {
					m[i] = low[ix[2*i]:ix[2*i+1]]
				}
			}
			before, after := strings.TrimRight(low[:ix[0]], " "), strings.TrimLeft(low[ix[1]:], " ")
			from, to, sp, ok := r.build(clock{c.at, c.past || hasSuffixAny(before, "since", "自从")}, m)
			if !ok {
				continue
			}
			w := when{start: ix[0], end: ix[1], from: from, to: to, span: sp, relative: r.rel, bare: r.bare != nil && r.bare(m)}
			w.by = hasSuffixAny(before, "by", "before", "until", "till", "due", "截止到", "截至", "不晚于", "到") ||
				hasPrefixAny(after, "之前", "以前", "前", "截止")
			w.since = hasSuffixAny(before, "since", "from", "自", "自从", "从") || hasPrefixAny(after, "起", "以来", "开始") || strings.HasPrefix(m[0], "since ")
			out = append(out, w)
		}
	}
	slices.SortFunc(out, func(a, b when) int { return a.start - b.start })
	return out
}

func overlaps(ws []when, start, end int) bool {
	for _, w := range ws {
		if start < w.end && w.start < end {
			return true
		}
	}
	return false
}

// annotate is s with the dates of its relative expressions beside them.
func annotate(s string, ws []when, lang string) string {
	var b strings.Builder
	last := 0
	for _, w := range ws {
		if !w.relative {
			continue
		}
		b.WriteString(s[last:w.end])
		if lang == "zh" {
			b.WriteString("（" + w.note() + "）")
		} else {
			b.WriteString(" (" + w.note() + ")")
		}
		last = w.end
	}
	if last == 0 {
		return s
	}
	b.WriteString(s[last:])
	return b.String()
}

func day(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, t.Location())
}

func days(c clock, n int) (time.Time, time.Time, span, bool) {
	d := day(c.at).AddDate(0, 0, n)
	return d, d.AddDate(0, 0, 1), spanDay, true
}

// monday is the first day of the week of t; weeks begin on Monday.
func monday(t time.Time) time.Time {
	return day(t).AddDate(0, 0, -(int(t.Weekday())+6)%7)
}

func week(c clock, n int) (time.Time, time.Time, span, bool) {
	m := monday(c.at).AddDate(0, 0, 7*n)
	return m, m.AddDate(0, 0, 7), spanWeek, true
}

func month(c clock, n int) (time.Time, time.Time, span, bool) {
	y, m, _ := c.at.Date()
	f := time.Date(y, m+time.Month(n), 1, 0, 0, 0, 0, c.at.Location())
	return f, f.AddDate(0, 1, 0), spanMonth, true
}

func year(c clock, n int) (time.Time, time.Time, span, bool) {
	f := time.Date(c.at.Year()+n, 1, 1, 0, 0, 0, 0, c.at.Location())
	return f, f.AddDate(1, 0, 0), spanYear, true
}

// weekday is the day wd (0 Monday … 6 Sunday) of the week n from now; without a week (bare) it is the next one, or
// the last one where the clause speaks of the past.
func weekday(c clock, wd, n int, bare bool) (time.Time, time.Time, span, bool) {
	d := monday(c.at).AddDate(0, 0, wd+7*n)
	if bare {
		today := day(c.at)
		switch {
		case c.past && d.After(today):
			d = d.AddDate(0, 0, -7)
		case !c.past && d.Before(today):
			d = d.AddDate(0, 0, 7)
		}
	}
	return d, d.AddDate(0, 0, 1), spanDay, true
}

// date is a calendar day; without a year it is the one nearest to the turn, leaning to where the clause looks.
func date(c clock, y, m, d int) (time.Time, time.Time, span, bool) {
	if m < 1 || m > 12 || d < 1 || d > 31 {
		return time.Time{}, time.Time{}, 0, false
	}
	given := y != 0
	if !given {
		y = c.at.Year()
	}
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, c.at.Location())
	if t.Day() != d {
		return time.Time{}, time.Time{}, 0, false
	}
	if !given {
		switch gap := t.Sub(day(c.at)); {
		case c.past && gap > 0:
			t = t.AddDate(-1, 0, 0)
		case !c.past && gap < -183*24*time.Hour:
			t = t.AddDate(1, 0, 0)
		}
	}
	return t, t.AddDate(0, 0, 1), spanDay, true
}

func monthOf(c clock, y, m int) (time.Time, time.Time, span, bool) {
	if m < 1 || m > 12 {
		return time.Time{}, time.Time{}, 0, false
	}
	given := y != 0
	if !given {
		y = c.at.Year()
	}
	t := time.Date(y, time.Month(m), 1, 0, 0, 0, 0, c.at.Location())
	if !given {
		switch {
		case c.past && t.After(c.at):
			t = t.AddDate(-1, 0, 0)
		case !c.past && t.AddDate(0, 1, 0).Before(c.at):
			t = t.AddDate(1, 0, 0)
		}
	}
	return t, t.AddDate(0, 1, 0), spanMonth, true
}

// later is n units after the turn (before it where n is negative).
func later(c clock, n int, unit string) (time.Time, time.Time, span, bool) {
	switch unit {
	case "minute", "hour":
		d := time.Duration(n) * time.Hour
		if unit == "minute" {
			d = time.Duration(n) * time.Minute
		}
		t := c.at.Add(d)
		return t, t, spanInstant, true
	case "day":
		return days(c, n)
	case "week":
		return days(c, 7*n)
	case "month":
		return days2(day(c.at).AddDate(0, n, 0))
	}
	return year(c, n)
}

func days2(d time.Time) (time.Time, time.Time, span, bool) {
	return d, d.AddDate(0, 0, 1), spanDay, true
}

// number reads digits, English number words and Chinese numerals below a hundred; 0 for none.
func number(s string) int {
	s = strings.TrimSpace(s)
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	if n, ok := numberWords[s]; ok {
		return n
	}
	n, part := 0, 0
	for _, r := range s {
		i := strings.IndexRune("零一二三四五六七八九", r)
		switch {
		case r == '两':
			part = 2
		case r == '十':
			n += max(part, 1) * 10
			part = 0
		case i >= 0:
			part = i / len("零")
		default:
			return 0
		}
	}
	return n + part
}

var numberWords = map[string]int{
	"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
	"ten": 10, "eleven": 11, "twelve": 12, "a couple of": 2, "半": 0,
}

func hasSuffixAny(s string, ends ...string) bool {
	for _, e := range ends {
		if strings.HasSuffix(s, e) {
			return true
		}
	}
	return false
}

func hasPrefixAny(s string, starts ...string) bool {
	for _, p := range starts {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

func containsAny(s string, subs ...string) bool {
	for _, x := range subs {
		if strings.Contains(s, x) {
			return true
		}
	}
	return false
}
