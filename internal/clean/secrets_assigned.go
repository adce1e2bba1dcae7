package clean

import "strings"

// assignedKey is a word that gives away what is assigned to it.
type assignedKey struct {
	key  string // lower case
	kind string // "password" takes weaker values than the others: people choose those
}

// assignedKeys in the order in which keys with the same beginning are tried. A key may stand inside an identifier
// (DB_PASSWORD, clientSecret).
var assignedKeys = []assignedKey{
	{"password", "password"}, {"passphrase", "password"}, {"passcode", "password"}, {"passwd", "password"}, {"pwd", "password"},
	{"_pass", "password"}, {"密码", "password"}, {"密碼", "password"}, {"口令", "password"}, {"通行码", "password"},
	{"api key", "api_key"}, {"api_key", "api_key"}, {"api-key", "api_key"}, {"apikey", "api_key"}, {"app_key", "api_key"}, {"appkey", "api_key"},
	{"access key", "api_key"}, {"access_key", "api_key"}, {"access-key", "api_key"}, {"accesskey", "api_key"},
	{"account_key", "api_key"}, {"accountkey", "api_key"}, {"auth_key", "api_key"}, {"authkey", "api_key"}, {"encryption_key", "api_key"},
	{"private_key", "private_key"}, {"privatekey", "private_key"}, {"private key", "private_key"},
	{"secret", "secret"}, {"token", "token"}, {"credential", "secret"},
	{"密钥", "secret"}, {"密鑰", "secret"}, {"秘钥", "secret"}, {"私钥", "secret"}, {"令牌", "token"}, {"授权码", "secret"},
	{"接口钥匙", "api_key"},
}

// secretKey is the kind of secret that a field of this name holds, "" for none.
func secretKey(name string) string {
	l := strings.ToLower(name)
	for _, k := range []assignedKey{
		{"password", "password"}, {"passwd", "password"}, {"passphrase", "password"}, {"密码", "password"}, {"口令", "password"},
		{"api_key", "api_key"}, {"apikey", "api_key"}, {"api-key", "api_key"}, {"access_key", "api_key"}, {"accesskey", "api_key"}, {"secretaccesskey", "aws"},
		{"private_key", "private_key"}, {"privatekey", "private_key"}, {"client_secret", "secret"}, {"clientsecret", "secret"},
		{"secret_key", "secret"}, {"secretkey", "secret"}, {"access_token", "token"}, {"accesstoken", "token"}, {"refresh_token", "token"},
		{"auth_token", "token"}, {"authtoken", "token"}, {"密钥", "secret"},
	} {
		if strings.HasSuffix(l, k.key) {
			return k.kind
		}
	}
	switch l {
	case "pwd", "pass", "secret", "token", "authorization":
		return "secret"
	}
	return ""
}

// sepKind is how a value is joined to its name.
type sepKind uint8

const (
	sepNone   sepKind = iota
	sepWeak           // "is", a space: ordinary sentences have it too
	sepColon          // ":" with a space, as in prose, and the Chinese "是", "为"
	sepAssign         // "=", ":" without a space, a flag, a quoted key
)

// connectors in sentences; longer ones first.
var connectors = []struct {
	word string
	kind sepKind
}{
	{"改成了", sepColon}, {"设置为", sepColon}, {"设置成", sepColon}, {"修改为", sepColon}, {"重置为", sepColon}, {"应该是", sepColon},
	{"就是", sepColon}, {"改成", sepColon}, {"改为", sepColon}, {"设为", sepColon}, {"设成", sepColon}, {"换成", sepColon}, {"变成", sepColon},
	{"还是", sepColon}, {"叫做", sepColon}, {"是", sepColon}, {"为", sepColon}, {"叫", sepColon},
	{"is now ", sepWeak}, {"is set to ", sepWeak}, {"was changed to ", sepWeak}, {"has been set to ", sepWeak}, {"should be ", sepWeak},
	{"is ", sepWeak}, {"was ", sepWeak}, {"to ", sepWeak}, {"are ", sepWeak}, {"of ", sepWeak},
}

