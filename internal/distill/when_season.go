package distill

import (
	"strings"
	"time"
)

// Seasons are those of the northern half: the first month of each, in both languages.
const (
	reSeasonEn = `(spring|summer|autumn|fall|winter)`
	reSeasonZh = `(春|夏|秋|冬)[天季]`
)

var seasonStarts = map[string]time.Month{"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12, "春": 3, "夏": 6, "秋": 9, "冬": 12}

// season is the season of a year.
func season(c clock, year int, name string) (from, to time.Time, sp span, ok bool) {
	f := time.Date(year, seasonStarts[name], 1, 0, 0, 0, 0, c.at.Location())
	return f, f.AddDate(0, 3, 0), spanMonth, true
}

// seasonBeside is a season that is named without a year: with "last" the latest that is over, with "since" the latest that
// has begun, with "next" the first that begins, and else that of this year.
func seasonBeside(c clock, side, name string) (from, to time.Time, sp span, ok bool) {
	from, to, sp, ok = season(c, c.at.Year(), name)
	n := 0
	switch {
	case side == "last" && to.After(c.at), side == "since" && from.After(c.at):
		n = -1
	case side == "next" && !from.After(c.at):
		n = 1
	}
	return from.AddDate(n, 0, 0), to.AddDate(n, 0, 0), sp, ok
}

// seasonSince reads "since summer", "until the winter".
func seasonSince(c clock, m []string) (time.Time, time.Time, span, bool) {
	if m[1] == "since" {
		return seasonBeside(c, "since", m[2])
	}
	return seasonBeside(c, "next", m[2])
}

// seasonZh reads 去年春天 and 2021年夏天.
func seasonZh(c clock, m []string) (time.Time, time.Time, span, bool) {
	if n := number(strings.TrimRight(m[1], " 年的")); n > 0 {
		return season(c, n, m[2])
	}
	f, _, _, _ := year(c, map[string]int{"前年": -2, "去年": -1, "明年": 1, "后年": 2}[m[1]])
	return season(c, f.Year(), m[2])
}
