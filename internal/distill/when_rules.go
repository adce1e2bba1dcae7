package distill

import (
	"regexp"
	"strings"
	"time"
)

const (
	reNumEn  = `(\d{1,3}|a couple of|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)`
	reDayEn  = `(monday|tuesday|wednesday|thursday|friday|saturday|sunday)`
	reMonEn  = `(january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)`
	reNumZh  = `(\d{1,3}|[一二三四五六七八九十两]{1,3})`
	reWeekZh = `(?:周|星期|礼拜)`
)

type built = func(c clock, m []string) (time.Time, time.Time, span, bool)

func fixed(n int) built {
	return func(c clock, _ []string) (time.Time, time.Time, span, bool) { return days(c, n) }
}

// timeRules is the table of time expressions: longer ones before the shorter ones that they hold. Patterns see
// lower-case text.
var timeRules = []timeRule{
	// Calendar dates.
	{re: regexp.MustCompile(`\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\b`), build: func(c clock, m []string) (time.Time, time.Time, span, bool) {
		return date(c, number(m[1]), number(m[2]), number(m[3]))
	}, rel: false},
	{re: regexp.MustCompile(`\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b`), build: func(c clock, m []string) (time.Time, time.Time, span, bool) {
		return date(c, number(m[3]), number(m[2]), number(m[1]))
	}, rel: false},
	{re: regexp.MustCompile(`\b(\d{1,2})(?:st|nd|rd|th)?(?: of)? ` + reMonEn + `\.?(?:,? (\d{4}))?\b`), build: func(c clock, m []string) (time.Time, time.Time, span, bool) {
		return date(c, number(m[3]), monthNumber(m[2]), number(m[1]))
	}, rel: false},
	{re: regexp.MustCompile(`\b(?:on|by|until|till|before|after|from|since) the (\d{1,2})(?:st|nd|rd|th)(?: of (this|next|last) month)?\b`), build: func(c clock, m []string) (time.Time, time.Time, span, bool) {
		return dayOfMonth(c, number(m[1]), map[string]int{"next": 1, "last": -1}[m[2]], m[2] == "")
	}, rel: true},
	{re: regexp.MustCompile(`\b` + reMonEn + `\.? (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?\b`), build: func(c clock, m []string) (time.Time, time.Time, span, bool) {
		return date(c, number(m[3]), monthNumber(m[1]), number(m[2]))
	}, rel: false},
	{re: regexp.MustCompile(`(?:(\d{4}) ?年 ?)?` + reNumZh + ` ?月 ?` + reNumZh + `(?: ?[日号])?`), build: func(c clock, m []string) (time.Time, time.Time, span, bool) {
		return date(c, number(m[1]), number(m[2]), number(m[3]))
	}, rel: false},
	{re: regexp.MustCompile(`[\p{Han}] ?(\d{1,2})/(\d{1,2})\b`), build: func(c clock, m []string) (time.Time, time.Time, span, bool) {
		return date(c, 0, number(m[1]), number(m[2]))
	}, rel: false},
	{re: regexp.MustCompile(`(上个?|这个?|本|下个?)月 ?` + reNumZh + ` ?[日号]`), build: func(c clock, m []string) (time.Time, time.Time, span, bool) {
		f, _, _, _ := month(c, sideZh(m[1]))
		return date(c, f.Year(), int(f.Month()), number(m[2]))
	}, rel: true},

	// Ends and parts of a month, a week, a year.
	{re: regexp.MustCompile(`\bend of (?:the |this )?(week|month|year)\b`), build: func(c clock, m []string) (time.Time, time.Time, span, bool) {
		var to time.Time
		switch m[1] {
		case "week":
			_, to, _, _ = week(c, 0)
		case "month":
			_, to, _, _ = month(c, 0)
		default:
			_, to, _, _ = year(c, 0)
		}
		return days2(to.AddDate(0, 0, -1))
	}, rel: true},
	{re: regexp.MustCompile(`\b(?:the )?(end of|start of|beginning of|middle of|mid|mid-|early|late) ?-?` + reMonEn + `(?: (\d{4}))?\b`), build: func(c clock, m []string) (time.Time, time.Time, span, bool) {
		f, to, _, ok := monthOf(c, number(m[3]), monthNumber(m[2]))
		switch {
		case !ok:
			return time.Time{}, time.Time{}, 0, false
		case strings.HasPrefix(m[1], "end"):
			return days2(to.AddDate(0, 0, -1))
		case strings.HasPrefix(m[1], "mid"):
			return f.AddDate(0, 0, 10), f.AddDate(0, 0, 20), spanWeek, true
		case m[1] == "late":
			return f.AddDate(0, 0, 20), to, spanWeek, true
		case m[1] == "early":
			return f, f.AddDate(0, 0, 10), spanWeek, true
		}
		return days2(f)
	}, rel: false},
	{re: regexp.MustCompile(`\bchristmas(?: (eve|day))?\b`), build: func(c clock, m []string) (time.Time, time.Time, span, bool) {
		d := 25
		if m[1] == "eve" {
			d = 24
		}
		return date(c, 0, 12, d)
	}, rel: false},
	{re: regexp.MustCompile(`(上个?|这个?|本|下个?)?(月|年)(底|末|初)`), build: func(c clock, m []string) (time.Time, time.Time, span, bool) {
		f, to, _, _ := month(c, sideZh(m[1]))
		if m[2] == "年" {
			f, to, _, _ = year(c, sideZh(m[1]))
		}
		if m[3] == "初" {
			return days2(f)
		}
		return days2(to.AddDate(0, 0, -1))
	}, rel: true},

	// Days.
	{re: regexp.MustCompile(`\bthe day before yesterday\b`), build: fixed(-2), rel: true},
	{re: regexp.MustCompile(`\bthe day after tomorrow\b`), build: fixed(2), rel: true},
	{re: regexp.MustCompile(`\b(?:yesterday(?: morning| afternoon| evening| night)?|last night)\b`), build: fixed(-1), rel: true},
	{re: regexp.MustCompile(`\b(?:today|tonight|this (?:morning|afternoon|evening))\b`), build: fixed(0), rel: true},
	{re: regexp.MustCompile(`\btomorrow(?: morning| afternoon| evening| night)?\b`), build: fixed(1), rel: true},
	{re: regexp.MustCompile(`大前天`), build: fixed(-3), rel: true},
	{re: regexp.MustCompile(`前天|前晚`), build: fixed(-2), rel: true},
	{re: regexp.MustCompile(`昨天(?:早上|上午|中午|下午|晚上|夜里)?|昨晚|昨日|昨夜`), build: fixed(-1), rel: true},
	{re: regexp.MustCompile(`今天(?:早上|上午|中午|下午|晚上|凌晨|夜里)?|今晚|今早|今日`), build: fixed(0), rel: true},
	{re: regexp.MustCompile(`明天(?:早上|上午|中午|下午|晚上|凌晨)?|明早|明晚|明日`), build: fixed(1), rel: true},
	{re: regexp.MustCompile(`大后天`), build: fixed(3), rel: true},
	{re: regexp.MustCompile(`后天(?:早上|上午|中午|下午|晚上)?`), build: fixed(2), rel: true},
	{re: regexp.MustCompile(`刚刚|刚才|\bjust now\b`), build: func(c clock, _ []string) (time.Time, time.Time, span, bool) {
		return c.at, c.at, spanInstant, true
	}, rel: true},

	// Weekdays.
	{re: regexp.MustCompile(`\b(?:(next|this|last|coming) )?` + reDayEn + `\b`), build: func(c clock, m []string) (time.Time, time.Time, span, bool) {
		n := map[string]int{"next": 1, "last": -1}[m[1]]
		return weekday(c, weekdayNumber(m[2]), n, m[1] == "" || m[1] == "coming" || m[1] == "this")
	}, rel: true, bare: noWeekNamed},
	{re: regexp.MustCompile(`(上上|上|这|本|下下|下)个?` + reWeekZh + `([一二三四五六日天末])`), build: func(c clock, m []string) (time.Time, time.Time, span, bool) {
		return weekday(c, weekdayZh(m[2]), sideZh(m[1]), false)
	}, rel: true},
	{re: regexp.MustCompile(reWeekZh + `([一二三四五六日天])`), build: func(c clock, m []string) (time.Time, time.Time, span, bool) {
		return weekday(c, weekdayZh(m[1]), 0, true)
	}, rel: true, bare: always},

	// Distances.
	{re: regexp.MustCompile(`\b(?:in|within) ` + reNumEn + ` (minute|hour|day|week|month|year)s?\b`), build: func(c clock, m []string) (time.Time, time.Time, span, bool) {
		return later(c, number(m[1]), m[2])
	}, rel: true},
	{re: regexp.MustCompile(`\b` + reNumEn + ` (minute|hour|day|week|month|year)s? ago\b`), build: func(c clock, m []string) (time.Time, time.Time, span, bool) {
		return later(c, -number(m[1]), m[2])
	}, rel: true},
	{re: regexp.MustCompile(reNumZh + ` ?(个?小时|天|周|个星期|个礼拜|个月|年)(之?前|以前|之?后|以后)`), build: func(c clock, m []string) (time.Time, time.Time, span, bool) {
		n := number(m[1])
		if n == 0 {
			return time.Time{}, time.Time{}, 0, false
		}
		if strings.Contains(m[3], "前") {
			n = -n
		}
		return later(c, n, unitZh(m[2]))
	}, rel: true},

	{re: regexp.MustCompile(reNumZh + ` ?(个?小时|天|周|个星期|个礼拜|个月)(?:之内|以内|内)`), build: func(c clock, m []string) (time.Time, time.Time, span, bool) {
		return later(c, number(m[1]), unitZh(m[2]))
	}, rel: true},

	// Weeks, months, years.
	{re: regexp.MustCompile(`\b(next|this|last) (week|weekend|month|year)\b`), build: func(c clock, m []string) (time.Time, time.Time, span, bool) {
		n := map[string]int{"next": 1, "last": -1}[m[1]]
		switch m[2] {
		case "week":
			return week(c, n)
		case "weekend":
			f, _, _, _ := weekday(c, 5, n, false)
			return f, f.AddDate(0, 0, 2), spanWeek, true
		case "month":
			return month(c, n)
		}
		return year(c, n)
	}, rel: true},
	{re: regexp.MustCompile(`(上上|上|这|本|下下|下)个?(周末|周|星期|礼拜|月)`), build: func(c clock, m []string) (time.Time, time.Time, span, bool) {
		n := sideZh(m[1])
		switch m[2] {
		case "月":
			return month(c, n)
		case "周末":
			f, _, _, _ := weekday(c, 5, n, false)
			return f, f.AddDate(0, 0, 2), spanWeek, true
		}
		return week(c, n)
	}, rel: true},
	{re: regexp.MustCompile(`周末`), build: func(c clock, _ []string) (time.Time, time.Time, span, bool) {
		f, _, _, _ := weekday(c, 5, 0, true)
		return f, f.AddDate(0, 0, 2), spanWeek, true
	}, rel: true, bare: always},
	{re: regexp.MustCompile(`((?:19|20)\d\d ?年)的?` + reSeasonZh), build: seasonZh, rel: false},
	{re: regexp.MustCompile(`(前年|去年|今年|明年|后年)的?` + reSeasonZh), build: seasonZh, rel: true},
	{re: regexp.MustCompile(`(前年|去年|今年|明年|后年)`), build: func(c clock, m []string) (time.Time, time.Time, span, bool) {
		return year(c, map[string]int{"前年": -2, "去年": -1, "明年": 1, "后年": 2}[m[1]])
	}, rel: true},
	{re: regexp.MustCompile(`\b(last|next|this) ` + reMonEn + `\b`), build: func(c clock, m []string) (time.Time, time.Time, span, bool) {
		f, _, _, ok := monthOf(clock{c.at, m[1] == "last"}, 0, monthNumber(m[2]))
		return f, f.AddDate(0, 1, 0), spanMonth, ok
	}, rel: true},
	{re: regexp.MustCompile(`\b` + reSeasonEn + `(?: of)? ((?:19|20)\d\d)\b`), build: func(c clock, m []string) (time.Time, time.Time, span, bool) {
		return season(c, number(m[2]), m[1])
	}, rel: false},
	{re: regexp.MustCompile(`\b(last|next|this) ` + reSeasonEn + `\b`), build: func(c clock, m []string) (time.Time, time.Time, span, bool) {
		return seasonBeside(c, m[1], m[2])
	}, rel: true},
	{re: regexp.MustCompile(`\b(since|until|till|by) (?:the )?` + reSeasonEn + `\b`), build: seasonSince, rel: true},
	{re: regexp.MustCompile(`\b(?:in|since|until|till|by|from|before|after|of) ` + reMonEn + `(?: (\d{4}))?\b`), build: func(c clock, m []string) (time.Time, time.Time, span, bool) {
		return monthOf(c, number(m[2]), monthNumber(m[1]))
	}, rel: false},
	{re: regexp.MustCompile(`(\d{4}) ?年 ?(\d{1,2}) ?月`), build: func(c clock, m []string) (time.Time, time.Time, span, bool) {
		return monthOf(c, number(m[1]), number(m[2]))
	}, rel: false},
	{re: regexp.MustCompile(`\b(?:in|since|until|from|before|after) ((?:19|20)\d\d)\b`), build: yearOf, rel: false},
	{re: regexp.MustCompile(`((?:19|20)\d\d) ?年`), build: yearOf, rel: false},
	{re: regexp.MustCompile(reNumZh + ` ?月份?`), build: func(c clock, m []string) (time.Time, time.Time, span, bool) {
		return monthOf(c, 0, number(m[1]))
	}, rel: false},
	{re: regexp.MustCompile(reNumZh + ` ?号`), build: func(c clock, m []string) (time.Time, time.Time, span, bool) {
		return dayOfMonth(c, number(m[1]), 0, true)
	}, rel: true},
}