// separator reads what stands between a name and its value from i on: closing quotes of the key, spaces, a sign or
// a connecting word, and gives where the value begins.
func separator(s string, i int) (int, sepKind) {
	start := i
	// The end of the identifier: a suffix such as _PROD, -key, Key, _1.
	if j := suffix(s, i); j > i {
		i = j
	}
	quoted := false
	for i < len(s) && i-start < 40 && strings.IndexByte(`"'\]*`+"`", s[i]) >= 0 {
		quoted = quoted || s[i] != '*'
		i++
	}
	spaces := 0
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') && spaces < 32 {
		i++
		spaces++
	}
	kind := sepNone
	switch {
	case i >= len(s):
		return i, sepNone
	case strings.HasPrefix(s[i:], ":="), strings.HasPrefix(s[i:], "=>"), strings.HasPrefix(s[i:], "->"):
		i, kind = i+2, sepAssign
	case strings.HasPrefix(s[i:], "=="):
		return i, sepNone
	case s[i] == '=':
		i, kind = i+1, sepAssign
	case strings.HasPrefix(s[i:], "：") || strings.HasPrefix(s[i:], "＝"):
		i, kind = i+3, sepColon
	case s[i] == ':':
		i, kind = i+1, sepColon
		if quoted || i < len(s) && s[i] != ' ' && s[i] != '\n' {
			kind = sepAssign
		}
	default:
		for _, c := range connectors {
			if strings.HasPrefix(s[i:], c.word) {
				i, kind = i+len(c.word), c.kind
				break
			}
		}
		if kind == sepNone && spaces > 0 {
			kind = sepWeak
		}
	}
	if kind == sepNone {
		return i, kind
	}
	for n := 0; i < len(s) && n < 8 && (s[i] == ' ' || s[i] == '\t'); n++ {
		i++
	}
	if i < len(s) && (s[i] == ':' || strings.HasPrefix(s[i:], "：")) && kind == sepColon {
		if i++; s[i-1] != ':' {
			i += 2
		}
		for n := 0; i < len(s) && n < 8 && s[i] == ' '; n++ {
			i++
		}
	}
	return i, kind
}

// suffix is the end of the rest of an identifier whose key ends at i: "_prod", "-2", "Key", "s" do not count as
// other words.
func suffix(s string, i int) int {
	if i >= len(s) {
		return i
	}
	c := s[i]
	if c == '_' || c == '-' && i+1 < len(s) && isAlnum(s[i+1]) || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
		j := i + 1
		for j < len(s) && j-i < 24 && (isAlnum(s[j]) || s[j] == '_' || s[j] == '-') {
			j++
		}
		return j
	}
	return i
}

// findAssigned masks what is assigned to a telling name.
func findAssigned(sc *secretScan, r *secretRule, at, after int) (int, int) {
	s := sc.s
	password := r.kind == "password"
	i, sep := separator(s, after)
	if sep == sepNone || sep == sepWeak {
		// "the password for the staging database is …", "密码（测试环境）：…"
		if j, gap := pastGap(s, after); gap != sepNone {
			i, sep = j, sepWeak
		}
	}
	if sep == sepNone || sep == sepWeak && recipient(s, at, after, i) {
		return 0, 0
	}
	if sep == sepWeak && strings.HasPrefix(s[max(0, at-2):at], "--") { // --password hunter2
		sep = sepColon
	}
	from, to, quoted := value(s, i)
	if to <= from {
		return 0, 0
	}
	v := s[from:to]
	if len(v) >= maxValue && !quoted {
		// Longer than anyone types: the whole run goes if its beginning looks issued. (What is consumed here is not
		// looked at again, and what is not costs maxValue a key.)
		if !strong(v, 16) {
			return 0, 0
		}
		return from, run(s, to, csDot, 0)
	}
	if placeholder(v) {
		return 0, 0
	}
	ok := false
	if password {
		ok = passwordLike(s, v, to, sep, quoted, r.key == "passphrase")
	} else {
		ok = keyLike(v, sep)
	}
	if !ok {
		return 0, 0
	}
	return from, to
}

// settingVerbs put a value where the word "to" leads: "changed the password to …".
var settingVerbs = []string{"set", "chang", "reset", "updat", "switch", "rotat", "modif", "edit", "renew", "revert", "turn", "made", "make", "becam"}

// recipient reports whether what stands at i, behind a key that is found from at to after, is whom it goes to or whose
// it is, not what it is: "email the password to bob99", "the password of bob@example.com".
func recipient(s string, at, after, i int) bool {
	word := strings.ToLower(strings.Trim(s[after:i], " \t\"'`*"))
	if word != "to" {
		return (word == "of" || word == "") && isAddress(s[i:])
	}
	before := strings.ToLower(s[max(0, at-48):at])
	if j := strings.LastIndexAny(before, ".!?\n"); j >= 0 {
		before = before[j:]
	}
	for _, v := range settingVerbs {
		if strings.Contains(before, v) {
			return false
		}
	}
	return true
}

