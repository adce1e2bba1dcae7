package text

import (
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
