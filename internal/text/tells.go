package text

import (
	"strings"
	"unicode/utf8"
)

// What tells a time, beside numbers: words of English, what follows "this", and runs of Chinese by their first character. Times of day, dates
// and spans to or from now are alike here.
var (
	timeWords = set("yesterday today tonight tomorrow ago recently last next january february march april may june july august september october november december " +
		"monday mondays tuesday tuesdays wednesday wednesdays thursday thursdays friday fridays saturday saturdays sunday sundays day days week weeks month months year years " +
		"hour hours weekday weekdays weekend weekends night nights morning mornings afternoon afternoons evening evenings noon midnight daily weekly monthly yearly every")
	timeThis = set("week weekend month year morning afternoon evening spring summer autumn fall winter")

	timeRuns = runsByFirst("昨天 昨晚 昨日 前天 前晚 前年 今天 今晚 今早 今年 今日 明天 明晚 明早 明年 后天 后年 去年 " +
		"上周 上月 上星期 上礼拜 上半年 上个周 上个月 上个星期 上个礼拜 上个半年 下周 下月 下星期 下礼拜 下半年 下个周 下个月 下个星期 下个礼拜 下个半年 " +
		"这周 这月 这星期 这个周 这个月 这个星期 周一 周二 周三 周四 周五 周六 周日 周天 周末 星期一 星期二 星期三 星期四 星期五 星期六 星期日 星期天 " +
		"礼拜一 礼拜二 礼拜三 礼拜四 礼拜五 礼拜六 礼拜日 礼拜天 每天 每周 每月 每年 每晚 每早 夜班 早班 晚班 中班 日班 中午 半夜 午夜 最近 刚才 刚刚 上午 下午 凌晨 早上 晚上")
	timeUnits = strings.Fields("年 月 日 号 天 周 个月 个星期 点")
)

func runsByFirst(words string) map[rune][]string {
	out := map[rune][]string{}
	for _, w := range strings.Fields(words) {
		r, _ := utf8.DecodeRuneInString(w)
		out[r] = append(out[r], w)
	}
	return out
}

// TellsWhen reports whether a text tells a time, by a date or in relation to when it was said. It rather takes a word for a
// time than miss one: "last" and "may" pass.
func TellsWhen(s string) bool {
	s = Simplify(s)
	for i := 0; i < len(s); {
		if wordByte(s[i]) {
			end := i + 1
			for end < len(s) && wordByte(s[end]) {
				end++
			}
			if isDigit(s[end-1]) && hasUnit(s[end:]) || wordTells(s[i:end], s[end:]) {
				return true
			}
			i = end
			continue
		}
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		for _, w := range timeRuns[r] {
			if strings.HasPrefix(s[i:], w) {
				return true
			}
		}
		i += size
		if strings.ContainsRune("一二两三四五六七八九十几", r) && hasUnit(s[i:]) {
			return true
		}
	}
	return false
}

// wordTells reports whether a word tells a time, rest being what follows it.
func wordTells(w, rest string) bool {
	if isDigit(w[0]) {
		return numberTells(w, rest)
	}
	if len(w) > len("wednesdays") {
		return false
	}
	var low [len("wednesdays")]byte
	for i := range len(w) {
		low[i] = w[i] | 0x20 // letters in lower case, others no letters
	}
	if timeWords[string(low[:len(w)])] {
		return true
	}
	if string(low[:len(w)]) != "this" || rest == "" || rest[0] != ' ' {
		return false
	}
	end := 1
	for end < len(rest) && wordByte(rest[end]) {
		end++
	}
	return timeThis[strings.ToLower(rest[1:end])]
}

// numberTells reports whether a word that begins with a digit is a year, or a time of the clock: 2019, 9pm, 21:30.
func numberTells(w, rest string) bool {
	n := 0
	for n < len(w) && isDigit(w[n]) {
		n++
	}
	if n == 4 && len(w) == 4 && (w[:2] == "19" || w[:2] == "20") {
		return true
	}
	if n > 2 {
		return false
	}
	if n < len(w) {
		end := strings.ToLower(w[n:])
		return end == "am" || end == "pm"
	}
	return len(rest) >= 3 && rest[0] == ':' && isDigit(rest[1]) && isDigit(rest[2]) && (len(rest) == 3 || !wordByte(rest[3]))
}

func hasUnit(s string) bool {
	for _, u := range timeUnits {
		if strings.HasPrefix(s, u) {
			return true
		}
	}
	return false
}

func wordByte(c byte) bool { return isAlnum(c) || c == '_' }