// isAddress reports whether s begins with an e-mail address.
func isAddress(s string) bool {
	end := 0
	for end < len(s) && end < maxValue && (isAlnum(s[end]) || strings.IndexByte("._+-@%", s[end]) >= 0) {
		end++
	}
	name, host, ok := strings.Cut(strings.TrimRight(s[:end], "."), "@")
	return ok && name != "" && strings.Contains(host, ".") && !strings.Contains(host, "@") && host[0] != '.'
}

// pastGap finds the separator after a few words that say what the secret is for.
func pastGap(s string, after int) (int, sepKind) {
	rest := s[after:min(len(s), after+72)]
	trimmed := strings.TrimLeft(rest, " ")
	begins := false
	for _, p := range []string{"for ", "of ", "on ", "to ", "(", "（", "in ", "used "} {
		if strings.HasPrefix(trimmed, p) {
			begins = true
			break
		}
	}
	if !begins {
		return after, sepNone
	}
	for j := 0; j < len(rest); j++ {
		switch {
		case rest[j] == '\n' || rest[j] == '.' || rest[j] == ',' || strings.HasPrefix(rest[j:], "。") || strings.HasPrefix(rest[j:], "，"):
			return after, sepNone
		case rest[j] == ':' || rest[j] == '=':
			return skipBlanks(s, after+j+1), sepColon
		case strings.HasPrefix(rest[j:], "："):
			return skipBlanks(s, after+j+3), sepColon
		case strings.HasPrefix(rest[j:], "是"):
			return skipBlanks(s, after+j+3), sepColon
		case strings.HasPrefix(rest[j:], " is "):
			return skipBlanks(s, after+j+4), sepWeak
		}
	}
	return after, sepNone
}

func skipBlanks(s string, i int) int {
	for i < len(s) && s[i] == ' ' {
		i++
	}
	return i
}

// endsValue tells the bytes that no unquoted value holds: blanks, quotes, closing signs, and all beyond ASCII.
var endsValue = func() (t [256]bool) {
	for c := range t {
		t[c] = c <= ' ' || c >= 0x7f || strings.IndexByte("\"'`<>,;)]}\\", byte(c)) >= 0
	}
	return t
}()

const maxValue = 256

// value is the range of the value that begins at i, without its quotes.
func value(s string, i int) (from, to int, quoted bool) {
	if i >= len(s) {
		return i, i, false
	}
	for i < len(s) && s[i] == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\'') {
		i++ // an escaped quote in JSON within JSON
	}
	closer := ""
	switch {
	case s[i] == '"' || s[i] == '\'' || s[i] == '`':
		closer = s[i : i+1]
	case strings.HasPrefix(s[i:], "“"):
		closer = "”"
	case strings.HasPrefix(s[i:], "「"):
		closer = "」"
	case strings.HasPrefix(s[i:], "**"):
		closer = "**"
	}
	if closer != "" {
		from = i + len(closer)
		if closer == "`" { // a fence or double backticks
			for from < len(s) && s[from] == '`' {
				from++
			}
		}
		for j := from; j < len(s) && j-from < maxValue && s[j] != '\n'; j++ {
			if s[j] == '\\' && j+1 < len(s) && !strings.HasPrefix(s[j+1:], closer) {
				j++
				continue
			}
			if strings.HasPrefix(s[j:], closer) {
				return from, j, true
			}
			if s[j] == '\\' {
				return from, j, true // \" closes what \" opened
			}
		}
	}
	from = i
	j := i
	for j < len(s) && j-i < maxValue {
		c := s[j]
		if endsValue[c] {
			break
		}
		if c == '&' && queryNext(s[j+1:]) {
			break
		}
		j++
	}
	for j > from && strings.IndexByte(".:?*", s[j-1]) >= 0 {
		j--
	}
	return from, j, false
}

// queryNext reports whether the next parameter of a query begins.
func queryNext(s string) bool {
	for i := 0; i < len(s) && i < 32; i++ {
		if s[i] == '=' {
			return i > 0
		}
		if !isAlnum(s[i]) && s[i] != '_' && s[i] != '-' && s[i] != '.' {
			return false
		}
	}
	return false
}
