package schema

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// namespace is the UUID namespace of all ids that Siltstone derives. It may never change: ids in logs and
// stores hang on it.
var namespace = [16]byte{0x5b, 0x1f, 0x0c, 0x6e, 0x9d, 0x52, 0x4e, 0x2a, 0x8c, 0x37, 0x51, 0x17, 0x57, 0x0e, 0x5a, 0x01}

// MaxID is the longest id in bytes that a client may give (event, user, agent, conversation, tool).
const MaxID = 256

// EventUUID is the inside id of an event: UUIDv5 (RFC 9562) of tenant, 0, id.
func EventUUID(tenant, id string) string { return UUID(tenant, id) }

// PointID is the id of the point that stage writes for one segment of an event.
func PointID(event, segment, stage string) string { return UUID(event, segment, stage) }

// UUID is the UUIDv5 of the parts, joined by a zero byte, in Siltstone's namespace. Parts must not hold a zero
// byte themselves ([CheckID] refuses it), which makes the join injective.
func UUID(parts ...string) string {
	h := sha1.New()
	h.Write(namespace[:])
	h.Write([]byte(strings.Join(parts, "\x00")))
	var u [16]byte
	copy(u[:], h.Sum(nil))
	u[6] = u[6]&0x0f | 0x50
	u[8] = u[8]&0x3f | 0x80
	var b [36]byte
	hex.Encode(b[0:8], u[0:4])
	hex.Encode(b[9:13], u[4:6])
	hex.Encode(b[14:18], u[6:8])
	hex.Encode(b[19:23], u[8:10])
	hex.Encode(b[24:36], u[10:16])
	b[8], b[13], b[18], b[23] = '-', '-', '-', '-'
	return string(b[:])
}

// Hash is the lower-case hex SHA-256 of b.
func Hash(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// Shard is the subject token that spreads users: the first byte of SHA-256(tenant, 0, user) as 000–255, and 000
// where there is no user.
func Shard(tenant, user string) string {
	if user == "" {
		return "000"
	}
	s := sha256.Sum256([]byte(tenant + "\x00" + user))
	n := strconv.Itoa(int(s[0]))
	return "000"[:3-len(n)] + n
}

// Token encodes any string as a non-empty token of [a-z0-9]: a–y and 0–9 stand for themselves, every other byte
// is "z" and two hex digits; the empty string is "z". It is injective, and the only way by which an id may reach
// a subject, a key or a file name.
func Token(s string) string {
	if s == "" {
		return "z"
	}
	const hexd = "0123456789abcdef"
	var b strings.Builder
	b.Grow(len(s) + 8)
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 'a' && c <= 'y' || c >= '0' && c <= '9' {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('z')
		b.WriteByte(hexd[c>>4])
		b.WriteByte(hexd[c&15])
	}
	return b.String()
}

// Untoken is the inverse of [Token]; ok is false for a string that Token never returns.
func Untoken(t string) (s string, ok bool) {
	if t == "z" {
		return "", true
	}
	b := make([]byte, 0, len(t))
	for i := 0; i < len(t); i++ {
		if t[i] != 'z' {
			b = append(b, t[i])
			continue
		}
		if i+2 >= len(t) {
			return "", false
		}
		c, err := hex.DecodeString(t[i+1 : i+3])
		if err != nil {
			return "", false
		}
		b = append(b, c[0])
		i += 2
	}
	s = string(b)
	return s, t != "" && Token(s) == t
}

// Owner is the key of one user of one tenant, as points and caches carry it. Injective: the dot is in no token.
func Owner(tenant, user string) string { return Token(tenant) + "." + Token(user) }

// CheckID refuses an id that no client has a good reason to send: empty, over [MaxID] bytes, invalid UTF-8,
// control or invisible characters, the replacement character U+FFFD (what broken text becomes: different ids would
// become one), subject wildcards, or white space other than single spaces inside.
// field names the id in the error.
func CheckID(field, id string) error {
	switch {
	case id == "":
		return Invalid(field, "must not be empty")
	case len(id) > MaxID:
		return Invalid(field, "is %d bytes long, at most %d are allowed", len(id), MaxID)
	case id == "." || id == "..":
		return Invalid(field, "stands for a folder in a URL")
	case !utf8.ValidString(id):
		return Invalid(field, "is not valid UTF-8")
	case strings.TrimSpace(id) != id || strings.Contains(id, "  "):
		return Invalid(field, "has white space at an end or in a row")
	}
	for _, r := range id {
		if r == '*' || r == '>' || r == utf8.RuneError || r != ' ' && (unicode.IsSpace(r) || !unicode.IsPrint(r)) {
			return Invalid(field, "holds the character %U, which ids may not hold", r)
		}
	}
	return nil
}

// CheckTenant refuses a tenant name that is not 1 to 64 of [A-Za-z0-9._-], beginning with a letter or digit.
func CheckTenant(t string) error {
	if t == "" || len(t) > 64 {
		return Invalid("tenant", "must be 1 to 64 characters long")
	}
	for i := 0; i < len(t); i++ {
		c := t[i]
		alnum := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !alnum && (i == 0 || c != '.' && c != '_' && c != '-') {
			return Invalid("tenant", "may hold letters, digits, '.', '_' and '-' only, and begins with a letter or digit")
		}
	}
	return nil
}
