package text

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// dateISO is the end of 2026-11-30, 2026/11/30, 2026.11.30, with a time after T or a space, or of 2026-11.
func dateISO(s string, i int) int {
	y, k := digitsAt(s, i, 4, 4)
	if k == i || y < 1000 || y > 2999 {
		return i
	}
	sep := byteAt(s, k)
	if sep != '-' && sep != '/' && sep != '.' {
		return i
	}
	m, k2 := digitsAt(s, k+1, 1, 2)
	if k2 == k+1 || m < 1 || m > 12 {
		return i
	}
	if byteAt(s, k2) != sep || !isDigit(byteAt(s, k2+1)) {
		if sep == '-' && k2 == k+3 && !isAlnum(byteAt(s, k2)) && byteAt(s, k2) != '-' {
			return k2
		}
		return i
	}
	d, k3 := digitsAt(s, k2+1, 1, 2)
	if k3 == k2+1 || d < 1 || d > 31 {
		return i
	}
	if c := byteAt(s, k3); c == 'T' || c == 't' || c == ' ' {
		if end := clock(s, k3+1); end > k3+1 {
			return end
		}
	}
	if isLetter(byteAt(s, k3)) || byteAt(s, k3) == '-' && isAlnum(byteAt(s, k3+1)) {
		return i
	}
	return k3
}

// clock is the end of 10:30, 10:30:05.123Z, 10:30 pm, 3点半, 15时20分, 3pm.
func clock(s string, i int) int {
	h, k := digitsAt(s, i, 1, 2)
	if k == i || h > 24 {
		return i
	}
	if byteAt(s, k) == ':' {
		m, k2 := digitsAt(s, k+1, 2, 2)
		if k2 == k+1 || m > 59 {
			return i
		}
		if byteAt(s, k2) == ':' {
			if sec, k3 := digitsAt(s, k2+1, 2, 2); k3 > k2+1 && sec < 61 {
				k2 = k3
				if c := byteAt(s, k2); (c == '.' || c == ',') && isDigit(byteAt(s, k2+1)) {
					for k2++; isDigit(byteAt(s, k2)) && k2-k3 < 12; k2++ {
					}
				}
			}
		}
		return zone(s, k2)
	}
	if end := ampm(s, k); end > k && h <= 12 {
		return end
	}
	rest := s[k:]
	for _, w := range []string{"点", "时", "點", "時"} {
		if !strings.HasPrefix(rest, w) {
			continue
		}
		e := k + len(w)
		for _, t := range []string{"半", "整", "钟", "鐘", "一刻", "三刻", "多", "左右"} {
			if strings.HasPrefix(s[e:], t) {
				return e + len(t)
			}
		}
		if m, k2 := digitsAt(s, e, 1, 2); k2 > e && m < 60 {
			for _, t := range []string{"分钟", "分"} {
				if strings.HasPrefix(s[k2:], t) && t == "分" {
					return k2 + len(t)
				}
			}
			return k2
		}
		for _, before := range []string{"午", "上", "晨", "晚", "早"} { // 下午3点, 晚上8点
			if strings.HasSuffix(s[:i], before) {
				return e
			}
		}
	}
	return i
}

func ampm(s string, k int) int {
	j := k
	if byteAt(s, j) == ' ' {
		j++
	}
	c, m := byteAt(s, j)|0x20, byteAt(s, j+1)|0x20
	if (c == 'a' || c == 'p') && m == 'm' && !isAlnum(byteAt(s, j+2)) {
		return j + 2
	}
	return k
}

// zone is the end of what may follow a time: Z, +08:00, am, pm.
func zone(s string, k int) int {
	if c := byteAt(s, k); (c == 'Z' || c == 'z') && !isAlnum(byteAt(s, k+1)) {
		return k + 1
	} else if c == '+' || c == '-' {
		if _, k2 := digitsAt(s, k+1, 2, 2); k2 > k+1 && byteAt(s, k2) == ':' {
			if _, k3 := digitsAt(s, k2+1, 2, 2); k3 > k2+1 {
				return k3
			}
		} else if _, k4 := digitsAt(s, k+1, 4, 4); k4 > k+1 {
			return k4
		}
	}
	return ampm(s, k)
}

// dateChinese is the end of 2026年11月30日, 2026年11月, 11月30日, 11月30号, 26年.
func dateChinese(s string, i int) int {
	v, k := digitsAt(s, i, 1, 4)
	if k == i {
		return i
	}
	end := i
	if strings.HasPrefix(s[k:], "年") && (k-i == 4 || k-i == 2) {
		end = k + len("年")
		if k-i == 2 { // 26年 alone may be a duration
			end = i
		}
		m, k2 := digitsAt(s, k+len("年"), 1, 2)
		if k2 == k+len("年") || m < 1 || m > 12 || !strings.HasPrefix(s[k2:], "月") {
			return end
		}
		return dayChinese(s, k2+len("月"))
	}
	if v >= 1 && v <= 12 && k-i <= 2 && strings.HasPrefix(s[k:], "月") {
		return dayChinese(s, k+len("月"))
	}
	if v >= 1 && v <= 31 && k-i <= 2 {
		for _, w := range []string{"日", "号", "號"} {
			if strings.HasPrefix(s[k:], w) {
				next, _ := utf8.DecodeRuneInString(s[k+len(w):])
				if w != "日" && strings.ContainsRune("楼线门机馆厅院店桌房文码库车球", next) {
					return i
				}
				return k + len(w)
			}
		}
	}
	return i
}

