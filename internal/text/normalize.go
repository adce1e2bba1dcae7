package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Normalize is the form in which two statements are the same but for case, white space and punctuation: folded
// ([Fold]), punctuation that only marks the end or width dropped to one form, white space collapsed, and none
// between Chinese and other characters. What carries meaning stays: signs, numbers, units, question marks.
func Normalize(text string) string {
	return squeeze(Fold(Sanitize(text)))
}

// NormalizeTool is [Normalize] for the output of tools, where also what differs from run to run is masked:
// timestamps become <time>, durations <duration>, counters <n> and process ids <pid>. Ports, versions, amounts,
// readings and everything else numeric stay as they are.
func NormalizeTool(text string) string {
	return squeeze(maskTool(Fold(Sanitize(text))))
}

var punctuation = map[rune]rune{
	'，': ',', '、': ',', '。': '.', '．': '.', '！': '!', '？': '?', '；': ';', '：': ':', '（': '(', '）': ')',
	'【': '[', '】': ']', '“': '"', '”': '"', '„': '"', '«': '"', '»': '"', '「': '"', '」': '"', '『': '"', '』': '"',
	'‘': '\'', '’': '\'', '‚': '\'', '–': '-', '—': '-', '―': '-', '‐': '-', '‑': '-', '…': '.', '·': '·', '～': '~',
}

// squeeze collapses white space and unifies punctuation in a folded text.
func squeeze(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	space := false
	var last rune
	for _, r := range s {
		if unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff' || r == '\u00ad' {
			space = space || unicode.IsSpace(r)
			continue
		}
		if p, ok := punctuation[r]; ok {
			r = p
		}
		keep := space && b.Len() > 0 && keepsSpace(last, r)
		if (r == '.' || r == '!') && r == last && !keep { // ... and !!! say no more than one
			space = false
			continue
		}
		if keep {
			b.WriteByte(' ')
		}
		space = false
		b.WriteRune(r)
		last = r
	}
	return strings.TrimRight(b.String(), " .!;,")
}

// keepsSpace reports whether white space between the two says anything: only between two words or numbers, or
// before a sign (a -1 is not a-1).
func keepsSpace(a, b rune) bool {
	if isHan(a) || isHan(b) {
		return false
	}
	wordy := func(r rune) bool { return isWordRune(r) || unicode.Is(unicode.Mn, r) }
	if wordy(a) && wordy(b) {
		return true
	}
	return wordy(a) && strings.ContainsRune("+-$#@./~<", b) || wordy(b) && strings.ContainsRune("%)>", a)
}

// maskTool replaces what differs from run to run in a folded text.
func maskTool(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if end, mask := maskAt(s, i); end > i {
			b.WriteString(mask)
			i = end
			continue
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		b.WriteString(s[i : i+size])
		i += size
	}
	return b.String()
}

// maskAt recognises a variable item that begins at i.
func maskAt(s string, i int) (end int, mask string) {
	boundary := i == 0 || !isAlnum(s[i-1]) && s[i-1] != '.' && s[i-1] != '_'
	if !boundary {
		return i, ""
	}
	c := s[i]
	if isDigit(c) {
		if end := dateISO(s, i); end > i && end-i > 10 { // with a time of day: a date alone is content
			return end, "<time>"
		}
		if end := clock(s, i); end > i && strings.Count(s[i:end], ":") == 2 { // to the second: 10:30 is an appointment
			return end, "<time>"
		}
		if end := epoch(s, i); end > i {
			return end, "<time>"
		}
		if end := duration(s, i); end > i {
			return end, "<duration>"
		}
		if end := counter(s, i); end > i {
			return end, "<n>"
		}
		return i, ""
	}
	for _, p := range pidWords {
		if strings.HasPrefix(s[i:], p) {
			k := i + len(p)
			if k < len(s) && isAlnum(s[k]) {
				continue
			}
			j := k
			for j < len(s) && j-k < 3 && strings.IndexByte(" :=[#(", s[j]) >= 0 {
				j++
			}
			if _, e := digitsAt(s, j, 1, 10); e > j && e > k && !isAlnum(byteAt(s, e)) && byteAt(s, e) != '.' {
				return e, s[i:j] + "<pid>"
			}
		}
	}
	return i, ""
}

