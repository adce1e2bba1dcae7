package text

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// numeric finds what begins with a digit at i: dates, times, hosts, versions, quantities, numbers.
func (sc *scanner) numeric(i int) (int, Kind) {
	s := sc.s
	if i > 0 && (isAlnum(s[i-1]) || s[i-1] == '_') {
		return i, 0
	}
	if end := dateISO(s, i); end > i {
		return end, KindDate
	}
	if end := dateChinese(s, i); end > i {
		return end, KindDate
	}
	if end := dateEnglish(s, i); end > i {
		return end, KindDate
	}
	if end := clock(s, i); end > i {
		return end, KindTime
	}
	ch := s[i:sc.chunkEnd]
	dots, k := 0, 0
	for k < len(ch) && k < 40 && (isDigit(ch[k]) || ch[k] == '.' && isDigit(byteAt(ch, k+1))) {
		if ch[k] == '.' {
			dots++
		}
		k++
	}
	if dots == 3 && ipv4(ch[:k]) {
		if byteAt(ch, k) == ':' || byteAt(ch, k) == '/' {
			n := k + 1
			for n < len(ch) && n < k+6 && isDigit(ch[n]) {
				n++
			}
			if n > k+1 && !isAlnum(byteAt(ch, n)) {
				k = n
			}
		}
		return i + k, KindHost
	}
	if dots >= 2 {
		if n := k + versionTail(ch[k:]); !isAlnum(byteAt(ch, n)) {
			return i + n, KindVersion
		}
	}
	if sc.flags&(hasSlash|hasDot) != 0 {
		if n := sc.matchPath(i, ch); n > 0 {
			return i + n, KindPath
		}
	}
	n := matchNumber(ch)
	end := i + n
	switch next := byteAt(s, end); {
	case next == '%':
		return end + 1, KindQuantity
	case isLetter(next) || next == '_':
		e := end
		for e < len(s) && e-end < 256 && (isAlnum(s[e]) || s[e] == '_') {
			e++
		}
		unit := s[end:e]
		if isUnit(unit) {
			if byteAt(s, e) == '/' && byteAt(s, e+1) == 's' && !isAlnum(byteAt(s, e+2)) {
				e += 2
			}
			return e, KindQuantity
		}
		for e < len(ch)+i && s[e] == '-' && isAlnum(byteAt(s, e+1)) { // 3d-printer, a UUID
			e++
			for e < len(ch)+i && isAlnum(s[e]) {
				e++
			}
		}
		return e, KindIdent
	case next == '-' && dashed(ch[n:]) > 0: // a UUID or a serial number that begins with digits
		return end + dashed(ch[n:]), KindIdent
	case next >= utf8.RuneSelf:
		if u := unitHan(s[end:]); u > 0 {
			return end + u, KindQuantity
		}
		for _, sign := range []string{"℃", "°C", "°F", "°", "‰", "％", "€", "£", "¥", "￥"} {
			if strings.HasPrefix(s[end:], sign) {
				return end + len(sign), KindQuantity
			}
		}
	}
	return end, KindNumber
}

// dashed is the length of "-4f2a-…" groups that hold a letter; 0 for plain number ranges.
func dashed(s string) int {
	k, letters := 0, false
	for k < len(s) && k < 80 && s[k] == '-' && isAlnum(byteAt(s, k+1)) {
		k++
		for k < len(s) && isAlnum(s[k]) {
			letters = letters || isLetter(s[k])
			k++
		}
	}
	if !letters {
		return 0
	}
	return k
}

// matchNumber is the length of a number: digits, thousands groups, one decimal point.
func matchNumber(s string) int {
	k := 0
	for k < len(s) && isDigit(s[k]) {
		k++
	}
	if k == 0 {
		return 0
	}
	if k <= 3 {
		for k+3 < len(s)+0 && s[k] == ',' && isDigit(s[k+1]) && isDigit(s[k+2]) && isDigit(byteAt(s, k+3)) && !isDigit(byteAt(s, k+4)) {
			k += 4
		}
	}
	if k+1 < len(s) && s[k] == '.' && isDigit(s[k+1]) {
		k++
		for k < len(s) && isDigit(s[k]) {
			k++
		}
	}
	return k
}

const unitList = " b kb mb gb tb pb kib mib gib tib bit bits byte bytes kbps mbps gbps bps hz khz mhz ghz ns us ms s sec secs min mins h hr hrs d w mo y yr yrs mm cm dm m km ft in inch mi yd mg g kg t lb lbs oz ml l kl v mv kv w kw mw kwh wh mah ah a ma c f k px pt em rem dpi fps rpm x am pm usd cny rmb eur gbp hkd jpy qps tps rps m2 m3 sqm cal kcal "

func isUnit(u string) bool {
	return len(u) <= 5 && strings.Contains(unitList, " "+strings.ToLower(u)+" ")
}

// hanUnits follow a number and say what it counts; the longest that fits is taken.
var hanUnits = []string{
	"平方公里", "平方米", "立方米", "人民币", "摄氏度", "个小时", "个工作日", "公里", "千米", "厘米", "毫米", "公斤", "千克", "毫克", "毫升", "小时", "分钟", "毫秒", "美元", "欧元", "日元", "港币", "港元", "英镑", "块钱", "个月", "周岁",
	"元", "块", "岁", "斤", "克", "米", "度", "秒", "吨", "升", "天", "周", "倍",
}

// unitHan is the length of a Chinese magnitude and unit at the start of s: 亿, 万元, 公里.
func unitHan(s string) int {
	k := 0
	for strings.HasPrefix(s[k:], "万") || strings.HasPrefix(s[k:], "亿") || strings.HasPrefix(s[k:], "千万") || strings.HasPrefix(s[k:], "百万") {
		_, size := utf8.DecodeRuneInString(s[k:])
		k += size
	}
	for _, u := range hanUnits {
		if strings.HasPrefix(s[k:], u) {
			return k + len(u)
		}
	}
	return k
}

func ipv4(s string) bool {
	n := 0
	for p := range strings.SplitSeq(s, ".") {
		v, err := strconv.Atoi(p)
		if err != nil || v > 255 || len(p) > 3 {
			return false
		}
		n++
	}
	return n == 4
}

// digitsAt reads between lo and hi digits at i; end is i where there are fewer, or more follow.
func digitsAt(s string, i, lo, hi int) (v, end int) {
	k := i
	for k < len(s) && k-i < hi && isDigit(s[k]) {
		v = v*10 + int(s[k]-'0')
		k++
	}
	if k-i < lo || isDigit(byteAt(s, k)) {
		return 0, i
	}
	return v, k
}

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
