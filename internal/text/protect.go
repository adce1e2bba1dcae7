package text

import (
	"strings"
	"unicode/utf8"
)

// chunkFlags says which characters are in a chunk, so that matchers that cannot succeed are not tried.
type chunkFlags uint16

const (
	hasAt chunkFlags = 1 << iota
	hasSlash
	hasBackslash
	hasDot
	hasDigit
	hasUnder
	hasHyphen
	hasColon
	hasPlusHash
	hasAmp
	hasUpperInside // an upper-case letter after a lower-case one
	hasDollar
)

const special = hasAt | hasSlash | hasBackslash | hasDot | hasDigit | hasUnder | hasHyphen | hasColon | hasPlusHash | hasAmp | hasUpperInside | hasDollar

// chunk looks at the run of ASCII without white space that begins at i.
func (sc *scanner) chunk(i int) {
	s, f, j := sc.s, chunkFlags(0), i
	for ; j < len(s) && j-i < maxRun; j++ {
		c := s[j]
		if c >= utf8.RuneSelf || asciiClass[c] == classSpace || c == '"' || c == '<' || c == '>' || c == '`' || c == '|' {
			break
		}
		switch c {
		case '@':
			f |= hasAt
		case '/':
			f |= hasSlash
		case '\\':
			f |= hasBackslash
		case '.':
			f |= hasDot
		case '_':
			f |= hasUnder
		case '-':
			f |= hasHyphen
		case ':':
			f |= hasColon
		case '+', '#':
			f |= hasPlusHash
		case '&':
			f |= hasAmp
		case '$':
			f |= hasDollar
		default:
			if isDigit(c) {
				f |= hasDigit
			} else if c >= 'A' && c <= 'Z' && j > i && s[j-1] >= 'a' && s[j-1] <= 'z' {
				f |= hasUpperInside
			}
		}
	}
	if j == i {
		j++
	}
	sc.chunkEnd, sc.flags = j, f
}

// protect finds the protected span or number that begins at i; end is i where there is none.
func (sc *scanner) protect(i int) (end int, kind Kind) {
	s := sc.s
	c := s[i]
	if isLetter(c) {
		if end := dateEnglish(s, i); end > i {
			return end, KindDate
		}
	}
	if sc.flags&special == 0 {
		return i, 0
	}
	ch := s[i:sc.chunkEnd]
	if isLetter(c) {
		if n := matchURL(ch, sc.flags); n > 0 {
			return i + n, KindURL
		}
	}
	if sc.flags&hasAt != 0 && isAlnum(c) {
		if n := matchEmail(ch); n > 0 {
			return i + n, KindEmail
		}
	}
	if isDigit(c) || c == '+' || c == '(' {
		if n := matchPhone(s[i:min(len(s), i+32)]); n > 0 && sc.freeEnd(i+n) {
			return i + n, KindPhone
		}
	}
	if isDigit(c) {
		if end, kind := sc.numeric(i); end > i {
			return end, kind
		}
	}
	if c == '$' {
		if end := money(s, i, 1); end > i {
			return end, KindQuantity
		}
	}
	if sc.flags&(hasSlash|hasBackslash|hasDot) != 0 {
		if n := sc.matchPath(i, ch); n > 0 {
			return i + n, KindPath
		}
	}
	if isLetter(c) || c == '-' || c == '.' || c == '_' {
		return sc.ident(i, ch)
	}
	return i, 0
}

// freeEnd reports that no letter or digit follows at end.
func (sc *scanner) freeEnd(end int) bool { return end >= len(sc.s) || !isAlnum(sc.s[end]) }

// money is the end of a currency sign of the given length at i and its amount, i where there is none.
func money(s string, i, sign int) int {
	n := matchNumber(s[i+sign : min(len(s), i+sign+32)])
	if n == 0 {
		return i
	}
	end := i + sign + n
	return end + unitHan(s[end:])
}

// matchURL is the length of the URL at the start of ch, 0 for none.
func matchURL(ch string, f chunkFlags) int {
	if f&hasDot == 0 && f&hasSlash == 0 {
		return 0
	}
	k := 0
	for k < len(ch) && k < 16 && (isAlnum(ch[k]) || ch[k] == '+' || ch[k] == '-' || ch[k] == '.') {
		k++
	}
	switch {
	case strings.HasPrefix(ch[k:], "://") && k >= 2:
		k += 3
	case len(ch) > 8 && strings.EqualFold(ch[:4], "www."):
		k = 4
	default:
		return bareDomain(ch)
	}
	end := k
	for end < len(ch) && ch[end] > ' ' && !strings.ContainsRune("\"<>`{}|\\^", rune(ch[end])) {
		end++
	}
	end = trimSpan(ch[:end])
	if end <= k {
		return 0
	}
	return end
}

