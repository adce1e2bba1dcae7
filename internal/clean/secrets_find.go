package clean

import "strings"

// findToken: an issued token is its prefix, not inside a longer word, and a run of its characters.
func findToken(sc *secretScan, r *secretRule, at, after int) (int, int) {
	s := sc.s
	if at > 0 && (isAlnum(s[at-1]) || s[at-1] == '_') && !escapedBefore(s, at) {
		return 0, 0
	}
	limit := 0
	if r.max > 0 {
		limit = r.max + 1
	}
	end := run(s, after, r.charset, limit)
	if n := end - after; n < r.min || r.max > 0 && n > r.max {
		return 0, 0
	}
	// The next character must end the word too: 16 capitals and digits followed by small letters are no AWS id.
	if r.max > 0 && end < len(s) && isAlnum(s[end]) {
		return 0, 0
	}
	for end > after && (s[end-1] == '.' || s[end-1] == '=' && r.charset == csPath) {
		end--
	}
	return at, end
}

// escapedBefore: "\nghp_…" inside a JSON string is a line break before the token, not the letter n.
func escapedBefore(s string, at int) bool {
	return at >= 2 && s[at-2] == '\\' && strings.IndexByte("nrt", s[at-1]) >= 0
}

// findGenericSK: "sk-" is used by many vendors, and begins class names too; a key holds an unbroken part of
// sixteen letters and digits, or digits and capitals among at least 32 characters.
func findGenericSK(sc *secretScan, r *secretRule, at, after int) (int, int) {
	if at < sc.noSK { // inside a run that was looked at and held no long part
		return 0, 0
	}
	from, to := findToken(sc, r, at, after)
	if to <= from {
		return 0, 0
	}
	part, longest, dig, up := 0, 0, 0, 0
	for i := after; i < to; i++ {
		c := sc.s[i]
		switch {
		case c == '-' || c == '_':
			part = 0
			continue
		case c >= '0' && c <= '9':
			dig++
		case c >= 'A' && c <= 'Z':
			up++
		}
		part++
		longest = max(longest, part)
	}
	if longest >= 16 && dig+up > 0 || to-after >= 32 && dig > 1 && up > 1 {
		return from, to
	}
	sc.noSK = to
	return 0, 0
}

// findTelegram: a bot token is its id of 8–10 digits, a colon, and 35 characters that begin with AA.
func findTelegram(sc *secretScan, r *secretRule, at, after int) (int, int) {
	s := sc.s
	from := at
	for from > 0 && at-from < 11 && s[from-1] >= '0' && s[from-1] <= '9' {
		from--
	}
	end := run(s, after, r.charset, r.max+1)
	if n := at - from; n < 8 || n > 10 || end-after < r.min || end-after > r.max {
		return 0, 0
	}
	return from, end
}

// findJWT: three parts of base64url with dots between (RFC 7519); header and payload are JSON objects, so both
// begin with "eyJ" unless the payload is encrypted.
func findJWT(sc *secretScan, _ *secretRule, at, _ int) (int, int) {
	s := sc.s
	if at > 0 && charsets[s[at-1]]&csURL != 0 && !escapedBefore(s, at) {
		return 0, 0
	}
	h := run(s, at, csURL, 0)
	if h-at < 12 || h >= len(s) || s[h] != '.' {
		return 0, 0
	}
	p := run(s, h+1, csURL, 0)
	if p-h < 10 {
		return 0, 0
	}
	end := p
	for end < len(s) && s[end] == '.' {
		next := run(s, end+1, csURL, 0)
		if next == end+1 {
			break
		}
		end = next
	}
	return at, end
}

// findPEM masks a private key from BEGIN to END. Without an END (a cut output) the lines that hold nothing but
// base64 go. Certificates and public keys are no secrets.
func findPEM(sc *secretScan, _ *secretRule, at, after int) (int, int) {
	s := sc.s
	head := s[after:min(len(s), after+64)]
	dash := strings.Index(head, "-----")
	if dash < 0 || !strings.Contains(head[:dash], "PRIVATE KEY") {
		return 0, 0
	}
	body := after + dash + 5
	if !sc.noPEM {
		if i := strings.Index(s[body:], "-----END "); i >= 0 {
			end := body + i
			if j := strings.Index(s[end+9:min(len(s), end+9+64)], "-----"); j >= 0 {
				return at, end + 9 + j + 5
			}
			return at, end + 9
		}
		sc.noPEM = true
	}
	return at, base64Lines(s, body)
}

// base64Lines is the end of the lines from i on that hold nothing but base64, real or written as \n.
func base64Lines(s string, i int) int {
	for i < len(s) {
		end := run(s, i, csDot, 0)
		next := end
		for next < len(s) && (s[next] == '\r' || s[next] == '\n' || s[next] == ' ' || s[next] == '\t') {
			next++
		}
		if strings.HasPrefix(s[end:], `\n`) {
			next = end + 2
		}
		if n := end - i; n > 0 && n < 16 && next < len(s) || n == 0 && next == end {
			return i
		}
		if next == end {
			return end
		}
		i = next
	}
	return i
}

// findPEMEnd: an END whose BEGIN was cut off (the last lines of a file); the base64 lines before it go with it.
func findPEMEnd(sc *secretScan, _ *secretRule, at, after int) (int, int) {
	s := sc.s
	tail := s[after:min(len(s), after+64)]
	dash := strings.Index(tail, "-----")
	if dash < 0 || !strings.Contains(tail[:dash], "PRIVATE KEY") {
		return 0, 0
	}
	from := at
	for from > sc.last {
		i := from
		for i > sc.last && (s[i-1] == '\n' || s[i-1] == '\r' || s[i-1] == ' ') {
			i--
		}
		start := i
		for start > sc.last && charsets[s[start-1]]&csDot != 0 {
			start--
		}
		if i-start < 24 && from != at || i == start {
			break
		}
		from = start
	}
	return from, after + dash + 5
}

