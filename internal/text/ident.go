package text

import "strings"

// ident is the identifier at i, or a word with a kind of its own.
func (sc *scanner) ident(i int, ch string) (int, Kind) {
	if ch[0] == '.' {
		if strings.HasPrefix(ch, ".NET") && !isAlnum(byteAt(ch, 4)) {
			return i + 4, KindIdent
		}
		return i, 0
	}
	k := 0
	if strings.HasPrefix(ch, "--") && len(ch) > 3 && isLetter(ch[2]) && (i == 0 || !isAlnum(sc.s[i-1])) {
		k = 2
	} else if ch[0] == '-' {
		return i, 0
	}
	start := k
	under, digit, hyphens, camel := false, false, 0, false
	for k < len(ch) && k < 256 {
		c := ch[k]
		switch {
		case isLetter(c):
			if k > start && c >= 'A' && c <= 'Z' && ch[k-1] >= 'a' && ch[k-1] <= 'z' {
				camel = true
			}
		case isDigit(c):
			digit = true
		case c == '_':
			under = true
		case c == '-' && k > start && isAlnum(byteAt(ch, k+1)) && isAlnum(ch[k-1]):
			hyphens++
		default:
			goto done
		}
		k++
	}
done:
	w := ch[start:k]
	if strings.Trim(w, "_") == "" {
		return i, 0
	}
	rest := ch[k:]
	switch {
	case start > 0:
		return i + k, KindIdent
	case (strings.HasPrefix(rest, "++") && len(w) <= 9 || strings.HasPrefix(rest, "#") && len(w) == 1) && hyphens == 0:
		n := 1
		if rest[0] == '+' {
			n = 2
		}
		if !isAlnum(byteAt(rest, n)) {
			return i + k + n, KindIdent
		}
	case len(rest) > 1 && rest[0] == '&' && len(w) <= 2 && isUpper(w) && isLetter(rest[1]):
		n := 1
		for n < len(rest) && n < 4 && isLetter(rest[n]) {
			n++
		}
		if isUpper(rest[1:n]) && !isAlnum(byteAt(rest, n)) {
			return i + k + n, KindIdent
		}
	case strings.HasPrefix(rest, ".js") && !isAlnum(byteAt(rest, 3)) && strings.Contains(jsNames, " "+strings.ToLower(w)+" "):
		return i + k + 3, KindIdent
	case strings.HasPrefix(rest, ".NET") && !isAlnum(byteAt(rest, 4)):
		return i + k + 4, KindIdent
	case len(rest) > 2 && rest[0] == ':' && isDigit(rest[1]) && isDigit(rest[2]) && hyphens < 4: // host:port
		n := 1
		for n < len(rest) && n < 7 && isDigit(rest[n]) {
			n++
		}
		if n >= 3 && n <= 6 && !isAlnum(byteAt(rest, n)) && byteAt(rest, n) != ':' && isLower(w) {
			return i + k + n, KindHost
		}
	}
	if n := matchVersion(ch); n > 0 {
		return i + n, KindVersion
	}
	switch {
	case k < len(ch) && ch[k] == '\'': // don't, O'Brien
		return i, 0
	case under || camel && !plainCamel(w) || digit && hasLetter(w):
		return i + k, KindIdent
	case hyphens > 0:
		return i + k, KindWord
	}
	return i, 0
}

// plainCamel reports names of people that look like camel case: McDonald, MacLeod.
func plainCamel(w string) bool {
	return strings.HasPrefix(w, "Mc") || strings.HasPrefix(w, "Mac") && len(w) > 5 && w[3] >= 'A' && w[3] <= 'Z' && w != "MacOS"
}

func hasLetter(w string) bool {
	for i := range len(w) {
		if isLetter(w[i]) {
			return true
		}
	}
	return false
}

func isUpper(w string) bool {
	for i := range len(w) {
		if w[i] < 'A' || w[i] > 'Z' {
			return false
		}
	}
	return w != ""
}

func isLower(w string) bool {
	for i := range len(w) {
		if w[i] >= 'A' && w[i] <= 'Z' {
			return false
		}
	}
	return true
}

// matchVersion is v1, v1.2.3-rc1 at the start of ch, 0 for none. Versions without v are numeric's.
func matchVersion(ch string) int {
	if ch[0] != 'v' && ch[0] != 'V' || !isDigit(byteAt(ch, 1)) {
		return 0
	}
	k := 1
	for k < len(ch) && k < 40 && (isDigit(ch[k]) || ch[k] == '.' && isDigit(byteAt(ch, k+1))) {
		k++
	}
	k += versionTail(ch[k:])
	if isAlnum(byteAt(ch, k)) || byteAt(ch, k) == '_' {
		return 0
	}
	return k
}

// versionTail is the length of a pre-release or build suffix: -rc.1, +build5, rc1, b2.
func versionTail(s string) int {
	k := 0
	if k < len(s) && (s[k] == '-' || s[k] == '+') && isAlnum(byteAt(s, k+1)) {
		k++
	} else if !strings.HasPrefix(s, "rc") && !strings.HasPrefix(s, "beta") && !strings.HasPrefix(s, "alpha") {
		return 0
	}
	for k < len(s) && k < 40 && (isAlnum(s[k]) || (s[k] == '.' || s[k] == '-' || s[k] == '+') && isAlnum(byteAt(s, k+1))) {
		k++
	}
	return k
}
