package clean

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// passwordLike decides for a name such as "password".
func passwordLike(s, v string, end int, sep sepKind, quoted, phrase bool) bool {
	var low, up, dig, sign, space int
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case c >= 'a' && c <= 'z':
			low++
		case c >= 'A' && c <= 'Z':
			up++
		case c >= '0' && c <= '9':
			dig++
		case c == ' ':
			space++
		default:
			sign++
		}
	}
	letters := low + up
	if space > 0 {
		return quoted && phrase && len(v) >= 12
	}
	switch {
	case len(v) < 4:
		return false
	case strings.HasPrefix(v, "/") || strings.HasPrefix(v, "./") || strings.HasPrefix(v, "~/") || strings.HasPrefix(v, "http"):
		return false // pwd: /home/x, password: https://vault…
	case describes(v, s[end:]):
		return false
	}
	if sep == sepWeak && !quoted {
		return len(v) >= 6 && (letters > 0 && dig > 0 || letters >= 4 && strings.ContainsAny(v, "!@#$%^&*~")) && !kebab(v)
	}
	if letters == 0 && dig > 0 {
		return sign == 0 || sep == sepAssign || quoted
	}
	if letters > 0 && (dig > 0 || strings.ContainsAny(v, "!@#$%^&*~+")) {
		return true
	}
	// Letters only: an ordinary word is more often an explanation than a password.
	if stopValue(v) {
		return false
	}
	return len(v) >= 6 && (quoted && sep == sepAssign || up > 0 && low > 0 && !capitalised(v) || endsField(s[end:]))
}

// describes: the value is the beginning of a phrase about passwords: "8位以上", "8-16 characters", "base64-encoded".
func describes(v, rest string) bool {
	l := strings.ToLower(v)
	for _, p := range []string{"base64", "sha1", "sha-", "sha2", "sha5", "md5", "bcrypt", "argon2", "utf8", "utf-8", "oauth2", "process.env", "os.environ", "env.", "config.", "self.", "this.", "getenv", "vault:", "2fa"} {
		if strings.HasPrefix(l, p) {
			return true
		}
	}
	if i := strings.IndexByte(v, '('); strings.HasPrefix(rest, "(") || i > 0 && strings.Trim(l[:i], "abcdefghijklmnopqrstuvwxyz_.") == "" {
		return true // a call
	}
	digits := strings.TrimLeft(l, "0123456789-~+")
	if digits == "" {
		r, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, " "))
		if strings.ContainsRune("位个天次年月日小时分秒字种条", r) {
			return true
		}
		next := strings.ToLower(strings.TrimLeft(rest[:min(len(rest), 16)], " "))
		for _, w := range []string{"char", "digit", "letter", "symbol", "day", "time", "attempt", "month", "year", "hour", "minute"} {
			if strings.HasPrefix(next, w) {
				return true
			}
		}
		return false
	}
	for _, w := range []string{"char", "digit", "letter", "day", "bit", "byte", "hour", "month", "year", "minute"} {
		if strings.HasPrefix(strings.TrimLeft(digits, "-"), w) && digits != l {
			return true
		}
	}
	return false
}

// stopValues are words that stand after "password:" without being one.
var stopValues = func() map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(`required optional string none null nil true false undefined unknown empty blank missing reset incorrect
		invalid wrong expired changed unchanged updated field hidden text input must your the here example sample placeholder masked redacted removed
		forgotten protected secured encrypted hashed plain plaintext prompt ask asked default disabled enabled should cannot please enter confirm
		password passwd username user secret token changeit change-me changeme not-set notset set unset same different weak strong yes no integer
		boolean number object array bytes char varchar rotated revoked leaked shared stored saved needed given sent see above below omitted n/a tbd
		todo manager policy login signin auth authentication success failed failure error denied accepted correct verified min max length private public
		interactive stdin file environment variable keychain keyring onepassword bitwarden vault lastpass`) {
		m[w] = true
	}
	return m
}()

func stopValue(v string) bool {
	return stopValues[strings.ToLower(strings.Trim(v, "!.-_*()[]"))]
}

func capitalised(v string) bool { return strings.ToLower(v[1:]) == v[1:] }

// kebab: words joined by hyphens, with at most a number among them: "two-factor", "v2-login".
func kebab(v string) bool {
	if !strings.Contains(v, "-") {
		return false
	}
	for _, p := range strings.Split(v, "-") {
		d := strings.Trim(p, "0123456789")
		if d == "" && len(p) > 2 || d != p && len(p) > 3 {
			return false
		}
		for i := 0; i < len(p); i++ {
			if !isAlnum(p[i]) {
				return false
			}
		}
	}
	return true
}

// endsField: nothing but the end of a line, a quote or a separator follows.
func endsField(rest string) bool {
	t := strings.TrimLeft(rest, " \t.")
	return t == "" || strings.IndexByte("\n\r\"'`,;)]}|&#", t[0]) >= 0 || strings.HasPrefix(t, "，") || strings.HasPrefix(t, "。") || strings.HasPrefix(t, "；")
}

// keyLike decides for names such as "token" and "secret": issued values are long and mixed.
func keyLike(v string, sep sepKind) bool {
	if strings.HasPrefix(v, "/") || strings.HasPrefix(v, "http") || strings.HasPrefix(v, "./") || strings.Contains(v, "(") {
		return false
	}
	least := 10
	if sep == sepWeak {
		least = 16
	}
	return strong(v, least)
}

// strong: at least n characters without a space, letters and digits mixed, not a chain of short words.
func strong(v string, n int) bool {
	if len(v) < n {
		return false
	}
	var low, up, dig, part, longest int
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case c >= 'a' && c <= 'z':
			low++
		case c >= 'A' && c <= 'Z':
			up++
		case c >= '0' && c <= '9':
			dig++
		case c == ' ':
			return false
		default:
			part = 0
			continue
		}
		part++
		longest = max(longest, part)
	}
	if longest < 8 && !(up > 1 && low > 1 && dig > 1) {
		return false
	}
	if dig > 0 && up+low > 0 {
		return true
	}
	return up > 2 && low > 2 && longest >= 20 || up+low >= 24 && longest >= 24 && (up > 0 && low > 0)
}

// placeholder: what stands where a secret would: a variable, a blank, an example, a mask of our own.
func placeholder(v string) bool {
	if v == "" {
		return true
	}
	switch v[0] {
	case '{', '<', '[', '%':
		return true
	case '$':
		if len(v) > 1 && (v[1] == '{' || v[1] == '(' || v[1] == '_' || unicode.IsLetter(rune(v[1]))) {
			return true
		}
	}
	if strings.Trim(v, "*xX.-_•#?") == "" {
		return true
	}
	if strings.Contains(v, "[secret:") || strings.Contains(v, "${") || strings.Contains(v, "{{") {
		return true
	}
	l := strings.ToLower(v)
	for _, p := range []string{"your_", "your-", "yourpass", "yourtoken", "yourkey", "yoursecret", "example", "placeholder", "changeme", "change_me", "insert_", "redacted", "xxxx", "my_password", "mypassword", "<your"} {
		if strings.HasPrefix(l, p) {
			return true
		}
	}
	return strings.HasSuffix(l, "_here") || strings.HasSuffix(l, "-here")
}
