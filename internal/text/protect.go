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

// pathByte reports whether c may be inside a path.
func pathByte(c byte) bool { return isAlnum(c) || strings.IndexByte("._-~+@%=$*/", c) >= 0 }

// matchPath is the length of the path or file name at i, 0 for none.
func (sc *scanner) matchPath(i int, ch string) int {
	s, c := sc.s, ch[0]
	switch {
	case len(ch) >= 3 && isLetter(c) && ch[1] == ':' && (ch[2] == '\\' || ch[2] == '/' && byteAt(ch, 3) != '/'), strings.HasPrefix(ch, `\\`) && len(ch) > 3 && isAlnum(ch[2]):
		k := 2
		for k < len(ch) && (pathByte(ch[k]) || ch[k] == '\\' || ch[k] == '(' || ch[k] == ')') {
			k++
		}
		if n := trimSpan(ch[:k]); n > 3 {
			return sc.extendHan(i, n)
		}
		return 0
	case c == '/' || strings.HasPrefix(ch, "./") || strings.HasPrefix(ch, "../") || strings.HasPrefix(ch, "~/"):
		if i > 0 && (s[i-1] == '<' || isAlnum(s[i-1]) || s[i-1] == '/' || s[i-1] == '.') {
			return 0
		}
		k := 0
		for k < len(ch) && pathByte(ch[k]) {
			k++
		}
		n := trimSpan(ch[:k])
		n = sc.extendHan(i, n)
		if n < 2 || strings.Contains(s[i:i+n], "//") || strings.Trim(s[i:i+n], "/.*~") == "" {
			return 0
		}
		return n
	case c == '.':
		for _, d := range dotFiles {
			if strings.HasPrefix(ch, d) && !isAlnum(byteAt(ch, len(d))) && (i == 0 || !isAlnum(s[i-1])) {
				return len(d)
			}
		}
		return 0
	case isAlnum(c) || c == '_':
		if i < sc.noPath {
			return 0
		}
		k := 0
		for k < len(ch) && k < 512 && pathByte(ch[k]) {
			k++
		}
		n := trimSpan(ch[:k])
		if relativePath(ch[:n]) || fileName(ch[:n]) {
			return n
		}
		if sc.flags&hasSlash != 0 { // "a.py/b.py" is no path, but a.py is a file
			if k := strings.IndexAny(ch[:n], "/=@+"); k > 0 && fileName(ch[:k]) {
				return k
			}
		}
		if k := strings.IndexAny(ch[:n], "/=@+%$*~"); k > 0 && n <= 128 { // of a longer run none is looked for inside
			n = k
		}
		sc.noPath = i + n
	}
	return 0
}

// extendHan lets a path run on through Chinese names, where a slash or an extension follows them.
func (sc *scanner) extendHan(i, n int) int {
	s := sc.s
	for n > 0 && i+n < len(s) {
		last := s[i+n-1]
		if last != '/' && last != '\\' && last != '_' && last != '-' {
			return n
		}
		k := i + n
		for runes := 0; k < len(s) && runes < 40; runes++ {
			r, size := utf8.DecodeRuneInString(s[k:])
			if !isHan(r) && !isAlnum(s[k]) && r != '_' && r != '-' {
				break
			}
			k += size
		}
		if k == i+n || k >= len(s) {
			return n
		}
		if s[k] == '/' || s[k] == '\\' {
			n = k + 1 - i
			continue
		}
		if s[k] == '.' {
			e := k + 1
			for e < len(s) && e-k < 10 && isAlnum(s[e]) {
				e++
			}
			if knownExt(s[k+1 : e]) {
				return e - i
			}
		}
		return n
	}
	return n
}

// relativePath reports whether p, which has no leading slash, is a path rather than words with slashes.
func relativePath(p string) bool {
	slashes := strings.Count(p, "/")
	if slashes == 0 || strings.Contains(p, "//") || strings.Contains(p, "=") {
		return false
	}
	letters, marked := false, false
	for comp := range strings.SplitSeq(strings.TrimSuffix(p, "/"), "/") {
		if comp == "" {
			return false
		}
		for j := 0; j < len(comp); j++ {
			switch c := comp[j]; {
			case isLetter(c):
				letters = true
			case c == '_' || c == '-' && j > 0 || isDigit(c) || c == '.' || c == '*':
				marked = true
			}
		}
	}
	last := p[strings.LastIndexByte(p, '/')+1:]
	return letters && (fileName(last) || slashes >= 2 && marked || slashes >= 3 || slashes == 1 && last == "" && len(p) > 3)
}

// fileName reports whether f is a name with a known extension.
func fileName(f string) bool {
	dot := strings.LastIndexByte(f, '.')
	if dot < 1 || strings.ContainsAny(f, "/=@%$*") || !knownExt(f[dot+1:]) {
		return false
	}
	if strings.EqualFold(f[dot:], ".js") && strings.Contains(jsNames, " "+strings.ToLower(f[:dot])+" ") {
		return false
	}
	for i := range dot {
		if isLetter(f[i]) || isDigit(f[i]) {
			return true
		}
	}
	return false
}

const jsNames = " node next vue react express d3 three nuxt nest angular chart "

var dotFiles = []string{".gitignore", ".github", ".gitlab", ".git", ".env", ".bashrc", ".bash_profile", ".zshrc", ".vimrc", ".profile", ".ssh", ".config", ".dockerignore", ".npmrc", ".vscode", ".cache", ".editorconfig"}

const exts = " py go js ts tsx jsx mjs java c h cpp hpp cc rs rb php sh bash zsh ps1 bat cmd sql json jsonl ndjson yaml yml toml ini cfg conf env xml html htm css scss less md mdx rst txt csv tsv log pdf doc docx xls xlsx ppt pptx odt rtf epub png jpg jpeg gif svg webp bmp ico tif tiff heic mp3 mp4 wav flac ogg avi mov mkv webm srt zip tar gz tgz bz2 xz zst 7z rar exe msi dll so dylib jar war whl deb rpm apk iso img bin dat db sqlite lock mod sum proto ipynb vue svelte kt swift scala lua pl tf tfvars pem key crt cer p12 bak tmp swp pb onnx pt safetensors gguf parquet avro npy npz pkl h5 psd fig drawio service timer patch diff utf8 tmpl tpl gradle cmake mk "

func knownExt(x string) bool {
	return x != "" && len(x) <= 12 && strings.Contains(exts, " "+strings.ToLower(x)+" ")
}

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