// trimSpan is the length of s without the punctuation that ends a sentence rather than a span; closing brackets
// stay where they were opened inside.
func trimSpan(s string) int {
	n := len(s)
	for n > 0 {
		switch c := s[n-1]; c {
		case '.', ',', ';', ':', '!', '?', '\'', '*', '_', '~':
			n--
			continue
		case ')', ']', '}':
			open := map[byte]string{')': "(", ']': "[", '}': "{"}[c]
			if strings.Count(s[:n], open) < strings.Count(s[:n], string(c)) {
				n--
				continue
			}
		}
		break
	}
	return n
}

const tlds = " com org net io ai dev cn edu gov co app info xyz tech me uk de jp fr eu us hk tw sg "

// bareDomain is a host without a scheme, with its path: example.com, github.com/a/b.
func bareDomain(ch string) int {
	k := 0
	for k < len(ch) && k < 255 && (isAlnum(ch[k]) || ch[k] == '-' || ch[k] == '.') {
		k++
	}
	host := ch[:trimSpan(ch[:k])]
	dot := strings.LastIndexByte(host, '.')
	if dot < 2 || !strings.Contains(tlds, " "+host[dot+1:]+" ") || strings.Contains(host, "..") {
		return 0
	}
	if k < len(ch) && ch[k] == '@' {
		return 0
	}
	end := len(host)
	if end == k && k < len(ch) && ch[k] == '/' {
		for k < len(ch) && (isAlnum(ch[k]) || strings.IndexByte("/._-~%?=&#+:@", ch[k]) >= 0) {
			k++
		}
		end = trimSpan(ch[:k])
	}
	return end
}

// matchEmail is the length of the e-mail address at the start of ch, 0 for none.
func matchEmail(ch string) int {
	k := 0
	for k < len(ch) && k <= 64 && (isAlnum(ch[k]) || strings.IndexByte("._%+-", ch[k]) >= 0) {
		k++
	}
	if k == 0 || k >= len(ch) || ch[k] != '@' || ch[k-1] == '.' {
		return 0
	}
	k++
	start := k
	for k < len(ch) && k-start < 255 && (isAlnum(ch[k]) || ch[k] == '-' || ch[k] == '.') {
		k++
	}
	k = start + len(strings.TrimRight(ch[start:k], ".-"))
	dot := strings.LastIndexByte(ch[start:k], '.')
	if dot < 1 || k-start-dot-1 < 2 || !isLetter(ch[k-1]) {
		return 0
	}
	return k
}

// matchPhone is the length of the phone number at the start of s: Chinese mobile (11 digits, 13–19) and land lines
// (area code, hyphen), North American, and international with +.
func matchPhone(s string) int {
	digits, k, groups, last := 0, 0, 0, 0
	plus, paren := false, false
	if s[0] == '+' {
		plus, k = true, 1
	} else if s[0] == '(' {
		paren, k = true, 1
	}
	start := k
	var first, second int // digits of the first two groups
	group := 0
	for k < len(s) {
		c := s[k]
		if isDigit(c) {
			digits++
			group++
			k++
			last = k
			continue
		}
		if group == 0 || k+1 >= len(s) {
			break
		}
		sep := c == '-' || c == ' ' && isDigit(s[k+1]) || c == ')' && paren && groups == 0
		if !sep {
			break
		}
		if groups == 0 {
			first = group
		} else if groups == 1 {
			second = group
		}
		groups++
		group = 0
		k++
		if c == ')' && k < len(s) && s[k] == ' ' {
			k++
		}
		if !isDigit(byteAt(s, k)) {
			break
		}
	}
	if groups == 0 {
		first = group
	} else if groups == 1 && group > 0 {
		second = group
	}
	if digits < 8 {
		return 0
	}
	d := s[start:last]
	switch {
	case plus && digits >= 8 && digits <= 15:
		return last
	case groups == 0 && digits == 11 && d[0] == '1' && d[1] >= '3' && !paren:
		return last
	case digits == 11 && groups == 2 && first == 3 && second == 4 && d[0] == '1' && d[1] >= '3':
		return last
	case groups == 1 && !paren && (first == 3 || first == 4) && (second == 7 || second == 8) && d[0] == '0' && d[first] == '-':
		return last
	case digits == 10 && groups == 2 && first == 3 && second == 3 && (paren || strings.Count(d, "-") == 2):
		return last
	}
	return 0
}

func byteAt(s string, i int) byte {
	if i < len(s) {
		return s[i]
	}
	return 0
}