// dayOfMonth is day d of the month n from now; without a month (bare) it is the next such day, or the last one where the
// clause speaks of the past.
func dayOfMonth(c clock, d, n int, bare bool) (time.Time, time.Time, span, bool) {
	if d < 1 || d > 31 {
		return time.Time{}, time.Time{}, 0, false
	}
	f, _, _, _ := month(c, n)
	if gap := d - c.at.Day(); bare && c.past && gap > 0 {
		f = f.AddDate(0, -1, 0)
	} else if bare && !c.past && gap < 0 {
		f = f.AddDate(0, 1, 0)
	}
	return days2(f.AddDate(0, 0, d-1))
}

// A weekday or a weekend alone names no certain day; one of a named week does.
func always([]string) bool        { return true }
func noWeekNamed(m []string) bool { return m[1] == "" }

func yearOf(c clock, m []string) (time.Time, time.Time, span, bool) {
	f := time.Date(number(m[1]), 1, 1, 0, 0, 0, 0, c.at.Location())
	return f, f.AddDate(1, 0, 0), spanYear, true
}

func monthNumber(s string) int {
	for i, p := range []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"} {
		if strings.HasPrefix(s, p) {
			return i + 1
		}
	}
	return 0
}

func weekdayNumber(s string) int {
	for i, p := range []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"} {
		if strings.HasPrefix(s, p) {
			return i
		}
	}
	return 0
}

func weekdayZh(s string) int {
	if s == "天" {
		return 6
	}
	if s == "末" {
		return 5
	}
	return strings.Index("一二三四五六日", s) / len("一")
}

// sideZh is how far 上, 这, 下 lie from now.
func sideZh(s string) int {
	switch {
	case strings.HasPrefix(s, "上上"):
		return -2
	case strings.HasPrefix(s, "上"):
		return -1
	case strings.HasPrefix(s, "下下"):
		return 2
	case strings.HasPrefix(s, "下"):
		return 1
	}
	return 0
}

func unitZh(s string) string {
	switch {
	case strings.Contains(s, "小时"):
		return "hour"
	case strings.Contains(s, "天"):
		return "day"
	case strings.Contains(s, "周"), strings.Contains(s, "星期"), strings.Contains(s, "礼拜"):
		return "week"
	case strings.Contains(s, "月"):
		return "month"
	}
	return "year"
}