// findPuTTY masks the lines of a PuTTY key's private part.
func findPuTTY(sc *secretScan, _ *secretRule, _, after int) (int, int) {
	nl := strings.IndexByte(sc.s[after:min(len(sc.s), after+16)], '\n')
	if nl < 0 {
		return 0, 0
	}
	from := after + nl + 1
	return from, base64Lines(sc.s, from)
}

// findURLPassword masks the password in scheme://user:password@host, or a token in the user's place.
func findURLPassword(sc *secretScan, _ *secretRule, _, after int) (int, int) {
	s := sc.s
	colon, end := -1, -1
	for i := after; i < len(s) && i-after < 320; i++ {
		c := s[i]
		if c == '@' {
			end = i // the last one before the path is the border
			continue
		}
		if c == ':' && colon < 0 && end < 0 {
			colon = i
			continue
		}
		if c <= ' ' || c >= 0x7f || strings.IndexByte("/?#\"'`<>\\", c) >= 0 {
			break
		}
	}
	if end < 0 {
		return 0, 0
	}
	from := colon + 1
	if colon < 0 {
		from = after
		if end-from < 20 || !strong(s[from:end], 20) {
			return 0, 0
		}
	}
	if v := s[from:end]; v == "" || placeholder(v) {
		return 0, 0
	}
	return from, end
}

// findAuthorization masks the credentials of an Authorization (or Proxy-Authorization) header or field, whatever
// its scheme.
func findAuthorization(sc *secretScan, _ *secretRule, _, after int) (int, int) {
	s := sc.s
	i, sep := separator(s, after)
	if sep == sepNone || sep == sepWeak {
		return 0, 0
	}
	for i < len(s) && strings.IndexByte(`\"'`, s[i]) >= 0 && i-after < 40 {
		i++
	}
	for _, scheme := range []string{"bearer ", "basic ", "token ", "digest ", "apikey ", "aws4-hmac-sha256 "} {
		if len(s)-i >= len(scheme) && strings.EqualFold(s[i:i+len(scheme)], scheme) {
			i += len(scheme)
			break
		}
	}
	end := run(s, i, csDot, 0)
	if end-i < 12 || placeholder(s[i:end]) || !strong(s[i:end], 12) {
		return 0, 0
	}
	return i, end
}

func findBearer(sc *secretScan, _ *secretRule, at, after int) (int, int) {
	s := sc.s
	if at > 0 && isAlnum(s[at-1]) {
		return 0, 0
	}
	end := run(s, after, csDot, 0)
	if end-after < 16 || !strong(s[after:end], 16) {
		return 0, 0
	}
	return after, end
}

// findCookie masks the values of a Cookie or Set-Cookie header.
func findCookie(sc *secretScan, _ *secretRule, _, after int) (int, int) {
	s := sc.s
	from := after
	for from < len(s) && s[from] == ' ' {
		from++
	}
	eq := run(s, from, csURL, 64)
	if eq == from || eq >= len(s) || s[eq] != '=' {
		return 0, 0
	}
	end := eq
	for end < len(s) && s[end] != '\n' && s[end] != '"' && s[end] != '\'' && s[end] < 0x7f {
		end++
	}
	if end-eq < 12 {
		return from, from
	}
	return from, end
}

// findUserFlag masks the password in "curl -u user:password".
func findUserFlag(sc *secretScan, _ *secretRule, at, after int) (int, int) {
	s := sc.s
	if at > 0 && s[at-1] != ' ' {
		return 0, 0
	}
	from, to, quoted := value(s, after)
	colon := strings.IndexByte(s[from:to], ':')
	if colon < 1 {
		return 0, 0
	}
	from += colon + 1
	if v := s[from:to]; placeholder(v) || !passwordLike(s, v, to, sepWeak, quoted, false) {
		return 0, 0
	}
	return from, to
}

// findFlagValue masks the value of a flag that takes nothing but a password.
func findFlagValue(sc *secretScan, _ *secretRule, _, after int) (int, int) {
	from, to, _ := value(sc.s, skipBlanks(sc.s, after))
	if placeholder(sc.s[from:to]) {
		return 0, 0
	}
	return from, to
}

// findLink: who has a one-time link has what it opens. What stands in its path behind a word that says so is masked where
// it looks drawn by lot; a link to a page about secrets keeps its words.
func findLink(sc *secretScan, _ *secretRule, at, after int) (int, int) {
	s := sc.s
	begin := strings.LastIndexAny(s[max(0, at-maxLinkHost):at], " \t\r\n\"'<(") + 1 // of the word
	if !strings.Contains(s[max(0, at-maxLinkHost)+begin:at], "://") {
		return 0, 0
	}
	end := run(s, after, csURL, 0)
	if n := end - after; n < 12 || !drawn(s[after:end]) {
		return 0, 0
	}
	return after, end
}

// maxLinkHost is how far before the word in a link its scheme is looked for.
const maxLinkHost = 200

// drawn reports whether s looks drawn by lot: letters and digits, changing between them more than a word with a number or
// a date does.
func drawn(s string) bool {
	digits, changes := 0, 0
	for i := range len(s) {
		d := s[i] >= '0' && s[i] <= '9'
		if d {
			digits++
		}
		if i > 0 && isAlnum(s[i]) && isAlnum(s[i-1]) && d != (s[i-1] >= '0' && s[i-1] <= '9') {
			changes++
		}
	}
	return digits > 1 && changes > 2
}
