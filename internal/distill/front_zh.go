package distill

import (
	"strings"
	"unicode"
)

func withoutFillerZh(p string) string {
	if ix := reFillerZh.findIndex(p); ix != nil && ix[1] < len(p) && strings.TrimRight(p[:ix[1]], " ") != "对" { // 对 Go 很熟: towards
		return strings.TrimSpace(p[ix[1]:])
	}
	return p
}

func stripZh(s string) unit {
	u := unit{text: strings.TrimSpace(s)}
	if ix := reLabelZh.findIndex(u.text); ix != nil && ix[1] < len(u.text) {
		u.todo, u.text = true, u.text[ix[1]:]
		return u
	}
	if m := reTodoDayZh.find(u.text); m != nil {
		u.todo, u.text = true, m[1]+m[2]
		return u
	}
	for range 4 {
		t := u.text
		if ix := reTodoZh.findIndex(t); ix != nil && ix[1] < len(t) && !hasPrefixAny(t[ix[1]:], "我", "，", ",", "：", ":") {
			u.todo, u.text = true, t[ix[1]:]
			return u
		}
		if ix := reExplicitZh.findIndex(t); ix != nil && ix[1] < len(t) {
			u.explicit, u.text = true, t[ix[1]:]
			continue
		}
		if rest := withoutFillerZh(t); rest != t {
			u.text = rest
			continue
		}
		break
	}
	return u
}

// closed is s without the spaces that typography puts between Chinese and what is written in letters or digits: 我叫 Kevin
// says what 我叫Kevin does. Rules match it; contents keep what was written.
func closed(s string) string {
	if !strings.ContainsFunc(s, unicode.IsSpace) {
		return s
	}
	rs := []rune(s)
	out := rs[:0:0]
	for i := 0; i < len(rs); i++ {
		if !unicode.IsSpace(rs[i]) {
			out = append(out, rs[i])
			continue
		}
		j := i
		for j < len(rs) && unicode.IsSpace(rs[j]) {
			j++
		}
		if i == 0 || j == len(rs) || !(isHan(rs[i-1]) && alnum(rs[j]) || alnum(rs[i-1]) && isHan(rs[j])) {
			out = append(out, rs[i:j]...)
		}
		i = j - 1
	}
	return string(out)
}

func alnum(r rune) bool { return r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

func trimEndZh(s string) string {
	return strings.TrimRight(strings.TrimSpace(s), "。！!~～，,；;.…） ")
}