func dayChinese(s string, k int) int {
	d, k2 := digitsAt(s, k, 1, 2)
	if k2 == k || d < 1 || d > 31 {
		return k
	}
	for _, w := range []string{"日", "号", "號"} {
		if strings.HasPrefix(s[k2:], w) {
			return k2 + len(w)
		}
	}
	return k
}

var months = [...]string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}

// monthAt reads an English month name (or its first three letters, or Sept) at i, written with a capital.
func monthAt(s string, i int) (m, end int) {
	c := byteAt(s, i)
	if c < 'A' || c > 'S' || i > 0 && isAlnum(s[i-1]) {
		return 0, i
	}
	k := i
	for k < len(s) && k-i < 10 && isLetter(s[k]) {
		k++
	}
	if k-i < 3 || isLetter(byteAt(s, k)) {
		return 0, i
	}
	w := strings.ToLower(s[i:k])
	for n, name := range months {
		if w == name || w == name[:3] || w == "sept" && n == 8 {
			if w != name && byteAt(s, k) == '.' {
				k++
			}
			return n + 1, k
		}
	}
	return 0, i
}

// dateEnglish is the end of Nov 30, November 30th, 2026, 30 November 2026, November 2026.
func dateEnglish(s string, i int) int {
	_, end, ok := parseEnglish(s, i)
	if !ok {
		return i
	}
	return end
}

type ymd struct{ y, m, d int }

func parseEnglish(s string, i int) (date ymd, end int, ok bool) {
	if isDigit(s[i]) {
		d, k := digitsAt(s, i, 1, 2)
		if k == i || d < 1 || d > 31 {
			return date, i, false
		}
		k = ordinal(s, k)
		if byteAt(s, k) != ' ' {
			return date, i, false
		}
		k++
		if strings.HasPrefix(s[k:], "of ") {
			k += 3
		}
		m, k2 := monthAt(s, k)
		if k2 == k {
			return date, i, false
		}
		date.d, date.m = d, m
		date.y, end = yearAfter(s, k2)
		return date, end, true
	}
	m, k := monthAt(s, i)
	if k == i || byteAt(s, k) != ' ' {
		return date, i, false
	}
	date.m = m
	if y, k2 := digitsAt(s, k+1, 4, 4); k2 > k+1 && y >= 1000 && y < 3000 && !isAlnum(byteAt(s, k2)) {
		date.y = y
		return date, k2, true
	}
	d, k2 := digitsAt(s, k+1, 1, 2)
	if k2 == k+1 || d < 1 || d > 31 {
		return date, i, false
	}
	date.d = d
	k2 = ordinal(s, k2)
	if isAlnum(byteAt(s, k2)) || byteAt(s, k2) == ':' || byteAt(s, k2) == '%' {
		return date, i, false
	}
	date.y, end = yearAfter(s, k2)
	return date, end, true
}

func ordinal(s string, k int) int {
	if k+2 <= len(s) {
		switch strings.ToLower(s[k : k+2]) {
		case "st", "nd", "rd", "th":
			if !isAlnum(byteAt(s, k+2)) {
				return k + 2
			}
		}
	}
	return k
}

func yearAfter(s string, k int) (y, end int) {
	j := k
	if byteAt(s, j) == ',' {
		j++
	}
	if byteAt(s, j) != ' ' {
		return 0, k
	}
	y, e := digitsAt(s, j+1, 4, 4)
	if e == j+1 || y < 1000 || y > 2999 || isAlnum(byteAt(s, e)) {
		return 0, k
	}
	return y, e
}

// parseDate reads the calendar date out of a date span of any form; zero fields are not stated.
func parseDate(s string) ymd {
	s = strings.Map(narrowRune, s)
	if d, _, ok := parseEnglish(s, 0); ok {
		return d
	}
	var v [3]int
	n, k := 0, 0
	var marks [3]string
	for k < len(s) && n < 3 {
		x, e := digitsAt(s, k, 1, 4)
		if e == k {
			break
		}
		v[n] = x
		if e < len(s) {
			_, size := utf8.DecodeRuneInString(s[e:])
			marks[n] = s[e : e+size]
			e += size
		}
		n++
		k = e
	}
	switch marks[0] {
	case "年":
		if v[0] < 100 {
			v[0] += 2000
		}
		return ymd{v[0], v[1], v[2]}
	case "月":
		return ymd{0, v[0], v[1]}
	case "日", "号", "號":
		return ymd{0, 0, v[0]}
	}
	return ymd{v[0], v[1], v[2]}
}

// canonicalDate writes dates of both languages alike: 2026-11-30, 2026-11, 2026, --11-30, --11, ---30 (as XML
// Schema does where parts are missing). A time of day in the span is left out.
func canonicalDate(s string) string {
	d := parseDate(s)
	switch {
	case d.y > 0 && d.m > 0 && d.d > 0:
		return fmt.Sprintf("%04d-%02d-%02d", d.y, d.m, d.d)
	case d.y > 0 && d.m > 0:
		return fmt.Sprintf("%04d-%02d", d.y, d.m)
	case d.y > 0:
		return fmt.Sprintf("%04d", d.y)
	case d.m > 0 && d.d > 0:
		return fmt.Sprintf("--%02d-%02d", d.m, d.d)
	case d.m > 0:
		return fmt.Sprintf("--%02d", d.m)
	case d.d > 0:
		return fmt.Sprintf("---%02d", d.d)
	}
	return ""
}