var pidWords = []string{"pid", "ppid", "tid", "process id", "process", "进程号", "进程id", "进程 id", "进程"}

// epoch is a Unix time of this century in seconds or milliseconds that is named as one.
func epoch(s string, i int) int {
	for _, n := range []int{10, 13} {
		if _, e := digitsAt(s, i, n, n); e > i && s[i] == '1' && !isAlnum(byteAt(s, e)) {
			before := s[max(0, i-16):i]
			for _, w := range []string{"time", "timestamp", "ts", "at", "epoch", "时间戳", "时间"} {
				if strings.Contains(before, w) {
					return e
				}
			}
		}
	}
	return i
}

// durationBefore are words that make an amount of time how long something took, rather than a setting.
var durationBefore = []string{"took", "in", "elapsed", "duration", "after", "finished in", "耗时", "用时", "历时", "花费", "花了", "用了", "经过", "时长"}

var durationUnits = []string{"milliseconds", "millisecond", "microseconds", "nanoseconds", "seconds", "second", "minutes", "minute", "hours", "hour", "msec", "secs", "sec", "mins", "min", "ms", "µs", "μs", "us", "ns", "hrs", "hr", "s", "m", "h", "毫秒", "微秒", "秒钟", "秒", "分钟", "分", "小时"}

// duration is the end of "1.23s", "2 min 3 s", "3分20秒" where a word before or behind says that it was measured.
func duration(s string, i int) int {
	end, ok := oneDuration(s, i)
	if !ok {
		return i
	}
	for { // 2m3s, 2 minutes 3 seconds
		k := end
		for k < len(s) && k-end < 2 && s[k] == ' ' {
			k++
		}
		e, ok := oneDuration(s, k)
		if !ok {
			break
		}
		end = e
	}
	before := strings.TrimRight(s[max(0, i-24):i], " :=：(约")
	for _, w := range durationBefore {
		if strings.HasSuffix(before, w) && (w[0] >= utf8.RuneSelf || len(before) == len(w) || !isAlnum(before[len(before)-len(w)-1])) {
			return end
		}
	}
	after := strings.TrimLeft(s[end:], " ")
	for _, w := range []string{"elapsed", "user", "real", "sys", "total"} {
		if strings.HasPrefix(after, w) && !isAlnum(byteAt(after, len(w))) {
			return end
		}
	}
	return i
}

func oneDuration(s string, i int) (int, bool) {
	if i >= len(s) || !isDigit(s[i]) {
		return i, false
	}
	k := i + matchNumber(s[i:])
	if k < len(s) && s[k] == ' ' {
		k++
	}
	for _, u := range durationUnits {
		if strings.HasPrefix(s[k:], u) {
			e := k + len(u)
			if u[0] < utf8.RuneSelf && u[0] != 0xC2 && isLetter(byteAt(s, e)) {
				continue
			}
			return e, true
		}
	}
	return i, false
}

// counter is a running number: "3/10", "#12", "attempt 3", "第3次", "[ 12%]"; only those that are named as one.
func counter(s string, i int) int {
	_, e := digitsAt(s, i, 1, 9)
	if e == i || byteAt(s, e) == '.' && isDigit(byteAt(s, e+1)) {
		return i
	}
	before := strings.TrimRight(s[max(0, i-20):i], " :=#")
	for _, w := range []string{"attempt", "try", "retry", "iteration", "iter", "step", "epoch", "seq", "sequence", "request id", "run", "build", "job", "第"} {
		if !strings.HasSuffix(before, w) || w[0] < utf8.RuneSelf && len(before) > len(w) && isAlnum(before[len(before)-len(w)-1]) {
			continue
		}
		if w == "第" {
			for _, after := range []string{"次", "轮", "步", "遍"} {
				if strings.HasPrefix(s[e:], after) {
					return e
				}
			}
			return i
		}
		if byteAt(s, e) == '/' {
			if _, e2 := digitsAt(s, e+1, 1, 9); e2 > e+1 {
				return e2
			}
		}
		if isAlnum(byteAt(s, e)) || byteAt(s, e) == '-' {
			return i
		}
		return e
	}
	return i
}
